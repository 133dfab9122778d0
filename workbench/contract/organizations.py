"""Contracting and bidding organizations and their award statistics (interface 2)."""

from __future__ import annotations

from pydantic import Field

from workbench.contract.aliases import also
from workbench.contract.record import Identifier, Record


class Address(Record):
    """Postal address of an organization."""

    city: str | None = None
    province: str | None = None
    post_code: str | None = None
    street: str | None = None


class Organization(Record):
    """Answer of ``GET /v1/organizations/{idOrSlug}``; ``country`` is ISO 3166-1 alpha-2."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    slug: str | None = None
    name: str | None = None
    type: str | None = None
    tax_id: str | None = None
    activity: str | None = None
    country: str | None = None
    address: Address | None = None
    web_url: str | None = None
    logo: str | None = None


class YearlyAwards(Record):
    """Awards of one calendar year: how many, and their total amount in the service's currency."""

    year: int | None = None
    count: int | None = None
    total_amount: float | None = None


class SectorShare(Record):
    """Share of one CPV division in an organization's awards; ``percentage`` is 0 to 100."""

    division_code: str | None = None
    division_name_en: str | None = None
    division_name_es: str | None = None
    emoji: str | None = None
    count: int | None = None
    percentage: float | None = None


class AwardStatistics(Record):
    """Answer of ``GET /v1/organizations/{idOrSlug}/awards``."""

    organization_id: Identifier | None = None
    organization_name: str | None = None
    type: str | None = None
    stats: tuple[YearlyAwards, ...] = ()
    sectors: tuple[SectorShare, ...] = ()
