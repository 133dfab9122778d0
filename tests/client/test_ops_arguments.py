"""What cannot be sent is refused by name, and nothing is sent for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ops_account import OPEN, OPPORTUNITY, PIPELINE, Account, opened

from workbench.client.arguments import read_request
from workbench.client.errors import InvalidArgument
from workbench.contract.alerts import AlertDraft, AlertPatch
from workbench.contract.opportunities import TaskDraft
from workbench.contract.request import Request

BAD: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("page", "greater than or equal to 1", lambda c: c.alerts.list(page=0)),
    ("page", "valid integer", lambda c: c.alerts.list(page="2")),
    ("page", "valid integer", lambda c: c.pipelines.list(page=True)),
    ("page_size", "less than or equal to 100", lambda c: c.alerts.list(page_size=101)),
    ("sort", "by-name", lambda c: c.alerts.list(sort="by-nothing")),
    ("sort_direction", "'asc' or 'desc'", lambda c: c.alerts.list(sort_direction="up")),
    ("is_archived", "valid boolean", lambda c: c.alerts.list(is_archived="yes")),
    ("text", "valid string", lambda c: c.alerts.list(text=5)),
    ("text", "lone surrogate", lambda c: c.alerts.list(text="\ud800")),
    ("txt", "is unknown here; what there is: text, is_archived, page", lambda c: c.alerts.list(txt="x")),
    ("responsible", "takes a list, as in responsible=['u1']", lambda c: c.kanban.totals(PIPELINE, responsible="u1")),
    ("responsible[1]", "valid string", lambda c: c.kanban.totals(PIPELINE, responsible=["u1", 2])),
    ("limit", "less than or equal to 50", lambda c: c.kanban.search(PIPELINE, limit=51)),
    ("sort", "'custom'", lambda c: c.kanban.opportunities(PIPELINE, OPEN, sort="by-name")),
    ("status", "'to-do', 'in-progress' or 'done'", lambda c: c.opportunities.tasks(OPPORTUNITY, status="doing")),
    ("min_budget", "valid number", lambda c: c.alerts.results("a1", min_budget="lots")),
    ("id", "is empty", lambda c: c.alerts.get("")),
    ("id", "takes text", lambda c: c.alerts.get(None)),
    ("id", "another place", lambda c: c.alerts.update("..", {})),
    ("id", "another place", lambda c: c.alerts.results("x/%2e%2e/y")),
    ("pipeline", "is empty", lambda c: c.kanban.totals(" ")),
    ("stage", "control characters", lambda c: c.kanban.opportunities(PIPELINE, "a\nb")),
    ("id", "takes text", lambda c: c.opportunities.workflow_actions(7)),
    ("summary_id", "another place", lambda c: c.opportunities.summary_pdf(OPPORTUNITY, "..")),
    ("id", "is empty", lambda c: c.opportunities.move("", OPEN)),
    ("stage", "is empty", lambda c: c.opportunities.move(OPPORTUNITY, " ")),
    ("stage", "takes text, not NoneType", lambda c: c.opportunities.move(OPPORTUNITY, None, confirm_terminal=True)),
    ("draft", "takes a AlertDraft or a mapping, not NoneType", lambda c: c.alerts.create(None)),
    ("draft", "not TaskDraft", lambda c: c.alerts.create(TaskDraft(title="x"))),
    ("draft", "not str", lambda c: c.opportunities.create_task(OPPORTUNITY, "call them")),
    ("patch", "not list", lambda c: c.alerts.update("a1", [])),
    ("windows_search", "is needed", lambda c: c.alerts.create({"title": "x"})),
    ("windows_search", "at least 1 item", lambda c: c.alerts.create({"title": "x", "windows_search": []})),
    ("title", "valid string", lambda c: c.alerts.update("a1", {"title": None})),
    ("is_archived", "given twice", lambda c: c.alerts.update("a1", {"is_archived": True, "isArchived": False})),
    ("is_archvied", "is unknown here; what there is: title", lambda c: c.alerts.update("a1", {"isArchvied": True})),
    (
        "criteria.keywords.inclde",
        "is unknown here; what there is: include, exclude",
        lambda c: c.alerts.update("a1", {"criteria": {"keywords": {"inclde": []}}}),
    ),
    ("criteria.statuses", "at least 1 item", lambda c: c.alerts.update("a1", {"criteria": {"statuses": []}})),
    (
        "criteria.statuses[1]",
        "'Publicada', 'Adjudicada'",
        lambda c: c.alerts.update("a1", {"criteria": {"statuses": ["Publicada", "Abierta"]}}),
    ),
    ("criteria.budget.min", "not nan", lambda c: c.alerts.update("a1", {"criteria": {"budget": {"min": float("nan")}}})),
    ("criteria.budget.max", "holds a object", lambda c: c.alerts.update("a1", {"criteria": {"budget": {"max": object()}}})),
    (
        "windows_search[1].expiration_offset",
        "greater than or equal to 1",
        lambda c: c.alerts.create(
            {"title": "x", "windowsSearch": [{"field": "expedientPublishedAt"}, DEADLINE | {"expirationOffset": 0}]}
        ),
    ),
    (
        "windows_search[0]",
        "can only go with field expedientExpirationDate",
        lambda c: c.alerts.update("a1", {"windows_search": [{"field": "expedientPublishedAt", "with_extension": True}]}),
    ),
    (
        "notification_config.frequency.weekdays[1]",
        "less than or equal to 7",
        lambda c: c.alerts.update("a1", {"notificationConfig": {"frequency": {"type": "daily", "weekdays": [1, 8]}}}),
    ),
    (
        "notification_config.frequency",
        "'daily', 'weekly'",
        lambda c: c.alerts.update("a1", {"notification_config": {"frequency": {"type": "hourly"}}}),
    ),
    (
        "notification_config.timezone",
        "no IANA time zone",
        lambda c: c.alerts.update("a1", {"notification_config": {"timezone": "Madrid"}}),
    ),
    (
        "deadline_at",
        "needs a time zone",
        lambda c: c.opportunities.create_task(OPPORTUNITY, {"title": "x", "deadline_at": "2026-01-01T00:00:00"}),
    ),
    (
        "deadline_at",
        "valid datetime",
        lambda c: c.opportunities.create_task(OPPORTUNITY, {"title": "x", "deadlineAt": 1_700_000_000}),
    ),
]
DEADLINE = {"field": "expedientExpirationDate"}


@pytest.mark.parametrize(("field", "words", "call"), BAD, ids=[f"{n}-{field}" for n, (field, _, _) in enumerate(BAD)])
def test_an_argument_that_cannot_be_sent_is_named_and_nothing_leaves(
    world: Any, field: str, words: str, call: Callable[[Any], Any]
) -> None:
    account = Account()
    client = opened(world, account)
    for face in (client, client.raw):
        with pytest.raises(InvalidArgument) as caught:
            world.do(call(face))
        assert caught.value.field == field
        assert words in str(caught.value)
        assert str(caught.value).startswith(f"{field}: ")
        assert caught.value.operation
    assert account.requests == []


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("page_size", lambda c: c.alerts.iterate(page_size=101)),
        ("page_size", lambda c: c.pipelines.pages(page_size=0)),
        ("page", lambda c: c.kanban.iterate(PIPELINE, OPEN, page=0)),
        ("status", lambda c: c.opportunities.iterate_tasks(OPPORTUNITY, status="doing")),
        ("cpvs", lambda c: c.alerts.iterate_results("a1", cpvs="45000000-7")),
        ("id", lambda c: c.alerts.iterate_results("")),
    ],
)
def test_a_walk_refuses_when_it_is_asked_for_and_not_at_its_first_record(
    world: Any, field: str, call: Callable[[Any], Any]
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        call(opened(world, Account()))
    assert caught.value.field == field


MODELS: tuple[type[Request], ...] = (AlertDraft, AlertPatch, TaskDraft)
NAMES = sorted({spelling for m in MODELS for n, f in m.model_fields.items() for spelling in (n, f.alias or n)})
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=3)
    | st.datetimes()
    | st.sampled_from([object(), Decimal(1), 1 + 2j, "Publicada", "expedientPublishedAt", datetime(2026, 1, 1, tzinfo=UTC)]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(MODELS), st.dictionaries(st.sampled_from(NAMES) | st.integers(), VALUES, max_size=4) | VALUES)
def test_anything_at_all_is_a_request_or_a_named_refusal(model: type[Request], given: Any) -> None:
    refused: InvalidArgument | None = None
    try:
        request = read_request(model, given, "x", argument="draft")
    except InvalidArgument as error:
        refused = error
    if refused is not None:
        assert refused.field
        assert refused.message
        assert refused.operation == "x"
        return
    assert set(request.to_wire()) <= {field.alias or name for name, field in model.model_fields.items()}
    assert read_request(model, request, "x") == request
    assert read_request(model, request.to_wire(), "x") == request
