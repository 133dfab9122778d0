"""The search screen: type words, see tenders; filters, sort, preview."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from workbench.contract.vocabulary import TenderSort
from workbench.tui.actions import bindings
from workbench.tui.amounts import file_size
from workbench.tui.query import SORTS, Query
from workbench.tui.record import buyer_reference, headline, sections, tender_link, title
from workbench.tui.results import Ask, Results
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.screens.words import message_words, opening_words, status_words, tail_words
from workbench.tui.situations import Situation
from workbench.tui.text import plain
from workbench.tui.trouble import Trouble
from workbench.tui.widgets.bars import ChipBar, KeyBar, StatusLine, TopBar
from workbench.tui.widgets.record import RecordBody
from workbench.tui.widgets.table import ResultsTable

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender
    from workbench.tui.widgets.filters import FilterPanel

DEBOUNCE: Final = 0.15
"""Seconds without a key before a search is sent."""


class SearchScreen(WorkbenchScreen):
    """One search at a time. An answer is shown only if it is the one being waited for; old rows stay until then."""

    PLACES = ("search", "table")
    BINDINGS: ClassVar = [*bindings("search"), Binding("down", "focus_results", show=False)]
    AUTO_FOCUS = "#query"

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self._clock = clock
        self.results = Results()
        self._query = Query()
        self._preview_wanted = True
        self._names: dict[str, str] = {}
        self._panel: FilterPanel | None = None

    def compose(self) -> ComposeResult:
        """Header, query line, chips, results beside the preview, keys."""
        yield TopBar(id="top")
        yield Input(placeholder='Search tenders: obras carretera, "data center", software -hardware', id="query")
        yield ChipBar(id="chips")
        with Horizontal(id="panes"):
            with Vertical(id="list"):
                yield StatusLine(id="status")
                yield ResultsTable(self._clock, id="results")
                yield Static(id="message")
            with VerticalScroll(id="preview", can_focus=False):
                yield RecordBody(id="record")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Show what can be shown before anything is open."""
        self._show_state()
        self.set_interval(20, self._tick)

    def _tick(self) -> None:
        self.query_one(ResultsTable).tick()
        self.query_one(TopBar).now = self._clock()

    def on_screen_resume(self) -> None:
        """Other screens may have moved on in the list."""
        self.refresh_keys()

    # What the app tells

    def workspace_opened(self) -> None:
        """A workspace is open: forget the last one's rows and search."""
        self.results = Results()
        self.query_one(ResultsTable).show([])
        self.ask(self._query)

    def show_trouble(self, trouble: Trouble | None) -> None:
        """The workspace could not be opened, or is being opened again (``None``)."""
        self.results.trouble = trouble
        self._show_state()

    def show_progress(self, words: str) -> None:
        """How far opening the workspace is."""
        if self.workbench.session.caller is None:
            self.query_one("#message", Static).update(opening_words(words))

    # Asking

    @property
    def query_now(self) -> Query:
        """The search as it stands in the fields."""
        return self._query

    def ask(self, query: Query, delay: float = 0.0) -> None:
        """Search for this, after a pause in which another ask may replace it."""
        if query.text == self._query.text and query.sort is TenderSort.RELEVANCE and not query.text.strip():
            query = replace(query, sort=TenderSort.PUBLISHED, descending=True)
        self._query = query
        self.query_one(ChipBar).chips = query.chips()
        self.query_one(ResultsTable).order = (query.sort.value, query.descending)
        if self._panel is not None:
            self._panel.show(query)
        self._search(query, delay)

    @work(exclusive=True, group="search", exit_on_error=False)
    async def _search(self, query: Query, delay: float) -> None:
        if delay:
            await asyncio.sleep(delay)
        if self.workbench.session.caller is None:
            return
        await self._fetch(self.results.begin(query))

    @work(group="more", exit_on_error=False)
    async def _fetch_more(self, ask: Ask) -> None:
        await self._fetch(ask)

    async def _fetch(self, ask: Ask) -> None:
        keep = self._kept_row(ask)
        self._show_state()
        try:
            answer = await self.workbench.session.search(ask, self._clock())
        except Trouble as trouble:
            if self.results.fail(ask, trouble):
                self._show_state()
            return
        if self.results.accept(ask, answer, self._clock()):
            self._show_rows(keep if ask.page == 1 else None, ask.page == 1)

    def _kept_row(self, ask: Ask) -> str | None:
        """The tender to stand on again when the same search is asked once more."""
        shown = self.query_one(ResultsTable).highlighted
        return shown.id if shown is not None and ask.query == self.results.shown else None

    def _show_rows(self, keep: str | None, first_page: bool) -> None:
        rows = self.results.rows
        cursor = next((at for at, row in enumerate(rows) if keep and row.id == keep), 0) if first_page else None
        self.query_one(ResultsTable).show(rows, cursor)
        self._show_state()

    def _show_state(self) -> None:
        now, results = self._clock(), self.results
        opening = self.workbench.session.caller is None
        self.query_one(StatusLine).words = status_words(results, now, opening)
        table, message = self.query_one(ResultsTable), self.query_one("#message", Static)
        table.tail = tail_words(results)
        words = message_words(results, self._query, opening)
        message.update(words or Content(""))
        message.display, table.display = words is not None, words is None
        if not table.display and table.has_focus:
            self.query_one("#query", Input).focus()
        self.workbench.show_standing(results)
        self.refresh_keys()

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self._query.text:
            self.ask(replace(self._query, text=event.value), DEBOUNCE)

    @on(Input.Submitted, "#query")
    def _entered(self) -> None:
        if self.results.trouble is not None:
            self.action_refresh_results()
        elif self._query != self.results.asked or self.results.shown is None:
            self.ask(self._query)
        self.action_focus_results()

    def action_focus_results(self) -> None:
        """Put the keys into the list, if there is one."""
        table = self.query_one(ResultsTable)
        self.set_focus(table if table.display else None)

    # What widgets tell

    @on(ChipBar.Dropped)
    def _chip_dropped(self, event: ChipBar.Dropped) -> None:
        self.ask(self._query.without(event.key))

    @on(ChipBar.Wanted)
    async def _filters_wanted(self) -> None:
        await self.action_toggle_filters()

    @on(ResultsTable.Highlighted)
    def _highlighted(self, event: ResultsTable.Highlighted) -> None:
        self._show_preview(event.tender)
        self.refresh_keys()

    @on(ResultsTable.Selected)
    def _selected(self, event: ResultsTable.Selected) -> None:
        self.workbench.open_tender(event.tender, self.results.rows, event.index)

    @on(ResultsTable.SortWanted)
    def _sort_wanted(self, event: ResultsTable.SortWanted) -> None:
        sort = event.column.sort
        if sort is None:
            self.workbench.tell(f"The service cannot sort by {event.column.title.lower()}: s lists what it can sort by.")
        elif sort == self._query.sort:
            self.action_reverse()
        else:
            self.ask(replace(self._query, sort=sort, descending=sort is not TenderSort.DUE))

    @on(ResultsTable.NearEnd)
    def _near_end(self) -> None:
        self.action_load_more()

    def _show_preview(self, tender: Tender | None) -> None:
        pane = self.query_one("#preview", VerticalScroll)
        pane.set_class(tender is None or not self._preview_wanted, "-hidden")
        if tender is None or not pane.display:
            return
        body = self.query_one("#record", RecordBody)
        now = self._clock()
        body.lead = (title(tender), headline(tender, now))
        body.sections = sections(tender, now, self._names)
        pane.scroll_home(animate=False)
        if any(code not in self._names for code in tender.cpv_codes):
            self._name_codes(tender)

    @work(exclusive=True, group="names", exit_on_error=False)
    async def _name_codes(self, tender: Tender) -> None:
        await asyncio.sleep(0.05)
        names = await self.workbench.cpv_names(tender.cpv_codes, "en")
        self._names |= dict.fromkeys(tender.cpv_codes, "") | names
        if self.query_one(ResultsTable).highlighted is tender:
            self.query_one("#record", RecordBody).sections = sections(tender, self._clock(), self._names)

    # Actions

    def situation(self) -> Situation:
        """What is under the cursor and how the search stands."""
        tender, results, caller = self.current_tender, self.results, self.workbench.session.caller
        return Situation(
            connected=caller is not None,
            embedded=caller is not None and caller.embedded,
            sample=caller is not None and caller.sample,
            tender=tender is not None,
            buyer=tender is not None and buyer_reference(tender) is not None,
            link=tender is not None and tender_link(tender) is not None,
            filters=bool(self._query.chips()),
            loading=results.loading,
            results=bool(results.rows),
            has_more=results.has_more,
            downloading=self.workbench.downloading,
        )

    @property
    def current_tender(self) -> Tender | None:
        """The tender under the cursor."""
        return self.query_one(ResultsTable).highlighted

    def action_focus_query(self) -> None:
        """Go to the query line with its text selected."""
        field = self.query_one("#query", Input)
        field.focus()
        field.action_select_all()

    def action_step_back(self) -> None:
        """Leave a field for the results; give up a search that is under way."""
        panel = self._panel
        if self.results.loading:
            self.workers.cancel_group(self, "search")
            self.results.give_up()
            self._show_state()
        elif panel is not None and panel.display and panel.has_focus_within:
            self._show_panel(panel, shown=False)
        else:
            self.action_focus_results()

    async def action_toggle_filters(self) -> None:
        """Show the filter panel, made at the first call, or hide it."""
        panel = await self._filter_panel()
        self._show_panel(panel, not panel.display)

    def _show_panel(self, panel: FilterPanel, shown: bool) -> None:
        panel.display = shown
        self.set_class(shown, "-filtering")
        if shown:
            panel.focus_first()
        else:
            self.action_focus_results()

    async def _filter_panel(self) -> FilterPanel:
        if self._panel is None:
            from workbench.tui.widgets.filters import FilterPanel

            self._panel = FilterPanel(self._clock, self._query, id="filters")
            self._panel.display = False
            await self.query_one("#panes").mount(self._panel, before=0)
        return self._panel

    def on_filter_panel_changed(self, event: FilterPanel.Changed) -> None:
        """Search with the panel's filters and what the rest of the screen holds."""
        query = replace(event.query, text=self._query.text, sort=self._query.sort, descending=self._query.descending)
        self.ask(query, DEBOUNCE)

    def action_toggle_open(self) -> None:
        """Only tenders that still take bids, or all."""
        self.ask(replace(self._query, only_open=not self._query.only_open))

    def action_drop_filter(self) -> None:
        """Take the last filter away."""
        self.ask(self._query.without(self._query.chips()[-1].key))

    def action_clear_filters(self) -> None:
        """Take every filter away."""
        self.ask(self._query.cleared())

    def action_reverse(self) -> None:
        """Turn the order round."""
        self.ask(replace(self._query, descending=not self._query.descending))

    @work(exit_on_error=False)
    async def action_choose_sort(self) -> None:
        """Choose what to sort by from a list."""
        from workbench.tui.dialogs.menu import Item, Menu

        remarks = {TenderSort.RELEVANCE: "needs words in the query line"}
        items = [Item(sort.value, words, remarks.get(sort, "")) for sort, words in SORTS.items()]
        chosen = await self.app.push_screen_wait(Menu("Sort by", items, self._query.sort.value))
        if chosen == TenderSort.RELEVANCE and not self._query.text.strip():
            self.workbench.tell("Sorting by relevance needs words: type some into the query line first.")
        elif chosen:
            sort = TenderSort(chosen)
            self.ask(replace(self._query, sort=sort, descending=sort is not TenderSort.DUE))

    def action_toggle_preview(self) -> None:
        """Show or hide the preview; in a narrow terminal it takes the list's place below."""
        self._preview_wanted = not self._preview_wanted
        self.set_class(self._preview_wanted, "-preview")
        self._show_preview(self.current_tender)

    def action_refresh_results(self) -> None:
        """Ask again; where the workspace could not be opened, open it again."""
        if self.workbench.session.caller is None:
            self.workbench.open_workspace(self.workbench.session.start)
            return
        ask = self.results.retry()
        if ask is not None:
            self._fetch_more(ask)
        else:
            self.ask(self._query)

    def action_load_more(self) -> None:
        """Load the next page, if there is one and none is being loaded."""
        ask = self.results.more()
        if ask is not None:
            self._fetch_more(ask)

    def action_preview_down(self) -> None:
        """Scroll the preview down."""
        self.query_one("#preview").scroll_relative(y=6, animate=False)

    def action_preview_up(self) -> None:
        """Scroll the preview up."""
        self.query_one("#preview").scroll_relative(y=-6, animate=False)

    def stand_on(self, index: int | None) -> None:
        """Put the cursor on the tender that was read last."""
        table = self.query_one(ResultsTable)
        if index is not None and index < table.row_count:
            table.cursor = index
        table.focus()

    @work(exclusive=True, group="documents", exit_on_error=False)
    async def action_download(self) -> None:
        """Choose a document of the tender under the cursor and download it."""
        from workbench.tui.dialogs.menu import Item, Menu

        tender = self.current_tender
        if tender is None or not tender.id:
            return
        try:
            sheets = await self.workbench.session.sheets(tender.id)
        except Trouble as trouble:
            self.workbench.tell(f"{trouble.sentence} {trouble.remedy}", "error")
            return
        if not sheets:
            self.workbench.tell("No document is attached to this tender. o opens its page.")
            return
        items = [Item(str(at), plain(sheet.name, 200) or "(no name)", file_size(sheet.size)) for at, sheet in enumerate(sheets)]
        chosen = await self.app.push_screen_wait(Menu("Download", items)) if len(sheets) > 1 else "0"
        if chosen is not None:
            self.workbench.download(sheets[int(chosen)])
