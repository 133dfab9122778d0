"""More of what a service or a network can do wrong: dripping, dying, flooding, answering what nobody asked."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from conftest import Hang, Received, Reset, Scripted, Step, answer

from workbench.client.calls import Call
from workbench.client.errors import (
    ApiError,
    ConnectionFailed,
    RateLimited,
    ServerFault,
    TimedOut,
    UnexpectedAnswer,
    WorkbenchError,
)
from workbench.client.options import Timeouts
from workbench.contract import operations as op

Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
GOOD = answer(body=b'{"id": "t1"}')
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

FAULTS: dict[str, tuple[list[Step], type[WorkbenchError], int]] = {
    "a head that drips": ([HEAD + b"X-Drip: ", b"d", b"r", b"i", b"p", Hang], TimedOut, 2),
    "a body that drips": ([HEAD + b"Content-Length: 90\r\n\r\n", b"[", b" ", b" ", Hang], TimedOut, 2),
    "a chunk that drips": ([HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"4\r\n[", b" ", Hang], TimedOut, 2),
    "a head without end": ([HEAD, b"X: " + b"x" * 300_000, Hang], ConnectionFailed, 4),
    "a thousand headers": ([HEAD, b"".join(b"X-%d: y\r\n" % n for n in range(20_000)), Hang], ConnectionFailed, 4),
    "longer than it said": ([HEAD + b'Content-Length: 4\r\n\r\n{"id": "t1"}' * 2, Reset], UnexpectedAnswer, 1),
    "a negative length": ([HEAD + b'Content-Length: -5\r\n\r\n{"id": "t1"}'], ConnectionFailed, 4),
    "two lengths": ([HEAD + b'Content-Length: 4\r\nContent-Length: 12\r\n\r\n{"id": "t1"}'], ConnectionFailed, 4),
    "a length that is none": ([HEAD + b'Content-Length: many\r\n\r\n{"id": "t1"}'], ConnectionFailed, 4),
    "broken chunks": ([HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n"], ConnectionFailed, 4),
    "chunks that end early": (
        [HEAD + b'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nc\r\n{"id": "t1"}\r\n'], ConnectionFailed, 4
    ),
    "HTTP/0.9": ([b"<html>hello</html>\r\n\r\nConnection: close"], ConnectionFailed, 4),
    "TLS where none was asked for": ([b"\x15\x03\x01\x00\x02\x02\x16\r\n\r\nConnection: close"], ConnectionFailed, 4),
    "deflate garbage": ([answer(body=b"garbage" * 9, headers=["Content-Encoding: deflate"])], ConnectionFailed, 4),
    "gzip inside gzip": (
        [answer(body=gzip.compress(gzip.compress(b'{"id": "t1"}')), headers=["Content-Encoding: gzip"])], UnexpectedAnswer, 1
    ),
    "not the coding it says": ([answer(body=zlib.compress(b"{}"), headers=["Content-Encoding: br"])], UnexpectedAnswer, 1),
    "another alphabet": ([answer(body='{"id": "tñ"}'.encode("utf-16"))], UnexpectedAnswer, 1),
    "not a number of JSON": ([answer(body=b'{"id": NaN')], UnexpectedAnswer, 1),
    "JSON too deep": ([answer(body=b"[" * 100_000)], UnexpectedAnswer, 1),
    "a list where a record should be": ([answer(body=b"[1, 2]")], UnexpectedAnswer, 1),
    "a failure with status 200": ([answer(body=b'{"error": "X", "statusCode": 500}')], UnexpectedAnswer, 1),
    "a web page as 502": ([answer(502, b"<html>Bad gateway</html>", headers=["Content-Type: text/html"])], ServerFault, 4),
    "a short 429": ([answer(429, headers=["Retry-After: 0"])], RateLimited, 6),
    "407 of a proxy": ([answer(407, b"<html>")], ApiError, 1),
    "418": ([answer(418)], ApiError, 1),
    "300": ([answer(300, b"{}", headers=["Location: /elsewhere"])], ApiError, 1),
    "304": ([b"HTTP/1.1 304 Not Modified\r\n\r\n"], ApiError, 1),
    "599": ([answer(599)], ServerFault, 1),
    "999": ([answer(999)], ApiError, 1),
    "100 and nothing": ([b"HTTP/1.1 100 Continue\r\n\r\n", Hang], TimedOut, 2),
    "100 without end": ([b"HTTP/1.1 100 Continue\r\n\r\n" * 50, Reset], ConnectionFailed, 4),
    "switching protocols": (
        [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"], ConnectionFailed, 4
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_its_typed_error_after_the_right_number_of_attempts(
    world: Any, scripted: Start, pauses: list[float], name: str
) -> None:
    steps, kind, attempts = FAULTS[name]
    server = scripted(lambda _received: steps)
    client = world.open(server.url, rate_window=False, timeout=Timeouts(read=0.1 if Hang in steps else 10))
    with pytest.raises(WorkbenchError) as caught:
        world.do(client.tenders.get("t1"))
    assert isinstance(caught.value, kind), caught.value
    assert len(server.received) == attempts
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700
    assert caught.value.__context__ is None


def test_the_whole_time_holds_for_the_head_too(world: Any, scripted: Start, pauses: list[float]) -> None:
    dripping = threading.Event()

    def drip(_received: Received) -> Iterator[Step]:
        yield HEAD + b"X-Drip: "
        while not dripping.wait(0.02):
            yield b"d"

    server = scripted(drip)
    try:
        with pytest.raises(TimedOut, match=r"did not end in time|no answer came in time"):
            world.do(world.open(server.url, timeout=Timeouts(read=30, total=0.2)).tenders.get("t1"))
    finally:
        dripping.set()
    assert len(server.received) == 2


def test_after_a_dripping_answer_the_client_is_as_good_as_before(world: Any, scripted: Start, pauses: list[float]) -> None:
    server = scripted(lambda received: [HEAD, Hang] if received.path.endswith("/slow") else [GOOD])
    client = world.open(server.url, timeout=Timeouts(read=30, total=0.1))
    for _ in range(3):
        with pytest.raises(TimedOut):
            world.do(client.tenders.get("slow"))
        assert world.do(client.tenders.get("t1")).id == "t1"


def test_a_burst_of_5xx_passes_unseen_and_a_long_one_is_reported(world: Any, scripted: Start, pauses: list[float]) -> None:
    statuses = [500, 503, 502]
    server = scripted(lambda _received: [answer(statuses[len(server.received) - 1])] if len(server.received) <= 3 else [GOOD])
    assert world.do(world.open(server.url).tenders.get("t1")).id == "t1"
    assert len(server.received) == 4
    assert len(pauses) == 3
    assert pauses == sorted(pauses)


@pytest.mark.parametrize("statuses", [(301, 302), (303, 307, 308), (302,)])
def test_a_ring_of_redirects_is_left(world: Any, scripted: Start, pauses: list[float], statuses: tuple[int, ...]) -> None:
    ring = {f"/v1/tenders/{n}": n for n in range(len(statuses))}

    def script(received: Received) -> list[Step]:
        place = ring.get(received.path, 0)
        return [answer(statuses[place], headers=[f"Location: /v1/tenders/{(place + 1) % len(statuses)}"])]

    server = scripted(script)
    with pytest.raises(ConnectionFailed, match="circles"):
        world.do(world.open(server.url).tenders.get("0"))
    assert len(server.received) == 6
    assert pauses == []


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_search_that_a_redirect_would_empty_is_not_followed(world: Any, scripted: Start, status: int) -> None:
    server = scripted(lambda _received: [answer(status, headers=["Location: /v2/search"])])
    with pytest.raises(ConnectionFailed, match="would lose it"):
        world.do(world.open(server.url).tenders.search(text="x"))
    assert len(server.received) == 1


@pytest.mark.parametrize("operation", [op.CREATE_ALERT, op.UPDATE_ALERT, op.CREATE_TASK], ids=lambda operation: operation.name)
@pytest.mark.parametrize("name", ["a head that drips", "a body that drips", "broken chunks", "a web page as 502"])
def test_no_write_is_sent_twice_whatever_happens_to_its_answer(
    world: Any, scripted: Start, pauses: list[float], name: str, operation: op.Operation[Any]
) -> None:
    server = scripted(lambda _received: FAULTS[name][0])
    client = world.open(server.url, timeout=Timeouts(read=0.25))
    with pytest.raises((ConnectionFailed, ServerFault)):
        world.do(client._driver.read(Call(operation, "/v1/written", b"{}")))
    assert len(server.received) == 1


def test_a_429_to_a_write_is_waited_out_because_it_did_nothing(world: Any, scripted: Start, pauses: list[float]) -> None:
    server = scripted(lambda _received: [answer(429) if len(server.received) == 1 else answer(201, b'{"id": "k"}')])
    client = world.open(server.url, rate_window=False)
    world.do(client._driver.read(Call(op.CREATE_TASK, "/v1/opportunities/o/tasks", b"{}")))
    assert len(server.received) == 2
    assert pauses == [60.5]


SERVICE = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
connection.recv(65536)
connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 900\\r\\n\\r\\n{")
print("half way", flush=True)
sys.stdin.read()
"""


def test_a_service_that_is_killed_half_way_is_a_lost_connection(world: Any, pauses: list[float]) -> None:
    service = subprocess.Popen([sys.executable, "-c", SERVICE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert service.stdin
    assert service.stdout
    port = int(service.stdout.readline())

    def kill() -> None:
        assert service.stdout
        service.stdout.readline()
        os.kill(service.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(ConnectionFailed) as caught:
        world.do(world.open(f"http://127.0.0.1:{port}").tenders.get("t1"))
    killer.join()
    service.wait()
    service.stdin.close()
    service.stdout.close()
    assert not isinstance(caught.value, TimedOut)
    assert len(pauses) == 3
