"""How a list of tenders leaves the command: a table for people, JSON for programs, a file for other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from workbench.cli.failures import WrongUse
from workbench.cli.output import as_json, put_json_array, put_json_lines, refuse_early, say, whole_file

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender


class Format(StrEnum):
    """How tenders are written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"


FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format", metavar="FORMAT", help=f"One of {', '.join(Format)}; by default as the file's name says, or a table."
    ),
]
FILES_ONLY: Final = (Format.XLSX, Format.PARQUET)
SUFFIXES: Final = {f".{value}": Format(value) for value in ("json", "jsonl", "csv", "xlsx", "parquet")}


def chosen_format(named: Format | None, output: Path | None, *, json_: bool) -> Format:
    """``--format``, else ``--json``, else what the file's name says, else a table.

    Raises :class:`WrongUse` where they contradict each other, or where a file's name says nothing.
    """
    if json_ and named not in (None, Format.JSON):
        raise WrongUse(f"--json and --format {named.value} exclude each other; choose one.")
    if named or json_:
        return named or Format.JSON
    if output is None:
        return Format.TABLE
    if output.is_dir():
        raise WrongUse(f"{output} is a folder; name a file in it.")
    if output.suffix.lower() not in SUFFIXES:
        raise WrongUse(f"{output.name} does not say a format; end it in {', '.join(SUFFIXES)}, or add --format.")
    return SUFFIXES[output.suffix.lower()]


@dataclass(frozen=True)
class Writing:
    """Where tenders go, and in which form. ``with_tax_ids`` leaves the tax ids of natural persons unmasked."""

    format: Format
    output: Path | None
    overwrite: bool = False
    with_tax_ids: bool = False

    def check(self) -> None:
        """Raises :class:`WrongUse` for what can be known before the service is asked."""
        if self.output is None and self.format in FILES_ONLY:
            raise WrongUse(f"{self.format.value} goes to a file: add -o FILE.{self.format.value}.")
        if self.output is not None:
            if self.format is Format.TABLE:
                raise WrongUse("A table goes to the screen; for a file choose json, jsonl, csv, xlsx or parquet with --format.")
            refuse_early(self.output, overwrite=self.overwrite)

    def write(self, tenders: Iterable[Tender], *, more: Callable[[], str]) -> None:
        """Write them all as they come; then, where the service has more, tell the person how to get it."""
        if self.output is not None:
            with whole_file(self.output, overwrite=self.overwrite) as partial:
                count = self._to_file(tenders, partial)
            say(f"{count:,} tenders in {self.output}.")
        else:
            self._to_screen(tenders)
        if hint := more():
            say(hint)

    def _to_screen(self, tenders: Iterable[Tender]) -> None:
        if self.format is Format.JSON:
            put_json_array(tender.to_wire() for tender in tenders)
        elif self.format is Format.JSONL:
            put_json_lines(tender.to_wire() for tender in tenders)
        elif self.format is Format.CSV:
            from workbench.cli.export import csv_to_screen

            csv_to_screen(tenders, with_tax_ids=self.with_tax_ids)
        else:
            from workbench.cli.tables import print_tenders

            print_tenders(tenders)

    def _to_file(self, tenders: Iterable[Tender], path: Path) -> int:
        if self.format in {Format.JSON, Format.JSONL}:
            return _json_file(tenders, path, lines=self.format is Format.JSONL)
        from workbench.cli import export

        writers = {Format.CSV: export.write_csv, Format.XLSX: export.write_xlsx, Format.PARQUET: export.write_parquet}
        return writers[self.format](tenders, path, with_tax_ids=self.with_tax_ids)


def _json_file(tenders: Iterable[Tender], path: Path, *, lines: bool) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as stream:
        for count, record in enumerate(_wires(tenders), start=1):
            if not lines:
                stream.write("[\n" if count == 1 else ",\n")
            stream.write(as_json(record, indent=None if lines else 2) + ("\n" if lines else ""))
        if not lines:
            stream.write("\n]\n" if count else "[]\n")
    return count


def _wires(tenders: Iterable[Tender]) -> Iterator[dict[str, Any]]:
    return (tender.to_wire() for tender in tenders)
