"""A scripted account for tests of the client alone.

It stands in for a service because the embedded one does not answer these fifteen operations yet. So what the tests here
show is what the client sends and what it makes of an answer, and not that any service answers so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2

OPEN = "5d0c6d3e-3a52-4b0e-9c0e-000000000001"
WON = "5d0c6d3e-3a52-4b0e-9c0e-000000000002"
LOST = "5d0c6d3e-3a52-4b0e-9c0e-000000000003"
PIPELINE = "7b1e0000-0000-4000-8000-000000000001"
OPPORTUNITY = "9a1e0000-0000-4000-8000-000000000001"

STAGES: list[dict[str, Any]] = [
    {"id": OPEN, "name": "En estudio", "isInitial": True, "isTerminal": False, "sortPoints": 1, "showInKanban": True},
    {"id": WON, "name": "Ganada", "isTerminal": True, "outcomeType": "won", "sortPoints": 2},
    {"id": LOST, "name": "Perdida", "isTerminal": True, "outcomeType": "lost", "sortPoints": 3},
]

Answer = httpx2.Response | Callable[[httpx2.Request], httpx2.Response]


def page_of(items: list[Any], *, page: int = 1, more: bool = False, **extra: Any) -> httpx2.Response:
    """A page of a list, in the interface's envelope."""
    return httpx2.Response(
        200, json={"data": items, "pagination": {"page": page, "pageSize": 20, "hasNextPage": more}, **extra}
    )


def said(status: int, code: str | None = None, message: str = "It said so.") -> httpx2.Response:
    """A refusal."""
    return httpx2.Response(status, json={"statusCode": status, "message": message} | ({"error": code} if code else {}))


class Account:
    """Answers requests from a table of ``METHOD /path`` to an answer, or to a function of the request; notes each request."""

    def __init__(self, answers: dict[str, Answer] | None = None) -> None:
        self.answers: dict[str, Answer] = {
            "GET /v1/pipelines": page_of([{"id": PIPELINE, "name": "Concursos", "statuses": STAGES}]),
            f"PUT /v1/opportunities/{OPPORTUNITY}/status": httpx2.Response(204),
            **(answers or {}),
        }
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers[f"{request.method} {request.url.path}"]
        made = answer(request) if callable(answer) else answer
        return httpx2.Response(made.status_code, headers=made.headers, stream=httpx2.ByteStream(made.content))

    @property
    def lines(self) -> list[str]:
        """Method, path and query of each request so far."""
        return [f"{r.method} {r.url.raw_path.decode()}" for r in self.requests]

    @property
    def bodies(self) -> list[Any]:
        """The decoded bodies of the requests so far that had one."""
        return [json.loads(r.content) for r in self.requests if r.content]

    @property
    def writes(self) -> list[str]:
        """Requests so far that were not for reading."""
        return [line for line in self.lines if not line.startswith("GET ")]


def opened(world: Any, handler: Callable[[httpx2.Request], httpx2.Response], **options: Any) -> Any:
    """A client of the test's kind on this handler, without the window that all tests of this process would share."""
    return world.open(handler=handler, rate_window=False, **options)
