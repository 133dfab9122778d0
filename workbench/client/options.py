"""What a caller can set on a client: time-outs, and what to be told while it waits or downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.client.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait: for a connection, for the next bytes, for bytes to leave, for a free connection, and for a whole answer.

    ``total`` holds until an answer's head is there, however slowly it drips in, and again for its body; not for the body of a
    download, which may be long.
    """

    connect: float = 5.0
    read: float = 30.0
    write: float = 30.0
    pool: float = 10.0
    total: float = 90.0

    @classmethod
    def of(cls, value: float | Timeouts | None) -> Timeouts:
        """The usual time-outs for ``None``; for a number, at most that many seconds for each step and for the whole.

        Raises :class:`~workbench.client.errors.InvalidArgument` for a number that is not above zero.
        """
        if value is None:
            return cls()
        if isinstance(value, Timeouts):
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
            raise InvalidArgument("timeout", f"takes seconds above zero, not {value!r}")
        usual = cls()
        return cls(min(usual.connect, value), value, value, min(usual.pool, value), value)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pause before a request, announced before it begins: which call, how long in seconds, and why."""

    operation: str
    seconds: float
    reason: Literal["rate limit", "retry", "not ready"]


OnWait = Callable[[Waiting], None]
"""Told of each pause, in the thread or loop of the call. An exception it raises ends the call."""

Progress = Callable[[int, int | None], None]
"""``progress(bytes_done, bytes_total)``; the total is ``None`` where it is not known. An exception ends the download."""


class ServiceProfile(Protocol):
    """What a client knows of the profile it was opened for; :class:`workbench.profiles.Profile` is one."""

    @property
    def name(self) -> str:
        """The profile's name."""
        ...

    @property
    def kind(self) -> Literal["hosted", "embedded"]:
        """Whether the service is on the network or in this process."""
        ...
