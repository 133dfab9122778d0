"""From what a caller gives to a request model of the contract: as strict as the service, and each refusal names its field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from enum import Enum
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final, TypeVar, cast, get_args

from pydantic import MISSING, ValidationError
from pydantic_core import ErrorDetails, to_json

from workbench.client.errors import InvalidArgument
from workbench.contract.request import Request

RequestT = TypeVar("RequestT", bound=Request)

_SHOWN_MAX: Final = 80


def read_request(model: type[RequestT], given: object, operation: str, *, argument: str = "arguments") -> RequestT:
    """The request that a model instance, or a mapping in snake_case or in the wire's camelCase, stands for.

    What was left out (or is ``MISSING``), ``None`` and ``[]`` stay three different things. Values are taken as JSON would
    carry them: no text for a number, no number for a date. Raises :class:`~workbench.client.errors.InvalidArgument` with the
    path of the first field that cannot be sent, such as ``windows_search[0].expiration_offset``; ``argument`` is named where
    the whole value is of the wrong kind.
    """
    if isinstance(given, Request) and not isinstance(given, model):
        given = type(given)  # another model's fields may bear the same names and mean something else
    if not isinstance(given, (Request, Mapping)):
        kind = given.__name__ if isinstance(given, type) else type(given).__name__
        raise InvalidArgument(argument, f"takes a {model.__name__} or a mapping, not {kind}", operation=operation)
    plain = _Plain(operation).of(cast("object", given), "")
    try:
        # From JSON, strict still reads a date-time or a word of a list from its text, and nothing else from one.
        return model.model_validate_json(to_json(plain), strict=True, by_alias=True, by_name=True)
    except ValidationError as trouble:
        raise _refused(model, trouble.errors(include_url=False)[0], operation) from None


class _Plain:
    """Makes JSON values of Python's, dropping ``MISSING``; refuses, with its path, what JSON cannot carry."""

    def __init__(self, operation: str) -> None:
        self._operation = operation

    def of(self, value: object, path: str) -> object:
        if isinstance(value, Request):
            return value.to_wire()
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return {self._key(key, path): self.of(item, _joined(path, str(key))) for key, item in items if item is not MISSING}
        if isinstance(value, (Sequence, AbstractSet)) and not isinstance(value, (str, bytes, bytearray)):
            return [self.of(item, f"{path}[{place}]") for place, item in enumerate(cast("Sequence[object]", value))]
        return self._scalar(value, path)

    def _key(self, key: object, path: str) -> str:
        if not isinstance(key, str):
            raise InvalidArgument(path or "arguments", f"has the key {key!r}, which is no text", operation=self._operation)
        return key

    def _scalar(self, value: object, path: str) -> object:
        if isinstance(value, Enum):
            value = value.value
        if value is None or isinstance(value, (bool, datetime, date)):
            return value
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
                raise InvalidArgument(path, "holds half a character (a lone surrogate)", operation=self._operation)
            return value
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Real):
            if isfinite(value):
                return float(value)
            raise InvalidArgument(path, f"takes a number, not {float(value)}", operation=self._operation)
        raise InvalidArgument(
            path or "arguments", f"holds a {type(value).__name__}, which cannot be sent", operation=self._operation
        )


def _joined(path: str, key: str) -> str:
    return f"{path}.{snake(key)}" if path else snake(key)


def _refused(model: type[Request], error: ErrorDetails, operation: str) -> InvalidArgument:
    path, models = "", [model]
    for part in error["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
            continue
        inner = [kind for one in models for kind in _models_of(one, part)]
        if any(part in _spellings(one) for one in models) or part == error["loc"][-1]:
            path = _joined(path, part)
        models = inner or models  # what names no field is the tag of one of several forms
    names = [name for one in models for name in one.model_fields]
    return InvalidArgument(path or "arguments", _sentence(path, error, names), operation=operation)


def _spellings(model: type[Request]) -> frozenset[str]:
    return frozenset(spelling for name, field in model.model_fields.items() for spelling in (name, field.alias) if spelling)


def _models_of(model: type[Request], spelling: str) -> Iterator[type[Request]]:
    for name, field in model.model_fields.items():
        if spelling in (name, field.alias):
            yield from _models_in(field.annotation)


def _models_in(annotation: Any) -> Iterator[type[Request]]:
    if isinstance(annotation, type) and issubclass(annotation, Request):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _sentence(path: str, error: ErrorDetails, names: Sequence[str]) -> str:
    sort, given = error["type"], error["input"]
    if sort == "extra_forbidden":
        last = snake(str(error["loc"][-1]))
        if last in names:
            return "is given twice, in both spellings; give it once"
        return f"is unknown here; what there is: {', '.join(dict.fromkeys(names))}"
    if sort == "missing":
        return "is needed, and is not given"
    if sort == "timezone_aware":
        return f"needs a time zone, as in 2026-01-31T00:00:00Z; {given!r} has none"
    if sort == "tuple_type" and isinstance(given, str):
        return f"takes a list, as in {path.rpartition('.')[2]}=[{given!r}]"
    text = error["msg"].removeprefix("Value error, ").replace("Tuple should", "the list should")
    shown = repr(given)
    return f"{text[:1].lower() + text[1:]}, and is {shown if len(shown) <= _SHOWN_MAX else shown[: _SHOWN_MAX - 1] + '…'}"


def snake(name: str) -> str:
    """A wire name as the workbench spells it: ``windowsSearch`` is ``windows_search``."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
