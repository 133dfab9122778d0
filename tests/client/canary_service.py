"""A service that gives its caller's key back wherever it can, to see whether the caller repeats it."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workbench.contract.operations import OPERATIONS, AnswerKind, Operation
from workbench.contract.tools import TOOLS

CANARY = "canary-2f8e61d07b94-Zq"
MODES = ("good", "refused", "failing", "a web page", "garbage", "broken", "elsewhere")
"""First segment of the path: how everything under it is answered."""

RECORD = {"id": "x1", "code": "45000000", "name": "Obra", "title": "Obra", "organizationId": "o1", "status": "to-do"}
STAGE = {"id": "s1", "name": "Open", "isTerminal": False, "isInitial": True}
PAGE = {"page": 1, "pageSize": 20, "hasNextPage": False}
ANSWERS: dict[str, Any] = {
    "whoami": {"principal": {"id": "u1", "type": "api-key"}, "account": {"id": "a1", "name": "Casa"}},
    "api_key": {"id": "k1", "name": "canary", "rateLimit": {"limit": 300, "windowSeconds": 60}},
    "pipelines.list": {"data": [{"id": "p1", "name": "Sales", "statuses": [STAGE]}], "pagination": PAGE},
    "kanban.totals": [{"statusId": "s1", "count": 1}],
    "kanban.search": {"s1": [RECORD]},
}
ROUTES = [(op.method.value, re.compile(re.sub(r"{\w+}", "[^/]+", op.path)), op) for op in OPERATIONS]


@dataclass
class Seen:
    """One request: method, path without the mode, headers with lower-case names."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass
class CanaryService:
    """What it was asked, and the other origin it redirects to."""

    url: str = ""
    elsewhere: str = ""
    seen: list[Seen] = field(default_factory=list)

    def address(self, mode: str) -> str:
        """The base URL under which everything is answered in this way."""
        return f"{self.url}/{mode.replace(' ', '-')}"

    def answer(self, mode: str, method: str, path: str, body: bytes, key: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers, with the caller's key in them."""
        said = json.dumps({"statusCode": 401, "error": f"BAD_{key}", "message": f"no account has the key {key}"})
        # What a document holds is its reader's business; so the key stands in every answer but those.
        if path.partition("?")[0].endswith(("/download", "/pdf")) and mode in {"a web page", "garbage"}:
            key = "nothing"
        page = f"<html><!-- api-key: {key} --><body>{key}</body></html>".encode()
        if mode == "refused":
            return 401, said.encode(), {}
        if mode == "failing":
            return 502, f"upstream said: api-key={key}".encode(), {"Content-Type": "text/plain"}
        if mode == "a web page":
            return 200, page, {"Content-Type": "text/html"}
        if mode == "garbage":
            return 200, f'{{"id": 5, "data": "{key}", "{key}": '.encode(), {}
        if mode == "elsewhere":
            return 302, b"", {"Location": f"{self.elsewhere}/good{path}"}
        if path.partition("?")[0] == "/mcp":
            return self._tool(body, key)
        operation = next((op for verb, route, op in ROUTES if verb == method and route.fullmatch(path.partition("?")[0])), None)
        return self._good(operation) if operation else (404, b"{}", {})

    def _good(self, operation: Operation[Any]) -> tuple[int, bytes, dict[str, str]]:
        if operation.answer.kind is AnswerKind.FILE:
            return 200, b"%PDF-1.4 sheet", {"Content-Type": "application/pdf", "ETag": '"v1"'}
        if operation.answer.kind is AnswerKind.NOTHING:
            return operation.status, b"", {}
        fallback: Any = {"data": [RECORD], "pagination": PAGE} if operation.paged else RECORD
        if getattr(operation.answer.type, "__origin__", None) is tuple:
            fallback = [RECORD]
        return operation.status, json.dumps(ANSWERS.get(operation.name, fallback)).encode(), {}

    def _tool(self, body: bytes, key: str) -> tuple[int, bytes, dict[str, str]]:
        message = json.loads(body or b"{}")
        if "id" not in message:
            return 202, b"", {}
        protocol = message.get("params", {}).get("protocolVersion", "2025-06-18")
        results: dict[str, Any] = {
            "initialize": {
                "protocolVersion": protocol,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "service-mcp", "version": "1.0.0"},
            },
            "tools/list": {
                "tools": [{"name": tool.name, "description": "x", "inputSchema": {"type": "object"}} for tool in TOOLS]
            },
            "tools/call": {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"data": [RECORD]}},
        }
        known = {"result": results[message["method"]]} if message["method"] in results else {
            "error": {"code": -32601, "message": f"{key} cannot do that"}
        }  # fmt: skip
        return 200, json.dumps({"jsonrpc": "2.0", "id": message["id"]} | known).encode(), {}


def _handler(service: CanaryService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            first, _, rest = self.path[1:].partition("/")
            mode, path = first.replace("-", " "), f"/{rest}"
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            service.seen.append(Seen(self.command, path, {name.lower(): value for name, value in self.headers.items()}))
            if mode == "broken":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                return
            key = self.headers.get("api-key", "nothing")
            status, content, headers = service.answer(mode, self.command, path, body, key)
            echo = {"X-Your-Key": key, "Set-Cookie": f"key={key}; api-key={key}"}
            self.send_response(status, f"OK {key}")
            usual = {"Content-Type": "application/json", "Content-Length": str(len(content))}
            for name, value in (usual | headers | echo).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - the library's names

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the library's name
            """Silent."""

    return Handler


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are no news here."""


@contextmanager
def canary_service() -> Iterator[tuple[CanaryService, CanaryService]]:
    """The service, and the other origin to which it redirects."""
    here, other = CanaryService(), CanaryService()
    servers = []
    for service in (here, other):
        server = _Quiet(("127.0.0.1", 0), _handler(service))
        service.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    here.elsewhere = other.url
    yield here, other
    for server in servers:
        server.shutdown()
        server.server_close()
