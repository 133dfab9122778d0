"""The columns of the results table: one table that header, cells, sort and widths read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from workbench.contract.vocabulary import TenderSort
from workbench.tui.amounts import money
from workbench.tui.moments import day, days_left, near_day
from workbench.tui.text import plain

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender

Tone = str
"""Name of a component class of the table without its prefix: ``open``, ``dim``, ``urgent`` …"""

STATUS_TONES: Final[dict[str, Tone]] = {
    "Publicada": "published",
    "Adjudicada": "awarded",
    "Resuelta": "resolved",
    "Formalizada": "formalized",
    "Cerrada": "closed",
}
URGENT: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``width`` cells at least, a share ``flex`` of what is left over, dropped in the order of ``rank``.

    ``cell`` gives safe text and the tone it is shown in.
    """

    id: str
    title: str
    width: int
    cell: Callable[[Tender, datetime], tuple[str, Tone]]
    flex: int = 0
    rank: int = 0
    right: bool = False
    sort: TenderSort | None = None


def _status(tender: Tender, _: datetime) -> tuple[str, Tone]:
    status = plain(tender.status, 40)
    return (f"● {status}", STATUS_TONES.get(status, "dim")) if status else ("", "dim")


def _title(tender: Tender, _: datetime) -> tuple[str, Tone]:
    title = plain(tender.name, 400)
    return (title, "title") if title else ("(no title)", "dim")


def _buyer(tender: Tender, _: datetime) -> tuple[str, Tone]:
    buyer = tender.contracting_organization
    return plain(buyer.name if buyer else None, 400), "soft"


def _budget(tender: Tender, _: datetime) -> tuple[str, Tone]:
    return plain(money(tender.budget_no_taxes, tender.currency), 40), "number"


def _deadline(tender: Tender, now: datetime) -> tuple[str, Tone]:
    moment = tender.expedient_submission_deadline
    left = days_left(moment, now)
    if moment is None or not left:
        return near_day(moment, now), "dim"
    return f"{near_day(moment, now):<6} {left:>4}", "urgent" if moment - now < URGENT else "number"


def _published(tender: Tender, now: datetime) -> tuple[str, Tone]:
    return day(tender.expedient_published_at, now), "soft"


def _place(tender: Tender, _: datetime) -> tuple[str, Tone]:
    return plain(tender.location or tender.country, 200), "soft"


def _cpv(tender: Tender, _: datetime) -> tuple[str, Tone]:
    codes = tender.cpv_codes
    more = f" +{len(codes) - 1}" if len(codes) > 1 else ""
    return (plain(codes[0], 40)[:8] + more if codes else ""), "soft"


COLUMNS: Final[tuple[Column, ...]] = (
    Column("status", "Status", 13, _status, rank=2),
    Column("title", "Title", 24, _title, flex=5, rank=0),
    Column("buyer", "Buyer", 18, _buyer, flex=3, rank=4),
    Column("budget", "Budget", 13, _budget, rank=1, right=True, sort=TenderSort.BUDGET),
    Column("deadline", "Deadline", 11, _deadline, rank=3, sort=TenderSort.DUE),
    Column("published", "Published", 10, _published, rank=5, sort=TenderSort.PUBLISHED),
    Column("place", "Place", 12, _place, flex=1, rank=6),
    Column("cpv", "CPV", 11, _cpv, rank=7),
)


def layout(columns: Sequence[Column], width: int, gap: int = 2) -> list[tuple[Column, int]]:
    """The columns that fit into so many cells, each with its width; the highest ranks are left out first.

    The column of rank 0 always stays, however narrow.
    """
    kept = sorted(columns, key=lambda column: column.rank)
    while len(kept) > 1 and sum(column.width for column in kept) + gap * (len(kept) - 1) > width:
        kept.pop()
    spare = max(width - sum(column.width for column in kept) - gap * (len(kept) - 1), 0)
    shares = sum(column.flex for column in kept) or 1
    widths = {column.id: column.width + spare * column.flex // shares for column in kept}
    left_over = width - sum(widths.values()) - gap * (len(kept) - 1)
    widths[kept[0].id] = max(widths[kept[0].id] + left_over, 1)
    return [(column, widths[column.id]) for column in columns if column.id in widths]
