"""The 20 tools as values (interface 4.2): name, group, parameters, annotations, and the operation each stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import MISSING, AwareDatetime, Field, StrictBool, StrictInt

from workbench.contract import operations as op
from workbench.contract.alerts import BudgetRange, IncludeExclude, Weekday
from workbench.contract.request import Request
from workbench.contract.tenders import TenderFilters
from workbench.contract.vocabulary import (
    EXPIRATION_OFFSET_MIN,
    HOUR_MAX,
    HOUR_MIN,
    KANBAN_LIMIT_DEFAULT,
    KANBAN_LIMIT_MAX,
    PAGE_FIRST,
    PAGE_SIZE_DEFAULT,
    PAGE_SIZE_DEFAULT_KANBAN,
    PAGE_SIZE_DEFAULT_TENDER_TOOLS,
    PAGE_SIZE_MAX,
    AlertEvent,
    AlertSort,
    FrequencyType,
    OpportunitySort,
    ReferenceType,
    SortDirection,
    TaskPriority,
    TaskStatus,
    TenderSort,
    TenderStatus,
)


class ToolGroup(StrEnum):
    """The three groups of interface 4.2."""

    PUBLIC = "public"
    ACCOUNT = "account"
    WRITE = "account write"


PageNumber = Annotated[StrictInt, Field(ge=PAGE_FIRST)]
PageSize = Annotated[StrictInt, Field(ge=1, le=PAGE_SIZE_MAX)]
KanbanLimit = Annotated[StrictInt, Field(ge=1, le=KANBAN_LIMIT_MAX)]
ToolTenderSort = Annotated[TenderSort, Field(json_schema_extra={"not": {"const": TenderSort.SUBMISSION.value}})]


class NoParameters(Request):
    """A tool that takes nothing."""


class SearchTendersParameters(TenderFilters):
    """``search_tenders``: page 1 of 10, newest publication first, unless said otherwise."""

    procedures: tuple[str, ...] | None = None
    contract_types: tuple[str, ...] | None = None
    page: PageNumber = PAGE_FIRST
    page_size: PageSize = PAGE_SIZE_DEFAULT_TENDER_TOOLS
    sort: ToolTenderSort = TenderSort.PUBLISHED
    is_descendent: StrictBool = True


class TenderParameters(Request):
    """``get_tender`` and ``get_tender_sheets``: the tender's id."""

    id: str


class CpvParameters(Request):
    """``get_cpv``: a CPV code without its check digit."""

    code: str


class OrganizationParameters(Request):
    """``get_organization`` and ``get_organization_award_stats``: an id or a slug."""

    id_or_slug: str


class ListAlertsParameters(Request):
    """``list_alerts``."""

    text: str | None = None
    is_archived: StrictBool | None = None
    page: PageNumber = PAGE_FIRST
    page_size: PageSize = PAGE_SIZE_DEFAULT
    sort: AlertSort = AlertSort.UPDATED
    sort_direction: SortDirection = SortDirection.DESCENDING


class AlertParameters(Request):
    """``get_alert``: an alert id or the address of its page."""

    alert: str


class AlertResultsParameters(Request):
    """``get_alert_results``: ``text`` filters after the alert's own criteria."""

    alert_id: str
    text: str | None = None
    page: PageNumber = PAGE_FIRST
    page_size: PageSize = PAGE_SIZE_DEFAULT_TENDER_TOOLS
    sort: ToolTenderSort = TenderSort.PUBLISHED
    is_descendent: StrictBool = True


class ListPipelinesParameters(Request):
    """``list_pipelines``."""

    page: PageNumber = PAGE_FIRST
    page_size: PageSize = PAGE_SIZE_DEFAULT


class BoardParameters(Request):
    """``get_kanban_status_totals``: a pipeline by UUID or exact name."""

    pipeline_id: str
    responsible: tuple[str, ...] | None = None
    team_responsible: tuple[str, ...] | None = None


class ColumnParameters(Request):
    """``get_kanban_opportunities_by_status``: pipeline and stage by UUID or exact name."""

    pipeline_id: str
    status_id: str
    page: PageNumber = PAGE_FIRST
    page_size: PageSize = PAGE_SIZE_DEFAULT_KANBAN
    sort: OpportunitySort | None = None
    sort_direction: SortDirection = SortDirection.ASCENDING


class BoardSearchParameters(BoardParameters):
    """``search_kanban_opportunities``: at most ``limit`` opportunities a stage."""

    limit: KanbanLimit = KANBAN_LIMIT_DEFAULT
    search: str | None = None
    sort: OpportunitySort | None = None
    sort_direction: SortDirection = SortDirection.ASCENDING


class OpportunityParameters(Request):
    """``get_opportunity_workflow_actions``: an opportunity id or the address of its page."""

    opportunity: str


class ListTasksParameters(OpportunityParameters):
    """``list_opportunity_tasks``."""

    status: TaskStatus | None = None
    page: PageNumber = PAGE_FIRST
    page_size: PageSize = PAGE_SIZE_DEFAULT


class ToolEvent(Request):
    """One trigger; ``expirationOffset`` (days before the deadline, 1 unless given) and ``withExtension`` for deadlines only."""

    event: AlertEvent
    expiration_offset: Annotated[float, Field(ge=EXPIRATION_OFFSET_MIN)] | MISSING = MISSING
    with_extension: StrictBool | MISSING = MISSING


class ToolCriteria(Request):
    """The criteria of an alert as the tools spell them: countries and provinces stand flat."""

    keywords: IncludeExclude | MISSING = MISSING
    cpv_codes: IncludeExclude | MISSING = MISSING
    countries: IncludeExclude | MISSING = MISSING
    provinces: IncludeExclude | MISSING = MISSING
    budget: BudgetRange | MISSING = MISSING
    statuses: Annotated[tuple[TenderStatus, ...], Field(min_length=1)] | MISSING = MISSING
    contract_types: tuple[str, ...] | MISSING = MISSING
    procedures: tuple[str, ...] | MISSING = MISSING
    in_deadline: StrictBool | MISSING = MISSING


class ToolNotification(Request):
    """The schedule of an alert as the tools spell it; ``weeklyDay`` alone implies weekly, ``weekdays`` alone daily."""

    frequency: FrequencyType | MISSING = MISSING
    weekdays: tuple[Weekday, ...] | MISSING = MISSING
    weekly_day: Weekday | MISSING = MISSING
    hour: Annotated[StrictInt, Field(ge=HOUR_MIN, le=HOUR_MAX)] | MISSING = MISSING
    timezone: str | MISSING = MISSING
    include_modifications: StrictBool | MISSING = MISSING
    send_without_items: StrictBool | MISSING = MISSING


class CreateAlertParameters(Request):
    """``create_alert``: refused with a request to confirm unless ``confirmed`` is true."""

    title: str
    events: Annotated[tuple[ToolEvent, ...], Field(min_length=1)]
    description: str | MISSING = MISSING
    criteria: ToolCriteria | MISSING = MISSING
    notification: ToolNotification | MISSING = MISSING
    responsible_user_ids: tuple[str, ...] | MISSING = MISSING
    is_active: StrictBool = True
    is_public: StrictBool = True
    confirmed: StrictBool = False


class UpdateAlertParameters(Request):
    """``update_alert``: what is not given stays."""

    alert: str
    title: str | MISSING = MISSING
    description: str | MISSING = MISSING
    events: Annotated[tuple[ToolEvent, ...], Field(min_length=1)] | MISSING = MISSING
    criteria: ToolCriteria | MISSING = MISSING
    notification: ToolNotification | MISSING = MISSING
    responsible_user_ids: tuple[str, ...] | MISSING = MISSING
    is_active: StrictBool | MISSING = MISSING
    is_public: StrictBool | MISSING = MISSING
    is_archived: StrictBool | MISSING = MISSING


class ChangeStatusParameters(OpportunityParameters):
    """``change_opportunity_status``: a terminal target needs ``confirmTerminal``."""

    target_status: str
    confirm_terminal: StrictBool = False


class CreateTaskParameters(OpportunityParameters):
    """``create_opportunity_task``: refused with a request to confirm unless ``confirmed`` is true."""

    title: str
    description: str | MISSING = MISSING
    status: TaskStatus = TaskStatus.TO_DO
    priority: TaskPriority = TaskPriority.MEDIUM
    responsible_user_ids: tuple[str, ...] | MISSING = MISSING
    deadline_at: AwareDatetime | MISSING = MISSING
    confirmed: StrictBool = False


@dataclass(frozen=True)
class Tool:
    """One tool. ``operation`` is the endpoint whose answer it gives; ``references`` what its result may refer to."""

    name: str
    group: ToolGroup
    parameters: type[Request]
    operation: op.Operation[Any]
    references: tuple[ReferenceType, ...] = ()
    destructive: bool = False
    idempotent: bool = False
    section: str = "4.2"

    @property
    def read_only(self) -> bool:
        """Whether the tool changes nothing."""
        return self.group is not ToolGroup.WRITE


_PUBLIC, _ACCOUNT, _WRITE = ToolGroup.PUBLIC, ToolGroup.ACCOUNT, ToolGroup.WRITE
_TENDERS = (ReferenceType.TENDER, ReferenceType.ORGANIZATION)
_STAGES = (ReferenceType.PIPELINE, ReferenceType.PIPELINE_STATUS)
_CARDS = (ReferenceType.OPPORTUNITY, ReferenceType.PIPELINE_STATUS)

TOOLS: Final[tuple[Tool, ...]] = (
    Tool("search_tenders", _PUBLIC, SearchTendersParameters, op.SEARCH_TENDERS, _TENDERS),
    Tool("get_tender", _PUBLIC, TenderParameters, op.GET_TENDER, _TENDERS),
    Tool("get_tender_sheets", _PUBLIC, TenderParameters, op.TENDER_SHEETS, (ReferenceType.TENDER,)),
    Tool("get_cpv", _PUBLIC, CpvParameters, op.GET_CPV),
    Tool("get_organization", _PUBLIC, OrganizationParameters, op.GET_ORGANIZATION, (ReferenceType.ORGANIZATION,)),
    Tool(
        "get_organization_award_stats", _PUBLIC, OrganizationParameters, op.ORGANIZATION_AWARDS, (ReferenceType.ORGANIZATION,)
    ),
    Tool("whoami", _ACCOUNT, NoParameters, op.WHOAMI, (ReferenceType.ORGANIZATION,)),
    Tool("list_alerts", _ACCOUNT, ListAlertsParameters, op.LIST_ALERTS, (ReferenceType.ALERT,)),
    Tool("get_alert", _ACCOUNT, AlertParameters, op.GET_ALERT, (ReferenceType.ALERT,)),
    Tool("get_alert_results", _ACCOUNT, AlertResultsParameters, op.ALERT_RESULTS, (ReferenceType.ALERT, *_TENDERS)),
    Tool("list_pipelines", _ACCOUNT, ListPipelinesParameters, op.LIST_PIPELINES, _STAGES),
    Tool("get_kanban_status_totals", _ACCOUNT, BoardParameters, op.KANBAN_TOTALS, _STAGES),
    Tool("get_kanban_opportunities_by_status", _ACCOUNT, ColumnParameters, op.KANBAN_OPPORTUNITIES, _CARDS),
    Tool("search_kanban_opportunities", _ACCOUNT, BoardSearchParameters, op.KANBAN_SEARCH, _CARDS),
    Tool(
        "get_opportunity_workflow_actions", _ACCOUNT, OpportunityParameters, op.WORKFLOW_ACTIONS, (ReferenceType.OPPORTUNITY,)
    ),
    Tool(
        "list_opportunity_tasks", _ACCOUNT, ListTasksParameters, op.LIST_TASKS, (ReferenceType.OPPORTUNITY, ReferenceType.TASK)
    ),
    Tool("create_alert", _WRITE, CreateAlertParameters, op.CREATE_ALERT, (ReferenceType.ALERT,)),
    Tool("update_alert", _WRITE, UpdateAlertParameters, op.UPDATE_ALERT, (ReferenceType.ALERT,), idempotent=True),
    Tool(
        "change_opportunity_status", _WRITE, ChangeStatusParameters, op.MOVE_OPPORTUNITY,
        (ReferenceType.OPPORTUNITY, ReferenceType.PIPELINE_STATUS), destructive=True, idempotent=True,
    ),
    Tool(
        "create_opportunity_task", _WRITE, CreateTaskParameters, op.CREATE_TASK, (ReferenceType.OPPORTUNITY, ReferenceType.TASK)
    ),
)  # fmt: skip
"""All 20, in the order of interface 4.2: 6 public, 10 account, 4 account write."""

TOOLS_BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}
