"""Tenders as CSV, XLSX and Parquet: numbers stay numbers, moments are UTC, and no cell is ever a formula."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.columns import Column, Kind, Value, cells, tender_columns
from workbench.cli.failures import Failure
from workbench.cli.moments import utc_text
from workbench.cli.output import clean_block, put_bytes

if TYPE_CHECKING:
    from workbench.contract.tenders import Tender

XLSX_ROWS: Final = 1_048_575
XLSX_TEXT: Final = 32_767
PARQUET_ROWS: Final = 2_000
_FORMULA: Final = re.compile(r"^\s*[=+\-@]|^[\t\r]")


def safe_text(text: str) -> str:
    """Text from outside for a cell of a CSV file: no control character, and behind ``'`` what a spreadsheet would compute."""
    shown = clean_block(text)
    return f"'{shown}" if _FORMULA.search(text) or _FORMULA.search(shown) else shown


def write_csv(tenders: Iterable[Tender], path: Path, *, with_tax_ids: bool = False) -> int:
    """Write ``path`` in UTF-8 with a byte order mark, as spreadsheets expect it, and give the number of tenders."""
    lines = 0
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        for line in _csv_lines(tenders, with_tax_ids=with_tax_ids):
            stream.write(line)
            lines += 1
    return lines - 1


def csv_to_screen(tenders: Iterable[Tender], *, with_tax_ids: bool = False) -> None:
    """Print the same lines to standard output, each as soon as it comes."""
    for line in _csv_lines(tenders, with_tax_ids=with_tax_ids):
        put_bytes(line.encode("utf-8", "backslashreplace"))


def _csv_lines(tenders: Iterable[Tender], *, with_tax_ids: bool) -> Iterator[str]:
    columns = tender_columns(with_tax_ids=with_tax_ids)
    yield _csv_line([column.name for column in columns])
    for tender in tenders:
        yield _csv_line([_csv_cell(value) for value in cells(columns, tender)])


def _csv_line(values: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(values)
    return line.getvalue()


def _csv_cell(value: Value) -> str | float | int | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return safe_text(value) if isinstance(value, str) else value


def write_xlsx(tenders: Iterable[Tender], path: Path, *, with_tax_ids: bool = False) -> int:
    """Write a workbook with one sheet, a frozen header and a filter, and give the number of tenders.

    Moments are spreadsheet dates in UTC, shown as ISO 8601. Raises :class:`Failure` past 1,048,575
    tenders: a sheet holds no more.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    columns = tender_columns(with_tax_ids=with_tax_ids)
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    try:
        # Leaving the block closes the temporary files in every case; after a failure the half workbook is thrown away.
        with xlsxwriter.Workbook(path, options) as book:
            book.use_zip64()
            return _fill_workbook(book, columns, tenders)
    except FileCreateError as trouble:
        reason = trouble.args[0]
        raise reason if isinstance(reason, OSError) else trouble from None


def _fill_workbook(book: Any, columns: tuple[Column, ...], tenders: Iterable[Tender]) -> int:
    sheet = book.add_worksheet("Tenders")
    formats = {
        Kind.AMOUNT: book.add_format({"num_format": "#,##0.00"}),
        Kind.MOMENT: book.add_format({"num_format": 'yyyy-mm-dd"T"hh:mm:ss"Z"'}),
    }
    for at, column in enumerate(columns):
        sheet.set_column(at, at, column.width, formats.get(column.kind))
    sheet.freeze_panes(1, 0)
    sheet.write_row(0, 0, [column.name for column in columns], book.add_format({"bold": True}))
    count = 0
    for count, tender in enumerate(tenders, start=1):
        if count > XLSX_ROWS:
            raise Failure(
                f"A sheet holds {XLSX_ROWS:,} tenders and there are more; choose csv or parquet, or narrow the search."
            )
        _xlsx_row(sheet, count, columns, cells(columns, tender), formats)
    sheet.autofilter(0, 0, max(count, 1), len(columns) - 1)
    return count


def _xlsx_row(sheet: Any, row: int, columns: tuple[Column, ...], values: list[Value], formats: dict[Kind, Any]) -> None:
    for at, (column, value) in enumerate(zip(columns, values, strict=True)):
        form = formats.get(column.kind)
        if value is None:
            continue
        if isinstance(value, bool):
            sheet.write_boolean(row, at, value)
        elif isinstance(value, datetime) and value.year >= 1900:
            sheet.write_datetime(row, at, value.replace(tzinfo=None), form)
        elif isinstance(value, float | int) and math.isfinite(value):
            sheet.write_number(row, at, value, form)
        else:
            sheet.write_string(row, at, _xlsx_text(utc_text(value) if isinstance(value, datetime) else str(value)))


def _xlsx_text(text: str) -> str:
    # A string cell is never computed, whatever it starts with; it is only limited in length.
    shown = clean_block(text)
    mark = " […]"
    return shown if len(shown) <= XLSX_TEXT else shown[: XLSX_TEXT - len(mark)] + mark


def write_parquet(tenders: Iterable[Tender], path: Path, *, with_tax_ids: bool = False) -> int:
    """Write typed columns (text, double, 64-bit integer, boolean, microseconds in UTC) and give the number of tenders."""
    import pyarrow as arrow
    from pyarrow import parquet

    kinds = {
        Kind.TEXT: arrow.string(),
        Kind.AMOUNT: arrow.float64(),
        Kind.COUNT: arrow.int64(),
        Kind.FLAG: arrow.bool_(),
        Kind.MOMENT: arrow.timestamp("us", tz="UTC"),
    }
    columns = tender_columns(with_tax_ids=with_tax_ids)
    schema = arrow.schema([(column.name, kinds[column.kind]) for column in columns])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _batches(tenders):
            rows = [[_utf8(value) for value in cells(columns, tender)] for tender in batch]
            arrays = [arrow.array(values, field.type) for values, field in zip(zip(*rows, strict=True), schema, strict=True)]
            writer.write_batch(arrow.record_batch(arrays, schema=schema))
            count += len(batch)
    return count


def _batches(tenders: Iterable[Tender]) -> Iterator[list[Tender]]:
    tenders = iter(tenders)
    while batch := list(islice(tenders, PARQUET_ROWS)):
        yield batch


def _utf8(value: Value) -> Value:
    # A lone surrogate is legal in JSON and not in Parquet.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
