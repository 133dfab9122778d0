"""A small invented database as SQL text, as the present release makes it: ``python tests/service/dump_release.py > FILE``.

Run it when a version of the schema is released, into ``tests/service/data/version_N.sql``: later releases have to bring that
file up to date. The text index is not dumped; whoever loads the text rebuilds it.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from store_builders import SUPPLIER, award, clock, day, notice, opened

from workbench.feeds.notice import Document, Lot
from workbench.service.access import Access
from workbench.service.store.database import Database
from workbench.service.store.schema import METADATA

NOW = int(clock().timestamp())
KEY_DIGEST = "0" * 64


def fill(folder: Path) -> Database:
    """A database with at least one row in every table that holds what cannot be imported again."""
    lots = (Lot("1", name="Lote uno", budget_no_taxes=600.0), Lot("2", name="Lote dos · ñandú", budget_no_taxes=400.0))
    document = Document("Pliego (año).pdf", "https://example.org/d/1", "d-1", type="PCAP")
    database = opened(
        folder,
        [
            notice(
                1, cpvs=("45233120",), budget_no_taxes=1_000.0, published_at=day(0), deadline_at=day(90), documents=(document,)
            ),
            notice(
                2,
                status="Adjudicada",
                cpvs=("45233120",),
                budget_no_taxes=1_000.0,
                lots=lots,
                awards=(award("1", "Adjudicado", SUPPLIER, 550.0, offers=3, awarded_at=day(20)),),
                awarded_at=day(20),
            ),
            notice(3, name="Подмяна на прозорци · Αντικατάσταση"),
        ],
    )
    access = Access(database)
    account = access.default_account()
    user = access.create_user(account.slug, "Ada Ejemplo", email="ada@example.org")
    access.create_team(account.slug, "Ofertas", [user.id])
    with database.writer() as connection:
        tender = connection.exec_driver_sql("SELECT id FROM tender ORDER BY id LIMIT 1").scalar_one()
        for table, row in rows_of(account.id, user.id, tender):
            connection.execute(insert(METADATA.tables[table]).values(**row))
    return database


def rows_of(account: str, user: str, tender: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of the account's own tables, in the order in which they refer to one another."""
    times = {"created_at": NOW, "updated_at": NOW}
    own: dict[str, Any] = {"account_id": account}
    yield (
        "api_key",
        {**own, "id": "k1", "name": "suite", "digest": KEY_DIGEST, "last4": "0000", "mcp_enabled": True, "created_at": NOW},
    )
    yield "service_secret", {"name": "invented", "value": b"\x00\x01secret", "created_at": NOW}
    yield "pipeline", {**own, **times, "id": "p1", "name": "Ofertas", "sort_points": 1.0}
    for number, name in enumerate(("New", "Won")):
        stage = {"id": f"s{number}", "pipeline_id": "p1", "name": name, "sort_points": number, "show_in_kanban": True}
        outcome = {"is_initial": number == 0, "is_terminal": number == 1, "outcome_type": "won" if number else None}
        yield "stage", {**own, **times, **stage, **outcome}
    one = {"pipeline_id": "p1", "stage_id": "s0", "tender_id": tender, "name": "Obra", "amount": 900.0, "currency": "EUR"}
    people = {"responsibles": [user], "teams": [], "sort_points": 1.5, "due_at": NOW + 86_400}
    yield "opportunity", {**own, **times, **one, **people, "id": "o1"}
    move = {"opportunity_id": "o1", "to_stage_id": "s0", "actor_type": "user", "actor_id": user, "at": NOW}
    yield "opportunity_history", {**own, **move, "id": "h1"}
    yield "workflow_step", {**own, **times, "id": "w1", "pipeline_id": "p1", "name": "Decide", "position": 1.0}
    action = {"opportunity_id": "o1", "workflow_step_id": "w1", "name": "Read it", "target_type": "tender", "target_id": tender}
    yield "workflow_action", {**own, **times, **action, "id": "a1", "status": "pending", "position": 1.0}
    todo = {"opportunity_id": "o1", "title": "Llamar", "status": "to-do", "priority": "high", "user_ids": [user]}
    yield "task", {**own, **times, **todo, "id": "t1", "deadline_at": NOW + 3_600}
    for number, status in enumerate(("pending", "in_progress", "completed", "failed")):
        result = "# Obra\n\n| a | b |\n|---|---|\n| 1 | ñ |" if status == "completed" else None
        summary = {"opportunity_id": "o1", "name": "Summary", "status": status, "result": result}
        yield "summary", {**own, **times, **summary, "id": f"y{number}", "generated_at": NOW if result else None}
    flags = {"is_active": True, "is_public": True, "is_archived": False, "is_auto_configured": False, "created_by": user}
    alert = {
        "title": "Obras",
        "criteria": {"keywords": {"include": ["obra"]}},
        "windows_search": [{"field": "expedientPublishedAt"}],
    }
    sent = {"notification_config": {"hour": 8}, "responsibles": [{"id": user, "receiveEmails": True}]}
    yield (
        "alert",
        {**own, **times, **flags, **alert, **sent, "id": "l1", "next_run_at": NOW + int(timedelta(days=1).total_seconds())},
    )


def dump(path: Path) -> Iterator[str]:
    """The statements that make the database again, its text index empty."""
    with closing(sqlite3.connect(path)) as raw:
        for pragma in ("application_id", "user_version"):
            yield f"PRAGMA {pragma} = {raw.execute(f'PRAGMA {pragma}').fetchone()[0]};"
        shadows = "SELECT name FROM pragma_table_list WHERE type = 'shadow'"
        listed = raw.execute(
            f"SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT IN ({shadows}) "
            "AND name NOT LIKE 'sqlite_%' ORDER BY type <> 'table', rowid"
        ).fetchall()
        for _, _, sql in (one for one in listed if one[0] == "table"):
            yield f"{sql.strip()};"
        yield "INSERT INTO tender_fts(tender_fts, rank) VALUES('hashsize', 67108864);"
        for table in (name for kind, name, sql in listed if kind == "table" and "VIRTUAL" not in sql):
            names = [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]
            values = " || ', ' || ".join(f'quote("{name}")' for name in names)
            for (line,) in raw.execute(f'SELECT {values} FROM "{table}"'):
                yield f"INSERT INTO {table} VALUES ({line});"
        for _, _, sql in (one for one in listed if one[0] != "table"):
            yield f"{sql.strip()};"


def main() -> None:
    """Write the dump of a fresh database to standard output."""
    with tempfile.TemporaryDirectory() as folder:
        database = fill(Path(folder))
        database.close()
        sys.stdout.write("".join(f"{statement}\n" for statement in dump(database.path)))


if __name__ == "__main__":
    main()
