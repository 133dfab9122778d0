"""A network for the sync client on which an answer's head has to be there in time, however slowly it drips in.

A time-out of httpx2 counts for each read, so that a service which sends a byte now and then could hold a call for days. The
asynchronous client is cancelled from outside; a sync read cannot be, so each one is given what is left of the time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any

import httpcore2

from workbench.client.effects import DEADLINE


class HurriedStream(httpcore2.NetworkStream):
    """A connection whose reads end when this thread's deadline has come."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """At least one byte, or none at the end."""
        left = DEADLINE.moment - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout
        return self._stream.read(max_bytes, left if timeout is None else min(timeout, left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of it."""
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        """The connection ends."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """The same connection, encrypted."""
        return HurriedStream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What the connection knows of itself."""
        return self._stream.get_extra_info(info)


class HurriedBackend(httpcore2.SyncBackend):
    """The usual network, with :class:`HurriedStream` on top."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection."""
        return HurriedStream(super().connect_tcp(host, port, timeout, local_address, socket_options))
