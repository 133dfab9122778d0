"""What an alert matches, held against a look at every record that is written from the interface's words alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_builders import SOURCE, day, opened, records
from store_plain_scan import has, moment, plain

from workbench.contract.alerts import AlertCriteria
from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import TenderStatus
from workbench.feeds.notice import Location, Notice, Origin
from workbench.reference import provinces
from workbench.service import matching
from workbench.service.store import search as search_module
from workbench.service.store.database import Database, driver
from workbench.service.store.importer import import_paths
from workbench.service.store.query import InvalidQuery, query_of
from workbench.service.store.search import find_rows
from workbench.service.tenders import Tenders

Record = dict[str, Any]

WORDS = ("obras", "Construcción", "CARRETERA", "limpieza", "señal", "l'Hospitalet", "c45", "st0", "NOT", "nación")
CPVS = ("45000000-7", "45210000-2", "45233120-6", "72000000-5", "72260000-5", "90910000-9")
TYPES = ("Obras", "Servicios", "Suministros")
PROCEDURES = ("Abierto", "Abierto simplificado")
PLACES = (Location("ES", "08", "Sabadell"), Location("ES", "28"), Location("ES"), Location("PT"), Location("FR", None, "Pau"))


def invented(count: int = 220) -> Iterator[Notice]:
    choose = random.Random(20260401)

    def maybe(value: Any) -> Any:
        return value if choose.random() < 0.75 else None

    def text() -> str:
        return " ".join(choose.choices(WORDS, k=choose.randint(1, 5)))

    for number in range(count):
        yield Notice(
            SOURCE,
            f"https://example.org/notices/{number}",
            day(choose.randint(0, 90)),
            Origin("invented.atom"),
            choose.choice(list(TenderStatus)).value,
            name=maybe(text()),
            description=maybe(text()),
            contract_type=maybe(choose.choice(TYPES)),
            procedure=maybe(choose.choice(PROCEDURES)),
            currency="EUR",
            budget_no_taxes=maybe(choose.choice((0.0, 100.0, 250.5, 1e6))),
            cpvs=tuple(choose.sample(CPVS, k=choose.randint(0, 2))),
            locations=tuple(choose.sample(PLACES, k=choose.randint(0, 2))),
            published_at=maybe(day(choose.randint(0, 90))),
            deadline_at=maybe(day(choose.choice((20, 60, 64, 65, 90)))),
        )


class Filled:
    """A database and all its records, which no failure should print."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.everything = records(database)

    def __repr__(self) -> str:
        return f"Filled({len(self.everything)} records)"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    database = opened(tmp_path_factory.mktemp("matching"), invented())
    yield Filled(database)
    database.close()


def matches(record: Record, criteria: Record, now: datetime) -> bool:
    """Whether a record passes all criteria, one after the other."""
    return (
        _subject(record, criteria)
        and not _excluded(record, criteria)
        and _placed(record, criteria.get("locations") or {})
        and _affordable(record, criteria.get("budget") or {})
        and (not criteria.get("statuses") or record["status"] in criteria["statuses"])
        and _named(record["contractType"], criteria.get("contractTypes"))
        and _named(record["procedure"], criteria.get("procedures"))
        and (not criteria.get("inDeadline") or _is_open(record, now))
    )


def _lists(value: Record | None) -> tuple[list[str], list[str]]:
    value = value or {}
    return value.get("include", []), value.get("exclude", [])


def _below(record: Record, code: str) -> bool:
    digits = code[:8]
    stem = digits[:2] + digits[2:].rstrip("0")
    return any(one.startswith(stem) for one in record["cpvCodes"])


def _subject(record: Record, criteria: Record) -> bool:
    words, codes = _lists(criteria.get("keywords"))[0], _lists(criteria.get("cpvCodes"))[0]
    if not words and not codes:
        return True
    return any(has(record, word) for word in words) or any(_below(record, code) for code in codes)


def _excluded(record: Record, criteria: Record) -> bool:
    words, codes = _lists(criteria.get("keywords"))[1], _lists(criteria.get("cpvCodes"))[1]
    return any(has(record, word) for word in words) or any(_below(record, code) for code in codes)


def _placed(record: Record, places: Record) -> bool:
    lands = {place["code"] for place in record["locations"] if place["type"] == "country"}
    regions = {place["code"] for place in record["locations"] if place["type"] == "province"}
    lands_in, lands_out = _lists(places.get("country"))
    regions_in, regions_out = (
        [found.ine for name in names if (found := provinces.find(name))] for names in _lists(places.get("province"))
    )
    if lands & set(lands_out) or regions & set(regions_out):
        return False
    if not lands_in and not regions_in:
        return True
    whole = set(lands_in) - {"ES"} if regions_in else set(lands_in)
    return bool(lands & whole or regions & set(regions_in))


def _affordable(record: Record, budget: Record) -> bool:
    value = record["budgetNoTaxes"]
    low, high = budget.get("min"), budget.get("max")
    return value is None or ((low is None or value >= low) and (high is None or value <= high))


def _named(value: str | None, wanted: list[str] | None) -> bool:
    return not wanted or (value is not None and plain(value) in [plain(one) for one in wanted])


def _is_open(record: Record, now: datetime) -> bool:
    deadline = moment(record["expedientSubmissionDeadline"])
    return record["status"] == "Publicada" and deadline is not None and deadline > now


def either_way(values: st.SearchStrategy[str]) -> st.SearchStrategy[Record]:
    lists = st.lists(values, max_size=2)
    return st.fixed_dictionaries({}, optional={"include": lists, "exclude": lists})


KEYWORDS = st.one_of(
    st.sampled_from(WORDS),
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map(" ".join),
    st.sampled_from(WORDS).map(lambda word: f"{word[:4]}*"),
)
CRITERIA: st.SearchStrategy[Record] = st.fixed_dictionaries(
    {},
    optional={
        "keywords": either_way(KEYWORDS),
        "cpvCodes": either_way(st.sampled_from((*CPVS, "45200000-9", "45000000"))),
        "locations": st.fixed_dictionaries(
            {},
            optional={
                "country": either_way(st.sampled_from(("ES", "PT", "FR"))),
                "province": either_way(st.sampled_from(("08", "28", "Barcelona", "ES-M"))),
            },
        ),
        "budget": st.fixed_dictionaries(
            {}, optional={"min": st.sampled_from((None, 0, 100.0)), "max": st.sampled_from((None, 100, 250.5))}
        ),
        "statuses": st.lists(st.sampled_from([str(status) for status in TenderStatus]), min_size=1, max_size=2),
        "contractTypes": st.lists(st.sampled_from((*TYPES, "obras")), max_size=2),
        "procedures": st.lists(st.sampled_from(PROCEDURES), max_size=1),
        "inDeadline": st.booleans(),
    },
)
SORTS = ("by-published-date", "by-budget", "by-due-date", "by-update-date")
WAYS = {"as it decides": (20_000, 5_000), "walking": (0, 0), "a range leading": (0, 5_000)}


@pytest.fixture(params=list(WAYS), ids=lambda name: name.replace(" ", "-"))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the ways that a search can take, as if there were a million tenders."""
    few_matches, few_in_range = WAYS[request.param]
    monkeypatch.setattr(search_module, "FEW_MATCHES", few_matches)
    monkeypatch.setattr(search_module, "FEW_IN_RANGE", few_in_range)


QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.requirement("ALR-6")
@QUICK
@given(criteria=CRITERIA, sort=st.sampled_from(SORTS), low=st.sampled_from((None, 100.0)), text=st.sampled_from(("", "obras")))
def test_criteria_match_what_a_plain_scan_matches(
    filled: Filled, way: None, criteria: Record, sort: str, low: float | None, text: str
) -> None:
    AlertCriteria.model_validate(criteria)
    matching.check(criteria)
    now = filled.database.clock()
    search = TenderSearch(sort=sort, text=text, min_budget=low, page_size=100)  # type: ignore[arg-type]
    found: list[str] = []
    for page in range(1, 4):
        query = matching.narrowed(query_of(search.model_copy(update={"page": page}), now, 20), criteria, now)
        found += [json.loads(text)["id"] for text in Tenders(filled.database).page(query, page).records]
    expected = {
        record["id"]
        for record in filled.everything
        if matches(record, criteria, now)
        and (low is None or (record["budgetNoTaxes"] is not None and record["budgetNoTaxes"] >= low))
        and (not text or has(record, text))
    }
    assert len(found) == len(set(found))
    assert set(found) == expected


@pytest.mark.requirement("ALR-6")
@QUICK
@given(criteria=CRITERIA, chosen=st.sets(st.integers(0, 219), max_size=60))
def test_among_some_rows_the_same_tenders_match(filled: Filled, way: None, criteria: Record, chosen: set[int]) -> None:
    now = filled.database.clock()
    with filled.database.reader() as connection:
        raw = driver(connection)
        rids: dict[str, int] = dict(raw.execute("SELECT id, rid FROM tender"))
        wanted = [filled.everything[at] for at in chosen]
        among = tuple(sorted(rids[record["id"]] for record in wanted))
        bounds = (min(among), max(among)) if among else (None, None)
        query = matching.narrowed(query_of(TenderSearch(page_size=100), now, 20), criteria, now)
        found = find_rows(raw, replace(query, among=among, rows=bounds))
    assert found == sorted((rids[record["id"]] for record in wanted if matches(record, criteria, now)), reverse=True)


@pytest.mark.parametrize(
    ("criteria", "field"),
    [
        ({"keywords": {"include": ["!!!"]}}, "criteria.keywords.include"),
        ({"keywords": {"exclude": ["", "x"]}}, "criteria.keywords.exclude"),
        ({"keywords": {"include": ["x"] * 101}}, "criteria.keywords.include"),
        ({"cpvCodes": {"include": ["45233120-7"]}}, "criteria.cpvCodes.include"),
        ({"cpvCodes": {"exclude": ["4523"]}}, "criteria.cpvCodes.exclude"),
        ({"locations": {"country": {"include": ["Spain"]}}}, "criteria.locations.country.include"),
        ({"locations": {"country": {"exclude": ["ZZ"]}}}, "criteria.locations.country.exclude"),
        ({"locations": {"province": {"include": ["99"]}}}, "criteria.locations.province.include"),
        ({"locations": {"province": {"exclude": ["Narnia\x1b"]}}}, "criteria.locations.province.exclude"),
        ({"budget": {"min": 2, "max": 1}}, "criteria.budget"),
        ({"budget": {"max": float("inf")}}, "criteria.budget.max"),
        ({"contractTypes": [" "]}, "criteria.contractTypes"),
        ({"procedures": ["-"]}, "criteria.procedures"),
    ],
)
def test_criteria_that_nothing_could_meet_are_refused_by_name(criteria: Record, field: str) -> None:
    with pytest.raises(InvalidQuery) as refused:
        matching.check(criteria)
    assert refused.value.field == field
    assert f"'{field}'" in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.requirement("ALR-6")
def test_criteria_match_the_same_real_notices(tmp_path: Path, shared_data: Path) -> None:
    database = Database(tmp_path, clock=lambda: datetime.fromisoformat("2018-02-20T12:00:00Z"))
    try:
        import_paths(database, sorted((shared_data / "placsp").glob("*.atom"))[:1])
        everything = records(database)
        now = database.clock()
        for criteria in (
            {},
            {"keywords": {"include": ["mantenimiento"]}, "cpvCodes": {"include": ["45000000-7"]}},
            {"cpvCodes": {"include": ["33000000-0"], "exclude": ["33600000-6"]}, "budget": {"max": 100_000}},
            {"locations": {"country": {"include": ["ES"]}, "province": {"include": ["28", "08"], "exclude": ["08"]}}},
            {"statuses": ["Publicada"], "inDeadline": True, "contractTypes": ["Servicios"]},
        ):
            query = matching.narrowed(query_of(TenderSearch(page_size=100), now, 20), criteria, now)
            found = {json.loads(text)["id"] for text in _all_pages(Tenders(database), query)}
            assert found == {record["id"] for record in everything if matches(record, criteria, now)}
    finally:
        database.close()


def _all_pages(tenders: Tenders, query: Any) -> Iterator[str]:
    page = 1
    while True:
        answer = tenders.page(replace(query, offset=(page - 1) * 100), page)
        yield from answer.records
        if not answer.has_next_page:
            return
        page += 1
