"""Routes from the table of operations, whatever their handlers: methods, statuses, bodies, and callers that give up."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import httpx2
import pytest
from starlette.routing import Router

from workbench.contract.operations import BY_NAME, OPERATIONS
from workbench.contract.opportunities import StageMove, TaskDraft
from workbench.service.refusals import RequestRefused
from workbench.service.rest import Call, Handler, Reply, built, json_reply, nothing_here, routes

STAGE = "7f0b5d0e-8d3a-4a57-9a4f-0f6f9a7f5c11"


def client(handlers: dict[str, Handler]) -> httpx2.AsyncClient:
    router = Router(routes(handlers), redirect_slashes=False, default=nothing_here)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await router(scope, receive, send)
        except RequestRefused as refusal:
            headers = [(name.encode(), value.encode()) for name, value in refusal.headers.items()]
            await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
            await send({"type": "http.response.body", "body": refusal.to_json()})

    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://test")


def test_only_operations_with_a_handler_have_a_route() -> None:
    handlers: dict[str, Handler] = {"alerts.get": lambda _: json_reply({}), "alerts.list": lambda _: json_reply({})}
    assert [operation.name for operation in built(handlers)] == ["alerts.list", "alerts.get"]
    assert [route.path for route in routes(handlers)] == ["/v1/alerts", "/v1/alerts/{alertId}"]
    assert len(built({operation.name: lambda _: json_reply({}) for operation in OPERATIONS})) == 25


@pytest.mark.anyio
async def test_one_path_may_have_several_methods() -> None:
    handlers: dict[str, Handler] = {
        "opportunities.tasks": lambda call: json_reply(call.path),
        "opportunities.create_task": lambda call: json_reply({"id": call.body_as(TaskDraft).title}),
    }
    async with client(handlers) as caller:
        path = "/v1/opportunities/o%20%C3%B1/tasks"
        assert (await caller.get(path)).json() == {"opportunityId": "o ñ"}
        made = await caller.post(path, json={"title": "Call"})
        assert (made.status_code, made.json()) == (201, {"id": "Call"})
        refused = await caller.patch(path, json={})
        assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")
        missing = await caller.post(path, json={})
        assert (missing.status_code, "'title' is required" in missing.text) == (422, True)
        nowhere = await caller.post("/v1/opportunities/o/task", json={})
        assert nowhere.status_code == 404


@pytest.mark.anyio
async def test_an_answer_without_a_body_has_no_length() -> None:
    seen: list[StageMove] = []

    def move(call: Call) -> Reply:
        seen.append(call.body_as(StageMove))
        return Reply(b"")

    async with client({"opportunities.move": move}) as caller:
        answer = await caller.put("/v1/opportunities/o1/status", json={"targetStatusId": STAGE})
    assert (answer.status_code, answer.content, "content-length" in answer.headers) == (204, b"", False)
    assert str(seen[0].target_status_id) == STAGE


@pytest.mark.anyio
async def test_a_large_file_is_sent_in_pieces_and_whole() -> None:
    for size in (0, 1, 65_536, 65_537, 200_000):
        content = bytes(number % 251 for number in range(size))
        async with client({"tenders.download_sheet": lambda _, content=content: Reply(content)}) as caller:
            answer = await caller.get("/v1/tenders/sheets/s1/download")
        assert answer.content == content
        assert answer.headers["content-length"] == str(size)


@pytest.mark.anyio
async def test_a_caller_that_gives_up_on_a_read_does_not_wait_for_it() -> None:
    began, finish, done = anyio.Event(), threading.Event(), threading.Event()

    def slow(_: Call) -> Reply:
        anyio.from_thread.run_sync(began.set)
        finish.wait(30)
        done.set()
        return json_reply({})

    assert BY_NAME["tenders.get"].replayable
    async with client({"tenders.get": slow}) as caller, anyio.create_task_group() as group:
        group.start_soon(caller.get, "/v1/tenders/t1")
        await began.wait()
        group.cancel_scope.cancel()
    assert not done.is_set()
    finish.set()
    assert done.wait(30)
