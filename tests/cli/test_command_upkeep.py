"""``workbench local backup|restore|check|migrate`` and ``local summaries``: what a person types and reads."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import Run
from loopback_source import answer, source

from workbench.service.document_cache import FOLDER_NAME
from workbench.service.store.database import FILE_NAME, Database

VERSION_1 = Path(__file__).resolve().parents[1] / "service" / "data" / "version_1.sql"


def old_data(folder: Path) -> Path:
    """The data of the first release, with an opportunity and four summaries."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE_NAME)) as raw:
        raw.executescript(VERSION_1.read_text(encoding="utf-8"))
        raw.execute("INSERT INTO tender_fts(tender_fts) VALUES('rebuild')")
        raw.commit()
    return folder


def test_data_is_copied_lost_and_put_back(run: Run, tmp_path: Path) -> None:
    data, copy = old_data(tmp_path / "data"), tmp_path / "copy.sqlite3"
    made = run("local", "backup", copy, "--data", data)
    assert (made.code, copy.exists()) == (0, True)
    assert f"Copied the data to {copy}" in made.out
    assert run("local", "backup", copy, "--data", data).code == 1
    assert json.loads(run("local", "backup", copy, "--data", data, "--overwrite", "--json").out)["path"] == str(copy)
    assert run("local", "reset", "--data", data, "--yes").code == 0
    restored = run("local", "restore", copy, "--data", data)
    assert (restored.code, restored.err) == (0, "")
    assert json.loads(run("local", "stats", "--data", data, "--json").out)["tenders"] == 3
    again = run("local", "restore", copy, "--data", data)
    assert (again.code, "add --yes" in again.err) == (2, True)
    again = run("local", "restore", copy, "--data", data, "--yes")
    assert "before-restore" in again.err


def test_nothing_is_put_back_over_data_in_use(run: Run, tmp_path: Path) -> None:
    data, copy = old_data(tmp_path / "data"), tmp_path / "copy.sqlite3"
    run("local", "backup", copy, "--data", data)
    database = Database(data)
    with database.reader() as connection:
        connection.exec_driver_sql("SELECT 1").scalar()
    refused = run("local", "restore", copy, "--data", data, "--yes")
    database.close()
    assert (refused.code, refused.out) == (1, "")
    assert "Another program uses the data" in refused.err


def test_old_data_is_brought_up_to_date_and_checked(run: Run, tmp_path: Path) -> None:
    data = old_data(tmp_path / "data")
    done = run("local", "migrate", "--data", data)
    assert done.out.startswith("Brought the data from version 1 to version ")
    assert "is up to date already" in run("local", "migrate", "--data", data).out
    found = run("local", "check", "--data", data)
    assert (found.code, found.out.splitlines()[-1]) == (0, "The data is sound.")
    with closing(sqlite3.connect(data / FILE_NAME)) as raw:
        raw.execute("UPDATE tender SET record = '{'")
        raw.commit()
    found = run("local", "check", "--data", data)
    assert found.code == 1
    assert "- 3 tenders have a record that cannot be read." in found.out
    assert json.loads(run("local", "check", "--data", data, "--json").out)["problems"] != []


@pytest.mark.parametrize("command", ["backup", "check", "migrate"])
def test_without_data_each_says_so_and_makes_none(run: Run, tmp_path: Path, command: str) -> None:
    outcome = run("local", command, "--data", tmp_path / "none")
    assert (outcome.code, "There is no data" in outcome.err) == (1, True)
    assert not (tmp_path / "none").exists()


def test_summaries_that_wait_are_written(run: Run, tmp_path: Path) -> None:
    data = old_data(tmp_path / "data")
    done = run("local", "summaries", "run", "--data", data)
    assert (done.code, done.out) == (0, "Obra: Summary written.\n" * 2)
    assert run("local", "summaries", "run", "--data", data).out == "No summary waits to be written.\n"
    asked = json.loads(run("local", "summaries", "add", "o1", "--name", "Second", "--data", data, "--json").out)
    report = json.loads(run("local", "summaries", "run", "--data", data, "--json").out)
    assert report == {
        "outcomes": [{"summaryId": asked["id"], "name": "Second", "opportunity": "Obra", "failure": None}],
        "elsewhere": False,
    }
    assert run("local", "summaries", "retry", "y3", "--data", data).code == 0
    assert run("local", "summaries", "retry", "y2", "--data", data).code == 2
    assert "has no opportunity 'nobody'" in run("local", "summaries", "add", "nobody", "--data", data).err


def test_a_language_model_is_asked_where_one_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = old_data(tmp_path / "data")
    with source() as endpoint:
        body = json.dumps({"choices": [{"message": {"content": "# Model"}, "finish_reason": "stop"}]}).encode()
        endpoint.gives(answer(body=body), answer("500 Internal Server Error"))
        monkeypatch.setenv("WORKBENCH_SUMMARY_KEY", "sk-secret")
        done = run("local", "summaries", "run", "--url", endpoint.url("/v1"), "--model", "m", "--data", data)
        assert endpoint.asked[0][1]["authorization"] == "Bearer sk-secret"
    assert done.code == 1
    assert sorted(done.out.splitlines()) == [
        "Obra: Summary failed. The summary writer failed: 127.0.0.1 answered 500.",
        "Obra: Summary written.",
    ]
    wrong = run("local", "summaries", "run", "--url", "http://example.org", "--model", "m", "--data", data)
    assert (wrong.code, "in clear" in wrong.err, "sk-secret" in wrong.err) == (2, True, False)


def test_a_fresh_start_takes_the_fetched_documents_along_and_nothing_else(run: Run, tmp_path: Path) -> None:
    data = old_data(tmp_path / "data")
    cache = data / FOLDER_NAME
    cache.mkdir()
    (cache / f"{'a' * 32}.body").write_bytes(b"x")
    (data / "mine.txt").write_text("mine")
    assert run("local", "reset", "--data", data, "--yes").code == 0
    assert [path.name for path in data.iterdir()] == ["mine.txt"]
