"""The 25 endpoints as values (interface 4.1): one table that client, service, OpenAPI, documentation and tests read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter

from workbench.contract.account import CallerContext, KeyInfo
from workbench.contract.alerts import Alert, AlertDraft, AlertListQuery, AlertPatch, AlertResultsSearch
from workbench.contract.cpv import Cpv
from workbench.contract.errors import ErrorCode
from workbench.contract.opportunities import (
    CreatedTask,
    Opportunity,
    StageMove,
    Summary,
    Task,
    TaskDraft,
    TaskQuery,
    WorkflowAction,
)
from workbench.contract.organizations import AwardStatistics, Organization
from workbench.contract.pipelines import BoardQuery, BoardSearchQuery, ColumnQuery, PageQuery, Pipeline, StageTotal
from workbench.contract.record import Page
from workbench.contract.request import Request
from workbench.contract.tenders import Tender, TenderSearch, TenderSheet
from workbench.contract.vocabulary import PAGE_SIZE_DEFAULT, PAGE_SIZE_DEFAULT_KANBAN

T = TypeVar("T")


class Method(StrEnum):
    """HTTP methods that the interface uses; nothing can be deleted (interface 1.5)."""

    GET = "GET"
    POST = "POST"
    PATCH = "PATCH"
    PUT = "PUT"


class AnswerKind(StrEnum):
    """What a successful answer carries."""

    JSON = "json"
    FILE = "file"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Answer(Generic[T]):
    """Shape of a successful answer. ``type`` is what the decoded JSON becomes; ``None`` for files and empty answers."""

    kind: AnswerKind
    type: Any = None
    media_type: str = "application/json"

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        """Reads decoded JSON into :attr:`type`; built at first use."""
        return TypeAdapter(self.type)

    def read(self, decoded: object) -> T:
        """The typed answer of a decoded JSON body. Raises ``pydantic.ValidationError`` where the shape is another."""
        return self.adapter.validate_python(decoded)


@dataclass(frozen=True)
class Operation(Generic[T]):
    """One endpoint. ``path`` is a template under the base URL; ``section`` the part of the interface that states it.

    ``replayable`` says that sending the request twice has the effect of sending it once (GET, the searches by POST, and
    PUT status: interface 3, "safe to retry"). ``destructive`` says that it may end something for good. ``keyless`` marks the
    one endpoint that a token in the path authorises (interface 5.6). ``refusals`` are the errors it may answer beyond 401,
    429 and invalid requests, with the condition in words.
    """

    name: str
    method: Method
    path: str
    summary: str
    answer: Answer[T]
    query: type[Request] | None = None
    body: type[Request] | None = None
    status: int = 200
    page_size_default: int | None = None
    replayable: bool = False
    destructive: bool = False
    keyless: bool = False
    section: str = "4.1"
    refusals: tuple[tuple[int, ErrorCode, str], ...] = ()

    @property
    def path_parameters(self) -> tuple[str, ...]:
        """Names in the path template, in order."""
        return tuple(re.findall(r"{(\w+)}", self.path))

    @property
    def paged(self) -> bool:
        """Whether the answer is the paginated envelope."""
        return self.page_size_default is not None


def _json(type_: type[T]) -> Answer[T]:
    return Answer(AnswerKind.JSON, type_)


NOTHING: Final[Answer[None]] = Answer(AnswerKind.NOTHING)
FILE: Final[Answer[bytes]] = Answer(AnswerKind.FILE, media_type="application/octet-stream")
PDF: Final[Answer[bytes]] = Answer(AnswerKind.FILE, media_type="application/pdf")
_SHEETS: Final[Answer[tuple[TenderSheet, ...]]] = Answer(AnswerKind.JSON, tuple[TenderSheet, ...])
_TOTALS: Final[Answer[tuple[StageTotal, ...]]] = Answer(AnswerKind.JSON, tuple[StageTotal, ...])
_ACTIONS: Final[Answer[tuple[WorkflowAction, ...]]] = Answer(AnswerKind.JSON, tuple[WorkflowAction, ...])
_SUMMARIES: Final[Answer[tuple[Summary, ...]]] = Answer(AnswerKind.JSON, tuple[Summary, ...])
_BOARD: Final[Answer[Mapping[str, tuple[Opportunity, ...]]]] = Answer(AnswerKind.JSON, dict[str, tuple[Opportunity, ...]])

_NO_TENDER = (404, ErrorCode.NOT_FOUND, "no tender has this id")
_NO_FILE = (404, ErrorCode.NOT_FOUND, "no document has this id")
_NO_SOURCE = (502, ErrorCode.SOURCE_UNAVAILABLE, "the document's source did not give it")
_NO_ORGANIZATION = (404, ErrorCode.NOT_FOUND, "no organization has this id or slug")
_NO_ALERT = (404, ErrorCode.NOT_FOUND, "no alert has this id")
_NO_PIPELINE = (404, ErrorCode.NOT_FOUND, "no pipeline has this id")
_NO_STAGE = (404, ErrorCode.NOT_FOUND, "the opportunity or the target stage does not exist")
_NO_OPPORTUNITY = (404, ErrorCode.NOT_FOUND, "no opportunity has this id")
_OTHER_ACCOUNT = (403, ErrorCode.FORBIDDEN, "the opportunity belongs to another account")
_CLOSED = (409, ErrorCode.OPPORTUNITY_CLOSED, "the opportunity is in a terminal stage and does not move any more")
_NO_SUMMARY = (404, ErrorCode.NOT_FOUND, "the opportunity or the summary does not exist")
_NOT_READY = (409, ErrorCode.SUMMARY_NOT_READY, "the summary has not finished generating")
_STALE_LINK = (404, ErrorCode.LINK_EXPIRED, "the link has expired or is not one of this service")

G, P = Method.GET, Method.POST

WHOAMI = Operation("whoami", G, "/v1/whoami", "Who calls", _json(CallerContext), replayable=True)
API_KEY = Operation("api_key", G, "/v1/api-key", "The key in use", _json(KeyInfo), replayable=True)
SEARCH_TENDERS = Operation(
    "tenders.search", P, "/v1/tenders/search", "Search tenders", _json(Page[Tender]),
    body=TenderSearch, page_size_default=PAGE_SIZE_DEFAULT, replayable=True,
)  # fmt: skip
GET_TENDER = Operation(
    "tenders.get", G, "/v1/tenders/{id}", "One tender", _json(Tender), replayable=True, refusals=(_NO_TENDER,)
)
TENDER_SHEETS = Operation(
    "tenders.sheets", G, "/v1/tenders/{id}/sheets", "All documents of a tender", _SHEETS,
    replayable=True, refusals=(_NO_TENDER,),
)  # fmt: skip
DOWNLOAD_SHEET = Operation(
    "tenders.download_sheet", G, "/v1/tenders/sheets/{sheetId}/download", "A document file", FILE,
    replayable=True, refusals=(_NO_FILE, _NO_SOURCE),
)  # fmt: skip
DOWNLOAD_DOCUMENT = Operation(
    "tenders.download_document", G, "/v1/tenders/documents/{token}/download", "A document file by its signed link", FILE,
    replayable=True, keyless=True, refusals=(_STALE_LINK, _NO_SOURCE),
)  # fmt: skip
GET_ORGANIZATION = Operation(
    "organizations.get", G, "/v1/organizations/{idOrSlug}", "An organization", _json(Organization),
    replayable=True, refusals=(_NO_ORGANIZATION,),
)  # fmt: skip
ORGANIZATION_AWARDS = Operation(
    "organizations.awards", G, "/v1/organizations/{idOrSlug}/awards", "Award statistics of an organization",
    _json(AwardStatistics), replayable=True, refusals=(_NO_ORGANIZATION,),
)  # fmt: skip
GET_CPV = Operation(
    "cpv.get", G, "/v1/cpv/{code}", "A CPV code", _json(Cpv),
    replayable=True, refusals=((404, ErrorCode.NOT_FOUND, "CPV 2008 has no such code"),),
)  # fmt: skip
LIST_ALERTS = Operation(
    "alerts.list", G, "/v1/alerts", "Saved alerts", _json(Page[Alert]),
    query=AlertListQuery, page_size_default=PAGE_SIZE_DEFAULT, replayable=True,
)  # fmt: skip
GET_ALERT = Operation(
    "alerts.get", G, "/v1/alerts/{alertId}", "One alert", _json(Alert), replayable=True, refusals=(_NO_ALERT,)
)
CREATE_ALERT = Operation("alerts.create", P, "/v1/alerts", "Create an alert", _json(Alert), body=AlertDraft, status=201)
UPDATE_ALERT = Operation(
    "alerts.update", Method.PATCH, "/v1/alerts/{alertId}", "Change an alert", _json(Alert),
    body=AlertPatch, refusals=(_NO_ALERT,),
)  # fmt: skip
ALERT_RESULTS = Operation(
    "alerts.results", P, "/v1/alerts/{alertId}/results", "Tenders that match an alert", _json(Page[Tender]),
    body=AlertResultsSearch, page_size_default=PAGE_SIZE_DEFAULT, replayable=True, refusals=(_NO_ALERT,),
)  # fmt: skip
LIST_PIPELINES = Operation(
    "pipelines.list", G, "/v1/pipelines", "Pipelines and their stages", _json(Page[Pipeline]),
    query=PageQuery, page_size_default=PAGE_SIZE_DEFAULT, replayable=True,
)  # fmt: skip
KANBAN_TOTALS = Operation(
    "kanban.totals", G, "/v1/kanban/{pipelineId}/status", "The board in figures", _TOTALS,
    query=BoardQuery, replayable=True, refusals=(_NO_PIPELINE,),
)  # fmt: skip
KANBAN_OPPORTUNITIES = Operation(
    "kanban.opportunities", G, "/v1/kanban/{pipelineId}/status/{statusId}/opportunities", "One column of the board",
    _json(Page[Opportunity]), query=ColumnQuery, page_size_default=PAGE_SIZE_DEFAULT_KANBAN,
    replayable=True, refusals=(_NO_PIPELINE,),
)  # fmt: skip
KANBAN_SEARCH = Operation(
    "kanban.search", G, "/v1/kanban/{pipelineId}/search", "Search across the board", _BOARD,
    query=BoardSearchQuery, replayable=True, refusals=(_NO_PIPELINE,),
)  # fmt: skip
MOVE_OPPORTUNITY = Operation(
    "opportunities.move", Method.PUT, "/v1/opportunities/{opportunityId}/status", "Move an opportunity to a stage", NOTHING,
    body=StageMove, status=204, replayable=True, destructive=True, section="3 4.1",
    refusals=(_OTHER_ACCOUNT, _NO_STAGE, _CLOSED),
)  # fmt: skip
WORKFLOW_ACTIONS = Operation(
    "opportunities.workflow_actions", G, "/v1/opportunities/{opportunityId}/workflow-actions", "Workflow by step", _ACTIONS,
    replayable=True, refusals=(_OTHER_ACCOUNT, _NO_OPPORTUNITY),
)  # fmt: skip
LIST_TASKS = Operation(
    "opportunities.tasks", G, "/v1/opportunities/{opportunityId}/tasks", "Tasks of an opportunity", _json(Page[Task]),
    query=TaskQuery, page_size_default=PAGE_SIZE_DEFAULT, replayable=True, refusals=(_NO_OPPORTUNITY,),
)  # fmt: skip
CREATE_TASK = Operation(
    "opportunities.create_task", P, "/v1/opportunities/{opportunityId}/tasks", "Create a task", _json(CreatedTask),
    body=TaskDraft, status=201, refusals=(_NO_OPPORTUNITY,),
)  # fmt: skip
LIST_SUMMARIES = Operation(
    "opportunities.summaries", G, "/v1/opportunities/{opportunityId}/summaries", "Summaries of an opportunity", _SUMMARIES,
    replayable=True, refusals=(_NO_OPPORTUNITY,),
)  # fmt: skip
SUMMARY_PDF = Operation(
    "opportunities.summary_pdf", G, "/v1/opportunities/{opportunityId}/summaries/{summaryId}/pdf", "A summary as PDF", PDF,
    replayable=True, refusals=(_NO_SUMMARY, _NOT_READY),
)  # fmt: skip

OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    WHOAMI, SEARCH_TENDERS, GET_TENDER, TENDER_SHEETS, DOWNLOAD_SHEET, DOWNLOAD_DOCUMENT, GET_ORGANIZATION,
    ORGANIZATION_AWARDS, GET_CPV, LIST_ALERTS, GET_ALERT, CREATE_ALERT, UPDATE_ALERT, ALERT_RESULTS, LIST_PIPELINES,
    KANBAN_TOTALS, KANBAN_OPPORTUNITIES, KANBAN_SEARCH, MOVE_OPPORTUNITY, WORKFLOW_ACTIONS, LIST_TASKS, CREATE_TASK,
    LIST_SUMMARIES, SUMMARY_PDF, API_KEY,
)  # fmt: skip
"""All 25, in the order of interface 4.1."""

BY_NAME: Final[Mapping[str, Operation[Any]]] = {operation.name: operation for operation in OPERATIONS}
