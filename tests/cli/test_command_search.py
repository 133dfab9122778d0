"""What the options of ``workbench search`` ask the service for."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from command_line import FakeClient, Run, wire

from workbench.cli.app import app
from workbench.cli.moments import Bound, read_moment, time_left
from workbench.contract.tenders import TenderSearch


@pytest.fixture
def madrid(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "Europe/Madrid")
    time.tzset()
    yield
    monkeypatch.delenv("TZ")
    time.tzset()


def search_options() -> dict[str, list[str]]:
    command: Any = typer.main.get_command(app).commands["search"]  # type: ignore[attr-defined]  # the root is a group
    return {parameter.name: parameter.opts for parameter in command.params}


@pytest.mark.requirement("TND-1")
def test_every_field_of_the_search_is_an_option_in_kebab_case() -> None:
    options = search_options()
    for name in TenderSearch.model_fields:
        assert name in options
        assert name == "text" or f"--{name.replace('_', '-')}" in options[name]


@pytest.mark.requirement("TND-1")
def test_all_filters_combine_in_one_search(run: Run, fake: FakeClient, madrid: None) -> None:
    line = (
        "search obras carretera --status publicada --status Cerrada --cpv 45000000 --cpvs 45233120-6 --location province/08 "
        "--locations country/ES --min-budget 1000 --max-budget 2e6 --only-within-deadline --min-publication-date 2026-03-01 "
        "--max-publication-date 2026-03-01 --min-deadline-date 2026-07-01T10:00 --max-deadline-date 2026-07-01T10:00Z "
        "--min-awarding-date 2026-01-01T00:00-05:00 --max-awarding-date 2026-01-02 --min-last-update-date 2026-01-03 "
        "--max-last-update-date 2026-01-04 --sort by-budget --ascending --page 3 --page-size 50"
    )
    assert run(*line.split()).code == 0
    (asked,) = fake.tenders.asked
    sent = TenderSearch.model_validate(asked)
    assert set(asked) == set(TenderSearch.model_fields)
    assert sent.text == "obras carretera"
    assert sent.status == ("Publicada", "Cerrada")
    assert sent.cpvs == ("45000000-7", "45233120-6")
    assert sent.locations == ("province/08", "country/ES")
    assert (sent.min_budget, sent.max_budget, sent.is_only_within_deadline) == (1000.0, 2_000_000.0, True)
    assert (sent.sort, sent.is_descendent, sent.page, sent.page_size) == ("by-budget", False, 3, 50)
    # A date alone is that whole day here; one with a time and without a zone is in the zone of this machine.
    assert sent.min_publication_date == datetime(2026, 2, 28, 23, tzinfo=UTC)
    assert sent.max_publication_date == datetime(2026, 3, 1, 22, 59, 59, 999999, tzinfo=UTC)
    assert sent.min_deadline_date == datetime(2026, 7, 1, 8, tzinfo=UTC)
    assert sent.max_deadline_date == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert sent.min_awarding_date == datetime(2026, 1, 1, 5, tzinfo=UTC)


def test_what_is_not_given_is_not_sent(run: Run, fake: FakeClient) -> None:
    run("search")
    run("search", "--no-is-only-within-deadline", "--is-descendent")
    assert fake.tenders.asked == [{}, {"is_only_within_deadline": False, "is_descendent": True}]


def test_words_that_begin_with_a_minus_come_after_two(run: Run, fake: FakeClient) -> None:
    assert run("search", "--status", "Cerrada", "--", "-hospital", '"a phrase"').code == 0
    assert fake.tenders.asked[0]["text"] == '-hospital "a phrase"'


def test_limit_and_all_walk_through_pages(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires = [wire(id=str(number)) for number in range(250)]
    assert len(json.loads(run("search", "--all", "--page-size", "100", "--json").out)) == 250
    run("search", "--limit", "7")
    assert fake.tenders.asked == [{"page_size": 100, "limit": None}, {"limit": 7}]


def test_a_page_with_more_behind_it_says_how_to_get_it(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires, fake.tenders.has_next_page = [wire()], True
    outcome = run("search", "--page", "4", "--json")
    assert "--page 5" in outcome.err
    assert len(json.loads(outcome.out)) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--all --limit 3", "exclude each other"),
        ("--page 2 --all", "--page shows one page"),
        ("--json --format csv", "exclude each other"),
        ("--format xlsx", "add -o FILE.xlsx"),
        ("--format table -o x.csv", "A table goes to the screen"),
        ("-o tenders.doc", "does not say a format"),
        ("-o missing/tenders.csv", "create it first"),
        ("-o .", "is a folder"),
        ("--cpv 45000000-9", "expected 45000000-7"),
        ("--cpv 99", "is not a CPV code"),
        ("--min-budget much", "--min-budget"),
        ("--min-publication-date yesterday", "write 2026-03-01"),
        ("--status Abierta", "Publicada"),
        ("--sort by-colour", "by-relevance"),
        ("--page 0", "--page"),
        ("--page-size 101", "--page-size"),
        ("--unknown", "No such option"),
    ],
)
def test_wrong_use_is_exit_code_2_and_says_what_is_right(
    run: Run, fake: FakeClient, line: str, words: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    outcome = run("search", *line.split())
    assert (outcome.code, outcome.out, fake.tenders.asked) == (2, "", [])
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_profile_and_data_go_before_or_after_the_command(run: Run, fake: FakeClient, home: Path) -> None:
    run("--profile", "one", "search")
    run("--profile", "one", "search", "--profile", "two")
    run("--data", home, "search")
    run("search", "--data", home)
    assert fake.opened == [("one", None), ("two", None), (None, home), (None, home)]
    assert fake.closed == 4


@pytest.mark.parametrize(("text", "bound"), [("2026-13-01", Bound.LOWER), ("", Bound.LOWER), ("12", Bound.UPPER)])
def test_a_date_that_is_none_is_refused(text: str, bound: Bound) -> None:
    with pytest.raises(typer.BadParameter, match="is no date"):
        read_moment(text, bound)


def test_time_left_in_words() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert time_left(None, now) == ""
    assert time_left(datetime(2025, 12, 31, tzinfo=UTC), now) == "past"
    assert time_left(datetime(2026, 1, 1, 0, 20, tzinfo=UTC), now) == "20 min left"
    assert time_left(datetime(2026, 1, 2, tzinfo=UTC), now) == "24 h left"
    assert time_left(datetime(2026, 1, 13, tzinfo=UTC), now) == "12 days left"
