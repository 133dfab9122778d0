"""The OpenAPI 3.1 description, made from the contract's table: what is described is what is routed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, cast

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from workbench.contract.errors import ErrorCode
from workbench.contract.operations import AnswerKind, Operation
from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import API_KEY_HEADER, RATE_WINDOW_SECONDS, REST_REQUESTS_PER_WINDOW

TITLE: Final = "Tender workbench: embedded service"
_REFS: Final = "#/components/schemas/{model}"
_ERROR: Final = "Error"
_ALWAYS: Final = (
    (400, "the request cannot be read: it is no JSON, or its query string is not percent-encoded UTF-8"),
    (422, "a field or parameter is unknown, of the wrong type, or outside its limits; the message names it"),
    (500, "the service failed; the message holds the request's number in the log"),
    (503, "the database is busy or its disk is full; Retry-After says when to try again"),
)
_WITH_KEY: Final = (
    (401, "the key is missing, unknown, expired or disabled"),
    (429, f"the key has used its requests of the {RATE_WINDOW_SECONDS}-second window"),
)
_WITH_BODY: Final = (
    (408, "the body took too long to come"),
    (413, "the body is larger than the service takes"),
    (415, "the body is not JSON"),
)


class _Plain(GenerateJsonSchema):
    """Schemas without the titles that repeat each field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class _Shapes:
    """The JSON schema of each operation's parts, by ``(operation name, part)``, and the definitions that they refer to."""

    parts: Mapping[tuple[str, str], JsonObject]
    definitions: JsonObject

    def resolved(self, name: str, part: str) -> JsonObject:
        """The schema itself where the part is a reference to a definition."""
        schema = self.parts[name, part]
        reference: str | None = schema.get("$ref")
        return self.definitions[reference.rpartition("/")[2]] if reference else schema


def describe(operations: Sequence[Operation[Any]]) -> JsonObject:
    """The OpenAPI document of these operations."""
    paths: dict[str, JsonObject] = {}
    shapes = _shapes(operations)
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": "1.0.0",
            "description": "Public procurement data and an account's own workspace. Every request carries an API key; "
            f"{REST_REQUESTS_PER_WINDOW} requests in {RATE_WINDOW_SECONDS} seconds are allowed for a key unless it has its "
            "own limit. Records may hold more fields than are described.",
        },
        "servers": [{"url": "/"}],
        "security": [{"apiKey": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": API_KEY_HEADER}},
            "schemas": {**_referred(paths, shapes.definitions), _ERROR: _error_schema()},
        },
    }


def _referred(paths: object, definitions: JsonObject) -> JsonObject:
    """The definitions that the paths refer to, themselves or by way of others: a query's fields stand in their parameters."""
    found: JsonObject = {}
    waiting = [paths]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            entries = cast("Mapping[str, Any]", part)
            name = str(entries.get("$ref", "")).rpartition("/")[2]
            if name in definitions and name not in found:
                found[name] = definitions[name]
                waiting.append(definitions[name])
            waiting += entries.values()
        elif isinstance(part, list):
            waiting += cast("list[Any]", part)
    return {name: found[name] for name in sorted(found)}


def _operation(operation: Operation[Any], shapes: _Shapes) -> JsonObject:
    described: JsonObject = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.path.split("/")[2]],
        "description": f"Interface section {operation.section}.",
        "parameters": [*_path_parameters(operation), *_query_parameters(operation, shapes)],
        "responses": _responses(operation, shapes),
    }
    if operation.keyless:
        described["security"] = []
    if operation.body is not None:
        content = {"application/json": {"schema": shapes.parts[operation.name, "body"]}}
        needed = bool(shapes.resolved(operation.name, "body").get("required"))
        described["requestBody"] = {"required": needed, "content": content}
    return described


def _path_parameters(operation: Operation[Any]) -> list[JsonObject]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in operation.path_parameters
    ]


def _query_parameters(operation: Operation[Any], shapes: _Shapes) -> list[JsonObject]:
    if operation.query is None:
        return []
    schema = shapes.resolved(operation.name, "query")
    required: list[str] = schema.get("required", [])
    fields: dict[str, JsonObject] = schema.get("properties", {})
    return [{"name": name, "in": "query", "required": name in required, "schema": field} for name, field in fields.items()]


def _responses(operation: Operation[Any], shapes: _Shapes) -> JsonObject:
    success = _success(operation, shapes)
    responses: JsonObject = {str(operation.status): success}
    if operation.answer.kind is AnswerKind.FILE:
        responses["206"] = {**success, "description": "The range of the file that was asked for"}
        responses["304"] = {"description": "The file is the one that the caller has"}
        responses["416"] = _error("the range asked for lies outside the file")
    conditions: dict[int, list[str]] = {}
    for status, code, condition in operation.refusals:
        conditions.setdefault(status, []).append(f"{condition} (`{code.value}`)")
    for status, condition in _general_refusals(operation):
        conditions.setdefault(status, []).append(condition)
    for status in sorted(conditions):
        responses[str(status)] = _error("; ".join(conditions[status]))
    return responses


def _general_refusals(operation: Operation[Any]) -> Iterable[tuple[int, str]]:
    yield from _ALWAYS
    if not operation.keyless:
        yield from _WITH_KEY
    if operation.body is not None:
        yield from _WITH_BODY


def _success(operation: Operation[Any], shapes: _Shapes) -> JsonObject:
    phrase = HTTPStatus(operation.status).phrase
    if operation.answer.kind is AnswerKind.NOTHING:
        return {"description": phrase}
    if operation.answer.kind is AnswerKind.FILE:
        # OpenAPI 3.1: a media type without a schema stands for bytes.
        kind = operation.answer.media_type
        return {"description": phrase, "content": {"*/*" if kind == "application/octet-stream" else kind: {}}}
    return {"description": phrase, "content": {"application/json": {"schema": shapes.parts[operation.name, "answer"]}}}


def _shapes(operations: Sequence[Operation[Any]]) -> _Shapes:
    wanted: list[tuple[tuple[str, str], JsonSchemaMode, TypeAdapter[Any]]] = []
    for operation in operations:
        for part, model in (("body", operation.body), ("query", operation.query)):
            if model is not None:
                wanted.append(((operation.name, part), "validation", TypeAdapter(model)))
        if operation.answer.kind is AnswerKind.JSON:
            wanted.append(((operation.name, "answer"), "serialization", operation.answer.adapter))
    parts, rest = TypeAdapter.json_schemas(wanted, by_alias=True, ref_template=_REFS, schema_generator=_Plain)
    return _Shapes({key: schema for (key, _mode), schema in parts.items()}, rest.get("$defs", {}))


def _error(description: str) -> JsonObject:
    reference = {"$ref": _REFS.format(model=_ERROR)}
    return {"description": description, "content": {"application/json": {"schema": reference}}}


def _error_schema() -> JsonObject:
    return {
        "type": "object",
        "required": ["statusCode", "error", "message"],
        "properties": {
            "statusCode": {"type": "integer"},
            "error": {"type": "string", "enum": [code.value for code in ErrorCode]},
            "message": {"type": "string", "description": "A sentence for the person who sent the request"},
        },
    }
