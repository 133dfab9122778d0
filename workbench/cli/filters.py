"""The filters of a tender search as options: shared by ``search`` and ``alerts results`` (interface 4.1)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from workbench.cli.moments import Bound, read_moment
from workbench.cli.option_groups import Said
from workbench.cli.words import word_option
from workbench.contract.vocabulary import TenderSort, TenderStatus

_MOMENT = "ISO 8601, as 2026-03-01 or 2026-03-01T09:30+01:00; a date alone is that day here."


def _date(name: str, what: str, bound: Bound) -> Any:
    edge = "not before" if bound is Bound.LOWER else "not after"
    return typer.Option(
        f"--{name}",
        metavar="DATE",
        parser=lambda text: read_moment(text, bound),
        help=f"{what} {edge} this moment ({_MOMENT})" if name == "min-publication-date" else f"{what} {edge} this moment.",
    )


TextArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT", help='Words to find: all of them; "a phrase", -word, a OR b (`workbench docs searching`).'),
]
StatusOption = Annotated[
    list[TenderStatus] | None,
    word_option(
        "--status",
        words=TenderStatus,
        metavar="STATUS",
        help_=f"One of {', '.join(TenderStatus)}; repeat for several.",
    ),
]
CpvsOption = Annotated[
    list[str] | None,
    typer.Option("--cpvs", "--cpv", metavar="CODE", help="CPV code, as 45233120-6, and all below it; repeat for several."),
]
LocationsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--locations", "--location", metavar="PLACE", help="country/ES, province/08 or town/Girona; repeat for several."
    ),
]
MinBudgetOption = Annotated[
    float | None, typer.Option("--min-budget", metavar="AMOUNT", help="Budget without taxes, at least.")
]
MaxBudgetOption = Annotated[float | None, typer.Option("--max-budget", metavar="AMOUNT", help="Budget without taxes, at most.")]
WithinDeadlineOption = Annotated[
    bool | None,
    typer.Option(
        "--is-only-within-deadline/--no-is-only-within-deadline",
        "--only-within-deadline/--no-only-within-deadline",
        help="Only tenders still open for submission.",
        show_default=False,
    ),
]
SortOption = Annotated[
    TenderSort | None,
    word_option(
        "--sort",
        words=TenderSort,
        metavar="ORDER",
        help_=f"One of {', '.join(TenderSort)}; the service's default is by-published-date.",
    ),
]
DescendentOption = Annotated[
    bool | None,
    typer.Option("--is-descendent/--ascending", help="Largest and newest first (the default), or last.", show_default=False),
]


class TenderFilterOptions:
    """What both ``search`` and ``alerts results`` filter and order by, under the client's argument names."""

    text: TextArgument = None
    status: StatusOption = None
    cpvs: CpvsOption = None
    locations: LocationsOption = None
    min_budget: MinBudgetOption = None
    max_budget: MaxBudgetOption = None
    is_only_within_deadline: WithinDeadlineOption = None
    min_publication_date: Annotated[datetime | None, _date("min-publication-date", "Published", Bound.LOWER)] = None
    max_publication_date: Annotated[datetime | None, _date("max-publication-date", "Published", Bound.UPPER)] = None
    min_deadline_date: Annotated[datetime | None, _date("min-deadline-date", "Submission deadline", Bound.LOWER)] = None
    max_deadline_date: Annotated[datetime | None, _date("max-deadline-date", "Submission deadline", Bound.UPPER)] = None
    min_awarding_date: Annotated[datetime | None, _date("min-awarding-date", "Awarded", Bound.LOWER)] = None
    max_awarding_date: Annotated[datetime | None, _date("max-awarding-date", "Awarded", Bound.UPPER)] = None
    min_last_update_date: Annotated[datetime | None, _date("min-last-update-date", "Record updated", Bound.LOWER)] = None
    max_last_update_date: Annotated[datetime | None, _date("max-last-update-date", "Record updated", Bound.UPPER)] = None
    sort: SortOption = None
    is_descendent: DescendentOption = None


def client_filters(said: Said) -> dict[str, Any]:
    """The same as the client takes them: the words as one text, CPV codes with their check digit."""
    given = dict(said)
    if text := said.get("text"):
        given["text"] = " ".join(text)
    if cpvs := said.get("cpvs"):
        given["cpvs"] = [with_check_digit(code) for code in cpvs]
    return given


def with_check_digit(code: str) -> str:
    """A CPV code as the interface takes it. Raises ``ValueError``, saying what is wrong, for what is none."""
    # The interface takes nine digits; eight are what people know by heart. The table has the ninth.
    from workbench.reference import cpv

    found = cpv.get(code)
    return found.full if found else cpv.normalize(code)
