# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Walking through the pages of any list: each record once, to the end the service states, and never in circles."""

from __future__ import annotations

from collections.abc import Iterator, Callable
from dataclasses import replace
from typing import TypeVar

from workbench.client._sync.driver import Driver
from workbench.client.calls import Call
from workbench.client.errors import UnexpectedAnswer
from workbench.client.policy.paging import GoingInCircles, PageWalk
from workbench.contract.record import Page, Record

RecordT = TypeVar("RecordT", bound=Record)

PageCall = Callable[[int], Call[Page[RecordT]]]
"""The call for a page by its 1-based number."""


def pages(driver: Driver, call: PageCall[RecordT], walk: PageWalk[RecordT]) -> Iterator[Page[RecordT]]:
    """The pages as they came."""
    while walk.next_page is not None:
        page, _ = _step(driver, call, walk)
        yield page


def records(driver: Driver, call: PageCall[RecordT], walk: PageWalk[RecordT]) -> Iterator[RecordT]:
    """The records of all pages, each id once; a page is fetched when its first record is asked for."""
    while walk.next_page is not None:
        _, fresh = _step(driver, call, walk)
        for record in fresh:
            yield record


def _step(
    driver: Driver, call: PageCall[RecordT], walk: PageWalk[RecordT]
) -> tuple[Page[RecordT], tuple[RecordT, ...]]:
    request = replace(call(walk.next_page or 1), bulk=True)
    page = driver.read(request)
    try:
        return page, walk.take(page)
    except GoingInCircles as trouble:
        number = trouble.page
    raise UnexpectedAnswer(
        "pages that end, or bring something new",
        where=f"page {number}: the service says that more pages follow, and repeats itself",
        operation=request.operation.name,
    )
