"""Spanish tax numbers of natural persons, which are personal data: how to know one, and how to show one.

The mask is the one that the Spanish data protection authority advises for publication: four digits stay, in a place that is
the same for everyone, so that two notices about one person cannot be pieced together into the whole number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

# DNI: eight digits and a letter, leading zeros often left out. NIE: X, Y or Z, seven digits and a letter. K, L and M: persons
# without a DNI.
_DNI: Final = re.compile(r"\d{6,8}[A-Z]")
_NIE: Final = re.compile(r"[XYZKLM]\d{7}[A-Z]")
_SEPARATORS: Final = re.compile(r"[\s.\-/]")


def _compact(tax_id: str) -> str:
    return _SEPARATORS.sub("", tax_id).upper().removeprefix("ES")


def is_personal(tax_id: str) -> bool:
    """Whether this is the tax number of a natural person (DNI, NIE and the like), however it is spaced or prefixed."""
    compact = _compact(tax_id)
    return (_DNI.fullmatch(compact) or _NIE.fullmatch(compact)) is not None


def masked(tax_id: str) -> str:
    """``***4567**`` for a natural person's tax number, ``****4567*`` for a foreigner's; any other comes back as it is."""
    compact = _compact(tax_id)
    if _DNI.fullmatch(compact):
        return f"***{compact.zfill(9)[3:7]}**"
    if _NIE.fullmatch(compact):
        return f"****{compact[4:8]}*"
    return tax_id


def masked_everywhere(value: Any) -> Any:
    """A copy of a JSON value in which every ``taxId`` is :func:`masked`."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {
            key: masked(inner) if key == "taxId" and isinstance(inner, str) else masked_everywhere(inner)
            for key, inner in items
        }
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [masked_everywhere(item) for item in cast("Sequence[Any]", value)]
    return value
