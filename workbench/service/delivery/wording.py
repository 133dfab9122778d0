"""Values of a tender and of an alert as words for a person, the same in every form of an e-mail."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import TenderStatus
from workbench.reference import countries, cpv, provinces
from workbench.service.delivery.changes import DOCUMENTS, OTHER, Change
from workbench.service.matching import SPAIN

# Control characters, bidirectional and other invisible marks, line separators, lone surrogates.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]+"
)

UNNAMED: Final = "(without a name)"
UNKNOWN: Final = "not stated"

LABELS: Final = {
    "status": "Status",
    "name": "Title",
    "expedientSubmissionDeadline": "Deadline",
    "budgetNoTaxes": "Budget",
    "awardAmount": "Award",
    "successBidders": "Supplier",
    "biddersNumber": "Bids",
    "expedientAdjudicationDate": "Awarded on",
    "expedientFormalizedAt": "Signed on",
    "expedientExpirationDate": "Contract ends",
    "numLots": "Lots",
}

_MOMENTS: Final = frozenset(
    {"expedientSubmissionDeadline", "expedientAdjudicationDate", "expedientFormalizedAt", "expedientExpirationDate"}
)
_AMOUNTS: Final = frozenset({"budgetNoTaxes", "awardAmount"})
_DOCUMENTS_NAMED: Final = 3


def clean(text: object) -> str:
    """Text from outside as one line without control, bidirectional or invisible characters."""
    return " ".join(_UNSAFE.sub(" ", str(text)).split())


def shortened(text: str, most: int) -> str:
    """``text``, cut at a word and marked where it is longer than ``most`` characters."""
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"


def title(record: JsonObject) -> str:
    """What a tender is called."""
    return clean(record.get("name") or "") or UNNAMED


def buyer(record: JsonObject) -> str:
    """The buyer's name, or an empty text."""
    organization: JsonObject = record.get("contractingOrganization") or {}
    return clean(organization.get("name") or "")


def suppliers(record: JsonObject) -> str:
    """The winners' names."""
    winners: list[JsonObject] = record.get("successBidders") or []
    return "; ".join(dict.fromkeys(clean(one.get("name") or "?") for one in winners))


def place(record: JsonObject) -> str:
    """Where the tender is carried out."""
    return clean(record.get("location") or record.get("country") or "")


def money(amount: float | None, currency: str | None) -> str:
    """``1,234,567.50 €``; an empty text where there is none."""
    if amount is None:
        return ""
    figure = f"{amount:,.2f}".removesuffix(".00")
    # A blank that does not break: a figure and its currency stay on one line.
    return f"{figure}\N{NO-BREAK SPACE}{'€' if currency in ('EUR', None) else clean(currency)}"


def moment(text: str | None, zone: ZoneInfo, *, hour: bool = True) -> str:
    """``Fri 12 Jun 2026 14:00`` on the clock of ``zone``; an empty text where there is none."""
    if not text:
        return ""
    return when(datetime.fromisoformat(text), zone, hour=hour)


def when(at: datetime, zone: ZoneInfo, *, hour: bool = True) -> str:
    """As :func:`moment`, of an aware moment."""
    local = at.astimezone(zone)
    # Names of days and months come from here: the C library's follow the locale of the machine.
    day = f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year}"
    return f"{day} {local:%H:%M}" if hour else day


_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def facts(record: JsonObject, zone: ZoneInfo, *, awarded: bool) -> list[tuple[str, str]]:
    """What is said of a tender beside its name, as label and value; what is not known is left out.

    ``awarded`` puts the result where the deadline stands otherwise.
    """
    currency: str | None = record.get("currency")
    lines = [
        ("Buyer", buyer(record)),
        ("Place", place(record)),
        ("Budget", money(record.get("budgetNoTaxes"), currency)),
    ]
    if awarded:
        lines += [
            ("Award", money(record.get("awardAmount"), currency)),
            ("Supplier", shortened(suppliers(record), 160)),
            ("Awarded on", moment(record.get("expedientAdjudicationDate"), zone, hour=False)),
        ]
    end = None if record.get("status") == TenderStatus.PUBLISHED else contract_end(record)
    if end:
        lines.append(("Contract ends", moment(end, zone, hour=False)))
    elif not awarded:
        lines.append(("Deadline", moment(record.get("expedientSubmissionDeadline"), zone)))
    lines.append(("Status", clean(record.get("status") or "")))
    return [(label, value) for label, value in lines if value]


def day(record: JsonObject, zone: ZoneInfo) -> str:
    """The day that matters next: the deadline while the tender can be bid for, else the end of the contract, where known."""
    end = contract_end(record)
    if record.get("status") == TenderStatus.PUBLISHED or not end:
        return moment(record.get("expedientSubmissionDeadline"), zone)
    return f"contract ends {moment(end, zone, hour=False)}"


def contract_end(record: JsonObject) -> str | None:
    """When the contract ends, its extension included."""
    return record.get("expedientExtendedExpirationDate") or record.get("expedientExpirationDate")


def change(one: Change, record: JsonObject, zone: ZoneInfo) -> tuple[str, str, str]:
    """A change as label, value before and value after; a change without two values has an empty text before."""
    if one.field == OTHER:
        return "Details", "", "changed; see the notice"
    if one.field == DOCUMENTS:
        return "Documents", "", _documents(one)
    label = LABELS.get(one.field, one.field)
    return label, _value(one.field, one.before, record, zone), _value(one.field, one.after, record, zone)


def _documents(one: Change) -> str:
    names: list[str] = [shortened(clean(name), 60) for name in one.after]
    more = len(names) - _DOCUMENTS_NAMED
    parts: list[str] = []
    if names:
        listed = ", ".join(names[:_DOCUMENTS_NAMED]) + (f" and {more} more" if more > 0 else "")
        parts.append(f"{len(names)} new: {listed}")
    if one.before:
        parts.append(f"{one.before} taken away")
    return "; ".join(parts)


def _value(name: str, value: Any, record: JsonObject, zone: ZoneInfo) -> str:
    if value is None or value == []:
        return UNKNOWN
    if name in _MOMENTS:
        return moment(value, zone)
    if name in _AMOUNTS:
        return money(value, record.get("currency"))
    if isinstance(value, list):
        return shortened("; ".join(clean(part) for part in value), 120)  # type: ignore[arg-type]  # a JSON list of names
    return clean(value)


def criteria(wanted: JsonObject) -> list[tuple[str, str]]:
    """What an alert looks for, as label and value; empty where it looks for everything."""
    words_in, words_out = _lists(wanted.get("keywords"))
    codes_in, codes_out = _lists(wanted.get("cpvCodes"))
    places: JsonObject = wanted.get("locations") or {}
    lands_in, lands_out = _lists(places.get("country"))
    provinces_in, provinces_out = _lists(places.get("province"))
    if provinces_in:
        # They take the place of the country as a whole: see workbench.service.matching.
        lands_in = [land for land in lands_in if _country(land) != SPAIN]
    lines = [
        ("Words", [clean(word) for word in words_in]),
        ("CPV", [_code(code) for code in codes_in]),
        ("Without words", [clean(word) for word in words_out]),
        ("Without CPV", [_code(code) for code in codes_out]),
        (
            "Places",
            [*(_country(land) for land in lands_in if land != SPAIN or not provinces_in), *map(_province, provinces_in)],
        ),
        ("Not in", [*map(_country, lands_out), *map(_province, provinces_out)]),
        ("Budget", _budget(wanted.get("budget") or {})),
        ("Status", [clean(status) for status in wanted.get("statuses") or ()]),
        ("Contract type", [clean(kind) for kind in wanted.get("contractTypes") or ()]),
        ("Procedure", [clean(kind) for kind in wanted.get("procedures") or ()]),
        ("Deadline", ["not passed"] if wanted.get("inDeadline") is True else []),
    ]
    return [(label, _listed(values)) for label, values in lines if values]


def _lists(lists: JsonObject | None) -> tuple[list[str], list[str]]:
    return ((lists.get("include") or []), (lists.get("exclude") or [])) if lists else ([], [])


def _listed(values: list[str], most: int = 12) -> str:
    more = len(values) - most
    return ", ".join(values[:most]) + (f" and {more} more" if more > 0 else "")


def _code(code: str) -> str:
    known = cpv.get(code)
    return f"{known.full} {known.name('en')}" if known else clean(code)


def _country(code: str) -> str:
    return countries.alpha2(code) or clean(code)


def _province(name: str) -> str:
    known = provinces.find(name)
    return known.name if known else clean(name)


def _budget(bounds: JsonObject) -> list[str]:
    low, high = bounds.get("min"), bounds.get("max")
    parts = [f"from {money(low, None)}" if low is not None else "", f"up to {money(high, None)}" if high is not None else ""]
    found = " ".join(part for part in parts if part)
    return [f"{found}, or not stated"] if found else []
