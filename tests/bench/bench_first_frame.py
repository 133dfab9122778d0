"""Processor time to the first content of the terminal UI, beside the bare Textual app in the same run (budget: 2.0 times).

Both start in a pseudo-terminal that is read by a terminal emulator; the time is taken when the marker is on its screen.
Run it as ``python tests/bench/bench_first_frame.py [ROUNDS]``; it prints medians, memory and the ratio.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass

import psutil
import pyte

COLUMNS, LINES = 120, 40
BUDGET = 2.0
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("first content")
Bare().run()
"""
OURS = "from workbench.tui import run; run('sample')"
FILL = "from workbench.local import fill_sample; fill_sample('sample')"


@dataclass(frozen=True)
class Start:
    """One start: processor and wall time to the marker in milliseconds, memory at that point in megabytes."""

    cpu: float
    wall: float
    memory: float


def answer(data: bytes, terminal: int) -> None:
    """Answer what a terminal is asked at the start, so that nobody waits for a time-out."""
    for question, reply in ((b"\x1b[c", b"\x1b[?62;22c"), (b"\x1b[?2026$p", b"\x1b[?2026;2$y"), (b"\x1b[6n", b"\x1b[1;1R")):
        if question in data:
            os.write(terminal, reply)


def start(code: str, marker: str, environment: dict[str, str]) -> Start:
    """Start a program and wait for the marker on its screen."""
    began = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(sys.executable, [sys.executable, "-c", code], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 1200, 800))
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    process = psutil.Process(child)
    try:
        while time.perf_counter() - began < 30:
            if not select.select([terminal], [], [], 0.005)[0]:
                continue
            data = os.read(terminal, 65536)
            answer(data, terminal)
            stream.feed(data)
            if marker in "\n".join(screen.display):
                times, memory = process.cpu_times(), process.memory_info().rss
                return Start((times.user + times.system) * 1000, (time.perf_counter() - began) * 1000, memory / 1e6)
        raise SystemExit(f"{marker!r} never came:\n" + "\n".join(screen.display))
    finally:
        os.kill(child, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(child, 0)


def main(rounds: int) -> int:
    """Measure in turns, so that a noisy moment hits both; gives 1 where the budget is passed."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TEXTUAL", "TMUX", "XDG_"))}
        environment |= {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "WORKBENCH_DATA": folder,
            "WORKBENCH_CONFIG": folder,
        }
        subprocess.run([sys.executable, "-c", FILL], env=environment, check=True)
        bare, ours, results = [], [], []
        for at in range(rounds + 1):
            pair = start(BARE, "first content", environment), start(OURS, "Search tenders", environment)
            full = start(OURS, "more than 60 tenders", environment)
            if at:  # the first round warms the disk
                bare.append(pair[0])
                ours.append(pair[1])
                results.append(full)
    ratio = statistics.median(each.cpu for each in ours) / statistics.median(each.cpu for each in bare)
    for name, starts in (("bare Textual", bare), ("first content", ours), ("first results", results)):
        cpu, wall, memory = (statistics.median(getattr(each, field) for each in starts) for field in ("cpu", "wall", "memory"))
        print(f"{name:14s} {cpu:6.0f} ms processor {wall:6.0f} ms wall {memory:5.0f} MB")
    print(f"ratio of processor time to first content: {ratio:.2f} (budget {BUDGET})")
    return int(ratio > BUDGET)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
