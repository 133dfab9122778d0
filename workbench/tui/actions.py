"""What the table of actions is read by: key bindings, footer, command palette, help, keymap and documentation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.binding import Binding, BindingType

from workbench.tui.action_table import ACTIONS
from workbench.tui.situations import Action

BY_ID: Final = {action.id: action for action in ACTIONS}
GROUPS: Final = tuple(dict.fromkeys(action.group for action in ACTIONS))
_DIRECT: Final = {"command_palette", "quit"}


def actions_of(*screens: str) -> tuple[Action, ...]:
    """The actions that work on any of these screens, in the order of the table."""
    return tuple(action for action in ACTIONS if set(action.screens) & set(screens))


def bindings(screen: str) -> list[BindingType]:
    """The key bindings of one screen (or of ``app`` or ``table``); each goes through the check of whether it is possible now.

    The id of a binding is the action's, so that a keymap can name it.
    """
    return [
        Binding(
            ",".join(action.keys),
            action.method if screen == "table" or action.method in _DIRECT else f"app.perform({action.id!r})",
            action.title,
            show=False,
            tooltip=action.help,
            id=action.id,
            priority=action.id in ("app.quit", "app.palette") and screen == "app",
        )
        for action in actions_of(screen)
        if action.keys
    ]


_KEY_NAMES: Final = {
    "question_mark": "?", "slash": "/", "colon": ":", "escape": "esc", "enter": "⏎", "down": "↓", "up": "↑", "pagedown": "pgdn",
    "pageup": "pgup", "right_square_bracket": "]", "left_square_bracket": "[", "right_curly_bracket": "}", "backspace": "⌫",
    "left_curly_bracket": "{", "shift+down": "shift ↓", "shift+up": "shift ↑", "f1": "F1", "f5": "F5", "f2": "F2",
}  # fmt: skip


def key_text(key: str) -> str:
    """A key as it stands on a keyboard: ``ctrl+p`` is ``^p``, ``slash`` is ``/``."""
    if key in _KEY_NAMES:
        return _KEY_NAMES[key]
    return f"^{key.removeprefix('ctrl+')}" if key.startswith("ctrl+") else key


def keys_text(keys: Iterable[str]) -> str:
    """All keys of an action for help and documentation."""
    return "  ".join(key_text(key) for key in keys)


def clashes() -> list[str]:
    """Keys that two actions of one screen would both answer, as sentences; empty when the table is sound."""
    found: list[str] = []
    for screen in ("search", "tender"):
        owners: dict[str, str] = {}
        for action in actions_of("app", screen, *(["table"] if screen == "search" else [])):
            for key in action.keys:
                if key in owners:
                    found.append(f"{key} on {screen}: {owners[key]} and {action.id}")
                owners[key] = action.id
    return found
