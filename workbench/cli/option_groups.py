"""Options that several commands share, written once: a class with one annotated attribute for each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints

Said = dict[str, Any]
"""What the command line says of a group's options, by attribute name; what was not said stays out."""


def with_options(group: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """For a command with a parameter ``said``: in its place the command line has the group's options.

    The group's attributes are annotated as a command's parameters are, and have their defaults.
    """
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(group, name), annotation=hint)
        for name, hint in get_type_hints(group, include_extras=True).items()
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            values = {one.name: given.pop(one.name) for one in added}
            command(**given, said={name: value for name, value in values.items() if value not in (None, (), [])})

        own = inspect.signature(command, eval_str=True).parameters.values()
        listed = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        place = next(at for at, one in enumerate(listed) if one.name == "said")
        listed[place : place + 1] = added
        del run.__wrapped__  # typer would read the parameters of what is wrapped
        run.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]  # inspect.signature() reads it
        run.__annotations__ = {one.name: one.annotation for one in listed}
        return run

    return decorate
