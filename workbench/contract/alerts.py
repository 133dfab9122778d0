"""Saved alerts: record, criteria, schedule, and what creates and changes them (interface 2 and 4.1)."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from pydantic import MISSING, Field, StrictBool, StrictInt, field_validator, model_validator

from workbench.contract.aliases import also
from workbench.contract.record import Identifier, Instant, JsonObject, Record
from workbench.contract.request import Request
from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import (
    EXPIRATION_OFFSET_MIN,
    HOUR_MAX,
    HOUR_MIN,
    PAGE_FIRST,
    PAGE_SIZE_MAX,
    WEEKDAY_MAX,
    WEEKDAY_MIN,
    AlertField,
    AlertSort,
    SortDirection,
    TenderStatus,
)


class Alert(Record):
    """A saved alert: the sixteen fields of interface 2.

    ``criteria`` and ``notification_config`` stay JSON objects, so that an editor can send back what it did not change.
    """

    id: Identifier | None = Field(None, validation_alias=also("id"))
    title: str | None = Field(None, validation_alias=also("title"))
    description: str | None = None
    platform_url: str | None = Field(None, validation_alias=also("platformUrl"))
    criteria: JsonObject | None = None
    notification_config: JsonObject | None = None
    responsibles: tuple[JsonObject, ...] = ()
    windows_search: tuple[JsonObject, ...] = ()
    is_active: bool | None = None
    is_public: bool | None = None
    is_archived: bool | None = None
    is_auto_configured: bool | None = None
    created_by: Identifier | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    last_notified_at: Instant | None = None
    last_notification_sent_at: Instant | None = None


class IncludeExclude(Request):
    """Values to have and values not to have; an empty array clears the filter."""

    include: tuple[str, ...] | MISSING = MISSING
    exclude: tuple[str, ...] | MISSING = MISSING


class PlaceCriteria(Request):
    """Countries (ISO 3166-1 alpha-2) and provinces to have and not to have."""

    country: IncludeExclude | MISSING = MISSING
    province: IncludeExclude | MISSING = MISSING


class BudgetRange(Request):
    """Budget without taxes, inclusive bounds; either may be left out or ``None``."""

    min: float | MISSING | None = MISSING
    max: float | MISSING | None = MISSING


class AlertCriteria(Request):
    """What an alert matches (interface 2): all fields optional; ``statuses`` has at least one item when given."""

    keywords: IncludeExclude | MISSING = MISSING
    cpv_codes: IncludeExclude | MISSING = MISSING
    locations: PlaceCriteria | MISSING = MISSING
    budget: BudgetRange | MISSING = MISSING
    statuses: Annotated[tuple[TenderStatus, ...], Field(min_length=1)] | MISSING = MISSING
    contract_types: tuple[str, ...] | MISSING = MISSING
    procedures: tuple[str, ...] | MISSING = MISSING
    in_deadline: StrictBool | MISSING = MISSING


Weekday = Annotated[StrictInt, Field(ge=WEEKDAY_MIN, le=WEEKDAY_MAX)]


class DailyFrequency(Request):
    """On each of these weekdays; 1 is Monday, 7 is Sunday."""

    type: Literal["daily"]
    weekdays: tuple[Weekday, ...]


class WeeklyFrequency(Request):
    """Once a week on this day; 1 is Monday, 7 is Sunday."""

    type: Literal["weekly"]
    day_of_week: Weekday


class Attachments(Request):
    """Which files go with the e-mail."""

    has_pdf: StrictBool | MISSING = MISSING
    has_csv: StrictBool | MISSING = MISSING
    has_xlsx: StrictBool | MISSING = MISSING


class NotificationConfig(Request):
    """When and how an alert is delivered (interface 2); ``hour`` is 0 to 23 in ``timezone``, an IANA zone name."""

    frequency: Annotated[DailyFrequency | WeeklyFrequency, Field(discriminator="type")] | MISSING = MISSING
    hour: Annotated[StrictInt, Field(ge=HOUR_MIN, le=HOUR_MAX)] | MISSING = MISSING
    timezone: str | MISSING = MISSING
    attachments: Attachments | MISSING = MISSING
    include_modifications: StrictBool | MISSING = MISSING
    send_without_items: StrictBool | MISSING = MISSING

    @field_validator("timezone")
    @classmethod
    def _is_an_iana_zone(cls, value: object) -> object:
        if isinstance(value, str) and value not in _iana_zones():
            raise ValueError(f"{value!r} is no IANA time zone; use a name such as Europe/Madrid")
        return value


@cache
def _iana_zones() -> frozenset[str]:
    from zoneinfo import available_timezones

    return frozenset(available_timezones())


class WindowSearch(Request):
    """One trigger of an alert (interface 2); offset (days, at least 1) and extension go with the deadline only."""

    field: AlertField
    expiration_offset: Annotated[float, Field(ge=EXPIRATION_OFFSET_MIN)] | MISSING = MISSING
    with_extension: StrictBool | MISSING = MISSING

    @model_validator(mode="after")
    def _deadline_only(self) -> WindowSearch:
        extras = self.model_fields_set & {"expiration_offset", "with_extension"}
        if extras and self.field is not AlertField.DEADLINE:
            names = " and ".join(sorted("expirationOffset" if e == "expiration_offset" else "withExtension" for e in extras))
            raise ValueError(f"{names} can only go with field {AlertField.DEADLINE.value}")
        return self


class Responsible(Request):
    """A user of the account who answers for the alert."""

    id: str
    receive_emails: StrictBool


class AlertDraft(Request):
    """Body of ``POST /v1/alerts``: title and at least one trigger; active and public unless said otherwise."""

    title: str
    windows_search: Annotated[tuple[WindowSearch, ...], Field(min_length=1)]
    description: str | MISSING | None = MISSING
    criteria: AlertCriteria | MISSING = MISSING
    notification_config: NotificationConfig | MISSING = MISSING
    responsibles: tuple[Responsible, ...] | MISSING = MISSING
    is_active: StrictBool | MISSING = MISSING
    is_public: StrictBool | MISSING = MISSING


class AlertPatch(Request):
    """Body of ``PATCH /v1/alerts/{alertId}``: only what is given changes; ``None`` and ``[]`` are sent as such."""

    title: str | MISSING = MISSING
    windows_search: Annotated[tuple[WindowSearch, ...], Field(min_length=1)] | MISSING = MISSING
    description: str | MISSING | None = MISSING
    criteria: AlertCriteria | MISSING = MISSING
    notification_config: NotificationConfig | MISSING = MISSING
    responsibles: tuple[Responsible, ...] | MISSING = MISSING
    is_active: StrictBool | MISSING = MISSING
    is_public: StrictBool | MISSING = MISSING
    is_archived: StrictBool | MISSING = MISSING


class AlertListQuery(Request):
    """Query of ``GET /v1/alerts``."""

    text: str | None = None
    is_archived: bool | None = None
    page: Annotated[int, Field(ge=PAGE_FIRST)] | None = None
    page_size: Annotated[int, Field(ge=1, le=PAGE_SIZE_MAX)] | None = None
    sort: AlertSort | None = None
    sort_direction: SortDirection | None = None


class AlertResultsSearch(TenderSearch):
    """Body of ``POST /v1/alerts/{alertId}/results``: the tender search filters, applied after the alert's own criteria."""
