"""What each operation of an account sends, to the byte, and what its answer becomes. Over a scripted account: see there."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx2
import pytest
from ops_account import OPEN, OPPORTUNITY, PIPELINE, WON, Account, opened, page_of, said

from workbench.client import errors
from workbench.contract.alerts import Alert, AlertCriteria, AlertDraft, AlertPatch, WindowSearch
from workbench.contract.operations import BY_NAME, OPERATIONS
from workbench.contract.opportunities import Opportunity, TaskDraft
from workbench.contract.vocabulary import AlertField, AlertSort, TaskPriority, TaskStatus

ALERT = {"id": "a1", "title": "Obras", "criteria": {"novel": 1}, "isActive": True, "unheardOf": {"x": [1]}}
BOARD = f"/v1/kanban/{PIPELINE}"
ONE = f"/v1/opportunities/{OPPORTUNITY}"

READS: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("alerts.list", "GET /v1/alerts", lambda c: c.alerts.list()),
    (
        "alerts.list",
        "GET /v1/alerts?text=obras%20%26%20a%C3%B1o%2B&isArchived=false&page=2&pageSize=100&sort=by-name&sortDirection=asc",
        lambda c: c.alerts.list(
            text="obras & año+", is_archived=False, page=2, page_size=100, sort=AlertSort.NAME, sort_direction="asc"
        ),
    ),
    ("alerts.list", "GET /v1/alerts?isArchived=true", lambda c: c.alerts.list(is_archived=True, text=None)),
    ("alerts.get", "GET /v1/alerts/a1", lambda c: c.alerts.get("a1")),
    ("alerts.get", "GET /v1/alerts/a%2F1%3Fx%23y", lambda c: c.alerts.get("a/1?x#y")),
    ("pipelines.list", "GET /v1/pipelines", lambda c: c.pipelines.list()),
    ("pipelines.list", "GET /v1/pipelines?page=3&pageSize=5", lambda c: c.pipelines.list(page=3, page_size=5)),
    ("kanban.totals", f"GET {BOARD}/status", lambda c: c.kanban.totals(PIPELINE)),
    (
        "kanban.totals",
        f"GET {BOARD}/status?responsible=u1&responsible=u2&teamResponsible=t1",
        lambda c: c.kanban.totals(PIPELINE, responsible=["u1", "u2"], team_responsible=("t1",)),
    ),
    ("kanban.totals", f"GET {BOARD}/status", lambda c: c.kanban.totals(PIPELINE, responsible=[])),
    ("kanban.opportunities", f"GET {BOARD}/status/{OPEN}/opportunities", lambda c: c.kanban.opportunities(PIPELINE, OPEN)),
    (
        "kanban.opportunities",
        f"GET {BOARD}/status/{OPEN}/opportunities?page=2&pageSize=50&sort=custom",
        lambda c: c.kanban.opportunities(PIPELINE, OPEN, page=2, page_size=50, sort="custom"),
    ),
    (
        "kanban.search",
        f"GET {BOARD}/search?responsible=u1&search=puente&limit=50&sort=by-due-date",
        lambda c: c.kanban.search(PIPELINE, search="puente", limit=50, responsible=["u1"], sort="by-due-date"),
    ),
    ("opportunities.workflow_actions", f"GET {ONE}/workflow-actions", lambda c: c.opportunities.workflow_actions(OPPORTUNITY)),
    (
        "opportunities.tasks",
        f"GET {ONE}/tasks?page=1&pageSize=7&status=in-progress",
        lambda c: c.opportunities.tasks(OPPORTUNITY, status=TaskStatus.IN_PROGRESS, page=1, page_size=7),
    ),
    ("opportunities.summaries", f"GET {ONE}/summaries", lambda c: c.opportunities.summaries(OPPORTUNITY)),
]

ANSWERS: dict[str, Any] = {
    "alerts.list": {"data": [ALERT], "pagination": {"page": 1, "hasNextPage": False}, "totalCount": 1},
    "alerts.get": ALERT,
    "pipelines.list": {"data": [{"id": PIPELINE, "statuses": [{"id": OPEN}]}], "pagination": {"hasNextPage": False}},
    "kanban.totals": [{"status": {"id": OPEN}, "opportunityCount": 2, "totalAmount": 1.5, "currency": "EUR"}],
    "kanban.opportunities": {"data": [{"id": "o1"}], "pagination": {"hasNextPage": False}},
    "kanban.search": {OPEN: [{"id": "o1", "name": "Puente"}], WON: []},
    "opportunities.workflow_actions": [{"id": "w1", "workflowStepId": "s1", "position": 1}],
    "opportunities.tasks": {"data": [{"id": "t1", "title": "Llamar"}], "pagination": {"hasNextPage": False}},
    "opportunities.summaries": [{"id": "s1", "status": "completed", "result": "# Resumen"}],
}


def service(name: str, line: str) -> Account:
    method, _, target = line.partition(" ")
    path = httpx2.URL(f"https://x{target}").path
    return Account({f"{method} {path}": httpx2.Response(200, json=ANSWERS[name])})


@pytest.mark.requirement("VER-1")
@pytest.mark.parametrize(("name", "line", "call"), READS, ids=[line for _, line, _ in READS])
def test_a_read_sends_exactly_this_and_gives_everything_back(world: Any, name: str, line: str, call: Any) -> None:
    account = service(name, line)
    client = opened(world, account)
    typed = world.do(call(client))
    raw = world.do(call(client.raw))
    assert account.lines == [line, line]
    assert not any(request.content for request in account.requests)
    assert (raw.status, raw.json()) == (200, ANSWERS[name])
    if isinstance(typed, tuple):
        assert [record.to_wire() for record in typed] == ANSWERS[name]
    elif isinstance(typed, dict):
        assert {key: [record.to_wire() for record in records] for key, records in typed.items()} == ANSWERS[name]
        assert all(isinstance(record, Opportunity) for records in typed.values() for record in records)
    else:
        assert typed.to_wire() == ANSWERS[name]


def test_every_read_of_an_account_is_among_these() -> None:
    account = {o.name for o in OPERATIONS if o.name.partition(".")[0] in {"alerts", "pipelines", "kanban", "opportunities"}}
    assert account == {name for name, _, _ in READS} | {
        "alerts.create", "alerts.update", "alerts.results", "opportunities.move", "opportunities.create_task",
        "opportunities.summary_pdf",
    }  # fmt: skip


CRITERIA = {"keywords": {"include": ["obras"], "exclude": []}, "budget": {"min": None, "max": 5.0}, "inDeadline": True}
DRAFT = {
    "title": "Obras",
    "windowsSearch": [
        {"field": "expedientPublishedAt"},
        {"field": "expedientExpirationDate", "expirationOffset": 3.0, "withExtension": True},
    ],
    "description": None,
    "criteria": CRITERIA,
    "notificationConfig": {"frequency": {"type": "weekly", "dayOfWeek": 1}, "hour": 8, "timezone": "Europe/Madrid"},
    "responsibles": [{"id": "u1", "receiveEmails": False}],
    "isPublic": False,
}
SNAKE_DRAFT = {
    "title": "Obras",
    "windows_search": [
        {"field": AlertField.PUBLICATION},
        WindowSearch(field=AlertField.DEADLINE, expiration_offset=3, with_extension=True),
    ],
    "description": None,
    "criteria": {"keywords": {"include": ("obras",), "exclude": []}, "budget": {"min": None, "max": 5}, "in_deadline": True},
    "notification_config": {"frequency": {"type": "weekly", "day_of_week": 1}, "hour": 8, "timezone": "Europe/Madrid"},
    "responsibles": [{"id": "u1", "receive_emails": False}],
    "is_public": False,
}


# Carries the client's side of ALR-4, ALR-5, ALR-6 and ALR-7.
@pytest.mark.parametrize("draft", [DRAFT, SNAKE_DRAFT, AlertDraft.model_validate(SNAKE_DRAFT)], ids=["wire", "snake", "model"])
def test_a_draft_is_the_same_body_in_every_spelling(world: Any, draft: Any) -> None:
    account = Account({"POST /v1/alerts": httpx2.Response(201, json=ALERT)})
    client = opened(world, account)
    alert = world.do(client.alerts.create(draft))
    assert world.do(client.raw.alerts.create(draft)).status == 201
    assert isinstance(alert, Alert)
    assert alert.to_wire() == ALERT
    assert account.bodies == [DRAFT, DRAFT]
    assert {request.headers["content-type"] for request in account.requests} == {"application/json"}


def test_a_draft_says_only_what_was_said(world: Any) -> None:
    account = Account({"POST /v1/alerts": httpx2.Response(201, json=ALERT)})
    world.do(opened(world, account).alerts.create({"title": "x", "windowsSearch": [{"field": "expedientAdjudicationDate"}]}))
    assert account.requests[0].content == b'{"title":"x","windowsSearch":[{"field":"expedientAdjudicationDate"}]}'


PATCHES: list[tuple[Any, bytes]] = [
    ({}, b"{}"),
    (AlertPatch(), b"{}"),
    ({"title": "x"}, b'{"title":"x"}'),
    ({"description": None}, b'{"description":null}'),
    (AlertPatch(description=None), b'{"description":null}'),
    ({"description": ""}, b'{"description":""}'),
    ({"responsibles": []}, b'{"responsibles":[]}'),
    (AlertPatch(responsibles=()), b'{"responsibles":[]}'),
    ({"is_archived": True}, b'{"isArchived":true}'),
    ({"isArchived": False, "isActive": False}, b'{"isActive":false,"isArchived":false}'),
    (
        {"criteria": {"keywords": {"include": []}, "statuses": ["Publicada"]}},
        b'{"criteria":{"keywords":{"include":[]},"statuses":["Publicada"]}}',
    ),
    ({"criteria": {"budget": {"min": None}}}, b'{"criteria":{"budget":{"min":null}}}'),
    ({"criteria": {"budget": {}}}, b'{"criteria":{"budget":{}}}'),
    ({"criteria": AlertCriteria(in_deadline=False)}, b'{"criteria":{"inDeadline":false}}'),
    (
        {"notificationConfig": {"frequency": {"type": "daily", "weekdays": []}, "attachments": {"hasPdf": False}}},
        b'{"notificationConfig":{"frequency":{"type":"daily","weekdays":[]},"attachments":{"hasPdf":false}}}',
    ),
]


# Carries the client's side of ALR-8.
@pytest.mark.parametrize(("patch", "body"), PATCHES, ids=[body.decode() for _, body in PATCHES])
def test_a_patch_tells_omitted_null_and_empty_apart(world: Any, patch: Any, body: bytes) -> None:
    account = Account({"PATCH /v1/alerts/a1": httpx2.Response(200, json=ALERT)})
    client = opened(world, account)
    assert world.do(client.alerts.update("a1", patch)).to_wire() == ALERT
    assert world.do(client.raw.alerts.update("a1", patch)).status == 200
    assert [request.content for request in account.requests] == [body, body]


def test_a_field_marked_missing_is_not_sent(world: Any) -> None:
    from pydantic import MISSING

    account = Account({"PATCH /v1/alerts/a1": httpx2.Response(200, json=ALERT)})
    client = opened(world, account)
    world.do(client.alerts.update("a1", {"title": "x", "description": MISSING, "criteria": {"budget": MISSING}}))
    world.do(client.alerts.update("a1", AlertPatch(title="x", description=MISSING)))
    assert account.bodies == [{"title": "x", "criteria": {}}, {"title": "x"}]


def test_results_of_an_alert_take_the_filters_of_a_search(world: Any) -> None:
    account = Account({"POST /v1/alerts/a1/results": page_of([{"id": "t1", "novel": 1}])})
    client = opened(world, account)
    found = world.do(client.alerts.results("a1", text="puente", min_budget=1000, page_size=10))
    world.do(client.raw.alerts.results("a1", {"isDescendent": False}, text="puente"))
    world.do(client.alerts.results("a1"))
    assert [tender.to_wire() for tender in found] == [{"id": "t1", "novel": 1}]
    assert account.bodies == [
        {"text": "puente", "minBudget": 1000.0, "pageSize": 10},
        {"text": "puente", "isDescendent": False},
        {},
    ]


MADRID = datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=1)))


# Carries the client's side of TSK-2.
@pytest.mark.parametrize(
    ("draft", "body"),
    [
        ({"title": "Llamar"}, b'{"title":"Llamar"}'),
        (TaskDraft(title="Llamar", deadline_at=None), b'{"title":"Llamar","deadlineAt":null}'),
        (
            {
                "title": "Llamar",
                "status": TaskStatus.DONE,
                "priority": TaskPriority.HIGH,
                "user_ids": ["u1"],
                "deadline_at": MADRID,
            },
            b'{"title":"Llamar","status":"done","priority":"high","userIds":["u1"],"deadlineAt":"2026-03-01T09:30:00+01:00"}',
        ),
        (
            {"title": "Llamar", "userIds": [], "deadlineAt": datetime(2026, 3, 1, tzinfo=UTC), "description": None},
            b'{"title":"Llamar","description":null,"userIds":[],"deadlineAt":"2026-03-01T00:00:00Z"}',
        ),
    ],
    ids=["title", "null", "snake", "wire"],
)
def test_a_task_is_sent_as_it_was_drafted(world: Any, draft: Any, body: bytes) -> None:
    account = Account({f"POST {ONE}/tasks": httpx2.Response(201, json={"id": "t1"})})
    client = opened(world, account)
    assert world.do(client.opportunities.create_task(OPPORTUNITY, draft)).id == "t1"
    assert world.do(client.raw.opportunities.create_task(OPPORTUNITY, draft)).json() == {"id": "t1"}
    assert [request.content for request in account.requests] == [body, body]


@pytest.mark.parametrize("answer", [{"id": "t1"}, "t1", {"_id": "t1", "more": 1}])
def test_the_new_task_s_id_is_read_bare_or_in_an_object(world: Any, answer: Any) -> None:
    account = Account({f"POST {ONE}/tasks": httpx2.Response(201, json=answer)})
    assert world.do(opened(world, account).opportunities.create_task(OPPORTUNITY, {"title": "x"})).id == "t1"


@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "INVALID_REQUEST", errors.Invalid),
        (401, "UNAUTHORIZED", errors.Unauthorized),
        (403, "FORBIDDEN", errors.Forbidden),
        (404, "NOT_FOUND", errors.NotFound),
        (409, "SOMETHING", errors.Conflict),
        (422, "INVALID_REQUEST", errors.Invalid),
    ],
)
def test_a_refusal_is_the_same_typed_error_from_every_operation(world: Any, status: int, code: str, kind: type) -> None:
    calls: dict[str, Callable[[Any], Any]] = {name: call for name, _, call in READS} | {
        "alerts.create": lambda c: c.alerts.create(DRAFT),
        "alerts.update": lambda c: c.alerts.update("a1", {}),
        "alerts.results": lambda c: c.alerts.results("a1"),
        "opportunities.create_task": lambda c: c.opportunities.create_task(OPPORTUNITY, {"title": "x"}),
        "opportunities.move": lambda c: c.opportunities.move(OPPORTUNITY, WON, confirm_terminal=True),
    }
    client = opened(world, lambda _: said(status, code))
    for name, call in calls.items():
        for face in (client, client.raw):
            with pytest.raises(kind) as caught:
                world.do(call(face))
            error = caught.value
            assert (error.operation, error.status, error.code) == (name, status, code)
            assert error.message == "It said so."


@pytest.mark.parametrize("name", ["alerts.create", "alerts.update", "opportunities.create_task"])
def test_a_write_that_may_have_arrived_is_never_sent_again(world: Any, pauses: list[float], name: str) -> None:
    sent: list[httpx2.Request] = []

    def breaks(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        raise httpx2.ReadError("broken")

    client = opened(world, breaks)
    call = {
        "alerts.create": lambda: client.alerts.create(DRAFT),
        "alerts.update": lambda: client.alerts.update("a1", {"title": "x"}),
        "opportunities.create_task": lambda: client.opportunities.create_task(OPPORTUNITY, {"title": "x"}),
    }[name]
    with pytest.raises(errors.ConnectionFailed, match="look before you send it again") as caught:
        world.do(call())
    assert (len(sent), pauses, caught.value.arrived) == (1, [], None)
    assert BY_NAME[name].replayable is False


@pytest.mark.parametrize("body", [b"<html>Not here</html>", b"", b"null", b"[1]", b'{"statusCode":500,"message":"x"}'])
def test_an_answer_of_another_shape_is_an_error_and_no_empty_result(world: Any, body: bytes) -> None:
    client = opened(world, lambda _: httpx2.Response(200, content=body))
    for name, _, call in READS:
        with pytest.raises(errors.UnexpectedAnswer) as caught:
            world.do(call(client))
        assert caught.value.operation == name


def test_a_stage_s_numbers_and_flags_are_read_and_its_unknown_fields_kept(world: Any) -> None:
    stage = {"id": 7, "name": "Ganada", "isTerminal": "perhaps", "sortPoints": 2.5, "novel": None}
    account = Account({"GET /v1/pipelines": page_of([{"id": 1, "name": "P", "statuses": [stage]}])})
    (pipeline,) = world.do(opened(world, account).pipelines.list())
    (read,) = pipeline.statuses
    assert (pipeline.id, read.id, read.is_terminal, read.sort_points) == ("1", "7", None, 2.5)
    assert read.unreadable_fields == ("isTerminal",)
    assert json.loads(json.dumps(pipeline.to_wire()))["statuses"] == [stage]
