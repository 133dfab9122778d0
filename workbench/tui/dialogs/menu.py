"""A short list to choose from, over the screen: sort, what to copy, which document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.tui.text import content, plain


@dataclass(frozen=True, slots=True)
class Item:
    """One choice: its value, its words, a remark beside them, and a key that chooses it at once."""

    value: str
    words: str
    remark: str = ""
    key: str = ""


class Menu(ModalScreen[str | None]):
    """Ends with the value chosen, or ``None`` for Escape."""

    BINDINGS: ClassVar = [
        Binding("escape,q", "leave", show=False),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    def __init__(self, title: str, items: Sequence[Item], current: str = "") -> None:
        super().__init__()
        self._title, self._items, self._current = title, tuple(items), current

    def compose(self) -> ComposeResult:
        """The choices in a box."""
        with Vertical(classes="box"):
            yield OptionList(*(Option(self._line(item)) for item in self._items))
            yield Static(Content.styled("⏎ choose   esc leave", "$faint"), classes="hint")

    def on_mount(self) -> None:
        """Stand on the current choice."""
        self.query_one(".box").border_title = content(self._title)
        at = next((at for at, item in enumerate(self._items) if item.value == self._current), 0)
        self.query_one(OptionList).highlighted = at

    def _line(self, item: Item) -> Content:
        mark = "● " if item.value == self._current else "  " if self._current else ""
        key = Content.styled(f"{item.key}  ", "bold $footer-key-foreground") if item.key else Content("")
        remark = Content.styled(f"   {plain(item.remark, 120)}", "$soft") if item.remark else Content("")
        return Content.assemble(key, mark, plain(item.words, 300), remark)

    def on_key(self, event: events.Key) -> None:
        """A choice's own key chooses it."""
        for item in self._items:
            if item.key and event.character == item.key:
                event.stop()
                self.dismiss(item.value)
                return

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._items[event.option_index].value)

    def action_leave(self) -> None:
        """Choose nothing."""
        self.dismiss(None)

    def action_down(self) -> None:
        """The next choice."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """The choice before."""
        self.query_one(OptionList).action_cursor_up()
