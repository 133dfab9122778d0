"""``workbench tools``: parameters from the command line, answers for people and for programs, and exit codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import FakeClient, Run, no_controls

from workbench.client.errors import Forbidden, TerminalMoveNotConfirmed, ToolRefused
from workbench.client.tool_results import ToolDescription, ToolResult, tool_named, wire_arguments


class FakeToolServer:
    """Answers every tool with the same payload and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.payload: Any = {"id": "t1", "name": "Obras\x1b[31m", "supplier": {"taxId": "12345678Z"}}
        self.trouble: Exception | None = None

    def call(self, name: str, arguments: Mapping[str, Any], *, check: bool) -> ToolResult[Any]:
        assert check
        self.asked.append((name, wire_arguments(tool_named(name), arguments)))
        if self.trouble is not None:
            raise self.trouble
        return ToolResult(name, self.payload)

    def list(self) -> tuple[ToolDescription, ...]:
        return (
            ToolDescription("search_tenders", "Search \x1b[31mtenders", {"type": "object"}, read_only=True),
            ToolDescription("change_opportunity_status", "Move", {}, read_only=False, destructive=True),
            ToolDescription("delete_everything", None, {}),
        )


@pytest.fixture
def server(fake: FakeClient, monkeypatch: pytest.MonkeyPatch) -> FakeToolServer:
    made = FakeToolServer()
    monkeypatch.setattr(FakeClient, "tool_server", lambda _self: made, raising=False)
    return made


def test_the_list_is_a_table_for_people_and_json_for_programs(run: Run, server: FakeToolServer) -> None:
    table = run("tools", "list")
    assert table.code == 0
    assert "may close for good" in table.out
    assert "not of the interface" in table.out
    assert no_controls(table.out, "\n")
    listed = json.loads(run("tools", "list", "--json").out)
    assert [tool["name"] for tool in listed] == ["search_tenders", "change_opportunity_status", "delete_everything"]
    assert listed[0]["inputSchema"] == {"type": "object"}


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        (["whoami"], {}),
        (["get_tender", "--arg", "id=123"], {"id": "123"}),
        (["get_tender", "--arg", "id=a=b"], {"id": "a=b"}),
        (["search_tenders", "--arg", "page-size=5", "--arg", "pageSize=5"], None),
        (
            [
                "search_tenders",
                "--arg",
                "text=12",
                "--arg",
                "page_size=5",
                "--arg",
                "isDescendent=false",
                "--arg",
                "min-budget=1.5",
            ],
            {"text": "12", "pageSize": 5, "isDescendent": False, "minBudget": 1.5},
        ),
        (
            ["search_tenders", "--arg", "status=Publicada", "--arg", "status=Adjudicada", "--arg", 'cpvs=["45000000-7"]'],
            {"status": ["Publicada", "Adjudicada"], "cpvs": ["45000000-7"]},
        ),
        (
            ["search_tenders", "--json-args", '{"text": "a"}', "--arg", "text=b", "--arg", "sort=by-budget"],
            {"text": "b", "sort": "by-budget"},
        ),
        (
            ["create_alert", "--arg", "title=t", "--arg", 'events={"event": "award"}', "--arg", "confirmed=true"],
            {"title": "t", "events": [{"event": "award"}], "confirmed": True},
        ),
        (
            ["change_opportunity_status", "--arg", "opportunity=o", "--arg", "target-status=Ganada"],
            {"opportunity": "o", "targetStatus": "Ganada"},
        ),
    ],
)
def test_parameters_become_what_the_tool_takes(
    run: Run, server: FakeToolServer, line: list[str], sent: dict[str, Any] | None
) -> None:
    outcome = run("tools", "call", *line)
    if sent is None:
        assert (outcome.code, server.asked) == (2, [])
        return
    assert outcome.code == 0, outcome.err
    assert server.asked == [(line[0], sent)]


def test_parameters_come_from_a_file(run: Run, server: FakeToolServer, tmp_path: Path) -> None:
    file = tmp_path / "arguments.json"
    file.write_text('{"id": "t9"}', encoding="utf-8")
    assert run("tools", "call", "get_tender", "--json-args", file).code == 0
    assert server.asked == [("get_tender", {"id": "t9"})]


def test_an_answer_is_masked_for_people_and_whole_for_programs(run: Run, server: FakeToolServer) -> None:
    shown = run("tools", "call", "get_tender", "--arg", "id=t1")
    assert "12345678Z" not in shown.out
    assert no_controls(shown.out, "\n")
    for flag in ("--json", "--with-tax-ids"):
        assert json.loads(run("tools", "call", "get_tender", "--arg", "id=t1", flag).out) == server.payload


@pytest.mark.parametrize(
    ("trouble", "code", "words"),
    [
        (ToolRefused("Ask first, then confirmed: true", "create_alert"), 1, "refused: Ask first, then confirmed: true."),
        (Forbidden(403, None, "not enabled", "tools.connect"), 1, "not enabled"),
        (TerminalMoveNotConfirmed("It closes the opportunity."), 2, "It closes"),
    ],
)
def test_a_refusal_is_a_sentence_and_an_exit_code(
    run: Run, server: FakeToolServer, trouble: Exception, code: int, words: str
) -> None:
    server.trouble = trouble
    outcome = run("tools", "call", "whoami", "--json")
    assert (outcome.code, outcome.out) == (code, "")
    assert words in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["whoam"], "did you mean 'whoami'"),
        (["get_tender"], "id"),
        (["get_tender", "--arg", "id"], "NAME=VALUE"),
        (["whoami", "--arg", "idd=4"], "idd"),
        (["search_tenders", "--arg", "page=x"], "page"),
        (["search_tenders", "--arg", "sort=by-size"], "sort"),
        (["search_tenders", "--json-args", "{"], "--json-args"),
        (["create_opportunity_task", "--arg", "opportunity=o", "--arg", "title=t", "--arg", "confirmed=yes"], "confirmed"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_sent(run: Run, server: FakeToolServer, line: list[str], words: str) -> None:
    outcome = run("tools", "call", *line)
    assert outcome.code == 2
    assert words in outcome.err
    assert server.asked == []


def test_the_embedded_service_has_no_tool_server_yet(run: Run, tmp_path: Path) -> None:
    outcome = run("tools", "list", "--data", tmp_path / "own")
    assert outcome.code == 1
    assert outcome.err.startswith("The embedded service of this version has no tool server.")
