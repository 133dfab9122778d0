"""One registry of actions: every one is reachable by key, palette and click, and says why where it is not possible."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette
from textual.widgets import Input
from tui_fake import FakeSession, tender
from tui_stage import Stage, stage

from workbench.tui.actions import ACTIONS, BY_ID, Action, actions_of, bindings, clashes, key_text
from workbench.tui.app import WorkbenchApp
from workbench.tui.dialogs.help import Help, help_sections
from workbench.tui.palette import ActionCommands
from workbench.tui.screens.search import SearchScreen
from workbench.tui.screens.tender import TenderScreen
from workbench.tui.situations import Situation
from workbench.tui.widgets.bars import KeyBar
from workbench.tui.widgets.table import ResultsTable

pytestmark = pytest.mark.anyio

PLACES = {"app": WorkbenchApp, "search": SearchScreen, "tender": TenderScreen, "table": ResultsTable}
EVERYTHING = Situation(**dict.fromkeys(Situation.__dataclass_fields__, True) | {"sample": False})  # type: ignore[arg-type]


def test_ids_are_unique_and_no_two_actions_of_a_screen_share_a_key() -> None:
    assert len(BY_ID) == len(ACTIONS)
    assert clashes() == []


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_action_has_words_a_method_and_a_way_to_it(action: Action) -> None:
    assert action.title
    assert action.help.endswith(".")
    for place in action.screens:
        assert hasattr(PLACES[place], f"action_{action.method}") or hasattr(ResultsTable, f"action_{action.method}")
        if action.keys:
            assert action.id in {binding.id for binding in bindings(place)}  # type: ignore[union-attr]
    assert action.when(EVERYTHING) is None


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_what_is_not_possible_says_why_in_a_sentence(action: Action) -> None:
    reason = action.when(Situation())
    assert reason is None or (reason[0].isupper() and reason.endswith("."))


@pytest.mark.parametrize(
    "action", [action for action in ACTIONS if action.when(Situation()) is not None], ids=lambda action: action.id
)
async def test_an_impossible_action_shows_its_reason_and_does_nothing(action: Action) -> None:
    async with stage(FakeSession(tenders=[])) as on:
        on.app.session.caller = None
        screen = on.search
        before = len(on.session.asked)
        await on.app.action_perform(action.id)
        await on.idle()
        assert on.told == [action.when(screen.situation())]
        assert len(on.session.asked) == before


async def run(on: Stage, action: Action) -> None:
    """Do an action by its first key on a screen where it is possible."""
    on.app.open_address = lambda address: None  # type: ignore[method-assign, assignment, return-value]  # no browser in a test
    on.app.open_file = lambda path: None  # type: ignore[method-assign]
    if action.screens == ("tender",):
        await on.press("escape", "enter")
    else:
        await on.press("escape")
    await on.press(action.key)


@pytest.mark.parametrize(
    "action", [each for each in ACTIONS if each.keys and each.id != "app.quit"], ids=lambda action: action.id
)
async def test_every_key_is_heard(action: Action, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    original = WorkbenchApp.action_perform

    async def listen(app: WorkbenchApp, action_id: str) -> None:
        heard.append(action_id)
        await original(app, action_id)

    monkeypatch.setattr(WorkbenchApp, "action_perform", listen)
    for place in action.screens:
        if place == "table" or action.method == "command_palette":
            owner = PLACES[place]
            method = getattr(owner, f"action_{action.method}")
            monkeypatch.setattr(
                owner, f"action_{action.method}", lambda *args, method=method: (heard.append(action.id), method(*args))[1]
            )
    async with stage() as on:
        await run(on, action)
        assert action.id in heard


async def test_ctrl_q_quits_even_while_typing() -> None:
    async with stage() as on:
        await on.pilot.press("ctrl+q")
        assert on.app.return_code == 0


async def test_letters_are_text_in_the_query_line_and_keys_in_the_list() -> None:
    async with stage() as on:
        await on.type("dow")
        assert on.search.query_one("#query", Input).value == "dow"
        await on.press("escape")
        assert on.search.focused is None or isinstance(on.search.focused, ResultsTable)


async def test_help_and_palette_hold_every_action_of_the_screen() -> None:
    async with stage() as on:
        await on.press("escape", "question_mark")
        assert isinstance(on.app.screen, Help)
        titles = "\n".join(
            fact.value.plain for section in help_sections(("search", "table"), on.search.situation()) for fact in section.facts
        )
        for action in actions_of("app", "search", "table"):
            assert action.title in titles
        await on.press("escape")
        hits = [hit async for hit in ActionCommands(on.search).discover()]
        expected = {action.title for action in actions_of("app", "search", "table") if action.id != "app.palette"}
        assert {hit.text for hit in hits} == expected


async def test_an_action_is_found_by_its_name_in_the_palette_and_done() -> None:
    async with stage() as on:
        await on.press("escape", "ctrl+p")
        assert isinstance(on.app.screen, CommandPalette)
        await on.pilot.press(*"open", "space", *"only")
        await on.until(lambda: on.app.screen.query("CommandList").first().option_count > 0)  # type: ignore[attr-defined]
        await on.pilot.press("enter")
        await on.until(lambda: on.session.asked[-1].get("is_only_within_deadline"))


async def test_the_line_of_keys_can_be_clicked_and_dims_what_is_not_possible() -> None:
    async with stage() as on:
        await on.press("escape")
        bar = on.search.query_one(KeyBar)
        bar.render()
        start = next(start for start, _, key in bar._spots if key == "search.filters")
        await on.pilot.click(KeyBar, offset=(start + 1, 0))
        await on.idle()
        assert on.search.query("FilterPanel").first().display


@pytest.mark.parametrize("width", [80, 100, 120, 160, 200])
async def test_keys_that_do_not_fit_are_announced_and_none_is_cut(width: int) -> None:
    async with stage(size=(width, 30)) as on:
        await on.press("escape")
        bar = on.search.query_one(KeyBar)
        line = bar.render().plain
        assert len(line) <= width
        shown = {key for _, _, key in bar._spots}
        assert "app.help" in shown
        for key in shown - {"app.help"}:
            assert f" {key_text(BY_ID[key].key)} {BY_ID[key].title} " in line


async def test_the_keymap_can_give_an_action_another_key() -> None:
    async with stage() as on:
        on.app.set_keymap({"search.only_open": "ctrl+w"})
        await on.press("escape", "w")
        assert "is_only_within_deadline" not in on.session.asked[-1]
        await on.press("ctrl+w")
        assert on.session.asked[-1]["is_only_within_deadline"] is True


async def test_themes_switch_and_every_theme_of_textual_can_be_worn() -> None:
    async with stage(FakeSession(tenders=[tender(0)])) as on:
        assert on.app.theme == "workbench-dark"
        await on.press("ctrl+t")
        assert on.app.theme == "workbench-light"
        for name in on.app.available_themes:
            on.app.theme = name
            await on.idle()
            assert "Obras" in on.words()


async def test_the_manual_opens_from_the_keyboard() -> None:
    async with stage() as on:
        await on.press("escape", "f2")
        await on.until(lambda: "The Common" in on.words() or "workbench" in on.words())
        await on.press("escape")
        assert isinstance(on.app.screen, SearchScreen)
