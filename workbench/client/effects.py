"""What the asynchronous and the sync driver do differently: pausing, blocking work, time-outs, and to whom a client belongs.

asyncio is imported where it is used: the sync client starts without it.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.client.errors import ClientMisused

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class _Deadline(threading.local):
    """When reading has to end in this thread, on the monotonic clock."""

    moment: float = float("inf")


DEADLINE: Final = _Deadline()


async def in_thread(function: Callable[[], T], *, undo: Callable[[T], None] | None = None) -> T:
    """What blocking work gives, done in a thread so that the event loop goes on.

    A cancelled caller still waits for the work to end, so that nobody clears away what is still being made; ``undo`` is then
    given the result that nobody will receive.
    """
    import asyncio

    from anyio.to_thread import run_sync

    work = asyncio.ensure_future(run_sync(function))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        if not work.cancelled() and work.exception() is None and undo is not None:
            undo(work.result())
        raise


class _Lifetime:
    """From a client's first call to its end; all its copies share one."""

    def __init__(self) -> None:
        self._used = False
        self._ended = threading.Event()

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._ended.is_set()

    def _check(self) -> None:
        if self._ended.is_set():
            raise ClientMisused("This client is closed; open another one with workbench.connect().")

    def __del__(self) -> None:
        if self._used and not self._ended.is_set():
            self._ended.set()
            warnings.warn(
                "A workbench client was used and not closed; use it in a 'with' block, or close it.",
                ResourceWarning,
                source=self,
                stacklevel=2,
            )


class AsyncEffects(_Lifetime):
    """How the asynchronous client waits and works: without ever blocking its event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._loop: asyncio.AbstractEventLoop | None = None

    def enter(self) -> None:
        """Bind to the running event loop at first use; raise ``ClientMisused`` in any other afterwards, instead of hanging."""
        import asyncio

        self._check()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise ClientMisused(
                "AsyncClient needs a running asyncio event loop; without one, use workbench.connect()."
            ) from None
        if self._loop is not loop:
            if self._loop is not None:
                raise self._foreign()
            self._loop = loop
            self._used = True

    def end(self) -> bool:
        """The client is closed; whether there are connections to close. Those of an event loop that ended are gone with it.

        Raises ``ClientMisused`` in another event loop than the client's own, while that one is there.
        """
        import asyncio

        if self._loop is not None and self._loop is not asyncio.get_running_loop():
            if not self._loop.is_closed():
                raise self._foreign()
            self._ended.set()
            return False
        self._ended.set()
        return True

    @staticmethod
    def _foreign() -> ClientMisused:
        return ClientMisused(
            "This AsyncClient belongs to another event loop, where its connections live. "
            "Open one in each loop with 'async with workbench.aconnect()'."
        )

    async def pause(self, seconds: float) -> None:
        """Sleep; cancellable. ``ClientMisused`` where the client was closed meanwhile."""
        import asyncio

        await asyncio.sleep(seconds)
        self._check()

    def at_most(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """Ends what is in the block after so long, with ``TimeoutError``."""
        import asyncio

        return asyncio.timeout(seconds)

    async def work(self, function: Callable[[], T]) -> T:
        """Run blocking work in a thread, as :func:`in_thread`."""
        return await in_thread(function)


class SyncEffects(_Lifetime):
    """How the sync client waits and works: in the caller's thread. May be shared by threads."""

    def enter(self) -> None:
        """Raise ``ClientMisused`` once the client is closed."""
        self._check()
        self._used = True

    def end(self) -> bool:
        """The client is closed, and whoever is waiting in another thread stops; there are connections to close."""
        self._ended.set()
        return True

    def pause(self, seconds: float) -> None:
        """Sleep. ``ClientMisused`` at once where another thread closes the client meanwhile."""
        if self._ended.wait(seconds):
            self._check()

    def at_most(self, seconds: float) -> _AtMost:
        """Ends reading from the network in the block after so long, as a time-out of the network."""
        return _AtMost(seconds)

    def work(self, function: Callable[[], T]) -> T:
        """Run blocking work here."""
        return function()


class _AtMost:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        DEADLINE.moment = time.monotonic() + self._seconds

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        DEADLINE.moment = float("inf")
