"""How many requests a key has left: a fixed window for each key, counted exactly under concurrency (interface 8)."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from workbench.contract.vocabulary import RATE_WINDOW_SECONDS


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one request: whether it may go on, the limit, what is left of it, and seconds until it is whole."""

    allowed: bool
    limit: int
    remaining: int
    reset_seconds: int


class RateWindows:
    """One fixed window a name: it opens with the first request and, once exceeded, refuses until it ends.

    The windows live in this process, like the service itself; whoever starts two services on one folder has two of them.
    """

    def __init__(self, seconds: float = RATE_WINDOW_SECONDS) -> None:
        self._seconds = seconds
        self._windows: dict[str, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def hit(self, name: str, limit: int, now: float) -> Verdict:
        """Count one request at ``now`` (seconds since 1970) against ``limit`` and say whether it may go on."""
        with self._lock:
            opened, count = self._windows.get(name, (now, 0))
            # A clock set back would otherwise keep a window open for as long as it was set back.
            if not 0 <= now - opened < self._seconds:
                opened, count = now, 0
            self._windows[name] = (opened, count + 1)
        return Verdict(
            allowed=count < limit,
            limit=limit,
            remaining=max(0, limit - count - 1),
            reset_seconds=max(1, math.ceil(opened + self._seconds - now)),
        )
