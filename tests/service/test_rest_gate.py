"""The gate alone, in front of a route that echoes: sizes, hosts, keys, the window, time-outs and faults."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from workbench.service.access import Access
from workbench.service.gate import LOOPBACK_HOSTS, Gate, Limits
from workbench.service.key_directory import KeyDirectory
from workbench.service.rate_window import RateWindows
from workbench.service.refusals import not_found
from workbench.service.store.database import Database
from workbench.service.store.failures import SearchTooSlow, StoreBusy, StoreError, StoreFull

TROUBLES: dict[str, Exception] = {
    "/busy": StoreBusy("the database /home/ana/data is busy"),
    "/full": StoreFull("the disk of /home/ana/data is full"),
    "/slow": SearchTooSlow("the search for 'secret plan' took too long"),
    "/broken": StoreError("the database /home/ana/data is damaged"),
    "/bug": RuntimeError("wb_secret-token"),
    "/missing": not_found("Nothing of that name."),
}


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the size of the body, or fails in the way that the path names."""
    if scope["path"] in TROUBLES:
        raise TROUBLES[scope["path"]]
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    if scope["path"] == "/half":
        raise RuntimeError("in the middle")
    await send({"type": "http.response.body", "body": str(size).encode()})


class World:
    """A gate over :func:`echo`, a key that opens it, and a clock that stands until it is moved."""

    def __init__(self, folder: Path) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.database = Database(folder, clock=lambda: self.now)
        self.access = Access(self.database)
        self.keys = KeyDirectory(self.database)
        self.uses: list[str] = []
        self.key = self.token()

    def token(self, **options: Any) -> str:
        return self.access.create_key("test", **options).token.get_secret_value()

    def client(self, *, hosts: frozenset[str] | None = None, limits: Limits | None = None) -> httpx2.AsyncClient:
        gate = Gate(
            echo,
            self.keys,
            RateWindows(),
            clock=lambda: self.now,
            keyless=lambda path: path == "/open",
            on_use=lambda key_id, _: self.uses.append(key_id),
            hosts=hosts,
            limits=limits,
        )
        transport = httpx2.ASGITransport(gate, raise_app_exceptions=False)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765", headers={"api-key": self.key})

    def close(self) -> None:
        self.keys.close()
        self.database.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    body = answer.json()
    assert body.keys() == {"statusCode", "error", "message"}
    assert body["statusCode"] == answer.status_code
    assert body["message"].endswith(".")
    return answer.status_code, body["error"]


@pytest.mark.anyio
@pytest.mark.requirement("AUTH-3")
async def test_every_bad_key_is_told_apart_in_words_only(world: World) -> None:
    disabled = world.access.create_key("off")
    world.access.disable_key(disabled.key.id)
    expiring = world.token(expires_at=world.now + timedelta(seconds=10))
    async with world.client() as client:
        assert (await client.get("/", headers={"api-key": expiring})).status_code == 200
        world.now += timedelta(seconds=10)
        seen = set[str]()
        for key in ("", "  ", "wb_wrong", "ñ", disabled.token.get_secret_value(), expiring):
            answer = await client.get("/", headers={"api-key": key.encode()})
            assert refusal(answer) == (401, "UNAUTHORIZED")
            assert not key.strip() or key not in answer.text
            seen.add(answer.json()["message"])
        del client.headers["api-key"]
        assert refusal(await client.get("/")) == (401, "UNAUTHORIZED")
        assert (await client.get("/open")).status_code == 200
    assert len(seen) == 4


@pytest.mark.anyio
async def test_blanks_around_the_key_are_no_part_of_it_and_two_keys_are_one_too_many(world: World) -> None:
    async with world.client() as client:
        assert (await client.get("/", headers={"api-key": f" {world.key}\t "})).status_code == 200
        twice = [(b"api-key", world.key.encode()), (b"api-key", b"wb_other")]
        del client.headers["api-key"]
        assert refusal(await client.get("/", headers=twice)) == (401, "UNAUTHORIZED")


@pytest.mark.anyio
@pytest.mark.requirement("LIM-1")
async def test_the_window_refuses_until_it_ends_and_counts_before_anything_is_read(world: World) -> None:
    key = world.token(rate_limit=3)
    async with world.client() as client:
        client.headers["api-key"] = key
        left = [(await client.get(path)).headers["ratelimit-remaining"] for path in ("/", "/missing", "/bug")]
        assert left == ["2", "1", "0"]
        world.now += timedelta(seconds=20)
        for _ in range(3):
            answer = await client.post("/", content=b"x" * 2_000_000)
            assert refusal(answer) == (429, "RATE_LIMIT_EXCEEDED")
            limits = [answer.headers[name] for name in ("retry-after", "ratelimit-limit", "ratelimit-reset")]
            assert limits == ["40", "3", "40"]
        world.now += timedelta(seconds=40)
        assert (await client.get("/")).status_code == 200


@pytest.mark.anyio
@pytest.mark.requirement("LIM-1")
async def test_three_hundred_requests_a_minute_are_exact_under_concurrency(world: World) -> None:
    statuses: list[int] = []
    async with world.client() as client:

        async def ask() -> None:
            statuses.append((await client.get("/")).status_code)

        async with anyio.create_task_group() as group:
            for _ in range(320):
                group.start_soon(ask)
    assert (statuses.count(200), statuses.count(429)) == (300, 20)


@pytest.mark.anyio
async def test_sizes_are_refused_before_they_are_held(world: World) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 100_000
            yield b"x" * 100_000

    async with world.client() as client:
        assert (await client.post("/", content=b"x" * 1024 * 1024)).text == str(1024 * 1024)
        assert refusal(await client.post("/", content=b"x" * (1024 * 1024 + 1))) == (413, "BODY_TOO_LARGE")
        assert refusal(await client.post("/", content=endless())) == (413, "BODY_TOO_LARGE")
        assert sent < 1_200_000
        lying = {"content-length": "9" * 400}
        assert refusal(await client.post("/", content=b"x", headers=lying)) == (413, "BODY_TOO_LARGE")
        assert (await client.get("/", headers={"x": "y" * 30_000})).status_code == 200
        assert refusal(await client.get("/", headers={"x": "y" * 33_000})) == (431, "HEADERS_TOO_LARGE")


@pytest.mark.anyio
async def test_a_body_that_does_not_come_is_given_up(world: World) -> None:
    async def stalled() -> AsyncIterator[bytes]:
        yield b"{"
        await anyio.sleep_forever()

    async with world.client(limits=Limits(read_seconds=0.01)) as client:
        assert refusal(await client.post("/", content=stalled())) == (408, "REQUEST_TIMEOUT")


@pytest.mark.anyio
async def test_other_host_names_are_refused_on_loopback(world: World) -> None:
    async with world.client(hosts=LOOPBACK_HOSTS) as client:
        for host in ("127.0.0.1", "127.0.0.1:9", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]"):
            assert (await client.get("/", headers={"host": host})).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.", "[::2]", "", "evil@127.0.0.1"):
            assert refusal(await client.get("/", headers={"host": host})) == (421, "INVALID_REQUEST")
            assert (await client.get("/open", headers={"host": host})).status_code == 421


@pytest.mark.anyio
@pytest.mark.requirement("ERR-1")
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/busy", 503, "STORE_BUSY"),
        ("/full", 503, "STORE_FULL"),
        ("/slow", 503, "STORE_BUSY"),
        ("/broken", 503, "INTERNAL_ERROR"),
        ("/missing", 404, "NOT_FOUND"),
    ],
)
async def test_trouble_of_the_store_is_a_state_and_names_no_file(world: World, path: str, status: int, code: str) -> None:
    async with world.client() as client:
        answer = await client.get(path)
    assert refusal(answer) == (status, code)
    assert "/home" not in answer.text
    assert ("retry-after" in answer.headers) is (code == "STORE_BUSY")


@pytest.mark.anyio
async def test_a_fault_is_numbered_and_tells_no_secret(world: World, caplog: pytest.LogCaptureFixture) -> None:
    async with world.client() as client:
        answer = await client.get("/bug")
    assert refusal(answer) == (500, "INTERNAL_ERROR")
    number = answer.headers["request-id"]
    assert number in answer.json()["message"]
    assert number in caplog.text
    assert "RuntimeError" in caplog.text
    for text in (answer.text, caplog.text):
        assert "secret-token" not in text
        assert world.key not in text
    assert "Traceback" not in answer.text


@pytest.mark.anyio
async def test_half_an_answer_is_not_passed_off_as_a_whole_one(world: World) -> None:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async with world.client() as client:
        gate = client._transport.app  # type: ignore[attr-defined]
    scope = {"type": "http", "method": "GET", "path": "/half", "headers": [(b"api-key", world.key.encode())]}
    with pytest.raises(RuntimeError, match="broke off"):
        await gate(scope, receive, send)
    assert [message["type"] for message in messages] == ["http.response.start"]


@pytest.mark.anyio
async def test_the_access_log_holds_neither_key_nor_path(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "workbench.service.access"):
        async with world.client() as client:
            await client.get(f"/v1/tenders/documents/{world.key}/download?x={world.key}")
    (record,) = [record for record in caplog.records if record.name == "workbench.service.access"]
    assert "200" in record.getMessage()
    assert world.key not in caplog.text.replace("HTTP Request", "")


@pytest.mark.anyio
async def test_every_answer_is_marked_as_not_to_be_kept(world: World) -> None:
    async with world.client() as client:
        for path in ("/", "/missing", "/bug"):
            headers = (await client.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
            assert not [name for name in headers if name.startswith("access-control-") or name == "server"]
    assert json.dumps(world.uses).count("-") == 4
