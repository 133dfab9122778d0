"""Tenders, organizations and codes as a person reads them in a terminal. Every text goes through :func:`clean`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from rich.table import Table
from rich.text import Text

from workbench.cli.moments import local_day, local_minute, time_left
from workbench.cli.output import clean, clean_block, console, is_terminal, plain, say
from workbench.reference.tax_ids import masked, masked_everywhere

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.contract.cpv import Cpv
    from workbench.contract.organizations import AwardStatistics, Organization
    from workbench.contract.tenders import Tender, TenderSheet
    from workbench.profiles import Profile
    from workbench.reference.cpv import CpvCode

NAME_LENGTH: Final = 200
BLOCK_LENGTH: Final = 4_000
ROOMY: Final = 110
ROWS_AT_ONCE: Final = 100
STATUS_STYLES: Final = {
    "Publicada": "green",
    "Adjudicada": "cyan",
    "Formalizada": "blue",
    "Resuelta": "magenta",
    "Cerrada": "dim",
}


def money(amount: float | None, currency: str | None = None, *, cents: bool = False) -> str:
    """``1,234,567 EUR``; a dash where no amount is stated, which is not zero."""
    if amount is None:
        return "–"
    number = f"{amount:,.2f}" if cents else f"{amount:,.0f}"
    return f"{number} {clean(currency)}" if currency else number


def cut(text: str, length: int) -> str:
    """At most ``length`` characters, with an ellipsis where some are missing."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def size_of(size: int | None) -> str:
    """A file's size as 12 KB; a dash where it is not known."""
    if size is None or size < 0:
        return "–"
    return f"{size:,} B" if size < 1000 else f"{size / 1000:,.0f} KB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def print_tenders(tenders: Iterable[Tender]) -> None:
    """Print a table as wide as the terminal, a hundred rows at a time, so that a long list starts at once."""
    screen, now = console(), datetime.now(UTC)
    roomy = screen.width >= ROOMY
    table, count = _tender_table(roomy=roomy), 0
    for count, tender in enumerate(tenders, start=1):
        table.add_row(*_tender_cells(tender, now, roomy=roomy))
        if count % ROWS_AT_ONCE == 0:
            screen.print(table)
            table = _tender_table(roomy=roomy)
    if table.row_count:
        screen.print(table)
    if not count:
        say("No tender matches.")
    elif is_terminal():
        say(f"{count:,} shown. `workbench tender ID` shows one whole.")


def new_table(*headings: str | tuple[str, dict[str, Any]], title: str | None = None) -> Table:
    """An empty table in the command's style; a heading may carry rich's options of its column."""
    from rich import box

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", header_style="bold", pad_edge=False, expand=False)
    for heading in headings:
        name, options = (heading, {}) if isinstance(heading, str) else heading
        table.add_column(name, **{"overflow": "fold", **options})
    return table


RIGHT: Final[dict[str, Any]] = {"justify": "right", "no_wrap": True}
"""Options of a column of numbers."""

_WHOLE: Final[dict[str, Any]] = {"no_wrap": True}


def _tender_table(*, roomy: bool) -> Table:
    columns: list[tuple[str, dict[str, Any]]] = [
        ("Status", _WHOLE),
        ("Deadline", _WHOLE),
        ("Budget", RIGHT),
        ("Tender", {"ratio": 1, "min_width": 20, "overflow": "fold"}),
    ]
    if roomy:
        columns.insert(0, ("Published", _WHOLE))
    return new_table(*columns)


def _tender_cells(tender: Tender, now: datetime, *, roomy: bool) -> list[Text]:
    deadline = tender.expedient_submission_deadline
    left = time_left(deadline, now)
    buyer = tender.contracting_organization.name if tender.contracting_organization else None
    budget = f"{money(tender.budget_no_taxes)}\n{clean(tender.currency)}" if tender.budget_no_taxes is not None else "–"
    what = Text(cut(clean(tender.name or "(no title)"), NAME_LENGTH), style="bold")
    for line in (buyer, tender.location):
        if line:
            what.append(f"\n{cut(clean(line), NAME_LENGTH)}", style="not bold")
    what.append(f"\n{clean(tender.id or '(no id)')}", style="not bold dim")
    status = clean(tender.status or "–")
    cells = [
        Text(cut(status, 14), style=STATUS_STYLES.get(status, "")),
        Text(f"{local_day(deadline)}\n{left}" if left else local_day(deadline), style="dim" if left in {"past", ""} else ""),
        Text(budget if tender.currency else money(tender.budget_no_taxes)),
        what,
    ]
    return [Text(local_day(tender.expedient_published_at)), *cells] if roomy else cells


def print_tender(tender: Tender, *, with_tax_ids: bool) -> None:
    """Print one tender whole: known fields laid out, unknown ones under "Other fields"."""
    screen = console()
    tax_id = str if with_tax_ids else masked
    screen.print(Text(cut(clean(tender.name or "(no title)"), BLOCK_LENGTH), style="bold"))
    print_fields(screen, _tender_fields(tender, tax_id))
    if tender.description:
        screen.print(Text("\nDescription", style="bold"))
        screen.print(Text(cut(clean_block(tender.description), BLOCK_LENGTH)))
    _print_lots(screen, tender)
    if tender.success_bidders:
        table = new_table("Supplier", "Tax id", "Lot", ("Awarded", RIGHT), title="Awarded to")
        for bidder in tender.success_bidders:
            amount = money(bidder.amount, tender.currency, cents=True)
            table.add_row(*map(cell, (bidder.name, tax_id(bidder.tax_id or "–"), bidder.lot_id, amount)))
        screen.print(table)
    print_other_fields(screen, tender.other_fields if with_tax_ids else masked_everywhere(tender.other_fields))


def _tender_fields(tender: Tender, tax_id: Any) -> list[tuple[str, str | None]]:
    buyer, currency = tender.contracting_organization, tender.currency
    left = time_left(tender.expedient_submission_deadline, datetime.now(UTC))
    deadline = local_minute(tender.expedient_submission_deadline) + (f"  ({left})" if left else "")
    of_source = f" ({tender.source_status})" if tender.source_status else ""
    return [
        ("Id", tender.id),
        ("Reference", tender.expedient),
        ("Status", f"{tender.status or '–'}{of_source}"),
        ("Contract type", tender.contract_type),
        ("Procedure", f"{tender.procedure or '–'}{' (minor contract)' if tender.is_minor_contract else ''}"),
        ("Buyer", buyer.name if buyer else None),
        ("Buyer's tax id", tax_id(buyer.tax_id) if buyer and buyer.tax_id else None),
        ("Buyer's id", tender.contracting_organization_id),
        ("Place", tender.location),
        ("CPV", ", ".join(tender.cpv_codes)),
        ("Budget without taxes", money(tender.budget_no_taxes, currency, cents=True)),
        ("Budget with taxes", money(tender.budget_with_taxes, currency, cents=True)),
        ("Estimated value", money(tender.contract_estimated_value, currency, cents=True)),
        ("Budget a year", money(tender.prorated_budget, currency, cents=True)),
        ("Awarded", money(tender.award_amount, currency, cents=True)),
        ("Bidders", None if tender.bidders_number is None else f"{tender.bidders_number:,}"),
        ("Published", local_minute(tender.expedient_published_at)),
        ("Deadline", deadline),
        ("Award date", local_minute(tender.expedient_adjudication_date)),
        ("Contract signed", local_minute(tender.expedient_formalized_at)),
        ("Contract ends", local_minute(tender.expedient_expiration_date)),
        ("Ends with extensions", local_minute(tender.expedient_extended_expiration_date)),
        ("Source updated", local_minute(tender.expedient_updated_at)),
        ("Last significant change", local_minute(tender.last_significant_change_at)),
        ("Web page", tender.platform_url),
        *(("Source", f"{source.name or ''} {source.link_url or ''}") for source in tender.sources),
    ]


def print_fields(screen: Console, fields: Iterable[tuple[str, str | None]]) -> None:
    """Print names and values in two columns; fields without a value are left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in fields:
        if value and value != "–":
            table.add_row(name, Text(cut(clean(value), BLOCK_LENGTH)))
    screen.print(table)


def print_other_fields(screen: Console, fields: Mapping[str, Any]) -> None:
    """Print what the service sent beyond the known fields, as it came."""
    if fields:
        screen.print(Text("\nOther fields", style="bold"))
        print_fields(screen, [(clean(name), plain(value)) for name, value in fields.items()])


def cell(value: str | None) -> Text:
    """A text from outside as a cell of a table: safe, and a dash where there is none."""
    return Text(cut(clean(value or "–"), BLOCK_LENGTH))


def _print_lots(screen: Console, tender: Tender) -> None:
    if not tender.lots:
        return
    table = new_table("Lot", "Name", ("Budget", RIGHT), ("Awarded", RIGHT), ("Bidders", RIGHT), "Result", title="Lots")
    for lot in tender.lots:
        budget, award = money(lot.budget_no_taxes, cents=True), money(lot.award_amount, cents=True)
        bidders = None if lot.bidders_number is None else str(lot.bidders_number)
        table.add_row(*map(cell, (lot.id, lot.name, budget, award, bidders, lot.result)))
    screen.print(table)


def print_sheets(sheets: Iterable[TenderSheet]) -> None:
    """Print the documents of a tender, with the ids that ``workbench download`` takes."""
    screen = console()
    table = new_table("Document", "Type", "Published", ("Size", RIGHT), "Sheet id", title="Documents")
    for sheet in sheets:
        table.add_row(*map(cell, (sheet.name, sheet.type, local_day(sheet.published_at), size_of(sheet.size), sheet.id)))
    if table.row_count:
        screen.print(table)
    else:
        say("This tender has no documents.")


def print_organization(organization: Organization, *, with_tax_ids: bool) -> None:
    """Print one organization."""
    screen = console()
    screen.print(Text(clean(organization.name or "(no name)"), style="bold"))
    address = organization.address
    parts = (address.street, address.post_code, address.city, address.province) if address else ()
    tax_id = organization.tax_id or ""
    print_fields(
        screen,
        [
            ("Id", organization.id),
            ("Slug", organization.slug),
            ("Type", organization.type),
            ("Tax id", tax_id if with_tax_ids else masked(tax_id)),
            ("Activity", organization.activity),
            ("Country", organization.country),
            ("Address", ", ".join(part for part in parts if part)),
            ("Web", organization.web_url),
        ],
    )
    print_other_fields(screen, organization.other_fields if with_tax_ids else masked_everywhere(organization.other_fields))


def print_awards(statistics: AwardStatistics) -> None:
    """Print an organization's awards by year and by CPV division."""
    screen = console()
    screen.print(
        Text(f"{clean(statistics.organization_name or statistics.organization_id)}  ({clean(statistics.type)})", style="bold")
    )
    years = new_table("Year", ("Awards", RIGHT), ("Total amount", RIGHT))
    for year in statistics.stats:
        years.add_row(*map(cell, (str(year.year), f"{year.count or 0:,}", money(year.total_amount, cents=True))))
    sectors = new_table("Division", "Sector", ("Awards", RIGHT), ("Share", RIGHT))
    for sector in statistics.sectors:
        share = "–" if sector.percentage is None else f"{sector.percentage:.1f} %"
        name = f"{sector.emoji or ''} {sector.division_name_en or sector.division_name_es or '–'}"
        sectors.add_row(*map(cell, (sector.division_code, name, f"{sector.count or 0:,}", share)))
    if not years.row_count:
        say("No awards are known of this organization.")
        return
    screen.print(years)
    screen.print(sectors)


def print_codes(codes: Iterable[CpvCode]) -> None:
    """Print CPV codes that a look-up by words found, best first."""
    table = new_table("Code", "Level", "English", "Spanish")
    for code in codes:
        table.add_row(*map(cell, (code.full, code.type, code.name("en"), code.name("es"))))
    if table.row_count:
        console().print(table)
    else:
        say("No CPV code has these words; try fewer, or the beginning of one.")


def print_profiles(profiles: Iterable[Profile], *, current: str) -> None:
    """Print the services that can be chosen; the current one has a star."""
    table = new_table("", "Profile", "Kind", "Where")
    for profile in profiles:
        where = profile.base_url or str(profile.data or "–")
        table.add_row(*map(cell, ("*" if profile.name == current else " ", profile.name, profile.kind, where)))
    console().print(table)


def print_keys(keys: Iterable[Mapping[str, Any]]) -> None:
    """Print the keys of an embedded service, by their last four characters."""
    table = new_table("Name", "Ends in", "Id", "Tools", "State", "A minute", "Expires", "Last used")
    for key in keys:
        state = "on" if key["isActive"] else "off"
        times = (key["expiresAt"] or "never", key["lastUsedAt"] or "never")
        tools = "yes" if key["isMcpEnabled"] else "no"
        limit = str(key["rateLimit"] or "–")
        table.add_row(*map(cell, (key["name"], key["last4"], key["id"], tools, state, limit, *times)))
    if table.row_count:
        console().print(table)
    else:
        say("There are no keys yet; `workbench local key create --name NAME` makes one.")


def print_cpv(code: Cpv) -> None:
    """Print one CPV code with its names."""
    screen = console()
    names = {"English": code.name_en, "Spanish": code.name_es, "Catalan": code.name_ca, "French": code.name_fr}
    names |= {"German": code.name_de, "Italian": code.name_it, "Portuguese": code.name_pt}
    screen.print(Text(f"{clean(code.emoji or '')} {clean(code.code)}  ({clean(code.type)})".strip(), style="bold"))
    print_fields(screen, names.items())
    print_other_fields(screen, code.other_fields)


def print_counts(headings: tuple[str, ...], rows: Iterable[tuple[str, list[int]]], total: list[int] | None) -> None:
    """Print a table of counts with a name in front, and their sums below where ``total`` is given."""
    table = new_table(headings[0], *((heading, RIGHT) for heading in headings[1:]))
    for name, counts in rows:
        table.add_row(cell(name), *(Text(f"{count:,}") for count in counts))
    if total is not None:
        table.add_section()
        table.add_row(Text("Total", style="bold"), *(Text(f"{count:,}", style="bold") for count in total))
    console().print(table)
