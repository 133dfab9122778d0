"""The search screen: what is typed is what is searched, and what is shown is what was asked last."""

from __future__ import annotations

import asyncio

import pytest
from textual.widgets import Input, Static
from tui_fake import FakeSession, tender
from tui_stage import stage

from workbench.tui.results import Ask
from workbench.tui.screens.search import SearchScreen
from workbench.tui.trouble import Kind, Trouble
from workbench.tui.widgets.bars import ChipBar
from workbench.tui.widgets.checks import CheckList
from workbench.tui.widgets.filters import FilterPanel
from workbench.tui.widgets.table import ResultsTable

pytestmark = pytest.mark.anyio


def names(screen: SearchScreen) -> list[str]:
    """The names of the rows."""
    return [str(row.name) for row in screen.results.rows]


@pytest.mark.requirement("TUI-1")
async def test_the_newest_tenders_stand_there_at_once_and_words_narrow_them() -> None:
    async with stage() as on:
        assert len(on.search.results.rows) == 60
        assert "60 of more than 60 tenders" in on.words()
        await on.type("limpieza")
        assert on.session.asked[-1]["text"] == "limpieza"
        assert all("Limpieza" in name for name in names(on.search))
        assert "25 tenders" in on.words()


async def test_one_request_for_a_pause_in_typing() -> None:
    async with stage() as on:
        before = len(on.session.asked)
        await on.type("obras de conser")
        assert len(on.session.asked) == before + 1


async def test_answers_out_of_order_never_show_stale_rows() -> None:
    session = FakeSession()
    gates: dict[str, asyncio.Event] = {}

    def gate(ask: Ask) -> asyncio.Event | None:
        return gates.setdefault(ask.query.text, asyncio.Event()) if ask.query.text else None

    session.gate = gate
    async with stage(session) as on:
        query = on.search.query_one("#query", Input)
        for text in ("obras", "obras de", "limpieza"):
            query.value = text
            await on.until(lambda text=text: text in gates)
        gates["limpieza"].set()
        await on.until(lambda: on.search.results.shown is not None and on.search.results.shown.text == "limpieza")
        gates["obras de"].set()
        gates["obras"].set()
        await on.idle()
        assert on.search.results.shown is not None
        assert on.search.results.shown.text == "limpieza"
        assert all("Limpieza" in name for name in names(on.search))


async def test_an_answer_that_comes_although_it_was_given_up_is_not_shown() -> None:
    """The worker is cancelled; and where that came too late, the token of the request is an old one."""
    async with stage() as on:
        old = on.search.results.begin(on.search.query_now)
        answer = await on.session.search(old, on.app.clock())
        on.search.results.begin(on.search.query_now)
        assert not on.search.results.accept(old, answer, on.app.clock())


@pytest.mark.requirement("TUI-1")
async def test_further_pages_load_as_one_goes_on_and_counts_stay_true() -> None:
    async with stage() as on:
        table = on.search.query_one(ResultsTable)
        await on.press("down", "G")
        assert table.row_count == 120
        assert "120 of more than 120 tenders" in on.words()
        await on.press("G", "G")
        assert table.row_count == 150
        assert "150 tenders" in on.words()
        assert [asked["page"] for asked in on.session.asked] == [1, 2, 3]


async def test_the_first_page_alone_is_asked_for_until_one_goes_on() -> None:
    async with stage(size=(120, 40)) as on:
        assert len(on.session.asked) == 1


async def test_a_total_is_shown_where_the_service_states_one() -> None:
    session = FakeSession()
    session.total = 150
    async with stage(session) as on:
        assert "60 of 150 tenders" in on.words()


async def test_vim_and_arrow_keys_move_and_the_preview_follows() -> None:
    async with stage() as on:
        table = on.search.query_one(ResultsTable)
        await on.press("escape", "j", "j", "k", "down")
        assert table.cursor == 2
        assert "EXP-0002/2026" in on.words()
        await on.press("g")
        assert table.cursor == 0
        await on.press("k")
        assert table.cursor == 0


@pytest.mark.requirement("TUI-1")
async def test_every_filter_of_the_interface_can_be_set_and_reaches_the_request() -> None:
    async with stage() as on:
        await on.press("escape", "f")
        panel = on.search.query_one(FilterPanel)
        panel.query_one("#statuses", CheckList).select("Publicada")
        panel.query_one("#statuses", CheckList).select("Resuelta")
        values = {
            "min_budget": "100.000", "max_budget": "1,5m", "published": "last 30 days", "deadline": "next 30 days",
            "awarded": "2026",
            "updated": "since 2026-01-01",
        }  # fmt: skip
        for name, value in values.items():
            panel.query_one(f"#{name}", Input).value = value
        for picker, words in (("cpvs", "45233120"), ("places", "barcelona"), ("places", "portugal"), ("places", "vic")):
            field = panel.query_one(f"#{picker} Input", Input)
            field.focus()
            field.value = words
            await on.idle()
            if words == "vic":
                await on.press("down", "end", "enter")
            else:
                await on.press("enter")
        panel.query_one("#only_open").focus()
        await on.press("space")
        asked = on.session.asked[-1]
        assert asked["status"] == ["Publicada", "Resuelta"]
        assert asked["cpvs"] == ["45233120-6"]
        assert asked["locations"] == ["province/08", "country/PT", "town/vic"]
        assert (asked["min_budget"], asked["max_budget"]) == (100_000, 1_500_000)
        assert asked["is_only_within_deadline"] is True
        bounds = {name: value.date().isoformat() for name, value in asked.items() if name.endswith("_date")}
        assert bounds == {
            "min_publication_date": "2026-10-21", "max_publication_date": "2026-11-20", "min_deadline_date": "2026-11-20",
            "max_deadline_date": "2026-12-20", "min_awarding_date": "2026-01-01", "max_awarding_date": "2026-12-31",
            "min_last_update_date": "2026-01-01",
        }  # fmt: skip
        assert all(value.tzinfo for name, value in asked.items() if name.endswith("_date"))


async def test_a_wrong_value_is_told_beside_its_field_and_not_sent() -> None:
    async with stage() as on:
        await on.press("escape", "f")
        panel = on.search.query_one(FilterPanel)
        before = len(on.session.asked)
        panel.query_one("#min_budget", Input).value = "lots"
        panel.query_one("#deadline", Input).value = "someday"
        await on.idle()
        assert "is not an amount" in str(panel.query_one("#wrong", Static).render())
        assert panel.query_one("#deadline").has_class("-wrong")
        assert len(on.session.asked) == before
        panel.query_one("#min_budget", Input).value = "5k"
        await on.idle()
        assert on.session.asked[-1]["min_budget"] == 5000
        assert "is not a date" in str(panel.query_one("#wrong", Static).render())


async def test_chips_show_the_filters_and_a_click_or_a_key_takes_them_away() -> None:
    async with stage() as on:
        await on.press("escape", "w", "f")
        panel = on.search.query_one(FilterPanel)
        panel.query_one("#statuses", CheckList).select("Cerrada")
        panel.query_one("#deadline", Input).value = "next 30 days"
        await on.idle()
        await on.press("escape")
        assert [chip.label for chip in on.search.query_one(ChipBar).chips] == ["still open", "Cerrada", "deadline next 30 days"]
        await on.pilot.click(ChipBar, offset=(3, 0))
        await on.idle()
        assert "is_only_within_deadline" not in on.session.asked[-1]
        await on.press("x")
        assert "max_deadline_date" not in on.session.asked[-1]
        assert panel.query_one("#deadline", Input).value == ""
        await on.press("X")
        assert "status" not in on.session.asked[-1]
        assert panel.query_one("#statuses", CheckList).selected == ()


async def test_a_click_on_a_header_sorts_and_a_second_one_turns_the_order_round() -> None:
    async with stage(size=(200, 40)) as on:
        table = on.search.query_one(ResultsTable)
        at = str(table.render_line(0).text).index("Budget")
        await on.pilot.click(ResultsTable, offset=(at + 2, 0))
        await on.idle()
        assert (on.session.asked[-1]["sort"], on.session.asked[-1]["is_descendent"]) == ("by-budget", True)
        await on.pilot.click(ResultsTable, offset=(at + 2, 0))
        await on.idle()
        assert on.session.asked[-1]["is_descendent"] is False
        assert "by budget, smallest first" in on.words()
        asked = len(on.session.asked)
        await on.pilot.click(ResultsTable, offset=(str(table.render_line(0).text).index("Title") + 2, 0))
        await on.idle()
        assert len(on.session.asked) == asked
        assert "cannot sort by title" in on.told[-1]


async def test_every_sort_can_be_chosen_and_relevance_asks_for_words() -> None:
    async with stage() as on:
        await on.press("escape", "s")
        await on.press("j", "enter")
        assert (on.session.asked[-1]["sort"], on.session.asked[-1]["is_descendent"]) == ("by-due-date", False)
        await on.press("S")
        assert on.session.asked[-1]["is_descendent"] is True
        await on.press("s", "j", "j", "enter")
        assert "needs words" in on.told[-1]
        assert on.session.asked[-1]["sort"] == "by-due-date"


async def test_a_click_moves_there_and_a_double_click_opens() -> None:
    async with stage() as on:
        await on.pilot.click(ResultsTable, offset=(20, 5))
        await on.idle()
        assert on.search.query_one(ResultsTable).cursor == 4
        await on.pilot.click(ResultsTable, offset=(20, 5), times=2)
        await on.idle()
        assert on.tender.current_tender.id == "t4"


async def test_nothing_found_says_what_to_do_next() -> None:
    async with stage() as on:
        await on.press("escape", "w", "slash")
        await on.type("zzzz")
        words = on.words()
        assert "No tender matches" in words
        assert "drops the last filter" in words
        assert "changes the words" in words


async def test_a_failed_search_keeps_the_old_rows_with_their_age_and_retry_works() -> None:
    async with stage() as on:
        on.session.troubles = [Trouble("The service did not answer within 30 seconds.", Kind.CONNECTION)]
        await on.type("obras")
        assert len(on.search.results.rows) == 60
        words = on.words()
        assert "did not answer within 30 seconds" in words
        await on.press("escape", "r")
        assert "did not answer" not in on.words()
        assert on.session.asked[-1]["text"] == "obras"
        assert all("Obras" in name for name in names(on.search))


async def test_a_failed_first_search_is_no_empty_list() -> None:
    session = FakeSession()
    session.troubles = [Trouble("The service failed (500).", Kind.FAULT)]
    async with stage(session) as on:
        assert "The service failed (500)" in on.words()
        assert "No tender matches" not in on.words()


async def test_a_failed_next_page_keeps_the_count_true_and_can_be_retried() -> None:
    async with stage() as on:
        await on.press("escape")
        on.session.troubles = [Trouble("The service failed (503).", Kind.FAULT)]
        await on.press("G")
        assert on.search.results.page == 1
        assert "503" in on.words()
        await on.press("r")
        assert on.search.query_one(ResultsTable).row_count == 120


async def test_escape_gives_a_search_up_and_the_rows_stay() -> None:
    session = FakeSession()
    async with stage(session) as on:
        held = asyncio.Event()
        session.gate = lambda ask: held if ask.query.text else None
        on.search.query_one("#query", Input).value = "obras"
        await on.until(lambda: on.search.results.loading)
        assert "searching" in on.words()
        await on.pilot.press("escape")
        await on.idle()
        assert not on.search.results.loading
        assert len(on.search.results.rows) == 60


async def test_refreshing_stays_on_the_same_tender() -> None:
    async with stage() as on:
        await on.press("escape", "j", "j")
        on.session.tenders.insert(0, tender(900))
        await on.press("r")
        table = on.search.query_one(ResultsTable)
        assert table.highlighted is not None
        assert (table.highlighted.id, table.cursor) == ("t2", 3)


async def test_records_that_move_between_pages_stand_there_once() -> None:
    async with stage() as on:
        on.session.tenders.insert(0, tender(900))
        await on.press("escape", "G")
        ids = [row.id for row in on.search.results.rows]
        assert len(ids) == len(set(ids))


async def test_words_may_be_typed_before_the_workspace_is_open() -> None:
    session = FakeSession()
    opened = asyncio.Event()
    original = session.open

    async def late() -> object:
        await opened.wait()
        return await original()

    session.open = late  # type: ignore[method-assign, assignment]  # a service that takes its time
    from tui_fake import clock

    from workbench.tui.app import WorkbenchApp
    from workbench.tui.session import Start

    app = WorkbenchApp(Start("sample"), clock=clock, make_session=lambda start: session)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"limpieza")
        assert session.asked == []
        opened.set()
        async with asyncio.timeout(5):
            while not session.asked:
                await pilot.pause(0.01)
        assert session.asked[0]["text"] == "limpieza"


async def test_a_workspace_that_cannot_be_opened_says_why_and_opens_on_retry() -> None:
    session = FakeSession()
    session.open_trouble = Trouble("The folder cannot be written: the disk is read-only.", Kind.LOCAL)
    async with stage(session) as on:
        assert "the disk is read-only" in on.words()
        assert "No tender matches" not in on.words()
        await on.press("escape", "r")
        assert len(on.search.results.rows) == 60


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_size_shows_title_and_status_in_full(size: tuple[int, int]) -> None:
    async with stage(size=size) as on:
        words = on.words()
        assert "Obras de conservación" in words
        assert "Formalizada" in words
        assert "ctrl" not in words
        header = on.search.query_one(ResultsTable).render_line(0).text
        assert ("Place" in header) == (size[0] == 200)
        assert on.search.query_one("#preview").display == (size[0] >= 104)
