"""An import that is killed or stopped, and then repeated, ends with the rows of one that went through at once."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from store_builders import clock, dump, notice, opened, records

from workbench.feeds.notice import Refused
from workbench.service.store import importer
from workbench.service.store.database import Database, driver
from workbench.service.store.failures import StoreError
from workbench.service.store.importer import ImportProgress, apply_items, import_paths

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from workbench.service.store import batch, importer
from workbench.service.store.database import Database

folder, data, place, count = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
importer.BATCH = 150
calls = 0
owner = importer._Course if place in ("_prepared", "tell") else batch._Batch
original = getattr(owner, place)

def killing(self, *args, **kwargs):
    global calls
    calls += 1
    outcome = original(self, *args, **kwargs)
    if calls == count:
        os.kill(os.getpid(), signal.SIGKILL)
    return outcome

setattr(owner, place, killing)
importer.import_paths(Database(folder), [data])
"""

KILLS = [
    ("_put_in", 1),
    ("_put_in", 9),
    ("write", 14),
    ("_write_parts", 3),
    ("_take_out", 20),
    ("_prepared", 3_333),
    ("tell", 40),
]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> dict[str, list[tuple[object, ...]]]:
    database = Database(tmp_path_factory.mktemp("clean"), clock=clock)
    import_paths(database, [shared_data / "placsp"])
    found = dump(database)
    database.close()
    return found


@pytest.mark.parametrize(("place", "count"), KILLS)
def test_killed_in_the_middle_and_repeated_gives_the_same_rows(
    tmp_path: Path, shared_data: Path, clean: dict[str, list[tuple[object, ...]]], place: str, count: int
) -> None:
    command = [sys.executable, "-c", KILLED_AT, tmp_path, shared_data / "placsp", place, str(count)]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    database = Database(tmp_path, clock=clock)
    assert dump(database)["tender"] != clean["tender"]
    import_paths(database, [shared_data / "placsp"])
    assert dump(database) == clean
    database.close()


def test_killed_again_and_again_gives_the_same_rows(
    tmp_path: Path, shared_data: Path, clean: dict[str, list[tuple[object, ...]]]
) -> None:
    for count in (2, 5, 8, 11):
        command = [sys.executable, "-c", KILLED_AT, tmp_path, shared_data / "placsp", "_put_in", str(count)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGKILL
    database = Database(tmp_path, clock=clock)
    import_paths(database, [shared_data / "placsp"])
    assert dump(database) == clean
    database.close()


def test_a_stopped_import_keeps_what_it_loaded_and_says_so(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch, clean: dict[str, list[tuple[object, ...]]]
) -> None:
    monkeypatch.setattr(importer, "BATCH", 200)
    database = Database(tmp_path, clock=clock)
    asked = iter([False, False, True])
    report = import_paths(database, [shared_data / "placsp"], cancelled=lambda: next(asked))
    assert report.interrupted
    assert report.read == 600
    assert len(records(database)) == report.new > 0
    with database.reader() as connection:
        assert driver(connection).execute("SELECT entries + tombstones, finished_at FROM import_file").fetchall() == [
            (600, None)
        ]
    again = import_paths(database, [shared_data / "placsp"])
    assert not again.interrupted
    assert again.new + report.new == len(clean["tender"])
    assert dump(database) == clean
    database.close()


def test_a_failure_of_the_disk_ends_the_import_with_what_was_loaded(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch, clean: dict[str, list[tuple[object, ...]]]
) -> None:
    monkeypatch.setattr(importer, "BATCH", 200)
    database = Database(tmp_path, clock=clock)
    with database.writer() as connection:
        driver(connection).execute("PRAGMA max_page_count = 400")
    with pytest.raises(StoreError, match="full"):
        import_paths(database, [shared_data / "placsp"])
    with database.writer() as connection:
        driver(connection).execute("PRAGMA max_page_count = 1000000")
    loaded = len(records(database))
    assert 0 < loaded < len(clean["tender"])
    import_paths(database, [shared_data / "placsp"])
    assert dump(database) == clean
    database.close()


def test_progress_rises_to_the_end_and_is_not_told_too_often(tmp_path: Path, shared_data: Path) -> None:
    told: list[ImportProgress] = []
    database = Database(tmp_path)
    report = import_paths(database, [shared_data / "placsp"], progress=told.append)
    sizes = [path.stat().st_size for path in (shared_data / "placsp").glob("Plataformas*")]
    done = [one.bytes_done for one in told]
    assert done == sorted(done)
    assert (told[-1].bytes_done, told[-1].bytes_total, told[-1].items) == (sum(sizes), sum(sizes), report.read)
    gaps = [after.seconds - before.seconds for before, after in itertools.pairwise(told[:-1])]
    assert all(gap >= importer.PROGRESS_INTERVAL for gap in gaps)
    database.close()


def test_what_cannot_be_read_is_counted_and_told_and_stops_nothing(tmp_path: Path, shared_data: Path) -> None:
    page = tmp_path / "page.atom"
    page.write_text("<html><body>Service unavailable</body></html>")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(next((shared_data / "placsp").glob("*2021.zip")).read_bytes()[:40_000])
    whole = next((shared_data / "placsp").glob("*.atom"))
    database = Database(tmp_path / "data")
    report = import_paths(database, [page, cut, whole])
    assert report.files[0].refused == 1
    assert report.files[1].refused >= 1
    assert report.files[2].refused == 0
    assert report.files[2].unique_ids == report.new > 0
    assert {refused.origin.file for refused in report.refusals} == {"page.atom", "cut.zip"}
    assert all(isinstance(refused, Refused) and refused.reason for refused in report.refusals)
    database.close()


def test_an_entry_that_cannot_be_stored_is_refused_and_the_others_are_kept(tmp_path: Path) -> None:
    database = opened(tmp_path)
    report = apply_items(database, [notice(1), notice(2, name="half a letter \ud800"), notice(3)])
    assert (report.new, report.refused, report.entries) == (2, 1, 2)
    assert "cannot be stored" in report.refusals[0].reason
    assert report.refusals[0].source_id == "https://example.org/notices/2"
    database.close()
