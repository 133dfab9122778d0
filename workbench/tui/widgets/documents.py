"""The documents of a tender as a list, each with its download's progress and where it was saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from workbench.tui.amounts import file_size
from workbench.tui.moments import day
from workbench.tui.text import cut, plain

if TYPE_CHECKING:
    from workbench.contract.tenders import TenderSheet

_KINDS = {"application/pdf": "PDF", "application/zip": "ZIP", "text/csv": "CSV", "text/html": "HTML", "application/xml": "XML"}
_BAR = 12


@dataclass(frozen=True, slots=True)
class Download:
    """How far a document's download is: bytes done, of how many if known, where it ended, or why not."""

    done: int = 0
    total: int | None = None
    saved: Path | None = None
    trouble: str = ""

    @property
    def under_way(self) -> bool:
        """Whether bytes are still expected."""
        return self.saved is None and not self.trouble


class DocumentList(OptionList):
    """Documents one below the other. ``show`` takes them in; ``Chosen`` says which one was entered."""

    class Chosen(Message):
        """Enter or a click on a document."""

        def __init__(self, sheet: TenderSheet) -> None:
            super().__init__()
            self.sheet = sheet

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._sheets: Sequence[TenderSheet] = ()
        self._downloads: dict[str, Download] = {}
        self._now: datetime | None = None

    @property
    def sheet(self) -> TenderSheet | None:
        """The document under the cursor."""
        at = self.highlighted
        return self._sheets[at] if at is not None and at < len(self._sheets) else None

    def show(self, sheets: Sequence[TenderSheet], downloads: Mapping[str, Download], now: datetime) -> None:
        """Show these documents."""
        self._sheets, self._downloads, self._now = tuple(sheets), dict(downloads), now
        self.clear_options()
        self.add_options([Option(self._line(sheet)) for sheet in self._sheets])
        self.highlighted = 0 if self._sheets else None

    def advance(self, sheet_id: str, download: Download | None) -> None:
        """Show how far one download is; ``None`` forgets it."""
        if download is None:
            self._downloads.pop(sheet_id, None)
        else:
            self._downloads[sheet_id] = download
        for at, sheet in enumerate(self._sheets):
            if sheet.id == sheet_id:
                self.replace_option_prompt_at_index(at, self._line(sheet))

    def _line(self, sheet: TenderSheet) -> Content:
        media = plain(sheet.mime_type, 60)
        kind = _KINDS.get(media) or plain(sheet.type, 30) or media or "file"
        facts = [kind, file_size(sheet.size), day(sheet.published_at, self._now) if self._now else "", plain(sheet.language, 8)]
        name = Content.styled(plain(sheet.name, 300) or "(no name)", "bold")
        line = Content.assemble(name, ("\n  " + " · ".join(fact for fact in facts if fact), "$soft"))
        download = self._downloads.get(sheet.id or "")
        return line if download is None else Content.assemble(line, "\n  ", progress(download))

    @on(OptionList.OptionSelected)
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.sheet is not None:
            self.post_message(self.Chosen(self.sheet))


def progress(download: Download) -> Content:
    """A bar with what is done, the place it was saved to, or what went wrong."""
    if download.saved is not None:
        return Content.assemble(("✓ saved  ", "$success"), (plain(download.saved), "$soft"))
    if download.trouble:
        return Content.assemble(("▲ ", "$error"), (plain(download.trouble, 300), "$error"))
    if download.total:
        share = min(download.done / download.total, 1.0)
        filled = round(share * _BAR)
        return Content.assemble(
            ("━" * filled, "$primary"),
            ("━" * (_BAR - filled), "$rule"),
            f" {share:.0%}  ",
            (cut(file_size(download.done), 12), "$soft"),
        )
    return Content.assemble(("━" * _BAR, "$rule"), f"  {file_size(download.done)}")


def ended(download: Download, saved: Path | None = None, trouble: str = "") -> Download:
    """The same download, ended."""
    return replace(download, saved=saved, trouble=trouble)
