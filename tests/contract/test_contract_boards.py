"""Pipelines and boards as a caller over HTTP meets them (interface 2, 4.1, 4.3, 7 and 8)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from board_world import STAGES, UNKNOWN, BoardWorld

STAGE_FIELDS = {
    "id": str,
    "name": str,
    "isInitial": bool,
    "isTerminal": bool,
    "outcomeType": str,
    "sortPoints": (int, float),
    "showInKanban": bool,
    "description": (str, type(None)),
    "pipelineId": str,
    "backgroundColor": (str, type(None)),
    "textColor": (str, type(None)),
}
OPPORTUNITY_FIELDS = {
    "id", "name", "pipelineId", "statusId", "tenderId", "amount", "currency", "dueDate", "responsibles", "teams",
    "sortPoints", "createdAt", "updatedAt", "platformUrl",
}  # fmt: skip


@pytest.fixture(name="board")
def board_(world: Any) -> BoardWorld:
    return BoardWorld(world)


@pytest.fixture(name="full")
def full_(board: BoardWorld) -> BoardWorld:
    """A board with 27 opportunities: 15 new ones, 12 in study, of one user, another one or nobody."""
    random = Random(3)
    tenders = board.world.search_all()
    for number in range(27):
        people = [user.id for user in board.users[: number % 3]]
        teams = [board.team.id] if number % 4 == 0 else []
        made = board.track(random.choice(tenders), responsibles=people, teams=teams)
        if number % 9 >= 5:
            board.world.clock.advance(60)
            assert board.move(made, "En estudio").status_code == 204
    return board


@pytest.mark.requirement("PIP-1")
def test_pipelines_come_in_pages_with_every_field_of_their_stages(board: BoardWorld, refusal: Any) -> None:
    for number in range(20):
        board.administration.create_pipeline(f"Más {number:02}", STAGES[:1])
    first = board.get("/v1/pipelines")
    assert first["pagination"] == {"page": 1, "pageSize": 20, "hasNextPage": True}
    second = board.get("/v1/pipelines", params={"page": 2})
    assert second["pagination"] == {"page": 2, "pageSize": 20, "hasNextPage": False}
    assert board.get("/v1/pipelines", params={"page": 3})["data"] == []
    found = first["data"] + second["data"]
    assert (len(found), len({one["id"] for one in found})) == (22, 22)
    assert board.get("/v1/pipelines", params={"pageSize": 100})["data"] == found

    assert set(found[0]) == {"id", "name", "statuses"}
    assert found[0]["name"] == board.pipeline["name"]
    stages = found[0]["statuses"]
    assert [stage["name"] for stage in stages] == ["Nueva", "En estudio", "En espera", "Ganada", "Perdida"]
    assert [stage["sortPoints"] for stage in stages] == sorted(stage["sortPoints"] for stage in stages)
    assert [stage["isInitial"] for stage in stages] == [True, False, False, False, False]
    assert [stage["isTerminal"] for stage in stages] == [False, False, False, True, True]
    assert [stage["showInKanban"] for stage in stages] == [True, True, False, True, True]
    assert [stage["outcomeType"] for stage in stages] == ["open", "open", "open", "won", "lost"]
    assert stages[0] | {"id": "", "sortPoints": 0} == {
        "id": "",
        "name": "Nueva",
        "isInitial": True,
        "isTerminal": False,
        "outcomeType": "open",
        "sortPoints": 0,
        "showInKanban": True,
        "description": "Recién llegada.",
        "pipelineId": board.pipeline["id"],
        "backgroundColor": "#E3F2FD",
        "textColor": "#0D3C61",
    }
    for stage in stages:
        assert all(isinstance(stage[name], kind) for name, kind in STAGE_FIELDS.items())
    for query in ("pageSize=0", "pageSize=101", "page=0", "page=x", "pageSize=", "page=1&page=2", "sort=custom"):
        name = query.partition("=")[0]
        assert f"'{name}'" in refusal(board.call("GET", f"/v1/pipelines?{query}"), 422, "INVALID_REQUEST")


@pytest.mark.requirement("KAN-1")
def test_totals_count_and_sum_every_stage_in_its_order(full: BoardWorld) -> None:
    answer = full.get(f"/v1/kanban/{full.pipeline['id']}/status")
    assert [one["status"] for one in answer] == full.pipeline["statuses"]
    for one in answer:
        assert set(one) == {"status", "opportunityCount", "totalAmount", "currency"}
        column = full.column(one["status"]["name"])
        assert one["opportunityCount"] == len(column)
        assert one["totalAmount"] == pytest.approx(sum(card["amount"] or 0 for card in column))
        assert one["currency"] == "EUR"
    assert [one["opportunityCount"] for one in answer] == [15, 12, 0, 0, 0]
    assert any(card["amount"] is None for card in full.column("Nueva"))


@pytest.mark.requirement("KAN-1")
def test_totals_are_only_over_what_the_filters_select(full: BoardWorld, refusal: Any) -> None:
    cards = full.column("Nueva") + full.column("En estudio")
    first, second, third = (user.id for user in full.users)

    def counted(users: set[str], teams: set[str]) -> dict[str, int]:
        names = {identity: name for name, identity in full.stages.items()}
        found = dict.fromkeys(full.stages, 0)
        for card in cards:
            of_users = not users or users & {one["id"] for one in card["responsibles"]}
            if of_users and (not teams or teams & {one["id"] for one in card["teams"]}):
                found[names[card["statusId"]]] += 1
        return found

    team = full.team.id
    cases: list[tuple[list[str], list[str]]] = [
        ([first], []), ([second], []), ([first, second], []), ([third], []), ([UNKNOWN], []), ([UNKNOWN, second], []),
        ([], [team]), ([first], [team]), ([], [UNKNOWN]), ([second], [team, UNKNOWN]),
    ]  # fmt: skip
    for users, teams in cases:
        query = {name: ids for name, ids in (("responsible", users), ("teamResponsible", teams)) if ids}
        assert {stage: number for stage, (number, _) in full.totals(**query).items()} == counted(set(users), set(teams))
    assert full.totals(responsible=[first]) != full.totals(responsible=[second])

    path = f"/v1/kanban/{full.pipeline['id']}/status"
    for query in (f"responsible={first},{second}", "responsible=", "teamResponsible=&teamResponsible=x"):
        message = refusal(full.call("GET", f"{path}?{query}"), 422, "INVALID_REQUEST")
        assert "repeat it" in message
        assert f"'{query.partition('=')[0]}'" in message
    message = refusal(full.call("GET", f"{path}?responsibles={first}"), 422, "INVALID_REQUEST")
    assert "Did you mean 'responsible'? Allowed: responsible, teamResponsible." in message


@pytest.mark.requirement("KAN-2")
def test_a_column_comes_in_pages_of_ten_in_the_order_of_the_board(full: BoardWorld, refusal: Any) -> None:
    path = f"/v1/kanban/{full.pipeline['id']}/status/{full.stages['Nueva']}/opportunities"
    first = full.get(path)
    assert first["pagination"] == {"page": 1, "pageSize": 10, "hasNextPage": True}
    assert len(first["data"]) == 10
    second = full.get(path, params={"page": 2})
    assert second["pagination"] == {"page": 2, "pageSize": 10, "hasNextPage": False}
    whole = full.get(path, params={"pageSize": 100})["data"]
    assert first["data"] + second["data"] == whole
    points = [card["sortPoints"] for card in whole]
    assert points == sorted(points)
    for card in whole:
        assert set(card) == OPPORTUNITY_FIELDS
        assert (card["pipelineId"], card["statusId"]) == (full.pipeline["id"], full.stages["Nueva"])
        assert full.world.get(f"/v1/tenders/{card['tenderId']}").json()["budgetNoTaxes"] == card["amount"]
    assert full.get(path.replace(full.stages["Nueva"], full.stages["Ganada"]))["data"] == []
    for query in ("pageSize=0", "pageSize=101", "page=0", "sort=by-colour", "sortDirection=asc", "responsible=x"):
        name = query.partition("=")[0]
        assert f"'{name}'" in refusal(full.call("GET", f"{path}?{query}"), 422, "INVALID_REQUEST")
    message = refusal(full.call("GET", f"{path}?sort=by-name"), 422, "INVALID_REQUEST")
    assert "one of custom, by-update-date, by-due-date, by-budget, by-prorated-budget." in message


@pytest.mark.requirement("KAN-2")
def test_a_column_sorts_by_the_five_values(full: BoardWorld) -> None:
    whole = {card["id"]: card for card in full.column("Nueva")}
    tenders = {card["id"]: full.world.get(f"/v1/tenders/{card['tenderId']}").json() for card in whole.values()}
    keys = {
        "custom": lambda card: card["sortPoints"],
        "by-update-date": lambda card: card["updatedAt"],
        "by-due-date": lambda card: card["dueDate"],
        "by-budget": lambda card: card["amount"],
        "by-prorated-budget": lambda card: tenders[card["id"]]["proratedBudget"],
    }
    orders = set()
    for sort, key in keys.items():
        found = [card["id"] for card in full.column("Nueva", sort=sort)]
        # What has no such value comes last; equals stand as on the board.
        expected = sorted(whole.values(), key=lambda card: (key(card) is None, key(card) or 0, card["sortPoints"]))
        assert found == [card["id"] for card in expected], sort
        orders.add(tuple(found))
    assert len(orders) >= 3


@pytest.mark.requirement("KAN-2")
def test_the_owner_s_order_is_the_custom_order(full: BoardWorld) -> None:
    ids = [card["id"] for card in full.column("Nueva")]
    last = ids[-1]
    full.tracking.place(last, before=ids[0])
    assert [card["id"] for card in full.column("Nueva", sort="custom")] == [last, *ids[:-1]]
    full.tracking.place(last, after=ids[3])
    assert [card["id"] for card in full.column("Nueva")] == [*ids[:4], last, *ids[4:-1]]


@pytest.mark.requirement("KAN-3")
def test_a_search_maps_every_stage_to_at_most_a_limit(full: BoardWorld, refusal: Any) -> None:
    path = f"/v1/kanban/{full.pipeline['id']}/search"
    found = full.get(path)
    assert list(found) == list(full.stages.values())
    assert [len(cards) for cards in found.values()] == [10, 10, 0, 0, 0]
    assert found[full.stages["Nueva"]] == full.column("Nueva")[:10]
    assert [len(cards) for cards in full.get(path, params={"limit": 50}).values()] == [15, 12, 0, 0, 0]
    assert [len(cards) for cards in full.get(path, params={"limit": 1}).values()] == [1, 1, 0, 0, 0]
    by_budget = full.get(path, params={"limit": 50, "sort": "by-budget"})
    assert by_budget[full.stages["Nueva"]] == full.column("Nueva", sort="by-budget")
    for query in ("limit=0", "limit=51", "limit=ten", "sort=by-name", "text=x", "page=1", "responsible=a,b"):
        name = query.partition("=")[0]
        assert f"'{name}'" in refusal(full.call("GET", f"{path}?{query}"), 422, "INVALID_REQUEST")
    assert "at most 50" in refusal(full.call("GET", f"{path}?limit=51"), 422, "INVALID_REQUEST")


@pytest.mark.requirement("KAN-3")
def test_a_search_finds_names_by_the_beginnings_of_their_words(full: BoardWorld) -> None:
    path = f"/v1/kanban/{full.pipeline['id']}/search"
    cards = full.column("Nueva") + full.column("En estudio")

    def found(search: str, **query: Any) -> set[str]:
        answer = full.get(path, params={"search": search, "limit": 50, **query})
        return {card["id"] for column in answer.values() for card in column}

    def named(*words: str) -> set[str]:
        return {card["id"] for card in cards if all(word in card["name"].lower() for word in words)}

    assert found("software") == named("software")
    assert 0 < len(found("software")) < len(cards)
    assert found("SEÑALIZACION") == found("señaliz") == named("señalización")
    assert found("autop softw") == named("autopista", "software")
    assert found("autopista OR software") == named("autopista") | named("software")
    assert found("-software") == named() - named("software")
    assert found("nothing has this word") == set()
    assert found("") == found("  ") == found('"') == named()
    team = {card["id"] for card in cards if card["teams"]}
    assert found("software", teamResponsible=full.team.id) == named("software") & team


@pytest.mark.requirement("KAN-1", "KAN-2", "KAN-3")
def test_an_unknown_pipeline_or_stage_is_404(board: BoardWorld, refusal: Any) -> None:
    other = {stage["name"]: stage["id"] for stage in board.other_pipeline["statuses"]}
    known = board.pipeline["id"]
    for path in (
        f"/v1/kanban/{UNKNOWN}/status",
        f"/v1/kanban/{UNKNOWN}/search",
        f"/v1/kanban/{UNKNOWN}/status/{board.stages['Nueva']}/opportunities",
        f"/v1/kanban/{known}/status/{UNKNOWN}/opportunities",
        f"/v1/kanban/{known}/status/{other['Nueva']}/opportunities",
        f"/v1/kanban/{board.pipeline['name']}/status",
        "/v1/kanban/%00/status",
    ):
        refusal(board.call("GET", path), 404, "NOT_FOUND")
    assert board.call("GET", f"/v1/kanban/{known.upper()}/status").status_code == 200
    assert board.call("POST", f"/v1/kanban/{known}/status", json={}).status_code == 405
