"""A service with a clock that is moved by hand, its REST interface, and delivery by a real mail server."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mail_server import Mailbox, mail_server
from starlette.testclient import TestClient

from workbench.feeds.notice import FeedItem, Location, Notice, Origin, Party
from workbench.service.delivery.loop import Delivery
from workbench.service.delivery.outbox import Outbox
from workbench.service.delivery.post import MailServer
from workbench.service.service import Service
from workbench.service.store.importer import apply_items

SATURDAY = datetime(2026, 3, 28, 15, tzinfo=UTC)
"""The afternoon before clocks go forward in the Canaries, at 01:00 of the next day."""

PUBLICATION = {"field": "expedientPublishedAt"}
AWARD = {"field": "expedientAdjudicationDate"}
EVERY_DAY = {"type": "daily", "weekdays": [1, 2, 3, 4, 5, 6, 7]}
ALL_FILES = {"hasPdf": True, "hasCsv": True, "hasXlsx": True}


class HandClock:
    """Stands until it is moved, forward or back."""

    def __init__(self, now: datetime = SATURDAY) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


class AlertWorld:
    """The service in ``folder`` with an account, two of its users, and delivery to ``mailbox``."""

    def __init__(self, folder: Path, address: tuple[str, int], mailbox: Mailbox) -> None:
        self.folder = folder
        self.clock = HandClock()
        self.mailbox = mailbox
        self.post = MailServer(*address, sender="alerts@example.org")
        self._open()
        self.users = [
            self.service.access.create_user("local", name, email=f"{name.lower()}@example.org").id for name in ("Ana", "Berta")
        ]

    def _open(self) -> None:
        self.service = Service.open(self.folder, clock=self.clock)
        self.client = TestClient(self.service.app, base_url="http://in-process").__enter__()
        self.key = self.service.session_key("test").get_secret_value()
        self.delivery = Delivery(self.service.database, self.post)
        self.outbox = Outbox(self.service.database)

    def restart(self) -> None:
        self.close()
        self._open()

    def close(self) -> None:
        self.client.__exit__(None, None, None)
        self.service.close()

    def call(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        answer = self.client.request(method, path, headers={"api-key": self.key}, **({"json": body} if method != "GET" else {}))
        assert answer.status_code == status, answer.text
        return answer.json()

    def alert(self, **fields: Any) -> dict[str, Any]:
        """A new alert over REST: sent to the first user every day at 8 in the Canaries unless said otherwise."""
        config = {"frequency": EVERY_DAY, "hour": 8, "timezone": "Atlantic/Canary", **fields.pop("notificationConfig", {})}
        draft: dict[str, Any] = {
            "title": "Obras en Canarias",
            "windowsSearch": [PUBLICATION],
            "responsibles": [{"id": self.users[0], "receiveEmails": True}],
        }
        return self.call("POST", "/v1/alerts", 201, **{**draft, **fields, "notificationConfig": config})

    def get(self, alert: dict[str, Any]) -> dict[str, Any]:
        return self.call("GET", f"/v1/alerts/{alert['id']}")

    def results(self, alert: dict[str, Any], **filters: Any) -> list[dict[str, Any]]:
        return self.call("POST", f"/v1/alerts/{alert['id']}/results", pageSize=100, **filters)["data"]

    def apply(self, *items: FeedItem) -> None:
        apply_items(self.service.database, items)

    def ids_in(self, delivery_id: str) -> list[str]:
        digest = self.outbox.digest(delivery_id)
        assert digest is not None
        return [entry.record["id"] for entry in digest.entries]

    def titles_by_section(self) -> dict[str, list[str]]:
        """The names in the newest e-mail, by section."""
        digest = self.outbox.digest(self.outbox.letters(limit=1)[0].id)
        assert digest is not None
        return {str(section.reason): sorted(entry.record["name"] for entry in section.entries) for section in digest.sections}

    def rounds(self, count: int = 1, **apart: float) -> int:
        """So many rounds with the clock moved before each; how many e-mails left."""
        before = len(self.mailbox.taken)
        for _ in range(count):
            self.clock.move(**apart)
            self.delivery.round()
        return len(self.mailbox.taken) - before


@contextmanager
def alert_world(folder: Path) -> Iterator[AlertWorld]:
    mailbox = Mailbox()
    with mail_server(mailbox) as address:
        world = AlertWorld(folder, address, mailbox)
        try:
            yield world
        finally:
            world.close()


def tender(number: int, at: datetime = SATURDAY - timedelta(days=1), **values: Any) -> Notice:
    """An open tender for works in Las Palmas, version ``at``; any field by its name."""
    fields: dict[str, Any] = {
        "status": "Publicada",
        "expedient": f"OB {number}",
        "name": f"Obras de la carretera {number}",
        "description": "Mejora del firme",
        "contract_type": "Obras",
        "currency": "EUR",
        "budget_no_taxes": 100_000.0 + number,
        "cpvs": ("45233120-6",),
        "locations": (Location("ES", "35", "Telde"),),
        "buyer": Party("Cabildo de Ejemplo", (("DIR3", "L03350013"),), country="ES"),
        "link_url": f"https://example.org/tenders/{number}",
        "published_at": SATURDAY - timedelta(days=1),
        "deadline_at": SATURDAY + timedelta(days=20),
    }
    return Notice("invented", f"https://example.org/tenders/{number}", at, Origin("invented.atom"), **{**fields, **values})


def tenders(numbers: Iterable[int], **values: Any) -> list[Notice]:
    return [tender(number, **values) for number in numbers]


def text_of_pdf(content: bytes, folder: Path) -> str | None:
    """The text of a PDF as a reader of PDFs gives it; ``None`` where none is installed."""
    reader = shutil.which("pdftotext")
    if reader is None:
        return None
    path = folder / "read.pdf"
    path.write_bytes(content)
    done = subprocess.run([reader, "-layout", str(path), "-"], capture_output=True, check=True)
    return done.stdout.decode()
