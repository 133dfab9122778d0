"""The manual: the pages that the package ships, read inside the terminal UI."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Markdown, OptionList, Static
from textual.widgets.option_list import Option

from workbench.docs import TOPICS, read


class Manual(ModalScreen[None]):
    """Topics beside the page; j and k choose, space scrolls, Escape closes."""

    BINDINGS: ClassVar = [
        Binding("escape,q,f2", "leave", show=False),
        Binding("j", "choose(1)", show=False),
        Binding("k", "choose(-1)", show=False),
        Binding("space,pagedown,ctrl+d", "page(1)", show=False),
        Binding("b,pageup,ctrl+u", "page(-1)", show=False),
    ]

    def compose(self) -> ComposeResult:
        """The list of topics and the page."""
        with Vertical(classes="box manual"):
            with Horizontal():
                yield OptionList(*(Option(Content(topic.name)) for topic in TOPICS), id="topics")
                with VerticalScroll(can_focus=False):
                    yield Markdown(open_links=False)
            yield Static(Content.styled("j k topics   space b page   esc close", "$faint"), classes="hint")

    def on_mount(self) -> None:
        """Open the first page."""
        self.query_one(".box").border_title = "Manual"
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        self._show(TOPICS[event.option_index].name)

    @work(exclusive=True, group="manual", exit_on_error=False)
    async def _show(self, topic: str) -> None:
        page = await asyncio.to_thread(read, topic)
        await self.query_one(Markdown).update(page)
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_choose(self, step: int) -> None:
        """The next topic or the one before."""
        topics = self.query_one(OptionList)
        topics.action_cursor_down() if step > 0 else topics.action_cursor_up()

    def action_page(self, step: int) -> None:
        """A page further or back."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_relative(y=step * max(scroll.size.height - 2, 1), animate=False)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
