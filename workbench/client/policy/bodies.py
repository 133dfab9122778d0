"""What an answer's headers promise about a file's bytes, and undoing a coding that nobody asked for."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

_INFLATED_AT_ONCE: Final = 1024 * 1024


class DamagedBody(Exception):
    """What came is not what was sent: cut short, or with another hash. The text says which."""


class Content:
    """Undoes a content coding that came although none was asked for; unlike httpx2's, it notices an early end.

    ``encoded`` says whether there is one. Raises :class:`DamagedBody` for a coding that is not known.
    """

    def __init__(self, coding: str) -> None:
        coding = coding.strip().lower()
        self.encoded = coding not in {"", "identity"}
        if self.encoded and coding not in {"gzip", "x-gzip", "deflate"}:
            raise DamagedBody(f"it came in the coding {coding[:20]!r}, which was not asked for")
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if self.encoded else None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The file's own bytes in a chunk of the body, in pieces of at most a mebibyte."""
        if self._inflate is None:
            yield chunk
            return
        try:
            piece = self._inflate.decompress(chunk, _INFLATED_AT_ONCE)
            while piece:
                yield piece
                piece = self._inflate.decompress(self._inflate.unconsumed_tail, _INFLATED_AT_ONCE)
        except zlib.error:
            raise DamagedBody("its compression is damaged") from None

    def end(self) -> None:
        """The body is over. Raises :class:`DamagedBody` where its coding is not."""
        if self._inflate is not None and not self._inflate.eof:
            raise DamagedBody("its compression ends early")


def length_in(headers: Mapping[str, str]) -> int | None:
    """The body's length in bytes, as it travels; ``None`` where the answer does not say."""
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


_DIGEST: Final = re.compile(r"(?:^|,)\s*sha-256=:?([A-Za-z0-9+/]{43}=):?", re.IGNORECASE)
_HASH_ETAG: Final = re.compile(r'^"(?:sha256[:-])?([0-9a-f]{64})"$')


def sha256_in(headers: Mapping[str, str]) -> bytes | None:
    """The SHA-256 that an answer names (RFC 9530, RFC 3230, or an ETag that is one); an MD5-like ETag promises nothing."""
    if headers.get("content-encoding", "identity") != "identity":
        return None
    for name in ("repr-digest", "content-digest", "digest"):
        if found := _DIGEST.search(headers.get(name, "")):
            return base64.b64decode(found[1])
    if found := _HASH_ETAG.match(headers.get("etag", "")):
        return bytes.fromhex(found[1])
    return None
