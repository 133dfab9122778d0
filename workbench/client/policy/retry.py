"""When a call is sent again, and after how long (design: retries; interface 3 "safe to retry", 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

from workbench.contract.operations import Operation
from workbench.contract.vocabulary import RATE_WINDOW_SECONDS

RETRIES_MAX: Final = 3
"""Replays after faults: the request is sent at most four times."""

RATE_WAITS_MAX: Final = 5
"""Windows that a call waits out before it gives up: other programs may be using the same key."""

RATE_WAITS_BELIEVED: Final = 2
"""So often a Retry-After shorter than the window is taken at its word; after that the whole window is waited out."""

TIMEOUT_RETRIES_MAX: Final = 1
"""Each time-out has cost a person half a minute already."""

BACKOFF_FIRST_SECONDS: Final = 0.25
BACKOFF_MAX_SECONDS: Final = 8.0
RATE_WAIT_MAX_SECONDS: Final = 65.0
"""The window is 60 s (interface 8); a service that asks for more is asked again after this long."""

RATE_WAIT_DEFAULT_SECONDS: Final = RATE_WINDOW_SECONDS + 0.5
"""Without Retry-After: the rest of the window is at most the window."""

_PASSING_STATUSES: Final = frozenset({408, 425, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Answered:
    """The service answered with ``status``; ``retry_after`` is in seconds, ``None`` where it did not say."""

    status: int
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """No complete answer came. ``sent`` is ``False`` only where not one byte of the request can have reached the service."""

    sent: bool
    timed_out: bool = False


Outcome = Answered | Broken


@dataclass(frozen=True, slots=True)
class Wait:
    """Send again after ``seconds``. ``window`` says that the whole rate window is blocked, not this call alone."""

    seconds: float
    window: bool = False


@dataclass(frozen=True, slots=True)
class Raise:
    """Give up: the outcome is the caller's error."""


@dataclass(frozen=True, slots=True)
class Return:
    """The outcome is the answer."""


Decision = Wait | Raise | Return


def decide(operation: Operation[Any], attempt: int, outcome: Outcome, *, rate_waits: int = 0, jitter: float = 1.0) -> Decision:
    """What follows from ``outcome`` of attempt number ``attempt`` (from 1, attempts that ended in 429 not counted).

    ``rate_waits`` counts the 429s of this call so far; ``jitter`` is a random number from 0 to 1 and takes up to half of
    a backoff away. A 429 is waited out for every operation, since a refused request did nothing; a 409 is a state and
    never retried; anything else is replayed only where the operation is replayable or nothing was sent.
    """
    if isinstance(outcome, Answered):
        return _after_answer(operation, attempt, outcome, rate_waits, jitter)
    if outcome.sent and not operation.replayable:
        return Raise()
    if attempt > (TIMEOUT_RETRIES_MAX if outcome.timed_out else RETRIES_MAX):
        return Raise()
    return Wait(backoff(attempt, jitter))


def _after_answer(operation: Operation[Any], attempt: int, answer: Answered, rate_waits: int, jitter: float) -> Decision:
    if 200 <= answer.status < 300:
        return Return()
    if answer.status == 429:
        if rate_waits >= RATE_WAITS_MAX:
            return Raise()
        asked = RATE_WAIT_DEFAULT_SECONDS if answer.retry_after is None else answer.retry_after
        least = 0.0 if rate_waits < RATE_WAITS_BELIEVED else RATE_WAIT_DEFAULT_SECONDS
        return Wait(min(max(asked, least), RATE_WAIT_MAX_SECONDS), window=True)
    if answer.status not in _PASSING_STATUSES or not operation.replayable or attempt > RETRIES_MAX:
        return Raise()
    if answer.retry_after is None:
        return Wait(backoff(attempt, jitter))
    if answer.retry_after > RATE_WAIT_MAX_SECONDS:
        return Raise()
    return Wait(max(answer.retry_after, backoff(attempt, jitter)))


def backoff(attempt: int, jitter: float) -> float:
    """Seconds before replay number ``attempt``: doubling from a quarter second to eight, up to half taken away by jitter."""
    full = min(BACKOFF_FIRST_SECONDS * 2 ** (min(attempt, 16) - 1), BACKOFF_MAX_SECONDS)
    return full * (1 - 0.5 * min(max(jitter, 0.0), 1.0))


def read_retry_after(header: str | None, *, now: float) -> float | None:
    """Seconds asked for by a ``Retry-After`` header (RFC 9110 10.2.3: seconds or a date).

    ``None`` where it says nothing usable. ``now`` is seconds since 1970. Never negative, never infinite.
    """
    if header is None:
        return None
    text = header.strip()
    try:
        seconds = float(text)
    except ValueError:
        seconds = _seconds_until(text, now)
    if seconds is None or seconds != seconds or seconds == float("inf"):
        return None
    return max(seconds, 0.0)


def _seconds_until(text: str, now: float) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError, OSError):
        return None
