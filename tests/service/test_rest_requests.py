"""Reading bodies and queries: what is not allowed is named together with what is."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.contract.alerts import AlertListQuery
from workbench.contract.pipelines import BoardQuery
from workbench.contract.tenders import TenderSearch
from workbench.service.refusals import RequestRefused
from workbench.service.requests import check_media_type, read_body, read_query


def said(body: str | bytes) -> tuple[int, str]:
    with pytest.raises(RequestRefused) as refusal:
        read_body(TenderSearch, body.encode() if isinstance(body, str) else body)
    return refusal.value.status, refusal.value.message


def read_or_refused(read: Callable[[], object]) -> bool:
    """Whether reading gave a request, or a refusal of the right kind with a whole sentence in it."""
    try:
        read()
    except RequestRefused as refusal:
        return refusal.status in (400, 422) and refusal.message.isprintable() and refusal.message.endswith(".")
    return True


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"page": 0}', "'page' must be at least 1."),
        ('{"pageSize": 101}', "'pageSize' must be at most 100."),
        ('{"page": "3"}', "'page' must be a whole number."),
        ('{"page": 3.0}', "'page' must be a whole number."),
        ('{"page": 99999999999999999999999}', "'page' must be at most 9007199254740991."),
        ('{"minBudget": "100"}', "'minBudget' must be a number."),
        ('{"minBudget": 1e999}', "'minBudget' must be a finite number."),
        ('{"isDescendent": "true"}', "'isDescendent' must be true or false."),
        ('{"status": "Publicada"}', "'status' must be a list."),
        ('{"status": ["Abierta"]}', "'status[0]' must be one of Publicada, Adjudicada, Resuelta, Formalizada, Cerrada."),
        ('{"sort": "by-colour"}', "'sort' must be one of by-relevance, by-published-date, "),
        ('{"minDeadlineDate": 0}', "'minDeadlineDate' must be an ISO 8601 date-time, such as 2026-01-31T00:00:00Z."),
        ('{"minDeadlineDate": "2026-01-31T00:00:00"}', "'minDeadlineDate' needs a time zone"),
        ('{"minDeadlineDate": "0001-01-01T00:00:00+14:00"}', "must be a date-time within the years 1 to 9999."),
        ('{"page_size": 3}', "'page_size' is not known. Did you mean 'pageSize'? Allowed: cpvs, isDescendent, "),
        ('{"\\u001b[31m": 3}', "'?[31m' is not known."),
        ("[]", "The body must be a JSON object."),
        ("3", "The body must be a JSON object."),
    ],
)
def test_a_value_that_is_not_allowed_is_named(body: str, words: str) -> None:
    status, message = said(body)
    assert status == 422
    assert words in message


@pytest.mark.parametrize(
    "body", ['{"page": 1,}', '{"minBudget": NaN}', "{", "not json", '{"text": "\\ud800"}', b"\xff\xfe", "[" * 10_000, '"\x01"']
)
def test_what_is_no_json_says_where(body: str | bytes) -> None:
    status, message = said(body)
    assert status == 400
    assert "The body is no JSON: " in message
    assert "line 1 column" in message


def test_many_errors_are_counted_rather_than_all_told() -> None:
    _, message = said(json.dumps({f"field{number}": 1 for number in range(50)}))
    assert message.endswith("And 45 more.")


def test_an_empty_body_is_a_search_without_filters() -> None:
    assert read_body(TenderSearch, b"") == TenderSearch()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
field_names = st.sampled_from([field.alias or name for name, field in TenderSearch.model_fields.items()]) | st.text()


@given(st.binary(max_size=60) | st.dictionaries(field_names, json_values, max_size=5).map(lambda o: json.dumps(o).encode()))
def test_any_body_is_read_or_refused_in_a_sentence(body: bytes) -> None:
    assert read_or_refused(lambda: read_body(TenderSearch, body))


def test_a_query_is_read_by_the_type_of_each_parameter() -> None:
    query = read_query(AlertListQuery, b"text=obra%20%C3%B1&isArchived=true&page=2&sort=by-name&sortDirection=asc")
    assert query == AlertListQuery.model_validate(
        {"text": "obra ñ", "isArchived": True, "page": 2, "sort": "by-name", "sortDirection": "asc"}
    )
    assert read_query(BoardQuery, b"responsible=u1&responsible=u2") == BoardQuery(responsible=("u1", "u2"))
    assert read_query(None, b"") is None


@pytest.mark.parametrize(
    ("model", "query", "status", "words"),
    [
        (None, b"x=1", 422, "'x' is not known here: this address takes none."),
        (AlertListQuery, b"archived=true", 422, "'archived' is not known. Did you mean 'isArchived'? Allowed: "),
        (AlertListQuery, b"isArchived=yes", 422, "'isArchived' must be true or false."),
        (AlertListQuery, b"page=0", 422, "'page' must be at least 1."),
        (AlertListQuery, b"page=--5", 422, "'page' must be a whole number."),
        (AlertListQuery, b"page=two", 422, "'page' must be a whole number."),
        (AlertListQuery, b"page=%C2%B2", 422, "'page' must be a whole number."),
        (AlertListQuery, b"page=", 422, "'page' must be a whole number."),
        (AlertListQuery, b"page=1&page=2", 422, "'page' came more than once"),
        (AlertListQuery, b"sort=by-colour", 422, "'sort' must be one of by-name, "),
        (AlertListQuery, b"text=%FF", 400, "cannot be read"),
        (AlertListQuery, b"a=1&" * 500, 400, "cannot be read"),
    ],
)
def test_a_query_that_is_not_allowed_is_named(model: Any, query: bytes, status: int, words: str) -> None:
    with pytest.raises(RequestRefused) as refusal:
        read_query(model, query)
    assert refusal.value.status == status
    assert words in refusal.value.message


@given(st.binary(max_size=80))
def test_any_query_is_read_or_refused_in_a_sentence(query: bytes) -> None:
    for model in (AlertListQuery, BoardQuery, None):
        assert read_or_refused(partial(read_query, model, query))


def test_only_plain_json_is_taken() -> None:
    for kind in ("application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'):
        check_media_type(kind, None)
    for kind, encoding in (
        (None, None),
        ("text/plain", None),
        ("application/x-www-form-urlencoded", None),
        ("application/json; charset=latin1", None),
        ("application/json", "gzip"),
    ):
        with pytest.raises(RequestRefused) as refusal:
            check_media_type(kind, encoding)
        assert refusal.value.status == 415
