"""What a person sees of an import: progress while it runs, a report at the end, and a clean stop on Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.failures import ExitCode
from workbench.cli.output import clean, in_wire_spelling, put, put_json, say
from workbench.cli.progress import filling_progress, import_progress

if TYPE_CHECKING:
    from workbench.cli.local import ImportReport

COUNTS: Final = ("read", "new", "updated", "unchanged", "withdrawn", "refused")
REFUSALS_SHOWN: Final = 50


def run_import(folder: Path, paths: Sequence[Path], *, json_: bool) -> int:
    """Import, show how it goes, print the report, and give the exit code: 1 where a file could not be read at all."""
    from workbench.cli.local import import_files

    with _stop_on_interrupt() as cancelled, import_progress() as progress:
        report = import_files(folder, paths, progress=progress, cancelled=cancelled)
    if json_:
        put_json(report_as_record(report))
    else:
        _print_report(report)
    if report.interrupted:
        say("Stopped. What was loaded stays. Repeat the command to go on: what is there already is not loaded twice.")
        return ExitCode.INTERRUPTED
    return ExitCode.REFUSED if unreadable_files(report) else ExitCode.OK


def unreadable_files(report: ImportReport) -> list[str]:
    """The files that could not be read at all: refused as a whole, not one entry or one member of them."""
    whole = [refused.origin for refused in report.refusals]
    return [origin.file for origin in whole if origin.position is None and origin.member is None]


def report_as_record(report: ImportReport) -> dict[str, Any]:
    """The report as one JSON object, with every refusal."""
    files = [in_wire_spelling({"read": file.read} | asdict(file)) for file in report.files]
    refusals = [
        {
            "file": refused.origin.file,
            "member": refused.origin.member,
            "entry": refused.origin.position,
            "sourceId": refused.source_id,
            "reason": refused.reason,
        }
        for refused in report.refusals
    ]
    totals = {name: sum(file[name] for file in files) for name in COUNTS}
    outcome = {"seconds": round(report.seconds, 3), "interrupted": report.interrupted}
    return {"files": files, "totals": totals, "refusals": refusals, **outcome}


def _print_report(report: ImportReport) -> None:
    from workbench.cli.tables import print_counts

    record = report_as_record(report)
    rows = [(Path(file["file"]).name, [file[name] for name in COUNTS]) for file in record["files"]]
    total = [record["totals"][name] for name in COUNTS]
    print_counts(("File", *(name.capitalize() for name in COUNTS)), rows, total if len(rows) > 1 else None)
    seconds = max(report.seconds, 0.001)
    put(f"{total[0]:,} entries and tombstones read in {seconds:,.1f} s ({total[0] / seconds:,.0f} a second).")
    if report.refusals:
        put(f"{len(report.refusals):,} refused:")
        for refused in report.refusals[:REFUSALS_SHOWN]:
            put(f"  {clean(refused.origin)}: {clean(refused.reason)}")
        if len(report.refusals) > REFUSALS_SHOWN:
            put(f"  and {len(report.refusals) - REFUSALS_SHOWN:,} more; --json lists all.")


@contextmanager
def _stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Gives a test for "Ctrl-C was pressed". The first press asks for a clean stop, the second one stops at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def ask(_number: int, _frame: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)
        say("Stopping after the entries at hand; press Ctrl-C again to stop at once.")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def run_sample(folder: Path, *, json_: bool) -> None:
    """Fill ``folder`` with the sample workspace and say what it holds."""
    from workbench.cli.local import fill_sample

    with filling_progress() as progress:
        report = fill_sample(folder, progress=progress)
    if json_:
        put_json(in_wire_spelling({"folder": folder, **asdict(report)}))
    else:
        put(clean(report))
        put(f"Look at it with `workbench {_way_to(folder)}`.")


def _way_to(folder: Path) -> str:
    from workbench.profiles import SAMPLE, builtin

    own = builtin(SAMPLE)
    return f"--profile {SAMPLE}" if own and own.data == folder else f"--data {clean(folder)}"
