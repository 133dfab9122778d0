"""The columns of a tender in a flat file: one table for CSV, XLSX and Parquet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.moments import in_utc
from workbench.cli.output import as_json
from workbench.reference.tax_ids import masked, masked_everywhere

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender

Value = str | float | int | bool | datetime | None


class Kind(Enum):
    """What a column holds; a cell without a value is empty in every kind."""

    TEXT = "text"
    AMOUNT = "amount"
    COUNT = "count"
    FLAG = "flag"
    MOMENT = "moment"


@dataclass(frozen=True)
class Column:
    """One column. Its name is the interface's own; several values of a text are joined by ``; ``."""

    name: str
    kind: Kind
    value: Callable[[Tender], Value]
    width: int = 18


SEPARATOR: Final = "; "
LARGEST_COUNT: Final = 2**63 - 1
"""No file format holds more; such a count is nonsense from outside."""


def tender_columns(*, with_tax_ids: bool) -> tuple[Column, ...]:
    """The columns in order. Tax ids of natural persons are masked unless ``with_tax_ids``.

    The last column holds, as JSON, the fields that the workbench does not know, so that nothing of the record is lost.
    """
    tax_id = _as_it_is if with_tax_ids else masked
    others = _as_it_is if with_tax_ids else masked_everywhere
    text, amount, count, flag, moment = Kind.TEXT, Kind.AMOUNT, Kind.COUNT, Kind.FLAG, Kind.MOMENT
    return (
        Column("id", text, lambda t: t.id, 38),
        Column("expedient", text, lambda t: t.expedient),
        Column("name", text, lambda t: t.name, 60),
        Column("description", text, lambda t: t.description, 40),
        Column("status", text, lambda t: t.status, 12),
        Column("sourceStatus", text, lambda t: t.source_status, 12),
        Column("contractType", text, lambda t: t.contract_type),
        Column("procedure", text, lambda t: t.procedure),
        Column("contractingOrganizationId", text, lambda t: t.contracting_organization_id, 38),
        Column(
            "contractingOrganization.name", text, lambda t: t.contracting_organization and t.contracting_organization.name, 40
        ),
        Column(
            "contractingOrganization.taxId",
            text,
            lambda t: t.contracting_organization and tax_id(t.contracting_organization.tax_id or ""),
        ),
        Column("cpvCodes", text, lambda t: SEPARATOR.join(t.cpv_codes), 24),
        Column("location", text, lambda t: t.location, 30),
        Column(
            "locations", text, lambda t: SEPARATOR.join(f"{p.type or '?'}/{p.code or p.name or '?'}" for p in t.locations), 24
        ),
        Column("country", text, lambda t: t.country, 8),
        Column("currency", text, lambda t: t.currency, 8),
        Column("budgetNoTaxes", amount, lambda t: t.budget_no_taxes),
        Column("budgetWithTaxes", amount, lambda t: t.budget_with_taxes),
        Column("contractEstimatedValue", amount, lambda t: t.contract_estimated_value),
        Column("proratedBudget", amount, lambda t: t.prorated_budget),
        Column("awardAmount", amount, lambda t: t.award_amount),
        Column("numLots", count, lambda t: t.num_lots, 8),
        Column("biddersNumber", count, lambda t: t.bidders_number, 8),
        Column("successBidders.name", text, lambda t: SEPARATOR.join(b.name or "?" for b in t.success_bidders), 40),
        Column("successBidders.taxId", text, lambda t: SEPARATOR.join(tax_id(b.tax_id or "?") for b in t.success_bidders)),
        Column("expedientPublishedAt", moment, lambda t: t.expedient_published_at, 21),
        Column("expedientSubmissionDeadline", moment, lambda t: t.expedient_submission_deadline, 21),
        Column("expedientAdjudicationDate", moment, lambda t: t.expedient_adjudication_date, 21),
        Column("expedientFormalizedAt", moment, lambda t: t.expedient_formalized_at, 21),
        Column("expedientExpirationDate", moment, lambda t: t.expedient_expiration_date, 21),
        Column("expedientExtendedExpirationDate", moment, lambda t: t.expedient_extended_expiration_date, 21),
        Column("expedientUpdatedAt", moment, lambda t: t.expedient_updated_at, 21),
        Column("lastSignificantChangeAt", moment, lambda t: t.last_significant_change_at, 21),
        Column("isMinorContract", flag, lambda t: t.is_minor_contract, 8),
        Column("sources", text, lambda t: SEPARATOR.join(s.link_url or s.name or "?" for s in t.sources), 40),
        Column("platformUrl", text, lambda t: t.platform_url, 40),
        Column("createdAt", moment, lambda t: t.created_at, 21),
        Column("updatedAt", moment, lambda t: t.updated_at, 21),
        Column("otherFields", text, lambda t: as_json(others(t.other_fields), indent=None) if t.other_fields else None, 20),
    )


def cells(columns: tuple[Column, ...], tender: Tender) -> list[Value]:
    """The values of one tender: moments in UTC, ``None`` where there is nothing."""
    return [_settled(column.value(tender)) for column in columns]


def _settled(value: Value) -> Value:
    if isinstance(value, datetime):
        return in_utc(value)
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return None
    return None if value == "" else value


def _as_it_is(value: Any) -> Any:
    return value
