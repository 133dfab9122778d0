"""A tender as sections to read: which facts stand where, in which words. Pure; widgets only lay it out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content
from textual.style import Style

from workbench.reference.tax_ids import masked
from workbench.tui.amounts import money
from workbench.tui.columns import STATUS_TONES, URGENT
from workbench.tui.moments import countdown, moment_text
from workbench.tui.text import block, plain, shown_link

if TYPE_CHECKING:
    from workbench.contract.tenders import BuyerReference, Lot, SupplierAward, Tender

LIST_LIMIT: Final = 200
"""Most lots, awards or other fields that are laid out; the raw view has all."""

_JSON_NAME: Final = re.compile(r'^ *"(?:[^"\\\n]|\\.)*"(?=: )', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: a label and what is known. A label that is ``Content`` keeps its own style."""

    label: str | Content
    value: Content


@dataclass(frozen=True, slots=True)
class Section:
    """A heading over facts, or over running text."""

    id: str
    title: str
    facts: tuple[Fact, ...] = ()
    text: Content | None = None


def status_badge(tender: Tender) -> Content:
    """The status as a coloured word, with the source's own code where it differs."""
    status = plain(tender.status, 60) or "status not stated"
    badge = Content.styled(f" {status} ", f"bold $background on $status-{STATUS_TONES.get(status, 'closed')}")
    source = plain(tender.source_status, 60)
    return Content.assemble(badge, (f"  source: {source}", "$soft")) if source and source != status else badge


def headline(tender: Tender, now: datetime) -> Content:
    """Status, file number and countdown in one line."""
    parts = [status_badge(tender)]
    if tender.expedient:
        parts.append(Content.styled(f"  {plain(tender.expedient, 80)}", "$soft"))
    deadline = tender.expedient_submission_deadline
    if deadline is not None and tender.status in (None, "Publicada"):
        left = deadline - now
        tone = "$faint" if left.total_seconds() < 0 else "bold $warning" if left < URGENT else "bold $success"
        parts.append(Content.styled(f"  {countdown(deadline, now)}", tone))
    return Content.assemble(*parts)


def title(tender: Tender) -> Content:
    """The tender's name in bold."""
    name = plain(tender.name)
    return Content.styled(name, "bold $foreground") if name else Content.styled("(no title)", "italic $faint")


def sections(tender: Tender, now: datetime, cpv_names: Mapping[str, str] | None = None) -> tuple[Section, ...]:
    """Everything known of a tender, in reading order; what is not stated is left out, and nothing that came is."""
    found = (
        Section("money", "Money", tuple(_money(tender))),
        Section("dates", "Dates", tuple(_dates(tender, now))),
        Section("buyer", "Buyer", tuple(_buyer(tender))),
        Section("what", "What and where", tuple(_what(tender, cpv_names or {}))),
        Section("description", "Description", text=Content(block(tender.description)) if tender.description else None),
        Section("awards", _count("Awards", tender.success_bidders), tuple(_awards(tender))),
        Section("lots", _count("Lots", tender.lots), tuple(_lots(tender))),
        Section("sources", "Sources", tuple(_sources(tender))),
        Section("record", "Record", tuple(_record(tender, now))),
        Section("other", "Other fields", tuple(_others(tender))),
    )
    return tuple(section for section in found if section.facts or section.text)


def _count(title: str, items: tuple[object, ...]) -> str:
    return f"{title} ({len(items)})" if len(items) > 1 else title


def _facts(pairs: Iterable[tuple[str, str | Content]]) -> Iterable[Fact]:
    for label, value in pairs:
        if value:
            yield Fact(label, value if isinstance(value, Content) else Content(value))


def _money(tender: Tender) -> Iterable[Fact]:
    currency = plain(tender.currency, 8) or None

    def amount(value: float | None) -> str:
        return money(value, currency, exact=True)

    award = amount(tender.award_amount)
    budget = tender.budget_no_taxes
    if award and tender.award_amount is not None and budget and not tender.lots:
        change = (tender.award_amount - budget) / budget * 100
        award += f"   {change:+.1f} % against the budget"
    return _facts((
        ("Budget", Content.styled(amount(budget), "bold") if amount(budget) else ""),
        ("With taxes", amount(tender.budget_with_taxes)),
        ("Estimated", amount(tender.contract_estimated_value)),
        ("A year", amount(tender.prorated_budget)),
        ("Award", award),
        ("Bidders", "" if tender.bidders_number is None else f"{tender.bidders_number:,}"),
    ))  # fmt: skip


def _dates(tender: Tender, now: datetime) -> Iterable[Fact]:
    deadline = tender.expedient_submission_deadline
    left = f"   {countdown(deadline, now)}" if deadline else ""
    return _facts((
        ("Published", moment_text(tender.expedient_published_at, now)),
        ("Deadline", f"{moment_text(deadline, now)}{left}" if deadline else ""),
        ("Awarded", moment_text(tender.expedient_adjudication_date, now)),
        ("Formalized", moment_text(tender.expedient_formalized_at, now)),
        ("Contract end", moment_text(tender.expedient_expiration_date, now)),
        ("Extended end", moment_text(tender.expedient_extended_expiration_date, now)),
        ("Source update", moment_text(tender.expedient_updated_at, now)),
        ("Big change", moment_text(tender.last_significant_change_at, now)),
    ))  # fmt: skip


def _buyer(tender: Tender) -> Iterable[Fact]:
    buyer: BuyerReference | None = tender.contracting_organization
    reference = (buyer.id if buyer else None) or tender.contracting_organization_id
    name = plain(buyer.name if buyer else None, 400) or ("open the buyer's page" if reference else "")
    link = Style.from_meta({"@click": "app.perform('tender.buyer')"})
    linked = Content.styled(name, "underline $primary").stylize(link) if name and reference else Content(name)
    return _facts((("Name", linked), ("Tax id", tax_id(buyer.tax_id if buyer else None)), ("Id", plain(reference, 100))))


def tax_id(value: object) -> str:
    """A tax id to show; that of a natural person is masked but for four digits."""
    return masked(plain(value, 60))


def _what(tender: Tender, names: Mapping[str, str]) -> Iterable[Fact]:
    codes = [
        Content.assemble((plain(code, 40), "bold"), f"  {plain(names.get(code, ''), 200)}")
        for code in tender.cpv_codes[:LIST_LIMIT]
    ]
    return _facts((
        *(("CPV" if at == 0 else "", code) for at, code in enumerate(codes)),
        ("Type", plain(tender.contract_type, 200)),
        ("Procedure", plain(tender.procedure, 200)),
        ("Minor contract", "" if tender.is_minor_contract is None else "yes" if tender.is_minor_contract else "no"),
        ("Place", _places(tender)),
        ("Country", plain(tender.country, 60)),
        ("File number", plain(tender.expedient, 200)),
    ))  # fmt: skip


def _places(tender: Tender) -> str:
    """The towns and provinces by name; else the source's own words."""
    named = [plain(place.name, 200) for place in tender.locations[:LIST_LIMIT] if place.type != "country"]
    own = plain(tender.location)
    parts = [name for name in dict.fromkeys(named) if name and name not in own]
    return "; ".join([own, *parts] if own else parts)


def _awards(tender: Tender) -> Iterable[Fact]:
    currency = plain(tender.currency, 8) or None

    def line(award: SupplierAward) -> Content:
        identity = tax_id(award.tax_id)
        return Content.assemble(
            (plain(award.name, 400) or "supplier not named", "bold"),
            f"  {identity}" if identity else "",
            (f"  {money(award.amount, currency, exact=True)}", "$success") if award.amount is not None else "",
        )

    for award in tender.success_bidders[:LIST_LIMIT]:
        yield Fact(f"Lot {plain(award.lot_id, 12)}" if award.lot_id else "Winner", line(award))
    yield from _left_out(tender.success_bidders)


def _lots(tender: Tender) -> Iterable[Fact]:
    currency = plain(tender.currency, 8) or None

    def line(lot: Lot) -> Content:
        award, bidders = money(lot.award_amount, currency), lot.bidders_number
        facts = (
            money(lot.budget_no_taxes, currency),
            plain(lot.result, 80),
            f"award {award}" if award else "",
            f"{bidders:,} bidders" if bidders is not None else "",
        )
        text = plain(lot.name or lot.description, 600) or "(no title)"
        return Content.assemble(text, (f"  {' · '.join(fact for fact in facts if fact)}", "$soft"))

    if tender.num_lots and not tender.lots:
        yield Fact("Lots", Content(f"{tender.num_lots:,}"))
    for lot in tender.lots[:LIST_LIMIT]:
        yield Fact(plain(lot.id, 12) or "–", line(lot))
    yield from _left_out(tender.lots)


def _left_out(items: tuple[object, ...]) -> Iterable[Fact]:
    if len(items) > LIST_LIMIT:
        yield Fact("…", Content(f"{len(items) - LIST_LIMIT:,} more in the raw view (v)"))


def _sources(tender: Tender) -> Iterable[Fact]:
    for source in tender.sources[:LIST_LIMIT]:
        yield from _facts(((plain(source.name, 18) or "Source", plain(source.link_url) or "no address stated"),))
    yield from _facts((("Platform", plain(tender.platform_url)),))


def _record(tender: Tender, now: datetime) -> Iterable[Fact]:
    return _facts((
        ("Id", plain(tender.id, 200)),
        ("Slug", plain(tender.slug, 300)),
        ("Made", moment_text(tender.created_at, now)),
        ("Updated", moment_text(tender.updated_at, now)),
    ))  # fmt: skip


def _others(tender: Tender) -> Iterable[Fact]:
    unreadable = set(tender.unreadable_fields)
    fields = tender.other_fields
    for name, value in list(fields.items())[:LIST_LIMIT]:
        note = ("  (of an unexpected form)", "$warning") if name in unreadable else ""
        yield Fact(plain(name, 40), Content.assemble(as_words(value), note))
    yield from _left_out(tuple(fields))


def as_words(value: Any) -> str:
    """Any JSON value in one safe line."""
    if isinstance(value, str):
        return plain(value) or '""'
    return plain(json.dumps(value, ensure_ascii=False, default=str))


def raw_json(record: Mapping[str, Any]) -> Content:
    """The JSON object as it came, indented, its names in colour, safe to show, cut where it is very long."""
    text = Content(block(json.dumps(record, ensure_ascii=False, indent=2, default=str)))
    return text.highlight_regex(_JSON_NAME, style="$primary")


def tender_link(tender: Tender) -> str | None:
    """The first address of the tender that a browser may be sent to."""
    candidates = (tender.platform_url, *(source.link_url for source in tender.sources))
    return next((link for link in map(shown_link, candidates) if link), None)


def buyer_reference(tender: Tender) -> str | None:
    """The id of the buying organization, where it is stated."""
    buyer = tender.contracting_organization
    return tender.contracting_organization_id or (buyer.id if buyer else None)
