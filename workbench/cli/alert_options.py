"""What an alert can be made of, as options shared by ``alerts create`` and ``alerts edit`` (interface 2)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, cast

import typer

from workbench.cli.failures import WrongUse
from workbench.cli.filters import MaxBudgetOption, MinBudgetOption, with_check_digit
from workbench.cli.option_groups import Said
from workbench.cli.words import word_option
from workbench.contract.vocabulary import EVENT_FIELDS, HOUR_MAX, HOUR_MIN, WEEKDAYS, AlertEvent, TenderStatus

Wire = dict[str, Any]
"""A JSON object in the interface's spelling."""


class Clearable(StrEnum):
    """What ``--clear`` empties."""

    DESCRIPTION = "description"
    KEYWORDS = "keywords"
    CPV_CODES = "cpv-codes"
    COUNTRIES = "countries"
    PROVINCES = "provinces"
    BUDGET = "budget"
    STATUSES = "statuses"
    CONTRACT_TYPES = "contract-types"
    PROCEDURES = "procedures"
    IN_DEADLINE = "in-deadline"
    RESPONSIBLES = "responsibles"


def _weekday(text: str) -> int:
    wanted = text.strip().lower()
    for number, name in WEEKDAYS.items():
        if wanted == str(number) or (len(wanted) >= 2 and name.lower().startswith(wanted)):
            return number
    raise typer.BadParameter(f"{text!r} is no weekday; write 1 (Monday) to 7 (Sunday), or the name.")


def _several(*names: str, metavar: str, help_: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=f"{help_}; repeat for several.")


def _switch(names: str, help_: str) -> Any:
    return typer.Option(names, help=help_, show_default=False)


FromOption = Annotated[
    str | None,
    typer.Option("--from", metavar="FILE", help="A JSON object in the interface's spelling, - for standard input."),
]


class AlertOptions:
    """The fields of an alert as ``create`` takes them."""

    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The alert's title.")] = None
    description: Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What it is for.")] = None
    events: Annotated[
        list[AlertEvent] | None,
        word_option(
            "--events",
            "--event",
            words=AlertEvent,
            metavar="EVENT",
            help_=f"When it triggers: {', '.join(AlertEvent)}; repeat for several.",
        ),
    ] = None
    expiration_offset: Annotated[
        float | None,
        typer.Option("--expiration-offset", min=1, metavar="DAYS", help="For the event deadline: so many days before it."),
    ] = None
    with_extension: Annotated[
        bool | None, _switch("--with-extension/--without-extension", "For the event deadline: the extended one.")
    ] = None
    keywords: Annotated[list[str] | None, _several("--keywords", "--keyword", metavar="WORD", help_="A word to have")] = None
    exclude_keywords: Annotated[
        list[str] | None, _several("--exclude-keywords", "--exclude-keyword", metavar="WORD", help_="A word not to have")
    ] = None
    cpv_codes: Annotated[list[str] | None, _several("--cpv-codes", "--cpv", metavar="CODE", help_="A CPV code to have")] = None
    exclude_cpv_codes: Annotated[
        list[str] | None, _several("--exclude-cpv-codes", "--exclude-cpv", metavar="CODE", help_="A CPV code not to have")
    ] = None
    countries: Annotated[
        list[str] | None, _several("--countries", "--country", metavar="ISO", help_="A country to have, as ES")
    ] = None
    exclude_countries: Annotated[
        list[str] | None, _several("--exclude-countries", "--exclude-country", metavar="ISO", help_="A country not to have")
    ] = None
    provinces: Annotated[
        list[str] | None, _several("--provinces", "--province", metavar="CODE", help_="A province to have, as 08")
    ] = None
    exclude_provinces: Annotated[
        list[str] | None, _several("--exclude-provinces", "--exclude-province", metavar="CODE", help_="A province not to have")
    ] = None
    statuses: Annotated[
        list[TenderStatus] | None,
        word_option(
            "--statuses",
            "--status",
            words=TenderStatus,
            metavar="STATUS",
            help_=f"One of {', '.join(TenderStatus)}; repeat for several.",
        ),
    ] = None
    min_budget: MinBudgetOption = None
    max_budget: MaxBudgetOption = None
    contract_types: Annotated[
        list[str] | None, _several("--contract-types", "--contract-type", metavar="TYPE", help_="A contract type to have")
    ] = None
    procedures: Annotated[
        list[str] | None, _several("--procedures", "--procedure", metavar="NAME", help_="A procedure to have")
    ] = None
    in_deadline: Annotated[
        bool | None, _switch("--in-deadline/--no-in-deadline", "Only tenders still open for submission.")
    ] = None
    weekdays: Annotated[
        list[int] | None,
        typer.Option(
            "--weekdays", "--weekday", metavar="DAY", parser=_weekday, help="E-mail on this weekday, 1 (Monday) to 7; repeat."
        ),
    ] = None
    weekly_day: Annotated[
        int | None,
        typer.Option("--weekly-day", metavar="DAY", parser=_weekday, help="E-mail once a week, on this day, 1 (Monday) to 7."),
    ] = None
    hour: Annotated[
        int | None,
        typer.Option("--hour", min=HOUR_MIN, max=HOUR_MAX, help="The hour of the e-mail, 0 to 23, in the time zone."),
    ] = None
    timezone: Annotated[str | None, typer.Option("--timezone", metavar="ZONE", help="An IANA zone, as Europe/Madrid.")] = None
    pdf: Annotated[bool | None, _switch("--pdf/--no-pdf", "Attach a PDF.")] = None
    csv: Annotated[bool | None, _switch("--csv/--no-csv", "Attach a CSV file.")] = None
    xlsx: Annotated[bool | None, _switch("--xlsx/--no-xlsx", "Attach an Excel file.")] = None
    include_modifications: Annotated[
        bool | None, _switch("--include-modifications/--no-include-modifications", "Changed tenders too, not only new ones.")
    ] = None
    send_without_items: Annotated[
        bool | None, _switch("--send-without-items/--no-send-without-items", "Send the e-mail when nothing matched, too.")
    ] = None
    responsibles: Annotated[
        list[str] | None, _several("--responsibles", "--responsible", metavar="USER", help_="A user's id, who gets the e-mails")
    ] = None
    responsibles_without_emails: Annotated[
        list[str] | None,
        _several("--responsibles-without-emails", metavar="USER", help_="A user's id, who gets none of the e-mails"),
    ] = None
    active: Annotated[bool | None, _switch("--active/--paused", "Whether it runs.")] = None
    public: Annotated[bool | None, _switch("--public/--private", "Whether all users of the account see it.")] = None


class AlertEditOptions(AlertOptions):
    """The same for ``edit``, which can also empty a field."""

    clear: Annotated[
        list[Clearable] | None,
        word_option(
            "--clear", words=Clearable, metavar="FIELD", help_=f"Empty one of {', '.join(Clearable)}; repeat for several."
        ),
    ] = None


_LISTS: Final = (
    ("keywords", "exclude_keywords", ("keywords",)),
    ("cpv_codes", "exclude_cpv_codes", ("cpvCodes",)),
    ("countries", "exclude_countries", ("locations", "country")),
    ("provinces", "exclude_provinces", ("locations", "province")),
)
_PLAIN: Final = {"statuses": "statuses", "contract_types": "contractTypes", "procedures": "procedures"}
_ATTACHMENTS: Final = {"pdf": "hasPdf", "csv": "hasCsv", "xlsx": "hasXlsx"}
_NOTIFICATION: Final = {
    "hour": "hour",
    "timezone": "timezone",
    "include_modifications": "includeModifications",
    "send_without_items": "sendWithoutItems",
}


def alert_with(base: Wire, said: Said) -> Wire:
    """The fields of an alert that the options touch, worked into those of ``base``, which stays as it is.

    ``base`` and the result are in the interface's spelling. A list that is given replaces the one there; what no option names
    stays. Raises :class:`WrongUse` for options that contradict each other, and ``ValueError`` for what is no CPV code.
    """
    made: Wire = {}
    for name, wire in {"title": "title", "description": "description", "active": "isActive", "public": "isPublic"}.items():
        if name in said:
            made[wire] = said[name]
    if events := _windows(base.get("windowsSearch"), said):
        made["windowsSearch"] = events
    if users := _responsibles(said):
        made["responsibles"] = users
    cleared = set(said.get("clear", ()))
    for name, wire, empty in (("description", "description", None), ("responsibles", "responsibles", [])):
        if name in cleared:
            made[wire] = empty
    criteria = _without_null(base.get("criteria"))
    changed = _criteria(criteria, said, cleared)
    if changed != criteria:
        made["criteria"] = changed
    notification = _without_null(base.get("notificationConfig"))
    settings = _notification(notification, said)
    if settings != notification:
        made["notificationConfig"] = settings
    return made


def _without_null(value: Any) -> Wire:
    # A service may show fields that are not set as null, or as an empty list of statuses, and takes neither.
    if not isinstance(value, dict):
        return {}
    fields = cast("Wire", value)
    return {
        name: inner if name == "budget" or not isinstance(inner, dict) else _without_null(inner)
        for name, inner in fields.items()
        if inner is not None and (name, inner) != ("statuses", [])
    }


def _windows(present: Any, said: Said) -> list[Wire] | None:
    extras: Wire = {}
    if "expiration_offset" in said:
        extras["expirationOffset"] = said["expiration_offset"]
    if "with_extension" in said:
        extras["withExtension"] = said["with_extension"]
    deadline = EVENT_FIELDS[AlertEvent.DEADLINE].value
    if "events" in said:
        fields = dict.fromkeys(EVENT_FIELDS[event].value for event in said["events"])
        windows: list[Wire] = [{"field": name} for name in fields]
    elif extras and isinstance(present, list):
        windows = [dict(one) for one in present]
    else:
        windows = []
    if extras and not any(one.get("field") == deadline for one in windows):
        raise WrongUse("--expiration-offset and --with-extension go with --event deadline; add it.")
    return [one | extras if one.get("field") == deadline else one for one in windows] or None


def _responsibles(said: Said) -> list[Wire]:
    loud = [{"id": user, "receiveEmails": True} for user in said.get("responsibles", ())]
    return loud + [{"id": user, "receiveEmails": False} for user in said.get("responsibles_without_emails", ())]


def _criteria(present: Wire, said: Said, cleared: set[str]) -> Wire:
    made = dict(present)
    for include, exclude, path in _LISTS:
        # The interface: an empty array clears the filter, an absent one leaves it.
        change: Wire = {"include": [], "exclude": []} if include.replace("_", "-") in cleared else {}
        change |= {
            side: _values(include, said[name]) for side, name in (("include", include), ("exclude", exclude)) if name in said
        }
        if change:
            made = _at(made, path, change)
    for name, wire in _PLAIN.items():
        if name.replace("_", "-") in cleared:
            # Statuses have at least one item when they are there.
            made = {key: value for key, value in made.items() if key != wire} | ({} if wire == "statuses" else {wire: []})
        if name in said:
            made[wire] = [str(value) for value in said[name]]
    return _budget_and_deadline(made, said, cleared)


def _budget_and_deadline(made: Wire, said: Said, cleared: set[str]) -> Wire:
    budget: Wire = {"min": None, "max": None} if "budget" in cleared else {}
    budget |= {side: said[name] for name, side in (("min_budget", "min"), ("max_budget", "max")) if name in said}
    if budget:
        made = _at(made, ("budget",), budget)
    if "in-deadline" in cleared:
        made = made | {"inDeadline": False}
    return made | ({"inDeadline": said["in_deadline"]} if "in_deadline" in said else {})


def _values(name: str, values: Sequence[str]) -> list[str]:
    return [with_check_digit(value) if name == "cpv_codes" else value for value in values]


def _at(made: Wire, path: tuple[str, ...], change: Wire) -> Wire:
    name, *deeper = path
    inner = _without_null(made.get(name)) if name != "budget" else dict(made.get(name) or {})
    return made | {name: _at(inner, tuple(deeper), change) if deeper else inner | change}


def _notification(present: Wire, said: Said) -> Wire:
    if "weekdays" in said and "weekly_day" in said:
        raise WrongUse("--weekdays and --weekly-day exclude each other; choose one.")
    made = dict(present)
    if "weekdays" in said:
        made["frequency"] = {"type": "daily", "weekdays": sorted(set(said["weekdays"]))}
    if "weekly_day" in said:
        made["frequency"] = {"type": "weekly", "dayOfWeek": said["weekly_day"]}
    files = {wire: said[name] for name, wire in _ATTACHMENTS.items() if name in said}
    if files:
        made["attachments"] = _without_null(made.get("attachments")) | files
    return made | {wire: said[name] for name, wire in _NOTIFICATION.items() if name in said}
