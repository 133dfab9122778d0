"""HTTP for the tool server's session: what the ``mcp`` SDK hands over leaves through the workbench's own driver.

The SDK turns every HTTP refusal into "Server returned an error response", and a broken connection ends its session
(python-sdk issues 1010 and 2110). So it gets a connection here that never fails: each message is one call of the driver,
with the key bound to its origin, the rate window, the retries and the error types of every other call, and a failure comes
back as a JSON-RPC error with a number, by which the caller gets the typed error.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

import anyio
import httpx2
from pydantic import SecretStr
from pydantic_core import from_json, to_json

from workbench.client._async.driver import BODY_BYTES_MAX, AsyncDriver
from workbench.client.calls import Call
from workbench.client.errors import (
    ApiError,
    Forbidden,
    NotFound,
    NoToolServer,
    ToolsNotEnabled,
    UnexpectedAnswer,
    WorkbenchError,
)
from workbench.client.moves import ClearedMove
from workbench.client.policy.answers import RawResponse
from workbench.client.policy.redaction import excerpt
from workbench.client.transport import AsyncAnswer, AsyncTransport, Request
from workbench.contract.operations import Answer, AnswerKind, Method, Operation
from workbench.contract.tools import TOOLS_BY_NAME

CONNECT: Final = "tools.connect"
LIST: Final = "tools.list"
ACCEPTED: Final = "application/json, text/event-stream"
_JSON_ANSWER: Final[Answer[Any]] = Answer(AnswerKind.JSON, Any)
_FAILURE_CODE: Final = -32000
_FAILURE: Final = "workbenchFailure"
_KEPT_MAX: Final = 256
"""Failures and clearances that nobody has come for; far more than can be under way at once."""

_SESSION_HEADER: Final = "mcp-session-id"
_FINAL_AT_ONCE: Final = frozenset({401, 403, 429, 502, 503, 504})
"""Statuses that say nothing about the protocol's era: asking again in the older one would only cost a request."""


class SessionGone(WorkbenchError):
    """The tool server has forgotten the session; nothing was carried out, and a new session will do."""


class ToolDriver(AsyncDriver):
    """Sends one JSON-RPC message a call, and gives its answer as one JSON body, event streams and error statuses included."""

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """What no message may show."""
        return self._secrets

    def enter(self) -> None:
        """Raise ``ClientMisused`` once closed, or in another event loop than the first."""
        self._effects.enter()

    async def _hop(self, call: Call[Any], method: str, url: str, file: bool) -> AsyncAnswer:
        answer = await super()._hop(call, method, url, file)
        sort = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if 200 <= answer.status_code < 300 and sort == "text/event-stream":
            return await self._last_event(call, answer)
        if 400 <= answer.status_code < 500 and answer.status_code not in _FINAL_AT_ONCE and sort == "application/json":
            return await self._error_as_answer(answer)
        return answer

    async def _last_event(self, call: Call[Any], answer: AsyncAnswer) -> AsyncAnswer:
        """The event that answers the request; whatever else the stream tells on the way is not for this client."""
        deadline = time.monotonic() + self._timeouts.total
        try:
            async for event in httpx2.EventSource(answer, max_event_size=BODY_BYTES_MAX):
                if event.data and _answers(event.data):
                    return _json_answer(answer, event.data.encode())
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("the event stream goes on and does not answer", request=answer.request)
            raise httpx2.RemoteProtocolError("the event stream ended without an answer", request=answer.request)
        except httpx2.SSEError:
            raise UnexpectedAnswer(
                "a JSON-RPC answer", where="the event stream", status=answer.status_code, operation=call.operation.name
            ) from None
        finally:
            await answer.aclose()

    async def _error_as_answer(self, answer: AsyncAnswer) -> AsyncAnswer:
        # The newer protocol puts JSON-RPC errors behind statuses of 4xx; the SDK needs their codes to settle on a version.
        body = await self._body(answer, BODY_BYTES_MAX)
        await answer.aclose()
        if _answers(body):
            return _json_answer(answer, body)
        return httpx2.Response(answer.status_code, headers=_kept(answer), content=body, request=answer.request)


def _kept(answer: AsyncAnswer) -> list[tuple[str, str]]:
    framing = {"content-encoding", "content-length", "transfer-encoding"}
    return [(name, value) for name, value in answer.headers.items() if name.lower() not in framing]


def _json_answer(answer: AsyncAnswer, body: bytes) -> AsyncAnswer:
    session = answer.headers.get(_SESSION_HEADER)
    headers = {"content-type": "application/json"} | ({_SESSION_HEADER: session} if session else {})
    return httpx2.Response(200, headers=headers, content=body, request=answer.request)


def _message(body: bytes | str) -> Mapping[str, Any]:
    try:
        decoded = from_json(body)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", decoded) if isinstance(decoded, Mapping) else {}


def _answers(body: bytes | str) -> bool:
    """Whether a body is the answer to a request: a result, or an error."""
    message = _message(body)
    if message.get("jsonrpc") != "2.0" or "method" in message:
        return False
    error = message.get("error")
    if isinstance(error, Mapping):
        wire = cast("Mapping[str, Any]", error)
        return isinstance(wire.get("code"), int) and isinstance(wire.get("message"), str)
    return isinstance(message.get("result"), Mapping)


class Gate(AsyncTransport):
    """The connection that the SDK gets. ``guessed`` says that the address was made from the base URL, ``embedded`` that it is
    the embedded service's.
    """

    def __init__(self, driver: ToolDriver, endpoint: str, *, guessed: bool = False, embedded: bool = False) -> None:
        self.driver = driver
        self._endpoint = endpoint
        self._guessed = guessed
        self._embedded = embedded
        self._numbers = itertools.count(1)
        self._failures: dict[int, Exception] = {}
        self._under_way: dict[object, anyio.CancelScope] = {}
        self._clearances: dict[tuple[object, ...], float | None] = {}
        self._opening = True
        self._refused: Exception | None = None

    def begin(self) -> None:
        """A session is about to be opened."""
        self._opening, self._refused = True, None

    def opened(self) -> None:
        """The session is open."""
        self._opening = False

    @property
    def refused(self) -> Exception | None:
        """Why the session did not open, where the service or the network is the reason."""
        return self._refused

    def clear(self, arguments: Mapping[str, Any], looked_up_at: float | None) -> None:
        """Let this move through once it has passed the guard; as :attr:`ClearedMove.looked_up_at`."""
        if len(self._clearances) >= _KEPT_MAX:
            self._clearances.clear()
        self._clearances[_move_of(arguments)] = looked_up_at

    def failure(self, data: object) -> Exception | None:
        """The failure that a JSON-RPC error's data stands for; ``None`` for an error of the tool server's own."""
        number = cast("Mapping[str, Any]", data).get(_FAILURE) if isinstance(data, Mapping) else None
        return self._failures.pop(number, None) if isinstance(number, int) else None

    async def handle_async_request(self, request: Request) -> AsyncAnswer:
        """The tool server's answer, or a failure as a JSON-RPC error; never an exception, which would end the SDK's session."""
        if request.method != "POST":
            return httpx2.Response(405, request=request)  # no stream of the server's own is wanted, and no request spent on it
        body = await request.aread()
        message = _message(body)
        if message.get("method") == "notifications/cancelled":
            self._cancel(message)
            return httpx2.Response(202, request=request)
        if self._opening and self._refused is not None:
            return self._failed(message, self._refused)
        if message.get("method") == "initialize":
            self._cancel_all()  # the SDK has given up asking in the newer protocol, and nobody waits for that answer
        headers = {name: value for name, value in request.headers.items() if name.lower().startswith("mcp-")}
        with anyio.CancelScope() as scope:
            self._under_way[message.get("id")] = scope
            try:
                return await self._exchange(message, body, headers)
            finally:
                if self._under_way.get(message.get("id")) is scope:
                    del self._under_way[message.get("id")]
        return self._failed(message, WorkbenchError("Nobody waits for this answer any more."))

    def _cancel(self, message: Mapping[str, Any]) -> None:
        scope = self._under_way.get(cast("Mapping[str, Any]", message.get("params") or {}).get("requestId"))
        if scope is not None:
            scope.cancel()

    def _cancel_all(self) -> None:
        for scope in self._under_way.values():
            scope.cancel()

    async def _exchange(self, message: Mapping[str, Any], body: bytes, headers: Mapping[str, str]) -> AsyncAnswer:
        try:
            call = self._call(message, body, (("Accept", ACCEPTED), *headers.items()))
            answer = await self.driver.raw(call)
            if "id" not in message:
                return httpx2.Response(202)
            if _answers(answer.body):
                return _handed_over(message, answer)
            failure = self._unexpected(call, answer)
        except WorkbenchError as trouble:
            failure = self._named(trouble, _SESSION_HEADER in headers)
        except Exception as trouble:  # noqa: BLE001 - a stale clearance, or a caller's own callback: the caller gets it
            failure = trouble
        if self._opening and _ends_the_opening(message, failure):
            self._refused = failure
        return self._failed(message, failure)

    def _call(self, message: Mapping[str, Any], body: bytes, headers: tuple[tuple[str, str], ...]) -> Call[Any]:
        if message.get("method") != "tools/call":
            name = LIST if message.get("method") == "tools/list" else CONNECT
            # Neither changes anything, so both may be sent again.
            operation = Operation(name, Method.POST, self._endpoint, "The tool protocol", _JSON_ANSWER, replayable=True)
            return Call(operation, self._endpoint, body, headers=headers)
        parameters = cast("Mapping[str, Any]", message.get("params") or {})
        tool = TOOLS_BY_NAME[cast("str", parameters.get("name"))]
        operation = replace(
            tool.operation, name=f"tools.{tool.name}", method=Method.POST, path=self._endpoint, answer=_JSON_ANSWER
        )
        if not tool.destructive:
            return Call(operation, self._endpoint, body, headers=headers)
        arguments = cast("Mapping[str, Any]", parameters.get("arguments") or {})
        key = _move_of(arguments)
        if key not in self._clearances:
            return Call(operation, self._endpoint, body)  # which the driver refuses to send
        return ClearedMove(operation, self._endpoint, body, looked_up_at=self._clearances[key], headers=headers)

    def _named(self, trouble: WorkbenchError, in_session: bool) -> WorkbenchError:
        if isinstance(trouble, Forbidden):
            return _as(ToolsNotEnabled, trouble)
        if isinstance(trouble, NotFound):
            if in_session:
                return SessionGone("The tool server has forgotten the session.", operation=trouble.operation)
            guess = ", which was made from the base URL" if self._guessed else ""
            missing = NoToolServer(404, None, f"nothing answers at {self._endpoint}{guess}", trouble.operation)
            missing.embedded = self._embedded
            return missing
        return trouble

    def _unexpected(self, call: Call[Any], answer: RawResponse) -> UnexpectedAnswer:
        sort = answer.headers.get("content-type", "no content type").partition(";")[0]
        return UnexpectedAnswer(
            "a JSON-RPC answer",
            where=f"the body, which is {sort}" if answer.body else "the body, which is empty",
            excerpt=excerpt(answer.body, self.driver.secrets),
            status=answer.status,
            operation=call.operation.name,
        )

    def _failed(self, message: Mapping[str, Any], failure: Exception) -> AsyncAnswer:
        if "id" not in message:
            return httpx2.Response(202)  # a notification has no answer; what is wrong shows at the next request
        if len(self._failures) >= _KEPT_MAX:
            self._failures.pop(next(iter(self._failures)))
        number = next(self._numbers)
        self._failures[number] = failure
        error = {"code": _FAILURE_CODE, "message": "not carried out", "data": {_FAILURE: number}}
        body = to_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=body)


def _handed_over(message: Mapping[str, Any], answer: RawResponse) -> AsyncAnswer:
    body, decoded = answer.body, _message(answer.body)
    if decoded.get("id") != message["id"]:
        # An error from before the id was read has none, and the SDK would wait for its own id for ever.
        body = to_json({**decoded, "id": message["id"]})
    session = {_SESSION_HEADER: answer.headers[_SESSION_HEADER]} if _SESSION_HEADER in answer.headers else {}
    return httpx2.Response(200, headers={"content-type": "application/json"} | session, content=body)


def _move_of(arguments: Mapping[str, Any]) -> tuple[object, ...]:
    return arguments.get("opportunity"), arguments.get("targetStatus"), arguments.get("confirmTerminal") is True


def _as(kind: type[ApiError], trouble: ApiError) -> ApiError:
    return kind(trouble.status, trouble.code, trouble.message, trouble.operation, trouble.retry_after)


def _ends_the_opening(message: Mapping[str, Any], failure: Exception) -> bool:
    # An older server may answer the newer protocol's question with any refusal; then the SDK asks in the older protocol.
    asked = message.get("method") == "server/discover" and isinstance(failure, ApiError)
    return not asked or cast("ApiError", failure).status in _FINAL_AT_ONCE
