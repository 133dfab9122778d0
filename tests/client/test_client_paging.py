"""Walking pages: nothing lost, nothing twice, no end of circles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client.policy.paging import FRUITLESS_PAGES_MAX, GoingInCircles, PageWalk
from workbench.contract.record import Page
from workbench.contract.tenders import Tender


def page(ids: list[Any], more: bool) -> Page[Tender]:
    return Page[Tender].model_validate(
        {"data": [{} if i is None else {"id": i} for i in ids], "pagination": {"hasNextPage": more}}
    )


@pytest.mark.requirement("TND-3")
@given(st.lists(st.lists(st.integers(0, 30).map(str), min_size=1, max_size=6), min_size=1, max_size=8))
def test_each_id_comes_once_in_the_order_of_its_first_coming(pages: list[list[str]]) -> None:
    walk: PageWalk[Tender] = PageWalk()
    given_ids: list[str | None] = []
    try:
        for number, ids in enumerate(pages, 1):
            assert walk.next_page == number
            given_ids += [tender.id for tender in walk.take(page(ids, more=number < len(pages)))]
        assert walk.next_page is None
        seen = pages
    except GoingInCircles as trouble:
        seen = pages[: trouble.page]
    flat = [i for ids in seen for i in ids]
    assert given_ids == list(dict.fromkeys(flat))
    assert walk.duplicates == len(flat) - len(given_ids)


@given(st.integers(0, 40), st.integers(1, 7))
def test_a_limit_ends_the_walk_without_a_page_too_many(limit: int, size: int) -> None:
    walk: PageWalk[Tender] = PageWalk(limit=limit)
    got = pages = 0
    while walk.next_page is not None:
        start = pages * size
        got += len(walk.take(page([str(start + i) for i in range(size)], more=True)))
        pages += 1
    assert got == limit
    assert pages == -(-limit // size)


@pytest.mark.parametrize("ids", [["1", "2"], [], [None]])
def test_a_service_that_repeats_itself_is_found_out(ids: list[Any]) -> None:
    walk: PageWalk[Tender] = PageWalk()
    fetched = 0
    for _ in range(FRUITLESS_PAGES_MAX + 1):
        try:
            walk.take(page(ids, more=True))
        except GoingInCircles:
            return
        fetched += 1
    pytest.fail(f"{fetched} pages were taken without a word")


def test_two_pages_that_take_turns_are_found_out() -> None:
    walk: PageWalk[Tender] = PageWalk()
    for number in range(4):
        walk.take(page([str(number % 2)], more=True))
    with pytest.raises(GoingInCircles):
        walk.take(page(["0"], more=True))


def test_one_empty_page_does_not_end_a_walk_that_goes_on() -> None:
    walk: PageWalk[Tender] = PageWalk()
    walk.take(page(["1"], more=True))
    assert walk.take(page([], more=True)) == ()
    assert walk.next_page == 3
    assert [t.id for t in walk.take(page(["2"], more=False))] == ["2"]


def test_records_without_an_id_are_kept() -> None:
    walk: PageWalk[Tender] = PageWalk()
    assert len(walk.take(page([None, None], more=False))) == 2
    assert walk.duplicates == 0
