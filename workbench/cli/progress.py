"""How far something is: a bar on a terminal, now and then a line for a log, all of it on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.output import clean, console, say

if TYPE_CHECKING:
    from rich.progress import Progress

    from workbench.cli.local import ImportProgress
    from workbench.client.options import Waiting

LINE_SECONDS: Final = 5.0
"""How often work that nobody watches writes a line about how far it is."""

NAME_WIDTH: Final = 32
PAUSES: Final = {
    "rate limit": "the service's limit of requests a minute",
    "retry": "before trying again",
    "not ready": "what was asked for is not ready yet",
}


def announce_pause(pause: Waiting) -> None:
    """Say that a request waits, where the wait is long enough to be noticed."""
    if pause.seconds >= 1:
        say(f"Waiting {pause.seconds:.0f} s ({PAUSES[pause.reason]}); Ctrl-C gives up.")


@contextmanager
def import_progress() -> Iterator[Callable[[ImportProgress], None]]:
    """Where an import tells how far it is: file, share, entries a second and time left."""
    if not console(stderr=True).is_terminal:
        yield _import_lines()
        return
    with _bar("{task.fields[rate]}") as bar:
        task = bar.add_task("", total=None, rate="")

        def update(now: ImportProgress) -> None:
            name = clean(now.file.name)[-NAME_WIDTH:]
            bar.update(task, completed=now.bytes_done, total=now.bytes_total, description=name, rate=_rate(now))

        yield update


def _import_lines() -> Callable[[ImportProgress], None]:
    shown_file, shown_at = None, 0.0

    def update(now: ImportProgress) -> None:
        nonlocal shown_file, shown_at
        if now.file == shown_file and time.monotonic() - shown_at < LINE_SECONDS:
            return
        shown_file, shown_at = now.file, time.monotonic()
        share = f"{100 * now.bytes_done / now.bytes_total:.0f} % of all, " if now.bytes_total else ""
        say(f"{now.file.name}: {share}{_rate(now)}")

    return update


def _rate(now: ImportProgress) -> str:
    return f"{now.items:,} entries, {now.items / max(now.seconds, 0.001):,.0f} a second"


@contextmanager
def filling_progress() -> Iterator[Callable[[Any], None]]:
    """Where the sample workspace tells how far it is made; nothing appears unless it has to be made."""
    if not console(stderr=True).is_terminal:
        told = False

        def tell_once(_: Any) -> None:
            nonlocal told
            if not told:
                told = True
                say("Making the sample workspace, once; everything in it is invented.")

        yield tell_once
        return
    bar = _bar("")

    def update(now: Any) -> None:
        if not bar.task_ids:
            bar.start()
        task = bar.task_ids[0] if bar.task_ids else bar.add_task("Making the sample workspace", total=now.total)
        bar.update(task, completed=now.done, total=now.total)

    try:
        yield update
    finally:
        bar.stop()


@contextmanager
def download_progress(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Where one download tells how many bytes it has, of how many."""
    if not console(stderr=True).is_terminal:
        yield lambda _done, _total: None
        return
    with _bar("{task.fields[rate]}") as bar:
        task = bar.add_task(clean(name)[:NAME_WIDTH], total=None, rate="")
        yield lambda done, total: bar.update(task, completed=done, total=total, rate=f"{done / 1000:,.0f} KB")


def _bar(last_column: str) -> Progress:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(last_column, markup=False),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    )
