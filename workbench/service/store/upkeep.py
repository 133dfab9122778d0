"""Looking after the database file: copies of it while it is in use, putting one back, proving it sound, bringing it up to date.

Every function takes the folder of the data and raises ``StoreError`` with a sentence.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from workbench.service.store.database import FILE_NAME, Database, connect
from workbench.service.store.failures import StoreError, store_error
from workbench.service.store.schema import APPLICATION_ID, METADATA, fresh_shape, newest_version, shape_of

Progress = Callable[[int, int], None]
"""Called with the bytes copied and the bytes in all."""

_PAGES_AT_ONCE: Final = 1_024
_PROBLEMS_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy of the database: where it is, its size in bytes, and the version of its shape."""

    path: Path
    size: int
    version: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back, and where the data that was there before is kept now (``None`` where there was none)."""

    version: int
    before: Path | None


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: a sentence for each problem, none in a sound file, and how many rows each table has."""

    path: Path
    version: int
    size: int
    problems: tuple[str, ...]
    counts: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Migrated:
    """The versions before and after, and the backup that was made in between (``None`` where nothing had to be done)."""

    before: int
    after: int
    backup: Path | None


def back_up(folder: Path, target: Path | None = None, *, overwrite: bool = False, progress: Progress | None = None) -> Copied:
    """Copy the database of ``folder`` as it is at this moment, also while others write, into one file that stands alone.

    ``target`` is a file or a folder; a name with the time is chosen in it, or in the present folder for ``None``.
    """
    live = _present(folder)
    path = _target_file(target)
    if path.exists() and path.samefile(live):
        raise StoreError(f"{path} is the database itself; name another file for the copy.")
    if path.exists() and not overwrite:
        raise StoreError(f"{path} exists already; name another file, or add --overwrite.")
    partial = path.with_name(f"{path.name}.partial")
    try:
        with _translated(live), closing(connect(live, query_only=True)) as source:
            version = _version_of_ours(source, live)
            _copy(source, partial, progress)
        partial.chmod(0o600)
        partial.replace(path)
    except OSError as trouble:
        raise StoreError(f"The copy {path} cannot be written: {trouble.strerror or trouble}. Name another place.") from None
    finally:
        partial.unlink(missing_ok=True)
    return Copied(path, path.stat().st_size, version)


def restore(folder: Path, source: Path) -> Restored:
    """Put the copy ``source`` in the place of the database of ``folder``; what was there is kept beside it.

    Refused: a copy that is damaged, of another program or of a newer release; a database that any program has open; and a
    file of another program in its place. It is one transaction: a crash leaves the one or the other, whole.
    """
    if not source.is_file():
        raise StoreError(f"There is no file {source}; name a copy that `workbench local backup` made.")
    live = folder / FILE_NAME
    if live.exists() and live.samefile(source):
        raise StoreError(f"{source} is the database itself; name a copy of it.")
    with _translated(source), closing(_read_only(source)) as copy:
        version = _version_of_ours(copy, source)
        _refuse_damaged(copy, source)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = _put_aside_if_damaged(live)
        with _translated(live), closing(_alone(live)) as place:
            if kept is None and place.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                _version_of_ours(place, live, newer_too=True)
                kept = folder / f"workbench.before-restore-{_stamp()}.sqlite3"
                _copy(place, kept, None)
                kept.chmod(0o600)
            copy.backup(place)
    live.chmod(0o600)
    # Opening brings an older copy up to date.
    Database(folder).close()
    return Restored(version, kept)


def check(folder: Path) -> Checked:
    """Prove the database of ``folder`` sound: its pages, its references, its text index and its shape.

    Nothing is changed; others may read meanwhile, and writers wait.
    """
    path = _present(folder)
    problems: list[str] = []
    counts: dict[str, int] = {}
    try:
        with closing(connect(path)) as connection:
            version = _version_of_ours(connection, path)
            problems += _damages(connection)
            problems += _broken_references(connection)
            problems += _index_faults(connection, path)
            if version == newest_version():
                problems += _shape_faults(connection)
                counts = _counts(connection)
                problems += _row_faults(connection, counts)
    except sqlite3.DatabaseError as trouble:
        meant = store_error(trouble, path)
        if getattr(trouble, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise meant or trouble from trouble
        return Checked(path, 0, path.stat().st_size, (f"The file is damaged: {trouble}.",))
    return Checked(path, version, path.stat().st_size, tuple(problems[:_PROBLEMS_MAX]), counts)


def migrate(folder: Path) -> Migrated:
    """Bring the database of ``folder`` to the shape of this release, after a backup beside it."""
    path = _present(folder)
    with _translated(path), closing(_read_only(path)) as connection:
        before = _version_of_ours(connection, path)
    Database(folder).close()
    backup = path.with_name(f"{path.stem}.version-{before}.backup.sqlite3") if before < newest_version() else None
    return Migrated(before, newest_version(), backup)


def _present(folder: Path) -> Path:
    path = folder / FILE_NAME
    if not path.is_file():
        raise StoreError(
            f"There is no data in {folder}: `workbench local import FILE` or `workbench local sample` brings some."
        )
    return path


def _target_file(target: Path | None) -> Path:
    name = f"workbench-{_stamp()}.sqlite3"
    if target is None:
        return Path(name).absolute()
    return target / name if target.is_dir() else target


def _stamp() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"


def _copy(source: sqlite3.Connection, path: Path, progress: Progress | None) -> None:
    """Copy one moment of ``source`` into a new file at ``path`` and prove the copy sound."""
    path.unlink(missing_ok=True)
    size = source.execute("PRAGMA page_size").fetchone()[0]

    def tell(_status: int, left: int, total: int) -> None:
        if progress is not None:
            progress((total - left) * size, total * size)

    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        # Held open, this transaction is the moment: what others commit meanwhile neither shows nor makes the copy begin again.
        source.execute("BEGIN")
        try:
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(copy, pages=_PAGES_AT_ONCE, progress=tell)
        finally:
            source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()
        _refuse_damaged(copy, path)


def _version_of_ours(connection: sqlite3.Connection, path: Path, *, newer_too: bool = False) -> int:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreError(f"The file {path} is no database of the workbench.")
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > newest_version() and not newer_too:
        raise StoreError(
            f"{path} was written by a newer release of the workbench (its version is {version}, this release knows "
            f"{newest_version()}). Update the workbench."
        )
    return version


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreError(f"The file {path} is damaged ({found}).")


def _put_aside_if_damaged(live: Path) -> Path | None:
    """Move a database that cannot be read out of the way: it is why somebody restores a copy."""
    if not live.exists():
        return None
    try:
        with closing(_read_only(live)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as trouble:
        if getattr(trouble, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        aside = live.with_name(f"workbench.damaged-{_stamp()}.sqlite3")
        shutil.move(live, aside)
        for rest in ("-wal", "-shm"):
            live.with_name(live.name + rest).unlink(missing_ok=True)
        return aside
    return None


def _alone(live: Path) -> sqlite3.Connection:
    """A connection that has the database to itself until it is closed."""
    connection = sqlite3.connect(live, timeout=1, isolation_level=None)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchone()
        # Leaving WAL takes the file alone, so this fails while anyone else has it open; from here on nobody else gets in.
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except sqlite3.OperationalError:
        connection.close()
        raise StoreError(
            f"Another program uses the data in {live.parent}; close it (a workbench, a `workbench serve`) and try again."
        ) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _damages(connection: sqlite3.Connection) -> list[str]:
    found = [row[0] for row in connection.execute(f"PRAGMA integrity_check({_PROBLEMS_MAX})")]
    return [] if found == ["ok"] else [f"The file is damaged: {text}." for text in found]


def _broken_references(connection: sqlite3.Connection) -> list[str]:
    broken: dict[tuple[str, str], int] = {}
    for table, _rowid, parent, _key in connection.execute("PRAGMA foreign_key_check"):
        broken[table, parent] = broken.get((table, parent), 0) + 1
    return [
        f"{count:,} rows of {table} refer to rows of {parent} that are not there." for (table, parent), count in broken.items()
    ]


def _index_faults(connection: sqlite3.Connection, path: Path) -> list[str]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # With 1 it is held against the texts that it was made from, not only against itself.
        connection.execute("INSERT INTO tender_fts(tender_fts, rank) VALUES('integrity-check', 1)")
    except sqlite3.DatabaseError as trouble:
        if getattr(trouble, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise store_error(trouble, path) or trouble from trouble
        return ["The text index does not fit the tenders: searches may miss some. Import the data again into a new folder."]
    finally:
        connection.execute("ROLLBACK")
    return []


def _shape_faults(connection: sqlite3.Connection) -> list[str]:
    wanted, found = fresh_shape(), shape_of(connection)
    missing = [f"{name} is missing." for name in sorted(wanted.keys() - found.keys())]
    other = [
        f"{name} is not as this release makes it."
        for name in sorted(wanted.keys() & found.keys())
        if wanted[name] != found[name]
    ]
    return missing + other


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    listed = "SELECT name FROM sqlite_master WHERE type = 'table'"
    names = sorted(METADATA.tables.keys() & {name for (name,) in connection.execute(listed)})
    return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608 - our names


def _row_faults(connection: sqlite3.Connection, counts: dict[str, int]) -> list[str]:
    if not counts.keys() >= {"tender", "tender_text"}:
        return []
    questions = {
        "tenders are not in the text index": "SELECT count(*) FROM tender WHERE rid NOT IN (SELECT rid FROM tender_text)",
        "texts belong to no tender": "SELECT count(*) FROM tender_text WHERE rid NOT IN (SELECT rid FROM tender)",
        "tenders have a record that cannot be read": "SELECT count(*) FROM tender WHERE NOT json_valid(record)",
    }
    answers = {text: connection.execute(question).fetchone()[0] for text, question in questions.items()}
    return [f"{count:,} {text}." for text, count in answers.items() if count]


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5, isolation_level=None)


@contextmanager
def _translated(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as trouble:
        raise store_error(trouble, path) or trouble from trouble
