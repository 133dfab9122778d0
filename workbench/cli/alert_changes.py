"""From an alert as it is and as it should be to what has to be sent: only what differs (interface 4.1, Update alert)."""

from __future__ import annotations

from typing import Any, Final, cast

from workbench.cli.failures import WrongUse
from workbench.contract.alerts import Alert, AlertDraft, AlertPatch

Wire = dict[str, Any]


def _wire_names(model: Any) -> dict[str, str]:
    return {name: str(field.alias or name) for name, field in model.model_fields.items()}


_NAMES: Final = _wire_names(AlertPatch)
_DRAFT: Final = frozenset(_wire_names(AlertDraft).values())
_READ_ONLY: Final = Alert.wire_names() - frozenset(_NAMES.values())
_RESPONSIBLE: Final = ("id", "receiveEmails")


def in_wire_names(given: Wire) -> Wire:
    """The fields of a file under their wire names, whichever spelling it has."""
    return {_NAMES.get(name, name): value for name, value in given.items()}


def new_alert(wanted: Wire) -> Wire:
    """What creates the alert: the fields that an alert is given by others (id, dates) left out, as when one is copied."""
    return _as_input({name: value for name, value in wanted.items() if name in _DRAFT or name not in Alert.wire_names()})


def changes(present: Wire, wanted: Wire) -> Wire:
    """What to send so that ``present`` becomes ``wanted``: the fields of ``wanted`` whose value is another.

    Raises :class:`WrongUse`, naming them, for fields that only the service sets and that differ.
    """
    different = {name: value for name, value in wanted.items() if name not in present or present[name] != value}
    if fixed := sorted(different.keys() & _READ_ONLY):
        raise WrongUse(f"{', '.join(fixed)} cannot be changed: the service sets it. Leave it out, or as it is.")
    return _as_input(different)


def _as_input(fields: Wire) -> Wire:
    # A service shows a responsible's name and address too, and takes the two fields alone. Both are required, so that one which
    # is misspelt is missed rather than lost.
    items = fields.get("responsibles")
    if not isinstance(items, list):
        return fields
    return fields | {"responsibles": [_responsible(item) for item in cast("list[Any]", items)]}


def _responsible(item: Any) -> Any:
    return {name: item[name] for name in _RESPONSIBLE if name in item} if isinstance(item, dict) else item
