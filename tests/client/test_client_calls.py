"""What each method sends and gives back, with the sync and the asynchronous client alike."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from workbench.client.errors import ClientMisused, InvalidArgument, NotFound, RateLimited, UnexpectedAnswer
from workbench.client.options import Timeouts, Waiting
from workbench.client.policy.answers import RawResponse
from workbench.contract.tenders import TenderSearch

CANARY = "canary-4f1d7c0a9b"


class Recorder:
    """Answers every request from a table by path, and remembers the requests."""

    def __init__(self, answers: dict[str, Any] | None = None) -> None:
        self.answers = answers or {}
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.get(request.url.raw_path.decode(), self.answers.get("*"))
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, httpx2.Response):
            return answer
        return httpx2.Response(200, json=answer)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


PAGE = {"data": [{"id": "t1", "name": "Obra", "novel": 1}], "pagination": {"page": 1, "pageSize": 20, "hasNextPage": False}}


@pytest.mark.requirement("AUTH-1")
@pytest.mark.requirement("VER-1")
def test_every_request_carries_the_key_and_the_version(world: Any) -> None:
    recorder = Recorder(
        {
            "*": {"id": "x", "code": "c", "principal": {}, "organizationId": "o"},
            "/v1/tenders/search": PAGE,
            "/v1/tenders/t/sheets": [],
        }
    )
    client = world.open(handler=recorder)
    for result in (
        client.whoami,
        client.api_key,
        client.tenders.search,
        lambda: client.tenders.get("t"),
        lambda: client.tenders.sheets("t"),
        lambda: client.organizations.get("o"),
        lambda: client.organizations.awards("o"),
        lambda: client.cpv.get("45000000"),
        lambda: client.raw.tenders.download_document("token"),
        lambda: client.raw.tenders.download_sheet("s"),
    ):
        world.do(result())
    assert [request.headers["api-key"] for request in recorder.requests] == [CANARY] * 10
    assert {request.headers["user-agent"].partition("/")[0] for request in recorder.requests} == {"tender-workbench"}
    assert [f"{request.method} {request.url.raw_path.decode()}" for request in recorder.requests] == [
        "GET /v1/whoami",
        "GET /v1/api-key",
        "POST /v1/tenders/search",
        "GET /v1/tenders/t",
        "GET /v1/tenders/t/sheets",
        "GET /v1/organizations/o",
        "GET /v1/organizations/o/awards",
        "GET /v1/cpv/45000000",
        "GET /v1/tenders/documents/token/download",
        "GET /v1/tenders/sheets/s/download",
    ]


@pytest.mark.requirement("TND-1")
@pytest.mark.requirement("TND-2")
@pytest.mark.requirement("TND-4")
@pytest.mark.requirement("TND-5")
@pytest.mark.requirement("TND-6")
@pytest.mark.requirement("TND-7")
@pytest.mark.requirement("TND-8")
@pytest.mark.requirement("TND-9")
@pytest.mark.requirement("TND-10")
@pytest.mark.requirement("TND-11")
@pytest.mark.requirement("TND-12")
@pytest.mark.requirement("TND-13")
def test_every_filter_goes_out_under_its_wire_name(world: Any) -> None:
    recorder = Recorder({"*": PAGE})
    client = world.open(handler=recorder)
    moment = datetime(2026, 1, 31, 12, tzinfo=UTC)
    dates = {
        f"{end}_{what}_date": moment
        for end in ("min", "max")
        for what in ("publication", "deadline", "awarding", "last_update")
    }
    filters: dict[str, Any] = {
        "text": 'obras "carretera" -túnel',
        "page": 2,
        "page_size": 100,
        "sort": "by-submission-date",
        "is_descendent": False,
        "status": ["Publicada", "Cerrada"],
        "cpvs": ["72000000-5"],
        "locations": ["country/ES", "province/08", "town/Vic"],
        "min_budget": 0,
        "max_budget": 1e6,
        "is_only_within_deadline": True,
        **dates,
    }
    page = world.do(client.tenders.search(**filters))
    assert [tender.name for tender in page] == ["Obra"]
    assert page.data[0].other_fields == {"novel": 1}
    for query in (TenderSearch.model_validate(filters), filters, recorder.bodies[0]):
        world.do(client.tenders.search(query))
    assert all(body == recorder.bodies[0] for body in recorder.bodies)
    assert recorder.bodies[0] == {
        "text": 'obras "carretera" -túnel',
        "page": 2,
        "pageSize": 100,
        "sort": "by-submission-date",
        "isDescendent": False,
        "status": ["Publicada", "Cerrada"],
        "cpvs": ["72000000-5"],
        "locations": ["country/ES", "province/08", "town/Vic"],
        "minBudget": 0,
        "maxBudget": 1e6,
        "isOnlyWithinDeadline": True,
        **{
            f"{end}{what}Date": "2026-01-31T12:00:00Z"
            for end in ("min", "max")
            for what in ("Publication", "Deadline", "Awarding", "LastUpdate")
        },
    }
    assert set(recorder.bodies[0]) == {str(field.alias) for field in TenderSearch.model_fields.values()}


def test_what_is_not_given_or_none_is_not_sent_and_a_keyword_goes_first(world: Any) -> None:
    recorder = Recorder({"*": PAGE})
    client = world.open(handler=recorder)
    world.do(client.tenders.search())
    world.do(client.tenders.search(TenderSearch(text="a", page=3), text="b", page_size=None, status=[]))
    assert recorder.bodies == [{}, {"text": "b", "page": 3, "status": []}]


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"page": 0}, "page"),
        ({"page_size": 101}, "page_size"),
        ({"pageSize": 0}, "page_size"),
        ({"sort": "newest"}, "sort"),
        ({"status": "Publicada"}, "status"),
        ({"status": ["Open"]}, "status[0]"),
        ({"cpvs": ["45", 45]}, "cpvs[1]"),
        ({"minbudget": 1}, "minbudget"),
        ({"min_deadline_date": "2026-01-31"}, "min_deadline_date"),
        ({"is_descendent": "yes"}, "is_descendent"),
        ({"min_budget": "much"}, "min_budget"),
    ],
)
def test_an_argument_that_cannot_be_sent_is_named_before_anything_is_sent(
    world: Any, filters: dict[str, Any], field: str
) -> None:
    recorder = Recorder({"*": PAGE})
    client = world.open(handler=recorder)
    for call in (
        lambda: world.do(client.tenders.search(**filters)),
        lambda: client.tenders.iterate(**filters),
        lambda: client.tenders.pages(filters),
    ):
        with pytest.raises(InvalidArgument) as caught:
            call()
        assert caught.value.field == field
        assert str(caught.value).startswith(f"{field}: ")
    for call in (
        lambda: client.tenders.get(".."),
        lambda: client.tenders.sheets(""),
        lambda: client.tenders.download_sheet("%2e%2e"),
        lambda: client.tenders.download_document("file:///etc/passwd"),
        lambda: client.tenders.download_document("https://u:p@h/x"),
        lambda: client.organizations.get("../alerts"),
        lambda: client.cpv.get("."),
        lambda: client.raw.cpv.get(".."),
    ):
        with pytest.raises(InvalidArgument):
            world.do(call())
    with pytest.raises(InvalidArgument, match="limit"):
        client.tenders.iterate(limit=-1)
    assert recorder.requests == []


def served(records: int, size: int) -> Any:
    def answer(request: httpx2.Request) -> dict[str, Any]:
        asked = json.loads(request.content)
        page, page_size = asked["page"], min(asked["pageSize"], size)
        rows = [{"id": str(n)} for n in range((page - 1) * page_size, min(page * page_size, records))]
        return {"data": rows, "pagination": {"page": page, "hasNextPage": page * page_size < records}}

    return answer


@pytest.mark.requirement("TND-3")
def test_iterate_walks_all_pages_and_fetches_none_too_many(world: Any) -> None:
    recorder = Recorder({"*": served(230, 100)})
    client = world.open(handler=recorder)
    assert [t.id for t in world.all(client.tenders.iterate(text="x"))] == [str(n) for n in range(230)]
    assert [(b["page"], b["pageSize"], b["text"]) for b in recorder.bodies] == [(1, 100, "x"), (2, 100, "x"), (3, 100, "x")]
    recorder.requests.clear()
    assert len(world.all(client.tenders.iterate(limit=7))) == 7
    assert world.all(client.tenders.iterate(limit=0)) == []
    assert [(b["page"], b["pageSize"]) for b in recorder.bodies] == [(1, 7)]
    recorder.requests.clear()
    assert [len(page) for page in world.all(client.tenders.pages(page=2, page_size=50))] == [50, 50, 50, 30]


def test_a_service_that_goes_in_circles_is_an_error_and_no_endless_loop(world: Any) -> None:
    recorder = Recorder({"*": {"data": [{"id": "1"}], "pagination": {"hasNextPage": True}}})
    client = world.open(handler=recorder)
    with pytest.raises(UnexpectedAnswer, match="repeats itself"):
        world.all(client.tenders.iterate())
    assert len(recorder.requests) < 10


def test_raw_gives_what_came_and_raises_what_was_refused(world: Any) -> None:
    recorder = Recorder(
        {
            "/v1/tenders/search": PAGE,
            "*": httpx2.Response(404, json={"statusCode": 404, "error": "NOT_FOUND", "message": "No."}),
        }
    )
    client = world.open(handler=recorder)
    raw = world.do(client.raw.tenders.search(text="x"))
    assert isinstance(raw, RawResponse)
    assert raw.status == 200
    assert raw.headers["content-type"] == "application/json"
    assert raw.json() == PAGE
    with pytest.raises(NotFound) as caught:
        world.do(client.raw.tenders.get("t"))
    assert (caught.value.status, caught.value.code, caught.value.message, caught.value.operation) == (
        404,
        "NOT_FOUND",
        "No.",
        "tenders.get",
    )


@pytest.mark.requirement("LIM-3")
def test_a_429_is_waited_out_and_the_call_is_not_lost(world: Any, pauses: list[float]) -> None:
    answers = iter([429, 429, 200])
    waits: list[Waiting] = []

    def handler(_request: httpx2.Request) -> httpx2.Response:
        status = next(answers)
        return httpx2.Response(
            status, json=PAGE if status == 200 else {}, headers={"Retry-After": "12"} if status == 429 else {}
        )

    client = world.open(handler=handler, on_wait=waits.append, rate_window=False)
    assert len(world.do(client.tenders.search())) == 1
    assert pauses == [12.0, 12.0]
    assert waits == [Waiting("tenders.search", 12.0, "rate limit")] * 2


def test_a_429_without_end_is_the_callers_error_in_the_end(world: Any, pauses: list[float]) -> None:
    client = world.open(
        handler=lambda _request: httpx2.Response(429, json={"statusCode": 429, "message": "slow down"}), rate_window=False
    )
    with pytest.raises(RateLimited, match="slow down"):
        world.do(client.whoami())
    assert pauses == [60.5] * 5


def test_a_429_blocks_the_window_for_every_client_of_the_key(
    world: Any, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("workbench.client.windows.time.monotonic", lambda: now[0])
    answers = iter([429, 200, 200])

    def handler(_request: httpx2.Request) -> httpx2.Response:
        status = next(answers)
        return httpx2.Response(status, json={"principal": {}}, headers={"Retry-After": "30"})

    def on_wait(waiting: Waiting) -> None:
        now[0] += waiting.seconds

    key = f"shared-window-{world.kind}"
    first = world.open(key=key, handler=handler, on_wait=on_wait)
    second = world.open(key=key, handler=handler, on_wait=on_wait)
    world.do(first.whoami())
    assert pauses == [30.0]
    world.do(second.whoami())
    assert pauses == [30.0]


def test_a_listener_can_end_the_wait(world: Any) -> None:
    class EnoughError(Exception):
        pass

    def on_wait(_waiting: Waiting) -> None:
        raise EnoughError

    client = world.open(handler=lambda _request: httpx2.Response(503), on_wait=on_wait)
    with pytest.raises(EnoughError):
        world.do(client.whoami())


def test_options_make_another_client_on_the_same_connections(world: Any) -> None:
    recorder = Recorder({"*": {"principal": {}}})
    client = world.open(handler=recorder)
    quick = client.with_options(timeout=2)
    world.do(quick.whoami())
    world.do(client.whoami())
    assert [request.extensions["timeout"] for request in recorder.requests] == [
        {"connect": 2, "read": 2, "write": 2, "pool": 2},
        {"connect": 5.0, "read": 30.0, "write": 30.0, "pool": 10.0},
    ]
    for wrong in (0, -1, float("nan"), float("inf"), "3", True):
        with pytest.raises(InvalidArgument, match="timeout"):
            client.with_options(timeout=wrong)
    assert Timeouts.of(None) == Timeouts()


def test_a_closed_client_says_so(world: Any) -> None:
    client = world.open(handler=Recorder({"*": {}}))
    ended: list[str] = []
    other = world.open(handler=Recorder({"*": {}}), then=lambda: ended.append("then"))
    for each in (client, other, other):
        world.do(each.aclose() if world.kind == "async" else each.close())
    assert ended == ["then"]
    with pytest.raises(ClientMisused, match="closed"):
        world.do(client.whoami())


@pytest.mark.parametrize("url", ["http://api.example.org", "not an address", "https://u:p@h", "ftp://h"])
def test_a_base_url_that_cannot_be_used_is_refused_at_once(world: Any, url: str) -> None:
    with pytest.raises(InvalidArgument, match="base_url"):
        world.open(url, handler=Recorder())


@pytest.mark.parametrize("key", ["", " ", "two words", "line\nbreak", "clé", "\x00"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(world: Any, key: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        world.open(key=key, handler=Recorder())
    assert caught.value.field == "api_key"
    assert len(key.strip()) < 3 or key.strip() not in str(caught.value)


def test_a_pasted_key_loses_its_white_space(world: Any) -> None:
    recorder = Recorder({"*": {"principal": {}}})
    world.do(world.open(key=f" {CANARY}\n", handler=recorder).whoami())
    assert recorder.requests[0].headers["api-key"] == CANARY
