"""Options whose value is one of the interface's words."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import typer

WordT = TypeVar("WordT", bound=StrEnum)


def word_option(*names: str, words: type[WordT], metavar: str, help_: str) -> Any:
    """An option that takes a word of ``words`` in any letter case, and offers them when the shell completes."""
    return typer.Option(
        *names, parser=_one_of(words), autocompletion=lambda: [word.value for word in words], metavar=metavar, help=help_
    )


def _one_of(words: type[WordT]) -> Callable[[str], WordT]:
    def read(text: str) -> WordT:
        found = next((word for word in words if word.value.lower() == text.strip().lower()), None)
        if found is None:
            raise typer.BadParameter(f"{text!r} is none of {', '.join(words)}.")
        return found

    return read
