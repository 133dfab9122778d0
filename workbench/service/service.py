"""The embedded service as one object: its database, its use cases, its keys, and the ASGI application over them."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import SecretStr
from starlette.types import ASGIApp

from workbench.service.access import Access
from workbench.service.fetching import DocumentFetcher, FetchPolicy
from workbench.service.key_directory import CLOSED, SESSION_RATE_LIMIT, KeyDirectory
from workbench.service.organizations import Organizations
from workbench.service.rate_window import RateWindows
from workbench.service.store.database import Clock, Database, system_clock
from workbench.service.store.failures import StoreError
from workbench.service.tenders import Tenders

if TYPE_CHECKING:
    from workbench.service.links import DocumentLinks
    from workbench.service.summary_worker import SummaryWorker, SummaryWriter

CLOSING_SECONDS = 5.0
"""How long closing waits for requests that are still being answered."""

log = logging.getLogger("workbench.service")


class Service:
    """An embedded service on one folder. Open it with :meth:`open`; close it when done, or use it as a context manager.

    Use cases are synchronous and may be called from any thread.
    """

    def __init__(
        self, database: Database, *, fetching: FetchPolicy | None = None, summary_writer: SummaryWriter | None = None
    ) -> None:
        self.database = database
        self.clock = database.clock
        self.access = Access(database)
        self.tenders = Tenders(database)
        self.organizations = Organizations(database)
        self.fetcher = DocumentFetcher(database.folder, clock=database.clock, policy=fetching)
        self.windows = RateWindows()
        self._account_id = self.access.default_account().id
        self.keys = KeyDirectory(database)
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="workbench-service")
        self._idle = threading.Condition()
        self._working = 0
        self._closed = False
        self._summary_writer = summary_writer

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        clock: Clock = system_clock,
        sample: bool = False,
        progress: Callable[[Any], None] | None = None,
        fetching: FetchPolicy | None = None,
        summary_writer: SummaryWriter | None = None,
    ) -> Self:
        """The service on ``folder``, which is made and given an account named ``local`` when it is new.

        ``sample`` fills an empty database with the sample workspace; ``progress`` is called meanwhile. ``fetching`` is where
        documents may be fetched from (public addresses), ``summary_writer`` who writes summaries (whoever the environment
        names, else the composer of what is known). Raises ``StoreError`` (a sentence) where the folder cannot be used.
        """
        database = Database(folder, clock=clock)
        try:
            if sample:
                from workbench.service.sample import fill

                fill(database, progress=progress)
            return cls(database, fetching=fetching, summary_writer=summary_writer)
        except BaseException:
            database.close()
            raise

    @cached_property
    def app(self) -> ASGIApp:
        """The ASGI application for callers in this process, who may name the host as they like."""
        from workbench.service.app import create_app

        return create_app(self)

    @cached_property
    def links(self) -> DocumentLinks:
        """Signed links to documents, for whoever makes or opens one."""
        from workbench.service.links import DocumentLinks

        return DocumentLinks(self.database)

    @cached_property
    def summaries(self) -> SummaryWorker:
        """The worker that writes summaries; it does nothing until it is woken or started."""
        from workbench.service.summary_endpoint import writer_of
        from workbench.service.summary_worker import SummaryWorker

        return SummaryWorker(self.database, self._summary_writer or writer_of(os.environ))

    def session_key(self, name: str, *, rate_limit: int | None = SESSION_RATE_LIMIT) -> SecretStr:
        """A key of the account ``local`` that is valid as long as this service is open, and is stored nowhere.

        ``rate_limit`` is its requests in 60 seconds: 100,000 for a caller in this process; ``None`` is the interface's 300.
        """
        return self.keys.open_session(name, self._account_id, rate_limit=rate_limit)

    def note_use(self, key_id: str, now: float) -> None:
        """Store in the background when a key was last used; returns at once."""
        with self._idle:
            if not self._closed:
                self._background.submit(self._write_use, key_id, now)

    @contextmanager
    def working(self) -> Generator[None]:
        """While a request is answered: :meth:`close` waits for it."""
        with self._idle:
            if self._closed:
                raise StoreError(CLOSED)
            self._working += 1
        try:
            yield
        finally:
            with self._idle:
                self._working -= 1
                self._idle.notify_all()

    def close(self) -> None:
        """End the session keys and close the database, after the requests under way; closing again does nothing."""
        with self._idle:
            if self._closed:
                return
            self._closed = True
        self.fetcher.close()
        with self._idle:
            self._idle.wait_for(lambda: self._working == 0, timeout=CLOSING_SECONDS)
        if "summaries" in self.__dict__:
            self.summaries.close()
        self._background.shutdown(wait=True)
        self.keys.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_use(self, key_id: str, now: float) -> None:
        try:
            self.keys.write_last_use(key_id, now)
        except StoreError as trouble:
            # What is lost is one minute of "last used"; the key works, and the next minute writes again.
            log.info("when a key was last used could not be stored: %s", trouble)
