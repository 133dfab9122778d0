"""HTTP for both drivers: the one place that knows httpx2.

The key is attached here, to requests whose scheme, host and port are the base URL's, and nowhere else. Redirects are never
followed by the library: it would carry the key along.
"""

from __future__ import annotations

import logging
import platform
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from functools import cache
from importlib import metadata
from ssl import SSLContext
from typing import Any, Final

import httpx2
from pydantic import SecretStr

from workbench.client.errors import InvalidArgument
from workbench.client.options import Timeouts
from workbench.client.own_loop import OwnLoop
from workbench.client.policy.addresses import BaseAddress, UnusableAddress, origin_of
from workbench.client.policy.redaction import RedactingFilter, as_secret
from workbench.client.policy.retry import Broken
from workbench.contract.vocabulary import API_KEY_HEADER

AsgiApp = Callable[[MutableMapping[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]
AsyncAnswer = Answer = httpx2.Response
Request = httpx2.Request
AsyncTransport = httpx2.AsyncBaseTransport
SyncTransport = httpx2.BaseTransport
FAULTS: Final = (httpx2.HTTPError, httpx2.InvalidURL)
"""What httpx2 raises when no complete answer came."""


class AsyncHttp(httpx2.AsyncClient):
    """httpx2's client for its pool, proxies and certificates; its redirects, cookies and hooks are not for a key to meet."""

    async def dispatch(self, request: httpx2.Request) -> httpx2.Response:
        """The answer's head, as it came; whoever takes it closes it. It costs a tenth less of a call than ``send``."""
        answer = await self._transport_for_url(request.url).handle_async_request(request)
        answer.request = request
        return answer


class SyncHttp(httpx2.Client):
    """As :class:`AsyncHttp`."""

    def dispatch(self, request: httpx2.Request) -> httpx2.Response:
        """As :meth:`AsyncHttp.dispatch`."""
        answer = self._transport_for_url(request.url).handle_request(request)
        answer.request = request
        return answer


CONNECTIONS_MAX: Final = 10
KEEPALIVE_SECONDS: Final = 15.0
_LOGGERS: Final = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))
_NOTHING_SENT: Final = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    httpx2.InvalidURL,
)
_FILTER: Final = RedactingFilter()


@cache
def user_agent() -> str:
    """``tender-workbench/<version> python/<version> httpx2/<version>``."""
    own = metadata.version("tender-workbench")
    return f"tender-workbench/{own} python/{platform.python_version()} httpx2/{httpx2.__version__}"


_SSL_LOCK: Final = threading.Lock()


@cache
def _ssl_context() -> SSLContext:
    return httpx2.create_ssl_context()


def ssl_context() -> SSLContext:
    """The one SSL context of this process, on the system's trust store; building one takes longer than most requests."""
    with _SSL_LOCK:
        return _ssl_context()


def open_async(base: BaseAddress, transport: httpx2.AsyncBaseTransport | None = None) -> AsyncHttp:
    """The connection pool of an asynchronous client; ``transport`` replaces the network, for tests and the embedded service."""
    _quieten()
    if transport is not None:
        return AsyncHttp(transport=transport, trust_env=False)
    return AsyncHttp(
        verify=ssl_context(), limits=_limits(), mounts={pattern: _direct_async() for pattern in _direct_patterns(base)}
    )


def open_sync(base: BaseAddress, transport: httpx2.BaseTransport | None = None) -> SyncHttp:
    """The connection pool of a sync client; as :func:`open_async`."""
    _quieten()
    if transport is not None:
        return SyncHttp(transport=transport, trust_env=False)
    http = SyncHttp(
        verify=ssl_context(), limits=_limits(), mounts={pattern: _direct_sync() for pattern in _direct_patterns(base)}
    )
    _hurry(http)
    return http


def _hurry(http: SyncHttp) -> None:
    from workbench.client.hurry import HurriedBackend

    # httpx2 passes everything on to httpcore2's pool but this; without it, a dripping answer is held by each read alone.
    for each in (http._transport, *http._mounts.values()):  # pyright: ignore[reportPrivateUsage]
        pool: object = getattr(each, "_pool", None)
        if hasattr(pool, "_network_backend"):
            setattr(pool, "_network_backend", HurriedBackend())  # noqa: B010 - no attribute that the library promises


def _limits() -> httpx2.Limits:
    return httpx2.Limits(
        max_connections=CONNECTIONS_MAX, max_keepalive_connections=CONNECTIONS_MAX, keepalive_expiry=KEEPALIVE_SECONDS
    )


def _direct_patterns(base: BaseAddress) -> tuple[str, ...]:
    # Plain http with a key goes to this machine only, so a proxy of the environment must not be on the way to it.
    host = base.origin.host
    return (f"all://[{host}]" if ":" in host else f"all://{host}",) if base.origin.loopback else ()


def _direct_async() -> httpx2.AsyncHTTPTransport:
    return httpx2.AsyncHTTPTransport(verify=ssl_context(), limits=_limits())


def _direct_sync() -> httpx2.HTTPTransport:
    return httpx2.HTTPTransport(verify=ssl_context(), limits=_limits())


def _quieten() -> None:
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)  # adding it again changes nothing


def checked_key(key: SecretStr | str | None) -> SecretStr | None:
    """The key as a secret, without white space around it, watched by the log filter; ``None`` stays ``None``.

    Raises :class:`~workbench.client.errors.InvalidArgument`, which does not show the key, for one that no header can hold.
    """
    key = as_secret(key)
    if key is None:
        return None
    if not _fits_a_header(key):
        raise InvalidArgument(
            "api_key", "is empty or holds a space, a line break or a letter that no API key has; copy the key again"
        )
    _FILTER.watch(key)
    return key


def _fits_a_header(key: SecretStr) -> bool:
    text = key.get_secret_value()
    return bool(text) and text.isascii() and all(c.isprintable() and c != " " for c in text)


class Sender:
    """Builds requests: absolute address, headers, and the key where it may go."""

    def __init__(self, base: BaseAddress, key: SecretStr | None) -> None:
        self.base = base
        self._under = f"{base}/"
        self._base_is_plain = False
        self._key = key
        self._headers = (
            (b"User-Agent", user_agent().encode()),
            (b"Accept", b"application/json"),
            (b"Accept-Encoding", b"gzip, deflate"),
            (b"Connection", b"keep-alive"),
        )
        self._file_headers = (self._headers[0], (b"Accept", b"*/*"), (b"Accept-Encoding", b"identity"), self._headers[3])

    def address(self, target: str) -> str:
        """The absolute address of a call's target: under the base URL, at its host for a path, or as it stands."""
        if target.startswith("/v1/"):
            return f"{self.base}{target}"
        return f"{self.base.origin}{target}" if target.startswith("/") else target

    def at_home(self, url: str) -> bool:
        """Whether an address has the base URL's origin."""
        return url.startswith(self._under) or origin_of(url) == self.base.origin

    def build(self, method: str, url: str, body: bytes | None, *, file: bool, timeouts: Timeouts) -> Request:
        """The request for an absolute address. Raises ``UnusableAddress`` for one that is none, or would cost the key."""
        parsed = self._parsed(url)
        headers = list(self._file_headers if file else self._headers)
        if body is not None:
            headers.append((b"Content-Type", b"application/json"))
        if self._key is not None and self.at_home(url):
            headers.append((API_KEY_HEADER.encode(), self._key.get_secret_value().encode("ascii")))
        return httpx2.Request(method, parsed, headers=headers, content=body, extensions={"timeout": _seconds(timeouts)})

    def _parsed(self, url: str) -> httpx2.URL:
        if not url.startswith(self._under):
            return _checked(url)
        # Up to its first slash, the address is the base URL, of which it is enough to know once that it is read in one way.
        if not self._base_is_plain:
            _checked(self._under)
            self._base_is_plain = True
        return httpx2.URL(url)


@cache
def _seconds(timeouts: Timeouts) -> dict[str, float]:
    return {"connect": timeouts.connect, "read": timeouts.read, "write": timeouts.write, "pool": timeouts.pool}


def _checked(url: str) -> httpx2.URL:
    origin = origin_of(url)
    parsed = httpx2.URL(url)
    # Two parsers read the address: the one that decides about the key, and the one that connects. They must agree.
    if parsed.scheme != origin.scheme or parsed.host.rstrip(".") != origin.host or (parsed.port or origin.port) != origin.port:
        raise UnusableAddress("The address can be read in two ways; write its host plainly.")
    return parsed


def broken(fault: Exception) -> Broken:
    """What a fault of the transport means for a retry."""
    return Broken(sent=not isinstance(fault, _NOTHING_SENT), timed_out=isinstance(fault, httpx2.TimeoutException))


def reason(fault: Exception) -> str:
    """A fault of the transport in words, without an address."""
    for kinds, words in _REASONS:
        if isinstance(fault, kinds):
            return words
    return f"the connection broke ({type(fault).__name__})"


_REASONS: Final[tuple[tuple[tuple[type[Exception], ...], str], ...]] = (
    ((httpx2.ConnectTimeout,), "no connection came about in time"),
    ((httpx2.PoolTimeout,), "all connections of this client were busy for too long"),
    ((httpx2.TimeoutException,), "no answer came in time"),
    ((httpx2.ProxyError,), "the proxy refused"),
    ((httpx2.DecodingError,), "the answer's compression is damaged"),
    ((httpx2.RemoteProtocolError,), "the service broke off, or does not speak HTTP"),
    ((httpx2.InvalidURL, httpx2.UnsupportedProtocol), "the address cannot be used"),
)


class _Headers(Mapping[str, str]):
    """Put together when somebody asks: most answers are read without a look at their headers."""

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        self._raw = raw
        self._values: dict[str, str] | None = None

    def _all(self) -> dict[str, str]:
        if self._values is None:
            self._values = {name.lower(): value for name, value in httpx2.Headers(self._raw).items()}
        return self._values

    def __getitem__(self, name: str) -> str:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def headers_of(answer: httpx2.Response) -> Mapping[str, str]:
    """The headers of an answer under lower-case names; repeated ones are joined by a comma (RFC 9110 5.2)."""
    return _Headers(answer.headers.raw)


class InProcess(httpx2.AsyncBaseTransport):
    """Requests answered by an ASGI application in this process, in the caller's event loop."""

    def __init__(self, app: AsgiApp) -> None:
        self._asgi = httpx2.ASGITransport(app, raise_app_exceptions=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The application's answer."""
        return await self._asgi.handle_async_request(request)


class InProcessSync(httpx2.BaseTransport):
    """Requests answered by an ASGI application in this process, in an event loop of its own in another thread.

    So the sync client works where a loop is running already (Jupyter), and the application runs as it does behind HTTP.
    """

    def __init__(self, app: AsgiApp) -> None:
        self._asgi = httpx2.ASGITransport(app, raise_app_exceptions=False)
        self._loop = OwnLoop()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The application's answer."""
        return self._loop.portal().call(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._asgi.handle_async_request(request)
        body = b"".join([chunk async for chunk in answer.aiter_raw()])
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=httpx2.ByteStream(body))

    def close(self) -> None:
        """Ends the loop and its thread."""
        self._loop.close()
