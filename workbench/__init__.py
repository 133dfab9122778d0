"""A workbench for public-procurement analysts: a client, an embedded service for open data, a terminal UI and notebooks.

``workbench.connect()`` gives a client; everything here loads when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from workbench.client import AsyncClient as AsyncClient
    from workbench.client import Client as Client
    from workbench.client.errors import ApiError as ApiError
    from workbench.client.errors import ClientMisused as ClientMisused
    from workbench.client.errors import Conflict as Conflict
    from workbench.client.errors import ConnectionFailed as ConnectionFailed
    from workbench.client.errors import DataUnusable as DataUnusable
    from workbench.client.errors import Forbidden as Forbidden
    from workbench.client.errors import Invalid as Invalid
    from workbench.client.errors import InvalidArgument as InvalidArgument
    from workbench.client.errors import KeyNotFound as KeyNotFound
    from workbench.client.errors import KeyNotStored as KeyNotStored
    from workbench.client.errors import NotFound as NotFound
    from workbench.client.errors import NoToolServer as NoToolServer
    from workbench.client.errors import NotSaved as NotSaved
    from workbench.client.errors import ProfileError as ProfileError
    from workbench.client.errors import RateLimited as RateLimited
    from workbench.client.errors import ServerFault as ServerFault
    from workbench.client.errors import SummaryFailed as SummaryFailed
    from workbench.client.errors import SummaryNotReady as SummaryNotReady
    from workbench.client.errors import TargetExists as TargetExists
    from workbench.client.errors import TerminalMoveNotConfirmed as TerminalMoveNotConfirmed
    from workbench.client.errors import TimedOut as TimedOut
    from workbench.client.errors import ToolRefused as ToolRefused
    from workbench.client.errors import ToolsNotEnabled as ToolsNotEnabled
    from workbench.client.errors import Unauthorized as Unauthorized
    from workbench.client.errors import UnexpectedAnswer as UnexpectedAnswer
    from workbench.client.errors import WorkbenchError as WorkbenchError
    from workbench.connect import aconnect as aconnect
    from workbench.connect import connect as connect

    __version__: str

__all__ = [
    "ApiError", "AsyncClient", "Client", "ClientMisused", "Conflict", "ConnectionFailed", "DataUnusable", "Forbidden",
    "Invalid", "InvalidArgument", "KeyNotFound", "KeyNotStored", "NoToolServer", "NotFound", "NotSaved", "ProfileError",
    "RateLimited", "ServerFault", "SummaryFailed", "SummaryNotReady", "TargetExists", "TerminalMoveNotConfirmed", "TimedOut",
    "ToolRefused", "ToolsNotEnabled", "Unauthorized", "UnexpectedAnswer", "WorkbenchError", "__version__", "aconnect",
    "connect",
]  # fmt: skip

_ELSEWHERE: Final = {
    "AsyncClient": "workbench.client",
    "Client": "workbench.client",
    "aconnect": "workbench.connect",
    "connect": "workbench.connect",
}
"""Modules of the names that are no errors."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("tender-workbench")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE.get(name, "workbench.client.errors")), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
