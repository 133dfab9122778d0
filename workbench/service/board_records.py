"""Rows of boards as they go on the wire (interface 2, and the names of the embedded service for what it does not show)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row

from workbench.contract.record import JsonObject
from workbench.service.store.moments import wire_micros

OPEN_OUTCOME: Final = "open"
"""The ``outcomeType`` of a stage that is no outcome yet: the interface has a text there for every stage."""


def wire_stage(row: Row[Any]) -> JsonObject:
    """A stage, called status on the wire."""
    return {
        "id": row.id,
        "name": row.name,
        "isInitial": row.is_initial,
        "isTerminal": row.is_terminal,
        "outcomeType": row.outcome_type or OPEN_OUTCOME,
        "sortPoints": row.sort_points,
        "showInKanban": row.show_in_kanban,
        "description": row.description,
        "pipelineId": row.pipeline_id,
        "backgroundColor": row.background_color,
        "textColor": row.text_color,
    }


def wire_pipeline(row: Row[Any], stages: Sequence[Row[Any]]) -> JsonObject:
    """A pipeline with its stages in the order of the board."""
    return {"id": row.id, "name": row.name, "statuses": [wire_stage(stage) for stage in stages]}


def wire_opportunity(row: Row[Any], users: Mapping[str, str], teams: Mapping[str, str]) -> JsonObject:
    """An opportunity. Users and teams come as ``{id, name}``, since no endpoint tells the name of an id.

    The embedded service has no web application: ``platformUrl`` names the opportunity wherever an address is taken.
    """
    return {
        "id": row.id,
        "name": row.name,
        "pipelineId": row.pipeline_id,
        "statusId": row.stage_id,
        "tenderId": row.tender_id,
        "amount": row.amount,
        "currency": row.currency,
        "dueDate": wire_seconds(row.due_at),
        "responsibles": [{"id": one, "name": users.get(one)} for one in row.responsibles],
        "teams": [{"id": one, "name": teams.get(one)} for one in row.teams],
        "sortPoints": row.sort_points,
        "createdAt": wire_seconds(row.created_at),
        "updatedAt": wire_seconds(row.updated_at),
        "platformUrl": f"workbench://opportunities/{row.id}",
    }


def wire_action(row: Row[Any]) -> JsonObject:
    """A workflow action; the row has the step's name and position beside the action's columns."""
    return {
        "id": row.id,
        "workflowStepId": row.workflow_step_id,
        "workflowStepName": row.step_name,
        "workflowStepPosition": row.step_position,
        "name": row.name,
        "targetType": row.target_type,
        "targetId": row.target_id,
        "status": row.status,
        "position": row.position,
        "completedAt": wire_seconds(row.completed_at),
        "createdAt": wire_seconds(row.created_at),
        "updatedAt": wire_seconds(row.updated_at),
    }


def wire_task(row: Row[Any]) -> JsonObject:
    """A task, under the names of its input."""
    return {
        "id": row.id,
        "title": row.title,
        "description": row.description,
        "status": row.status,
        "priority": row.priority,
        "userIds": row.user_ids,
        "deadlineAt": wire_seconds(row.deadline_at),
        "createdAt": wire_seconds(row.created_at),
        "updatedAt": wire_seconds(row.updated_at),
    }


def envelope(found: Sequence[JsonObject], page: int, size: int) -> JsonObject:
    """The paginated envelope of interface 2; ``found`` holds one record more than the page where another page follows."""
    return {
        "data": list(found[:size]),
        "pagination": {"page": page, "pageSize": size, "hasNextPage": len(found) > size},
    }


def wire_seconds(seconds: int | None) -> str | None:
    """A stored moment as ISO 8601 text in UTC."""
    return None if seconds is None else wire_micros(seconds * 1_000_000)
