"""The worker of summaries: states, one worker a folder, what is resumed after a crash, and writers that fail."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_builders import clock, opened
from summary_building import board, opportunity, state, summary, unfinished_attempts

from workbench.service.service import Service
from workbench.service.store.database import Database
from workbench.service.store.folder_lock import FolderLock
from workbench.service.summaries import Summaries
from workbench.service.summary_facts import SummaryFacts
from workbench.service.summary_worker import INTERRUPTED_MAX, LOCK_NAME, RESULT_LENGTH_MAX, SummaryFailed, SummaryWorker


class Scripted:
    """A writer that answers what it is given, or raises it; with ``gate`` it waits until it is let go or cancelled."""

    name = "scripted"

    def __init__(self, *answers: str | Exception, gate: bool = False) -> None:
        self._answers = list(answers)
        self.began, self.go = threading.Event(), threading.Event()
        self.cancelled = False
        if not gate:
            self.go.set()

    def write(self, facts: SummaryFacts) -> str:
        self.began.set()
        assert self.go.wait(30)
        if self.cancelled:
            raise SummaryFailed("It was cancelled.")
        answer = self._answers.pop(0) if self._answers else "# Written"
        if isinstance(answer, Exception):
            raise answer
        return answer

    def cancel(self) -> None:
        self.cancelled = True
        self.go.set()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = opened(tmp_path)
    yield database
    database.close()


def wire(database: Database, scope: object, opportunity_id: str) -> list[tuple[str, str | None, str | None]]:
    found = Summaries(scope).all(opportunity_id)  # type: ignore[arg-type]  # a scope
    return [(one["status"], one["result"], one["failure"]) for one in found]


def test_what_waits_is_written_oldest_first_and_completed(database: Database) -> None:
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage)
    ids = [summary(scope, one) for _ in range(3)]
    report = SummaryWorker(database, Scripted("# a", SummaryFailed("No."), "# c")).run()
    assert (report.completed, report.failed, report.elsewhere) == (2, 1, False)
    assert {outcome.summary_id for outcome in report.outcomes} == set(ids)
    assert sorted(wire(database, scope, one), key=repr) == [
        ("completed", "# a", None),
        ("completed", "# c", None),
        ("failed", None, "No."),
    ]
    done = state(database, next(one.summary_id for one in report.outcomes if one.failure is None))
    assert done.generated_at == done.updated_at == int(clock().timestamp())
    assert SummaryWorker(database).run().outcomes == ()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (" \n", "answered nothing"),
        ("x" * (RESULT_LENGTH_MAX + 1), "at most 60,000"),
        (ValueError("secret"), "did not name"),
    ],
)
def test_a_writer_that_does_not_write_makes_a_failed_summary(
    database: Database, caplog: pytest.LogCaptureFixture, answer: str | Exception, words: str
) -> None:
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage)
    summary(scope, one)
    assert SummaryWorker(database, Scripted(answer)).run().failed == 1
    ((status, result, failure),) = wire(database, scope, one)
    assert (status, result) == ("failed", None)
    assert words in (failure or "")
    assert "secret" not in caplog.text + (failure or "")


def test_what_an_ended_process_left_is_taken_up_again(database: Database) -> None:
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage)
    left = summary(scope, one)
    unfinished_attempts(scope, left, INTERRUPTED_MAX - 1)
    assert SummaryWorker(database).run().completed == 1
    assert state(database, left).status == "completed"


def test_what_ends_every_process_is_given_up(database: Database) -> None:
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage)
    left = summary(scope, one)
    unfinished_attempts(scope, left, INTERRUPTED_MAX)
    assert SummaryWorker(database, Scripted()).run().outcomes == ()
    ((status, _, failure),) = wire(database, scope, one)
    assert (status, failure) == ("failed", "The service ended 3 times while this summary was being written.")


def test_a_worker_that_is_closed_gives_its_summary_up_for_the_next(database: Database) -> None:
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage)
    asked = summary(scope, one)
    writer = Scripted(gate=True)
    worker = SummaryWorker(database, writer)
    worker.wake()
    assert writer.began.wait(30)
    assert state(database, asked).status == "in_progress"
    worker.close()
    assert state(database, asked).status == "in_progress"
    assert SummaryWorker(database).run().completed == 1


def test_only_one_process_works_on_a_folder(database: Database) -> None:
    scope, pipeline, stage = board(database)
    asked = summary(scope, opportunity(scope, pipeline, stage))
    code = (
        "import sys; from pathlib import Path; from workbench.service.store.folder_lock import FolderLock\n"
        f"lock = FolderLock(Path(sys.argv[1]), {LOCK_NAME!r}); print(lock.acquire(), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(database.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert SummaryWorker(database).run().elsewhere
        assert state(database, asked).status == "pending"
        other.kill()
        other.wait()
        # The system let the lock of the killed process go.
        assert SummaryWorker(database).run().completed == 1


def test_a_lock_is_held_once(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path, "x"), FolderLock(tmp_path, "x")
    assert first.acquire()
    assert not first.acquire()
    assert not second.acquire()
    first.release()
    first.release()
    assert second.acquire()
    second.release()


def test_a_service_that_is_closed_while_a_summary_is_written_closes_soon_and_resumes(tmp_path: Path) -> None:
    writer = Scripted(gate=True)
    service = Service.open(tmp_path, summary_writer=writer)
    scope, pipeline, stage = board(service.database)
    one = opportunity(scope, pipeline, stage)
    summary(scope, one)
    service.summaries.start()
    assert writer.began.wait(30)
    service.close()
    with Service.open(tmp_path) as again:
        assert again.summaries.run().completed == 1


def test_a_writer_that_is_not_configured_well_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SUMMARY_URL", "ftp://example.org")
    monkeypatch.setenv("WORKBENCH_SUMMARY_MODEL", "m")
    with Service.open(tmp_path) as service:
        scope, pipeline, stage = board(service.database)
        one = opportunity(scope, pipeline, stage)
        summary(scope, one)
        (outcome,) = service.summaries.run().outcomes
    assert "WORKBENCH_SUMMARY_URL" in (outcome.failure or "")
