"""``pipelines``, ``board``, ``move``, ``tasks``, ``summaries`` and ``actions`` against a scripted service on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, Run, no_controls
from scripted_service import KEY, LOST, OPEN, OPPORTUNITY, OTHER_OPEN, PIPELINES, WON, Script, page, stage

EVIL = "\x1b[2J\u202e=cmd|x\nsecond"


def moves(service: Script) -> list[Any]:
    return [one.body for one in service.sent("PUT")]


def test_pipelines_and_stages(run: Run, service: Script) -> None:
    shown = run("pipelines")
    assert (shown.code, shown.err) == (0, "")
    for word in ("Sales", "Works", "initial", "terminal (not stated)", OPEN, WON):
        assert word in shown.out
    assert json.loads(run("pipelines", "--json").out) == PIPELINES
    service.answers["GET /v1/pipelines"] = page([])
    assert "There are no pipelines" in run("pipelines").err
    assert json.loads(run("pipelines", "--json").out) == []


@pytest.mark.requirement("KAN-1")
@pytest.mark.requirement("KAN-3")
def test_a_board_by_name_or_by_id_with_its_filters(run: Run, service: Script) -> None:
    for name in ("Sales", "p-1"):
        shown = run("board", name)
        assert shown.code == 0
        assert "Open  3, 36,000 EUR" in shown.out
        assert "Won  0, 0 EUR · terminal" in shown.out
        assert "Bridge" in shown.out
        assert "2 more in this stage; --stage 'Open' shows it whole." in shown.err
    service.asked.clear()
    whose = ["--responsible", "u-1", "--responsible", "u-2", "--team-responsible", "t-1"]
    done = run("board", "Sales", "--search", "bri dge", "--limit", "50", "--sort", "by-due-date", *whose, "--json")
    value = json.loads(done.out)
    assert value["opportunities"] == {OPEN: [OPPORTUNITY]}
    assert value["totals"][0]["opportunityCount"] == 3
    totals, found = service.asked[1:]
    assert totals.query == {"responsible": ["u-1", "u-2"], "teamResponsible": ["t-1"]}
    assert found.query == totals.query | {"search": ["bri dge"], "limit": ["50"], "sort": ["by-due-date"]}


@pytest.mark.requirement("KAN-2")
def test_one_stage_whole(run: Run, service: Script) -> None:
    at = f"GET /v1/kanban/p-1/status/{OPEN}/opportunities"
    service.answers[at] = lambda asked: page(
        [OPPORTUNITY | {"id": f"o-{asked.query['page'][0]}"}], more=asked.query["page"] == ["1"]
    )
    done = run("board", "Sales", "--stage", "Open", "--sort", "custom", "--json")
    assert [one["id"] for one in json.loads(done.out)] == ["o-1", "o-2"]
    assert service.asked[-1].query["sort"] == ["custom"]
    assert "o-2" in run("board", "Sales", "--stage", OPEN).out
    assert run("board", "Sales", "--stage", "Open", "--search", "x").code == 2
    assert run("board", "Sales", "--limit", "51").code == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["board", "sales"], "There is no pipeline 'sales'; there are 'Sales', 'Works'."),
        (["board", "Sales", "--stage", "open"], "'Sales' has no stage 'open'; it has 'Open', 'Won', 'Not said'."),
        (["move", "o-1", "Nowhere"], "No pipeline has a stage 'Nowhere'"),
        (["move", "o-1", "Open", "--pipeline", "x"], "There is no pipeline 'x'"),
        (["move", "o-9", "Open"], "is on no board that has a stage 'Open' (that is 'Sales', 'Works')"),
    ],
)
def test_a_name_that_is_none_is_answered_with_those_there_are(run: Run, service: Script, line: list[str], words: str) -> None:
    done = run(*line)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert moves(service) == []


def test_names_that_stand_twice_are_not_guessed(run: Run, service: Script) -> None:
    twice = {"id": "p-3", "name": "Sales", "statuses": [stage("s-1", "Same"), stage("s-2", "Same")]}
    service.answers["GET /v1/pipelines"] = page([*PIPELINES, twice])
    assert "2 pipelines are named 'Sales': p-1, p-3" in run("board", "Sales").err
    done = run("move", "o-1", "Same", "--pipeline", "p-3")
    assert "2 stages named 'Same': s-1, s-2" in done.err
    assert moves(service) == []


@pytest.mark.requirement("OPP-1")
def test_a_move_by_id_and_by_name(run: Run, service: Script) -> None:
    done = run("move", "o-1", OPEN)
    assert (done.code, done.err) == (0, "")
    # "Open" stands in both pipelines: the one whose board has the opportunity is meant.
    named = run("move", "o-1", "Open", "--json")
    assert json.loads(named.out) == {"opportunityId": "o-1", "targetStatusId": OPEN, "targetStatusName": "Open"}
    assert run("move", "o-1", "Open", "--pipeline", "Works").code == 0
    assert run("move", "o-1", "s-12").code == 0
    assert [body["targetStatusId"] for body in moves(service)] == [OPEN, OPEN, OTHER_OPEN, "s-12"]


def test_an_opportunity_far_down_its_stage_is_found(run: Run, service: Script) -> None:
    many = [OPPORTUNITY | {"id": f"x-{number}"} for number in range(50)]
    service.answers["GET /v1/kanban/p-1/search"] = {OPEN: many}
    assert run("move", "o-1", "Open").code == 0
    assert [body["targetStatusId"] for body in moves(service)] == [OPEN]


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("target", [WON, "Won", LOST, "Not said", "00000000-0000-4000-8000-00000000dead"])
def test_a_terminal_move_needs_its_option_and_sends_nothing_without(run: Run, service: Script, target: str) -> None:
    done = run("move", "o-1", target)
    assert (done.code, done.out) == (2, "")
    assert "--confirm-terminal" in done.err
    assert "confirm_terminal" not in done.err
    assert "Nothing was moved" in done.err
    assert moves(service) == []
    assert run("move", "o-1", target, "--confirm-terminal").code == 0
    assert len(moves(service)) == 1


@pytest.mark.requirement("OPP-3")
def test_a_stage_that_cannot_be_looked_up_is_not_moved_to(run: Run, service: Script) -> None:
    service.answers["GET /v1/pipelines"] = (403, {"statusCode": 403, "error": "FORBIDDEN", "message": "not yours"})
    done = run("move", "o-1", OPEN)
    assert (done.code, done.out) == (1, "")
    assert "could not be looked up, so nothing was moved" in done.err
    assert "not yours" in done.err
    assert moves(service) == []


@pytest.mark.requirement("OPP-4")
def test_a_move_that_the_service_refuses(run: Run, service: Script) -> None:
    for status, code, words in ((409, "OPPORTUNITY_CLOSED", "does not move any more"), (403, "FORBIDDEN", "not allowed")):
        service.answers["PUT /v1/opportunities/o-1/status"] = (status, {"statusCode": status, "error": code, "message": "no"})
        done = run("move", "o-1", OPEN)
        assert (done.code, done.out) == (1, "")
        assert words in done.err
    assert len(moves(service)) == 2


@pytest.mark.requirement("TSK-1")
def test_tasks_are_listed(run: Run, service: Script) -> None:
    shown = run("tasks", "list", "o-1", "--status", "TO-DO")
    assert shown.code == 0
    assert "Call" in shown.out
    assert service.asked[-1].query == {"status": ["to-do"]}
    service.answers["GET /v1/opportunities/o-1/tasks"] = page([{"id": "k-1", "strange": [1]}], more=True)
    listed = run("tasks", "list", "o-1", "--page", "2", "--page-size", "1", "--json")
    assert json.loads(listed.out) == [{"id": "k-1", "strange": [1]}]
    assert "add --page 3" in listed.err
    assert run("tasks", "list", "o-1", "--status", "later").code == 2
    service.answers["GET /v1/opportunities/o-1/tasks"] = page([])
    assert "There are no such tasks" in run("tasks", "list", "o-1", "--all").err


@pytest.mark.requirement("TSK-2")
def test_a_task_is_added_from_options_or_from_a_file(run: Run, service: Script, tmp_path: Path) -> None:
    done = run("tasks", "add", "o-1", "Call", "them", "--priority", "high", "--user", "u-1", "--deadline", "2026-12-01T10:00Z")
    assert (done.code, done.out) == (0, "k-9\n")
    assert service.asked[-1].body == {
        "title": "Call them",
        "priority": "high",
        "userIds": ["u-1"],
        "deadlineAt": "2026-12-01T10:00:00Z",
    }
    file = tmp_path / "task.json"
    file.write_text('{"title": "From a file", "user_ids": ["u-2"], "status": "done"}', encoding="utf-8")
    assert json.loads(run("tasks", "add", "o-1", "--from", file, "--status", "to-do", "--json").out) == {"id": "k-9"}
    assert service.asked[-1].body == {"title": "From a file", "userIds": ["u-2"], "status": "to-do"}
    before = len(service.asked)
    for line in (["tasks", "add", "o-1"], ["tasks", "add", "o-1", "x", "--priority", "urgent"]):
        assert run(*line).code == 2
    file.write_text('{"title": "x", "tittle": "y"}', encoding="utf-8")
    refused = run("tasks", "add", "o-1", "--from", file)
    assert refused.code == 2
    assert "tittle" in refused.err
    assert len(service.asked) == before


@pytest.mark.requirement("SUM-1")
@pytest.mark.requirement("SUM-2")
def test_summaries_and_their_pdf(run: Run, service: Script, tmp_path: Path) -> None:
    shown = run("summaries", "o-1")
    assert "# It is\n\na bridge" in shown.out
    assert "pending" in shown.out
    assert [one["id"] for one in json.loads(run("summaries", "o-1", "--json").out)] == ["m-1", "m-2"]
    target = tmp_path / "a.pdf"
    assert run("summaries", "o-1", "--pdf", "m-1", "-o", target).out == f"{target}\n"
    assert target.read_bytes() == b"%PDF-1.7 short"
    again = run("summaries", "o-1", "--pdf", "m-1", "-o", target)
    assert (again.code, again.out) == (2, "")
    assert "--overwrite" in again.err
    saved = json.loads(run("summaries", "o-1", "--pdf", "m-1", "-o", tmp_path, "--wait", "--json").out)
    assert saved == {"summaryId": "m-1", "path": str(tmp_path / "short.pdf"), "size": 14}
    early = run("summaries", "o-1", "--pdf", "m-2", "-o", tmp_path / "b.pdf")
    assert early.code == 1
    assert "not ready" in early.err
    assert not (tmp_path / "b.pdf").exists()
    assert run("summaries", "o-1", "--wait").code == 2


@pytest.mark.requirement("OPP-5")
def test_actions_step_by_step(run: Run, service: Script) -> None:
    shown = run("actions", "o-1").out
    assert shown.index("Read") < shown.index("Decide") < shown.index("Bid") < shown.index("Sign")
    assert [one["id"] for one in json.loads(run("actions", "o-1", "--json").out)] == ["w-2", "w-1"]
    assert run("actions", "o-9").code == 1


def test_no_text_from_outside_acts_and_no_key_is_shown(run: Run, service: Script) -> None:
    evil = {"name": EVIL, "title": EVIL, "status": EVIL, "responsibles": [EVIL, {"name": EVIL}], "id": "o-1"}
    service.answers["GET /v1/pipelines"] = page([{"id": "p-1", "name": EVIL, "statuses": [stage(OPEN, EVIL)]}])
    service.answers["GET /v1/kanban/p-1/search"] = {OPEN: [evil], EVIL: [evil]}
    service.answers["GET /v1/kanban/p-1/status"] = [{"status": stage(OPEN, EVIL), "opportunityCount": 9, "currency": EVIL}]
    at = "GET /v1/opportunities/o-1"
    service.answers[f"{at}/tasks"] = page([evil])
    service.answers[f"{at}/workflow-actions"] = [evil | {"workflowStepName": EVIL, "targetType": EVIL}]
    service.answers[f"{at}/summaries"] = [evil | {"result": f"line\n{EVIL}"}]
    outcomes: list[Outcome] = []
    for line in (
        ["pipelines"], ["board", "p-1"], ["board", "p-1", "--stage", OPEN], ["move", "o-1", EVIL], ["tasks", "list", "o-1"],
        ["actions", "o-1"], ["summaries", "o-1"], ["move", EVIL, WON],
    ):  # fmt: skip
        outcomes += [run(*line), run(*line, "--json")]
    for outcome in outcomes:
        assert no_controls(outcome.out)
        assert no_controls(outcome.err)
        assert "\u202e" not in outcome.out + outcome.err
        assert KEY not in outcome.out + outcome.err
