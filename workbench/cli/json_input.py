"""JSON objects that a command reads: from a file, or from standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final, cast

from workbench.cli.failures import WrongUse

BYTES_MAX: Final = 1_000_000


def read_object(source: str) -> dict[str, Any]:
    """The JSON object in the file ``source``, or on standard input for ``-``.

    Raises :class:`WrongUse` for what is no JSON object, or names a field twice; ``OSError`` where the file cannot be read.
    """
    name = "Standard input" if source == "-" else source
    if source == "-":
        content = sys.stdin.buffer.read(BYTES_MAX + 1)
    else:
        with Path(source).open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    if len(content) > BYTES_MAX:
        raise WrongUse(f"{name} holds more than {BYTES_MAX // 1_000_000} MB, which is no object for this command.")
    try:
        value = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once_each, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise WrongUse(f"{name} is no text in UTF-8.") from None
    except _Twice as twice:
        raise WrongUse(f"{name} names the field {str(twice)!r} twice.") from None
    except json.JSONDecodeError as trouble:
        raise WrongUse(f"{name} is no JSON: {trouble.msg} in line {trouble.lineno}, column {trouble.colno}.") from None
    except (RecursionError, ValueError):
        raise WrongUse(f"{name} is no JSON that can be read.") from None
    if not isinstance(value, dict):
        raise WrongUse(f"{name} holds no JSON object; it begins with {{ and ends with }}.")
    return cast("dict[str, Any]", value)


class _Twice(Exception):
    """A field that stands twice in one object; its name."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(name)
