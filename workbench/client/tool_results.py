"""What goes into a tool and what comes out of it, as values: checked arguments, and results with their references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import SecretStr
from pydantic_core import from_json

from workbench.client.arguments import read_request
from workbench.client.errors import InvalidArgument, ToolRefused, UnexpectedAnswer
from workbench.client.policy.answers import RawResponse, read_answer
from workbench.client.policy.redaction import excerpt, redact
from workbench.contract.errors import read_refusal
from workbench.contract.tools import TOOLS_BY_NAME, Tool
from workbench.contract.vocabulary import ReferenceType

T = TypeVar("T")

MESSAGE_CHARACTERS_MAX: Final = 1000
_REFERENCES_DEPTH_MAX: Final = 8
"""References lie two objects deep (a pipeline's stages); nothing honest is deeper than this."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A thing that a result speaks of (interface 4.2): ``type`` is a :class:`ReferenceType`, or text where it is a new one."""

    type: ReferenceType | str
    id: str
    label: str | None = None


@dataclass(frozen=True)
class ToolResult(Generic[T]):
    """What a tool answered.

    ``data`` is its payload as decoded JSON, ``None`` where an error result carries none; ``text`` is the payload as it came.
    ``references`` are all references in their order, ``structured`` the object they came in (``None`` without one), which
    also tells how they are grouped. ``is_error`` says that the tool refused; ``message`` then says why.
    """

    tool: str
    data: Any
    references: tuple[Reference, ...] = ()
    is_error: bool = False
    text: str = field(default="", repr=False)
    structured: Mapping[str, Any] | None = field(default=None, repr=False)

    def typed(self) -> T:
        """The payload as records of the contract: what the REST call of the same meaning gives (interface 4.2).

        Raises ``ToolRefused`` for an error result, and ``UnexpectedAnswer`` where the payload is something else.
        """
        self.check()
        operation = replace(TOOLS_BY_NAME[self.tool].operation, name=f"tools.{self.tool}")
        return cast("T", read_answer(operation, RawResponse(200, {"content-type": "application/json"}, self.text.encode())))

    def refer_to(self, type: ReferenceType | str) -> tuple[Reference, ...]:  # noqa: A002 - the interface's name
        """The references of one type."""
        return tuple(reference for reference in self.references if reference.type == type)

    @property
    def message(self) -> str:
        """What an error result says, in one line; empty for any other result."""
        if not self.is_error:
            return ""
        found = read_refusal(self.data).message
        return _one_line(found or (self.data if isinstance(self.data, str) else None) or self.text)

    def check(self) -> None:
        """Raise ``ToolRefused`` where this is an error result."""
        if self.is_error:
            raise ToolRefused(self.message, self.tool)


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as its server lists it. ``parameters`` is its JSON Schema; ``read_only`` and ``destructive`` are the server's
    word for it, ``None`` where it gives none.
    """

    name: str
    description: str | None
    parameters: Mapping[str, Any] = field(repr=False)
    read_only: bool | None = None
    destructive: bool | None = None

    @property
    def known(self) -> Tool | None:
        """The same tool in the interface; ``None`` for one that the interface does not list."""
        return TOOLS_BY_NAME.get(self.name)


def tool_named(name: str) -> Tool:
    """The tool of the interface. Raises ``InvalidArgument`` where it lists none of this name."""
    tool = TOOLS_BY_NAME.get(name)
    if tool is None:
        close = get_close_matches(str(name), TOOLS_BY_NAME, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"the tools are {', '.join(TOOLS_BY_NAME)}"
        raise InvalidArgument("name", f"{str(name)[:80]!r} is none of the interface's tools; {hint}")
    return tool


def wire_arguments(tool: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments to send: what was given, checked by the contract, under the wire's names; ``None`` is "not given".

    Nothing is added: a confirmation that the caller did not give is not sent. Raises ``InvalidArgument`` naming the field.
    """
    operation = f"tools.{tool.name}"
    plain = {name: value for name, value in given.items() if value is not None} if isinstance(given, Mapping) else given
    return read_request(tool.parameters, {} if plain is None else plain, operation).to_wire()


def read_result(
    tool: Tool, texts: Iterable[str], structured: object, *, is_error: bool, secrets: Iterable[SecretStr] = ()
) -> ToolResult[Any]:
    """The result of a tool from the texts of its content blocks; the interface states one, of JSON.

    Raises ``UnexpectedAnswer`` where a result that is no error result holds no JSON text.
    """
    text = next(iter(texts), "")
    if is_error:
        text = redact(text, secrets)  # what a service says while refusing is shown, and must not repeat the key
    wrapper = cast("Mapping[str, Any]", structured) if isinstance(structured, Mapping) else None
    references = tuple(_references((wrapper or {}).get("references"), 0))
    data: Any = None
    try:
        data = from_json(text)
    except ValueError:
        if not is_error:
            raise UnexpectedAnswer(
                "one content block with JSON text",
                where="the text, which is no JSON" if text else "the content, which holds no text",
                excerpt=excerpt(text.encode(), secrets),
                operation=f"tools.{tool.name}",
            ) from None
    return ToolResult(tool.name, data, references, is_error, text, wrapper)


def _references(value: object, depth: int) -> Iterator[Reference]:
    # Lists of references, and objects of references and lists of them, as list_pipelines gives a pipeline with its stages.
    if depth > _REFERENCES_DEPTH_MAX:
        return
    if isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _references(item, depth + 1)
    elif isinstance(value, Mapping):
        wire = cast("Mapping[str, object]", value)
        kind, id_, label = wire.get("type"), wire.get("id"), wire.get("label")
        if isinstance(kind, str) and isinstance(id_, (str, int)):
            yield Reference(_KINDS.get(kind, kind), str(id_), label if isinstance(label, str) else None)
        for item in wire.values():
            yield from _references(item, depth + 1)


_KINDS: Final[Mapping[str, ReferenceType]] = {kind.value: kind for kind in ReferenceType}


def _one_line(text: str) -> str:
    return excerpt(text.encode(), limit=MESSAGE_CHARACTERS_MAX)
