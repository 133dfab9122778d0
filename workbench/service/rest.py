"""The REST skin: one route for each built operation of the contract's table, in front of the use cases (interface 4.1)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeVar

import anyio.to_thread
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from workbench.contract.errors import ErrorCode
from workbench.contract.operations import OPERATIONS, AnswerKind, Operation
from workbench.contract.request import Request
from workbench.service.gate import send_json
from workbench.service.key_directory import Principal
from workbench.service.refusals import RequestRefused, not_found
from workbench.service.requests import check_media_type, read_body, read_query

RequestT = TypeVar("RequestT", bound=Request)

CHUNK_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a use case sees it: who calls, the path's parameters, and the validated query and body.

    ``principal`` is ``None`` for the one operation that needs no key. ``headers`` have lower-case names.
    """

    principal: Principal | None
    path: Mapping[str, str]
    query: Request | None = None
    body: Request | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def body_as(self, model: type[RequestT]) -> RequestT:
        """The body, which the route has read as the operation's model."""
        return self.body if isinstance(self.body, model) else model()

    @property
    def caller(self) -> Principal:
        """The principal of an operation that needs a key."""
        if self.principal is None:
            raise RuntimeError("this operation is reached without a key")
        return self.principal


class Chunks(Protocol):
    """Bytes that come one piece after the other; the next one may have to be waited for."""

    def __next__(self) -> bytes: ...

    def close(self) -> None:
        """Let go of what they are read from."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What a use case answers: bytes as they go on the wire. ``status`` ``None`` is the operation's own.

    A file that is still coming is ``chunks`` in place of the body; its headers say its length where it is known.
    """

    body: bytes
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    chunks: Chunks | None = None


Handler = Callable[[Call], Reply]
"""Answers one operation. It is called in a worker thread and may wait for the database."""


def json_reply(value: object) -> Reply:
    """A JSON answer."""
    return Reply(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def routes(handlers: Mapping[str, Handler]) -> list[Route]:
    """One route a path, for the operations that have a handler; the others are not there.

    Literal paths come before templates, so ``/v1/tenders/search`` is never read as a tender's id.
    """
    by_path: dict[str, dict[str, _Endpoint]] = {}
    for operation in built(handlers):
        by_path.setdefault(operation.path, {})[operation.method] = _Endpoint(operation, handlers[operation.name])
    return [Route(path, _Methods(path, by_path[path])) for path in sorted(by_path, key=lambda path: path.count("{"))]


def built(handlers: Mapping[str, Handler]) -> list[Operation[Any]]:
    """The operations that have a handler, in the order of the interface."""
    return [operation for operation in OPERATIONS if operation.name in handlers]


class _Methods:
    """The operations of one path; any other method answers 405 and says which there are (RFC 9110, 15.5.6)."""

    def __init__(self, path: str, endpoints: Mapping[str, _Endpoint]) -> None:
        self._path = path
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["operation_path"] = self._path
        endpoint = self._endpoints.get(scope["method"])
        if endpoint is None:
            raise method_not_allowed(self._endpoints)
        await endpoint(scope, receive, send)


class _Endpoint:
    """One operation over HTTP: reads the request, runs the handler in a worker thread, sends its reply."""

    def __init__(self, operation: Operation[Any], handler: Handler) -> None:
        self._operation = operation
        self._handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        operation = self._operation
        headers = _headers(scope)
        query = read_query(operation.query, scope["query_string"])
        body = await self._read_body(receive, headers) if operation.body else None
        call = Call(scope.get("principal"), scope["path_params"], query, body, headers)
        # A caller that gives up on a read need not wait for it; what writes is always seen through.
        work = partial(self._handler, call)
        reply = await anyio.to_thread.run_sync(work, abandon_on_cancel=operation.replayable)
        status = reply.status or operation.status
        if operation.answer.kind is AnswerKind.JSON:
            await send_json(send, status, reply.body, reply.headers)
        elif reply.chunks is not None:
            await _send_chunks(send, status, reply.headers, reply.chunks)
        else:
            await _send_bytes(send, status, reply)

    async def _read_body(self, receive: Receive, headers: Mapping[str, str]) -> Request | None:
        chunks: list[bytes] = []
        more = True
        while more:
            message = await receive()
            chunks.append(message.get("body", b""))
            more = message.get("more_body", False)
        body = b"".join(chunks)
        if body:
            check_media_type(headers.get("content-type"), headers.get("content-encoding"))
        model = self._operation.body
        return read_body(model, body) if model else None


async def nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    """The router's answer to a path that no operation has."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000, "reason": ""})
        return
    raise not_found("There is nothing at this address; /v1/openapi.json lists every one that there is.")


def method_not_allowed(allowed: Sequence[str] | Mapping[str, object]) -> RequestRefused:
    """405 with the methods that the address takes."""
    names = ", ".join(sorted(allowed))
    return RequestRefused(
        HTTPStatus.METHOD_NOT_ALLOWED, ErrorCode.METHOD_NOT_ALLOWED, f"This address takes {names} only.", {"allow": names}
    )


def _headers(scope: Mapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def _send_bytes(send: Callable[[Message], Any], status: int, reply: Reply) -> None:
    lines = [(name.encode(), value.encode("latin-1")) for name, value in reply.headers.items()]
    if status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        lines.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": int(status), "headers": lines})
    view = memoryview(reply.body)
    # In pieces, so that a slow reader's buffer is never the whole file.
    for start in range(0, len(view) - CHUNK_BYTES, CHUNK_BYTES):
        await send({"type": "http.response.body", "body": bytes(view[start : start + CHUNK_BYTES]), "more_body": True})
    rest = (max(0, len(view) - 1) // CHUNK_BYTES) * CHUNK_BYTES
    await send({"type": "http.response.body", "body": bytes(view[rest:])})


async def _send_chunks(send: Callable[[Message], Any], status: int, headers: Mapping[str, str], chunks: Chunks) -> None:
    lines = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": int(status), "headers": lines})
    try:
        while chunk := await anyio.to_thread.run_sync(next, chunks, b""):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        chunks.close()
    await send({"type": "http.response.body", "body": b""})
