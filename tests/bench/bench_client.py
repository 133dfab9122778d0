"""Overhead of the client for each call, against httpx2 with the same pydantic model, on loopback.

Run ``python tests/bench/bench_client.py``. Ratios are what counts: rounds are interleaved, so that a noisy machine is noisy
for all. The client runs as users have it, with its rate window shared through a file (its limit lifted, so that nobody waits).
``--others`` installs openai and githubkit into a temporary folder and runs them side by side, with the same model and the same
server. ``import`` is processor time of a cold process, net of the bare interpreter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from workbench.client import AsyncClient, Client
from workbench.client.windows import SharedWindow
from workbench.contract.operations import GET_TENDER, SEARCH_TENDERS
from workbench.contract.tenders import Tender

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
KEY = "k" * 20
WANTED, WANTED_IMPORT_MS = 1.15, 200

Calls = dict[str, Callable[[], object]]
AsyncCalls = dict[str, Callable[[], Awaitable[object]]]


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


def serve() -> None:
    """Answer for ever, after printing the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


@contextmanager
def served() -> Iterator[str]:
    """The address of a service in a process of its own, which shares no interpreter lock with what is measured."""
    service = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    assert service.stdout
    yield f"http://127.0.0.1:{service.stdout.readline().strip()}"
    service.kill()
    service.wait()
    service.stdout.close()


def timed(call: Callable[[], object], calls: int) -> float:
    """Microseconds a call, over one round."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls * 1e6


async def timed_async(call: Callable[[], Awaitable[object]], calls: int) -> float:
    """As :func:`timed`."""
    start = time.perf_counter()
    for _ in range(calls):
        await call()
    return (time.perf_counter() - start) / calls * 1e6


def report(what: str, rounds: list[dict[str, float]]) -> None:
    """One line for each contender: its median, and the median of the rounds' ratios to the first."""
    first = next(iter(rounds[0]))
    for name in rounds[0]:
        ratio = statistics.median(each[name] / each[first] for each in rounds[1:])
        middle = statistics.median(each[name] for each in rounds[1:])
        verdict = f"  (at most {WANTED})" if name == "workbench" else ""
        print(f"{what:20s} {name:24s} {middle:8.0f} us   ratio {ratio:.2f}{verdict}")


@contextmanager
def windowed(folder: Path) -> Iterator[SharedWindow]:
    """A shared window as every client has one, so wide that it never makes anybody wait."""
    window = SharedWindow(folder / "bench.window", seconds=1e-9)
    yield window
    window.close()


def sync_contenders(url: str, http: httpx2.Client, client: Client) -> dict[str, Calls]:
    """What is compared, by what is called."""
    search = {"text": "obra", "pageSize": 100}
    return {
        "sync, one tender": {
            "httpx2 and pydantic": lambda: GET_TENDER.answer.read(http.get(f"{url}/v1/tenders/t1").json()),
            "workbench": lambda: client.tenders.get("t1"),
        },
        "sync, page of 100": {
            "httpx2 and pydantic": lambda: SEARCH_TENDERS.answer.read(
                http.post(f"{url}/v1/tenders/search", json=search).json()
            ),
            "workbench": lambda: client.tenders.search(text="obra", page_size=100),
        },
    }


def bench_sync(url: str, folder: Path, rounds: int, calls: int, *, others: bool) -> None:
    """Sync clients."""
    with httpx2.Client(headers={"api-key": KEY}) as http, Client(url, KEY) as client, windowed(folder) as window:
        client._driver._window = window
        contenders = sync_contenders(url, http, client)
        if others:
            contenders["sync, one tender"] |= other_clients(url)
        for what, each in contenders.items():
            report(what, [{name: timed(call, calls) for name, call in each.items()} for _ in range(rounds)])


async def bench_async(url: str, folder: Path, rounds: int, calls: int, *, others: bool) -> None:
    """Asynchronous clients."""
    async with httpx2.AsyncClient(headers={"api-key": KEY}) as http, AsyncClient(url, KEY) as client:

        async def plain_get() -> object:
            return GET_TENDER.answer.read((await http.get(f"{url}/v1/tenders/t1")).json())

        async def plain_search() -> object:
            response = await http.post(f"{url}/v1/tenders/search", json={"text": "obra", "pageSize": 100})
            return SEARCH_TENDERS.answer.read(response.json())

        one: AsyncCalls = {"httpx2 and pydantic": plain_get, "workbench": lambda: client.tenders.get("t1")}
        page: AsyncCalls = {
            "httpx2 and pydantic": plain_search,
            "workbench": lambda: client.tenders.search(text="obra", page_size=100),
        }
        if others:
            one |= other_async_clients(url)
        with windowed(folder) as window:
            client._driver._window = window
            for what, each in (("async, one tender", one), ("async, page of 100", page)):
                report(what, [{name: await timed_async(call, calls) for name, call in each.items()} for _ in range(rounds)])


def openai_model(base: type[Any]) -> type[Any]:
    """The same fields on openai's base class, which it insists on."""
    return type("Tender", (base,), {"__annotations__": {n: f.annotation for n, f in Tender.model_fields.items()}})


def other_clients(url: str) -> Calls:
    """openai and githubkit, each without retries and caches, at the same address.

    githubkit's own ``parsed_data`` makes a new type adapter for each answer (five times the whole call); it gets ours.
    """
    import githubkit
    import openai

    other = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    model = openai_model(openai.BaseModel)
    third = githubkit.GitHub(KEY, base_url=url, http_cache=False, auto_retry=False).__enter__()
    return {
        f"openai {openai.__version__}": lambda: other.get("/tenders/t1", cast_to=model),
        f"githubkit {_version('githubkit')}": lambda: GET_TENDER.answer.read(third.request("GET", "/v1/tenders/t1").json()),
    }


def other_async_clients(url: str) -> AsyncCalls:
    """As :func:`other_clients`."""
    import githubkit
    import openai

    other = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    model = openai_model(openai.BaseModel)
    third = githubkit.GitHub(KEY, base_url=url, http_cache=False, auto_retry=False)
    entered: list[object] = []

    async def third_get() -> object:
        if not entered:
            entered.append(await third.__aenter__())
        return GET_TENDER.answer.read((await third.arequest("GET", "/v1/tenders/t1")).json())

    return {
        f"openai {openai.__version__}": lambda: other.get("/tenders/t1", cast_to=model),
        f"githubkit {_version('githubkit')}": third_get,
    }


def _version(name: str) -> str:
    from importlib.metadata import version

    return version(name)


def install_others(folder: Path) -> None:
    """openai and githubkit into a folder that comes last on the path: what both need and we have is shared."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "openai", "githubkit", "hishel<2"]
    done = subprocess.run(pip, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"openai and githubkit could not be installed:\n{done.stderr}")
    sys.path.append(str(folder))


def cpu_of(statement: str, path: str = "") -> float:
    """Processor milliseconds of a statement in a cold process, net of the bare interpreter; median of nine."""
    code = f"import sys, time; sys.path.append({path!r}); s=time.process_time(); {statement}; print(time.process_time()-s)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(9)]
    return statistics.median(times) * 1000


def bench_imports(path: str) -> None:
    """Processor time of cold imports."""
    base = cpu_of("import httpx2, pydantic; pydantic.BaseModel")
    statements = ["import workbench", "import workbench.client", "from workbench.client import Client, AsyncClient"]
    if path:
        statements += ["import openai", "import githubkit"]
    for statement in statements:
        own = cpu_of(statement, path)
        verdict = f"  (at most {WANTED_IMPORT_MS} ms)" if "workbench" in statement else ""
        print(f"{statement:48s} {own:6.0f} ms   {own / base:.2f} x (httpx2 and pydantic alone: {base:.0f} ms){verdict}")


def main() -> None:
    """Everything, one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", action="store_true", help="install openai and githubkit, and run them too")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=60)
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    with served() as address, tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "others") if chosen.others else ""
        if path:
            install_others(Path(path))
        bench_sync(address, Path(folder), chosen.rounds, chosen.calls, others=chosen.others)
        asyncio.run(bench_async(address, Path(folder), chosen.rounds, chosen.calls, others=chosen.others))
        bench_imports(path)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
