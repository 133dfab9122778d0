"""The 52 Spanish provinces, found by the codes and names that notices use (interface 4.1, ``province/<code>``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from workbench.reference import package_data
from workbench.reference.text import spaced, words


@dataclass(frozen=True, slots=True)
class Province:
    """A province of Spain, or one of the cities of Ceuta and Melilla.

    Attributes:
        ine: two digits of the Instituto Nacional de Estadística, ``08``; also how its postcodes start.
        name: official name, ``Barcelona``; both official forms where there are two, ``Araba/Álava``.
        aliases: other names in use.
        iso: ISO 3166-2, ``ES-B``.
        nuts3: NUTS level 3, ``('ES511',)``; several for an archipelago, one for each island or group.
        nuts2: NUTS level 2 of its autonomous community, ``ES51``.
    """

    ine: str
    name: str
    aliases: tuple[str, ...]
    iso: str
    nuts3: tuple[str, ...]
    nuts2: str


@cache
def all_provinces() -> tuple[Province, ...]:
    """The 52 provinces in the order of their INE code."""
    return tuple(_province(*line.split("\t")) for line in package_data.lines("provinces.tsv"))


def _province(ine: str, name: str, iso: str, nuts2: str, nuts3: str, aliases: str = "") -> Province:
    return Province(ine, name, tuple(aliases.split("|")) if aliases else (), iso, tuple(nuts3.split()), nuts2)


def by_ine(code: str) -> Province | None:
    """The province of a two-digit INE code, ``08``."""
    return _by_ine().get(code.strip())


def by_iso(code: str) -> Province | None:
    """The province of an ISO 3166-2 code, ``ES-B``, in either case."""
    return _by_iso().get(code.strip().upper())


def by_nuts(code: str) -> Province | None:
    """The province of a NUTS code, in either case.

    Level 3 names a province; level 2 only where the region has one province, ``ES30``. Any other code, a withdrawn one
    (``ES702``) included, gives ``None``: a guess would put a tender in the wrong place.
    """
    return _by_nuts().get(code.strip().upper())


def by_postcode(postcode: str) -> Province | None:
    """The province of a Spanish postcode, by its first two digits; ``None`` unless five digits from 01 to 52."""
    given = postcode.strip()
    return by_ine(given[:2]) if len(given) == 5 and given.isascii() and given.isdigit() else None


def find(text: str) -> Province | None:
    """The province a text names: by INE code, ISO code, name or alias, whatever its accents and case.

    Both orders of a double name are known (``València/Valencia``), and the filing form with the article last
    (``Coruña, A``). ``None`` where no province has exactly this name.
    """
    return by_ine(text) or by_iso(text) or _by_name().get(_key(text))


def search(text: str, limit: int = 10) -> tuple[Province, ...]:
    """Provinces a person may mean, best first: by the start of a code, or by words that begin words of one name.

    What `find` would return comes first, then names that start with the text, then the rest by name. Blank text finds
    nothing.
    """
    wanted = words(text)
    if not wanted:
        return ()
    start = text.strip().upper()
    whole = f" {' '.join(wanted)}"
    exact = find(text)
    ranked: list[tuple[bool, bool, str, Province]] = []
    for province in all_provinces():
        names = [spaced(name) for name in (province.name, *province.aliases)]
        if (
            province == exact
            or province.ine.startswith(start)
            or province.iso.startswith(start)
            or any(all(f" {word}" in name for word in wanted) for name in names)
        ):
            opens = any(name.startswith(whole) for name in names)
            ranked.append((province != exact, not opens, names[0], province))
    ranked.sort(key=lambda entry: entry[:3])
    return tuple(entry[3] for entry in ranked[: max(limit, 0)])


@cache
def _by_ine() -> dict[str, Province]:
    return {province.ine: province for province in all_provinces()}


@cache
def _by_iso() -> dict[str, Province]:
    return {province.iso: province for province in all_provinces()}


@cache
def _by_nuts() -> dict[str, Province]:
    regions: dict[str, list[Province]] = {}
    for province in all_provinces():
        regions.setdefault(province.nuts2, []).append(province)
    alone = {region: members[0] for region, members in regions.items() if len(members) == 1}
    return alone | {code: province for province in all_provinces() for code in province.nuts3}


@cache
def _by_name() -> dict[str, Province]:
    named: dict[str, Province] = {}
    for province in all_provinces():
        halves = province.name.split("/")
        for name in (province.name, " ".join(reversed(halves)), *halves, *province.aliases):
            named[_key(name)] = province
    return named


def _key(text: str) -> str:
    head, comma, article = text.rpartition(",")
    return " ".join(words(f"{article} {head}" if comma else text))
