"""The table of summaries at work: who tried to write one, and how that ended.

Moments are whole seconds since 1970 in UTC and ids are uuid texts, as in :mod:`workbench.service.store.workspace_tables`.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from workbench.service.store.metadata import METADATA

summary_attempt = Table(
    "summary_attempt",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("summary_id", Text, ForeignKey("summary.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("writer", Text, nullable=False),
    Column("started_at", Integer, nullable=False),
    Column("finished_at", Integer),
    Column("failure", Text),
    UniqueConstraint("summary_id", "number", name="summary_attempt_is_numbered"),
    Index("summary_attempt_of_account", "account_id", "summary_id"),
    sqlite_strict=True,
)
"""One attempt to write a summary. ``writer`` names who wrote; ``finished_at`` is ``NULL`` while it is being written and for
ever where the process ended meanwhile; ``failure`` is the sentence of an attempt that failed."""
