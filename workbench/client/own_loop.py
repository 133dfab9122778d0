"""An event loop in a thread of its own, for what is asynchronous inside a sync client."""

from __future__ import annotations

import threading
import weakref
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


class OwnLoop:
    """Starts at first use, and ends when it is closed, forgotten, or the interpreter ends. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._end: weakref.finalize[Any, OwnLoop] | None = None

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._portal is not None

    def portal(self) -> BlockingPortal:
        """What calls into the loop."""
        with self._lock:
            portal = self._portal
            if portal is None:
                from anyio.from_thread import start_blocking_portal

                portals = start_blocking_portal("asyncio")
                self._portal = portal = portals.__enter__()
                # Also at exit: a portal that the interpreter tears down waits for its thread, which has stopped by then.
                self._end = weakref.finalize(self, _leave, portals)
            return portal

    def close(self) -> None:
        """End the loop and its thread; what still runs in it is cancelled. Closing again does nothing."""
        with self._lock:
            end, self._end, self._portal = self._end, None, None
        if end is not None:
            end()


def _leave(portals: AbstractContextManager[Any]) -> None:
    portals.__exit__(SystemExit, SystemExit(), None)  # an exception makes the portal cancel what is left, not wait for it
