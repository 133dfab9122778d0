"""The command on a real terminal (a pseudo-terminal): colour, bars, questions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import no_controls

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of Unix")
COMMAND = [sys.executable, "-m", "workbench"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*argv: str | Path, keys: bytes = b"", **environment: str) -> tuple[int, str]:
    """Exit code and everything that was shown; ``keys`` are typed at the start."""
    terminal, ours = pty.openpty()
    settings = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "90"} | environment
    line = [*COMMAND, *map(str, argv)]
    process = subprocess.Popen(line, stdin=ours, stdout=ours, stderr=ours, env=settings, start_new_session=True)
    os.close(ours)
    os.write(terminal, keys)
    shown = b""
    try:
        while chunk := os.read(terminal, 65536):
            shown += chunk
    except OSError:
        # Linux ends a pseudo-terminal that nobody holds any more with an input/output error.
        pass
    finally:
        os.close(terminal)
    return process.wait(timeout=60), shown.decode().replace("\r\n", "\n")


def test_a_table_has_colours_and_no_other_escape(sample_folder: Path) -> None:
    code, shown = on_terminal("search", "--limit", "100", "--data", sample_folder)
    assert code == 0
    assert COLOUR.search(shown)
    plain = COLOUR.sub("", shown)
    assert no_controls(plain)
    assert max(map(len, plain.splitlines())) <= 90


def test_no_color_is_honoured(sample_folder: Path) -> None:
    code, shown = on_terminal("search", "--limit", "5", "--data", sample_folder, NO_COLOR="1")
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", shown)


def test_making_the_sample_shows_a_bar(home: Path) -> None:
    code, shown = on_terminal("whoami", "--profile", "sample")
    assert code == 0
    assert "Making the sample workspace" in shown
    assert "100%" in shown
    again_code, again = on_terminal("whoami", "--profile", "sample")
    assert again_code == 0
    assert "Making" not in again


def test_reset_asks_and_takes_no_for_an_answer(home: Path) -> None:
    folder = home / "mine"
    assert on_terminal("local", "key", "create", "--name", "x", "--data", folder)[0] == 0
    code, shown = on_terminal("local", "reset", "--data", folder, keys=b"n\n")
    assert code == 130
    assert "There is no way back" in shown
    assert (folder / "workbench.sqlite3").exists()
    assert on_terminal("local", "reset", "--data", folder, keys=b"y\n")[0] == 0
    assert not (folder / "workbench.sqlite3").exists()


def test_documentation_is_laid_out(home: Path) -> None:
    code, shown = on_terminal("docs", "searching")
    assert code == 0
    assert "# Searching" not in shown
    assert "Searching" in shown
    assert no_controls(COLOUR.sub("", shown))
