"""Downloads that break off: they go on where that is safe, begin again where it is not, and never leave half a file."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from conftest import CANARY, Hang, Received, Reset, Scripted, Step, answer
from hypothesis import given
from hypothesis import strategies as st

from workbench.client import AsyncClient
from workbench.client.errors import ConnectionFailed, NotFound, NotSaved, ServerFault, TimedOut, UnexpectedAnswer
from workbench.client.options import Timeouts
from workbench.client.policy.ranges import Rest, Unfit, Version, Whole, continuation, range_headers, version_of

Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
DATA = bytes(range(256)) * 4096
SIZE = len(DATA)
HALF = SIZE // 2
ETAG = 'ETag: "v1"'
MODIFIED = [f"Last-Modified: {formatdate(1_700_000_000, usegmt=True)}", f"Date: {formatdate(1_800_000_000, usegmt=True)}"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def start_of(received: Received) -> int:
    return int(received.headers["range"].removeprefix("bytes=").rstrip("-")) if "range" in received.headers else 0


def breaks_off(after: int, *headers: str, first: int = 0) -> list[Step]:
    """The file from ``first`` on, broken off after so many bytes."""
    if first:
        headers = (*headers, f"Content-Range: bytes {first}-{SIZE - 1}/{SIZE}")
    part = DATA[first : first + after]
    return [answer(206 if first else 200, part, length=SIZE - first, headers=("Connection: close", *headers))]


def rest(first: int, *headers: str, data: bytes = DATA) -> list[Step]:
    where = f"Content-Range: bytes {first}-{len(data) - 1}/{len(data)}"
    return [answer(206, data[first:], headers=[where, *headers])]


@pytest.mark.parametrize("headers", [[ETAG], MODIFIED], ids=["etag", "date"])
def test_a_download_goes_on_where_it_broke_off(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, headers: list[str]
) -> None:
    def script(received: Received) -> list[Step]:
        first = start_of(received)
        return breaks_off(300_000, *headers, first=first) if len(server.received) < 4 else rest(first, *headers)

    server = scripted(script)
    steps: list[tuple[int, int | None]] = []
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path, progress=lambda *step: steps.append(step)))
    assert path.read_bytes() == DATA
    assert names(tmp_path) == [path.name]
    starts = [start_of(received) for received in server.received]
    assert starts[0] == 0
    assert starts == sorted(starts)
    assert starts[-1] > 0
    assert "if-range" not in server.received[0].headers
    assert server.received[-1].headers["if-range"] == headers[0].partition(": ")[2]
    assert steps[-1] == (SIZE, SIZE)
    assert {total for _, total in steps} == {SIZE}
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


UNSAFE = {
    "no validator": [],
    "a weak one": ['ETag: W/"v1"'],
    "a date of just now": [f"Last-Modified: {formatdate(1_800_000_000, usegmt=True)}", MODIFIED[1]],
    "a date, and no clock": [MODIFIED[0]],
    "no ranges": [ETAG, "Accept-Ranges: none"],
}


@pytest.mark.parametrize("name", UNSAFE)
def test_where_it_is_not_safe_it_begins_again(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, name: str
) -> None:
    headers = UNSAFE[name]
    server = scripted(
        lambda _received: breaks_off(HALF, *headers) if len(server.received) == 1 else [answer(body=DATA, headers=headers)]
    )
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path))
    assert path.read_bytes() == DATA
    assert [start_of(received) for received in server.received] == [0, 0]


OTHER = b"another version" * 70_000
REPLIES: dict[str, list[Step]] = {
    "the whole of a newer version": [answer(body=OTHER, headers=['ETag: "v2"'])],
    "the rest of another size": [answer(206, OTHER[HALF:], headers=[f"Content-Range: bytes {HALF}-{HALF + 9}/{SIZE + 5}"])],
    "the rest of a newer version": rest(HALF, 'ETag: "v2"'),
    "another part": [answer(206, DATA[5:], headers=[f"Content-Range: bytes 5-{SIZE - 1}/{SIZE}"])],
    "a part without saying which": [answer(206, DATA[HALF:])],
    "several parts": [answer(206, DATA[HALF:], headers=["Content-Type: multipart/byteranges; boundary=x"])],
    "a part in a coding": rest(HALF, "Content-Encoding: gzip"),
    "a part beyond its end": [answer(206, DATA[HALF:], headers=[f"Content-Range: bytes {HALF}-{SIZE}/{SIZE}"])],
    "not satisfiable": [answer(416, headers=[f"Content-Range: bytes */{HALF}"])],
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_wrong_rest_is_thrown_away_and_the_whole_is_fetched(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, name: str
) -> None:
    wanted = OTHER if "whole" in name else DATA

    def script(received: Received) -> list[Step]:
        if len(server.received) == 1:
            return breaks_off(HALF, ETAG)
        return REPLIES[name] if "range" in received.headers else [answer(body=DATA, headers=[ETAG])]

    server = scripted(script)
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path / "f"))
    assert path.read_bytes() == wanted
    assert names(tmp_path) == ["f"]
    assert len(server.received) == (2 if "whole" in name else 3)


def test_a_rest_that_makes_another_file_is_noticed_by_its_hash(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path
) -> None:
    etag = f'ETag: "{hashlib.sha256(DATA).hexdigest()}"'
    wrong = DATA[:HALF] + bytes(HALF)

    def script(received: Received) -> list[Step]:
        if len(server.received) == 1:
            return breaks_off(HALF, etag)
        return rest(HALF, etag, data=wrong) if "range" in received.headers else [answer(body=DATA, headers=[etag])]

    server = scripted(script)
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path))
    assert path.read_bytes() == DATA
    assert [start_of(received) for received in server.received] == [0, HALF, 0]


def lose(world: Any, scripted: Start, folder: Path, *, resume: bool = True, headers: Iterable[str] = (ETAG,)) -> Scripted:
    """A download whose connection is lost for good after half of it; the server that is left plays the rest."""

    def script(received: Received) -> list[Step]:
        first = start_of(received)
        if not healthy:
            return breaks_off(HALF, *headers) if not first else [Reset]
        return rest(first, *headers) if first else [answer(body=DATA, headers=headers)]

    healthy: list[bool] = []
    server = scripted(script)
    client = world.open(server.url)
    with pytest.raises(ConnectionFailed) as caught:
        world.do(client.tenders.download_sheet("s", to=folder, resume=resume))
    assert ("is kept" in str(caught.value)) == any(name.endswith(".part") for name in names(folder))
    healthy.append(True)
    server.received.clear()
    return server


def test_a_lost_connection_keeps_the_part_where_that_was_asked_for(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path
) -> None:
    server = lose(world, scripted, tmp_path)
    kept = names(tmp_path)
    assert [Path(name).suffix for name in kept] == [".json", ".part"]
    assert all(name.startswith(".") for name in kept)
    steps: list[tuple[int, int | None]] = []
    path = world.do(
        world.open(server.url).tenders.download_sheet("s", to=tmp_path, resume=True, progress=lambda *step: steps.append(step))
    )
    assert path.read_bytes() == DATA
    assert names(tmp_path) == [path.name]
    assert [start_of(received) for received in server.received] == [HALF]
    assert steps[0] == (HALF, SIZE)


def test_without_asking_nothing_is_kept(world: Any, scripted: Start, pauses: list[float], tmp_path: Path) -> None:
    lose(world, scripted, tmp_path, resume=False)
    assert names(tmp_path) == []
    lose(world, scripted, tmp_path, headers=[])
    assert names(tmp_path) == [], "what cannot be gone on with is not kept"


def test_a_kept_part_counts_for_the_same_file_in_the_same_place_only(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path
) -> None:
    server = lose(world, scripted, tmp_path)
    client = world.open(server.url)
    world.do(client.tenders.download_sheet("another", to=tmp_path, resume=True))
    world.do(client.tenders.download_sheet("s", to=tmp_path / "named.pdf", resume=True))
    world.do(client.tenders.download_sheet("s", to=tmp_path))
    assert [start_of(received) for received in server.received] == [0, 0, 0]
    world.do(client.tenders.download_sheet("s", to=tmp_path, resume=True))
    assert start_of(server.received[-1]) == HALF


TAMPERED: dict[str, Callable[[Path, Path], object]] = {
    "no note": lambda _part, note: note.unlink(),
    "a note that is no note": lambda _part, note: note.write_text("[1, 2"),
    "a note of something else": lambda _part, note: note.write_text('{"received": "many"}'),
    "a longer part": lambda part, _note: part.write_bytes(part.read_bytes() + b"x"),
    "a shorter part": lambda part, _note: part.write_bytes(b""),
    "no part": lambda part, _note: part.unlink(),
    "a link": lambda part, _note: (part.unlink(), part.symlink_to(part.with_name("victim"))),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_kept_part_that_does_not_fit_its_note_is_not_used(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, name: str
) -> None:
    server = lose(world, scripted, tmp_path)
    note, part = (tmp_path / name for name in names(tmp_path))
    TAMPERED[name](part, note)
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path, resume=True))
    assert path.read_bytes() == DATA
    assert not (tmp_path / "victim").exists()


def test_a_note_cannot_name_a_path(world: Any, scripted: Start, pauses: list[float], tmp_path: Path) -> None:
    server = lose(world, scripted, tmp_path)
    note = tmp_path / names(tmp_path)[0]
    note.write_text(json.dumps(json.loads(note.read_text()) | {"name": "../../escaped.pdf"}))
    path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path, resume=True))
    assert path == tmp_path / "escaped.pdf"


def test_two_downloads_of_one_file_do_not_share_a_part(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path
) -> None:
    server = lose(world, scripted, tmp_path)
    part = tmp_path / names(tmp_path)[1]
    with part.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        path = world.do(world.open(server.url).tenders.download_sheet("s", to=tmp_path, resume=True))
    assert path.read_bytes() == DATA
    assert [start_of(received) for received in server.received] == [0]
    assert part.read_bytes() == DATA[:HALF], "the other's part is as it was"


ENDS: dict[str, tuple[Step, type[Exception], bool]] = {
    "not found": (answer(404), NotFound, False),
    "no file": (b"HTTP/1.1 204 X\r\n\r\n", UnexpectedAnswer, False),
    "the service fails": (answer(503, headers=["Retry-After: 900"]), ServerFault, True),
    "hangs": (Hang, TimedOut, True),
}


@pytest.mark.parametrize("name", ENDS)
def test_only_a_lost_connection_or_service_keeps_what_came(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, name: str
) -> None:
    step, kind, kept = ENDS[name]
    server = scripted(lambda received: breaks_off(HALF, ETAG) if len(server.received) == 1 else [step])
    client = world.open(server.url, timeout=Timeouts(read=0.2))
    with pytest.raises(kind):
        world.do(client.tenders.download_sheet("s", to=tmp_path, resume=True))
    assert bool(names(tmp_path)) is kept


def test_a_full_disk_or_a_callback_that_raises_keeps_nothing(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted(lambda _received: [answer(body=DATA, headers=[ETAG])])
    client = world.open(server.url)

    def stop(done: int, _total: int | None) -> None:
        if done:
            raise KeyboardInterrupt

    def interrupted() -> None:
        try:
            world.do(client.tenders.download_sheet("s", to=tmp_path, resume=True, progress=stop))
        except KeyboardInterrupt:
            return
        pytest.fail("not interrupted")

    if world.kind == "sync":
        interrupted()
        assert names(tmp_path) == []

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotSaved):
        world.do(client.tenders.download_sheet("s", to=tmp_path, resume=True))
    assert names(tmp_path) == []


def test_a_cancelled_download_keeps_nothing_even_with_resume(scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(body=DATA[:HALF], length=SIZE, headers=[ETAG]), Hang])

    async def cancel() -> None:
        begun = asyncio.Event()
        async with AsyncClient(server.url, CANARY) as client:
            call = client.tenders.download_sheet(
                "s", to=tmp_path, resume=True, progress=lambda done, _total: begun.set() if done else None
            )
            task = asyncio.create_task(call)
            await begun.wait()
            task.cancel()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)

    asyncio.run(cancel())
    assert names(tmp_path) == []


def test_the_key_goes_home_only_when_a_redirected_download_goes_on(
    world: Any, scripted: Start, pauses: list[float], tmp_path: Path
) -> None:
    def store(received: Received) -> list[Step]:
        first = start_of(received)
        return rest(first, ETAG) if first else breaks_off(HALF, ETAG)

    other = scripted(store)
    home = scripted(lambda _received: [answer(302, headers=[f"Location: {other.url}/object"])])
    path = world.do(world.open(home.url).tenders.download_sheet("s", to=tmp_path))
    assert path.read_bytes() == DATA
    assert [start_of(received) for received in other.received] == [0, HALF]
    assert all("api-key" not in received.headers for received in other.received)


TEXT = st.text(max_size=20)
SIZES = st.integers(0, 2000)


@given(st.sampled_from([200, 204, 206, 301, 416]), st.dictionaries(st.sampled_from(["content-range", "etag", "date"]), TEXT))
def test_any_answer_to_a_range_is_survived(status: int, headers: dict[str, str]) -> None:
    found = continuation(status, headers, received=5, version=Version('"v"', None))
    assert isinstance(found, (Rest, Whole, Unfit))
    assert version_of(headers) is None or range_headers(5, version_of(headers))


@given(SIZES, SIZES, SIZES, SIZES, st.none() | SIZES)
def test_a_rest_is_taken_only_where_it_continues_what_came(
    received: int, first: int, last: int, total: int, known: int | None
) -> None:
    headers = {"content-range": f"bytes {first}-{last}/{total}"}
    found = continuation(206, headers, received=received, version=Version('"v"', known))
    fits = first == received and first <= last < total and known in {None, total}
    assert isinstance(found, Rest) is fits


@given(SIZES, st.none() | SIZES)
def test_a_part_is_asked_for_only_where_one_is_missing(received: int, total: int | None) -> None:
    asked = range_headers(received, Version('"v"', total))
    assert bool(asked) is (received > 0 and (total is None or received < total))
    assert range_headers(received, None) == ()
