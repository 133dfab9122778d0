"""Opportunities: the record, stage moves, workflow actions, tasks and summaries (interface 2, 3 and 4.1)."""

from __future__ import annotations

from typing import Annotated

from pydantic import MISSING, AwareDatetime, Field

from workbench.contract.aliases import also
from workbench.contract.pipelines import PageQuery
from workbench.contract.record import Identifier, Instant, JsonObject, Record
from workbench.contract.request import Request
from workbench.contract.vocabulary import TaskPriority, TaskStatus


class Opportunity(Record):
    """A tender that is being pursued. The interface does not show its fields; these are the embedded service's."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    pipeline_id: Identifier | None = None
    status_id: Identifier | None = Field(None, validation_alias=also("statusId"))
    tender_id: Identifier | None = None
    amount: float | None = Field(None, validation_alias=also("amount"))
    currency: str | None = None
    due_date: Instant | None = Field(None, validation_alias=also("dueDate"))
    responsibles: tuple[JsonObject | str, ...] = ()
    teams: tuple[JsonObject | str, ...] = ()
    sort_points: float | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    platform_url: str | None = Field(None, validation_alias=also("platformUrl"))


class StageMove(Request):
    """Body of ``PUT /v1/opportunities/{opportunityId}/status``."""

    target_status_id: str


class WorkflowAction(Record):
    """One action of an opportunity's workflow: the eleven fields of interface 2."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    workflow_step_id: Identifier | None = None
    workflow_step_name: str | None = None
    workflow_step_position: float | None = None
    name: str | None = Field(None, validation_alias=also("name"))
    target_type: str | None = None
    target_id: Identifier | None = None
    status: str | None = None
    position: float | None = None
    completed_at: Instant | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class Task(Record):
    """A task of an opportunity. The interface shows no field beyond the id; these are the input's names."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    title: str | None = Field(None, validation_alias=also("title"))
    description: str | None = None
    status: str | None = None
    priority: str | None = None
    user_ids: tuple[JsonObject | str, ...] = Field((), validation_alias=also("userIds"))
    deadline_at: Instant | None = Field(None, validation_alias=also("deadlineAt"))
    created_at: Instant | None = None
    updated_at: Instant | None = None


class TaskQuery(PageQuery):
    """Query of an opportunity's tasks."""

    status: TaskStatus | None = None


class TaskDraft(Request):
    """Body of ``POST /v1/opportunities/{opportunityId}/tasks``: a title; ``to-do`` and ``medium`` unless said otherwise."""

    title: str
    description: str | MISSING | None = MISSING
    status: TaskStatus | MISSING = MISSING
    priority: TaskPriority | MISSING = MISSING
    user_ids: tuple[str, ...] | MISSING = MISSING
    deadline_at: Annotated[AwareDatetime, Field()] | MISSING | None = MISSING


class CreatedTask(Record):
    """Answer to a created task: its id (interface 4.1)."""

    id: Identifier | None = Field(None, validation_alias=also("id"))


class Summary(Record):
    """A generated summary; ``result`` is Markdown, there once ``status`` is ``completed``."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    status: str | None = None
    result: str | None = None
    generated_at: Instant | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
