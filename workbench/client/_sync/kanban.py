# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""The kanban board of a pipeline (interface 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Unpack

from workbench.client import workspace_calls
from workbench.client._sync.driver import Driver
from workbench.client._sync.walking import records
from workbench.client.workspace_calls import BoardFilters, BoardSearch, ColumnFilters, by_page
from workbench.contract.opportunities import Opportunity
from workbench.contract.pipelines import StageTotal
from workbench.contract.record import Page


class Kanban:
    """``client.kanban``: every method takes a pipeline's id, and may raise the errors of :mod:`workbench.client.errors`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def totals(self, pipeline: str, **filters: Unpack[BoardFilters]) -> tuple[StageTotal, ...]:
        """Per stage, how many opportunities it holds and the sum of their amounts (interface 2, Kanban status total).

        ``responsible`` and ``team_responsible`` narrow it to opportunities of these users and teams (ids). ``NotFound``
        where no pipeline of the account has this id.
        """
        return self._driver.read(workspace_calls.kanban_totals(pipeline, filters))

    def opportunities(self, pipeline: str, stage: str, **filters: Unpack[ColumnFilters]) -> Page[Opportunity]:
        """One page of the opportunities in a stage (interface 4.1): page 1 of 10 unless said otherwise."""
        return self._driver.read(workspace_calls.kanban_opportunities(pipeline, stage, filters))

    def iterate(
        self, pipeline: str, stage: str, *, limit: int | None = None, **filters: Unpack[ColumnFilters]
    ) -> Iterator[Opportunity]:
        """The opportunities in a stage one by one, over all pages, each id once; at most ``limit`` of them (``None``: all)."""
        return records(
            self._driver,
            *by_page(
                lambda query: workspace_calls.kanban_opportunities(pipeline, stage, query),
                filters,
                limit=limit,
                operation="kanban.iterate",
            ),
        )

    def search(self, pipeline: str, **query: Unpack[BoardSearch]) -> Mapping[str, tuple[Opportunity, ...]]:
        """The opportunities of a pipeline that fit, by stage id (interface 4.1); a stage without any may be left out.

        ``search`` is free text, ``limit`` holds for each stage (default 10, at most 50).
        """
        return self._driver.read(workspace_calls.kanban_search(pipeline, query))
