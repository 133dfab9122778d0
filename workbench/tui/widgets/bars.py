"""The lines at the edges: header, filter chips, status line and keys. One widget each, drawn as text, clickable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from workbench.tui.actions import Action, key_text
from workbench.tui.moments import duration
from workbench.tui.query import Chip
from workbench.tui.situations import Situation
from workbench.tui.text import cut, plain


@dataclass(frozen=True, slots=True)
class Standing:
    """What the header shows: where the data comes from, who asks, and how the connection stands.

    ``state`` is ``opening``, ``ready``, ``busy`` or ``trouble``.
    """

    profile: str = ""
    service: str = ""
    account: str = ""
    plan: str = ""
    state: str = "opening"
    note: str = ""
    fetched_at: datetime | None = None


_STATES = {"opening": ("◌", "$faint", "opening"), "ready": ("●", "$success", ""), "busy": ("◐", "$accent", "asking"),
           "trouble": ("▲", "$error", "trouble")}  # fmt: skip


class TopBar(Widget):
    """Profile, account, plan and service on the left; connection and age of the data on the right."""

    standing: reactive[Standing] = reactive(Standing())
    now: reactive[datetime | None] = reactive(None)

    def render(self) -> Content:
        """One line; what does not fit is left out from the middle."""
        standing = self.standing
        left: list[Content] = [Content.styled(" ◆ tender workbench ", "bold $primary")]
        for words, style in ((standing.profile, "bold"), (standing.account, "$soft"), (standing.plan, "$soft")):
            if words:
                left.append(Content.assemble(("│ ", "$rule"), (f"{plain(words, 60)} ", style)))
        symbol, colour, word = _STATES.get(standing.state, _STATES["ready"])
        words = plain(standing.note, 80) or " ".join(part for part in (plain(standing.service, 60), word, self._age()) if part)
        right = Content.assemble((f"{words} ", "$soft"), (f"{symbol} ", colour))
        width = self.size.width
        while len(left) > 1 and sum(part.cell_length for part in left) + right.cell_length > width:
            left.pop()
        gap = width - sum(part.cell_length for part in left) - right.cell_length
        return Content.assemble(*left, " " * max(gap, 0), right)

    def _age(self) -> str:
        fetched, now = self.standing.fetched_at, self.now
        if fetched is None or now is None:
            return ""
        seconds = max((now - fetched).total_seconds(), 0)
        return "· now" if seconds < 5 else f"· {duration(seconds)} old"


class _Spots(Widget):
    """A line of text with spots that can be clicked."""

    _spots: list[tuple[int, int, str]]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._spots = []

    def spot_at(self, x: int) -> str | None:
        """The key of the spot at a cell."""
        return next((key for start, end, key in self._spots if start <= x < end), None)


class ChipBar(_Spots):
    """Active filters as chips; a click takes one away. The last words tell what to press where there is none."""

    chips: reactive[tuple[Chip, ...]] = reactive((), layout=True)

    class Dropped(Message):
        """A chip was clicked away."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Wanted(Message):
        """The place for adding a filter was clicked."""

    def render(self) -> Content:
        """One line; chips that do not fit are counted."""
        self._spots = []
        parts: list[Content] = [Content(" ")]
        left, width = 1, self.size.width - 14
        for at, chip in enumerate(self.chips):
            label = f" {cut(plain(chip.label, 200), 32)} × "
            size = cell_len(label)
            if left + size + 1 > width and at:
                parts.append(Content.styled(f"+{len(self.chips) - at} more ", "$soft"))
                left += len(f"+{len(self.chips) - at} more ")
                break
            parts += [Content.styled(label, "$foreground on $panel"), Content(" ")]
            self._spots.append((left, left + size, chip.key))
            left += size + 1
        parts.append(Content.styled(" + filter ", "$primary"))
        self._spots.append((left, left + 10, "+"))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Take the chip away, or ask for the filters."""
        key = self.spot_at(event.x)
        if key is not None:
            self.post_message(self.Wanted() if key == "+" else self.Dropped(key))


class StatusLine(Widget):
    """How many results, in which order, how long it took; or what went wrong."""

    words: reactive[Content] = reactive(Content(""))

    def render(self) -> Content:
        """The words as they are."""
        return self.words


class KeyBar(_Spots):
    """The keys of this screen in the order of their worth; those that do not fit are left to the help, and it says so.

    What is not possible now is dimmed. Clicking does what the key does.
    """

    actions: reactive[tuple[Action, ...]] = reactive(())
    situation: reactive[Situation] = reactive(Situation())
    typing: reactive[bool] = reactive(False)
    """Whether letters go into a field, so that letter keys would do nothing."""

    _TYPING: ClassVar[tuple[tuple[str, str], ...]] = (("↓", "to results"), ("tab", "next"), ("esc", "leave"))

    class Pressed(Message):
        """A key of the bar was clicked."""

        def __init__(self, action_id: str) -> None:
            super().__init__()
            self.action_id = action_id

    def shown(self) -> Sequence[Action]:
        """The actions in the order of the bar, whether they fit or not."""
        ranked = sorted((action for action in self.actions if action.rank is not None), key=lambda action: action.rank or 0)
        ranked = [action for action in ranked if not action.quiet or action.when(self.situation) is None]
        return [action for action in ranked if not self.typing or "+" in action.key or action.key.startswith("f1")]

    def render(self) -> Content:
        """One line of keys and words."""
        self._spots = []
        parts: list[Content] = []
        left, room = 0, self.size.width
        for key, words in self._TYPING if self.typing else ():
            piece = self._piece(key, words, True)
            parts.append(piece)
            left += piece.cell_length
        actions = self.shown()
        for at, action in enumerate(actions):
            possible = action.when(self.situation) is None
            piece = self._piece(key_text(action.key), action.title, possible)
            reserve = 0 if at == len(actions) - 1 else 10
            if left + piece.cell_length + reserve > room:
                if left + 10 <= room:
                    parts.append(self._piece("?", "more…", True))
                    self._spots.append((left, left + 10, "app.help"))
                break
            parts.append(piece)
            self._spots.append((left, left + piece.cell_length, action.id))
            left += piece.cell_length
        return Content.assemble(*parts)

    @staticmethod
    def _piece(key: str, words: str, possible: bool) -> Content:
        if possible:
            return Content.assemble((f" {key} ", "bold $footer-key-foreground"), (f"{words} ", "$soft"))
        return Content.styled(f" {key} {words} ", "$faint 60%")

    def on_click(self, event: events.Click) -> None:
        """Do what the key does."""
        key = self.spot_at(event.x)
        if key is not None:
            self.post_message(self.Pressed(key))
