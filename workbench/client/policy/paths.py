"""Filling a path template so that an id stays one segment of the path, whatever it holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import quote, unquote

_DECODINGS_MAX = 4
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
"""What most ids are; nothing in them means anything to a path."""


class UnusablePathValue(ValueError):
    """A path parameter that cannot stand in a path. ``name`` is the parameter's name in the template."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name


def fill(template: str, values: Mapping[str, object]) -> str:
    """The template with each parameter percent-encoded (RFC 3986: unreserved characters alone stay).

    Raises :class:`UnusablePathValue` for a value that is no text or empty, that holds control characters, or of which a
    segment is ``.`` or ``..``, also percent-encoded, also more than once: servers and proxies resolve those.
    """
    return re.sub(r"{(\w+)}", lambda match: _segment(match[1], values[match[1]]), template)


def _segment(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UnusablePathValue(name, f"takes text, not {type(value).__name__}")
    if _PLAIN.fullmatch(value):
        return value
    if not value.strip():
        raise UnusablePathValue(name, "is empty; give the id")
    if any(unicodedata.category(c) in {"Cc", "Cs"} for c in value):
        raise UnusablePathValue(name, "holds control characters; give the bare id")
    decoded = value
    for _ in range(_DECODINGS_MAX):
        if any(segment in {".", ".."} for segment in re.split(r"[/\\]", decoded)):
            raise UnusablePathValue(name, "holds '.' or '..', which would lead to another place; give the bare id")
        decoded = unquote(decoded)
    return quote(value, safe="")
