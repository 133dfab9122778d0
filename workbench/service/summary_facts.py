"""What is known of an opportunity and its tender when a summary is written: read once, handed to whichever writer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Row, func, select

from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import TaskStatus
from workbench.service.scope import OwnedRows
from workbench.service.store.moments import moment_of
from workbench.service.store.tenders_tables import award, document, organization, tender
from workbench.service.store.workspace_tables import opportunity, pipeline, stage, task

PAST_AWARDS_MAX: Final = 500
"""How many of a buyer's awards are read, newest first."""


@dataclass(frozen=True, slots=True)
class PastAward:
    """One award of the same buyer in the same CPV division. ``discount`` is a share of the budget, ``None`` if unknown."""

    awarded_at: datetime | None
    year: int | None
    tender: str
    supplier: str
    amount: float | None
    currency: str | None
    discount: float | None
    offers: int | None


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document of the tender; ``size`` is in bytes."""

    name: str
    type: str | None
    language: str | None
    size: int | None
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task of the opportunity that is not done."""

    title: str
    status: str
    priority: str
    deadline_at: datetime | None


@dataclass(frozen=True, slots=True)
class SummaryFacts:
    """All that a summary can be written from, at one moment. ``tender`` is the wire record, ``None`` where it is not here."""

    now: datetime
    opportunity: str
    pipeline: str
    stage: str
    amount: float | None = None
    currency: str | None = None
    due_at: datetime | None = None
    tender: JsonObject | None = None
    division: str | None = None
    documents: Sequence[KnownDocument] = ()
    past_awards: Sequence[PastAward] = ()
    past_award_count: int = 0
    tasks: Sequence[OpenTask] = field(default=())


def gather(rows: OwnedRows, opportunity_id: str, now: datetime) -> SummaryFacts | None:
    """The facts of an opportunity of the account, or ``None`` where it has none of this id."""
    columns = (opportunity, pipeline.c.name.label("pipeline_name"), stage.c.name.label("stage_name"))
    found = rows.first(
        select(*columns)
        .join(pipeline, pipeline.c.id == opportunity.c.pipeline_id)
        .join(stage, stage.c.id == opportunity.c.stage_id)
        .where(opportunity.c.id == opportunity_id)
    )
    if found is None:
        return None
    pursued = rows.first(
        select(tender.c.id, tender.c.record, tender.c.buyer_id, tender.c.division).where(tender.c.id == found.tender_id)
    )
    awards, count = _past_awards(rows, pursued.id, pursued.buyer_id, pursued.division) if pursued else ([], 0)
    return SummaryFacts(
        now=now,
        opportunity=found.name,
        pipeline=found.pipeline_name,
        stage=found.stage_name,
        amount=found.amount,
        currency=found.currency,
        due_at=_seconds(found.due_at),
        tender=json.loads(pursued.record) if pursued else None,
        division=pursued.division if pursued else None,
        documents=_documents(rows, pursued.id) if pursued else [],
        past_awards=awards,
        past_award_count=count,
        tasks=_tasks(rows, opportunity_id),
    )


def _documents(rows: OwnedRows, tender_id: str) -> list[KnownDocument]:
    columns = document.c
    wanted = select(columns.name, columns.type, columns.language, columns.size, columns.published_at)
    return [
        KnownDocument(row.name, row.type, row.language, row.size, _micros(row.published_at))
        for row in rows.all(wanted.where(columns.tender_id == tender_id).order_by(columns.position))
    ]


def _tasks(rows: OwnedRows, opportunity_id: str) -> list[OpenTask]:
    still_open = (task.c.opportunity_id == opportunity_id) & (task.c.status != TaskStatus.DONE.value)
    wanted = select(task).where(still_open).order_by(task.c.deadline_at.is_(None), task.c.deadline_at, task.c.created_at)
    return [OpenTask(row.title, row.status, row.priority, _seconds(row.deadline_at)) for row in rows.all(wanted)]


def _past_awards(rows: OwnedRows, tender_id: str, buyer_id: str | None, division: str | None) -> tuple[list[PastAward], int]:
    """What this tender's buyer awarded in this tender's division before, newest first, and how many there are."""
    if buyer_id is None or division is None:
        return [], 0
    moment = func.coalesce(award.c.awarded_at, award.c.contract_at)
    origin = award.join(tender, tender.c.id == award.c.tender_id).join(organization, organization.c.id == award.c.supplier_id)
    same = (tender.c.buyer_id == buyer_id) & (award.c.division == division) & (award.c.tender_id != tender_id)
    counted = rows.first(select(func.count()).select_from(origin).where(same))
    found = rows.all(
        select(award, organization.c.name.label("supplier"), tender.c.record, moment.label("moment"))
        .select_from(origin)
        .where(same)
        .order_by(moment.desc().nulls_last(), award.c.tender_id, award.c.position)
        .limit(PAST_AWARDS_MAX)
    )
    return [_past_award(row) for row in found], counted[0] if counted else 0


def _past_award(row: Row[Any]) -> PastAward:
    record: JsonObject = json.loads(row.record)
    return PastAward(
        awarded_at=_micros(row.moment),
        year=row.year,
        tender=record.get("name") or record.get("expedient") or "",
        supplier=row.supplier,
        amount=row.amount_no_taxes,
        currency=row.currency,
        discount=discount(record, row.lot_id, row.amount_no_taxes, row.currency),
        offers=row.offers,
    )


def discount(record: Mapping[str, Any], lot_id: str | None, amount: float | None, currency: str | None) -> float | None:
    """By which share an award was below its own budget; ``None`` where that cannot be told.

    An award of a lot is held against the lot's budget. One without a lot is held against the tender's, but only where it is
    the tender's only award: several share a budget that nobody divided. Budgets in another currency say nothing.
    """
    lots: list[Mapping[str, Any]] = record.get("lots") or []
    if lot_id is not None and lots:
        budget = next((lot.get("budgetNoTaxes") for lot in lots if lot.get("id") == lot_id), None)
    else:
        budget = record.get("budgetNoTaxes") if len(record.get("successBidders") or []) == 1 else None
    comparable = currency is None or record.get("currency") in (None, currency)
    if not budget or budget <= 0 or amount is None or amount < 0 or not comparable:
        return None
    return (budget - amount) / budget


def _micros(value: int | None) -> datetime | None:
    return None if value is None else moment_of(value)


def _seconds(value: int | None) -> datetime | None:
    return None if value is None else datetime.fromtimestamp(value, UTC)
