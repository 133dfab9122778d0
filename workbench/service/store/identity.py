"""Who is who: ids made from what sources call things, so that every import of the same data gives the same ids.

An organization is known by its best identifier: tax number (NIF), else the directory code of Spanish administrations (DIR3),
else the platform's own number, else another register's number, else its name with those of the bodies it belongs to.
Placeholders that publishers type in place of a number, such as ``-`` or ``A9999999``, identify nobody.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Final, NamedTuple
from uuid import UUID

from workbench.reference.text import fold, words

_TENDERS: Final = UUID("8f9b1c7e-6f0e-5d7c-9a41-3f4f6d1b2a10").bytes
_ORGANIZATIONS: Final = UUID("8f9b1c7e-6f0e-5d7c-9a41-3f4f6d1b2a11").bytes
_DOCUMENTS: Final = UUID("8f9b1c7e-6f0e-5d7c-9a41-3f4f6d1b2a12").bytes

_SLUG_LENGTH: Final = 60
SLUG_TAIL: Final = re.compile(r"-([0-9a-f]{12})$")

_NIF: Final = re.compile(r"[A-HJNP-SUVW]\d{7}[0-9A-J]|[XYZKLM]\d{7}[A-Z]|\d{7,8}[A-Z]")
_SAME_CHARACTER: Final = re.compile(r"(.)\1*")
_SEPARATORS: Final = re.compile(r"[^0-9A-Z]+")
_PLACEHOLDERS: Final = frozenset({"A9999999", "99999999R", "00000000T", "NA", "ND", "NOCONSTA", "SINNIF"})
_RANK: Final = {"NIF": 0, "DIR3": 1, "ID_PLATAFORMA": 2, "ID_OC_PLAT": 3}
_OTHER_REGISTER: Final = 4


class Identity(NamedTuple):
    """The organization that a party is: its id, its tax number in full where it has one, and its slug's tail."""

    id: str
    tax_id: str | None


def tender_id(source: str, source_id: str) -> str:
    """The uuid text of a tender: of its source and what the source calls it (version 5 of RFC 9562)."""
    return _uuid5(_TENDERS, f"{source}\n{source_id}")


def document_id(tender: str, key: str) -> str:
    """The uuid text of a document of ``tender``."""
    return _uuid5(_DOCUMENTS, f"{tender}\n{key}")


@lru_cache(maxsize=20_000)
def identify(name: str | None, identifiers: tuple[tuple[str, str], ...], parents: tuple[str, ...]) -> Identity | None:
    """The organization that a party names, or ``None`` where it names nobody."""
    ranked = sorted(filter(None, (_identifier(scheme, value) for scheme, value in identifiers)))
    tax_id = next((value for rank, _, value in ranked if rank in (0, _OTHER_REGISTER)), None)
    if ranked:
        _, kind, value = ranked[0]
        return Identity(_uuid5(_ORGANIZATIONS, f"{kind}\n{value}"), tax_id)
    named = " ".join(words(name or ""))
    if not named:
        return None
    above = "\n".join(" ".join(words(parent)) for parent in parents)
    return Identity(_uuid5(_ORGANIZATIONS, f"name\n{named}\n{above}"), None)


def _identifier(scheme: str, value: str) -> tuple[int, str, str] | None:
    plain = _SEPARATORS.sub("", fold(value).upper())
    if plain.startswith("ES") and _NIF.fullmatch(plain[2:]):
        plain = plain[2:]
    if len(plain) < 3 or plain in _PLACEHOLDERS or _SAME_CHARACTER.fullmatch(plain):
        return None
    kind = scheme.strip().upper()
    if kind not in _RANK and _NIF.fullmatch(plain):
        kind = "NIF"  # Publishers file tax numbers of companies and joint ventures under OTROS and UTE as well.
    if kind in _RANK:
        return _RANK[kind], kind, plain
    # Numbers of other registers are typed in freely; short ones and words say nothing.
    return (_OTHER_REGISTER, "OTHER", plain) if sum(map(str.isdigit, plain)) >= 5 else None


def slug(folded: str, uuid_text: str) -> str:
    """``ayuntamiento-de-lleida-3f2a9c1b7d40``: the name for people, then twelve digits of the id, which keep it unique.

    ``folded`` is the name as plain words (:mod:`workbench.reference.text`). A slug of an earlier name leads to the same
    record, since :data:`SLUG_TAIL` is what tells records apart.
    """
    head = folded[:_SLUG_LENGTH].strip().replace(" ", "-")
    tail = uuid_text[:8] + uuid_text[9:13]
    return f"{head}-{tail}" if head else f"record-{tail}"


def _uuid5(namespace: bytes, name: str) -> str:
    # What uuid.uuid5 computes, without the object: an import makes several for each notice.
    raw = bytearray(hashlib.sha1(namespace + name.encode("utf-8", "replace"), usedforsecurity=False).digest()[:16])
    raw[6] = (raw[6] & 0x0F) | 0x50
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
