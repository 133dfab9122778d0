"""The command palette's source: the actions that work on the screen below it, with the reason where one is not possible."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from workbench.tui.actions import Action, actions_of, key_text
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.situations import Situation

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class ActionCommands(Provider):
    """Every action of the registry that belongs to the screen."""

    def _possible(self) -> tuple[Iterable[Action], Situation]:
        screen = self.screen
        if not isinstance(screen, WorkbenchScreen):
            return actions_of("app"), Situation()
        return actions_of("app", *screen.PLACES), screen.situation()

    def _command(self, action: Action, situation: Situation) -> tuple[Content, str, partial[object]]:
        reason = action.when(situation)
        words = Content.assemble(action.title, (f"  {key_text(action.key)}", "$footer-key-foreground") if action.key else "")
        app = cast("WorkbenchApp", self.app)
        return words, reason or action.help, partial(app.action_perform, action.id)

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        actions, situation = self._possible()
        for action in actions:
            if action.id != "app.palette":
                words, remark, command = self._command(action, situation)
                yield DiscoveryHit(words, command, text=action.title, help=remark)

    async def search(self, query: str) -> Hits:
        """Those whose title or help match."""
        matcher = self.matcher(query)
        actions, situation = self._possible()
        for action in actions:
            score = max(matcher.match(action.title), matcher.match(action.help) * 0.6)
            if score > 0 and action.id != "app.palette":
                words, remark, command = self._command(action, situation)
                yield Hit(score, words, command, text=action.title, help=remark)
