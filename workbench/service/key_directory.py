"""From a token to its principal, on every request: a cache that a change made by any process empties at once."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Final
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import select, update

from workbench.contract.vocabulary import REST_REQUESTS_PER_WINDOW, TOOL_REQUESTS_PER_WINDOW
from workbench.service.access import digest_of, new_token
from workbench.service.store.access_tables import api_key
from workbench.service.store.database import Database
from workbench.service.store.failures import StoreError

SESSION_RATE_LIMIT: Final = 100_000
"""Requests a window for a key that stays inside this process: a caller in the same process is not rationed."""

CLOSED: Final = "This embedded service has been closed; open it again to go on."
CACHE_SIZE: Final = 10_000
LAST_USED_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls: the key, the one account that it opens, and what it may do. Moments are seconds since 1970."""

    key_id: str
    key_name: str
    account_id: str
    rate_limit: int
    tool_rate_limit: int
    mcp_enabled: bool
    created_at: float
    expires_at: float | None = None
    disabled: bool = False
    session: bool = False

    def is_expired(self, now: float) -> bool:
        """Whether the key's time is over at ``now``."""
        return self.expires_at is not None and now >= self.expires_at


class Unknown(Enum):
    """Answer of :meth:`KeyDirectory.peek` where only the database can tell."""

    YET = "yet"


class KeyDirectory:
    """Finds principals by token. Session keys exist here only and end with the process.

    :meth:`peek` never waits for the database's locks and may be called on an event loop; :meth:`find` may wait. Both raise
    ``StoreError`` where the database does not answer or the directory has been closed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock = database.clock
        self._lock = threading.Lock()
        self._sessions: dict[str, Principal] = {}
        self._cache: dict[str, Principal] = {}
        self._used: dict[str, float] = {}
        self._written: dict[str, float] = {}
        self._closed = False
        # data_version changes with every commit of any other connection, of this process or another: one
        # cheap read a request tells whether a cached key may have been disabled meanwhile.
        address = f"{database.path.absolute().as_uri()}?mode=ro"
        self._watch = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None, timeout=0)
        self._version = self._read_version()

    def open_session(self, name: str, account_id: str, *, rate_limit: int | None = None, mcp: bool = True) -> SecretStr:
        """A key that is valid as long as this directory and is stored nowhere."""
        token = new_token()
        principal = Principal(
            key_id=str(uuid4()),
            key_name=name,
            account_id=account_id,
            rate_limit=rate_limit or REST_REQUESTS_PER_WINDOW,
            tool_rate_limit=rate_limit or TOOL_REQUESTS_PER_WINDOW,
            mcp_enabled=mcp,
            created_at=self._clock().timestamp(),
            session=True,
        )
        with self._lock:
            self._sessions[digest_of(token.get_secret_value())] = principal
        return token

    def peek(self, token: bytes) -> Principal | Unknown:
        """The token's principal from memory, or :attr:`Unknown.YET` where the database has to be asked."""
        digest = digest_of(token)
        with self._lock:
            if self._closed:
                raise StoreError(CLOSED)
            session = self._sessions.get(digest)
            if session is not None:
                return session
            try:
                version = self._read_version()
            except sqlite3.OperationalError:
                return Unknown.YET
            if version != self._version:
                self._version = version
                self._cache.clear()
            return self._cache.get(digest, Unknown.YET)

    def find(self, token: bytes) -> Principal | None:
        """The token's principal from the database, disabled and expired ones included; ``None`` for an unknown token."""
        digest = digest_of(token)
        with self._lock:
            version = self._version
        with self._database.reader() as connection:
            row = connection.execute(select(api_key).where(api_key.c.digest == digest)).first()
        if row is None:
            return None
        principal = Principal(
            key_id=row.id,
            key_name=row.name,
            account_id=row.account_id,
            rate_limit=row.rate_limit or REST_REQUESTS_PER_WINDOW,
            tool_rate_limit=row.tool_rate_limit or row.rate_limit or TOOL_REQUESTS_PER_WINDOW,
            mcp_enabled=bool(row.mcp_enabled),
            created_at=row.created_at,
            expires_at=row.expires_at,
            disabled=row.disabled_at is not None,
        )
        with self._lock:
            if version == self._version:
                if len(self._cache) >= CACHE_SIZE:
                    self._cache.clear()
                self._cache[digest] = principal
        return principal

    def still_opens(self, key_id: str) -> bool:
        """Whether the key with this id exists, is enabled and has not expired: what a signed link of its depends on."""
        now = self._clock().timestamp()
        with self._lock:
            if any(session.key_id == key_id for session in self._sessions.values()):
                return True
        wanted = select(api_key.c.disabled_at, api_key.c.expires_at).where(api_key.c.id == key_id)
        with self._database.reader() as connection:
            row = connection.execute(wanted).first()
        return row is not None and row.disabled_at is None and (row.expires_at is None or now < row.expires_at)

    def mark_used(self, principal: Principal, now: float) -> bool:
        """Note a use at ``now``; ``True`` where it is time to call :meth:`write_last_use`, at most once a minute a key."""
        with self._lock:
            self._used[principal.key_id] = now
            if principal.session or now - self._written.get(principal.key_id, 0) < LAST_USED_SECONDS:
                return False
            self._written[principal.key_id] = now
            return True

    def write_last_use(self, key_id: str, now: float) -> None:
        """Store when a key was last used. May wait for the writer."""
        with self._database.writer() as connection:
            connection.execute(update(api_key).where(api_key.c.id == key_id).values(last_used_at=int(now)))

    def last_used(self, key_id: str) -> float | None:
        """When this process last saw the key; ``None`` where it has not."""
        with self._lock:
            return self._used.get(key_id)

    def close(self) -> None:
        """Forget the session keys and let go of the database file."""
        with self._lock:
            self._closed = True
            self._sessions.clear()
            self._cache.clear()
            self._watch.close()

    def _read_version(self) -> int:
        return self._watch.execute("PRAGMA data_version").fetchone()[0]
