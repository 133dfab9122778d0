"""Buyers and suppliers, and what they awarded or won (interface 2 and 4.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, and_, case, func, select

from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import OrganizationType
from workbench.reference import cpv
from workbench.reference.tax_ids import masked
from workbench.service.store.database import Database
from workbench.service.store.identity import SLUG_TAIL
from workbench.service.store.records import EURO
from workbench.service.store.tenders_tables import award, organization, tender

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Organizations:
    """The organizations of one database. Every method may be called from any thread."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, id_or_slug: str) -> JsonObject | None:
        """The organization of an id or slug, or ``None``. A slug of an earlier name leads to the same organization.

        One that ever bought is a ``public-contracting-institution``, any other a ``bidder``. The tax number of a natural
        person is masked. ``logo`` is always ``None``: open data has none.
        """
        with self._db.reader() as connection:
            row = _find(connection, id_or_slug)
        if row is None:
            return None
        address = {"city": row.city, "province": row.province, "postCode": row.post_code, "street": row.street}
        return {
            "id": row.id,
            "slug": row.slug,
            "name": row.name,
            "type": _type(row),
            "taxId": row.tax_id and masked(row.tax_id),
            "activity": row.activity,
            "country": row.country,
            "address": address if any(address.values()) else None,
            "webUrl": row.web_url,
            "logo": None,
        }

    def awards(self, id_or_slug: str) -> JsonObject | None:
        """Award statistics of an organization, or ``None`` where there is none of this id or slug.

        For a bidder they count what it won, for an institution what it awarded: each result with a winner is one. A year is
        that of the award in Spanish time (where the source has no award date: of the contract, then of the publication).
        ``totalAmount`` adds up amounts without taxes in euros; currencies are never added to each other, so an award in
        another currency, or without an amount, is counted but not added. Each award counts in one sector, the division of
        the first CPV code of its lot, else of its tender; ``percentage`` is of all awards that have one.
        """
        with self._db.reader() as connection:
            row = _find(connection, id_or_slug)
            if row is None:
                return None
            if row.is_buyer:
                chosen = award.c.tender_id.in_(select(tender.c.id).where(tender.c.buyer_id == row.id))
            else:
                chosen = award.c.supplier_id == row.id
            won = and_(chosen, award.c.supplier_id.is_not(None))
            years = connection.execute(_by_year(won)).all()
            divisions = connection.execute(_by_division(won)).all()
        return {
            "organizationId": row.id,
            "organizationName": row.name,
            "type": _type(row),
            "stats": [{"year": year, "count": count, "totalAmount": round(total, 2)} for year, count, total in years],
            "sectors": _sectors(divisions),
        }


def _type(row: Row[Any]) -> str:
    return (OrganizationType.BUYER if row.is_buyer else OrganizationType.BIDDER).value


def _find(connection: Connection, id_or_slug: str) -> Row[Any] | None:
    columns = organization.c
    if _UUID.fullmatch(id_or_slug):
        return connection.execute(select(organization).where(columns.id == id_or_slug.lower())).first()
    row = connection.execute(select(organization).where(columns.slug == id_or_slug)).first()
    tail = SLUG_TAIL.search(id_or_slug)
    if row is not None or tail is None:
        return row
    start = f"{tail[1][:8]}-{tail[1][8:]}"
    return connection.execute(select(organization).where(columns.id.between(f"{start}-", f"{start}."))).first()


def _by_year(won: Any) -> Select[int, int, float]:
    euros = case((award.c.currency == EURO, award.c.amount_no_taxes))
    return (
        select(award.c.year, func.count(), func.coalesce(func.sum(euros), 0.0))
        .where(won)
        .group_by(award.c.year)
        .order_by(award.c.year)
    )


def _by_division(won: Any) -> Select[str, int]:
    count = func.count().label("awards")
    return (
        select(award.c.division, count)
        .where(won, award.c.division.is_not(None))
        .group_by(award.c.division)
        .order_by(count.desc(), award.c.division)
    )


def _sectors(divisions: Sequence[Row[str, int]]) -> list[JsonObject]:
    total = sum(count for _, count in divisions)
    sectors: list[JsonObject] = []
    for digits, count in divisions:
        known = cpv.get(f"{digits}000000")
        sectors.append(
            {
                "divisionCode": digits,
                "divisionNameEn": known.names["en"] if known else None,
                "divisionNameEs": known.names["es"] if known else None,
                "emoji": known.emoji if known else None,
                "count": count,
                "percentage": round(100 * count / total, 2),
            }
        )
    return sectors
