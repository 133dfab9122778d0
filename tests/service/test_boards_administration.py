"""What the owner does to boards: pipelines from templates, workflows, tracking of tenders, order within a column."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from boards_house import STAGES, UNKNOWN, House, furnished, house, tender
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from workbench.contract.pipelines import BoardQuery, ColumnQuery, PageQuery
from workbench.contract.vocabulary import OpportunitySort, SortDirection
from workbench.service import board_templates
from workbench.service.access import Access
from workbench.service.administration import BoardAdministration
from workbench.service.board_templates import ActionPlan, BoardError, StagePlan, StepPlan, read_stage, read_step
from workbench.service.boards import Boards
from workbench.service.opportunities import Opportunities
from workbench.service.store.board_tables import workspace_history
from workbench.service.store.workspace_tables import opportunity, opportunity_history, summary

repeated = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(name="home")
def home_(tmp_path: Path) -> Iterator[House]:
    database = furnished(tmp_path)
    yield house(database, "Norte")
    database.close()


def row(home: House, identity: str) -> dict[str, Any]:
    with home.scope.reading() as rows:
        found = rows.all(select(opportunity).where(opportunity.c.id == identity))
    return dict(found[0]._mapping)


@pytest.mark.parametrize("name", sorted(board_templates.PIPELINES))
def test_every_template_makes_a_pipeline(home: House, name: str) -> None:
    made = home.administration.create_pipeline(f"From {name}", board_templates.stages_of(name))
    stages = made["statuses"]
    assert [stage["name"] for stage in stages] == [plan.name for plan in board_templates.PIPELINES[name]]
    assert [stage["isInitial"] for stage in stages].count(True) == 1
    assert stages[0]["isInitial"]
    assert {stage["outcomeType"] for stage in stages if stage["isTerminal"]} <= set(board_templates.OUTCOMES)
    assert made in Boards(home.scope).pipelines(PageQuery())["data"]
    assert made in home.administration.pipelines()


@pytest.mark.parametrize(
    ("name", "stages", "words"),
    [
        ("", STAGES, "1 to 200 printable characters"),
        ("x\n", [*STAGES, StagePlan("New")], "Two stages have the name 'New'"),
        ("x" * 201, STAGES, "1 to 200 printable characters"),
        ("Norte board", STAGES, "already a pipeline 'Norte board'"),
        ("x", (), "needs an open stage"),
        ("x", [StagePlan("Won", "won")], "needs an open stage"),
        (
            "x",
            [StagePlan("a"), StagePlan("b", "drawn")],
            "'drawn' is no outcome of a stage; it is one of won, lost, discarded.",
        ),
        ("x", [StagePlan("\u202eevil")], "1 to 200 printable characters"),
    ],
)
def test_a_pipeline_that_cannot_be_is_told_why(home: House, name: str, stages: Any, words: str) -> None:
    with pytest.raises(BoardError, match=words):
        home.administration.create_pipeline(name, stages)
    assert len(home.administration.pipelines()) == 1


def test_what_there_is_not_is_named_with_what_there_is(home: House) -> None:
    with pytest.raises(BoardError, match="no account 'nobody'"):
        BoardAdministration(home.database, "nobody")
    with pytest.raises(BoardError, match=r"no pipeline 'Nope'\. Its pipelines are 'Norte board'\."):
        home.administration.workflow("Nope")
    with pytest.raises(BoardError, match="no template 'x'; the templates are bids, simple"):
        board_templates.stages_of("x")
    other = house(home.database, "Sur")
    with pytest.raises(BoardError, match="no pipeline"):
        home.administration.workflow(other.pipeline["id"])
    with pytest.raises(BoardError, match="no pipeline"):
        home.tracking.track(tender(1), "Sur board")


def test_stages_are_added_where_they_belong(home: House) -> None:
    home.administration.add_stage("Norte board", StagePlan("Waiting"))
    home.administration.add_stage(home.pipeline["id"], StagePlan("Discarded", "discarded"))
    home.administration.add_stage("Norte board", StagePlan("Hidden", shown=False))
    (board,) = home.administration.pipelines()
    names = [stage["name"] for stage in board["statuses"]]
    assert names == ["New", "Doing", "Waiting", "Hidden", "Won", "Lost", "Discarded"]
    assert [stage["name"] for stage in board["statuses"] if stage["isInitial"]] == ["New"]
    with pytest.raises(BoardError, match="already has a stage 'Won'"):
        home.administration.add_stage("Norte board", StagePlan("Won"))


def test_a_workflow_is_for_what_is_open_and_what_comes(home: House) -> None:
    old, closed = home.track(1), home.track(2)
    Opportunities(home.scope).move(closed, home.stages["Won"])
    steps = [StepPlan("First", (ActionPlan("Read", "tender"), ActionPlan("Decide"))), StepPlan("Second", (ActionPlan("Send"),))]
    made = home.administration.add_workflow("Norte board", steps)
    assert [(step["name"], [one["name"] for one in step["actions"]]) for step in made] == [
        ("First", ["Read", "Decide"]), ("Second", ["Send"])
    ]  # fmt: skip
    home.administration.add_workflow("Norte board", [StepPlan("Third", (ActionPlan("Celebrate", "user"),))])
    new = home.track(3)
    for identity, number in ((old, 1), (new, 3)):
        actions = Opportunities(home.scope).workflow_actions(identity)
        assert [one["name"] for one in actions] == ["Read", "Decide", "Send", "Celebrate"]
        assert [one["targetId"] for one in actions] == [tender(number), identity, identity, None]
        assert [one["workflowStepPosition"] for one in actions] == [1, 1, 2, 3]
    assert Opportunities(home.scope).workflow_actions(closed) == []

    first = Opportunities(home.scope).workflow_actions(old)[0]["id"]
    marked = home.administration.mark_action(first, "completed")
    assert marked["completedAt"] is not None
    assert home.administration.mark_action(first, "in_progress")["completedAt"] is None
    with pytest.raises(BoardError, match="one of pending, in_progress, completed"):
        home.administration.mark_action(first, "done")
    with pytest.raises(BoardError, match="No workflow action has the id"):
        house(home.database, "Sur").administration.mark_action(first, "completed")
    for steps in ([], [StepPlan(" ")], [StepPlan("x", (ActionPlan("y", "moon"),))]):
        with pytest.raises(BoardError):
            home.administration.add_workflow("Norte board", steps)
    assert len(board_templates.steps_of(None)) == 5


def test_a_tracked_tender_brings_its_money_and_its_deadline(home: House) -> None:
    ana = Access(home.database).create_user(home.slug, "Ana")
    team = Access(home.database).create_team(home.slug, "Obras")
    made = home.tracking.track(tender(2), "Norte board", responsibles=["Ana", ana.id], teams=["Obras"])
    assert made == {
        "id": made["id"],
        "name": "Obra 2",
        "pipelineId": home.pipeline["id"],
        "statusId": home.stages["New"],
        "tenderId": tender(2),
        "amount": 2_000.0,
        "currency": "EUR",
        "dueDate": "2026-03-23T12:00:00Z",
        "responsibles": [{"id": ana.id, "name": "Ana"}],
        "teams": [{"id": team.id, "name": "Obras"}],
        "sortPoints": 1_000.0,
        "createdAt": "2026-03-15T12:00:00Z",
        "updatedAt": "2026-03-15T12:00:00Z",
        "platformUrl": f"workbench://opportunities/{made['id']}",
    }
    assert row(home, made["id"])["prorated_amount"] == 1_000.0
    with home.scope.reading() as rows:
        (begun,) = rows.all(select(opportunity_history))
        assert (begun.from_stage_id, begun.to_stage_id, begun.actor_type) == (None, home.stages["New"], "administration")
        (asked,) = rows.all(select(summary))
        assert (asked.opportunity_id, asked.status) == (made["id"], "pending")
        noted = rows.all(select(workspace_history).where(workspace_history.c.row_id == made["id"]))
    assert [one.changes["amount"] for one in noted] == [2_000.0]


def test_a_tracked_tender_can_have_figures_of_its_own(home: House) -> None:
    due = datetime(2026, 5, 1, tzinfo=UTC)
    made = home.tracking.track(tender(3), "Norte board", name=" Lote 1 ", amount=1_500.0, due=due)
    assert (made["name"], made["amount"], made["dueDate"]) == ("Lote 1", 1_500.0, "2026-05-01T00:00:00Z")
    assert row(home, made["id"])["prorated_amount"] == 500.0
    assert home.tracking.track(tender(6), "Norte board")["dueDate"] is None
    free = home.tracking.track(tender(1), "Norte board", amount=0.0)
    assert (free["amount"], row(home, free["id"])["prorated_amount"]) == (0.0, 0.0)


def test_what_cannot_be_tracked_is_told_why(home: House) -> None:
    access = Access(home.database)
    for _ in range(2):
        access.create_user(home.slug, "Ana")
    first = home.tracking.track(tender(1), "Norte board")["id"]
    for arguments, options, words in (
        ((UNKNOWN, "Norte board"), {}, "No tender has the id"),
        ((tender(1), "Norte board"), {}, f"tracks this tender already, as {first}"),
        ((tender(2), "Norte board"), {"responsibles": ["Eva"]}, "no user 'Eva'. Its users: 'Ana', 'Ana'."),
        ((tender(2), "Norte board"), {"responsibles": ["Ana"]}, "Several users have the name 'Ana'; give the id"),
        ((tender(2), "Norte board"), {"teams": ["x"]}, "no team 'x'. Its teams: none yet."),
        ((tender(2), "Norte board"), {"name": "\x00"}, "printable"),
    ):
        with pytest.raises(BoardError, match=words):
            home.tracking.track(*arguments, **options)
    assert Boards(home.scope).totals(home.pipeline["id"], BoardQuery())[0]["opportunityCount"] == 1
    assert home.tracking.track(tender(1), "Norte board", again=True)["id"] != first


def test_amounts_of_other_currencies_are_not_added_up(home: House) -> None:
    for number in (1, 2, 9, 9):
        home.track(number)
    new, *others = Boards(home.scope).totals(home.pipeline["id"], BoardQuery())
    assert (new["opportunityCount"], new["totalAmount"], new["currency"]) == (4, 3_000.0, "EUR")
    assert new["otherAmounts"] == [{"currency": "PLN", "amount": 18_000.0}]
    assert [(one["totalAmount"], one["currency"], "otherAmounts" in one) for one in others] == [(0, "EUR", False)] * 3
    home.track(9)
    assert Boards(home.scope).totals(home.pipeline["id"], BoardQuery())[0]["currency"] == "PLN"


def column(home: House, sort: OpportunitySort | None = None, direction: SortDirection = SortDirection.ASCENDING) -> list[str]:
    query = ColumnQuery(page_size=100, sort=sort)
    page = Boards(home.scope).column(home.pipeline["id"], home.stages["New"], query, direction)
    return [card["id"] for card in page["data"]]


@repeated
@given(
    moves=st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["before", "after", "end"]), st.integers(0, 5)), max_size=30)
)
def test_any_order_can_be_made_by_hand(home: House, moves: list[tuple[int, str, int]]) -> None:
    expected = column(home) or [home.track(1) for _ in range(6)]
    for moved, side, neighbour in moves:
        identity, other = expected[moved], expected[neighbour]
        if side != "end" and identity == other:
            with pytest.raises(BoardError, match="no other opportunity of the same column"):
                home.tracking.place(identity, **{side: other})
            continue
        home.tracking.place(identity, **({} if side == "end" else {side: other}))
        expected.remove(identity)
        place = len(expected) if side == "end" else expected.index(other) + (side == "after")
        expected.insert(place, identity)
        assert column(home) == expected
    assert column(home, OpportunitySort.CUSTOM, SortDirection.DESCENDING) == expected[::-1]


def test_order_survives_when_no_number_fits_between(home: House) -> None:
    cards = [home.track(1) for _ in range(3)]
    updated = row(home, cards[0])["updated_at"]
    for turn in range(120):
        cards = [cards[0], cards[2], cards[1]]
        home.tracking.place(cards[1], after=cards[0])
        assert column(home) == cards, turn
    assert row(home, cards[0])["updated_at"] == updated
    other = home.track(2)
    Opportunities(home.scope).move(other, home.stages["Doing"])
    for options in ({"before": other}, {"after": UNKNOWN}, {"before": cards[1], "after": cards[2]}):
        with pytest.raises(BoardError):
            home.tracking.place(cards[0], **options)
    with pytest.raises(BoardError, match="No opportunity has the id"):
        house(home.database, "Sur").tracking.place(cards[0])


@pytest.mark.parametrize("sort", list(OpportunitySort))
@pytest.mark.parametrize("direction", list(SortDirection))
def test_sorts_agree_with_a_plain_scan(home: House, sort: OpportunitySort, direction: SortDirection) -> None:
    cards = [home.track(number) for number in (5, 1, 3, 9, 2, 6, 4, 1)]
    home.tracking.place(cards[2], before=cards[0])
    stored = [row(home, card) for card in cards]
    name = {
        OpportunitySort.CUSTOM: "sort_points",
        OpportunitySort.UPDATED: "updated_at",
        OpportunitySort.DUE: "due_at",
        OpportunitySort.BUDGET: "amount",
        OpportunitySort.PRORATED_BUDGET: "prorated_amount",
    }[sort]
    sign = -1 if direction is SortDirection.DESCENDING else 1
    expected = sorted(stored, key=lambda one: (one[name] is None, sign * (one[name] or 0), one["sort_points"], one["id"]))
    assert column(home, sort, direction) == [one["id"] for one in expected]


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("New", StagePlan("New")),
        (" Won = WON ", StagePlan("Won", "won")),
        ("On hold=hidden", StagePlan("On hold", shown=False)),
        ("a=b", StagePlan("a=b")),
        ("a=b=lost", StagePlan("a=b", "lost")),
    ],
)
def test_a_stage_is_read_from_a_word_of_the_command_line(text: str, plan: StagePlan) -> None:
    assert read_stage(text) == plan


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("Go", StepPlan("Go")),
        ("Go: ", StepPlan("Go")),
        ("Go: Read@tender; Decide ;;", StepPlan("Go", (ActionPlan("Read", "tender"), ActionPlan("Decide")))),
        ("Go: write to a@example.org", StepPlan("Go", (ActionPlan("write to a@example.org"),))),
        ("Go: at 9:30", StepPlan("Go", (ActionPlan("at 9:30"),))),
    ],
)
def test_a_step_is_read_from_a_word_of_the_command_line(text: str, plan: StepPlan) -> None:
    assert read_step(text) == plan
