"""No move that may close an opportunity leaves without a confirmation, whichever way it is asked for.

Carries the client's side of OPP-1 to OPP-4. Over a scripted account, since the embedded service does not move yet, and over a
loopback server where it matters which bytes leave.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from conftest import Hang, Received, Reset, Scripted, Step, answer
from ops_account import LOST, OPEN, OPPORTUNITY, PIPELINE, STAGES, WON, Account, opened, page_of, said

from workbench.client import calls, moves, workspace_calls
from workbench.client.errors import (
    ClientMisused,
    Conflict,
    Forbidden,
    InvalidArgument,
    NotFound,
    TerminalMoveNotConfirmed,
    TimedOut,
    Unauthorized,
    WorkbenchError,
)
from workbench.client.moves import Move
from workbench.client.options import Timeouts

PUT = f"PUT /v1/opportunities/{OPPORTUNITY}/status"
LOOKUP = "GET /v1/pipelines?page=1&pageSize=100"


class Truthy:
    """Equal to everything and true, and still not ``True``."""

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # equality without a meaning


NO_CONFIRMATION: dict[str, dict[str, Any]] = {
    "nothing said": {},
    **{repr(value): {"confirm_terminal": value} for value in (False, None, 0, 1, 1.0, "true", "True", "yes", [True], (True,))},
    "an object that equals True": {"confirm_terminal": Truthy()},
}

SPELLINGS: dict[str, Callable[[Any, str, dict[str, Any]], Any]] = {
    "move": lambda c, stage, o: c.opportunities.move(OPPORTUNITY, stage, **o),
    "keywords": lambda c, stage, o: c.opportunities.move(id=OPPORTUNITY, stage=stage, **o),
    "raw": lambda c, stage, o: c.raw.opportunities.move(OPPORTUNITY, stage, **o),
    "raw, keywords": lambda c, stage, o: c.raw.opportunities.move(stage=stage, id=OPPORTUNITY, **o),
    "with options": lambda c, stage, o: c.with_options(timeout=5).opportunities.move(OPPORTUNITY, stage, **o),
    "raw, with options": lambda c, stage, o: c.with_options(timeout=5).raw.opportunities.move(OPPORTUNITY, stage, **o),
}


def pipelines(*stages: Any, **extra: Any) -> httpx2.Response:
    return page_of([{"id": PIPELINE, "statuses": list(stages)}], **extra)


def breaking(error: type[httpx2.RequestError]) -> Callable[[httpx2.Request], httpx2.Response]:
    def fail(_request: httpx2.Request) -> httpx2.Response:
        raise error("broken")

    return fail


TERMINAL: dict[str, Any] = {
    "terminal": pipelines(*STAGES),
    "the other terminal one too": pipelines({"id": WON, "isTerminal": True}),
    **{
        f"isTerminal is {json.dumps(flag)}": pipelines({"id": WON, "name": "Ganada", "isTerminal": flag})
        for flag in (None, 0, 1, "false", "no", "", [], {}, [False])
    },
    "isTerminal is missing": pipelines({"id": WON, "name": "Ganada"}),
    "isTerminal in another spelling": pipelines({"id": WON, "is_terminal": False, "IsTerminal": False, "terminal": False}),
    "open in one pipeline, terminal in another": page_of(
        [
            {"id": "p1", "statuses": [{"id": WON, "isTerminal": False}]},
            {"id": "p2", "statuses": [{"id": WON, "isTerminal": True}]},
        ]
    ),
    "a pipeline sent twice, with another flag": page_of(
        [{"id": "p1", "statuses": [{"id": WON, "isTerminal": f}]} for f in (False, True)]
    ),
}

UNKNOWN: dict[str, Any] = {
    "no pipelines": page_of([]),
    "another stage": pipelines({"id": OPEN, "isTerminal": False}),
    "upper case": pipelines({"id": WON.upper(), "isTerminal": False}),
    "with spaces": pipelines({"id": f" {WON} ", "isTerminal": False}),
    "under its name": pipelines({"id": OPEN, "name": WON, "isTerminal": False}),
    "stages that are none": pipelines(None, WON, 7, [WON], {WON: False}),
    "pipelines that are none": page_of([None, WON, [{"id": WON, "isTerminal": False}], {"statuses": {"id": WON}}]),
    "stages in another place": page_of([{"id": PIPELINE, "stages": [{"id": WON, "isTerminal": False}]}]),
}

FAILING: dict[str, Any] = {
    "500": said(500),
    "503 with a wait": httpx2.Response(503, headers={"retry-after": "1"}),
    "404": said(404, "NOT_FOUND"),
    "403": said(403, "FORBIDDEN"),
    "429 for ever": httpx2.Response(429),
    "HTML": httpx2.Response(200, content=b"<html>Log in</html>", headers={"content-type": "text/html"}),
    "HTML that refuses": httpx2.Response(502, content=b"<html>Bad gateway</html>", headers={"content-type": "text/html"}),
    "empty": httpx2.Response(200),
    "null": httpx2.Response(200, json=None),
    "a bare list": httpx2.Response(200, json=[{"id": PIPELINE, "statuses": [{"id": WON, "isTerminal": False}]}]),
    "a failure with status 200": httpx2.Response(200, json={"statusCode": 500, "message": "x"}),
    "data that is no list": httpx2.Response(200, json={"data": {WON: {"isTerminal": False}}}),
    "redirected elsewhere": httpx2.Response(302, headers={"location": "https://other.example/v1/pipelines"}),
    "timed out": breaking(httpx2.ReadTimeout),
    "no connection": breaking(httpx2.ConnectError),
    "broken off": breaking(httpx2.RemoteProtocolError),
}


@pytest.mark.parametrize("confirm", NO_CONFIRMATION)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_without_confirmation_sends_no_move(
    world: Any, spelling: str, confirm: str, pauses: list[float]
) -> None:
    for name, listed in {**TERMINAL, **UNKNOWN}.items():
        account = Account({"GET /v1/pipelines": listed})
        with pytest.raises(TerminalMoveNotConfirmed) as caught:
            world.do(SPELLINGS[spelling](opened(world, account), WON, NO_CONFIRMATION[confirm]))
        assert account.lines == [LOOKUP], name
        assert (caught.value.opportunity, caught.value.stage) == (OPPORTUNITY, WON)
        assert caught.value.reason in {"terminal", "not stated", "not found"}
    assert pauses == []


@pytest.mark.parametrize("failure", FAILING)
def test_a_look_up_that_fails_sends_no_move_and_says_why(world: Any, failure: str, pauses: list[float]) -> None:
    for spelling in SPELLINGS.values():
        account = Account({"GET /v1/pipelines": FAILING[failure]})
        with pytest.raises(TerminalMoveNotConfirmed, match="could not be looked up") as caught:
            world.do(spelling(opened(world, account), WON, {}))
        assert account.writes == []
        assert caught.value.reason == "not looked up"
        cause = caught.value.__cause__
        assert isinstance(cause, WorkbenchError)
        assert cause.operation == "pipelines.list"
        assert str(cause).rstrip(". ") in str(caught.value)


def test_a_failure_on_a_later_page_sends_no_move_even_if_the_stage_was_found_open(world: Any, pauses: list[float]) -> None:
    def second_page_fails(request: httpx2.Request) -> httpx2.Response:
        first = request.url.params["page"] == "1"
        return pipelines({"id": WON, "isTerminal": False}, more=True) if first else said(500)

    account = Account({"GET /v1/pipelines": second_page_fails})
    with pytest.raises(TerminalMoveNotConfirmed, match="could not be looked up"):
        world.do(opened(world, account).opportunities.move(OPPORTUNITY, WON))
    assert account.writes == []


@pytest.mark.parametrize("place", [1, 2, 5])
@pytest.mark.parametrize("terminal", [True, False, None])
def test_the_stage_is_found_on_whichever_page_it_is(world: Any, place: int, terminal: bool | None) -> None:
    def paged(request: httpx2.Request) -> httpx2.Response:
        page = int(request.url.params["page"])
        stage = {"id": WON, "isTerminal": terminal} if page == place else {"id": f"other-{page}", "isTerminal": False}
        return page_of([{"id": f"p{page}", "statuses": [stage]}], page=page, more=page < 5)

    account = Account({"GET /v1/pipelines": paged})
    client = opened(world, account)
    if terminal is False:
        world.do(client.opportunities.move(OPPORTUNITY, WON))
    else:
        with pytest.raises(TerminalMoveNotConfirmed):
            world.do(client.opportunities.move(OPPORTUNITY, WON))
    asked = [f"GET /v1/pipelines?page={page}&pageSize=100" for page in range(1, 6)]
    assert account.lines == asked + ([PUT] if terminal is False else [])


def test_a_list_that_never_ends_sends_no_move(world: Any) -> None:
    account = Account({"GET /v1/pipelines": pipelines({"id": OPEN, "isTerminal": False}, more=True)})
    with pytest.raises(TerminalMoveNotConfirmed, match="could not be looked up"):
        world.do(opened(world, account).opportunities.move(OPPORTUNITY, OPEN))
    assert account.writes == []
    assert len(account.requests) <= 5


def test_a_stage_that_turned_terminal_since_it_was_last_seen_is_caught(world: Any) -> None:
    account = Account()
    client = opened(world, account)
    (pipeline,) = world.do(client.pipelines.list())
    assert pipeline.statuses[0].is_terminal is False
    world.do(client.opportunities.move(OPPORTUNITY, OPEN))
    account.answers["GET /v1/pipelines"] = pipelines({"id": OPEN, "name": "En estudio", "isTerminal": True})
    for face in (client, client.raw):
        with pytest.raises(TerminalMoveNotConfirmed, match="'En estudio'"):
            world.do(face.opportunities.move(OPPORTUNITY, OPEN))
    assert account.writes == [PUT]


def test_a_stage_that_turns_terminal_while_the_move_waits_for_the_limit_is_caught(
    world: Any, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(moves, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def limited(_request: httpx2.Request) -> httpx2.Response:
        clock.now += 60
        account.answers["GET /v1/pipelines"] = pipelines({"id": OPEN, "isTerminal": True})
        return httpx2.Response(429, headers={"retry-after": "60"})

    account = Account({PUT: limited})
    with pytest.raises(TerminalMoveNotConfirmed, match=r"is terminal.*is not sent again"):
        world.do(opened(world, account).opportunities.move(OPPORTUNITY, OPEN))
    assert account.lines == [LOOKUP, PUT, LOOKUP]
    assert pauses == [60.0]


def test_a_move_that_waited_is_sent_once_its_stage_is_found_open_again(
    world: Any, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(moves, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def limited_once(_request: httpx2.Request) -> httpx2.Response:
        clock.now += 60
        account.answers[PUT] = httpx2.Response(204)
        return httpx2.Response(429, headers={"retry-after": "60"})

    account = Account({PUT: limited_once})
    assert world.do(opened(world, account).raw.opportunities.move(OPPORTUNITY, OPEN)).status == 204
    assert account.lines == [LOOKUP, PUT, LOOKUP, PUT]


def test_a_move_that_waits_for_ever_is_given_up(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "CLEARANCE_SECONDS", -1)
    account = Account()
    with pytest.raises(TerminalMoveNotConfirmed, match="waited too long each time"):
        world.do(opened(world, account).opportunities.move(OPPORTUNITY, OPEN))
    assert account.lines == [LOOKUP] * moves.CLEARANCES_MAX


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_confirmed_move_is_sent_whatever_a_look_up_would_say(world: Any, spelling: str) -> None:
    for listed in itertools.chain(TERMINAL.values(), UNKNOWN.values(), FAILING.values()):
        account = Account({"GET /v1/pipelines": listed})
        world.do(SPELLINGS[spelling](opened(world, account), WON, {"confirm_terminal": True}))
        assert account.lines == [PUT]
        assert account.bodies == [{"targetStatusId": WON}]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_move_to_an_open_stage_needs_no_confirmation(world: Any, spelling: str) -> None:
    account = Account()
    world.do(SPELLINGS[spelling](opened(world, account), OPEN, {}))
    assert account.lines == [LOOKUP, PUT]
    assert account.requests[-1].content == f'{{"targetStatusId":"{OPEN}"}}'.encode()


@pytest.mark.parametrize(
    "stage",
    [
        WON.upper(),
        f" {WON}",
        f"{WON}\n",
        f"{{{WON}}}",
        f"urn:uuid:{WON}",
        WON.replace("-", ""),
        "Ganada",
        f"{WON}/",
        f"{WON}\x00",
    ],
)
def test_another_spelling_of_a_terminal_stage_s_id_does_not_pass_either(world: Any, stage: str) -> None:
    account = Account()
    with pytest.raises(TerminalMoveNotConfirmed):
        world.do(opened(world, account).opportunities.move(OPPORTUNITY, stage))
    assert account.writes == []


def test_the_error_names_the_stage_and_the_way_on(world: Any) -> None:
    client = opened(world, Account())
    with pytest.raises(TerminalMoveNotConfirmed) as caught:
        world.do(client.opportunities.move(OPPORTUNITY, LOST, confirm_terminal="true"))
    assert str(caught.value) == (
        f"opportunities.move: stage 'Perdida' ('{LOST}') is terminal: reaching it closes the opportunity, and there is no "
        "undo. The move was not sent. If it is to close the opportunity for good, pass confirm_terminal=True "
        "(True itself, not 'true')."
    )
    assert (caught.value.stage_name, caught.value.reason) == ("Perdida", "terminal")


def test_a_key_that_is_not_accepted_and_a_closed_client_are_what_they_are(world: Any) -> None:
    account = Account({"GET /v1/pipelines": said(401, "UNAUTHORIZED")})
    client = opened(world, account)
    with pytest.raises(Unauthorized):
        world.do(client.opportunities.move(OPPORTUNITY, OPEN))
    world.do(client.aclose() if world.kind == "async" else client.close())
    for confirm in (False, True):
        with pytest.raises(ClientMisused):
            world.do(client.opportunities.move(OPPORTUNITY, OPEN, confirm_terminal=confirm))
    assert account.writes == []


@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize(
    ("refusal", "kind", "words"),
    [
        (said(409, "OPPORTUNITY_CLOSED"), Conflict, "A closed opportunity does not move any more"),
        (said(409), Conflict, "Read the object again"),
        (said(403, "FORBIDDEN"), Forbidden, "Use a key of the account"),
        (said(404, "NOT_FOUND"), NotFound, "Check the id"),
    ],
)
def test_a_refused_move_is_a_typed_error_and_sent_once(world: Any, refusal: httpx2.Response, kind: type, words: str) -> None:
    account = Account({PUT: refusal})
    with pytest.raises(kind, match=words) as caught:
        world.do(opened(world, account).opportunities.move(OPPORTUNITY, OPEN))
    assert caught.value.operation == "opportunities.move"
    assert account.lines == [LOOKUP, PUT]


def test_a_path_that_forgets_the_guard_sends_nothing(world: Any) -> None:
    account = Account()
    client = opened(world, account)
    forgotten = workspace_calls.move_opportunity(OPPORTUNITY, Move(OPEN, True))
    assert type(forgotten) is calls.Call
    for send in (client._driver.raw, client._driver.read):
        with pytest.raises(TerminalMoveNotConfirmed, match="was not checked"):
            world.do(send(forgotten))
    assert account.requests == []


@pytest.mark.parametrize("stage", ["", " ", None, 7, True, b"x"])
@pytest.mark.parametrize("confirm", [False, True])
def test_a_stage_that_is_no_text_is_refused_confirmed_or_not(world: Any, stage: Any, confirm: bool) -> None:
    account = Account()
    for face in (client := opened(world, account), client.raw):
        with pytest.raises(InvalidArgument, match=r"^stage: "):
            world.do(face.opportunities.move(OPPORTUNITY, stage, confirm_terminal=confirm))
    assert account.requests == []


def listing(*stages: dict[str, Any]) -> bytes:
    body = {"data": [{"id": PIPELINE, "statuses": list(stages)}], "pagination": {"page": 1, "hasNextPage": False}}
    return answer(body=json.dumps(body).encode())


ON_THE_WIRE: dict[str, list[Step]] = {
    "terminal": [listing({"id": WON, "isTerminal": True})],
    "not stated": [listing({"id": WON})],
    "no such stage": [listing({"id": OPEN, "isTerminal": False})],
    "500": [answer(500)],
    "404": [answer(404)],
    "HTML": [answer(body=b"<html></html>", headers=["Content-Type: text/html"])],
    "half a body": [answer(body=listing({"id": WON, "isTerminal": False}), length=100_000) + b"", Reset],
    "reset": [Reset],
    "silence": [Hang],
    "silence after the head": [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", Hang],
    "garbage": [b"\x00\x01\x02\r\n\r\n"],
}


@pytest.mark.parametrize("name", ON_THE_WIRE)
def test_over_a_socket_no_byte_of_a_move_leaves(
    world: Any, name: str, scripted: Callable[[Any], Scripted], pauses: list[float]
) -> None:
    def play(received: Received) -> list[Step]:
        return ON_THE_WIRE[name] if received.method == "GET" else [answer(204, b"")]

    server = scripted(play)
    client = world.open(server.url, timeout=Timeouts(read=0.2), rate_window=False)
    for face in (client, client.raw):
        with pytest.raises(TerminalMoveNotConfirmed) as caught:
            world.do(face.opportunities.move(OPPORTUNITY, WON))
        if name.startswith("silence"):
            assert isinstance(caught.value.__cause__, TimedOut)
    assert {received.method for received in server.received} == {"GET"}
    world.do(client.opportunities.move(OPPORTUNITY, WON, confirm_terminal=True))
    assert (server.received[-1].method, server.received[-1].body) == ("PUT", f'{{"targetStatusId":"{WON}"}}'.encode())
