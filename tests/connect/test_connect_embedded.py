"""The embedded service through ``connect``: the sample workspace, a folder of one's own, and what goes wrong with either."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench
from workbench.client import AsyncClient, Client
from workbench.client.errors import DataUnusable, InvalidArgument, KeyNotFound, NotFound, ProfileError
from workbench.contract.tenders import Tender


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("WORKBENCH_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WORKBENCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample workspace, filled once for all tests here."""
    place = tmp_path_factory.mktemp("sample") / "workspace"
    with workbench.connect("sample", data=place):
        return place


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with workbench.connect("sample", data=folder) as opened:
        yield opened


def with_sheets(client: Client) -> Tender:
    return next(tender for tender in client.tenders.iterate() if client.tenders.sheets(tender.id or ""))


@pytest.mark.requirement("WHO-1")
@pytest.mark.requirement("KEY-1")
def test_who_calls_and_with_which_key(client: Client) -> None:
    caller = client.whoami()
    assert caller.principal is not None
    assert caller.principal.type == "apiKey"
    assert caller.account is not None
    assert caller.account.slug
    assert "plan" in caller.to_wire()
    key = client.api_key()
    assert key.rate_limit is not None
    assert key.rate_limit.limit
    assert {"expiresAt", "lastUsedAt"} <= key.to_wire().keys()
    assert client.profile is not None
    assert (client.profile.name, client.profile.kind, client.base_url) == ("sample", "embedded", "http://localhost")


@pytest.mark.requirement("TND-1")
@pytest.mark.requirement("TND-3")
def test_searching_and_walking_give_the_same_tenders_in_the_same_order(client: Client) -> None:
    page = client.tenders.search(page_size=100, min_budget=50_000, status=["Publicada"])
    walked = list(client.tenders.iterate(min_budget=50_000, status=["Publicada"], limit=100, page_size=7))
    assert [tender.id for tender in walked] == [tender.id for tender in page][:100]
    assert len({tender.id for tender in walked}) == len(walked) > 10
    assert len(list(client.tenders.iterate())) == 2000
    assert all(tender.status == "Publicada" and (tender.budget_no_taxes or 0) >= 50_000 for tender in walked)


@pytest.mark.requirement("TND-15")
@pytest.mark.requirement("TND-16")
@pytest.mark.requirement("TND-17")
def test_a_tender_its_documents_and_a_file_of_it(client: Client, tmp_path: Path) -> None:
    tender = with_sheets(client)
    assert client.tenders.get(tender.id or "").id == tender.id
    sheet = client.tenders.sheets(tender.id or "")[0]
    path = client.tenders.download_sheet(sheet.id or "", to=tmp_path)
    assert path.read_bytes()[:5] == b"%PDF-"
    assert path.stat().st_size == sheet.size
    assert client.raw.tenders.download_sheet(sheet.id or "").body == path.read_bytes()
    for call in (client.tenders.get, client.tenders.sheets, client.tenders.download_sheet):
        with pytest.raises(NotFound, match="404"):
            call("no-such-id")


@pytest.mark.requirement("ORG-1")
@pytest.mark.requirement("ORG-2")
@pytest.mark.requirement("CPV-1")
def test_an_organization_by_id_and_slug_its_awards_and_a_code(client: Client) -> None:
    tender = next(
        tender for tender in client.tenders.iterate() if tender.success_bidders and tender.contracting_organization_id
    )
    for identity in (tender.contracting_organization_id, tender.success_bidders[0].id):
        organization = client.organizations.get(identity or "")
        assert organization == client.organizations.get(organization.slug or "")
        awards = client.organizations.awards(organization.slug or "")
        assert awards.organization_id == organization.id == identity
        assert awards.type == organization.type
        assert awards.stats
        assert awards.sectors
    code = client.cpv.get(tender.cpv_codes[0].partition("-")[0])
    assert code.code
    assert code.name_es
    for call in (client.organizations.get, client.organizations.awards, client.cpv.get):
        with pytest.raises(NotFound):
            call("no-such-thing")


def test_the_asynchronous_client_gives_the_same(folder: Path, client: Client) -> None:
    async def read() -> list[Any]:
        async with workbench.aconnect("sample", data=folder) as opened:
            assert isinstance(opened, AsyncClient)
            pages = [page async for page in opened.tenders.pages(text="obras", page_size=50)]
            return [tender.to_wire() for page in pages for tender in page]

    expected = [tender.to_wire() for tender in client.tenders.iterate(text="obras")]
    assert asyncio.run(read()) == expected
    assert expected


def test_many_calls_at_once_and_one_after_a_cancelled_one(folder: Path) -> None:
    async def use() -> None:
        client = await workbench.aconnect("sample", data=folder)
        tasks = [asyncio.create_task(client.tenders.search(text="obras", page=page)) for page in range(1, 30)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results[::2])
        assert not any(isinstance(result, BaseException) for result in results[1::2])
        assert len(await client.tenders.search()) == 20
        await client.aclose()
        await client.aclose()

    asyncio.run(use())


def test_opening_that_is_cancelled_leaves_no_service_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.service.service import Service

    begun, go_on, opened = threading.Event(), threading.Event(), list[Service]()
    real = Service.open

    def slow(*arguments: Any, **options: Any) -> Service:
        begun.set()
        go_on.wait(10)
        opened.append(real(*arguments, **options))
        return opened[0]

    monkeypatch.setattr(Service, "open", slow)

    async def cancel() -> None:
        task = asyncio.create_task(_open(tmp_path / "mine"))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)

    asyncio.run(cancel())
    assert opened[0]._closed


def test_the_sync_client_works_where_a_loop_is_running(folder: Path) -> None:
    async def cell() -> int:
        with workbench.connect("sample", data=folder) as client:
            return len(client.tenders.search())

    assert asyncio.run(cell()) == 20


def test_an_empty_folder_of_ones_own_starts_empty(tmp_path: Path) -> None:
    with workbench.connect("local", data=tmp_path / "mine") as client:
        assert list(client.tenders.iterate()) == []
    with workbench.connect(data=str(tmp_path / "mine")) as client:
        assert len(client.tenders.search()) == 0
    with workbench.connect() as client:
        assert client.profile is not None
        assert client.profile.name == "local"
    assert (tmp_path / "data" / "local").is_dir()


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "workbench.sqlite3").write_bytes(b"not a database, but long enough to be mistaken for one" * 50)
    for name in ("file", "foreign"):
        with pytest.raises(DataUnusable, match=r"\w\.$"):
            workbench.connect("local", data=tmp_path / name)
        with pytest.raises(DataUnusable):
            asyncio.run(_open(tmp_path / name))


async def _open(folder: Path) -> None:
    await workbench.aconnect("local", data=folder)


def test_what_does_not_go_together_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ({"profile": "local", "base_url": "https://h"}, {"base_url": "https://h", "data": tmp_path}):
        with pytest.raises(InvalidArgument, match="base_url"):
            workbench.connect(**arguments)  # type: ignore[arg-type]  # a mapping of mixed arguments
    with pytest.raises(ProfileError, match="There are: local, sample"):
        workbench.connect("nowhere")
    monkeypatch.setenv("WORKBENCH_BASE_URL", "https://api.example.org")
    with pytest.raises(InvalidArgument, match="hosted"):
        workbench.connect("environment", data=tmp_path)


def test_a_hosted_service_needs_a_key_and_the_environment_alone_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("WORKBENCH_BASE_URL", "https://api.example.org/v1")
    monkeypatch.setattr("keyring.core._keyring_backend", None)
    with pytest.raises(KeyNotFound, match="environment"):
        workbench.connect()
    monkeypatch.setenv("WORKBENCH_API_KEY", "canary-4f1d7c0a9b")
    with workbench.connect() as client:
        assert repr(client) == "Client(profile='environment', base_url='https://api.example.org')"
    with workbench.connect(base_url="http://127.0.0.1:9", api_key="canary-4f1d7c0a9b") as client:
        assert re.search(r"profile='given', base_url='http://127\.0\.0\.1:9'", repr(client))
    with pytest.raises(InvalidArgument, match="plain http"):
        workbench.connect(base_url="http://api.example.org", api_key="canary-4f1d7c0a9b")
