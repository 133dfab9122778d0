"""Administration of boards: pipelines, stages and workflows, for which the interface has no endpoint (design, decision 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Table, func, select

from workbench.contract.record import JsonObject
from workbench.service.access import Access
from workbench.service.board_records import wire_action, wire_pipeline, wire_stage
from workbench.service.board_templates import (
    BoardError,
    StagePlan,
    StepPlan,
    check_stage,
    check_stages,
    check_steps,
    checked_name,
)
from workbench.service.scope import ADMINISTRATION, AccountScope, OwnedRows, WritableRows
from workbench.service.store.board_tables import step_action
from workbench.service.store.database import Database
from workbench.service.store.workspace_tables import opportunity, pipeline, stage, workflow_action, workflow_step

PENDING, IN_PROGRESS, COMPLETED = "pending", "in_progress", "completed"
ACTION_STATUSES: Final = (PENDING, IN_PROGRESS, COMPLETED)
"""States of a workflow action; the interface names none."""

_APART: Final = 100.0


def account_scope(database: Database, account: str) -> AccountScope:
    """The rows of the account with this id or slug, for its owner. Raises :class:`BoardError` where there is none."""
    found = Access(database).account(account)
    if found is None:
        raise BoardError(f"There is no account {account!r}; `workbench local account list` shows them.")
    return AccountScope(database, found.id, ADMINISTRATION)


class BoardAdministration:
    """Pipelines and workflows of one account. Pipelines are named by id or exact name.

    Every method is one transaction and raises :class:`BoardError` for what cannot be done.
    """

    def __init__(self, database: Database, account: str) -> None:
        self._scope = account_scope(database, account)

    def create_pipeline(self, name: str, stages: Sequence[StagePlan]) -> JsonObject:
        """A new pipeline with these stages in their order; new opportunities begin in the first open one."""
        name = checked_name(name, "a pipeline")
        check_stages(stages)
        beginning = next(plan for plan in stages if plan.outcome is None)
        with self._scope.writing() as rows:
            if rows.first(select(pipeline.c.id).where(pipeline.c.name == name)):
                raise BoardError(f"There is already a pipeline {name!r}; pipelines are told by their names.")
            made = rows.add(pipeline, name=name, sort_points=_next_place(rows, pipeline))
            for place, plan in enumerate(stages, start=1):
                _add_stage(rows, made, plan, sort_points=_APART * place, initial=plan is beginning)
            return _pipeline_record(rows, made)

    def pipelines(self) -> list[JsonObject]:
        """Every pipeline of the account with its stages."""
        with self._scope.reading() as rows:
            found = rows.all(select(pipeline.c.id).order_by(pipeline.c.sort_points, pipeline.c.name))
            return [_pipeline_record(rows, row.id) for row in found]

    def add_stage(self, pipeline_name: str, plan: StagePlan) -> JsonObject:
        """Another stage of a pipeline: an open one after the last open one, a terminal one at the end."""
        check_stage(plan)
        with self._scope.writing() as rows:
            owner = need_pipeline(rows, pipeline_name)
            stages = rows.all(select(stage).where(stage.c.pipeline_id == owner.id).order_by(stage.c.sort_points))
            if any(one.name == plan.name for one in stages):
                raise BoardError(f"The pipeline {owner.name!r} already has a stage {plan.name!r}.")
            following = [one for one in stages if one.is_terminal] if plan.outcome is None else []
            last = max((one.sort_points for one in stages if one not in following), default=0.0)
            after = min((one.sort_points for one in following if one.sort_points > last), default=last + 2 * _APART)
            made = _add_stage(rows, owner.id, plan, sort_points=(last + after) / 2, initial=False)
            return wire_stage(rows.need(stage, made, missing=plan.name))

    def add_workflow(self, pipeline_name: str, steps: Sequence[StepPlan]) -> list[JsonObject]:
        """Further steps of a pipeline's workflow, with their actions; gives the whole workflow.

        Each opportunity that is made later gets the actions, and so does each one that is open now.
        """
        check_steps(steps)
        with self._scope.writing() as rows:
            owner = need_pipeline(rows, pipeline_name)
            place = _next_place(rows, workflow_step, workflow_step.c.pipeline_id == owner.id, apart=1.0)
            made: list[str] = []
            for number, step in enumerate(steps):
                step_id = rows.add(workflow_step, pipeline_id=owner.id, name=step.name.strip(), position=place + number)
                made.append(step_id)
                for position, action in enumerate(step.actions, start=1):
                    plan = {"name": action.name.strip(), "target_type": action.target, "position": float(position)}
                    rows.add(step_action, workflow_step_id=step_id, **plan)
            still_open = (opportunity.c.pipeline_id == owner.id) & opportunity.c.closed_at.is_(None)
            for row in rows.all(select(opportunity.c.id, opportunity.c.tender_id).where(still_open)):
                add_actions(rows, row.id, row.tender_id, step_action.c.workflow_step_id.in_(made))
            return _workflow(rows, owner.id)

    def workflow(self, pipeline_name: str) -> list[JsonObject]:
        """The steps of a pipeline's workflow, each with its actions."""
        with self._scope.reading() as rows:
            return _workflow(rows, need_pipeline(rows, pipeline_name).id)

    def mark_action(self, action_id: str, status: str) -> JsonObject:
        """Set the status of one opportunity's workflow action; gives the action."""
        if status not in ACTION_STATUSES:
            raise BoardError(f"{status!r} is no status of an action; it is one of {', '.join(ACTION_STATUSES)}.")
        with self._scope.writing() as rows:
            done = rows.now if status == COMPLETED else None
            if not rows.change(workflow_action, action_id, status=status, completed_at=done, updated_at=rows.now):
                raise BoardError(f"No workflow action has the id {action_id!r}; `workbench actions OPPORTUNITY` shows them.")
            return action_record(rows, action_id)


def need_pipeline(rows: OwnedRows, id_or_name: str) -> Row[Any]:
    """The account's pipeline with this id or exact name."""
    found = rows.first(select(pipeline).where((pipeline.c.id == id_or_name) | (pipeline.c.name == id_or_name)))
    if found is None:
        names = [row.name for row in rows.all(select(pipeline.c.name).order_by(pipeline.c.sort_points))]
        hint = f"Its pipelines are {', '.join(map(repr, names))}." if names else "`workbench local pipeline create` makes one."
        raise BoardError(f"The account has no pipeline {id_or_name!r}. {hint}")
    return found


def add_actions(rows: WritableRows, opportunity_id: str, tender_id: str | None, which: ColumnElement[bool]) -> None:
    """Give an opportunity the actions of the template that ``which`` selects."""
    targets = {"opportunity": opportunity_id, "tender": tender_id}
    wanted = select(step_action).join(workflow_step, workflow_step.c.id == step_action.c.workflow_step_id).where(which)
    for row in rows.all(wanted.order_by(workflow_step.c.position, step_action.c.position)):
        rows.add(
            workflow_action,
            opportunity_id=opportunity_id,
            workflow_step_id=row.workflow_step_id,
            name=row.name,
            target_type=row.target_type,
            target_id=targets.get(row.target_type),
            status=PENDING,
            position=row.position,
        )


def action_record(rows: OwnedRows, action_id: str) -> JsonObject:
    """One workflow action as it is on the wire."""
    step = (workflow_step.c.name.label("step_name"), workflow_step.c.position.label("step_position"))
    found = rows.first(
        select(workflow_action, *step)
        .join(workflow_step, workflow_step.c.id == workflow_action.c.workflow_step_id)
        .where(workflow_action.c.id == action_id)
    )
    if found is None:
        raise BoardError(f"No workflow action has the id {action_id!r}.")
    return wire_action(found)


def _add_stage(rows: WritableRows, pipeline_id: str, plan: StagePlan, *, sort_points: float, initial: bool) -> str:
    return rows.add(
        stage,
        pipeline_id=pipeline_id,
        name=plan.name.strip(),
        is_initial=initial,
        is_terminal=plan.outcome is not None,
        outcome_type=plan.outcome,
        sort_points=sort_points,
        show_in_kanban=plan.shown,
        description=plan.description,
        background_color=plan.background,
        text_color=plan.text,
    )


def _pipeline_record(rows: OwnedRows, pipeline_id: str) -> JsonObject:
    stages = rows.all(select(stage).where(stage.c.pipeline_id == pipeline_id).order_by(stage.c.sort_points, stage.c.name))
    return wire_pipeline(rows.need(pipeline, pipeline_id, missing=pipeline_id), stages)


def _workflow(rows: OwnedRows, pipeline_id: str) -> list[JsonObject]:
    steps = rows.all(select(workflow_step).where(workflow_step.c.pipeline_id == pipeline_id).order_by(workflow_step.c.position))
    of_steps = step_action.c.workflow_step_id.in_([step.id for step in steps])
    actions = rows.all(select(step_action).where(of_steps).order_by(step_action.c.position))
    return [
        {
            "id": step.id,
            "name": step.name,
            "position": step.position,
            "actions": [
                {"id": one.id, "name": one.name, "targetType": one.target_type, "position": one.position}
                for one in actions
                if one.workflow_step_id == step.id
            ],
        }
        for step in steps
    ]


def _next_place(rows: OwnedRows, table: Table, *which: ColumnElement[bool], apart: float = _APART) -> float:
    column = table.c.sort_points if "sort_points" in table.c else table.c.position
    last = rows.first(select(func.max(column)).where(*which))
    return ((last[0] if last else None) or 0.0) + apart
