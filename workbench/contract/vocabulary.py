"""Words, defaults and limits of the interface (sections 3, 4.3 and 8).

Enumerations are open: a service may send a value that is not listed, and it is kept and shown as it came. Where the
workbench *sends* one, the listed values are offered and checked by the service.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class TenderStatus(StrEnum):
    """Status of a tender (interface 3): open for bids, awarded, resolved, contract signed, closed."""

    PUBLISHED = "Publicada"
    AWARDED = "Adjudicada"
    RESOLVED = "Resuelta"
    FORMALIZED = "Formalizada"
    CLOSED = "Cerrada"


class TenderSort(StrEnum):
    """Tender sort values (interface 4.3); ``by-submission-date`` is listed for REST only."""

    RELEVANCE = "by-relevance"
    PUBLISHED = "by-published-date"
    UPDATED = "by-update-date"
    DUE = "by-due-date"
    BUDGET = "by-budget"
    PRORATED_BUDGET = "by-prorated-budget"
    EXPIRATION = "by-expiration-date"
    AWARDED = "by-awarding-date"
    SIGNIFICANT_CHANGE = "by-last-significant-change"
    SUBMISSION = "by-submission-date"


TOOL_TENDER_SORTS: Final = tuple(sort for sort in TenderSort if sort is not TenderSort.SUBMISSION)


class OpportunitySort(StrEnum):
    """Opportunity sort values (interface 4.3); ``custom`` is the manual board order."""

    CUSTOM = "custom"
    UPDATED = "by-update-date"
    DUE = "by-due-date"
    BUDGET = "by-budget"
    PRORATED_BUDGET = "by-prorated-budget"


class AlertSort(StrEnum):
    """Alert sort values (interface 4.3)."""

    NAME = "by-name"
    UPDATED = "by-update-date"
    CREATED = "by-creation-date"
    LAST_NOTIFIED = "by-last-notified-date"
    LAST_SENT = "by-last-notification-sent-date"
    STATUS = "by-status"


class SortDirection(StrEnum):
    """Direction of alert and opportunity sorts."""

    ASCENDING = "asc"
    DESCENDING = "desc"


class OrganizationType(StrEnum):
    """Kind of an organization (interface 2)."""

    BIDDER = "bidder"
    BUYER = "public-contracting-institution"


class CpvType(StrEnum):
    """Level of a CPV code (interface 2)."""

    DIVISION = "division"
    GROUP = "group"
    CLASS = "class"
    CATEGORY = "category"


class AlertField(StrEnum):
    """Tender date that triggers an alert (interface 2, windowsSearch; 6.2)."""

    PUBLICATION = "expedientPublishedAt"
    AWARD = "expedientAdjudicationDate"
    DEADLINE = "expedientExpirationDate"


class AlertEvent(StrEnum):
    """The tools' names of the same three triggers (interface 4.2)."""

    PUBLICATION = "publication"
    AWARD = "award"
    DEADLINE = "deadline"


EVENT_FIELDS: Final = {
    AlertEvent.PUBLICATION: AlertField.PUBLICATION,
    AlertEvent.AWARD: AlertField.AWARD,
    AlertEvent.DEADLINE: AlertField.DEADLINE,
}


class FrequencyType(StrEnum):
    """Rhythm of an alert's e-mails (interface 2, notification configuration)."""

    DAILY = "daily"
    WEEKLY = "weekly"


class SummaryStatus(StrEnum):
    """State of a generated summary (interface 3)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


class TaskStatus(StrEnum):
    """State of a task (interface 3); the default is ``to-do``."""

    TO_DO = "to-do"
    IN_PROGRESS = "in-progress"
    DONE = "done"


class TaskPriority(StrEnum):
    """Priority of a task (interface 4.3); the default is ``medium``."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class ReferenceType(StrEnum):
    """Types of ``structuredContent.references`` (interface 4.2)."""

    TENDER = "tender"
    ALERT = "alert"
    ORGANIZATION = "organization"
    PIPELINE = "pipeline"
    PIPELINE_STATUS = "pipeline-status"
    OPPORTUNITY = "opportunity"
    TASK = "task"


PAGE_FIRST: Final = 1
PAGE_SIZE_MAX: Final = 100
PAGE_SIZE_DEFAULT: Final = 20
PAGE_SIZE_DEFAULT_KANBAN: Final = 10
PAGE_SIZE_DEFAULT_TENDER_TOOLS: Final = 10
KANBAN_LIMIT_DEFAULT: Final = 10
KANBAN_LIMIT_MAX: Final = 50
REST_REQUESTS_PER_WINDOW: Final = 300
TOOL_REQUESTS_PER_WINDOW: Final = 30
RATE_WINDOW_SECONDS: Final = 60
EXPIRATION_OFFSET_MIN: Final = 1
HOUR_MIN: Final = 0
HOUR_MAX: Final = 23
WEEKDAY_MIN: Final = 1
WEEKDAY_MAX: Final = 7
WEEKDAYS: Final = {1: "Monday", 2: "Tuesday", 3: "Wednesday", 4: "Thursday", 5: "Friday", 6: "Saturday", 7: "Sunday"}
API_KEY_HEADER: Final = "api-key"
API_PREFIX: Final = "/v1"
TOOL_SERVER_NAME: Final = "service-mcp"
TOOL_SERVER_VERSION: Final = "1.0.0"
