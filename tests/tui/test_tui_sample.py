"""The terminal UI from end to end: the real client, the embedded service, the sample workspace and real PLACSP files."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input
from tui_stage import Stage

from workbench.local import fill_sample
from workbench.tui.app import WorkbenchApp
from workbench.tui.dialogs.importing import ImportDialog
from workbench.tui.dialogs.organization import OrganizationDialog
from workbench.tui.session import Start
from workbench.tui.widgets.filters import FilterPanel
from workbench.tui.widgets.record import RecordBody
from workbench.tui.widgets.table import ResultsTable

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample workspace."""
    folder = tmp_path_factory.mktemp("sample")
    fill_sample(data=folder)
    return folder


@asynccontextmanager
async def workbench(start: Start, downloads: Path, size: tuple[int, int] = (140, 50)) -> AsyncGenerator[Stage]:
    """The app over a real session."""
    app = WorkbenchApp(start, download_folder=downloads)
    async with app.run_test(size=size, notifications=True) as pilot:
        acting = Stage(app, pilot)
        await acting.until(lambda: app.session.caller is not None)
        await acting.idle()
        yield acting


@pytest.mark.requirement("TUI-1")
async def test_search_read_and_download_on_the_sample_workspace(sample: Path, tmp_path: Path) -> None:
    async with workbench(Start("sample", sample), tmp_path / "downloads") as on:
        table = on.search.query_one(ResultsTable)
        assert table.row_count == 60
        assert "synthetic" in on.words()
        await on.type("obras mejora")
        assert 0 < table.row_count <= 60
        searched = [f"{row.name} {row.description} {row.contracting_organization}".lower() for row in on.search.results.rows]
        assert all("obras" in text and "mejora" in text for text in searched)
        assert on.search.results.shown == on.search.query_now
        await on.press("ctrl+u")  # the documents of the newest tenders open
        await on.press("escape", "enter")
        words = on.words()
        for expected in ("Money", "Dates", "Buyer", "What and where", "Record", "Documents"):
            assert expected in words, expected
        await on.press("b")
        assert isinstance(on.app.screen, OrganizationDialog)
        await on.until(lambda: on.app.screen.query_one(RecordBody).sections)
        assert "public-contracting-institution" in on.words()
        await on.press("escape", "d")
        await on.until(lambda: not on.app.downloading)
        await on.idle()
        (saved,) = (tmp_path / "downloads").iterdir()
        assert saved.read_bytes().startswith(b"%PDF")
        assert saved.name in on.told[-1]


@pytest.mark.requirement("TUI-1")
async def test_filters_and_paging_reach_the_service_and_come_back_true(sample: Path, tmp_path: Path) -> None:
    async with workbench(Start("sample", sample), tmp_path) as on:
        table = on.search.query_one(ResultsTable)
        await on.press("escape", "f")
        panel = on.search.query_one(FilterPanel)
        for name, value in (("min_budget", "100k"), ("max_budget", "1m"), ("published", "last 2 years")):
            panel.query_one(f"#{name}", Input).value = value
        places = panel.query_one("#places Input", Input)
        places.focus()
        await on.type("madrid")
        await on.press("enter")
        rows = on.search.results.rows
        assert rows
        assert all(100_000 <= (row.budget_no_taxes or 0) <= 1_000_000 for row in rows)
        assert all(any(place.code == "28" for place in row.locations) for row in rows)
        await on.press("escape", "X", "s", "j", "j", "enter")
        amounts = [row.budget_no_taxes for row in on.search.results.rows if row.budget_no_taxes is not None]
        assert amounts == sorted(amounts, reverse=True)
        for _ in range(4):
            await on.press("G")
        assert table.row_count == 300
        assert len({row.id for row in on.search.results.rows}) == 300


async def test_every_screen_of_the_sample_fits_an_eighty_by_twenty_four_terminal(sample: Path, tmp_path: Path) -> None:
    async with workbench(Start("sample", sample), tmp_path, size=(80, 24)) as on:
        for keys in (("escape",), ("enter",), ("v",), ("v", "escape", "f"), ("escape", "question_mark")):
            await on.press(*keys)
            assert all(len(line) <= 80 for line in on.words().splitlines())


async def test_real_open_data_is_imported_and_searched(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_CONFIG", str(tmp_path / "config"))
    smallest = min((shared_data / "placsp").glob("*.atom"), key=lambda path: path.stat().st_size)
    async with workbench(Start("local"), tmp_path) as on:
        assert "holds no tenders yet" in on.words()
        await on.press("escape", "I")
        await on.until(lambda: isinstance(on.app.screen, ImportDialog) and on.app.screen.query("#paths"))
        on.app.screen.query_one("#paths", Input).value = str(smallest)
        await on.pilot.press("enter")
        await on.until(lambda: "Done." in on.words())
        words = on.words()
        assert " new" in words
        assert "0 refused" in words
        await on.press("escape")
        await on.until(lambda: on.search.results.rows)
        assert on.search.query_one(ResultsTable).row_count > 0


async def test_a_folder_that_cannot_be_used_is_told_in_a_sentence(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    app = WorkbenchApp(Start("local", blocked))
    async with app.run_test(size=(120, 40)) as pilot:
        acting = Stage(app, pilot)
        await acting.until(lambda: app.search_screen.results.trouble is not None)
        await acting.idle()
        assert "That did not work" in acting.words()
        assert "Traceback" not in acting.words()
