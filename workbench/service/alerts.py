"""Alerts over REST: list, get, create, change and what they match (interface 2 and 4.1).

What the interface leaves open is decided here and told to users in ``alerts.md``:

- ``isPublic`` false: keys stand for no user, so a private alert is reached by the key that made it and by the keys of the
  service's owner (in process, and the one that ``workbench serve`` prints). For every other key it does not exist.
- A change replaces each field that it names, and within ``notificationConfig`` each part that it names: a new hour keeps
  the days. ``criteria`` are replaced as a whole.
- The total of a list stands in ``pagination`` and beside ``data``: the interface does not show where, and readers look in
  either place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from sqlalchemy import Row, func, select

from workbench.contract.alerts import AlertDraft, AlertListQuery, AlertPatch, AlertResultsSearch
from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import PAGE_FIRST, PAGE_SIZE_DEFAULT, AlertSort, SortDirection
from workbench.reference.text import fold
from workbench.service import matching
from workbench.service.delivery.schedule import next_run, period_before, schedule_of
from workbench.service.key_directory import Principal
from workbench.service.refusals import RequestRefused, invalid, not_found
from workbench.service.scope import AccountScope, OwnedRows, WritableRows, calling_key
from workbench.service.store.access_tables import account_user
from workbench.service.store.board_tables import workspace_history
from workbench.service.store.database import Database
from workbench.service.store.delivery_tables import alert_state
from workbench.service.store.moments import wire_moment
from workbench.service.store.query import InvalidQuery, query_of
from workbench.service.store.workspace_tables import alert
from workbench.service.tenders import RecordPage, Tenders

TITLE_LENGTH_MAX: Final = 500
DESCRIPTION_LENGTH_MAX: Final = 10_000
RESPONSIBLES_MAX: Final = 100
OFFSET_MAX: Final = 3_650
"""Days of ``expirationOffset``: ten years before a deadline nothing is known of it."""

NO_ALERT: Final = "No alert has this id."

_COLUMNS: Final = {
    "title": "title",
    "description": "description",
    "criteria": "criteria",
    "windowsSearch": "windows_search",
    "notificationConfig": "notification_config",
    "responsibles": "responsibles",
    "isActive": "is_active",
    "isPublic": "is_public",
    "isArchived": "is_archived",
}


class Alerts:
    """The alerts of one database, each method for one caller. Refusals are raised as they are answered."""

    def __init__(self, database: Database, tenders: Tenders) -> None:
        self._database = database
        self._tenders = tenders

    def list(self, caller: Principal, query: AlertListQuery) -> JsonObject:
        """One page of the alerts that ``caller`` reaches, with their number (interface 4.1, GET /v1/alerts).

        Every word of ``text`` must stand in the title, whatever its accents and capitals. Alerts that are equal in an order
        stand by when they were made; those without the date come last in both directions.
        """
        page, size = query.page or PAGE_FIRST, query.page_size or PAGE_SIZE_DEFAULT
        wanted = fold(query.text or "").split()
        with self._scope(caller).reading() as rows:
            found = [row for row in _visible(rows, caller) if all(word in fold(row.title) for word in wanted)]
            if query.is_archived is not None:
                found = [row for row in found if row.is_archived == query.is_archived]
            ordered = _ordered(found, query.sort or AlertSort.UPDATED, query.sort_direction, _turns(rows))
        shown = ordered[(page - 1) * size : page * size]
        pagination = {"page": page, "pageSize": size, "hasNextPage": page * size < len(ordered), "totalCount": len(ordered)}
        return {"data": [wire(row) for row in shown], "pagination": pagination, "totalCount": len(ordered)}

    def get(self, caller: Principal, alert_id: str) -> JsonObject:
        """One alert. Refused with 404 where ``caller`` reaches none of this id."""
        with self._scope(caller).reading() as rows:
            return wire(_need(rows, caller, alert_id))

    def create(self, caller: Principal, draft: AlertDraft) -> JsonObject:
        """The alert that was made (interface 4.1, Create alert). Refused with 422, which names the field."""
        given = _plain(draft.to_wire())
        _check(given)
        with self._scope(caller).writing() as rows:
            _check_users(rows, given)
            values: dict[str, Any] = {
                "description": None,
                "criteria": {},
                "notification_config": {},
                "responsibles": [],
                "is_active": True,
                "is_public": True,
                "is_archived": False,
                **{_COLUMNS[name]: value for name, value in given.items()},
            }
            identity = rows.add(alert, **values, is_auto_configured=False, created_by=caller.key_id)
            self._plan(rows, identity, _Before(planned=False, made=True))
            return wire(_need(rows, caller, identity))

    def update(self, caller: Principal, alert_id: str, patch: AlertPatch) -> JsonObject:
        """The alert after the change (interface 4.1, Update alert). Refused with 404, or with 422 naming the field."""
        given = _plain(patch.to_wire())
        _check(given)
        with self._scope(caller).writing() as rows:
            _check_users(rows, given)
            before = _need(rows, caller, alert_id)
            values = {_COLUMNS[name]: value for name, value in given.items()}
            if "notification_config" in values:
                values["notification_config"] = {**before.notification_config, **values["notification_config"]}
            changed = {name: value for name, value in values.items() if getattr(before, name) != value}
            if changed:
                rows.change(alert, alert_id, **changed, updated_at=rows.now)
            if changed.keys() & {"notification_config", "is_active", "is_archived"}:
                self._plan(rows, alert_id, _Before(planned=before.is_active and not before.is_archived, made=False))
            return wire(_need(rows, caller, alert_id))

    def results(self, caller: Principal, alert_id: str, search: AlertResultsSearch) -> RecordPage:
        """The page of tenders that match an alert and pass the filters of ``search`` (interface 4.1).

        Refused with 404, or with 422 naming the filter; ``SearchTooSlow`` after the time limit.
        """
        with self._scope(caller).reading() as rows:
            criteria = _need(rows, caller, alert_id).criteria
        now = self._database.clock()
        try:
            query = matching.narrowed(query_of(search, now, PAGE_SIZE_DEFAULT), criteria, now)
        except InvalidQuery as trouble:
            raise invalid(str(trouble)) from None
        return self._tenders.page(query, search.page or PAGE_FIRST)

    def _scope(self, caller: Principal) -> AccountScope:
        return AccountScope(self._database, caller.account_id, calling_key(caller.key_id))

    def _plan(self, rows: WritableRows, alert_id: str, before: _Before) -> None:
        """Set when the alert is delivered next, and from when on it looks where it was not running before."""
        row = rows.get(alert, alert_id)
        if row is None or not row.is_active or row.is_archived:
            rows.change(alert, alert_id, next_run_at=None)
            return
        schedule = schedule_of(row.notification_config)
        now = self._database.clock()
        rows.change(alert, alert_id, next_run_at=int(next_run(schedule, now).timestamp()))
        if before.planned:
            return
        back = period_before(schedule, now) if before.made else timedelta()
        since = int((now - back).timestamp())
        if not rows.change(alert_state, alert_id, position=None, since=since):
            rows.add(alert_state, id=alert_id, position=None, since=since)


class _Before:
    """What an alert was before a change: whether its deliveries were planned, and whether it has only just been made."""

    __slots__ = ("made", "planned")

    def __init__(self, *, planned: bool, made: bool) -> None:
        self.planned = planned
        self.made = made


def wire(row: Row[Any]) -> JsonObject:
    """An alert as the interface has it: its sixteen fields and ``windowsSearch``."""
    return {
        "id": row.id,
        "title": row.title,
        "description": row.description,
        "platformUrl": platform_url(row.id),
        "criteria": row.criteria,
        "windowsSearch": row.windows_search,
        "notificationConfig": row.notification_config,
        "responsibles": row.responsibles,
        "isActive": row.is_active,
        "isPublic": row.is_public,
        "isArchived": row.is_archived,
        "isAutoConfigured": row.is_auto_configured,
        "createdBy": row.created_by,
        "createdAt": _shown(row.created_at),
        "updatedAt": _shown(row.updated_at),
        "lastNotifiedAt": _shown(row.last_notified_at),
        "lastNotificationSentAt": _shown(row.last_notification_sent_at),
    }


def platform_url(alert_id: str) -> str:
    """The address of an alert. The embedded service has no web application: it names the alert wherever an address is taken."""
    return f"workbench://alerts/{alert_id}"


def _shown(seconds: int | None) -> str | None:
    return None if seconds is None else wire_moment(datetime.fromtimestamp(seconds, UTC))


def _visible(rows: OwnedRows, caller: Principal) -> Iterator[Row[Any]]:
    return (row for row in rows.all(select(alert)) if _reaches(caller, row))


def _reaches(caller: Principal, row: Row[Any]) -> bool:
    return row.is_public or caller.session or row.created_by == caller.key_id


def _need(rows: OwnedRows, caller: Principal, alert_id: str) -> Row[Any]:
    found = rows.need(alert, alert_id, missing=NO_ALERT)
    if not _reaches(caller, found):
        raise not_found(NO_ALERT)
    return found


def _turns(rows: OwnedRows) -> dict[str, tuple[int, int]]:
    """For each alert the place in the history of its making and of its last change: two in one second are told apart."""
    noted = workspace_history.c
    ends = select(noted.row_id, func.min(noted.id), func.max(noted.id)).where(noted.kind == alert.name).group_by(noted.row_id)
    return {row_id: (first, last) for row_id, first, last in rows.all(ends)}


def _ordered(
    found: Sequence[Row[Any]], sort: AlertSort, direction: SortDirection | None, turns: dict[str, tuple[int, int]]
) -> list[Row[Any]]:
    def turn(row: Row[Any]) -> tuple[int, int]:
        return turns.get(row.id, (0, 0))

    def made(row: Row[Any]) -> tuple[int, int, str]:
        return row.created_at, turn(row)[0], row.id

    keys: dict[AlertSort, Callable[[Row[Any]], Any]] = {
        AlertSort.NAME: lambda row: fold(row.title),
        AlertSort.UPDATED: lambda row: (row.updated_at, turn(row)[1]),
        AlertSort.CREATED: lambda row: row.created_at,
        AlertSort.LAST_NOTIFIED: lambda row: row.last_notified_at,
        AlertSort.LAST_SENT: lambda row: row.last_notification_sent_at,
        AlertSort.STATUS: lambda row: row.is_active,
    }
    key = keys[sort]
    dated = [row for row in found if key(row) is not None]
    undated = [row for row in found if key(row) is None]
    down = direction is not SortDirection.ASCENDING
    dated.sort(key=lambda row: (key(row), made(row)), reverse=down)
    return dated + sorted(undated, key=made, reverse=down)


def _plain(value: Any) -> Any:
    """The same JSON with whole numbers as they were sent: a model's ``float`` would give ``5`` back as ``5.0``."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in cast("JsonObject", value).items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in cast("list[Any]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check(given: JsonObject) -> None:
    """Refuse what the contract's types let pass and no alert can mean."""
    if "title" in given:
        _check_text(given["title"], "title", TITLE_LENGTH_MAX)
        if not given["title"].strip():
            raise _refused("title", "must not be blank")
    _check_text(given.get("description") or "", "description", DESCRIPTION_LENGTH_MAX)
    for place, window in enumerate(given.get("windowsSearch", ())):
        if window.get("expirationOffset", 0) > OFFSET_MAX:
            raise _refused(f"windowsSearch[{place}].expirationOffset", f"must be at most {OFFSET_MAX}")
    frequency: JsonObject = given.get("notificationConfig", {}).get("frequency", {})
    if frequency.get("weekdays") == []:
        raise _refused("notificationConfig.frequency.weekdays", "needs at least one day, or the alert would never be delivered")
    try:
        matching.check(given.get("criteria", {}))
    except InvalidQuery as trouble:
        raise invalid(str(trouble)) from None


def _check_text(text: str, field: str, most: int) -> None:
    if len(text) > most:
        raise _refused(field, f"must have at most {most} characters")


def _check_users(rows: OwnedRows, given: JsonObject) -> None:
    named: list[str] = [one["id"] for one in given.get("responsibles", ())]
    if len(named) > RESPONSIBLES_MAX:
        raise _refused("responsibles", f"must have at most {RESPONSIBLES_MAX} users")
    known = {row.id for row in rows.all(select(account_user.c.id))} if named else set[str]()
    for place, user_id in enumerate(named):
        if user_id not in known:
            raise _refused(f"responsibles[{place}].id", "names no user of this account")
        if user_id in named[:place]:
            raise _refused(f"responsibles[{place}].id", "names a user who is there already")


def _refused(field: str, reason: str) -> RequestRefused:
    return invalid(f"The field '{field}' {reason}.")
