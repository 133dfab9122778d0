"""A service on this machine's loopback that answers what a test tells it to, over real HTTP, and keeps what it was asked.

A stand-in: it holds a few alerts, one board and one opportunity's things in the interface's shapes, and has no rules of its own
beyond those a test gives it. The embedded service has its own tests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "canary-key-93b1f0"
OPEN, WON, LOST = (f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2, 3))
OTHER_OPEN = "00000000-0000-4000-8000-000000000011"

ALERT = {
    "id": "a-1",
    "title": "Roads",
    "description": "Roads and bridges",
    "platformUrl": "https://example.org/alerts/a-1",
    "criteria": {
        "keywords": {"include": ["carretera"], "exclude": []},
        "cpvCodes": {"include": ["45233120-6"]},
        "budget": {"min": 1000, "max": None},
        "statuses": ["Publicada"],
    },
    "notificationConfig": {"frequency": {"type": "daily", "weekdays": [1, 3]}, "hour": 8, "timezone": "Europe/Madrid"},
    "responsibles": [{"id": "u-1", "receiveEmails": True, "name": "Ana"}],
    "windowsSearch": [{"field": "expedientExpirationDate", "expirationOffset": 7}],
    "isActive": True,
    "isPublic": True,
    "isArchived": False,
    "isAutoConfigured": False,
    "createdBy": "u-1",
    "createdAt": "2026-01-01T09:00:00Z",
    "updatedAt": "2026-02-01T09:00:00Z",
    "lastNotifiedAt": None,
    "lastNotificationSentAt": None,
    "newField": {"deep": [1, None]},
}


def stage(id_: str, name: str, **fields: Any) -> dict[str, Any]:
    """A stage as a service sends it: open unless told otherwise."""
    known = {"id": id_, "name": name, "isInitial": False, "isTerminal": False, "outcomeType": "open", "sortPoints": 1}
    return known | {"showInKanban": True} | fields


PIPELINES = [
    {
        "id": "p-1",
        "name": "Sales",
        "statuses": [
            stage(OPEN, "Open", isInitial=True),
            stage(WON, "Won", isTerminal=True, outcomeType="won", sortPoints=2),
            stage(LOST, "Not said", sortPoints=3) | {"isTerminal": None},
        ],
    },
    {"id": "p-2", "name": "Works", "statuses": [stage(OTHER_OPEN, "Open"), stage("s-12", "Ready")]},
]
OPPORTUNITY = {"id": "o-1", "name": "Bridge", "amount": 12000.5, "currency": "EUR", "responsibles": [{"name": "Ana"}]}


def page(items: list[dict[str, Any]], *, more: bool = False) -> dict[str, Any]:
    """The envelope of a list."""
    return {"data": items, "pagination": {"page": 1, "pageSize": 20, "hasNextPage": more}}


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    method: str
    path: str
    query: dict[str, list[str]]
    body: Any
    key: str | None


@dataclass
class Script:
    """What the service answers, by ``"METHOD /path"``: JSON, bytes of a file, or ``(status, JSON)``. ``asked`` is what came."""

    base_url: str
    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: list[Asked] = field(default_factory=list[Asked])

    def sent(self, *methods: str) -> list[Asked]:
        """The requests of these methods."""
        return [one for one in self.asked if one.method in methods]


def usual_answers() -> dict[str, Any]:
    """A small account: two alerts, two pipelines, one opportunity with a task, a workflow and two summaries."""
    at = "/v1/opportunities/o-1"
    return {
        "GET /v1/whoami": {
            "principal": {"type": "apiKey", "id": "k-1", "name": "Laptop"},
            "account": {"id": "ac-1", "name": "Ajuntament", "slug": "ajuntament"},
            "organization": None,
            "plan": {"tier": "pro"},
        },
        "GET /v1/api-key": {"name": "Laptop", "rateLimit": {"limit": 300, "windowSeconds": 60}, "expiresAt": None},
        "GET /v1/alerts": page([ALERT, ALERT | {"id": "a-2", "title": "Bridges", "isActive": False}]) | {"totalCount": 2},
        "GET /v1/alerts/a-1": ALERT,
        "POST /v1/alerts": lambda asked: (201, ALERT | {"id": "a-9"} | asked.body),
        "PATCH /v1/alerts/a-1": lambda asked: ALERT | asked.body,
        "POST /v1/alerts/a-1/results": page([{"id": "t-1", "name": "Obras", "status": "Publicada"}]),
        "GET /v1/pipelines": page(PIPELINES),
        "GET /v1/kanban/p-1/status": [
            {"status": PIPELINES[0]["statuses"][0], "opportunityCount": 3, "totalAmount": 36000, "currency": "EUR"},
            {"status": PIPELINES[0]["statuses"][1], "opportunityCount": 0, "totalAmount": 0, "currency": "EUR"},
        ],
        "GET /v1/kanban/p-1/search": {OPEN: [OPPORTUNITY]},
        "GET /v1/kanban/p-2/search": {},
        f"GET /v1/kanban/p-1/status/{OPEN}/opportunities": page([OPPORTUNITY, OPPORTUNITY | {"id": "o-2"}]),
        f"PUT {at}/status": (204, None),
        f"GET {at}/workflow-actions": [
            {"id": "w-2", "workflowStepId": "s2", "workflowStepName": "Bid", "workflowStepPosition": 2, "name": "Sign"},
            {"id": "w-1", "workflowStepId": "s1", "workflowStepName": "Read", "workflowStepPosition": 1, "name": "Decide"},
        ],
        f"GET {at}/tasks": page([{"id": "k-1", "title": "Call", "status": "to-do", "priority": "high"}]),
        f"POST {at}/tasks": (201, {"id": "k-9"}),
        f"GET {at}/summaries": [
            {"id": "m-1", "name": "Short", "status": "completed", "result": "# It is\n\na bridge"},
            {"id": "m-2", "name": "Long", "status": "pending"},
        ],
        f"GET {at}/summaries/m-1/pdf": b"%PDF-1.7 short",
        f"GET {at}/summaries/m-2/pdf": (409, {"statusCode": 409, "error": "SUMMARY_NOT_READY", "message": "still pending"}),
    }


@contextmanager
def scripted_service() -> Iterator[Script]:
    """The service, running until the block ends. A request without the key is answered with 401."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def answer(self) -> None:
            url = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("content-length") or 0))
            body = json.loads(content) if content else None
            asked = Asked(self.command, url.path, parse_qs(url.query), body, self.headers.get("api-key"))
            script.asked.append(asked)
            found = script.answers.get(f"{self.command} {url.path}")
            if asked.key != KEY:
                found = (401, {"statusCode": 401, "error": "UNAUTHORIZED", "message": "no such key"})
            elif found is None:
                found = (404, {"statusCode": 404, "error": "NOT_FOUND", "message": f"nothing at {url.path}"})
            elif callable(found):
                found = found(asked)
            status, value = found if isinstance(found, tuple) else (200, found)
            self.send(status, value)

        def send(self, status: int, value: Any) -> None:
            content = value if isinstance(value, bytes) else b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            if isinstance(value, bytes):
                self.send_header("Content-Type", "application/pdf")
                self.send_header("Content-Disposition", 'attachment; filename="short.pdf"')
            elif value is not None:
                self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = answer  # noqa: N815 - http.server looks for these names

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script = Script(f"http://127.0.0.1:{server.server_address[1]}", usual_answers())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
