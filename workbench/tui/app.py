"""The terminal UI's application: it knows its screens and the session, and nothing of their insides."""

from __future__ import annotations

import asyncio
import inspect
import webbrowser
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.app import App

from workbench.tui.actions import BY_ID, bindings
from workbench.tui.moments import Clock, local_clock
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.screens.search import SearchScreen
from workbench.tui.session import Session, Start
from workbench.tui.situations import Situation
from workbench.tui.text import plain
from workbench.tui.themes import DARK, LIGHT, THEMES, VARIABLES
from workbench.tui.trouble import Kind, Trouble
from workbench.tui.widgets.bars import Standing, TopBar
from workbench.tui.widgets.table import ResultsTable

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from workbench.contract.tenders import Tender, TenderSheet
    from workbench.tui.downloads import DownloadMoved, Downloads
    from workbench.tui.results import Results
    from workbench.tui.widgets.documents import Download


_STYLES: Final = Path(__file__).parent / "styles"


def _commands() -> type:
    from workbench.tui.palette import ActionCommands

    return ActionCommands


class WorkbenchApp(App[int]):
    """Search and Tender screens over one session. ``session`` opens after the first frame."""

    TITLE = "tender workbench"
    CSS_PATH: ClassVar = [_STYLES / name for name in ("frame.tcss", "search.tcss", "tender.tcss")]
    BINDINGS: ClassVar = bindings("app")
    COMMANDS: ClassVar = {_commands}
    ENABLE_COMMAND_PALETTE = True
    TOOLTIP_DELAY = 0.8
    HORIZONTAL_BREAKPOINTS: ClassVar = [(0, "-narrow"), (104, "-wide"), (160, "-very-wide")]  # pyright: ignore[reportIncompatibleVariableOverride] - declared as an instance variable there
    VERTICAL_BREAKPOINTS: ClassVar = [(0, "-short"), (30, "-tall")]  # pyright: ignore[reportIncompatibleVariableOverride] - declared as an instance variable there

    def __init__(
        self,
        start: Start | None = None,
        *,
        clock: Clock = local_clock,
        make_session: Callable[[Start], Session] = Session,
        first_run: Callable[[], bool] | None = None,
        download_folder: Path | None = None,
    ) -> None:
        """``first_run`` says, in a thread, whether nobody has chosen a workspace yet; then the choice is offered."""
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.clock = clock
        self._make_session = make_session
        self._first_run = first_run
        self._download_folder = download_folder
        self._downloads: Downloads | None = None
        self.session = make_session(start or Start())
        self.search_screen = SearchScreen(clock)

    def get_css_variables(self) -> dict[str, str]:
        """Textual's variables and the workbench's own, which other themes get from Textual's."""
        variables = super().get_css_variables()
        for name, source in VARIABLES.items():
            variables.setdefault(name, variables.get(source, variables["foreground"]))  # the palette of a terminal has fewer
        self.theme_variables = variables
        return variables

    def get_default_screen(self) -> SearchScreen:
        """The search screen is where everything starts."""
        return self.search_screen

    def on_ready(self) -> None:
        """Open the workspace, now that the first frame is on the screen."""
        self.call_after_refresh(self._begin)

    @work(exclusive=True, group="workspace", exit_on_error=False)
    async def _begin(self) -> None:
        if self._first_run is not None and await asyncio.to_thread(self._first_run):
            self.search_screen.show_progress("No workspace is open yet.")
            await self._choose_workspace(welcome=True)
        else:
            await self._open(self.session.start)

    # The workspace

    def open_workspace(self, start: Start) -> None:
        """Close what is open and open this."""
        self.run_worker(self._open(start), group="workspace", exclusive=True, exit_on_error=False)

    async def _open(self, start: Start) -> None:
        await self.session.close()
        self.session = self._make_session(start)
        self.search_screen.show_trouble(None)
        loop = asyncio.get_running_loop()
        self.session.on_progress = partial(loop.call_soon_threadsafe, self.search_screen.show_progress)
        self.session.on_wait = partial(self.tell, severity="warning")
        try:
            await self.session.open()
        except Trouble as trouble:
            self.search_screen.show_trouble(trouble)
            return
        self.search_screen.workspace_opened()

    def show_standing(self, results: Results | None = None) -> None:
        """Let the header of the screen in front say where the data comes from and how the connection stands."""
        caller = self.session.caller
        results = results or self.search_screen.results
        trouble = results.trouble
        state = (
            "trouble"
            if trouble
            else "opening"
            if caller is None
            else "busy"
            if results.loading or results.loading_more
            else "ready"
        )
        named = caller is not None
        standing = Standing(
            profile=caller.profile if named else self.session.start.profile or "",
            service=caller.service if named else "",
            account=caller.account if named else "",
            plan=f"{caller.plan} plan" if named and caller.plan else "",
            state=state,
            note=trouble.kind.value if trouble and trouble.kind is Kind.CONNECTION else "",
            fetched_at=results.fetched_at,
        )
        for bar in self.screen.query(TopBar):
            bar.standing, bar.now = standing, self.clock()

    async def on_unmount(self) -> None:
        """Leave nothing open."""
        if self._downloads is not None:
            await self._downloads.stopped()
        await self.session.close()

    # Words

    def tell(self, sentence: str, severity: SeverityLevel = "information") -> None:
        """Say something in a corner of the screen; markup in it is shown as it stands."""
        self.notify(plain(sentence, 600), severity=severity, markup=False)

    async def cpv_names(self, codes: Iterable[str], language: str) -> dict[str, str]:
        """Names of CPV codes; the vocabulary is read in a thread at first use."""
        from workbench.tui.vocabulary import cpv_names

        return await asyncio.to_thread(cpv_names, tuple(codes), language)

    # Tenders

    def open_tender(self, tender: Tender, neighbours: Sequence[Tender], index: int) -> None:
        """Show everything about a tender; ``neighbours`` are the rows around it."""
        from workbench.tui.screens.tender import TenderScreen

        self.push_screen(TenderScreen(self.clock, tender, neighbours, index))

    def close_tender(self, index: int | None) -> None:
        """Back to the list, on the row of the tender last read."""
        self.pop_screen()
        self.search_screen.stand_on(index)

    @property
    def downloads(self) -> Downloads:
        """The downloads of this run."""
        if self._downloads is None:
            from workbench.tui.downloads import Downloads

            self._downloads = Downloads(self._folder, self._download_moved, self._download_done)
        return self._downloads

    @property
    def downloading(self) -> bool:
        """Whether a download is under way."""
        return self._downloads is not None and self._downloads.under_way

    def download(self, sheet: TenderSheet) -> None:
        """Download a document into the downloads folder."""
        if not self.downloads.start(self.session, sheet):
            self.tell(
                "That document is being downloaded already." if sheet.id else "That document carries no id to download it by."
            )

    def _folder(self) -> Path:
        if self._download_folder is None:
            from platformdirs import user_downloads_path

            self._download_folder = user_downloads_path() / "tenders"
        return self._download_folder

    def _download_moved(self, message: DownloadMoved) -> None:
        self.screen.post_message(message)

    def _download_done(self, download: Download, sentence: str) -> None:
        self.tell(sentence, "error" if download.trouble else "information")

    @work(thread=True, exit_on_error=False)
    def open_address(self, address: str) -> None:
        """Open an address in the browser, without waiting for it."""
        try:
            opened = webbrowser.open(address)
        except (webbrowser.Error, OSError):
            opened = False
        if not opened:
            self.call_from_thread(self.tell, f"No browser could be started here. The address is {address}", "warning")

    def open_file(self, path: Path) -> None:
        """Open a file of this machine with the desktop's program for it."""
        self.open_address(path.absolute().as_uri())

    async def copy(self, text: str, what: str) -> None:
        """Put text into the desktop's clipboard, else into the terminal's, and say what became of it."""
        from workbench.tui.clipboard import OSC52_LIMIT, copy_native

        if await asyncio.to_thread(copy_native, text):
            self.tell(f"Copied {what}.")
        elif len(text.encode("utf-8", "replace")) <= OSC52_LIMIT:
            self.copy_to_clipboard(text)
            self.tell(f"Copied {what} by way of the terminal.")
        else:
            self.tell(f"The {what} is too long for the terminal's clipboard, and this machine has no other.", "warning")

    # Actions

    async def action_perform(self, action_id: str) -> None:
        """Do an action of the registry, or say why it is not possible now."""
        action = BY_ID[action_id]
        screen = self.screen
        situation = screen.situation() if isinstance(screen, WorkbenchScreen) else Situation()
        reason = action.when(situation)
        if reason is not None:
            self.tell(reason, "warning")
            return
        name = f"action_{action.method}"
        places = (screen, *screen.query(ResultsTable), self)
        method = next(getattr(place, name) for place in places if hasattr(place, name))
        outcome = method()
        if inspect.isawaitable(outcome):
            await outcome

    def action_toggle_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT if self.current_theme.dark else DARK

    def action_help(self) -> None:
        """Every key of this screen."""
        from workbench.tui.dialogs.help import Help

        screen = self.screen
        if isinstance(screen, WorkbenchScreen):
            self.push_screen(Help(screen.PLACES, screen.situation()))

    def action_manual(self) -> None:
        """The pages that the package ships."""
        from workbench.tui.dialogs.manual import Manual

        self.push_screen(Manual())

    def action_picture(self) -> None:
        """Write the screen to an SVG file in the downloads folder."""
        folder = self._folder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = self.save_screenshot(path=str(folder))
        except OSError as error:
            self.tell(f"The picture could not be written to {folder}: {error.strerror}.", "error")
        else:
            self.tell(f"Saved a picture in {path}.")

    @work(exclusive=True, group="start", exit_on_error=False)
    async def action_workspace(self) -> None:
        """Choose a workspace; escape keeps the one that is open."""
        await self._choose_workspace(welcome=False)

    @work(exclusive=True, group="start", exit_on_error=False)
    async def action_import_data(self) -> None:
        """Import open data into the embedded service that is open, and search it afterwards."""
        from workbench.tui.dialogs.importing import ImportDialog

        start = self.session.start
        if await self.push_screen_wait(ImportDialog(start.profile, start.data)):
            self.open_workspace(start)

    async def _choose_workspace(self, welcome: bool) -> None:
        from workbench.tui.dialogs.start import StartDialog

        start = await self.push_screen_wait(StartDialog(welcome, self.session.start))
        if start is not None:
            self.open_workspace(start)

    # Faults

    def _handle_exception(self, error: Exception) -> None:
        # Textual would print every local variable of every frame, the key among them.
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            from workbench.tui import crash

            written = crash.write_report(crash.report(error, self.clock()))
            self.bell()
            self.panic(crash.farewell(error, written))
        else:
            self._close_messages_no_wait()
