"""Administration of one's own embedded service: what the interface has no endpoint for.

With :mod:`workbench.cli.serve` the only place of the command that knows the service, and only once a command runs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.failures import Failure

if TYPE_CHECKING:
    from workbench.service.access import Access, NewKey, StoredKey
    from workbench.service.sample import SampleReport
    from workbench.service.store.database import Database
    from workbench.service.store.import_report import ImportProgress, ImportReport


@contextmanager
def database(folder: Path) -> Iterator[Database]:
    """The database in ``folder``, made when it is not there, closed when the block ends."""
    from workbench.service.store.database import Database

    opened = Database(folder)
    try:
        yield opened
    finally:
        opened.close()


def import_files(
    folder: Path, paths: Sequence[Path], *, progress: Callable[[ImportProgress], None], cancelled: Callable[[], bool]
) -> ImportReport:
    """Read open data into the database in ``folder``."""
    from workbench.service.store.importer import import_paths

    with database(folder) as opened:
        return import_paths(opened, paths, progress=progress, cancelled=cancelled)


def fill_sample(folder: Path, *, progress: Callable[[Any], None] | None) -> SampleReport:
    """Fill the database in ``folder`` with the sample workspace; one that has it already stays as it is."""
    from workbench.service.sample import fill

    with database(folder) as opened:
        return fill(opened, progress=progress)


@dataclass(frozen=True)
class Statistics:
    """What a folder holds. ``by_status`` counts tenders by the interface's status; moments are in UTC."""

    folder: Path
    size: int
    tenders: int
    organizations: int
    awards: int
    documents: int
    versions: int
    imports: int
    by_status: dict[str, int]
    first_published: datetime | None
    last_published: datetime | None
    last_import: datetime | None


def statistics(folder: Path) -> Statistics:
    """Count what the database in ``folder`` holds. Raises :class:`Failure` where there is none: looking must not make one."""
    path = database_file(folder)
    if not path.exists():
        raise Failure(
            f"There is no data in {folder} yet: `workbench local import FILE` or `workbench local sample` brings some."
        )
    from sqlalchemy import func, select

    from workbench.contract.vocabulary import TenderStatus
    from workbench.service.store import tenders_tables as tables

    statuses = list(TenderStatus)
    with database(folder) as opened, opened.reader() as connection:

        def count(table: Any) -> int:
            return connection.scalar(select(func.count()).select_from(table)) or 0

        tender = tables.tender
        span = connection.execute(select(func.min(tender.c.published), func.max(tender.c.published))).one()
        imported = connection.scalar(select(func.max(tables.import_file.c.finished_at)))
        by_status = connection.execute(
            select(tender.c.status, func.count()).group_by(tender.c.status).order_by(tender.c.status)
        )
        return Statistics(
            folder=folder,
            size=sum(file.stat().st_size for file in _database_files(folder)),
            tenders=count(tender),
            organizations=count(tables.organization),
            awards=count(tables.award),
            documents=count(tables.document),
            versions=count(tables.notice_version),
            imports=count(tables.import_file),
            by_status={statuses[status].value: number for status, number in by_status},
            first_published=_moment(span[0]),
            last_published=_moment(span[1]),
            last_import=_moment(imported),
        )


def _moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else datetime.fromtimestamp(microseconds / 1e6, UTC)


def database_file(folder: Path) -> Path:
    """Where the database of ``folder`` is, or would be."""
    from workbench.service.store.database import FILE_NAME

    return folder / FILE_NAME


def _database_files(folder: Path) -> list[Path]:
    path = database_file(folder)
    return [file for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")) if file.exists()]


def delete_data(folder: Path) -> None:
    """Delete the database in ``folder`` and nothing else there. Raises :class:`Failure` while another program has it open."""
    connection = sqlite3.connect(database_file(folder), timeout=1, isolation_level=None)
    try:
        # Leaving WAL needs the file to itself, so this fails while anyone else has it open.
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        raise Failure(
            f"Another program uses the data in {folder}; close it (a workbench, a `workbench serve`) and try again."
        ) from None
    except sqlite3.DatabaseError as trouble:
        if trouble.sqlite_errorcode not in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
            raise
        # A damaged file is one of the reasons to start afresh: it is deleted all the same.
    finally:
        connection.close()
    for file in _database_files(folder):
        file.unlink()


@contextmanager
def access(folder: Path) -> Iterator[Access]:
    """Accounts and keys of the database in ``folder``."""
    from workbench.service.access import Access

    with database(folder) as opened:
        yield Access(opened)


def create_key(
    folder: Path, name: str, *, account: str | None, mcp: bool, rate_limit: int | None, expires: datetime | None
) -> NewKey:
    """Make a key; its token is in the answer and nowhere else."""
    with access(folder) as keys:
        owner = account or keys.default_account().slug
        return keys.create_key(name, account_slug=owner, mcp=mcp, rate_limit=rate_limit, expires_at=expires)


def key_as_record(key: StoredKey) -> dict[str, Any]:
    """A key without its token, in the words of the interface."""

    def text(moment: datetime | None) -> str | None:
        return moment.isoformat().replace("+00:00", "Z") if moment else None

    return {
        "id": key.id,
        "name": key.name,
        "accountId": key.account_id,
        "isMcpEnabled": key.mcp_enabled,
        "isActive": key.disabled_at is None,
        "rateLimit": key.rate_limit,
        "createdAt": text(key.created_at),
        "expiresAt": text(key.expires_at),
        "lastUsedAt": text(key.last_used_at),
    }
