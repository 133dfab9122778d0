"""Other names under which services are known to send the same field.

The interface does not show the fields of tenders, opportunities and tasks, so a reader accepts each name of a group; the
first is the name that the embedded service writes. One file, so that a new spelling is one line.
"""

from __future__ import annotations

from typing import Final

from pydantic import AliasChoices

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "id": ("id", "_id"),
    "name": ("name", "title"),
    "title": ("title", "name"),
    "expedient": ("expedient", "expedientNumber", "reference"),
    "contractType": ("contractType", "type"),
    "procedure": ("procedure", "procedureType"),
    "cpvCodes": ("cpvCodes", "cpvs"),
    "location": ("location", "place"),
    "budgetNoTaxes": ("budgetNoTaxes", "budget", "amount"),
    "budgetWithTaxes": ("budgetWithTaxes", "budgetTaxes", "totalBudget"),
    "contractEstimatedValue": ("contractEstimatedValue", "estimatedValue"),
    "contractingOrganizationId": ("contractingOrganizationId", "organizationId", "buyerId"),
    "contractingOrganization": ("contractingOrganization", "organization", "buyer"),
    "expedientPublishedAt": ("expedientPublishedAt", "publishedAt", "publicationDate"),
    "expedientSubmissionDeadline": ("expedientSubmissionDeadline", "submissionDeadlineDate", "deadline"),
    "expedientAdjudicationDate": ("expedientAdjudicationDate", "awardDate", "awardingDate"),
    "expedientUpdatedAt": ("expedientUpdatedAt", "lastUpdateDate"),
    "type": ("type", "documentType"),
    "size": ("size", "fileSize"),
    "mimeType": ("mimeType", "contentType"),
    "amount": ("amount", "budget", "budgetNoTaxes"),
    "statusId": ("statusId", "pipelineStatusId", "stageId"),
    "dueDate": ("dueDate", "deadline"),
    "userIds": ("userIds", "users", "responsibles"),
    "deadlineAt": ("deadlineAt", "dueDate", "deadline"),
    "platformUrl": ("platformUrl", "url"),
}
"""Wire name to every accepted spelling, in order of preference."""


def also(wire_name: str) -> AliasChoices:
    """The accepted spellings of one wire name, for a record's ``validation_alias``.

    Raises ``KeyError`` for a name that has no group: such a field needs no alias.
    """
    return AliasChoices(*GROUPS[wire_name])
