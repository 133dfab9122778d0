"""Buyers and suppliers, gathered from every version that names them into one row an organization.

Each attribute keeps the time of the version it came from, and the latest one wins (by its text where times are equal), so
that the outcome does not depend on the order in which files are read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from workbench.feeds.notice import Party
from workbench.reference.text import words
from workbench.service.store.identity import Identity, identify, slug

Place = tuple[str | None, str | None, str | None, str | None, str | None]
"""Country, city, province, post code and street."""


@dataclass(slots=True)
class Known:
    """What is known of one organization; each attribute beside the time of the version that told it."""

    id: str
    tax_id: str | None
    is_buyer: bool
    name: tuple[int, str]
    activity: tuple[int, str] | None = None
    place: tuple[int, Place] | None = None
    web_url: tuple[int, str] | None = None

    def learn(self, other: Known) -> bool:
        """Take over what ``other`` knows better; whether anything changed."""
        before = (self.tax_id, self.is_buyer, self.name, self.activity, self.place, self.web_url)
        self.tax_id = self.tax_id or other.tax_id
        self.is_buyer = self.is_buyer or other.is_buyer
        self.name = max(self.name, other.name)
        self.activity = _later(self.activity, other.activity)
        self.place = max(filter(None, (self.place, other.place)), key=_place_order, default=None)
        self.web_url = _later(self.web_url, other.web_url)
        return before != (self.tax_id, self.is_buyer, self.name, self.activity, self.place, self.web_url)


def sighting(party: Party | None, at: int, *, is_buyer: bool) -> tuple[Identity, Known] | None:
    """Who ``party`` is and what a version of time ``at`` tells about it; ``None`` where it names nobody."""
    if party is None:
        return None
    identity = identify(party.name, party.identifiers, party.parents)
    if identity is None:
        return None
    name = (party.name or "").strip() or identity.tax_id or ""
    place = (party.country, party.city, party.province, party.post_code, party.street)
    return identity, Known(
        identity.id,
        identity.tax_id,
        is_buyer,
        # A version without a name must never hide a spelling, however recent it is.
        (at if party.name else 0, name),
        (at, party.activity) if party.activity else None,
        (at, place) if any(place) else None,
        (at, party.web_url) if party.web_url else None,
    )


def store_parties(connection: sqlite3.Connection, seen: Iterable[Known]) -> None:
    """Merge what a batch tells about its organizations into the table, inside the caller's transaction."""
    told: dict[str, Known] = {}
    for one in seen:
        if (earlier := told.get(one.id)) is None:
            told[one.id] = one
        else:
            earlier.learn(one)
    changed: list[Known] = []
    stored = {row[0]: row for row in connection.execute(_SELECT, (json.dumps(list(told)),))}
    for one in told.values():
        row = stored.get(one.id)
        if row is None:
            changed.append(one)
            continue
        known = _from_row(row)
        if known.learn(one):
            changed.append(known)
    connection.executemany(_UPSERT, [_to_row(one) for one in changed])


def _later(one: tuple[int, str] | None, other: tuple[int, str] | None) -> tuple[int, str] | None:
    if one is None or other is None:
        return one or other
    return max(one, other)


def _place_order(place: tuple[int, Place]) -> tuple[int, tuple[str, ...]]:
    return place[0], tuple(part or "" for part in place[1])


_COLUMNS: Final = (
    "id, slug, name, name_at, is_buyer, tax_id, activity, activity_at, country, city, province, post_code, street, place_at, "
    "web_url, web_url_at"
)
_SELECT: Final = f"SELECT {_COLUMNS} FROM organization WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constants only
_UPSERT: Final = (
    f"INSERT INTO organization({_COLUMNS}) VALUES({', '.join('?' * 16)}) ON CONFLICT(id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[1:])
)


def _from_row(row: tuple[Any, ...]) -> Known:
    return Known(
        row[0],
        row[5],
        bool(row[4]),
        (row[3], row[2]),
        (row[7], row[6]) if row[7] is not None else None,
        (row[13], (row[8], row[9], row[10], row[11], row[12])) if row[13] is not None else None,
        (row[15], row[14]) if row[15] is not None else None,
    )


def _to_row(one: Known) -> tuple[object, ...]:
    activity_at, activity = one.activity or (None, None)
    place_at, place = one.place or (None, (None,) * 5)
    web_url_at, web_url = one.web_url or (None, None)
    name_at, name = one.name
    return (
        one.id,
        slug(" ".join(words(name)), one.id),
        name,
        name_at,
        int(one.is_buyer),
        one.tax_id,
        activity,
        activity_at,
        *place,
        place_at,
        web_url,
        web_url_at,
    )
