"""Whatever is sent, the answer is never a fault of the service; and the description is whole (interface 7)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.contract.operations import BY_NAME
from workbench.contract.tenders import TenderSearch

FIELDS = [field.alias or name for name, field in TenderSearch.model_fields.items()]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=6,
)
DATES = st.datetimes().map(lambda at: f"{at.isoformat()}Z")
GOOD: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(max_size=60) | st.text(alphabet='"-() ORANDNEAR*:^+ñ0', max_size=30),
    "page": st.integers(1, 2**53 - 1),
    "pageSize": st.integers(1, 100),
    "sort": st.sampled_from(["by-relevance", "by-published-date", "by-due-date", "by-budget", "by-submission-date"]),
    "isDescendent": st.booleans(),
    "status": st.lists(st.sampled_from(["Publicada", "Cerrada"]), max_size=3),
    "cpvs": st.lists(st.sampled_from(["45000000-7", "45233120-6"]) | st.text(max_size=12), max_size=40),
    "locations": st.lists(
        st.sampled_from(["country/ES", "province/08"]) | st.text(max_size=12).map("town/".__add__), max_size=40
    ),
    "minBudget": st.floats(allow_nan=False, allow_infinity=False),
    "maxBudget": st.integers(-(2**70), 2**70),
    "isOnlyWithinDeadline": st.booleans(),
    **{name: DATES for name in FIELDS if name.endswith("Date")},
}
quick = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fine(answer: Any) -> bool:
    """A success, or a refusal in the house form."""
    return answer.status_code == 200 or (
        400 <= answer.status_code < 500 and set(answer.json()) == {"statusCode", "error", "message"}
    )


@pytest.mark.requirement("ERR-1")
@quick
@given(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=12), VALUES, max_size=5))
def test_no_body_makes_the_service_fail(world: Any, body: dict[str, Any]) -> None:
    # Python's own JSON, which also writes NaN and Infinity.
    headers = {"content-type": "application/json"}
    assert fine(world.call("POST", "/v1/tenders/search", content=json.dumps(body).encode(), headers=headers))


@pytest.mark.requirement("TND-1")
@quick
@given(st.fixed_dictionaries({}, optional=GOOD))
def test_every_combination_of_filters_is_answered(world: Any, body: dict[str, Any]) -> None:
    answer = world.call("POST", "/v1/tenders/search", json=body)
    assert fine(answer)
    if answer.status_code == 200:
        assert len(answer.json()["data"]) <= body.get("pageSize", 20)


@pytest.mark.requirement("ERR-1")
@quick
@given(st.binary(max_size=80))
def test_no_bytes_make_the_service_fail(world: Any, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    assert fine(world.call("POST", "/v1/tenders/search", content=body, headers=headers))


@pytest.mark.requirement("ERR-1")
@quick
@given(
    path=st.sampled_from(["tenders/{}", "tenders/{}/sheets", "tenders/sheets/{}/download", "organizations/{}", "cpv/{}"]),
    value=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
    query=st.text("abc=&%;+#ñ\x00", max_size=12),
)
def test_no_address_makes_the_service_fail(world: Any, path: str, value: str, query: str) -> None:
    assert fine(world.get(f"/v1/{path.format(quote(value, safe=''))}?{quote(query, safe='&=%')}"))


def test_the_description_is_whole_and_holds_what_is_routed(world: Any) -> None:
    description = world.get("/v1/openapi.json", key="").json()
    schemas = description["components"]["schemas"]

    def references(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [found for inner in value.values() for found in references(inner)]
        return [found for inner in value for found in references(inner)] if isinstance(value, list) else []

    named = set(references(description))
    assert named
    assert {reference.removeprefix("#/components/schemas/") for reference in named} == set(schemas)
    for path, methods in description["paths"].items():
        for method, described in methods.items():
            operation = BY_NAME[described["operationId"]]
            assert (operation.path, operation.method.lower()) == (path, method)
            assert [one["name"] for one in described["parameters"] if one["in"] == "path"] == list(operation.path_parameters)
            assert str(operation.status) in described["responses"]
            for refused in operation.refusals:
                assert str(refused[0]) in described["responses"]
            assert ("401" in described["responses"]) is (described.get("security") != [])
    assert description["components"]["securitySchemes"]["apiKey"] == {"type": "apiKey", "in": "header", "name": "api-key"}
