"""The one place of the terminal UI that holds a client. Screens ask here and get values, or a :class:`Trouble`.

Nothing heavy is imported before :meth:`Session.open` runs, and then in a thread: the first frame waits for nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from workbench.tui.results import Answer, Ask
from workbench.tui.trouble import Kind, Trouble

if TYPE_CHECKING:
    from workbench.client import AsyncClient
    from workbench.client.options import Waiting
    from workbench.contract.organizations import AwardStatistics, Organization
    from workbench.contract.tenders import Tender, TenderSheet

T = TypeVar("T")

PAGE_SIZE: Final = 60
"""Tenders a page: more than a tall terminal shows, few enough to be read and drawn at once."""


@dataclass(frozen=True, slots=True)
class Start:
    """Which workspace to open: a profile by name, its data folder if not the usual, or an address with a key."""

    profile: str | None = None
    data: Path | None = None
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks and where, as the header shows it. ``sample`` says that the data is invented."""

    profile: str
    embedded: bool
    service: str
    account: str = ""
    plan: str = ""
    sample: bool = False


class Session:
    """One workspace opened at a time. Every method may raise :class:`Trouble` and nothing else."""

    def __init__(self, start: Start) -> None:
        """Nothing is opened yet."""
        self.start = start
        self.caller: Caller | None = None
        self._client: AsyncClient | None = None
        self.on_progress: Callable[[str], object] = _say_nothing
        """Told in a thread, in words, how far the first filling of the sample workspace is."""
        self.on_wait: Callable[[str], object] = _say_nothing
        """Told in words when a request waits for the service's limit, or to be tried again."""

    async def open(self) -> Caller:
        """Open the workspace and say who asks. Opening the sample for the first time fills it, which takes some seconds."""
        self._client = await _guarded(self._connect())
        try:
            whoami = await _guarded(self._client.whoami())
        except Trouble:
            await self.close()
            raise
        profile = self._client.profile
        name = getattr(profile, "name", None) or self.start.profile or "service"
        embedded = getattr(profile, "kind", "hosted") == "embedded"
        sample = bool(getattr(profile, "sample", False))
        account, plan = whoami.account, whoami.plan
        self.caller = Caller(
            name,
            embedded,
            "embedded" if embedded else _host(str(self._client.base_url)),
            (account.name or account.slug or "") if account else "",
            (plan.tier or "") if plan else "",
            sample,
        )
        return self.caller

    async def _connect(self) -> AsyncClient:
        seam = await asyncio.to_thread(_load)
        start = self.start
        client: AsyncClient = await seam.aconnect(
            start.profile,
            base_url=start.base_url,
            api_key=start.key,
            data=start.data,
            progress=self._progress,
            on_wait=self._wait,
        )
        return client

    def _wait(self, pause: Waiting) -> None:
        why = "the service's limit of requests is reached" if pause.reason == "rate limit" else "the last attempt failed"
        if pause.seconds >= 1:
            self.on_wait(f"Waiting {pause.seconds:.0f} s: {why}. Escape gives the search up.")

    def _progress(self, step: Any) -> None:
        self.on_progress(f"Making the sample workspace: {step.done:,} of {step.total:,} ({step.label})")

    @property
    def client(self) -> AsyncClient:
        """The open client. Raises :class:`Trouble` where none is open."""
        if self._client is None:
            raise Trouble("No workspace is open.", Kind.LOCAL, "Press ctrl+o to open one.")
        return self._client

    async def search(self, ask: Ask, now: datetime) -> Answer:
        """One page of a search."""
        started = time.perf_counter()
        parameters = ask.query.parameters(now)
        page = await _guarded(self.client.tenders.search(**parameters, page=ask.page, page_size=PAGE_SIZE))
        total = page.total_count if page.total_count is not None else (page.pagination.total_count if page.pagination else None)
        return Answer(page.data, page.has_next_page, total, time.perf_counter() - started)

    async def tender(self, tender_id: str) -> Tender:
        """The full record."""
        return await _guarded(self.client.tenders.get(tender_id))

    async def sheets(self, tender_id: str) -> tuple[TenderSheet, ...]:
        """Every document sheet of a tender."""
        return tuple(await _guarded(self.client.tenders.sheets(tender_id)))

    async def download(self, sheet_id: str, folder: Path, progress: Callable[[int, int | None], None]) -> Path:
        """Save a document into a folder under a safe name; a file that is there already stays. Gives where it was saved."""
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        return await _guarded(self.client.tenders.download_sheet(sheet_id, to=folder, progress=progress))

    async def organization(self, reference: str) -> Organization:
        """An organization by id or slug."""
        return await _guarded(self.client.organizations.get(reference))

    async def awards(self, reference: str) -> AwardStatistics:
        """What an organization has awarded or won."""
        return await _guarded(self.client.organizations.awards(reference))

    async def close(self) -> None:
        """Close the client; failures while closing concern nobody any more."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Trouble):
                await _guarded(client.aclose())


def _say_nothing(_: str) -> None:
    """Nobody listens."""


def _load() -> Any:
    import importlib

    # Named as text so that a look at the imports of this file shows what the first frame needs, which is none of these.
    importlib.import_module("workbench.contract.tenders")
    return importlib.import_module("workbench.connect")


def _host(base_url: str) -> str:
    return base_url.partition("://")[2].partition("/")[0].rpartition("@")[2]


async def _guarded(call: Coroutine[Any, Any, T]) -> T:
    """The answer of a call; whatever it raises becomes a :class:`Trouble` with a sentence."""
    from workbench.client import errors

    try:
        return await call
    except errors.WorkbenchError as error:
        raise Trouble(str(error), _kind(error), "" if _remedied(error) else None) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        where = f" ({Path(str(error.filename)).name})" if error.filename else ""
        raise Trouble(f"This machine refused{where}: {reason}.", Kind.LOCAL) from error
    except Trouble:
        raise
    except Exception as error:
        raise Trouble(f"The workbench met something it does not know ({type(error).__name__}).", Kind.FAULT) from error


def _remedied(error: Exception) -> bool:
    return bool(str(error).rstrip(".")) and str(error).count(". ") > 0


def _kind(error: Exception) -> Kind:
    from workbench.client import errors

    kinds: tuple[tuple[type[Exception], Kind], ...] = (
        (errors.Unauthorized, Kind.UNAUTHORIZED),
        (errors.KeyNotFound, Kind.UNAUTHORIZED),
        (errors.Forbidden, Kind.FORBIDDEN),
        (errors.NotFound, Kind.NOT_FOUND),
        (errors.Invalid, Kind.INVALID),
        (errors.InvalidArgument, Kind.INVALID),
        (errors.RateLimited, Kind.RATE),
        (errors.ConnectionFailed, Kind.CONNECTION),
        (errors.TimedOut, Kind.CONNECTION),
    )
    return next((kind for family, kind in kinds if isinstance(error, family)), Kind.FAULT)
