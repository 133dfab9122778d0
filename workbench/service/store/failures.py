"""What goes wrong with the database file, each as a sentence for a person."""

from __future__ import annotations

import sqlite3
from pathlib import Path


class StoreError(Exception):
    """The database cannot be used. The message says what failed, why, and what to do."""


class StoreBusy(StoreError):
    """Another program holds the database for writing; trying again later helps."""


class StoreFull(StoreError):
    """The disk has no room left. What was being written was undone, what was stored before is kept."""


class SearchTooSlow(StoreError):
    """A search passed its time limit and was stopped."""


def store_error(trouble: BaseException, path: Path) -> StoreError | None:
    """The sentence for a failure of the driver, or ``None`` for one that is a fault of the caller (a broken constraint)."""
    origin = getattr(trouble, "orig", None)
    if isinstance(origin, BaseException):
        trouble = origin
    if not isinstance(trouble, sqlite3.Error) or isinstance(trouble, sqlite3.IntegrityError):
        return None
    code = getattr(trouble, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None  # extended codes carry the primary one in their low byte
    known = _SENTENCES.get(primary) if primary is not None else None
    if known is None:
        return StoreError(f"The database {path} reported a failure: {trouble}. Try again; if it stays, restore a backup.")
    kind, sentence = known
    return kind(sentence.format(path=path, folder=path.parent))


_SENTENCES: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_FULL: (
        StoreFull,
        "The disk that holds {folder} is full. Nothing that was stored before is lost; free some space and try again.",
    ),
    sqlite3.SQLITE_BUSY: (
        StoreBusy,
        "The database {path} is being written by another program. Wait until it has finished, then try again.",
    ),
    sqlite3.SQLITE_LOCKED: (StoreBusy, "The database {path} is being changed just now. Try again in a moment."),
    sqlite3.SQLITE_READONLY: (
        StoreError,
        "The database {path} cannot be written: it is read-only. Make it writable, or name another folder with --data.",
    ),
    sqlite3.SQLITE_PERM: (StoreError, "The database {path} may not be written by this user. Name another folder with --data."),
    sqlite3.SQLITE_CANTOPEN: (
        StoreError,
        "The database {path} cannot be opened. Check that the folder is there and writable, or name another with --data.",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "The disk that holds {folder} failed while {path} was used. Check the disk and its free space, then try again.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        StoreError,
        "The database {path} is damaged. Restore a backup, or move the file away and import the data again.",
    ),
    sqlite3.SQLITE_NOTADB: (
        StoreError,
        "The file {path} is not a database of the workbench. Move it away, or name another folder with --data.",
    ),
}
