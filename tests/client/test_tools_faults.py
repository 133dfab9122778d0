"""What goes wrong on the way to the tool server: the same typed errors as for REST, and a session that lives on."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from conftest import Hang, Received, Reset, Scripted, Step, answer
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from tool_server_double import KEY, REST_KEY, Json, Pool, ToolServerDouble

import workbench
from workbench.client import AsyncClient
from workbench.client.errors import (
    ConnectionFailed,
    Forbidden,
    InvalidArgument,
    NotFound,
    NoToolServer,
    RateLimited,
    ServerFault,
    TimedOut,
    ToolRefused,
    ToolsNotEnabled,
    Unauthorized,
    UnexpectedAnswer,
    WorkbenchError,
)
from workbench.client.options import Timeouts, Waiting
from workbench.client.policy.rate_window import PADDED_WINDOW_SECONDS

Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
Serve = Callable[..., tuple[ToolServerDouble, str]]
REST = "https://api.example.org"
DISCOVERED = {
    "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete", "ttlMs": 0,
    "cacheScope": "public",
}  # fmt: skip
GOOD = {"content": [{"type": "text", "text": '{"id": "t1"}'}], "resultType": "complete"}


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = Pool()
    yield made
    made.close()


@pytest.fixture
def serve(pool: Pool) -> Iterator[Serve]:
    yield pool.lend
    pool.take_back()


def opened(world: Any, url: str, key: str = KEY, **options: Any) -> Any:
    options = {"rate_window": False, "mcp_url": f"{url}/mcp"} | options
    return world.open(REST, key, **options).tool_server()


def rpc(received: Received, result: Any) -> bytes:
    """A JSON-RPC answer to what was received."""
    body = json.dumps({"jsonrpc": "2.0", "id": json.loads(received.body)["id"], "result": result})
    return answer(body=body.encode())


def called(received: Received) -> str:
    message = json.loads(received.body)
    return str(message.get("params", {}).get("name") or message["method"])


@pytest.mark.parametrize("era", ["both", "older"])
def test_a_key_that_is_not_accepted(world: Any, serve: Serve, era: str) -> None:
    double, url = serve(era=era)
    tools = opened(world, url, key="some-other-key")
    with pytest.raises(Unauthorized, match="Missing or invalid API key") as caught:
        world.do(tools.whoami())
    assert (caught.value.status, caught.value.operation) == (401, "tools.connect")
    assert double.calls == ["server/discover"]


def test_a_key_without_the_tool_flag(world: Any, serve: Serve) -> None:
    double, url = serve()
    with pytest.raises(ToolsNotEnabled) as caught:
        world.do(opened(world, url, key=REST_KEY).whoami())
    assert isinstance(caught.value, Forbidden)
    assert caught.value.status == 403
    assert "This API key is not enabled for MCP access" in str(caught.value)
    assert "Whoever runs the service switches that access on for a key (the MCP flag)" in str(caught.value)
    assert double.calls == ["server/discover"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - our own bytes


def test_a_key_that_ends_in_the_middle_of_a_session(world: Any, serve: Serve) -> None:
    double, url = serve()
    tools = opened(world, url)
    world.do(tools.whoami())
    double.before = lambda _message, _request: JSONResponse({"statusCode": 401, "message": "The key has expired"}, 401)
    with pytest.raises(Unauthorized, match="The key has expired") as caught:
        world.do(tools.get_cpv("45000000"))
    assert caught.value.operation == "tools.get_cpv"
    double.before = None
    assert world.do(tools.get_cpv("45000000")).data["code"] == "45000000"
    assert double.calls.count("server/discover") == 1


@pytest.mark.requirement("LIM-2")
@pytest.mark.parametrize("where", ["server/discover", "get_cpv"])
def test_a_full_window_is_waited_out_and_told(world: Any, serve: Serve, pauses: list[float], where: str) -> None:
    double, url = serve()
    told: list[Waiting] = []

    def before(_message: Json, _request: Request) -> Response | None:
        busy = double.calls.count(where) <= 2 and double.calls[-1] == where
        return JSONResponse({"message": "slow down"}, 429, headers={"Retry-After": "7"}) if busy else None

    double.before = before
    tools = opened(world, url, on_wait=told.append)
    assert world.do(tools.get_cpv("45000000")).data["code"] == "45000000"
    assert double.calls.count(where) == 3
    assert pauses == [7.0, 7.0]
    assert [one.reason for one in told] == ["rate limit", "rate limit"]


@pytest.mark.requirement("LIM-2")
def test_a_window_that_stays_full_is_an_error(world: Any, serve: Serve, pauses: list[float]) -> None:
    double, url = serve()
    tools = opened(world, url)
    world.do(tools.whoami())
    double.before = lambda _message, _request: JSONResponse({"message": "slow down"}, 429)
    with pytest.raises(RateLimited) as caught:
        world.do(tools.create_opportunity_task("o1", "t", confirmed=True))
    assert caught.value.operation == "tools.create_opportunity_task"
    assert len(pauses) == 5


class _Enough(Exception):
    """What a listener raises when it has seen enough."""


@pytest.mark.requirement("LIM-2")
@pytest.mark.parametrize(("era", "opening"), [("both", 1), ("older", 3)])
def test_thirty_requests_a_minute_leave_and_the_next_waits(world: Any, serve: Serve, era: str, opening: int) -> None:
    double, url = serve(era=era)
    told: list[Waiting] = []

    def stop(waiting: Waiting) -> None:
        told.append(waiting)
        raise _Enough

    tools = opened(world, url, key=f"{KEY}-{world.kind}-{era}", rate_window=True, on_wait=stop)
    for _ in range(30 - opening):
        world.do(tools.whoami())
    assert len(double.seen) == 30
    assert told == []
    for _ in range(2):
        with pytest.raises(_Enough):
            world.do(tools.get_cpv("45000000"))
    assert len(double.seen) == 30
    assert told[0].operation == "tools.get_cpv"
    assert 0 < told[0].seconds <= PADDED_WINDOW_SECONDS


@pytest.mark.requirement("LIM-2")
def test_rest_and_tools_are_counted_apart(world: Any) -> None:
    names: list[str] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        if request.url.path != "/mcp":
            return httpx2.Response(200, json={"account": {"id": "acme"}})
        message = json.loads(request.content)
        names.append(message["method"])
        result = DISCOVERED if message["method"] == "server/discover" else GOOD
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": message["id"], "result": result})

    client = world.open(
        f"https://{world.kind}.example.org", KEY, handler=handler, on_wait=lambda waiting: pytest.fail(f"{waiting} for nothing")
    )
    for _ in range(29):
        world.do(client.whoami())
        world.do(client.whoami())
        world.do(client.tool_server().whoami())
    assert len(names) == 30


FAULTS: dict[str, tuple[Callable[[Received], list[Step]], type[Exception], int, int]] = {
    "closed at once": (lambda _r: [], ConnectionFailed, 4, 1),
    "reset": (lambda _r: [Reset], ConnectionFailed, 4, 1),
    "reset in the body": (lambda _r: [answer(body=b'{"js', length=90), Reset], ConnectionFailed, 4, 1),
    "no HTTP": (lambda _r: [b"SSH-2.0\r\n\r\nConnection: close"], ConnectionFailed, 4, 1),
    "gzip garbage": (lambda _r: [answer(body=b"\x1f\x8bgarbage", headers=["Content-Encoding: gzip"])], ConnectionFailed, 4, 1),
    "hangs": (lambda _r: [Hang], TimedOut, 2, 1),
    "500": (lambda _r: [answer(500)], ServerFault, 4, 1),
    "502 html": (lambda _r: [answer(502, b"<html>", headers=["Content-Type: text/html"])], ServerFault, 4, 1),
    "400": (lambda _r: [answer(400, b'{"message": "no"}')], WorkbenchError, 1, 1),
    "html": (lambda _r: [answer(body=b"<html>Sign in", headers=["Content-Type: text/html"])], UnexpectedAnswer, 1, 1),
    "empty": (lambda _r: [answer(body=b"")], UnexpectedAnswer, 1, 1),
    "202": (lambda _r: [answer(202, b"")], UnexpectedAnswer, 1, 1),
    "half the JSON": (lambda _r: [answer(body=b'{"jsonrpc": "2.0", "id"')], UnexpectedAnswer, 1, 1),
    "no JSON-RPC": (lambda _r: [answer(body=b'{"data": []}')], UnexpectedAnswer, 1, 1),
    "an error of text": (lambda _r: [answer(body=b'{"jsonrpc": "2.0", "id": 1, "error": "no"}')], UnexpectedAnswer, 1, 1),
    "a result of text": (lambda _r: [answer(body=b'{"jsonrpc": "2.0", "id": 1, "result": "no"}')], UnexpectedAnswer, 1, 1),
    "a result of another shape": (lambda r: [rpc(r, {"tools": 5})], UnexpectedAnswer, 1, 1),
    "no content": (lambda r: [rpc(r, {"content": [], "resultType": "complete"})], UnexpectedAnswer, 1, 1),
    "text that is no JSON": (
        lambda r: [rpc(r, {"content": [{"type": "text", "text": "hello"}], "resultType": "complete"})],
        UnexpectedAnswer, 1, 1,
    ),
    "events without an answer": (
        lambda _r: [answer(body=b"data: {}\n\n", headers=["Content-Type: text/event-stream"])], ConnectionFailed, 4, 1,
    ),
    "redirect to another host": (
        lambda _r: [answer(307, b"", headers=["Location: https://elsewhere.example/mcp"])], ConnectionFailed, 1, 1,
    ),
    "redirect that loses the body": (lambda _r: [answer(302, b"", headers=["Location: /mcp"])], ConnectionFailed, 1, 1),
    "redirect in circles": (lambda _r: [answer(307, b"", headers=["Location: /mcp"])], ConnectionFailed, 6, 6),
}  # fmt: skip


@pytest.mark.parametrize("tool", ["get_cpv", "create_opportunity_task"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_typed_error_and_the_session_lives_on(
    world: Any, scripted: Start, pauses: list[float], name: str, tool: str
) -> None:
    steps, kind, reads, writes = FAULTS[name]
    broken = True

    def script(received: Received) -> list[Step]:
        if called(received) == "server/discover":
            return [rpc(received, DISCOVERED)]
        return steps(received) if broken else [rpc(received, GOOD)]

    server = scripted(script)
    tools = opened(world, server.url, timeout=Timeouts(read=0.2))
    arguments = {"code": "45000000"} if tool == "get_cpv" else {"opportunity": "o1", "title": "t", "confirmed": True}
    with pytest.raises(kind) as caught:
        world.do(tools.call(tool, arguments))
    assert len([one for one in server.received if called(one) == tool]) == (reads if tool == "get_cpv" else writes)
    assert caught.value.operation == f"tools.{tool}"
    assert str(caught.value).isprintable()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - our own bytes
    broken = False
    assert world.do(tools.call(tool, arguments)).data == {"id": "t1"}
    assert len([one for one in server.received if called(one) == "server/discover"]) == 1


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_at_the_opening_is_a_typed_error_and_the_next_call_opens_again(
    world: Any, scripted: Start, pauses: list[float], name: str
) -> None:
    steps, _, _, _ = FAULTS[name]
    broken = True

    def script(received: Received) -> list[Step]:
        if broken:
            return steps(received)
        return [rpc(received, DISCOVERED if called(received) == "server/discover" else GOOD)]

    server = scripted(script)
    tools = opened(world, server.url, timeout=Timeouts(read=0.2))
    with pytest.raises(WorkbenchError) as caught:
        world.do(tools.whoami())
    assert caught.value.operation == "tools.connect"
    assert not isinstance(caught.value, ToolRefused)
    broken = False
    assert world.do(tools.whoami()).data == {"id": "t1"}


def test_nobody_listens(world: Any, pauses: list[float]) -> None:
    tools = opened(world, "http://127.0.0.1:9")
    with pytest.raises(ConnectionFailed) as caught:
        world.do(tools.whoami())
    assert caught.value.arrived is False
    assert "http://127.0.0.1:9" in str(caught.value)


@pytest.mark.parametrize("given", [True, False])
def test_no_tool_server_at_the_address(world: Any, serve: Serve, given: bool) -> None:
    _, url = serve()
    client = world.open(f"{url}/elsewhere", KEY, mcp_url=f"{url}/elsewhere/tools" if given else None, rate_window=False)
    with pytest.raises(NoToolServer) as caught:
        world.do(client.tool_server().whoami())
    assert isinstance(caught.value, NotFound)
    assert f"{url}/elsewhere/{'tools' if given else 'mcp'}" in str(caught.value)
    assert ("made from the base URL" in str(caught.value)) is not given
    assert "WORKBENCH_MCP_URL" in str(caught.value)


def test_the_embedded_service_says_that_it_has_no_tools(tmp_path: Path) -> None:
    async def asynchronous() -> None:
        async with workbench.aconnect("local", data=tmp_path) as client:
            with pytest.raises(NoToolServer, match="The embedded service of this version has no tool server"):
                await client.tool_server().whoami()
            assert (await client.whoami()).account is not None

    asyncio.run(asynchronous())
    with workbench.connect("local", data=tmp_path) as client:
        with pytest.raises(NoToolServer, match="The embedded service of this version has no tool server"):
            client.tool_server().whoami()
        assert client.whoami().account is not None


@pytest.mark.parametrize(
    "url", ["http://tools.example.org/mcp", "ftp://tools.example.org", "https://a:b@tools.example.org", "x"]
)
def test_an_address_that_cannot_be_used(world: Any, url: str) -> None:
    client = world.open(REST, KEY, mcp_url=url)
    with pytest.raises(InvalidArgument) as caught:
        client.tool_server()
    assert caught.value.field == "mcp_url"


def test_a_json_rpc_error_is_the_tools_refusal(world: Any, scripted: Start) -> None:
    def script(received: Received) -> list[Step]:
        if called(received) == "server/discover":
            return [rpc(received, DISCOVERED)]
        body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32602, "message": f"Unknown \x1b[31mtool\n{KEY}"}}
        return [answer(400, json.dumps(body).encode())]

    tools = opened(world, scripted(script).url)
    with pytest.raises(ToolRefused) as caught:
        world.do(tools.call("whoami"))
    assert str(caught.value) == "The tool whoami refused: Unknown [31mtool [hidden]."


def test_a_server_that_echoes_the_key_does_not_print_it(world: Any, scripted: Start) -> None:
    def script(received: Received) -> list[Step]:
        if called(received) == "server/discover":
            return [rpc(received, DISCOVERED)]
        refused = {"content": [{"type": "text", "text": f'{{"error": "key {KEY} may not"}}'}], "isError": True}
        return [rpc(received, refused | {"resultType": "complete"})]

    tools = opened(world, scripted(script).url)
    with pytest.raises(ToolRefused, match=r"refused: key \[hidden\] may not\.$"):
        world.do(tools.whoami())
    assert KEY not in repr(world.do(tools.call("whoami")))


def test_a_session_that_the_server_forgot_is_opened_again(world: Any, scripted: Start) -> None:
    sessions: list[str] = []

    def script(received: Received) -> list[Step]:
        method = called(received)
        if method == "server/discover":
            return [answer(405)]
        if method == "initialize":
            sessions.append(f"s{len(sessions)}")
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
            body = json.dumps({"jsonrpc": "2.0", "id": json.loads(received.body)["id"], "result": hello})
            return [answer(body=body.encode(), headers=[f"Mcp-Session-Id: {sessions[-1]}"])]
        if method == "notifications/initialized":
            return [answer(202, b"")]
        if received.headers.get("mcp-session-id") == "s0" and len(asked(server)) > 1:
            return [answer(404, b'{"message": "Session not found"}')]
        return [rpc(received, GOOD)]

    def asked(server: Scripted) -> list[Received]:
        return [one for one in server.received if called(one) == "create_opportunity_task"]

    server = scripted(script)
    tools = opened(world, server.url)
    for _ in range(3):
        assert world.do(tools.create_opportunity_task("o1", "t", confirmed=True)).data == {"id": "t1"}
    assert [one.headers["mcp-session-id"] for one in asked(server)] == ["s0", "s0", "s1", "s1"]
    assert sessions == ["s0", "s1"]
    assert {one.method for one in server.received} == {"POST"}


@pytest.mark.parametrize("era", ["both", "older"])
def test_a_cancelled_call_frees_the_line_and_leaves_the_session(serve: Serve, era: str) -> None:
    double, url = serve(era=era)

    async def scenario() -> None:
        held, let_go = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        async def hold(_scope: Any, receive: Any, _send: Any) -> None:
            loop.call_soon_threadsafe(held.set)
            while (await receive())["type"] != "http.disconnect":
                pass
            loop.call_soon_threadsafe(let_go.set)

        double.before = lambda message, _request: hold if message.get("params", {}).get("name") == "get_cpv" else None
        async with AsyncClient(REST, KEY, mcp_url=f"{url}/mcp", rate_window=False) as client:
            tools = client.tool_server()
            slow = asyncio.create_task(tools.get_cpv("45000000"))
            await held.wait()
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            await let_go.wait()
            assert (await tools.whoami()).data["account"] == {"id": "acme"}
        assert "notifications/cancelled" not in double.calls
        assert double.calls.count("server/discover") == 1

    asyncio.run(scenario())


def test_a_cancelled_opening_leaves_it_to_the_others(serve: Serve) -> None:
    double, url = serve()

    async def scenario() -> None:
        async with AsyncClient(REST, KEY, mcp_url=f"{url}/mcp", rate_window=False) as client:
            tools = client.tool_server()
            first, second = asyncio.create_task(tools.whoami()), asyncio.create_task(tools.get_cpv("45000000"))
            await asyncio.sleep(0)
            first.cancel()
            assert (await second).data["code"] == "45000000"
        assert double.calls == ["server/discover", "get_cpv"]

    asyncio.run(scenario())


def test_closing_in_the_middle_ends_what_is_under_way(serve: Serve) -> None:
    double, url = serve()

    async def scenario() -> None:
        held = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def hold(_scope: Any, receive: Any, _send: Any) -> None:
            loop.call_soon_threadsafe(held.set)
            while (await receive())["type"] != "http.disconnect":
                pass

        double.before = lambda message, _request: hold if message.get("params", {}).get("name") == "get_cpv" else None
        async with AsyncClient(REST, KEY, mcp_url=f"{url}/mcp", rate_window=False) as client:
            slow = asyncio.create_task(client.tool_server().get_cpv("45000000"))
            await held.wait()
        with pytest.raises(WorkbenchError):
            await slow

    asyncio.run(scenario())


@pytest.mark.requirement("AUTH-8")
def test_the_key_stays_at_the_origin_of_the_tool_server(world: Any, serve: Serve) -> None:
    elsewhere, there = serve()
    double, url = serve(before=lambda _message, _request: RedirectResponse(f"{there}/mcp", 307))
    with pytest.raises(ConnectionFailed, match="where the API key does not go by itself"):
        world.do(opened(world, url).whoami())
    assert len(double.seen) == 1
    assert elsewhere.seen == []


def test_a_redirect_within_the_origin_is_followed(world: Any, serve: Serve) -> None:
    def before(_message: Json, request: Request) -> Response | None:
        return RedirectResponse("/mcp", 307) if request.url.path == "/tools/" else None

    double, url = serve(before=before)
    tools = opened(world, url, mcp_url=f"{url}/tools/")
    assert world.do(tools.whoami()).data["account"] == {"id": "acme"}
    assert len(double.seen) == 4


@pytest.mark.requirement("AUTH-8")
def test_the_key_is_in_no_log_and_no_traceback(world: Any, serve: Serve) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        double, url = serve()
        tools = opened(world, url)
        world.do(tools.search_tenders(text="obras"))
        texts = [repr(tools), repr(vars(tools))]
        for trouble in (
            JSONResponse({"message": f"no, {KEY}"}, 401),
            HTMLResponse(f"<p>{KEY}"),
            JSONResponse({"message": f"api-key: {KEY}"}, 403),
        ):
            double.before = lambda _message, _request, trouble=trouble: trouble
            with pytest.raises(WorkbenchError) as caught:
                world.do(tools.whoami())
            shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
            texts += [f"{frame.name}: {frame.locals}" for frame in shown.stack if "/tests/" not in frame.filename]
            texts += [str(caught.value), repr(vars(caught.value)), str(pickle.dumps(caught.value))]
            assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert "search_tenders" in stream.getvalue()
    assert len(texts) > 20
    for text in (*texts, stream.getvalue()):
        assert KEY not in text
