"""The window, the errors and the addresses as a caller over HTTP meets them (interface 7, 8 and 9)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest


@pytest.mark.requirement("LIM-1")
def test_three_hundred_requests_a_minute_and_then_none_until_the_window_ends(world: Any, refusal: Any) -> None:
    key = world.new_key()
    answers = [world.get("/v1/cpv/45000000", key=key) for _ in range(300)]
    assert {answer.status_code for answer in answers} == {200}
    assert [answer.headers["ratelimit-remaining"] for answer in answers[-2:]] == ["1", "0"]
    world.clock.advance(45)
    for path in ("/v1/whoami", "/v1/nowhere"):
        answer = world.get(path, key=key)
        assert "15 seconds" in refusal(answer, 429, "RATE_LIMIT_EXCEEDED")
        assert answer.headers["retry-after"] == "15"
        assert answer.headers["ratelimit-limit"] == "300"
    assert world.get("/v1/whoami").status_code == 200
    world.clock.advance(14)
    assert world.get("/v1/whoami", key=key).status_code == 429
    world.clock.advance(1)
    assert world.get("/v1/whoami", key=key).headers["ratelimit-remaining"] == "299"


@pytest.mark.requirement("LIM-1")
def test_the_window_is_exact_under_concurrency(world: Any) -> None:
    key = world.new_key(rate_limit=40)
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: world.get("/v1/cpv/45000000", key=key).status_code, range(60)))
    assert (statuses.count(200), statuses.count(429)) == (40, 20)


@pytest.mark.requirement("LIM-1")
def test_refused_requests_count_too(world: Any) -> None:
    key = world.new_key(rate_limit=3)
    statuses = [world.call("POST", "/v1/tenders/search", key=key, json={"page": 0}).status_code for _ in range(4)]
    assert statuses == [422, 422, 422, 429]


@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        ("GET", "/", {}, 404, "NOT_FOUND"),
        ("GET", "/v1", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/whoami/", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/tenders/no-such-tender", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/tenders/no-such-tender/sheets", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/tenders/sheets/no-such-sheet/download", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/tenders/documents/no-such-token/download", {}, 404, "LINK_EXPIRED"),
        ("GET", "/v1/organizations/no-such-organization", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/organizations/no-such-organization/awards", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/cpv/99999999", {}, 404, "NOT_FOUND"),
        ("GET", "/v1/cpv/%00", {}, 404, "NOT_FOUND"),
        ("DELETE", "/v1/whoami", {}, 405, "METHOD_NOT_ALLOWED"),
        ("PROPFIND", "/v1/whoami", {}, 405, "METHOD_NOT_ALLOWED"),
        ("OPTIONS", "/v1/whoami", {}, 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/tenders/search", {}, 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/v1/openapi.json", {}, 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/whoami?verbose=1", {}, 422, "INVALID_REQUEST"),
        ("GET", "/v1/whoami?x=%FF", {}, 400, "INVALID_BODY"),
        ("POST", "/v1/tenders/search?page=2", {"json": {}}, 422, "INVALID_REQUEST"),
        ("POST", "/v1/tenders/search", {"content": b"text=x"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("POST", "/v1/tenders/search", {"data": {"text": "x"}}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("POST", "/v1/tenders/search", {"content": b"{", "json_header": True}, 400, "INVALID_BODY"),
        ("POST", "/v1/tenders/search", {"content": b"x" * 1_100_000, "json_header": True}, 413, "BODY_TOO_LARGE"),
        ("POST", "/v1/tenders/search", {"json": {"sort": "by-colour"}}, 422, "INVALID_REQUEST"),
    ],
)
def test_every_refusal_has_the_house_form(
    world: Any, refusal: Any, method: str, path: str, options: dict[str, Any], status: int, code: str
) -> None:
    sent = dict(options)
    if sent.pop("json_header", False):
        sent["headers"] = {"content-type": "application/json"}
    answer = world.call(method, path, **sent)
    refusal(answer, status, code)
    if status == 405:
        assert answer.headers["allow"] in ("GET", "POST")
        assert "Traceback" not in answer.text


@pytest.mark.requirement("ERR-1")
def test_head_is_refused_without_a_body(world: Any) -> None:
    answer = world.call("HEAD", "/v1/whoami")
    assert (answer.status_code, answer.content, answer.headers["allow"]) == (405, b"", "GET")


def test_nothing_is_offered_to_other_web_pages_and_no_software_is_named(world: Any) -> None:
    for origin in ({}, {"origin": "https://evil.example"}):
        answer = world.get("/v1/whoami", headers=origin)
        assert not [name for name in answer.headers if name.startswith("access-control") or name == "server"]


@pytest.mark.requirement("VER-1")
def test_every_address_carries_the_version(world: Any) -> None:
    description = world.get("/v1/openapi.json", key="").json()
    assert description["openapi"] == "3.1.0"
    assert all(path.startswith("/v1/") for path in description["paths"])
    assert world.get("/whoami").status_code == 404
    assert world.get("/v2/whoami").status_code == 404
