"""The terminal UI on a stage: started without a terminal, driven by keys and clicks, waited for until it is idle."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.worker import WorkerError
from tui_fake import FakeSession, clock

from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.search import SearchScreen
from workbench.tui.screens.tender import TenderScreen
from workbench.tui.session import Session, Start

SIZE = (120, 40)


class Stage:
    """A running app and what a test does with it."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def session(self) -> FakeSession:
        """The fake session that is open."""
        assert isinstance(self.app.session, FakeSession)
        return self.app.session

    @property
    def search(self) -> SearchScreen:
        """The search screen."""
        return self.app.search_screen

    @property
    def tender(self) -> TenderScreen:
        """The tender screen, which must be in front."""
        screen = self.app.screen
        assert isinstance(screen, TenderScreen)
        return screen

    async def press(self, *keys: str) -> None:
        """Press keys and wait until nothing is under way."""
        for key in keys:
            await self.pilot.press(key)
        await self.idle()

    async def type(self, text: str) -> None:
        """Type text into what has the focus and wait for its search."""
        await self.pilot.press(*({" ": "space", "-": "minus", '"': "quotation_mark"}.get(each, each) for each in text))
        await self.idle()

    async def idle(self) -> None:
        """Wait until no worker runs and every message is handled. A dialog that is awaited counts as idle."""
        for _ in range(50):
            await self.pilot.pause()
            waits_for_person = isinstance(self.app.screen, ModalScreen)
            running = [
                worker
                for worker in self.app.workers
                if not worker.is_finished and (worker.group in ("organization", "suggest") or not waits_for_person)
            ]
            if not running:
                break
            for worker in running:
                with suppress(WorkerError):
                    await worker.wait()
        await self.pilot.pause()

    async def until(self, holds: Callable[[], object]) -> None:
        """Let the app work until something holds, at most five seconds."""
        async with asyncio.timeout(5):
            while not holds():
                await self.pilot.pause(0.01)

    def words(self) -> str:
        """All text on the screen, line by line."""
        svg = self.app.export_screenshot()
        lines: dict[float, list[str]] = {}
        for found in re.finditer(r'<text class="[^"]*-r\d+" x="[^"]*" y="([^"]*)"[^>]*>([^<]*)</text>', svg):
            lines.setdefault(float(found[1]), []).append(html.unescape(found[2]).replace("\xa0", " "))
        return "\n".join("".join(parts) for _, parts in sorted(lines.items()))

    @property
    def told(self) -> list[str]:
        """The sentences of all toasts so far."""
        return [notification.message for notification in self.app._notifications]


@asynccontextmanager
async def stage(
    session: FakeSession | None = None, size: tuple[int, int] = SIZE, start: Start | None = None, **options: Any
) -> AsyncGenerator[Stage]:
    """A running app over a fake session, waited for until its first results are there."""
    fake = session or FakeSession()

    def make(given: Start) -> Session:
        fake.start = given
        return fake

    app = WorkbenchApp(start or Start("sample"), clock=clock, make_session=make, download_folder=Path("unused"), **options)
    async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
        acting = Stage(app, pilot)
        await acting.idle()
        yield acting
