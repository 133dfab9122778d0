"""Downloads: a name on disk is only ever a whole file, and nobody's file is replaced unasked."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import threading
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import CANARY, Hang, Received, Scripted, Step, answer

from workbench.client import AsyncClient
from workbench.client.downloads import Download
from workbench.client.errors import ConnectionFailed, NotFound, NotSaved, TargetExists, UnexpectedAnswer

Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
DATA = bytes(range(256)) * 4096
PDF = "Content-Type: application/pdf"


def named(name: str) -> str:
    return f'Content-Disposition: attachment; filename="{name}"'


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.requirement("TND-17")
def test_a_sheet_is_saved_under_the_services_name_with_progress(world: Any, scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(body=DATA, headers=[PDF, named("../Pliego técnico.pdf")])])
    steps: list[tuple[int, int | None]] = []
    client = world.open(server.url)
    path = world.do(client.tenders.download_sheet("s1", to=tmp_path, progress=lambda done, total: steps.append((done, total))))
    assert path == tmp_path / "Pliego técnico.pdf"
    assert path.read_bytes() == DATA
    assert names(tmp_path) == [path.name]
    assert steps[0] == (0, len(DATA))
    assert steps[-1] == (len(DATA), len(DATA))
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert server.received[0].path == "/v1/tenders/sheets/s1/download"
    assert server.received[0].headers["accept-encoding"] == "identity"


@pytest.mark.requirement("TND-18")
@pytest.mark.parametrize(
    "link", ["{token}", "/v1/tenders/documents/{token}/download", "{url}/v1/tenders/documents/{token}/download"]
)
def test_a_document_is_saved_by_token_path_or_address(world: Any, scripted: Start, tmp_path: Path, link: str) -> None:
    server = scripted(lambda _received: [answer(body=b"x", headers=[PDF])])
    path = world.do(world.open(server.url).tenders.download_document(link.format(token="to.k-en", url=server.url), to=tmp_path))
    assert path == tmp_path / "document.pdf"
    assert server.received[0].path == "/v1/tenders/documents/to.k-en/download"


def test_nothing_is_replaced_unasked(world: Any, scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(body=b"new", headers=[PDF, named("a.pdf")])])
    client = world.open(server.url)
    (tmp_path / "a.pdf").write_bytes(b"mine")
    assert world.do(client.tenders.download_sheet("s", to=tmp_path)) == tmp_path / "a (2).pdf"
    assert world.do(client.tenders.download_sheet("s", to=str(tmp_path))) == tmp_path / "a (3).pdf"
    assert (tmp_path / "a.pdf").read_bytes() == b"mine"
    sent = len(server.received)
    with pytest.raises(TargetExists, match="left as it is") as caught:
        world.do(client.tenders.download_sheet("s", to=tmp_path / "a.pdf"))
    assert caught.value.path == str(tmp_path / "a.pdf")
    assert len(server.received) == sent
    assert world.do(client.tenders.download_sheet("s", to=tmp_path / "a.pdf", overwrite=True)).read_bytes() == b"new"
    assert world.do(client.tenders.download_sheet("s", to=tmp_path, overwrite=True)) == tmp_path / "a.pdf"
    assert names(tmp_path) == ["a (2).pdf", "a (3).pdf", "a.pdf"]


def test_a_file_that_appears_meanwhile_is_not_replaced_either(world: Any, scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(body=b"new", headers=[PDF])])
    target = tmp_path / "a.pdf"
    with pytest.raises(TargetExists):
        world.do(world.open(server.url).tenders.download_sheet("s", to=target, progress=lambda *_: target.write_bytes(b"mine")))
    assert target.read_bytes() == b"mine"
    assert names(tmp_path) == ["a.pdf"]


BROKEN = {
    "cut short": answer(body=DATA[:5000], length=len(DATA), headers=[PDF, "Connection: close"]),
    "another hash": answer(body=DATA, headers=[PDF, f'ETag: "{hashlib.sha256(b"other").hexdigest()}"']),
    "another digest": answer(body=DATA, headers=[PDF, "Repr-Digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"]),
    "gzip cut short": answer(body=gzip.compress(DATA)[:-20], headers=[PDF, "Content-Encoding: gzip"]),
    "gzip garbage": answer(body=b"\x1f\x8bxxxxxxxxxxxx", headers=[PDF, "Content-Encoding: gzip"]),
    "unknown coding": answer(body=DATA, headers=[PDF, "Content-Encoding: zstd"]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_not_whole_is_never_there(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, name: str
) -> None:
    server = scripted(lambda _received: [BROKEN[name]])
    with pytest.raises(ConnectionFailed):
        world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path / "a.pdf"))
    assert len(server.received) == 4
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_broke_once_is_fetched_again(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, name: str
) -> None:
    etag = f'ETag: "{hashlib.sha256(DATA).hexdigest()}"'
    server = scripted(lambda _received: [BROKEN[name] if len(server.received) == 1 else answer(body=DATA, headers=[PDF, etag])])
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path / "a.pdf"))
    assert path.read_bytes() == DATA
    assert names(tmp_path) == ["a.pdf"]


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_coding_that_was_not_asked_for_is_undone(world: Any, scripted: Start, tmp_path: Path, coding: str) -> None:
    body = gzip.compress(DATA) if coding == "gzip" else zlib.compress(DATA)
    server = scripted(lambda _received: [answer(body=body, headers=[PDF, f"Content-Encoding: {coding}"])])
    assert world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path)).read_bytes() == DATA


def test_a_refusal_leaves_nothing(world: Any, scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(404)])
    with pytest.raises(NotFound):
        world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path))
    server = scripted(lambda _received: [b"HTTP/1.1 204 X\r\n\r\n"])
    with pytest.raises(UnexpectedAnswer, match="a file"):
        world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path))
    assert names(tmp_path) == []


def test_a_callback_that_raises_ends_the_download_and_leaves_nothing(world: Any, scripted: Start, tmp_path: Path) -> None:
    class EnoughError(Exception):
        pass

    def progress(done: int, _total: int | None) -> None:
        if done:
            raise EnoughError

    server = scripted(lambda _received: [answer(body=DATA, headers=[PDF])])
    with pytest.raises(EnoughError):
        world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path, progress=progress))
    assert names(tmp_path) == []


def test_a_cancelled_download_leaves_nothing(scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(body=DATA[:700_000], length=len(DATA), headers=[PDF]), Hang])

    async def cancel() -> None:
        begun = asyncio.Event()
        async with AsyncClient(server.url, CANARY) as client:
            call = client.tenders.download_sheet("s", to=tmp_path, progress=lambda done, _total: begun.set() if done else None)
            task = asyncio.create_task(call)
            await begun.wait()
            assert names(tmp_path)[0].endswith(".part")
            task.cancel()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)

    asyncio.run(cancel())
    assert names(tmp_path) == []


@pytest.mark.parametrize("step", ["prepare", "begin", "write", "finish"])
def test_a_download_cancelled_while_the_disk_works_leaves_nothing_half(
    scripted: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    server = scripted(lambda _received: [answer(body=DATA, headers=[PDF])])
    begun, go_on = threading.Event(), threading.Event()
    real = getattr(Download, step)

    def slow(part: Download, *arguments: Any) -> Any:
        begun.set()
        go_on.wait(10)
        return real(part, *arguments)

    monkeypatch.setattr(Download, step, slow)

    async def cancel() -> None:
        async with AsyncClient(server.url, CANARY) as client:
            task = asyncio.create_task(client.tenders.download_sheet("s", to=tmp_path / "a.pdf"))
            await asyncio.to_thread(begun.wait, 10)
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0)
            go_on.set()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)

    asyncio.run(cancel())
    # A rename that had begun is finished: then the file is there, whole.
    assert names(tmp_path) == (["a.pdf"] if step == "finish" else [])
    assert step != "finish" or (tmp_path / "a.pdf").read_bytes() == DATA


def test_a_disk_that_refuses_is_one_sentence(
    world: Any, scripted: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted(lambda _received: [answer(body=DATA, headers=[PDF])])
    client = world.open(server.url)
    with pytest.raises(NotSaved, match="does not exist"):
        world.do(client.tenders.download_sheet("s", to=tmp_path / "missing" / "a.pdf"))
    assert server.received == []

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotSaved, match=r"no space left on device\. Free some space") as caught:
        world.do(client.tenders.download_sheet("s", to=tmp_path / "a.pdf"))
    assert caught.value.path == str(tmp_path / "a.pdf")
    assert names(tmp_path) == []
    assert len(server.received) == 1
