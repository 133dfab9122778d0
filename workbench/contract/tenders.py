"""Tenders, their document sheets and the tender search (interface 2 and 4.1).

The interface names two fields of a tender, ``id`` and ``contractingOrganizationId``. The others here are the names that the
embedded service writes, each with the spellings that other services are known to use (:mod:`workbench.contract.aliases`);
whatever else comes is in :attr:`~workbench.contract.record.Record.other_fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from pydantic import AwareDatetime, BeforeValidator, Field, FiniteFloat, StrictBool, StrictInt

from workbench.contract.aliases import also
from workbench.contract.record import Identifier, Instant, Record
from workbench.contract.request import Request
from workbench.contract.vocabulary import PAGE_FIRST, PAGE_SIZE_MAX, TenderSort, TenderStatus


def _named(value: object) -> object:
    # A buyer may come as an object or as its bare name; one shape is enough for whoever reads it.
    return {"name": value} if isinstance(value, str) else value


def _codes(value: object) -> object:
    # CPV codes may come as text or as objects with a code; text with the check digit is what is kept.
    if not isinstance(value, (list, tuple)):
        return value
    items = cast("list[Any] | tuple[Any, ...]", value)
    return [cast("Mapping[str, Any]", item).get("code") if isinstance(item, Mapping) else item for item in items]


def _place(value: object) -> object:
    # A place may come as text, as an object with a name, or as a list of either.
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        return mapping.get("name") or ", ".join(str(mapping[k]) for k in ("city", "province", "country") if mapping.get(k))
    if isinstance(value, (list, tuple)):
        items = cast("list[Any] | tuple[Any, ...]", value)
        return "; ".join(str(part) for part in map(_place, items) if part)
    return value


class BuyerReference(Record):
    """The contracting organization as a tender carries it."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    tax_id: str | None = None


class SupplierAward(Record):
    """One successful bidder of a tender or lot; ``amount`` is without taxes, in the tender's currency."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    tax_id: str | None = None
    amount: float | None = None
    lot_id: Identifier | None = None


class Place(Record):
    """A place of performance: ``type`` is ``country``, ``province`` or ``town``."""

    type: str | None = None
    code: Identifier | None = None
    name: str | None = None


class Lot(Record):
    """One lot of a tender; budgets of lots are parts of the tender's budget and are never added to it."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    description: str | None = None
    cpv_codes: Annotated[tuple[str, ...], BeforeValidator(_codes)] = Field((), validation_alias=also("cpvCodes"))
    budget_no_taxes: float | None = Field(None, validation_alias=also("budgetNoTaxes"))
    award_amount: float | None = None
    bidders_number: int | None = None
    result: str | None = None


class Source(Record):
    """Where a tender was published: the feed's name and the page that shows it."""

    name: str | None = Field(None, validation_alias=also("name"))
    link_url: str | None = None


class Tender(Record):
    """A call for bids (interface 2). Amounts are in ``currency``; missing is ``None`` and never zero."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    slug: str | None = None
    expedient: Identifier | None = Field(None, validation_alias=also("expedient"))
    name: str | None = Field(None, validation_alias=also("name"))
    description: str | None = None
    status: str | None = None
    source_status: str | None = None
    contract_type: str | None = Field(None, validation_alias=also("contractType"))
    procedure: str | None = Field(None, validation_alias=also("procedure"))
    cpv_codes: Annotated[tuple[str, ...], BeforeValidator(_codes)] = Field((), validation_alias=also("cpvCodes"))
    location: Annotated[str | None, BeforeValidator(_place)] = Field(None, validation_alias=also("location"))
    locations: tuple[Place, ...] = ()
    country: str | None = None
    currency: str | None = None
    budget_no_taxes: float | None = Field(None, validation_alias=also("budgetNoTaxes"))
    budget_with_taxes: float | None = Field(None, validation_alias=also("budgetWithTaxes"))
    contract_estimated_value: float | None = Field(None, validation_alias=also("contractEstimatedValue"))
    prorated_budget: float | None = None
    award_amount: float | None = None
    num_lots: int | None = None
    lots: tuple[Lot, ...] = ()
    contracting_organization_id: Identifier | None = Field(None, validation_alias=also("contractingOrganizationId"))
    contracting_organization: Annotated[BuyerReference | None, BeforeValidator(_named)] = Field(
        None, validation_alias=also("contractingOrganization")
    )
    success_bidders: tuple[SupplierAward, ...] = ()
    bidders_number: int | None = None
    expedient_published_at: Instant | None = Field(None, validation_alias=also("expedientPublishedAt"))
    expedient_submission_deadline: Instant | None = Field(None, validation_alias=also("expedientSubmissionDeadline"))
    expedient_adjudication_date: Instant | None = Field(None, validation_alias=also("expedientAdjudicationDate"))
    expedient_formalized_at: Instant | None = None
    expedient_expiration_date: Instant | None = None
    expedient_extended_expiration_date: Instant | None = None
    expedient_updated_at: Instant | None = Field(None, validation_alias=also("expedientUpdatedAt"))
    last_significant_change_at: Instant | None = None
    is_minor_contract: bool | None = None
    sources: tuple[Source, ...] = ()
    platform_url: str | None = Field(None, validation_alias=also("platformUrl"))
    created_at: Instant | None = None
    updated_at: Instant | None = None


class TenderSheet(Record):
    """A document attached to a tender (interface 2); ``size`` is in bytes. The link fields come from the tool only."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    tender_id: Identifier | None = None
    name: str | None = Field(None, validation_alias=also("name"))
    type: str | None = Field(None, validation_alias=also("type"))
    mime_type: str | None = Field(None, validation_alias=also("mimeType"))
    size: int | None = Field(None, validation_alias=also("size"))
    published_at: Instant | None = None
    language: str | None = None
    download_url: str | None = None
    download_url_expires_at: Instant | None = None


class TenderFilters(Request):
    """What both the endpoint and the tool filter by (interface 4.1 and 4.2).

    Budgets are without taxes. Bounds are inclusive. Dates are ISO 8601 date-times with a zone. ``cpvs`` carry the check
    digit (``45233120-6``); ``locations`` are ``country/<ISO-2>``, ``province/<code>`` or ``town/<name>``.
    """

    text: str | None = None
    status: tuple[TenderStatus, ...] | None = None
    cpvs: tuple[str, ...] | None = None
    locations: tuple[str, ...] | None = None
    min_budget: FiniteFloat | None = None
    max_budget: FiniteFloat | None = None
    min_publication_date: AwareDatetime | None = None
    max_publication_date: AwareDatetime | None = None
    min_deadline_date: AwareDatetime | None = None
    max_deadline_date: AwareDatetime | None = None


class TenderSearch(TenderFilters):
    """Body of ``POST /v1/tenders/search`` (interface 4.1): every field optional, all combine freely."""

    page: Annotated[StrictInt, Field(ge=PAGE_FIRST)] | None = None
    page_size: Annotated[StrictInt, Field(ge=1, le=PAGE_SIZE_MAX)] | None = None
    sort: TenderSort | None = None
    is_descendent: StrictBool | None = None
    is_only_within_deadline: StrictBool | None = None
    min_awarding_date: AwareDatetime | None = None
    max_awarding_date: AwareDatetime | None = None
    min_last_update_date: AwareDatetime | None = None
    max_last_update_date: AwareDatetime | None = None


class TenderToolSearch(TenderSearch):
    """The search as the tools can narrow it further: also by procedures and contract types (interface 4.2)."""

    procedures: tuple[str, ...] | None = None
    contract_types: tuple[str, ...] | None = None
