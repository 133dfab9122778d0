"""Loading open data: files are streamed, stored in small transactions, and counted.

Every transaction holds one batch of items and the counts of its file so far. A process that is killed loses at most the
batch it was writing, and importing the same files again finishes the work: items that are stored already change nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from workbench.feeds.notice import FeedItem, Notice, Refused, Withdrawal
from workbench.service.store.batch import Counts, Recalled, prepare_withdrawal, store_batch
from workbench.service.store.database import Database, driver
from workbench.service.store.import_report import FileReport, ImportProgress, ImportReport
from workbench.service.store.moments import micros
from workbench.service.store.records import Prepared, prepare

__all__ = ["FileReport", "ImportProgress", "ImportReport", "apply_items", "import_paths"]

BATCH: Final = 1_000
"""Items of a transaction: long enough to be quick, short enough (some 0.2 s) that readers and other writers never wait."""

PROGRESS_INTERVAL: Final = 0.1
"""Seconds between two calls of a progress callback, at least."""


def import_paths(
    db: Database,
    paths: Sequence[Path],
    *,
    progress: Callable[[ImportProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ImportReport:
    """Load every file of ``paths`` (files and folders) and report what became of each item.

    ``progress`` is called at most ten times a second and once at the end; ``cancelled`` is asked after each batch, and an
    import that it stops keeps what was loaded and says so. What cannot be read is in the report's ``refusals``, never
    dropped and never a reason to stop. Raises ``FeedError`` for a path that is not there, and ``StoreError`` when the
    database cannot be written: what was stored before stays, and the import can be repeated.
    """
    from workbench.feeds.load import find_files, read

    found = find_files(paths)
    course = _Course(db, sum(file.size for file in found), progress, cancelled)
    for file in found:
        if course.interrupted:
            break
        course.load(file.path, file.size, lambda on_bytes, file=file: read(file, on_bytes=on_bytes))
    course.tell(last=True)
    return course.report()


def apply_items(db: Database, items: Iterable[FeedItem]) -> ImportReport:
    """Store items that did not come from a file, in the same way; the report has one entry, whose path is empty."""
    course = _Course(db, 0, None, None)
    course.load(Path(), 0, lambda _: iter(items))
    return course.report()


_COUNTS: Final = ("entries", "tombstones", "new", "updated", "unchanged", "withdrawn", "refused")
_INSERT_FILE: Final = f"INSERT INTO import_file(file, size, started_at, {', '.join(_COUNTS)}) VALUES({', '.join('?' * 10)})"
_UPDATE_FILE: Final = f"UPDATE import_file SET finished_at = ?, {', '.join(f'{name} = ?' for name in _COUNTS)} WHERE id = ?"  # noqa: S608


@dataclass(slots=True)
class _File:
    """One file while it is read: its counts, and which notices and versions it was seen to hold."""

    path: Path
    size: int
    entries: int = 0
    tombstones: int = 0
    refused: int = 0
    stored: Counts = field(default_factory=Counts)
    # Hashes, not texts: a yearly file holds some hundred thousand notices.
    ids: set[int] = field(default_factory=set[int])
    versions: set[int] = field(default_factory=set[int])
    log_id: int | None = None

    def report(self) -> FileReport:
        return FileReport(
            self.path,
            entries=self.entries,
            tombstones=self.tombstones,
            unique_ids=len(self.ids),
            versions=len(self.versions),
            new=self.stored.new,
            updated=self.stored.updated,
            unchanged=self.stored.unchanged,
            withdrawn=self.stored.withdrawn,
            refused=self.refused,
        )

    def counts(self) -> tuple[int, ...]:
        stored = self.stored
        done = (stored.new, stored.updated, stored.unchanged, stored.withdrawn)
        return (self.entries, self.tombstones, *done, self.refused)


class _Course:
    """The run of one import over its files."""

    def __init__(
        self,
        db: Database,
        bytes_total: int,
        progress: Callable[[ImportProgress], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.interrupted = False
        self._db = db
        self._bytes_total = bytes_total
        self._progress = progress
        self._cancelled = cancelled
        self._started = time.monotonic()
        self._told_at = self._started
        self._bytes_before = 0
        self._bytes_of_file = 0
        self._items = 0
        self._file = _File(Path(), 0)
        self._files: list[FileReport] = []
        self._refusals: list[Refused] = []

    def report(self) -> ImportReport:
        seconds = time.monotonic() - self._started
        return ImportReport(tuple(self._files), tuple(self._refusals), seconds, self.interrupted)

    def load(self, path: Path, size: int, open_items: Callable[[Callable[[int], None]], Iterator[FeedItem]]) -> None:
        """Read one file to its end, or to the batch after which the import was cancelled."""
        self._file = _File(path, size)
        items = open_items(self._count_bytes)
        try:
            while batch := list(islice(items, BATCH)):
                self._store(batch)
                self.tell()
                if self._cancelled is not None and self._cancelled():
                    self.interrupted = True
                    break
            else:
                self._store([], ended=True)
        finally:
            self._files.append(self._file.report())
            self._bytes_before += size
            self._bytes_of_file = 0
            if (close := getattr(items, "close", None)) is not None:
                close()

    def tell(self, *, last: bool = False) -> None:
        """Call the progress callback, unless it was called a moment ago."""
        now = time.monotonic()
        if self._progress is None or (not last and now - self._told_at < PROGRESS_INTERVAL):
            return
        self._told_at = now
        done = min(self._bytes_before + self._bytes_of_file, self._bytes_total)
        self._progress(ImportProgress(self._file.path, done, self._bytes_total, self._items, now - self._started))

    def _count_bytes(self, count: int) -> None:
        self._bytes_of_file = min(self._bytes_of_file + count, self._file.size)
        self.tell()

    def _store(self, batch: Sequence[FeedItem], *, ended: bool = False) -> None:
        # What is decided from the items alone is decided before the transaction, so that writers wait for little.
        ready = [made for item in batch if (made := self._prepared(item)) is not None]
        now = micros(self._db.clock())
        with self._db.writer() as connection:
            raw = driver(connection)
            self._add(store_batch(raw, ready, now) if ready else Counts())
            if self._file.log_id is None:
                self._file.log_id = raw.execute(
                    _INSERT_FILE, (self._file.path.name, self._file.size, now, *self._file.counts())
                ).lastrowid
            raw.execute(_UPDATE_FILE, (now if ended else None, *self._file.counts(), self._file.log_id))

    def _prepared(self, item: FeedItem) -> Prepared | Recalled | None:
        self._items += 1
        if isinstance(item, Notice):
            return self._prepared_notice(item)
        if isinstance(item, Withdrawal):
            self._file.tombstones += 1
            return prepare_withdrawal(item)
        self._refuse(item)
        return None

    def _prepared_notice(self, notice: Notice) -> Prepared | None:
        try:
            made = prepare(notice)
        except (ValueError, OverflowError, TypeError) as trouble:
            # A value that no reader foresaw: this entry is refused with its reason, the others go on.
            self._refuse(Refused(notice.origin, f"This entry cannot be stored: {trouble}.", notice.source_id))
            return None
        self._file.entries += 1
        self._file.ids.add(hash(made.tender_id))
        self._file.versions.add(hash((made.tender_id, made.version.version_at)))
        return made

    def _refuse(self, refused: Refused) -> None:
        self._file.refused += 1
        self._refusals.append(refused)

    def _add(self, counts: Counts) -> None:
        stored = self._file.stored
        stored.new += counts.new
        stored.updated += counts.updated
        stored.unchanged += counts.unchanged
        stored.withdrawn += counts.withdrawn
