"""Records lose nothing and never refuse; requests refuse what the interface does not know."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workbench.contract import operations
from workbench.contract.account import CallerContext, Principal
from workbench.contract.alerts import AlertCriteria, AlertDraft, AlertPatch, NotificationConfig, WindowSearch
from workbench.contract.errors import ErrorCode, error_body, read_refusal
from workbench.contract.record import Page, Record
from workbench.contract.tenders import Tender, TenderSearch
from workbench.contract.vocabulary import TenderStatus

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
json_values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


def record_classes() -> list[type[Record]]:
    found: list[type[Record]] = []
    queue = [Record]
    while queue:
        for child in queue.pop().__subclasses__():
            queue.append(child)
            if "[" not in child.__name__ and child is not Page:
                found.append(child)
    return sorted(set(found), key=lambda cls: cls.__name__)


@pytest.mark.parametrize("cls", record_classes(), ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_any_object_reads_and_comes_back_as_it_was(cls: type[Record], data: st.DataObject) -> None:
    names = st.sampled_from(sorted(cls.wire_names())) | st.text(max_size=8)
    wire = data.draw(st.dictionaries(names, json_values, max_size=6))
    record = cls.model_validate(wire)
    assert record.to_wire() == wire
    assert set(record.other_fields) <= set(wire)
    assert json.loads(json.dumps(record.to_wire())) == wire


@given(st.dictionaries(st.text(), json_values, max_size=5))
@pytest.mark.requirement("TND-15")
def test_a_tender_keeps_what_nobody_documented(extra: dict[str, Any]) -> None:
    wire = {**extra, "id": "t-1", "contractingOrganizationId": "o-1"}
    tender = Tender.model_validate(wire)
    assert (tender.id, tender.contracting_organization_id) == ("t-1", "o-1")
    assert tender.other_fields == {
        k: v for k, v in wire.items() if k not in Tender.wire_names() or k in tender.unreadable_fields
    }


def test_a_value_of_the_wrong_type_is_set_aside_and_shown() -> None:
    tender = Tender.model_validate({"id": 7, "budgetNoTaxes": {"a": 1}, "name": ["x"], "status": "Suspendida"})
    assert (tender.id, tender.budget_no_taxes, tender.name, tender.status) == ("7", None, None, "Suspendida")
    assert set(tender.unreadable_fields) == {"budgetNoTaxes", "name"}
    assert tender.other_fields == {"budgetNoTaxes": {"a": 1}, "name": ["x"]}


@pytest.mark.parametrize(
    ("wire", "attribute", "expected"),
    [
        ({"title": "Obra"}, "name", "Obra"),
        ({"_id": "x"}, "id", "x"),
        ({"budget": "1250.5"}, "budget_no_taxes", 1250.5),
        ({"cpvs": [{"code": "45000000-7"}, "72000000-5"]}, "cpv_codes", ("45000000-7", "72000000-5")),
        ({"location": {"city": "Vic", "province": "Barcelona"}}, "location", "Vic, Barcelona"),
        ({"location": ["Vic", {"name": "Girona"}]}, "location", "Vic; Girona"),
    ],
)
def test_other_spellings_are_read(wire: dict[str, Any], attribute: str, expected: object) -> None:
    assert getattr(Tender.model_validate(wire), attribute) == expected


def test_a_buyer_by_name_alone_reads_as_an_object() -> None:
    tender = Tender.model_validate({"organization": "Ajuntament de Vic"})
    assert tender.contracting_organization is not None
    assert tender.contracting_organization.name == "Ajuntament de Vic"


def test_missing_is_not_zero() -> None:
    assert Tender.model_validate({"id": "1"}).budget_no_taxes is None
    assert Tender.model_validate({"id": "1", "budgetNoTaxes": 0}).budget_no_taxes == 0


def test_a_moment_without_a_zone_is_utc_and_a_number_is_no_moment() -> None:
    tender = Tender.model_validate({"expedientPublishedAt": "2024-05-01T10:00:00", "updatedAt": 1714557600})
    assert tender.expedient_published_at is not None
    assert tender.expedient_published_at.isoformat() == "2024-05-01T10:00:00+00:00"
    assert tender.updated_at is None


def test_a_record_made_here_writes_wire_names() -> None:
    caller = CallerContext(principal=Principal(type="apiKey", id="k"))
    assert caller.to_wire() == {"principal": {"type": "apiKey", "id": "k"}}
    assert Tender(budget_no_taxes=3.5).to_wire() == {"budgetNoTaxes": 3.5}


def test_a_page_iterates_its_records() -> None:
    page = operations.SEARCH_TENDERS.answer.read({"data": [{"id": "1"}, {"id": "2"}], "pagination": {"hasNextPage": True}})
    assert [tender.id for tender in page] == ["1", "2"]
    assert page.has_next_page
    assert len(page) == 2


def test_a_page_without_its_list_says_so() -> None:
    assert operations.SEARCH_TENDERS.answer.read({"data": "none"}).unreadable_fields == ("data",)


@pytest.mark.parametrize(
    "body",
    [{"minBudgt": 1}, {"page": 0}, {"pageSize": 101}, {"pageSize": "20"}, {"sort": "by-name"}, {"status": ["Abierta"]},
     {"isDescendent": 1}, {"minPublicationDate": "2024-01-01T00:00:00"}],
)  # fmt: skip
@pytest.mark.requirement("TND-3", "TND-4", "TND-5")
def test_a_search_refuses_what_the_interface_does_not_know(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TenderSearch.model_validate(body)


def test_a_request_takes_both_spellings_and_sends_the_wire_s() -> None:
    query = TenderSearch.model_validate({"min_budget": 5, "isOnlyWithinDeadline": True, "status": ["Publicada"]})
    assert query.status == (TenderStatus.PUBLISHED,)
    assert query.to_wire() == {"minBudget": 5.0, "isOnlyWithinDeadline": True, "status": ["Publicada"]}


def test_a_patch_tells_omitted_null_and_empty_apart() -> None:
    assert AlertPatch().to_wire() == {}
    assert AlertPatch(description=None).to_wire() == {"description": None}
    cleared = AlertPatch.model_validate({"criteria": {"keywords": {"include": []}}})
    assert cleared.to_wire() == {"criteria": {"keywords": {"include": []}}}


def test_offset_and_extension_go_with_the_deadline_only() -> None:
    WindowSearch.model_validate({"field": "expedientExpirationDate", "expirationOffset": 1, "withExtension": True})
    with pytest.raises(ValidationError, match="expirationOffset can only go with"):
        WindowSearch.model_validate({"field": "expedientPublishedAt", "expirationOffset": 1})
    with pytest.raises(ValidationError):
        WindowSearch.model_validate({"field": "expedientExpirationDate", "expirationOffset": 0})


@pytest.mark.parametrize(
    "config",
    [{"hour": 24}, {"hour": -1}, {"timezone": "Madrid"}, {"frequency": {"type": "weekly", "dayOfWeek": 8}},
     {"frequency": {"type": "daily", "dayOfWeek": 1}}, {"frequency": {"type": "daily", "weekdays": [0]}}],
)  # fmt: skip
def test_a_schedule_out_of_bounds_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NotificationConfig.model_validate(config)


def test_a_draft_needs_a_trigger_and_criteria_a_status() -> None:
    with pytest.raises(ValidationError):
        AlertDraft.model_validate({"title": "x", "windowsSearch": []})
    with pytest.raises(ValidationError):
        AlertCriteria.model_validate({"statuses": []})


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (error_body(404, ErrorCode.NOT_FOUND, "no such tender"), "NOT_FOUND", "no such tender"),
        ({"statusCode": 403, "message": "not enabled"}, None, "not enabled"),
        ({"code": "SUMMARY_NOT_READY", "message": "wait"}, "SUMMARY_NOT_READY", "wait"),
        ({"error": {"code": "BAD_THING", "message": "inner"}}, "BAD_THING", "inner"),
        ({"error": "Bad Request", "message": ["a", "b"]}, None, "a; b"),
        ({"error": "it broke"}, None, "it broke"),
        ("<html>", None, None),
        ([], None, None),
    ],
)
@pytest.mark.requirement("ERR-1")
def test_a_refusal_is_read_from_any_usual_body(body: object, code: str | None, message: str | None) -> None:
    refusal = read_refusal(body)
    assert (refusal.code, refusal.message) == (code, message)


@given(json_values)
def test_no_body_breaks_the_reading_of_a_refusal(body: object) -> None:
    refusal = read_refusal(body)
    assert refusal.code is None or refusal.code.isupper()
