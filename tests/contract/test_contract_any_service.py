"""What the interface states and any account can be asked without changing anything; also of a hosted account."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.contract.operations import BY_NAME
from workbench.contract.tenders import Tender

STAGE = ("id", "name", "isInitial", "isTerminal", "outcomeType", "sortPoints", "showInKanban")
ALERT = ("id", "title", "criteria", "notificationConfig", "isActive", "isPublic", "isArchived", "createdAt", "updatedAt")


def envelope(answer: Any, page: int = 1, page_size: int | None = None) -> list[dict[str, Any]]:
    """The records of a page, which must have the interface's envelope (interface 2)."""
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert isinstance(body["data"], list)
    assert body["pagination"]["page"] == page
    assert isinstance(body["pagination"]["hasNextPage"], bool)
    assert page_size is None or len(body["data"]) <= body["pagination"]["pageSize"] == page_size
    return body["data"]


def only_if_served(world: Any, operation: str) -> None:
    assert operation in BY_NAME
    if not world.serves(operation):
        pytest.skip(f"the embedded service does not answer {operation} yet")


@pytest.mark.requirement("WHO-1")
def test_the_caller_is_told_who_it_is(world: Any) -> None:
    found = world.get("/v1/whoami").json()
    assert found["principal"]["type"] == "apiKey"
    assert all(isinstance(found["principal"][name], str) for name in ("id", "name"))
    assert all(isinstance(found["account"][name], str) for name in ("id", "name", "slug"))
    assert found["organization"] is None or {"id", "name"} <= set(found["organization"])
    assert found["plan"]["tier"] is None or isinstance(found["plan"]["tier"], str)


@pytest.mark.requirement("KEY-1")
def test_the_key_in_use_is_an_object(world: Any) -> None:
    answer = world.get("/v1/api-key")
    assert answer.status_code == 200
    assert isinstance(answer.json(), dict)


@pytest.mark.requirement("AUTH-3")
@pytest.mark.parametrize("key", ["", "no-such-key"])
def test_without_a_valid_key_nothing_is_answered(world: Any, key: str) -> None:
    assert world.get("/v1/whoami", key=key).status_code == 401


@pytest.mark.requirement("TND-3")
def test_pages_follow_one_another_without_repeating(world: Any) -> None:
    pages = [envelope(world.call("POST", "/v1/tenders/search", json={"page": page, "pageSize": 5}), page, 5) for page in (1, 2)]
    ids = [record["id"] for page in pages for record in page]
    assert len(ids) == len(set(ids))


@pytest.mark.requirement("TND-5")
@pytest.mark.parametrize("status", ["Publicada", "Adjudicada", "Resuelta", "Formalizada", "Cerrada"])
def test_a_status_finds_tenders_of_that_status(world: Any, status: str) -> None:
    found = [Tender.model_validate(record) for record in world.search(status=[status], pageSize=5)["data"]]
    assert {tender.status for tender in found} <= {status, None}


@pytest.mark.requirement("TND-4")
@pytest.mark.parametrize("sort", ["by-published-date", "by-update-date", "by-due-date", "by-budget", "by-relevance"])
def test_every_sort_is_taken(world: Any, sort: str) -> None:
    for descending in (True, False):
        assert world.search(sort=sort, isDescendent=descending, text="obras", pageSize=2)["data"] is not None


@pytest.mark.requirement("TND-15", "TND-16", "ORG-1", "ORG-2")
def test_a_tender_leads_to_its_sheets_and_to_its_buyer(world: Any) -> None:
    tender = world.get(f"/v1/tenders/{world.search(pageSize=1)['data'][0]['id']}").json()
    assert isinstance(tender["id"], str)
    sheets = world.get(f"/v1/tenders/{tender['id']}/sheets")
    assert sheets.status_code == 200
    assert isinstance(sheets.json(), list)
    buyer = world.get(f"/v1/organizations/{tender['contractingOrganizationId']}").json()
    assert buyer["id"] == tender["contractingOrganizationId"]
    assert buyer["type"] in {"bidder", "public-contracting-institution"}
    awards = world.get(f"/v1/organizations/{buyer['id']}/awards").json()
    assert awards["organizationId"] == buyer["id"]
    assert all({"year", "count", "totalAmount"} <= set(row) for row in awards["stats"])
    assert all({"divisionCode", "count", "percentage"} <= set(row) for row in awards["sectors"])


@pytest.mark.requirement("CPV-1")
def test_a_cpv_code_has_its_type_and_names(world: Any) -> None:
    found = world.get("/v1/cpv/45000000").json()
    assert found["code"].startswith("45000000")
    assert found["type"] == "division"
    assert found["nameEn"]


# Carries the read side of ALR-1, ALR-2, ALR-3 and ALR-9.
def test_alerts_are_listed_and_read_and_give_results(world: Any) -> None:
    only_if_served(world, "alerts.list")
    for query in ("", "?sort=by-name&sortDirection=asc", "?isArchived=false&text=a"):
        envelope(world.get(f"/v1/alerts{query}"))
    alerts = envelope(world.get("/v1/alerts?page=1&pageSize=5"), 1, 5)
    if not alerts:
        pytest.skip("the account has no alert to read")
    alert = world.get(f"/v1/alerts/{alerts[0]['id']}").json()
    assert alert["id"] == alerts[0]["id"]
    assert [name for name in ALERT if name not in alert] == []
    envelope(world.call("POST", f"/v1/alerts/{alert['id']}/results", json={"pageSize": 3}))


# Carries the read side of PIP-1, KAN-1, KAN-2, KAN-3, OPP-5, TSK-1 and SUM-1.
def test_a_board_leads_from_pipelines_to_what_belongs_to_an_opportunity(world: Any) -> None:
    only_if_served(world, "pipelines.list")
    pipelines = envelope(world.get("/v1/pipelines?page=1&pageSize=5"), 1, 5)
    if not pipelines:
        pytest.skip("the account has no pipeline to read")
    for stage in (stage for pipeline in pipelines for stage in pipeline["statuses"]):
        assert [name for name in STAGE if name not in stage] == []
        assert isinstance(stage["isTerminal"], bool)
    board = f"/v1/kanban/{pipelines[0]['id']}"
    totals = world.get(f"{board}/status").json()
    assert all({"status", "opportunityCount", "totalAmount", "currency"} <= set(total) for total in totals)
    found = world.get(f"{board}/search?limit=1").json()
    assert all(isinstance(opportunities, list) and len(opportunities) <= 1 for opportunities in found.values())
    filled = next((total["status"]["id"] for total in totals if total["opportunityCount"]), None)
    if filled is None:
        pytest.skip("the account's first pipeline has no opportunity to read")
    (opportunity, *_) = envelope(world.get(f"{board}/status/{filled}/opportunities?page=1&pageSize=1"), 1, 1)
    one = f"/v1/opportunities/{opportunity['id']}"
    envelope(world.get(f"{one}/tasks?page=1&pageSize=5"), 1, 5)
    for rest in ("workflow-actions", "summaries"):
        assert isinstance(world.get(f"{one}/{rest}").json(), list)
