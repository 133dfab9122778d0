"""Notices, withdrawals and databases for the tests of the store, every value invented."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workbench.feeds.notice import Award, FeedItem, Notice, Origin, Party, Withdrawal, WithdrawalReason
from workbench.service.store.database import Database, driver
from workbench.service.store.importer import ImportReport, apply_items

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
START = datetime(2026, 1, 10, 9, tzinfo=UTC)
SOURCE = "invented"
SUPPLIER = Party("Construcciones Ejemplo, S.L.", (("NIF", "B11111112"),))
NOBODY = None
BUYER = Party("Ayuntamiento de Ejemplo", (("DIR3", "L01080193"),), city="Ejemplo", province="08", country="ES")


def clock() -> datetime:
    """The moment at which every test of the store takes place."""
    return NOW


def day(number: float) -> datetime:
    """A moment so many days after the first notice."""
    return START + timedelta(days=number)


def notice(number: int = 1, version: float = 0, *, file_time: str = "20260110", **values: Any) -> Notice:
    """Version ``version`` (in days) of notice ``number``; any field by its name."""
    values = {"status": "Publicada", "name": f"Obra {number}", "currency": "EUR", "buyer": BUYER} | values
    return Notice(
        source=SOURCE,
        source_id=f"https://example.org/notices/{number}",
        version_at=values.pop("version_at", day(version)),
        origin=Origin("invented.atom", position=1, file_time=file_time),
        **values,
    )


def award(lot: str | None, result: str, supplier: Party | None, amount: float | None, **values: Any) -> Award:
    """One result: amounts without taxes in euros unless said otherwise."""
    return Award(lot_id=lot, result=result, supplier=supplier, amount_no_taxes=amount, **{"currency": "EUR"} | values)


def withdrawal(number: int = 1, at: float = 1, reason: WithdrawalReason = WithdrawalReason.UNSTATED) -> Withdrawal:
    """A tombstone of notice ``number`` after ``at`` days."""
    return Withdrawal(SOURCE, f"https://example.org/notices/{number}", day(at), Origin("invented.atom"), reason)


def opened(folder: Path, items: Iterable[FeedItem] = ()) -> Database:
    """A database in ``folder`` that holds ``items``."""
    database = Database(folder, clock=clock)
    apply_items(database, items)
    return database


def records(database: Database) -> list[dict[str, Any]]:
    """Every wire record, in the order of ids."""
    with database.reader() as connection:
        return [json.loads(text) for (text,) in driver(connection).execute("SELECT record FROM tender ORDER BY id")]


def only(database: Database) -> dict[str, Any]:
    """The one wire record of a database."""
    (record,) = records(database)
    return record


def column(database: Database, name: str) -> Any:
    """One column of the one tender of a database."""
    with database.reader() as connection:
        ((value,),) = driver(connection).execute(f"SELECT {name} FROM tender").fetchall()
    return value


LOCAL_CLOCKS = frozenset({"created_at", "updated_at"})
"""Columns that may differ between two imports of the same data: when this computer did it."""

LOCAL_CLOCKS_OF_RECORD = ("createdAt", "updatedAt")


def dump(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables of open data, without the local clocks, and the words of a text index that is whole."""
    tables = ("tender", "tender_text", "organization", "award", "document", "notice_version", "withdrawal")
    found: dict[str, list[tuple[Any, ...]]] = {}
    with closing(sqlite3.connect(database.path)) as raw:
        for table in tables:
            cursor = raw.execute(f"SELECT * FROM {table}")
            names = [entry[0] for entry in cursor.description]
            kept = [at for at, name in enumerate(names) if name not in LOCAL_CLOCKS]
            rows = [tuple(_without_clocks(names[at], row[at]) for at in kept) for row in cursor]
            found[table] = sorted(rows, key=repr)
        raw.execute("INSERT INTO tender_fts(tender_fts, rank) VALUES('integrity-check', 1)")
        raw.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, tender_fts, instance)")
        found["words"] = sorted(raw.execute("SELECT term, doc, col, offset FROM temp.words").fetchall())
        raw.rollback()
    return found


def _without_clocks(name: str, value: Any) -> Any:
    if name != "record":
        return value
    record = json.loads(value)
    for clock_field in LOCAL_CLOCKS_OF_RECORD:
        del record[clock_field]
    return json.dumps(record, ensure_ascii=False)


def totals(report: ImportReport) -> tuple[int, int, int, int, int]:
    """New, updated, unchanged, withdrawn and refused of a report."""
    return report.new, report.updated, report.unchanged, report.withdrawn, report.refused
