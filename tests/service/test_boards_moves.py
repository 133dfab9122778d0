"""Moves against a model: whatever is asked in whatever order, states are those of interface 3 and history is a chain."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from boards_house import UNKNOWN, Clock, House, furnished, house
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import literal_column, select

from workbench.contract.pipelines import BoardQuery
from workbench.service.boards import Boards
from workbench.service.opportunities import Opportunities
from workbench.service.refusals import RequestRefused
from workbench.service.scope import AccountScope, calling_key
from workbench.service.store.workspace_tables import opportunity, opportunity_history

STAGE = st.sampled_from(["New", "Doing", "Won", "Lost", "another's", "unknown"])
TERMINAL = {"Won", "Lost"}


def status_of(home: House, who: House, card: str, target: str) -> int:
    """The HTTP status that a move by ``who`` is answered with."""
    try:
        Opportunities(who.scope).move(card, target)
    except RequestRefused as refusal:
        return refusal.status
    return 204


def trail(home: House, card: str) -> list[Any]:
    with home.scope.reading() as rows:
        wanted = select(opportunity_history).where(opportunity_history.c.opportunity_id == card)
        return list(rows.all(wanted.order_by(literal_column("rowid"))))


class Moves(RuleBasedStateMachine):
    """The model keeps the stage of each opportunity and the moves that changed one."""

    cards = Bundle("cards")

    @initialize()
    def open(self) -> None:
        self.folder = TemporaryDirectory()
        self.clock = Clock()
        self.database = furnished(Path(self.folder.name), self.clock)
        self.ours, self.theirs = house(self.database, "Norte"), house(self.database, "Sur")
        self.stage_of: dict[str, str] = {}
        self.moves: dict[str, list[str]] = {}

    @rule(target=cards, number=st.integers(1, 9))
    def track(self, number: int) -> str:
        card = self.ours.track(number)
        self.stage_of[card], self.moves[card] = "New", ["New"]
        return card

    @rule(card=cards, stage=STAGE)
    def move(self, card: str, stage: str) -> None:
        self.clock.advance(1)
        now = self.stage_of[card]
        target = {"another's": self.theirs.stages["Doing"], "unknown": UNKNOWN}.get(stage) or self.ours.stages[stage]
        if stage not in self.ours.stages:
            expected = 404
        elif stage == now:
            expected = 204
        else:
            expected = 409 if now in TERMINAL else 204
        assert status_of(self.ours, self.ours, card, target) == expected
        if expected == 204 and stage != now:
            self.stage_of[card] = stage
            self.moves[card].append(stage)

    @rule(card=cards, stage=st.sampled_from(["New", "Doing", "Won"]))
    def strangers_move(self, card: str, stage: str) -> None:
        assert status_of(self.ours, self.theirs, card, self.ours.stages[stage]) == 403

    @invariant()
    def board_and_history_are_those_of_the_model(self) -> None:
        if not hasattr(self, "ours"):
            return
        names = {identity: name for name, identity in self.ours.stages.items()}
        totals = Boards(self.ours.scope).totals(self.ours.pipeline["id"], BoardQuery())
        counted = {one["status"]["name"]: one["opportunityCount"] for one in totals}
        assert counted == {name: list(self.stage_of.values()).count(name) for name in self.ours.stages}
        with self.ours.scope.reading() as rows:
            stored = {one.id: one for one in rows.all(select(opportunity))}
        for card, moves in self.moves.items():
            steps = trail(self.ours, card)
            assert [names[step.to_stage_id] for step in steps] == moves
            assert steps[0].from_stage_id is None
            assert all(before.to_stage_id == after.from_stage_id for before, after in pairwise(steps))
            closed = self.stage_of[card] in TERMINAL
            assert (stored[card].closed_at is not None) is closed
            assert stored[card].updated_at == steps[-1].at == (stored[card].closed_at if closed else steps[-1].at)

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.close()
            self.folder.cleanup()


TestMoves = Moves.TestCase
TestMoves.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)


@pytest.mark.requirement("OPP-3")
def test_two_services_on_one_folder_move_in_turn(tmp_path: Path) -> None:
    first = furnished(tmp_path)
    second = furnished(tmp_path)
    home = house(first, "Norte")
    card = home.track(1)
    targets = [home.stages["Doing"], home.stages["New"]] * 15
    failures: list[BaseException] = []

    def work(database: Any, name: str) -> None:
        try:
            for target in targets:
                Opportunities(AccountScope(database, home.account_id, calling_key(name))).move(card, target)
        except BaseException as trouble:
            failures.append(trouble)

    threads = [threading.Thread(target=work, args=(database, name)) for database, name in ((first, "a"), (second, "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    steps = trail(home, card)
    assert all(before.to_stage_id == after.from_stage_id for before, after in pairwise(steps))
    assert {step.actor_id for step in steps[1:]} <= {"a", "b"}
    assert {step.actor_type for step in steps[1:]} == {"apiKey"}
    first.close()
    second.close()
