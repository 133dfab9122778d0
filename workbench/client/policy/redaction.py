"""Taking keys and tokens out of text before anyone reads it: error messages, excerpts, log records.

A document link is a secret too (interface 5.6): whoever reads its address in a log can fetch the file.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote
from weakref import WeakValueDictionary

from pydantic import SecretStr

HIDDEN: Final = "[hidden]"

_TOKEN_IN_PATH = re.compile(r"(documents(?:/|%2F))[^/\s\"'<>?#]+?((?:/|%2F)download)", re.IGNORECASE)
_HEADER = re.compile(
    r"(?P<name>\b(?:api[-_]?key|authorization|proxy-authorization|x-amz-security-token|cookie|set-cookie)\b"
    r"(?:\\?[\"'])?\s*[:=,]\s*(?:b?\\?[\"'])?)(?P<value>(?:(?:Bearer|Basic)\s+)?[^\s\"'\\,;)\]}]+)",
    re.IGNORECASE,
)
_QUERY = re.compile(
    r"(?P<name>[?&;](?:[\w.-]*(?:signature|token|credential|secret|password|api[-_]?key)[\w.-]*|sig|key|auth|code)=)[^&\s\"'<>#]+",
    re.IGNORECASE,
)
_USER_INFO = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]*://)[^/\s\"'@]+@", re.IGNORECASE)

_SHORTEST_SECRET: Final = 4
"""A shorter "key" is no secret, and hiding it would blank out ordinary text."""


def as_secret(key: SecretStr | str | None) -> SecretStr | None:
    """The key wrapped, without white space around it: whoever takes a key does this first, since tracebacks print values."""
    if key is None:
        return None
    return SecretStr((key.get_secret_value() if isinstance(key, SecretStr) else key).strip())


def redact(text: str, secrets: Iterable[SecretStr] = ()) -> str:
    """``text`` without the given secrets, values of secret headers and query parameters, document tokens and user info."""
    for secret in secrets:
        value = secret.get_secret_value()
        if len(value) >= _SHORTEST_SECRET:
            for spelling in {value, quote(value, safe="")}:
                text = text.replace(spelling, HIDDEN)
    text = _TOKEN_IN_PATH.sub(rf"\g<1>{HIDDEN}\g<2>", text)
    text = _QUERY.sub(rf"\g<name>{HIDDEN}", text)
    text = _USER_INFO.sub(rf"\g<scheme>{HIDDEN}@", text)
    return _HEADER.sub(rf"\g<name>{HIDDEN}", text)


def excerpt(body: bytes, secrets: Iterable[SecretStr] = (), *, limit: int = 200) -> str:
    """The beginning of a body as one redacted line without control characters, at most ``limit`` characters."""
    text = redact(body[: limit * 8].decode("utf-8", "replace"), secrets)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


class RedactingFilter(logging.Filter):
    """Rewrites the records of a logger: the text that would be printed, redacted, and no arguments left to print.

    Secrets are watched weakly: they live as long as the client that holds them.
    """

    def __init__(self) -> None:
        super().__init__()
        # By identity: two clients may hold equal keys, and the end of one must not uncover the other's.
        self._watched: WeakValueDictionary[int, SecretStr] = WeakValueDictionary()

    def watch(self, secret: SecretStr) -> None:
        """Hide this secret, wherever it turns up, for as long as it is held by someone."""
        self._watched[id(secret)] = secret

    def filter(self, record: logging.LogRecord) -> bool:
        """Always lets the record through, redacted."""
        record.msg = redact(record.getMessage(), tuple(self._watched.values()))
        record.args = None
        return True
