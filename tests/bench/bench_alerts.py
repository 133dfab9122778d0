"""How long alerts take: matching each over what came in, and making an e-mail of 100 tenders with its three files.

``python tests/bench/bench_alerts.py [FOLDER OF PLACSP FILES]`` prints figures of this machine beside a plain query of the same
rows, which is what any of them could be at best.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from workbench.contract.alerts import AlertDraft
from workbench.service.alerts import Alerts
from workbench.service.delivery.message import compose
from workbench.service.delivery.outbox import Outbox, Recipient
from workbench.service.delivery.runs import AlertRuns
from workbench.service.key_directory import Principal
from workbench.service.sample import fill
from workbench.service.service import Service
from workbench.service.store.database import Database, driver
from workbench.service.store.importer import import_paths
from workbench.service.store.tenders_tables import tender

ALERTS = 500
WORDS = ("obras", "mantenimiento", "suministro", "limpieza", "carretera", "software", "vigilancia", "redacción")
CODES = ("45000000-7", "72000000-5", "33000000-0", "90910000-9", "71000000-8", "79000000-4")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    done = work()
    return time.perf_counter() - start, done


def draft(number: int) -> AlertDraft:
    criteria = {
        "keywords": {"include": [WORDS[number % 8], WORDS[(number + 3) % 8]], "exclude": [WORDS[(number + 5) % 8]]},
        "cpvCodes": {"include": [CODES[number % 6]], "exclude": []},
        "budget": {"min": 1_000 * (number % 50)},
    }
    return AlertDraft.model_validate(
        {"title": f"Alert {number}", "windowsSearch": [{"field": "expedientPublishedAt"}], "criteria": criteria}
    )


def main(files: Path | None) -> None:
    moment = [datetime(2026, 3, 2, 12, tzinfo=UTC)]
    with tempfile.TemporaryDirectory() as folder, Service.open(Path(folder), clock=lambda: moment[0]) as service:
        database: Database = service.database
        if files is None:
            fill(database)
        else:
            import_paths(database, [files])
        account = service.access.default_account()
        caller = Principal("k", "k", account.id, 1, 1, mcp_enabled=False, created_at=0, session=True)
        alerts = Alerts(database, service.tenders)
        made, _ = timed(lambda: [alerts.create(caller, draft(number)) for number in range(ALERTS)])
        with database.reader() as connection:
            rows = connection.execute(select(func.count()).select_from(tender)).scalar_one()
        moment[0] += timedelta(days=1)
        first, done = timed(AlertRuns(database).run_due)
        moment[0] += timedelta(days=1)
        quiet, _ = timed(AlertRuns(database).run_due)
        with database.reader() as connection:
            plain, _ = timed(lambda: driver(connection).execute("SELECT rid, id, record FROM tender LIMIT 100").fetchall())
        print(f"{rows:,} tenders, all new; {ALERTS} alerts made in {made / ALERTS * 1e3:.1f} ms each")
        print(f"first run: {first / ALERTS * 1e3:.1f} ms an alert, {sum(run.total for run in done):,} tenders into the outbox")
        print(f"run with nothing new: {quiet / ALERTS * 1e3:.1f} ms an alert")
        outbox = Outbox(database)
        letter = max((letter for letter in outbox.letters(limit=1_000) if letter.total >= 100), key=lambda one: one.total)
        digest = outbox.digest(letter.id)
        assert digest is not None
        hundred = replace(
            digest, entries=digest.entries[:100], total=100, attachments={"hasPdf": True, "hasCsv": True, "hasXlsx": True}
        )
        people = [Recipient("Ana", "ana@example.org", "waiting", None)]
        compose(hundred, people, "alerts@example.org").as_bytes()
        whole, content = timed(lambda: compose(hundred, people, "alerts@example.org").as_bytes())
        print(
            f"e-mail of 100 tenders with three files: {whole * 1e3:.0f} ms, {len(content) / 1e3:.0f} KB "
            f"({whole / plain:,.0f} times the reading of its rows)"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
