"""Document files on the wire: headers that any name survives, ranges, so that a download can be resumed, and where a file
comes from: the database, or its source by way of the cache.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import quote, urlsplit

from workbench.contract.errors import ErrorCode
from workbench.service.fetching import DocumentFetcher, GrowingFile, SourceFailed, expects_page
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
    """A whole or partial file: 200, 206 or 304, with its headers. Its bytes are ``body``, or come one by one as ``chunks``."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    chunks: GrowingFile | None = None


def file_answer(document: DocumentFile, request_headers: Mapping[str, str]) -> FileAnswer:
    """The answer to a download, for the ``Range``, ``If-Range`` and ``If-None-Match`` headers of the request (lower case).

    Raises :class:`RequestRefused`: 502 ``SOURCE_UNAVAILABLE`` where the file is at its source only, 416 for a range
    outside the file.
    """
    content = document.content
    if content is None:
        raise _at_source_only(document)
    etag = f'"{hashlib.sha256(content).hexdigest()}"'
    status, (start, end), headers = _settled(document.name, document.mime_type, etag, len(content), request_headers)
    return FileAnswer(status, content[start:end], headers)


def fetched_answer(document: DocumentFile, fetcher: DocumentFetcher, request_headers: Mapping[str, str]) -> FileAnswer:
    """As :func:`file_answer`, for a document that its source has: from the cache, or while it comes.

    Name and type are those that the tender's record states; where it states no type, the source's. Raises
    :class:`RequestRefused`: 502 ``SOURCE_UNAVAILABLE`` with the reason and the link to open instead.
    """
    uri = document.uri
    if uri is None:
        raise _at_source_only(document)
    # A part of a file, or whether it is still the same, can be told once it is whole.
    whole = bool(request_headers.keys() & {"range", "if-none-match"})
    try:
        held = fetcher.hold(uri, expects_page=expects_page(document.name, document.mime_type), whole=whole)
        copy = held.copy
        mime_type = document.mime_type or copy.mime_type
        if copy.size is None:
            return FileAnswer(200, b"", _headers(document.name, mime_type, copy.etag), held.read())
        status, (start, end), headers = _settled(document.name, mime_type, copy.etag, copy.size, request_headers)
        if status == HTTPStatus.NOT_MODIFIED:
            return FileAnswer(status, b"", headers)
        return FileAnswer(status, b"", {**headers, "content-length": str(end - start)}, held.read(start, end))
    except SourceFailed as trouble:
        raise _at_source_only(document, str(trouble)) from None


def _settled(
    name: str, mime_type: str | None, etag: str, size: int, request_headers: Mapping[str, str]
) -> tuple[int, tuple[int, int], dict[str, str]]:
    """Status, span of bytes and headers of the answer for a file of ``size`` bytes."""
    headers = _headers(name, mime_type, etag)
    if _names(request_headers.get("if-none-match"), etag):
        return 304, (0, 0), headers
    if_range = request_headers.get("if-range")
    asked = request_headers.get("range") if if_range is None or if_range.strip() == etag else None
    span = _span(asked, size)
    if span is None:
        return 200, (0, size), headers
    start, end = span
    return 206, span, {**headers, "content-range": f"bytes {start}-{end - 1}/{size}"}


def _headers(name: str, mime_type: str | None, etag: str) -> dict[str, str]:
    return {
        "content-type": media_type_of(mime_type),
        "content-disposition": disposition(name),
        "etag": etag,
        "accept-ranges": "bytes",
        "referrer-policy": "no-referrer",
        "content-security-policy": "sandbox",
    }


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


def _at_source_only(document: DocumentFile, reason: str | None = None) -> RequestRefused:
    uri = document.uri
    if uri and uri.isprintable() and " " not in uri and _scheme(uri) in ("http", "https"):
        way_out = f"Open {uri} in a browser to get it."
    else:
        way_out = "Its source states no web address for it; look it up on the page of the tender's source."
    because = f" and could not get it: {reason}" if reason else ", only the source that published it does"
    return RequestRefused(502, ErrorCode.SOURCE_UNAVAILABLE, f"This service does not hold this document{because}. {way_out}")


def _scheme(uri: str) -> str:
    try:
        return urlsplit(uri).scheme
    except ValueError:
        return ""
