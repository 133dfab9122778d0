"""The reference page of the Python face, made from signatures and docstrings: what is not in them is not on the page."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pydantic import BaseModel

import workbench
import workbench.client
from workbench.client._sync.tools import ToolServer
from workbench.connect import aconnect, connect
from workbench.contract import account, alerts, cpv, opportunities, organizations, pipelines, record, tenders

PAGE: Final = """\
# Python reference

{note}

Every public name with its signature. `workbench docs python` shows them at work. In `AsyncClient` the same methods are awaited,
and what iterates is iterated with `async for`; everything else is the same.

## workbench

`workbench.__version__` is the installed version.

{functions}

{client}

{resources}

## client.raw

The same calls, answered with a `RawResponse`: {raw}.

## client.tool_server()

{tools}

## Filters

Keyword arguments of the calls above that end in `**`; each may be left out.

{filters}

## Values

{values}

## Records

What the service answers. An attribute is `None` where nothing came; `other_fields` holds what has no attribute here, and
`to_wire()` gives back exactly what came.

{records}

## Requests

What is sent: a model, or a mapping with these names or with the wire's camelCase ones. What is left out is not sent.

{requests}

## Errors

{errors}
"""

_MODULE: Final = re.compile(r":mod:`([\w.]+)`")
_ROLE: Final = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_UNPACKED: Final = re.compile(r"Unpack\[(\w+)\]")
_CODE: Final = re.compile(r"``(.+?)``")
_RECORDS: Final[tuple[type[BaseModel], ...]] = (
    record.Page, record.Pagination, tenders.Tender, tenders.TenderSheet, organizations.Organization,
    organizations.AwardStatistics, cpv.Cpv, alerts.Alert, pipelines.Pipeline, pipelines.Stage, pipelines.StageTotal,
    opportunities.Opportunity, opportunities.WorkflowAction, opportunities.Task, opportunities.CreatedTask,
    opportunities.Summary, account.CallerContext, account.KeyInfo,
)  # fmt: skip
_REQUESTS: Final[tuple[type[BaseModel], ...]] = (
    tenders.TenderSearch, alerts.AlertDraft, alerts.AlertPatch, alerts.WindowSearch, alerts.AlertCriteria,
    alerts.IncludeExclude, alerts.PlaceCriteria, alerts.BudgetRange, alerts.NotificationConfig, alerts.DailyFrequency,
    alerts.WeeklyFrequency, alerts.Attachments, alerts.Responsible, opportunities.TaskDraft,
)  # fmt: skip


def reference_page(note: str) -> str:
    """The Markdown text of the page; ``note`` says that it is generated."""
    with workbench.client.Client("https://api.example.org") as client:
        shown = {name: type(value) for name, value in resources_of(client).items() if name != "raw"}
        raw = sorted(name for name in methods_of(client.raw))
        for name, value in resources_of(client.raw).items():
            raw += [f"{name}.{method}" for method in methods_of(value)]
    described = [*shown.values(), ToolServer]
    return PAGE.format(
        note=note,
        functions="\n\n".join(_function(f"workbench.{member.__name__}", member) for member in (connect, aconnect)),
        client=_class("Client", workbench.client.Client, heading="##", called="client"),
        resources="\n\n".join(_resource(f"client.{name}", kind) for name, kind in shown.items()),
        raw=", ".join(f"`{name}`" for name in raw),
        tools="\n\n".join([prose(ToolServer), *_functions("tools", ToolServer)]),
        records="\n\n".join(_fields(kind) for kind in _RECORDS),
        requests="\n\n".join(_fields(kind) for kind in _REQUESTS),
        filters="\n\n".join(_filters(kind) for kind in filters_of(described)),
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


def filters_of(kinds: Iterable[type]) -> list[Any]:
    """The typed dicts that methods of these classes take as keyword arguments, in the order of their first coming."""
    found: dict[str, Any] = {}
    for kind in kinds:
        for method in methods_of(kind).values():
            for parameter in inspect.signature(method).parameters.values():
                if parameter.kind is parameter.VAR_KEYWORD and (name := _UNPACKED.fullmatch(str(parameter.annotation))):
                    found[name[1]] = method.__globals__[name[1]]
    return list(found.values())


def error_classes(kind: type[BaseException] = workbench.WorkbenchError) -> list[type[BaseException]]:
    """The public errors, each before its kinds."""
    public = {getattr(workbench, name) for name in workbench.__all__}
    below = sorted(kind.__subclasses__(), key=lambda one: one.__name__)
    return [kind, *(found for one in below if one in public for found in error_classes(one))]


def _values() -> Iterator[tuple[str, type]]:
    for name in workbench.client.__all__:
        if name not in {"Client", "AsyncClient"} and not name.startswith("Async"):
            yield name, getattr(workbench.client, name)


def _resource(name: str, kind: type) -> str:
    return "\n\n".join([f"## {name}", prose(kind), *_functions(name, kind)])


def _class(name: str, kind: type, *, heading: str = "###", called: str | None = None) -> str:
    parts = [f"{heading} {name}", f"```python\n{signature(name, kind)}\n```", prose(kind)]
    return "\n\n".join([*parts, *_functions(called or name, kind)])


def _functions(name: str, kind: type) -> list[str]:
    return [_function(f"{name}.{method}", member) for method, member in methods_of(kind).items()]


def _fields(kind: type[BaseModel]) -> str:
    return f"### {kind.__name__}\n\n{prose(kind)}\n\n" + ", ".join(f"`{name}`" for name in kind.model_fields) + "."


def _error(kind: type[BaseException]) -> str:
    bases = " and ".join(f"`{base.__name__}`" for base in kind.__bases__)
    own = "__init__" in vars(kind)
    shown = [f"```python\n{signature(kind.__name__, kind)}\n```"] if own else []
    return "\n\n".join([f"### {kind.__name__}", f"A kind of {bases}.", *shown, prose(kind)])


def _function(name: str, member: Any) -> str:
    return f"### {name}\n\n```python\n{signature(name, member)}\n```\n\n{prose(member)}"


def _filters(kind: Any) -> str:
    return f"### {kind.__name__}\n\n{prose(kind)}\n\n" + ", ".join(f"`{name}`" for name in kind.__annotations__) + "."


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
    default = f'"{parameter.default}"' if isinstance(parameter.default, str) else repr(parameter.default)
    return f"{text} = {default}" if kind else f"{text}={default}"


def _plain(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return _UNPACKED.sub(r"\1", text).replace("'", '"')


def prose(thing: Any) -> str:
    """A docstring as Markdown. Raises ``ValueError`` for a public name that has none of its own."""
    text = thing.__doc__
    if not text:
        raise ValueError(f"{getattr(thing, '__qualname__', thing)} has no docstring")
    paragraphs = (" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))
    return "\n\n".join(_CODE.sub(r"`\1`", _ROLE.sub(r"`\1`", _MODULE.sub(r"`\1`", part))) for part in paragraphs)
