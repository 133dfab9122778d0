# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Pipelines and their stages (interface 2 and 4.1)."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.client import workspace_calls
from workbench.client._sync.driver import Driver
from workbench.client._sync.walking import pages, records
from workbench.client.workspace_calls import by_page
from workbench.contract.pipelines import Pipeline
from workbench.contract.record import Page


class Pipelines:
    """``client.pipelines``: every method may raise the errors of :mod:`workbench.client.errors`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def list(self, *, page: int | None = None, page_size: int | None = None) -> Page[Pipeline]:
        """One page of the account's pipelines with their stages (interface 4.1): page 1 of 20 unless said otherwise."""
        return self._driver.read(workspace_calls.list_pipelines({"page": page, "page_size": page_size}))

    def pages(self, *, page: int | None = None, page_size: int | None = None) -> Iterator[Page[Pipeline]]:
        """The pages of the list one after the other, from ``page`` (default 1), of ``page_size`` (default 100), as they came.

        Ends where the service says that no page follows; ``UnexpectedAnswer`` where it repeats itself without end.
        """
        query = {"page": page, "page_size": page_size}
        return pages(self._driver, *by_page(workspace_calls.list_pipelines, query, operation="pipelines.pages"))

    def iterate(
        self, *, limit: int | None = None, page: int | None = None, page_size: int | None = None
    ) -> Iterator[Pipeline]:
        """The pipelines one by one, over all pages, each id once; at most ``limit`` of them (``None``: all)."""
        query = {"page": page, "page_size": page_size}
        return records(
            self._driver, *by_page(workspace_calls.list_pipelines, query, limit=limit, operation="pipelines.iterate")
        )
