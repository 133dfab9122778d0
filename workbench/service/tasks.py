"""Tasks of opportunities (interface 2, 3, 4.1 and 4.3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from pydantic import MISSING
from sqlalchemy import Integer, literal_column, select

from workbench.contract.opportunities import TaskDraft, TaskQuery
from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import PAGE_FIRST, PAGE_SIZE_DEFAULT, TaskPriority, TaskStatus
from workbench.service.board_records import envelope, wire_task
from workbench.service.opportunities import NO_OPPORTUNITY
from workbench.service.people import check_users
from workbench.service.refusals import invalid
from workbench.service.scope import AccountScope
from workbench.service.store.workspace_tables import opportunity, task

_IN_ORDER_OF_MAKING: Final = (task.c.created_at, literal_column("rowid", Integer))


class Tasks:
    """The tasks of one account's opportunities. An opportunity that the account does not have is refused with 404."""

    def __init__(self, scope: AccountScope) -> None:
        self._scope = scope

    def page(self, opportunity_id: str, query: TaskQuery) -> JsonObject:
        """One page of an opportunity's tasks in the order in which they were made, of all states or of ``status``."""
        page, size = query.page or PAGE_FIRST, query.page_size or PAGE_SIZE_DEFAULT
        wanted = select(task).where(task.c.opportunity_id == opportunity_id).order_by(*_IN_ORDER_OF_MAKING)
        if query.status is not None:
            wanted = wanted.where(task.c.status == query.status.value)
        with self._scope.reading() as rows:
            rows.need(opportunity, opportunity_id, missing=NO_OPPORTUNITY)
            found = rows.all(wanted.limit(size + 1).offset((page - 1) * size))
        return envelope([wire_task(row) for row in found], page, size)

    def create(self, opportunity_id: str, draft: TaskDraft) -> str:
        """The id of the task that was made: to do and of medium priority unless the draft says otherwise.

        422 for a blank title and for a user who is not one of the account's; a user named twice is kept once.
        """
        if not draft.title.strip():
            raise invalid("The field 'title' must not be blank.")
        users: tuple[str, ...] = _given(draft.user_ids, ())
        deadline: datetime | None = _given(draft.deadline_at, None)
        with self._scope.writing() as rows:
            rows.need(opportunity, opportunity_id, missing=NO_OPPORTUNITY)
            check_users(rows, users, "userIds")
            return rows.add(
                task,
                opportunity_id=opportunity_id,
                title=draft.title,
                description=_given(draft.description, None),
                status=_given(draft.status, TaskStatus.TO_DO).value,
                priority=_given(draft.priority, TaskPriority.MEDIUM).value,
                user_ids=list(dict.fromkeys(users)),
                deadline_at=None if deadline is None else int(deadline.timestamp()),
                created_by=rows.actor.id,
            )


def _given(value: Any, otherwise: Any) -> Any:
    return otherwise if value is MISSING else value
