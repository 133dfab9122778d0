"""The client of the interface, asynchronous and sync. Names load when they are used, so that the errors cost nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from workbench.client._async.client import AsyncClient as AsyncClient
    from workbench.client._sync.client import Client as Client
    from workbench.client.options import Timeouts as Timeouts
    from workbench.client.options import Waiting as Waiting
    from workbench.client.policy.answers import RawResponse as RawResponse

_HOMES: Final = {
    "AsyncClient": "workbench.client._async.client",
    "Client": "workbench.client._sync.client",
    "RawResponse": "workbench.client.policy.answers",
    "Timeouts": "workbench.client.options",
    "Waiting": "workbench.client.options",
}

__all__ = ["AsyncClient", "Client", "RawResponse", "Timeouts", "Waiting"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
