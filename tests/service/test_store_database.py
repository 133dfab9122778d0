"""Opening, refusing, migrating, reading and writing the database file."""

from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from store_builders import notice, opened, records

from workbench.service.store import database as database_module
from workbench.service.store import schema
from workbench.service.store.database import FILE_NAME, Database, driver
from workbench.service.store.failures import StoreBusy, StoreError, StoreFull
from workbench.service.store.importer import apply_items
from workbench.service.store.tenders_tables import organization

ONE = {"id": "1", "slug": "one", "name": "One", "name_at": 1, "is_buyer": 0}


def test_a_new_folder_gets_a_private_database_in_wal_mode(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    database = Database(folder)
    with database.reader() as connection:
        raw = driver(connection)
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert raw.execute("PRAGMA foreign_keys").fetchone() == (1,)
        tables = raw.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'").fetchall()
    assert {name for name, strict in tables if not strict} == {"sqlite_schema", "sqlite_sequence"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600
    database.close()
    database.close()


def test_what_is_written_is_there_after_opening_again(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.writer() as connection:
        connection.execute(insert(organization).values(**ONE))
    database.close()
    again = Database(tmp_path)
    with again.reader() as connection:
        assert connection.execute(select(organization.c.name)).scalars().all() == ["One"]
    again.close()


def test_a_writer_that_raises_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path)

    def fail() -> None:
        with database.writer() as connection:
            connection.execute(insert(organization).values(**ONE))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.reader() as connection:
        assert connection.execute(select(organization)).all() == []
    database.close()


def test_a_reader_sees_one_moment_while_a_writer_commits(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.reader() as reading:
        assert reading.execute(select(organization)).all() == []
        with database.writer() as writing:
            writing.execute(insert(organization).values(**ONE))
        assert reading.execute(select(organization)).all() == []
    with database.reader() as reading:
        assert len(reading.execute(select(organization)).all()) == 1
    database.close()


def test_writers_of_one_process_wait_for_each_other(tmp_path: Path) -> None:
    database = Database(tmp_path)

    def add(number: int) -> None:
        with database.writer() as connection:
            connection.execute(insert(organization).values(**ONE | {"id": str(number), "slug": str(number)}))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.reader() as connection:
        assert len(connection.execute(select(organization)).all()) == 12
    database.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with pytest.raises(StoreError), database.reader() as connection:
        connection.execute(insert(organization).values(**ONE))
    database.close()


def test_a_broken_constraint_is_the_callers_own(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with pytest.raises(IntegrityError), database.writer() as connection:
        connection.execute(insert(organization), [ONE, ONE])
    database.close()


def test_another_program_that_writes_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0)
    database = Database(tmp_path)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="another program"), database.writer():
        pass
    other.execute("ROLLBACK")
    other.close()
    database.close()


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    database = opened(tmp_path, [notice(1)])
    with database.writer() as connection:
        pages = driver(connection).execute("PRAGMA page_count").fetchone()[0]
        driver(connection).execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFull, match="full"):
        apply_items(database, [notice(number, description="long " * 5_000) for number in range(2, 50)])
    assert len(records(database)) == 1
    with database.writer() as connection:
        driver(connection).execute("PRAGMA max_page_count = 1000000")
    apply_items(database, [notice(2)])
    assert len(records(database)) == 2
    database.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    with pytest.raises(StoreError, match="is a file, not a folder"):
        Database(file)
    with pytest.raises(StoreError, match="cannot be made"):
        Database(file / "below")


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        Database(tmp_path)


def test_a_read_only_database_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(tmp_path).close()

    def read_only(path: Path, *, query_only: bool = False) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)

    monkeypatch.setattr(database_module, "connect", read_only)
    database = Database(tmp_path)
    with pytest.raises(StoreError, match="read-only"), database.writer() as connection:
        connection.execute(insert(organization).values(**ONE))
    database.close()


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text("<html>an error page, long enough to be read as a header of something</html>" * 30)
    before = file.read_bytes()
    with pytest.raises(StoreError, match="not a database of the workbench"):
        Database(tmp_path)
    assert file.read_bytes() == before


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("CREATE TABLE theirs(a)")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="another program"):
        Database(tmp_path)


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    Database(tmp_path).close()
    newer = sqlite3.connect(tmp_path / FILE_NAME)
    newer.execute(f"PRAGMA user_version = {schema.newest_version() + 1}")
    newer.close()
    with pytest.raises(StoreError, match="newer release"):
        Database(tmp_path)


def test_an_older_database_is_backed_up_then_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = opened(tmp_path, [notice(1)])
    before = records(database)
    database.close()

    def add_table(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE later(a INTEGER) STRICT")

    monkeypatch.setitem(schema.MIGRATIONS, schema.newest_version(), add_table)
    migrated = Database(tmp_path)
    with migrated.reader() as connection:
        assert driver(connection).execute("SELECT count(*) FROM later").fetchone() == (0,)
    assert records(migrated) == before
    migrated.close()
    (backup,) = tmp_path.glob("*.backup.sqlite3")
    copy = sqlite3.connect(backup)
    assert copy.execute("PRAGMA user_version").fetchone() == (schema.newest_version() - 1,)
    assert copy.execute("SELECT count(*) FROM tender").fetchone() == (1,)
    copy.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = opened(tmp_path, [notice(1)])
    before = records(database)
    database.close()

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE award")
        raise sqlite3.OperationalError("the disk went away")

    with monkeypatch.context() as patched:
        patched.setitem(schema.MIGRATIONS, schema.newest_version(), fail)
        with pytest.raises(StoreError, match="the disk went away"):
            Database(tmp_path)
    again = Database(tmp_path)
    assert records(again) == before
    again.close()


def test_two_that_open_an_empty_folder_at_once_both_can(tmp_path: Path) -> None:
    made: list[Database] = []
    threads = [threading.Thread(target=lambda: made.append(Database(tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    for database in made:
        database.close()
