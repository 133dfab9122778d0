"""Tables that boards need beside the workspace's own: what a step of a workflow consists of, and the history of everything.

Both histories, this one and ``opportunity_history``, only grow: the database itself refuses to change or delete their rows.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import REAL, Column, ForeignKey, Index, Integer, Table, Text

from workbench.service.store.metadata import METADATA
from workbench.service.store.workspace_tables import JsonText

step_action = Table(
    "step_action",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("workflow_step_id", Text, ForeignKey("workflow_step.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("target_type", Text, nullable=False),
    Column("position", REAL, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Index("step_action_of_step", "workflow_step_id", "position"),
    sqlite_strict=True,
)
"""An action that each opportunity of the step's pipeline gets: the template that ``workflow_action`` rows are made from."""

workspace_history = Table(
    "workspace_history",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("row_id", Text, nullable=False),
    Column("changes", JsonText, nullable=False),
    Column("actor_type", Text, nullable=False),
    Column("actor_id", Text),
    Column("at", Integer, nullable=False),
    Index("workspace_history_of_row", "account_id", "kind", "row_id"),
    sqlite_strict=True,
    sqlite_autoincrement=True,
)
"""Every row that was added to or changed in an account's own tables, in the order of ``id``. ``kind`` is the table,
``changes`` maps each column to what it became (a new row) or to ``[before, after]`` (a changed one). ``actor_type`` is
``apiKey``, ``user``, ``administration`` or ``service``."""

HISTORY_GUARDS: Final = tuple(
    f"""CREATE TRIGGER {table}_keeps_{verb} BEFORE {event} ON {table}
        BEGIN SELECT RAISE(ABORT, 'history is never changed or deleted'); END"""
    for table in ("opportunity_history", "workspace_history")
    for verb, event in (("contents", "UPDATE"), ("rows", "DELETE"))
)
"""Triggers that keep both histories as they were written."""
