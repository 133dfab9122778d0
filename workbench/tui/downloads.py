"""Downloads of documents: one after the other, with progress, cancellable, told to whichever screen is in front."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.message import Message

from workbench.tui.trouble import Trouble
from workbench.tui.widgets.documents import Download, ended

if TYPE_CHECKING:
    from workbench.contract.tenders import TenderSheet
    from workbench.tui.session import Session

_TOLD_EVERY: Final = 0.08
"""Seconds between two messages of one download: more would only keep the screen busy."""


class DownloadMoved(Message):
    """A download went on, ended, or was given up (``download`` is ``None``)."""

    def __init__(self, sheet_id: str, download: Download | None) -> None:
        super().__init__()
        self.sheet_id, self.download = sheet_id, download

    def can_replace(self, message: Message) -> bool:
        """Only the latest state of one document counts."""
        return isinstance(message, DownloadMoved) and message.sheet_id == self.sheet_id


class Downloads:
    """The state of every download of this run, by document. ``tell`` gets each change, ``done`` each end as a sentence."""

    def __init__(
        self, folder: Callable[[], Path], tell: Callable[[DownloadMoved], object], done: Callable[[Download, str], None]
    ) -> None:
        self.states: dict[str, Download] = {}
        self._folder, self._tell, self._done = folder, tell, done
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._one_at_a_time = asyncio.Lock()

    @property
    def under_way(self) -> bool:
        """Whether any is under way or waits for its turn."""
        return bool(self._tasks)

    def start(self, session: Session, sheet: TenderSheet) -> bool:
        """Download a document; ``False`` where it is under way already or carries no id."""
        sheet_id = sheet.id
        if not sheet_id or sheet_id in self._tasks:
            return False
        self._move(sheet_id, Download(total=sheet.size))
        task = asyncio.create_task(self._run(session, sheet_id, sheet.size))
        self._tasks[sheet_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(sheet_id, None))
        return True

    def cancel(self) -> None:
        """Stop every download; the client leaves nothing half-written."""
        for task in list(self._tasks.values()):
            task.cancel()

    async def stopped(self) -> None:
        """Cancel and wait until all have stopped."""
        tasks = list(self._tasks.values())
        self.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _move(self, sheet_id: str, download: Download | None) -> None:
        if download is None:
            self.states.pop(sheet_id, None)
        else:
            self.states[sheet_id] = download
        self._tell(DownloadMoved(sheet_id, download))

    async def _run(self, session: Session, sheet_id: str, size: int | None) -> None:
        last = 0.0

        def progress(done: int, total: int | None) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _TOLD_EVERY:
                last = now
                self._move(sheet_id, Download(done, total or size))

        try:
            async with self._one_at_a_time:
                saved = await session.download(sheet_id, self._folder(), progress)
        except asyncio.CancelledError:
            self._move(sheet_id, None)
            raise
        except Trouble as trouble:
            state = ended(self.states.get(sheet_id, Download()), trouble=trouble.sentence)
            self._finish(sheet_id, state, trouble.sentence)
        else:
            state = ended(self.states.get(sheet_id, Download()), saved=saved)
            self._finish(sheet_id, state, f"Saved {saved.name} in {saved.parent}.")

    def _finish(self, sheet_id: str, state: Download, sentence: str) -> None:
        self._tasks.pop(sheet_id, None)
        self._move(sheet_id, state)
        self._done(state, sentence)
