"""Which workspace to open: the sample, one's own data, or a hosted service."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from workbench.tui.dialogs.importing import ImportDialog
from workbench.tui.session import Start
from workbench.tui.startup import check_address, keep_hosted, known_profiles
from workbench.tui.text import content, plain
from workbench.tui.trouble import Trouble
from workbench.tui.widgets.checks import Tick

_CHOICES = (
    (
        "sample",
        "Look at the sample workspace",
        "Some 2,000 invented tenders with documents, made on this machine in seconds. No account.",
    ),
    ("import", "Import open data", "Load PLACSP files (.atom, .zip or a folder of them) into a database on this machine."),
    ("hosted", "Connect to a hosted service", "Type its address and your API key."),
)


class StartDialog(ModalScreen[Start | None]):
    """Ends with what to open, or ``None`` to leave things as they are."""

    BINDINGS: ClassVar = [
        Binding("escape,q", "leave", show=False),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, welcome: bool, current: Start) -> None:
        """``welcome`` is for somebody who sits here for the first time."""
        super().__init__()
        self._welcome, self._current = welcome, current
        self._values = [value for value, _, _ in _CHOICES]

    def compose(self) -> ComposeResult:
        """The choices, and the profiles there are as they become known."""
        with Vertical(classes="box"):
            if self._welcome:
                yield Static(
                    Content.assemble(
                        ("Welcome. ", "bold $primary"), "Public tenders, searched as you type. What shall it be?\n"
                    )
                )
            yield OptionList(*(Option(_lines(title, remark)) for _, title, remark in _CHOICES), id="choices")
            yield Static(Content.styled("⏎ choose   esc leave   ctrl+o comes back here any time", "$faint"), classes="hint")

    def on_mount(self) -> None:
        """Look which profiles there are."""
        self.query_one(".box").border_title = "Welcome" if self._welcome else "Open a workspace"
        self.query_one(OptionList).highlighted = 0
        self._add_profiles()

    @work(exit_on_error=False)
    async def _add_profiles(self) -> None:
        for name, place in await asyncio.to_thread(known_profiles):
            if name == "local" and self._welcome:
                continue
            self._values.append(f"profile:{name}")
            remark = "Your own data on this machine." if name == "local" else plain(place, 100)
            self.query_one(OptionList).add_option(Option(_lines(f"Open {plain(name, 60)}", remark)))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self._follow(self._values[event.option_index])

    @work(exclusive=True, group="follow", exit_on_error=False)
    async def _follow(self, value: str) -> None:
        if value == "sample":
            self.dismiss(Start("sample"))
        elif value.startswith("profile:"):
            self.dismiss(Start(value.removeprefix("profile:")))
        elif value == "import":
            if await self.app.push_screen_wait(ImportDialog("local", None)):
                self.dismiss(Start("local"))
        else:
            start = await self.app.push_screen_wait(HostedDialog())
            if start is not None:
                self.dismiss(start)

    def action_leave(self) -> None:
        """Leave things as they are; who has no workspace yet gets the empty local one."""
        self.dismiss(self._current if self._welcome else None)

    def action_move(self, step: int) -> None:
        """To the next choice or the one before."""
        options = self.query_one(OptionList)
        options.action_cursor_down() if step > 0 else options.action_cursor_up()


def _lines(title: str, remark: str) -> Content:
    return Content.assemble((f"{title}\n", "bold"), (remark, "$soft"))


class HostedDialog(ModalScreen[Start | None]):
    """Address and key of a hosted service. The key stays in memory, or goes into the system's key store when asked."""

    BINDINGS: ClassVar = [Binding("escape", "leave", show=False)]

    def compose(self) -> ComposeResult:
        """Two fields and whether to keep the key."""
        with Vertical(classes="box"):
            yield Static(Content.styled("Address", "$soft"))
            yield Input(placeholder="https://api.example.org", id="address")
            yield Static(Content.styled("API key", "$soft"))
            yield Input(placeholder="it is not shown", password=True, id="key")
            yield Tick(Content("keep the key in this computer's key store"), id="keep", compact=True)
            yield Static(id="wrong")
            yield Static(
                Content.styled("⏎ connect   tab next   esc back   the key is never written to a file", "$faint"), classes="hint"
            )

    def on_mount(self) -> None:
        """Name the box."""
        self.query_one(".box").border_title = "Connect to a hosted service"

    @on(Input.Submitted)
    def _entered(self) -> None:
        if self.query_one("#address", Input).has_focus:
            self.query_one("#key", Input).focus()
        else:
            self._connect()

    @work(exclusive=True, group="connect", exit_on_error=False)
    async def _connect(self) -> None:
        key = self.query_one("#key", Input).value.strip()
        wrong = self.query_one("#wrong", Static)
        try:
            address = check_address(self.query_one("#address", Input).value)
        except Trouble as trouble:
            wrong.update(content(trouble.sentence, "$error"))
            return
        if not key:
            wrong.update(content("The service asks for a key: paste it into the second field.", "$error"))
            return
        if self.query_one("#keep", Tick).value:
            try:
                self.dismiss(Start(await asyncio.to_thread(keep_hosted, address, key)))
            except Trouble as trouble:
                wrong.update(content(f"{trouble.sentence} Untick the box to use the key for this time only.", "$error"))
            return
        self.dismiss(Start(base_url=address, key=key))

    def action_leave(self) -> None:
        """Back to the choices."""
        self.dismiss(None)
