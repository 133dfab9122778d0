"""Accounts, users, teams and keys as their owner administers them, and how a token finds its principal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.service.access import Access, AccessError, digest_of, slug_of
from workbench.service.key_directory import KeyDirectory, Principal, Unknown
from workbench.service.store.database import Database


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> Iterator[Database]:
    database = Database(tmp_path / "data", clock=clock)
    yield database
    database.close()


@pytest.fixture
def access(database: Database) -> Access:
    return Access(database)


@pytest.fixture
def keys(database: Database) -> Iterator[KeyDirectory]:
    directory = KeyDirectory(database)
    yield directory
    directory.close()


def token_bytes(made: object) -> bytes:
    return made.token.get_secret_value().encode()  # type: ignore[attr-defined]


def found(keys: KeyDirectory, token: bytes) -> Principal | None:
    seen = keys.peek(token)
    return keys.find(token) if isinstance(seen, Unknown) else seen


def test_a_token_is_shown_once_and_stored_as_its_digest(access: Access, database: Database) -> None:
    made = access.create_key("laptop")
    text = made.token.get_secret_value()
    assert text.startswith("wb_")
    assert len(text) == 46
    assert made.key.last4 == text[-4:]
    assert text not in repr(made)
    database.close()
    stored = b"".join(part.read_bytes() for part in database.folder.iterdir())
    assert text.encode() not in stored
    assert digest_of(text).encode() in stored


@pytest.mark.requirement("AUTH-2")
def test_a_key_opens_the_account_it_was_made_for(access: Access, keys: KeyDirectory) -> None:
    first = access.create_account("Consultora Norte")
    second = access.create_account("Consultora Sur")
    one = access.create_key("one", account_slug=first.slug)
    two = access.create_key("two", account_slug=second.slug)
    principals = [found(keys, token_bytes(made)) for made in (one, two)]
    assert [principal and principal.account_id for principal in principals] == [first.id, second.id]


@pytest.mark.requirement("AUTH-6")
def test_each_change_of_a_key_is_seen_at_the_next_look(tmp_path: Path, access: Access, keys: KeyDirectory) -> None:
    other_process = Database(tmp_path / "data")
    owner = Access(other_process)
    made = access.create_key("laptop")
    token = token_bytes(made)
    assert found(keys, token) is not None
    assert not isinstance(keys.peek(token), Unknown)

    owner.disable_key(made.key.id)
    principal = found(keys, token)
    assert principal is not None
    assert principal.disabled

    again = owner.regenerate_key(made.key.id)
    assert found(keys, token) is None
    principal = found(keys, token_bytes(again))
    assert principal is not None
    assert not principal.disabled
    assert principal.key_id == made.key.id

    owner.delete_key(made.key.id)
    assert found(keys, token_bytes(again)) is None
    other_process.close()


def test_a_session_key_lives_in_memory_only(access: Access, keys: KeyDirectory, database: Database) -> None:
    account = access.default_account()
    token = keys.open_session("notebook", account.id, rate_limit=5)
    principal = keys.peek(token.get_secret_value().encode())
    assert isinstance(principal, Principal)
    assert principal.session
    assert principal.rate_limit == 5
    assert access.keys() == []
    other = KeyDirectory(database)
    assert found(other, token.get_secret_value().encode()) is None
    other.close()


def test_limits_default_to_those_of_the_interface(access: Access, keys: KeyDirectory) -> None:
    usual = found(keys, token_bytes(access.create_key("usual")))
    own = found(keys, token_bytes(access.create_key("own", rate_limit=7, mcp=True)))
    tools = found(keys, token_bytes(access.create_key("tools", rate_limit=7, tool_rate_limit=3)))
    assert usual is not None
    assert own is not None
    assert tools is not None
    assert (usual.rate_limit, usual.tool_rate_limit, usual.mcp_enabled) == (300, 30, False)
    assert (own.rate_limit, own.tool_rate_limit, own.mcp_enabled) == (7, 7, True)
    assert (tools.rate_limit, tools.tool_rate_limit) == (7, 3)


def test_last_use_is_written_once_a_minute(access: Access, keys: KeyDirectory, clock: Clock) -> None:
    made = access.create_key("laptop")
    principal = found(keys, token_bytes(made))
    assert principal is not None
    start = clock.now.timestamp()
    due = [keys.mark_used(principal, start + seconds) for seconds in (0, 1, 59, 60, 61, 120)]
    assert due == [True, False, False, True, False, True]
    keys.write_last_use(made.key.id, start + 120)
    stored = access.key(made.key.id)
    assert stored is not None
    assert stored.last_used_at == clock.now + timedelta(seconds=120)
    assert keys.last_used(made.key.id) == start + 120


def test_a_links_key_stops_counting_when_disabled_or_expired(access: Access, keys: KeyDirectory, clock: Clock) -> None:
    made = access.create_key("laptop", expires_at=clock.now + timedelta(hours=1))
    other = access.create_key("other")
    session = keys.open_session("session", access.default_account().id)
    principal = keys.peek(session.get_secret_value().encode())
    assert isinstance(principal, Principal)
    assert keys.still_opens(made.key.id)
    assert keys.still_opens(principal.key_id)
    assert not keys.still_opens("nobody")
    access.disable_key(other.key.id)
    assert not keys.still_opens(other.key.id)
    clock.now += timedelta(hours=1)
    assert not keys.still_opens(made.key.id)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("", {}),
        ("\x1b[31mred", {}),
        ("x" * 201, {}),
        ("x", {"rate_limit": 0}),
        ("x", {"tool_rate_limit": -1}),
        ("x", {"account_slug": "nobody"}),
        ("x", {"expires_at": datetime(2030, 1, 1)}),  # noqa: DTZ001
    ],
)
def test_a_key_that_cannot_be_made_says_why(access: Access, name: str, options: dict[str, object]) -> None:
    with pytest.raises(AccessError, match=r"^[A-Z].*\.$"):
        access.create_key(name, **options)  # type: ignore[arg-type]
    assert access.keys() == []


def test_unknown_keys_are_named(access: Access) -> None:
    for step in (access.disable_key, access.regenerate_key, access.delete_key):
        with pytest.raises(AccessError, match="no key with the id 'k1'"):
            step("k1")


def test_the_default_account_is_made_once(access: Access) -> None:
    assert access.default_account() == access.default_account()
    assert [account.slug for account in access.accounts()] == ["local"]


def test_slugs_are_plain_and_unique(access: Access) -> None:
    assert access.create_account("Año Económico, S.L.").slug == "ano-economico-s-l"
    assert slug_of("日本") == "account"
    with pytest.raises(AccessError, match="already an account"):
        access.create_account("Año económico, s.l.")
    with pytest.raises(AccessError, match="is no slug"):
        access.create_account("x", slug="Not A Slug")


def test_users_and_teams_stay_in_their_account(access: Access) -> None:
    access.create_account("Norte")
    access.create_account("Sur")
    ana = access.create_user("norte", "Ana", email="ana@example.org")
    eva = access.create_user("sur", "Eva")
    made = access.create_team("norte", "Obras", [ana.id])
    assert access.teams("norte") == [made]
    assert access.teams("sur") == []
    assert access.users("norte") == [ana]
    with pytest.raises(AccessError, match="has no user"):
        access.create_team("norte", "Mixto", [ana.id, eva.id])
    with pytest.raises(AccessError, match="already has a team"):
        access.create_team("norte", "Obras")


def test_an_account_is_linked_to_an_organization(access: Access) -> None:
    access.create_account("Norte")
    access.link_organization("norte", "o-1")
    account = access.account("norte")
    assert account is not None
    assert account.organization_id == "o-1"
