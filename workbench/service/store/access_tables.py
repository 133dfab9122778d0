"""Tables of who may call: accounts, their users and teams, API keys, and the service's own secrets.

Ids are uuid texts, moments are whole seconds since 1970 in UTC, as in every table of the store. A key is kept as the
SHA-256 of its token: a token has 256 random bits, so a slow hash would protect nothing and cost each request.
"""

from __future__ import annotations

from sqlalchemy import BLOB, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from workbench.service.store.metadata import METADATA
from workbench.service.store.workspace_tables import Flag

account = Table(
    "account",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("organization_id", Text),
    Column("plan_tier", Text),
    Column("created_at", Integer, nullable=False),
    sqlite_strict=True,
)
"""An account. ``organization_id`` is no foreign key: the open data it points into may be reset and imported again."""

account_user = Table(
    "account_user",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("email", Text),
    Column("created_at", Integer, nullable=False),
    Index("user_of_account", "account_id", "name"),
    sqlite_strict=True,
)
"""A person of an account, whom alerts, opportunities and tasks name by id."""

team = Table(
    "team",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Integer, nullable=False),
    UniqueConstraint("account_id", "name", name="team_name_is_unique"),
    sqlite_strict=True,
)
"""A team of an account's users."""

team_member = Table(
    "team_member",
    METADATA,
    Column("team_id", Text, ForeignKey("team.id", ondelete="CASCADE"), primary_key=True),
    Column("user_id", Text, ForeignKey("account_user.id", ondelete="CASCADE"), primary_key=True),
    sqlite_strict=True,
)
"""Who is in which team."""

api_key = Table(
    "api_key",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("last4", Text, nullable=False),
    Column("mcp_enabled", Flag, nullable=False),
    Column("rate_limit", Integer),
    Column("tool_rate_limit", Integer),
    Column("created_at", Integer, nullable=False),
    Column("expires_at", Integer),
    Column("disabled_at", Integer),
    Column("last_used_at", Integer),
    CheckConstraint("rate_limit IS NULL OR rate_limit > 0", name="rate_limit_is_positive"),
    CheckConstraint("tool_rate_limit IS NULL OR tool_rate_limit > 0", name="tool_rate_limit_is_positive"),
    Index("key_of_account", "account_id"),
    sqlite_strict=True,
)
"""An API key: the SHA-256 of its token in hexadecimal, its last four characters to tell keys apart, and its limits
(``NULL`` is the interface's own: 300 requests a window over REST, 30 over the tools)."""

service_secret = Table(
    "service_secret",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", BLOB, nullable=False),
    Column("created_at", Integer, nullable=False),
    sqlite_strict=True,
)
"""Random secrets that this service signs with; made once, never leaving the database file."""
