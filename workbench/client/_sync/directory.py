# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Organizations and CPV codes: what tenders refer to (interface 4.1)."""

from __future__ import annotations

from workbench.client import calls
from workbench.client._sync.driver import Driver
from workbench.contract.cpv import Cpv
from workbench.contract.organizations import AwardStatistics, Organization


class Organizations:
    """``client.organizations``: buyers and suppliers."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def get(self, id_or_slug: str) -> Organization:
        """An organization by its id or its slug (interface 2). ``NotFound`` where there is none."""
        return self._driver.read(calls.get_organization(id_or_slug))

    def awards(self, id_or_slug: str) -> AwardStatistics:
        """Award statistics of an organization: by calendar year, and by CPV division (interface 2)."""
        return self._driver.read(calls.organization_awards(id_or_slug))


class CpvCodes:
    """``client.cpv``: the Common Procurement Vocabulary."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def get(self, code: str) -> Cpv:
        """A CPV code by its eight digits, without the check digit (interface, vocabulary). ``NotFound`` if there is none."""
        return self._driver.read(calls.get_cpv(code))
