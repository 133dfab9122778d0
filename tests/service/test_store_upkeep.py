"""Backup, restore, check and migrations of the database file."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from store_builders import clock, notice, opened, records

from workbench.service.store import upkeep
from workbench.service.store.database import FILE_NAME, Database
from workbench.service.store.failures import StoreError
from workbench.service.store.importer import apply_items
from workbench.service.store.schema import FIRST_VERSION, fresh_shape, newest_version, shape_of

RELEASED = sorted(Path(__file__).with_name("data").glob("version_*.sql"))


def load(text: str, folder: Path) -> Path:
    """The database of a dump, as it was when its release wrote it."""
    folder.mkdir(exist_ok=True)
    path = folder / FILE_NAME
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(text)
        raw.execute("INSERT INTO tender_fts(tender_fts) VALUES('rebuild')")
        raw.commit()
    return path


def rows(path: Path) -> dict[str, list[str]]:
    """Every row of every table that is not the text index's own, as text."""
    with closing(sqlite3.connect(path)) as raw:
        listed = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables = [name for (name,) in raw.execute(listed)]
        return {name: sorted(map(repr, raw.execute(f'SELECT * FROM "{name}"'))) for name in tables}


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[tuple[Database, Path]]:
    folder = tmp_path / "data"
    database = opened(folder, [notice(number) for number in range(1, 30)])
    yield database, folder
    database.close()


def test_every_released_version_has_its_dump() -> None:
    assert [path.stem for path in RELEASED] == [f"version_{number}" for number in range(FIRST_VERSION, newest_version())]


@pytest.mark.parametrize("dump", RELEASED, ids=lambda path: path.stem)
def test_an_older_file_becomes_what_a_new_one_is_and_keeps_every_row(dump: Path, tmp_path: Path) -> None:
    path = load(dump.read_text(encoding="utf-8"), tmp_path / "data")
    before = rows(path)
    assert all(before[table] for table in ("tender", "alert", "summary", "task", "opportunity", "api_key", "service_secret"))
    done = upkeep.migrate(tmp_path / "data")
    assert (done.before, done.after) == (int(dump.stem.rpartition("_")[2]), newest_version())
    with closing(sqlite3.connect(path)) as raw:
        assert shape_of(raw) == fresh_shape()
        assert raw.execute("PRAGMA user_version").fetchone() == (newest_version(),)
    after = rows(path)
    assert {table: after[table] for table in before} == before
    assert all(after[table] == [] for table in after.keys() - before.keys())
    found = upkeep.check(tmp_path / "data")
    assert found.problems == ()
    assert done.backup is not None
    assert rows(done.backup) == before
    assert upkeep.migrate(tmp_path / "data") == upkeep.Migrated(newest_version(), newest_version(), None)


@pytest.mark.parametrize("dump", RELEASED, ids=lambda path: path.stem)
def test_an_older_file_is_searched_and_imported_into_after_it_was_brought_up_to_date(dump: Path, tmp_path: Path) -> None:
    load(dump.read_text(encoding="utf-8"), tmp_path)
    database = Database(tmp_path, clock=clock)
    assert len(records(database)) == 3
    report = apply_items(database, [notice(1, version=5, name="Obra cambiada"), notice(9)])
    assert (report.updated, report.new) == (1, 1)
    database.close()
    assert upkeep.check(tmp_path).problems == ()


def test_a_copy_is_taken_while_others_write_and_holds_one_moment(filled: tuple[Database, Path], tmp_path: Path) -> None:
    database, folder = filled
    stop = threading.Event()
    written: list[int] = []

    def write() -> None:
        number = 100
        while not stop.is_set():
            # Two at once: a copy that holds one of them without the other would be torn.
            apply_items(database, [notice(number), notice(number + 1)])
            written.append(number)
            number += 2

    thread = threading.Thread(target=write)
    thread.start()
    told: list[tuple[int, int]] = []
    copies = [
        upkeep.back_up(folder, tmp_path / f"copy-{number}.sqlite3", progress=lambda *at: told.append(at)) for number in range(5)
    ]
    stop.set()
    thread.join()
    assert told
    assert all(done <= total for done, total in told)
    for copy in copies:
        assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600
        with closing(sqlite3.connect(copy.path)) as raw:
            assert raw.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            (count,) = raw.execute("SELECT count(*) FROM tender").fetchone()
        assert (count - 29) % 2 == 0
    assert [path.name for path in tmp_path.glob("*.partial")] == []
    assert written


def test_a_copy_is_named_by_the_time_and_replaces_nothing_unasked(filled: tuple[Database, Path], tmp_path: Path) -> None:
    _, folder = filled
    made = upkeep.back_up(folder, tmp_path)
    assert made.path.parent == tmp_path
    assert (made.size, made.version) == (made.path.stat().st_size, newest_version())
    with pytest.raises(StoreError, match="exists already"):
        upkeep.back_up(folder, made.path)
    assert upkeep.back_up(folder, made.path, overwrite=True).path == made.path
    with pytest.raises(StoreError, match="is the database itself"):
        upkeep.back_up(folder, folder / FILE_NAME, overwrite=True)
    with pytest.raises(StoreError, match=r"cannot be written|cannot be opened"):
        upkeep.back_up(folder, tmp_path / "nowhere" / "copy.sqlite3")
    with pytest.raises(StoreError, match="There is no data"):
        upkeep.back_up(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_a_copy_put_back_is_the_data_as_it_was(filled: tuple[Database, Path], tmp_path: Path) -> None:
    database, folder = filled
    copy = upkeep.back_up(folder, tmp_path / "copy.sqlite3").path
    then = rows(copy)
    apply_items(database, [notice(99)])
    later = rows(database.path)
    database.close()
    done = upkeep.restore(folder, copy)
    assert rows(folder / FILE_NAME) == then
    assert done.before is not None
    assert rows(done.before) == later
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600
    assert upkeep.check(folder).problems == ()
    assert upkeep.restore(folder, done.before).version == newest_version()
    assert rows(folder / FILE_NAME) == later


def test_a_copy_makes_a_new_folder_and_an_old_one_is_brought_up_to_date(filled: tuple[Database, Path], tmp_path: Path) -> None:
    _, folder = filled
    copy = upkeep.back_up(folder, tmp_path / "copy.sqlite3").path
    assert upkeep.restore(tmp_path / "new" / "place", copy).before is None
    assert rows(tmp_path / "new" / "place" / FILE_NAME) == rows(copy)
    old = load(RELEASED[0].read_text(encoding="utf-8"), tmp_path / "old")
    assert upkeep.restore(tmp_path / "another", old).version == 1
    with closing(sqlite3.connect(tmp_path / "another" / FILE_NAME)) as raw:
        assert shape_of(raw) == fresh_shape()


def test_nothing_is_put_back_over_data_in_use(filled: tuple[Database, Path], tmp_path: Path) -> None:
    database, folder = filled
    copy = upkeep.back_up(folder, tmp_path / "copy.sqlite3").path
    with database.reader() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM tender").scalar()
    before = rows(folder / FILE_NAME)
    with pytest.raises(StoreError, match="Another program uses"):
        upkeep.restore(folder, copy)
    assert rows(folder / FILE_NAME) == before
    assert len(records(database)) == 29


def test_what_is_no_sound_copy_is_refused_and_the_data_stays(filled: tuple[Database, Path], tmp_path: Path) -> None:
    database, folder = filled
    copy = upkeep.back_up(folder, tmp_path / "copy.sqlite3").path
    database.close()
    before = rows(folder / FILE_NAME)
    text = tmp_path / "text.sqlite3"
    text.write_text("<html>no database at all, but long enough to look like one</html>" * 99)
    other = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(other)) as raw:
        raw.execute("CREATE TABLE theirs(a)")
        raw.commit()
    newer = tmp_path / "newer.sqlite3"
    newer.write_bytes(copy.read_bytes())
    with closing(sqlite3.connect(newer)) as raw:
        raw.execute(f"PRAGMA user_version = {newest_version() + 1}")
    torn = tmp_path / "torn.sqlite3"
    torn.write_bytes(copy.read_bytes()[:-50_000])
    wrong = tmp_path / "wrong.sqlite3"
    data = bytearray(copy.read_bytes())
    data[8192 * 20 : 8192 * 21] = b"\xff" * 8192
    wrong.write_bytes(data)
    for source, words in (
        (tmp_path / "none.sqlite3", "There is no file"),
        (folder / FILE_NAME, "is the database itself"),
        (text, "not a database|no database"),
        (other, "no database of the workbench"),
        (newer, "newer release"),
        (torn, "damaged"),
        (wrong, "damaged"),
    ):
        with pytest.raises(StoreError, match=words):
            upkeep.restore(folder, source)
    assert rows(folder / FILE_NAME) == before


def test_another_programs_file_in_the_place_is_left_alone(filled: tuple[Database, Path], tmp_path: Path) -> None:
    _, folder = filled
    copy = upkeep.back_up(folder, tmp_path / "copy.sqlite3").path
    place = tmp_path / "place"
    place.mkdir()
    with closing(sqlite3.connect(place / FILE_NAME)) as raw:
        raw.execute("CREATE TABLE theirs(a)")
        raw.commit()
    with pytest.raises(StoreError, match="no database of the workbench"):
        upkeep.restore(place, copy)
    with closing(sqlite3.connect(place / FILE_NAME)) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_a_damaged_database_is_put_aside_for_the_copy(filled: tuple[Database, Path], tmp_path: Path) -> None:
    database, folder = filled
    copy = upkeep.back_up(folder, tmp_path / "copy.sqlite3").path
    database.close()
    (folder / FILE_NAME).write_bytes(b"broken by a disk " * 9_000)
    assert "damaged" in upkeep.check(folder).problems[0]
    done = upkeep.restore(folder, copy)
    assert rows(folder / FILE_NAME) == rows(copy)
    assert done.before is not None
    assert done.before.read_bytes().startswith(b"broken by a disk")


def harmed(folder: Path, *statements: str) -> upkeep.Checked:
    with closing(sqlite3.connect(folder / FILE_NAME)) as raw:
        for statement in statements:
            raw.execute(statement)
        raw.commit()
    return upkeep.check(folder)


def test_a_sound_database_has_no_problems_and_is_checked_while_it_is_in_use(filled: tuple[Database, Path]) -> None:
    database, folder = filled
    before = rows(folder / FILE_NAME)
    found = upkeep.check(folder)
    assert (found.problems, found.version, found.counts["tender"]) == ((), newest_version(), 29)
    assert rows(folder / FILE_NAME) == before
    apply_items(database, [notice(77)])
    assert upkeep.check(folder).counts["tender"] == 30


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            ("DELETE FROM tender_fts_docsize WHERE id IN (SELECT id FROM tender_fts_docsize LIMIT 1)",),
            "text index does not fit",
        ),
        (("UPDATE tender_text SET title = 'otra cosa'",), "text index does not fit"),
        (("UPDATE tender SET buyer_id = 'nobody'",), "29 rows of tender refer to rows of organization"),
        (("UPDATE tender SET record = '{'",), "29 tenders have a record that cannot be read"),
        (("DROP INDEX tender_by_deadline",), "index tender_by_deadline is missing"),
        (("DROP TABLE summary_attempt",), "table summary_attempt is missing"),
        (("DROP TRIGGER workspace_history_keeps_rows",), "trigger workspace_history_keeps_rows is missing"),
        (("ALTER TABLE task ADD COLUMN mine TEXT",), "table task is not as this release makes it"),
    ],
)
def test_what_is_wrong_is_named(filled: tuple[Database, Path], statements: tuple[str, ...], words: str) -> None:
    database, folder = filled
    database.close()
    problems = harmed(folder, *statements).problems
    assert any(words in problem for problem in problems), problems
    assert all(problem.endswith(".") for problem in problems)
