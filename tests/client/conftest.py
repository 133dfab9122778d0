"""A loopback server that does what it is told, and clients that never really wait."""

from __future__ import annotations

import asyncio
import inspect
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from workbench.client import AsyncClient, Client
from workbench.client.effects import AsyncEffects, SyncEffects

CANARY = "canary-4f1d7c0a9b"
"""The API key of every test here: it must turn up nowhere but in the header."""


@dataclass(frozen=True)
class Received:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Reset:
    """Instead of bytes: break the connection with a TCP reset."""


class Hang:
    """Instead of bytes: send nothing more until the client goes away."""


Step = bytes | type[Reset] | type[Hang]
Script = Callable[[Received], Iterable[Step]]


def answer(status: int = 200, body: bytes = b"{}", *, headers: Iterable[str] = (), length: int | None = None) -> bytes:
    """An HTTP/1.1 answer as bytes; ``length`` lies about the body's length."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body) if length is None else length}", *headers]
    if not any(line.lower().startswith("content-type") for line in lines):
        lines.append("Content-Type: application/json")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass
class Scripted:
    """A server on loopback; ``received`` is what it got, in order."""

    script: Script
    received: list[Received] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            while (received := _read(stream)) is not None:
                self.received.append(received)
                self.first.set()
                try:
                    if not self._play(connection, received):
                        return
                except OSError:
                    return

    def _play(self, connection: socket.socket, received: Received) -> bool:
        sent = b""
        for step in self.script(received):
            if step is Reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            if step is Hang:
                connection.recv(1)
                return False
            assert isinstance(step, bytes)
            connection.sendall(step)
            sent += step
        return bool(sent) and b"Connection: close" not in sent


def _read(stream: socket.SocketIO) -> Received | None:
    try:
        line = stream.readline()
        if not line:
            return None
        method, path, _ = line.decode("latin-1").split(" ", 2)
        headers: dict[str, str] = {}
        while (line := stream.readline()) not in {b"\r\n", b""}:
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return Received(method, path, headers, stream.read(int(headers.get("content-length", 0))))
    except (OSError, ValueError):
        return None


@pytest.fixture
def scripted() -> Iterator[Callable[[Script], Scripted]]:
    """Starts scripted servers, and stops them all at the end."""
    servers: list[Scripted] = []

    def start(script: Script) -> Scripted:
        servers.append(Scripted(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of every pause that a client would have made; none of them is made."""
    seconds: list[float] = []

    async def note_async(_self: AsyncEffects, wait: float) -> None:
        seconds.append(wait)

    monkeypatch.setattr(SyncEffects, "pause", lambda _self, wait: seconds.append(wait))
    monkeypatch.setattr(AsyncEffects, "pause", note_async)
    return seconds


class World:
    """The sync or the asynchronous client behind one face, so that each test is written once and runs on both."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._runner = asyncio.Runner() if kind == "async" else None
        self._clients: list[Any] = []

    def open(
        self, base_url: str = "https://api.example.org", key: str | None = CANARY, *, handler: Any = None, **options: Any
    ) -> Any:
        """A client; ``handler`` answers its requests instead of the network."""
        if handler is not None:
            options["transport"] = httpx2.MockTransport(handler)
        kind = AsyncClient if self._runner else Client
        self._clients.append(kind(base_url, key, **options))
        return self._clients[-1]

    def do(self, result: Any) -> Any:
        """The result of a client's method."""
        return self._runner.run(result) if self._runner and inspect.iscoroutine(result) else result

    def all(self, iterator: Any) -> list[Any]:
        """Everything an iterator of the client gives."""

        async def collect() -> list[Any]:
            return [item async for item in iterator]

        return self._runner.run(collect()) if self._runner else list(iterator)

    def close(self) -> None:
        """Close every client, and the loop."""
        for client in self._clients:
            self.do(client.aclose() if self._runner else client.close())
        if self._runner:
            self._runner.close()


@pytest.fixture(params=["sync", "async"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Runs the test twice: with the sync and with the asynchronous client."""
    made = World(request.param)
    yield made
    made.close()
