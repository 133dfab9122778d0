"""Delivery in the background of a running service: alerts that are due, then e-mails that are due, then a pause."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from workbench.service.delivery.outbox import Attempt, Outbox
from workbench.service.delivery.post import Post
from workbench.service.delivery.runs import AlertRuns, Run
from workbench.service.store.database import Database
from workbench.service.store.failures import StoreError

PAUSE_SECONDS: Final = 20.0
PLAN_SECONDS: Final = 3_600
STOPPING_SECONDS: Final = 40.0
"""Longer than a mail server may take for an answer, so that an e-mail under way is seen through."""

log = logging.getLogger("workbench.service.alerts")


class Delivery:
    """Runs alerts and sends e-mails of one database by ``post``. Several processes may do so at a time."""

    def __init__(self, database: Database, post: Post) -> None:
        self._database = database
        self._post = post
        self._runs = AlertRuns(database)
        self._outbox = Outbox(database)
        self._planned_at: float | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def round(self) -> tuple[list[Run], list[Attempt]]:
        """One round: what was run and what was tried to send. Raises ``StoreError`` where the database does not answer."""
        now = self._database.clock().timestamp()
        # Planning again finds alerts that a wrong clock planned far ahead, so it follows a clock that went back.
        if self._planned_at is None or not 0 <= now - self._planned_at < PLAN_SECONDS:
            self._runs.plan()
            self._planned_at = now
        return self._runs.run_due(), self._outbox.send_due(self._post)

    def run_now(self, ids: Sequence[str] | None = None) -> tuple[list[Run], list[Attempt]]:
        """Run the alerts with these ids, or all that are running, whatever their schedule says, and send what is due."""
        self._runs.plan()
        return self._runs.run_now(ids), self._outbox.send_due(self._post)

    def start(self) -> None:
        """Begin rounds in a thread of their own."""
        self._thread = threading.Thread(target=self._work, name="workbench-delivery", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End after the e-mail under way; stopping again does nothing."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(STOPPING_SECONDS)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                self._tell(*self.round())
            except StoreError as trouble:
                log.warning("alerts wait: %s", trouble)
            except Exception:
                # A fault of ours in one round must not end all deliveries for as long as the service runs.
                log.exception("a round of alerts failed")
            self._stop.wait(PAUSE_SECONDS)

    def _tell(self, runs: list[Run], attempts: list[Attempt]) -> None:
        for run in runs:
            log.info("alert %s: %d tenders, %d recipients", run.alert_id, run.total, run.recipients)
        for attempt in attempts:
            log.log(logging.INFO if attempt.error is None else logging.WARNING, "e-mail %s: %s %s", *_words(attempt))


def _words(attempt: Attempt) -> tuple[str, str, str]:
    return attempt.delivery_id, attempt.state, attempt.error or ""
