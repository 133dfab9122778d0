"""Facets: the categories of a tender as words of the text index, so that a filter is one more list to intersect.

A facet is two letters for what it is and then its value: ``st0`` a status, ``pr08`` a province, ``coes`` a country,
``c4521`` a CPV code or anything below it. Values that are free text come as a digest: any text fits then, and none can
be mistaken for a word of the query language.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from workbench.contract.vocabulary import TenderStatus
from workbench.feeds.notice import Location
from workbench.reference import cpv
from workbench.reference.text import words

STATUSES: Final = tuple(TenderStatus)
"""A status is stored as its place here."""

STATUS_NUMBERS: Final = {str(status): number for number, status in enumerate(STATUSES)}


def status_facet(number: int) -> str:
    """The facet of a status by its number; every tender has exactly one, and it comes first among its facets."""
    return f"st{number}"


def with_status(facets: str, number: int) -> str:
    """The same facets under another status."""
    return f"{status_facet(number)}{facets[3:]}"


def country_facet(code: str) -> str:
    """The facet of an ISO 3166-1 alpha-2 country code."""
    return _text_facet("co", code)


def province_facet(ine: str) -> str:
    """The facet of a Spanish province by its INE code."""
    return _text_facet("pr", ine)


def town_facet(name: str) -> str:
    """The facet of a town by its name, whatever its accents and case."""
    return _text_facet("tw", name)


def contract_type_facet(value: str) -> str:
    """The facet of a contract type, by its words or by the code of its list."""
    return _text_facet("ct", value)


def procedure_facet(value: str) -> str:
    """The facet of a procedure, by its words or by the code of its list."""
    return _text_facet("pc", value)


def cpv_facet(stem: str) -> str:
    """The facet of a CPV code with all below it, by its :func:`workbench.reference.cpv.stem`."""
    return f"c{stem}"


def facets_of(
    status: int,
    cpvs: Iterable[str],
    locations: Iterable[Location],
    contract_types: Iterable[str | None],
    procedures: Iterable[str | None],
) -> str:
    """All facets of a tender, the status first, each once."""
    found: dict[str, None] = {}
    for code in cpvs:
        found.update(_cpv_line(code))
    for place in locations:
        if place.country:
            found[country_facet(place.country)] = None
        if place.province:
            found[province_facet(place.province)] = None
        if place.town:
            found[town_facet(place.town)] = None
    found.update((contract_type_facet(value), None) for value in contract_types if value)
    found.update((procedure_facet(value), None) for value in procedures if value)
    return " ".join([status_facet(status), *found])


@lru_cache(maxsize=16_384)
def _cpv_line(code: str) -> dict[str, None]:
    # A code stands under each of its own beginnings, so that asking for 45210000 finds 45214400 as well.
    try:
        stem = cpv.stem(code)
    except cpv.UnknownCpv:
        return {}
    return {cpv_facet(stem[:length]): None for length in range(2, len(stem) + 1)}


@lru_cache(maxsize=32_768)
def _text_facet(kind: str, value: str) -> str:
    folded = " ".join(words(value))
    if len(folded) <= 2 and folded.isascii() and folded.isalnum():
        return kind + folded
    return kind + hashlib.blake2b(folded.encode("utf-8", "replace"), digest_size=6).hexdigest()
