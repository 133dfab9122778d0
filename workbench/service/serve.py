"""The embedded service over HTTP: one process on one address, stopped gracefully by a signal or from another thread."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import h11
import uvicorn
from pydantic import SecretStr
from uvicorn.protocols.http.h11_impl import H11Protocol

from workbench.contract.errors import ErrorCode, error_body
from workbench.service.app import create_app
from workbench.service.delivery.loop import Delivery
from workbench.service.delivery.post import Post, post_for
from workbench.service.fetching import FetchPolicy
from workbench.service.gate import LOOPBACK_HOSTS, READ_SECONDS_MAX
from workbench.service.service import Service
from workbench.service.store.database import Clock, system_clock
from workbench.service.summary_worker import SummaryWriter

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
PARSER_BYTES_MAX: Final = 64 * 1024
"""What the HTTP parser holds of an unfinished header; above the gate's own limit, whose answer says more."""

STOPPING_SECONDS: Final = 10

log = logging.getLogger("workbench.service")


class AddressUnavailable(Exception):
    """The address cannot be listened on; the text is a sentence for the person who started the service."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Where the service answers once it does. ``key`` is made for this start; ``None`` where none was wanted."""

    base_url: str
    mcp_url: str
    key: SecretStr | None


def run(
    folder: Path,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    on_ready: Callable[[Ready], None],
    sample: bool = False,
    ephemeral: bool = False,
    no_key: bool = False,
    stop: threading.Event | None = None,
    clock: Clock = system_clock,
    progress: Callable[[Any], None] | None = None,
    post: Post | None = None,
    fetching: FetchPolicy | None = None,
    summary_writer: SummaryWriter | None = None,
) -> None:
    """Serve ``folder`` until SIGINT, SIGTERM or ``stop``; requests under way are answered first.

    Alerts run meanwhile and are sent by ``post``; without one their e-mails go to files in the folder's own ``mail``. Summaries
    are written by ``summary_writer`` and documents fetched as ``fetching`` allows, both as in :meth:`Service.open`.

    Port 0 takes any free port; ``on_ready`` is called once with the address. ``ephemeral`` serves a temporary folder
    instead, which is gone afterwards. On a loopback address the service answers to loopback names only. Raises
    :class:`AddressUnavailable` and the store's ``StoreError``, each a sentence.
    """
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(contextlib.closing(_listen(host, port)))
        if ephemeral:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-")))
        service = stack.enter_context(
            Service.open(
                folder, clock=clock, sample=sample, progress=progress, fetching=fetching, summary_writer=summary_writer
            )
        )
        delivery = Delivery(service.database, post or post_for(folder))
        stack.callback(delivery.stop)
        key = None if no_key else service.session_key("serve", rate_limit=None)
        base_url = _base_url(listening)
        ready = Ready(base_url, f"{base_url}/mcp", key)
        hosts = LOOPBACK_HOSTS if _is_loopback(listening) else None
        config = uvicorn.Config(
            create_app(service, hosts=hosts),
            http=_Connection,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=PARSER_BYTES_MAX,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=STOPPING_SECONDS,
        )
        delivery.start()
        service.summaries.start()
        _Server(config, lambda: on_ready(ready), stop or threading.Event()).run(sockets=[listening])


class _Server(uvicorn.Server):
    """uvicorn's server, which tells when it answers and returns after a signal instead of dying of it."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None], stop: threading.Event) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._stop.is_set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        # uvicorn raises the signal again after its shutdown, which would skip closing the database.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        wanted = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Connection(H11Protocol):
    """One connection. uvicorn waits for ever for the rest of a header; this one hangs up after the read time-out."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn's own class
        super().connection_made(transport)
        self._wait_for_header()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None and not self.transport.is_closing():
            self._wait_for_header()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        # The one answer that no application sees: what came is no HTTP, or its header is beyond the parser's limit.
        del msg
        body = error_body(400, ErrorCode.INVALID_REQUEST, "This is no HTTP/1.1 request, or its headers are far too large.")
        data = json.dumps(body).encode()
        headers = [
            (b"content-type", b"application/json; charset=utf-8"),
            (b"content-length", str(len(data)).encode()),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=data),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait_for_header(self) -> None:
        self._waiting = self.loop.call_later(READ_SECONDS_MAX, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, UnicodeError) as trouble:
        raise AddressUnavailable(f"{host!r} port {port} is no address to listen on: {_reason(trouble)}.") from None
    try:
        if sys.platform != "win32":
            # So that a service can be started again while its old connections are still being forgotten.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except (OSError, OverflowError) as trouble:
        listening.close()
        raise AddressUnavailable(
            f"The service cannot listen on {host} port {port}: {_reason(trouble)}. Choose another with --port (0 takes a "
            "free one)."
        ) from None
    return listening


def _reason(trouble: Exception) -> str:
    return (trouble.strerror if isinstance(trouble, OSError) else None) or str(trouble)


def _base_url(listening: socket.socket) -> str:
    name = listening.getsockname()
    address = ipaddress.ip_address(name[0].partition("%")[0])
    if address.is_unspecified:
        # Listening everywhere: this machine can reach it by its loopback address.
        address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"http://{address if address.version == 4 else f'[{address}]'}:{name[1]}"


def _is_loopback(listening: socket.socket) -> bool:
    return ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback
