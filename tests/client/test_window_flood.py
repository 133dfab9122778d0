"""Ten minutes of flood in virtual time: no 429 whatever the service counts by, and none of a 429 that comes anyway."""

from __future__ import annotations

import asyncio
import heapq
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from test_client_rate_window import SERVICES, WINDOW, Service, sliding

from workbench.client import AsyncClient, Client
from workbench.client.effects import AsyncEffects, SyncEffects
from workbench.client.errors import ClientMisused
from workbench.client.options import Waiting
from workbench.client.windows import SharedWindow

KEY = "canary-of-the-flood-31bb20"
SECONDS = 600.0


class Time:
    """A clock that moves when somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0

        async def pass_by(_self: AsyncEffects, seconds: float) -> None:
            self.now += seconds

        monkeypatch.setattr(AsyncEffects, "pause", pass_by)
        monkeypatch.setattr(SyncEffects, "pause", lambda _self, seconds: setattr(self, "now", self.now + seconds))

    def window(self, path: Path | None = None) -> SharedWindow:
        return SharedWindow(path, clock=lambda: self.now)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def service(time: Time, hit: Service) -> tuple[Any, list[int]]:
    statuses: list[int] = []

    def handler(_request: httpx2.Request) -> httpx2.Response:
        time.now += 0.002
        statuses.append(200 if hit(time.now) else 429)
        return httpx2.Response(statuses[-1], json={"id": "t"})

    return handler, statuses


def placed(client: Any, window: SharedWindow) -> Any:
    client._driver._window = window
    return client


@pytest.mark.requirement("LIM-1")
@pytest.mark.requirement("LIM-3")
@pytest.mark.parametrize("make", SERVICES)
def test_ten_minutes_of_calls_meet_no_429_at_the_full_limit(
    world: Any, make: Callable[[float], Service], time: Time, tmp_path: Path
) -> None:
    handler, statuses = service(time, make(random.Random(7).random() * WINDOW))
    waits: list[Waiting] = []
    client = placed(world.open(key=KEY, handler=handler, on_wait=waits.append), time.window(tmp_path / "w"))

    async def flood_async() -> None:
        while time.now < SECONDS:
            assert (await client.tenders.get("t")).id == "t"

    if world.kind == "async":
        world.do(flood_async())
    else:
        while time.now < SECONDS:
            assert client.tenders.get("t").id == "t"
    assert set(statuses) == {200}
    assert len(statuses) >= 3000
    assert all(wait.reason == "rate limit" and 0.1 < wait.seconds <= 60.5 for wait in waits)
    assert sum(wait.seconds for wait in waits) > 500, "all waiting was announced"


@pytest.mark.parametrize("make", SERVICES)
@pytest.mark.parametrize("latency", [0.05, 2.0])
def test_two_processes_with_bulk_and_calls_meet_no_429_either(
    make: Callable[[float], Service], latency: float, tmp_path: Path
) -> None:
    chance, now = random.Random(3), [0.0]
    hit = make(chance.random() * WINDOW)
    members = [SharedWindow(tmp_path / "w", clock=lambda: now[0]) for _ in range(2)]
    events: list[tuple[float, int, str]] = [(0.0, worker, "ask") for worker in range(12)]
    sent = refused = 0
    slowest_call = 0.0
    asked: dict[int, float] = {}
    while events:
        now[0], worker, what = heapq.heappop(events)
        window, bulk = members[worker % 2], worker != 0
        if what == "arrive":
            sent, refused = sent + 1, refused + (not hit(now[0]))
            heapq.heappush(events, (now[0] + chance.random() * latency / 2, worker, "answered"))
        elif what == "answered":
            window.settle()
            # Worker 0 is a person, who asks for something every five seconds; the others walk through pages without end.
            heapq.heappush(events, (now[0] + (0 if bulk else 5), worker, "ask"))
        elif now[0] < SECONDS:
            asked.setdefault(worker, now[0])
            delay = window.reserve(bulk=bulk)
            later = delay or chance.random() * latency / 2
            heapq.heappush(events, (now[0] + later, worker, "ask" if delay else "arrive"))
            if not delay:
                waited = now[0] - asked.pop(worker)
                slowest_call = slowest_call if bulk else max(slowest_call, waited)
    assert refused == 0
    assert sent >= 0.9 * 300 * SECONDS / 60.5
    assert slowest_call == 0, "a person never waits for an export"
    for member in members:
        member.close()


@pytest.mark.requirement("LIM-3")
@pytest.mark.parametrize("retry_after", [None, "7", "junk"])
def test_a_429_anyway_is_waited_out_and_no_call_is_lost(world: Any, time: Time, retry_after: str | None) -> None:
    hit = sliding(0)
    statuses: list[int] = []

    def handler(_request: httpx2.Request) -> httpx2.Response:
        time.now += 0.002
        if not statuses or statuses[-1] == 200:
            hit(time.now)  # somebody else uses the key as well, on another machine
        statuses.append(200 if hit(time.now) else 429)
        headers = {} if retry_after is None or statuses[-1] == 200 else {"Retry-After": retry_after}
        return httpx2.Response(statuses[-1], json={"id": "t"}, headers=headers)

    client = placed(world.open(key=KEY, handler=handler), time.window())
    for _ in range(700):
        assert world.do(client.tenders.get("t")).id == "t"
    assert statuses.count(200) == 700
    assert 0 < statuses.count(429) <= 40


def test_a_wait_for_the_window_can_be_cancelled() -> None:
    begun: list[Waiting] = []

    async def cancel() -> int:
        told = asyncio.Event()

        def on_wait(waiting: Waiting) -> None:
            begun.append(waiting)
            told.set()

        client = placed(
            AsyncClient(
                "https://api.example.org",
                KEY,
                transport=httpx2.MockTransport(lambda _r: httpx2.Response(200, json={"id": "t"})),
                on_wait=on_wait,
            ),
            SharedWindow(limit=1),
        )
        async with client:
            await client.tenders.get("t")
            waiting = asyncio.create_task(client.tenders.get("t"))
            await told.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            return client._driver._window.used

    assert asyncio.run(cancel()) == 1, "the call that was cancelled took no place"
    assert begun[0].seconds > 60


def test_closing_the_client_ends_a_wait_in_another_thread() -> None:
    begun = threading.Event()
    client = placed(
        Client(
            "https://api.example.org",
            KEY,
            transport=httpx2.MockTransport(lambda _r: httpx2.Response(200, json={"id": "t"})),
            on_wait=lambda _waiting: begun.set(),
        ),
        SharedWindow(limit=1),
    )
    client.tenders.get("t")
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            client.tenders.get("t")
        except ClientMisused as error:
            ended.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    assert begun.wait(10)
    client.close()
    thread.join(10)
    assert "closed" in str(ended[0])


def test_a_client_that_is_closed_while_it_waits_says_so() -> None:
    async def close() -> None:
        client = placed(
            AsyncClient(
                "https://api.example.org",
                KEY,
                transport=httpx2.MockTransport(lambda _r: httpx2.Response(200, json={"id": "t"})),
            ),
            SharedWindow(limit=1, seconds=0.05),
        )
        await client.tenders.get("t")
        waiting = asyncio.create_task(client.tenders.get("t"))
        await asyncio.sleep(0)
        await client.aclose()
        with pytest.raises(ClientMisused, match="closed"):
            await waiting

    asyncio.run(close())
