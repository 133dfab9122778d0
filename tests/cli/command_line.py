"""What the tests of the command share: its outcome, a client without a service, a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.contract.record import Page
from workbench.contract.tenders import Tender

CONTROLS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"}
"""What must never reach a pipe; CSV lines also end in a carriage return."""


@dataclass(frozen=True)
class Outcome:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@dataclass
class FakeTenders:
    """Gives the same records to every search and keeps what it was asked."""

    wires: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    has_next_page: bool = False
    trouble: Exception | None = None
    trouble_after: int = 0

    def search(self, **query: Any) -> Page[Tender]:
        self.asked.append(dict(query))
        if self.trouble is not None:
            raise self.trouble
        envelope = {"data": self.wires, "pagination": {"page": 1, "pageSize": 20, "hasNextPage": self.has_next_page}}
        return Page[Tender].model_validate(envelope)

    def iterate(self, *, limit: int | None = None, **query: Any) -> Iterator[Tender]:
        self.asked.append(dict(query) | {"limit": limit})
        for at, wire in enumerate(self.wires):
            if self.trouble is not None and at == self.trouble_after:
                raise self.trouble
            yield Tender.model_validate(wire)

    def get(self, _id: str) -> Tender:
        if self.trouble is not None:
            raise self.trouble
        return Tender.model_validate(self.wires[0])


@dataclass
class FakeClient:
    """A client without a service."""

    tenders: FakeTenders = field(default_factory=FakeTenders)
    opened: list[tuple[str | None, Path | None]] = field(default_factory=list[tuple[str | None, Path | None]])
    closed: int = 0

    def close(self) -> None:
        self.closed += 1


def wire(name: str = "Obras de carretera", **fields: Any) -> dict[str, Any]:
    """A tender as a service might send it, with a field that the workbench does not know."""
    known = {"id": "t-1", "name": name, "status": "Publicada", "currency": "EUR", "budgetNoTaxes": 1234567.5}
    return known | {"expedientPublishedAt": "2026-03-01T09:30:00+01:00", "newField": {"deep": [1, None, "ñ"]}} | fields


def no_controls(text: str, allowed: Sequence[str] = ()) -> bool:
    """Whether a text may go to a terminal as it is."""
    return not (set(text) & (CONTROLS - set(allowed)))
