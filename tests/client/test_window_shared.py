"""One rate window for all processes that use a key: through a small file that may be lost, damaged or locked without harm."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import Received, Scripted, Step, answer
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from workbench.client import shared_file, windows
from workbench.client.policy.addresses import origin_of
from workbench.client.policy.rate_window import CROWDED_SECONDS, LEASE_SECONDS, PADDED_WINDOW_SECONDS
from workbench.client.shared_file import SharedNumbers, try_lock
from workbench.client.windows import SharedWindow, chosen_window, window_of

Start = Callable[[Callable[[Received], Iterable[Step]]], Scripted]
KEY = "canary-of-the-window-77aa01"
ORIGIN = origin_of("https://api.example.org")


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def opened(path: Path | None, clock: Clock, limit: int = 30) -> SharedWindow:
    return SharedWindow(path, limit=limit, clock=clock)


def taken(window: SharedWindow, at_most: int = 1000, *, bulk: bool = False) -> int:
    """How many requests may leave now; each is settled at once."""
    for number in range(at_most):
        if window.reserve(bulk=bulk):
            return number
        window.settle()
    return at_most


FLOOD = """
import sys
from pathlib import Path
from workbench.client import Client

class Enough(Exception):
    pass

def on_wait(waiting):
    raise Enough

url, folder, name = sys.argv[1:]
with Client(url, sys.stdin.readline().strip(), rate_window=Path(folder), on_wait=on_wait) as client:
    client.tenders.get(name)
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        while True:
            client.tenders.get(name)
    except Enough:
        print("told to wait", flush=True)
"""


@pytest.mark.requirement("LIM-1")
@pytest.mark.requirement("LIM-3")
def test_two_processes_share_one_window(scripted: Start, tmp_path: Path) -> None:
    server = scripted(lambda _received: [answer(body=b'{"id": "t"}')])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", FLOOD, server.url, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    for process in processes:
        assert process.stdin
        process.stdin.write(f"{KEY}\n")
        process.stdin.flush()
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.communicate("go\n", timeout=60)[0] == "told to wait\n"
        assert process.returncode == 0
    paths = [received.path for received in server.received]
    assert len(paths) == 300
    assert set(paths) == {"/v1/tenders/a", "/v1/tenders/b"}


def test_a_third_client_that_comes_later_finds_the_window_as_it_is(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "w"
    assert taken(opened(path, clock)) == 30
    later = opened(path, clock)
    assert later.reserve() == pytest.approx(PADDED_WINDOW_SECONDS)
    clock.now += PADDED_WINDOW_SECONDS
    assert taken(later) == 30


def test_a_429_of_one_process_holds_all_of_them(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "w"
    one, other = opened(path, clock), opened(path, clock)
    assert other.reserve() == 0
    assert one.reserve() == 0
    one.block(42)
    assert other.reserve() == pytest.approx(42)
    clock.now += 42
    assert other.reserve() == 0


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["ask", "bulk", "answer", "drop", "time"])), max_size=150),
    limit=st.integers(1, 16),
)
def test_no_interleaving_of_processes_passes_the_limit(
    steps: list[tuple[int, str]], limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clock, path = Clock(), tmp_path_factory.mktemp("shared") / "w"
    members = [opened(path, clock, limit) for _ in range(3)]
    under_way = [0, 0, 0]
    left: list[float] = []
    for number, what in steps:
        if what in {"ask", "bulk"} and not members[number].reserve(bulk=what == "bulk"):
            under_way[number] += 1
        elif what == "answer" and under_way[number]:
            members[number].settle()
            under_way[number] -= 1
            left.append(clock.now)
        elif what == "drop" and under_way[number]:
            members[number].release()
            under_way[number] -= 1
        elif what == "time":
            clock.now += 7.0
        counted = sum(clock.now - moment < PADDED_WINDOW_SECONDS for moment in left)
        assert counted + sum(under_way) <= limit
    for member in members:
        member.close()


def test_calls_that_a_person_waits_for_go_before_bulk(tmp_path: Path) -> None:
    clock = Clock()
    walk, screen = opened(tmp_path / "w", clock, 300), opened(tmp_path / "w", clock, 300)
    assert taken(walk, bulk=True) == 280
    assert walk.reserve(bulk=True) == pytest.approx(PADDED_WINDOW_SECONDS)
    assert taken(screen) == 20
    # As places come free, whoever a person waits for is served first; bulk goes on when the reserve is whole again.
    clock.now += PADDED_WINDOW_SECONDS
    assert taken(screen, 290) == 290
    assert walk.reserve(bulk=True) > 0
    assert screen.reserve() == 0


def test_the_full_limit_is_used_by_calls_and_bulk_together(tmp_path: Path) -> None:
    clock = Clock()
    window = opened(tmp_path / "w", clock, 300)
    for _ in range(10):
        assert taken(window, 30) + taken(window, bulk=True) + taken(window) == 300
        clock.now += PADDED_WINDOW_SECONDS


DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:77]),
    "grown": lambda path: path.write_bytes(path.read_bytes() + b"more"),
    "somebody else's": lambda path: path.write_bytes(b"\x7fELF" + b"x" * 900),
    "text": lambda path: path.write_text("[window]\n"),
    "gone": lambda path: path.unlink(),
    "another file": lambda path: (path.unlink(), path.write_bytes(b"")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link to elsewhere": lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "the folder gone": lambda path: (path.unlink(), path.parent.rmdir(), path.parent.write_text("no folder")),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_file_that_is_damaged_in_use_costs_nobody_a_429(tmp_path: Path, name: str) -> None:
    clock, path = Clock(), tmp_path / "rate" / "w"
    window = opened(path, clock)
    assert taken(window, 20) == 20
    DAMAGE[name](path)
    clock.now += 2
    assert taken(window) == 10, "what this process sent it still knows"
    clock.now += PADDED_WINDOW_SECONDS
    assert taken(window) == 30
    window.close()
    assert opened(path, clock).reserve() >= 0


@pytest.mark.parametrize(
    "cells",
    [[float("nan")] * 31, [float("inf")] * 31, [1e300] * 31, [-1.0] * 31, [float("-inf")] * 31, [1000.0 + 24 * 3600] * 31],
)
def test_moments_that_cannot_be_true_count_as_free(tmp_path: Path, cells: list[float]) -> None:
    SharedNumbers(tmp_path / "w", 31).write(array("d", cells))
    assert taken(opened(tmp_path / "w", Clock())) == 30
    assert taken(opened(tmp_path / "w", Clock()), bulk=True) == 0


@pytest.mark.parametrize("step", [-7 * 24 * 3600.0, -3600.0, -900.0, 3600.0])
def test_a_clock_that_steps_never_hangs_the_window(tmp_path: Path, step: float) -> None:
    clock = Clock(1e6)
    window = opened(tmp_path / "w", clock)
    assert taken(window) == 30
    clock.now += step
    assert taken(window) == 30
    assert taken(opened(tmp_path / "w", clock)) == 0


def test_a_small_step_back_costs_a_bounded_wait(tmp_path: Path) -> None:
    clock = Clock()
    window = opened(tmp_path / "w", clock)
    assert taken(window) == 30
    clock.now -= 30
    waited = 0.0
    while delay := window.reserve():
        clock.now += delay
        waited += delay
    assert waited <= LEASE_SECONDS + PADDED_WINDOW_SECONDS


def test_what_was_written_before_the_machine_started_anew_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    assert taken(opened(tmp_path / "w", clock)) == 30
    monkeypatch.setattr(shared_file, "_this_boot", lambda: b"another start...")
    assert taken(opened(tmp_path / "w", clock)) == 30


CRASH = """
import os, sys
from pathlib import Path
from workbench.client.windows import SharedWindow
window = SharedWindow(Path(sys.argv[1]), limit=30, clock=lambda: 1000.0)
for _ in range(7):
    assert not window.reserve()
window._file.lock()
os._exit(9)
"""


def test_a_process_that_crashes_with_the_lock_and_places_gives_both_back(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "w"
    assert subprocess.run([sys.executable, "-c", CRASH, str(path)], check=False).returncode == 9
    window = opened(path, clock)
    assert taken(window) == 23
    clock.now += PADDED_WINDOW_SECONDS
    assert taken(window) == 23
    clock.now += LEASE_SECONDS
    assert taken(window) == 30


def test_a_holder_that_is_stopped_is_not_waited_for(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "w"
    window = opened(path, clock)
    assert taken(window, 5) == 5
    holder = os.open(path, os.O_RDWR)
    assert try_lock(holder)
    delays = []
    while delay := window.reserve():
        delays.append(delay)
        clock.now += delay
    assert 0 < sum(delays) <= 2
    window.settle()
    os.close(holder)
    assert taken(opened(path, clock)) == 24


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_counts_with_its_parent(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "w"
    window = opened(path, clock)
    assert taken(window, 5) == 5
    child = os.fork()
    if child == 0:
        os._exit(taken(window, 10))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 10
    assert taken(window) == 15


def test_everybody_asking_at_once_is_told_when_to_come_back(tmp_path: Path) -> None:
    window = opened(tmp_path / "w", Clock(), 3)
    assert [window.reserve() for _ in range(3)] == [0, 0, 0]
    assert window.reserve() == CROWDED_SECONDS
    window.settle()
    assert window.reserve() == pytest.approx(PADDED_WINDOW_SECONDS)
    window.release()
    assert window.reserve() == 0


@pytest.mark.requirement("AUTH-8")
def test_the_file_is_private_and_says_nothing_of_the_key(tmp_path: Path) -> None:
    window = window_of(ORIGIN, SecretStr(KEY), folder=tmp_path)
    assert window.reserve() == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 1
    assert KEY.encode() not in files[0].read_bytes()
    assert KEY not in str(files[0])
    assert "example" not in str(files[0].relative_to(tmp_path))
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700
    assert KEY not in repr(window) + repr(vars(window))


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.touch(0o666)
    path.chmod(0o666)
    assert opened(path, Clock()).reserve() == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.requirement("LIM-2")
def test_keys_services_and_channels_have_windows_of_their_own(tmp_path: Path) -> None:
    key = SecretStr(KEY)
    rest = window_of(ORIGIN, key, folder=tmp_path)
    assert window_of(ORIGIN, SecretStr(KEY), folder=tmp_path) is rest
    others = [
        window_of(ORIGIN, key, folder=tmp_path, channel="tools"),
        window_of(ORIGIN, key, folder=tmp_path, channel="tools", limit=60),
        window_of(ORIGIN, SecretStr(KEY + "2"), folder=tmp_path),
        window_of(origin_of("https://other.example.org"), key, folder=tmp_path),
        window_of(ORIGIN, key),
    ]
    assert len({id(window) for window in (rest, *others)}) == 6
    assert [sum(not window.reserve() for _ in range(400)) for window in (rest, *others)] == [300, 30, 60, 300, 300, 300]


def test_a_client_says_which_window_it_wants(tmp_path: Path) -> None:
    key = SecretStr(KEY)
    assert chosen_window(False, ORIGIN, key) is None
    assert chosen_window(tmp_path, ORIGIN, None) is None
    assert chosen_window(True, ORIGIN, key) is window_of(ORIGIN, key)
    assert chosen_window(tmp_path, ORIGIN, key, channel="tools") is window_of(ORIGIN, key, folder=tmp_path, channel="tools")


def test_a_folder_that_cannot_be_written_leaves_the_process_its_own_window(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    clock = Clock()
    assert taken(opened(tmp_path / "file" / "rate" / "w", clock)) == 30
    assert taken(opened(None, clock)) == 30


def test_a_disk_that_refuses_leaves_the_process_its_own_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, path = Clock(), tmp_path / "w"
    window = opened(path, clock)
    assert taken(window, 12) == 12

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shared_file, "_write", full)
    assert taken(window) == 18
    clock.now += PADDED_WINDOW_SECONDS
    assert taken(window) == 30
    monkeypatch.undo()
    clock.now += PADDED_WINDOW_SECONDS
    assert taken(window, 3) == 3
    assert taken(opened(path, clock)) == 27, "the file is shared again"


def test_the_clock_is_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [50.0]
    monkeypatch.setattr(windows.time, "monotonic", lambda: now[0])
    window = SharedWindow(limit=1)
    assert window.reserve() == 0
    window.settle()
    now[0] += 60
    assert window.reserve() == pytest.approx(0.5)
