"""Importing open data: which files, how far it is, and what came of it, refusals included."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Input, Static

from workbench.tui.amounts import file_size
from workbench.tui.moments import duration
from workbench.tui.startup import complete_path, paths_of
from workbench.tui.text import content, cut, fit, plain

if TYPE_CHECKING:
    from workbench.feeds.notice import Refused
    from workbench.local import FileReport, ImportProgress, ImportReport

_BAR = 40
_REFUSALS_SHOWN = 200


def progress_words(progress: ImportProgress) -> Content:
    """A bar, bytes, items, rate and time left."""
    total, done, seconds = progress.bytes_total, progress.bytes_done, progress.seconds
    share = min(done / total, 1.0) if total else 0.0
    filled = round(share * _BAR)
    left = f"{duration(seconds / share * (1 - share))} left" if share > 0.02 and seconds > 0.5 else ""
    rate = f"{progress.items / seconds:,.0f} a second" if seconds > 0.2 else ""
    facts = (f"{progress.items:,} entries", rate, f"{file_size(done)} of {file_size(total)}", left)
    return Content.assemble(
        ("━" * filled, "$primary"), ("━" * (_BAR - filled), "$rule"), (f" {share:.0%}\n", "bold"),
        (" · ".join(fact for fact in facts if fact), "$soft"), f"\n{cut(plain(progress.file.name), 64)}",
    )  # fmt: skip


def report_words(report: ImportReport) -> Content:
    """What was read, new, updated, unchanged, withdrawn and refused, by file, and each refusal with its place and reason."""
    rate = f"  {report.read / report.seconds:,.0f} a second" if report.seconds > 0 else ""
    counts = {name: getattr(report, name) for name in ("new", "updated", "unchanged", "withdrawn", "refused")}
    lines = [
        Content.styled("Stopped; what was loaded stays, and importing the same files again goes on.", "bold $warning")
        if report.interrupted
        else Content.styled("Done.", "bold $success"),
        Content.styled(f"{report.read:,} read in {duration(report.seconds)}{rate}", "$soft"),
        Content("   ").join([_count(words, number) for words, number in counts.items()]),
        Content(""),
        *(_file_line(file) for file in report.files),
    ]
    if report.refusals:
        shown = report.refusals[:_REFUSALS_SHOWN]
        lines += [Content(""), Content.styled("Refused", "bold $error"), *(_refusal_line(refused) for refused in shown)]
        if len(report.refusals) > len(shown):
            lines.append(
                content(f"and {len(report.refusals) - len(shown):,} more: 'workbench local import' prints all", "$soft")
            )
    return Content("\n").join(lines)


def _count(words: str, number: int) -> Content:
    return Content.assemble((f"{number:,}", "bold $error" if words == "refused" and number else "bold"), f" {words}")


def _file_line(file: FileReport) -> Content:
    counts = f"{file.entries:>9,} entries {file.tombstones:>7,} tombstones {file.refused:>5,} refused"
    return Content.assemble(fit(plain(file.file.name), 46), (counts, "$soft"))


def _refusal_line(refused: Refused) -> Content:
    return Content.assemble((f"{plain(str(refused.origin), 200)}  ", "$soft"), plain(refused.reason, 400))


class _Paths(Suggester):
    """Completes the path that is being typed."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """The text completed, looked up in a thread."""
        return await asyncio.to_thread(complete_path, value) if value.strip() else None


class ImportDialog(ModalScreen[bool]):
    """Ends with ``True`` when something was imported. Escape stops an import under way, else closes."""

    BINDINGS: ClassVar = [Binding("escape", "leave", show=False)]

    def __init__(self, profile: str | None, data: Path | None) -> None:
        """``profile`` and ``data`` name the embedded service's folder, as :func:`workbench.connect.connect` takes them."""
        super().__init__()
        self._profile, self._data = profile, data
        self._stop = threading.Event()
        self._under_way = False
        self._loaded = False

    def compose(self) -> ComposeResult:
        """The path, then progress, then the report."""
        with Vertical(classes="box wide-auto"):
            yield Static(Content.styled("Files or folders (.atom, .xml, .zip); several parted by spaces, * works", "$soft"))
            yield Input(placeholder="~/Downloads/licitaciones.zip", suggester=_Paths(), id="paths")
            yield Static(id="progress")
            with VerticalScroll(id="report"):
                yield Static(id="report-words")
            yield Static(id="hint", classes="hint")

    def on_mount(self) -> None:
        """Ask for the path."""
        self.query_one(".box").border_title = "Import open data"
        self.query_one("#report").display = False
        self._hint("⏎ import   → complete   esc back")

    def _hint(self, words: str) -> None:
        self.query_one("#hint", Static).update(Content.styled(words, "$faint"))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip() and not self._under_way:
            self._run(event.value)

    @work(exit_on_error=False)
    async def _run(self, text: str) -> None:
        from workbench import local
        from workbench.client.errors import WorkbenchError

        self._under_way = True
        self._stop.clear()
        words, loop = self.query_one("#progress", Static), asyncio.get_running_loop()
        words.update(Content.styled("Looking at the files…", "$soft"))
        self._hint("esc stops; what is loaded stays")

        def progress(step: Any) -> None:
            loop.call_soon_threadsafe(words.update, progress_words(step))

        def load() -> ImportReport:
            return local.import_files(
                self._profile, paths_of(text), data=self._data, progress=progress, cancelled=self._stop.is_set
            )

        try:
            report = await asyncio.to_thread(load)
        except WorkbenchError as error:
            words.update(Content.assemble(("▲ ", "$error"), content(error, "$error")))
            self._hint("⏎ try again   esc back")
        else:
            self._loaded = True
            words.update("")
            self.query_one("#report-words", Static).update(report_words(report))
            self.query_one("#report").display = True
            self.query_one("#report").focus()
            self._hint("esc close and search it   ↑ ↓ scroll")
        finally:
            self._under_way = False

    def action_leave(self) -> None:
        """Stop what is under way, else close."""
        if self._under_way:
            self._stop.set()
            self._hint("stopping after this batch…")
        else:
            self.dismiss(self._loaded)

    def on_unmount(self) -> None:
        """An import does not outlive its dialog."""
        self._stop.set()
