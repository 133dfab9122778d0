"""Whether a service can be reached, how fast, and how its clock stands to ours: for a diagnosis, without the key.

Any HTTP answer counts, a refusal too. The request leaves as every other does (same proxy, same certificates), carries no key,
and so uses up none of its requests.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

from workbench.client.errors import ConnectionFailed, TimedOut
from workbench.client.options import Timeouts
from workbench.client.policy.addresses import BaseAddress, UnusableAddress, base_address
from workbench.client.transport import FAULTS, Sender, broken, open_sync, reason

PROBE_SECONDS: Final = 10.0
_OPERATION: Final = "reach"


@dataclass(frozen=True, slots=True)
class Reached:
    """The HTTP status of the answer, the seconds until it came, and where it redirects to, if it does.

    ``clock_ahead`` is by how many seconds this machine's clock is ahead of the service's, behind where it is negative; ``None``
    where the service states no date. The Date header counts whole seconds, so less than two mean nothing.
    """

    status: int
    seconds: float
    clock_ahead: float | None
    redirect: bool


def reach(url: str, *, seconds: float = PROBE_SECONDS) -> Reached:
    """Ask for an address once. Raises ``ConnectionFailed`` or ``TimedOut`` where no answer comes. Blocks."""
    try:
        base = base_address(url, with_key=False)
    except UnusableAddress as trouble:
        raise ConnectionFailed(str(trouble), operation=_OPERATION, arrived=False) from None
    try:
        return _ask(base, url.strip(), Timeouts.of(seconds))
    except FAULTS as fault:
        kind = TimedOut if broken(fault).timed_out else ConnectionFailed
        words = reason(fault)
    raise kind(f"{words[:1].upper()}{words[1:]} ({base.origin}).", operation=_OPERATION, address=str(base.origin))


def _ask(base: BaseAddress, url: str, timeouts: Timeouts) -> Reached:
    with open_sync(base) as http:
        request = Sender(base, None).build("GET", url, None, file=False, timeouts=timeouts)
        began, sent_at = time.monotonic(), time.time()
        answer = http.send(request, stream=True, follow_redirects=False)
        took = time.monotonic() - began
        answer.close()
    status = answer.status_code
    return Reached(status, took, _ahead(answer.headers.get("date"), sent_at + took / 2), 300 <= status < 400)


def _ahead(date: str | None, here: float) -> float | None:
    try:
        # The header drops the fraction of the second, half of one on average.
        return here - (parsedate_to_datetime(date).timestamp() + 0.5) if date else None
    except (ValueError, TypeError, OverflowError):
        return None
