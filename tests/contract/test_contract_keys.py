"""Keys, accounts and document links as a caller over HTTP meets them (interface 2, 5 and 7)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest


@pytest.mark.requirement("AUTH-1")
def test_every_address_needs_the_key_in_its_header(world: Any, refusal: Any) -> None:
    description = world.get("/v1/openapi.json", key="").json()
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            answer = world.call(method.upper(), path.replace("{", "").replace("}", ""), key="")
            if operation.get("security") == []:
                assert answer.status_code == 404
            else:
                assert "'api-key'" in refusal(answer, 401, "UNAUTHORIZED")
    for headers in ({"authorization": f"Bearer {world.token}"}, {"cookie": f"api-key={world.token}"}):
        refusal(world.get("/v1/whoami", key="", headers=headers), 401, "UNAUTHORIZED")
    refusal(world.get(f"/v1/whoami?api-key={world.token}", key=""), 401, "UNAUTHORIZED")
    assert world.get("/v1/whoami", key="", headers={"API-KEY": world.token}).status_code == 200


@pytest.mark.requirement("AUTH-2")
def test_a_key_opens_its_own_account_whatever_else_is_sent(world: Any, refusal: Any) -> None:
    norte = world.access.create_account("Norte")
    sur = world.access.create_account("Sur")
    key = world.new_key(account_slug="sur")
    assert world.get("/v1/whoami", key=key).json()["account"]["id"] == sur.id
    hinted = world.get("/v1/whoami", key=key, headers={"x-account-id": norte.id, "account": norte.slug})
    assert hinted.json()["account"]["id"] == sur.id
    refusal(world.get(f"/v1/whoami?accountId={norte.id}", key=key), 422, "INVALID_REQUEST")
    body = {"accountId": norte.id}
    assert "'accountId' is not known" in refusal(
        world.call("POST", "/v1/tenders/search", key=key, json=body), 422, "INVALID_REQUEST"
    )


@pytest.mark.requirement("AUTH-3")
def test_a_bad_key_is_answered_401(world: Any, refusal: Any) -> None:
    expired = world.new_key(expires_at=world.clock.now)
    disabled = world.access.create_key("off")
    world.access.disable_key(disabled.key.id)
    for key in ("wb_unknown", "x" * 5_000, expired, disabled.token.get_secret_value()):
        for path in ("/v1/whoami", "/v1/tenders/x", "/v1/nowhere"):
            refusal(world.get(path, key=key), 401, "UNAUTHORIZED")


@pytest.mark.requirement("AUTH-5")
def test_a_key_without_the_tool_flag_reaches_every_address(world: Any) -> None:
    key = world.new_key(mcp=False)
    tender = world.search_all()[0]
    paths = ["/v1/whoami", "/v1/api-key", f"/v1/tenders/{tender['id']}", f"/v1/tenders/{tender['id']}/sheets"]
    paths += [f"/v1/organizations/{tender['contractingOrganizationId']}{rest}" for rest in ("", "/awards")]
    paths += ["/v1/cpv/45233120"]
    assert {world.get(path, key=key).status_code for path in paths} == {200}
    assert world.call("POST", "/v1/tenders/search", key=key, json={}).status_code == 200


@pytest.mark.requirement("AUTH-6")
def test_what_the_owner_does_to_a_key_holds_from_the_next_request(world: Any) -> None:
    made = world.access.create_key("laptop")
    first = made.token.get_secret_value()

    def status(key: str) -> int:
        return world.get("/v1/whoami", key=key).status_code

    assert status(first) == 200
    world.access.disable_key(made.key.id)
    assert status(first) == 401
    second = world.access.regenerate_key(made.key.id).token.get_secret_value()
    assert (status(first), status(second)) == (401, 200)
    third = world.access.regenerate_key(made.key.id).token.get_secret_value()
    assert (status(second), status(third)) == (401, 200)
    world.access.delete_key(made.key.id)
    assert status(third) == 401


@pytest.mark.requirement("AUTH-6")
def test_a_key_ends_at_its_expiry(world: Any) -> None:
    key = world.new_key(expires_at=world.clock.now + timedelta(seconds=30))
    assert world.get("/v1/whoami", key=key).status_code == 200
    world.clock.advance(30)
    assert world.get("/v1/whoami", key=key).status_code == 401


@pytest.mark.requirement("AUTH-7")
def test_a_link_is_opened_by_its_token_and_by_nothing_else(world: Any, refusal: Any) -> None:
    key = world.access.create_key("maker")
    sheet = next(
        sheet
        for tender in world.search_all()
        for sheet in world.get(f"/v1/tenders/{tender['id']}/sheets").json()
        if world.get(f"/v1/tenders/sheets/{sheet['id']}/download").status_code == 200
    )
    token = world.links.sign(sheet["id"], key.key.id).token
    path = f"/v1/tenders/documents/{token}/download"
    answer = world.get(path, key="")
    assert answer.status_code == 200
    assert answer.content == world.get(f"/v1/tenders/sheets/{sheet['id']}/download").content
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"

    place = len(token) // 2
    altered = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
    for other in (altered, token + "x", token[:-1], "x"):
        refusal(world.get(f"/v1/tenders/documents/{other}/download"), 404, "LINK_EXPIRED")
    refusal(world.get(f"/v1/tenders/documents/{sheet['id']}/download"), 404, "LINK_EXPIRED")

    world.clock.advance(300)
    assert world.get(path, key="").status_code == 200
    world.clock.advance(1)
    refusal(world.get(path, key=""), 404, "LINK_EXPIRED")

    fresh = world.links.sign(sheet["id"], key.key.id).token
    world.access.disable_key(key.key.id)
    refusal(world.get(f"/v1/tenders/documents/{fresh}/download", key=""), 404, "LINK_EXPIRED")


@pytest.mark.requirement("WHO-1")
def test_whoami_tells_key_account_organization_and_plan(world: Any) -> None:
    tender = world.search_all()[0]
    world.access.create_account("Consultora", plan_tier="enterprise")
    made = world.access.create_key("laptop", account_slug="consultora")
    key = made.token.get_secret_value()
    account = world.access.account("consultora")
    expected: dict[str, Any] = {
        "principal": {"type": "apiKey", "id": made.key.id, "name": "laptop"},
        "account": {"id": account.id, "name": "Consultora", "slug": "consultora"},
        "organization": None,
        "plan": {"tier": "enterprise"},
    }
    assert world.get("/v1/whoami", key=key).json() == expected
    world.access.link_organization("consultora", tender["contractingOrganizationId"])
    linked = world.get("/v1/whoami", key=key).json()["organization"]
    assert linked == {"id": tender["contractingOrganizationId"], "name": tender["contractingOrganization"]["name"]}
    world.access.link_organization("consultora", "not-there")
    assert world.get("/v1/whoami", key=key).json()["organization"] is None


@pytest.mark.requirement("WHO-1")
def test_a_plan_without_a_tier_is_told_as_null(world: Any) -> None:
    world.access.create_account("Sin plan", plan_tier=None)
    key = world.new_key(account_slug="sin-plan")
    assert world.get("/v1/whoami", key=key).json()["plan"] == {"tier": None}


@pytest.mark.requirement("KEY-1")
def test_the_key_in_use_is_described(world: Any) -> None:
    expires = datetime(2030, 1, 31, tzinfo=UTC)
    made = world.access.create_key("laptop", mcp=True, rate_limit=50, expires_at=expires)
    world.clock.advance(90)
    answer = world.get("/v1/api-key", key=made.token.get_secret_value()).json()
    assert answer == {
        "id": made.key.id,
        "name": "laptop",
        "rateLimit": {"limit": 50, "windowSeconds": 60},
        "expiresAt": "2030-01-31T00:00:00Z",
        "lastUsedAt": world.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "isMcpEnabled": True,
        "isActive": True,
        "createdAt": (world.clock.now - timedelta(seconds=90)).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    usual = world.get("/v1/api-key", key=world.new_key()).json()
    assert usual["rateLimit"] == {"limit": 300, "windowSeconds": 60}
    assert usual["expiresAt"] is None
