"""What is gathered while a PLACSP entry is walked, and how its leaves are read: an odd value is noted, never guessed."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from workbench.feeds import moments
from workbench.feeds.amounts import amount, count
from workbench.feeds.notice import Award, Document, Location, Lot, Modification, Notice
from workbench.feeds.placsp_codes import DAYS_OF_UNIT, MONTHS_OF_UNIT
from workbench.feeds.placsp_parties import text_of
from workbench.feeds.xml_element import Element

Duration = tuple[float, str]
"""A number and its unit: ``MON``, ``ANN``, ``DAY`` or ``WEE``."""

_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}
_SHOWN_MAX: Final = 60
_YEARS_MAX: Final = 200


class Reading:
    """The notice under construction and what can only be weighed when its whole entry has been walked."""

    __slots__ = (
        "awards", "contract_days", "cpvs", "documents", "duration", "end", "extension", "final", "locations", "lots",
        "modifications", "notes", "notice", "notices", "results", "results_lots", "start", "starts",
    )  # fmt: skip

    def __init__(self, notice: Notice) -> None:
        """Start with nothing known."""
        self.notice = notice
        self.notes: list[str] = []
        self.cpvs: list[str] = []
        self.locations: list[Location] = []
        self.lots: list[Lot] = []
        self.awards: list[Award] = []
        self.documents: list[Document] = []
        self.modifications: list[Modification] = []
        self.notices: dict[str, datetime | None] = {}
        self.results: set[str] = set()
        self.results_lots: set[str] = set()
        self.contract_days: list[datetime] = []
        self.starts: list[datetime] = []
        self.start: datetime | None = None
        self.end: datetime | None = None
        self.duration: Duration | None = None
        self.extension: Duration | None = None
        self.final: Duration | None = None

    def unreadable(self, what: str, text: str) -> None:
        """Note that a value could not be read and was left out."""
        shown = text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"
        self.notes.append(f"{what} {shown!r} could not be read and was left out.")

    def amount(self, element: Element, what: str, owner: Notice | Lot | Award | Modification) -> float | None:
        """An amount; its currency becomes the owner's, and one that differs from the owner's others is noted."""
        text = text_of(element)
        if text is None:
            return None
        number = amount(text)
        if number is None:
            self.unreadable(what, text)
            return None
        currency = element.get("currencyID")
        if currency and currency != owner.currency:
            if owner.currency is None:
                owner.currency = currency
            else:
                self.notes.append(f"{what} is in {currency[:10]!r} and another amount is in {owner.currency[:10]!r}.")
        return number

    def count(self, element: Element, what: str) -> int | None:
        """A whole number from zero on."""
        text = text_of(element)
        if text is None:
            return None
        number = count(text)
        if number is None:
            self.unreadable(what, text)
        return number

    def day(self, element: Element, what: str) -> datetime | None:
        """The start of a day in Spain."""
        text = text_of(element)
        if text is None:
            return None
        moment = moments.day(text)
        if moment is None:
            self.unreadable(what, text)
        return moment

    def duration_of(self, element: Element, what: str) -> Duration | None:
        """A length of time with its unit, up to 200 years."""
        text = text_of(element)
        if text is None:
            return None
        number, unit = amount(text), (element.get("unitCode") or "").strip().upper()
        if number is None or number < 0 or number * DAYS_OF_UNIT.get(unit, float("inf")) > _YEARS_MAX * 366:
            self.unreadable(what, f"{text} {unit}".strip())
            return None
        return number, unit


def flag_of(element: Element) -> bool | None:
    """Yes or no; ``None`` where the text is neither."""
    return _FLAGS.get((text_of(element) or "").lower())


def days_of(duration: Duration) -> int:
    """How many days a duration has; twelve months are one year of 365."""
    return round(duration[0] * DAYS_OF_UNIT[duration[1]])


def end_of(start: datetime, duration: Duration) -> datetime | None:
    """When a duration that begins then is over: by the calendar for whole months and years, else by days."""
    months = duration[0] * MONTHS_OF_UNIT.get(duration[1], 0)
    if months and months.is_integer():
        return moments.after(start, months=int(months))
    return moments.after(start, days=days_of(duration))
