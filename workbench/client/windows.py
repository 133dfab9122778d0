"""One rate window for each key and channel, shared by all clients of this process, and by all processes of this user."""

from __future__ import annotations

import hashlib
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, Protocol

from pydantic import SecretStr

from workbench.client.policy.addresses import Origin
from workbench.client.policy.rate_window import PADDED_WINDOW_SECONDS, RateWindow
from workbench.client.shared_file import SharedNumbers, Unusable
from workbench.contract.vocabulary import REST_REQUESTS_PER_WINDOW, TOOL_REQUESTS_PER_WINDOW

Channel = Literal["rest", "tools"]
"""The two counts that a service keeps for a key (interface 8)."""

LIMITS: Final[dict[Channel, int]] = {"rest": REST_REQUESTS_PER_WINDOW, "tools": TOOL_REQUESTS_PER_WINDOW}
_LOOK_SECONDS: Final = 1.0
"""How often to look whether the shared file is still the one at its path."""

_LOCKED_SECONDS: Final = 0.002
_LOCKED_SECONDS_MAX: Final = 1.0
"""The lock is held for microseconds; whoever holds it longer is stopped, and is not waited for."""


class Turnstile(Protocol):
    """What a driver asks before each request and tells after it; safe between threads."""

    def reserve(self, *, bulk: bool = False) -> float:
        """``0.0`` when a request may leave now; otherwise seconds after which to ask again."""
        ...

    def settle(self) -> None:
        """A request that had its turn is over."""
        ...

    def release(self) -> None:
        """A request that had its turn was never sent."""
        ...

    def block(self, seconds: float) -> None:
        """The service said 429."""
        ...


def _monotonic() -> float:
    return time.monotonic()


class SharedWindow:
    """A :class:`RateWindow` behind a lock; with ``path``, one that every process shares through that file.

    The file is a convenience and never a hindrance: where it cannot be had, or is lost or damaged while in use, the window
    goes on by what this process knows itself. ``clock`` gives seconds that every process of this machine reads alike.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        limit: int = REST_REQUESTS_PER_WINDOW,
        seconds: float = PADDED_WINDOW_SECONDS,
        clock: Callable[[], float] = _monotonic,
    ) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._own = array("d", bytes(8 * (limit + 1)))
        self._window = RateWindow(limit, seconds, store=self._keep)
        self._file: SharedNumbers | None = None
        self._look_at = float("-inf")
        self._locked_out_since: float | None = None
        self._refused = False
        self._joined = False

    def reserve(self, *, bulk: bool = False) -> float:
        """As :meth:`RateWindow.reserve`, now."""
        with self._lock:
            now = self._clock()
            if self._path is None:
                return self._window.reserve(now, bulk=bulk)
            try:
                return self._reserve_shared(now, bulk)
            except OSError:
                self._give_up_file()
                return self._window.reserve(now, bulk=bulk)

    def settle(self) -> None:
        """As :meth:`RateWindow.settle`, now."""
        with self._lock:
            self._window.settle(self._clock())

    def release(self) -> None:
        """As :meth:`RateWindow.release`."""
        with self._lock:
            self._window.release()

    def block(self, seconds: float) -> None:
        """As :meth:`RateWindow.block`, from now."""
        with self._lock:
            self._window.block(self._clock(), seconds)

    @property
    def used(self) -> int:
        """Places taken now, as far as this process knows."""
        with self._lock:
            return self._window.used(self._clock())

    def close(self) -> None:
        """Let the shared file go; it stays for the others."""
        with self._lock:
            self._give_up_file()

    def _reserve_shared(self, now: float, bulk: bool) -> float:
        file = self._current_file(now)
        if file is None:
            return self._window.reserve(now, bulk=bulk)
        if not file.lock():
            since = self._locked_out_since = self._locked_out_since or now
            return _LOCKED_SECONDS if now - since < _LOCKED_SECONDS_MAX else self._window.reserve(now, bulk=bulk)
        self._locked_out_since = None
        try:
            cells = file.read()
            if cells is None or not self._joined:
                cells = self._joining(cells, now)
                file.write(cells)
                self._joined = True
            self._window.adopt(cells)
            return self._window.reserve(now, bulk=bulk)
        finally:
            file.unlock()

    def _joining(self, cells: array[float] | None, now: float) -> array[float]:
        """What others left in the file, and what this process knows that is not in it."""
        if cells is None:
            return self._own[:]
        return array("d", (own if own > now else other for own, other in zip(self._own, cells, strict=True)))

    def _current_file(self, now: float) -> SharedNumbers | None:
        if self._file is not None and self._file.inherited:
            # A child of fork: the lock is still its parent's, and so are the places that were taken before.
            self._window = RateWindow(self._window.limit, self._window.seconds, store=self._keep)
            self._give_up_file()
            self._look_at = now
        if self._refused:
            self._refused = False
            self._give_up_file()
        if not 0 < self._look_at - now <= _LOOK_SECONDS:
            self._look_at = now + _LOOK_SECONDS
            if self._file is not None and not self._file.current():
                self._give_up_file()
            if self._file is None and self._path is not None:
                try:
                    self._file = SharedNumbers(self._path, self._window.limit + 1)
                    self._joined = False
                except Unusable:
                    return None
        return self._file

    def _give_up_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._window.adopt(self._own[:])

    def _keep(self, index: int, value: float) -> None:
        self._own[index] = value
        if self._file is not None:
            try:
                # Without the lock: the place is this process's own until the moment that is written here.
                self._file.change(index, value)
            except OSError:
                self._refused = True


_WINDOWS: Final[dict[tuple[str, Path | None], SharedWindow]] = {}
_WINDOWS_LOCK: Final = threading.Lock()


def window_of(
    origin: Origin, key: SecretStr, *, folder: Path | None = None, channel: Channel = "rest", limit: int | None = None
) -> Turnstile:
    """The window of this key at this service. It outlives its clients: the service goes on counting when they are closed.

    ``folder`` is a folder of caches through which all processes of this user share the window; without it, this process
    keeps to itself. The file's name is a digest, and nothing in it tells whose window it is. ``limit`` is requests in 60
    seconds: 300, or 30 for the tool server, unless the key has a limit of its own.
    """
    allowed = LIMITS[channel] if limit is None else limit
    text = "\n".join((key.get_secret_value(), str(origin), channel, str(allowed)))
    name = hashlib.sha256(text.encode()).hexdigest()[:40]
    with _WINDOWS_LOCK:
        window = _WINDOWS.get((name, folder))
        if window is None:
            path = None if folder is None else folder / "rate" / f"{name}.window"
            window = _WINDOWS[name, folder] = SharedWindow(path, limit=allowed)
        return window


def chosen_window(choice: bool | Path, origin: Origin, key: SecretStr | None, *, channel: Channel = "rest") -> Turnstile | None:
    """What a client's ``rate_window`` means: none, one for this process, or one shared through a folder of caches."""
    if key is None or choice is False:
        return None
    return window_of(origin, key, folder=choice if isinstance(choice, Path) else None, channel=channel)
