# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""``client.raw``: the same calls, answered with status, headers and body as they came.

Policies hold as everywhere: the key stays at home, the window is kept, a refusal raises. Files come whole into memory.
"""

from __future__ import annotations

from typing import Unpack

from workbench.client import calls
from workbench.client._sync.driver import Driver
from workbench.client._sync.raw_workspace import RawAlerts, RawKanban, RawOpportunities, RawPipelines
from workbench.client.calls import Query, TenderFilters
from workbench.client.policy.answers import RawResponse


class RawTenders:
    """``client.raw.tenders``."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def search(self, query: Query | None = None, /, **filters: Unpack[TenderFilters]) -> RawResponse:
        """As ``client.tenders.search``."""
        return self._driver.raw(calls.search_tenders(query, filters))

    def get(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.tenders.get``."""
        return self._driver.raw(calls.get_tender(id))

    def sheets(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.tenders.sheets``."""
        return self._driver.raw(calls.tender_sheets(id))

    def download_sheet(self, sheet_id: str) -> RawResponse:
        """The file of ``client.tenders.download_sheet``, in memory."""
        return self._driver.raw(calls.download_sheet(sheet_id))

    def download_document(self, url_or_token: str) -> RawResponse:
        """The file of ``client.tenders.download_document``, in memory."""
        return self._driver.raw(calls.download_document(url_or_token))


class RawOrganizations:
    """``client.raw.organizations``."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def get(self, id_or_slug: str) -> RawResponse:
        """As ``client.organizations.get``."""
        return self._driver.raw(calls.get_organization(id_or_slug))

    def awards(self, id_or_slug: str) -> RawResponse:
        """As ``client.organizations.awards``."""
        return self._driver.raw(calls.organization_awards(id_or_slug))


class RawCpvCodes:
    """``client.raw.cpv``."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def get(self, code: str) -> RawResponse:
        """As ``client.cpv.get``."""
        return self._driver.raw(calls.get_cpv(code))


class Raw:
    """``client.raw``."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.tenders = RawTenders(driver)
        self.organizations = RawOrganizations(driver)
        self.cpv = RawCpvCodes(driver)
        self.alerts = RawAlerts(driver)
        self.pipelines = RawPipelines(driver)
        self.kanban = RawKanban(driver)
        self.opportunities = RawOpportunities(driver)

    def whoami(self) -> RawResponse:
        """As ``client.whoami``."""
        return self._driver.raw(calls.whoami())

    def api_key(self) -> RawResponse:
        """As ``client.api_key``."""
        return self._driver.raw(calls.api_key())
