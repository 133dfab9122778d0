"""How much of a list is wanted: one page, the first so many, or all; and asking the service for just that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import typer

from workbench.cli.failures import WrongUse
from workbench.contract.vocabulary import PAGE_FIRST, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX

if TYPE_CHECKING:
    from workbench.contract.record import Page, Record

RecordT = TypeVar("RecordT", bound="Record")

PageOption = Annotated[int | None, typer.Option("--page", min=PAGE_FIRST, help="This page only, counted from 1.")]
PageSizeOption = Annotated[
    int | None,
    typer.Option(
        "--page-size", min=1, max=PAGE_SIZE_MAX, help=f"How many a page; the service's default is {PAGE_SIZE_DEFAULT}."
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="The first N, from as many pages as it takes.")
]
AllOption = Annotated[bool, typer.Option("--all", help="All that match.")]


@dataclass
class Found(Generic[RecordT]):
    """Records as they come; ``more`` tells, once they have all come, what to add to the command to see the rest."""

    records: Iterator[RecordT]
    follows: bool = False
    hint: str = ""

    def more(self) -> str:
        """A hint where the service has more than was asked for; empty otherwise."""
        return self.hint if self.follows else ""


@dataclass(frozen=True)
class Span:
    """The options that say how much. Raises :class:`WrongUse` where they contradict each other."""

    page: int | None
    page_size: int | None
    limit: int | None
    everything: bool

    def __post_init__(self) -> None:
        if self.everything and self.limit is not None:
            raise WrongUse("--all and --limit exclude each other; choose one.")
        if self.page is not None and (self.everything or self.limit is not None):
            raise WrongUse("--page shows one page; it does not go with --limit or --all.")

    def fetch(
        self, one: Callable[..., Page[RecordT]], walk: Callable[..., Iterator[RecordT]], given: dict[str, Any], *, what: str
    ) -> Found[RecordT]:
        """Ask ``one`` for a page, or ``walk`` for records up to a limit; ``what`` they are, in the plural, for the hint.

        The first page is here before anything is written, so that a refusal leaves no half answer.
        """
        if self.everything or self.limit is not None:
            wanted = given if self.page_size is None else given | {"page_size": self.page_size}
            return Found(_first_now(walk(limit=self.limit, **wanted)))
        paging = {"page": self.page, "page_size": self.page_size}
        answer = one(**given, **{name: value for name, value in paging.items() if value is not None})
        following = (self.page or PAGE_FIRST) + 1
        return Found(iter(answer), answer.has_next_page, f"There are more {what}: add --page {following}, --limit N or --all.")


def _first_now(records: Iterator[RecordT]) -> Iterator[RecordT]:
    first = next(records, None)

    def everything() -> Iterator[RecordT]:
        if first is not None:
            yield first
            yield from records

    return everything()
