"""A web server on loopback that answers what a test scripts, byte for byte, and keeps what it was asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Script = Callable[[socket.socket, str, dict[str, str]], None]


def answer(status: str = "200 OK", body: bytes = b"", **headers: str) -> bytes:
    """A whole answer; header names with ``_`` for ``-``, and the length unless another is given."""
    lines = {"content_length": str(len(body)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items() if value != "none")
    return f"HTTP/1.1 {status}\r\nconnection: close\r\n{head}\r\n".encode() + body


class Source:
    """A server whose ``script`` writes the answer to each request; ``asked`` are path and headers of each."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        self.script: Script = lambda connection, _path, _headers: connection.sendall(answer())
        self.leaving = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept)

    @property
    def port(self) -> int:
        return self._listening.getsockname()[1]

    def url(self, path: str = "/pliego.pdf") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def gives(self, *answers: bytes) -> None:
        """Give these answers in turn, the last one again and again."""
        waiting = list(answers)

        def script(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
            connection.sendall(waiting.pop(0) if len(waiting) > 1 else waiting[0])

        self.script = script

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            received = b""
            while b"\r\n\r\n" not in received:
                piece = connection.recv(65_536)
                if not piece:
                    return
                received += piece
            head, _, body = received.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            while len(body) < int(headers.get("content-length", "0")):
                body += connection.recv(65_536)
            path = first.split(" ")[1]
            self.asked.append((path, headers, body))
            self.script(connection, path, headers)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.leaving.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(30)
        for thread in self._threads:
            thread.join(30)


@contextmanager
def source() -> Iterator[Source]:
    """A running :class:`Source`."""
    running = Source()
    running.start()
    try:
        yield running
    finally:
        running.stop()
