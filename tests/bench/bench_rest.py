"""What the gate and the route cost, against a bare Starlette handler: `python tests/bench/bench_rest.py`.

Both are called as ASGI applications in this process, in turns, and the median processor time of many rounds is compared.
"Same bytes" is a handler that only returns the answer's bytes; "same work" one that asks the use case for them in a worker
thread, as the service does. The ratios are what counts; the times depend on the machine.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from workbench.contract.tenders import TenderSearch
from workbench.feeds.notice import Notice, Origin, Party
from workbench.service import cpv
from workbench.service.service import Service
from workbench.service.store.importer import apply_items

TENDERS = 2_000
ROUNDS = 15
CALLS = 100


def notices() -> list[Notice]:
    """Tenders enough for any page, each with a description of usual length."""
    words = ["obras", "servicio", "suministro", "carretera", "software", "mantenimiento", "municipal", "agua"]
    chance = random.Random(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Notice(
            source="invented",
            source_id=str(number),
            version_at=start + timedelta(minutes=number),
            origin=Origin("invented", position=number),
            status="Publicada",
            name=" ".join(chance.choices(words, k=8)),
            description=" ".join(chance.choices(words, k=40)),
            currency="EUR",
            budget_no_taxes=chance.randrange(1_000_000),
            cpvs=("45233120-6",),
            buyer=Party(f"Ayuntamiento {number % 50}"),
            published_at=start + timedelta(minutes=number),
        )
        for number in range(TENDERS)
    ]


async def call(app: Any, method: str, path: str, body: bytes, key: bytes) -> bytes:
    """One request, as a server would hand it over; the answer's body."""
    headers = [(b"host", b"localhost"), (b"api-key", key), (b"content-type", b"application/json")]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "scheme": "http",
        "http_version": "1.1",
        "asgi": {"version": "3.0"},
    }
    parts: list[bytes] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 200, message
        parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return b"".join(parts)


def bare(path: str, method: str, answer: bytes, work: Callable[[], bytes] | None) -> Starlette:
    """A plain Starlette application with one handler."""

    async def same_bytes(request: Request) -> Response:
        return Response(answer, media_type="application/json")

    async def same_work(request: Request) -> Response:
        await request.body()
        assert work is not None
        return Response(await run_in_threadpool(work), media_type="application/json")

    return Starlette(routes=[Route(path, same_work if work else same_bytes, methods=[method])])


async def timed(app: Any, *request: Any) -> float:
    """Microseconds of processor time of one call, in the mean of a round; worker threads are in it."""
    began = time.process_time()
    for _ in range(CALLS):
        await call(app, *request)
    return (time.process_time() - began) / CALLS * 1e6


async def compare(service: Service, key: bytes) -> None:
    """Print a line for each kind of answer."""
    search20, search100 = (json.dumps({"pageSize": size}).encode() for size in (20, 100))
    cases: list[tuple[str, str, str, bytes, Callable[[], bytes]]] = [
        ("one CPV code", "GET", "/v1/cpv/45233120", b"", lambda: json.dumps(cpv.describe("45233120")).encode()),
        ("20 tenders", "POST", "/v1/tenders/search", search20, lambda: service.tenders.search(TenderSearch()).to_json()),
        (
            "100 tenders",
            "POST",
            "/v1/tenders/search",
            search100,
            lambda: service.tenders.search(TenderSearch(page_size=100)).to_json(),
        ),
    ]
    print(f"{'answer':14}{'bytes':>9}{'service':>11}{'same work':>11}{'ratio':>7}{'same bytes':>12}{'ratio':>7}")
    for label, method, path, body, work in cases:
        request = (method, path, body, key)
        answer = await call(service.app, *request)
        rivals = [service.app, bare(path, method, answer, work), bare(path, method, answer, None)]
        rounds = [[await timed(app, *request) for app in rivals] for _ in range(ROUNDS)]
        ours, worked, returned = (statistics.median(column) for column in zip(*rounds, strict=True))
        against = f"{worked:8.0f} µs{ours / worked:7.2f}{returned:9.0f} µs{ours / returned:7.2f}"
        print(f"{label:14}{len(answer):9,}{ours:8.0f} µs{against}")


def main() -> int:
    """Fill a temporary service and compare."""
    with tempfile.TemporaryDirectory() as folder, Service.open(Path(folder)) as service:
        apply_items(service.database, notices())
        stored = service.access.create_key("bench", rate_limit=1_000_000_000)
        asyncio.run(compare(service, stored.token.get_secret_value().encode()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
