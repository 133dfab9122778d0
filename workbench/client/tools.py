"""The tool server's client (interface 4.2) on the official ``mcp`` SDK: one long-lived session, asynchronous and sync.

The tools as methods stand in :mod:`workbench.client._async.tools` and its sync twin; here is what carries them.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from pydantic import ValidationError

from workbench.client._async.moves import ensure_confirmed
from workbench.client.errors import ClientMisused, ConnectionFailed, ToolRefused, UnexpectedAnswer, WorkbenchError
from workbench.client.moves import CLEARANCES_MAX, ClearanceStale, Move
from workbench.client.own_loop import OwnLoop
from workbench.client.policy.redaction import excerpt
from workbench.client.tool_gate import LIST, SessionGone
from workbench.client.tool_results import (
    MESSAGE_CHARACTERS_MAX,
    ToolDescription,
    ToolResult,
    read_result,
    tool_named,
    wire_arguments,
)
from workbench.client.tool_seat import ToolSeat
from workbench.client.tool_session import ToolSession, gate_of, send_call
from workbench.contract.tools import TOOLS_BY_NAME, Tool
from workbench.contract.vocabulary import PAGE_SIZE_MAX

if TYPE_CHECKING:
    from mcp.client.session import ClientSession

R = TypeVar("R")

_LIST_PAGES_MAX: Final = 100
_PIPELINES: Final = TOOLS_BY_NAME["list_pipelines"]


class AsyncToolCalls:
    """Calls tools by name over one session, which opens at the first call and stays open. Use it in one event loop.

    ``client.tool_server()`` gives one; closing the client closes it.
    """

    def __init__(self, seat: ToolSeat) -> None:
        self.endpoint = seat.endpoint
        self._gate = gate_of(seat)
        self._session = ToolSession(self._gate, seat.endpoint)

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None, *, check: bool = False) -> ToolResult[Any]:
        """Call a tool by its name, with its parameters in snake_case or in the wire's camelCase; ``None`` is "not given".

        A refusal by the tool itself is a result with ``is_error``; with ``check`` it raises ``ToolRefused`` instead.
        ``create_alert`` and ``create_opportunity_task`` refuse unless ``confirmed`` is given as ``True``, which is never added
        here. ``change_opportunity_status`` passes the same guard as ``client.opportunities.move``.

        ``InvalidArgument`` names a field that cannot be sent, and nothing was sent then. ``Unauthorized``,
        ``ToolsNotEnabled`` (a ``Forbidden``), ``RateLimited``, ``NoToolServer``, ``ConnectionFailed`` and the others as for
        every call of the client.
        """
        tool = tool_named(name)
        wire = wire_arguments(tool, arguments)
        result = await (self._move(tool, wire) if tool.destructive else self._call(tool, wire))
        if check:
            result.check()
        return result

    async def list(self) -> tuple[ToolDescription, ...]:
        """The tools that the server lists, on all pages, in its order. Errors as for :meth:`call`."""
        from mcp_types import PaginatedRequestParams

        found: list[ToolDescription] = []
        cursor: str | None = None
        for _ in range(_LIST_PAGES_MAX):
            params = PaginatedRequestParams(cursor=cursor)
            page = await self._ask(LIST, lambda session, params=params: session.list_tools(params=params))
            found.extend(_described(tool) for tool in page.tools)
            cursor = page.next_cursor
            if not cursor:
                return tuple(found)
        raise UnexpectedAnswer("a list of tools that ends", where=f"page {_LIST_PAGES_MAX}", operation=LIST)

    async def aclose(self) -> None:
        """End the session and close its connections. Closing again does nothing."""
        await self._session.drop()
        await self._gate.driver.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint!r})"

    async def _call(self, tool: Tool, wire: dict[str, Any]) -> ToolResult[Any]:
        from mcp_types import TextContent

        answer = await self._ask(f"tools.{tool.name}", lambda session: send_call(session, tool.name, wire), tool)
        texts = [block.text for block in answer.content if isinstance(block, TextContent)]
        secrets = self._gate.driver.secrets
        return read_result(tool, texts, answer.structured_content, is_error=answer.is_error, secrets=secrets)

    async def _move(self, tool: Tool, wire: dict[str, Any]) -> ToolResult[Any]:
        move = Move(
            wire["targetStatus"],
            wire.get("confirmTerminal", False),
            opportunity=wire["opportunity"],
            by_name=True,
            operation=f"tools.{tool.name}",
        )

        async def fetch(page: int) -> Any:
            # From the tool server itself: only its own pipelines say what its stages are, wherever the base URL leads.
            result = await self._call(_PIPELINES, {"page": page, "pageSize": PAGE_SIZE_MAX})
            result.check()
            return result.data

        for _ in range(CLEARANCES_MAX):
            await ensure_confirmed(move, fetch)
            self._gate.clear(wire, None if move.confirmed else time.monotonic())
            try:
                return await self._call(tool, wire)
            except ClearanceStale:
                move = replace(move, tried=True)
        raise move.refused("not looked up")

    async def _ask(self, operation: str, send: Callable[[ClientSession], Awaitable[R]], tool: Tool | None = None) -> R:
        session = await self._open()
        try:
            return await self._once(operation, session, send, tool)
        except SessionGone:
            await self._session.drop(session)
        return await self._once(operation, await self._open(), send, tool)

    async def _open(self) -> ClientSession:
        self._gate.driver.enter()
        return await self._session.get()

    async def _once(
        self, operation: str, session: ClientSession, send: Callable[[ClientSession], Awaitable[R]], tool: Tool | None
    ) -> R:
        from mcp import MCPError

        try:
            return await send(session)
        except MCPError as trouble:
            failure = self._gate.failure(trouble.data) or self._meaning(operation, trouble.code, trouble.message, tool)
        except ValidationError:
            failure = UnexpectedAnswer("a result of the tool protocol", where="its shape", operation=operation)
        # Raised outside the except block: what the SDK's frames hold does not hang on the error.
        raise failure

    def _meaning(self, operation: str, code: int, message: str, tool: Tool | None) -> WorkbenchError:
        from mcp_types import CONNECTION_CLOSED

        words = excerpt(message.encode(), self._gate.driver.secrets, limit=MESSAGE_CHARACTERS_MAX)
        if code == CONNECTION_CLOSED:
            writes = tool is not None and not tool.read_only
            end = "It may have been carried out: look before you send it again." if writes else "Try again."
            return ConnectionFailed(f"{operation}: the session with the tool server ended. {end}", operation=operation)
        if tool is not None:
            return ToolRefused(words, tool.name)
        return UnexpectedAnswer("a result of the tool protocol", where=f"error {code}", excerpt=words, operation=operation)


def _described(tool: Any) -> ToolDescription:
    notes = tool.annotations
    return ToolDescription(
        tool.name,
        tool.description,
        tool.input_schema,
        read_only=None if notes is None else notes.read_only_hint,
        destructive=None if notes is None else notes.destructive_hint,
    )


class ToolCalls:
    """As :class:`AsyncToolCalls`, sync: the session lives in an event loop of its own, in a thread. Threads may share it."""

    def __init__(self, seat: ToolSeat) -> None:
        self.endpoint = seat.endpoint
        self._calls = AsyncToolCalls(seat)
        self._loop = OwnLoop()
        self._closed = False

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, *, check: bool = False) -> ToolResult[Any]:
        """As :meth:`AsyncToolCalls.call`."""
        return self._run(lambda: self._calls.call(name, arguments, check=check))

    def list(self) -> tuple[ToolDescription, ...]:
        """As :meth:`AsyncToolCalls.list`."""
        return self._run(self._calls.list)

    def close(self) -> None:
        """End the session, its loop and its thread. Closing again does nothing."""
        self._closed = True
        if not self._loop.running:
            return
        try:
            self._loop.portal().call(self._calls.aclose)
        finally:
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint!r})"

    def _run(self, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        if self._closed:
            raise ClientMisused("This tool server's client is closed; open another one with workbench.connect().")
        future = self._loop.portal().start_task_soon(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # where it is this thread that was interrupted, nobody waits for the call any more
            raise
