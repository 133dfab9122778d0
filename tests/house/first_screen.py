"""Run a command in a terminal of its own and wait until the search screen shows tenders of the sample workspace.

    python tests/house/first_screen.py COMMAND [ARG ...]

Ends with 0 and prints the screen once it is there; ends with 1 and prints what was there after 60 seconds.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import pyte

COLUMNS, ROWS, PATIENCE_SECONDS = 120, 40, 60.0
WANTED = ("Search", "synthetic", "Publicada")


def run(command: list[str]) -> tuple[bool, list[str]]:
    """The command's screen, and whether everything wanted stood on it in time."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    deadline = time.monotonic() + PATIENCE_SECONDS
    seen = False
    while not seen and time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            stream.feed(os.read(terminal, 65536))
        except OSError:
            break
        text = "\n".join(screen.display)
        seen = all(word in text for word in WANTED)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    return seen, [line.rstrip() for line in screen.display]


if __name__ == "__main__":
    found, lines = run(sys.argv[1:])
    print("\n".join(lines))
    sys.exit(0 if found else f"not on the screen within {PATIENCE_SECONDS:.0f} s: {', '.join(WANTED)}")
