"""How the service says no: one exception that carries the status, the code and the sentence of interface section 7."""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench.contract.errors import ErrorCode, error_body


class RequestRefused(Exception):
    """A request that is answered with an error body. ``message`` is a sentence for the person who sent it."""

    def __init__(self, status: int, code: ErrorCode, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers: Mapping[str, str] = headers or {}

    def to_json(self) -> bytes:
        """The house error body ``{statusCode, error, message}`` as UTF-8 JSON."""
        return json.dumps(error_body(self.status, self.code, self.message), ensure_ascii=False).encode()


def not_found(message: str) -> RequestRefused:
    """404 with ``message``."""
    return RequestRefused(404, ErrorCode.NOT_FOUND, message)


def invalid(message: str) -> RequestRefused:
    """422: the request was understood and a value in it is not allowed; ``message`` names the field and what is."""
    return RequestRefused(422, ErrorCode.INVALID_REQUEST, message)


def unreadable(message: str) -> RequestRefused:
    """400: the request could not be read at all; ``message`` says where reading stopped."""
    return RequestRefused(400, ErrorCode.INVALID_BODY, message)
