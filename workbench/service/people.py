"""The users and teams of an account, as its boards, tasks and alerts name them by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import select

from workbench.service.refusals import invalid
from workbench.service.scope import OwnedRows
from workbench.service.store.access_tables import account_user, team

_SHOWN: Final = 20


def user_names(rows: OwnedRows) -> Mapping[str, str]:
    """The name of each user of the account by id, in the order of names."""
    return {row.id: row.name for row in rows.all(select(account_user.c.id, account_user.c.name).order_by(account_user.c.name))}


def team_names(rows: OwnedRows) -> Mapping[str, str]:
    """The name of each team of the account by id, in the order of names."""
    return {row.id: row.name for row in rows.all(select(team.c.id, team.c.name).order_by(team.c.name))}


def check_users(rows: OwnedRows, ids: Sequence[str], field: str) -> None:
    """Refuse (422) the first id of ``field``, a list of a body, that is no user of the account, and say who is."""
    names = user_names(rows)
    for place, identity in enumerate(ids):
        if identity not in names:
            raise invalid(f"The field '{field}[{place}]' is the id of no user of this account. {_those(names)}")


def _those(names: Mapping[str, str]) -> str:
    if not names:
        return "It has no users yet."
    shown = [f"{name} ({identity})" for identity, name in names.items()]
    rest = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"Its users are {', '.join(shown[:_SHOWN])}{rest}."
