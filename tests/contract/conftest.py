"""A service to call over HTTP only: once inside this process and once over a socket, with tenders to find in it.

Or a hosted account, so that you can see what your service does differently::

    pytest tests/contract --base-url https://api.example.org --key-from MY_KEY

``--key-from`` names an environment variable that holds the key, or a file that only you may read. Nothing is written there:
only GET and the two searches by POST are sent, each test that would write, make a key, move the clock or needs the invented
tenders is skipped and says so, and a 429 is waited out. A failure is an answer that contradicts the interface; an expected
failure (``xfailed``, its reason in the summary) is an answer that differs from the embedded service's where the interface
does not say.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import hosted
import httpx2
import pytest
from hosted import Hosted
from pydantic import SecretStr
from sqlalchemy import select, update
from starlette.testclient import TestClient

from workbench.feeds.notice import Award, Document, Location, Notice, Origin, Party
from workbench.service.access import Access
from workbench.service.fetching import FetchPolicy
from workbench.service.links import DocumentLinks
from workbench.service.serve import Ready, run
from workbench.service.service import Service
from workbench.service.store.database import Database
from workbench.service.store.importer import apply_items
from workbench.service.store.tenders_tables import document

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FILE = bytes(range(256)) * 400

STATUSES = ("Publicada", "Adjudicada", "Resuelta", "Formalizada", "Cerrada")
CPVS = ("45233120-6", "45233000-9", "45000000-7", "72000000-5", "72210000-0", "30213000-5")
TOWNS = (("08", "Barcelona"), ("08", "Sabadell"), ("28", "Madrid"), ("15", "A Coruña"), (None, None))
WORDS = ("carretera", "obras", "software", "mantenimiento", "limpieza", "señalización", "licencias", "autopista")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("contract")
    group.addoption("--base-url", metavar="URL", help="run the read-only part of the contract suite against this service")
    group.addoption("--key-from", metavar="NAME|FILE", help="environment variable, or file, that holds the key for --base-url")


def hosted_url(config: pytest.Config) -> str | None:
    """The address given with ``--base-url``."""
    return config.getoption("--base-url", default=None)


def pytest_configure(config: pytest.Config) -> None:
    if hosted_url(config) and not config.getoption("--key-from"):
        raise pytest.UsageError("--base-url needs --key-from, which names where the key is")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "world" in metafunc.fixturenames:
        kinds = ["hosted"] if hosted_url(metafunc.config) else ["in process", "over http"]
        metafunc.parametrize("world", kinds, indirect=True, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hosted_url(config) is None:
        return
    flood = pytest.mark.skip(reason="asks hundreds of times with random requests; a hosted account is spared that")
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(flood)


SOURCE = "https://198.51.100.7"
"""An address that is nobody's (RFC 5737) and that no service calls: documents of the invented tenders are there."""

FETCH_PORTS: set[int] = set()
"""Ports of this machine at which a test has put a source of documents; the services under test call no other address."""

FETCHING = FetchPolicy(judge=lambda _host, port, address: address.is_loopback and port in FETCH_PORTS, seconds=20.0)


class Clock:
    """A clock that stands until it is moved; it only goes forward, as the service's windows expect."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class World:
    """A running service: its address, its clock, and its owner's administration in another connection."""

    client: httpx2.Client
    clock: Clock
    database: Database
    access: Access
    links: DocumentLinks
    suite_key: SecretStr
    hosted: ClassVar[bool] = False
    fetch_ports: ClassVar[set[int]] = FETCH_PORTS

    @property
    def token(self) -> str:
        return self.suite_key.get_secret_value()

    def call(self, method: str, path: str, *, key: str | None = None, **options: Any) -> httpx2.Response:
        """One request with ``key``; the world's own key, which is hardly rationed, unless another is given ("" for none)."""
        headers: dict[str, str] = dict(options.pop("headers", {}))
        token = self.token if key is None else key
        if token:
            headers["api-key"] = token
        return self.client.request(method, path, headers=headers, **options)

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.call("GET", path, **options)

    def search(self, **body: Any) -> dict[str, Any]:
        """One page of a search that must succeed."""
        answer = self.call("POST", "/v1/tenders/search", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def search_all(self, **body: Any) -> list[dict[str, Any]]:
        """Every tender of a search, page by page."""
        found: list[dict[str, Any]] = []
        for page in range(1, 1_000):
            answer = self.search(**{"pageSize": 100, **body, "page": page})
            found += answer["data"]
            if not answer["pagination"]["hasNextPage"]:
                return found
        raise AssertionError("the pages never end")

    def serves(self, operation: str) -> bool:
        """Whether the service answers an operation, by its own description."""
        paths = self.get("/v1/openapi.json", key="").json()["paths"]
        return any(one["operationId"] == operation for methods in paths.values() for one in methods.values())

    def new_key(self, name: str = "another", **options: Any) -> str:
        return self.access.create_key(name, **options).token.get_secret_value()


def refusal(answer: httpx2.Response, status: int, code: str) -> str:
    """The message of an error answer, which must have the house form."""
    body = answer.json()
    assert (answer.status_code, body["statusCode"], body["error"]) == (status, status, code), answer.text
    assert set(body) == {"statusCode", "error", "message"}
    assert body["message"].endswith(".")
    assert answer.headers["content-type"].startswith("application/json")
    return body["message"]


@pytest.fixture(scope="session", name="refusal")
def refusal_(request: pytest.FixtureRequest) -> Any:
    return hosted.refusal if hosted_url(request.config) else refusal


def notices() -> list[Notice]:
    """Some seventy openly invented tenders that differ in everything that can be asked for."""
    random = Random(7)
    made: list[Notice] = []
    for number in range(70):
        published = NOON - timedelta(days=random.randrange(400), minutes=random.randrange(1440))
        status = random.choice(STATUSES)
        province, town = random.choice(TOWNS)
        budget = random.choice((None, 1_000.0, 100_000.0, 250_000.5, float(random.randrange(10_000_000))))
        awarded = published + timedelta(days=60) if status != "Publicada" else None
        made.append(
            Notice(
                source="invented",
                source_id=f"invented/{number}",
                version_at=published + timedelta(hours=random.randrange(3_000)),
                origin=Origin("invented.atom", position=number + 1),
                status=status,
                expedient=f"EXP-{number:03}",
                name=" ".join(random.sample(WORDS, 3)).capitalize(),
                description=" ".join(random.sample(WORDS, 4)),
                contract_type=random.choice(("Obras", "Servicios", "Suministros")),
                procedure="Abierto",
                language="es",
                currency="EUR",
                budget_no_taxes=budget,
                cpvs=tuple(random.sample(CPVS, random.randrange(1, 3))),
                locations=(Location("ES", province, town),) if province else (Location("PT"),),
                buyer=Party(f"Ayuntamiento inventado {number % 5}", (("NIF", f"P080000{number % 5}A"),), country="ES"),
                awards=(_award(number, budget, awarded),) if awarded else (),
                documents=tuple(
                    Document(f"Pliego {place} (año).pdf", f"{SOURCE}/{number}/{place}", f"{number}-{place}")
                    for place in range(number % 3)
                ),
                published_at=published,
                deadline_at=published + timedelta(days=random.randrange(5, 120)) if number % 7 else None,
                awarded_at=awarded,
            )
        )
    return made


def _award(number: int, budget: float | None, awarded: datetime) -> Award:
    supplier = Party(f"Suministros inventados {number % 4}, S.L.", (("NIF", f"B080000{number % 4}"),), country="ES")
    return Award(supplier=supplier, amount_no_taxes=budget, currency="EUR", awarded_at=awarded, offers=3)


def _keep_a_file(database: Database) -> None:
    """Give the first document of every tender its file; the others stay at their source."""
    first = select(document.c.id).where(
        document.c.position == select(document.c.position).order_by("position").limit(1).scalar_subquery()
    )
    with database.writer() as connection:
        connection.execute(
            update(document).where(document.c.id.in_(first)).values(content=FILE, mime_type="application/pdf", size=len(FILE))
        )


@pytest.fixture(scope="session")
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World | Hosted]:
    """The service under test; each test that takes it runs both inside this process and over a socket, or hosted."""
    if base_url := hosted_url(request.config):
        account = Hosted(base_url, hosted.key_from(request.config.getoption("--key-from")))
        with account.client:
            yield account
        return
    folder = tmp_path_factory.mktemp("service")
    clock = Clock()
    database = Database(folder, clock=clock)
    apply_items(database, notices())
    _keep_a_file(database)
    access = Access(database)
    suite_key = access.create_key("suite", rate_limit=1_000_000).token
    opened = _in_process if request.param == "in process" else _over_http
    with opened(folder, clock) as client:
        yield World(client, clock, database, access, DocumentLinks(database), suite_key)
    database.close()


class _in_process:  # noqa: N801 - used as a function
    def __init__(self, folder: Path, clock: Clock) -> None:
        self._service = Service.open(folder, clock=clock, fetching=FETCHING)
        self._client = TestClient(self._service.app, base_url="http://in-process", raise_server_exceptions=True)

    def __enter__(self) -> httpx2.Client:
        return self._client.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._client.__exit__(*error)
        self._service.close()


class _over_http:  # noqa: N801 - used as a function
    def __init__(self, folder: Path, clock: Clock) -> None:
        self._ready: list[Ready] = []
        self._answering, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(folder, clock))

    def _serve(self, folder: Path, clock: Clock) -> None:
        try:
            run(folder, port=0, on_ready=self._note, no_key=True, stop=self._stop, clock=clock, fetching=FETCHING)
        finally:
            self._answering.set()

    def _note(self, ready: Ready) -> None:
        self._ready.append(ready)
        self._answering.set()

    def __enter__(self) -> httpx2.Client:
        self._thread.start()
        assert self._answering.wait(30)
        self._client = httpx2.Client(base_url=self._ready[0].base_url)
        return self._client

    def __exit__(self, *error: Any) -> None:
        self._client.close()
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()
