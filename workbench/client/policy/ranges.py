"""Going on with a file where its transfer broke off (RFC 9110 13.1.5, 14): only where the rest is surely of the same file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

_CONTENT_RANGE: Final = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.IGNORECASE)
_STRONG_ETAG: Final = re.compile(r'"[\x21\x23-\x7e\x80-\xff]*"')


@dataclass(frozen=True, slots=True)
class Version:
    """What tells one version of a file from another: ``validator`` for If-Range, and its size in bytes where that is known."""

    validator: str
    total: int | None


@dataclass(frozen=True, slots=True)
class Rest:
    """The answer is a part that begins where it should; ``total`` is the whole file's size, ``None`` where it is not told."""

    total: int | None


@dataclass(frozen=True, slots=True)
class Whole:
    """The answer is the whole file from its beginning."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """The answer fits neither: ask once more for the whole file. ``reason`` says what is wrong."""

    reason: str


def version_of(headers: Mapping[str, str]) -> Version | None:
    """The version that an answer with the whole file is of; ``None`` where its transfer could not be gone on with.

    A strong ETag, or a Last-Modified at least a second older than the answer (RFC 9110 8.8.2.2); a coded body has none.
    """
    if headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        return None
    if headers.get("accept-ranges", "").strip().lower() == "none":
        return None
    length = headers.get("content-length", "")
    total = int(length) if length.isascii() and length.isdigit() else None
    etag = headers.get("etag", "").strip()
    if _STRONG_ETAG.fullmatch(etag):
        return Version(etag, total)
    modified = headers.get("last-modified", "").strip()
    return Version(modified, total) if modified and _settled(modified, headers.get("date")) else None


def _settled(modified: str, date: str | None) -> bool:
    try:
        return date is not None and (parsedate_to_datetime(date) - parsedate_to_datetime(modified)).total_seconds() >= 1
    except (ValueError, TypeError, OverflowError):
        return False


def range_headers(received: int, version: Version | None) -> tuple[tuple[str, str], ...]:
    """The headers that ask for the rest, or for the whole file if it has changed; none where there is nothing to go on with."""
    if version is None or not received or (version.total is not None and received >= version.total):
        return ()
    return (("Range", f"bytes={received}-"), ("If-Range", version.validator))


def continuation(status: int, headers: Mapping[str, str], *, received: int, version: Version | None) -> Rest | Whole | Unfit:
    """What an answer is to a request that :func:`range_headers` made with these values."""
    if status == 200:
        return Whole()
    if status == 416:
        return Unfit("the service says that the file ends before the part that was missing")
    if status != 206 or version is None:
        return Unfit(f"the service answered with HTTP {status}, which is no file")
    found = _CONTENT_RANGE.fullmatch(headers.get("content-range", "").strip())
    if found is None:
        return Unfit("the service sent a part of the file without saying which")
    first, last = int(found[1]), int(found[2])
    total = None if found[3] == "*" else int(found[3])
    if headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        return Unfit("the service sent a part of the file in a coding that was not asked for")
    if first != received or last < first or (total is not None and last >= total):
        return Unfit("the service sent another part of the file than was asked for")
    if version.total is not None and total is not None and total != version.total:
        return Unfit("the file has changed while it was fetched")
    etag = headers.get("etag", "").strip()
    if version.validator.startswith('"') and etag and etag != version.validator:
        return Unfit("the file has changed while it was fetched")
    return Rest(total if total is not None else version.total)
