"""What a tender is now, decided from every version and withdrawal that was ever read: pure, and the same in any order.

The newest version counts: by its own time, then by the time of the file that held it, then by the later stage of the
procedure, then by content, so that two versions never tie. A withdrawal counts until a newer version revives the tender.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.contract.vocabulary import TenderStatus
from workbench.feeds.notice import WithdrawalReason
from workbench.service.store.facets import STATUS_NUMBERS

CLOSED: Final = STATUS_NUMBERS[TenderStatus.CLOSED]
_KEPT_WHEN_ARCHIVED: Final = frozenset(
    STATUS_NUMBERS[status] for status in (TenderStatus.AWARDED, TenderStatus.RESOLVED, TenderStatus.FORMALIZED)
)


class Version(NamedTuple):
    """One version of a tender; its order among versions is that of its first four fields."""

    version_at: int
    file_time: str
    stage: int
    digest: bytes
    status: int
    cancelled: int
    significant: bytes


class Recall(NamedTuple):
    """One tombstone: when, and the value of its :class:`~workbench.feeds.notice.WithdrawalReason`."""

    at: int
    reason: str


@dataclass(frozen=True, slots=True)
class Present:
    """The outcome: the version that counts, what the withdrawals in force make of it, and what only history tells.

    ``first_seen`` is the time of the earliest version. ``significant`` is when status, deadline, budget, awards or documents
    last changed. ``archived_at`` and ``removed_at`` are times of withdrawals in force, of the kinds that set them.
    """

    newest: Version
    status: int
    cancelled: bool
    archived_at: int | None
    removed_at: int | None
    first_seen: int
    significant: int


def present_state(versions: Collection[Version], recalls: Collection[Recall]) -> Present:
    """What a tender with these versions (at least one) and withdrawals is now."""
    in_order = sorted(versions)
    newest = in_order[-1]
    in_force = [recall for recall in recalls if recall.at >= newest.version_at]
    recalled = any(recall.reason == WithdrawalReason.CANCELLED for recall in in_force)
    return Present(
        newest=newest,
        status=_status(newest.status, in_force),
        cancelled=recalled or bool(newest.cancelled),
        archived_at=_latest(in_force, WithdrawalReason.ARCHIVED),
        removed_at=_latest(in_force, WithdrawalReason.UNSTATED),
        first_seen=in_order[0].version_at,
        significant=_last_change(in_order, recalls),
    )


def _status(stated: int, in_force: Collection[Recall]) -> int:
    reasons = {recall.reason for recall in in_force}
    if WithdrawalReason.CANCELLED in reasons:
        return CLOSED
    if WithdrawalReason.ARCHIVED in reasons and stated not in _KEPT_WHEN_ARCHIVED:
        return CLOSED
    return stated


def _latest(recalls: Collection[Recall], reason: WithdrawalReason) -> int | None:
    return max((recall.at for recall in recalls if recall.reason == reason), default=None)


def _last_change(in_order: list[Version], recalls: Collection[Recall]) -> int:
    if len(in_order) == 1 and not recalls:
        return in_order[0].version_at
    events: list[tuple[int, int, Version | Recall]] = [(version.version_at, 0, version) for version in in_order]
    # At equal times the withdrawal comes last: only a later version revives.
    events += [(recall.at, 1, recall) for recall in sorted(recalls)]
    events.sort(key=lambda event: event[:2])
    changed_at, seen, current, in_force = in_order[0].version_at, None, None, list[Recall]()
    for at, _, event in events:
        if isinstance(event, Version):
            current, in_force = event, []
        else:
            in_force.append(event)
        if current is None:
            continue
        look = (current.significant, _status(current.status, in_force))
        if look != seen:
            changed_at, seen = at, look
    return changed_at
