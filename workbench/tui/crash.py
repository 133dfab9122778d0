"""What a person sees and keeps when the workbench stops by a fault of its own: a sentence and a report without secrets."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
import traceback
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

_SECRETS: Final = (
    (re.compile(r"(?i)(api[-_ ]?key|authorization|token|secret|password)(['\"]?\s*[:=]\s*)\S+"), r"\1\2<hidden>"),
    (re.compile(r"(https?://)[^\s/@]+@"), r"\1<hidden>@"),
    (re.compile(r"(https?://[^\s?#]+)[?#]\S*"), r"\1?<hidden>"),
    (re.compile(r"(/documents/)[^/\s]+"), r"\1<hidden>"),
    (re.compile(r"\b(?=[\w.~+/=-]*\d)[\w~+=-]{20,}(?:\.[\w~+=-]+)*"), "<hidden>"),
)


def redact(text: str) -> str:
    """Text without anything that may be a key, a token, the query of an address, or the home folder's path."""
    home = str(Path.home())
    if len(home) > 1:
        text = text.replace(home, "~")
    for pattern, stand_in in _SECRETS:
        text = pattern.sub(stand_in, text)
    return text


def report(error: BaseException, now: datetime) -> str:
    """The report: versions, the chain of errors, and where each came from; no values of variables and no environment."""
    lines = [
        f"tender-workbench {_version('tender-workbench')}, textual {_version('textual')}",
        f"Python {platform.python_version()}, {sys.platform}",
        f"at {now:%Y-%m-%d %H:%M:%S %z}",
        "",
    ]
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        lines.append(f"{type(current).__module__}.{type(current).__qualname__}: {redact(str(current))[:500]}")
        lines += [
            f"    {_short(frame.filename)}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(current.__traceback__)
        ]
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n".join(lines) + "\n"


def _short(filename: str) -> str:
    parts = Path(filename).parts
    for root in ("site-packages", "workbench"):
        if root in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(root) - (root == "workbench") :])
    return Path(filename).name


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def write_report(text: str, folder: Path | None = None) -> Path | None:
    """Write the report to a new file that only its owner can read; ``None`` where it cannot be written."""
    try:
        handle, name = tempfile.mkstemp(prefix="workbench-report-", suffix=".txt", dir=folder, text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError:
        return None
    return Path(name)


def farewell(error: BaseException, written: Path | None) -> str:
    """The sentences for the terminal."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "workbench" in frame.filename] or list(frames)
    place = f" at {_short(ours[-1].filename)}:{ours[-1].lineno}" if ours else ""
    where = f"A report without your data or keys is in {written}." if written else "A report could not be written."
    return (
        f"The workbench stopped by a fault of its own ({type(error).__name__}{place}). Your data is unchanged.\n"
        f"{where} Please look it through and send it with a line on what you did; then start 'workbench' again."
    )
