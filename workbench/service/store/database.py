"""The database file: opening, migrating, reading and writing it.

Two engines share one SQLite file: readers of a small pool, which cannot write, and a single writer whose transactions
begin with ``BEGIN IMMEDIATE``. So writers of this process queue instead of failing, and a reader sees one moment of the
data for as long as it reads (WAL).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from workbench.service.store.failures import StoreBusy, StoreError, store_error
from workbench.service.store.schema import METADATA, bring_up_to_date

Clock = Callable[[], datetime]
"""Gives the present moment as an aware datetime; tests and demonstrations pass their own."""

FILE_NAME: Final = "workbench.sqlite3"
BUSY_SECONDS: Final = 5
READERS: Final = 4
WRITER_WAIT_SECONDS: Final = 60
"""How long a writer queues behind others of this process; an import gives way after each of its short transactions."""


def system_clock() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


class Database:
    """The embedded service's database in ``folder``, created when it is not there.

    Opening applies the migrations that a later release brought, after a backup beside the file. Raises
    :class:`~workbench.service.store.failures.StoreError` where the folder cannot be written, the disk is full, the file
    is no database of the workbench, or a newer release wrote it.
    """

    metadata: MetaData = METADATA

    def __init__(self, folder: Path, *, clock: Clock = system_clock) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.clock = clock
        self._prepare_folder()
        self._readers = self._engine(pool_size=READERS, begin="BEGIN", query_only=True)
        self._writer = self._engine(pool_size=1, begin="BEGIN IMMEDIATE", query_only=False)
        try:
            with self._translated():
                bring_up_to_date(self.path)
        except BaseException:
            self._dispose()
            raise

    @contextmanager
    def reader(self) -> Generator[Connection]:
        """A connection that reads one moment of the data and cannot write. Driver failures become a ``StoreError``."""
        with self._translated(), self._readers.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writer(self) -> Generator[Connection]:
        """The one writing connection, in a transaction: committed on leaving, undone when the block raises.

        Constraint violations come as SQLAlchemy raises them; every other failure of the driver as a ``StoreError``.
        """
        with self._translated(), self._writer.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Let the query planner's statistics be kept, and close every connection; closing again does nothing."""
        try:
            with self._writer.connect() as connection:
                raw = driver(connection)
                # A sample is enough, and whoever closes does not wait for another program's import.
                for pragma in ("busy_timeout = 0", "analysis_limit = 400", "optimize"):
                    raw.execute(f"PRAGMA {pragma}").close()
        except (DBAPIError, sqlite3.Error, PoolTimeout):
            # Statistics only make later searches faster; a disk that filled up meanwhile must not stop the closing.
            self._dispose()
            return
        self._dispose()

    def _dispose(self) -> None:
        self._readers.dispose()
        self._writer.dispose()

    def _prepare_folder(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError:
            raise StoreError(f"{self.folder} is a file, not a folder. Name a folder for the data with --data.") from None
        except OSError as trouble:
            reason = trouble.strerror or str(trouble)
            raise StoreError(
                f"The folder {self.folder} cannot be made: {reason}. Name a folder that you may write with --data."
            ) from None

    def _engine(self, *, pool_size: int, begin: str, query_only: bool) -> Engine:
        engine = create_engine(
            "sqlite://",
            creator=lambda: connect(self.path, query_only=query_only),
            poolclass=QueuePool,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=WRITER_WAIT_SECONDS,
        )

        def begin_transaction(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        def leave_transactions_alone(connection: object, _entry: ConnectionPoolEntry) -> None:
            # The driver's own transaction control would begin late and not around DDL; SQLAlchemy's events do it.
            cast("sqlite3.Connection", connection).isolation_level = None

        event.listen(engine, "connect", leave_transactions_alone)
        event.listen(engine, "begin", begin_transaction)
        return engine

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except PoolTimeout as trouble:
            raise StoreBusy(
                f"The database {self.path} was busy for {WRITER_WAIT_SECONDS} seconds. Try again in a moment."
            ) from trouble
        except (DBAPIError, sqlite3.Error) as trouble:
            meant = store_error(trouble, self.path)
            if meant is None:
                raise
            raise meant from trouble


def connect(path: Path, *, query_only: bool = False) -> sqlite3.Connection:
    """A driver connection with the pragmas of this database."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        for pragma in (
            f"busy_timeout = {BUSY_SECONDS * 1000}",
            # A tender's row is some 2 KB: a page of 4 KB would hold one and waste the rest (17 % more file, measured).
            "page_size = 8192",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "temp_store = MEMORY",
            "cache_size = -32000",
            f"query_only = {'ON' if query_only else 'OFF'}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def driver(connection: Connection) -> sqlite3.Connection:
    """The driver's connection under a connection of :meth:`Database.reader` or :meth:`Database.writer`.

    Search and import use it: 20 rows by id take 31 µs through the driver and 125 µs through SQLAlchemy Core (measured),
    and an import binds millions of values. Everything else stays with Core.
    """
    return cast("sqlite3.Connection", cast("Any", connection.connection).driver_connection)
