"""Moves, workflow and tasks of opportunities as a caller over HTTP meets them (interface 2, 3, 4.1 and 7)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from board_world import UNKNOWN, BoardWorld
from sqlalchemy import literal_column, select

from workbench.service.store.workspace_tables import opportunity, opportunity_history

ACTION_FIELDS = {
    "id", "workflowStepId", "workflowStepName", "workflowStepPosition", "name", "targetType", "targetId", "status", "position",
    "completedAt", "createdAt", "updatedAt",
}  # fmt: skip
TASK_FIELDS = {"id", "title", "description", "status", "priority", "userIds", "deadlineAt", "createdAt", "updatedAt"}


@pytest.fixture(name="board")
def board_(world: Any) -> BoardWorld:
    return BoardWorld(world)


@pytest.fixture(name="card")
def card_(board: BoardWorld) -> str:
    return board.track(board.world.search_all()[0], responsibles=[board.users[0].id])


def history(board: BoardWorld, card: str) -> list[tuple[str | None, str]]:
    """From and to of every move, oldest first."""
    columns = (opportunity_history.c.from_stage_id, opportunity_history.c.to_stage_id)
    wanted = select(*columns).where(opportunity_history.c.opportunity_id == card).order_by(literal_column("rowid"))
    with board.world.database.reader() as connection:
        return [(before, after) for before, after in connection.execute(wanted)]


def stored(board: BoardWorld, card: str) -> dict[str, Any]:
    with board.world.database.reader() as connection:
        return dict(connection.execute(select(opportunity).where(opportunity.c.id == card)).mappings().one())


@pytest.mark.requirement("OPP-1")
def test_a_move_changes_the_stage_and_the_totals(board: BoardWorld, card: str) -> None:
    amount = board.column("Nueva")[0]["amount"] or 0
    assert board.totals() == {
        "Nueva": (1, amount), "En estudio": (0, 0), "En espera": (0, 0), "Ganada": (0, 0), "Perdida": (0, 0)
    }  # fmt: skip
    board.world.clock.advance(3_600)
    answer = board.move(card, "En estudio")
    assert (answer.status_code, answer.content) == (204, b"")
    (moved,) = board.column("En estudio")
    assert board.column("Nueva") == []
    assert moved["id"] == card
    assert datetime.fromisoformat(moved["updatedAt"]) == board.world.clock.now.replace(microsecond=0)
    assert board.totals()["En estudio"] == (1, amount)
    assert history(board, card) == [(None, board.stages["Nueva"]), (board.stages["Nueva"], board.stages["En estudio"])]
    assert board.move(card, "En espera").status_code == 204
    assert board.move(card, "Nueva").status_code == 204
    assert board.move(card, board.stages["En estudio"].upper()).status_code == 204
    assert len(history(board, card)) == 5


@pytest.mark.requirement("OPP-1")
def test_a_moved_card_comes_to_the_end_of_its_column(board: BoardWorld) -> None:
    cards = [board.track(tender) for tender in board.world.search_all()[:4]]
    for card in (cards[2], cards[0], cards[3]):
        board.move(card, "En estudio")
    assert [card["id"] for card in board.column("En estudio")] == [cards[2], cards[0], cards[3]]


@pytest.mark.requirement("OPP-1")
@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, "'targetStatusId' is required."),
        ({"targetStatusId": None}, 422, "'targetStatusId' must be a text."),
        ({"targetStatusId": 7}, 422, "'targetStatusId' must be a text."),
        ({"targetStatusId": "En estudio"}, 422, "'targetStatusId' must be a uuid"),
        ({"targetStatusId": ""}, 422, "'targetStatusId' must be a uuid"),
        ({"targetStatusId": UNKNOWN, "confirmTerminal": True}, 422, "'confirmTerminal' is not known. Allowed: targetStatusId."),
        ([], 422, "must be a JSON object"),
    ],
)
def test_a_move_needs_a_stage_and_nothing_else(
    board: BoardWorld, card: str, refusal: Any, body: Any, status: int, words: str
) -> None:
    answer = board.call("PUT", f"/v1/opportunities/{card}/status", json=body)
    assert words in refusal(answer, status, "INVALID_REQUEST")
    assert len(history(board, card)) == 1


@pytest.mark.requirement("OPP-2")
def test_a_move_to_where_it_is_changes_nothing(board: BoardWorld, card: str) -> None:
    for stage in ("Nueva", "Ganada"):
        if stage != "Nueva":
            assert board.move(card, stage).status_code == 204
        before, moves = stored(board, card), history(board, card)
        board.world.clock.advance(60)
        for _ in range(3):
            answer = board.move(card, stage)
            assert (answer.status_code, answer.content) == (204, b"")
        assert (stored(board, card), history(board, card)) == (before, moves)


@pytest.mark.requirement("OPP-3")
@pytest.mark.parametrize("terminal", ["Ganada", "Perdida"])
def test_a_terminal_stage_closes_and_there_is_no_way_back(board: BoardWorld, card: str, refusal: Any, terminal: str) -> None:
    assert stored(board, card)["closed_at"] is None
    assert board.move(card, terminal).status_code == 204
    closed = stored(board, card)
    assert closed["closed_at"] == int(board.world.clock.now.timestamp())
    board.world.clock.advance(60)
    for stage in board.stages:
        if stage != terminal:
            assert f"'{terminal}'" in refusal(board.move(card, stage), 409, "OPPORTUNITY_CLOSED")
    assert stored(board, card) == closed
    assert len(history(board, card)) == 2
    assert [one["id"] for one in board.column(terminal)] == [card]


@pytest.mark.requirement("OPP-4")
def test_moves_of_what_is_not_there_or_not_ours(board: BoardWorld, card: str, refusal: Any) -> None:
    other = {stage["name"]: stage["id"] for stage in board.other_pipeline["statuses"]}
    refusal(board.move(UNKNOWN, "En estudio"), 404, "NOT_FOUND")
    refusal(board.move("x", "En estudio"), 404, "NOT_FOUND")
    refusal(board.move(card, UNKNOWN), 404, "NOT_FOUND")
    # A stage of another pipeline of the same account is no stage of this opportunity.
    assert "'targetStatusId'" in refusal(board.move(card, other["En estudio"]), 404, "NOT_FOUND")
    stranger = BoardWorld(board.world, "Vecino")
    for stage in (stranger.stages["En estudio"], board.stages["En estudio"], board.stages["Nueva"], UNKNOWN):
        refusal(stranger.move(card, stage), 403, "FORBIDDEN")
    refusal(board.move(card, stranger.stages["En estudio"]), 404, "NOT_FOUND")
    assert len(history(board, card)) == 1


@pytest.mark.requirement("OPP-1", "OPP-3")
def test_moves_at_once_are_serial_and_none_is_lost(board: BoardWorld, card: str) -> None:
    stages = ["En estudio", "En espera", "Nueva"] * 20
    with ThreadPoolExecutor(8) as pool:
        statuses = [answer.status_code for answer in pool.map(lambda stage: board.move(card, stage), stages)]
    assert set(statuses) == {204}
    moves = history(board, card)
    assert all(before[1] == after[0] for before, after in pairwise(moves))
    assert all(before != after for before, after in moves)
    assert moves[-1][1] == stored(board, card)["stage_id"]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda stage: board.move(card, stage), ["Ganada", "Perdida"] * 8))
    won = [answer.status_code == 204 for answer in answers]
    closing = moves[-1:] and history(board, card)[len(moves) :]
    assert len(closing) == 1
    # Each move to the stage that won says 204, each to the other one 409.
    assert won == [board.stages[stage] == closing[0][1] for stage in ["Ganada", "Perdida"] * 8]


@pytest.mark.requirement("OPP-5")
def test_workflow_actions_come_step_by_step(board: BoardWorld, card: str) -> None:
    actions = board.get(f"/v1/opportunities/{card}/workflow-actions")
    assert [(one["workflowStepName"], one["name"]) for one in actions] == [
        ("Decidir", "Leer el pliego"),
        ("Decidir", "Decidir si se va"),
        ("Presentar", "Firmar los sobres"),
    ]
    assert [(one["workflowStepPosition"], one["position"]) for one in actions] == [(1, 1), (1, 2), (2, 1)]
    assert len({one["workflowStepId"] for one in actions}) == 2
    tender = board.column("Nueva")[0]["tenderId"]
    assert [(one["targetType"], one["targetId"]) for one in actions] == [
        ("tender", tender), ("opportunity", card), ("document", None)
    ]  # fmt: skip
    for one in actions:
        assert set(one) == ACTION_FIELDS
        assert (one["status"], one["completedAt"]) == ("pending", None)
    board.world.clock.advance(60)
    board.administration.mark_action(actions[1]["id"], "completed")
    marked = board.get(f"/v1/opportunities/{card}/workflow-actions")[1]
    assert marked["status"] == "completed"
    assert marked["completedAt"] == marked["updatedAt"] > marked["createdAt"]


@pytest.mark.requirement("OPP-5")
def test_workflow_actions_of_what_is_not_there_or_not_ours(board: BoardWorld, card: str, refusal: Any) -> None:
    refusal(board.call("GET", f"/v1/opportunities/{UNKNOWN}/workflow-actions"), 404, "NOT_FOUND")
    stranger = BoardWorld(board.world, "Vecino")
    refusal(stranger.call("GET", f"/v1/opportunities/{card}/workflow-actions"), 403, "FORBIDDEN")
    message = refusal(board.call("GET", f"/v1/opportunities/{card}/workflow-actions?page=1"), 422, "INVALID_REQUEST")
    assert "'page'" in message
    without = board.tracking.track(board.world.search_all()[0]["id"], board.other_pipeline["id"])
    assert board.get(f"/v1/opportunities/{without['id']}/workflow-actions") == []


@pytest.mark.requirement("TSK-2")
def test_a_task_needs_a_title_and_has_defaults(board: BoardWorld, card: str) -> None:
    path = f"/v1/opportunities/{card}/tasks"
    made = board.call("POST", path, json={"title": "Llamar"})
    assert made.status_code == 201
    assert list(made.json()) == ["id"]
    (task,) = board.get(path)["data"]
    assert set(task) == TASK_FIELDS
    now = board.world.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert task == {
        "id": made.json()["id"],
        "title": "Llamar",
        "description": None,
        "status": "to-do",
        "priority": "medium",
        "userIds": [],
        "deadlineAt": None,
        "createdAt": now,
        "updatedAt": now,
    }


@pytest.mark.requirement("TSK-2")
def test_a_task_keeps_what_it_was_given(board: BoardWorld, card: str) -> None:
    path = f"/v1/opportunities/{card}/tasks"
    users = [board.users[2].id, board.users[0].id]
    body: dict[str, Any] = {
        "title": "  Pedir el aval <b>[bold] =1+1\u202e ",
        "description": "línea 1\nlínea 2 ñ €",
        "status": "in-progress",
        "priority": "high",
        "userIds": [*users, users[0]],
        "deadlineAt": "2026-04-01T12:30:00+02:00",
    }
    made = board.call("POST", path, json=body).json()["id"]
    (task,) = board.get(path)["data"]
    assert {name: task[name] for name in ("id", "title", "description", "status", "priority", "userIds")} == {
        **{name: body[name] for name in ("title", "description", "status", "priority")}, "id": made, "userIds": users
    }  # fmt: skip
    assert datetime.fromisoformat(task["deadlineAt"]) == datetime(2026, 4, 1, 10, 30, tzinfo=UTC)
    nulls = {"title": "Sin más", "description": None, "deadlineAt": None}
    assert board.call("POST", path, json=nulls).status_code == 201


@pytest.mark.requirement("TSK-2")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "'title' is required."),
        ({"title": ""}, "'title' must not be blank."),
        ({"title": " \n"}, "'title' must not be blank."),
        ({"title": 3}, "'title' must be a text."),
        ({"title": "x", "status": "doing"}, "'status' must be one of to-do, in-progress, done."),
        ({"title": "x", "status": None}, "'status' must be one of to-do, in-progress, done."),
        ({"title": "x", "priority": "urgent"}, "'priority' must be one of high, medium, low."),
        ({"title": "x", "userIds": "u"}, "'userIds' must be a list."),
        ({"title": "x", "userIds": [UNKNOWN]}, "'userIds[0]' is the id of no user of this account."),
        ({"title": "x", "deadlineAt": "tomorrow"}, "'deadlineAt' must be an ISO 8601 date-time"),
        ({"title": "x", "deadlineAt": "2026-04-01T12:30:00"}, "'deadlineAt' needs a time zone"),
        ({"title": "x", "deadlineAt": 0}, "'deadlineAt' must be an ISO 8601 date-time"),
        ({"title": "x", "deadline": None}, "'deadline' is not known. Did you mean 'deadlineAt'?"),
    ],
)
def test_a_task_that_cannot_be_is_refused_and_not_made(
    board: BoardWorld, card: str, refusal: Any, body: dict[str, Any], words: str
) -> None:
    path = f"/v1/opportunities/{card}/tasks"
    assert words in refusal(board.call("POST", path, json=body), 422, "INVALID_REQUEST")
    assert board.get(path)["data"] == []


@pytest.mark.requirement("TSK-2")
def test_a_task_names_users_of_its_own_account_only(board: BoardWorld, card: str, refusal: Any) -> None:
    stranger = BoardWorld(board.world, "Vecino")
    path = f"/v1/opportunities/{card}/tasks"
    body = {"title": "x", "userIds": [board.users[0].id, stranger.users[0].id]}
    message = refusal(board.call("POST", path, json=body), 422, "INVALID_REQUEST")
    assert "'userIds[1]'" in message
    assert board.users[0].name in message
    assert stranger.users[0].name not in message
    for opportunity_id in (UNKNOWN, "x"):
        refusal(board.call("POST", f"/v1/opportunities/{opportunity_id}/tasks", json={"title": "x"}), 404, "NOT_FOUND")
    refusal(stranger.call("POST", path, json={"title": "x"}), 404, "NOT_FOUND")
    assert board.get(path)["data"] == []


@pytest.mark.requirement("TSK-1")
def test_tasks_come_in_pages_and_by_status(board: BoardWorld, card: str, refusal: Any) -> None:
    path = f"/v1/opportunities/{card}/tasks"
    statuses = ["to-do", "in-progress", "done", "to-do"]
    made = [
        (board.call("POST", path, json={"title": f"Tarea {n}", "status": statuses[n % 4]}).json()["id"], statuses[n % 4])
        for n in range(23)
    ]
    first = board.get(path)
    assert first["pagination"] == {"page": 1, "pageSize": 20, "hasNextPage": True}
    second = board.get(path, params={"page": 2})
    assert second["pagination"] == {"page": 2, "pageSize": 20, "hasNextPage": False}
    assert [task["id"] for task in first["data"] + second["data"]] == [identity for identity, _ in made]
    for status in ("to-do", "in-progress", "done"):
        found = board.get(path, params={"status": status, "pageSize": 100})["data"]
        assert [task["id"] for task in found] == [identity for identity, kind in made if kind == status]
        assert {task["status"] for task in found} == {status}
    for query in ("status=doing", "status=", "status=done&status=to-do", "pageSize=0", "pageSize=101", "page=0", "sort=x"):
        name = query.partition("=")[0]
        assert f"'{name}'" in refusal(board.call("GET", f"{path}?{query}"), 422, "INVALID_REQUEST")
    assert "one of to-do, in-progress, done." in refusal(board.call("GET", f"{path}?status=x"), 422, "INVALID_REQUEST")
    refusal(board.call("GET", f"/v1/opportunities/{UNKNOWN}/tasks"), 404, "NOT_FOUND")
    stranger = BoardWorld(board.world, "Vecino")
    refusal(stranger.call("GET", path), 404, "NOT_FOUND")


@pytest.mark.requirement("TSK-2")
def test_tasks_made_at_once_are_all_there(board: BoardWorld, card: str) -> None:
    path = f"/v1/opportunities/{card}/tasks"
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: board.call("POST", path, json={"title": f"{n}"}), range(40)))
    assert {answer.status_code for answer in answers} == {201}
    tasks = board.get(path, params={"pageSize": 100})["data"]
    assert {task["id"] for task in tasks} == {answer.json()["id"] for answer in answers}
    assert {task["title"] for task in tasks} == {str(n) for n in range(40)}
