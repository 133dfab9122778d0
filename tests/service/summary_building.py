"""Opportunities and summaries for tests, every value invented."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, select

from workbench.service.access import Access
from workbench.service.scope import AccountScope
from workbench.service.store.database import Database
from workbench.service.store.schema import METADATA
from workbench.service.summaries import request_summary


def board(database: Database, account_slug: str = "local") -> tuple[AccountScope, str, str]:
    """The scope of an account and the ids of a new pipeline and its first stage."""
    access = Access(database)
    account = access.account(account_slug) or access.create_account(account_slug, slug=account_slug)
    scope = AccountScope(database, account.id)
    tables = METADATA.tables
    with scope.writing() as rows:
        pipeline = rows.add(tables["pipeline"], name="Bids", sort_points=1.0)
        flags: dict[str, Any] = {"is_initial": True, "is_terminal": False, "show_in_kanban": True}
        stage = rows.add(tables["stage"], pipeline_id=pipeline, name="New", sort_points=1.0, **flags)
    return scope, pipeline, stage


def opportunity(scope: AccountScope, pipeline: str, stage: str, **values: Any) -> str:
    """A new opportunity."""
    people: dict[str, Any] = {"responsibles": [], "teams": [], "sort_points": 1.0}
    with scope.writing() as rows:
        return rows.add(
            METADATA.tables["opportunity"],
            **{"pipeline_id": pipeline, "stage_id": stage, "name": "Obra de ejemplo", **people, **values},
        )


def summary(scope: AccountScope, opportunity_id: str, **values: Any) -> str:
    """A summary that was asked for; with values, one as it would be later."""
    with scope.writing() as rows:
        made = request_summary(rows, opportunity_id)
        if values:
            rows.change(METADATA.tables["summary"], made, **values)
        return made


def task(scope: AccountScope, opportunity_id: str, title: str, **values: Any) -> None:
    """A task of an opportunity."""
    rest: dict[str, Any] = {"status": "to-do", "priority": "high", "user_ids": []}
    with scope.writing() as rows:
        rows.add(METADATA.tables["task"], opportunity_id=opportunity_id, title=title, **rest | values)


def state(database: Database, summary_id: str) -> Any:
    """The stored row of a summary."""
    table = METADATA.tables["summary"]
    with database.reader() as connection:
        return connection.execute(select(table).where(table.c.id == summary_id)).one()


def unfinished_attempts(scope: AccountScope, summary_id: str, count: int) -> None:
    """What processes leave that ended while they wrote a summary."""
    table = METADATA.tables["summary_attempt"]
    with scope.writing() as rows:
        for number in range(1, count + 1):
            rows.add(table, summary_id=summary_id, number=number, writer="a test", started_at=rows.now)
        rows.change(METADATA.tables["summary"], summary_id, status="in_progress")


def stored(database: Database, table: str, **values: Any) -> None:
    """One row, as it is given."""
    with database.writer() as connection:
        connection.execute(insert(METADATA.tables[table]).values(**values))
