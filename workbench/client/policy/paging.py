"""Walking through pages without losing, repeating or looping (interface 2, pagination envelope)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from workbench.contract.record import Page, Record

RecordT = TypeVar("RecordT", bound=Record)

FRUITLESS_PAGES_MAX: Final = 3
"""So many pages in a row without a record that was not seen before, and the service is taken to be going in circles.

One is normal: page numbers shift while records are added, and a service may filter after it paged.
"""


class GoingInCircles(Exception):
    """The service says that more pages follow, and sends nothing new. ``page`` is the last page's number."""

    def __init__(self, page: int) -> None:
        super().__init__(page)
        self.page = page


class PageWalk(Generic[RecordT]):
    """Decides, page by page, which records are new and which page comes next.

    ``next_page`` is the 1-based number of the page to fetch, or ``None`` when the walk is over. ``duplicates`` counts the
    records that came again and were dropped. ``limit`` ends the walk after so many records.
    """

    def __init__(self, *, first: int = 1, limit: int | None = None) -> None:
        self.next_page: int | None = None if limit is not None and limit <= 0 else first
        self.duplicates = 0
        self._limit = limit
        self._given = 0
        self._seen: set[str] = set()
        self._fruitless = 0
        self._last: Sequence[RecordT] | None = None

    def take(self, page: Page[RecordT]) -> tuple[RecordT, ...]:
        """The records of the page just fetched that were not seen before; moves :attr:`next_page` on.

        Raises :class:`GoingInCircles` where the service repeats itself without end.
        """
        number = self.next_page or 1
        fresh = self._fresh(page.data)
        self._fruitless = 0 if fresh else self._fruitless + 1
        if self._limit is not None:
            fresh = fresh[: self._limit - self._given]
        self._given += len(fresh)
        full = self._limit is not None and self._given >= self._limit
        self.next_page = number + 1 if page.has_next_page and not full else None
        if self.next_page is not None and self._fruitless >= FRUITLESS_PAGES_MAX:
            raise GoingInCircles(number)
        return fresh

    def _fresh(self, records: Sequence[RecordT]) -> tuple[RecordT, ...]:
        repeated = bool(records) and self._last is not None and list(records) == list(self._last)
        self._last = records
        if repeated:
            self.duplicates += len(records)
            return ()
        fresh: list[RecordT] = []
        for record in records:
            identity = getattr(record, "id", None)
            if identity is None:  # nothing to tell it apart by: kept
                fresh.append(record)
            elif identity in self._seen:
                self.duplicates += 1
            else:
                self._seen.add(identity)
                fresh.append(record)
        return tuple(fresh)
