# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Opportunities: moves, workflow, tasks and summaries (interface 2, 3 and 4.1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Unpack

from workbench.client import workspace_calls
from workbench.client._sync.driver import Driver
from workbench.client._sync.moves import send_move
from workbench.client._sync.walking import records
from workbench.client.calls import Call
from workbench.client.downloads import Target
from workbench.client.errors import SummaryFailed, SummaryNotReady
from workbench.client.options import Progress
from workbench.client.polling import POLL_MAX_SECONDS, poll_pauses
from workbench.client.workspace_calls import NewTask, TaskFilters, by_page
from workbench.contract.opportunities import CreatedTask, Summary, Task, WorkflowAction
from workbench.contract.record import Page
from workbench.contract.vocabulary import SummaryStatus

_UNDER_WAY: Final = (SummaryStatus.PENDING, SummaryStatus.IN_PROGRESS)


class Opportunities:
    """``client.opportunities``: every method takes an opportunity's id, and may raise the errors of this package."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def move(self, id: str, stage: str, *, confirm_terminal: bool = False) -> None:  # noqa: A002 - the interface's name
        """Move an opportunity to a stage, by the stage's id (interface 3). Moving it to where it is changes nothing.

        A terminal stage closes the opportunity for good. So the stage is looked up first, in the account's pipelines and
        afresh for each move; unless ``confirm_terminal`` is ``True``, ``TerminalMoveNotConfirmed`` is raised and the move is
        not sent where the stage is terminal, is not said to be open, is in no pipeline, or cannot be looked up. A confirmed
        move is sent without the look-up.

        ``NotFound`` for an unknown opportunity or stage, ``Forbidden`` for one of another account, ``Conflict`` (code
        ``OPPORTUNITY_CLOSED``) for one that is closed already.
        """
        send_move(self._driver, id, stage, confirm_terminal)

    def workflow_actions(self, id: str) -> tuple[WorkflowAction, ...]:  # noqa: A002 - the interface's name
        """The actions of the opportunity's workflow, step by step (interface 2). ``NotFound``, ``Forbidden`` as interface 7."""
        return self._driver.read(workspace_calls.workflow_actions(id))

    def tasks(self, id: str, **filters: Unpack[TaskFilters]) -> Page[Task]:  # noqa: A002 - the interface's name
        """One page of the opportunity's tasks (interface 4.1), of all states or of ``status``; page 1 of 20."""
        return self._driver.read(workspace_calls.list_tasks(id, filters))

    def iterate_tasks(
        self,
        id: str,  # noqa: A002 - the interface's name
        *,
        limit: int | None = None,
        **filters: Unpack[TaskFilters],
    ) -> Iterator[Task]:
        """The opportunity's tasks one by one, over all pages, each id once; at most ``limit`` of them (``None``: all)."""
        return records(
            self._driver,
            *by_page(
                lambda query: workspace_calls.list_tasks(id, query),
                filters,
                limit=limit,
                operation="opportunities.iterate_tasks",
            ),
        )

    def create_task(self, id: str, draft: NewTask) -> CreatedTask:  # noqa: A002 - the interface's name
        """The id of the task that was created (interface 4.1, Create task).

        Takes a :class:`~workbench.contract.opportunities.TaskDraft`, or a mapping in snake_case or camelCase; a title is
        needed. ``InvalidArgument`` names a field that cannot be sent, ``NotFound`` where no opportunity has this id. Never
        sent twice: after ``ConnectionFailed`` with ``arrived`` not ``False``, look whether the task is there.
        """
        return self._driver.read(workspace_calls.create_task(id, draft))

    def summaries(self, id: str) -> tuple[Summary, ...]:  # noqa: A002 - the interface's name
        """The opportunity's summaries; ``result`` is Markdown once ``status`` is ``completed`` (interface 2)."""
        return self._driver.read(workspace_calls.list_summaries(id))

    def summary_pdf(
        self,
        id: str,  # noqa: A002 - the interface's name
        summary_id: str,
        *,
        to: str | os.PathLike[str] = ".",
        progress: Progress | None = None,
        overwrite: bool = False,
        resume: bool = False,
    ) -> Path:
        """The path under which a summary's PDF was saved (interface 4.1); ``to``, ``progress``, ``overwrite`` and
        ``resume`` are those of ``client.tenders.download_sheet``.

        ``SummaryNotReady`` before the summary is completed (:meth:`wait_for_summary_pdf` waits for it), ``NotFound`` for an
        unknown opportunity or summary.
        """
        call = workspace_calls.summary_pdf(id, summary_id)
        return self._driver.save(call, _target(call, to, overwrite, resume, summary_id), progress)

    def wait_for_summary_pdf(
        self,
        id: str,  # noqa: A002 - the interface's name
        summary_id: str,
        *,
        to: str | os.PathLike[str] = ".",
        progress: Progress | None = None,
        overwrite: bool = False,
        resume: bool = False,
        patience: float = 300.0,
    ) -> Path:
        """As :meth:`summary_pdf`, once the summary is completed: asks for its status until then, less and less often.

        The first pause is 2 s, the longest 30 s, and the client's ``on_wait`` is told of each; an exception it raises, or
        cancelling, ends the wait. After ``patience`` seconds the PDF is asked for once more, so that ``SummaryNotReady``
        comes from the service itself. ``SummaryFailed`` where the service gave the summary up.
        """
        call = workspace_calls.summary_pdf(id, summary_id)
        pauses = poll_pauses(patience, operation=call.operation.name)
        self._driver.check(_target(call, to, overwrite, resume, summary_id))
        while True:
            pause = next(pauses, None)
            status = next((one.status for one in self.summaries(id) if one.id == summary_id), None)
            if status == SummaryStatus.FAILED:
                raise SummaryFailed(
                    f"{call.operation.name}: the service gave up generating summary {summary_id!r}. Have it generated again.",
                    operation=call.operation.name,
                    summary_id=summary_id,
                )
            if pause is None or status not in _UNDER_WAY:
                try:
                    return self.summary_pdf(id, summary_id, to=to, progress=progress, overwrite=overwrite, resume=resume)
                except SummaryNotReady as trouble:
                    if pause is None:
                        raise
                    pause = max(pause, min(trouble.retry_after or 0.0, POLL_MAX_SECONDS))
            self._driver.pause(call, pause)


def _target(call: Call[bytes], to: str | os.PathLike[str], overwrite: bool, resume: bool, summary_id: str) -> Target:
    return Target.of(to, overwrite=overwrite, resume=resume, fallback=f"summary-{summary_id}", operation=call.operation.name)
