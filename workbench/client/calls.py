"""One call each: what a method of the client sends, built and checked before anything leaves.

Asynchronous, sync and raw methods build their calls here, so that they send the same bytes by construction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Generic, TypedDict, TypeVar
from urllib.parse import urlsplit

from pydantic import ValidationError
from pydantic_core import to_json

from workbench.client.errors import InvalidArgument
from workbench.client.policy.addresses import UnusableAddress, origin_of
from workbench.client.policy.paths import UnusablePathValue, fill
from workbench.contract import operations as op
from workbench.contract.account import CallerContext, KeyInfo
from workbench.contract.cpv import Cpv
from workbench.contract.operations import Operation
from workbench.contract.organizations import AwardStatistics, Organization
from workbench.contract.record import Page
from workbench.contract.request import Request
from workbench.contract.tenders import Tender, TenderSearch, TenderSheet
from workbench.contract.vocabulary import TenderSort, TenderStatus

T = TypeVar("T")
"""Type of the answer."""


@dataclass(frozen=True, slots=True, repr=False)
class Call(Generic[T]):
    """One request to be made: ``target`` is the encoded path and query under the base URL, or an absolute address.

    A ``bulk`` call is one of many that a walk or an export makes: calls that a person waits for go before it at the window.
    Downloads are bulk by their kind, without saying so here. ``headers`` are sent beside the usual ones.
    """

    operation: Operation[T]
    target: str
    body: bytes | None = None
    bulk: bool = field(default=False, kw_only=True)
    headers: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)

    def __repr__(self) -> str:
        return f"Call({self.operation.name})"  # a target may hold a document token, and tracebacks print values


class TenderFilters(TypedDict, total=False):
    """Keyword arguments of a tender search: the fields of :class:`~workbench.contract.tenders.TenderSearch`.

    ``None`` is the same as not given. Dates are ``datetime`` with a zone or ISO 8601 text with one.
    """

    text: str | None
    page: int | None
    page_size: int | None
    sort: TenderSort | str | None
    is_descendent: bool | None
    status: list[TenderStatus] | list[str] | tuple[TenderStatus | str, ...] | None
    cpvs: list[str] | tuple[str, ...] | None
    locations: list[str] | tuple[str, ...] | None
    min_budget: float | None
    max_budget: float | None
    is_only_within_deadline: bool | None
    min_publication_date: datetime | str | None
    max_publication_date: datetime | str | None
    min_deadline_date: datetime | str | None
    max_deadline_date: datetime | str | None
    min_awarding_date: datetime | str | None
    max_awarding_date: datetime | str | None
    min_last_update_date: datetime | str | None
    max_last_update_date: datetime | str | None


Query = TenderSearch | Mapping[str, Any]
"""A tender search as a value: the contract's model, or a mapping in snake_case or in the wire's camelCase."""

WALK_PAGE_SIZE: Final = 100
"""Page size of a walk through all pages: the largest the interface allows, for the fewest requests."""


def _call(operation: Operation[T], *, body: Request | None = None, **path: object) -> Call[T]:
    try:
        target = fill(operation.path, path)
    except UnusablePathValue as trouble:
        raise InvalidArgument(_snake(trouble.name), str(trouble), operation=operation.name) from None
    return Call(operation, target, None if body is None else to_json(body.to_wire()))


def whoami() -> Call[CallerContext]:
    """Who calls (interface 2)."""
    return _call(op.WHOAMI)


def api_key() -> Call[KeyInfo]:
    """The key in use."""
    return _call(op.API_KEY)


def search_tenders(query: Query | None, filters: Mapping[str, Any]) -> Call[Page[Tender]]:
    """One page of a tender search."""
    return _call(op.SEARCH_TENDERS, body=tender_search(query, filters))


def get_tender(id: str) -> Call[Tender]:  # noqa: A002 - the interface's name
    """One tender."""
    return _call(op.GET_TENDER, id=id)


def tender_sheets(id: str) -> Call[tuple[TenderSheet, ...]]:  # noqa: A002 - the interface's name
    """All documents of a tender."""
    return _call(op.TENDER_SHEETS, id=id)


def download_sheet(sheet_id: str) -> Call[bytes]:
    """A document file."""
    return _call(op.DOWNLOAD_SHEET, sheetId=sheet_id)


def download_document(link: str) -> Call[bytes]:
    """A document file by its signed link: a token, or the whole address as the tool ``get_tender_sheets`` gives it."""
    if not isinstance(link, str) or "/" not in link:  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
        return _call(op.DOWNLOAD_DOCUMENT, token=link)
    try:
        parts = urlsplit(link.strip())
        if not parts.scheme and not parts.netloc and parts.path.startswith("/"):
            _ = origin_of(f"https://localhost{link.strip()}")
        else:
            _ = origin_of(link.strip())
    except (UnusableAddress, ValueError) as trouble:
        raise InvalidArgument("url_or_token", str(trouble), operation=op.DOWNLOAD_DOCUMENT.name) from None
    return Call(op.DOWNLOAD_DOCUMENT, link.strip().partition("#")[0])


def get_organization(id_or_slug: str) -> Call[Organization]:
    """An organization."""
    return _call(op.GET_ORGANIZATION, idOrSlug=id_or_slug)


def organization_awards(id_or_slug: str) -> Call[AwardStatistics]:
    """Award statistics of an organization."""
    return _call(op.ORGANIZATION_AWARDS, idOrSlug=id_or_slug)


def get_cpv(code: str) -> Call[Cpv]:
    """A CPV code."""
    return _call(op.GET_CPV, code=code)


def tender_search(query: Query | None, filters: Mapping[str, Any], *, operation: str = "tenders.search") -> TenderSearch:
    """The search that a value and keyword arguments make together; an argument goes before the value's field.

    Raises :class:`~workbench.client.errors.InvalidArgument`, naming the field, for what the interface does not take.
    """
    wire: dict[str, Any] = {}
    for source in (query, filters):
        if source is None:
            continue
        given = source.model_dump(exclude_unset=True) if isinstance(source, TenderSearch) else source
        if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
            raise InvalidArgument(
                "query", f"takes a TenderSearch or a mapping, not {type(query).__name__}", operation=operation
            )
        wire.update({_wire_name(name): value for name, value in given.items() if value is not None})
    try:
        return TenderSearch.model_validate(wire)
    except ValidationError as trouble:
        raise invalid(trouble, operation) from None


def on_page(search: TenderSearch, page: int) -> Call[Page[Tender]]:
    """The same search, another page; the walk's page size where none was asked for."""
    changes: dict[str, Any] = {"page": page}
    if search.page_size is None:
        changes["page_size"] = WALK_PAGE_SIZE
    return _call(op.SEARCH_TENDERS, body=search.model_copy(update=changes))


def invalid(trouble: ValidationError, operation: str) -> InvalidArgument:
    """The client's error for the first thing that a request model refused."""
    first = trouble.errors(include_url=False, include_context=False)[0]
    place = first["loc"]
    field = _snake(str(place[0])) if place else "query"
    item = "".join(f"[{part}]" for part in place[1:] if isinstance(part, int))
    return InvalidArgument(field + item, _sentence(field, first["type"], first["msg"], first["input"]), operation=operation)


def _sentence(field: str, sort: str, message: str, given: object) -> str:
    if sort == "extra_forbidden":
        return f"is no parameter of this call; the parameters are {', '.join(TenderSearch.model_fields)}"
    if sort == "timezone_aware":
        return f"needs a time zone, as in 2026-01-31T00:00:00Z; {given!r} has none"
    if sort == "tuple_type" and isinstance(given, str):
        return f"takes a list, as in {field}=[{given!r}]"
    text = message[:1].lower() + message[1:]
    shown = repr(given)
    return f"{text}, and is {shown if len(shown) <= 80 else shown[:79] + '…'}"


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


_WIRE_NAMES: Final = {name: str(field.alias or name) for name, field in TenderSearch.model_fields.items()}


def _wire_name(name: str) -> str:
    return _WIRE_NAMES.get(name, name)
