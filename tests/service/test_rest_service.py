"""The service as an object: opened, used from many threads, filled with the sample, and closed in good order."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from workbench.service.service import Service
from workbench.service.store.failures import StoreError


def test_a_new_folder_gets_its_account_and_a_second_opening_keeps_it(tmp_path: Path) -> None:
    seen: list[dict[str, object]] = []
    for _ in range(2):
        with Service.open(tmp_path / "data") as service, TestClient(service.app) as client:
            key = service.session_key("notebook").get_secret_value()
            answer = client.get("/v1/whoami", headers={"api-key": key})
            assert answer.headers["ratelimit-limit"] == "100000"
            seen.append(answer.json())
    assert seen[0]["account"] == seen[1]["account"]
    assert seen[0]["principal"] != seen[1]["principal"]


def test_after_closing_a_request_is_refused_and_nothing_is_opened_again(tmp_path: Path) -> None:
    service = Service.open(tmp_path)
    stored = service.access.create_key("stored").token.get_secret_value()
    session = service.session_key("session").get_secret_value()
    app = service.app
    service.close()
    service.close()
    with TestClient(app) as client:
        for key in (stored, session):
            answer = client.get("/v1/whoami", headers={"api-key": key})
            assert (answer.status_code, answer.json()["error"]) == (503, "INTERNAL_ERROR")
    with pytest.raises(StoreError, match="has been closed"), service.working():
        pass
    service.note_use("key", 0.0)


def test_closing_waits_for_what_is_being_answered(tmp_path: Path) -> None:
    service = Service.open(tmp_path)
    began, finish = threading.Event(), threading.Event()
    seen: list[str] = []

    def work() -> None:
        with service.working():
            began.set()
            finish.wait(30)
            seen.append("answered")

    def close() -> None:
        service.close()
        seen.append("closed")

    threads = [threading.Thread(target=target) for target in (work, close)]
    threads[0].start()
    assert began.wait(30)
    threads[1].start()
    finish.set()
    for thread in threads:
        thread.join(30)
    assert seen == ["answered", "closed"]


@pytest.mark.requirement("KEY-1")
def test_the_last_use_of_a_key_outlives_the_service(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with Service.open(tmp_path, clock=lambda: now) as service, TestClient(service.app) as client:
        made = service.access.create_key("laptop")
        assert made.key.last_used_at is None
        client.get("/v1/whoami", headers={"api-key": made.token.get_secret_value()})
    with Service.open(tmp_path) as service:
        key = service.access.key(made.key.id)
        assert key is not None
        assert key.last_used_at == now


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=r"is a file, not a folder\..*--data"):
        Service.open(tmp_path / "file")


@pytest.mark.requirement("TND-17")
def test_the_sample_workspace_is_served_with_documents_that_open(tmp_path: Path) -> None:
    with Service.open(tmp_path, sample=True) as service, TestClient(service.app) as client:
        client.headers["api-key"] = service.session_key("notebook").get_secret_value()
        page = client.post("/v1/tenders/search", json={"pageSize": 1}).json()
        tender = page["data"][0]
        sheet = client.get(f"/v1/tenders/{tender['id']}/sheets").json()[0]
        file: httpx2.Response = client.get(f"/v1/tenders/sheets/{sheet['id']}/download")
        assert file.content.startswith(b"%PDF-")
        assert file.headers["content-type"] == "application/pdf"
        assert len(file.content) == sheet["size"]
        account = client.get("/v1/whoami").json()
        assert account["account"]["slug"] == "local"
        linked = account["organization"]
        assert client.get(f"/v1/organizations/{linked['id']}").json()["name"] == linked["name"]
