"""The sample workspace: a database filled with invented tenders, parties, boards and alerts that show every screen.

It is made from a seed and the day, so two databases filled on one day are the same. It is openly synthetic: the account,
every organization, every tender's source, reference and description and every page of its documents say so.
"""

from __future__ import annotations

import hashlib
import time as timer
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from random import Random
from typing import Final, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select, update
from sqlalchemy import exists as sql_exists

from workbench.feeds.notice import Notice
from workbench.service.sample_alerts import add_alerts
from workbench.service.sample_board import Board, board_rows, sample_id
from workbench.service.sample_course import MADRID
from workbench.service.sample_documents import drawn_documents
from workbench.service.sample_people import add_people
from workbench.service.sample_tenders import TENDERS, make_notices, make_world
from workbench.service.sample_words import HOUSE_NAME, MARK, SOURCE
from workbench.service.store.database import Database
from workbench.service.store.failures import StoreError
from workbench.service.store.identity import identify, tender_id
from workbench.service.store.importer import apply_items
from workbench.service.store.metadata import METADATA
from workbench.service.store.tenders_tables import document, organization, tender
from workbench.service.store.workspace_tables import alert, opportunity, pipeline, summary, task

SEED: Final = 20260101
WITH_FILES: Final = 60
"""How many of the newest tenders have documents that open."""

_STEPS: Final = TENDERS + WITH_FILES

_BOARD_TABLES: Final = (
    "pipeline",
    "stage",
    "workflow_step",
    "opportunity",
    "opportunity_history",
    "workflow_action",
    "task",
    "summary",
    "alert",
)


class SampleProgress(NamedTuple):
    """How far filling has come: ``done`` of ``total`` steps, and what is being made, such as ``documents``."""

    done: int
    total: int
    label: str


@dataclass(frozen=True, slots=True)
class SampleReport:
    """What the sample workspace holds; ``documents`` counts the files that open, ``was_there`` says that nothing changed."""

    tenders: int
    organizations: int
    documents: int
    pipelines: int
    opportunities: int
    alerts: int
    tasks: int
    summaries: int
    seconds: float
    was_there: bool = False

    def __str__(self) -> str:
        if self.was_there:
            return f"The sample workspace is there already ({self.tenders:,} synthetic tenders); nothing was changed."
        return (
            f"The sample workspace holds {self.tenders:,} synthetic tenders of {self.organizations:,} invented organizations, "
            f"{self.documents:,} documents, {self.opportunities:,} opportunities on {self.pipelines} boards and "
            f"{self.alerts} alerts (made in {self.seconds:.1f} s)."
        )


def fill(
    db: Database,
    *,
    seed: int = SEED,
    progress: Callable[[SampleProgress], None] | None = None,
    alongside: bool = False,
) -> SampleReport:
    """Fill ``db`` with the sample workspace and say what it holds; a database that has it already is left as it is.

    What it holds follows from ``seed`` and the day of the database's clock (in Spain), to which its dates are relative. An
    interrupted filling is finished by the next call. Raises ``StoreError`` where tenders of other sources are stored, so
    that invented data never mixes with real data by accident; ``alongside`` allows it.
    """
    started = timer.perf_counter()
    tell = progress or _silent
    with db.reader() as connection:
        if _is_filled(connection):
            return _report(connection, timer.perf_counter() - started, was_there=True)
        if not alongside and _holds_other_data(connection):
            raise StoreError(
                f"The folder {db.folder} holds imported tenders, and the sample workspace is invented data that must not be "
                "mistaken for them. Name another folder with --data."
            )
    today = db.clock().astimezone(MADRID).date()
    world = make_world(seed, today)
    tell(SampleProgress(0, _STEPS, "tenders"))
    notices = list(make_notices(world))
    apply_items(db, _told(notices, tell))
    files = _draw_files(notices, tell)
    with db.writer() as connection:
        # Another process may have filled it while this one was drawing.
        if not _is_filled(connection):
            _store_files(connection, files)
            _store_workspace(connection, world.random, today, notices)
    tell(SampleProgress(_STEPS, _STEPS, "boards"))
    with db.reader() as connection:
        return _report(connection, timer.perf_counter() - started)


def _silent(_: SampleProgress) -> None:
    return None


def _told(notices: Sequence[Notice], tell: Callable[[SampleProgress], None]) -> Iterator[Notice]:
    for number, notice in enumerate(notices):
        if number % 100 == 0:
            tell(SampleProgress(number, _STEPS, "tenders"))
        yield notice


def _is_filled(connection: Connection) -> bool:
    # Boards are written last and in one transaction, so their presence says that everything is there.
    return connection.execute(select(pipeline.c.id).where(pipeline.c.id == sample_id("pipeline", 0))).first() is not None


def _holds_other_data(connection: Connection) -> bool:
    return bool(connection.execute(select(sql_exists().where(tender.c.source != SOURCE))).scalar())


Files = dict[str, list[bytes]]
"""Tender id to the files of its first documents, in their order."""


def _draw_files(notices: Sequence[Notice], tell: Callable[[SampleProgress], None]) -> Files:
    newest = sorted(notices, key=lambda notice: (notice.published_at or notice.version_at, notice.source_id))[-WITH_FILES:]
    files: Files = {}
    for number, notice in enumerate(newest):
        if number % 10 == 0:
            tell(SampleProgress(TENDERS + number, _STEPS, "documents"))
        files[tender_id(notice.source, notice.source_id)] = [content for _, content in drawn_documents(notice)]
    return files


def _store_files(connection: Connection, files: Files) -> None:
    wanted = select(document.c.id, document.c.tender_id).where(document.c.tender_id.in_(files))
    waiting = {tender: iter(contents) for tender, contents in files.items()}
    for row in connection.execute(wanted.order_by(document.c.tender_id, document.c.position)).all():
        content = next(waiting[row.tender_id], None)
        if content is not None:
            digest = hashlib.sha256(content).hexdigest()
            stored = {"content": content, "size": len(content), "digest": digest, "mime_type": "application/pdf", "uri": None}
            connection.execute(update(document).where(document.c.id == row.id).values(**stored))


def _store_workspace(connection: Connection, random: Random, today: date, notices: Sequence[Notice]) -> None:
    house = next(
        award.supplier
        for notice in notices
        for award in notice.awards
        if award.supplier and award.supplier.name == f"{HOUSE_NAME} {MARK}"
    )
    identity = identify(house.name, house.identifiers, house.parents)
    morning = int(datetime.combine(today, time(0), UTC).timestamp())
    people = add_people(connection, identity.id if identity else "", morning)
    board = Board(random, today, people.account_id, people.users, people.teams)
    board_rows(board, notices)
    add_alerts(board)
    for name in _BOARD_TABLES:
        connection.execute(insert(METADATA.tables[name]), board.rows[name])


def _report(connection: Connection, seconds: float, *, was_there: bool = False) -> SampleReport:
    def count(query: Select[int]) -> int:
        return connection.execute(query).scalar_one()

    ours = select(pipeline.c.account_id).where(pipeline.c.id == sample_id("pipeline", 0)).scalar_subquery()
    amounts = {
        name: count(select(func.count()).select_from(table).where(table.c.account_id == ours))
        for name, table in (
            ("pipelines", pipeline),
            ("opportunities", opportunity),
            ("alerts", alert),
            ("tasks", task),
            ("summaries", summary),
        )
    }
    return SampleReport(
        tenders=count(select(func.count()).select_from(tender).where(tender.c.source == SOURCE)),
        organizations=count(select(func.count()).select_from(organization).where(organization.c.name.endswith(MARK))),
        documents=count(select(func.count()).select_from(document).where(document.c.content.is_not(None))),
        seconds=seconds,
        was_there=was_there,
        **amounts,
    )
