"""Accounts, users, teams and API keys: what the owner of an embedded service administers (interface 5).

A key is shown once, when it is made; the database keeps its SHA-256. Whatever is changed here takes effect on the next
request, in every process that serves the same folder.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import Connection, Row, delete, insert, select, update

from workbench.service.store.access_tables import account, account_user, api_key, team, team_member
from workbench.service.store.database import Database

TOKEN_PREFIX: Final = "wb_"  # noqa: S105 - no secret, what each one starts with
"""What each token starts with, so that a key that leaked into a text can be found there."""

DEFAULT_ACCOUNT_SLUG: Final = "local"
DEFAULT_ACCOUNT_NAME: Final = "Local workspace"
LOCAL_PLAN: Final = "local"
NAME_LENGTH_MAX: Final = 200
RATE_LIMIT_MAX: Final = 1_000_000_000


class AccessError(ValueError):
    """An administration step that cannot be done; the text is a sentence for the person who asked for it."""


@dataclass(frozen=True, slots=True)
class StoredAccount:
    """An account. ``organization_id`` is the organization it is linked to, ``plan_tier`` its plan; both may be ``None``."""

    id: str
    slug: str
    name: str
    organization_id: str | None
    plan_tier: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredUser:
    """A person of an account."""

    id: str
    account_id: str
    name: str
    email: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredTeam:
    """A team of an account, with the ids of its members."""

    id: str
    account_id: str
    name: str
    member_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredKey:
    """An API key without its token; limits of ``None`` are the interface's own (300 over REST, 30 over the tools)."""

    id: str
    account_id: str
    name: str
    last4: str
    mcp_enabled: bool
    rate_limit: int | None
    tool_rate_limit: int | None
    created_at: datetime
    expires_at: datetime | None
    disabled_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made or regenerated, and its token: the only time that it can be seen."""

    key: StoredKey
    token: SecretStr


def new_token() -> SecretStr:
    """A token with 256 random bits, such as ``wb_…``."""
    return SecretStr(TOKEN_PREFIX + secrets.token_urlsafe(32))


def digest_of(token: str | bytes) -> str:
    """The SHA-256 of a token in hexadecimal: what is stored and looked up instead of it."""
    return hashlib.sha256(token.encode() if isinstance(token, str) else token).hexdigest()


def slug_of(name: str) -> str:
    """A slug in lower-case ASCII for a name; ``account`` where the name has no letter or digit of that kind."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "account"


class Access:
    """Administration of one database's accounts, users, teams and keys. Every method is one short transaction.

    Raises :class:`AccessError` for what cannot be done and the store's own error where the database does not answer.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def default_account(self) -> StoredAccount:
        """The account named ``local``, which in-process callers use; made at the first call."""
        found = self.account(DEFAULT_ACCOUNT_SLUG)
        if found is not None:
            return found
        try:
            return self.create_account(DEFAULT_ACCOUNT_NAME, slug=DEFAULT_ACCOUNT_SLUG)
        except AccessError:
            # Another process opened the same new folder and was first.
            return self._need_account(DEFAULT_ACCOUNT_SLUG)

    def create_account(
        self, name: str, *, slug: str | None = None, organization_id: str | None = None, plan_tier: str | None = LOCAL_PLAN
    ) -> StoredAccount:
        """A new account; its slug is made from the name unless given, and must be free."""
        name = _checked_name(name, "an account")
        slug = slug_of(name) if slug is None else slug
        if slug_of(slug) != slug:
            raise AccessError(f"{slug!r} is no slug: use lower-case letters, digits and hyphens, such as {slug_of(slug)!r}.")
        with self._database.writer() as connection:
            if connection.execute(select(account.c.id).where(account.c.slug == slug)).first():
                raise AccessError(f"There is already an account {slug!r}; give the new one another --slug.")
            identity = str(uuid4())
            connection.execute(
                insert(account).values(
                    id=identity,
                    slug=slug,
                    name=name,
                    organization_id=organization_id,
                    plan_tier=plan_tier,
                    created_at=self._now(),
                )
            )
            return _account(connection.execute(select(account).where(account.c.id == identity)).one())

    def account(self, id_or_slug: str) -> StoredAccount | None:
        """The account with this id or slug, or ``None``."""
        wanted = select(account).where((account.c.slug == id_or_slug) | (account.c.id == id_or_slug))
        with self._database.reader() as connection:
            row = connection.execute(wanted).first()
        return None if row is None else _account(row)

    def accounts(self) -> list[StoredAccount]:
        """Every account, by slug."""
        with self._database.reader() as connection:
            return [_account(row) for row in connection.execute(select(account).order_by(account.c.slug))]

    def link_organization(self, id_or_slug: str, organization_id: str | None) -> None:
        """Link an account to an organization of the open data, or to none; ``whoami`` shows the link."""
        found = self._need_account(id_or_slug)
        with self._database.writer() as connection:
            connection.execute(update(account).where(account.c.id == found.id).values(organization_id=organization_id))

    def create_user(self, account_slug: str, name: str, *, email: str | None = None) -> StoredUser:
        """A new user of an account."""
        owner = self._need_account(account_slug)
        user = StoredUser(str(uuid4()), owner.id, _checked_name(name, "a user"), email, _moment(self._now()))
        with self._database.writer() as connection:
            connection.execute(
                insert(account_user).values(
                    id=user.id, account_id=owner.id, name=user.name, email=email, created_at=self._now()
                )
            )
        return user

    def users(self, account_slug: str) -> list[StoredUser]:
        """The users of an account, by name."""
        owner = self._need_account(account_slug)
        wanted = select(account_user).where(account_user.c.account_id == owner.id).order_by(account_user.c.name)
        with self._database.reader() as connection:
            rows = connection.execute(wanted).all()
        return [StoredUser(row.id, row.account_id, row.name, row.email, _moment(row.created_at)) for row in rows]

    def create_team(self, account_slug: str, name: str, member_ids: Sequence[str] = ()) -> StoredTeam:
        """A new team of an account; its members must be users of the same account."""
        owner = self._need_account(account_slug)
        strangers = set(member_ids) - {user.id for user in self.users(owner.id)}
        if strangers:
            raise AccessError(f"The account {owner.slug!r} has no user {min(strangers)!r}; list them first.")
        made = StoredTeam(str(uuid4()), owner.id, _checked_name(name, "a team"), tuple(dict.fromkeys(member_ids)))
        with self._database.writer() as connection:
            same_name = (team.c.account_id == owner.id) & (team.c.name == made.name)
            if connection.execute(select(team.c.id).where(same_name)).first():
                raise AccessError(f"The account {owner.slug!r} already has a team {made.name!r}.")
            connection.execute(insert(team).values(id=made.id, account_id=owner.id, name=made.name, created_at=self._now()))
            for user_id in made.member_ids:
                connection.execute(insert(team_member).values(team_id=made.id, user_id=user_id))
        return made

    def teams(self, account_slug: str) -> list[StoredTeam]:
        """The teams of an account, by name."""
        owner = self._need_account(account_slug)
        with self._database.reader() as connection:
            rows = connection.execute(select(team).where(team.c.account_id == owner.id).order_by(team.c.name)).all()
            members = connection.execute(
                select(team_member.c.team_id, team_member.c.user_id)
                .join(team, team.c.id == team_member.c.team_id)
                .where(team.c.account_id == owner.id)
                .order_by(team_member.c.user_id)
            ).all()
        return [
            StoredTeam(row.id, row.account_id, row.name, tuple(m.user_id for m in members if m.team_id == row.id))
            for row in rows
        ]

    def create_key(
        self,
        name: str,
        *,
        account_slug: str = DEFAULT_ACCOUNT_SLUG,
        mcp: bool = False,
        rate_limit: int | None = None,
        tool_rate_limit: int | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """A new key of an account and its token.

        ``rate_limit`` is its own number of requests in 60 seconds, over REST and over the tools (each counted apart);
        ``tool_rate_limit`` overrules it for the tools. ``expires_at`` needs a zone; from then on the key answers 401.
        """
        name = _checked_name(name, "a key")
        _check_limits(rate_limit, tool_rate_limit)
        if expires_at is not None and expires_at.tzinfo is None:
            raise AccessError("The expiry of a key needs a time zone, such as 2030-01-31T00:00:00+01:00.")
        if account_slug == DEFAULT_ACCOUNT_SLUG:
            self.default_account()
        owner = self._need_account(account_slug)
        token = new_token()
        identity = str(uuid4())
        with self._database.writer() as connection:
            connection.execute(
                insert(api_key).values(
                    id=identity,
                    account_id=owner.id,
                    name=name,
                    mcp_enabled=mcp,
                    rate_limit=rate_limit,
                    tool_rate_limit=tool_rate_limit,
                    created_at=self._now(),
                    expires_at=None if expires_at is None else int(expires_at.timestamp()),
                    **_token_columns(token),
                )
            )
            return NewKey(_key_with(connection, identity), token)

    def key(self, key_id: str) -> StoredKey | None:
        """The key with this id, or ``None``."""
        with self._database.reader() as connection:
            row = connection.execute(select(api_key).where(api_key.c.id == key_id)).first()
        return None if row is None else _key(row)

    def keys(self, account_slug: str | None = None) -> list[StoredKey]:
        """The keys of one account or of all, oldest first."""
        wanted = select(api_key).order_by(api_key.c.created_at, api_key.c.id)
        if account_slug is not None:
            wanted = wanted.where(api_key.c.account_id == self._need_account(account_slug).id)
        with self._database.reader() as connection:
            return [_key(row) for row in connection.execute(wanted)]

    def disable_key(self, key_id: str) -> StoredKey:
        """Switch a key off: it answers 401 from the next request on. Regenerating it switches it on again."""
        return self._change_key(key_id, {"disabled_at": self._now()})

    def regenerate_key(self, key_id: str) -> NewKey:
        """A new token for a key, which keeps its id, name and limits; the old token answers 401 from the next request on."""
        token = new_token()
        return NewKey(self._change_key(key_id, {"disabled_at": None, **_token_columns(token)}), token)

    def delete_key(self, key_id: str) -> None:
        """Forget a key; it answers 401 from the next request on."""
        with self._database.writer() as connection:
            if connection.execute(delete(api_key).where(api_key.c.id == key_id)).rowcount == 0:
                raise _no_such_key(key_id)

    def _change_key(self, key_id: str, values: dict[str, Any]) -> StoredKey:
        with self._database.writer() as connection:
            if connection.execute(update(api_key).where(api_key.c.id == key_id).values(**values)).rowcount == 0:
                raise _no_such_key(key_id)
            return _key_with(connection, key_id)

    def _need_account(self, id_or_slug: str) -> StoredAccount:
        found = self.account(id_or_slug)
        if found is None:
            raise AccessError(f"There is no account {id_or_slug!r}; list the accounts to see their slugs.")
        return found

    def _now(self) -> int:
        return int(self._database.clock().timestamp())


def _key_with(connection: Connection, key_id: str) -> StoredKey:
    return _key(connection.execute(select(api_key).where(api_key.c.id == key_id)).one())


def _token_columns(token: SecretStr) -> dict[str, str]:
    text = token.get_secret_value()
    return {"digest": digest_of(text), "last4": text[-4:]}


def _checked_name(name: str, what: str) -> str:
    name = name.strip()
    if not name or len(name) > NAME_LENGTH_MAX or not name.isprintable():
        raise AccessError(f"The name of {what} is 1 to {NAME_LENGTH_MAX} printable characters.")
    return name


def _check_limits(*limits: int | None) -> None:
    for limit in limits:
        if limit is not None and not 1 <= limit <= RATE_LIMIT_MAX:
            raise AccessError(f"A rate limit is a whole number of requests a minute, 1 to {RATE_LIMIT_MAX:,}.")


def _no_such_key(key_id: str) -> AccessError:
    return AccessError(f"There is no key with the id {key_id!r}; list the keys to see their ids.")


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _maybe_moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else _moment(seconds)


def _account(row: Row[Any]) -> StoredAccount:
    return StoredAccount(row.id, row.slug, row.name, row.organization_id, row.plan_tier, _moment(row.created_at))


def _key(row: Row[Any]) -> StoredKey:
    return StoredKey(
        id=row.id,
        account_id=row.account_id,
        name=row.name,
        last4=row.last4,
        mcp_enabled=bool(row.mcp_enabled),
        rate_limit=row.rate_limit,
        tool_rate_limit=row.tool_rate_limit,
        created_at=_moment(row.created_at),
        expires_at=_maybe_moment(row.expires_at),
        disabled_at=_maybe_moment(row.disabled_at),
        last_used_at=_maybe_moment(row.last_used_at),
    )
