"""A database with two accounts, invented tenders and boards, for the tests of the use cases."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from store_builders import NOW, notice

from workbench.service.access import Access
from workbench.service.administration import BoardAdministration
from workbench.service.board_templates import StagePlan
from workbench.service.scope import AccountScope
from workbench.service.store.database import Database
from workbench.service.store.identity import tender_id
from workbench.service.store.importer import apply_items
from workbench.service.tracking import Tracking

STAGES = (StagePlan("New"), StagePlan("Doing"), StagePlan("Won", "won"), StagePlan("Lost", "lost"))
UNKNOWN = "00000000-0000-4000-8000-000000000000"


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class House:
    """One account of the database, with a pipeline."""

    database: Database
    slug: str
    account_id: str
    pipeline: dict[str, Any]

    @property
    def scope(self) -> AccountScope:
        return AccountScope(self.database, self.account_id)

    @property
    def administration(self) -> BoardAdministration:
        return BoardAdministration(self.database, self.slug)

    @property
    def tracking(self) -> Tracking:
        return Tracking(self.database, self.slug)

    @property
    def stages(self) -> dict[str, str]:
        return {stage["name"]: stage["id"] for stage in self.pipeline["statuses"]}

    def track(self, number: int = 1, **options: Any) -> str:
        return self.tracking.track(tender(number), self.pipeline["id"], again=True, **options)["id"]


def tender(number: int) -> str:
    """The id of an invented tender, 1 to 9."""
    one = notice(number)
    return tender_id(one.source, one.source_id)


def house(database: Database, name: str) -> House:
    account = Access(database).create_account(name)
    made = BoardAdministration(database, account.slug).create_pipeline(f"{name} board", STAGES)
    return House(database, account.slug, account.id, made)


def furnished(folder: Path, clock: Clock | None = None) -> Database:
    """A database with nine tenders whose budgets are 1,000 to 9,000 in euros, the ninth in zloty."""
    database = Database(folder, clock=clock or Clock())
    items = [
        notice(
            number,
            budget_no_taxes=1_000.0 * number,
            duration_days=365 * number,
            currency="PLN" if number == 9 else "EUR",
            deadline_at=NOW + timedelta(days=10 - number) if number % 3 else None,
        )
        for number in range(1, 10)
    ]
    apply_items(database, items)
    return database
