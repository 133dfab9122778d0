"""The worker that writes summaries: ``pending → in_progress → completed | failed``, one at a time, resumed after a crash.

Of all processes on one data folder only one works, whoever takes the folder's lock first. So a summary that is found
``in_progress`` was left by a process that ended, and is taken up again.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import Final, Protocol

from sqlalchemy import func, select

from workbench.contract.vocabulary import SummaryStatus
from workbench.service.scope import AccountScope, Actor, WritableRows
from workbench.service.store.database import Database
from workbench.service.store.failures import StoreError
from workbench.service.store.folder_lock import FolderLock
from workbench.service.store.summary_tables import summary_attempt
from workbench.service.store.workspace_tables import summary
from workbench.service.summary_facts import SummaryFacts, gather
from workbench.service.summary_text import WRITER, compose

LOCK_NAME: Final = "summaries"
LOOK_SECONDS: Final = 2.0
"""How often a serving process looks for new requests; another process may have made them."""

CLOSING_SECONDS: Final = 5.0
INTERRUPTED_MAX: Final = 3
RESULT_LENGTH_MAX: Final = 60_000
"""Some twenty pages; what is composed here is a tenth of it."""

WORKER: Final = Actor("service", "summaries")

log = logging.getLogger("workbench.service")


class SummaryFailed(Exception):
    """A writer could not write; the text is a sentence for the person who reads that the summary failed."""


class SummaryWriter(Protocol):
    """Writes the Markdown of a summary."""

    @property
    def name(self) -> str:
        """What attempts of this writer are noted under."""
        ...

    def write(self, facts: SummaryFacts) -> str:
        """The summary in Markdown. Raises :class:`SummaryFailed`."""
        ...

    def cancel(self) -> None:
        """End a :meth:`write` that is under way in another thread, where that is possible; it raises then."""
        ...


class FactWriter:
    """The writer that needs nobody: it composes what is known."""

    name = WRITER

    def write(self, facts: SummaryFacts) -> str:
        """See :func:`workbench.service.summary_text.compose`."""
        return compose(facts)

    def cancel(self) -> None:
        """It takes some milliseconds, so there is nothing to end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one summary ended: ``failure`` is the sentence of one that failed."""

    summary_id: str
    name: str
    opportunity: str
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one run did. ``elsewhere`` says that another process is the one that works on this folder."""

    outcomes: tuple[Outcome, ...] = ()
    elsewhere: bool = False

    @property
    def completed(self) -> int:
        """How many summaries were written."""
        return sum(one.failure is None for one in self.outcomes)

    @property
    def failed(self) -> int:
        """How many were not."""
        return len(self.outcomes) - self.completed


@dataclass(frozen=True, slots=True)
class _Claim:
    account_id: str
    summary_id: str
    name: str
    attempt_id: str
    facts: SummaryFacts


class SummaryWorker:
    """Writes the summaries of one database that wait for it, with ``writer``."""

    def __init__(self, database: Database, writer: SummaryWriter | None = None) -> None:
        self._database = database
        self._writer = writer or FactWriter()
        self._lock = FolderLock(database.folder, LOCK_NAME)
        self._stopping = threading.Event()
        self._wanted = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._for_good = False
        self._given_up = False

    def run(self) -> RunReport:
        """Write everything that waits, in this thread. Raises the store's errors; a writer's failure is a failed summary."""
        if not self._lock.acquire():
            return RunReport(elsewhere=True)
        try:
            self._resume()
            outcomes: list[Outcome] = []
            while not self._stopping.is_set():
                outcome = self._write_next()
                if outcome is None:
                    break
                outcomes.append(outcome)
            return RunReport(tuple(outcomes))
        finally:
            self._lock.release()

    def start(self) -> None:
        """Work in a thread from now on, until :meth:`close`: what a serving process does."""
        self._for_good = True
        self.wake()

    def wake(self) -> None:
        """Have what waits written soon, in a thread that ends when nothing is left; returns at once."""
        with self._guard:
            self._wanted.set()
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._work, name="workbench-summaries", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop working; a summary that is being written is given up, and taken up again by whoever works next."""
        self._stopping.set()
        self._wanted.set()
        self._writer.cancel()
        with self._guard:
            thread = self._thread
        if thread is not None:
            thread.join(CLOSING_SECONDS)
            self._given_up = thread.is_alive()

    def _work(self) -> None:
        while self._goes_on():
            self._wanted.clear()
            try:
                self.run()
            except (StoreError, OSError) as trouble:
                # One round is lost and not the worker of a process that serves for weeks; what waits, waits for the next.
                log.error("summaries could not be written: %s", trouble)  # noqa: TRY400 - the sentence says it
            if self._for_good and not self._stopping.is_set():
                self._wanted.wait(LOOK_SECONDS)
                self._wanted.set()

    def _goes_on(self) -> bool:
        with self._guard:
            if self._stopping.is_set() or not self._wanted.is_set():
                self._thread = None
                return False
            return True

    def _resume(self) -> None:
        """Put what an ended process left half done back in the queue; what ends every process is given up."""
        for account_id, summary_id in self._in_state(SummaryStatus.IN_PROGRESS):
            with self._scope(account_id).writing() as rows:
                unfinished = (summary_attempt.c.summary_id == summary_id) & summary_attempt.c.finished_at.is_(None)
                found = rows.first(select(func.count()).select_from(summary_attempt).where(unfinished))
                if found is not None and found[0] >= INTERRUPTED_MAX:
                    sentence = f"The service ended {found[0]} times while this summary was being written."
                    _note_end(rows, _last_attempt(rows, summary_id), failure=sentence)
                    rows.change(summary, summary_id, status=SummaryStatus.FAILED.value, updated_at=rows.now)
                else:
                    rows.change(summary, summary_id, status=SummaryStatus.PENDING.value, updated_at=rows.now)

    def _write_next(self) -> Outcome | None:
        """Write the oldest summary that waits; ``None`` where none waits or the worker stops."""
        waiting = self._in_state(SummaryStatus.PENDING, limit=1)
        if not waiting:
            return None
        claim = self._claim(*waiting[0])
        text, failure = self._written(claim)
        if self._given_up or (failure is not None and self._stopping.is_set()):
            # This process ends; the next one takes the summary up again.
            return None
        self._finish(claim, text, failure)
        return Outcome(claim.summary_id, claim.name, claim.facts.opportunity, failure)

    def _written(self, claim: _Claim) -> tuple[str | None, str | None]:
        """The text of the writer, or the sentence of its failure."""
        try:
            text = self._writer.write(claim.facts)
        except SummaryFailed as trouble:
            return None, str(trouble)
        except Exception as trouble:  # noqa: BLE001 - whatever a writer does, the summary must not stay unfinished
            log.error("the summary writer %r failed: %s", self._writer.name, type(trouble).__name__)  # noqa: TRY400 - no secrets
            return None, "The writer failed for a reason that it did not name; the service's own log says more."
        if not text.strip():
            return None, "The writer answered nothing."
        if len(text) > RESULT_LENGTH_MAX:
            return None, f"The writer answered {len(text):,} letters; a summary has at most {RESULT_LENGTH_MAX:,}."
        return text, None

    def _claim(self, account_id: str, summary_id: str) -> _Claim:
        with self._scope(account_id).writing() as rows:
            found = rows.need(summary, summary_id, missing="The summary is gone.")
            facts = gather(rows, found.opportunity_id, self._database.clock())
            if facts is None:
                raise RuntimeError("a summary belongs to an opportunity that is not there")
            rows.change(summary, summary_id, status=SummaryStatus.IN_PROGRESS.value, updated_at=rows.now)
            before = rows.first(select(func.max(summary_attempt.c.number)).where(summary_attempt.c.summary_id == summary_id))
            attempt_id = rows.add(
                summary_attempt,
                summary_id=summary_id,
                number=((before[0] if before else None) or 0) + 1,
                writer=self._writer.name,
                started_at=rows.now,
            )
        return _Claim(account_id, summary_id, found.name, attempt_id, facts)

    def _finish(self, claim: _Claim, text: str | None, failure: str | None) -> None:
        with self._scope(claim.account_id).writing() as rows:
            _note_end(rows, claim.attempt_id, failure)
            if text is None:
                rows.change(summary, claim.summary_id, status=SummaryStatus.FAILED.value, updated_at=rows.now)
            else:
                rows.change(
                    summary,
                    claim.summary_id,
                    status=SummaryStatus.COMPLETED.value,
                    result=text,
                    generated_at=rows.now,
                    updated_at=rows.now,
                )

    def _scope(self, account_id: str) -> AccountScope:
        return AccountScope(self._database, account_id, WORKER)

    def _in_state(self, status: SummaryStatus, *, limit: int | None = None) -> list[tuple[str, str]]:
        # The one look across accounts: which work waits, and whose it is. Everything else stays within that account.
        wanted = select(summary.c.account_id, summary.c.id).where(summary.c.status == status.value)
        with self._database.reader() as connection:
            rows = connection.execute(wanted.order_by(summary.c.created_at, summary.c.id).limit(limit)).all()
        return [(row.account_id, row.id) for row in rows]


def _note_end(rows: WritableRows, attempt_id: str | None, failure: str | None) -> None:
    if attempt_id is not None:
        rows.change(summary_attempt, attempt_id, finished_at=rows.now, failure=failure)


def _last_attempt(rows: WritableRows, summary_id: str) -> str | None:
    attempts = summary_attempt.c
    found = rows.first(select(attempts.id).where(attempts.summary_id == summary_id).order_by(attempts.number.desc()))
    return found[0] if found else None
