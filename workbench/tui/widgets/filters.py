"""The filter panel: every filter of the interface, checked while one types. A query comes in, a query goes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from workbench.contract.vocabulary import TenderStatus
from workbench.tui.amounts import NotAnAmount, parse_amount
from workbench.tui.columns import STATUS_TONES
from workbench.tui.moments import NotADate, parse_span
from workbench.tui.query import DATE_FILTERS, Days, Query
from workbench.tui.text import content
from workbench.tui.vocabulary import cpv_chip, place_chip, suggest_cpvs, suggest_places
from workbench.tui.widgets.checks import CheckList, Tick
from workbench.tui.widgets.picker import Picker

_STATUS_WORDS = {
    TenderStatus.PUBLISHED: "open for bids",
    TenderStatus.AWARDED: "awarded",
    TenderStatus.RESOLVED: "resolved",
    TenderStatus.FORMALIZED: "contract signed",
    TenderStatus.CLOSED: "closed",
}


def _status_words(status: TenderStatus) -> Content:
    dot = ("● ", f"$status-{STATUS_TONES[status]}")
    return Content.assemble(dot, status.value, (f"  {_STATUS_WORDS[status]}", "$soft"))


class FilterPanel(VerticalScroll, can_focus=False):
    """Status, CPV, places, budget, dates and whether bids are still taken. Mounted once; shown and hidden."""

    BINDINGS: ClassVar = [Binding("down", "app.focus_next", show=False), Binding("up", "app.focus_previous", show=False)]

    class Changed(Message):
        """The filters are now those of ``query``; its text, sort and direction are as they came."""

        def __init__(self, query: Query) -> None:
            super().__init__()
            self.query = query

    def __init__(self, clock: Callable[[], datetime], query: Query, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._clock = clock
        self._query = query
        self._wrong: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """The fields in the order of the chips."""
        yield Tick(Content("only those that still take bids"), self._query.only_open, id="only_open", compact=True)
        statuses = CheckList([(status.value, _status_words(status)) for status in TenderStatus], id="statuses", classes="field")
        statuses.border_title = "Status"
        yield statuses
        yield Picker("CPV", "code or words: 45, road works, software", suggest_cpvs, id="cpvs")
        yield Picker("Places", "province, country or town", suggest_places, id="places")
        with Horizontal(id="budgets"):
            yield self._field("min_budget", "Budget from", "250k")
            yield self._field("max_budget", "to", "1.5m")
        for name, (_, label) in DATE_FILTERS.items():
            yield self._field(name, label.capitalize(), _EXAMPLES[name])
        yield Static(id="wrong")

    def on_mount(self) -> None:
        """Show the query that it was made for."""
        self.show(self._query)

    @staticmethod
    def _field(name: str, title: str, example: str) -> Input:
        field = Input(id=name, placeholder=example, classes="field")
        field.border_title = title
        return field

    def show(self, query: Query) -> None:
        """Take in a query that was changed elsewhere, as by a chip; fields that say the same already keep their words."""
        self._query = query
        with self.prevent(Tick.Changed, Input.Changed):
            self.query_one("#only_open", Tick).value = query.only_open
            self.query_one("#statuses", CheckList).show(query.statuses)
            for name in ("min_budget", "max_budget"):
                self._show_field(name, getattr(query, name) is not None, f"{getattr(query, name) or 0:.15g}")
            for name in DATE_FILTERS:
                days: Days = getattr(query, name)
                self._show_field(name, bool(days), days.words or str(days.span))

    def _show_field(self, name: str, is_set: bool, words: str) -> None:
        field = self.query_one(f"#{name}", Input)
        if not is_set and name not in self._wrong:
            field.value, field.border_subtitle = "", ""
        elif is_set and not field.value:
            field.value = words

    def focus_first(self) -> None:
        """Put the keys into the first field."""
        self.query_one("#only_open", Tick).focus()

    def _change(self, query: Query) -> None:
        if query != self._query:
            self._query = query
            self.post_message(self.Changed(query))

    @on(Tick.Changed, "#only_open")
    def _open_changed(self, event: Tick.Changed) -> None:
        event.stop()
        self._change(replace(self._query, only_open=event.value))

    @on(CheckList.Changed)
    def _statuses_changed(self, event: CheckList.Changed) -> None:
        event.stop()
        self._change(replace(self._query, statuses=event.selected))

    @on(Picker.Chosen)
    def _choice_made(self, event: Picker.Chosen) -> None:
        event.stop()
        if event.picker.id == "cpvs":
            chosen = (*self._query.cpvs, cpv_chip(event.choice))
            self._change(replace(self._query, cpvs=tuple({choice.value: choice for choice in chosen}.values())))
        else:
            chosen = (*self._query.places, place_chip(event.choice))
            self._change(replace(self._query, places=tuple({choice.value: choice for choice in chosen}.values())))

    @on(Input.Changed, ".field")
    def _field_changed(self, event: Input.Changed) -> None:
        event.stop()
        name = event.input.id or ""
        try:
            value, meaning = self._read(name, event.value)
        except (NotAnAmount, NotADate) as trouble:
            self._wrong[name] = str(trouble)
        else:
            self._wrong.pop(name, None)
            event.input.border_subtitle = content(meaning)
            self._change(replace(self._query, **{name: value}))
        event.input.set_class(name in self._wrong, "-wrong")
        self.query_one("#wrong", Static).update(Content("\n").join([content(words) for words in self._wrong.values()]))

    def _read(self, name: str, text: str) -> tuple[object, str]:
        if name in DATE_FILTERS:
            span = parse_span(text, self._clock().date())
            words = " ".join(text.split())
            return (Days(words, span), str(span)) if span else (Days(), "")
        amount = parse_amount(text)
        return amount, "" if amount is None else f"{amount:,.15g} €"


_EXAMPLES = {"published": "last 30 days", "deadline": "next 30 days", "awarded": "this year", "updated": "since 2026-01-01"}
