"""The command end to end on the sample workspace: the embedded service answers, in this process and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, Run, no_controls

import workbench
from workbench.cli import main, serve

COMMAND = [sys.executable, "-m", "workbench"]


@pytest.fixture
def on_sample(run: Run, sample_folder: Path) -> Run:
    """The command on the sample workspace."""

    def run_line(*argv: str | Path) -> Outcome:
        return run("--data", sample_folder, *argv)

    return run_line


def found(outcome: Outcome) -> Any:
    assert (outcome.code, outcome.err) == (0, "")
    return json.loads(outcome.out)


SEARCHES: tuple[tuple[list[str], dict[str, Any]], ...] = (
    (["conservación", "carretera", "--min-budget", "100000"], {"text": "conservación carretera", "min_budget": 100_000}),
    (
        ["servicio OR servei", "--status", "Formalizada", "--location", "province/08", "--min-budget", "10000"],
        {"text": "servicio OR servei", "status": ["Formalizada"], "locations": ["province/08"], "min_budget": 10_000},
    ),
    (
        ["--cpv", "45000000", "--sort", "by-budget", "--ascending"],
        {"cpvs": ["45000000-7"], "sort": "by-budget", "is_descendent": False},
    ),
    (["limpieza OR obras", "--only-within-deadline"], {"text": "limpieza OR obras", "is_only_within_deadline": True}),
    (["--sort", "by-due-date", "--status", "Publicada"], {"sort": "by-due-date", "status": ["Publicada"]}),
)


@pytest.mark.requirement("TND-1")
@pytest.mark.requirement("TND-5")
@pytest.mark.requirement("TND-7")
@pytest.mark.requirement("TND-8")
@pytest.mark.parametrize(("line", "filters"), SEARCHES)
def test_the_command_and_python_give_the_same_tenders_in_the_same_order(
    on_sample: Run, sample_folder: Path, line: list[str], filters: dict[str, Any]
) -> None:
    records = found(on_sample("search", *line, "--all", "--json"))
    with workbench.connect("local", data=sample_folder) as client:
        assert records == [tender.to_wire() for tender in client.tenders.iterate(**filters)]
        first_page = [tender.to_wire() for tender in client.tenders.search(**filters)]
    assert records
    assert records[:20] == first_page
    assert found(on_sample("search", *line, "--limit", "3", "--json")) == records[:3]
    shown = on_sample("search", *line, "--limit", "3").out
    assert [shown.index(record["id"]) for record in records[:3]] == sorted(shown.index(record["id"]) for record in records[:3])


def test_exports_hold_what_the_json_holds(on_sample: Run, home: Path) -> None:
    from pyarrow import parquet

    records = found(on_sample("search", "--limit", "200", "--json"))
    assert on_sample("search", "--limit", "200", "-o", home / "all.parquet").code == 0
    table = parquet.read_table(home / "all.parquet").to_pylist()
    assert [row["id"] for row in table] == [record["id"] for record in records]
    assert [row["budgetNoTaxes"] for row in table] == [record["budgetNoTaxes"] for record in records]
    assert on_sample("search", "--limit", "200", "-o", home / "all.csv").err == f"200 tenders in {home / 'all.csv'}.\n"


@pytest.mark.requirement("TND-15")
@pytest.mark.requirement("TND-16")
def test_a_tender_its_documents_its_buyer(on_sample: Run, home: Path) -> None:
    tender = next(
        one
        for one in found(on_sample("search", "--limit", "60", "--json"))
        if found(on_sample("tender", one["id"], "--sheets", "--json"))
    )
    assert found(on_sample("tender", tender["id"], "--json")) == tender
    shown = on_sample("tender", tender["id"]).out
    assert tender["id"] in shown
    assert no_controls(shown)
    sheets = found(on_sample("tender", tender["id"], "--sheets", "--json"))
    listed = on_sample("tender", tender["id"], "--sheets").out
    assert all(sheet["id"][:20] in listed for sheet in sheets)
    buyer = tender["contractingOrganizationId"]
    organization = found(on_sample("org", buyer, "--json"))
    assert found(on_sample("org", organization["slug"], "--json")) == organization
    assert organization["name"][:20] in on_sample("org", buyer).out
    awards = found(on_sample("awards", buyer, "--json"))
    assert awards["organizationId"] == buyer
    assert found(on_sample("awards", buyer, organization["slug"], "--json")) == [awards, awards]
    assert on_sample("awards", buyer).code == 0


@pytest.mark.requirement("TND-17")
def test_documents_are_saved_and_nothing_is_overwritten(on_sample: Run, home: Path) -> None:
    tender = next(
        one["id"]
        for one in found(on_sample("search", "--limit", "60", "--json"))
        if any(sheet["size"] for sheet in found(on_sample("tender", one["id"], "--sheets", "--json")))
    )
    sheets = [sheet for sheet in found(on_sample("tender", tender, "--sheets", "--json")) if sheet["size"]]
    one = on_sample("download", sheets[0]["id"], "-o", home)
    path = Path(one.out.strip())
    assert (one.code, path.parent) == (0, home)
    assert path.read_bytes().startswith(b"%PDF")
    content = path.read_bytes()
    second = Path(on_sample("download", sheets[0]["id"], "-o", home).out.strip())
    assert second != path
    assert second.read_bytes() == content
    path.write_bytes(b"mine")
    refused = on_sample("download", sheets[0]["id"], "-o", path)
    assert (refused.code, refused.out) == (2, "")
    assert "--overwrite" in refused.err
    assert path.read_bytes() == b"mine"
    assert on_sample("download", sheets[0]["id"], "-o", path, "--overwrite").code == 0
    assert path.read_bytes() == content
    every = on_sample("download", "--tender", tender, "-o", home / "every", "--json")
    saved = json.loads(every.out)
    assert {item["sheetId"] for item in saved} >= {sheets[0]["id"]}
    assert all(Path(item["path"]).stat().st_size == item["size"] for item in saved)
    assert on_sample("download", "nothing", "-o", home).code == 1
    assert on_sample("download").code == 2


def test_cpv_by_code_and_by_words(on_sample: Run, run: Run) -> None:
    by_code = found(on_sample("cpv", "45233120", "--json"))
    assert found(on_sample("cpv", "45233120-6", "--json")) == by_code
    assert by_code["code"].startswith("45233120")
    by_words = json.loads(run("cpv", "construcción", "carreteras", "--json").out)
    assert {"code", "checkDigit", "type", "nameEn", "nameEs", "nameCa", "emoji"} <= by_words[0].keys()
    assert "45233120" in {code["code"] for code in by_words}
    assert run("cpv", "nosuchwordatall").err.startswith("No CPV code")
    assert on_sample("cpv", "12345678").code == 1
    assert "45233120" in on_sample("cpv", "45233120").out


def test_who_calls_and_which_profiles_there_are(on_sample: Run, run: Run, home: Path) -> None:
    caller = found(on_sample("whoami", "--json"))
    assert caller["principal"]["type"] == "apiKey"
    assert caller["account"]["name"] in on_sample("whoami").out
    listed = found(run("profiles", "--json"))
    assert [(one["name"], one["kind"], one["current"]) for one in listed] == [
        ("local", "embedded", True),
        ("sample", "embedded", False),
    ]
    assert listed[1]["data"] == str(home / "data" / "sample")
    assert "* " in run("profiles").out


def test_what_is_not_there_is_refused_in_a_sentence(on_sample: Run, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in (
        ["tender", "x"],
        ["tender", "x", "--sheets"],
        ["org", "x"],
        ["awards", "x"],
        ["search", "--location", "nowhere"],
    ):
        outcome = on_sample(*line)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.endswith(".\n")
    assert run("--profile", "nobody", "whoami").code == 2
    monkeypatch.setenv("WORKBENCH_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WORKBENCH_API_KEY", "wb_of_a_test")
    refused = run("whoami")
    assert refused.code == 3
    assert "wb_of_a_test" not in refused.err
    assert run("local", "stats", "--profile", "environment").code == 2
    assert run("whoami", "--profile", "environment", "--data", ".").code == 2


def test_statistics_and_a_new_beginning(run: Run, home: Path) -> None:
    folder = home / "mine"
    nothing = run("local", "stats", "--data", folder)
    assert (nothing.code, folder.exists()) == (1, False)
    assert "workbench local import" in nothing.err
    made = json.loads(run("local", "sample", "--data", folder, "--json").out)
    counted = found(run("local", "stats", "--data", folder, "--json"))
    assert counted["tenders"] == made["tenders"] == sum(counted["byStatus"].values())
    assert counted["organizations"] == made["organizations"]
    assert f"{counted['tenders']:,}" in run("local", "stats", "--data", folder).out
    (folder / "notes.txt").write_text("mine")
    asked = run("local", "reset", "--data", folder)
    assert (asked.code, "--yes" in asked.err) == (2, True)
    with workbench.connect("local", data=folder):
        used = run("local", "reset", "--data", folder, "--yes")
    assert (used.code, "Another program uses" in used.err) == (1, True)
    assert run("local", "reset", "--data", folder, "--yes").code == 0
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
    again = run("local", "reset", "--data", folder, "--yes")
    assert (again.code, "nothing to delete" in again.err) == (0, True)


def test_a_damaged_database_can_be_reset(run: Run, home: Path) -> None:
    folder = home / "damaged"
    folder.mkdir()
    (folder / "workbench.sqlite3").write_bytes(b"no database at all" * 500)
    refused = run("search", "--data", folder)
    assert (refused.code, refused.out) == (1, "")
    assert "not a database of the workbench" in refused.err
    assert run("local", "reset", "--data", folder, "--yes").code == 0
    assert run("search", "--data", folder, "--json").out == "[]\n"


def active_keys(listed: Outcome) -> dict[str, bool]:
    return {key["name"]: key["isActive"] for key in found(listed)}


def test_keys_are_shown_once(run: Run, home: Path) -> None:
    folder = ["--data", str(home / "mine")]
    line = "local key create --name reports --mcp --rate-limit 42 --expires 2099-12-31 --json"
    made = found(run(*line.split(), *folder))
    assert (made["name"], made["rateLimit"], made["isMcpEnabled"], made["isActive"]) == ("reports", 42, True, True)
    plain = run("local", "key", "create", "--name", "other", *folder)
    assert plain.out.startswith("wb_")
    listed = run("local", "key", "list", *folder)
    assert made["key"] not in listed.out
    assert made["id"] in "".join(listed.out.split()) or "reports" in listed.out
    assert active_keys(run("local", "key", "list", "--json", *folder)) == {"reports": True, "other": True}
    assert run("local", "key", "disable", made["id"], *folder).code == 0
    assert active_keys(run("local", "key", "list", "--json", *folder)) == {"reports": False, "other": True}
    assert run("local", "key", "delete", made["id"], *folder).code == 0
    assert run("local", "key", "delete", made["id"], *folder).code == 2
    assert run("local", "key", "create", "--name", "x", "--account", "nobody", *folder).code == 2


@pytest.fixture
def served(sample_folder: Path) -> Iterator[dict[str, Any]]:
    """`workbench serve` in a process of its own, and the line that it printed."""
    line = [*COMMAND, "serve", "--port", "0", "--json", "--data", str(sample_folder)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert (process.returncode, complaint) == (0, "")


def test_serve_and_the_command_over_http(
    served: dict[str, Any], run: Run, on_sample: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(served) == {"baseUrl", "mcpUrl", "key"}
    monkeypatch.setenv("WORKBENCH_BASE_URL", served["baseUrl"])
    assert run("whoami").code == 4
    monkeypatch.setenv("WORKBENCH_API_KEY", served["key"])
    line = ["search", "obras", "--status", "Publicada", "--limit", "30", "--json"]
    assert found(run(*line)) == found(on_sample(*line))
    monkeypatch.setenv("WORKBENCH_API_KEY", "wb_wrong")
    refused = run("search", "obras")
    assert (refused.code, refused.out) == (1, "")
    assert "did not accept the API key" in refused.err


def test_serve_says_the_address_that_it_cannot_have(run: Run, home: Path) -> None:
    outcome = run("serve", "--host", "203.0.113.1", "--port", "1", "--data", home / "x")
    assert outcome.code == 1
    assert "cannot listen" in outcome.err


def test_serve_listens_where_the_service_says_by_default() -> None:
    from inspect import signature

    from workbench.service.serve import DEFAULT_HOST, DEFAULT_PORT

    parameters = signature(serve.serve).parameters
    assert (parameters["host"].default, parameters["port"].default) == (DEFAULT_HOST, DEFAULT_PORT)


def test_a_second_run_changes_nothing_in_the_sample(sample_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["local", "sample", "--data", str(sample_folder)]) == 0
    assert "nothing was changed" in capsys.readouterr().out
