"""Tables of an account's own workspace: pipelines, stages, opportunities, workflow, tasks, summaries and alerts.

The columns are the fields of interface section 2 and, for opportunities and tasks, the names that the embedded service
writes for what the interface does not show. Every table carries ``account_id``, so that each query can be kept to the
caller's account and no row's owner has to be looked up through another table.

Ids are uuid texts; moments are whole seconds since 1970 in UTC; booleans are 0 and 1; JSON columns hold texts.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import REAL, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from workbench.service.store.metadata import METADATA


class JsonText(TypeDecorator[Any]):
    """A JSON value kept as compact text: STRICT tables have no JSON type of their own."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """The value as JSON text; ``None`` is SQL ``NULL``."""
        return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The value that the text holds."""
        return None if value is None else json.loads(value)


class Flag(TypeDecorator[bool]):
    """A boolean kept as 0 or 1: STRICT tables have no boolean type of their own."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> int | None:
        """0, 1 or ``NULL``."""
        return None if value is None else int(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> bool | None:
        """``True``, ``False`` or ``None``."""
        return None if value is None else bool(value)


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _account() -> Column[str]:
    return Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False)


def _belongs_to(name: str, target: str, *, nullable: bool = False, on_delete: str = "CASCADE") -> Column[str]:
    return Column(name, Text, ForeignKey(target, ondelete=on_delete), nullable=nullable)


def _timestamps() -> tuple[Column[int], Column[int]]:
    return Column("created_at", Integer, nullable=False), Column("updated_at", Integer, nullable=False)


pipeline = Table(
    "pipeline",
    METADATA,
    _id(),
    _account(),
    Column("name", Text, nullable=False),
    Column("sort_points", REAL, nullable=False),
    *_timestamps(),
    UniqueConstraint("account_id", "name", name="pipeline_name_is_unique"),
    sqlite_strict=True,
)
"""A board. Its name is unique in its account: the tools take a pipeline by its exact name (interface 4.2)."""

stage = Table(
    "stage",
    METADATA,
    _id(),
    _account(),
    _belongs_to("pipeline_id", "pipeline.id"),
    Column("name", Text, nullable=False),
    Column("is_initial", Flag, nullable=False),
    Column("is_terminal", Flag, nullable=False),
    Column("outcome_type", Text),
    Column("sort_points", REAL, nullable=False),
    Column("show_in_kanban", Flag, nullable=False),
    Column("description", Text),
    Column("background_color", Text),
    Column("text_color", Text),
    *_timestamps(),
    UniqueConstraint("pipeline_id", "name", name="stage_name_is_unique"),
    CheckConstraint("NOT (is_initial AND is_terminal)", name="initial_stage_is_open"),
    sqlite_strict=True,
)
"""A stage, called status on the wire; ``outcome_type`` is ``won``, ``lost``, ``discarded`` or ``NULL`` while it is open."""

opportunity = Table(
    "opportunity",
    METADATA,
    _id(),
    _account(),
    _belongs_to("pipeline_id", "pipeline.id"),
    _belongs_to("stage_id", "stage.id", on_delete="RESTRICT"),
    Column("tender_id", Text),
    Column("name", Text, nullable=False),
    Column("amount", REAL),
    Column("prorated_amount", REAL),
    Column("currency", Text),
    Column("due_at", Integer),
    Column("responsibles", JsonText, nullable=False),
    Column("teams", JsonText, nullable=False),
    Column("sort_points", REAL, nullable=False),
    Column("closed_at", Integer),
    *_timestamps(),
    Index("opportunity_of_stage", "stage_id", "sort_points"),
    Index("opportunity_of_account", "account_id", "pipeline_id"),
    Index("opportunity_of_tender", "tender_id"),
    sqlite_strict=True,
)
"""A tender that is pursued. ``responsibles`` and ``teams`` are JSON arrays of user and team ids; ``tender_id`` is no foreign
key, because a board outlives the data it was made from. ``prorated_amount`` is the amount for one year of the contract."""

opportunity_history = Table(
    "opportunity_history",
    METADATA,
    _id(),
    _account(),
    _belongs_to("opportunity_id", "opportunity.id"),
    Column("from_stage_id", Text),
    Column("to_stage_id", Text, nullable=False),
    Column("actor_type", Text, nullable=False),
    Column("actor_id", Text),
    Column("at", Integer, nullable=False),
    Index("history_of_opportunity", "opportunity_id", "at"),
    sqlite_strict=True,
)
"""Every move, oldest first by ``at``; ``from_stage_id`` is ``NULL`` for the creation. ``actor_type`` is ``apiKey`` or
``user``."""

workflow_step = Table(
    "workflow_step",
    METADATA,
    _id(),
    _account(),
    _belongs_to("pipeline_id", "pipeline.id"),
    Column("name", Text, nullable=False),
    Column("position", REAL, nullable=False),
    *_timestamps(),
    Index("step_of_pipeline", "pipeline_id", "position"),
    sqlite_strict=True,
)
"""A step of the way of working through a pipeline's opportunities; its actions are made for each opportunity."""

workflow_action = Table(
    "workflow_action",
    METADATA,
    _id(),
    _account(),
    _belongs_to("opportunity_id", "opportunity.id"),
    _belongs_to("workflow_step_id", "workflow_step.id"),
    Column("name", Text, nullable=False),
    Column("target_type", Text, nullable=False),
    Column("target_id", Text),
    Column("status", Text, nullable=False),
    Column("position", REAL, nullable=False),
    Column("completed_at", Integer),
    *_timestamps(),
    Index("action_of_opportunity", "opportunity_id"),
    sqlite_strict=True,
)
"""One action of one opportunity: the eleven fields of interface 2, the step's name and position by way of the step."""

task = Table(
    "task",
    METADATA,
    _id(),
    _account(),
    _belongs_to("opportunity_id", "opportunity.id"),
    Column("title", Text, nullable=False),
    Column("description", Text),
    Column("status", Text, nullable=False),
    Column("priority", Text, nullable=False),
    Column("user_ids", JsonText, nullable=False),
    Column("deadline_at", Integer),
    Column("created_by", Text),
    *_timestamps(),
    Index("task_of_opportunity", "opportunity_id", "status"),
    sqlite_strict=True,
)
"""A task of an opportunity; ``user_ids`` is a JSON array of user ids of the account."""

summary = Table(
    "summary",
    METADATA,
    _id(),
    _account(),
    _belongs_to("opportunity_id", "opportunity.id"),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("result", Text),
    Column("generated_at", Integer),
    *_timestamps(),
    CheckConstraint("status <> 'completed' OR result IS NOT NULL", name="completed_summary_has_a_result"),
    Index("summary_of_opportunity", "opportunity_id"),
    sqlite_strict=True,
)
"""A generated summary; ``result`` is Markdown, there once ``status`` is ``completed``."""

alert = Table(
    "alert",
    METADATA,
    _id(),
    _account(),
    Column("title", Text, nullable=False),
    Column("description", Text),
    Column("criteria", JsonText, nullable=False),
    Column("windows_search", JsonText, nullable=False),
    Column("notification_config", JsonText, nullable=False),
    Column("responsibles", JsonText, nullable=False),
    Column("is_active", Flag, nullable=False),
    Column("is_public", Flag, nullable=False),
    Column("is_archived", Flag, nullable=False),
    Column("is_auto_configured", Flag, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("last_notified_at", Integer),
    Column("last_notification_sent_at", Integer),
    Column("next_run_at", Integer),
    *_timestamps(),
    Index("alert_of_account", "account_id", "is_archived", "updated_at"),
    Index("alert_due", "next_run_at"),
    sqlite_strict=True,
)
"""A saved alert. The four JSON columns hold the wire objects as they were sent; ``responsibles`` items are
``{"id", "receiveEmails"}``. ``next_run_at`` is when its schedule next delivers, ``NULL`` while nothing is planned (new,
paused, archived)."""
