"""``alerts …`` against a scripted service on loopback: what is shown, and exactly what is sent."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import Run, no_controls
from hypothesis import given
from hypothesis import strategies as st
from scripted_service import ALERT, KEY, Script, page

from workbench.cli.alert_changes import changes
from workbench.cli.alert_options import alert_with
from workbench.client.errors import InvalidArgument
from workbench.client.workspace_calls import update_alert

EVIL = "\x1b[2J\u202e=cmd|x\nsecond"


def sent(service: Script, method: str = "PATCH") -> Any:
    """The body of the last such request."""
    return service.sent(method)[-1].body


@pytest.mark.requirement("ALR-1")
@pytest.mark.requirement("ALR-2")
def test_alerts_are_listed(run: Run, service: Script) -> None:
    shown = run("alerts", "list")
    assert (shown.code, shown.err) == (0, "")
    assert "Roads" in shown.out
    assert "paused" in shown.out
    done = run(
        "alerts", "list", "--text", "ro ads", "--not-archived", "--sort", "by-name", "--ascending", "--page", "3", "--json"
    )
    assert json.loads(done.out)[0] == ALERT
    assert service.asked[-1].query == {
        "text": ["ro ads"], "isArchived": ["false"], "sort": ["by-name"], "sortDirection": ["asc"], "page": ["3"],
    }  # fmt: skip
    service.answers["GET /v1/alerts"] = page([ALERT], more=True)
    assert "There are more alerts: add --page 2, --limit N or --all." in run("alerts", "list").err
    service.answers["GET /v1/alerts"] = page([])
    assert "There are no such alerts" in run("alerts", "list", "--all").err
    assert run("alerts", "list", "--all", "--limit", "3").code == 2


@pytest.mark.requirement("ALR-3")
def test_an_alert_is_shown_in_words_and_as_it_came(run: Run, service: Script) -> None:
    shown = " ".join(run("alerts", "show", "a-1").out.split())
    for words in (
        "Keywords carretera",
        "1,000 to any",
        "7 days before the deadline",
        "daily: Monday, Wednesday at 8:00",
        "newField",
    ):
        assert words in shown
    assert json.loads(run("alerts", "show", "a-1", "--json").out) == ALERT
    assert run("alerts", "show", "a-7").code == 1


@pytest.mark.requirement("ALR-4")
@pytest.mark.requirement("ALR-5")
@pytest.mark.requirement("ALR-6")
@pytest.mark.requirement("ALR-7")
def test_an_alert_is_created_from_every_option(run: Run, service: Script) -> None:
    line = """--title T --description D --event publication --event deadline --expiration-offset 3 --with-extension
        --keyword a --keyword b --exclude-keyword c --cpv 45233120 --exclude-cpv 45233120-6 --country ES --exclude-country PT
        --province 08 --exclude-province 17 --status publicada --min-budget 1 --max-budget 2.5 --contract-type Obras
        --procedure Abierto --in-deadline --weekday fri --weekday 1 --hour 0 --timezone Europe/Madrid --pdf --no-csv --xlsx
        --include-modifications --no-send-without-items --responsible u-1 --responsibles-without-emails u-2 --paused
        --private"""
    done = run("alerts", "create", *line.split())
    assert done.code == 0
    assert "Created the alert a-9." in done.out
    assert sent(service, "POST") == {
        "title": "T",
        "description": "D",
        "windowsSearch": [
            {"field": "expedientPublishedAt"},
            {"field": "expedientExpirationDate", "expirationOffset": 3, "withExtension": True},
        ],
        "criteria": {
            "keywords": {"include": ["a", "b"], "exclude": ["c"]},
            "cpvCodes": {"include": ["45233120-6"], "exclude": ["45233120-6"]},
            "locations": {
                "country": {"include": ["ES"], "exclude": ["PT"]},
                "province": {"include": ["08"], "exclude": ["17"]},
            },
            "budget": {"min": 1, "max": 2.5},
            "statuses": ["Publicada"],
            "contractTypes": ["Obras"],
            "procedures": ["Abierto"],
            "inDeadline": True,
        },
        "notificationConfig": {
            "frequency": {"type": "daily", "weekdays": [1, 5]},
            "hour": 0,
            "timezone": "Europe/Madrid",
            "attachments": {"hasPdf": True, "hasCsv": False, "hasXlsx": True},
            "includeModifications": True,
            "sendWithoutItems": False,
        },
        "responsibles": [{"id": "u-1", "receiveEmails": True}, {"id": "u-2", "receiveEmails": False}],
        "isActive": False,
        "isPublic": False,
    }


def test_what_is_shown_can_be_created_again(run: Run, service: Script, tmp_path: Path) -> None:
    file = tmp_path / "alert.json"
    file.write_text(json.dumps({name: value for name, value in ALERT.items() if name != "newField"}), encoding="utf-8")
    assert run("alerts", "create", "--from", file, "--title", "Copy", "--weekly-day", "sunday").code == 0
    body = sent(service, "POST")
    assert body["title"] == "Copy"
    assert body["responsibles"] == [{"id": "u-1", "receiveEmails": True}]
    assert body["notificationConfig"]["frequency"] == {"type": "weekly", "dayOfWeek": 7}
    assert body["notificationConfig"]["hour"] == 8
    assert not body.keys() & {"id", "createdAt", "platformUrl", "isArchived"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["create"], "An alert needs --title and --event"),
        (["create", "--title", "x"], "An alert needs --event"),
        (["create", "--title", "x", "--event", "never"], "none of publication, award, deadline"),
        (["create", "--title", "x", "--event", "award", "--expiration-offset", "2"], "go with --event deadline"),
        (["create", "--title", "x", "--event", "award", "--cpv", "99999999-1"], "99999999"),
        (["create", "--title", "x", "--event", "award", "--weekday", "8"], "no weekday"),
        (["create", "--title", "x", "--event", "award", "--weekday", "1", "--weekly-day", "2"], "exclude each other"),
        (["create", "--title", "x", "--event", "award", "--hour", "24"], "less than or equal to 23"),
        (["create", "--title", "x", "--event", "award", "--timezone", "Mars/Base"], "Mars/Base"),
        (["edit", "a-1"], "Nothing to change was said"),
        (["edit", "a-1", "--clear", "title"], "is none of"),
        (["edit", "a-1", "--from", "/nowhere/alert.json"], "No such file"),
    ],
)
def test_what_cannot_be_sent_is_a_sentence(run: Run, service: Script, line: list[str], words: str) -> None:
    done = run("alerts", *line)
    assert done.code in {1, 2}
    assert words in done.err
    assert done.out == ""
    assert service.sent("POST", "PATCH") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no JSON"),
        ("[]", "holds no JSON object"),
        ('{"title": "a", "title": "b"}', "names the field 'title' twice"),
        ('{"title": NaN}', "no JSON that can be read"),
        ("[" * 100_000, "no JSON"),
        ('{"titel": "x"}', "titel"),
        ('{"id": "a-2"}', "id cannot be changed"),
        ('{"createdAt": "2020-01-01T00:00:00Z", "lastNotifiedAt": "x"}', "createdAt, lastNotifiedAt cannot be changed"),
        ('{"windowsSearch": []}', "windows_search"),
        ('{"criteria": {"keyword": {}}}', "keyword"),
        ('{"isActive": "yes"}', "is_active"),
    ],
)
def test_a_file_that_makes_no_sense_changes_nothing(run: Run, service: Script, tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "alert.json"
    file.write_text(text, encoding="utf-8")
    done = run("alerts", "edit", "a-1", "--from", file)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert service.sent("POST", "PATCH") == []


@pytest.mark.requirement("ALR-8")
@pytest.mark.parametrize(
    ("line", "body"),
    [
        (["--title", "New"], {"title": "New"}),
        (["--title", "Roads", "--private"], {"isPublic": False}),
        (["--clear", "description"], {"description": None}),
        (["--clear", "responsibles"], {"responsibles": []}),
        (["--expiration-offset", "2"], {"windowsSearch": [{"field": "expedientExpirationDate", "expirationOffset": 2}]}),
        (["--event", "award"], {"windowsSearch": [{"field": "expedientAdjudicationDate"}]}),
        (["--hour", "9"], {"notificationConfig": ALERT["notificationConfig"] | {"hour": 9}}),
        (
            ["--clear", "keywords", "--clear", "statuses", "--max-budget", "5"],
            {
                "criteria": {
                    "keywords": {"include": [], "exclude": []},
                    "cpvCodes": {"include": ["45233120-6"]},
                    "budget": {"min": 1000, "max": 5},
                }
            },
        ),
        (["--clear", "budget"], {"criteria": ALERT["criteria"] | {"budget": {"min": None, "max": None}}}),
        (
            ["--responsible", "u-1", "--pdf"],
            {
                "notificationConfig": ALERT["notificationConfig"] | {"attachments": {"hasPdf": True}},
                "responsibles": [{"id": "u-1", "receiveEmails": True}],
            },
        ),
    ],
)
def test_an_edit_sends_only_what_changed(run: Run, service: Script, line: list[str], body: dict[str, Any]) -> None:
    done = run("alerts", "edit", "a-1", *line)
    assert (done.code, done.err) == (0, "")
    assert [(one.method, one.path) for one in service.asked] == [("GET", "/v1/alerts/a-1"), ("PATCH", "/v1/alerts/a-1")]
    assert sent(service) == body
    assert f"Changed {', '.join(sorted(body))}." in done.out


@pytest.mark.requirement("ALR-8")
def test_a_file_as_it_was_shown_sends_only_its_changes(run: Run, service: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = json.loads(run("alerts", "show", "a-1", "--json").out)

    def edit(value: Any) -> Any:
        stream = SimpleNamespace(buffer=io.BytesIO(json.dumps(value).encode()), isatty=lambda: False)
        monkeypatch.setattr(sys, "stdin", stream)
        return run("alerts", "edit", "a-1", "--from", "-", "--json")

    same = edit(shown)
    assert (same.code, json.loads(same.out)) == (0, ALERT)
    assert "nothing was sent" in same.err
    assert service.sent("PATCH") == []
    changed = edit(shown | {"title": "New", "responsibles": [*shown["responsibles"], {"id": "u-2", "receiveEmails": False}]})
    assert json.loads(changed.out)["title"] == "New"
    assert sent(service) == {
        "title": "New",
        "responsibles": [{"id": "u-1", "receiveEmails": True}, {"id": "u-2", "receiveEmails": False}],
    }
    assert edit({"is_archived": True}).code == 0
    assert sent(service) == {"isArchived": True}


def test_criteria_that_the_workbench_does_not_know_are_not_lost(run: Run, service: Script) -> None:
    service.answers["GET /v1/alerts/a-1"] = ALERT | {"criteria": {"keywords": {"include": ["a"]}, "radius": 50}}
    assert run("alerts", "edit", "a-1", "--title", "New").code == 0
    assert sent(service) == {"title": "New"}
    refused = run("alerts", "edit", "a-1", "--keyword", "b")
    assert refused.code == 2
    assert "radius" in refused.err
    assert len(service.sent("PATCH")) == 1


@pytest.mark.parametrize(
    ("verb", "body", "words"),
    [
        ("pause", {"isActive": False}, "Roads is paused."),
        ("resume", {"isActive": True}, "Roads is running again."),
        ("archive", {"isArchived": True}, "Roads is archived."),
        ("unarchive", {"isArchived": False}, "Roads is out of the archive."),
    ],
)
@pytest.mark.requirement("ALR-8")
def test_the_switches(run: Run, service: Script, verb: str, body: dict[str, bool], words: str) -> None:
    assert run("alerts", verb, "a-1").out == f"{words}\n"
    assert sent(service) == body
    assert json.loads(run("alerts", verb, "a-1", "--json").out) == ALERT | body
    assert run("alerts", verb, "a-7").code == 1


@pytest.mark.requirement("ALR-9")
def test_results_take_the_filters_of_a_search(run: Run, service: Script, tmp_path: Path) -> None:
    done = run(
        "alerts", "results", "a-1", "obras", "carretera", "--cpv", "45233120", "--status", "Publicada", "--ascending", "--json"
    )
    assert json.loads(done.out)[0]["id"] == "t-1"
    assert sent(service, "POST") == {
        "text": "obras carretera",
        "cpvs": ["45233120-6"],
        "status": ["Publicada"],
        "isDescendent": False,
    }
    assert "Obras" in run("alerts", "results", "a-1").out
    file = tmp_path / "found.csv"
    assert run("alerts", "results", "a-1", "--all", "-o", file).code == 0
    assert b"t-1" in file.read_bytes()
    assert run("alerts", "results", "a-1", "--page", "1", "--all").code == 2


def test_no_text_from_outside_acts_and_no_key_is_shown(run: Run, service: Script) -> None:
    evil = {
        "id": "a-1", "title": EVIL, "description": EVIL, "createdBy": EVIL, "platformUrl": EVIL, EVIL: EVIL,
        "criteria": {"keywords": {"include": [EVIL], "exclude": EVIL}, "budget": {"min": EVIL}, "statuses": EVIL, EVIL: EVIL},
        "notificationConfig": {"frequency": {"type": EVIL, "dayOfWeek": EVIL}, "hour": EVIL, "attachments": 3},
        "windowsSearch": [{"field": EVIL}, {"field": "expedientExpirationDate", "expirationOffset": EVIL}],
        "responsibles": [{"id": EVIL}],
    }  # fmt: skip
    service.answers["GET /v1/alerts"] = page([evil])
    service.answers["GET /v1/alerts/a-1"] = service.answers["PATCH /v1/alerts/a-1"] = evil
    for line in (["list"], ["show", "a-1"], ["edit", "a-1", "--title", "x"], ["pause", "a-1"], ["show", EVIL]):
        for outcome in (run("alerts", *line), run("alerts", *line, "--json")):
            assert no_controls(outcome.out)
            assert no_controls(outcome.err)
            assert "\u202e" not in outcome.out + outcome.err
            assert KEY not in outcome.out + outcome.err
            assert "fault of the workbench" not in outcome.err


JSON = st.recursive(st.none() | st.booleans() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3))
FIELDS = st.dictionaries(st.sampled_from(["title", "description", "isActive", "criteria", "responsibles", "other"]), JSON)


@given(present=FIELDS, wanted=FIELDS)
def test_changes_are_what_differs_and_nothing_else(present: dict[str, Any], wanted: dict[str, Any]) -> None:
    patch = changes(present, wanted)
    assert patch.keys() == {name for name in wanted if name not in present or present[name] != wanted[name]}
    assert all(patch[name] == wanted[name] for name in patch if name != "responsibles")
    assert changes(present | wanted, wanted) == {}


LISTS = st.lists(st.sampled_from(["a", "b", "ñ"]), min_size=1, max_size=3)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "title": st.text(min_size=1, max_size=5),
        "keywords": LISTS,
        "exclude_keywords": LISTS,
        "countries": LISTS,
        "procedures": LISTS,
        "min_budget": st.floats(0, 1e9),
        "in_deadline": st.booleans(),
        "hour": st.integers(0, 23),
        "pdf": st.booleans(),
        "weekly_day": st.integers(1, 7),
        "active": st.booleans(),
        "clear": st.lists(
            st.sampled_from(["keywords", "budget", "statuses", "procedures", "in-deadline", "description"]), min_size=1
        ),
    },
)


@given(said=SAID)
def test_whatever_the_options_say_can_be_sent_and_saying_it_twice_changes_nothing(said: dict[str, Any]) -> None:
    once = alert_with(ALERT, said)
    try:
        update_alert("a-1", once)
    except InvalidArgument as trouble:
        pytest.fail(str(trouble))
    assert changes(ALERT | once, alert_with(ALERT | once, said)) == {}
