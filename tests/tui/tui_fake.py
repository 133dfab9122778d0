"""A session without a service, for tests of the screens alone: it answers from a list, late or wrongly on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workbench.contract.organizations import AwardStatistics, Organization
from workbench.contract.tenders import Tender, TenderSheet
from workbench.tui.results import Answer, Ask
from workbench.tui.session import Caller, Session, Start
from workbench.tui.trouble import Trouble

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PAGE = 60


def clock() -> datetime:
    """The frozen present of the tests."""
    return NOW


_SUBJECTS = (
    "Obras de conservación de la carretera C-17", "Servicio de mantenimiento de software municipal",
    "Suministro de equipos informáticos",
    "Limpieza de edificios públicos", "Redacción del proyecto del nuevo centro de salud",
    "Rehabilitación energética del pabellón",
)  # fmt: skip
_BUYERS = ("Ayuntamiento de Ejemplo", "Diputación de Muestra", "Servicio de Salud Ficticio")


def tender(number: int, **fields: Any) -> Tender:
    """An invented tender; ``fields`` are wire names."""
    statuses = ("Publicada", "Adjudicada", "Resuelta", "Formalizada", "Cerrada")
    wire: dict[str, Any] = {
        "id": f"t{number}",
        "expedient": f"EXP-{number:04d}/2026",
        "name": f"{_SUBJECTS[number % len(_SUBJECTS)]} {number}",
        "description": "Objeto del contrato, con palabras suficientes para ocupar más de una línea en la vista previa.",
        "status": statuses[number % 5],
        "contractType": "Obras",
        "procedure": "Abierto",
        "cpvCodes": ["45233120-6", "72000000-5"][: 1 + number % 2],
        "location": "Barcelona",
        "country": "ES",
        "currency": "EUR",
        "budgetNoTaxes": 1000.0 * (number + 1),
        "budgetWithTaxes": 1210.0 * (number + 1),
        "contractingOrganizationId": f"o{number % 3}",
        "contractingOrganization": {"id": f"o{number % 3}", "name": _BUYERS[number % 3], "taxId": "P0800000B"},
        "expedientPublishedAt": (NOW - timedelta(days=number)).isoformat(),
        "expedientSubmissionDeadline": (NOW + timedelta(days=20 - number)).isoformat(),
        "sources": [{"name": "PLACSP", "linkUrl": f"https://example.org/tender/{number}"}],
        "somethingNew": {"kept": number},
    }
    return Tender.model_validate(wire | fields)


def sheet(number: int, **fields: Any) -> TenderSheet:
    """An invented document."""
    wire: dict[str, Any] = {
        "id": f"s{number}", "tenderId": "t0", "name": f"Pliego {number}.pdf", "mimeType": "application/pdf",
        "size": 120_000 + number,
        "publishedAt": NOW.isoformat(), "language": "es",
    }  # fmt: skip
    return TenderSheet.model_validate(wire | fields)


class FakeSession(Session):
    """Answers from ``tenders``. ``gate`` may hold an answer back; ``troubles`` are raised, one a search, first come first."""

    def __init__(self, start: Start | None = None, tenders: Sequence[Tender] | None = None) -> None:
        super().__init__(start or Start("sample"))
        self.tenders = [tender(number) for number in range(150)] if tenders is None else list(tenders)
        self.documents: list[TenderSheet] = [sheet(1), sheet(2)]
        self.asked: list[dict[str, Any]] = []
        self.gate: Callable[[Ask], asyncio.Event | None] = lambda ask: None
        self.troubles: list[Trouble] = []
        self.open_trouble: Trouble | None = None
        self.download_gate: asyncio.Event | None = None
        self.total: int | None = None
        self.organization_record: dict[str, Any] = {
            "id": "o1",
            "name": "Diputación de Muestra",
            "type": "public-contracting-institution",
        }
        self.embedded = True

    async def open(self) -> Caller:
        if self.open_trouble is not None:
            trouble, self.open_trouble = self.open_trouble, None
            raise trouble
        self.caller = Caller(
            self.start.profile or "sample", self.embedded, "embedded", "Sample account", "enterprise", sample=True
        )
        return self.caller

    def found(self, ask: Ask) -> list[Tender]:
        """The tenders whose name holds the words of the search, of its statuses."""
        query = ask.query
        rows = [row for row in self.tenders if query.text.strip().lower() in str(row.name or "").lower()]
        return [row for row in rows if not query.statuses or row.status in query.statuses]

    async def search(self, ask: Ask, now: datetime) -> Answer:
        self.asked.append(ask.query.parameters(now) | {"page": ask.page})
        held = self.gate(ask)
        if held is not None:
            await held.wait()
        if self.troubles:
            raise self.troubles.pop(0)
        rows = self.found(ask)
        first = (ask.page - 1) * PAGE
        return Answer(tuple(rows[first : first + PAGE]), first + PAGE < len(rows), self.total, 0.012)

    async def tender(self, tender_id: str) -> Tender:
        return next(row for row in self.tenders if row.id == tender_id)

    async def sheets(self, tender_id: str) -> tuple[TenderSheet, ...]:
        return tuple(self.documents)

    async def download(self, sheet_id: str, folder: Path, progress: Callable[[int, int | None], None]) -> Path:
        progress(50_000, 120_000)
        if self.download_gate is not None:
            await self.download_gate.wait()
        if self.troubles:
            raise self.troubles.pop(0)
        return folder / f"{sheet_id}.pdf"

    async def organization(self, reference: str) -> Organization:
        return Organization.model_validate(self.organization_record)

    async def awards(self, reference: str) -> AwardStatistics:
        return AwardStatistics.model_validate({
            "organizationId": "o1", "type": "public-contracting-institution",
            "stats": [{"year": 2025, "count": 3, "totalAmount": 12000.0}, {"year": 2026, "count": 1, "totalAmount": 4000.0}],
            "sectors": [{"divisionCode": "45", "divisionNameEn": "Construction work", "emoji": "🏗",
            "count": 3, "percentage": 75.0}],
        })  # fmt: skip

    async def close(self) -> None:
        self.caller = None
