"""One account never reaches another's data: every operation that takes an id is driven with another's (interface 5.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from board_world import UNKNOWN, BoardWorld
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from workbench.contract.operations import BY_NAME, MOVE_OPPORTUNITY, OPERATIONS, WORKFLOW_ACTIONS, Operation
from workbench.service.scope import AccountScope
from workbench.service.store.metadata import METADATA
from workbench.service.store.workspace_tables import alert, summary

OWNED_IDS = {"pipelineId", "statusId", "opportunityId", "alertId", "summaryId"}
OWNED = [operation for operation in OPERATIONS if OWNED_IDS & set(operation.path_parameters)]
LISTS = ["alerts.list", "pipelines.list"]
FORBIDDEN = {MOVE_OPPORTUNITY.name, WORKFLOW_ACTIONS.name}

ALERT = {"title": "Otra", "windowsSearch": [{"field": "expedientPublishedAt"}]}
thorough = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Neighbour(BoardWorld):
    """A board whose every text holds a word that nobody else may ever see, with one row of all that an account can have."""

    SECRET = "Confidencial"

    def __init__(self, world: Any, label: str) -> None:
        super().__init__(world, label)
        self.card = self.track(
            world.search_all()[0], responsibles=[self.users[0].id], teams=[self.team.id], name=f"{label} plan"
        )
        made = self.call("POST", f"/v1/opportunities/{self.card}/tasks", json={"title": f"{label} tarea"})
        assert made.status_code == 201
        flags = {"is_active": False, "is_public": True, "is_archived": False, "is_auto_configured": False}
        wires = {"criteria": {}, "windows_search": ALERT["windowsSearch"], "notification_config": {}, "responsibles": []}
        with AccountScope(world.database, self.account.id).writing() as rows:
            self.alert = rows.add(alert, title=f"{label} alerta", created_by=self.users[0].id, **flags, **wires)
            text = {"name": f"{label} resumen", "result": f"{label} texto"}
            self.summary = rows.add(summary, opportunity_id=self.card, status="completed", **text)

    def ids(self) -> dict[str, str]:
        return {
            "pipelineId": self.pipeline["id"],
            "statusId": self.stages["En estudio"],
            "opportunityId": self.card,
            "alertId": self.alert,
            "summaryId": self.summary,
        }

    def rows(self) -> dict[str, list[Any]]:
        """Every row that the account owns, but for what the service writes by itself: last uses of keys, and summaries."""
        beside = {"api_key", "summary", "summary_attempt"}
        owned = {name: table for name, table in METADATA.tables.items() if "account_id" in table.c and name not in beside}
        found: dict[str, list[Any]] = {}
        with self.world.database.reader() as connection:
            for name, table in owned.items():
                wanted = select(table).where(table.c.account_id == self.account.id)
                if "actor_type" in table.c:
                    wanted = wanted.where(table.c.actor_type != "service")
                found[name] = sorted(map(repr, connection.execute(wanted)))
        return found


@pytest.fixture(scope="session", name="pair")
def pair_(world: Any) -> tuple[Neighbour, Neighbour]:
    """Two accounts of one service: who asks, and whose ids are asked for."""
    return Neighbour(world, "Propia"), Neighbour(world, Neighbour.SECRET)


def body_of(operation: Operation[Any], theirs: Neighbour, ours: Neighbour, *, foreign: bool) -> dict[str, Any]:
    side = theirs if foreign else ours
    return {
        "opportunities.move": {"targetStatusId": side.stages["En espera"]},
        "opportunities.create_task": {"title": "Intrusa", "userIds": [side.users[0].id]},
        "alerts.update": {"title": "Intrusa"},
    }.get(operation.name, {})


@pytest.mark.requirement("AUTH-2")
@thorough
@given(data=st.data(), operation=st.sampled_from(OWNED))
def test_ids_of_another_account_lead_nowhere(pair: tuple[Neighbour, Neighbour], data: Any, operation: Operation[Any]) -> None:
    ours, theirs = pair
    if not ours.world.serves(operation.name):
        return
    names = [name for name in operation.path_parameters if name in OWNED_IDS]
    foreign = data.draw(st.sets(st.sampled_from(names), min_size=1), label="another's")
    path = operation.path
    for name in names:
        path = path.replace(f"{{{name}}}", (theirs if name in foreign else ours).ids()[name])
    query = ""
    if operation.query is not None and "responsible" in operation.query.model_fields and data.draw(st.booleans()):
        query = f"?responsible={theirs.users[0].id}&teamResponsible={theirs.team.id}"
    body = body_of(operation, theirs, ours, foreign=data.draw(st.booleans(), label="body")) if operation.body else None
    before = ours.rows(), theirs.rows()
    answer = ours.call(operation.method.value, path + query, **({} if body is None else {"json": body}))
    expected = 403 if operation.name in FORBIDDEN else 404
    assert answer.status_code == expected, answer.text
    assert answer.json()["error"] == ("FORBIDDEN" if expected == 403 else "NOT_FOUND")
    assert Neighbour.SECRET not in answer.text
    assert (ours.rows(), theirs.rows()) == before


@pytest.mark.requirement("AUTH-2")
def test_ids_of_another_account_in_bodies_and_queries_lead_nowhere(pair: tuple[Neighbour, Neighbour], refusal: Any) -> None:
    ours, theirs = pair
    before = ours.rows(), theirs.rows()
    refusal(ours.move(ours.card, theirs.stages["En espera"]), 404, "NOT_FOUND")
    body = {"title": "x", "userIds": [theirs.users[0].id]}
    answer = ours.call("POST", f"/v1/opportunities/{ours.card}/tasks", json=body)
    assert Neighbour.SECRET not in refusal(answer, 422, "INVALID_REQUEST")
    for name, identity in (("responsible", theirs.users[0].id), ("teamResponsible", theirs.team.id)):
        assert set(ours.totals(**{name: identity}).values()) == {(0, 0)}
        found = ours.get(f"/v1/kanban/{ours.pipeline['id']}/search", params={name: identity})
        assert set(map(len, found.values())) == {0}
    assert (ours.rows(), theirs.rows()) == before


@pytest.mark.requirement("AUTH-2")
def test_lists_hold_what_is_the_account_s_own(pair: tuple[Neighbour, Neighbour]) -> None:
    ours, theirs = pair
    for name in LISTS:
        if not ours.world.serves(name):
            continue
        mine, others = (side.call("GET", BY_NAME[name].path) for side in (ours, theirs))
        assert mine.status_code == others.status_code == 200
        assert Neighbour.SECRET not in mine.text
        assert Neighbour.SECRET in others.text
        assert not {one["id"] for one in mine.json()["data"]} & {one["id"] for one in others.json()["data"]}
    board = ours.get(f"/v1/kanban/{ours.pipeline['id']}/search")
    assert Neighbour.SECRET not in json.dumps(board, ensure_ascii=False)


@pytest.mark.requirement("AUTH-2")
def test_what_is_unknown_and_what_is_another_s_cannot_be_told_apart(pair: tuple[Neighbour, Neighbour]) -> None:
    ours, theirs = pair
    for operation in OWNED:
        if operation.name in FORBIDDEN or not ours.world.serves(operation.name):
            continue
        answers: list[Any] = []
        for ids in (theirs.ids(), dict.fromkeys(OWNED_IDS, UNKNOWN)):
            path = operation.path
            for name, identity in ids.items():
                path = path.replace(f"{{{name}}}", identity)
            body = body_of(operation, theirs, ours, foreign=False) if operation.body else None
            answer = ours.call(operation.method.value, path, **({} if body is None else {"json": body}))
            answers.append((answer.status_code, answer.json()))
        assert answers[0] == answers[1], operation.name
