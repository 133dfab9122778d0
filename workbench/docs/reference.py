"""The reference page of the Python face, made from signatures and docstrings: what is not in them is not on the page."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final, get_type_hints, is_typeddict

import workbench
import workbench.client
from workbench.client import errors, workspace_calls
from workbench.client.calls import TenderFilters

PAGE: Final = """\
# Python reference

{note}

Every public name with its signature. `workbench docs python` shows them at work. In `AsyncClient` the same methods are awaited,
and what iterates is iterated with `async for`; everything else is the same.

## workbench

{functions}

{client}

{resources}

## client.raw

The same calls, answered with a `RawResponse`: {raw}.

## Filters

Keyword arguments of the calls above that take `**filters` or `**query`; each may be left out, and `None` is the same.

{filters}

## Values

{values}

## Errors

{errors}
"""

_ROLE: Final = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_CODE: Final = re.compile(r"``(.+?)``")
_FILTERS: Final = (
    TenderFilters,
    workspace_calls.AlertFilters,
    workspace_calls.BoardFilters,
    workspace_calls.BoardSearch,
    workspace_calls.ColumnFilters,
    workspace_calls.TaskFilters,
)


def reference_page(note: str) -> str:
    """The Markdown text of the page; ``note`` says that it is generated."""
    with workbench.client.Client("https://api.example.org") as client:
        resources = [_resource(f"client.{name}", value) for name, value in resources_of(client).items() if name != "raw"]
        raw = sorted(name for name in methods_of(client.raw))
        for name, value in resources_of(client.raw).items():
            raw += [f"{name}.{method}" for method in methods_of(value)]
    return PAGE.format(
        note=note,
        functions="\n\n".join(_function(f"workbench.{name}", getattr(workbench, name)) for name in ("connect", "aconnect")),
        client=_class("Client", workbench.client.Client, heading="##"),
        resources="\n\n".join(resources),
        raw=", ".join(f"`{name}`" for name in raw),
        filters="\n\n".join(_filters(kind) for kind in _FILTERS),
        values="\n\n".join(_class(name, value) for name, value in _values()),
        errors="\n\n".join(_error(kind) for kind in error_classes()),
    )


def methods_of(thing: object) -> dict[str, Any]:
    """The public methods of an object or a class, in the order of their definition."""
    kind = thing if inspect.isclass(thing) else type(thing)
    names = dict.fromkeys(name for base in reversed(kind.__mro__) for name in vars(base))
    return {name: getattr(kind, name) for name in names if not name.startswith("_") and inspect.isroutine(getattr(kind, name))}


def resources_of(thing: object) -> dict[str, object]:
    """The public attributes of a client that have methods of their own."""
    return {
        name: value
        for name, value in vars(thing).items()
        if not name.startswith("_") and type(value).__module__.startswith("workbench.client._sync")
    }


def error_classes() -> list[type[BaseException]]:
    """The public errors, each after its base."""
    found = [getattr(workbench, name) for name in workbench.__all__]
    kinds = [one for one in found if inspect.isclass(one) and issubclass(one, workbench.WorkbenchError)]
    return sorted(kinds, key=lambda kind: [base.__name__ for base in reversed(kind.__mro__)])


def _values() -> Iterator[tuple[str, type]]:
    for name in workbench.client.__all__:
        if name not in {"Client", "AsyncClient"} and not name.startswith("Async"):
            yield name, getattr(workbench.client, name)


def _resource(name: str, value: object) -> str:
    parts = [f"## {name}", prose(type(value))]
    return "\n\n".join([*parts, *(_function(f"{name}.{method}", member) for method, member in methods_of(value).items())])


def _class(name: str, kind: type, *, heading: str = "###") -> str:
    parts = [f"{heading} {name}", f"```python\n{signature(name, kind)}\n```", prose(kind)]
    members = [_function(f"{name[:1].lower()}{name[1:]}.{method}", one) for method, one in methods_of(kind).items()]
    if is_dataclass(kind):
        parts.append("Fields: " + ", ".join(f"`{field.name}: {_plain(field.type)}`" for field in fields(kind)) + ".")
    return "\n\n".join(parts + members)


def _error(kind: type[BaseException]) -> str:
    bases = " and ".join(f"`{base.__name__}`" for base in kind.__bases__)
    own = "__init__" in vars(kind)
    shown = [f"```python\n{signature(kind.__name__, kind)}\n```"] if own else []
    return "\n\n".join([f"### {kind.__name__}", f"A kind of {bases}.", *shown, prose(kind)])


def _function(name: str, member: Any) -> str:
    return f"### {name}\n\n```python\n{signature(name, member)}\n```\n\n{prose(member)}"


def _filters(kind: Any) -> str:
    if not is_typeddict(kind):
        raise TypeError(f"{kind!r} is no TypedDict")
    names = list(get_type_hints(kind))
    return f"### {kind.__name__}\n\n{prose(kind)}\n\n" + ", ".join(f"`{name}`" for name in names) + "."


def signature(name: str, member: Any) -> str:
    """A signature as one writes it, on one line where it fits."""
    found = inspect.signature(member)
    parts: list[str] = []
    starred = False
    for place, parameter in enumerate(found.parameters.values()):
        if place == 0 and parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parts.append(_parameter(parameter))
        if parameter.kind is parameter.POSITIONAL_ONLY:
            parts.append("/")
    given = _plain(found.return_annotation)
    result = "" if inspect.isclass(member) or not given else f" -> {given}"
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) <= 110:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def _parameter(parameter: inspect.Parameter) -> str:
    star = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    kind = _plain(parameter.annotation)
    text = f"{star}{parameter.name}" + (f": {kind}" if kind else "")
    if parameter.default is parameter.empty:
        return text
    return f"{text} = {parameter.default!r}" if kind else f"{text}={parameter.default!r}"


def _plain(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r"Unpack\[(\w+)\]", r"\1", text)


def prose(thing: Any) -> str:
    """A docstring as Markdown. Raises ``ValueError`` for a public name that has none of its own."""
    text = thing.__doc__
    if not text:
        raise ValueError(f"{getattr(thing, '__qualname__', thing)} has no docstring")
    paragraphs = (" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
    return "\n\n".join(_CODE.sub(r"`\1`", _ROLE.sub(r"`\1`", part)) for part in paragraphs)


__all__ = ["error_classes", "errors", "methods_of", "prose", "reference_page", "resources_of", "signature"]
