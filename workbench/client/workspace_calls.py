"""The calls of what an account owns: alerts, pipelines, boards, opportunities. As :mod:`workbench.client.calls`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypedDict, TypeVar, cast
from urllib.parse import quote, urlencode

from pydantic_core import to_json

from workbench.client.arguments import read_request
from workbench.client.calls import WALK_PAGE_SIZE, Call, Query, tender_search
from workbench.client.errors import InvalidArgument
from workbench.client.moves import Move
from workbench.client.policy.paging import PageWalk
from workbench.client.policy.paths import UnusablePathValue, fill
from workbench.contract import operations as op
from workbench.contract.alerts import Alert, AlertDraft, AlertPatch
from workbench.contract.operations import Answer, AnswerKind, Operation
from workbench.contract.opportunities import CreatedTask, Opportunity, StageMove, Summary, Task, TaskDraft, WorkflowAction
from workbench.contract.pipelines import Pipeline, StageTotal
from workbench.contract.record import Page, Record
from workbench.contract.request import Request
from workbench.contract.tenders import Tender
from workbench.contract.vocabulary import AlertSort, OpportunitySort, SortDirection, TaskStatus

T = TypeVar("T")
RecordT = TypeVar("RecordT", bound=Record)

Draft = AlertDraft | Mapping[str, Any]
"""An alert to create: the contract's model, or a mapping in snake_case or in the wire's camelCase."""

Patch = AlertPatch | Mapping[str, Any]
"""What is to change in an alert: only the fields that are given; ``None`` and ``[]`` are sent as such."""

NewTask = TaskDraft | Mapping[str, Any]
"""A task to create: the contract's model, or a mapping in snake_case or in the wire's camelCase."""

_JSON_OBJECT: Final[Answer[Mapping[str, Any]]] = Answer(AnswerKind.JSON, dict[str, Any])
_PIPELINES_AS_JSON: Final = cast("Operation[Mapping[str, Any]]", replace(op.LIST_PIPELINES, answer=cast("Any", _JSON_OBJECT)))

_ARGUMENTS: Final = {
    "alertId": "id",
    "opportunityId": "id",
    "pipelineId": "pipeline",
    "statusId": "stage",
    "summaryId": "summary_id",
}
"""Names in the path templates, and the arguments in which callers give them."""


class AlertFilters(TypedDict, total=False):
    """Keyword arguments of an alert list; ``None`` is the same as not given."""

    text: str | None
    is_archived: bool | None
    page: int | None
    page_size: int | None
    sort: AlertSort | str | None
    sort_direction: SortDirection | str | None


class BoardFilters(TypedDict, total=False):
    """Whose opportunities a board shows: ids of users and of teams; ``None`` is the same as not given."""

    responsible: Sequence[str] | None
    team_responsible: Sequence[str] | None


class BoardSearch(BoardFilters, total=False):
    """Keyword arguments of a board search; ``limit`` is per stage (default 10, at most 50)."""

    search: str | None
    limit: int | None
    sort: OpportunitySort | str | None


class ColumnFilters(TypedDict, total=False):
    """Keyword arguments of one column of a board; ``None`` is the same as not given."""

    page: int | None
    page_size: int | None
    sort: OpportunitySort | str | None


class TaskFilters(TypedDict, total=False):
    """Keyword arguments of a task list; ``None`` is the same as not given."""

    status: TaskStatus | str | None
    page: int | None
    page_size: int | None


def _call(
    operation: Operation[T],
    path: Mapping[str, object],
    *,
    query: Mapping[str, object] | None = None,
    body: Request | None = None,
) -> Call[T]:
    target = _path(operation, path) + _query(operation, query)
    return Call(operation, target, None if body is None else to_json(body.to_wire()))


def _path(operation: Operation[Any], values: Mapping[str, object]) -> str:
    try:
        return fill(operation.path, values)
    except UnusablePathValue as trouble:
        raise InvalidArgument(_ARGUMENTS[trouble.name], str(trouble), operation=operation.name) from None


def _query(operation: Operation[Any], given: Mapping[str, object] | None) -> str:
    if operation.query is None or given is None:
        return ""
    wire = read_request(
        operation.query, {name: value for name, value in given.items() if value is not None}, operation.name
    ).to_wire()
    # A list is sent as one parameter for each item, as OpenAPI has it by default.
    text = urlencode({name: _query_text(value) for name, value in wire.items()}, doseq=True, quote_via=quote)
    return f"?{text}" if text else ""


def _query_text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def list_alerts(filters: Mapping[str, object]) -> Call[Page[Alert]]:
    """One page of the saved alerts."""
    return _call(op.LIST_ALERTS, {}, query=filters)


def get_alert(id: str) -> Call[Alert]:  # noqa: A002 - the interface's name
    """One alert."""
    return _call(op.GET_ALERT, {"alertId": id})


def create_alert(draft: Draft) -> Call[Alert]:
    """A new alert."""
    return _call(op.CREATE_ALERT, {}, body=read_request(AlertDraft, draft, op.CREATE_ALERT.name, argument="draft"))


def update_alert(id: str, patch: Patch) -> Call[Alert]:  # noqa: A002 - the interface's name
    """A change of an alert."""
    return _call(op.UPDATE_ALERT, {"alertId": id}, body=read_request(AlertPatch, patch, op.UPDATE_ALERT.name, argument="patch"))


def alert_results(id: str, query: Query | None, filters: Mapping[str, Any]) -> Call[Page[Tender]]:  # noqa: A002 - the interface's name
    """One page of the tenders that match a saved alert."""
    search = tender_search(query, filters, operation=op.ALERT_RESULTS.name)
    return _call(op.ALERT_RESULTS, {"alertId": id}, body=search)


def list_pipelines(query: Mapping[str, object]) -> Call[Page[Pipeline]]:
    """One page of the pipelines."""
    return _call(op.LIST_PIPELINES, {}, query=query)


def pipelines_as_json(page: int) -> Call[Mapping[str, Any]]:
    """One page of the pipelines as the service sent it: the guard of moves trusts no reading of a flag but its own."""
    return _call(_PIPELINES_AS_JSON, {}, query={"page": page, "page_size": WALK_PAGE_SIZE})


def kanban_totals(pipeline: str, filters: Mapping[str, object]) -> Call[tuple[StageTotal, ...]]:
    """The board in figures."""
    return _call(op.KANBAN_TOTALS, {"pipelineId": pipeline}, query=filters)


def kanban_opportunities(pipeline: str, stage: str, query: Mapping[str, object]) -> Call[Page[Opportunity]]:
    """One page of one column."""
    return _call(op.KANBAN_OPPORTUNITIES, {"pipelineId": pipeline, "statusId": stage}, query=query)


def kanban_search(pipeline: str, query: Mapping[str, object]) -> Call[Mapping[str, tuple[Opportunity, ...]]]:
    """A search across the board."""
    return _call(op.KANBAN_SEARCH, {"pipelineId": pipeline}, query=query)


def move_opportunity(id: str, move: Move) -> Call[None]:  # noqa: A002 - the interface's name
    """A move, which no driver sends before it is cleared (:meth:`~workbench.client.moves.ClearedMove.of`)."""
    body = read_request(StageMove, {"target_status_id": move.target}, op.MOVE_OPPORTUNITY.name)
    return _call(op.MOVE_OPPORTUNITY, {"opportunityId": id}, body=body)


def workflow_actions(id: str) -> Call[tuple[WorkflowAction, ...]]:  # noqa: A002 - the interface's name
    """The workflow of an opportunity."""
    return _call(op.WORKFLOW_ACTIONS, {"opportunityId": id})


def list_tasks(id: str, query: Mapping[str, object]) -> Call[Page[Task]]:  # noqa: A002 - the interface's name
    """One page of the tasks of an opportunity."""
    return _call(op.LIST_TASKS, {"opportunityId": id}, query=query)


def create_task(id: str, draft: NewTask) -> Call[CreatedTask]:  # noqa: A002 - the interface's name
    """A new task."""
    return _call(
        op.CREATE_TASK, {"opportunityId": id}, body=read_request(TaskDraft, draft, op.CREATE_TASK.name, argument="draft")
    )


def list_summaries(id: str) -> Call[tuple[Summary, ...]]:  # noqa: A002 - the interface's name
    """The summaries of an opportunity."""
    return _call(op.LIST_SUMMARIES, {"opportunityId": id})


def summary_pdf(id: str, summary_id: str) -> Call[bytes]:  # noqa: A002 - the interface's name
    """A summary as PDF."""
    return _call(op.SUMMARY_PDF, {"opportunityId": id, "summaryId": summary_id})


def by_page(
    make: Callable[[Mapping[str, object]], Call[Page[RecordT]]],
    query: Mapping[str, object],
    *,
    limit: int | None = None,
    operation: str,
) -> tuple[Callable[[int], Call[Page[RecordT]]], PageWalk[RecordT]]:
    """The call for each page of a list, by its number, and the walk over them, from the query's page on.

    The page size is the query's, or the walk's own. What cannot be sent is refused here, before the walk begins.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
        raise InvalidArgument("limit", f"takes a number from 0 up, or None for all, not {limit!r}", operation=operation)
    size = query.get("page_size")
    if size is None:
        size = min(limit or WALK_PAGE_SIZE, WALK_PAGE_SIZE)

    def on(page: object) -> Call[Page[RecordT]]:
        return make({**query, "page": page, "page_size": size})

    first = query.get("page")
    on(first := 1 if first is None else first)
    return on, PageWalk(first=cast("int", first), limit=limit)
