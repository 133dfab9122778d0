"""The real client on the embedded service with the sample workspace: both sides of the interface at once, and one story."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import workbench
from workbench.client.errors import Conflict, Invalid, InvalidArgument, NotFound, TerminalMoveNotConfirmed
from workbench.contract.vocabulary import OpportunitySort, TaskStatus

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module", name="folder")
def folder_(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("boards") / "sample"


@pytest.fixture(name="client")
def client_(folder: Path) -> Iterator[Any]:
    with workbench.connect("sample", data=folder) as client:
        yield client


def stage_named(pipeline: Any, name: str) -> Any:
    return next(stage for stage in pipeline.statuses if stage.name == name)


@pytest.mark.requirement("PIP-1")
def test_the_client_reads_pipelines_and_their_stages(client: Any) -> None:
    page = client.pipelines.list()
    assert [pipeline.name for pipeline in page] == ["Public works bids", "Services and IT"]
    assert list(client.pipelines.iterate(page_size=1)) == list(page)
    assert client.pipelines.list(page=2, page_size=1).data == page.data[1:]
    for pipeline in page:
        assert sum(stage.is_initial for stage in pipeline.statuses) == 1
        assert {stage.outcome_type for stage in pipeline.statuses if stage.is_terminal} == {"won", "lost", "discarded"}
        for stage in pipeline.statuses:
            assert (stage.pipeline_id, stage.other_fields, stage.unreadable_fields) == (pipeline.id, {}, ())
            assert stage.description
            assert stage.background_color
            assert stage.text_color
    with pytest.raises(InvalidArgument):
        client.pipelines.list(page_size=101)


@pytest.mark.requirement("KAN-1", "KAN-2", "KAN-3")
def test_the_client_reads_a_board_the_same_from_three_sides(client: Any) -> None:
    for pipeline in client.pipelines.iterate():
        totals = client.kanban.totals(pipeline.id)
        found = client.kanban.search(pipeline.id, limit=50)
        assert [total.status for total in totals] == list(pipeline.statuses)
        assert list(found) == [stage.id for stage in pipeline.statuses]
        for total in totals:
            column = list(client.kanban.iterate(pipeline.id, total.status.id, page_size=2))
            assert tuple(column) == found[total.status.id]
            assert total.opportunity_count == len(column)
            assert total.total_amount == pytest.approx(sum(card.amount for card in column))
            assert {card.currency for card in column} <= {total.currency}
            assert all(card.unreadable_fields == () and card.other_fields == {} for card in column)
        everyone = {one["id"] for column in found.values() for card in column for one in card.responsibles}
        for user in everyone:
            mine = client.kanban.search(pipeline.id, limit=50, responsible=[user])
            counts = [total.opportunity_count for total in client.kanban.totals(pipeline.id, responsible=[user])]
            assert counts == [len(column) for column in mine.values()]
            assert all(user in {one["id"] for one in card.responsibles} for column in mine.values() for card in column)
        name = found[pipeline.statuses[0].id][0].name
        assert name in {card.name for card in client.kanban.search(pipeline.id, search=name)[pipeline.statuses[0].id]}


@pytest.mark.requirement("KAN-2")
@pytest.mark.parametrize("sort", list(OpportunitySort))
def test_the_client_sorts_a_column(client: Any, sort: OpportunitySort) -> None:
    pipeline = client.pipelines.list().data[0]
    stage = pipeline.statuses[0].id
    cards = client.kanban.opportunities(pipeline.id, stage, sort=sort, page_size=100).data
    assert {card.id for card in cards} == {card.id for card in client.kanban.opportunities(pipeline.id, stage, page_size=100)}
    key = {OpportunitySort.CUSTOM: "sort_points", OpportunitySort.UPDATED: "updated_at", OpportunitySort.BUDGET: "amount"}
    if sort in key:
        values = [getattr(card, key[sort]) for card in cards]
        assert values == sorted(values)


@pytest.mark.requirement("OPP-1", "OPP-2", "OPP-3", "OPP-4", "OPP-5", "TSK-1", "TSK-2")
def test_an_opportunity_s_life_through_the_client(client: Any) -> None:
    pipeline = client.pipelines.list().data[1]
    new, doing, won = (stage_named(pipeline, name) for name in ("New", "Preparing bid", "Won"))
    card = client.kanban.opportunities(pipeline.id, new.id).data[0]

    client.opportunities.move(card.id, doing.id)
    client.opportunities.move(card.id, doing.id)
    moved = next(one for one in client.kanban.iterate(pipeline.id, doing.id) if one.id == card.id)
    assert moved.updated_at > card.updated_at
    assert client.raw.opportunities.move(card.id, doing.id).status == 204

    actions = client.opportunities.workflow_actions(card.id)
    steps = [action.workflow_step_position for action in actions]
    assert steps == sorted(steps)
    assert len(set(steps)) == 5
    assert all(action.other_fields == {} and action.unreadable_fields == () for action in actions)

    person = card.responsibles[0]["id"]
    deadline = datetime(2030, 1, 31, 12, tzinfo=UTC)
    draft = {"title": "Visitar la obra", "user_ids": [person], "deadline_at": deadline, "priority": "high"}
    before = list(client.opportunities.iterate_tasks(card.id))
    made = client.opportunities.create_task(card.id, draft)
    task = list(client.opportunities.iterate_tasks(card.id))[-1]
    assert (task.id, task.title, task.status, task.priority) == (made.id, "Visitar la obra", TaskStatus.TO_DO, "high")
    assert (task.user_ids, task.deadline_at) == ((person,), deadline)
    todo = list(client.opportunities.iterate_tasks(card.id, status="to-do"))
    assert [one.id for one in todo] == [one.id for one in before if one.status == "to-do"] + [made.id]
    with pytest.raises(Invalid, match=r"userIds\[0\]"):
        client.opportunities.create_task(card.id, {"title": "x", "user_ids": [UNKNOWN]})

    with pytest.raises(TerminalMoveNotConfirmed):
        client.opportunities.move(card.id, won.id)
    assert next(one for one in client.kanban.iterate(pipeline.id, doing.id) if one.id == card.id) == moved
    client.opportunities.move(card.id, won.id, confirm_terminal=True)
    client.opportunities.move(card.id, won.id, confirm_terminal=True)
    with pytest.raises(Conflict) as closed:
        client.opportunities.move(card.id, doing.id)
    assert (closed.value.status, closed.value.code) == (409, "OPPORTUNITY_CLOSED")

    for ask in (
        lambda: client.opportunities.move(UNKNOWN, doing.id),
        lambda: client.opportunities.move(card.id, UNKNOWN, confirm_terminal=True),
        lambda: client.opportunities.workflow_actions(UNKNOWN),
        lambda: client.opportunities.tasks(UNKNOWN),
        lambda: client.opportunities.create_task(UNKNOWN, {"title": "x"}),
        lambda: client.kanban.totals(UNKNOWN),
        lambda: client.kanban.opportunities(pipeline.id, UNKNOWN),
        lambda: client.kanban.search(UNKNOWN),
    ):
        with pytest.raises(NotFound):
            ask()


@pytest.mark.requirement("OPP-4", "OPP-5")
def test_the_client_is_told_of_another_account_s_opportunity(folder: Path) -> None:
    from pydantic import SecretStr

    from workbench.client import Client
    from workbench.client.errors import Forbidden
    from workbench.client.transport import InProcessSync
    from workbench.service.service import Service

    with Service.open(folder) as service:
        with Client("http://localhost", service.session_key("one"), transport=InProcessSync(service.app)) as ours:
            pipeline = ours.pipelines.list().data[0]
            card = ours.kanban.opportunities(pipeline.id, pipeline.statuses[0].id).data[0]
        service.access.create_account("Vecino")
        key = SecretStr(service.access.create_key("other", account_slug="vecino").token.get_secret_value())
        with Client("http://localhost", key, transport=InProcessSync(service.app)) as theirs:
            assert theirs.pipelines.list().data == ()
            with pytest.raises(Forbidden):
                theirs.opportunities.move(card.id, pipeline.statuses[1].id, confirm_terminal=True)
            with pytest.raises(Forbidden):
                theirs.opportunities.workflow_actions(card.id)
            with pytest.raises(NotFound):
                theirs.opportunities.tasks(card.id)


@pytest.mark.anyio
@pytest.mark.requirement("PIP-1", "KAN-1", "OPP-1")
async def test_the_asynchronous_client_does_the_same(folder: Path) -> None:
    async with workbench.aconnect("sample", data=folder) as client:
        pipeline = (await client.pipelines.list()).data[0]
        totals = await client.kanban.totals(pipeline.id)
        assert [total.status for total in totals] == list(pipeline.statuses)
        card = (await client.kanban.opportunities(pipeline.id, pipeline.statuses[0].id)).data[0]
        await client.opportunities.move(card.id, pipeline.statuses[1].id)
        assert card.id in {one.id async for one in client.kanban.iterate(pipeline.id, pipeline.statuses[1].id)}
        with pytest.raises(TerminalMoveNotConfirmed):
            await client.opportunities.move(card.id, stage_named(pipeline, "Lost").id)
