"""Errors: a sentence each, fields first, picklable, without secrets."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from pydantic_core import to_json

from workbench.client import errors
from workbench.client.policy.answers import RawResponse, read_answer, refusal
from workbench.contract import operations as op
from workbench.contract.errors import ErrorCode, error_body

CANARY = "canary-4f1d7c0a9b"

EXAMPLES = [
    *(
        errors.api_error_type(status, None)(status, "CODE", "it said so.", "tenders.get", 3.5)
        for status in (400, 401, 403, 404, 409, 418, 422, 429, 500, 503)
    ),
    errors.SummaryNotReady(409, "SUMMARY_NOT_READY", None, "opportunities.summary_pdf"),
    errors.ToolsNotEnabled(403, None, "not enabled", "tools.connect"),
    errors.NoToolServer(404, None, "nothing answers", "tools.connect"),
    errors.ToolRefused("Ask first.", "create_alert"),
    errors.InvalidArgument("page_size", "is too large", operation="tenders.search"),
    errors.ClientMisused("closed"),
    errors.ConnectionFailed("broke", operation="whoami", address="https://h", arrived=False),
    errors.TimedOut("late", operation="whoami", address="https://h"),
    errors.UnexpectedAnswer("a JSON object", where="the top", excerpt="<html>", status=200, operation="whoami"),
    errors.TargetExists("x.pdf", operation="tenders.download_sheet"),
    errors.NotSaved("x.pdf", "no space left on device"),
    errors.TerminalMoveNotConfirmed("not confirmed", opportunity="o", stage="s", stage_name="Won", reason="terminal"),
    errors.SummaryFailed("given up", operation="opportunities.summary_pdf", summary_id="s"),
    errors.ProfileError("no such profile"),
    errors.DataUnusable("no such folder"),
    errors.KeyNotFound("no key", profile="work"),
    errors.KeyNotStored("not kept", backend="x.Keyring"),
]


@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_every_error_survives_pickle_and_copy_with_all_its_fields(error: errors.WorkbenchError) -> None:
    pickled = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    for twin in (pickled, copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert vars(twin) == vars(error)
        assert str(twin) == str(error)
        assert twin.args == error.args


def test_every_error_class_has_an_example_here() -> None:
    classes = {c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.WorkbenchError)}
    assert classes - {errors.WorkbenchError} == {type(error) for error in EXAMPLES}


@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, ErrorCode.INVALID_BODY, errors.Invalid),
        (422, ErrorCode.INVALID_REQUEST, errors.Invalid),
        (401, ErrorCode.UNAUTHORIZED, errors.Unauthorized),
        (403, ErrorCode.FORBIDDEN, errors.Forbidden),
        (404, ErrorCode.NOT_FOUND, errors.NotFound),
        (409, ErrorCode.OPPORTUNITY_CLOSED, errors.Conflict),
        (409, ErrorCode.SUMMARY_NOT_READY, errors.SummaryNotReady),
        (429, ErrorCode.RATE_LIMIT_EXCEEDED, errors.RateLimited),
        (500, ErrorCode.INTERNAL_ERROR, errors.ServerFault),
        (503, ErrorCode.STORE_BUSY, errors.ServerFault),
        (405, ErrorCode.METHOD_NOT_ALLOWED, errors.ApiError),
    ],
)
def test_each_condition_has_its_type_and_keeps_status_code_and_message(status: int, code: ErrorCode, kind: type) -> None:
    response = RawResponse(status, {"content-type": "application/json"}, to_json(error_body(status, code, "It is so.")))
    error = refusal(op.GET_TENDER, response, retry_after=2.0)
    assert type(error) is kind
    assert (error.status, error.code, error.message, error.operation, error.retry_after) == (
        status,
        code,
        "It is so.",
        "tenders.get",
        2.0,
    )
    assert str(status) in str(error)
    assert "It is so." in str(error)
    assert str(error).rstrip(")").endswith(".") or "profile" in str(error)


@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize("field", ["code", "error", "errorCode", "type"])
def test_the_code_is_found_in_any_of_the_usual_fields(field: str) -> None:
    response = RawResponse(409, {}, to_json({field: "SUMMARY_NOT_READY", "message": "wait"}))
    assert isinstance(refusal(op.SUMMARY_PDF, response), errors.SummaryNotReady)


@given(
    st.sampled_from(op.OPERATIONS),
    st.integers(300, 599),
    st.binary(max_size=400),
    st.sampled_from(["", "text/html", "text/plain", "application/json"]),
)
def test_any_error_body_becomes_an_error_with_a_printable_sentence(
    operation: op.Operation[object], status: int, body: bytes, sort: str
) -> None:
    error = refusal(operation, RawResponse(status, {"content-type": sort}, body))
    assert str(error).isprintable()
    assert error.status == status


def test_a_web_page_is_not_quoted() -> None:
    body = b"<!doctype html><html><h1>502 Bad Gateway</h1></html>"
    error = refusal(op.GET_TENDER, RawResponse(502, {"content-type": "text/html"}, body))
    assert "web page" in str(error)
    assert "<h1>" not in str(error)


@pytest.mark.requirement("AUTH-8")
def test_a_service_that_echoes_the_key_does_not_get_it_into_the_error() -> None:
    body = to_json({"statusCode": 401, "error": CANARY.upper(), "message": f"key {CANARY} is unknown"})
    error = refusal(op.WHOAMI, RawResponse(401, {}, body), secrets=[SecretStr(CANARY)])
    assert CANARY not in str(error) + repr(error) + repr(vars(error))
    with pytest.raises(errors.UnexpectedAnswer) as caught:
        read_answer(op.WHOAMI, RawResponse(200, {}, f"oops {CANARY}".encode()), [SecretStr(CANARY)])
    assert CANARY not in str(caught.value) + repr(vars(caught.value))


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        (op.SEARCH_TENDERS, b'{"data": null, "pagination": {}}'),
        (op.SEARCH_TENDERS, b'{"data": {"a": 1}}'),
        (op.SEARCH_TENDERS, b"{}"),
        (op.SEARCH_TENDERS, b'{"data": ["text"]}'),
        (op.SEARCH_TENDERS, b"[]"),
        (op.SEARCH_TENDERS, b""),
        (op.SEARCH_TENDERS, b"null"),
        (op.GET_TENDER, b'{"statusCode": 500, "message": "in a 200"}'),
        (op.GET_TENDER, b"[]"),
        (op.GET_TENDER, b'"x"'),
        (op.GET_TENDER, b"{}"),
        (op.TENDER_SHEETS, b'{"message": "no"}'),
        (op.TENDER_SHEETS, b'{"data": [], "pagination": {"hasNextPage": true}}'),
        (op.GET_TENDER, b"<html>login</html>"),
        (op.GET_TENDER, b'{"id": "1"'),
        (op.GET_TENDER, b"\xff\xfe{}"),
        (op.GET_TENDER, b"[" * 100_000),
    ],
)
def test_a_wrong_shape_is_an_error_and_never_an_empty_result(operation: op.Operation[object], body: bytes) -> None:
    with pytest.raises(errors.UnexpectedAnswer) as caught:
        read_answer(operation, RawResponse(200, {"content-type": "text/html"}, body))
    assert caught.value.operation == operation.name
    assert caught.value.status == 200
    assert len(caught.value.excerpt) <= 200
    assert caught.value.expected in str(caught.value)


@pytest.mark.requirement("TND-15")
def test_unknown_fields_and_odd_values_are_kept() -> None:
    tender = read_answer(
        op.GET_TENDER, RawResponse(200, {}, b'\xef\xbb\xbf{"_id": 7, "novel": {"a": [1, null]}, "numLots": "many"}')
    )
    assert tender.id == "7"
    assert tender.num_lots is None
    assert tender.to_wire() == {"_id": 7, "novel": {"a": [1, None]}, "numLots": "many"}


@pytest.mark.requirement("TND-16")
def test_sheets_come_as_an_array_or_under_data() -> None:
    for body in (b'[{"id": "s1"}]', b'{"data": [{"id": "s1"}]}'):
        assert [sheet.id for sheet in read_answer(op.TENDER_SHEETS, RawResponse(200, {}, body))] == ["s1"]


def test_key_info_may_have_any_field_names() -> None:
    assert read_answer(op.API_KEY, RawResponse(200, {}, b'{"requestsPerMinute": 300}')).other_fields == {
        "requestsPerMinute": 300
    }
