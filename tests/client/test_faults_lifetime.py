"""From first call to close: other event loops, other threads, clients that nobody closed, and storms of cancelled calls."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from conftest import CANARY, Received, Scripted, Step, answer

from workbench.client import AsyncClient, Client
from workbench.client.errors import ClientMisused
from workbench.client.options import Timeouts

Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
GOOD = answer(body=b'{"id": "t1"}')
URL = "https://api.example.org"


def in_memory() -> Any:
    return httpx2.MockTransport(lambda _request: httpx2.Response(200, json={"id": "t1"}))


@contextmanager
def loop_in_a_thread() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_a_client_of_a_running_loop_refuses_another_one_at_once(scripted: Start) -> None:
    server = scripted(lambda _received: [GOOD])
    client = AsyncClient(server.url, CANARY)

    async def use() -> str | None:
        return (await client.tenders.get("t1")).id

    async def walk() -> list[Any]:
        return [tender async for tender in client.tenders.iterate()]

    async def leave() -> None:
        await client.aclose()

    with loop_in_a_thread() as loop:
        assert asyncio.run_coroutine_threadsafe(use(), loop).result(10) == "t1"
        for elsewhere in (use, walk, leave):
            with pytest.raises(ClientMisused, match="another event loop"):
                asyncio.run(elsewhere())
        assert asyncio.run_coroutine_threadsafe(use(), loop).result(10) == "t1", "it goes on where it belongs"
        asyncio.run_coroutine_threadsafe(leave(), loop).result(10)
    assert len(server.received) == 2


def test_a_client_whose_loop_has_ended_can_still_be_closed() -> None:
    ended: list[str] = []
    client = AsyncClient(URL, CANARY, transport=in_memory(), then=lambda: ended.append("then"))

    async def use() -> None:
        await client.tenders.get("t1")

    asyncio.run(use())
    with pytest.raises(ClientMisused, match=r"another event loop.*aconnect"):
        asyncio.run(use())
    asyncio.run(client.aclose())
    assert ended == ["then"]
    with pytest.raises(ClientMisused, match="closed"):
        asyncio.run(use())


def test_without_an_event_loop_the_asynchronous_client_names_the_other_one() -> None:
    call = AsyncClient(URL, CANARY, transport=in_memory()).tenders.get("t1")
    with pytest.raises(ClientMisused, match=r"workbench\.connect"):
        call.send(None)


def test_threads_may_share_the_sync_client(scripted: Start) -> None:
    server = scripted(lambda _received: [GOOD])
    ids: list[str | None] = []
    with Client(server.url, CANARY) as client:
        threads = [
            threading.Thread(target=lambda: ids.extend(client.tenders.get("t1").id for _ in range(10))) for _ in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert ids == ["t1"] * 120


def unclosed(leave: Callable[[], None]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        leave()
        gc.collect()
    return [str(one.message) for one in caught if one.category is ResourceWarning]


def test_a_client_that_was_used_and_not_closed_warns_once(tmp_path: Path) -> None:
    def leave() -> None:
        client = Client(URL, CANARY, transport=in_memory())
        client.tenders.get("t1")
        for copy in (client.with_options(timeout=3), client.with_options(timeout=4)):
            copy.tenders.get("t1")

    async def use() -> None:
        client = AsyncClient(URL, CANARY, transport=in_memory())
        await client.with_options(timeout=3).tenders.get("t1")

    for way in (leave, lambda: asyncio.run(use())):
        messages = unclosed(way)
        assert len(messages) == 1
        assert "not closed" in messages[0]
        assert "with" in messages[0]
        assert CANARY not in messages[0]


def test_a_client_that_was_closed_or_never_used_does_not_warn() -> None:
    def leave() -> None:
        Client(URL, CANARY, transport=in_memory())
        AsyncClient(URL, CANARY, transport=in_memory())
        with Client(URL, CANARY, transport=in_memory()) as client:
            client.with_options(timeout=3).tenders.get("t1")

    async def use() -> None:
        async with AsyncClient(URL, CANARY, transport=in_memory()) as client:
            await client.tenders.get("t1")

    assert unclosed(leave) == []
    assert unclosed(lambda: asyncio.run(use())) == []


@pytest.mark.parametrize("shape", ["search box", "prototype"])
def test_a_storm_of_cancelled_calls_leaves_the_pool_and_the_window_whole(scripted: Start, tmp_path: Path, shape: str) -> None:
    """As ``cancel_storm.py`` among the prototypes: httpx 0.28 loses its whole pool under this."""
    server = scripted(lambda _received: [GOOD])
    bursts, calls = (60, 12) if shape == "prototype" else (30, 30)

    async def storm(seed: int) -> tuple[int, int, list[Any]]:
        chance = random.Random(seed)
        client = AsyncClient(server.url, f"storm-{bursts}-{seed}", rate_window=tmp_path, timeout=Timeouts(pool=3))
        window: Any = client._driver._window
        async with client:
            for _ in range(bursts):
                tasks = [asyncio.create_task(client.tenders.get("t1")) for _ in range(calls)]
                for _ in range(chance.randint(0, 30)):
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
            held = len(window._window._own)
            client._driver._window = None
            return stuck, held, await asyncio.gather(*(client.tenders.get("t1") for _ in range(25)), return_exceptions=True)

    for seed in range(2):
        stuck, held, results = asyncio.run(storm(seed))
        assert (stuck, held) == (0, 0)
        assert [getattr(result, "id", result) for result in results] == ["t1"] * 25
