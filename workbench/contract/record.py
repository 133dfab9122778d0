"""What the service answers, held without loss: typed where the interface names a field, raw everywhere else.

A record never refuses an answer. Unknown fields stay, a value of an unexpected type is set aside (the typed field reads
as ``None``, the raw value stays), and :meth:`Record.to_wire` gives back exactly what came (interface 2: "Fields of the
tender record: not shown").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, cast

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

JsonObject = dict[str, Any]
"""One JSON object as it stands on the wire."""

RecordT = TypeVar("RecordT", bound="Record")


def _assume_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _only_text_or_moment(value: object) -> object:
    # pydantic reads a bare number as seconds since 1970; the interface only ever sends ISO 8601 text (section 2).
    if isinstance(value, (int, float)):
        raise ValueError("a date-time is ISO 8601 text, not a number")  # noqa: TRY004  # pydantic reports ValueErrors only
    return value


Instant = Annotated[datetime, BeforeValidator(_only_text_or_moment), AfterValidator(_assume_utc)]
"""A date-time of the interface (ISO 8601); one that comes without a zone is read as UTC."""


def _opaque_id(value: object) -> object:
    # Some services number their records; an id is only ever compared, so it is kept as text.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Identifier = Annotated[str, BeforeValidator(_opaque_id)]
"""An opaque id: never parsed, only compared and sent back."""


class Record(BaseModel):
    """A JSON object of the service: snake_case here, camelCase on the wire, nothing lost in between.

    Attributes are ``None`` where the service sent no value, ``null``, or a value that does not fit the field's type; the
    last are listed by :attr:`unreadable_fields`. Equality compares what is on the wire.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        defer_build=True,
        protected_namespaces=(),
    )

    _wire: JsonObject = PrivateAttr(default_factory=dict[str, Any])
    _unreadable: tuple[str, ...] = PrivateAttr(default=())

    @model_validator(mode="wrap")
    @classmethod
    def _keep_everything(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            return handler(data)
        wire = dict(cast("Mapping[str, Any]", data))
        readable, unreadable = wire, list[str]()
        while True:
            try:
                record = handler(readable)
                break
            except ValidationError as trouble:
                # A field with two spellings may fail twice, so this goes on until what is left can be read.
                bad = {str(error["loc"][0]) for error in trouble.errors() if error["loc"]} & readable.keys()
                if not bad:
                    raise
                unreadable += sorted(bad)
                readable = {key: value for key, value in readable.items() if key not in bad}
        record._wire = wire
        record._unreadable = tuple(unreadable)
        return record

    def to_wire(self) -> JsonObject:
        """The JSON object as the service sent it; for a record made in Python, its set fields under their wire names."""
        made_in_python = bool(self._wire.keys() & self._python_only_names()) or any(map(_is_python, self._wire.values()))
        if made_in_python:
            return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return dict(self._wire)

    @property
    def other_fields(self) -> JsonObject:
        """Fields on the wire that this class does not read, including values it could not read, in the order they came."""
        known = self.__class__.wire_names()
        return {key: value for key, value in self._wire.items() if key not in known or key in self._unreadable}

    @property
    def unreadable_fields(self) -> tuple[str, ...]:
        """Wire names of known fields whose value had an unexpected type; the raw value is in :attr:`other_fields`."""
        return self._unreadable

    @classmethod
    def wire_names(cls) -> frozenset[str]:
        """Every name on the wire that this class reads, its aliases included."""
        return _wire_names(cls)

    @classmethod
    def _python_only_names(cls) -> frozenset[str]:
        return frozenset(cls.model_fields) - cls.wire_names()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(other) is type(self) and self.to_wire() == other.to_wire()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # holds a JSON object, which has no hash


def _is_python(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_python, cast("list[object] | tuple[object, ...]", value)))
    return isinstance(value, (BaseModel, datetime))


_WIRE_NAMES: dict[type[Record], frozenset[str]] = {}


def _wire_names(cls: type[Record]) -> frozenset[str]:
    if cls not in _WIRE_NAMES:
        names: set[str] = set()
        for field in cls.model_fields.values():
            alias = field.validation_alias
            choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
            names.update(choice for choice in choices if isinstance(choice, str))
        _WIRE_NAMES[cls] = frozenset(names)
    return _WIRE_NAMES[cls]


class Pagination(Record):
    """The ``pagination`` object of a list (interface 2, Pagination envelope). Pages are 1-based."""

    page: int | None = None
    page_size: int | None = None
    has_next_page: bool | None = None
    total_count: int | None = None


class Page(Record, Generic[RecordT]):
    """One page of a list: ``data`` and ``pagination`` (interface 2). Iterating gives the page's records.

    ``data`` is ``None``-safe: a page whose ``data`` is missing or no list reads as empty and says so in
    :attr:`Record.unreadable_fields`; the client turns that into an error before anyone sees it.
    """

    data: tuple[RecordT, ...] = ()
    pagination: Pagination | None = None
    total_count: int | None = None

    def __iter__(self) -> Iterator[RecordT]:  # type: ignore[override]  # pydantic iterates fields; a page iterates records
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def has_next_page(self) -> bool:
        """Whether the service says that another page follows; ``False`` where it does not say."""
        return bool(self.pagination and self.pagination.has_next_page)
