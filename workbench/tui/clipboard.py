"""Copying text: the desktop's own clipboard where there is one, else the terminal's (OSC 52)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

OSC52_LIMIT: Final = 74_000
"""Bytes of text that common terminals take in one OSC 52 sequence."""


def native_command(environment: Mapping[str, str] | None = None) -> list[str] | None:
    """The program that fills this desktop's clipboard from its standard input; ``None`` over ssh or where there is none."""
    env = os.environ if environment is None else environment
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return None  # it would fill the clipboard of the machine one is logged in to, not of the one that one sits at
    if sys.platform == "darwin":
        candidates = [["pbcopy"]]
    elif sys.platform == "win32":
        candidates = [["clip"]]
    elif env.get("WAYLAND_DISPLAY"):
        candidates = [["wl-copy"]]
    elif env.get("DISPLAY"):
        candidates = [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    else:
        candidates = []
    return next((command for command in candidates if shutil.which(command[0])), None)


def copy_native(text: str) -> bool:
    """Fill the desktop's clipboard; ``False`` where that is not possible. Takes up to two seconds: call it in a thread."""
    command = native_command()
    if command is None:
        return False
    encoded = text.encode("utf-16-le" if sys.platform == "win32" else "utf-8")
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, the text goes to its standard input
            command, input=encoded, timeout=2, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
