"""Pipelines and their stages (interface 2 and 4.1)."""

from __future__ import annotations

from collections.abc import AsyncIterator

from workbench.client import workspace_calls
from workbench.client._async.driver import AsyncDriver
from workbench.client._async.walking import pages, records
from workbench.client.workspace_calls import by_page
from workbench.contract.pipelines import Pipeline
from workbench.contract.record import Page


class AsyncPipelines:
    """``client.pipelines``: every method may raise the errors of :mod:`workbench.client.errors`."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list(self, *, page: int | None = None, page_size: int | None = None) -> Page[Pipeline]:
        """One page of the account's pipelines with their stages (interface 4.1): page 1 of 20 unless said otherwise."""
        return await self._driver.read(workspace_calls.list_pipelines({"page": page, "page_size": page_size}))

    def pages(self, *, page: int | None = None, page_size: int | None = None) -> AsyncIterator[Page[Pipeline]]:
        """The pages of the list one after the other, from ``page`` (default 1), of ``page_size`` (default 100), as they came.

        Ends where the service says that no page follows; ``UnexpectedAnswer`` where it repeats itself without end.
        """
        query = {"page": page, "page_size": page_size}
        return pages(self._driver, *by_page(workspace_calls.list_pipelines, query, operation="pipelines.pages"))

    def iterate(
        self, *, limit: int | None = None, page: int | None = None, page_size: int | None = None
    ) -> AsyncIterator[Pipeline]:
        """The pipelines one by one, over all pages, each id once; at most ``limit`` of them (``None``: all)."""
        query = {"page": page, "page_size": page_size}
        return records(
            self._driver, *by_page(workspace_calls.list_pipelines, query, limit=limit, operation="pipelines.iterate")
        )
