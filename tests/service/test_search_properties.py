"""Every combination of filters, sorts and pages gives what a plain scan of the records gives."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_builders import SOURCE, day, opened, records
from store_plain_scan import SORT_FIELDS, Asked, in_order, matches

from workbench.contract.tenders import TenderToolSearch
from workbench.contract.vocabulary import TenderStatus
from workbench.feeds.notice import Location, Notice, Origin
from workbench.service.store import search as search_module
from workbench.service.store.database import Database
from workbench.service.store.importer import import_paths
from workbench.service.tenders import Tenders

WORDS = (
    "obras",
    "Construcción",
    "CARRETERA",
    "limpieza",
    "señal",
    "l'Hospitalet",
    "über",
    "x9",
    "c45",
    "st0",
    "or",
    "NOT",
    "nación",
)
HOSTILE = (
    '"',
    "'; DROP TABLE tender; --",
    "{title} : obras",
    "*",
    "NEAR(",
    "\x1b[31m",
    "\u202e",
    "a" * 5_000,
    "\x00",
    "-obras",
)
CPVS = ("45000000-7", "45210000-2", "45233120-6", "72000000-5", "72260000-5", "03000000-1", "90910000-9")
TOWNS = ("Sabadell", "Peñíscola", "l'Hospitalet", "A Coruña")
TYPES = ("Obras", "Servicios", "Suministros")
PROCEDURES = ("Abierto", "Abierto simplificado", "Negociado sin publicidad")
SORTS = tuple(SORT_FIELDS)


def invented_notices(count: int, seed: int = 20260315) -> Iterator[Notice]:
    """Notices with missing values, ties, accents and hostile texts."""
    choose = random.Random(seed)

    def maybe(value: Any) -> Any:
        return value if choose.random() < 0.7 else None

    def text() -> str:
        return " ".join(choose.choices(WORDS, k=choose.randint(1, 6)) + choose.choices(HOSTILE, k=choose.random() < 0.2))

    def some_day() -> datetime:
        # Few different days, so that ties are common, and now and then a fraction of a second.
        return day(choose.choice((0, 5, 5, 20, 60, 64, 65, 90))) + timedelta(milliseconds=choose.choice((0, 0, 633)))

    for number in range(count):
        yield Notice(
            SOURCE,
            f"https://example.org/notices/{number}",
            some_day(),
            Origin("invented.atom"),
            choose.choice(list(TenderStatus)).value,
            name=maybe(text()),
            description=maybe(text()),
            contract_type=maybe(choose.choice(TYPES)),
            procedure=maybe(choose.choice(PROCEDURES)),
            currency="EUR",
            budget_no_taxes=maybe(choose.choice((0.0, 100.0, 100.0, 250.5, 1e6))),
            duration_days=maybe(choose.choice((30, 365, 730))),
            cpvs=tuple(choose.sample(CPVS, k=choose.randint(0, 2))),
            locations=tuple(
                Location(maybe("ES"), maybe(choose.choice(("08", "28"))), maybe(choose.choice(TOWNS)))
                for _ in range(choose.randint(0, 2))
            ),
            published_at=maybe(some_day()),
            deadline_at=maybe(some_day()),
            awarded_at=maybe(some_day()),
            expires_at=maybe(some_day()),
        )


class Filled:
    """A database and all its records, which no failure should print."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.everything = records(database)

    def __repr__(self) -> str:
        return f"Filled({len(self.everything)} records)"


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    database = opened(tmp_path_factory.mktemp("invented"), invented_notices(160))
    yield Filled(database)
    database.close()


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[Filled]:
    database = Database(tmp_path_factory.mktemp("imported"), clock=lambda: datetime.fromisoformat("2018-02-20T12:00:00Z"))
    import_paths(database, [shared_data / "placsp"])
    yield Filled(database)
    database.close()


def some_of(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2).map(tuple)


def texts(vocabulary: tuple[str, ...]) -> st.SearchStrategy[Asked]:
    words = st.sampled_from(vocabulary)
    phrases = st.one_of(words, st.tuples(words, words).map(" ".join), words.map(lambda word: f"{word[:4]}*"))
    groups = st.lists(st.lists(phrases, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple)
    return st.builds(Asked, groups, st.lists(phrases, max_size=2).map(tuple))


def searches(moments: st.SearchStrategy[datetime], amounts: st.SearchStrategy[float], **places: Any) -> st.SearchStrategy[Any]:
    rarely = lambda values: st.one_of(st.none(), st.none(), st.none(), values)  # noqa: E731
    return st.fixed_dictionaries(
        {
            "status": rarely(some_of(tuple(TenderStatus))),
            "cpvs": rarely(some_of(CPVS)),
            "locations": rarely(some_of(places["locations"])),
            "procedures": rarely(some_of(places["procedures"])),
            "contract_types": rarely(some_of(places["types"])),
            "is_only_within_deadline": rarely(st.booleans()),
            "min_budget": rarely(amounts),
            "max_budget": rarely(amounts),
            "sort": st.sampled_from(SORTS),
            "is_descendent": st.sampled_from((None, True, False)),
            "page_size": st.integers(1, 40),
        }
        | {
            f"{bound}_{name}_date": rarely(moments)
            for name in ("publication", "deadline", "awarding", "last_update")
            for bound in ("min", "max")
        }
    )


INVENTED = searches(
    st.integers(0, 200).map(lambda halves: day(halves / 2)),
    st.sampled_from((0.0, 100.0, 250.5, 1e5)),
    locations=(
        "country/ES",
        "province/08",
        "province/ES-M",
        "province/Barcelona",
        "town/sabadell",
        "town/PEÑISCOLA",
        "town/nowhere",
    ),
    procedures=(*PROCEDURES, "abierto"),
    types=(*TYPES, "Patrimonial"),
)
REAL = searches(
    st.integers(0, 1_600).map(lambda days: datetime.fromisoformat("2017-12-01T00:00:00+01:00") + timedelta(days=days)),
    st.sampled_from((0.0, 1_000.0, 50_000.0, 1e6)),
    locations=("country/ES", "province/08", "province/28", "province/Araba/Álava", "town/Barcelona", "town/Bilbao"),
    procedures=("Abierto", "Abierto simplificado"),
    types=("Obras", "Servicios"),
)


def as_scanned(search: TenderToolSearch) -> TenderToolSearch:
    """The same search with provinces by the code that records carry, which is all that the plain scan knows."""
    codes = {"province/ES-M": "province/28", "province/Barcelona": "province/08", "province/Araba/Álava": "province/01"}
    places = None if search.locations is None else tuple(codes.get(place, place) for place in search.locations)
    return search.model_copy(update={"locations": places})


def check(filled: Filled, values: dict[str, Any], asked: Asked) -> None:
    now = filled.database.clock()
    search = TenderToolSearch(**values, text=asked.typed())
    scanned = as_scanned(search)
    matching = [record for record in filled.everything if matches(record, scanned, asked, now)]
    expected = in_order(matching, str(search.sort), descending=search.is_descendent is not False)
    tenders = Tenders(filled.database)
    found: list[str] = []
    for page in range(1, 5):
        answer = tenders.search(search.model_copy(update={"page": page}))
        found += answer.records
        reached = page * (search.page_size or 20)
        assert answer.has_next_page == (len(expected) > reached)
        if not answer.has_next_page:
            break
    shown = [json.loads(text)["id"] for text in found]
    assert shown == [record["id"] for record in expected[: len(shown)]]
    assert len(shown) == min(len(expected), reached)


WAYS = {
    "as it decides": {},
    "walking the sort's index": {"FEW_MATCHES": 0, "FEW_IN_RANGE": 0, "GATHER_COST": 1.0, "WALK_LIMIT": 1.0},
    "a range leading": {"FEW_MATCHES": 0, "GATHER_COST": 1.0, "WALK_LIMIT": 1.0},
    "a walk given up": {"FEW_MATCHES": 0, "GATHER_COST": 0.0, "_STEPS": 1},
}


@pytest.fixture(params=list(WAYS), ids=lambda name: name.replace(" ", "-"))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the ways that a search can take, as if there were a million tenders."""
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(search_module, name, value)


# The fixture is the same for every example of a test, which is what is wanted.
QUICK = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.requirement("TND-1")
@QUICK
@given(values=INVENTED, asked=texts(WORDS))
def test_any_search_finds_what_a_plain_scan_finds(invented: Filled, way: None, values: dict[str, Any], asked: Asked) -> None:
    check(invented, values, asked)


@pytest.mark.requirement("TND-1")
@settings(QUICK, max_examples=60)
@given(values=REAL, asked=texts(("obras", "servicio", "suministro", "mantenimiento", "instal·lació", "contratación", "de")))
def test_any_search_of_real_data_finds_what_a_plain_scan_finds(
    imported: Filled, way: None, values: dict[str, Any], asked: Asked
) -> None:
    check(imported, values, asked)


@settings(max_examples=300, deadline=None)
@given(
    text=st.text(max_size=60)
    | st.lists(st.sampled_from(('"', "-", "*", "OR", "obras", " ", "(", ")", "{title}", ":", "\x00", "AND"))).map("".join)
)
def test_no_text_that_a_person_can_type_is_an_error(invented: Filled, text: str) -> None:
    answer = Tenders(invented.database).search(TenderToolSearch(text=text, sort="by-relevance"))  # type: ignore[arg-type]
    assert len(answer.records) <= 20
