"""What an e-mail of an alert says, before anyone decides how it looks: the values of every form that it takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from workbench.contract.record import JsonObject
from workbench.service.delivery.changes import Change
from workbench.service.delivery.gathering import Reason
from workbench.service.delivery.wording import clean

HEADINGS: Final = {
    Reason.NEW: "New",
    Reason.AWARDED: "Awarded",
    Reason.DEADLINE: "Deadline near",
    Reason.MODIFIED: "Modified",
}

_COUNTED: Final = {
    Reason.NEW: "new",
    Reason.AWARDED: "awarded",
    Reason.DEADLINE: "closing",
    Reason.MODIFIED: "modified",
}


@dataclass(frozen=True, slots=True)
class Recipient:
    """A person whom an e-mail is for; ``state`` is ``waiting``, ``sent`` or ``refused``, and then ``error`` says why."""

    name: str
    email: str | None
    state: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One tender with why it is there and what changed in it; ``record`` is its wire JSON."""

    reasons: tuple[Reason, ...]
    changes: tuple[Change, ...]
    record: JsonObject

    @classmethod
    def read(cls, reasons: Sequence[str], changes: Sequence[JsonObject], record: str) -> Entry:
        """An entry as the outbox keeps it."""
        found = tuple(Change(one["field"], one["before"], one["after"]) for one in changes)
        return cls(tuple(map(Reason, reasons)), found, json.loads(record))

    @property
    def link(self) -> str | None:
        """Where the tender's own source shows it."""
        sources: list[JsonObject] = self.record.get("sources") or []
        addresses = [self.record.get("platformUrl"), *(source.get("linkUrl") for source in sources)]
        return next((one for one in addresses if isinstance(one, str) and one.startswith(("https://", "http://"))), None)


@dataclass(frozen=True, slots=True)
class Section:
    """The tenders whose first reason is the same."""

    reason: Reason
    entries: tuple[Entry, ...]

    @property
    def heading(self) -> str:
        """What the section is called."""
        return HEADINGS[self.reason]

    @property
    def count(self) -> str:
        """``3 new``."""
        return f"{len(self.entries):,} {_COUNTED[self.reason]}"


@dataclass(frozen=True, slots=True)
class Digest:
    """One e-mail. ``total`` is how many tenders set the alert off; ``entries`` are those that it holds."""

    id: str
    alert_id: str
    created_at: datetime
    total: int
    title: str
    description: str | None
    account: str
    criteria: JsonObject
    zone: ZoneInfo
    attachments: JsonObject
    entries: tuple[Entry, ...] = field(repr=False)

    @classmethod
    def read(
        cls,
        id: str,  # noqa: A002 - the field's name
        alert_id: str,
        created_at: datetime,
        total: int,
        said: dict[str, Any],
        entries: Sequence[Entry],
    ) -> Digest:
        """A digest as the outbox keeps it: ``said`` is what the alert was when it ran."""
        return cls(
            id=id,
            alert_id=alert_id,
            created_at=created_at,
            total=total,
            title=clean(said["title"]),
            description=clean(said["description"]) if said["description"] else None,
            account=clean(said["account"]),
            criteria=said["criteria"],
            zone=ZoneInfo(said["timezone"]),
            attachments=said["attachments"],
            entries=tuple(entries),
        )

    @property
    def sections(self) -> tuple[Section, ...]:
        """The tenders by their first reason; sections without any are left out."""
        found = ((reason, tuple(entry for entry in self.entries if entry.reasons[0] == reason)) for reason in Reason)
        return tuple(Section(reason, entries) for reason, entries in found if entries)

    @property
    def counts(self) -> str:
        """``3 new, 1 modified``, or ``nothing new``."""
        if not self.entries:
            return "nothing new"
        if self.total > len(self.entries):
            return f"{self.total:,} tenders"
        return ", ".join(section.count for section in self.sections)

    @property
    def subject(self) -> str:
        """The subject line."""
        return f"{self.title}: {self.counts}"
