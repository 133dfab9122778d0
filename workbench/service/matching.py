"""What an alert matches: from its criteria to the store's search, and nothing else (interface 2, alert criteria).

A tender matches when it passes all of these; what is left out or empty lets every tender pass:

- it has one of ``keywords.include`` *or* lies under one of ``cpvCodes.include`` (a code stands for all below it);
- it has none of ``keywords.exclude`` and lies under none of ``cpvCodes.exclude``;
- it lies in one of the included countries or provinces, where included provinces take the place of Spain as a whole, and in
  none of the excluded ones;
- its budget without taxes is within the bounds, or unknown;
- its status, contract type and procedure are among those listed;
- with ``inDeadline`` it can still be bid for: published, with a deadline that has not passed.

A keyword is a word or a phrase in the name or the description, whatever its accents and capitals; ``word*`` is any word that
begins so. The documentation (``alerts.md``) says the same to users.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import TenderStatus
from workbench.reference import countries, cpv, provinces
from workbench.reference.text import words
from workbench.service.store import facets
from workbench.service.store.facets import STATUS_NUMBERS
from workbench.service.store.moments import micros
from workbench.service.store.query import Either, InvalidQuery, Query, Range
from workbench.service.store.query_text import Term, TextQuery

KEYWORDS_MAX: Final = 100
"""Keywords of one list; each costs time in every run."""

CODES_MAX: Final = 500
"""CPV codes of one list; a longer one is better said with the codes above."""

NAMES_MAX: Final = 100
"""Contract types or procedures of one list."""

SPAIN: Final = "ES"


def check(criteria: JsonObject) -> None:
    """Refuse criteria that no tender could be meant by. Raises :class:`InvalidQuery`, whose sentence names the field."""
    _compiled(criteria)
    low, high = _bounds(criteria)
    for name, value in (("min", low), ("max", high)):
        if value is not None and not math.isfinite(value):
            raise _invalid(f"budget.{name}", "it must be a finite number")
    if low is not None and high is not None and low > high:
        raise _invalid("budget", f"its minimum {low:,.2f} is above its maximum {high:,.2f}, so nothing could match")


def narrowed(query: Query, criteria: JsonObject, now: datetime) -> Query:
    """``query`` for those tenders only that match ``criteria`` at the moment ``now``; its own filters stay on top.

    ``criteria`` is the JSON object that :class:`~workbench.contract.alerts.AlertCriteria` accepted and :func:`check` passed.
    """
    extra = _compiled(criteria)
    low, high = _bounds(criteria)
    ranges = list(query.ranges)
    if low is not None or high is not None:
        ranges.append(Range("budget", low, high, or_missing=True))
    statuses = query.statuses
    if listed := criteria.get("statuses"):
        statuses = _both(statuses, (STATUS_NUMBERS[status] for status in listed))
    if criteria.get("inDeadline") is True:
        statuses = _both(statuses, [STATUS_NUMBERS[TenderStatus.PUBLISHED]])
        ranges.append(Range("deadline", micros(now), None, above=True))
    return replace(
        query,
        text=TextQuery(query.text.required, (*query.text.excluded, *extra.excluded)),
        facets=(*query.facets, *extra.groups),
        either=(*query.either, *extra.either),
        without=(*query.without, *extra.without),
        statuses=statuses,
        ranges=tuple(ranges),
    )


def _both(statuses: tuple[int, ...] | None, others: Iterable[int]) -> tuple[int, ...]:
    wanted = set(others)
    return tuple(sorted(wanted if statuses is None else wanted & set(statuses)))


def _bounds(criteria: JsonObject) -> tuple[float | None, float | None]:
    budget: JsonObject = criteria.get("budget") or {}
    return budget.get("min"), budget.get("max")


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The parts of criteria that the text index answers, as :class:`Query` has them."""

    excluded: tuple[Term, ...]
    groups: tuple[tuple[str, ...], ...]
    either: tuple[Either, ...]
    without: tuple[str, ...]


def _compiled(criteria: JsonObject) -> _Compiled:
    keywords, no_keywords = _lists(criteria.get("keywords"))
    codes, no_codes = _lists(criteria.get("cpvCodes"))
    subject = Either(_terms(keywords, "keywords.include"), _cpv_facets(codes, "cpvCodes.include"))
    places, no_places = _places(criteria.get("locations") or {})
    groups = (
        places,
        _named(criteria.get("contractTypes") or (), "contractTypes", facets.contract_type_facet),
        _named(criteria.get("procedures") or (), "procedures", facets.procedure_facet),
    )
    return _Compiled(
        excluded=_terms(no_keywords, "keywords.exclude"),
        groups=tuple(group for group in groups if group),
        either=(subject,) if subject.terms or subject.facets else (),
        without=(*_cpv_facets(no_codes, "cpvCodes.exclude"), *no_places),
    )


def _lists(lists: JsonObject | None) -> tuple[Sequence[str], Sequence[str]]:
    return ((lists.get("include") or ()), (lists.get("exclude") or ())) if lists else ((), ())


def _terms(keywords: Sequence[str], field: str) -> tuple[Term, ...]:
    _check_length(keywords, field, KEYWORDS_MAX)
    found: dict[Term, None] = {}
    for keyword in keywords:
        parts = tuple(words(keyword))
        if not parts:
            raise _invalid(field, "a keyword has no letter or digit, so nothing could have it")
        found[Term(parts, prefix=keyword.rstrip().endswith("*"))] = None
    return tuple(found)


def _cpv_facets(codes: Sequence[str], field: str) -> tuple[str, ...]:
    _check_length(codes, field, CODES_MAX)
    found: dict[str, None] = {}
    for code in codes:
        try:
            found[facets.cpv_facet(cpv.stem(cpv.normalize(code)))] = None
        except cpv.UnknownCpv as trouble:
            raise _invalid(field, str(trouble).removesuffix(".")) from None
    return tuple(found)


def _places(places: JsonObject) -> tuple[tuple[str, ...], tuple[str, ...]]:
    in_countries, no_countries = _lists(places.get("country"))
    in_provinces, no_provinces = _lists(places.get("province"))
    nations = _countries(in_countries, "locations.country.include")
    regions = _provinces(in_provinces, "locations.province.include")
    if regions:
        nations = {code: facet for code, facet in nations.items() if code != SPAIN}
    excluded = (
        *_countries(no_countries, "locations.country.exclude").values(),
        *_provinces(no_provinces, "locations.province.exclude"),
    )
    return (*nations.values(), *regions), excluded


def _countries(codes: Sequence[str], field: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for code in codes:
        known = countries.alpha2(code)
        if known is None:
            raise _invalid(field, f"{_shown(code)} is not a country code: expected two letters of ISO 3166-1, such as ES")
        found[known] = facets.country_facet(known)
    return found


def _provinces(names: Sequence[str], field: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in names:
        province = provinces.find(name)
        if province is None:
            raise _invalid(
                field,
                f"{_shown(name)} is not a Spanish province: expected its INE code such as 08, its ISO 3166-2 code such as "
                "ES-B, or its name",
            )
        found[facets.province_facet(province.ine)] = None
    return tuple(found)


def _named(values: Sequence[str], field: str, facet: Callable[[str], str]) -> tuple[str, ...]:
    _check_length(values, field, NAMES_MAX)
    for value in values:
        if not words(value):
            raise _invalid(field, "a value is blank: give its name, such as Obras or Abierto, or its code")
    return tuple(dict.fromkeys(map(facet, values)))


def _check_length(values: Sequence[str], field: str, most: int) -> None:
    if len(values) > most:
        raise _invalid(field, f"it has {len(values)} values and may have {most}")


def _shown(text: str) -> str:
    return "'" + "".join(letter if letter.isprintable() else "?" for letter in text[:80]) + "'"


def _invalid(field: str, reason: str) -> InvalidQuery:
    name = f"criteria.{field}"
    return InvalidQuery(name, f"The field '{name}' is not allowed: {reason}.")
