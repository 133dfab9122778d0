"""How the client stays under the key's limit on its own (interface 8: 300 requests in 60 s, then blocked for the rest).

A sliding log with one place for each request that the limit allows: a place is taken from the moment a request may leave
until ``seconds`` after its answer came. Whatever kind of window the service keeps (by the clock, from the first call,
sliding), it then never counts more than ``limit`` in its 60 seconds, however long a request was under way. Token buckets
give no such promise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, MutableSequence
from typing import Final

from workbench.contract.vocabulary import RATE_WINDOW_SECONDS, REST_REQUESTS_PER_WINDOW

PADDED_WINDOW_SECONDS: Final = RATE_WINDOW_SECONDS + 0.5
"""Half a second more than the service counts: clocks differ, and packets arrive late."""

CROWDED_SECONDS: Final = 0.05
"""When every place is taken by a request still under way, there is no telling when one comes free: look again after this."""

LEASE_SECONDS: Final = 120.0
"""How long a request under way holds its place when whoever took it does not say that it goes on: it may have crashed."""

BLOCK_SECONDS_MAX: Final = 65.0
"""A service's "blocked" beyond its own window is not believed."""

Store = Callable[[int, float], None]
"""Told of each cell that changed, and its new value."""


def _nowhere(_index: int, _value: float) -> None:
    """A window in memory keeps its cells by itself."""


class RateWindow:
    """The state of one key's window; every moment is seconds on one monotonic clock. Not safe between threads by itself.

    The state is ``limit + 1`` numbers, so that processes can share it as they stand: cell 0 is the moment until which the
    service blocks the key, each other the moment at which a place comes free. :meth:`adopt` takes the cells that others have
    changed, and ``store`` is told of each change made here. What no honest holder can have written (a moment too far ahead:
    another clock, a damaged file) counts as free.

    ``reserved`` places are kept for interactive calls: a bulk call takes none of the last ones, so that a person who looks
    something up during an export does not wait for it.
    """

    def __init__(
        self, limit: int = REST_REQUESTS_PER_WINDOW, seconds: float = PADDED_WINDOW_SECONDS, *, store: Store = _nowhere
    ) -> None:
        self.limit = limit
        self.seconds = seconds
        self.reserved = limit // 15
        self._store = store
        self._cells: MutableSequence[float] = [0.0] * (limit + 1)
        self._own: deque[int] = deque()
        self._next = 1

    def adopt(self, cells: MutableSequence[float]) -> None:
        """Go on from the state that others left: ``limit + 1`` numbers, which are kept and changed."""
        self._cells = cells

    def reserve(self, now: float, *, bulk: bool = False) -> float:
        """``0.0`` when a request may leave at ``now``, and its place is taken; otherwise the seconds after which to ask again.

        Each place that was taken is given back by exactly one :meth:`settle` or :meth:`release`.
        """
        if 0.0 < (blocked := self._cells[0] - now) <= BLOCK_SECONDS_MAX:
            return blocked
        if self._own and self._cells[self._own[0]] < now + self.seconds:
            self._renew(now)
        place = self._next
        if bulk or not self._cells[place] <= now:
            moments = self._moments(now)
            if delay := self._until_free(moments, now, more_than=self.reserved if bulk else 0):
                return delay
            place = moments.index(min(moments)) + 1
        self._set(place, now + LEASE_SECONDS + self.seconds)
        self._own.append(place)
        self._next = place % self.limit + 1
        return 0.0

    def settle(self, now: float) -> None:
        """A request that had its place was answered, or given up, at ``now``: its place comes free ``seconds`` later."""
        # Places are alike, so whichever of ours was taken first is given back: only their number counts.
        self._set(self._own.popleft(), now + self.seconds)

    def release(self) -> None:
        """A request that had its place was never sent: its place is free at once."""
        place = self._own.pop()
        self._set(place, 0.0)
        self._next = place

    def block(self, now: float, seconds: float) -> None:
        """The service said 429: nobody sends before ``now + seconds``, whatever this log says."""
        until = now + min(seconds, BLOCK_SECONDS_MAX)
        if not until <= self._cells[0] <= now + BLOCK_SECONDS_MAX:
            self._set(0, until)

    def used(self, now: float) -> int:
        """Places taken at ``now``."""
        return sum(moment > now for moment in self._moments(now))

    def _set(self, index: int, value: float) -> None:
        self._cells[index] = value
        self._store(index, value)

    def _renew(self, now: float) -> None:
        for place in self._own:
            self._set(place, now + LEASE_SECONDS + self.seconds)

    def _moments(self, now: float) -> list[float]:
        """When each place comes free; what cannot be true is free."""
        latest = now + LEASE_SECONDS + self.seconds
        return [moment if moment <= latest else 0.0 for moment in self._cells[1:]]

    def _until_free(self, moments: list[float], now: float, *, more_than: int) -> float:
        """Seconds until ``more_than`` and one places are free; 0.0 where they are."""
        moment = sorted(moments)[more_than]
        if moment <= now:
            return 0.0
        # A place that comes free later than a settled one can is held by a request under way.
        return max(moment - now, 0.001) if moment <= now + self.seconds else CROWDED_SECONDS
