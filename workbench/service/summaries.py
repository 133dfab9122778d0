"""Summaries of an opportunity: what is asked for over REST, and what their owner administers (interface 2, 3, 4.1 and 7).

A summary is ``pending`` once it was asked for, ``in_progress`` while a writer is at it, then ``completed`` with its Markdown
or ``failed`` with the reason. :mod:`workbench.service.summary_worker` takes it from one to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import select

from workbench.contract.errors import ErrorCode
from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import SummaryStatus
from workbench.service.administration import account_scope
from workbench.service.board_records import wire_seconds
from workbench.service.board_templates import BoardError, checked_name
from workbench.service.refusals import RequestRefused, not_found
from workbench.service.scope import AccountScope, OwnedRows, WritableRows
from workbench.service.store.database import Database
from workbench.service.store.summary_tables import summary_attempt
from workbench.service.store.workspace_tables import opportunity, summary

NAME: Final = "Tender summary"
NO_OPPORTUNITY: Final = "No opportunity has this id."
NO_SUMMARY: Final = "This opportunity has no summary with this id."


@dataclass(frozen=True, slots=True)
class FinishedSummary:
    """A completed summary: its Markdown, and what a document made of it says beside."""

    id: str
    name: str
    opportunity: str
    markdown: str
    generated_at: datetime


class Summaries:
    """The summaries of one account."""

    def __init__(self, scope: AccountScope) -> None:
        self._scope = scope

    def all(self, opportunity_id: str) -> list[JsonObject]:
        """The summaries of an opportunity, oldest first. 404 for an opportunity that the account does not have.

        ``failure`` is not in the interface: the reason of a ``failed`` one, where there is one.
        """
        with self._scope.reading() as rows:
            rows.need(opportunity, opportunity_id, missing=NO_OPPORTUNITY)
            wanted = select(summary).where(summary.c.opportunity_id == opportunity_id)
            found = rows.all(wanted.order_by(summary.c.created_at, summary.c.id))
            failures = _failures(rows, [row.id for row in found if row.status == SummaryStatus.FAILED])
        return [
            {
                "id": row.id,
                "name": row.name,
                "status": row.status,
                "result": row.result,
                "generatedAt": wire_seconds(row.generated_at),
                "createdAt": wire_seconds(row.created_at),
                "updatedAt": wire_seconds(row.updated_at),
                "failure": failures.get(row.id),
            }
            for row in found
        ]

    def finished(self, opportunity_id: str, summary_id: str) -> FinishedSummary:
        """A completed summary. 404 for an opportunity or summary that is not there, 409 for one that is not completed."""
        with self._scope.reading() as rows:
            owner = rows.need(opportunity, opportunity_id, missing=NO_OPPORTUNITY)
            found = rows.get(summary, summary_id)
            failure = _failures(rows, [summary_id]).get(summary_id)
        if found is None or found.opportunity_id != opportunity_id:
            raise not_found(NO_SUMMARY)
        if found.status != SummaryStatus.COMPLETED:
            raise _not_ready(found.status, failure)
        written = datetime.fromtimestamp(found.generated_at or found.updated_at, UTC)
        return FinishedSummary(found.id, found.name, owner.name, found.result, written)


def request_summary(rows: WritableRows, opportunity_id: str, name: str = NAME) -> str:
    """Ask for a summary of an opportunity of the account; gives its id. A worker writes it, soon."""
    return rows.add(summary, opportunity_id=opportunity_id, name=name, status=SummaryStatus.PENDING.value)


class SummaryAdministration:
    """What the owner of an account may have done with its summaries, for which the interface has no endpoint.

    Raises :class:`~workbench.service.board_templates.BoardError` for what cannot be done.
    """

    def __init__(self, database: Database, account: str) -> None:
        self._scope = account_scope(database, account)

    def request(self, opportunity_id: str, name: str | None = None) -> str:
        """Ask for a summary of an opportunity; gives its id."""
        with self._scope.writing() as rows:
            if rows.get(opportunity, opportunity_id) is None:
                raise BoardError(f"The account has no opportunity {opportunity_id!r}; `workbench board` shows them.")
            return request_summary(rows, opportunity_id, NAME if name is None else checked_name(name, "a summary"))

    def retry(self, summary_id: str) -> None:
        """Have a failed summary written again."""
        with self._scope.writing() as rows:
            found = rows.get(summary, summary_id)
            if found is None:
                raise BoardError(f"The account has no summary {summary_id!r}; `workbench summaries` shows them.")
            if found.status != SummaryStatus.FAILED:
                raise BoardError(f"This summary is {found.status} and not failed, so there is nothing to write again.")
            rows.change(summary, summary_id, status=SummaryStatus.PENDING.value, updated_at=rows.now)


def _failures(rows: OwnedRows, summary_ids: list[str]) -> dict[str, str]:
    """The reason of each summary's last attempt that failed."""
    attempts = summary_attempt.c
    if not summary_ids:
        return {}
    wanted = select(attempts.summary_id, attempts.failure).where(
        attempts.summary_id.in_(summary_ids), attempts.failure.is_not(None)
    )
    return {row.summary_id: row.failure for row in rows.all(wanted.order_by(attempts.number))}


def _not_ready(status: str, failure: str | None) -> RequestRefused:
    if status == SummaryStatus.FAILED:
        because = f" {failure}" if failure else ""
        message = f"This summary could not be written, so there is no PDF of it.{because}"
    else:
        message = "This summary has not finished generating; ask again in a few seconds."
    return RequestRefused(409, ErrorCode.SUMMARY_NOT_READY, message)
