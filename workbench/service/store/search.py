"""The tender search over SQLite: from a query to the row numbers of one page.

Text and categories become one expression of the text index, which intersects their lists of rows; publication is a range of
row numbers. Which list leads is decided by counting, up to a bound, and never left to the planner: it knows nothing of
the index's lists, and outages elsewhere came from just that mixture (measured: 1 to 10 ms where it led to seconds). A
``word*`` always leads: the index gathers all words that begin so each time it is asked, which is too dear for each row.

The order of every sort is total: equal values stand by publication, then by id, in the direction of the sort, and tenders
without the value come last in both directions. So pages neither overlap nor skip.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from typing import Final

from workbench.contract.vocabulary import TenderSort
from workbench.service.store import ranking
from workbench.service.store.facets import STATUSES, status_facet
from workbench.service.store.failures import SearchTooSlow
from workbench.service.store.query import Either, Query, Range
from workbench.service.store.query_text import Term

TIME_LIMIT: Final = 10.0
"""Seconds after which a search is stopped with a sentence instead of holding a thread."""

FEW_MATCHES: Final = 2_000
"""Up to here the matches of the index are gathered and sorted; above, the sort's own index is walked first."""

MANY_MATCHES: Final = 20_000
"""Matches are not counted beyond; where there are as many, relevance is that of the newest."""

GATHER_COST: Final = 2e-6
"""Seconds to gather and sort one match: a walk that takes as long as gathering would is given up for it."""

FEW_IN_RANGE: Final = 5_000
"""Up to here a range leads, each of its rows looked up in the text index (some 30 µs each)."""

WALK_LIMIT: Final = 0.3
"""Seconds that a walk may take before the matches are gathered instead, which takes as long as there are matches."""

_STEPS: Final = 1_000
_COLUMNS: Final = {
    TenderSort.PUBLISHED: "rid",
    TenderSort.UPDATED: "updated",
    # The interface lists both names and explains neither: each is the end of the time to submit a tender.
    TenderSort.DUE: "deadline",
    TenderSort.SUBMISSION: "deadline",
    TenderSort.BUDGET: "budget",
    TenderSort.PRORATED_BUDGET: "prorated_budget",
    TenderSort.EXPIRATION: "expires",
    TenderSort.AWARDED: "awarded",
    TenderSort.SIGNIFICANT_CHANGE: "significant",
}


def find_rows(connection: sqlite3.Connection, query: Query, *, time_limit: float = TIME_LIMIT) -> list[int]:
    """Row numbers of the page that ``query`` asks for, one more where another page follows.

    Raises :class:`~workbench.service.store.failures.SearchTooSlow` after ``time_limit`` seconds.
    """
    if query.is_empty:
        return []
    clock = _Deadline(connection, time_limit)
    try:
        return _Search(connection, query, clock).rows()
    except _OutOfTime:
        raise SearchTooSlow(
            f"The search took longer than {time_limit:g} seconds and was stopped. Narrow it with a filter or a longer word."
        ) from None
    finally:
        clock.stop()


class _OutOfTime(Exception):
    """The time that was allowed is over."""


class _Deadline:
    """Stops the statements of one connection when their time is over."""

    def __init__(self, connection: sqlite3.Connection, seconds: float) -> None:
        self._connection = connection
        self._last = time.monotonic() + seconds
        self._end = self._last
        connection.set_progress_handler(lambda: int(time.monotonic() > self._end), _STEPS)

    def stop(self) -> None:
        self._connection.set_progress_handler(None, 0)

    def rows(self, sql: str, values: Sequence[object], *, within: float | None = None) -> list[int]:
        """The first column of a statement's rows; ``_OutOfTime`` when the search, or ``within`` seconds, are over."""
        self._end = self._last if within is None else min(self._last, time.monotonic() + within)
        try:
            return [row[0] for row in self._connection.execute(sql, values)]
        except sqlite3.OperationalError as trouble:
            if trouble.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            raise _OutOfTime from None


class _Search:
    def __init__(self, connection: sqlite3.Connection, query: Query, clock: _Deadline) -> None:
        self.connection = connection
        self.clock = clock
        self.query = query
        self.direction = "DESC" if query.descending else "ASC"
        self.match = match_expression(query, with_status=True)
        self.conditions, self.values = _conditions(query.ranges)

    def rows(self) -> list[int]:
        query = self.query
        if query.sort is TenderSort.RELEVANCE:
            return self._by_relevance()
        column = _COLUMNS[query.sort]
        matches = 0
        if self.match is not None:
            if column == "rid" and not query.ranges:
                return self._from_index("tender_fts.rowid")
            matches = self._matches_up_to(MANY_MATCHES)
            if query.has_prefix or matches < FEW_MATCHES:
                return self._from_index("tender_fts.rowid" if column == "rid" else f"t.{column}")
        leading = self._shortest_range(column)
        if leading is None and column == "rid" and self.match is not None:
            return self._from_index("tender_fts.rowid")
        if self.match is None:
            return self._from_table(column, leading or column)
        try:
            within = WALK_LIMIT if matches == MANY_MATCHES else matches * GATHER_COST
            return self._from_table(column, leading or column, within=within)
        except _OutOfTime:
            # Hits are rarer along this way than their number promised: gather all of them after all.
            return self._from_index("tender_fts.rowid" if column == "rid" else f"t.{column}")

    def _by_relevance(self) -> list[int]:
        query = self.query
        if not query.descending or self._matches_up_to(MANY_MATCHES) < MANY_MATCHES:
            better, later = ("ASC", "DESC") if query.descending else ("DESC", "ASC")
            return self._select(
                f"SELECT tender_fts.rowid {self._index_from()} ORDER BY bm25(tender_fts, {ranking.WEIGHTS}) {better}, "
                f"tender_fts.rowid {later}",
                self._index_values(),
                query.limit,
                query.offset,
            )
        # bm25 reads every match, seconds for a common word: of many, the newest are ranked and the others stay by date.
        end = query.offset + query.limit
        newest = self._newest(ranking.RERANKED, 0)
        page = ranking.by_relevance(self.connection, newest, query.text)[query.offset : end]
        missing = query.limit - len(page)
        return page + (self._newest(missing, max(query.offset, ranking.RERANKED)) if missing else [])

    def _newest(self, limit: int, offset: int) -> list[int]:
        sql = f"SELECT tender_fts.rowid {self._index_from()} ORDER BY tender_fts.rowid DESC"
        return self._select(sql, self._index_values(), limit, offset)

    def _from_index(self, order: str) -> list[int]:
        """The text index leads; what it matches is checked for ranges and, for another order than its own, sorted."""
        own = order == "tender_fts.rowid"
        tie = "" if own else f" NULLS LAST, tender_fts.rowid {self.direction}"
        return self._select(
            f"SELECT tender_fts.rowid {self._index_from(joined=not own)} ORDER BY {order} {self.direction}{tie}",
            self._index_values(),
            self.query.limit,
            self.query.offset,
        )

    def _index_from(self, *, joined: bool = False) -> str:
        # CROSS JOIN pins the index as the outer loop.
        table = "CROSS JOIN tender t ON t.rid = tender_fts.rowid " if joined or self.query.ranges else ""
        where = ["tender_fts MATCH ?", *_row_conditions("tender_fts.rowid", self.query), *self.conditions]
        return f"FROM tender_fts {table}WHERE {' AND '.join(where)}"

    def _index_values(self) -> list[object]:
        return [self.match, *_row_values(self.query), *self.values]

    def _from_table(self, column: str, leading: str, *, within: float | None = None) -> list[int]:
        """A btree leads: the sort's own, which stops at the page, or that of a range that few tenders are in."""
        query = self.query
        conditions, values = _conditions(query.ranges, leading=leading)
        where = [*_row_conditions("t.rid" if leading == "rid" else "+t.rid", query), *conditions]
        values = [*_row_values(query), *values]
        if query.statuses is not None:
            # The row is at hand, so its status costs nothing; the index would have to be asked for each row.
            where.append(f"+t.status IN ({', '.join(map(str, query.statuses))})")
        rest = match_expression(query, with_status=False)
        if rest is not None:
            where.append("EXISTS (SELECT 1 FROM tender_fts WHERE tender_fts MATCH ? AND rowid = t.rid)")
            values.append(rest)
        elif (unwanted := _unwanted(query)) is not None:
            where.append("NOT EXISTS (SELECT 1 FROM tender_fts WHERE tender_fts MATCH ? AND rowid = t.rid)")
            values.append(unwanted)
        tie = "" if column == "rid" else f" NULLS LAST, t.rid {self.direction}"
        condition = f"WHERE {' AND '.join(where)} " if where else ""
        return self._select(
            f"SELECT t.rid FROM tender t {_led_by(leading)} {condition}ORDER BY t.{column} {self.direction}{tie}",  # noqa: S608
            values,
            query.limit,
            query.offset,
            within=within,
        )

    def _matches_up_to(self, bound: int) -> int:
        where = ["tender_fts MATCH ?", *_row_conditions("rowid", self.query)]
        sql = f"SELECT count(*) FROM (SELECT 1 FROM tender_fts WHERE {' AND '.join(where)} LIMIT ?)"  # noqa: S608
        return self.clock.rows(sql, [self.match, *_row_values(self.query), bound])[0]

    def _shortest_range(self, sort_column: str) -> str | None:
        """The column of the range that the fewest tenders are in, where those are few; the sort's own is walked anyway."""
        exact = (one for one in self.query.ranges if not one.or_missing)
        ranges = [(one.column, *_conditions((one,), leading=one.column)) for one in exact]
        ranges.append(("rid", _row_conditions("t.rid", self.query), _row_values(self.query)))
        counted: list[tuple[int, str]] = []
        for column, conditions, values in ranges:
            if column == sort_column or not conditions:
                continue
            sql = f"SELECT count(*) FROM (SELECT 1 FROM tender t {_led_by(column)} WHERE {' AND '.join(conditions)} LIMIT ?)"  # noqa: S608
            counted.append((self.clock.rows(sql, [*values, FEW_IN_RANGE])[0], column))
        count, shortest = min(counted, default=(FEW_IN_RANGE, None))
        return shortest if count < FEW_IN_RANGE else None

    def _select(self, sql: str, values: Sequence[object], limit: int, offset: int, *, within: float | None = None) -> list[int]:
        return self.clock.rows(f"{sql} LIMIT ? OFFSET ?", [*values, limit, offset], within=within)


def match_expression(query: Query, *, with_status: bool) -> str | None:
    """The query's text and categories in the language of FTS5, or ``None`` where it has none.

    Nothing typed gets in as it is: terms are words of letters and digits, always in quotes, and facets are the store's own.
    """
    parts = [_in_texts(_either(group)) for group in query.text.required]
    parts += [_in_facets(group) for group in query.facets]
    parts += [_in_either(group) for group in query.either]
    if with_status and query.statuses is not None:
        parts.append(_in_facets([status_facet(number) for number in query.statuses]))
    unwanted = _unwanted(query)
    if unwanted is not None:
        if not parts:
            if not with_status:
                return None
            # There is no "all but": every tender has one status, so all statuses are all tenders.
            parts.append(_in_facets([status_facet(number) for number in range(_STATUS_COUNT)]))
        return f"({' AND '.join(parts)}) NOT {unwanted}"
    return " AND ".join(parts) or None


_STATUS_COUNT: Final = len(STATUSES)


def _unwanted(query: Query) -> str | None:
    """What a tender must not have, as one expression; ``None`` where nothing is unwanted."""
    texts = [_in_texts(_either(query.text.excluded))] if query.text.excluded else []
    facets = [_in_facets(query.without)] if query.without else []
    return _one_of([*texts, *facets]) if texts or facets else None


def _in_either(group: Either) -> str:
    texts = [_in_texts(_either(group.terms))] if group.terms else []
    facets = [_in_facets(group.facets)] if group.facets else []
    return _one_of([*texts, *facets])


def _one_of(expressions: Sequence[str]) -> str:
    return expressions[0] if len(expressions) == 1 else f"({' OR '.join(expressions)})"


def _either(terms: Sequence[Term]) -> str:
    return " OR ".join(f'"{" ".join(term.words)}"{" *" if term.prefix else ""}' for term in terms)


def _in_texts(expression: str) -> str:
    return f"({{title description}} : ({expression}))"


def _in_facets(facets: Sequence[str]) -> str:
    # Facets are words of letters and digits, which need no quotes.
    return f"(facets : ({' OR '.join(facets)}))"


def _conditions(ranges: Sequence[Range], *, leading: str = "") -> tuple[list[str], list[object]]:
    where: list[str] = []
    values: list[object] = []
    for one in ranges:
        # The plus keeps the planner from choosing another index than the one that was chosen here.
        column = f"t.{one.column}" if one.column == leading and not one.or_missing else f"+t.{one.column}"
        missing = f"{column} IS NULL OR " if one.or_missing else ""
        if one.low is not None:
            where.append(f"({missing}{column} {'>' if one.above else '>='} ?)")
            values.append(one.low)
        if one.high is not None:
            where.append(f"({missing}{column} <= ?)")
            values.append(one.high)
    return where, values


def _led_by(column: str) -> str:
    # Row numbers are the table itself; every other column that can lead has its index.
    return "NOT INDEXED" if column == "rid" else f"INDEXED BY tender_by_{column}"


def _row_conditions(column: str, query: Query) -> list[str]:
    low, high = query.rows
    where = [*([f"{column} >= ?"] if low is not None else []), *([f"{column} <= ?"] if high is not None else [])]
    if query.among is not None:
        # The table is entered by each of these rows; the text index is read once and not once for each of them.
        looked_up = column if column.startswith("t.") else f"+{column.removeprefix('+')}"
        where.append(f"{looked_up} IN (SELECT value FROM json_each(?))")  # noqa: S608 - one of three constants
    return where


def _row_values(query: Query) -> list[object]:
    values: list[object] = [row for row in query.rows if row is not None]
    return values if query.among is None else [*values, json.dumps(query.among)]
