"""Reading an answer: into the stated type, or into the error it stands for. Any body is survived, HTML too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from pydantic import SecretStr, ValidationError
from pydantic_core import from_json

from workbench.client.errors import ApiError, UnexpectedAnswer, api_error_type
from workbench.client.policy.redaction import excerpt, redact
from workbench.contract.errors import read_refusal
from workbench.contract.operations import CREATE_TASK, AnswerKind, Operation
from workbench.contract.record import Page, Record

T = TypeVar("T")

MESSAGE_CHARACTERS_MAX: Final = 1000
_FIELDS_NOT_SHOWN: Final = frozenset({"api_key"})
"""Operations whose answer's field names the interface does not show: there, a record of unknown fields alone is no mistake."""


@dataclass(frozen=True, slots=True, repr=False)
class RawResponse:
    """An answer as it came: HTTP status, headers (lower-case names; repeated ones joined by a comma), decoded body bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON. Raises ``ValueError`` where it is none."""
        return from_json(self.body.removeprefix(b"\xef\xbb\xbf"))

    def __repr__(self) -> str:
        return f"RawResponse(status={self.status}, {len(self.body)} bytes)"  # bodies hold people's data; reprs end in logs


def read_answer(operation: Operation[T], response: RawResponse, secrets: Iterable[SecretStr] = ()) -> T:
    """The typed answer. Raises :class:`~workbench.client.errors.UnexpectedAnswer` where it is not what the interface states."""
    if operation.answer.kind is AnswerKind.NOTHING:
        return cast("T", None)
    if operation.answer.kind is AnswerKind.FILE:
        return cast("T", response.body)
    decoded = _decode(operation, response, secrets)
    try:
        answer = operation.answer.read(_unwrapped(operation, decoded))
    except ValidationError as trouble:
        where = ".".join(str(part) for part in trouble.errors(include_input=False, include_url=False)[0]["loc"]) or "the top"
    else:
        _check_shape(operation, response, secrets, answer)
        return answer
    raise _unexpected(operation, response, secrets, where)


def _decode(operation: Operation[Any], response: RawResponse, secrets: Iterable[SecretStr]) -> Any:
    try:
        return response.json()
    except ValueError:
        sort = response.headers.get("content-type", "no content type").partition(";")[0]
        where = f"the body, which is {sort} and no JSON" if response.body else "the body, which is empty"
    raise _unexpected(operation, response, secrets, where)


def _unwrapped(operation: Operation[Any], decoded: Any) -> object:
    if operation.name == CREATE_TASK.name and isinstance(decoded, (str, int)) and not isinstance(decoded, bool):
        return {"id": decoded}  # "the new task's id" may be an object with it, or the bare id; the task is there either way
    # The interface says "all sheets of the tender" or "array of"; some services put such a list under "data" like a page.
    if operation.paged or getattr(operation.answer.type, "__origin__", None) is not tuple or not isinstance(decoded, dict):
        return cast("object", decoded)
    wire = cast("dict[str, Any]", decoded)
    pagination = cast("object", wire.get("pagination"))
    more = isinstance(pagination, dict) and cast("dict[str, Any]", pagination).get("hasNextPage")
    return wire["data"] if isinstance(wire.get("data"), list) and not more else wire


def _check_shape(operation: Operation[Any], response: RawResponse, secrets: Iterable[SecretStr], answer: object) -> None:
    if isinstance(answer, Page):
        page = cast("Page[Record]", answer)
        if "data" in page.unreadable_fields or "data" not in page.to_wire():
            raise _unexpected(operation, response, secrets, "data")
    elif isinstance(answer, Record) and operation.name not in _FIELDS_NOT_SHOWN and not _reads_something(answer):
        # A failure sent with status 200 must not look like a record of which nothing is known.
        raise _unexpected(operation, response, secrets, "the top, where no field of the record is")


def _reads_something(record: Record) -> bool:
    return bool(record.model_fields_set or record.unreadable_fields)


def _unexpected(operation: Operation[Any], response: RawResponse, secrets: Iterable[SecretStr], where: str) -> UnexpectedAnswer:
    return UnexpectedAnswer(
        expectation(operation),
        where=where,
        excerpt=excerpt(response.body, secrets),
        status=response.status,
        operation=operation.name,
    )


def expectation(operation: Operation[Any]) -> str:
    """What an operation's answer should be, in words."""
    if operation.answer.kind is AnswerKind.FILE:
        return "a file"
    if operation.paged:
        return "a JSON object with 'data' (a list of objects) and 'pagination'"
    if getattr(operation.answer.type, "__origin__", None) is tuple:
        return "a JSON array of objects"
    return f"a JSON object ({operation.summary.lower()})"


def refusal(
    operation: Operation[Any], response: RawResponse, *, retry_after: float | None = None, secrets: Iterable[SecretStr] = ()
) -> ApiError:
    """The error that an answer with a status outside 2xx stands for, with what could be read of its body."""
    try:
        found = read_refusal(response.json())
    except ValueError:
        found = read_refusal(None)
    message = found.message
    if message is None and response.body:
        message = _plain_text(response, secrets)
    message = _one_line(redact(message, secrets)) if message else None
    code = redact(found.code, secrets)[:100] if found.code else None
    kind = api_error_type(response.status, code or _only_code(operation, response.status))
    return kind(response.status, code, message, operation.name, retry_after)


def _only_code(operation: Operation[Any], status: int) -> str | None:
    # The interface does not show which field carries SUMMARY_NOT_READY; where a status has one meaning, that is the meaning.
    codes = [code for known, code, _ in operation.refusals if known == status]
    return codes[0].value if len(codes) == 1 else None


def _plain_text(response: RawResponse, secrets: Iterable[SecretStr]) -> str | None:
    sort = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sort in {"text/html", "application/xhtml+xml"} or response.body.lstrip()[:1] == b"<":
        return "the answer is a web page and not the service's own words"
    return excerpt(response.body, secrets) if sort.startswith("text/") or not sort else None


def _one_line(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= MESSAGE_CHARACTERS_MAX else line[: MESSAGE_CHARACTERS_MAX - 1] + "…"
