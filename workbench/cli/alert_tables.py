"""Alerts as a person reads them: criteria and schedule in words. Every text goes through :func:`clean`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from workbench.cli.moments import local_minute
from workbench.cli.output import clean, console, plain, say
from workbench.cli.tables import cell, money, new_table, print_fields, print_other_fields
from workbench.contract.vocabulary import EVENT_FIELDS, WEEKDAYS, AlertEvent

if TYPE_CHECKING:
    from workbench.contract.alerts import Alert

_EVENTS: Final = {field.value: event for event, field in EVENT_FIELDS.items()}
_LISTS: Final = (
    ("Keywords", ("keywords",)),
    ("CPV codes", ("cpvCodes",)),
    ("Countries", ("locations", "country")),
    ("Provinces", ("locations", "province")),
)
_PLAIN: Final = (("Statuses", "statuses"), ("Contract types", "contractTypes"), ("Procedures", "procedures"))
_CRITERIA: Final = frozenset({"keywords", "cpvCodes", "locations", "budget", "inDeadline", *(name for _, name in _PLAIN)})
_NOTIFICATION: Final = frozenset({"frequency", "hour", "timezone", "attachments", "includeModifications", "sendWithoutItems"})


def print_alerts(alerts: Iterable[Alert]) -> None:
    """Print a list of alerts with their ids and states."""
    table = new_table("State", "Alert", "Last match", "Last e-mail", "Id")
    for alert in alerts:
        dates = (local_minute(alert.last_notified_at), local_minute(alert.last_notification_sent_at))
        table.add_row(*map(cell, (state_of(alert), alert.title or "(no title)", *dates, alert.id)))
    if table.row_count:
        console().print(table)
    else:
        say("There are no such alerts; `workbench alerts create` makes one.")


def state_of(alert: Alert) -> str:
    """``archived``, ``paused`` or ``on``; a dash where the service does not say."""
    if alert.is_archived:
        return "archived"
    return {True: "on", False: "paused", None: "–"}[alert.is_active]


def print_alert(alert: Alert) -> None:
    """Print one alert whole."""
    screen = console()
    screen.print(Text(clean(alert.title or "(no title)"), style="bold"))
    print_fields(
        screen,
        [
            ("Id", alert.id),
            ("State", state_of(alert)),
            ("Seen by", {True: "all users of the account", False: "its owner and responsibles", None: None}[alert.is_public]),
            ("Description", alert.description),
            ("Triggers", "; ".join(map(_trigger, alert.windows_search))),
            *_criteria(alert.criteria or {}),
            *_schedule(alert.notification_config or {}),
            ("Responsible", ", ".join(map(_user, alert.responsibles))),
            ("Made by the service", "yes" if alert.is_auto_configured else None),
            ("Created", f"{local_minute(alert.created_at)} by {alert.created_by or '–'}"),
            ("Changed", local_minute(alert.updated_at)),
            ("Last match", local_minute(alert.last_notified_at)),
            ("Last e-mail", local_minute(alert.last_notification_sent_at)),
            ("Web page", alert.platform_url),
        ],
    )
    print_other_fields(screen, alert.other_fields)


def _trigger(window: Mapping[str, Any]) -> str:
    field = str(window.get("field"))
    event = _EVENTS.get(field)
    if event is not AlertEvent.DEADLINE:
        return event or field
    days = window.get("expirationOffset")
    extended = " (extended)" if window.get("withExtension") else ""
    return f"{_days(days)}{event}{extended}"


def _days(days: Any) -> str:
    if days is None:
        return ""
    number = f"{days:g}" if isinstance(days, (int, float)) else plain(days)
    return f"{number} days before the "


def _criteria(criteria: Mapping[str, Any]) -> Iterable[tuple[str, str | None]]:
    for name, path in _LISTS:
        found: Any = criteria
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        yield name, _include_exclude(found)
    budget = criteria.get("budget")
    if isinstance(budget, Mapping) and (budget.get("min") is not None or budget.get("max") is not None):
        yield "Budget", f"{_amount(budget.get('min'))} to {_amount(budget.get('max'))}"
    for name, wire in _PLAIN:
        yield name, _joined(criteria.get(wire))
    if criteria.get("inDeadline"):
        yield "Deadline", "only tenders still open for submission"
    yield "Other criteria", _others(criteria, _CRITERIA)


def _include_exclude(found: Any) -> str | None:
    if not isinstance(found, Mapping):
        return None
    include, exclude = _joined(found.get("include")), _joined(found.get("exclude"))
    return "; ".join(part for part in (include, f"not {exclude}" if exclude else "") if part)


def _joined(values: Any) -> str:
    return ", ".join(map(plain, values)) if isinstance(values, (list, tuple)) else plain(values) if values else ""


def _amount(value: Any) -> str:
    return (
        money(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else "any"
        if value is None
        else plain(value)
    )


def _schedule(settings: Mapping[str, Any]) -> Iterable[tuple[str, str | None]]:
    frequency, hour, zone = settings.get("frequency"), settings.get("hour"), settings.get("timezone")
    at = f" at {plain(hour)}:00" if hour is not None else ""
    yield "E-mail", f"{_frequency(frequency)}{at}{f' ({plain(zone)})' if zone else ''}".strip()
    files = settings.get("attachments")
    if isinstance(files, Mapping):
        yield "Attached", ", ".join(kind for kind in ("Pdf", "Csv", "Xlsx") if files.get(f"has{kind}")).upper() or "nothing"
    notes = (("includeModifications", "changed tenders too"), ("sendWithoutItems", "when nothing matched, too"))
    yield "Also", ", ".join(words for name, words in notes if settings.get(name))
    yield "Other settings", _others(settings, _NOTIFICATION)


def _frequency(frequency: Any) -> str:
    if not isinstance(frequency, Mapping):
        return ""
    days = frequency.get("weekdays") if frequency.get("type") == "daily" else [frequency.get("dayOfWeek")]
    names = [WEEKDAYS.get(day, plain(day)) if isinstance(day, int) else plain(day) for day in days or ()]
    return f"{plain(frequency.get('type'))}: {', '.join(names)}"


def _user(user: Mapping[str, Any]) -> str:
    name = user.get("name") or user.get("email") or user.get("id")
    return f"{plain(name)}{'' if user.get('receiveEmails', True) else ' (no e-mails)'}"


def _others(values: Mapping[str, Any], known: frozenset[str]) -> str | None:
    rest = {name: value for name, value in values.items() if name not in known}
    return plain(rest) if rest else None
