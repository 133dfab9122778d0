"""Small PLACSP feeds made in the tests, so that each shows only what it is about."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from workbench.feeds.load import FeedFile, Limits, read
from workbench.feeds.notice import FeedItem, Notice, Refused

NAMESPACES = (
    'xmlns="http://www.w3.org/2005/Atom" xmlns:at="http://purl.org/atompub/tombstones/1.0" '
    'xmlns:cbc="urn:dgpe:names:draft:codice:schema:xsd:CommonBasicComponents-2" '
    'xmlns:cac="urn:dgpe:names:draft:codice:schema:xsd:CommonAggregateComponents-2" '
    'xmlns:cbc-place-ext="urn:dgpe:names:draft:codice-place-ext:schema:xsd:CommonBasicComponents-2" '
    'xmlns:cac-place-ext="urn:dgpe:names:draft:codice-place-ext:schema:xsd:CommonAggregateComponents-2"'
)
BASE = "https://contrataciondelestado.es/sindicacion/licitacionesPerfilContratante/"
UPDATED = "2024-05-06T10:11:12.345+02:00"


def status(code: str = "PUB") -> str:
    return f"<cbc-place-ext:ContractFolderStatusCode>{code}</cbc-place-ext:ContractFolderStatusCode>"


def folder(*parts: str, code: str | None = "PUB", expedient: str = "EXP 1/2024") -> str:
    number = f"<cbc:ContractFolderID>{expedient}</cbc:ContractFolderID>"
    inside = number + (status(code) if code else "") + "".join(parts)
    return f"<cac-place-ext:ContractFolderStatus>{inside}</cac-place-ext:ContractFolderStatus>"


def entry(
    number: int = 1, *, inside: str | None = None, updated: str | None = UPDATED, title: str = "Obras", extra: str = ""
) -> str:
    when = f"<updated>{updated}</updated>" if updated is not None else ""
    held = folder() if inside is None else inside
    return (
        f'<entry><id>{BASE}{number}</id><link href="https://x.es/{number}"/><title>{title}</title>{when}{extra}{held}</entry>'
    )


def tombstone(number: int = 1, *, when: str = UPDATED, comment: str | None = None) -> str:
    inside = f'<at:comment type="{comment}"/>' if comment else ""
    return f'<at:deleted-entry ref="{BASE}{number}" when="{when}">{inside}</at:deleted-entry>'


def feed(*items: str, prolog: str = '<?xml version="1.0" encoding="UTF-8"?>\n') -> bytes:
    lines = "\n".join(items)
    header = f"<feed {NAMESPACES}>\n<id>{BASE}x.atom</id>\n<updated>2024-05-06T03:00:01+02:00</updated>"
    return f"{prolog}{header}\n{lines}\n</feed>\n".encode()


def archive(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return held.getvalue()


def items_of(folder_path: Path, data: bytes, name: str = "feed.atom", limits: Limits | None = None) -> list[FeedItem]:
    path = folder_path / name
    path.write_bytes(data)
    file = FeedFile(path, len(data))
    return list(read(file, limits=limits) if limits else read(file))


def notice_of(folder_path: Path, *parts: str, code: str | None = "PUB", **options: str) -> Notice:
    (item,) = items_of(folder_path, feed(entry(inside=folder(*parts, code=code), **options)))
    assert isinstance(item, Notice), item
    return item


def refusal_of(folder_path: Path, data: bytes, name: str = "feed.atom", limits: Limits | None = None) -> Refused:
    (item,) = items_of(folder_path, data, name, limits)
    assert isinstance(item, Refused), item
    return item


def ids(items: list[FeedItem]) -> list[str]:
    """Each item by its kind and the number in its id."""
    return [f"{type(item).__name__} {str(item.source_id or '').removeprefix(BASE)}".strip() for item in items]
