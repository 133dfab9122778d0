"""From bytes to a request model of the contract, strictly: what is misspelt or of the wrong type is named, never dropped."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, from_json

from workbench.contract.errors import ErrorCode
from workbench.contract.request import Request
from workbench.service.refusals import RequestRefused, invalid, unreadable

RequestT = TypeVar("RequestT", bound=Request)

INTEGER_MAX: Final = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly (RFC 8259, section 6)."""

_ERRORS_SHOWN: Final = 5
_INTEGER: Final = re.compile(r"-?\d{1,18}", re.ASCII)
_QUERY_FIELDS_MAX: Final = 200


def check_media_type(content_type: str | None, content_encoding: str | None) -> None:
    """Refuse (415) a body that is not plain UTF-8 JSON."""
    if content_encoding and content_encoding.strip().lower() != "identity":
        raise _unsupported(f"The body is encoded as {_quoted(content_encoding)}; send it as it is.")
    kind, _, parameters = (content_type or "").partition(";")
    if kind.strip().lower() != "application/json":
        said = f"as {_quoted(content_type)}" if content_type else "without a Content-Type"
        raise _unsupported(f"The body came {said}; send JSON with the header Content-Type: application/json.")
    charset = parameters.partition("charset=")[2].partition(";")[0].strip(' "').lower()
    if charset not in ("", "utf-8", "utf8", "us-ascii"):
        raise _unsupported(f"The body is in the charset {_quoted(charset)}; JSON is UTF-8.")


def read_body(model: type[RequestT], body: bytes) -> RequestT:
    """The model of a JSON body; an empty body reads as an object without fields.

    Raises :class:`RequestRefused`: 400 with line and column where the text is no JSON, 422 naming each field that is not
    allowed and what is.
    """
    text = body or b"{}"
    try:
        # NaN and Infinity are no JSON (RFC 8259), though the model's own parser would take them.
        from_json(text, allow_inf_nan=False)
    except ValueError as trouble:
        raise unreadable(f"The body is no JSON: {trouble}.") from None
    return _validated(model, text, "field")


def read_query(model: type[RequestT] | None, query_string: bytes) -> RequestT | None:
    """The model of a query string; ``None`` where the operation takes none.

    A parameter that takes a list may be repeated, any other comes at most once. Raises :class:`RequestRefused` as
    :func:`read_body` does.
    """
    pairs = _pairs(query_string)
    if model is None:
        if pairs:
            raise invalid(f"The query parameter {_quoted(pairs[0][0])} is not known here: this address takes none.")
        return None
    values: dict[str, Any] = {}
    kinds = _kinds(model)
    for name, text in pairs:
        kind = kinds.get(name, str)
        if kind is list:
            values.setdefault(name, []).append(text)
        elif name in values:
            raise invalid(f"The query parameter {_quoted(name)} came more than once; send it once.")
        else:
            values[name] = _converted(text, kind)
    return _validated(model, json.dumps(values).encode(), "query parameter")


def _validated(model: type[RequestT], text: bytes, what: str) -> RequestT:
    try:
        # From JSON, strict still reads a date-time or a word of a list from its text, and nothing else from one.
        request = model.model_validate_json(text, strict=True, by_alias=True, by_name=False)
    except ValidationError as trouble:
        raise _invalid_fields(model, trouble, what) from None
    _check_values(request, what)
    return request


def _pairs(query_string: bytes) -> list[tuple[str, str]]:
    if not query_string:
        return []
    try:
        return parse_qsl(
            query_string.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_QUERY_FIELDS_MAX
        )
    except ValueError as trouble:
        raise unreadable(f"The query string cannot be read: it is UTF-8, percent-encoded ({type(trouble).__name__}).") from None


@cache
def _kinds(model: type[Request]) -> Mapping[str, type]:
    return {field.alias or name: _kind(field.annotation) for name, field in model.model_fields.items()}


def _kind(annotation: Any) -> type:
    """``list``, ``bool``, ``int`` or ``str``: how the text of a query parameter of this annotation is read."""
    schema = TypeAdapter(annotation).json_schema()
    options: list[Mapping[str, Any]] = schema.get("anyOf", [schema])
    types = {option.get("type") for option in options}
    for name, kind in (("array", list), ("boolean", bool), ("integer", int)):
        if name in types:
            return kind
    return str


def _converted(text: str, kind: type) -> object:
    # Whatever does not read as its type stays a text, which the model then refuses by name.
    if kind is bool:
        return {"true": True, "false": False}.get(text, text)
    if kind is int and _INTEGER.fullmatch(text):
        return int(text)
    return text


def _check_values(request: Request, what: str) -> None:
    for name in request.model_fields_set:
        wrong = _out_of_range(getattr(request, name))
        if wrong:
            alias = type(request).model_fields[name].alias or name
            raise invalid(f"The {what} {_quoted(alias)} must be {wrong}.")


def _out_of_range(value: object) -> str | None:
    """What a value must be, where it is one that JSON can write and nobody can compute with."""
    match value:
        case float() if not math.isfinite(value):
            return "a finite number"
        case int() if abs(value) > INTEGER_MAX:
            return f"at most {INTEGER_MAX}"
        case datetime():
            try:
                value.astimezone(UTC)
            except OverflowError:
                return "a date-time within the years 1 to 9999"
        case _:
            pass
    return None


def _invalid_fields(model: type[Request], trouble: ValidationError, what: str) -> RequestRefused:
    errors = trouble.errors(include_url=False, include_context=True)
    malformed = [error for error in errors if error["type"] == "json_invalid"]
    if malformed:
        return unreadable(f"The body is no JSON: {malformed[0].get('ctx', {}).get('error', 'it cannot be read')}.")
    sentences = [_sentence(model, error, what) for error in errors[:_ERRORS_SHOWN]]
    more = len(errors) - len(sentences)
    return invalid(" ".join([*sentences, f"And {more} more."] if more else sentences))


def _sentence(model: type[Request], error: ErrorDetails, what: str) -> str:
    location = error["loc"]
    context = error.get("ctx", {})
    if not location:
        return "The body must be a JSON object." if error["type"] == "model_type" else f"{_plain(error)}."
    label = f"The {what} {_quoted(_place(location))}"
    match error["type"]:
        case "extra_forbidden":
            return f"{label} is not known.{_known_fields(model, location, what)}"
        case "missing":
            return f"{label} is required."
        case "enum" | "literal_error":
            return f"{label} must be one of {_words(context.get('expected', ''))}."
        case "greater_than_equal":
            return f"{label} must be at least {context['ge']}."
        case "less_than_equal":
            return f"{label} must be at most {context['le']}."
        case "too_short":
            return f"{label} needs at least {context['min_length']} items."
        case "timezone_aware":
            return f"{label} needs a time zone, such as 2026-01-31T00:00:00Z."
        case "datetime_type" | "datetime_parsing" | "datetime_from_date_parsing":
            return f"{label} must be an ISO 8601 date-time, such as 2026-01-31T00:00:00Z."
        case kind:
            return f"{label} {_SHAPES.get(kind) or 'is not allowed: ' + _plain(error)}."


_SHAPES: Final[Mapping[str, str]] = {
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "finite_number": "must be a finite number",
}


def _plain(error: ErrorDetails) -> str:
    return error["msg"].removeprefix("Value error, ").removesuffix(".")


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _known_fields(model: type[Request], location: Sequence[int | str], what: str) -> str:
    if len(location) > 1:
        return ""
    names = sorted(field.alias or name for name, field in model.model_fields.items())
    guess = difflib.get_close_matches(str(location[0])[:80], names, n=1, cutoff=0.6)
    hint = f" Did you mean {guess[0]!r}?" if guess else ""
    return f"{hint} Allowed: {', '.join(names)}." if names else f"{hint} No {what} is taken here."


def _words(expected: object) -> str:
    # pydantic writes: 'a', 'b' or 'c'
    return str(expected).replace(" or ", ", ").replace("'", "")


def _quoted(text: str | None) -> str:
    shown = "".join(letter if letter.isprintable() else "?" for letter in (text or "")[:80])
    return f"'{shown}'"


def _unsupported(message: str) -> RequestRefused:
    return RequestRefused(415, ErrorCode.UNSUPPORTED_MEDIA_TYPE, message)
