"""From a notice to what is stored of it: the wire record, the columns to filter and sort by, awards and documents.

The wire record is built here once and kept as text. Five of its fields depend on more than one notice (status,
publication, last significant change, and the two local clocks); they are left ``null`` here and filled by :func:`filled`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic_core import from_json, to_json

from workbench.feeds.notice import Award, Document, Location, Lot, Notice
from workbench.reference import cpv, provinces
from workbench.reference.tax_ids import masked
from workbench.reference.text import words
from workbench.service.store.facets import STATUS_NUMBERS, facets_of
from workbench.service.store.history import CLOSED, Version
from workbench.service.store.identity import Identity, document_id, slug, tender_id
from workbench.service.store.moments import micros, wire_moment
from workbench.service.store.parties import Known, sighting

_SPAIN: Final = ZoneInfo("Europe/Madrid")
_DAYS_OF_A_YEAR: Final = 365
EURO: Final = "EUR"

LATE_FIELDS: Final = ("status", "expedientPublishedAt", "lastSignificantChangeAt", "createdAt", "updatedAt")
"""Fields of the record that :func:`filled` fills."""


def dumps(value: object) -> str:
    """JSON as the store writes it: compact, and letters as they are. pydantic writes it in a third of the time of ``json``."""
    return to_json(value).decode()


@dataclass(slots=True)
class Prepared:
    """One version of a tender, ready to be stored; ``columns`` are :data:`NOTICE_COLUMNS` in their order."""

    tender_id: str
    source: str
    source_id: str
    version: Version
    published_stated: int | None
    columns: tuple[object, ...]
    title: str
    description: str
    facets: str
    record: str
    awards: list[tuple[object, ...]]
    documents: list[tuple[object, ...]]
    parties: list[Known]


NOTICE_COLUMNS: Final = (
    "updated",
    "deadline",
    "awarded",
    "expires",
    "budget",
    "prorated_budget",
    "buyer_id",
    "division",
    "published_stated",
)


def prepare(notice: Notice) -> Prepared:
    """All that is stored of ``notice``, decided from it alone: no database is asked, so nothing depends on what came before."""
    at = micros(notice.version_at)
    identifier = tender_id(notice.source, notice.source_id)
    buyer = sighting(notice.buyer, at, is_buyer=True)
    suppliers = [sighting(award.supplier, at, is_buyer=False) for award in notice.awards]
    cpvs = _codes(notice)
    places = _places(notice)
    status = STATUS_NUMBERS.get(notice.status, CLOSED)
    title = " ".join(words(notice.name or ""))
    record = _record(notice, identifier, title, cpvs, places, buyer and buyer[0], [one and one[0] for one in suppliers])
    published = _stated_publication(notice)
    awards = _award_rows(notice, identifier, cpvs, [one and one[0].id for one in suppliers])
    documents = _document_rows(notice.documents, identifier)
    text = dumps(record)
    deadline = _moment(notice.deadline_at)
    significant = (status, deadline, record["budgetNoTaxes"], notice.cancelled, awards, [row[0] for row in documents])
    columns = (
        at,
        deadline,
        _moment(notice.awarded_at),
        _moment(notice.expires_at),
        record["budgetNoTaxes"],
        record["proratedBudget"],
        buyer and buyer[0].id,
        _division(cpvs),
        published,
    )
    return Prepared(
        tender_id=identifier,
        source=notice.source,
        source_id=notice.source_id,
        version=Version(
            at,
            notice.origin.file_time or "",
            notice.rank,
            _digest((published, notice.cancelled, awards, documents, status), text),
            status,
            int(notice.cancelled),
            _digest(significant),
        ),
        published_stated=published,
        columns=columns,
        title=title,
        description=_searchable(notice),
        facets=facets_of(
            status,
            cpvs,
            places,
            (notice.contract_type, notice.contract_type_code),
            (notice.procedure, notice.procedure_code),
        ),
        record=text,
        awards=awards,
        documents=documents,
        parties=[one[1] for one in (buyer, *suppliers) if one is not None],
    )


def _searchable(notice: Notice) -> str:
    # What people type besides words of the name: the file number, the buyer, a lot. The mark between the parts can be typed by
    # nobody, since words are folded to letters and digits, so that no phrase reaches from one part into the next.
    parts = (notice.description, notice.expedient, notice.buyer and notice.buyer.name, *(lot.name for lot in notice.lots))
    return " \N{BROKEN BAR} ".join(" ".join(words(part)) for part in parts if part)


def filled(record: str, late: Mapping[str, str]) -> str:
    """The record's text with the fields of :data:`LATE_FIELDS` that ``late`` names.

    A name in quotes can only be a key: inside a text its quotes are escaped, and no object in a tender has such a key. The
    values are statuses and moments, which have nothing to escape.
    """
    for name, value in late.items():
        record = record.replace(f'"{name}":null', f'"{name}":"{value}"', 1)
    return record


def refilled(record: str, late: Mapping[str, str]) -> str:
    """A stored record's text with other values for some of its late fields."""
    return dumps({**from_json(record), **late})


def _record(
    notice: Notice,
    identifier: str,
    title: str,
    cpvs: Sequence[str],
    places: Sequence[Location],
    buyer: Identity | None,
    suppliers: Sequence[Identity | None],
) -> dict[str, Any]:
    currency = notice.currency or next((award.currency for award in notice.awards if award.currency), None)
    budget = _amount(notice.budget_no_taxes)
    link = _link(notice.link_url)
    winners = [(award, who) for award, who in zip(notice.awards, suppliers, strict=True) if who is not None]
    party = notice.buyer
    return {
        "id": identifier,
        "slug": slug(title, identifier),
        "expedient": notice.expedient,
        "name": notice.name,
        "description": notice.description,
        "status": None,
        "sourceStatus": notice.source_status,
        "contractType": notice.contract_type,
        "procedure": notice.procedure,
        "cpvCodes": cpvs,
        "location": "; ".join(dict.fromkeys(filter(None, map(_place_text, places)))) or None,
        "locations": _wire_places(places),
        "country": next((place.country for place in places if place.country), party.country if party else None),
        "currency": currency,
        "budgetNoTaxes": budget,
        "budgetWithTaxes": _amount(notice.budget_with_taxes),
        "contractEstimatedValue": _amount(notice.estimated_value),
        "proratedBudget": _prorated(budget, notice.duration_days),
        "awardAmount": _total(award for award, _ in winners if award.currency in (None, currency)),
        "numLots": len(notice.lots),
        "lots": [_wire_lot(lot, notice.awards) for lot in notice.lots],
        "contractingOrganizationId": buyer and buyer.id,
        "contractingOrganization": buyer
        and {"id": buyer.id, "name": party and party.name, "taxId": buyer.tax_id and masked(buyer.tax_id)},
        "successBidders": [
            {
                "id": who.id,
                "name": award.supplier and award.supplier.name,
                "taxId": who.tax_id and masked(who.tax_id),
                "amount": _amount(award.amount_no_taxes),
                "lotId": award.lot_id,
            }
            for award, who in winners
        ],
        "biddersNumber": max((award.offers for award in notice.awards if award.offers is not None), default=None),
        "expedientPublishedAt": None,
        "expedientSubmissionDeadline": _shown(notice.deadline_at),
        "expedientAdjudicationDate": _shown(notice.awarded_at),
        "expedientFormalizedAt": _shown(notice.formalized_at),
        "expedientExpirationDate": _shown(notice.expires_at),
        "expedientExtendedExpirationDate": _shown(notice.extended_expires_at),
        "expedientUpdatedAt": wire_moment(notice.version_at),
        "lastSignificantChangeAt": None,
        "isMinorContract": notice.is_minor_contract,
        "sources": [{"name": notice.source, "linkUrl": link}],
        "platformUrl": link,
        "createdAt": None,
        "updatedAt": None,
    }


def _stated_publication(notice: Notice) -> int | None:
    """Publication in whole seconds where the source states it; an estimate is only when this version appeared."""
    if notice.published_at is None or notice.published_estimated:
        return None
    return micros(notice.published_at) // 1_000_000 * 1_000_000


def _wire_lot(lot: Lot, awards: Sequence[Award]) -> dict[str, Any]:
    results = [award for award in awards if award.lot_id == lot.id]
    return {
        "id": lot.id,
        "name": lot.name,
        "description": lot.description,
        "cpvCodes": [_full_code(code) for code in lot.cpvs],
        "budgetNoTaxes": _amount(lot.budget_no_taxes),
        "awardAmount": _total(award for award in results if award.currency in (None, lot.currency)),
        "biddersNumber": max((award.offers for award in results if award.offers is not None), default=None),
        "result": next((award.result for award in results if award.result), None),
    }


def _award_rows(
    notice: Notice, identifier: str, cpvs: Sequence[str], suppliers: Sequence[str | None]
) -> list[tuple[object, ...]]:
    lots = {lot.id: lot for lot in notice.lots}
    rows: list[tuple[object, ...]] = []
    for position, (award, supplier) in enumerate(zip(notice.awards, suppliers, strict=True)):
        when = award.awarded_at or award.contract_at or notice.awarded_at or notice.formalized_at
        when = when or notice.published_at or notice.version_at
        lot = lots.get(award.lot_id or "")
        rows.append(
            (
                identifier,
                position,
                award.lot_id,
                supplier,
                award.result_code,
                award.result,
                _amount(award.amount_no_taxes),
                _amount(award.amount_with_taxes),
                award.currency or notice.currency,
                award.offers,
                _amount(award.lowest_offer),
                _amount(award.highest_offer),
                _moment(award.awarded_at),
                _moment(award.contract_at),
                _moment(award.contract_start),
                when.astimezone(_SPAIN).year,
                _division([_full_code(code) for code in lot.cpvs] if lot and lot.cpvs else cpvs),
            )
        )
    return rows


def _document_rows(documents: Sequence[Document], identifier: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    seen: dict[str, int] = {}
    for position, document in enumerate(documents):
        # Addresses carry a token of the platform that changes, so they tell documents apart only where nothing else does.
        mark = document.digest or document.source_id or (None if document.name else document.uri) or ""
        key = f"{document.type or ''}\n{document.name}\n{mark}"
        seen[key] = seen.get(key, 0) + 1
        rows.append(
            (
                document_id(identifier, key if seen[key] == 1 else f"{key}\n{seen[key]}"),
                identifier,
                position,
                document.name,
                document.type,
                document.mime_type,
                _link(document.uri),
                document.digest,
                _moment(document.published_at),
                document.language,
            )
        )
    return rows


def _codes(notice: Notice) -> list[str]:
    codes = [*notice.cpvs, *(code for lot in notice.lots for code in lot.cpvs)]
    return list(dict.fromkeys(_full_code(code) for code in codes))


@lru_cache(maxsize=16_384)
def _full_code(code: str) -> str:
    # A code that is not in CPV 2008, or that carries a wrong check digit, is shown as the source wrote it.
    known = cpv.get(code)
    return known.full if known else code


def _division(cpvs: Sequence[str]) -> str | None:
    return next((code[:2] for code in cpvs if code[:2].isdigit()), None)


def _places(notice: Notice) -> list[Location]:
    if not notice.lots:
        return list(notice.locations)
    places = [*notice.locations, *(place for lot in notice.lots for place in lot.locations)]
    unique = {(place.country, place.province, place.town, place.label): place for place in places}
    return list(unique.values())


def _wire_places(places: Sequence[Location]) -> list[dict[str, str | None]]:
    found: dict[tuple[str, str | None, str | None], None] = {}
    for place in places:
        if place.country:
            found["country", place.country, None] = None
        if place.province:
            found["province", place.province, _province_name(place.province)] = None
        if place.town:
            found["town", None, place.town] = None
    return [{"type": kind, "code": code, "name": name} for kind, code, name in found]


def _place_text(place: Location) -> str | None:
    province = _province_name(place.province) if place.province else None
    parts = list(dict.fromkeys(part for part in (place.town, province) if part))
    return ", ".join(parts) or place.label or place.country


@lru_cache(maxsize=128)
def _province_name(ine: str) -> str | None:
    province = provinces.by_ine(ine)
    return province.name if province else None


def _prorated(budget: float | None, duration_days: int | None) -> float | None:
    if budget is None:
        return None
    return round(budget / max((duration_days or 0) / _DAYS_OF_A_YEAR, 1.0), 2)


def _total(awards: Any) -> float | None:
    amounts = [award.amount_no_taxes for award in awards if award.amount_no_taxes is not None]
    return round(math.fsum(amounts), 2) if amounts else None


def _amount(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _moment(moment: datetime | None) -> int | None:
    return None if moment is None else micros(moment)


def _shown(moment: datetime | None) -> str | None:
    return None if moment is None else wire_moment(moment)


def _link(address: str | None) -> str | None:
    # Only what a browser may open: a feed could name a file or a script.
    return address if address and address.startswith(("https://", "http://")) else None


def _digest(value: object, text: str = "") -> bytes:
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=16)
    digest.update(repr(value).encode("utf-8", "replace"))
    return digest.digest()
