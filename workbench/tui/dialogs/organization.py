"""An organization: its record and its awards by year and sector, over the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.tui.amounts import money
from workbench.tui.record import LIST_LIMIT, Fact, Section, as_words, tax_id
from workbench.tui.session import Session
from workbench.tui.text import content, plain
from workbench.tui.trouble import Trouble
from workbench.tui.widgets.record import RecordBody

if TYPE_CHECKING:
    from workbench.contract.organizations import AwardStatistics, Organization

_BAR = 24


def organization_sections(organization: Organization, awards: AwardStatistics | None) -> tuple[Section, ...]:
    """What is known of an organization, and its awards where they are known."""
    stated = {
        "Type": plain(organization.type, 80),
        "Tax id": tax_id(organization.tax_id),
        "Activity": plain(organization.activity),
        "Country": plain(organization.country, 60),
        "Address": _address(organization),
        "Web": plain(organization.web_url),
        "Id": plain(organization.id, 200),
        "Slug": plain(organization.slug, 200),
    }
    facts = [Fact(label, Content(value)) for label, value in stated.items() if value]
    sections = [Section("record", "Organization", tuple(facts))]
    if awards is not None:
        sections += [
            Section("years", "Awards by year", tuple(_years(awards))),
            Section("sectors", "Sectors", tuple(_sectors(awards))),
        ]
    others = [
        Fact(plain(name, 40), Content(as_words(value))) for name, value in list(organization.other_fields.items())[:LIST_LIMIT]
    ]
    sections.append(Section("other", "Other fields", tuple(others)))
    return tuple(section for section in sections if section.facts)


def _address(organization: Organization) -> str:
    address = organization.address
    parts = (address.street, address.post_code, address.city, address.province) if address else ()
    return ", ".join(text for text in map(plain, parts) if text)


def _bar(share: float, colour: str) -> Content:
    filled = round(min(max(share, 0.0), 1.0) * _BAR)
    return Content.assemble(("█" * filled, colour), ("░" * (_BAR - filled), "$rule"))


def _years(awards: AwardStatistics) -> Iterator[Fact]:
    most = max((year.total_amount or 0 for year in awards.stats), default=0)
    for year in sorted(awards.stats, key=lambda each: each.year or 0, reverse=True)[:LIST_LIMIT]:
        bar = _bar((year.total_amount or 0) / most if most > 0 else 0, "$primary")
        count = "" if year.count is None else f"  {year.count:,} award{'' if year.count == 1 else 's'}"
        label = "" if year.year is None else str(year.year)
        yield Fact(label, Content.assemble(bar, f" {money(year.total_amount)}", (count, "$soft")))


def _sectors(awards: AwardStatistics) -> Iterator[Fact]:
    for sector in awards.sectors[:LIST_LIMIT]:
        share = sector.percentage or 0.0
        name = plain(sector.division_name_en or sector.division_name_es, 200)
        words = f" {share:5.1f} %  {plain(sector.emoji, 4)} {name}"
        yield Fact(plain(sector.division_code, 10), Content.assemble(_bar(share / 100, "$secondary"), words))


class OrganizationDialog(ModalScreen[None]):
    """Asks the session for one organization and shows what comes; Escape closes it."""

    BINDINGS: ClassVar = [
        Binding("escape,q,b", "leave", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("r", "reload", show=False),
    ]

    def __init__(self, session: Session, reference: str, name: str) -> None:
        super().__init__()
        self._session, self._reference, self._heading = session, reference, name

    def compose(self) -> ComposeResult:
        """A box for the record."""
        with Vertical(classes="box wide"):
            with VerticalScroll(can_focus=False):
                yield RecordBody()
            yield Static(Content.styled("j k scroll   r again   esc close", "$faint"), classes="hint")

    def on_mount(self) -> None:
        """Ask at once."""
        self.query_one(".box").border_title = content(self._heading or "Organization", limit=80)
        self.action_reload()

    def action_reload(self) -> None:
        """Ask (again)."""
        self.query_one(RecordBody).lead = (Content.styled("Looking it up…", "$soft"),)
        self.run_worker(self._load(), group="organization", exclusive=True, exit_on_error=False)

    async def _load(self) -> None:
        body = self.query_one(RecordBody)
        try:
            organization = await self._session.organization(self._reference)
        except Trouble as trouble:
            body.lead = (content(trouble.sentence, "$error"), content(trouble.remedy, "$soft"))
            return
        try:
            awards, lead = await self._session.awards(self._reference), ()
        except Trouble as trouble:
            awards, lead = None, (content(f"The awards could not be had: {trouble.sentence}", "$warning"),)
        self.query_one(".box").border_title = content(organization.name or self._heading or "Organization", limit=80)
        body.lead = lead
        body.sections = organization_sections(organization, awards)

    def action_scroll(self, lines: int) -> None:
        """Scroll by so many lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
