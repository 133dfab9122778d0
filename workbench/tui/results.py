"""The list of results as a value that changes only by rules: an answer counts only if it is the one being waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.tui.query import Query

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender
    from workbench.tui.trouble import Trouble


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for a page; ``token`` tells its answer from those of searches since given up."""

    token: int
    query: Query
    page: int


@dataclass(frozen=True, slots=True)
class Answer:
    """One page as it came: records, whether more follow, the total where the service states it, and how long it took."""

    records: tuple[Tender, ...]
    has_more: bool = False
    total: int | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class Results:
    """Rows on the screen and what is known of them.

    ``asked`` is the search being shown or waited for, ``shown`` the search that the rows answer. They differ while a new
    search is under way or after it failed: the old rows stay, and the screen says so.
    """

    rows: list[Tender] = field(default_factory=list)
    asked: Query = field(default_factory=Query)
    shown: Query | None = None
    has_more: bool = False
    total: int | None = None
    seconds: float = 0.0
    fetched_at: datetime | None = None
    trouble: Trouble | None = None
    loading: bool = False
    loading_more: bool = False
    page: int = 0
    _token: int = 0
    _ids: set[str] = field(default_factory=set)

    def begin(self, query: Query) -> Ask:
        """Ask for the first page of a search; every earlier request is void from now on."""
        self._token += 1
        self.asked, self.loading, self.loading_more, self.trouble = query, True, False, None
        return Ask(self._token, query, 1)

    def more(self) -> Ask | None:
        """Ask for the next page, or ``None`` where there is none, one is under way, or the last request failed."""
        if self.loading or self.loading_more or not self.has_more or self.trouble or self.shown != self.asked:
            return None
        self.loading_more = True
        return Ask(self._token, self.asked, self.page + 1)

    def accept(self, ask: Ask, answer: Answer, now: datetime) -> bool:
        """Take an answer in; ``False`` and no change where it is not the one being waited for."""
        if ask.token != self._token:
            return False
        if ask.page == 1:
            self.rows, self._ids, self.seconds = [], set(), answer.seconds
        for record in answer.records:
            # Records that move between pages while one scrolls would stand in the list twice.
            if record.id is None or record.id not in self._ids:
                self.rows.append(record)
                self._ids.add(record.id or "")
        self.page, self.has_more, self.total = ask.page, answer.has_more, answer.total
        self.shown, self.fetched_at = ask.query, now
        self.loading = self.loading_more = False
        self.trouble = None
        return True

    def fail(self, ask: Ask, trouble: Trouble) -> bool:
        """Note that a request failed; the rows stay. ``False`` where nobody waits for it any more."""
        if ask.token != self._token:
            return False
        self.loading = self.loading_more = False
        self.trouble = trouble
        return True

    def give_up(self) -> bool:
        """Stop waiting; ``False`` where nothing was under way."""
        under_way = self.loading or self.loading_more
        self._token += 1
        self.loading = self.loading_more = False
        return under_way

    def retry(self) -> Ask | None:
        """Ask again for what failed: the next page if that failed, else the whole search."""
        if self.trouble is not None and self.shown == self.asked and self.rows and self.page and self.has_more:
            self.trouble = None
            return self.more()
        return None

    @property
    def stale(self) -> bool:
        """Whether the rows answer another search than the one that was asked."""
        return self.shown is not None and self.shown != self.asked
