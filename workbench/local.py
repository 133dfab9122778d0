"""Administration of one's own embedded service for the faces: what the interface has no endpoint for (design, decision 10).

Beside :mod:`workbench.connect` the one seam to the service; it is imported inside the functions, which block: call them in a
thread where an event loop runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.client.errors import DataUnusable, InvalidArgument
from workbench.profiles import LOCAL, SAMPLE, load_profiles

if TYPE_CHECKING:
    from workbench.service.sample import SampleProgress, SampleReport
    from workbench.service.store.database import Database
    from workbench.service.store.import_report import FileReport as FileReport  # noqa: PLC0414 - for the faces' annotations
    from workbench.service.store.import_report import ImportProgress as ImportProgress  # noqa: PLC0414
    from workbench.service.store.import_report import ImportReport as ImportReport  # noqa: PLC0414

DATABASE_FILE: Final = "workbench.sqlite3"


def folder_of(profile: str | None = LOCAL, data: Path | None = None) -> Path:
    """The folder of an embedded profile's data; ``data`` where it is given, the current profile's for ``None``.

    Raises ``ProfileError`` for an unknown profile and ``InvalidArgument`` for a hosted one.
    """
    if data is not None:
        return data.expanduser()
    profiles = load_profiles()
    chosen = profiles.current if profile is None else profiles.get(profile)
    if chosen.kind != "embedded" or chosen.data is None:
        raise InvalidArgument("profile", f"{chosen.name!r} is a hosted service; only an embedded one can be administered here")
    return chosen.data


def is_empty(profile: str | None = LOCAL, data: Path | None = None) -> bool:
    """Whether an embedded profile holds no tender yet; looking makes no file."""
    folder = folder_of(profile, data)
    if not (folder / DATABASE_FILE).exists():
        return True
    from sqlalchemy import select

    from workbench.service.store.tenders_tables import tender

    with _database(folder) as database, database.reader() as connection:
        return connection.execute(select(tender.c.rid).limit(1)).first() is None


def import_files(
    profile: str | None,
    paths: Sequence[Path],
    *,
    data: Path | None = None,
    progress: Callable[[ImportProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ImportReport:
    """Load open data (files and folders of PLACSP ATOM and ZIP) into an embedded profile; gives the report.

    ``progress`` is called some ten times a second, ``cancelled`` is asked after each batch; both in this thread. What was
    loaded before a cancellation or a failure stays, and the import may be repeated. Raises ``DataUnusable`` with a sentence
    where a path cannot be read or the folder cannot be written.
    """
    from workbench.feeds.load import FeedError
    from workbench.service.store.importer import import_paths

    try:
        with _database(folder_of(profile, data)) as database:
            return import_paths(database, paths, progress=progress, cancelled=cancelled)
    except FeedError as trouble:
        raise DataUnusable(str(trouble)) from None


def fill_sample(
    profile: str | None = SAMPLE,
    *,
    data: Path | None = None,
    progress: Callable[[SampleProgress], None] | None = None,
    clock: Callable[[], datetime] | None = None,
) -> SampleReport:
    """Fill an embedded profile with the sample workspace, whose dates are relative to ``clock`` (the present by default).

    A folder that holds it already is left as it is. Raises ``DataUnusable`` with a sentence where the folder holds other
    tenders or cannot be written.
    """
    from workbench.service.sample import fill

    with _database(folder_of(profile, data), clock) as database:
        return fill(database, progress=progress)


@contextmanager
def _database(folder: Path, clock: Callable[[], datetime] | None = None) -> Generator[Database]:
    from workbench.service.store.database import Database, system_clock
    from workbench.service.store.failures import StoreError

    try:
        database = Database(folder, clock=clock or system_clock)
        try:
            yield database
        finally:
            database.close()
    except StoreError as trouble:
        raise DataUnusable(str(trouble)) from None
