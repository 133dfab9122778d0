"""The sample's account with its people: the service's own account while nobody uses it, else one beside it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, exists, insert, select, update

from workbench.service.access import DEFAULT_ACCOUNT_SLUG
from workbench.service.sample_board import sample_id
from workbench.service.sample_words import ACCOUNT_NAME, ACCOUNT_SLUG, TEAMS, USERS
from workbench.service.store.access_tables import account, account_user, team, team_member
from workbench.service.store.workspace_tables import alert, pipeline

SAMPLE_PLAN = "sample"


@dataclass(frozen=True, slots=True)
class People:
    """Ids of the sample's account, of its users in their order and of its teams in theirs."""

    account_id: str
    users: tuple[str, ...]
    teams: tuple[str, ...]


def add_people(connection: Connection, organization_id: str, now: int) -> People:
    """Write the account, its users and its teams; ``now`` is in seconds since 1970.

    In-process callers use the account named ``local``. So the sample becomes that account where it is new or still empty,
    with a name that says what it is; where somebody works in it, the sample gets an account of its own, ``sample``.
    """
    account_id = _account(connection, organization_id, now)
    users = tuple(sample_id("user", number) for number in range(len(USERS)))
    teams = tuple(sample_id("team", number) for number in range(len(TEAMS)))
    rows = [
        {
            "id": users[number],
            "account_id": account_id,
            "name": name,
            "email": f"{name.split()[0].lower()}@example.org",
            "created_at": now,
        }
        for number, name in enumerate(USERS)
    ]
    connection.execute(insert(account_user), rows)
    connection.execute(
        insert(team),
        [{"id": teams[number], "account_id": account_id, "name": name, "created_at": now} for number, name in enumerate(TEAMS)],
    )
    members = [
        {"team_id": teams[number], "user_id": users[place]} for number, places in enumerate(TEAMS.values()) for place in places
    ]
    connection.execute(insert(team_member), members)
    return People(account_id, users, teams)


def _account(connection: Connection, organization_id: str, now: int) -> str:
    labels = {"name": ACCOUNT_NAME, "organization_id": organization_id, "plan_tier": SAMPLE_PLAN}
    found = connection.execute(select(account.c.id).where(account.c.slug == DEFAULT_ACCOUNT_SLUG)).scalar()
    if found is not None and not _in_use(connection, found):
        connection.execute(update(account).where(account.c.id == found).values(**labels))
        return found
    identity = sample_id("account")
    slug = DEFAULT_ACCOUNT_SLUG if found is None else ACCOUNT_SLUG
    connection.execute(insert(account).values(id=identity, slug=slug, created_at=now, **labels))
    return identity


def _in_use(connection: Connection, account_id: str) -> bool:
    owned = (exists().where(table.c.account_id == account_id) for table in (account_user, pipeline, alert))
    return any(connection.execute(select(found)).scalar() for found in owned)
