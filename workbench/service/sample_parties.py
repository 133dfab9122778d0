"""Who buys and who sells in the sample workspace: some 120 buyers in their hierarchies, some 300 suppliers in their trades."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from workbench.feeds.notice import Party
from workbench.reference import provinces
from workbench.service.sample_themes import Sector, sectors
from workbench.service.sample_words import (
    BODIES,
    COUNCILS,
    DEPARTMENTS,
    HOUSE_NAME,
    LANGUAGES,
    LEGAL_FORMS,
    LINKS,
    LOCAL_SUPPLIERS,
    MARK,
    PROVINCE_WEIGHTS,
    QUALIFIERS,
    STEMS,
    TOWNS,
)

HOUSE_SECTORS = ("works", "it", "engineering")


@dataclass(frozen=True, slots=True)
class Buyer:
    """A buyer with the language it writes in, the town and province it buys for, and how much it buys (a weight)."""

    party: Party
    language: str
    town: str
    province: str | None
    country: str
    weight: float
    place: str = ""
    """What titles call the place that it buys for: the town, or for a health service itself, with its article."""
    sectors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Supplier:
    """A supplier with its home province and its size (a weight: few are large)."""

    party: Party
    province: str | None
    weight: float


Market = dict[str, list[Supplier]]
"""Sector name to its suppliers, the largest first."""


def fictitious_id(kind: str, number: int) -> str:
    """An identifier that nobody could take for a tax id: no Spanish id has this form, a person's least of all."""
    return f"SYN-{kind}{number:05d}"


def make_buyers(random: Random) -> list[Buyer]:
    """The buyers, the same for the same state of ``random``: public bodies with their parts, and town councils."""
    return [*_bodies(random), *_councils(random), _portuguese_council()]


def make_market(random: Random) -> Market:
    """The suppliers of each sector; the house company is in three of them and is one and the same party."""
    house = Supplier(_supplier_party(random, 0, f"{HOUSE_NAME} {MARK}", "28"), "28", 1.0)
    taken = {HOUSE_NAME}
    market: Market = {}
    number = 1
    for sector in sectors():
        suppliers: list[Supplier] = [house] if sector.name in HOUSE_SECTORS else []
        for rank, name in enumerate(_company_names(random, sector, taken)):
            province = _province(random)
            # Zipf: the first of a trade is several times the tenth, as in real markets.
            suppliers.append(Supplier(_supplier_party(random, number, f"{name} {MARK}", province), province, 8 / (rank + 2)))
            number += 1
        market[sector.name] = suppliers
    return market


def _company_names(random: Random, sector: Sector, taken: set[str]) -> list[str]:
    names = list(LOCAL_SUPPLIERS.get(sector.name, ()))
    while len(names) < sector.suppliers:
        trade, stem = random.choice(sector.trades), random.choice(STEMS)
        name = f"{trade} {stem} {random.choice(QUALIFIERS)}, {random.choice(LEGAL_FORMS)}"
        if name not in taken:
            taken.add(name)
            names.append(name)
    random.shuffle(names)
    return names


def _supplier_party(random: Random, number: int, name: str, province: str) -> Party:
    return Party(
        name=name,
        identifiers=(("NIF", fictitious_id("S", number)),),
        country="ES",
        province=_province_name(province),
        city=random.choice(TOWNS["es"]),
        post_code=f"{province}{random.randrange(1, 80):03d}",
        web_url=f"{LINKS}/suppliers/{number}",
    )


def _province_name(code: str) -> str:
    found = provinces.by_ine(code)
    return found.name if found else code


def _province(random: Random) -> str:
    return random.choices(list(PROVINCE_WEIGHTS), list(PROVINCE_WEIGHTS.values()))[0]


def _language_of(random: Random, province: str) -> str:
    spoken = [language for language, provinces in LANGUAGES.items() if province in provinces]
    return spoken[0] if spoken and random.random() < 0.8 else "es"


def _buyer_party(number: int, name: str, province: str, town: str, activity: str, parents: tuple[str, ...] = ()) -> Party:
    return Party(
        name=f"{name} {MARK}",
        identifiers=(("NIF", fictitious_id("B", number)),),
        parents=tuple(f"{parent} {MARK}" for parent in parents),
        activity=activity,
        country="ES",
        province=_province_name(province),
        city=town,
        post_code=f"{province}{number % 70 + 1:03d}",
        street=f"Plaza del Ensayo, {number % 30 + 1}",
        web_url=f"{LINKS}/buyers/{number}",
    )


def _bodies(random: Random) -> list[Buyer]:
    buyers: list[Buyer] = []
    for name, province, language, parts in BODIES:
        town = random.choice(TOWNS.get(language, TOWNS["es"]))
        for part in (name, *parts):
            is_health = any(word in f"{name} {part}" for word in ("Salud", "Sanitar", "Osasun"))
            activity = "Sanidad" if is_health else "Servicios públicos generales"
            party = _buyer_party(len(buyers) + 1, part, province, town, activity, () if part == name else (name,))
            sectors = ("health", "health", "it", "cleaning", "care", "maintenance") if is_health else ()
            place = _with_article(part, language) if is_health else town
            buyers.append(Buyer(party, language, town, province, "ES", 1.9 * random.lognormvariate(0, 0.35), place, sectors))
    return buyers


def _with_article(name: str, language: str) -> str:
    feminine = name.split(maxsplit=1)[0].endswith(("a", "Gerencia"))
    articles = {"es": ("el", "la"), "ca": ("el", "la"), "gl": ("o", "a")}
    return f"{articles[language][feminine]} {name}" if language in articles else name


def _councils(random: Random) -> list[Buyer]:
    buyers: list[Buyer] = []
    # Every province has a council; the populous ones are drawn a second time by their weight.
    extra = random.choices(list(PROVINCE_WEIGHTS), list(PROVINCE_WEIGHTS.values()), k=12)
    unused = {language: random.sample(towns, len(towns)) for language, towns in TOWNS.items()}
    for place, province in enumerate([*PROVINCE_WEIGHTS, *extra]):
        language = _language_of(random, province)
        if not unused[language]:
            language = "es"
        town = unused[language].pop()
        council = COUNCILS[language].format(town)
        weight = (0.6 + PROVINCE_WEIGHTS[province] / 12) * random.lognormvariate(0, 0.4)
        activity = "Servicios públicos generales"
        number = 500 + 10 * place
        buyers.append(
            Buyer(_buyer_party(number, council, province, town, activity), language, town, province, "ES", weight, town)
        )
        if place % 3 == 0:
            part = f"{random.choice(DEPARTMENTS[language])} · {council}"
            party = _buyer_party(number + 1, part, province, town, activity, (council,))
            buyers.append(Buyer(party, language, town, province, "ES", weight * 0.6, town))
    return buyers


def _portuguese_council() -> Buyer:
    town = TOWNS["pt"][0]
    party = Party(
        name=f"{COUNCILS['pt'].format(town)} {MARK}",
        identifiers=(("NIF", fictitious_id("P", 1)),),
        activity="Serviços públicos gerais",
        country="PT",
        city=town,
        web_url=f"{LINKS}/buyers/pt-1",
    )
    return Buyer(party, "pt", town, None, "PT", 1.4, town)
