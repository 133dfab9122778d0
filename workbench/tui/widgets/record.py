"""Sections of a record laid out for reading: labels in a column, values wrapped beside them, in one widget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from workbench.tui.record import Section

_WIDE = 60


class RecordBody(Widget):
    """Sections one below the other; it is as tall as they need, for a scrolling container to hold."""

    DEFAULT_CSS = "RecordBody { height: auto; }"

    sections: reactive[tuple[Section, ...]] = reactive((), layout=True)
    lead: reactive[tuple[Content, ...]] = reactive((), layout=True)
    """Paragraphs above the first section."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        self._wrapped: dict[int, list[Content]] = {}
        super().__init__(id=id)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the sections take at this width."""
        return len(self._laid_out(max(width, 10)))

    def render(self) -> Content:
        """All lines at the widget's width."""
        return Content("\n").join(self._laid_out(max(self.size.width, 10)))

    def watch_sections(self) -> None:
        """Lay out anew."""
        self._wrapped.clear()

    def watch_lead(self) -> None:
        """Lay out anew."""
        self._wrapped.clear()

    def _laid_out(self, width: int) -> list[Content]:
        # Asked for several times while Textual lays out a screen, and wrapping long texts is the dear part.
        lines = self._wrapped.get(width)
        if lines is None:
            if len(self._wrapped) > 3:
                self._wrapped.clear()
            lines = self._wrapped[width] = list(self._lines(width))
        return lines

    def _lines(self, width: int) -> Iterator[Content]:
        for paragraph in self.lead:
            yield from _wrap(paragraph, width)
            yield Content("")
        labels = 17 if width >= _WIDE else 14
        for at, section in enumerate(self.sections):
            if at:
                yield Content("")
            rule = "─" * max(width - len(section.title) - 1, 0)
            yield Content.assemble((section.title, "bold $primary"), (f" {rule}", "$rule"))
            if section.text is not None:
                yield from _wrap(section.text, width)
            for fact in section.facts:
                yield from _fact(fact.label, fact.value, width, labels)


def _fact(label: str | Content, value: Content, width: int, labels: int) -> Iterator[Content]:
    first, *rest = _wrap(value, max(width - labels, 8))
    name = (Content.styled(label, "$soft") if isinstance(label, str) else label).truncate(labels - 1, ellipsis=True)
    yield Content.assemble(name, " " * (labels - name.cell_length), first)
    for line in rest:
        yield Content.assemble(" " * labels, line)


def _wrap(value: Content, width: int) -> Sequence[Content]:
    return value.wrap(width) or [Content("")]
