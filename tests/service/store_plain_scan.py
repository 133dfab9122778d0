"""What a search should find, told by looking at every record: written without the compiler, from the interface's words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from workbench.contract.tenders import TenderSearch, TenderToolSearch

Record = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A text query as a structure: groups of which each needs one phrase, and phrases that must not be there."""

    groups: tuple[tuple[str, ...], ...] = ()
    without: tuple[str, ...] = ()

    def typed(self) -> str:
        """As a person would type it."""
        groups = [" OR ".join(_quoted(phrase) for phrase in group) for group in self.groups]
        return " ".join([*groups, *(f"-{_quoted(phrase)}" for phrase in self.without)])


def _quoted(phrase: str) -> str:
    return f'"{phrase}"' if " " in phrase else phrase


@cache
def plain(text: str) -> list[str]:
    """Words without accents and capitals; the dot of a Catalan ``l·l`` is part of its word."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", re.sub("l[·•‧∙⋅]l", "ll", bare.lower()))


def has(record: Record, phrase: str) -> bool:
    """Whether any searched text holds the words of a phrase one after the other; ``*`` leaves the last one open."""
    wanted = " " + " ".join(plain(phrase)) + ("" if phrase.endswith("*") else " ")
    buyer = (record["contractingOrganization"] or {}).get("name")
    texts = [record["name"], record["description"], record["expedient"], buyer, *(lot["name"] for lot in record["lots"] or ())]
    return any(wanted in f" {' '.join(plain(text))} " for text in texts if text)


def matches(record: Record, search: TenderSearch, asked: Asked, now: datetime) -> bool:
    """Whether a record passes every filter."""
    return all(check(record, search, asked, now) for check in _CHECKS)


def _text(record: Record, _: TenderSearch, asked: Asked, __: datetime) -> bool:
    wanted = all(any(has(record, phrase) for phrase in group) for group in asked.groups)
    return wanted and not any(has(record, phrase) for phrase in asked.without)


def _status(record: Record, search: TenderSearch, _: Asked, __: datetime) -> bool:
    return not search.status or record["status"] in list(search.status)


def _cpvs(record: Record, search: TenderSearch, _: Asked, __: datetime) -> bool:
    def below(code: str) -> str:
        digits = code[:8]
        return digits[:2] + digits[2:].rstrip("0")

    return not search.cpvs or any(code.startswith(below(wanted)) for wanted in search.cpvs for code in record["cpvCodes"])


def _locations(record: Record, search: TenderSearch, _: Asked, __: datetime) -> bool:
    def at(place: Record, wanted: str) -> bool:
        kind, _, name = wanted.partition("/")
        value = place["name"] if kind == "town" else place["code"]
        return place["type"] == kind and plain(value) == plain(name)

    return not search.locations or any(at(place, wanted) for wanted in search.locations for place in record["locations"])


def _named(record: Record, search: TenderSearch, _: Asked, __: datetime) -> bool:
    if not isinstance(search, TenderToolSearch):
        return True
    for wanted, value in ((search.procedures, record["procedure"]), (search.contract_types, record["contractType"])):
        if wanted and (value is None or plain(value) not in [plain(one) for one in wanted]):
            return False
    return True


def _budget(record: Record, search: TenderSearch, _: Asked, __: datetime) -> bool:
    return _between(record["budgetNoTaxes"], search.min_budget, search.max_budget)


def _dates(record: Record, search: TenderSearch, _: Asked, __: datetime) -> bool:
    bounds = (
        ("expedientPublishedAt", search.min_publication_date, search.max_publication_date),
        ("expedientSubmissionDeadline", search.min_deadline_date, search.max_deadline_date),
        ("expedientAdjudicationDate", search.min_awarding_date, search.max_awarding_date),
        ("expedientUpdatedAt", search.min_last_update_date, search.max_last_update_date),
    )
    return all(_between(moment(record[name]), low, high) for name, low, high in bounds)


def _within_deadline(record: Record, search: TenderSearch, _: Asked, now: datetime) -> bool:
    deadline = moment(record["expedientSubmissionDeadline"])
    is_open = record["status"] == "Publicada" and deadline is not None and deadline > now
    return is_open or not search.is_only_within_deadline


_CHECKS: Sequence[Callable[[Record, TenderSearch, Asked, datetime], bool]] = (
    _text,
    _status,
    _cpvs,
    _locations,
    _named,
    _budget,
    _dates,
    _within_deadline,
)


def _between(value: Any, low: Any, high: Any) -> bool:
    if low is None and high is None:
        return True
    return value is not None and (low is None or value >= low) and (high is None or value <= high)


@cache
def moment(text: str | None) -> datetime | None:
    """A moment of a record."""
    return None if text is None else datetime.fromisoformat(text)


SORT_FIELDS = {
    "by-published-date": "expedientPublishedAt",
    "by-update-date": "expedientUpdatedAt",
    "by-due-date": "expedientSubmissionDeadline",
    "by-submission-date": "expedientSubmissionDeadline",
    "by-budget": "budgetNoTaxes",
    "by-prorated-budget": "proratedBudget",
    "by-expiration-date": "expedientExpirationDate",
    "by-awarding-date": "expedientAdjudicationDate",
    "by-last-significant-change": "lastSignificantChangeAt",
}


def in_order(found: Sequence[Record], sort: str, *, descending: bool) -> list[Record]:
    """Records by a sort: missing last in both directions, equal ones by publication and id in the same direction."""
    field = SORT_FIELDS[sort]

    def value(record: Record) -> Any:
        return record[field] if isinstance(record[field], float) else moment(record[field])

    present = [record for record in found if record[field] is not None]
    missing = [record for record in found if record[field] is None]
    ties = lambda record: (moment(record["expedientPublishedAt"]), record["id"])  # noqa: E731
    present.sort(key=lambda record: (value(record), *ties(record)), reverse=descending)
    return present + sorted(missing, key=ties, reverse=descending)
