"""Waiting for something that the service is still making: asking less and less often, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from workbench.client.errors import InvalidArgument

POLL_FIRST_SECONDS: Final = 2.0
POLL_GROWTH: Final = 1.5
POLL_MAX_SECONDS: Final = 30.0


def poll_pauses(patience: float, *, operation: str) -> Iterator[float]:
    """Seconds to wait before each next question: 2, 3, 4.5 … up to 30, together exactly ``patience``.

    Raises :class:`~workbench.client.errors.InvalidArgument` for a patience that is no number of seconds from 0 up.
    """
    if isinstance(patience, bool) or not isinstance(patience, (int, float)) or not 0 <= patience < float("inf"):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
        raise InvalidArgument("patience", f"takes seconds from 0 up, not {patience!r}", operation=operation)
    return _pauses(patience)


def _pauses(left: float) -> Iterator[float]:
    pause = POLL_FIRST_SECONDS
    while left > 0:
        yield min(pause, left)
        left -= pause
        pause = min(pause * POLL_GROWTH, POLL_MAX_SECONDS)
