"""What a service says when it refuses (interface 7): the codes that the embedded service uses and how to read any body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from workbench.contract.record import JsonObject

CODE_FIELDS: Final = ("code", "errorCode", "error", "type")
"""Fields in which services put a code; the interface does not show which one carries ``SUMMARY_NOT_READY``."""

MESSAGE_FIELDS: Final = ("message", "detail", "error_description", "title")


class ErrorCode(StrEnum):
    """Codes in the ``error`` field of the embedded service's refusals."""

    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_BODY = "INVALID_BODY"
    BODY_TOO_LARGE = "BODY_TOO_LARGE"
    HEADERS_TOO_LARGE = "HEADERS_TOO_LARGE"
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    REQUEST_TIMEOUT = "REQUEST_TIMEOUT"
    RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"
    SUMMARY_NOT_READY = "SUMMARY_NOT_READY"
    OPPORTUNITY_CLOSED = "OPPORTUNITY_CLOSED"
    LINK_EXPIRED = "LINK_EXPIRED"
    SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
    STORE_BUSY = "STORE_BUSY"
    STORE_FULL = "STORE_FULL"
    INTERNAL_ERROR = "INTERNAL_ERROR"


def error_body(status: int, code: ErrorCode, message: str) -> JsonObject:
    """The house error body: ``{statusCode, error, message}`` (interface 5.3 for the first and the last)."""
    return {"statusCode": status, "error": code.value, "message": message}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What could be read of an error body: a code in capitals if there is one, and a sentence."""

    code: str | None
    message: str | None


def read_refusal(body: object) -> Refusal:
    """Find the code and the message in a decoded error body of any usual shape; both ``None`` where there are none."""
    if not isinstance(body, Mapping):
        return Refusal(None, None)
    wire = cast("Mapping[str, Any]", body)
    inner = wire.get("error")
    if isinstance(inner, Mapping):
        nested = read_refusal(cast("object", inner))
        outer = _first_text(wire, MESSAGE_FIELDS)
        return Refusal(nested.code or _code(wire), nested.message or outer)
    return Refusal(_code(wire), _first_text(wire, MESSAGE_FIELDS) or _plain_error(wire))


def _code(wire: Mapping[str, Any]) -> str | None:
    texts = [wire[name] for name in CODE_FIELDS if isinstance(wire.get(name), str)]
    return next((text for text in texts if text.isupper() and " " not in text), None)


def _plain_error(wire: Mapping[str, Any]) -> str | None:
    error = wire.get("error")
    return error if isinstance(error, str) and not error.isupper() else None


def _first_text(wire: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = wire.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, (list, tuple)) and value:
            return "; ".join(str(item) for item in cast("list[Any]", value))
    return None
