"""Opportunities: moves between stages, and the workflow of each (interface 2, 3, 4.1 and 7)."""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy import func, select

from workbench.contract.errors import ErrorCode
from workbench.contract.record import JsonObject
from workbench.service.board_records import wire_action
from workbench.service.refusals import RequestRefused, invalid, not_found
from workbench.service.scope import AccountScope, OwnedRows, WritableRows
from workbench.service.store.workspace_tables import (
    opportunity,
    opportunity_history,
    stage,
    workflow_action,
    workflow_step,
)

NO_OPPORTUNITY: Final = "No opportunity has this id."
ANOTHERS: Final = "This opportunity belongs to another account."
STEP_ON_BOARD: Final = 1000.0
"""How far apart neighbours on a board are put, so that others fit between them."""

_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class Opportunities:
    """The opportunities of one account."""

    def __init__(self, scope: AccountScope) -> None:
        self._scope = scope

    def move(self, opportunity_id: str, target_id: str) -> None:
        """Move an opportunity to a stage of its own pipeline, to the end of the column there (interface 3).

        To the stage where it is, nothing is changed. A terminal stage closes it, and it does not move any more: 409
        ``OPPORTUNITY_CLOSED``. 404 for an opportunity or stage that is not there, 403 for another account's opportunity.
        """
        target_id = target_id.lower()
        if not _UUID.fullmatch(target_id):
            raise invalid("The field 'targetStatusId' must be a uuid: the id of a stage of the opportunity's pipeline.")
        with self._scope.writing() as rows:
            found = rows.need(opportunity, opportunity_id, missing=NO_OPPORTUNITY, forbidden=ANOTHERS)
            if found.stage_id == target_id:
                return
            stages = {row.id: row for row in rows.all(select(stage).where(stage.c.pipeline_id == found.pipeline_id))}
            if target_id not in stages:
                raise not_found("The opportunity's pipeline has no stage with the id in 'targetStatusId'.")
            if stages[found.stage_id].is_terminal:
                raise RequestRefused(
                    409,
                    ErrorCode.OPPORTUNITY_CLOSED,
                    f"This opportunity is closed: it is in the terminal stage {stages[found.stage_id].name!r}, "
                    "and there is no way back.",
                )
            rows.change(
                opportunity,
                opportunity_id,
                stage_id=target_id,
                sort_points=end_of_column(rows, target_id),
                closed_at=rows.now if stages[target_id].is_terminal else None,
                updated_at=rows.now,
            )
            note_move(rows, opportunity_id, found.stage_id, target_id)

    def workflow_actions(self, opportunity_id: str) -> list[JsonObject]:
        """The actions of an opportunity, step by step. 404 and 403 as interface 7 has them."""
        with self._scope.reading() as rows:
            rows.need(opportunity, opportunity_id, missing=NO_OPPORTUNITY, forbidden=ANOTHERS)
            found = rows.all(
                select(
                    workflow_action,
                    workflow_step.c.name.label("step_name"),
                    workflow_step.c.position.label("step_position"),
                )
                .join(workflow_step, workflow_step.c.id == workflow_action.c.workflow_step_id)
                .where(workflow_action.c.opportunity_id == opportunity_id)
                .order_by(workflow_step.c.position, workflow_step.c.id, workflow_action.c.position, workflow_action.c.id)
            )
        return [wire_action(row) for row in found]


def end_of_column(rows: OwnedRows, stage_id: str) -> float:
    """The place after the last opportunity of a stage."""
    last = rows.first(select(func.max(opportunity.c.sort_points)).where(opportunity.c.stage_id == stage_id))
    return ((last[0] if last else None) or 0.0) + STEP_ON_BOARD


def note_move(rows: WritableRows, opportunity_id: str, before: str | None, after: str) -> None:
    """Keep a move, or the beginning where ``before`` is ``None``, in the history of the opportunity."""
    rows.add(
        opportunity_history,
        opportunity_id=opportunity_id,
        from_stage_id=before,
        to_stage_id=after,
        actor_type=rows.actor.type,
        actor_id=rows.actor.id,
        at=rows.now,
    )
