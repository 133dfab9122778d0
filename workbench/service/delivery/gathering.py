"""Which tenders set an alert off since it last looked, and why (interface 6.2): reading only.

- *Publication*: the tender was first seen by this service. Its own date does not count, or what a feed brings late would
  be missed.
- *Award*: it has an award date and had none.
- *Deadline*: the day is ``expirationOffset`` days away or fewer, and has not passed. For a tender that can be bid for the
  day is its submission deadline; for one that was awarded it is the end of the contract, and with ``withExtension`` the end
  of the extended contract where there is one. Each day of a tender is told
  once by each window.
- *Modification*, where the alert asks for it: something that a reader cares about differs from what it was when the alert
  last looked.

Whatever the trigger, the tender must match the alert's criteria now.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from workbench.contract.record import JsonObject
from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import EXPIRATION_OFFSET_MIN, AlertField, TenderStatus
from workbench.service import matching
from workbench.service.delivery.changes import Change, changes_between
from workbench.service.store.facets import STATUS_NUMBERS
from workbench.service.store.moments import micros
from workbench.service.store.query import Query, Range, query_of
from workbench.service.store.search import find_rows

ITEMS_MAX: Final = 2_000
"""Tenders of one e-mail; what goes beyond is counted and said."""

RUN_SECONDS: Final = 60.0
CONTRACT_YEARS_MAX: Final = 10
"""How long after its first end an extended contract may go on."""

_ALL: Final = 1_000_000_000
_BATCH: Final = 500
_CONTRACTS: Final = (TenderStatus.AWARDED, TenderStatus.RESOLVED, TenderStatus.FORMALIZED)


class Reason(StrEnum):
    """Why a tender is in an e-mail, in the order in which e-mails tell it."""

    NEW = "new"
    AWARDED = "awarded"
    DEADLINE = "deadline"
    MODIFIED = "modified"


@dataclass(frozen=True, slots=True)
class Watch:
    """What an alert looks for and how far it has come: the parts of its rows that gathering reads.

    ``since`` (seconds) is set until the alert has run for the first time.
    """

    alert_id: str
    criteria: JsonObject
    windows: Sequence[JsonObject]
    include_modifications: bool
    position: int
    since: int | None

    def triggers(self, field: AlertField) -> bool:
        """Whether one of its windows is of this date."""
        return any(window["field"] == field for window in self.windows)


@dataclass(frozen=True, slots=True)
class Item:
    """One tender of an e-mail; ``record`` is its wire JSON as it was then."""

    tender_id: str
    reasons: tuple[Reason, ...]
    changes: tuple[Change, ...]
    record: str


@dataclass(slots=True)
class Gathered:
    """What set an alert off: the tenders (the newest :data:`ITEMS_MAX`) and how many there are.

    ``position`` is how far the alert has looked now, ``told`` the deadlines (tender, seconds, days before) that it tells of.
    """

    items: list[Item]
    total: int
    position: int
    told: list[tuple[str, int, float]]


@dataclass(slots=True)
class _Found:
    """A tender that matches, before its record is read."""

    rid: int
    is_new: bool = False
    event: int | None = None
    due: bool = False


def gather(connection: sqlite3.Connection, watch: Watch, now: datetime) -> Gathered:
    """What sets ``watch`` off at ``now``, in one moment of the data. Raises ``SearchTooSlow`` after a minute."""
    position = _newest_event(connection)
    found: dict[int, _Found] = {}
    for one in _arrivals(connection, watch, now):
        found[one.rid] = one
    told: list[tuple[str, int, float]] = []
    for rid, tender_id, due, days in _deadlines(connection, watch, now):
        found.setdefault(rid, _Found(rid)).due = True
        told.append((tender_id, due, days))
    # Row numbers rise with publication, so the newest come first and the same tenders always in the same order.
    ordered = [found[rid] for rid in sorted(found, reverse=True)]
    items: list[Item] = []
    total = 0
    for item in _items(connection, watch, ordered):
        total += 1
        if len(items) < ITEMS_MAX:
            items.append(item)
    return Gathered(items, total, max(position, watch.position), told)


def _newest_event(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'tender_event'").fetchone()
    return int(row[0]) if row else 0


def _arrivals(connection: sqlite3.Connection, watch: Watch, now: datetime) -> Iterator[_Found]:
    """Tenders that came or changed since the alert last looked and that match, whatever the trigger."""
    # With min() SQLite gives the other columns of that row: what the tender was before the first of its changes.
    events = connection.execute(
        "SELECT t.rid, min(e.seq), e.before IS NULL FROM tender_event e JOIN tender t ON t.id = e.tender_id "
        "WHERE e.seq > ? GROUP BY e.tender_id",
        (watch.position,),
    )
    candidates = {rid: _Found(rid, is_new=bool(first), event=None if first else seq) for rid, seq, first in events}
    if watch.since is not None:
        rows = connection.execute("SELECT rid FROM tender WHERE created_at >= ?", (watch.since * 1_000_000,))
        candidates |= {rid: _Found(rid, is_new=True) for (rid,) in rows}
    wanted = [one.rid for one in candidates.values() if one.is_new or _may_tell_changes(watch)]
    for rid in _matching(connection, watch, now, among=wanted):
        yield candidates[rid]


def _may_tell_changes(watch: Watch) -> bool:
    return watch.include_modifications or watch.triggers(AlertField.AWARD)


def _matching(
    connection: sqlite3.Connection,
    watch: Watch,
    now: datetime,
    *,
    among: Collection[int] | None = None,
    ranges: tuple[Range, ...] = (),
    statuses: Iterable[TenderStatus] = (),
) -> list[int]:
    if among is not None and not among:
        return []
    query = replace(_EVERYTHING, ranges=ranges)
    if among is not None:
        query = replace(query, among=tuple(among), rows=(min(among), max(among)))
    numbers = tuple(sorted(STATUS_NUMBERS[status] for status in statuses))
    query = matching.narrowed(replace(query, statuses=numbers or None), watch.criteria, now)
    return find_rows(connection, query, time_limit=RUN_SECONDS)


_EVERYTHING: Final[Query] = replace(query_of(TenderSearch(), datetime(2000, 1, 1, tzinfo=UTC), 1), limit=_ALL)


def _deadlines(connection: sqlite3.Connection, watch: Watch, now: datetime) -> list[tuple[int, str, int, float]]:
    """Row number, id, day (seconds) and offset of each tender whose deadline comes near and was not told yet."""
    told = connection.execute("SELECT tender_id, due, days FROM deadline_told WHERE alert_id = ?", (watch.alert_id,))
    known: set[tuple[str, int, float]] = set(told.fetchall())
    found: dict[tuple[str, int, float], int] = {}
    for window in watch.windows:
        if window["field"] != AlertField.DEADLINE:
            continue
        days = float(window.get("expirationOffset", EXPIRATION_OFFSET_MIN))
        until = now + timedelta(days=days)
        extended = window.get("withExtension") is True
        for rid in _closing(connection, watch, now, until, extended=extended):
            tender_id, due = _day(connection, rid, extended=extended)
            if due is not None and now.timestamp() < due <= until.timestamp() and (tender_id, due, days) not in known:
                found[tender_id, due, days] = rid
    return [(rid, tender_id, due, days) for (tender_id, due, days), rid in found.items()]


def _closing(connection: sqlite3.Connection, watch: Watch, now: datetime, until: datetime, *, extended: bool) -> list[int]:
    """Row numbers of matching tenders whose day may be within the bounds."""
    bids = Range("deadline", micros(now), micros(until), above=True)
    earliest = now - timedelta(days=366 * CONTRACT_YEARS_MAX) if extended else now
    contracts = Range("expires", micros(earliest), micros(until), above=True)
    open_ = _matching(connection, watch, now, ranges=(bids,), statuses=(TenderStatus.PUBLISHED,))
    return open_ + _matching(connection, watch, now, ranges=(contracts,), statuses=_CONTRACTS)


def _day(connection: sqlite3.Connection, rid: int, *, extended: bool) -> tuple[str, int | None]:
    """The id of a tender and its day: see the module's own words."""
    tender_id, status, deadline, expires, later = connection.execute(
        "SELECT id, status, deadline, expires, json_extract(record, '$.expedientExtendedExpirationDate') FROM tender "
        "WHERE rid = ?",
        (rid,),
    ).fetchone()
    if status == STATUS_NUMBERS[TenderStatus.PUBLISHED]:
        day = deadline
    elif extended and later:
        day = micros(datetime.fromisoformat(later))
    else:
        day = expires
    return tender_id, None if day is None else day // 1_000_000


def _items(connection: sqlite3.Connection, watch: Watch, found: Sequence[_Found]) -> Iterator[Item]:
    for start in range(0, len(found), _BATCH):
        batch = found[start : start + _BATCH]
        rows = connection.execute(
            "SELECT rid, id, record FROM tender WHERE rid IN (SELECT value FROM json_each(?))",
            (json.dumps([one.rid for one in batch]),),
        )
        records: dict[int, tuple[str, str]] = {rid: (tender_id, record) for rid, tender_id, record in rows}
        for one in batch:
            tender_id, text = records[one.rid]
            record: JsonObject = json.loads(text)
            before, changes = _difference(connection, one, tender_id, record)
            reasons = _reasons(watch, one, before, record, changes)
            if reasons:
                told = changes if watch.include_modifications else ()
                yield Item(tender_id, reasons, told, text)


def _difference(
    connection: sqlite3.Connection, one: _Found, tender_id: str, record: JsonObject
) -> tuple[JsonObject | None, tuple[Change, ...]]:
    if one.event is None:
        return None, ()
    text, listed = connection.execute("SELECT before, documents FROM tender_event WHERE seq = ?", (one.event,)).fetchone()
    before: JsonObject = json.loads(text)
    documents = connection.execute("SELECT id, name FROM document WHERE tender_id = ? ORDER BY position", (tender_id,))
    ids: list[str] = json.loads(listed or "[]")
    return before, changes_between(before, record, ids, dict(documents.fetchall()))


def _reasons(
    watch: Watch, one: _Found, before: JsonObject | None, record: JsonObject, changes: Sequence[Change]
) -> tuple[Reason, ...]:
    awarded = record.get("expedientAdjudicationDate") is not None
    newly_awarded = awarded and (one.is_new or (before is not None and before.get("expedientAdjudicationDate") is None))
    given: dict[Reason, Any] = {
        Reason.NEW: one.is_new and watch.triggers(AlertField.PUBLICATION),
        Reason.AWARDED: newly_awarded and watch.triggers(AlertField.AWARD),
        Reason.DEADLINE: one.due,
        Reason.MODIFIED: watch.include_modifications and changes,
    }
    return tuple(reason for reason, holds in given.items() if holds)
