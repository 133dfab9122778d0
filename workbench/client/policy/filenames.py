"""A file name from a server, made safe to write (RFC 6266, RFC 5987)."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from typing import Final
from urllib.parse import unquote_to_bytes

NAME_BYTES_MAX: Final = 180
"""File systems take 255 bytes a name; this leaves room for " (12)" and for the temporary file's suffix."""

_EXTENDED = re.compile(r";\s*filename\*\s*=\s*([\w!#$%&+^`{}~.-]+)'[^']*'([^;\s]+)", re.IGNORECASE)
_QUOTED = re.compile(r";\s*filename\s*=\s*\"((?:[^\"\\]|\\.)*)\"", re.IGNORECASE)
_TOKEN = re.compile(r";\s*filename\s*=\s*([^\";][^;]*)", re.IGNORECASE)


def name_in_header(header: str | None) -> str | None:
    """The file name that a ``Content-Disposition`` header gives, as it stands there; ``filename*`` goes before ``filename``.

    ``None`` where there is none that can be read.
    """
    if not header:
        return None
    if extended := _EXTENDED.search(header):
        decoded = _decode(extended[1], extended[2])
        if decoded:
            return decoded
    if quoted := _QUOTED.search(header):
        return re.sub(r"\\(.)", r"\1", quoted[1]) or None
    if token := _TOKEN.search(header):
        return token[1].strip() or None
    return None


def _decode(charset: str, value: str) -> str | None:
    try:
        return unquote_to_bytes(value).decode(charset)
    except (LookupError, UnicodeDecodeError):
        return None


def safe_name(candidate: str | None, *, fallback: str, media_type: str | None = None) -> str:
    """A name that is one path segment on every common system: no folders, control or direction marks, no leading dots.

    ``fallback`` stands in where nothing usable is left, with the usual extension of ``media_type``. At most
    :data:`NAME_BYTES_MAX` bytes of UTF-8; the extension survives the cut.
    """
    name = _clean(candidate or "")
    if not name or name.startswith("."):
        name = _clean(fallback) or "document"
        if "." not in name:
            name += mimetypes.guess_extension((media_type or "").partition(";")[0].strip().lower()) or ""
    return _shorten(name)


def _clean(text: str) -> str:
    text = unicodedata.normalize("NFC", text.replace("\\", "/")).rstrip("/").rpartition("/")[2]
    # Cc and Cf hold escapes, line breaks and the marks that show "fdp.exe" as "exe.pdf"; the others cannot be written or shown.
    visible = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
    from pathvalidate import sanitize_filename  # not needed before the first download

    name = str(sanitize_filename(_shorten(visible), platform="universal"))
    return name.strip().lstrip(".").strip().rstrip(". ")


def _shorten(name: str) -> str:
    if len(name.encode()) <= NAME_BYTES_MAX:
        return name
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension.encode()) > 16:
        stem, dot, extension = name, "", ""
    room = NAME_BYTES_MAX - len((dot + extension).encode())
    return stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") + dot + extension


def next_free_name(name: str, number: int) -> str:
    """``report.pdf`` and 2 give ``report (2).pdf``."""
    stem, dot, extension = name.rpartition(".")
    return f"{stem} ({number}){dot}{extension}" if dot and stem else f"{name} ({number})"
