# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Alerts: saved searches that notify (interface 2 and 4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from workbench.client import calls, workspace_calls
from workbench.client._sync.driver import Driver
from workbench.client._sync.walking import pages, records
from workbench.client.calls import Query, TenderFilters
from workbench.client.workspace_calls import AlertFilters, Draft, Patch, by_page
from workbench.contract.alerts import Alert
from workbench.contract.record import Page
from workbench.contract.tenders import Tender


class Alerts:
    """``client.alerts``: every method may raise the errors of :mod:`workbench.client.errors`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def list(self, **filters: Unpack[AlertFilters]) -> Page[Alert]:
        """One page of the account's alerts (interface 4.1, GET /v1/alerts), with ``total_count`` where the service counts.

        ``text`` filters by title, ``is_archived`` by that flag (both kinds come unless it is given). Page 1 of 20, the last
        updated first, unless said otherwise. ``InvalidArgument`` names an argument that cannot be sent.
        """
        return self._driver.read(workspace_calls.list_alerts(filters))

    def pages(self, **filters: Unpack[AlertFilters]) -> Iterator[Page[Alert]]:
        """The pages of a list one after the other, from ``page`` (default 1), of ``page_size`` (default 100), as they came.

        Ends where the service says that no page follows; ``UnexpectedAnswer`` where it repeats itself without end.
        """
        return pages(self._driver, *by_page(workspace_calls.list_alerts, filters, operation="alerts.pages"))

    def iterate(self, *, limit: int | None = None, **filters: Unpack[AlertFilters]) -> Iterator[Alert]:
        """The alerts of a list one by one, over all pages, each id once; at most ``limit`` of them (``None``: all)."""
        return records(self._driver, *by_page(workspace_calls.list_alerts, filters, limit=limit, operation="alerts.iterate"))

    def get(self, id: str) -> Alert:  # noqa: A002 - the interface's name
        """One alert (interface 2). ``NotFound`` where no alert of the account has this id."""
        return self._driver.read(workspace_calls.get_alert(id))

    def create(self, draft: Draft) -> Alert:
        """The alert that was created (interface 4.1, Create alert).

        Takes an :class:`~workbench.contract.alerts.AlertDraft`, or a mapping in snake_case or camelCase; a title and at
        least one trigger are needed. ``InvalidArgument`` names a field that cannot be sent. Never sent twice: after
        ``ConnectionFailed`` with ``arrived`` not ``False``, look whether the alert is there.
        """
        return self._driver.read(workspace_calls.create_alert(draft))

    def update(self, id: str, patch: Patch) -> Alert:  # noqa: A002 - the interface's name
        """The alert after the change (interface 4.1, Update alert).

        Takes an :class:`~workbench.contract.alerts.AlertPatch`, or a mapping in snake_case or camelCase. Only fields that are
        given are sent: what is left out stays as it is, ``None`` and ``[]`` are sent as such. ``NotFound`` where no alert has
        this id, ``InvalidArgument`` for a field that cannot be sent. Never sent twice.
        """
        return self._driver.read(workspace_calls.update_alert(id, patch))

    def results(self, id: str, query: Query | None = None, **filters: Unpack[TenderFilters]) -> Page[Tender]:  # noqa: A002 - the interface's name
        """One page of the tenders that match a saved alert (interface 4.1); ``NotFound`` where no alert has this id.

        Takes the filters of ``client.tenders.search``, which narrow the alert's own criteria further.
        """
        return self._driver.read(workspace_calls.alert_results(id, query, filters))

    def iterate_results(
        self,
        id: str,  # noqa: A002 - the interface's name
        query: Query | None = None,
        *,
        limit: int | None = None,
        **filters: Unpack[TenderFilters],
    ) -> Iterator[Tender]:
        """The tenders that match a saved alert one by one, over all pages, each id once; at most ``limit`` (``None``: all)."""
        name = "alerts.iterate_results"
        search = calls.tender_search(query, filters, operation=name)
        return records(
            self._driver,
            *by_page(
                lambda changes: workspace_calls.alert_results(id, search, changes),
                {"page": search.page, "page_size": search.page_size},
                limit=limit,
                operation=name,
            ),
        )
