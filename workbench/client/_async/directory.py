"""Organizations and CPV codes: what tenders refer to (interface 4.1)."""

from __future__ import annotations

from workbench.client import calls
from workbench.client._async.driver import AsyncDriver
from workbench.contract.cpv import Cpv
from workbench.contract.organizations import AwardStatistics, Organization


class AsyncOrganizations:
    """``client.organizations``: buyers and suppliers."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get(self, id_or_slug: str) -> Organization:
        """An organization by its id or its slug (interface 2). ``NotFound`` where there is none."""
        return await self._driver.read(calls.get_organization(id_or_slug))

    async def awards(self, id_or_slug: str) -> AwardStatistics:
        """Award statistics of an organization: by calendar year, and by CPV division (interface 2)."""
        return await self._driver.read(calls.organization_awards(id_or_slug))


class AsyncCpvCodes:
    """``client.cpv``: the Common Procurement Vocabulary."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get(self, code: str) -> Cpv:
        """A CPV code by its eight digits, without the check digit (interface, vocabulary). ``NotFound`` if there is none."""
        return await self._driver.read(calls.get_cpv(code))
