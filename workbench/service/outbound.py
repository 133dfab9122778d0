"""One HTTP request of this service to another, with nothing that was not asked for.

The standard library's client, because here less is safer: it follows no redirect, keeps no cookie, unpacks no body, reads no
proxy from the environment, and connects to the very address that it is given. A watchdog ends the exchange when its time is
over, also where the other side keeps it alive with a byte a second.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from functools import cache
from typing import Final

from workbench.service.address_guard import Target

CONNECT_SECONDS: Final = 10.0
USER_AGENT: Final = "tender-workbench"


class ExchangeFailed(Exception):
    """The other side did not answer as it should; the text is the part of a sentence that says how."""


class Exchange:
    """One request and its answer. Use it as a context manager; :meth:`cancel` ends it from another thread."""

    def __init__(self, target: Target, address: str, *, seconds: float) -> None:
        self._target = target
        self._connection = _Pinned(target, address, min(seconds, CONNECT_SECONDS))
        self._seconds = seconds
        self._over = False
        self._response: http.client.HTTPResponse | None = None
        self._watchdog = threading.Timer(seconds, self.cancel)
        self._watchdog.daemon = True

    def send(self, method: str, headers: Mapping[str, str], body: bytes | None = None) -> http.client.HTTPResponse:
        """Send the request and read the answer's head. Raises :class:`ExchangeFailed`."""
        self._watchdog.start()
        try:
            self._connection.request(method, self._target.path, body, {"User-Agent": USER_AGENT, **headers})
            self._connection.patient(self._seconds + CONNECT_SECONDS)
            self._response = response = self._connection.getresponse()
        except (OSError, http.client.HTTPException) as trouble:
            raise ExchangeFailed(self._said(trouble)) from None
        self._check_time()
        return response

    def read(self, response: http.client.HTTPResponse, size: int) -> bytes:
        """The next bytes of the answer, at most ``size``; none at its end. Raises :class:`ExchangeFailed`."""
        try:
            piece = response.read1(size)
        except (OSError, http.client.HTTPException, ValueError) as trouble:
            raise ExchangeFailed(self._said(trouble)) from None
        self._check_time()
        return piece

    def cancel(self) -> None:
        """End the exchange; whoever waits for it gets :class:`ExchangeFailed`."""
        self._over = True
        self._connection.shut()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self._watchdog.cancel()
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def _check_time(self) -> None:
        # Whoever is woken by the watchdog reads an end, which is none.
        if self._over:
            raise ExchangeFailed(self._said(TimeoutError()))

    def _said(self, trouble: Exception) -> str:
        host = self._target.host
        if self._over:
            return f"{host} did not answer within {self._seconds:g} seconds"
        if isinstance(trouble, ssl.SSLCertVerificationError):
            return f"the certificate of {host} could not be verified ({trouble.verify_message})"
        if isinstance(trouble, TimeoutError):
            return f"{host} did not answer in time"
        if isinstance(trouble, http.client.HTTPException):
            return f"{host} gave an answer that is no HTTP"
        reason = trouble.strerror if isinstance(trouble, OSError) else None
        return f"{host} could not be reached ({reason or type(trouble).__name__})"


class _Pinned(http.client.HTTPConnection):
    """A connection to one address, whatever the name of the host; with TLS the certificate must be of the name."""

    def __init__(self, target: Target, address: str, connect_seconds: float) -> None:
        super().__init__(target.host, target.port)
        self.default_port = 443 if target.scheme == "https" else 80
        self._target = target
        self._address = address
        self._connect_seconds = connect_seconds
        self._guard = threading.Lock()
        self._is_shut = False
        # http.client lets go of its socket where the answer is to be its last, while the answer still reads from it.
        self._held: socket.socket | None = None

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self._target.port), self._connect_seconds)
        if self._target.scheme == "https":
            # The handshake comes after the socket is known here, so that the watchdog can end it too.
            secured = _verifying().wrap_socket(plain, server_hostname=self._target.host, do_handshake_on_connect=False)
            self._keep(secured)
            secured.do_handshake()
        else:
            self._keep(plain)

    def _keep(self, sock: socket.socket) -> None:
        with self._guard:
            self.sock = self._held = sock
            if self._is_shut:
                raise TimeoutError

    def patient(self, seconds: float) -> None:
        """From here on wait longer than the whole exchange may take: the watchdog ends it."""
        if self.sock is not None:
            self.sock.settimeout(seconds)

    def shut(self) -> None:
        """Wake whoever reads, from another thread."""
        with self._guard:
            self._is_shut = True
            sock = self._held
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It has been closed meanwhile, which is what was wanted.
                return


@cache
def _verifying() -> ssl.SSLContext:
    return ssl.create_default_context()
