"""What a client knows of its tool server before the first tool is called; the tools themselves load when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr

from workbench.client.errors import ClientMisused, InvalidArgument
from workbench.client.options import OnWait, ServiceProfile, Timeouts
from workbench.client.policy.addresses import BaseAddress, UnusableAddress, base_address
from workbench.client.transport import AsyncTransport, SyncTransport

ServerT = TypeVar("ServerT")


@dataclass
class Opened:
    """The tool servers of one client, with the options of each, and whether the client is closed."""

    servers: list[tuple[Timeouts, OnWait | None, Any]] = field(default_factory=list[tuple[Timeouts, OnWait | None, Any]])
    closed: bool = False


@dataclass(frozen=True)
class ToolSeat:
    """Where the tool server is, and with what a session with it is opened. Copies share the servers that were opened.

    ``transport`` replaces the network, as it does for the client itself. ``mcp_url`` ``None`` is ``/mcp`` under the base URL.
    """

    base: BaseAddress
    mcp_url: str | None
    key: SecretStr | None = field(repr=False)
    transport: AsyncTransport | SyncTransport | None
    profile: ServiceProfile | None
    rate_window: bool | Path
    timeouts: Timeouts
    on_wait: OnWait | None
    opened: Opened = field(default_factory=Opened)

    @property
    def guessed(self) -> bool:
        """Whether the address was made from the base URL."""
        return self.mcp_url is None

    @property
    def endpoint(self) -> str:
        """The tool server's address."""
        return f"{self.base}/mcp" if self.mcp_url is None else self.mcp_url.strip()

    def address(self) -> BaseAddress:
        """Origin of the tool server, to which its key is bound. It may be another than the base URL's: the profile names it.

        Raises ``InvalidArgument`` for an address that cannot be used, and for one to which the key would travel in the clear.
        """
        try:
            return BaseAddress(base_address(self.endpoint, with_key=self.key is not None).origin)
        except UnusableAddress as trouble:
            raise InvalidArgument("mcp_url", str(trouble)) from None

    def with_options(self, timeouts: Timeouts | None, on_wait: OnWait | None) -> ToolSeat:
        """A seat with other options."""
        return replace(self, timeouts=timeouts or self.timeouts, on_wait=on_wait or self.on_wait)

    def server(self, make: Callable[[ToolSeat], ServerT]) -> ServerT:
        """The one tool server of these options, made at the first call. Raises ``ClientMisused`` once the client is closed."""
        if self.opened.closed:
            raise ClientMisused("This client is closed; open another one with workbench.connect().")
        for timeouts, on_wait, server in self.opened.servers:
            if timeouts == self.timeouts and on_wait == self.on_wait:
                return server
        made = make(self)
        self.opened.servers.append((self.timeouts, self.on_wait, made))
        return made

    async def aclose(self) -> None:
        """Close every tool server that was opened from this seat; each must be an asynchronous one."""
        self.opened.closed = True
        for _, _, server in self.opened.servers:
            await server.aclose()

    def close(self) -> None:
        """Close every tool server that was opened from this seat; each must be a sync one."""
        self.opened.closed = True
        for _, _, server in self.opened.servers:
            server.close()
