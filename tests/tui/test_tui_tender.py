"""The tender screen: everything known, documents with downloads, and the ways out of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static
from tui_fake import FakeSession, sheet, tender
from tui_stage import Stage, stage

from workbench.tui.dialogs.menu import Menu
from workbench.tui.dialogs.organization import OrganizationDialog
from workbench.tui.screens.search import SearchScreen
from workbench.tui.screens.tender import TenderScreen
from workbench.tui.trouble import Kind, Trouble
from workbench.tui.widgets.documents import DocumentList
from workbench.tui.widgets.table import ResultsTable

pytestmark = pytest.mark.anyio

RICH = tender(
    0,
    status="Publicada",
    lots=[{"id": "1", "name": "Lote norte", "budgetNoTaxes": 600.0}, {"id": "2", "name": "Lote sur", "result": "Desierto"}],
    successBidders=[{"id": "o9", "name": "Empresa Inventada, S.L.", "taxId": "B00000000", "amount": 900.0, "lotId": "1"}],
    awardAmount=900.0,
    contractEstimatedValue=1100.0,
    proratedBudget=500.0,
    biddersNumber="many",
)


async def opened(on: Stage) -> None:
    """Open the first tender."""
    await on.press("escape", "enter")
    assert isinstance(on.app.screen, TenderScreen)


@pytest.mark.requirement("TUI-1")
async def test_everything_known_is_laid_out_and_the_unknown_stands_under_other_fields() -> None:
    async with stage(FakeSession(tenders=[RICH]), size=(160, 90)) as on:
        await opened(on)
        words = on.words()
        for expected in (
            "Obras de conservación de la carretera C-17 0", "Publicada", "20 d left", "1,000 €", "1,210 €", "1,100 €",
            "500 €", "900 €",
            "Ayuntamiento de Ejemplo", "45233120-6", "Road construction works", "Barcelona", "Abierto", "Lote norte",
            "Desierto",
            "Empresa Inventada, S.L.", "PLACSP", "https://example.org/tender/0", "somethingNew", '{"kept": 0}', "EXP-0000/2026",
        ):  # fmt: skip
            assert expected in words, expected
        assert "biddersNumber" in words
        assert "of an unexpected form" in words


async def test_cpv_names_change_their_language() -> None:
    async with stage(FakeSession(tenders=[RICH]), size=(160, 90)) as on:
        await opened(on)
        assert "Road construction works" in on.words()
        await on.press("l")
        assert "Trabajos de construcción de carreteras" in on.words()


async def test_the_raw_record_is_what_came() -> None:
    async with stage(FakeSession(tenders=[RICH]), size=(160, 90)) as on:
        await opened(on)
        await on.press("v")
        assert json.loads(str(on.tender.query_one("#raw", Static).render())) == RICH.to_wire()
        assert not on.tender.query_one("#record").display
        await on.press("v")
        assert on.tender.query_one("#record").display


@pytest.mark.requirement("TUI-1")
async def test_a_document_is_downloaded_with_progress_and_can_be_opened() -> None:
    async with stage() as on:
        await opened(on)
        on.session.download_gate = asyncio.Event()
        await on.pilot.press("d")
        await on.until(lambda: "42%" in on.words())
        assert on.app.downloading
        on.session.download_gate.set()
        await on.until(lambda: not on.app.downloading)
        await on.idle()
        assert "✓ saved" in on.words()
        assert "Saved s1.pdf" in on.told[-1]
        opened_files: list[Path] = []
        on.app.open_file = opened_files.append  # type: ignore[method-assign]  # no desktop in a test
        await on.press("O")
        assert opened_files == [Path("unused/s1.pdf")]


async def test_a_download_can_be_cancelled() -> None:
    async with stage() as on:
        await opened(on)
        on.session.download_gate = asyncio.Event()
        await on.pilot.press("d")
        await on.until(lambda: on.app.downloading)
        await on.pilot.press("c")
        await on.until(lambda: not on.app.downloading)
        await on.idle()
        assert on.app.downloads.states == {}
        assert "✓ saved" not in on.words()


async def test_a_failed_download_says_why_in_its_place() -> None:
    async with stage() as on:
        await opened(on)
        on.session.troubles = [Trouble("The disk is full.", Kind.LOCAL)]
        await on.press("d")
        await on.until(lambda: not on.app.downloading)
        await on.idle()
        assert "The disk is full." in on.words()
        assert on.told[-1] == "The disk is full."


async def test_all_documents_come_one_after_the_other() -> None:
    async with stage() as on:
        await opened(on)
        await on.press("D")
        await on.until(lambda: not on.app.downloading)
        await on.idle()
        assert sorted(on.app.downloads.states) == ["s1", "s2"]


async def test_a_document_can_be_chosen_and_downloaded_from_the_list_of_results() -> None:
    async with stage() as on:
        await on.press("escape", "d")
        assert isinstance(on.app.screen, Menu)
        await on.press("j", "enter")
        await on.until(lambda: not on.app.downloading)
        assert list(on.app.downloads.states) == ["s2"]


async def test_no_documents_and_unknown_documents_are_told_apart() -> None:
    session = FakeSession()
    session.documents = []
    async with stage(session) as on:
        await opened(on)
        assert "No document is attached" in on.words()
        await on.press("d")
        assert "no document to download" in on.told[-1]

    failing = FakeSession()

    async def fail(tender_id: str) -> None:
        raise Trouble("The service failed (500).", Kind.FAULT)

    failing.sheets = fail  # type: ignore[method-assign, assignment]  # a service at fault
    async with stage(failing) as on:
        await opened(on)
        assert "documents could not be had" in on.words()
        assert "No document is attached" not in on.words()


async def test_a_tender_that_is_gone_still_shows_what_the_list_knew() -> None:
    session = FakeSession()

    async def gone(tender_id: str) -> None:
        raise Trouble("The service has no such thing (404).", Kind.NOT_FOUND)

    session.tender = gone  # type: ignore[method-assign, assignment]  # withdrawn meanwhile
    async with stage(session) as on:
        await opened(on)
        words = " ".join(on.words().replace("▏", " ").split())
        assert "no such thing" in words
        assert "Below is what the list knew" in words
        assert "Ayuntamiento de Ejemplo" in words


async def test_the_next_tender_opens_from_here_and_the_list_stands_on_it_afterwards() -> None:
    async with stage() as on:
        await opened(on)
        await on.press("n", "n", "N")
        assert on.tender.current_tender.id == "t1"
        await on.press("escape")
        assert isinstance(on.app.screen, SearchScreen)
        assert on.search.query_one(ResultsTable).cursor == 1
        await on.press("enter", "N", "N")
        assert "first tender" in on.told[-1]


async def test_the_buyer_opens_with_its_awards() -> None:
    async with stage() as on:
        await opened(on)
        await on.press("b")
        assert isinstance(on.app.screen, OrganizationDialog)
        words = on.words()
        assert "Diputación de Muestra" in words
        assert "12,000 €" in words
        assert "Construction work" in words
        await on.press("escape")
        assert isinstance(on.app.screen, TenderScreen)


async def test_the_browser_is_opened_for_web_addresses_only() -> None:
    addresses: list[str] = []
    hostile = tender(1, sources=[{"name": "x", "linkUrl": "file:///etc/passwd"}], platformUrl="javascript:alert(1)")
    async with stage(FakeSession(tenders=[tender(0), hostile])) as on:
        on.app.open_address = addresses.append  # type: ignore[method-assign, assignment]  # no browser in a test
        await on.press("escape", "o")
        assert addresses == ["https://example.org/tender/0"]
        await on.press("j", "o")
        assert addresses == ["https://example.org/tender/0"]
        assert "no web address that is safe" in on.told[-1]


@pytest.mark.parametrize(
    ("key", "text"), [("t", "Obras de conservación de la carretera C-17 0"), ("i", "t0"), ("l", "https://example.org/tender/0")]
)
async def test_title_id_and_link_are_copied(key: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.clipboard.native_command", lambda: None)
    async with stage() as on:
        await on.press("escape", "y", key)
        await on.idle()
        assert on.app.clipboard == text
        assert "Copied" in on.told[-1]


async def test_escape_leaves_a_menu_without_doing_anything() -> None:
    async with stage() as on:
        await on.press("escape", "y")
        assert on.app.screen.query_one(OptionList).highlighted == 0
        await on.press("escape")
        await on.idle()
        assert on.app.clipboard == ""


async def test_documents_move_with_vim_keys_too() -> None:
    session = FakeSession()
    session.documents = [sheet(number) for number in range(5)]
    async with stage(session) as on:
        await opened(on)
        documents = on.tender.query_one(DocumentList)
        assert documents.highlighted == 0
        await on.press("down", "down", "up")
        assert documents.highlighted == 1
