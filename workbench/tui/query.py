"""What the search screen asks for, as one value: text, every filter of the interface (4.1), sort and direction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from workbench.contract.vocabulary import TenderSort
from workbench.tui.amounts import short_money
from workbench.tui.moments import Span

SORTS: Final = {
    TenderSort.PUBLISHED: "publication",
    TenderSort.DUE: "deadline",
    TenderSort.BUDGET: "budget",
    TenderSort.RELEVANCE: "relevance",
    TenderSort.UPDATED: "last update",
    TenderSort.AWARDED: "award date",
    TenderSort.PRORATED_BUDGET: "yearly budget",
    TenderSort.EXPIRATION: "contract end",
    TenderSort.SIGNIFICANT_CHANGE: "last big change",
    TenderSort.SUBMISSION: "submission date",
}
"""Every sort of the interface (4.3) with its name for people, the most used first."""

DATE_FILTERS: Final = {
    "published": ("publication_date", "published"),
    "deadline": ("deadline_date", "deadline"),
    "awarded": ("awarding_date", "awarded"),
    "updated": ("last_update_date", "updated"),
}
"""Date filter to the stem of its two parameters and its name for people."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter as the service takes it, with its name for people."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Days:
    """A span of days as it was typed and as it was understood."""

    words: str = ""
    span: Span = field(default_factory=Span)

    def __bool__(self) -> bool:
        return bool(self.span)


@dataclass(frozen=True, slots=True)
class Chip:
    """One active filter: ``key`` for :meth:`Query.without`, ``label`` for people (still to be made safe to show)."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Query:
    """One search. Budgets are without taxes; spans include both ends."""

    text: str = ""
    statuses: tuple[str, ...] = ()
    cpvs: tuple[Choice, ...] = ()
    places: tuple[Choice, ...] = ()
    min_budget: float | None = None
    max_budget: float | None = None
    published: Days = field(default_factory=Days)
    deadline: Days = field(default_factory=Days)
    awarded: Days = field(default_factory=Days)
    updated: Days = field(default_factory=Days)
    only_open: bool = False
    sort: TenderSort = TenderSort.PUBLISHED
    descending: bool = True

    def parameters(self, now: datetime) -> dict[str, Any]:
        """The parameters of a tender search, in Python's spelling; filters that are not set stay out."""
        given: dict[str, Any] = {"sort": self.sort.value, "is_descendent": self.descending}
        if self.text.strip():
            given["text"] = self.text.strip()
        if self.statuses:
            given["status"] = list(self.statuses)
        if self.cpvs:
            given["cpvs"] = [choice.value for choice in self.cpvs]
        if self.places:
            given["locations"] = [choice.value for choice in self.places]
        if self.only_open:
            given["is_only_within_deadline"] = True
        bounds: dict[str, Any] = {"min_budget": self.min_budget, "max_budget": self.max_budget}
        for name, (stem, _) in DATE_FILTERS.items():
            bounds[f"min_{stem}"], bounds[f"max_{stem}"] = getattr(self, name).span.bounds(now)
        return given | {name: value for name, value in bounds.items() if value is not None}

    def chips(self) -> tuple[Chip, ...]:
        """The active filters, in the order of the filter panel."""
        chips = [Chip("only_open", "still open")] if self.only_open else []
        chips += [Chip(f"statuses:{status}", status) for status in self.statuses]
        chips += [Chip(f"cpvs:{choice.value}", choice.label) for choice in self.cpvs]
        chips += [Chip(f"places:{choice.value}", choice.label) for choice in self.places]
        if self.min_budget is not None:
            chips.append(Chip("min_budget", f"≥ {short_money(self.min_budget)}"))
        if self.max_budget is not None:
            chips.append(Chip("max_budget", f"≤ {short_money(self.max_budget)}"))
        for name, (_, label) in DATE_FILTERS.items():
            days: Days = getattr(self, name)
            if days:
                chips.append(Chip(name, f"{label} {days.words or days.span}"))
        return tuple(chips)

    def without(self, key: str) -> Query:
        """This search without the filter of one chip; itself if there is no such filter."""
        name, _, value = key.partition(":")
        match name:
            case "statuses":
                return replace(self, statuses=tuple(status for status in self.statuses if status != value))
            case "cpvs":
                return replace(self, cpvs=tuple(choice for choice in self.cpvs if choice.value != value))
            case "places":
                return replace(self, places=tuple(choice for choice in self.places if choice.value != value))
            case "only_open":
                return replace(self, only_open=False)
            case "min_budget":
                return replace(self, min_budget=None)
            case "max_budget":
                return replace(self, max_budget=None)
        return replace(self, **{name: Days()}) if name in DATE_FILTERS else self

    def cleared(self) -> Query:
        """The same text, sort and direction without any filter."""
        return Query(text=self.text, sort=self.sort, descending=self.descending)

    @property
    def order(self) -> str:
        """Sort and direction for people: ``by publication, newest first``."""
        if self.sort is TenderSort.RELEVANCE:
            return "most relevant first" if self.descending else "least relevant first"
        if self.sort in (TenderSort.BUDGET, TenderSort.PRORATED_BUDGET):
            ends = ("largest first", "smallest first")
        else:
            ends = ("latest first", "earliest first")
        return f"by {SORTS[self.sort]}, {ends[0] if self.descending else ends[1]}"
