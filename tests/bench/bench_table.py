"""The results table at 100,000 rows, the first page after an answer, and the event loop's lag while all that goes on.

Run it as ``python tests/bench/bench_table.py``; it prints medians in milliseconds of processor time, and beside them Textual's
own ``DataTable`` with the same cells (1,000 rows: it takes 0.1 ms a row) as a ratio that holds on any machine.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import DataTable

sys.path.insert(0, str(Path(__file__).parents[1] / "tui"))

from tui_fake import FakeSession, tender

from workbench.contract.tenders import Tender
from workbench.tui.app import WorkbenchApp
from workbench.tui.columns import COLUMNS
from workbench.tui.session import Start
from workbench.tui.widgets.table import ResultsTable

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SIZE = (160, 45)
MANY, FEW = 100_000, 1_000


class Ours(App[None]):
    """The workbench's table alone."""

    CSS_PATH = Path(__file__).parents[2] / "workbench" / "tui" / "styles" / "search.tcss"

    def get_css_variables(self) -> dict[str, str]:
        """The variables that the style reads."""
        variables = super().get_css_variables()
        names = "soft faint rule zebra status-published status-awarded status-resolved status-formalized status-closed"
        return variables | dict.fromkeys(names.split(), variables["foreground"])

    def compose(self) -> ComposeResult:
        """Only the table."""
        yield ResultsTable(lambda: NOW)


class Theirs(App[None]):
    """Textual's table alone."""

    def compose(self) -> ComposeResult:
        """Only the table."""
        yield DataTable(cursor_type="row")


async def cost(pilot: Pilot[Any], act: Callable[[], object]) -> float:
    """Processor milliseconds until an act is painted."""
    gc.collect()
    gc.disable()
    began = time.process_time()
    act()
    await pilot.pause()
    spent = (time.process_time() - began) * 1000
    gc.enable()
    return spent


async def ours(rows: list[Tender]) -> tuple[float, float, float]:
    """Load, page and line down with our table."""
    app = Ours()
    async with app.run_test(size=SIZE) as pilot:
        table = app.query_one(ResultsTable)
        table.focus()
        await pilot.pause()
        idle = statistics.median([await cost(pilot, lambda: None) for _ in range(9)])
        load = await cost(pilot, lambda: table.show(rows)) - idle
        page = statistics.median([await cost(pilot, table.action_page_down) for _ in range(25)]) - idle
        line = statistics.median([await cost(pilot, table.action_cursor_down) for _ in range(25)]) - idle
        return load, page, line


async def theirs(rows: list[Tender]) -> tuple[float, float]:
    """Load and page with Textual's table."""
    cells = [tuple(column.cell(row, NOW)[0] for column in COLUMNS) for row in rows]
    app = Theirs()
    async with app.run_test(size=SIZE) as pilot:
        table: DataTable[str] = app.query_one(DataTable)
        table.focus()
        table.add_columns(*(column.title for column in COLUMNS))
        await pilot.pause()
        load = await cost(pilot, lambda: table.add_rows(cells))
        page = statistics.median([await cost(pilot, table.action_page_down) for _ in range(10)])
        return load, page


async def first_page() -> tuple[float, list[float]]:
    """Milliseconds from an answer to its rows on the screen, and the loop's lags while searching and paging."""
    session = FakeSession(tenders=[tender(number) for number in range(600)])
    app = WorkbenchApp(Start("sample"), clock=lambda: NOW, make_session=lambda _: session)
    painted: list[float] = []
    lags: list[float] = []

    async def heartbeat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.01)
            lags.append((time.perf_counter() - began - 0.01) * 1000)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.5)
        beating = asyncio.create_task(heartbeat())
        for text in ("obras", "limpieza", "", "software", "suministro", ""):
            ask = app.search_screen.results.begin(app.search_screen.query_now)
            answer = await session.search(ask, NOW)
            painted.append(await cost(pilot, lambda ask=ask, answer=answer: take(app, ask, answer)))
            app.search_screen.query_one("#query").value = text  # type: ignore[attr-defined]
            await pilot.pause(0.3)
        for _ in range(12):
            app.search_screen.query_one(ResultsTable).action_page_down()
            await pilot.pause(0.05)
        beating.cancel()
    return statistics.median(painted), sorted(lags)


def take(app: WorkbenchApp, ask: Any, answer: Any) -> None:
    """What the screen does when an answer comes."""
    screen = app.search_screen
    screen.results.accept(ask, answer, NOW)
    screen._show_rows(None, first_page=True)


async def main() -> None:
    """Measure and print."""
    base = [tender(number) for number in range(FEW)]
    load, page, line = await ours(base * (MANY // FEW))
    few = (await ours(base))[0]
    their_load, their_page = await theirs(base)
    print(
        f"our table, {MANY:,} rows: load {load:.1f} ms, page {page:.1f} ms, line {line:.1f} ms (load of {FEW:,}: {few:.1f} ms)"
    )
    print(f"DataTable, {FEW:,} rows: load {their_load:.0f} ms, page {their_page:.1f} ms")
    print(f"ratio: load of {MANY // FEW} times the rows {load / their_load:.3f}, page {page / their_page:.2f}")
    painted, lags = await first_page()
    print(f"answer to first page on the screen: {painted:.1f} ms of processor time (budget 60)")
    print(f"loop lag in search and paging: p95 {lags[int(len(lags) * 0.95)]:.0f} ms, most {lags[-1]:.0f} ms (budget 50, 100)")


if __name__ == "__main__":
    asyncio.run(main())
