"""What pages of pipelines say about a stage: open only where it is found, and said to be open, everywhere it is listed."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client._async.moves import ensure_confirmed
from workbench.client._sync.moves import ensure_confirmed as ensure_confirmed_sync
from workbench.client.errors import NotFound, TerminalMoveNotConfirmed, UnexpectedAnswer
from workbench.client.moves import Move, StageLookup

IDS = st.sampled_from(["a", "A", " a", "b", "Won", "won", 1, None])
FLAGS = st.sampled_from([False, False, False, True, None, 0, "false"])
STAGES = st.fixed_dictionaries({"id": IDS, "isTerminal": FLAGS}, optional={"name": IDS, "_id": IDS})
PIPELINES = st.fixed_dictionaries({"id": st.integers(), "statuses": st.lists(STAGES | st.none(), max_size=3)})
PAGES = st.lists(st.lists(PIPELINES, max_size=3), min_size=1, max_size=4)


def envelope(pipelines: list[Any], more: bool) -> dict[str, Any]:
    return {"data": pipelines, "pagination": {"hasNextPage": more}}


def passes(move: Move, pages: list[list[Any]]) -> bool:
    def fetch(number: int) -> Any:
        return envelope(pages[number - 1], number < len(pages))

    try:
        ensure_confirmed_sync(move, fetch)
    except TerminalMoveNotConfirmed:
        return False
    return True


def spelled(stage: dict[str, Any], by_name: bool) -> list[str]:
    names = [stage.get("id"), stage.get("_id"), *([stage.get("name")] if by_name else [])]
    return [str(name) for name in names if name is not None]


@given(PAGES, st.sampled_from(["a", "b", "won", "1", "c"]), st.booleans())
def test_a_move_passes_only_to_a_stage_said_to_be_open_wherever_it_is_listed(
    pages: list[list[Any]], target: str, by_name: bool
) -> None:
    stages = [stage for page in pages for pipeline in page for stage in pipeline["statuses"] if stage]
    exact = [stage for stage in stages if target in spelled(stage, by_name)]
    alike = [stage for stage in stages if target in [name.strip().casefold() for name in spelled(stage, by_name)]]
    allowed = bool(exact) and all(stage["isTerminal"] is False for stage in alike)
    result = passes(Move(target, by_name=by_name), pages)
    if result:
        assert allowed
    elif allowed:  # refused for another reason: pages that bring nothing new are taken for a circle
        assert len({pipeline["id"] for page in pages for pipeline in page}) < sum(map(len, pages)) or [] in pages
    assert passes(Move(target, True, by_name=by_name), pages)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_a_page_that_is_none_never_lets_a_move_pass(decoded: Any) -> None:
    lookup = StageLookup(Move("a"))
    with pytest.raises(UnexpectedAnswer):
        lookup.take({"data": decoded} if not isinstance(decoded, list) else decoded)
    with pytest.raises(TerminalMoveNotConfirmed):
        lookup.check()


def test_any_other_failure_of_a_look_up_ends_the_move_too() -> None:
    def fails(_page: int) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ensure_confirmed_sync(Move("a"), fails)

    def refuses(_page: int) -> Any:
        raise NotFound(404, operation="list_pipelines")

    with pytest.raises(TerminalMoveNotConfirmed, match="change_opportunity_status: whether stage 'a' is terminal"):
        ensure_confirmed_sync(Move("a", operation="change_opportunity_status"), refuses)


def test_the_asynchronous_guard_reads_every_page() -> None:
    asked: list[int] = []

    async def fetch(page: int) -> Any:
        asked.append(page)
        return envelope([{"id": page, "statuses": [{"id": str(page), "name": f"Stage {page}", "isTerminal": False}]}], page < 3)

    anyio.run(ensure_confirmed, Move("Stage 2", by_name=True), fetch)
    assert asked == [1, 2, 3]
    with pytest.raises(TerminalMoveNotConfirmed, match="no pipeline"):
        anyio.run(ensure_confirmed, Move("Stage 2"), fetch)


def test_what_a_service_wrote_is_shown_as_text_and_not_at_length() -> None:
    name = "\x1b[31m" + "x" * 500
    lookup = StageLookup(Move("a" * 500))
    lookup.take(envelope([{"id": 1, "statuses": [{"id": "a" * 500, "name": name, "isTerminal": True}]}], False))
    with pytest.raises(TerminalMoveNotConfirmed) as caught:
        lookup.check()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500
