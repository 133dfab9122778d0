"""Summaries of an opportunity and their PDF as a caller over HTTP meets them (interface 2, 3, 4.1 and 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest

from workbench.service.administration import BoardAdministration
from workbench.service.board_templates import stages_of
from workbench.service.scope import AccountScope
from workbench.service.store.folder_lock import FolderLock
from workbench.service.store.workspace_tables import summary, task
from workbench.service.summaries import SummaryAdministration
from workbench.service.summary_worker import LOCK_NAME
from workbench.service.tracking import Tracking

FIELDS = {"id", "name", "status", "result", "generatedAt", "createdAt", "updatedAt"}
NOBODY = str(uuid4())
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture
def pursued(world: Any) -> str:
    """A new opportunity made from a tender with a budget and a deadline, with one summary asked for."""
    tender = world.search(minBudget=1, minDeadlineDate="2000-01-01T00:00:00Z", pageSize=1)["data"][0]
    name = f"Board {uuid4()}"
    BoardAdministration(world.database, "local").create_pipeline(name, stages_of(None))
    return Tracking(world.database, "local").track(tender["id"], name)["id"]


def path(opportunity: str, summary_id: str | None = None) -> str:
    base = f"/v1/opportunities/{opportunity}/summaries"
    return f"{base}/{summary_id}/pdf" if summary_id else base


def finished(world: Any, opportunity: str) -> list[dict[str, Any]]:
    """The summaries of an opportunity once none is under way any more."""
    for _ in range(20_000):
        answer = world.get(path(opportunity))
        assert answer.status_code == 200, answer.text
        if all(one["status"] in ("completed", "failed") for one in answer.json()):
            return answer.json()
    raise AssertionError("the summaries are never finished")


@contextmanager
def at_rest(world: Any) -> Iterator[None]:
    """While the service writes no summary, because another process is taken to be at work on its folder."""
    lock = FolderLock(world.database.folder, LOCK_NAME)
    while not lock.acquire():
        pass
    try:
        yield
    finally:
        lock.release()


def in_state(world: Any, opportunity: str, status: str, result: str | None = None) -> str:
    """Another summary of an opportunity, put into a state that nobody works on."""
    scope = AccountScope(world.database, world.access.account("local").id)
    with scope.writing() as rows:
        values = {"opportunity_id": opportunity, "name": "By hand", "status": status, "result": result}
        return rows.add(summary, **values, generated_at=rows.now if result else None)


@pytest.mark.requirement("SUM-1")
def test_a_summary_is_written_soon_and_says_what_is_known(world: Any, pursued: str) -> None:
    scope = AccountScope(world.database, world.access.account("local").id)
    with scope.writing() as rows:
        values = {"title": "Call the *buyer*", "status": "to-do", "priority": "high", "user_ids": []}
        rows.add(task, opportunity_id=pursued, **values)
    (one,) = finished(world, pursued)
    assert set(one) >= FIELDS
    assert (one["status"], one["failure"]) == ("completed", None)
    assert all(MOMENT.fullmatch(one[field]) for field in ("generatedAt", "createdAt", "updatedAt"))
    text = one["result"]
    assert text.startswith("# ")
    for said in (
        "Ayuntamiento inventado",
        "Budget without taxes",
        "EUR",
        "Offers until",
        "## Not known",
        "Call the \\*buyer\\*",
    ):
        assert said in text


@pytest.mark.requirement("SUM-1")
def test_every_status_is_shown_and_a_result_only_once_completed(world: Any, pursued: str) -> None:
    with at_rest(world):
        for status, result in (("pending", None), ("in_progress", None), ("failed", None), ("completed", "# ñ")):
            in_state(world, pursued, status, result)
        shown = {one["status"]: one["result"] for one in world.get(path(pursued)).json() if one["name"] == "By hand"}
    assert shown == {"pending": None, "in_progress": None, "failed": None, "completed": "# ñ"}
    finished(world, pursued)


@pytest.mark.requirement("SUM-1")
def test_an_opportunity_without_summaries_has_an_empty_list_and_an_unknown_one_none(world: Any, refusal: Any) -> None:
    refusal(world.get(path(NOBODY)), 404, "NOT_FOUND")
    refusal(world.get(path("no-uuid")), 404, "NOT_FOUND")
    refusal(world.get(f"{path(NOBODY)}?page=1"), 422, "INVALID_REQUEST")


@pytest.mark.requirement("SUM-2")
def test_the_pdf_is_an_attachment_and_can_be_resumed(world: Any, pursued: str) -> None:
    (one,) = finished(world, pursued)
    answer = world.get(path(pursued, one["id"]))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    disposition = answer.headers["content-disposition"]
    assert disposition.startswith("attachment; ")
    assert '.pdf"' in disposition
    assert answer.content.startswith(b"%PDF-")
    assert answer.content.rstrip().endswith(b"%%EOF")
    assert int(answer.headers["content-length"]) == len(answer.content)
    part = world.get(path(pursued, one["id"]), headers={"range": "bytes=100-", "if-range": answer.headers["etag"]})
    assert (part.status_code, part.content) == (206, answer.content[100:])
    assert world.get(path(pursued, one["id"].upper())).content == answer.content


@pytest.mark.requirement("SUM-2")
@pytest.mark.parametrize("status", ["pending", "in_progress", "failed"])
def test_there_is_no_pdf_of_a_summary_that_is_not_completed(world: Any, refusal: Any, pursued: str, status: str) -> None:
    with at_rest(world):
        unready = in_state(world, pursued, status)
        message = refusal(world.get(path(pursued, unready)), 409, "SUMMARY_NOT_READY")
    assert ("could not be written" in message) is (status == "failed")
    finished(world, pursued)


@pytest.mark.requirement("SUM-2")
def test_there_is_no_pdf_of_what_does_not_exist(world: Any, refusal: Any, pursued: str) -> None:
    (one,) = finished(world, pursued)
    for opportunity, summary_id in ((NOBODY, one["id"]), (pursued, NOBODY), (NOBODY, NOBODY), (pursued, "x")):
        refusal(world.get(path(opportunity, summary_id)), 404, "NOT_FOUND")


@pytest.mark.requirement("SUM-1", "SUM-2")
def test_summaries_of_another_account_are_not_there(world: Any, refusal: Any, pursued: str) -> None:
    (one,) = finished(world, pursued)
    slug = f"other-{uuid4()}"
    world.access.create_account("Other", slug=slug)
    key = world.new_key(account_slug=slug)
    assert refusal(world.get(path(pursued), key=key), 404, "NOT_FOUND") == refusal(world.get(path(NOBODY)), 404, "NOT_FOUND")
    refusal(world.get(path(pursued, one["id"]), key=key), 404, "NOT_FOUND")


@pytest.mark.requirement("SUM-1")
def test_a_summary_that_failed_is_written_again_when_that_is_asked_for(world: Any, pursued: str) -> None:
    finished(world, pursued)
    with at_rest(world):
        failed = in_state(world, pursued, "failed")
    SummaryAdministration(world.database, "local").retry(failed)
    again = next(one for one in finished(world, pursued) if one["id"] == failed)
    assert (again["status"], again["failure"]) == ("completed", None)
