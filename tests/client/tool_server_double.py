"""A small tool server on the low-level ``mcp`` SDK, for the tool client's tests.

It holds a handful of records and no rules beyond the ones that the client must live with (confirmations, the key, the two
protocol eras). The embedded service's own tool server, with all 20 tools over its data, arrives with a later issue, and the
client's tests will run against it too.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount

from workbench.contract.tools import TOOLS, Tool

KEY = "canary-tools-7d21f0c3"
"""A key that may use the tools; so may longer ones that begin with it."""

REST_KEY = "rest-only-key-1"
PIPELINES: list[dict[str, Any]] = [
    {
        "id": "p1",
        "name": "Ventas",
        "statuses": [
            {"id": "s1", "name": "Abierta", "isTerminal": False},
            {"id": "s2", "name": "Ganada", "isTerminal": True},
            {"id": "s3", "name": "Sin decir"},
        ],
    }
]

Json = dict[str, Any]
Asgi = Callable[[Any, Any, Any], Awaitable[None]]
Before = Callable[[Json, Request], "Response | Asgi | None"]
"""What a test wants answered instead, by the JSON-RPC message; ``None`` leaves it to the server."""


@dataclass
class Seen:
    """One request: its JSON-RPC message, its headers, and its HTTP method."""

    method: str
    message: Json
    headers: Mapping[str, str]

    @property
    def called(self) -> str:
        """The tool's name, or else the protocol's method."""
        return str(self.message.get("params", {}).get("name") or self.message.get("method", self.method))


def _reference(kind: str, id_: str, label: str) -> Json:
    return {"type": kind, "id": id_, "label": label}


class Refused(Exception):
    """A tool's error result."""


def _search(arguments: Json) -> tuple[Any, Json | None]:
    size = arguments.get("pageSize", 10)
    data = [{"id": f"t{i}", "name": f"Obras {i}", "newField": [1]} for i in range(size)]
    references = {"tenders": [_reference("tender", one["id"], one["name"]) for one in data]}
    return {"data": data, "pagination": {"page": 1, "pageSize": size, "hasNextPage": True}}, references


def _pipelines(arguments: Json) -> tuple[Any, Json | None]:
    grouped = [
        {
            "pipeline": _reference("pipeline", one["id"], one["name"]),
            "statuses": [_reference("pipeline-status", stage["id"], stage["name"]) for stage in one["statuses"]],
        }
        for one in PIPELINES
    ]
    page = {"page": arguments.get("page", 1), "pageSize": 100, "hasNextPage": False}
    return {"data": PIPELINES, "pagination": page}, {"pipelines": grouped}


def _move(arguments: Json) -> tuple[Any, Json | None]:
    if arguments["targetStatus"] in {"s2", "Ganada"} and arguments.get("confirmTerminal") is not True:
        raise Refused("The stage is terminal: ask, then call again with confirmTerminal: true.")
    return {"id": arguments["opportunity"], "statusId": arguments["targetStatus"]}, None


def _confirmed(arguments: Json) -> tuple[Any, Json | None]:
    if arguments.get("confirmed") is not True:
        raise Refused("Summarize it to the user and call again with confirmed: true.")
    return {"id": "n1", "title": arguments["title"]}, {"alerts": [_reference("alert", "n1", arguments["title"])]}


def _echo(arguments: Json) -> tuple[Any, Json | None]:
    return {"id": "x1", "stats": [], **arguments, "got": arguments}, None


def _list(arguments: Json) -> tuple[Any, Json | None]:
    return [{"id": "x1", "got": arguments}], None


def _page(arguments: Json) -> tuple[Any, Json | None]:
    data = [{"id": "x1", "got": arguments}]
    return {"data": data, "pagination": {"page": 1, "pageSize": 10, "hasNextPage": False}}, None


def _whoami(_arguments: Json) -> tuple[Any, Json | None]:
    return {"principal": {"type": "apiKey", "id": "k1"}, "account": {"id": "acme"}}, None


_LISTS = ("get_tender_sheets", "get_kanban_status_totals", "get_opportunity_workflow_actions")
_PAGES = ("list_alerts", "get_alert_results", "get_kanban_opportunities_by_status", "list_opportunity_tasks")
_TOOLS: dict[str, Callable[[Json], tuple[Any, Json | None]]] = {
    **{tool.name: _echo for tool in TOOLS},
    **dict.fromkeys(_LISTS, _list),
    **dict.fromkeys(_PAGES, _page),
    "search_tenders": _search,
    "list_pipelines": _pipelines,
    "change_opportunity_status": _move,
    "create_alert": _confirmed,
    "create_opportunity_task": _confirmed,
    "whoami": _whoami,
    "search_kanban_opportunities": lambda arguments: ({"s1": [{"id": "o1", "got": arguments}]}, None),
}


def _described(tool: Tool) -> types.Tool:
    notes = types.ToolAnnotations(read_only_hint=tool.read_only, destructive_hint=tool.destructive)
    schema = tool.parameters.model_json_schema(by_alias=True)
    return types.Tool(name=tool.name, description=f"Does {tool.name}.", input_schema=schema, annotations=notes)


async def _on_list(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])


async def _on_call(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    try:
        payload, references = _TOOLS[params.name](dict(params.arguments or {}))
    except Refused as refused:
        return _result({"error": str(refused)}, None, is_error=True)
    return _result(payload, references)


def _result(payload: Any, references: Json | None, *, is_error: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(payload, ensure_ascii=False))
    structured = {"references": references} if references else None
    return types.CallToolResult(content=[text], structured_content=structured, is_error=is_error)


@dataclass
class ToolServerDouble:
    """An ASGI application. ``era`` is the protocol it speaks; ``events`` makes its answers event streams."""

    era: str = "both"
    events: bool = False
    before: Before | None = None
    seen: list[Seen] = field(default_factory=list[Seen])

    def __post_init__(self) -> None:
        server = Server("service-mcp", version="1.0.0", on_list_tools=_on_list, on_call_tool=_on_call)
        self._manager = StreamableHTTPSessionManager(server, json_response=not self.events, stateless=True)
        self.app = Starlette(routes=[Mount("/", self._serve)], lifespan=self._run)

    @property
    def calls(self) -> list[str]:
        """Names of what was asked for, in order."""
        return [one.called for one in self.seen]

    @asynccontextmanager
    async def _run(self, _app: Starlette) -> Any:
        async with self._manager.run():
            yield

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if not part.get("more_body"):
                break
        message: Json = json.loads(body or b"{}")
        request = Request(scope)
        self.seen.append(Seen(request.method, message, request.headers))
        answer = (self.before(message, request) if self.before else None) or self._gate(message, request)
        if answer is not None:
            await answer(scope, receive, send)
            return

        replayed = iter(({"type": "http.request", "body": body, "more_body": False},))

        async def again() -> Any:
            return next(replayed, None) or await receive()

        await self._manager.handle_request(scope, again, send)

    def _gate(self, message: Json, request: Request) -> Response | None:
        key = request.headers.get("api-key")
        if key is None or not key.startswith((KEY, REST_KEY)):
            return JSONResponse({"statusCode": 401, "message": "Missing or invalid API key"}, 401)
        if key == REST_KEY:
            return JSONResponse({"statusCode": 403, "message": "This API key is not enabled for MCP access"}, 403)
        if request.url.path != "/mcp":
            return JSONResponse({"statusCode": 404, "message": "Not Found"}, 404)
        if self.era == "older" and request.headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS:
            return JSONResponse({"statusCode": 400, "message": "Unsupported protocol version"}, 400)
        if self.era == "newer" and message.get("method") == "initialize":
            error = {"code": -32022, "message": "too old", "data": {"supported": list(MODERN_PROTOCOL_VERSIONS)}}
            return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error}, 400)
        return None


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """The application on a free port of loopback: its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on", ws="none")
    server = uvicorn.Server(config)
    started = threading.Event()

    async def run() -> None:
        startup = server.startup

        async def note(*args: Any, **options: Any) -> None:
            await startup(*args, **options)
            started.set()

        server.startup = note  # type: ignore[method-assign]
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(20)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


class Pool:
    """Servers that are started once and lent to one test after the other, as good as new."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._free: list[tuple[ToolServerDouble, str]] = []
        self._lent: list[tuple[ToolServerDouble, str]] = []

    def lend(self, era: str = "both", *, events: bool = False, before: Before | None = None) -> tuple[ToolServerDouble, str]:
        """A server of this kind, and its address."""
        found = next((one for one in self._free if (one[0].era, one[0].events) == (era, events)), None)
        if found is None:
            double = ToolServerDouble(era, events)
            found = double, self._stack.enter_context(listening(double.app))
        else:
            self._free.remove(found)
        found[0].seen, found[0].before = [], before
        self._lent.append(found)
        return found

    def take_back(self) -> None:
        """The test is over."""
        self._free += self._lent
        self._lent = []

    def close(self) -> None:
        """Stop them all."""
        self._stack.close()
