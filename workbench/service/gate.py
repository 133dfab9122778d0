"""The gate before every route: sizes, host, key and rate window are settled here, and every failure becomes an answer.

Pure ASGI, because a refusal must cost next to nothing. The order is: headers, host, key, window, and only then the route
and the body, which is counted while it comes (interface 5, 7 and 8).
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote
from uuid import uuid4

import anyio
import anyio.to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.contract.errors import ErrorCode
from workbench.contract.vocabulary import API_KEY_HEADER
from workbench.service.key_directory import KeyDirectory, Principal, Unknown
from workbench.service.rate_window import RateWindows, Verdict
from workbench.service.refusals import RequestRefused
from workbench.service.store.database import Clock
from workbench.service.store.failures import StoreError
from workbench.service.store_faults import refusal_of

HEADER_BYTES_MAX: Final = 32 * 1024
BODY_BYTES_MAX: Final = 1024 * 1024
READ_SECONDS_MAX: Final = 30.0
LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})

log = logging.getLogger("workbench.service")
access_log = logging.getLogger("workbench.service.access")

_KEY: Final = API_KEY_HEADER.encode()
_JSON_HEADERS: Final = ((b"content-type", b"application/json; charset=utf-8"),)
_SAFE_HEADERS: Final = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))


class CallerGone(Exception):
    """The caller hung up before the request was whole; nobody is left to answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost before it is understood: bytes of headers and body, seconds to send the body."""

    header_bytes: int = HEADER_BYTES_MAX
    body_bytes: int = BODY_BYTES_MAX
    read_seconds: float = READ_SECONDS_MAX


@dataclass(frozen=True, slots=True)
class _Head:
    """The few headers that the gate looks at. ``keys`` are all values of the key header, blanks around them stripped."""

    keys: tuple[bytes, ...]
    host: str
    length: int | None


class Gate:
    """ASGI middleware: lets a request with a good key through to ``app``, with ``scope["principal"]`` set, or answers it.

    ``keyless`` says of a path whether it needs no key. ``hosts`` are the names this service answers to; ``None`` answers
    to any. ``on_use`` is called with the key id when its last use is to be stored; it must not block.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: KeyDirectory,
        windows: RateWindows,
        *,
        clock: Clock,
        keyless: Callable[[str], bool],
        on_use: Callable[[str, float], None],
        hosts: Collection[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._app = app
        self._keys = keys
        self._windows = windows
        self._clock = clock
        self._keyless = keyless
        self._on_use = on_use
        self._hosts = hosts
        self._limits = limits or Limits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request. Anything but HTTP goes to the router, which knows what to do with it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        began = time.perf_counter()
        try:
            scope["path"] = _path_by_segment(scope)
            head = self._admit(scope)
            if not self._keyless(scope["path"]):
                scope["principal"] = principal = await self._identify(head)
                self._count(principal, answer)
            bounded = _BoundedBody(receive, head.length, self._limits)
            await self._app(scope, bounded.receive, answer.send)
        except RequestRefused as refusal:
            await answer.refuse(refusal)
        except CallerGone:
            return
        except Exception as trouble:  # noqa: BLE001  # the last line: whatever went wrong becomes an answer, and a log record
            await answer.refuse(_fault(trouble, scope))
        finally:
            if access_log.isEnabledFor(logging.INFO):
                _log_access(scope, answer.status, time.perf_counter() - began)

    def _admit(self, scope: Scope) -> _Head:
        head = _read_head(scope["headers"], self._limits.header_bytes)
        if self._hosts is not None and _host_name(head.host) not in self._hosts:
            raise RequestRefused(
                421,
                ErrorCode.INVALID_REQUEST,
                "This service answers on this machine only; call it as 127.0.0.1 or localhost.",
            )
        return head

    async def _identify(self, head: _Head) -> Principal:
        if not any(head.keys):
            raise _unauthorized(f"Every request needs an API key in the header {API_KEY_HEADER!r}; this one has none.")
        if len(head.keys) > 1:
            raise _unauthorized(f"The header {API_KEY_HEADER!r} came {len(head.keys)} times; send it once.")
        token = b"".join(head.keys)
        found = self._keys.peek(token)
        if isinstance(found, Unknown):
            found = await anyio.to_thread.run_sync(self._keys.find, token)
        if found is None:
            raise _unauthorized("No key of this service is like the one sent; check it, or ask for a new one.")
        if found.disabled:
            raise _unauthorized("This API key has been disabled; its owner can make another one.")
        if found.is_expired(self._clock().timestamp()):
            raise _unauthorized("This API key has expired; its owner can make another one.")
        return found

    def _count(self, principal: Principal, answer: _Answer) -> None:
        now = self._clock().timestamp()
        verdict = self._windows.hit(principal.key_id, principal.rate_limit, now)
        answer.rate = verdict
        if self._keys.mark_used(principal, now):
            self._on_use(principal.key_id, now)
        if not verdict.allowed:
            raise RequestRefused(
                429,
                ErrorCode.RATE_LIMIT_EXCEEDED,
                f"This key has used its {verdict.limit} requests of this minute; try again in {verdict.reset_seconds} seconds.",
                {"retry-after": str(verdict.reset_seconds)},
            )


class _Answer:
    """Sends what the route answers, adding the headers that every answer carries; or an error where nothing was sent yet."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.rate: Verdict | None = None
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers: list[tuple[bytes, bytes]] = [*message.get("headers", ()), *_SAFE_HEADERS]
            if self.rate is not None:
                headers += _rate_headers(self.rate)
            message = {**message, "headers": headers}
        await self._send(message)

    async def refuse(self, refusal: RequestRefused) -> None:
        if self.status is not None:
            # Half an answer cannot be taken back; ending it short is how the caller learns that it is not whole.
            raise RuntimeError("the answer broke off")
        await send_json(self.send, refusal.status, refusal.to_json(), refusal.headers)


async def send_json(
    send: Callable[[Message], Awaitable[None]], status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    """Send one whole JSON answer."""
    lines = [*_JSON_HEADERS, (b"content-length", str(len(body)).encode())]
    lines += [(name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


class _BoundedBody:
    """The request's body, refused once it is too large or takes too long to come."""

    def __init__(self, receive: Receive, length: int | None, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._left = limits.body_bytes
        self._deadline: float | None = None
        self._whole = False
        self._declared = length

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        if self._declared is not None and self._declared > self._limits.body_bytes:
            raise self._too_large()
        if self._deadline is None:
            self._deadline = anyio.current_time() + self._limits.read_seconds
        try:
            with anyio.fail_after(self._deadline - anyio.current_time()):
                message = await self._receive()
        except TimeoutError as trouble:
            raise RequestRefused(
                408,
                ErrorCode.REQUEST_TIMEOUT,
                f"The body did not come within {self._limits.read_seconds:g} seconds; send the request again.",
                {"connection": "close"},
            ) from trouble
        if message["type"] == "http.disconnect":
            raise CallerGone
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_large()
        self._whole = not message.get("more_body", False)
        return message

    def _too_large(self) -> RequestRefused:
        return RequestRefused(
            413,
            ErrorCode.BODY_TOO_LARGE,
            f"The body is larger than {self._limits.body_bytes:,} bytes, which is the most that a request may hold.",
            {"connection": "close"},
        )


def _read_head(headers: list[tuple[bytes, bytes]], limit: int) -> _Head:
    size = 0
    keys: list[bytes] = []
    host = b""
    length: int | None = None
    for name, value in headers:
        size += len(name) + len(value) + 4
        if name == _KEY:
            # Some servers keep the blanks around a value (RFC 9110 5.5 says they are no part of it).
            keys.append(value.strip(b" \t"))
        elif name == b"host":
            host = value
        elif name == b"content-length" and value.isdigit():
            length = int(value[:20])
    if size > limit:
        raise RequestRefused(
            431,
            ErrorCode.HEADERS_TOO_LARGE,
            f"The headers are larger than {limit:,} bytes, which is the most that a request may hold.",
        )
    return _Head(tuple(keys), host.decode("latin-1"), length)


def _host_name(host: str) -> str:
    name = host.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]


def _rate_headers(rate: Verdict) -> list[tuple[bytes, bytes]]:
    return [
        (b"ratelimit-limit", str(rate.limit).encode()),
        (b"ratelimit-remaining", str(rate.remaining).encode()),
        (b"ratelimit-reset", str(rate.reset_seconds).encode()),
    ]


def _path_by_segment(scope: Scope) -> str:
    # Servers decode %2F before anyone routes, which would let an id that holds a slash reach another address.
    raw = scope.get("raw_path")
    if not raw or b"%2f" not in raw.lower():
        return scope["path"]
    return "/".join(unquote(segment).replace("/", "%2F") for segment in raw.decode("ascii", "replace").split("/"))


def _unauthorized(message: str) -> RequestRefused:
    return RequestRefused(401, ErrorCode.UNAUTHORIZED, message)


def _fault(trouble: Exception, scope: Scope) -> RequestRefused:
    if isinstance(trouble, StoreError):
        log.error("a request to %s found the store unable to answer: %s", _route_of(scope), trouble)
        return refusal_of(trouble)
    request_id = uuid4().hex[:12]
    # The exception's own text may quote what the caller sent, so the log says where it broke and not with what.
    places = "".join(traceback.format_list(traceback.extract_tb(trouble.__traceback__)))
    log.error("request %s to %s failed: %s\n%s", request_id, _route_of(scope), type(trouble).__name__, places.rstrip())
    return RequestRefused(
        500,
        ErrorCode.INTERNAL_ERROR,
        f"The service failed on this request. Nothing is known to be wrong with the request; its number is {request_id}.",
        {"request-id": request_id},
    )


def _route_of(scope: Mapping[str, Any]) -> str:
    # Never the path itself: a document token in it is a secret.
    return scope.get("operation_path", "an unknown path")


def _log_access(scope: Mapping[str, Any], status: int | None, seconds: float) -> None:
    principal: Principal | None = scope.get("principal")
    access_log.info(
        "%s %s %s %.1f ms key %s",
        scope["method"] if scope["method"].isalpha() else "?",
        _route_of(scope),
        status or "no answer",
        seconds * 1000,
        principal.key_id if principal else "none",
    )
