"""Keyword arguments of the tools that take many (interface 4.2). ``None`` is the same as not given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from workbench.contract.tools import ToolCriteria, ToolEvent, ToolNotification
from workbench.contract.vocabulary import (
    AlertSort,
    OpportunitySort,
    SortDirection,
    TaskPriority,
    TaskStatus,
    TenderSort,
    TenderStatus,
)


class ToolPage(TypedDict, total=False):
    """Which page: ``page`` counts from 1, ``page_size`` is at most 100."""

    page: int | None
    page_size: int | None


class ToolTenderOrder(ToolPage, total=False):
    """The order of tenders: ``by-published-date`` and descending unless said otherwise."""

    sort: TenderSort | str | None
    is_descendent: bool | None


class ToolTenderFilters(ToolTenderOrder, total=False):
    """``search_tenders``. Budgets are without taxes; dates have a zone."""

    text: str | None
    status: Sequence[TenderStatus | str] | None
    cpvs: Sequence[str] | None
    locations: Sequence[str] | None
    procedures: Sequence[str] | None
    contract_types: Sequence[str] | None
    min_budget: float | None
    max_budget: float | None
    min_publication_date: datetime | str | None
    max_publication_date: datetime | str | None
    min_deadline_date: datetime | str | None
    max_deadline_date: datetime | str | None


class ToolAlertFilters(ToolPage, total=False):
    """``list_alerts``: latest update first unless said otherwise."""

    text: str | None
    is_archived: bool | None
    sort: AlertSort | str | None
    sort_direction: SortDirection | str | None


class ToolPeople(TypedDict, total=False):
    """Whose opportunities: ids of users and of teams."""

    responsible: Sequence[str] | None
    team_responsible: Sequence[str] | None


class ToolColumnOrder(ToolPage, total=False):
    """The order of a column of the board; ascending unless said otherwise."""

    sort: OpportunitySort | str | None
    sort_direction: SortDirection | str | None


class ToolBoardSearch(ToolPeople, total=False):
    """``search_kanban_opportunities``: at most ``limit`` opportunities a stage (10; 50 at most)."""

    search: str | None
    limit: int | None
    sort: OpportunitySort | str | None
    sort_direction: SortDirection | str | None


class ToolTaskFilters(ToolPage, total=False):
    """``list_opportunity_tasks``."""

    status: TaskStatus | str | None


class ToolAlertDetails(TypedDict, total=False):
    """What ``create_alert`` and ``update_alert`` may say besides title and events. An empty ``include`` or ``exclude`` list
    clears that filter.
    """

    description: str | None
    criteria: ToolCriteria | Mapping[str, Any] | None
    notification: ToolNotification | Mapping[str, Any] | None
    responsible_user_ids: Sequence[str] | None
    is_active: bool | None
    is_public: bool | None


class ToolAlertPatch(ToolAlertDetails, total=False):
    """``update_alert``: what is not given stays; lists and objects that are given replace the ones before."""

    title: str | None
    events: Sequence[ToolEvent | Mapping[str, Any]] | None
    is_archived: bool | None


class ToolTaskDetails(TypedDict, total=False):
    """What ``create_opportunity_task`` may say besides the title; ``to-do`` and ``medium`` unless said otherwise."""

    description: str | None
    status: TaskStatus | str | None
    priority: TaskPriority | str | None
    responsible_user_ids: Sequence[str] | None
    deadline_at: datetime | str | None
