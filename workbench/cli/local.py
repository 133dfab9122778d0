"""Administration of one's own embedded service: what the interface has no endpoint for.

With :mod:`workbench.cli.serve` the only place of the command that knows the service, and only once a command runs.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.failures import Failure, WrongUse
from workbench.cli.moments import utc_text

if TYPE_CHECKING:
    from workbench.service.access import Access, NewKey, StoredAccount, StoredKey, StoredTeam, StoredUser
    from workbench.service.administration import BoardAdministration
    from workbench.service.board_templates import StagePlan, StepPlan
    from workbench.service.delivery.loop import Delivery
    from workbench.service.delivery.outbox import Attempt as Attempt  # noqa: PLC0414 - for annotations of the command
    from workbench.service.delivery.outbox import Letter as Letter  # noqa: PLC0414
    from workbench.service.delivery.outbox import Outbox as Outbox  # noqa: PLC0414
    from workbench.service.delivery.post import Post
    from workbench.service.delivery.runs import Run as Run  # noqa: PLC0414
    from workbench.service.sample import SampleReport
    from workbench.service.store.database import Database
    from workbench.service.store.import_report import ImportProgress, ImportReport
    from workbench.service.store.upkeep import Checked, Copied, Migrated, Restored
    from workbench.service.summaries import SummaryAdministration
    from workbench.service.summary_worker import RunReport, SummaryWriter
    from workbench.service.tracking import Tracking


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
    """Delete the database in ``folder`` and the documents fetched for it, nothing else there.

    Raises :class:`Failure` while another program has it open.
    """
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
    from workbench.service.document_cache import FOLDER_NAME, DocumentCache

    DocumentCache(folder / FOLDER_NAME, bytes_max=0).clear()


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


def account_or_default(stored: Access, account: str | None) -> str:
    """The account that an option names; the local one, made when it is not there, for ``None``."""
    return account or stored.default_account().slug


def user_ids(stored: Access, account: str, named: Sequence[str]) -> list[str]:
    """The ids of users that are named by id or exact name. Raises :class:`WrongUse` for a name of nobody or of several."""
    users = stored.users(account)
    found: list[str] = []
    for one in named:
        fitting = [user.id for user in users if one in (user.id, user.name)]
        if len(fitting) != 1:
            known = ", ".join(f"{user.name} ({user.id})" for user in users) or "none yet"
            raise WrongUse(f"{one!r} is {'several users' if fitting else 'no user'} of the account; its users: {known}.")
        found += fitting
    return found


def stage_plans(texts: Sequence[str] | None, template: str | None = None) -> list[StagePlan]:
    """The stages of ``NAME[=KIND]`` texts, or of a template where there are none."""
    from workbench.service import board_templates

    return list(map(board_templates.read_stage, texts)) if texts else board_templates.stages_of(template)


def step_plans(texts: Sequence[str] | None, template: str | None = None) -> list[StepPlan]:
    """The steps of ``STEP: ACTION; ACTION@TARGET`` texts, or of a template where there are none."""
    from workbench.service import board_templates

    return list(map(board_templates.read_step, texts)) if texts else board_templates.steps_of(template)


@contextmanager
def board_administration(folder: Path, account: str | None) -> Iterator[BoardAdministration]:
    """Pipelines and workflows of an account of the database in ``folder``."""
    from workbench.service.access import Access
    from workbench.service.administration import BoardAdministration

    with database(folder) as opened:
        yield BoardAdministration(opened, account_or_default(Access(opened), account))


@contextmanager
def tracking(folder: Path, account: str | None) -> Iterator[Tracking]:
    """Opportunities of an account of the database in ``folder``."""
    from workbench.service.access import Access
    from workbench.service.tracking import Tracking

    with database(folder) as opened:
        yield Tracking(opened, account_or_default(Access(opened), account))


def account_as_record(account: StoredAccount) -> dict[str, Any]:
    """An account in the words of the interface."""
    return {
        "id": account.id,
        "slug": account.slug,
        "name": account.name,
        "organizationId": account.organization_id,
        "planTier": account.plan_tier,
        "createdAt": utc_text(account.created_at),
    }


def user_as_record(user: StoredUser) -> dict[str, Any]:
    """A user in the words of the interface."""
    made = utc_text(user.created_at)
    return {"id": user.id, "accountId": user.account_id, "name": user.name, "email": user.email, "createdAt": made}


def team_as_record(team: StoredTeam) -> dict[str, Any]:
    """A team in the words of the interface."""
    return {"id": team.id, "accountId": team.account_id, "name": team.name, "memberIds": list(team.member_ids)}


def mail_post(folder: Path, smtp: str | None, *, user: str | None, sender: str | None) -> Post:
    """How e-mails leave: by a mail server, else as files. Raises :class:`WrongUse` for settings that cannot be meant."""
    from pydantic import SecretStr

    from workbench.service.delivery.post import WrongPost, post_for

    password = os.environ.get("WORKBENCH_SMTP_PASSWORD")
    try:
        return post_for(folder, smtp, user=user, password=SecretStr(password) if password else None, sender=sender)
    except WrongPost as trouble:
        raise WrongUse(str(trouble)) from None


@contextmanager
def delivery(folder: Path, post: Post) -> Iterator[Delivery]:
    """Alerts of the database in ``folder`` at work, their e-mails leaving by ``post``."""
    from workbench.service.delivery.loop import Delivery

    with database(folder) as opened:
        yield Delivery(opened, post)


@contextmanager
def outbox(folder: Path) -> Iterator[Outbox]:
    """E-mails of alerts of the database in ``folder``."""
    from workbench.service.delivery.outbox import Outbox

    with database(folder) as opened:
        yield Outbox(opened)


def back_up(
    folder: Path, target: Path | None, *, overwrite: bool, progress: Callable[[int, int], None] | None = None
) -> Copied:
    """Copy the database in ``folder``, also while it is in use."""
    from workbench.service.store import upkeep

    return upkeep.back_up(folder, target, overwrite=overwrite, progress=progress)


def restore(folder: Path, source: Path) -> Restored:
    """Put a copy in the place of the database in ``folder``."""
    from workbench.service.store import upkeep

    return upkeep.restore(folder, source)


def check(folder: Path) -> Checked:
    """Prove the database in ``folder`` sound."""
    from workbench.service.store import upkeep

    return upkeep.check(folder)


def migrate(folder: Path) -> Migrated:
    """Bring the database in ``folder`` up to date."""
    from workbench.service.store import upkeep

    return upkeep.migrate(folder)


def summary_writer(*, url: str | None = None, model: str | None = None) -> SummaryWriter:
    """Who writes summaries, by the options and the environment. Raises :class:`WrongUse` for settings that cannot be used."""
    from workbench.service.summary_endpoint import WriterMisconfigured, configured_writer

    try:
        return configured_writer(os.environ, url=url, model=model)
    except WriterMisconfigured as trouble:
        raise WrongUse(str(trouble)) from None


def write_summaries(folder: Path, writer: SummaryWriter) -> RunReport:
    """Write the summaries of the database in ``folder`` that wait."""
    from workbench.service.summary_worker import SummaryWorker

    with database(folder) as opened:
        return SummaryWorker(opened, writer).run()


@contextmanager
def summaries(folder: Path, account: str | None) -> Iterator[SummaryAdministration]:
    """Summaries of an account of the database in ``folder``."""
    from workbench.service.access import Access
    from workbench.service.summaries import SummaryAdministration

    with database(folder) as opened:
        yield SummaryAdministration(opened, account_or_default(Access(opened), account))
