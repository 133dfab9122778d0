"""A summary's PDF: saved when it is ready, a typed error before, and a polite wait. Over a scripted account: see there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from ops_account import OPPORTUNITY, Account, opened, said

from workbench.client import AsyncClient, Waiting
from workbench.client.errors import InvalidArgument, NotFound, SummaryFailed, SummaryNotReady, TargetExists

ONE = f"/v1/opportunities/{OPPORTUNITY}"
PDF = b"%PDF-1.7\n" + bytes(range(256)) * 40
FILE = {"content-type": "application/pdf", "content-disposition": 'attachment; filename="Resumen final.pdf"'}
NOT_READY = said(409, "SUMMARY_NOT_READY", "The summary has not finished generating.")


class Generating(Account):
    """An account whose summary has these states one after the other; its PDF is there once it is completed."""

    def __init__(self, *states: str, summary_id: str = "s1", before: httpx2.Response = NOT_READY) -> None:
        super().__init__({f"GET {ONE}/summaries": self._summaries, f"GET {ONE}/summaries/s1/pdf": self._pdf})
        self._states = list(states)
        self._state = ""
        self._id = summary_id
        self._before = before

    def _summaries(self, _request: httpx2.Request) -> httpx2.Response:
        self._state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return httpx2.Response(200, json=[{"id": "another", "status": "completed"}, {"id": self._id, "status": self._state}])

    def _pdf(self, _request: httpx2.Request) -> httpx2.Response:
        done = self._state == "completed"
        return httpx2.Response(200, headers=FILE, content=PDF) if done else self._before


# Carries the client's side of SUM-2.
def test_a_pdf_is_saved_under_the_name_the_service_gives(world: Any, tmp_path: Path) -> None:
    account = Account({f"GET {ONE}/summaries/s1/pdf": httpx2.Response(200, headers=FILE, content=PDF)})
    client = opened(world, account)
    steps: list[tuple[int, int | None]] = []
    saved = world.do(
        client.opportunities.summary_pdf(OPPORTUNITY, "s1", to=tmp_path, progress=lambda done, all_: steps.append((done, all_)))
    )
    assert saved == tmp_path / "Resumen final.pdf"
    assert saved.read_bytes() == PDF
    assert (steps[0], steps[-1]) == ((0, len(PDF)), (len(PDF), len(PDF)))
    assert world.do(client.raw.opportunities.summary_pdf(OPPORTUNITY, "s1")).body == PDF
    with pytest.raises(TargetExists):
        world.do(client.opportunities.summary_pdf(OPPORTUNITY, "s1", to=saved))
    assert len(account.requests) == 2


@pytest.mark.parametrize(
    "answer",
    [
        NOT_READY,
        httpx2.Response(409, json={"code": "SUMMARY_NOT_READY"}),
        httpx2.Response(409, json={"error": {"type": "SUMMARY_NOT_READY"}}),
        httpx2.Response(409, json={"message": "Not yet."}),
        httpx2.Response(409, content=b"<html>Conflict</html>"),
        httpx2.Response(409),
    ],
)
def test_a_pdf_that_is_not_ready_is_a_typed_error_wherever_the_code_stands(
    world: Any, pauses: list[float], tmp_path: Path, answer: httpx2.Response
) -> None:
    account = Account({f"GET {ONE}/summaries/s1/pdf": answer})
    with pytest.raises(SummaryNotReady, match="Ask again when its status is 'completed'") as caught:
        world.do(opened(world, account).opportunities.summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
    assert (caught.value.status, caught.value.operation) == (409, "opportunities.summary_pdf")
    assert (len(account.requests), pauses, list(tmp_path.iterdir())) == (1, [], [])


def test_a_wait_asks_less_and_less_often_and_says_so(world: Any, pauses: list[float], tmp_path: Path) -> None:
    account = Generating("pending", "pending", "in_progress", "in_progress", "completed")
    told: list[Waiting] = []
    client = opened(world, account, on_wait=told.append)
    saved = world.do(client.opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
    assert saved.read_bytes() == PDF
    assert pauses == [2.0, 3.0, 4.5, 6.75]
    assert told == [Waiting("opportunities.summary_pdf", seconds, "not ready") for seconds in pauses]
    assert account.lines == [f"GET {ONE}/summaries"] * 5 + [f"GET {ONE}/summaries/s1/pdf"]


def test_a_wait_ends_with_its_patience_in_the_service_s_own_words(world: Any, pauses: list[float], tmp_path: Path) -> None:
    account = Generating("in_progress")
    with pytest.raises(SummaryNotReady, match="has not finished generating"):
        world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path, patience=60))
    assert sum(pauses) == pytest.approx(60)
    assert account.lines.count(f"GET {ONE}/summaries/s1/pdf") == 1
    assert list(tmp_path.iterdir()) == []


def test_without_patience_it_asks_once(world: Any, pauses: list[float], tmp_path: Path) -> None:
    account = Generating("pending")
    with pytest.raises(SummaryNotReady):
        world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path, patience=0))
    assert (pauses, len(account.requests)) == ([], 2)


def test_a_state_it_does_not_know_is_tried_and_a_longer_wait_that_is_asked_for_kept(
    world: Any, pauses: list[float], tmp_path: Path
) -> None:
    soon = httpx2.Response(409, headers={"retry-after": "20"}, json={"error": "SUMMARY_NOT_READY"})
    account = Generating("queued", "queued", "completed", before=soon)
    world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
    assert pauses == [20.0, 20.0]
    assert account.lines.count(f"GET {ONE}/summaries/s1/pdf") == 3


def test_a_summary_that_failed_is_not_waited_for(world: Any, pauses: list[float], tmp_path: Path) -> None:
    account = Generating("in_progress", "failed")
    with pytest.raises(SummaryFailed, match="gave up generating summary 's1'") as caught:
        world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
    assert (caught.value.summary_id, pauses) == ("s1", [2.0])


def test_a_summary_that_is_not_there_is_not_waited_for(world: Any, pauses: list[float], tmp_path: Path) -> None:
    account = Generating("completed", summary_id="s2")
    account.answers[f"GET {ONE}/summaries/s1/pdf"] = said(404, "NOT_FOUND")
    with pytest.raises(NotFound):
        world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
    assert pauses == []


@pytest.mark.parametrize("patience", [-1, True, float("inf"), float("nan"), "60", None])
def test_a_patience_that_is_none_is_refused(world: Any, tmp_path: Path, patience: Any) -> None:
    account = Account()
    with pytest.raises(InvalidArgument, match="patience: takes seconds"):
        world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path, patience=patience))
    assert account.requests == []


def test_a_target_that_is_there_is_refused_before_the_wait(world: Any, tmp_path: Path) -> None:
    account = Account()
    target = tmp_path / "there.pdf"
    target.touch()
    with pytest.raises(TargetExists):
        world.do(opened(world, account).opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=target))
    assert account.requests == []


def test_whoever_is_told_of_a_pause_can_end_the_wait(world: Any, pauses: list[float], tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(_: Waiting) -> None:
        raise Enough

    client = opened(world, Generating("pending"), on_wait=stop)
    with pytest.raises(Enough):
        world.do(client.opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
    assert pauses == []


def test_a_wait_can_be_cancelled_while_it_pauses(tmp_path: Path) -> None:
    async def cancel_at_the_first_pause() -> None:
        pausing = asyncio.Event()
        transport = httpx2.MockTransport(Generating("pending"))
        async with AsyncClient("https://x.example", "k3y-k3y", transport=transport, on_wait=lambda _: pausing.set()) as client:
            wait = asyncio.ensure_future(client.opportunities.wait_for_summary_pdf(OPPORTUNITY, "s1", to=tmp_path))
            await pausing.wait()
            wait.cancel()
            with pytest.raises(asyncio.CancelledError):
                await wait

    asyncio.run(cancel_at_the_first_pause())
    assert list(tmp_path.iterdir()) == []
