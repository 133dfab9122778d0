"""Tender search held against a plain scan of all records, and tenders, sheets and downloads (interface 2 and 4.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

Record = dict[str, Any]


def ids(records: list[Record]) -> set[str]:
    return {record["id"] for record in records}


def moment(record: Record, name: str) -> datetime | None:
    text = record.get(name)
    return datetime.fromisoformat(text) if text else None


def wire(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@pytest.fixture
def everything(world: Any) -> list[Record]:
    return world.search_all()


@pytest.mark.requirement("TND-1")
def test_all_fields_are_optional_and_the_answer_is_the_envelope(world: Any) -> None:
    for body in ({"json": {}}, {}, {"json": {"text": None, "status": None, "page": None}}):
        answer = world.call("POST", "/v1/tenders/search", **body).json()
        assert set(answer) >= {"data", "pagination"}
        assert answer["pagination"] == {"page": 1, "pageSize": 20, "hasNextPage": True} | answer["pagination"]
        assert len(answer["data"]) == 20


@pytest.mark.requirement("TND-1")
def test_filters_combine(world: Any, everything: list[Record]) -> None:
    found = world.search_all(status=["Publicada", "Adjudicada"], locations=["province/08"], minBudget=1_000, text="obras")
    expected = [
        record
        for record in everything
        if record["status"] in ("Publicada", "Adjudicada")
        and any(place["type"] == "province" and place["code"] == "08" for place in record["locations"])
        and (record["budgetNoTaxes"] or 0) >= 1_000
        and "obras" in plain(f"{record['name']} {record['description']}").split()
    ]
    assert expected
    assert ids(found) == ids(expected)


@pytest.mark.requirement("TND-2")
@pytest.mark.parametrize("words", ["carretera", "obras carretera", "SEÑALIZACION", "señalización", "limpieza licencias obras"])
def test_text_is_free_and_needs_every_word(world: Any, everything: list[Record], words: str) -> None:
    wanted = set(plain(words).split())
    expected = [r for r in everything if wanted <= set(plain(f"{r['name']} {r['description']}").split())]
    assert expected
    assert ids(world.search_all(text=words)) == ids(expected)


@pytest.mark.requirement("TND-2")
def test_text_takes_anything_a_person_may_type(world: Any, everything: list[Record]) -> None:
    assert ids(world.search_all(text="")) == ids(everything)
    for text in ('"', '""', "'", "(", "NEAR(", "a AND", "OR", "-", "*", "^x", "title:x", "\x00", "😀", "a" * 5_000, "%_"):
        world.search_all(text=text)


@pytest.mark.requirement("TND-3")
def test_pages_are_one_based_and_cut_the_same_list(world: Any, everything: list[Record], refusal: Any) -> None:
    sizes = [1, 7, 100]
    for size in sizes:
        found: list[Record] = []
        for page in range(1, len(everything) // size + 2):
            answer = world.search(page=page, pageSize=size)
            more = page * size < len(everything)
            assert answer["pagination"] == answer["pagination"] | {"page": page, "pageSize": size, "hasNextPage": more}
            found += answer["data"]
        assert found == everything
    assert world.search(page=10_000)["data"] == []
    assert world.search(page=2**53 - 1, pageSize=100)["data"] == []
    for body in ({"page": 0}, {"page": -1}, {"pageSize": 0}, {"pageSize": 101}, {"page": 1.5}, {"page": "1"}):
        (name,) = body
        answer = world.call("POST", "/v1/tenders/search", json=body)
        assert f"'{name}'" in refusal(answer, 422, "INVALID_REQUEST")


SORTS: dict[str, str | None] = {
    "by-published-date": "expedientPublishedAt",
    "by-update-date": "expedientUpdatedAt",
    "by-due-date": "expedientSubmissionDeadline",
    "by-submission-date": None,
    "by-budget": "budgetNoTaxes",
    "by-prorated-budget": "proratedBudget",
    "by-expiration-date": None,
    "by-awarding-date": "expedientAdjudicationDate",
    "by-last-significant-change": "lastSignificantChangeAt",
    "by-relevance": None,
}


@pytest.mark.requirement("TND-4")
@pytest.mark.parametrize("sort", SORTS)
def test_each_sort_orders_both_ways_and_loses_nothing(world: Any, everything: list[Record], sort: str) -> None:
    name = SORTS[sort]
    for descending in (True, False):
        found = world.search_all(sort=sort, isDescendent=descending)
        assert ids(found) == ids(everything)
        if name is not None:
            values = [record[name] for record in found if record.get(name) is not None]
            assert values == sorted(values, reverse=descending)
            # What has no value stands at the end, in either direction.
            assert all(record.get(name) is not None for record in found[: len(values)])


@pytest.mark.requirement("TND-4")
def test_the_newest_come_first_unless_asked_otherwise(world: Any, everything: list[Record], refusal: Any) -> None:
    assert everything == world.search_all(sort="by-published-date", isDescendent=True)
    published = [record["expedientPublishedAt"] for record in everything]
    assert published == sorted(published, reverse=True)
    answer = world.call("POST", "/v1/tenders/search", json={"sort": "newest"})
    assert "by-relevance, by-published-date" in refusal(answer, 422, "INVALID_REQUEST")


@pytest.mark.requirement("TND-5")
def test_statuses_are_any_of_the_five(world: Any, everything: list[Record], refusal: Any) -> None:
    statuses = ("Publicada", "Adjudicada", "Resuelta", "Formalizada", "Cerrada")
    for wanted in [[status] for status in statuses] + [list(statuses[:2]), list(statuses)]:
        expected = [record for record in everything if record["status"] in wanted]
        assert expected
        assert ids(world.search_all(status=wanted)) == ids(expected)
    answer = world.call("POST", "/v1/tenders/search", json={"status": ["publicada"]})
    assert "Publicada, Adjudicada, Resuelta, Formalizada, Cerrada" in refusal(answer, 422, "INVALID_REQUEST")


@pytest.mark.requirement("TND-6")
@pytest.mark.parametrize("codes", [["45233120-6"], ["45233000-9"], ["45000000-7"], ["72000000-5", "30213000-5"]])
def test_cpvs_take_the_check_digit_and_what_is_below(world: Any, everything: list[Record], codes: list[str]) -> None:
    stems = tuple(code[:8].rstrip("0") if code[2:8] != "000000" else code[:2] for code in codes)
    expected = [r for r in everything if any(code.startswith(stems) for code in r["cpvCodes"])]
    assert expected
    assert ids(world.search_all(cpvs=codes)) == ids(expected)
    assert world.get(f"/v1/cpv/{codes[0][:8]}").json()["code"].startswith(codes[0][:8])


@pytest.mark.requirement("TND-6")
@pytest.mark.parametrize("code", ["45233120-5", "4523", "99999999-9", "", "abc", "45233120-6; DROP"])
def test_a_code_that_is_none_is_named(world: Any, refusal: Any, code: str) -> None:
    refusal(world.call("POST", "/v1/tenders/search", json={"cpvs": ["45233120-6", code]}), 422, "INVALID_REQUEST")


@pytest.mark.requirement("TND-7")
@pytest.mark.parametrize(
    "places",
    [["country/ES"], ["country/PT"], ["province/08"], ["town/Sabadell"], ["town/a coruna"], ["province/28", "country/PT"]],
)
def test_locations_are_country_province_or_town(world: Any, everything: list[Record], places: list[str]) -> None:
    wanted = {tuple(plain(place).split("/")) for place in places}

    def lies_there(record: Record) -> bool:
        told = {(place["type"], plain(place["code"] or "")) for place in record["locations"]}
        told |= {(place["type"], plain(place["name"] or "")) for place in record["locations"]}
        told |= {("country", plain(record["country"] or ""))}
        return bool(told & wanted)

    expected = [record for record in everything if lies_there(record)]
    assert expected
    assert ids(world.search_all(locations=places)) == ids(expected)


@pytest.mark.requirement("TND-7")
@pytest.mark.parametrize("place", ["08", "region/08", "province/", "country/Spain", ""])
def test_a_location_of_another_form_is_named(world: Any, refusal: Any, place: str) -> None:
    refusal(world.call("POST", "/v1/tenders/search", json={"locations": [place]}), 422, "INVALID_REQUEST")


@pytest.mark.requirement("TND-8")
def test_budgets_are_bounded_without_taxes_both_ends_included(world: Any, everything: list[Record]) -> None:
    for low, high in ((100_000, None), (None, 100_000), (100_000, 250_000.5), (1_000, 1_000), (2, 1)):
        bounds = {name: bound for name, bound in (("minBudget", low), ("maxBudget", high)) if bound is not None}
        expected = [
            record
            for record in everything
            if record["budgetNoTaxes"] is not None
            and (low is None or record["budgetNoTaxes"] >= low)
            and (high is None or record["budgetNoTaxes"] <= high)
        ]
        assert ids(world.search_all(**bounds)) == ids(expected)


@pytest.mark.requirement("TND-9")
def test_only_within_the_deadline_follows_the_clock(world: Any) -> None:
    everything = world.search_all()
    open_now = world.search_all(isOnlyWithinDeadline=True)
    now = world.clock.now
    due = [record for record in everything if (moment(record, "expedientSubmissionDeadline") or now) > now]
    assert open_now
    assert ids(open_now) <= ids(due)
    assert {record["status"] for record in open_now} <= {"Publicada"}
    assert {r["id"] for r in due if r["status"] == "Publicada"} == ids(open_now)
    assert ids(world.search_all(isOnlyWithinDeadline=False)) == ids(everything)


def check_dates(world: Any, everything: list[Record], low: str, high: str, name: str) -> None:
    """Both bounds, each alone and together, exactly on values that there are."""
    values = sorted(value for record in everything if (value := moment(record, name)) is not None)
    assert values
    first, last = values[len(values) // 4], values[3 * len(values) // 4]
    tests: list[tuple[dict[str, str], Callable[[datetime], bool]]] = [
        ({low: wire(first)}, lambda at: at >= first),
        ({high: wire(last)}, lambda at: at <= last),
        ({low: wire(first), high: wire(last)}, lambda at: first <= at <= last),
        ({low: wire(first + timedelta(seconds=1))}, lambda at: at > first),
        ({low: wire(last), high: wire(first)}, lambda at: last <= at <= first),
    ]
    for bounds, holds in tests:
        expected = [record for record in everything if (at := moment(record, name)) is not None and holds(at)]
        assert ids(world.search_all(**bounds)) == ids(expected), bounds


@pytest.mark.requirement("TND-10")
def test_publication_dates(world: Any, everything: list[Record]) -> None:
    check_dates(world, everything, "minPublicationDate", "maxPublicationDate", "expedientPublishedAt")


@pytest.mark.requirement("TND-11")
def test_deadline_dates(world: Any, everything: list[Record]) -> None:
    check_dates(world, everything, "minDeadlineDate", "maxDeadlineDate", "expedientSubmissionDeadline")


@pytest.mark.requirement("TND-12")
def test_awarding_dates(world: Any, everything: list[Record]) -> None:
    check_dates(world, everything, "minAwardingDate", "maxAwardingDate", "expedientAdjudicationDate")


@pytest.mark.requirement("TND-13")
def test_last_update_dates(world: Any, everything: list[Record]) -> None:
    check_dates(world, everything, "minLastUpdateDate", "maxLastUpdateDate", "expedientUpdatedAt")


@pytest.mark.requirement("TND-15")
def test_a_tender_is_the_record_that_the_search_shows(world: Any, everything: list[Record]) -> None:
    for record in everything[:10]:
        full = world.get(f"/v1/tenders/{record['id']}").json()
        assert isinstance(full["id"], str)
        assert isinstance(full["contractingOrganizationId"], str)
        assert full == record


@pytest.mark.requirement("TND-16")
def test_sheets_are_all_documents_of_a_tender(world: Any, everything: list[Record]) -> None:
    counts = set[int]()
    for record in everything:
        answer = world.get(f"/v1/tenders/{record['id']}/sheets")
        assert answer.status_code == 200
        sheets = answer.json()
        number = int(record["expedient"].removeprefix("EXP-"))
        assert [sheet["name"] for sheet in sheets] == [f"Pliego {place} (año).pdf" for place in range(number % 3)]
        assert all(sheet["id"] and sheet["tenderId"] == record["id"] for sheet in sheets)
        counts.add(len(sheets))
    assert counts == {0, 1, 2}


def stored_sheet(world: Any, everything: list[Record], *, kept: bool) -> Record:
    """A document whose file the service keeps, or one that only its source has."""
    for record in everything:
        for place, sheet in enumerate(world.get(f"/v1/tenders/{record['id']}/sheets").json()):
            if (place == 0) is kept:
                return sheet
    raise AssertionError("no such document")


@pytest.mark.requirement("TND-17")
def test_a_kept_file_is_downloaded_and_resumed(world: Any, everything: list[Record]) -> None:
    sheet = stored_sheet(world, everything, kept=True)
    path = f"/v1/tenders/sheets/{sheet['id']}/download"
    whole = world.get(path)
    assert whole.status_code == 200
    assert whole.headers["content-type"] == "application/pdf"
    assert int(whole.headers["content-length"]) == len(whole.content) == 102_400
    assert "filename*=UTF-8''Pliego%200%20%28a%C3%B1o%29.pdf" in whole.headers["content-disposition"]
    rest = world.get(path, headers={"range": "bytes=100000-", "if-range": whole.headers["etag"]})
    assert rest.status_code == 206
    assert rest.headers["content-range"] == "bytes 100000-102399/102400"
    assert whole.content[:100_000] + rest.content == whole.content
    assert world.get(path, headers={"range": "bytes=102400-"}).status_code == 416
    assert world.get(path, headers={"if-none-match": whole.headers["etag"]}).status_code == 304


@pytest.mark.requirement("TND-17")
def test_a_file_at_its_source_only_says_where(world: Any, everything: list[Record], refusal: Any) -> None:
    sheet = stored_sheet(world, everything, kept=False)
    answer = world.get(f"/v1/tenders/sheets/{sheet['id']}/download")
    assert "Open https://198.51.100.7/" in refusal(answer, 502, "SOURCE_UNAVAILABLE")


@pytest.mark.requirement("TND-18")
def test_a_signed_link_gives_the_same_file(world: Any, everything: list[Record]) -> None:
    sheet = stored_sheet(world, everything, kept=True)
    key = world.access.create_key("maker")
    token = world.links.sign(sheet["id"], key.key.id).token
    linked = world.get(f"/v1/tenders/documents/{token}/download", key="", headers={"range": "bytes=5-9"})
    direct = world.get(f"/v1/tenders/sheets/{sheet['id']}/download", headers={"range": "bytes=5-9"})
    assert (linked.status_code, linked.content) == (206, direct.content)
    assert linked.headers["content-disposition"] == direct.headers["content-disposition"]


@pytest.mark.parametrize("tail", ["%2Fsheets", "%2fsheets", "%2F..%2F"])
def test_a_slash_inside_an_id_reaches_no_other_address(world: Any, everything: list[Record], tail: str) -> None:
    answer = world.get(f"/v1/tenders/{everything[0]['id']}{tail}")
    assert answer.status_code == 404
