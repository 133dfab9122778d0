"""The client: one object, one service, one key."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import SecretStr

from workbench.client import calls
from workbench.client._async.alerts import AsyncAlerts
from workbench.client._async.directory import AsyncCpvCodes, AsyncOrganizations
from workbench.client._async.driver import AsyncDriver
from workbench.client._async.kanban import AsyncKanban
from workbench.client._async.opportunities import AsyncOpportunities
from workbench.client._async.pipelines import AsyncPipelines
from workbench.client._async.raw import AsyncRaw
from workbench.client._async.tenders import AsyncTenders
from workbench.client.errors import InvalidArgument
from workbench.client.options import OnWait, ServiceProfile, Timeouts
from workbench.client.policy.addresses import UnusableAddress, base_address
from workbench.client.policy.redaction import as_secret
from workbench.client.tool_seat import ToolSeat
from workbench.client.transport import AsyncTransport, Sender, checked_key, open_async
from workbench.client.windows import chosen_window
from workbench.contract.account import CallerContext, KeyInfo

if TYPE_CHECKING:
    from workbench.client._async.tools import AsyncToolServer


class AsyncClient:
    """A client of the procurement interface at ``base_url``, with the key ``api_key``. Use it in one event loop, and close it.

    ``profile`` names the service; :func:`workbench.aconnect` puts its profile here. ``timeout`` is
    seconds, or a :class:`~workbench.client.options.Timeouts`; ``on_wait`` is told of every pause before it begins.
    ``transport`` replaces the network (an httpx2 transport). ``rate_window`` keeps this client under 300 requests a minute
    together with every other client of the same key: in this process, or in every process that gives the same folder (a
    ``Path``, of caches). ``then`` is done when the client is closed.

    ``mcp_url`` is the address of the tool server, to whose origin the key goes too; ``None`` is ``/mcp`` under the base URL.

    Raises ``InvalidArgument`` for a base URL or key that cannot be used; nothing is sent before the first call.
    """

    base_url: str = ""
    profile: ServiceProfile | None = None

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | str | None = None,
        *,
        mcp_url: str | None = None,
        profile: ServiceProfile | None = None,
        timeout: float | Timeouts | None = None,
        on_wait: OnWait | None = None,
        transport: AsyncTransport | None = None,
        rate_window: bool | Path = True,
        then: Callable[[], None] | None = None,
    ) -> None:
        api_key = as_secret(api_key)
        key = checked_key(api_key)
        try:
            base = base_address(base_url, with_key=key is not None)
        except UnusableAddress as trouble:
            raise InvalidArgument("base_url", str(trouble)) from None
        self.base_url = str(base)
        self.profile = profile
        self._then = then
        timeouts = Timeouts.of(timeout)
        self._tools = ToolSeat(base, mcp_url, key, transport, profile, rate_window, timeouts, on_wait)
        self._settle(
            AsyncDriver(
                open_async(base, transport),
                Sender(base, key),
                key=key,
                window=chosen_window(rate_window, base.origin, key),
                timeouts=timeouts,
                on_wait=on_wait,
                profile=None if profile is None else profile.name,
            )
        )

    def _settle(self, driver: AsyncDriver) -> None:
        self._driver = driver
        self.tenders = AsyncTenders(driver)
        self.organizations = AsyncOrganizations(driver)
        self.cpv = AsyncCpvCodes(driver)
        self.alerts = AsyncAlerts(driver)
        self.pipelines = AsyncPipelines(driver)
        self.kanban = AsyncKanban(driver)
        self.opportunities = AsyncOpportunities(driver)
        self.raw = AsyncRaw(driver)

    def with_options(self, *, timeout: float | Timeouts | None = None, on_wait: OnWait | None = None) -> Self:
        """The same client with other time-outs or another listener, on the same connections; closing either closes both."""
        other = copy.copy(self)
        timeouts = None if timeout is None else Timeouts.of(timeout)
        other._tools = self._tools.with_options(timeouts, on_wait)
        other._settle(self._driver.with_options(timeouts=timeouts, on_wait=on_wait))
        return other

    async def whoami(self) -> CallerContext:
        """Who calls: the key, its account, the linked organization, the plan (interface 2)."""
        return await self._driver.read(calls.whoami())

    async def api_key(self) -> KeyInfo:
        """The key in use: its limit, expiry and last use (interface 4.1)."""
        return await self._driver.read(calls.api_key())

    def tool_server(self) -> AsyncToolServer:
        """The 20 tools of the tool server (interface 4.2), over one session that opens at the first call.

        It is this client's: asked for again it is the same, and closing the client closes it. Raises ``InvalidArgument`` for
        an ``mcp_url`` that cannot be used.
        """
        from workbench.client._async.tools import AsyncToolServer

        return self._tools.server(AsyncToolServer)

    async def aclose(self) -> None:
        """Close the connections, and the embedded service where this client opened one. Closing again does nothing."""
        try:
            await self._tools.aclose()
        finally:
            await self._driver.aclose(self._then)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        name = "" if self.profile is None else f"profile={self.profile.name!r}, "
        return f"AsyncClient({name}base_url={self.base_url!r})"
