"""A tender search as the store understands it: checked, decided, and free of the wire's spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.contract.tenders import TenderSearch, TenderToolSearch
from workbench.contract.vocabulary import PAGE_FIRST, TenderSort, TenderStatus
from workbench.reference import cpv, provinces
from workbench.service.store import facets
from workbench.service.store.facets import STATUS_NUMBERS
from workbench.service.store.moments import micros
from workbench.service.store.query_text import TERMS_MAX, Term, TextQuery, read_text
from workbench.service.store.row_order import first_row, last_row

_OFFSET_MAX: Final = 1 << 62
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")


class InvalidQuery(ValueError):
    """A filter that cannot be meant. ``field`` is its wire name; the message says what is allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of one column, both included unless ``above``: then the lower one is not.

    A tender without a value is outside, unless ``or_missing``.
    """

    column: str
    low: float | None
    high: float | None
    above: bool = False
    or_missing: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """What a tender must have one of: a term in its text, or a facet."""

    terms: tuple[Term, ...] = ()
    facets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """One page of one search. ``facets`` are groups of which each must have one; ``rows`` is a range of row numbers.

    ``limit`` is one more than the page, which tells whether another follows. ``statuses`` is ``None`` for any. ``without``
    are facets of which none may be there; ``among`` are the only row numbers to look at, ``None`` for all.
    """

    text: TextQuery
    facets: tuple[tuple[str, ...], ...]
    statuses: tuple[int, ...] | None
    ranges: tuple[Range, ...]
    rows: tuple[int | None, int | None]
    sort: TenderSort
    descending: bool
    limit: int
    offset: int
    either: tuple[Either, ...] = ()
    without: tuple[str, ...] = ()
    among: tuple[int, ...] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether its filters contradict each other, so that nothing can match."""
        return self.statuses == () or self.among == ()

    @property
    def has_prefix(self) -> bool:
        """Whether any term asks for the beginning of a word."""
        return self.text.has_prefix or any(term.prefix for group in self.either for term in group.terms)


def query_of(search: TenderSearch, now: datetime, page_size_default: int) -> Query:
    """The query that a search body means at the moment ``now``.

    Values of one filter mean any of them, filters together mean all of them. An empty list is no filter. Raises
    :class:`InvalidQuery` for a value that no tender could have.
    """
    text = read_text(search.text or "")
    if text.size > TERMS_MAX:
        raise InvalidQuery(
            "text", f"The text has {text.size} words and phrases; at most {TERMS_MAX} can be searched for at once."
        )
    size = search.page_size or page_size_default
    groups = [_cpvs(search.cpvs or ()), _locations(search.locations or ())]
    if isinstance(search, TenderToolSearch):
        groups.append(_named("procedures", search.procedures or (), facets.procedure_facet))
        groups.append(_named("contractTypes", search.contract_types or (), facets.contract_type_facet))
    sort = search.sort or TenderSort.PUBLISHED
    if sort is TenderSort.RELEVANCE and not text.required:
        sort = TenderSort.PUBLISHED
    return Query(
        text=text,
        facets=tuple(group for group in groups if group),
        statuses=_statuses(search),
        ranges=_ranges(search, now),
        rows=(
            None if search.min_publication_date is None else first_row(micros(search.min_publication_date)),
            None if search.max_publication_date is None else last_row(micros(search.max_publication_date)),
        ),
        sort=sort,
        descending=search.is_descendent is not False,
        limit=size + 1,
        offset=min(((search.page or PAGE_FIRST) - 1) * size, _OFFSET_MAX),
    )


def _statuses(search: TenderSearch) -> tuple[int, ...] | None:
    wanted = {STATUS_NUMBERS[status] for status in search.status} if search.status else None
    if search.is_only_within_deadline:
        published = {STATUS_NUMBERS[TenderStatus.PUBLISHED]}
        wanted = published if wanted is None else wanted & published
    return None if wanted is None else tuple(sorted(wanted))


def _ranges(search: TenderSearch, now: datetime) -> tuple[Range, ...]:
    ranges = [
        Range("budget", search.min_budget, search.max_budget),
        _dates("deadline", search.min_deadline_date, search.max_deadline_date),
        _dates("awarded", search.min_awarding_date, search.max_awarding_date),
        _dates("updated", search.min_last_update_date, search.max_last_update_date),
    ]
    if search.is_only_within_deadline:
        ranges.append(Range("deadline", micros(now), None, above=True))
    return tuple(one for one in ranges if one.low is not None or one.high is not None)


def _dates(column: str, low: datetime | None, high: datetime | None) -> Range:
    return Range(column, None if low is None else micros(low), None if high is None else micros(high))


def _cpvs(codes: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for code in codes:
        try:
            found[facets.cpv_facet(cpv.stem(cpv.normalize(code)))] = None
        except cpv.UnknownCpv as trouble:
            raise InvalidQuery("cpvs", str(trouble)) from None
    return tuple(found)


def _named(field: str, values: Iterable[str], facet: Callable[[str], str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for value in values:
        if not value.strip():
            raise InvalidQuery(field, f"A value of {field} is blank: give its name, such as Obras or Abierto, or its code.")
        found[facet(value)] = None
    return tuple(found)


def _locations(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_location, values)))


def _location(value: str) -> str:
    kind, slash, name = value.partition("/")
    name = name.strip()
    if not slash or not name or kind not in ("country", "province", "town"):
        raise InvalidQuery(
            "locations",
            f"{value!r} is not a location: expected country/<ISO code> such as country/ES, province/<code> such as "
            "province/08, or town/<name> such as town/Sabadell.",
        )
    if kind == "town":
        return facets.town_facet(name)
    if kind == "country":
        if not _COUNTRY.fullmatch(name):
            raise InvalidQuery("locations", f"{name!r} is not a country code: expected two letters of ISO 3166-1, such as ES.")
        return facets.country_facet(name)
    province = provinces.find(name)
    if province is None:
        raise InvalidQuery(
            "locations",
            f"{name!r} is not a Spanish province: expected its INE code such as 08, its ISO 3166-2 code such as ES-B, "
            "or its name.",
        )
    return facets.province_facet(province.ine)
