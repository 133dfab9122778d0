"""The tender screen: everything known about one tender, laid out for reading, with its documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.tui.actions import bindings
from workbench.tui.record import buyer_reference, headline, raw_json, sections, tender_link, title
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.situations import Situation
from workbench.tui.text import content
from workbench.tui.trouble import Trouble
from workbench.tui.vocabulary import CPV_LANGUAGES
from workbench.tui.widgets.bars import KeyBar, TopBar
from workbench.tui.widgets.documents import DocumentList
from workbench.tui.widgets.record import RecordBody

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender, TenderSheet
    from workbench.tui.downloads import DownloadMoved


class TenderScreen(WorkbenchScreen):
    """Shows at once what the list knew, then the full record and the documents as they come."""

    PLACES = ("tender",)
    BINDINGS: ClassVar = bindings("tender")
    AUTO_FOCUS = "#documents"

    def __init__(
        self, clock: Callable[[], datetime], tender: Tender, neighbours: Sequence[Tender] = (), index: int = 0
    ) -> None:
        """``neighbours`` are the rows of the list it was opened from, ``index`` its place among them."""
        super().__init__()
        self._clock = clock
        self._tender = tender
        self._neighbours, self._index = neighbours, index
        self._sheets: tuple[TenderSheet, ...] | None = None
        self._raw = False
        self._language = CPV_LANGUAGES[0]
        self._names: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Header, title, the record beside the documents, keys."""
        yield TopBar(id="top")
        with Vertical(id="head"):
            yield Static(id="title")
            yield Static(id="headline")
            yield Static(id="trouble")
        with Horizontal(id="panes"):
            with VerticalScroll(id="scroll", can_focus=False):
                yield RecordBody(id="record")
                yield Static(id="raw")
            with Vertical(id="side"):
                yield Static(id="documents-title")
                yield DocumentList(id="documents")
                yield Static(id="documents-note")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Show what is known and ask for the rest."""
        self.query_one("#trouble").display = False
        self.query_one("#raw").display = False
        self._show_tender()
        self.action_reload()
        self.set_interval(20, self._tick)

    def _tick(self) -> None:
        self.query_one("#headline", Static).update(headline(self._tender, self._clock()))
        self.query_one(TopBar).now = self._clock()

    @property
    def current_tender(self) -> Tender:
        """The tender on the screen."""
        return self._tender

    def _show_tender(self) -> None:
        now, tender = self._clock(), self._tender
        self.workbench.show_standing()
        self.query_one("#title", Static).update(title(tender))
        self.query_one("#headline", Static).update(headline(tender, now))
        self.query_one("#record", RecordBody).sections = sections(tender, now, self._names)
        if self._raw:
            self.query_one("#raw", Static).update(raw_json(tender.to_wire()))
        self._show_documents()
        self._name_codes(tender, self._language)

    def _show_documents(self) -> None:
        documents, note = self.query_one(DocumentList), self.query_one("#documents-note", Static)
        sheets = self._sheets
        count = "" if not sheets else f" ({len(sheets)})"
        self.query_one("#documents-title", Static).update(Content.styled(f"Documents{count}", "bold $primary"))
        documents.display = bool(sheets)
        note.display = not sheets
        if sheets is None:
            note.update(Content.styled("Looking for documents…", "$soft"))
        elif not sheets:
            note.update(Content.styled("No document is attached. o opens the tender's page.", "$soft"))
        else:
            documents.show(sheets, self.workbench.downloads.states, self._clock())
            documents.focus()
        self.refresh_keys()

    @work(exclusive=True, group="tender", exit_on_error=False)
    async def action_reload(self) -> None:
        """Ask for the full record and the documents."""
        asked, trouble_line = self._tender.id, self.query_one("#trouble", Static)
        if not asked:
            self._sheets = ()
            self._show_trouble(None, "This record carries no id: nothing more can be asked about it.")
            self._show_documents()
            return
        trouble_line.display = False
        try:
            self._tender = await self.workbench.session.tender(asked)
            self._show_tender()
        except Trouble as trouble:
            self._show_trouble(trouble)
        try:
            self._sheets = await self.workbench.session.sheets(asked)
        except Trouble as trouble:
            self._sheets = self._sheets or None
            note = self.query_one("#documents-note", Static)
            note.update(
                Content.assemble(
                    content(f"The documents could not be had: {trouble.sentence} ", "$error"), content(trouble.remedy, "$soft")
                )
            )
            return
        self._show_documents()

    def _show_trouble(self, trouble: Trouble | None, words: str = "") -> None:
        line = self.query_one("#trouble", Static)
        sentence, remedy = (trouble.sentence, trouble.remedy) if trouble else (words, "")
        line.update(
            Content.assemble(
                ("▲ ", "$error"), content(sentence, "$error"), content(f" {remedy} Below is what the list knew.", "$soft")
            )
        )
        line.display = True

    @work(exclusive=True, group="names", exit_on_error=False)
    async def _name_codes(self, tender: Tender, language: str) -> None:
        if tender.cpv_codes:
            self._names = await self.workbench.cpv_names(tender.cpv_codes, language)
            self.query_one("#record", RecordBody).sections = sections(self._tender, self._clock(), self._names)

    @on(DocumentList.Chosen)
    def _document_chosen(self, event: DocumentList.Chosen) -> None:
        state = self.workbench.downloads.states.get(event.sheet.id or "")
        if state is not None and state.saved is not None:
            self.action_open_file()
        else:
            self.action_download()

    @on(DocumentList.OptionHighlighted)
    def _document_moved(self) -> None:
        self.refresh_keys()

    def on_download_moved(self, event: DownloadMoved) -> None:
        """A download went on or ended."""
        self.query_one(DocumentList).advance(event.sheet_id, event.download)
        self.refresh_keys()

    def situation(self) -> Situation:
        """What is under the cursor."""
        tender, caller = self._tender, self.workbench.session.caller
        sheet = self.query_one(DocumentList).sheet if self._sheets else None
        state = self.workbench.downloads.states.get(sheet.id or "") if sheet else None
        return Situation(
            connected=caller is not None,
            embedded=caller is not None and caller.embedded,
            sample=caller is not None and caller.sample,
            tender=True,
            buyer=buyer_reference(tender) is not None,
            link=tender_link(tender) is not None,
            document=sheet is not None,
            saved_document=state is not None and state.saved is not None,
            downloading=self.workbench.downloading,
            neighbours=len(self._neighbours) > 1,
        )

    def action_download(self) -> None:
        """Download the document under the cursor."""
        sheet = self.query_one(DocumentList).sheet if self._sheets else None
        if sheet is None:
            self.workbench.tell(
                "There is no document to download." if self._sheets == () else "The documents are not known yet: F5 asks again."
            )
        else:
            self.workbench.download(sheet)

    def action_download_all(self) -> None:
        """Download every document, one after the other."""
        for sheet in self._sheets or ():
            self.workbench.download(sheet)

    def action_cancel_download(self) -> None:
        """Stop the downloads."""
        self.workbench.downloads.cancel()

    def action_open_file(self) -> None:
        """Open the downloaded document with the desktop's program for it."""
        sheet = self.query_one(DocumentList).sheet
        state = self.workbench.downloads.states.get(sheet.id or "") if sheet else None
        if state is not None and state.saved is not None:
            self.workbench.open_file(state.saved)

    def action_toggle_raw(self) -> None:
        """The JSON as it came, or the laid-out view."""
        self._raw = not self._raw
        self.query_one("#record").display = not self._raw
        self.query_one("#raw").display = self._raw
        self._show_tender()
        self.query_one("#scroll").scroll_home(animate=False)

    def action_next_language(self) -> None:
        """CPV names in the next language."""
        at = CPV_LANGUAGES.index(self._language)
        self._language = CPV_LANGUAGES[(at + 1) % len(CPV_LANGUAGES)]
        self._name_codes(self._tender, self._language)

    def action_next_tender(self) -> None:
        """The tender below in the list."""
        self._step(1)

    def action_previous_tender(self) -> None:
        """The tender above in the list."""
        self._step(-1)

    def _step(self, step: int) -> None:
        at = self._index + step
        if not 0 <= at < len(self._neighbours):
            self.workbench.tell("This is the last tender that is loaded." if step > 0 else "This is the first tender.")
            return
        self._index, self._tender, self._sheets = at, self._neighbours[at], None
        self._names = {}
        self.query_one("#scroll").scroll_home(animate=False)
        self._show_tender()
        self.action_reload()

    def action_scroll_record_down(self) -> None:
        """Scroll the record down."""
        self.query_one("#scroll").scroll_relative(y=3, animate=False)

    def action_scroll_record_up(self) -> None:
        """Scroll the record up."""
        self.query_one("#scroll").scroll_relative(y=-3, animate=False)

    def action_back(self) -> None:
        """Back to the results, standing on the tender last read."""
        self.workbench.close_tender(self._index if self._neighbours else None)
