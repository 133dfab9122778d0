"""One batch of an import: what was read meets what is stored, inside one transaction.

Everything that a tender is now follows from its versions and withdrawals (:mod:`workbench.service.store.history`), so a
batch first adds those and then writes anew the tenders whose state differs. A batch that was undone half-way, or is read
again, leaves the same rows as one that went through at once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from workbench.feeds.notice import Withdrawal
from workbench.service.store.facets import STATUSES, with_status
from workbench.service.store.history import Present, Recall, Version, present_state
from workbench.service.store.identity import tender_id
from workbench.service.store.moments import micros, wire_micros
from workbench.service.store.parties import Known, store_parties
from workbench.service.store.records import NOTICE_COLUMNS, Prepared, filled, refilled
from workbench.service.store.row_order import ID_BITS, neighbour, row_number


@dataclass(slots=True)
class Counts:
    """What became of the items: each is counted once. An older version that only adds to history is ``unchanged``."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    withdrawn: int = 0


@dataclass(frozen=True, slots=True)
class Recalled:
    """A withdrawal, ready to be stored."""

    tender_id: str
    recall: Recall
    source: str
    source_id: str


def prepare_withdrawal(item: Withdrawal) -> Recalled:
    """A tombstone as the store keeps it."""
    identifier = tender_id(item.source, item.source_id)
    return Recalled(identifier, Recall(micros(item.at), item.reason.value), item.source, item.source_id)


def store_batch(connection: sqlite3.Connection, items: Sequence[Prepared | Recalled], now: int) -> Counts:
    """Store ``items`` inside the caller's transaction; ``now`` is the local clock in microseconds."""
    batch = _Batch(connection, items, now)
    batch.gather()
    batch.write()
    return batch.counts


class _Stored(NamedTuple):
    """What is read of a stored tender to decide whether it changes."""

    rid: int
    id: str
    status: int
    published: int
    significant: int
    cancelled: int
    archived_at: int | None
    removed_at: int | None
    published_stated: int | None
    version_digest: bytes
    created_at: int


_STORED_COLUMNS: Final = ", ".join(_Stored._fields)

_TENDER_COLUMNS: Final = (
    "rid",
    "id",
    "source",
    "source_id",
    *NOTICE_COLUMNS,
    "version_at",
    "version_digest",
    "notice_status",
    "status",
    "published",
    "significant",
    "cancelled",
    "archived_at",
    "removed_at",
    "created_at",
    "updated_at",
    "record",
)
_VERSION_COLUMNS: Final = ", ".join(Version._fields)
_DOCUMENT_COLUMNS: Final = "id, tender_id, position, name, type, mime_type, uri, digest, published_at, language"


# Lists of ids and row numbers are bound as one JSON text: one statement, however long they are.
_STORED: Final = f"SELECT {_STORED_COLUMNS} FROM tender WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constants
_VERSIONS: Final = (
    f"SELECT tender_id, {_VERSION_COLUMNS} FROM notice_version WHERE tender_id IN (SELECT value FROM json_each(?))"  # noqa: S608
)
_RECALLS: Final = "SELECT tender_id, at, reason FROM withdrawal WHERE tender_id IN (SELECT value FROM json_each(?))"
_TAKEN: Final = "SELECT rid, id FROM tender WHERE rid IN (SELECT value FROM json_each(?))"
_RECORDS: Final = "SELECT id, record FROM tender WHERE rid IN (SELECT value FROM json_each(?))"
_TEXTS: Final = "SELECT rid, title, description, facets FROM tender_text WHERE rid IN (SELECT value FROM json_each(?))"
_DROP_AWARDS: Final = "DELETE FROM award WHERE tender_id IN (SELECT value FROM json_each(?))"
_DROP_DOCUMENTS: Final = (
    "DELETE FROM document WHERE tender_id IN (SELECT value FROM json_each(?)) AND id NOT IN (SELECT value FROM json_each(?))"
)
_UPSERT_TENDER: Final = (
    f"INSERT INTO tender({', '.join(_TENDER_COLUMNS)}) VALUES({', '.join('?' * len(_TENDER_COLUMNS))}) "
    "ON CONFLICT(id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _TENDER_COLUMNS if name not in ("id", "created_at"))
)
_UPDATE_STATE: Final = (
    "UPDATE tender SET rid = ?, status = ?, published = ?, significant = ?, cancelled = ?, archived_at = ?, removed_at = ?, "
    "updated_at = ?, record = ? WHERE id = ?"
)
_UPSERT_VERSION: Final = (
    f"INSERT INTO notice_version(tender_id, {_VERSION_COLUMNS}) VALUES(?,?,?,?,?,?,?,?) "
    "ON CONFLICT DO UPDATE SET file_time = max(file_time, excluded.file_time)"
)
_UPSERT_DOCUMENT: Final = (
    f"INSERT INTO document({_DOCUMENT_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _DOCUMENT_COLUMNS.split(", ")[2:])
)


@dataclass(slots=True)
class _Tender:
    """One tender of the batch: what is known of it, and what the batch adds."""

    versions: dict[tuple[int, bytes], Version] = field(default_factory=dict[tuple[int, bytes], Version])
    recalls: set[Recall] = field(default_factory=set[Recall])
    stored: _Stored | None = None
    touched: bool = False


class _Batch:
    def __init__(self, connection: sqlite3.Connection, items: Sequence[Prepared | Recalled], now: int) -> None:
        self.connection = connection
        self.items = items
        self.now = now
        self.counts = Counts()
        self._prepared: dict[tuple[str, bytes], Prepared] = {}
        self._tenders: dict[str, _Tender] = {item.tender_id: _Tender() for item in items}
        self._ids = json.dumps(list(self._tenders))
        self._versions: list[tuple[object, ...]] = []
        self._withdrawals: list[tuple[object, ...]] = []
        self._parties: list[Known] = []

    def gather(self) -> None:
        """Read what is stored of the batch's tenders, and add the batch's items to it in memory, counting each."""
        self._load()
        for item in self.items:
            tender = self._tenders[item.tender_id]
            if isinstance(item, Recalled):
                self._add_recall(tender, item)
            else:
                self._add_version(tender, item)

    def _load(self) -> None:
        select = self.connection.execute
        for tender_key, *version in select(_VERSIONS, (self._ids,)):
            one = Version(*version)
            self._tenders[tender_key].versions[one.version_at, one.digest] = one
        for tender_key, *recall in select(_RECALLS, (self._ids,)):
            self._tenders[tender_key].recalls.add(Recall(*recall))
        for row in select(_STORED, (self._ids,)):
            stored = _Stored(*row)
            self._tenders[stored.id].stored = stored

    def _add_recall(self, tender: _Tender, item: Recalled) -> None:
        if item.recall in tender.recalls:
            self.counts.unchanged += 1
            return
        tender.recalls.add(item.recall)
        tender.touched = True
        self.counts.withdrawn += 1
        self._withdrawals.append((item.tender_id, item.recall.at, item.recall.reason, item.source, item.source_id))

    def _add_version(self, tender: _Tender, item: Prepared) -> None:
        version = item.version
        key = (version.version_at, version.digest)
        known = tender.versions.get(key)
        if known is not None and known.file_time >= version.file_time:
            self.counts.unchanged += 1
            return
        newest = max(tender.versions.values(), default=None)
        tender.versions[key] = version
        tender.touched = True
        self._versions.append((item.tender_id, *version))
        self._prepared[item.tender_id, version.digest] = item
        if known is None:
            self._parties.extend(item.parties)
        if newest is None:
            self.counts.new += 1
        elif version > newest and newest.digest != version.digest:
            self.counts.updated += 1
        else:
            self.counts.unchanged += 1

    def write(self) -> None:
        """Write what the batch added, and anew each tender whose present state differs from what is stored."""
        execute = self.connection.executemany
        execute(_UPSERT_VERSION, self._versions)
        execute("INSERT INTO withdrawal(tender_id, at, reason, source, source_id) VALUES(?,?,?,?,?)", self._withdrawals)
        store_parties(self.connection, self._parties)
        whole: list[tuple[_Tender, Prepared, Present]] = []
        state_only: list[tuple[_Stored, Present]] = []
        for identifier, tender in self._tenders.items():
            if not tender.touched or not tender.versions:
                continue
            present = present_state(tender.versions.values(), tender.recalls)
            if tender.stored is None or tender.stored.version_digest != present.newest.digest:
                whole.append((tender, self._prepared[identifier, present.newest.digest], present))
            elif _differs(tender.stored, present):
                state_only.append((tender.stored, present))
        self._write_tenders(whole, state_only)

    def _write_tenders(self, whole: list[tuple[_Tender, Prepared, Present]], state_only: list[tuple[_Stored, Present]]) -> None:
        rows = self._row_numbers(
            [
                *((p.tender_id, _published(p.published_stated, now), t.stored) for t, p, now in whole),
                *((s.id, _published(s.published_stated, now), s) for s, now in state_only),
            ]
        )
        texts = [
            _Text(rows[p.tender_id], p.title, p.description, with_status(p.facets, now.status), t.stored and t.stored.rid)
            for t, p, now in whole
        ]
        records, old_texts = self._stored_texts(state_only)
        for stored, now in state_only:
            title, description, facets = old_texts[stored.rid]
            texts.append(_Text(rows[stored.id], title, description, with_status(facets, now.status), stored.rid))
        self._take_out(texts)
        self.connection.executemany(
            _UPSERT_TENDER,
            sorted(self._tender_row(rows[p.tender_id], t, p, now) for t, p, now in whole),
        )
        self.connection.executemany(
            _UPDATE_STATE, [self._state_row(rows[s.id], s, now, records[s.id]) for s, now in state_only]
        )
        self._put_in(texts)
        self._write_parts([(t.stored is not None, p) for t, p, _ in whole])

    def _row_numbers(self, wanted: Sequence[tuple[str, int, _Stored | None]]) -> dict[str, int]:
        """The row number of each tender; one that is published in the same second as before keeps the one it has."""
        numbers: dict[str, int] = {}
        for identifier, published, stored in wanted:
            number = row_number(published, identifier)
            if stored is not None and stored.rid >> ID_BITS == number >> ID_BITS:
                number = stored.rid
            numbers[identifier] = number
        taken: dict[int, str] = dict(self.connection.execute(_TAKEN, (json.dumps(list(numbers.values())),)))
        for identifier in sorted(numbers):
            number = numbers[identifier]
            while taken.setdefault(number, identifier) != identifier:
                number = neighbour(number)
                other = self.connection.execute("SELECT id FROM tender WHERE rid = ?", (number,)).fetchone()
                if other is not None:
                    taken[number] = other[0]
            numbers[identifier] = number
        return numbers

    def _stored_texts(
        self, state_only: Sequence[tuple[_Stored, Present]]
    ) -> tuple[dict[str, str], dict[int, tuple[str, str, str]]]:
        if not state_only:
            return {}, {}
        rids = json.dumps([stored.rid for stored, _ in state_only])
        records: dict[str, str] = dict(self.connection.execute(_RECORDS, (rids,)))
        texts = self.connection.execute(_TEXTS, (rids,))
        return records, {row[0]: (row[1], row[2], row[3]) for row in texts}

    def _take_out(self, texts: list[_Text]) -> None:
        """Take the texts that change out of the index; those that stay as they are leave the list."""
        before = [text.before for text in texts if text.before is not None]
        if not before:
            return
        old = {row[0]: row for row in self.connection.execute(_TEXTS, (json.dumps(before),))}
        texts[:] = [text for text in texts if text.before is None or old[text.before] != text.row]
        gone = sorted(old[text.before] for text in texts if text.before is not None)
        self.connection.executemany(
            "INSERT INTO tender_fts(tender_fts, rowid, title, description, facets) VALUES('delete', ?, ?, ?, ?)", gone
        )
        self.connection.executemany("DELETE FROM tender_text WHERE rid = ?", [row[:1] for row in gone])

    def _put_in(self, texts: Iterable[_Text]) -> None:
        # The index gathers in memory as long as row numbers rise; unsorted rows took it five times as long (measured).
        rows = sorted(text.row for text in texts)
        self.connection.executemany("INSERT INTO tender_text(rid, title, description, facets) VALUES(?,?,?,?)", rows)
        self.connection.executemany("INSERT INTO tender_fts(rowid, title, description, facets) VALUES(?,?,?,?)", rows)

    def _tender_row(self, rid: int, tender: _Tender, item: Prepared, now: Present) -> tuple[Any, ...]:
        published = _published(item.published_stated, now)
        created = tender.stored.created_at if tender.stored else self.now
        late = _late_fields(now, published) | {
            "createdAt": wire_micros(created),
            "updatedAt": wire_micros(self.now),
        }
        return (
            rid,
            item.tender_id,
            item.source,
            item.source_id,
            *item.columns,
            now.newest.version_at,
            now.newest.digest,
            now.newest.status,
            *_state(now, published),
            created,
            self.now,
            filled(item.record, late),
        )

    def _state_row(self, rid: int, stored: _Stored, now: Present, record: str) -> tuple[Any, ...]:
        published = _published(stored.published_stated, now)
        late = _late_fields(now, published) | {"updatedAt": wire_micros(self.now)}
        return (rid, *_state(now, published), self.now, refilled(record, late), stored.id)

    def _write_parts(self, written: Sequence[tuple[bool, Prepared]]) -> None:
        existed = json.dumps([item.tender_id for before, item in written if before])
        awards = [row for _, item in written for row in item.awards]
        documents = [row for _, item in written for row in item.documents]
        if existed != "[]":
            keep = json.dumps([row[0] for row in documents])
            self.connection.execute(_DROP_AWARDS, (existed,))
            # A document that stays keeps the file that may be stored with it.
            self.connection.execute(_DROP_DOCUMENTS, (existed, keep))
        self.connection.executemany(f"INSERT INTO award VALUES({', '.join('?' * 17)})", awards)
        self.connection.executemany(_UPSERT_DOCUMENT, documents)


class _Text(NamedTuple):
    """The index text of a tender, and the row number under which an earlier one stands."""

    rid: int
    title: str
    description: str
    facets: str
    before: int | None

    @property
    def row(self) -> tuple[int, str, str, str]:
        return self[:4]


def _published(stated: int | None, now: Present) -> int:
    # Whole seconds, which is what row numbers hold, so that a range of dates is exactly a range of rows.
    return now.first_seen // 1_000_000 * 1_000_000 if stated is None else stated


def _state(now: Present, published: int) -> tuple[int | None, ...]:
    return now.status, published, now.significant, int(now.cancelled), now.archived_at, now.removed_at


def _differs(stored: _Stored, now: Present) -> bool:
    before = (stored.status, stored.published, stored.significant, stored.cancelled, stored.archived_at, stored.removed_at)
    return before != _state(now, _published(stored.published_stated, now))


def _late_fields(now: Present, published: int) -> dict[str, str]:
    return {
        "status": STATUSES[now.status].value,
        "expedientPublishedAt": wire_micros(published),
        "lastSignificantChangeAt": wire_micros(now.significant),
    }
