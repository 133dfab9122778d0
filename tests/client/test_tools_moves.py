"""The guard of terminal moves on the tool path: without a confirmation, no move leaves, whatever the pipelines look like."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tool_server_double import KEY, Json, Pool, ToolServerDouble

from workbench.client import moves
from workbench.client.errors import InvalidArgument, TerminalMoveNotConfirmed, Unauthorized, WorkbenchError

Serve = Callable[..., tuple[ToolServerDouble, Any]]
MOVE = "change_opportunity_status"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = Pool()
    yield made
    made.close()


@pytest.fixture
def serve(world: Any, pool: Pool) -> Iterator[Serve]:
    def start(**options: Any) -> tuple[ToolServerDouble, Any]:
        double, url = pool.lend(**options)
        return double, world.open("https://api.example.org", KEY, mcp_url=f"{url}/mcp", rate_window=False).tool_server()

    yield start
    pool.take_back()


def stage(id_: str, name: str, **fields: Any) -> Json:
    return {"id": id_, "name": name} | fields


def listing(*pages: list[Json]) -> Callable[[Json, Request], Response | None]:
    """Answers ``list_pipelines`` with these stages, a page each."""

    def before(message: Json, _request: Request) -> Response | None:
        if message.get("params", {}).get("name") != "list_pipelines":
            return None
        number = message["params"]["arguments"]["page"]
        page = {
            "data": [{"id": f"p{number}", "name": "Ventas", "statuses": pages[number - 1]}],
            "pagination": {"page": number, "pageSize": 100, "hasNextPage": number < len(pages)},
        }
        return result(message, json.dumps(page))

    return before


def result(message: Json, text: str, **fields: Any) -> Response:
    wire = {"content": [{"type": "text", "text": text}], "resultType": "complete"} | fields
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": wire})


OPEN = stage("s1", "Abierta", isTerminal=False)
WON = stage("s2", "Ganada", isTerminal=True)
LISTS: dict[str, tuple[tuple[list[Json], ...], str, str]] = {
    "terminal by id": (([OPEN, WON],), "s2", "terminal"),
    "terminal by name": (([OPEN, WON],), "Ganada", "terminal"),
    "terminal in other letters": (([OPEN, WON],), " gANADA ", "terminal"),
    "on the last page": (([OPEN], [OPEN], [WON]), "Ganada", "terminal"),
    "open here and terminal there": (([OPEN], [stage("s9", "Abierta", isTerminal=True)]), "Abierta", "terminal"),
    "not stated": (([stage("s1", "Abierta")],), "s1", "not stated"),
    "stated as text": (([stage("s1", "Abierta", isTerminal="false")],), "Abierta", "not stated"),
    "stated as zero": (([stage("s1", "Abierta", isTerminal=0)],), "Abierta", "not stated"),
    "no such stage": (([OPEN, WON],), "Perdida", "not found"),
    "no stages": (([],), "s1", "not found"),
}


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("name", LISTS)
def test_a_move_that_may_close_is_not_sent_unconfirmed(world: Any, serve: Serve, name: str) -> None:
    pages, target, reason = LISTS[name]
    double, tools = serve(before=listing(*pages))
    spellings: list[Callable[[], Any]] = [
        lambda: tools.change_opportunity_status("o1", target),
        lambda: tools.change_opportunity_status("o1", target, confirm_terminal=False),
        lambda: tools.call(MOVE, {"opportunity": "o1", "targetStatus": target}),
        lambda: tools.call(MOVE, {"opportunity": "o1", "target_status": target, "confirmTerminal": False}),
        lambda: tools.call(MOVE, {"opportunity": "o1", "target_status": target, "confirm_terminal": None}, check=True),
    ]
    for spelling in spellings:
        with pytest.raises(TerminalMoveNotConfirmed) as caught:
            world.do(spelling())
        assert (caught.value.reason, caught.value.stage, caught.value.opportunity) == (reason, target, "o1")
    assert double.calls == ["server/discover"] + ["list_pipelines"] * len(pages) * len(spellings)


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("given", [1, "true", "True", [], {"a": 1}])
def test_only_true_itself_confirms(world: Any, serve: Serve, given: Any) -> None:
    double, tools = serve()
    with pytest.raises(InvalidArgument) as caught:
        world.do(tools.change_opportunity_status("o1", "s2", confirm_terminal=given))
    assert caught.value.field.startswith("confirm_terminal")
    assert double.seen == []


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("target", ["", "  "])
def test_a_move_to_nowhere_is_not_sent(world: Any, serve: Serve, target: str) -> None:
    double, tools = serve()
    with pytest.raises(InvalidArgument):
        world.do(tools.change_opportunity_status("o1", target))
    assert double.seen == []


def _page_of(data: Any) -> str:
    return json.dumps({"data": data, "pagination": {"page": 1, "hasNextPage": True}})


FAILING: dict[str, Callable[[Json], Response]] = {
    "refused": lambda message: result(message, '{"error": "no"}', isError=True),
    "500": lambda _message: Response(status_code=500),
    "403": lambda _message: JSONResponse({"message": "no"}, 403),
    "html": lambda _message: Response("<html>", media_type="text/html"),
    "no JSON": lambda message: result(message, "hello"),
    "no list": lambda message: result(message, '{"data": 5}'),
    "in circles": lambda message: result(message, _page_of([{"id": "p", "statuses": [OPEN]}])),
    "an error": lambda message: JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -1, "message": "no"}}),
}


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("name", FAILING)
def test_a_look_up_that_fails_ends_the_move(world: Any, serve: Serve, pauses: list[float], name: str) -> None:
    def before(message: Json, _request: Request) -> Response | None:
        return FAILING[name](message) if message.get("params", {}).get("name") == "list_pipelines" else None

    double, tools = serve(before=before)
    with pytest.raises(TerminalMoveNotConfirmed) as caught:
        world.do(tools.change_opportunity_status("o1", "Abierta"))
    assert caught.value.reason == "not looked up"
    assert isinstance(caught.value.__cause__, WorkbenchError)
    assert MOVE not in double.calls


@pytest.mark.requirement("OPP-3")
def test_a_key_that_is_not_accepted_says_so(world: Any, serve: Serve) -> None:
    double, tools = serve()
    world.do(tools.whoami())
    double.before = lambda _message, _request: JSONResponse({"message": "no"}, 401)
    with pytest.raises(Unauthorized):
        world.do(tools.change_opportunity_status("o1", "Abierta"))
    assert MOVE not in double.calls


@pytest.mark.requirement("OPP-3")
def test_a_stage_that_turned_terminal_is_caught(world: Any, serve: Serve) -> None:
    double, tools = serve()
    assert world.do(tools.change_opportunity_status("o1", "Abierta")).data["statusId"] == "Abierta"
    double.before = listing([stage("s1", "Abierta", isTerminal=True)])
    with pytest.raises(TerminalMoveNotConfirmed):
        world.do(tools.change_opportunity_status("o1", "Abierta"))
    assert double.calls == ["server/discover", "list_pipelines", MOVE, "list_pipelines"]
    assert double.seen[2].message["params"]["arguments"] == {"opportunity": "o1", "targetStatus": "Abierta"}


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("target", ["s2", "Ganada", "s3", "Perdida"])
def test_a_confirmed_move_is_sent_as_confirmed(world: Any, serve: Serve, target: str) -> None:
    double, tools = serve()
    world.do(tools.change_opportunity_status("o1", target, confirm_terminal=True))
    assert double.calls == ["server/discover", MOVE]
    assert double.seen[1].message["params"]["arguments"]["confirmTerminal"] is True
    with pytest.raises(TerminalMoveNotConfirmed):  # the confirmation was for that call alone
        world.do(tools.change_opportunity_status("o1", target))
    assert double.calls.count(MOVE) == 1


@pytest.mark.requirement("OPP-3")
def test_a_move_that_waited_is_looked_up_again(world: Any, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    double, tools = serve()
    monkeypatch.setattr(moves, "CLEARANCE_SECONDS", -1.0)
    with pytest.raises(TerminalMoveNotConfirmed) as caught:
        world.do(tools.change_opportunity_status("o1", "Abierta"))
    assert caught.value.reason == "not looked up"
    assert double.calls == ["server/discover"] + ["list_pipelines"] * moves.CLEARANCES_MAX


@pytest.mark.requirement("OPP-3")
def test_a_path_that_forgets_the_guard_sends_nothing(world: Any, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    double, tools = serve()

    async def forget(*_: Any) -> None:
        return None

    monkeypatch.setattr("workbench.client.tool_gate.Gate.clear", lambda *_: None)
    monkeypatch.setattr("workbench.client.tools.ensure_confirmed", forget)
    with pytest.raises(TerminalMoveNotConfirmed):
        world.do(tools.change_opportunity_status("o1", "Ganada"))
    assert MOVE not in double.calls
