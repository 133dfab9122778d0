"""`workbench local import`: the report, the exit code, and what is said of files that are no feeds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from command_line import Run

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:cac="urn:dgpe:names:draft:codice:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:dgpe:names:draft:codice:schema:xsd:CommonBasicComponents-2"
 xmlns:ext="urn:dgpe:names:draft:codice-place-ext:schema:xsd:CommonAggregateComponents-2"
 xmlns:ebc="urn:dgpe:names:draft:codice-place-ext:schema:xsd:CommonBasicComponents-2">
 <updated>2026-01-02T00:00:00.000+01:00</updated>
 {entries}
</feed>"""
ENTRY = """<entry><id>https://example.org/tender/{number}</id><title>Obras {number}</title>
 <updated>2026-01-0{day}T00:00:00.000+01:00</updated>
 <ext:ContractFolderStatus><cbc:ContractFolderID>E-{number}</cbc:ContractFolderID>
  <ebc:ContractFolderStatusCode>PUB</ebc:ContractFolderStatusCode>
  <cac:ProcurementProject><cbc:Name>Obras {number}</cbc:Name></cac:ProcurementProject>
 </ext:ContractFolderStatus></entry>"""


def feed(*numbers: int, day: int = 1) -> str:
    return FEED.format(entries="".join(ENTRY.format(number=number, day=day) for number in numbers))


def report(outcome: Any) -> Any:
    return json.loads(outcome.out)


@pytest.fixture
def into(home: Path) -> list[str]:
    return ["--data", str(home / "imported")]


def test_new_unchanged_updated(run: Run, home: Path, into: list[str]) -> None:
    page = home / "page.atom"
    page.write_text(feed(1, 2, 3))
    first = run("local", "import", page, *into)
    assert first.code == 0
    assert "page.atom" in first.out
    assert "3 entries and tombstones read" in first.out
    second = report(run("local", "import", page, "--json", *into))
    assert second["totals"] == {"read": 3, "new": 0, "updated": 0, "unchanged": 3, "withdrawn": 0, "refused": 0}
    page.write_text(feed(2, day=2))
    assert report(run("local", "import", page, "--json", *into))["totals"]["updated"] == 1
    assert len(json.loads(run("search", "obras", "--json", *into).out)) == 3


def test_a_folder_is_all_its_feeds(run: Run, home: Path, into: list[str]) -> None:
    folder = home / "feeds"
    folder.mkdir()
    (folder / "a.atom").write_text(feed(1))
    with zipfile.ZipFile(folder / "b.zip", "w") as archive:
        archive.writestr("one.atom", feed(2))
        archive.writestr("two.atom", feed(3, 4))
    (folder / "read me.txt").write_text("no feed")
    found = report(run("local", "import", folder, "--json", *into))
    assert [Path(file["file"]).name for file in found["files"]] == ["a.atom", "b.zip"]
    assert found["totals"]["new"] == 4


def test_what_cannot_be_read_is_listed_and_the_rest_is_loaded(run: Run, home: Path, into: list[str]) -> None:
    good, page, broken = home / "good.atom", home / "error.atom", home / "cut.zip"
    good.write_text(feed(1, 2))
    page.write_text("<!DOCTYPE html><html><body><h1>503</h1></body></html>")
    with zipfile.ZipFile(home / "whole.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.atom", feed(*range(100)))
    broken.write_bytes((home / "whole.zip").read_bytes()[:-60])
    outcome = run("local", "import", page, broken, good, *into)
    assert outcome.code == 1
    assert "2 refused:" in outcome.out
    assert "error.atom: This is a web page" in outcome.out
    assert "cut.zip: " in outcome.out
    assert "Total" in outcome.out
    found = report(run("local", "import", page, broken, good, "--json", *into))
    assert [refusal["file"] for refusal in found["refusals"]] == ["error.atom", "cut.zip"]
    assert all(refusal["reason"].endswith(".") for refusal in found["refusals"])
    assert (found["totals"]["refused"], found["totals"]["unchanged"], found["interrupted"]) == (2, 2, False)


def test_a_broken_entry_is_refused_and_does_not_fail_the_import(run: Run, home: Path, into: list[str]) -> None:
    page = home / "page.atom"
    page.write_text(feed(1, 2, 3).replace("<id>https://example.org/tender/2</id>", ""))
    outcome = run("local", "import", page, *into)
    assert outcome.code == 0
    assert "1 refused:" in outcome.out
    assert "page.atom entry 2: " in outcome.out


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.zip", None, "missing.zip"),
        ("empty.atom", b"", "empty"),
        ("page.atom", b"<html><head><title>403</title></head></html>", "web page"),
        ("text.xml", b"just words", "neither an ATOM feed nor a zip"),
        ("cut.zip", b"PK\x03\x04" + b"\0" * 40, "zip"),
        (
            "entities.atom",
            b'<!DOCTYPE feed [<!ENTITY a "b">]><feed xmlns="http://www.w3.org/2005/Atom"><title>&a;</title></feed>',
            "",
        ),
    ],
)
def test_a_file_that_is_no_feed_is_one_sentence_and_exit_code_1(
    run: Run, home: Path, into: list[str], name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (home / name).write_bytes(content)
    outcome = run("local", "import", home / name, *into)
    assert outcome.code == 1
    assert words in outcome.out + outcome.err
    assert "Traceback" not in outcome.err


def test_a_folder_without_feeds_and_a_folder_that_cannot_be(run: Run, home: Path) -> None:
    empty = home / "empty"
    empty.mkdir()
    outcome = run("local", "import", empty, "--data", home / "data")
    assert (outcome.code, outcome.out) == (1, "")
    assert "holds no feed" in outcome.err
    page = home / "page.atom"
    page.write_text(feed(1))
    blocked = run("local", "import", page, "--data", page)
    assert blocked.code == 1
    assert "is a file, not a folder" in blocked.err


def test_ctrl_c_stops_cleanly_and_repeating_finishes(run: Run, home: Path, into: list[str]) -> None:
    pages = home / "pages"
    pages.mkdir()
    for number in range(40):
        (pages / f"page{number:02}.atom").write_text(feed(*range(number * 250, number * 250 + 250)))
    line = [sys.executable, "-m", "workbench", "local", "import", str(pages), "--json", *into]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    assert process.stderr is not None
    process.stderr.readline()  # the first line about progress: the import is under way
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    stopped = json.loads(out)
    assert (process.returncode, stopped["interrupted"]) == (130, True)
    assert "Repeat the command to go on" in err
    assert "Traceback" not in err
    assert 0 < stopped["totals"]["new"] < 10_000
    rest = report(run("local", "import", pages, "--json", *into))
    assert rest["totals"]["new"] == 10_000 - stopped["totals"]["new"]
    assert report(run("local", "stats", "--json", *into))["tenders"] == 10_000


@pytest.mark.slow
def test_real_files(run: Run, shared_data: Path, into: list[str]) -> None:
    files = sorted((shared_data / "placsp").glob("*.[za][it]*"))
    first = report(run("local", "import", *files, "--json", *into))
    totals = first["totals"]
    assert totals["read"] == totals["new"] + totals["updated"] + totals["unchanged"] + totals["withdrawn"] + totals["refused"]
    assert totals["new"] > 3000
    again = report(run("local", "import", *files, "--json", *into))
    assert (again["totals"]["new"], again["totals"]["updated"], again["totals"]["withdrawn"]) == (0, 0, 0)
    assert again["totals"]["unchanged"] == totals["read"] - totals["refused"]


def test_real_data_does_not_go_into_the_sample(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = home / "page.atom"
    page.write_text(feed(1))
    assert run("local", "import", page, "--profile", "sample").code == 2
    monkeypatch.setenv("WORKBENCH_PROFILE", "sample")
    refused = run("local", "import", page)
    assert (refused.code, refused.out) == (2, "")
    assert "invented" in refused.err
    monkeypatch.setenv("WORKBENCH_PROFILE", "local")
    assert run("local", "import", page).code == 0
    assert (home / "data" / "local" / "workbench.sqlite3").exists()
