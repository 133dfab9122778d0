"""The tenders of the sample workspace as notices, the form in which every feed hands them to the importer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from random import Random

from workbench.feeds.notice import Document, Location, Notice, Origin, Party
from workbench.service.sample_awards import awards_of, make_lots
from workbench.service.sample_course import MADRID, Course, open_course, past_course, publication_days
from workbench.service.sample_parties import Buyer, Market, make_buyers, make_market
from workbench.service.sample_themes import Sector, Theme, awkward_titles, in_language, sectors
from workbench.service.sample_words import DISCLAIMER, LINKS, SOURCE, ZONES

TENDERS = 2000
OPEN_SHARE = 0.08
_SIMPLIFIED_LIMIT = {"3": 2_000_000, "1": 143_000, "2": 143_000}
_CONTRACTIONS = {
    "es": (("de el", "del"), ("a el", "al")),
    "ca": (("de el", "del"), ("de els", "dels"), ("a el", "al"), ("a els", "als"), ("per a el", "per al")),
    "gl": (("de o", "do"), ("de a", "da"), ("de os", "dos"), ("de as", "das"), ("en o", "no"), ("en a", "na"), ("de A", "da")),
}
_MINOR_LIMIT = {"3": 40_000, "1": 15_000, "2": 15_000}


@dataclass(slots=True)
class World:
    """What the notices of one sample share: its random numbers, its day, its buyers and its market."""

    random: Random
    today: date
    buyers: list[Buyer]
    market: Market
    loyal: dict[tuple[str, str], list[Party]] = field(default_factory=dict[tuple[str, str], list[Party]])
    """Buyer's name and sector to the suppliers it keeps coming back to."""


def make_world(seed: int, today: date) -> World:
    """The parties of a sample; the same seed and day give the same world."""
    random = Random(seed)  # noqa: S311 - a sample has to be repeatable, not secret
    return World(random, today, make_buyers(random), make_market(random))


def make_notices(world: World, count: int = TENDERS) -> Iterator[Notice]:
    """``count`` notices in the order of publication; the last :data:`OPEN_SHARE` of them still take bids on the world's day."""
    still_open = round(count * OPEN_SHARE)
    days = publication_days(world.random, world.today, count - still_open)
    titles = awkward_titles()
    awkward = dict(zip(range(40, count, max(1, count // len(titles))), titles, strict=False))
    # A few stand among the open ones, where everybody looks first.
    awkward |= dict(zip(range(count - 9, count, 3), titles, strict=False))
    for number in range(count):
        day = days[number] if number < len(days) else None
        yield _notice(world, number, day, awkward.get(number))


def _notice(world: World, number: int, day: date | None, awkward: str | None) -> Notice:
    random = world.random
    buyer = random.choices(world.buyers, [buyer.weight for buyer in world.buyers])[0]
    sector, theme = _purchase(random, buyer)
    days = random.choice(sector.days)
    if day is None:
        course = open_course(random, world.today)
    else:
        decision = 70 if sector.name in {"works", "concessions"} else 48
        course = past_course(random, day, world.today, days, decision, extendable=days >= 365 and random.random() < 0.5)
    notice = Notice(
        source=SOURCE,
        source_id=f"{LINKS}/tenders/{number + 1:05d}",
        version_at=course.updated_at.astimezone(UTC),
        origin=Origin(SOURCE, position=number + 1),
        status=course.outcome.status.value,
        source_status=course.outcome.source_status,
        cancelled=course.outcome.source_status == "ANUL",
        link_url=f"{LINKS}/tenders/{number + 1:05d}",
        expedient=_expedient(random, course, sector, number),
        contract_type=sector.contract_type[0],
        contract_type_code=sector.contract_type[1],
        language=buyer.language if awkward is None and theme.speaks(buyer.language) else "es",
        currency="EUR",
        duration_days=days,
        cpvs=theme.cpvs if random.random() < 0.45 else theme.cpvs[:1],
        buyer=buyer.party,
    )
    notice.name = _title(random, theme, buyer, notice, course, awkward)
    notice.locations = (_location(random, buyer),)
    _set_money(random, notice, sector)
    _set_dates(notice, course)
    notice.procedure, notice.procedure_code = _procedure(random, notice)
    notice.is_minor_contract = notice.procedure_code == "6"
    notice.lots = make_lots(random, notice)
    notice.awards = awards_of(random, notice, course, sector, world.market[sector.name], world.loyal)
    notice.description = _description(random, notice)
    notice.documents = _documents(number, notice, course)
    return notice


def _purchase(random: Random, buyer: Buyer) -> tuple[Sector, Theme]:
    # Towns do not run hospitals: clinical supplies are for the health services.
    fitting = [one for one in sectors() if (one.name in buyer.sectors if buyer.sectors else one.name != "health")]
    weights = [one.weight * (1 + 2 * buyer.sectors.count(one.name)) for one in fitting]
    sector = random.choices(fitting, weights)[0]
    spoken = [theme for theme in sector.themes if theme.speaks(buyer.language)]
    return sector, random.choice(spoken or sector.themes)


def _title(random: Random, theme: Theme, buyer: Buyer, notice: Notice, course: Course, awkward: str | None) -> str:
    language = notice.language or "es"
    zones = ZONES.get(language, ZONES["es"])
    template = awkward or theme.title(language)
    if "{thing}" in template:
        template = template.replace("{thing}", in_language(random.choice(theme.things), language))
    title = template.format(place=buyer.place, zone=random.choice(zones), year=course.published_at.year)
    return _contracted(title, language)


def _contracted(title: str, language: str) -> str:
    """``title`` with preposition and article in one word, as each language writes them: "de el" is "del"."""
    for apart, together in _CONTRACTIONS.get(language, ()):
        title = title.replace(f" {apart} ", f" {together} ")
    return re.sub(r"\bde (?=[aeiouàèéíòóú])", "d'", title) if language == "ca" else title


def _expedient(random: Random, course: Course, sector: Sector, number: int) -> str:
    year = course.published_at.year
    form = random.randrange(3)
    if form == 0:
        return f"SYN-{year}/{number + 1:05d}"
    return f"SYN/{sector.name[:3].upper()}/{year}/{number + 1}" if form == 1 else f"SYN {number + 1}-{year % 100}"


def _location(random: Random, buyer: Buyer) -> Location:
    if random.random() < 0.04:
        return Location(country=buyer.country, label="España" if buyer.country == "ES" else "Portugal")
    return Location(country=buyer.country, province=buyer.province, town=buyer.town, label=buyer.town)


def _set_money(random: Random, notice: Notice, sector: Sector) -> None:
    median, sigma = sector.budget
    budget = min(median * random.lognormvariate(0, sigma), 48_000_000)
    step = random.choice((0.01, 0.01, 10, 100, 1_000)) if budget > 20_000 else random.choice((0.01, 1, 10))
    budget = max(round(round(budget / step) * step, 2), 900.0)
    if random.random() < 0.012:
        return
    notice.budget_no_taxes = budget
    notice.budget_with_taxes = round(budget * (1 + sector.vat), 2)
    if random.random() < 0.93:
        notice.estimated_value = round(budget * random.choice((1.0, 1.0, 1.1, 1.2, 1.5, 2.0)), 2)


def _set_dates(notice: Notice, course: Course) -> None:
    notice.published_at = course.published_at.astimezone(UTC)
    for name in ("deadline_at", "awarded_at", "formalized_at", "expires_at", "extended_expires_at"):
        moment: datetime | None = getattr(course, name)
        setattr(notice, name, moment.astimezone(UTC) if moment else None)
    if notice.deadline_at:
        notice.deadline_text = notice.deadline_at.astimezone(MADRID).strftime("%d/%m/%Y %H:%M (hora peninsular)")


def _procedure(random: Random, notice: Notice) -> tuple[str, str]:
    budget, code = notice.budget_no_taxes or 0.0, notice.contract_type_code or "2"
    if 0 < budget <= _MINOR_LIMIT.get(code, 0) and random.random() < 0.5:
        return "Contrato menor", "6"
    if budget <= _SIMPLIFIED_LIMIT.get(code, 0) and random.random() < 0.62:
        return "Abierto simplificado", "9"
    others = (
        ("Abierto", "1"),
        ("Negociado sin publicidad", "3"),
        ("Derivado de acuerdo marco", "7"),
        ("Basado en SDA", "12"),
        ("Restringido", "2"),
        ("Licitación con negociación", "13"),
        ("Otros", "999"),
    )
    return random.choices(others, (70, 7, 8, 4, 2, 2, 1))[0]


def _description(random: Random, notice: Notice) -> str:
    months = max(1, round((notice.duration_days or 30) / 30.4))
    price = random.choice((40, 49, 51, 60, 70, 100))
    words = {
        "es": f"{notice.name}. Plazo de ejecución: {months} meses. Criterios: precio {price} %, calidad {100 - price} %.",
        "ca": f"{notice.name}. Termini d'execució: {months} mesos. Criteris: preu {price} %, qualitat {100 - price} %.",
        "gl": f"{notice.name}. Prazo de execución: {months} meses. Criterios: prezo {price} %, calidade {100 - price} %.",
        "eu": f"{notice.name}. Gauzatzeko epea: {months} hilabete. Irizpideak: prezioa % {price}, kalitatea % {100 - price}.",
        "pt": f"{notice.name}. Prazo de execução: {months} meses. Critérios: preço {price} %, qualidade {100 - price} %.",
        "en": f"{notice.name}. Duration: {months} months. Criteria: price {price} %, quality {100 - price} %.",
    }
    language = notice.language or "es"
    return f"{words[language]} {DISCLAIMER[language]}"


def _documents(number: int, notice: Notice, course: Course) -> tuple[Document, ...]:
    kinds = [("PCAP", "Pliego de cláusulas administrativas.pdf", 0), ("PPT", "Pliego de prescripciones técnicas.pdf", 0)]
    if number % 3 == 0:
        kinds.append(("Anuncio", "Anuncio de licitación.pdf", 0))
    if course.outcome.has_winner:
        kinds.append(("Adjudicación", "Resolución de adjudicación.pdf", 1))
    published = (notice.published_at, notice.awarded_at)
    return tuple(
        Document(
            name=name,
            uri=f"{LINKS}/documents/{number + 1:05d}-{position}.pdf",
            source_id=f"{number + 1:05d}-{position}",
            type=kind,
            mime_type="application/pdf",
            published_at=published[when],
            language=notice.language,
        )
        for position, (kind, name, when) in enumerate(kinds, start=1)
    )
