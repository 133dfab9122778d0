"""``client.raw``: the same calls, answered with status, headers and body as they came.

Policies hold as everywhere: the key stays at home, the window is kept, a refusal raises. Files come whole into memory.
"""

from __future__ import annotations

from typing import Unpack

from workbench.client import calls
from workbench.client._async.driver import AsyncDriver
from workbench.client._async.raw_workspace import AsyncRawAlerts, AsyncRawKanban, AsyncRawOpportunities, AsyncRawPipelines
from workbench.client.calls import Query, TenderFilters
from workbench.client.policy.answers import RawResponse


class AsyncRawTenders:
    """``client.raw.tenders``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def search(self, query: Query | None = None, /, **filters: Unpack[TenderFilters]) -> RawResponse:
        """As ``client.tenders.search``."""
        return await self._driver.raw(calls.search_tenders(query, filters))

    async def get(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.tenders.get``."""
        return await self._driver.raw(calls.get_tender(id))

    async def sheets(self, id: str) -> RawResponse:  # noqa: A002 - the interface's name
        """As ``client.tenders.sheets``."""
        return await self._driver.raw(calls.tender_sheets(id))

    async def download_sheet(self, sheet_id: str) -> RawResponse:
        """The file of ``client.tenders.download_sheet``, in memory."""
        return await self._driver.raw(calls.download_sheet(sheet_id))

    async def download_document(self, url_or_token: str) -> RawResponse:
        """The file of ``client.tenders.download_document``, in memory."""
        return await self._driver.raw(calls.download_document(url_or_token))


class AsyncRawOrganizations:
    """``client.raw.organizations``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get(self, id_or_slug: str) -> RawResponse:
        """As ``client.organizations.get``."""
        return await self._driver.raw(calls.get_organization(id_or_slug))

    async def awards(self, id_or_slug: str) -> RawResponse:
        """As ``client.organizations.awards``."""
        return await self._driver.raw(calls.organization_awards(id_or_slug))


class AsyncRawCpvCodes:
    """``client.raw.cpv``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get(self, code: str) -> RawResponse:
        """As ``client.cpv.get``."""
        return await self._driver.raw(calls.get_cpv(code))


class AsyncRaw:
    """``client.raw``."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver
        self.tenders = AsyncRawTenders(driver)
        self.organizations = AsyncRawOrganizations(driver)
        self.cpv = AsyncRawCpvCodes(driver)
        self.alerts = AsyncRawAlerts(driver)
        self.pipelines = AsyncRawPipelines(driver)
        self.kanban = AsyncRawKanban(driver)
        self.opportunities = AsyncRawOpportunities(driver)

    async def whoami(self) -> RawResponse:
        """As ``client.whoami``."""
        return await self._driver.raw(calls.whoami())

    async def api_key(self) -> RawResponse:
        """As ``client.api_key``."""
        return await self._driver.raw(calls.api_key())
