"""What changed in a tender since an alert last looked: pure, from two of its records."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from workbench.contract.record import JsonObject

WATCHED: Final = (
    "status",
    "name",
    "expedientSubmissionDeadline",
    "budgetNoTaxes",
    "awardAmount",
    "successBidders",
    "biddersNumber",
    "expedientAdjudicationDate",
    "expedientFormalizedAt",
    "expedientExpirationDate",
    "numLots",
)
"""Fields of a record whose change is told with both values, in this order."""

DOCUMENTS: Final = "documents"
OTHER: Final = "other"

_CLOCKS: Final = frozenset({"createdAt", "updatedAt", "expedientUpdatedAt", "lastSignificantChangeAt", "slug"})
"""Fields that follow from a change and are none themselves."""


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs: its wire name (or ``documents``, or ``other`` for details without a name) and both values.

    Values are JSON as records have it; of suppliers the names; of documents ``after`` are the names of new ones, and
    ``before`` how many have gone.
    """

    field: str
    before: Any
    after: Any

    def to_json(self) -> JsonObject:
        """The change as the outbox keeps it."""
        return {"field": self.field, "before": self.before, "after": self.after}


def changes_between(
    before: JsonObject, after: JsonObject, documents_before: Collection[str], documents_after: Mapping[str, str]
) -> tuple[Change, ...]:
    """What differs between two records of a tender; nothing where it changed and changed back.

    ``documents_before`` are ids, ``documents_after`` names by id.
    """
    found = [Change(name, _value(before, name), _value(after, name)) for name in WATCHED if _differs(before, after, name)]
    new = [name for id_, name in documents_after.items() if id_ not in documents_before]
    gone = len(set(documents_before) - documents_after.keys())
    if new or gone:
        found.append(Change(DOCUMENTS, gone, new))
    if not found and any(before.get(name) != after.get(name) for name in after.keys() - _CLOCKS):
        found.append(Change(OTHER, None, None))
    return tuple(found)


def _differs(before: JsonObject, after: JsonObject, name: str) -> bool:
    return _value(before, name) != _value(after, name)


def _value(record: JsonObject, name: str) -> Any:
    value = record.get(name)
    if name == "successBidders":
        suppliers: list[JsonObject] = value or []
        return list(dict.fromkeys(one.get("name") or "?" for one in suppliers))
    return value
