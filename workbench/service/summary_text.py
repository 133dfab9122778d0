"""The summary that is written from what is known, without asking anybody: facts in, Markdown out, nothing invented.

Everything that a source wrote is outside text and goes through :func:`~workbench.service.markdown_text.inline`.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from workbench.contract.record import JsonObject
from workbench.reference import cpv
from workbench.service.markdown_text import inline, plain, shortened, table
from workbench.service.summary_facts import OpenTask, PastAward, SummaryFacts

WRITER: Final = "what is known"
"""The name under which attempts of this writer are noted."""

_SPAIN: Final = ZoneInfo("Europe/Madrid")
_OBJECT_MAX: Final = 1_500
_NAME_MAX: Final = 160
_ROWS_MAX: Final = 25
_AWARDS_SHOWN: Final = 10
_SUPPLIERS_SHOWN: Final = 3
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`\\|]+")


def compose(facts: SummaryFacts) -> str:
    """The summary in Markdown: object, buyer, money, dates, lots, documents, past awards, open tasks, and what is unknown."""
    view = _View(facts)
    parts = [
        view.opening(),
        view.object(),
        view.money(),
        view.dates(),
        view.lots(),
        view.documents(),
        view.past_awards(),
        view.tasks(),
        view.unknown(),
        view.closing(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


class _View:
    """One summary being written."""

    def __init__(self, facts: SummaryFacts) -> None:
        self.facts = facts
        self.tender: JsonObject = facts.tender or {}
        self.zone = _SPAIN if self.tender.get("country") in (None, "ES") else UTC
        self.zone_name = "Madrid time" if self.zone is _SPAIN else "UTC"
        self.missing: list[str] = [] if facts.tender else ["The tender itself: it is not among the data of this service."]

    def opening(self) -> str:
        tender = self.tender
        name = inline(shortened(tender.get("name") or self.facts.opportunity, 300)) or "Opportunity without a name"
        organization: JsonObject = tender.get("contractingOrganization") or {}
        buyer: str | None = organization.get("name")
        said: list[str] = []
        if buyer:
            said.append(f"**{inline(buyer)}** is the buyer.")
        if tender.get("expedient"):
            said.append(f"File {inline(str(tender['expedient']))}.")
        kinds = [inline(str(tender[key])) for key in ("contractType", "procedure") if tender.get(key)]
        if kinds:
            said.append(f"{', '.join(kinds)}.")
        if tender.get("status"):
            said.append(f"Its status is *{inline(tender['status'])}*.")
        said.append(f"On the board {inline(self.facts.pipeline)} it stands in {inline(self.facts.stage)}.")
        self._want(buyer, "Who buys: the notice names no buyer.")
        return f"# {name}\n\n{' '.join(said)}"

    def object(self) -> str:
        tender = self.tender
        described = shortened(tender.get("description") or "", _OBJECT_MAX)
        name = plain(tender.get("name") or "")
        lines = [inline(described)] if described and described != name else []
        stated: list[str] = tender.get("cpvCodes") or []
        codes = [f"{code} {_cpv_name(code)}".strip() for code in stated]
        if codes:
            lines.append(_listed("CPV", codes))
        if tender.get("location"):
            lines.append(f"**Place:** {inline(tender['location'])}")
        self._want(codes, "What exactly is bought: the notice has no CPV code.")
        self._want(tender.get("location"), "Where the work is done.")
        return "\n\n".join(["## Object", *lines]) if lines else ""

    def money(self) -> str:
        tender = self.tender
        labels = (
            ("Budget without taxes", "budgetNoTaxes"),
            ("Budget with taxes", "budgetWithTaxes"),
            ("Estimated value, with extensions and options", "contractEstimatedValue"),
            ("Budget for one year", "proratedBudget"),
            ("Awarded", "awardAmount"),
        )
        currency = tender.get("currency")
        rows = [[label, _money(tender[key], currency)] for label, key in labels if tender.get(key) is not None]
        if self.facts.amount is not None and self.facts.amount != tender.get("budgetNoTaxes"):
            rows.append(["Amount on our board", _money(self.facts.amount, self.facts.currency)])
        self._want(tender.get("budgetNoTaxes") is not None, "The budget without taxes.")
        bidders: list[JsonObject] = tender.get("successBidders") or []
        winners = [one for one in bidders if one.get("name")]
        rows += [["Winner", inline(one["name"])] for one in winners[:_SUPPLIERS_SHOWN]]
        if len(winners) > _SUPPLIERS_SHOWN:
            rows.append(["", f"and {len(winners) - _SUPPLIERS_SHOWN} more"])
        if tender.get("biddersNumber") is not None:
            rows.append(["Offers received", f"{tender['biddersNumber']:,}"])
        return f"## Money\n\n{table(['Amount', 'Value'], rows, right=frozenset({1}))}" if rows else ""

    def dates(self) -> str:
        labels = (
            ("Published", "expedientPublishedAt"),
            ("Offers until", "expedientSubmissionDeadline"),
            ("Awarded", "expedientAdjudicationDate"),
            ("Contract signed", "expedientFormalizedAt"),
            ("Contract ends", "expedientExpirationDate"),
            ("Contract ends, extended", "expedientExtendedExpirationDate"),
        )
        deadline = _moment(self.tender.get("expedientSubmissionDeadline"))
        moments = [(label, _moment(self.tender.get(key))) for label, key in labels]
        if self.facts.due_at and self.facts.due_at != deadline:
            moments.append(("Due on our board", self.facts.due_at))
        rows = [[label, self._when(moment, deadline), self._left(moment)] for label, moment in moments if moment]
        self._want(deadline, "Until when offers are taken: the notice states no deadline.")
        if not rows:
            return ""
        return f"## Dates\n\n{table(['Date', self.zone_name, 'From when this was written'], rows)}"

    def lots(self) -> str:
        lots: list[JsonObject] = self.tender.get("lots") or []
        if not lots:
            return ""
        currency = self.tender.get("currency")
        rows = [
            [
                inline(str(lot.get("id") or number)),
                inline(shortened(lot.get("name") or "", _NAME_MAX)) or "unnamed",
                _money(lot.get("budgetNoTaxes"), currency),
                _money(lot.get("awardAmount"), currency) if lot.get("awardAmount") is not None else "",
            ]
            for number, lot in enumerate(lots[:_ROWS_MAX], start=1)
        ]
        shown = table(["Lot", "Name", "Budget", "Awarded"], rows, right=frozenset({2, 3}))
        more = f"\n\nand {len(lots) - _ROWS_MAX:,} lots more." if len(lots) > _ROWS_MAX else ""
        return f"## Lots: {len(lots):,}\n\n{shown}{more}"

    def documents(self) -> str:
        documents = self.facts.documents
        self._want(documents or not self.facts.tender, "What the specifications say: no document is listed.")
        if not documents:
            return ""
        rows = [
            [
                inline(shortened(one.name, _NAME_MAX)) or "unnamed",
                inline(one.type or ""),
                inline(one.language or ""),
                f"{one.published_at.astimezone(self.zone):%d %b %Y}" if one.published_at else "",
            ]
            for one in documents[:_ROWS_MAX]
        ]
        more = f"\n\nand {len(documents) - _ROWS_MAX:,} documents more." if len(documents) > _ROWS_MAX else ""
        self.missing.append("What the documents say: this summary lists them and has not read them.")
        return f"## Documents: {len(documents):,}\n\n{table(['Name', 'Kind', 'Language', 'Date'], rows)}{more}"

    def past_awards(self) -> str:
        facts = self.facts
        division = facts.division
        if facts.tender and not facts.past_awards:
            self.missing.append("How this buyer awards: no earlier award of its in this CPV division is among the data.")
        if not facts.past_awards or division is None:
            return ""
        heading = f"## What this buyer awarded before in CPV {division} {_cpv_name(f'{division}000000')}".rstrip()
        rows = [
            [
                f"{one.awarded_at.astimezone(self.zone):%d %b %Y}" if one.awarded_at else str(one.year or ""),
                inline(shortened(one.tender, _NAME_MAX)),
                inline(shortened(one.supplier, 80)),
                _money(one.amount, one.currency),
                _share(one.discount),
                "" if one.offers is None else f"{one.offers:,}",
            ]
            for one in facts.past_awards[:_AWARDS_SHOWN]
        ]
        heads = ["Awarded", "Tender", "Supplier", "Amount", "Discount", "Offers"]
        shown = table(heads, rows, right=frozenset({3, 4, 5}))
        return f"{heading}\n\n{_tendencies(facts.past_awards, facts.past_award_count)}\n\n{shown}"

    def tasks(self) -> str:
        if not self.facts.tasks:
            return ""
        lines = "\n".join(self._task(one) for one in self.facts.tasks[:_ROWS_MAX])
        return f"## Open tasks: {len(self.facts.tasks):,}\n\n{lines}"

    def unknown(self) -> str:
        if not self.missing:
            return ""
        return "## Not known\n\n" + "\n".join(f"- {line}" for line in self.missing)

    def closing(self) -> str:
        written = f"Written on {self._when(self.facts.now)} ({self.zone_name}) from the data of this service alone."
        source = str(self.tender.get("platformUrl") or "")
        link = f" The notice: <{source}>" if _ADDRESS.fullmatch(source) else ""
        return f"---\n\n*{written}*{link}"

    def _task(self, one: OpenTask) -> str:
        due = (
            f", until {self._when(one.deadline_at, one.deadline_at)} ({self._left(one.deadline_at)})" if one.deadline_at else ""
        )
        return f"- {inline(shortened(one.title, _NAME_MAX))} ({inline(one.priority)} priority, {inline(one.status)}{due})"

    def _want(self, value: object, sentence: str) -> None:
        if self.facts.tender and not value:
            self.missing.append(sentence)

    def _when(self, moment: datetime, deadline: datetime | None = None) -> str:
        local = moment.astimezone(self.zone)
        # Sources state mere dates as midnight; of a deadline the hour is said in any case.
        is_date = (local.hour, local.minute) == (0, 0) and moment != deadline
        return f"{local:%d %b %Y}" if is_date else f"{local:%d %b %Y, %H:%M}"

    def _left(self, moment: datetime) -> str:
        gap = moment - self.facts.now
        if timedelta(0) <= gap < timedelta(days=2):
            return f"in {_counted(max(1, int(gap.total_seconds() // 3600)), 'hour')}"
        days = (moment.astimezone(self.zone).date() - self.facts.now.astimezone(self.zone).date()).days
        if days == 0:
            return "the same day"
        return f"in {_counted(days, 'day')}" if days > 0 else f"{_counted(-days, 'day')} before"


def _tendencies(awards: Sequence[PastAward], count: int) -> str:
    """What the awards have in common, in a list: how many, how much, how cheap, against how many, and to whom."""
    of_all = f"of {count:,}, the newest" if count > len(awards) else "in all"
    lines = [f"- **{_counted(len(awards), 'award')}** ({of_all})."]
    for currency, amounts in _by_currency(awards):
        middle = _money(statistics.median(amounts), currency)
        lines.append(f"- Together {_money(sum(amounts), currency)}; the middle one {middle}.")
    discounts = [one.discount for one in awards if one.discount is not None]
    if discounts:
        lines.append(
            f"- Discount on the budget: {_share(statistics.median(discounts))} in the middle "
            f"({_share(min(discounts))} to {_share(max(discounts))}; known of {len(discounts):,})."
        )
    offers = [one.offers for one in awards if one.offers is not None]
    if offers:
        lines.append(f"- Offers: {statistics.median(offers):g} in the middle ({min(offers):,} to {max(offers):,}).")
    winners = Counter(one.supplier for one in awards).most_common(_SUPPLIERS_SHOWN)
    named = "; ".join(f"{inline(shortened(name, 80))} ({_counted(times, 'award')})" for name, times in winners)
    lines.append(f"- Most often to: {named}.")
    return "\n".join(lines)


def _by_currency(awards: Sequence[PastAward]) -> Iterator[tuple[str | None, list[float]]]:
    for currency in dict.fromkeys(one.currency for one in awards):
        amounts = [one.amount for one in awards if one.currency == currency and one.amount is not None]
        if amounts:
            yield currency, amounts


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _listed(label: str, items: Sequence[str]) -> str:
    shown = "; ".join(inline(item) for item in items[:_ROWS_MAX])
    more = f"; and {len(items) - _ROWS_MAX:,} more" if len(items) > _ROWS_MAX else ""
    return f"**{label}:** {shown}{more}"


def _cpv_name(code: str) -> str:
    known = cpv.get(code)
    return (known.names.get("en") or "") if known else ""


def _money(amount: Any, currency: str | None) -> str:
    if amount is None:
        return "not stated"
    return f"{amount:,.2f} {inline(currency or '')}".rstrip()


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
