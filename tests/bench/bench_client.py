"""Overhead of the client for each call, against httpx2 with the same pydantic model, on loopback and in one process.

Run ``python tests/bench/bench_client.py``. Ratios are what counts: rounds are interleaved, so that a noisy machine is noisy
for all. ``import`` is processor time of a cold process, net of the bare interpreter.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

from workbench.client import AsyncClient, Client
from workbench.contract.operations import GET_TENDER, SEARCH_TENDERS

TENDER = {
    "id": "t1",
    "name": "Obra",
    "status": "Publicada",
    "budgetNoTaxes": 1000.5,
    "expedientPublishedAt": "2026-01-31T12:00:00Z",
}
BODIES = {
    "GET": json.dumps(TENDER).encode(),
    "POST": json.dumps({"data": [TENDER | {"id": str(n)} for n in range(100)], "pagination": {"hasNextPage": False}}).encode(),
}
ROUNDS, CALLS = 15, 60


class Handler(BaseHTTPRequestHandler):
    """Answers at once, on connections that stay open."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = BODIES[self.command]
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)

    do_GET = do_POST = _answer  # noqa: N815 - the library's names

    def log_message(self, *_: object) -> None:
        """Silent."""


def timed(call: Callable[[], object]) -> float:
    """Microseconds a call, over one round."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


async def timed_async(call: Callable[[], Awaitable[object]]) -> float:
    """As :func:`timed`."""
    start = time.perf_counter()
    for _ in range(CALLS):
        await call()
    return (time.perf_counter() - start) / CALLS * 1e6


def report(what: str, plain: list[float], ours: list[float]) -> None:
    """One line: medians, and the median of the rounds' ratios."""
    ratio = statistics.median(o / p for o, p in zip(ours, plain, strict=True))
    raw, own = statistics.median(plain), statistics.median(ours)
    print(f"{what:28s} httpx2+pydantic {raw:8.0f} us   client {own:8.0f} us   ratio {ratio:.2f}")


def bench_sync(url: str) -> None:
    """Sync client against ``httpx2.Client``."""
    with httpx2.Client(headers={"api-key": "k" * 20}) as http, Client(url, "k" * 20, rate_window=False) as client:
        search = {"text": "obra", "pageSize": 100}
        for what, plain, ours in (
            (
                "sync, one tender",
                lambda: GET_TENDER.answer.read(http.get(f"{url}/v1/tenders/t1").json()),
                lambda: client.tenders.get("t1"),
            ),
            (
                "sync, page of 100",
                lambda: SEARCH_TENDERS.answer.read(http.post(f"{url}/v1/tenders/search", json=search).json()),
                lambda: client.tenders.search(text="obra", page_size=100),
            ),
        ):
            pairs = [(timed(plain), timed(ours)) for _ in range(ROUNDS)]
            report(what, [p for p, _ in pairs[1:]], [o for _, o in pairs[1:]])


async def bench_async(url: str) -> None:
    """Asynchronous client against ``httpx2.AsyncClient``."""
    async with (
        httpx2.AsyncClient(headers={"api-key": "k" * 20}) as http,
        AsyncClient(url, "k" * 20, rate_window=False) as client,
    ):

        async def plain_get() -> object:
            return GET_TENDER.answer.read((await http.get(f"{url}/v1/tenders/t1")).json())

        async def plain_search() -> object:
            response = await http.post(f"{url}/v1/tenders/search", json={"text": "obra", "pageSize": 100})
            return SEARCH_TENDERS.answer.read(response.json())

        for what, plain, ours in (
            ("async, one tender", plain_get, lambda: client.tenders.get("t1")),
            ("async, page of 100", plain_search, lambda: client.tenders.search(text="obra", page_size=100)),
        ):
            pairs = [(await timed_async(plain), await timed_async(ours)) for _ in range(ROUNDS)]
            report(what, [p for p, _ in pairs[1:]], [o for _, o in pairs[1:]])


def bench_imports() -> None:
    """Processor time of cold imports."""

    def cost(statement: str) -> float:
        code = f"import time; s=time.process_time(); {statement}; print(time.process_time()-s)"
        times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(7)]
        return statistics.median(times) * 1000

    base = cost("import httpx2, pydantic; pydantic.BaseModel")
    for statement in (
        "import workbench",
        "import workbench.client",
        "from workbench.client import Client",
        "from workbench.client import AsyncClient",
    ):
        own = cost(statement)
        print(f"{statement:48s} {own:6.0f} ms   {own / base:.2f} x (httpx2 and pydantic alone: {base:.0f} ms)")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    bench_sync(address)
    asyncio.run(bench_async(address))
    bench_imports()
    server.shutdown()
    server.server_close()
