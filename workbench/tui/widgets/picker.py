"""An input that offers values of a vocabulary while one types, and says which was chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option
from textual.worker import Worker

from workbench.tui.query import Choice
from workbench.tui.text import content

Suggest = Callable[[str], list[Choice]]


class Picker(Vertical):
    """Type, go down, Enter. ``suggest`` is called in a thread with what was typed; an answer to older text is not shown."""

    BINDINGS: ClassVar = [Binding("down", "into_list", show=False), Binding("escape", "fold", show=False)]

    class Chosen(Message):
        """A value was chosen."""

        def __init__(self, picker: Picker, choice: Choice) -> None:
            super().__init__()
            self.picker, self.choice = picker, choice

    def __init__(self, title: str, placeholder: str, suggest: Suggest, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, classes="picker")
        self._title, self._placeholder, self._suggest = title, placeholder, suggest
        self._choices: list[Choice] = []

    def compose(self) -> ComposeResult:
        """The input, and the list that shows when there is something to offer."""
        field = Input(placeholder=self._placeholder, classes="field")
        field.border_title = self._title
        yield field
        yield OptionList(classes="suggestions", compact=True)

    def on_mount(self) -> None:
        """Nothing to offer yet."""
        self.query_one(OptionList).display = False

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._look_up(event.value)

    @work(exclusive=True, group="suggest", exit_on_error=False)
    async def _look_up(self, text: str) -> None:
        import asyncio

        await asyncio.sleep(0.08)
        choices = await asyncio.to_thread(self._suggest, text) if text.strip() else []
        field, options = self.query_one(Input), self.query_one(OptionList)
        if field.value != text:
            return
        self._choices = choices
        options.clear_options()
        options.add_options([Option(content(choice.label)) for choice in choices])
        options.highlighted = 0 if choices else None
        options.display = bool(choices)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say it in place when the vocabulary could not be read."""
        event.stop()
        if event.worker.error is not None:
            self.query_one(Input).border_subtitle = "the vocabulary could not be read"

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._choices:
            self._choose(self.query_one(OptionList).highlighted or 0)

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()

    def _choose(self, index: int) -> None:
        choice = self._choices[index]
        self.query_one(Input).value = ""
        self.query_one(Input).focus()
        self.post_message(self.Chosen(self, choice))

    def action_into_list(self) -> None:
        """From the input into the list."""
        options = self.query_one(OptionList)
        if options.display:
            options.focus()

    def action_fold(self) -> None:
        """Close the list, or leave the escape to the screen where it is closed already."""
        from textual.actions import SkipAction

        if not self.query_one(OptionList).display:
            raise SkipAction
        self.query_one(Input).value = ""
        self.query_one(Input).focus()

    def on_key(self, event: events.Key) -> None:
        """Up from the first value goes back to the input."""
        options = self.query_one(OptionList)
        if event.key == "up" and options.has_focus and options.highlighted in (0, None):
            event.stop()
            event.prevent_default()
            self.query_one(Input).focus()
