"""Document files on the wire: headers that any name survives, and ranges, so that a download can be resumed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import quote, urlsplit

from workbench.contract.errors import ErrorCode
from workbench.service.refusals import RequestRefused

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]{1,80}/[\w!#$&^.+-]{1,80}", re.ASCII)
_NAME_LENGTH_MAX: Final = 180
# RFC 8187, attr-char: what stands for itself in an extended parameter.
_ATTRIBUTE_SAFE: Final = "!#$&+-.^_`|~"


class DocumentFile(Protocol):
    """A stored document as the store gives it; ``content`` is ``None`` where only the source has the file."""

    @property
    def name(self) -> str: ...
    @property
    def mime_type(self) -> str | None: ...
    @property
    def uri(self) -> str | None: ...
    @property
    def content(self) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """A whole or partial file: 200, 206 or 304, with its headers."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def file_answer(document: DocumentFile, request_headers: Mapping[str, str]) -> FileAnswer:
    """The answer to a download, for the ``Range``, ``If-Range`` and ``If-None-Match`` headers of the request (lower case).

    Raises :class:`RequestRefused`: 502 ``SOURCE_UNAVAILABLE`` where the file is at its source only, 416 for a range
    outside the file.
    """
    content = document.content
    if content is None:
        raise _at_source_only(document)
    etag = f'"{hashlib.sha256(content).hexdigest()}"'
    headers = {
        "content-type": media_type_of(document.mime_type),
        "content-disposition": disposition(document.name),
        "etag": etag,
        "accept-ranges": "bytes",
        "referrer-policy": "no-referrer",
        "content-security-policy": "sandbox",
    }
    if _names(request_headers.get("if-none-match"), etag):
        return FileAnswer(304, b"", headers)
    if_range = request_headers.get("if-range")
    asked = request_headers.get("range") if if_range is None or if_range.strip() == etag else None
    span = _span(asked, len(content))
    if span is None:
        return FileAnswer(200, content, headers)
    start, end = span
    return FileAnswer(206, content[start:end], {**headers, "content-range": f"bytes {start}-{end - 1}/{len(content)}"})


def disposition(name: str) -> str:
    """A ``Content-Disposition`` that offers the file under ``name`` (RFC 6266), in ASCII and in full (RFC 8187).

    Folders, control characters and direction marks are taken out: the name comes from outside and may be meant to mislead.
    """
    clean = "".join(letter for letter in name.replace("\\", "/").rpartition("/")[2] if letter.isprintable())
    clean = clean.strip(" .")[:_NAME_LENGTH_MAX] or "document"
    plain = "".join(letter if letter.isascii() and letter not in '"%?' else "_" for letter in clean)
    # A lone surrogate has no UTF-8 form; it is shown as a question mark, as in the plain form.
    full = quote(clean.encode("utf-8", "replace"), safe=_ATTRIBUTE_SAFE)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{full}"


def media_type_of(stated: str | None) -> str:
    """The stated media type where it has the form of one, else ``application/octet-stream``."""
    return stated if stated and _MEDIA_TYPE.fullmatch(stated) else "application/octet-stream"


def _span(asked: str | None, size: int) -> tuple[int, int] | None:
    """Start and end (exclusive) of the one range asked for; ``None`` for the whole file, several ranges or another unit."""
    match = _RANGE.fullmatch(asked.strip()) if asked else None
    if match is None or match.group() == "bytes=-":
        return None
    first, last = match.groups()
    if first:
        start, end = int(first), min(int(last) + 1 if last else size, size)
        if last and int(last) < start:
            return None
    else:
        start, end = max(0, size - int(last)), size
    if start >= size or start >= end:
        raise RequestRefused(
            416,
            ErrorCode.INVALID_REQUEST,
            f"The document has {size} bytes and the range asked for lies outside them; download it from its start.",
            {"content-range": f"bytes */{size}"},
        )
    return start, end


def _names(if_none_match: str | None, etag: str) -> bool:
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or etag in tags


def _at_source_only(document: DocumentFile) -> RequestRefused:
    uri = document.uri
    if uri and uri.isprintable() and " " not in uri and urlsplit(uri).scheme in ("http", "https"):
        way_out = f"Open {uri} in a browser to get it."
    else:
        way_out = "Its source states no web address for it; look it up on the page of the tender's source."
    return RequestRefused(
        502,
        ErrorCode.SOURCE_UNAVAILABLE,
        f"This service does not hold this document, only the source that published it does. {way_out}",
    )
