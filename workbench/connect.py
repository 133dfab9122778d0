"""The one seam between a profile and a client: hosted over HTTP, or embedded in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Final

from pydantic import SecretStr

from workbench.client.errors import DataUnusable, InvalidArgument
from workbench.client.options import OnWait, Timeouts
from workbench.client.policy.redaction import as_secret
from workbench.profiles import GIVEN, LOCAL, Profile, builtin, cache_folder, load_profiles

if TYPE_CHECKING:
    from workbench.client import AsyncClient, Client
    from workbench.service.service import Service

EMBEDDED_BASE_URL: Final = "http://localhost"
"""What an in-process client calls its service: nothing listens there, and nothing is sent there."""


def connect(
    profile: str | None = None,
    *,
    base_url: str | None = None,
    mcp_url: str | None = None,
    api_key: SecretStr | str | None = None,
    data: Path | str | None = None,
    timeout: float | Timeouts | None = None,
    on_wait: OnWait | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Client:
    """A client of the named profile, or of the current one; close it, or use it in a ``with`` block.

    ``connect("local")`` is the embedded service, ``connect("sample")`` the one with the sample workspace; ``data`` is another
    folder for either. ``base_url`` connects without a profile, and ``mcp_url`` is then its tool server's address
    (``/mcp`` under the base URL unless given). The key of a hosted profile is looked for as :mod:`workbench.keys` says, unless
    ``api_key`` gives it. ``timeout`` is seconds or ``Timeouts``; ``on_wait`` is told of
    pauses; ``progress`` is told how far the sample workspace is filled.

    Works where an event loop is running (Jupyter). Raises ``ProfileError``, ``KeyNotFound``, ``InvalidArgument``, or
    ``DataUnusable`` where the embedded service's folder cannot be used. A hosted service is not called before the first call.
    """
    api_key = as_secret(api_key)
    chosen = _resolve(profile, base_url, data, mcp_url)
    from workbench.client import Client

    if chosen.kind == "hosted":
        key = _key(chosen, api_key)
        return Client(
            _address(chosen),
            key,
            mcp_url=chosen.mcp_url,
            profile=chosen,
            timeout=timeout,
            on_wait=on_wait,
            rate_window=cache_folder(),
        )
    from workbench.client.transport import InProcessSync

    service = _open(chosen, progress)
    try:
        return Client(
            EMBEDDED_BASE_URL,
            service.session_key("workbench"),
            profile=chosen,
            timeout=timeout,
            on_wait=on_wait,
            transport=InProcessSync(service.app),
            rate_window=False,
            then=service.close,
        )
    except BaseException:
        service.close()
        raise


class Connecting:
    """What :func:`aconnect` gives: ``async with`` it, or await it and close the client yourself."""

    def __init__(self, open_client: Callable[[], Any]) -> None:
        self._open = open_client
        self._client: AsyncClient | None = None

    def __await__(self) -> Generator[Any, Any, AsyncClient]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncClient:
        self._client = client = await self
        return client

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.aclose()


def aconnect(
    profile: str | None = None,
    *,
    base_url: str | None = None,
    mcp_url: str | None = None,
    api_key: SecretStr | str | None = None,
    data: Path | str | None = None,
    timeout: float | Timeouts | None = None,
    on_wait: OnWait | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Connecting:
    """As :func:`connect`, asynchronous: ``async with aconnect() as client``, or ``client = await aconnect()``.

    Looking for the key and opening the embedded service happen in a thread; the event loop is not blocked. ``progress`` is
    called in that thread.
    """

    api_key = as_secret(api_key)

    async def open_client() -> AsyncClient:
        from workbench.client import AsyncClient
        from workbench.client.effects import in_thread

        chosen = await in_thread(lambda: _resolve(profile, base_url, data, mcp_url))
        if chosen.kind == "hosted":
            key = await in_thread(lambda: _key(chosen, api_key))
            return AsyncClient(
                _address(chosen),
                key,
                mcp_url=chosen.mcp_url,
                profile=chosen,
                timeout=timeout,
                on_wait=on_wait,
                rate_window=cache_folder(),
            )
        from workbench.client.transport import InProcess

        service = await in_thread(lambda: _open(chosen, progress), undo=lambda opened: opened.close())
        try:
            return AsyncClient(
                EMBEDDED_BASE_URL,
                service.session_key("workbench"),
                profile=chosen,
                timeout=timeout,
                on_wait=on_wait,
                transport=InProcess(service.app),
                rate_window=False,
                then=service.close,
            )
        except BaseException:
            service.close()
            raise

    return Connecting(open_client)


def _resolve(name: str | None, base_url: str | None, data: Path | str | None, mcp_url: str | None = None) -> Profile:
    if base_url is not None:
        if name is not None or data is not None:
            raise InvalidArgument("base_url", "goes without a profile and without a data folder")
        return Profile(GIVEN, "hosted", base_url=base_url, mcp_url=mcp_url)
    if mcp_url is not None:
        raise InvalidArgument("mcp_url", "goes with base_url; the tool server of a profile is named in the profile")
    if data is not None:
        profile = load_profiles().get(name) if name is not None else builtin(LOCAL)
        if profile is None or profile.kind != "embedded":
            raise InvalidArgument("data", f"goes with an embedded profile such as 'local', and {name!r} is a hosted one")
        return replace(profile, data=Path(data).expanduser())
    if name is not None:
        return builtin(name) or load_profiles().get(name)
    return load_profiles().current


def _address(profile: Profile) -> str:
    if profile.base_url is None:
        raise InvalidArgument("base_url", f"is missing in profile {profile.name!r}")
    return profile.base_url


def _key(profile: Profile, given: SecretStr | str | None) -> SecretStr:
    from workbench.keys import find_key

    return find_key(profile, given).key


def _open(profile: Profile, progress: Callable[[Any], None] | None) -> Service:
    from workbench.service.service import Service
    from workbench.service.store.failures import StoreError

    if profile.data is None:
        raise InvalidArgument("data", f"is missing in profile {profile.name!r}")
    try:
        return Service.open(profile.data, sample=profile.sample, progress=progress)
    except StoreError as trouble:
        raise DataUnusable(str(trouble)) from None


class _CallableModule(ModuleType):
    # Importing this module makes "workbench.connect" the module; people write workbench.connect(), so it does what they mean.
    __call__ = staticmethod(connect)


sys.modules[__name__].__class__ = _CallableModule
