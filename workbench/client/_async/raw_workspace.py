"""``client.raw`` for what an account owns: alerts, pipelines, boards, opportunities. Moves are guarded here as everywhere."""

from __future__ import annotations

from typing import Unpack

from workbench.client import workspace_calls
from workbench.client._async.driver import AsyncDriver
from workbench.client._async.moves import send_move
from workbench.client.calls import Query, TenderFilters
from workbench.client.policy.answers import RawResponse
from workbench.client.workspace_calls import (
    AlertFilters,
    BoardFilters,
    BoardSearch,
    ColumnFilters,
    Draft,
    NewTask,
    Patch,
    TaskFilters,
)


class AsyncRawAlerts:
    """``client.raw.alerts``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list(self, **filters: Unpack[AlertFilters]) -> RawResponse:
        """As ``client.alerts.list``."""
        return await self._driver.raw(workspace_calls.list_alerts(filters))

    async def get(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.alerts.get``."""
        return await self._driver.raw(workspace_calls.get_alert(id))

    async def create(self, draft: Draft) -> RawResponse:
        """As ``client.alerts.create``."""
        return await self._driver.raw(workspace_calls.create_alert(draft))

    async def update(self, id: str, patch: Patch) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.alerts.update``."""
        return await self._driver.raw(workspace_calls.update_alert(id, patch))

    async def results(self, id: str, query: Query | None = None, **filters: Unpack[TenderFilters]) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.alerts.results``."""
        return await self._driver.raw(workspace_calls.alert_results(id, query, filters))


class AsyncRawPipelines:
    """``client.raw.pipelines``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list(self, *, page: int | None = None, page_size: int | None = None) -> RawResponse:
        """As ``client.pipelines.list``."""
        return await self._driver.raw(workspace_calls.list_pipelines({"page": page, "page_size": page_size}))


class AsyncRawKanban:
    """``client.raw.kanban``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def totals(self, pipeline: str, **filters: Unpack[BoardFilters]) -> RawResponse:
        """As ``client.kanban.totals``."""
        return await self._driver.raw(workspace_calls.kanban_totals(pipeline, filters))

    async def opportunities(self, pipeline: str, stage: str, **filters: Unpack[ColumnFilters]) -> RawResponse:
        """As ``client.kanban.opportunities``."""
        return await self._driver.raw(workspace_calls.kanban_opportunities(pipeline, stage, filters))

    async def search(self, pipeline: str, **query: Unpack[BoardSearch]) -> RawResponse:
        """As ``client.kanban.search``."""
        return await self._driver.raw(workspace_calls.kanban_search(pipeline, query))


class AsyncRawOpportunities:
    """``client.raw.opportunities``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def move(self, id: str, stage: str, *, confirm_terminal: bool = False) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.opportunities.move``, with the same guard; the answer is that to the move."""
        return await send_move(self._driver, id, stage, confirm_terminal)

    async def workflow_actions(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.opportunities.workflow_actions``."""
        return await self._driver.raw(workspace_calls.workflow_actions(id))

    async def tasks(self, id: str, **filters: Unpack[TaskFilters]) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.opportunities.tasks``."""
        return await self._driver.raw(workspace_calls.list_tasks(id, filters))

    async def create_task(self, id: str, draft: NewTask) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.opportunities.create_task``."""
        return await self._driver.raw(workspace_calls.create_task(id, draft))

    async def summaries(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.opportunities.summaries``."""
        return await self._driver.raw(workspace_calls.list_summaries(id))

    async def summary_pdf(self, id: str, summary_id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """The file of ``client.opportunities.summary_pdf``, in memory."""
        return await self._driver.raw(workspace_calls.summary_pdf(id, summary_id))
