"""Boxes to tick, alone and as a list, whose tick is a character and not only a colour: they read without colours too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Checkbox, OptionList
from textual.widgets.option_list import Option


def box(ticked: bool) -> Content:
    """The box with or without its tick."""
    return Content.styled("[✓] ", "bold $success") if ticked else Content.styled("[ ] ", "$soft")


class Tick(Checkbox):
    """One box to tick with its words; otherwise a ``Checkbox``."""

    @property
    def _button(self) -> Content:
        return box(self.value)


class CheckList(OptionList):
    """Several boxes to tick, one below the other, with Enter, Space or the mouse."""

    BINDINGS: ClassVar = [
        Binding("space", "select", show=False),
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]

    class Changed(Message):
        """Other boxes are ticked now: ``selected`` are their values."""

        def __init__(self, selected: Sequence[str]) -> None:
            super().__init__()
            self.selected = tuple(selected)

    def __init__(self, choices: Sequence[tuple[str, Content]], *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        """``choices`` are values with their words."""
        self._choices = tuple(choices)
        self._ticked: set[str] = set()
        super().__init__(*(Option(self._line(value, words)) for value, words in choices), id=id, classes=classes, compact=True)

    @property
    def selected(self) -> tuple[str, ...]:
        """The values that are ticked, in the order of the list."""
        return tuple(value for value, _ in self._choices if value in self._ticked)

    def show(self, values: Iterable[str]) -> None:
        """Tick these and no others; says nothing."""
        self._ticked = set(values)
        for at, (value, words) in enumerate(self._choices):
            self.replace_option_prompt_at_index(at, self._line(value, words))

    def select(self, value: str) -> None:
        """Tick one, as a person would."""
        self.show({*self._ticked, value})
        self.post_message(self.Changed(self.selected))

    def _line(self, value: str, words: Content) -> Content:
        return Content.assemble(box(value in self._ticked), words)

    @on(OptionList.OptionSelected)
    def _toggled(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.show(self._ticked ^ {self._choices[event.option_index][0]})
        self.post_message(self.Changed(self.selected))
