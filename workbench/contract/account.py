"""Who calls: the caller's context and the key in use (interface 2)."""

from __future__ import annotations

from pydantic import Field

from workbench.contract.aliases import also
from workbench.contract.record import Identifier, Instant, Record


class Principal(Record):
    """The calling key: ``type`` is always ``apiKey``."""

    type: str | None = None
    id: Identifier | None = None
    name: str | None = None


class Account(Record):
    """The one account that the key resolves to."""

    id: Identifier | None = None
    name: str | None = None
    slug: str | None = None


class LinkedOrganization(Record):
    """The organization that the account is linked to."""

    id: Identifier | None = None
    name: str | None = None


class Plan(Record):
    """The active plan; ``tier`` is ``None`` where there is none."""

    tier: str | None = None


class CallerContext(Record):
    """Answer of ``GET /v1/whoami``: principal, account, linked organization or ``None``, plan."""

    principal: Principal | None = None
    account: Account | None = None
    organization: LinkedOrganization | None = None
    plan: Plan | None = None


class RateLimit(Record):
    """How many requests a key may make in a window of so many seconds."""

    limit: int | None = None
    window_seconds: float | None = None


class KeyInfo(Record):
    """Answer of ``GET /v1/api-key``. The interface names rate limit, expiry and last usage, not the fields that hold them."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = None
    rate_limit: RateLimit | None = None
    expires_at: Instant | None = None
    last_used_at: Instant | None = None
    is_mcp_enabled: bool | None = None
    is_active: bool | None = None
    created_at: Instant | None = None
