"""What the two main screens share: the app they stand in, and the line of keys that follows what is possible."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, work
from textual.screen import Screen
from textual.widgets import Input

from workbench.tui.actions import actions_of
from workbench.tui.record import buyer_reference, tender_link
from workbench.tui.situations import Situation
from workbench.tui.text import cut, plain
from workbench.tui.widgets.bars import KeyBar

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender
    from workbench.tui.app import WorkbenchApp


class WorkbenchScreen(Screen[None]):
    """A screen whose actions come from the registry; ``PLACES`` are the registry's names of where they work."""

    PLACES: ClassVar[tuple[str, ...]] = ()

    @property
    def workbench(self) -> WorkbenchApp:
        """The app, typed."""
        return cast("WorkbenchApp", self.app)

    def situation(self) -> Situation:
        """What decides which actions are possible now."""
        raise NotImplementedError

    @property
    def current_tender(self) -> Tender | None:
        """The tender that actions are about."""
        raise NotImplementedError

    def refresh_keys(self) -> None:
        """Let the line of keys follow what is possible now."""
        bar = self.query_one(KeyBar)
        bar.actions = actions_of("app", *self.PLACES)
        bar.situation = self.situation()
        bar.typing = isinstance(self.focused, Input)

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        """Other keys work in a field than in a list."""
        self.call_next(self.refresh_keys)

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Do what the clicked key does."""
        event.stop()
        await self.workbench.action_perform(event.action_id)

    def action_browse(self) -> None:
        """Open the tender's page in the browser."""
        link = tender_link(self.current_tender) if self.current_tender is not None else None
        if link is not None:
            self.workbench.open_address(link)

    @work(exclusive=True, group="copy", exit_on_error=False)
    async def action_copy(self) -> None:
        """Choose what to copy."""
        from workbench.tui.dialogs.menu import Item, Menu

        tender = self.current_tender
        if tender is None:
            return
        record = json.dumps(tender.to_wire(), ensure_ascii=False, indent=2)
        values = {
            "title": (tender.name, "t"),
            "id": (tender.id, "i"),
            "link": (tender_link(tender), "l"),
            "file number": (tender.expedient, "f"),
            "record as JSON": (record, "j"),
        }
        items = [
            Item(name, name, cut(plain(value), 60) if key != "j" else "", key) for name, (value, key) in values.items() if value
        ]
        chosen = await self.app.push_screen_wait(Menu("Copy", items))
        if chosen is not None:
            await self.workbench.copy(values[chosen][0] or "", chosen)

    def action_show_buyer(self) -> None:
        """Who buys, and what they have awarded."""
        from workbench.tui.dialogs.organization import OrganizationDialog

        tender = self.current_tender
        reference = buyer_reference(tender) if tender is not None else None
        if tender is not None and reference is not None:
            buyer = tender.contracting_organization
            self.app.push_screen(OrganizationDialog(self.workbench.session, reference, plain(buyer.name if buyer else None)))
