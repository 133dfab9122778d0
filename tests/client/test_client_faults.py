"""A server on loopback that breaks every rule: a typed error each, and the right number of attempts."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import pickle
import random
import socket
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import httpx2
import pytest
from conftest import CANARY, Hang, Received, Reset, Scripted, Step, answer

from workbench.client import AsyncClient, Client
from workbench.client.calls import Call
from workbench.client.errors import ClientMisused, ConnectionFailed, NotFound, ServerFault, TimedOut, UnexpectedAnswer
from workbench.client.options import Timeouts
from workbench.contract import operations as op

GOOD = answer(body=b'{"id": "t1"}')
Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
FAULTS: dict[str, tuple[list[Step], type[Exception], int]] = {
    "closed at once": ([], ConnectionFailed, 4),
    "reset": ([Reset], ConnectionFailed, 4),
    "reset in the body": ([answer(body=b'{"id"', length=50), Reset], ConnectionFailed, 4),
    "shorter than promised": ([answer(body=b'{"id": "t1"}', length=500, headers=["Connection: close"])], ConnectionFailed, 4),
    "no HTTP": ([b"SSH-2.0-OpenSSH_9.2\r\n\r\nConnection: close"], ConnectionFailed, 4),
    "half a header": ([b"HTTP/1.1 200 OK\r\nContent-Le", Reset], ConnectionFailed, 4),
    "gzip garbage": ([answer(body=b"\x1f\x8b\x08garbage", headers=["Content-Encoding: gzip"])], ConnectionFailed, 4),
    "hangs": ([Hang], TimedOut, 2),
    "hangs in the body": ([answer(body=b'{"id"', length=50), Hang], TimedOut, 2),
    "500": ([answer(500)], ServerFault, 4),
    "503 for long": ([answer(503, headers=["Retry-After: 600"])], ServerFault, 1),
    "501": ([answer(501)], ServerFault, 1),
    "404": ([answer(404)], NotFound, 1),
    "html": ([answer(body=b"<html>Sign in</html>", headers=["Content-Type: text/html"])], UnexpectedAnswer, 1),
    "empty": ([answer(body=b"")], UnexpectedAnswer, 1),
    "204": ([b"HTTP/1.1 204 X\r\n\r\n"], UnexpectedAnswer, 1),
    "half the JSON": ([answer(body=b'{"id": "t')], UnexpectedAnswer, 1),
    "gzip cut short": (
        [answer(body=gzip.compress(json.dumps(list(range(5000))).encode())[:-900], headers=["Content-Encoding: gzip"])],
        UnexpectedAnswer,
        1,
    ),
    "redirect in circles": ([answer(302, headers=["Location: /v1/tenders/t1"])], ConnectionFailed, 6),
    "redirect to nowhere": ([answer(302)], ConnectionFailed, 1),
    "redirect to a file": ([answer(302, headers=["Location: file:///etc/passwd"])], ConnectionFailed, 1),
    "garbage in the location": ([answer(302, headers=["Location: http://[::1"])], ConnectionFailed, 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_typed_error_after_the_right_number_of_attempts(
    world: Any, scripted: Start, pauses: list[float], name: str
) -> None:
    steps, kind, attempts = FAULTS[name]
    server = scripted(lambda _received: steps)
    client = world.open(server.url, key=f"fault-{name.replace(' ', '-')}", timeout=Timeouts(read=0.15))
    with pytest.raises(kind) as caught:
        world.do(client.tenders.get("t1"))
    assert len(server.received) == attempts
    assert str(caught.value).isprintable()
    assert "tenders.get" in str(caught.value) or "redirect" in str(caught.value)
    assert caught.value.operation == "tenders.get"
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", ["closed at once", "reset", "reset in the body", "gzip garbage", "500", "half a header"])
def test_a_passing_fault_is_not_seen(world: Any, scripted: Start, pauses: list[float], name: str) -> None:
    steps = FAULTS[name][0]
    server = scripted(lambda _received: steps if len(server.received) < 3 else [GOOD])
    assert world.do(world.open(server.url).tenders.get("t1")).id == "t1"
    assert len(server.received) == 3
    assert 0.1 < pauses[0] <= 0.25
    assert 0.2 < pauses[1] <= 0.5


@pytest.mark.parametrize("name", ["closed at once", "reset", "reset in the body", "hangs", "500", "503 for long"])
def test_a_write_that_may_have_arrived_is_never_sent_twice(world: Any, scripted: Start, pauses: list[float], name: str) -> None:
    server = scripted(lambda _received: FAULTS[name][0])
    client = world.open(server.url, timeout=Timeouts(read=0.15))
    with pytest.raises((ConnectionFailed, ServerFault)) as caught:
        world.do(client._driver.read(Call(op.CREATE_TASK, "/v1/opportunities/o/tasks", b'{"title": "x"}')))
    assert len(server.received) == 1
    assert pauses == []
    if isinstance(caught.value, ConnectionFailed):
        assert caught.value.arrived is None
        assert "look before you send it again" in str(caught.value)


def test_where_nobody_listens_the_error_says_what_to_check(world: Any, pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    client = world.open(f"http://127.0.0.1:{port}")
    with pytest.raises(ConnectionFailed, match=rf"127\.0\.0\.1:{port}.*Nothing was sent.*base URL") as caught:
        world.do(client._driver.read(Call(op.CREATE_TASK, "/v1/opportunities/o/tasks", b"{}")))
    assert caught.value.arrived is False
    assert len(pauses) == 3


def test_an_answer_without_end_is_cut_off(world: Any, scripted: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("_sync", "_async"):
        monkeypatch.setattr(f"workbench.client.{kind}.driver.BODY_BYTES_MAX", 2**20)
    server = scripted(lambda _received: [answer(body=b"[" + b" " * 2**20 + b"]")])
    with pytest.raises(UnexpectedAnswer, match="longer than 1 MiB"):
        world.do(world.open(server.url).tenders.get("t1"))
    bomb = gzip.compress(b"[" + b" " * 2**24)
    server = scripted(lambda _received: [answer(body=bomb, headers=["Content-Encoding: gzip"])])
    with pytest.raises(UnexpectedAnswer, match="longer than 1 MiB"):
        world.do(world.open(server.url).tenders.get("t1"))


def test_a_body_that_drips_past_the_whole_calls_time_is_too_late(world: Any, scripted: Start, pauses: list[float]) -> None:
    server = scripted(lambda _received: [answer(body=b'{"id"', length=20), b" ", b" ", b" ", Hang])
    with pytest.raises(TimedOut):
        world.do(world.open(server.url, timeout=Timeouts(read=0.2, total=1e-9)).tenders.get("t1"))


@pytest.mark.requirement("AUTH-8")
def test_the_key_never_leaves_its_origin(world: Any, scripted: Start) -> None:
    other = scripted(lambda _received: [answer(body=b"file", headers=["Content-Type: text/plain"])])
    elsewhere = f"Location: {other.url}/elsewhere"
    home = scripted(
        lambda received: (
            [GOOD]
            if received.path == "/v1/moved"
            else [answer(302, headers=["Location: /v1/moved" if received.path.endswith("/at-home") else elsewhere])]
        )
    )
    client = world.open(home.url)
    assert world.do(client.tenders.get("at-home")).id == "t1"
    for call in (client.whoami, client.tenders.search, lambda: client.tenders.get("t"), lambda: client.organizations.get("o")):
        with pytest.raises(ConnectionFailed, match="redirect"):
            world.do(call())
    assert other.received == []
    assert world.do(client.raw.tenders.download_sheet("s")).body == b"file"
    assert world.do(client.raw.tenders.download_document("token")).body == b"file"
    assert world.do(client.raw.tenders.download_document(f"{other.url}/v1/tenders/documents/tok/download")).body == b"file"
    assert len(other.received) == 3
    for received in other.received:
        assert CANARY not in repr(received)
        assert "api-key" not in received.headers
    assert {received.headers.get("api-key") for received in home.received} == {CANARY}


@pytest.mark.requirement("AUTH-8")
def test_the_key_is_in_no_log_traceback_repr_or_pickle(
    world: Any, scripted: Start, pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    token = "tok-en-5d1c"
    body = json.dumps({"statusCode": 401, "error": "UNAUTHORIZED", "message": f"unknown key {CANARY}"}).encode()
    scripts: dict[str, list[Step]] = {
        "echo": [answer(401, body, headers=[f"X-Echo: api-key={CANARY}", f"Set-Cookie: k={CANARY}"])],
        "reset": [Reset],
        "html": [answer(body=f"<html>{CANARY}</html>".encode())],
        "hang": [Hang],
    }
    shown: list[str] = []
    with caplog.at_level(logging.DEBUG):
        for name, steps in scripts.items():
            server = scripted(lambda _received, steps=steps: steps)
            client = world.open(server.url, timeout=Timeouts(read=0.1))
            calls = (client.whoami, lambda client=client: client.raw.tenders.download_document(token), client.tenders.search)
            for call in calls:
                try:
                    world.do(call())
                except Exception as error:
                    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
                    ours = "".join(line for line in trace.format() if "test_client_faults.py" not in line)
                    shown += [ours, str(error), repr(error), repr(vars(error)), repr(pickle.dumps(error))]
            shown += [repr(client), repr(vars(client)), str(client), repr(client.tenders), name]
    shown += [record.getMessage() for record in caplog.records]
    assert any("receive_response_headers" in line for line in shown), "the libraries were logging"
    leaks = [line for line in shown if CANARY in line]
    assert not leaks, leaks[0]
    assert not [line for line in shown if f"documents/{token}" in line]


def test_an_interrupted_call_does_not_show_the_key_either(monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(request: httpx2.Request) -> httpx2.Response:
        headers = request.headers.raw
        raise KeyboardInterrupt(len(headers))

    with (
        Client("https://api.example.org", CANARY, transport=httpx2.MockTransport(handler)) as client,
        pytest.raises(KeyboardInterrupt) as caught,
    ):
        client.whoami()
    trace = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert CANARY not in "".join(trace.format())


def test_a_proxy_of_the_environment_is_not_on_the_way_to_this_machine(
    world: Any, scripted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = scripted(lambda _received: [answer(502)])
    server = scripted(lambda _received: [GOOD])
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert world.do(world.open(server.url).tenders.get("t1")).id == "t1"
    assert proxy.received == []


def test_a_storm_of_cancelled_calls_leaves_the_pool_whole(scripted: Start) -> None:
    server = scripted(lambda _received: [GOOD])

    async def storm(seed: int) -> tuple[int, list[Any]]:
        chance = random.Random(seed)
        async with AsyncClient(server.url, CANARY, rate_window=False, timeout=Timeouts(pool=3)) as client:
            for _ in range(40):
                tasks = [asyncio.create_task(client.tenders.get("t1")) for _ in range(30)]
                for _ in range(chance.randint(0, 40)):
                    await asyncio.sleep(0)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            pools = [client._driver._http._transport, *client._driver._http._mounts.values()]
            stuck = sum(
                not (connection.is_idle() or connection.is_closed())
                for transport in pools
                for connection in transport._pool.connections  # type: ignore[union-attr]
            )
            return stuck, await asyncio.gather(*(client.tenders.get("t1") for _ in range(25)), return_exceptions=True)

    for seed in range(2):
        stuck, results = asyncio.run(storm(seed))
        assert stuck == 0
        assert [getattr(result, "id", result) for result in results] == ["t1"] * 25


def test_a_cancelled_call_keeps_its_place_only_where_it_may_have_been_sent(scripted: Start) -> None:
    server = scripted(lambda _received: [Hang])

    async def cancel() -> tuple[int, int]:
        async with AsyncClient(server.url, "cancel-window-key") as client:
            window = client._driver._window  # type: ignore[union-attr]
            task = asyncio.create_task(client.tenders.get("t1"))
            await asyncio.to_thread(server.first.wait, 10)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return len(window._window._own), window.used  # type: ignore[union-attr]

    assert asyncio.run(cancel()) == (0, 1)


def test_another_event_loop_is_a_clear_error_and_no_hang() -> None:
    client = AsyncClient(
        "https://api.example.org",
        CANARY,
        transport=httpx2.MockTransport(lambda _r: httpx2.Response(200, json={"principal": {}})),
    )

    async def use() -> None:
        await client.whoami()

    asyncio.run(use())
    with pytest.raises(ClientMisused, match="another event loop"):
        asyncio.run(use())
    asyncio.run(client.aclose())
