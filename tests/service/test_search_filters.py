"""Each filter and each sort alone, on tenders made for it; all combinations are in test_search_properties."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_builders import NOW, SOURCE, day, notice, opened

from workbench.contract.tenders import TenderSearch, TenderToolSearch
from workbench.contract.vocabulary import TenderSort, TenderStatus
from workbench.feeds.notice import FeedItem, Location, Lot
from workbench.service.store import search as search_module
from workbench.service.store.failures import SearchTooSlow
from workbench.service.store.identity import tender_id
from workbench.service.store.query import InvalidQuery
from workbench.service.store.row_order import first_row, last_row, neighbour, row_number
from workbench.service.tenders import Tenders


def found(folder: Path, items: list[FeedItem], **search: Any) -> list[int]:
    """The numbers of the notices that a search finds, in its order."""
    database = opened(folder, items)
    numbers = {tender_id(SOURCE, f"https://example.org/notices/{number}"): number for number in range(100)}
    try:
        answer = Tenders(database).search(TenderToolSearch(**search))
    finally:
        database.close()
    return [numbers[json.loads(record)["id"]] for record in answer.records]


@pytest.mark.requirement("TND-1")
def test_no_filter_at_all_gives_the_newest_first(tmp_path: Path) -> None:
    assert found(tmp_path, [notice(1, 1), notice(2, 3), notice(3, 2)]) == [2, 3, 1]


@pytest.mark.requirement("TND-1")
def test_an_empty_list_is_no_filter(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("status", "cpvs", "locations", "procedures", "contract_types"), ())
    assert found(tmp_path, [notice(1)], **nothing) == [1]


@pytest.mark.requirement("TND-1")
def test_filters_together_mean_all_of_them(tmp_path: Path) -> None:
    items = [
        notice(1, budget_no_taxes=10.0, cpvs=("45233120",)),
        notice(2, budget_no_taxes=99.0, cpvs=("45233120",)),
        notice(3, budget_no_taxes=99.0, cpvs=("72000000",)),
    ]
    assert found(tmp_path, items, cpvs=("45000000-7",), min_budget=50) == [2]


@pytest.mark.requirement("TND-3")
def test_pages_are_twenty_long_by_default_and_start_at_one(tmp_path: Path) -> None:
    database = opened(tmp_path, [notice(number, number) for number in range(25)])
    tenders = Tenders(database)
    first, second, third = (tenders.search(TenderSearch(page=page)) for page in (None, 2, 3))
    tool = tenders.search(TenderToolSearch(), page_size_default=10)
    assert (first.page, first.page_size, len(first.records), first.has_next_page) == (1, 20, 20, True)
    assert (second.page, len(second.records), second.has_next_page) == (2, 5, False)
    assert (third.page, third.records, third.has_next_page) == (3, [], False)
    assert (tool.page_size, len(tool.records), tool.has_next_page) == (10, 10, True)
    assert json.loads(second.to_json())["pagination"] == {"page": 2, "pageSize": 20, "hasNextPage": False}
    assert [row["id"] for row in json.loads(first.to_json())["data"]] == [json.loads(text)["id"] for text in first.records]
    database.close()


def test_a_page_beyond_every_number_is_empty(tmp_path: Path) -> None:
    assert found(tmp_path, [notice(1)], page=10**30) == []


@pytest.mark.requirement("TND-5")
@pytest.mark.parametrize("status", list(TenderStatus))
def test_status(tmp_path: Path, status: TenderStatus) -> None:
    items = [notice(number, status=one.value) for number, one in enumerate(TenderStatus)]
    assert found(tmp_path, items, status=(status,)) == [list(TenderStatus).index(status)]


@pytest.mark.requirement("TND-5")
def test_several_statuses_mean_any_of_them(tmp_path: Path) -> None:
    items = [notice(number, number, status=one.value) for number, one in enumerate(TenderStatus)]
    assert found(tmp_path, items, status=("Cerrada", "Publicada")) == [4, 0]


@pytest.mark.requirement("TND-6")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("45000000-7", [1, 2, 3]),
        ("45233000-9", [1, 2]),
        ("45233120-6", [1]),
        ("45233120", [1]),
        ("72000000-5", [4]),
        ("03000000-1", []),
    ],
)
def test_a_cpv_code_stands_for_all_below_it(tmp_path: Path, code: str, expected: list[int]) -> None:
    items = [
        notice(1, 4, cpvs=("45233120",)),
        notice(2, 3, cpvs=("90910000", "45233200")),
        notice(3, 2, lots=(Lot("1", cpvs=("45000000",)),)),
        notice(4, 1, cpvs=("72260000",)),
    ]
    assert found(tmp_path, items, cpvs=(code,)) == expected


@pytest.mark.requirement("TND-6")
@pytest.mark.parametrize("code", ["45233120-5", "45999999-9", "4523", "works", ""])
def test_a_cpv_code_that_is_none_is_refused(tmp_path: Path, code: str) -> None:
    with pytest.raises(InvalidQuery, match=r"CPV|check digit") as refusal:
        found(tmp_path, [], cpvs=(code,))
    assert refusal.value.field == "cpvs"


PLACES = [
    notice(1, 4, locations=(Location("ES", "08", "Sabadell"),)),
    notice(2, 3, locations=(Location("ES", "15", "A Coruña"),)),
    notice(3, 2, locations=(Location("FR", None, "Sabadell"),)),
    notice(4, 1, lots=(Lot("1", locations=(Location("ES", "08"),)),)),
    notice(5, 0),
]


@pytest.mark.requirement("TND-7")
@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("country/ES", [1, 2, 4]),
        ("country/es", [1, 2, 4]),
        ("country/PT", []),
        ("province/08", [1, 4]),
        ("province/ES-B", [1, 4]),
        ("province/barcelona", [1, 4]),
        ("province/La Coruña", [2]),
        ("town/sabadell", [1, 3]),
        ("town/A CORUNA", [2]),
        ("town/08", []),
    ],
)
def test_locations(tmp_path: Path, place: str, expected: list[int]) -> None:
    assert found(tmp_path, PLACES, locations=(place,)) == expected


@pytest.mark.requirement("TND-7")
def test_several_locations_mean_any_of_them(tmp_path: Path) -> None:
    assert found(tmp_path, PLACES, locations=("province/15", "country/FR")) == [2, 3]


@pytest.mark.requirement("TND-7")
@pytest.mark.parametrize("place", ["ES", "region/ES5", "province/99", "province/", "country/ESP", "town/", "/", "Country/ES"])
def test_a_location_that_is_none_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(InvalidQuery, match=r"expected|such as") as refusal:
        found(tmp_path, [], locations=(place,))
    assert refusal.value.field == "locations"


@pytest.mark.requirement("TND-8")
@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(10, None, [2, 3]), (None, 10, [1, 2]), (10, 10, [2]), (10.01, 99, []), (50, 5, []), (0, None, [1, 2, 3])],
)
def test_budget_without_taxes_bounds_included(
    tmp_path: Path, low: float | None, high: float | None, expected: list[int]
) -> None:
    items = [
        notice(1, 4, budget_no_taxes=0.0),
        notice(2, 3, budget_no_taxes=10.0, budget_with_taxes=999.0),
        notice(3, 2, budget_no_taxes=100.0),
        notice(4, 1, budget_with_taxes=10.0),
    ]
    assert found(tmp_path, items, min_budget=low, max_budget=high) == expected


@pytest.mark.requirement("TND-9")
def test_only_within_deadline_is_published_and_still_open(tmp_path: Path) -> None:
    second = timedelta(seconds=1)
    items = [
        notice(1, deadline_at=NOW + second),
        notice(2, deadline_at=NOW),
        notice(3, deadline_at=NOW - second),
        notice(4),
        notice(5, deadline_at=NOW + second, status="Adjudicada"),
    ]
    assert found(tmp_path, items, is_only_within_deadline=True) == [1]
    assert found(tmp_path, items, is_only_within_deadline=True, status=("Adjudicada",)) == []
    assert len(found(tmp_path, items, is_only_within_deadline=False)) == 5


DATE_FILTERS = [
    pytest.param("publication", "published_at", marks=pytest.mark.requirement("TND-10")),
    pytest.param("deadline", "deadline_at", marks=pytest.mark.requirement("TND-11")),
    pytest.param("awarding", "awarded_at", marks=pytest.mark.requirement("TND-12")),
    pytest.param("last_update", "version_at", marks=pytest.mark.requirement("TND-13")),
]


@pytest.mark.parametrize(("filter_name", "field"), DATE_FILTERS)
def test_dates_bounds_included(tmp_path: Path, filter_name: str, field: str) -> None:
    items = [notice(number, **{field: day(number)}) for number in range(4)]
    low, high = f"min_{filter_name}_date", f"max_{filter_name}_date"
    second = timedelta(seconds=1)
    assert sorted(found(tmp_path, items, **{low: day(2)})) == [2, 3]
    assert sorted(found(tmp_path, items, **{high: day(2)})) == [0, 1, 2]
    assert found(tmp_path, items, **{low: day(2), high: day(2)}) == [2]
    assert found(tmp_path, items, **{low: day(2) - second, high: day(2) + second}) == [2]
    assert found(tmp_path, items, **{low: day(2) + second, high: day(3) - second}) == []
    assert found(tmp_path, items, **{low: day(3), high: day(1)}) == []


@pytest.mark.requirement("TND-14")
def test_procedures_and_contract_types_by_words_or_code(tmp_path: Path) -> None:
    items = [
        notice(1, 3, procedure="Abierto", procedure_code="1", contract_type="Obras", contract_type_code="3"),
        notice(2, 2, procedure="Abierto simplificado", procedure_code="9", contract_type="Servicios", contract_type_code="2"),
        notice(3, 1),
    ]
    assert found(tmp_path, items, procedures=("Abierto",)) == [1]
    assert found(tmp_path, items, procedures=("ABIERTO SIMPLIFICADO", "1")) == [1, 2]
    assert found(tmp_path, items, contract_types=("servicios",)) == [2]
    assert found(tmp_path, items, contract_types=("3",), procedures=("Abierto simplificado",)) == []
    assert found(tmp_path, items, contract_types=("no such type",)) == []
    with pytest.raises(InvalidQuery, match="blank"):
        found(tmp_path, items, procedures=(" ",))


SORTED_FIELDS = {
    TenderSort.PUBLISHED: "published_at",
    TenderSort.UPDATED: "version_at",
    TenderSort.DUE: "deadline_at",
    TenderSort.SUBMISSION: "deadline_at",
    TenderSort.EXPIRATION: "expires_at",
    TenderSort.AWARDED: "awarded_at",
}


@pytest.mark.requirement("TND-4")
@pytest.mark.parametrize(("sort", "field"), SORTED_FIELDS.items())
def test_sorts_by_date_in_both_directions(tmp_path: Path, sort: TenderSort, field: str) -> None:
    items = [notice(number, **{field: day(at)}) for number, at in ((1, 5), (2, 1), (3, 9))]
    assert found(tmp_path, items, sort=sort) == [3, 1, 2]
    assert found(tmp_path, items, sort=sort, is_descendent=True) == [3, 1, 2]
    assert found(tmp_path, items, sort=sort, is_descendent=False) == [2, 1, 3]


@pytest.mark.requirement("TND-4")
def test_sort_by_budget_has_the_missing_last_in_both_directions(tmp_path: Path) -> None:
    items = [notice(1, 3), notice(2, budget_no_taxes=5.0), notice(3, budget_no_taxes=0.0), notice(4, 4)]
    assert found(tmp_path, items, sort=TenderSort.BUDGET) == [2, 3, 4, 1]
    assert found(tmp_path, items, sort=TenderSort.BUDGET, is_descendent=False) == [3, 2, 1, 4]


@pytest.mark.requirement("TND-4")
def test_sort_by_prorated_budget_is_by_budget_a_year(tmp_path: Path) -> None:
    items = [
        notice(1, budget_no_taxes=300.0, duration_days=3 * 365),
        notice(2, budget_no_taxes=200.0, duration_days=30),
        notice(3, budget_no_taxes=150.0),
    ]
    assert found(tmp_path, items, sort=TenderSort.PRORATED_BUDGET) == [2, 3, 1]


@pytest.mark.requirement("TND-4")
def test_sort_by_last_significant_change_passes_over_mere_updates(tmp_path: Path) -> None:
    items = [notice(1, 1), notice(1, 8), notice(2, 2), notice(2, 3, budget_no_taxes=1.0), notice(3, 2)]
    assert found(tmp_path, items, sort=TenderSort.SIGNIFICANT_CHANGE) == [2, 3, 1]
    assert found(tmp_path, items, sort=TenderSort.UPDATED) == [1, 2, 3]


def test_a_search_past_its_time_is_stopped_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "_STEPS", 10)
    database = opened(tmp_path, [notice(number, name=f"obra {number}", budget_no_taxes=1.0) for number in range(400)])
    with pytest.raises(SearchTooSlow, match="Narrow it"):
        Tenders(database, time_limit=-1).search(TenderSearch(text="o*", sort=TenderSort.BUDGET, max_budget=7))
    assert Tenders(database).search(TenderSearch(text="o*")).has_next_page
    database.close()


@given(
    published=st.lists(st.integers(-(10**15), 3 * 10**15), min_size=2, max_size=2),
    ids=st.lists(st.uuids().map(str), min_size=2, max_size=2),
)
@settings(deadline=None)
def test_row_numbers_sort_by_second_then_id(published: list[int], ids: list[str]) -> None:
    one, other = (row_number(at, uuid) for at, uuid in zip(published, ids, strict=True))
    seconds = [at // 1_000_000 for at in published]
    assert (one < other) == ((seconds[0], ids[0][:8]) < (seconds[1], ids[1][:8]))
    assert first_row(seconds[0] * 1_000_000) <= one <= last_row(published[0])
    assert neighbour(one) != one
    assert neighbour(one) >> 32 == one >> 32
    assert -(2**63) <= one < 2**63
