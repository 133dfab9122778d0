"""Help: every action that works here, with its keys, made from the registry."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.tui.actions import GROUPS, Action, actions_of, keys_text
from workbench.tui.record import Fact, Section
from workbench.tui.situations import Situation
from workbench.tui.widgets.record import RecordBody

_INTRO = (
    'Type into the query line: results come as you pause. Several words mean all of them; "a phrase", -word and OR work. '
    "Dates take words such as next 30 days; amounts take 250k or 1.5m."
)


def help_sections(screens: tuple[str, ...], situation: Situation) -> tuple[Section, ...]:
    """All actions of these screens by group, with keys; what is not possible now says why."""
    here = actions_of("app", *screens)
    return tuple(
        Section(group, group, facts)
        for group in GROUPS
        if (facts := tuple(_fact(action, situation) for action in here if action.group == group))
    )


def _fact(action: Action, situation: Situation) -> Fact:
    reason = action.when(situation)
    words = Content.assemble((f"{action.title:<18}", "bold"), (action.help, "$soft"))
    keys = Content.styled(keys_text(action.keys) or "^p", "bold $footer-key-foreground")
    return Fact(keys, Content.assemble(words, (f" {reason}", "italic $faint")) if reason else words)


class Help(ModalScreen[None]):
    """Opens over the screen that it explains; Escape, q or the help key close it."""

    BINDINGS: ClassVar = [
        Binding("escape,q,f1,question_mark", "leave", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("pagedown,space,ctrl+d", "scroll(12)", show=False),
        Binding("pageup,ctrl+u", "scroll(-12)", show=False),
    ]

    def __init__(self, screens: tuple[str, ...], situation: Situation) -> None:
        super().__init__()
        self._screens, self._situation = screens, situation

    def compose(self) -> ComposeResult:
        """The list in a box that scrolls."""
        with Vertical(classes="box help"):
            with VerticalScroll(can_focus=False):
                yield RecordBody()
            yield Static(Content.styled("j k scroll   esc close   F2 the manual", "$faint"), classes="hint")

    def on_mount(self) -> None:
        """Name the box."""
        self.query_one(".box").border_title = "Help"
        body = self.query_one(RecordBody)
        body.lead, body.sections = (Content(_INTRO),), help_sections(self._screens, self._situation)

    def action_scroll(self, lines: int) -> None:
        """Scroll by so many lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
