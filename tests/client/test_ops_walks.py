"""Walking the lists of an account: each record once, to the end, never in circles. Over a scripted account: see there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ops_account import OPEN, OPPORTUNITY, PIPELINE, Account, opened, page_of

from workbench.client.errors import InvalidArgument, UnexpectedAnswer
from workbench.client.polling import POLL_MAX_SECONDS, poll_pauses

WALKS: dict[str, tuple[str, Callable[..., Any]]] = {
    "alerts.iterate": ("GET /v1/alerts", lambda c, **o: c.alerts.iterate(**o)),
    "alerts.iterate_results": ("POST /v1/alerts/a1/results", lambda c, **o: c.alerts.iterate_results("a1", **o)),
    "pipelines.iterate": ("GET /v1/pipelines", lambda c, **o: c.pipelines.iterate(**o)),
    "kanban.iterate": (
        f"GET /v1/kanban/{PIPELINE}/status/{OPEN}/opportunities",
        lambda c, **o: c.kanban.iterate(PIPELINE, OPEN, **o),
    ),
    "opportunities.iterate_tasks": (
        f"GET /v1/opportunities/{OPPORTUNITY}/tasks",
        lambda c, **o: c.opportunities.iterate_tasks(OPPORTUNITY, **o),
    ),
}

PAGES = {"alerts.pages": lambda c, **o: c.alerts.pages(**o), "pipelines.pages": lambda c, **o: c.pipelines.pages(**o)}


class Listing(Account):
    """An account one list of which has these pages."""

    def __init__(self, address: str, pages: list[list[str]], *, endless: bool = False) -> None:
        super().__init__({address: self._page})
        self._pages = pages
        self._endless = endless
        self.asked: list[tuple[int, int]] = []

    def _page(self, request: httpx2.Request) -> httpx2.Response:
        given = self.bodies[-1] if request.content else request.url.params
        number, size = int(given["page"]), int(given["pageSize"])
        self.asked.append((number, size))
        ids = self._pages[min(number, len(self._pages)) - 1]
        more = self._endless or number < len(self._pages)
        return page_of([{"id": one} for one in ids], page=number, more=more)


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_gives_each_record_once_over_all_pages(world: Any, name: str) -> None:
    address, walk = WALKS[name]
    listing = Listing(address, [["1", "2"], ["2", "3"], [], ["4", "1"]])
    found = world.all(walk(opened(world, listing)))
    assert [record.id for record in found] == ["1", "2", "3", "4"]
    assert listing.asked == [(1, 100), (2, 100), (3, 100), (4, 100)]


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_keeps_to_its_limit_its_page_and_its_page_size(world: Any, name: str) -> None:
    address, walk = WALKS[name]
    listing = Listing(address, [["1", "2"], ["3", "4"], ["5", "6"]])
    client = opened(world, listing)
    assert [r.id for r in world.all(walk(client, limit=3))] == ["1", "2", "3"]
    assert [r.id for r in world.all(walk(client, page=2, page_size=2))] == ["3", "4", "5", "6"]
    assert world.all(walk(client, limit=0)) == []
    assert listing.asked == [(1, 3), (2, 3), (2, 2), (3, 2)]


@pytest.mark.parametrize("name", [*WALKS, *PAGES])
def test_a_service_that_goes_in_circles_is_left(world: Any, name: str) -> None:
    address, walk = WALKS.get(name) or (f"GET /v1/{name.partition('.')[0]}", PAGES[name])
    listing = Listing(address, [["1"], ["1"]], endless=True)
    with pytest.raises(UnexpectedAnswer, match="repeats itself"):
        world.all(walk(opened(world, listing)))
    assert len(listing.asked) <= 5


@pytest.mark.parametrize("name", PAGES)
def test_pages_come_as_they_came(world: Any, name: str) -> None:
    listing = Listing(f"GET /v1/{name.partition('.')[0]}", [["1", "2"], ["2"], ["3"]])
    pages = world.all(PAGES[name](opened(world, listing), page_size=2))
    assert [[record.id for record in page] for page in pages] == [["1", "2"], ["2"], ["3"]]
    assert [page.pagination.page for page in pages] == [1, 2, 3]
    assert [page.has_next_page for page in pages] == [True, True, False]
    assert listing.asked == [(1, 2), (2, 2), (3, 2)]


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("limit", [-1, True, 1.5, "3"])
def test_a_limit_that_is_none_is_refused_before_the_walk(world: Any, name: str, limit: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        WALKS[name][1](opened(world, Account()), limit=limit)
    assert (caught.value.field, caught.value.operation) == ("limit", name)


def test_a_walk_keeps_its_filters_on_every_page(world: Any) -> None:
    address, _ = WALKS["alerts.iterate"]
    listing = Listing(address, [["1"], ["2"]])
    world.all(opened(world, listing).alerts.iterate(text="obras", is_archived=False, sort_direction="asc"))
    assert listing.lines == [
        f"GET /v1/alerts?text=obras&isArchived=false&page={page}&pageSize=100&sortDirection=asc" for page in (1, 2)
    ]


@given(st.floats(0, 10_000))
def test_pauses_of_a_wait_grow_and_end_together_with_its_patience(patience: float) -> None:
    pauses = list(poll_pauses(patience, operation="x"))
    assert sum(pauses) == pytest.approx(patience)
    assert all(0 < pause <= POLL_MAX_SECONDS for pause in pauses)
    assert pauses[:-1] == sorted(pauses[:-1])
    assert len(pauses) <= 9 + patience / POLL_MAX_SECONDS
