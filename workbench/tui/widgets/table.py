"""A table that draws only the lines on the screen: 100,000 rows cost no more to show than 60."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.actions import bindings
from workbench.tui.columns import COLUMNS, Column, layout
from workbench.tui.text import fit, plain

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender

_GAP = 2
_MARGIN = 1
_CACHE_LIMIT = 600
_AHEAD = 20
_TONES = ("title", "soft", "dim", "number", "urgent", "published", "awarded", "resolved", "formalized", "closed")


class ResultsTable(ScrollView, can_focus=True):
    """Tenders as rows under a fixed header. Values down: :meth:`show`, ``cursor``, ``order``; messages up.

    Columns that do not fit are left out by their rank, so that there is nothing to scroll sideways.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header", "table--sorted", "table--cursor", "table--cursor-blurred", "table--hover", "table--tail",
        *(f"table--{tone}" for tone in _TONES),
    }  # fmt: skip
    BINDINGS = bindings("table")

    cursor: reactive[int] = reactive(0, repaint=False)
    order: reactive[tuple[str, bool]] = reactive(("", True))
    """Sort value and whether it descends, for the mark in the header."""
    tail: reactive[str] = reactive("")
    """A line below the last row: that more follow, or that they are loading."""
    _hover: var[int | None] = var(None)

    class Highlighted(Message):
        """The cursor moved to another row; ``tender`` is ``None`` where the table is empty."""

        def __init__(self, table: ResultsTable, index: int, tender: Tender | None) -> None:
            super().__init__()
            self.table, self.index, self.tender = table, index, tender

        def can_replace(self, message: Message) -> bool:
            """Only the latest row counts while keys repeat."""
            return isinstance(message, ResultsTable.Highlighted)

    class Selected(Message):
        """A row was chosen with Enter or a second click."""

        def __init__(self, table: ResultsTable, index: int, tender: Tender) -> None:
            super().__init__()
            self.table, self.index, self.tender = table, index, tender

    class SortWanted(Message):
        """A column's header was clicked."""

        def __init__(self, column: Column) -> None:
            super().__init__()
            self.column = column

    class NearEnd(Message):
        """The last rows are on the screen or nearly so: the next page will be wanted."""

        def can_replace(self, message: Message) -> bool:
            """One is enough."""
            return isinstance(message, ResultsTable.NearEnd)

    def __init__(self, clock: Callable[[], datetime], columns: Sequence[Column] = COLUMNS, *, id: str | None = None) -> None:  # noqa: A002
        """``clock`` gives the present for the days left."""
        super().__init__(id=id)
        self._clock = clock
        self._now = clock()
        self._columns = tuple(columns)
        self._rows: Sequence[Tender] = ()
        self._layout: list[tuple[Column, int]] = []
        self._lines: dict[tuple[int, str], Strip] = {}
        self._styles_of: dict[tuple[str, str], Style] = {}

    @property
    def highlighted(self) -> Tender | None:
        """The tender under the cursor."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def show(self, rows: Sequence[Tender], cursor: int | None = 0) -> None:
        """Show these rows. ``cursor`` is the row to stand on; ``None`` keeps the place, as for rows that were added."""
        self._rows = rows
        self._now = self._clock()
        self._forget()
        self._resize_content()
        if cursor is None:
            return
        self.cursor = max(0, min(cursor, len(rows) - 1))
        self._reveal()
        self._announce()

    def tick(self) -> None:
        """Take in that time has passed."""
        self._now = self._clock()
        self._forget()

    def _resize_content(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._rows) + 1 + bool(self.tail))

    def _forget(self) -> None:
        self._lines.clear()
        self.refresh()

    def _reveal(self) -> None:
        visible = max(self.size.height - 1, 1)
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + visible:
            self.scroll_to(y=self.cursor - visible + 1, animate=False)
        self._look_ahead()

    def _look_ahead(self) -> None:
        # Before anyone moved, one request shows what there is room for; only then is it worth to look ahead.
        ahead = _AHEAD if self.cursor or self.scroll_offset.y else 0
        if self._rows and self.scroll_offset.y + self.size.height + ahead > len(self._rows):
            self.post_message(self.NearEnd())

    def _announce(self) -> None:
        self.post_message(self.Highlighted(self, self.cursor, self.highlighted))

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        """Redraw the two rows concerned and say where the cursor is."""
        if before == now:
            return
        self._redraw_row(before)
        self._redraw_row(now)
        self._reveal()
        self._announce()

    def watch_tail(self) -> None:
        """Make room for the line below the last row."""
        self._resize_content()

    def watch__hover(self, before: int | None, now: int | None) -> None:
        """Redraw the rows that the pointer left and entered."""
        for row in (before, now):
            if row is not None:
                self._redraw_row(row)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Look whether the end comes near."""
        super().watch_scroll_y(old_value, new_value)
        self._look_ahead()

    def _redraw_row(self, row: int) -> None:
        self.refresh_line(row + 1)

    def on_resize(self) -> None:
        """Lay the columns out again; what is under the cursor stays in sight."""
        self._layout = layout(self._columns, max(self.scrollable_content_region.width - 2 * _MARGIN, 10), _GAP)
        self._resize_content()
        self._forget()
        self.call_after_refresh(self._reveal)

    def notify_style_update(self) -> None:
        """Forget what was drawn in the old colours."""
        super().notify_style_update()
        self._styles_of.clear()
        self._forget()

    def on_focus(self) -> None:
        """The cursor's colour shows where keys go."""
        self._forget()

    def on_blur(self) -> None:
        """The cursor's colour shows where keys go."""
        self._forget()

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the header, a row, or what follows the rows."""
        if y == 0:
            return self._header()
        row = self.scroll_offset.y + y - 1
        if row >= len(self._rows):
            return self._below(row)
        kind = self._kind(row)
        line = self._lines.get((row, kind))
        if line is None:
            if len(self._lines) > _CACHE_LIMIT:
                self._lines.clear()
            line = self._lines[row, kind] = self._row(row, kind)
        return line

    def _kind(self, row: int) -> str:
        if row == self.cursor:
            return "cursor" if self.has_focus else "cursor-blurred"
        return "hover" if row == self._hover else ""

    def _style(self, kind: str, tone: str) -> Style:
        style = self._styles_of.get((kind, tone))
        if style is None:
            ground = self.get_component_rich_style(f"table--{kind}") if kind else self.rich_style
            style = ground + self.get_component_rich_style(f"table--{tone}", partial=True) if tone else ground
            self._styles_of[kind, tone] = style
        return style

    def _row(self, row: int, kind: str) -> Strip:
        ground = self._style(kind, "")
        tender, now = self._rows[row], self._now
        segments = [
            Segment("▌" if kind.startswith("cursor") else " ", self._style(kind, "published" if kind == "cursor" else "soft"))
        ]
        for at, (column, width) in enumerate(self._layout):
            text, tone = column.cell(tender, now)
            if at:
                segments.append(Segment(" " * _GAP, ground))
            segments.append(Segment(fit(text, width, column.right), self._style(kind, tone)))
        return self._line(segments, ground)

    def _header(self) -> Strip:
        ground = self._style("header", "")
        segments = [Segment(" " * _MARGIN, ground)]
        sort, descending = self.order
        for at, (column, width) in enumerate(self._layout):
            if at:
                segments.append(Segment(" " * _GAP, ground))
            sorted_by = column.sort is not None and column.sort == sort
            title = f"{column.title} {'▾' if descending else '▴'}" if sorted_by else column.title
            segments.append(Segment(fit(title, width, column.right), self._style("header", "sorted") if sorted_by else ground))
        return self._line(segments, ground)

    def _below(self, row: int) -> Strip:
        if row == len(self._rows) and self.tail:
            style = self._style("", "tail")
            return self._line([Segment(f"   {plain(self.tail)}", style)], style)
        return Strip.blank(self.size.width, self.rich_style)

    def _line(self, segments: list[Segment], ground: Style) -> Strip:
        return Strip(segments).adjust_cell_length(self.size.width, ground)

    def _row_at(self, y: int) -> int | None:
        row = self.scroll_offset.y + y - 1
        return row if y > 0 and row < len(self._rows) else None

    def on_click(self, event: events.Click) -> None:
        """A click on the header sorts, on a row moves there, on the row under the cursor opens it."""
        if event.y == 0:
            self._click_header(event.x)
            return
        row = self._row_at(event.y)
        if row is None:
            return
        again = row == self.cursor and event.chain > 1
        self.cursor = row
        if again:
            self.action_select_cursor()

    def _click_header(self, x: int) -> None:
        left = _MARGIN
        for column, width in self._layout:
            if left <= x < left + width:
                self.post_message(self.SortWanted(column))
                return
            left += width + _GAP

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the row under the pointer."""
        self._hover = self._row_at(event.y)

    def on_leave(self) -> None:
        """Nothing is under the pointer any more."""
        self._hover = None

    def action_cursor_down(self) -> None:
        """To the next row."""
        self.cursor += 1

    def action_cursor_up(self) -> None:
        """To the row above."""
        self.cursor -= 1

    def action_page_down(self) -> None:
        """A page further."""
        self._page(1)

    def action_page_up(self) -> None:
        """A page back."""
        self._page(-1)

    def _page(self, direction: int) -> None:
        step = max(self.size.height - 2, 1) * direction
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)
        self.cursor += step

    def action_top(self) -> None:
        """To the first row."""
        self.cursor = 0

    def action_bottom(self) -> None:
        """To the last row that is loaded."""
        self.cursor = len(self._rows) - 1

    def action_select_cursor(self) -> None:
        """Choose the row under the cursor."""
        if self.highlighted is not None:
            self.post_message(self.Selected(self, self.cursor, self.highlighted))
