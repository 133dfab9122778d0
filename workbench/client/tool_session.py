"""The session with a tool server: opened once, kept open, and sent through the workbench's own transport."""

from __future__ import annotations

import asyncio
import copy
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, cast

import httpx2

from workbench.client.errors import ConnectionFailed, UnexpectedAnswer, WorkbenchError
from workbench.client.policy.redaction import excerpt
from workbench.client.tool_gate import CONNECT, Gate, ToolDriver
from workbench.client.tool_seat import ToolSeat
from workbench.client.transport import AsyncAnswer, AsyncTransport, Request, Sender, SyncTransport, open_async
from workbench.client.windows import chosen_window

if TYPE_CHECKING:
    from mcp.client.session import ClientSession
    from mcp_types import CallToolResult


class _Borrowed(AsyncTransport):
    """A client's own transport, which stays the client's to close."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: Request) -> AsyncAnswer:
        return await self._transport.handle_async_request(request)


class _InThread(AsyncTransport):
    """A sync client's own transport, used from the event loop of its tool session."""

    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: Request) -> AsyncAnswer:
        return await asyncio.to_thread(self._answer, request)

    def _answer(self, request: Request) -> AsyncAnswer:
        answer = self._transport.handle_request(request)
        try:
            body = b"".join(answer.iter_raw())
        finally:
            answer.close()
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=httpx2.ByteStream(body))


def gate_of(seat: ToolSeat) -> Gate:
    """The connection to the seat's tool server. Raises ``InvalidArgument`` for an address that cannot be used."""
    base = seat.address()
    transport = seat.transport
    if isinstance(transport, SyncTransport) and not isinstance(transport, AsyncTransport):
        transport = _InThread(transport)
    elif transport is not None:
        transport = _Borrowed(cast("AsyncTransport", transport))
    driver = ToolDriver(
        open_async(base, transport),
        Sender(base, seat.key),
        key=seat.key,
        window=chosen_window(seat.rate_window, base.origin, seat.key, channel="tools"),
        timeouts=seat.timeouts,
        on_wait=seat.on_wait,
        profile=None if seat.profile is None else seat.profile.name,
    )
    embedded = seat.profile is not None and seat.profile.kind == "embedded"
    return Gate(driver, seat.endpoint, guessed=seat.guessed, embedded=embedded)


class ToolSession:
    """The one session, kept by a task of its own: the SDK's scopes must be left by the task that entered them, and a caller
    that is cancelled must not take the session along.
    """

    def __init__(self, gate: Gate, endpoint: str) -> None:
        self._gate = gate
        self._endpoint = endpoint
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[ClientSession | Exception] | None = None
        self._stop = asyncio.Event()

    async def get(self) -> ClientSession:
        """The open session; it is opened where there is none."""
        if self._task is None or self._task.done() or self._ready is None:
            self._stop = asyncio.Event()
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._keep(self._ready, self._stop), name="workbench-tools")
        outcome = await asyncio.shield(self._ready)
        if isinstance(outcome, Exception):
            raise copy.copy(outcome)  # several callers may wait for one session, and each gets an error of its own
        return outcome

    async def _keep(self, ready: asyncio.Future[ClientSession | Exception], stop: asyncio.Event) -> None:
        outcome: Exception = ConnectionFailed("The session with the tool server was closed.", operation=CONNECT)
        try:
            # Not anyio's threads: where a sync client was never closed, they would keep the interpreter from ending.
            mcp, http_transport = await asyncio.to_thread(_import_sdk)
            self._gate.begin()
            async with httpx2.AsyncClient(transport=self._gate, trust_env=False) as http:
                connection = http_transport.streamable_http_client(self._endpoint, http_client=http, terminate_on_close=False)
                info = mcp.types.Implementation(name="tender-workbench", version=metadata.version("tender-workbench"))
                async with mcp.Client(connection, cache=None, client_info=info) as client:
                    self._gate.opened()
                    ready.set_result(client.session)
                    await stop.wait()
        except Exception as trouble:  # noqa: BLE001 - whatever it is, it becomes the caller's typed error
            outcome = self._gate.refused or _opening_error(trouble)
        finally:
            if not ready.done():
                ready.set_result(outcome)

    async def drop(self, only: ClientSession | None = None) -> None:
        """End the session (``only`` this one, where given); the next :meth:`get` opens another."""
        if only is not None and (self._ready is None or not self._ready.done() or self._ready.result() is not only):
            return  # another caller has renewed it already
        task, self._task = self._task, None
        if task is None:
            return
        if self._ready is not None and self._ready.done():
            self._stop.set()
        else:
            task.cancel()
        await asyncio.wait([task])


def _import_sdk() -> tuple[Any, Any]:
    return import_module("mcp"), import_module("mcp.client.streamable_http")


def _opening_error(trouble: BaseException) -> WorkbenchError:
    words = ""
    while isinstance(trouble, BaseExceptionGroup):
        trouble = cast("BaseExceptionGroup[BaseException]", trouble).exceptions[0]
    if type(trouble).__name__ == "MCPError":
        words = excerpt(str(trouble).encode())
    return UnexpectedAnswer(
        "an answer of the tool protocol (MCP, Streamable HTTP)",
        where="the opening of the session",
        excerpt=words or type(trouble).__name__,
        operation=CONNECT,
    )


async def send_call(session: ClientSession, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """The result of a tool, unread. Raises the SDK's ``MCPError`` for everything that is no result."""
    from mcp import MCPError
    from mcp_types import HEADER_MISMATCH, CallToolRequest, CallToolRequestParams, CallToolResult

    # Not ``call_tool``: it lists all tools first, which costs one of thirty requests, to check results against schemas that
    # the interface does not state.
    request = CallToolRequest(params=CallToolRequestParams(name=name, arguments=arguments))
    try:
        return await session.send_request(request, CallToolResult)
    except MCPError as trouble:
        if trouble.code != HEADER_MISMATCH:
            raise
    await session.list_tools()  # the server wants parameters repeated in headers, and its list says which
    return await session.send_request(request, CallToolResult)
