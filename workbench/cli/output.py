"""Everything that leaves the command: safe text, JSON that loses nothing, files that are whole or absent."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from workbench.cli.failures import WrongUse
from workbench.wording.acting import CONTROLS, HIDDEN

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 120
"""Columns of a table that nobody's terminal limits."""

_UNSAFE = re.compile(f"[{CONTROLS}{HIDDEN}]+")
_UNSAFE_IN_BLOCK = re.compile(f"(?:(?!\n)[{CONTROLS}{HIDDEN}])+")
_UNSAFE_IN_JSON = re.compile(rf"[\x7f-\x9f{HIDDEN}]")


def clean(text: object) -> str:
    """One line of text from outside that is safe on a terminal: no control, no bidirectional mark, no line break."""
    return " ".join(_UNSAFE.sub(" ", str(text)).split())


def clean_block(text: object) -> str:
    """As :func:`clean`, with the line breaks kept: for descriptions."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return _UNSAFE_IN_BLOCK.sub(" ", lines).strip()


def as_json(value: object, *, indent: int | None = 2) -> str:
    """``value`` as JSON text in UTF-8 letters, with every character that a terminal might obey written as ``\\uXXXX``."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _UNSAFE_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text)


def in_wire_spelling(value: Any) -> Any:
    """The command's own values as the interface spells its own: camelCase names, moments in UTC."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {_camel(name) if name.islower() else name: in_wire_spelling(inner) for name, inner in items}
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, Path) else value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def is_terminal() -> bool:
    """Whether a person sees standard output."""
    return sys.stdout.isatty()


def put(text: str) -> None:
    """Write one line to standard output, in UTF-8 when it goes to a pipe or a file."""
    if is_terminal():
        sys.stdout.write(text + "\n")
    else:
        put_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def put_bytes(content: bytes) -> None:
    """Write to standard output as it is, whatever encoding the locale names."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def put_json(value: object) -> None:
    """Print one JSON value."""
    put(as_json(value))


def put_json_array(values: Iterable[object]) -> None:
    """Print a JSON array, item by item as they come; a failure on the way leaves it open, so that nobody takes it for whole."""
    before = "["
    for value in values:
        put(before + as_json(value))
        before = ","
    put("]" if before == "," else "[]")


def put_json_line(value: object) -> None:
    """Print one JSON value in one line, at once."""
    put(as_json(value, indent=None))
    sys.stdout.flush()


def put_json_lines(values: Iterable[object]) -> None:
    """Print one JSON value a line, each as soon as it comes."""
    for value in values:
        put_json_line(value)


def say(text: str) -> None:
    """A line for the person, on standard error, so that it never mixes with the answer."""
    sys.stderr.write(clean(text) + "\n")
    sys.stderr.flush()


def console(*, stderr: bool = False) -> Console:
    """A rich console that adds nothing of its own: no markup, no emoji names, no highlighting; colour on a terminal only."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    terminal = stream.isatty()
    return Console(
        file=stream,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
        force_terminal=terminal,
        no_color=None if terminal else True,
        color_system="auto" if terminal else None,
        width=None if terminal else int(os.environ.get("COLUMNS") or PIPE_WIDTH),
        legacy_windows=False if not terminal else None,
    )


def refuse_early(path: Path, *, overwrite: bool) -> None:
    """Raises :class:`WrongUse` for a file that could not be written at the end: call it before any work is done for it."""
    if path.is_dir():
        raise WrongUse(f"{path} is a folder; name a file in it.")
    if path.exists() and not overwrite:
        raise WrongUse(f"{path} exists already; choose another name, or add --overwrite.")
    if not path.parent.is_dir():
        raise WrongUse(f"The folder {path.parent} does not exist; create it first.")


@contextmanager
def whole_file(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its name when the block ends well, and leaves no trace when it does not.

    Raises :class:`WrongUse` as :func:`refuse_early` does.
    """
    refuse_early(path, overwrite=overwrite)
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def plain(value: Any) -> str:
    """A value of unknown type in one safe line: text as it is, anything else as JSON."""
    return clean(value) if isinstance(value, str) else clean(as_json(value, indent=None))
