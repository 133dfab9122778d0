"""An e-mail's tenders as a table: CSV and XLSX, every value a value and none a formula."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast

from workbench.contract.record import JsonObject
from workbench.service.delivery import wording
from workbench.service.delivery.digest import Digest, Entry

Cell = str | float | datetime | None

XLSX_TEXT_MAX: Final = 32_767
_FORMULA: Final = re.compile(r"^\s*[=+\-@]")
_DATE_FORMAT: Final = "yyyy-mm-dd hh:mm"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, the interface's own where it is a field of the tender, and its value."""

    name: str
    value: Callable[[Entry, Digest], Cell]
    width: int = 16


def _text(field: str) -> Callable[[Entry, Digest], Cell]:
    return lambda entry, _: wording.clean(entry.record.get(field) or "")


def _number(field: str) -> Callable[[Entry, Digest], Cell]:
    return lambda entry, _: entry.record.get(field)


def _moment(field: str) -> Callable[[Entry, Digest], Cell]:
    def value(entry: Entry, _: Digest) -> Cell:
        text = entry.record.get(field)
        return datetime.fromisoformat(text).astimezone(UTC) if text else None

    return value


def _changes(entry: Entry, digest: Digest) -> str:
    found = (wording.change(change, entry.record, digest.zone) for change in entry.changes)
    return "; ".join(f"{label}: {before} -> {after}" if before else f"{label}: {after}" for label, before, after in found)


def _codes(record: JsonObject) -> str:
    return "; ".join(wording.clean(code) for code in record.get("cpvCodes") or ())


COLUMNS: Final = (
    Column("reason", lambda entry, _: ", ".join(entry.reasons), 14),
    Column("id", _text("id"), 38),
    Column("expedient", _text("expedient"), 20),
    Column("name", lambda entry, _: wording.title(entry.record), 60),
    Column("contractingOrganization", lambda entry, _: wording.buyer(entry.record), 40),
    Column("status", _text("status"), 12),
    Column("contractType", _text("contractType"), 14),
    Column("procedure", _text("procedure"), 18),
    Column("cpvCodes", lambda entry, _: _codes(entry.record), 24),
    Column("location", lambda entry, _: wording.place(entry.record), 28),
    Column("budgetNoTaxes", _number("budgetNoTaxes"), 16),
    Column("awardAmount", _number("awardAmount"), 16),
    Column("currency", _text("currency"), 9),
    Column("successBidders", lambda entry, _: wording.suppliers(entry.record), 36),
    Column("expedientPublishedAt", _moment("expedientPublishedAt"), 17),
    Column("expedientSubmissionDeadline", _moment("expedientSubmissionDeadline"), 17),
    Column("expedientAdjudicationDate", _moment("expedientAdjudicationDate"), 17),
    Column("expedientExpirationDate", _moment("expedientExpirationDate"), 17),
    Column("changes", _changes, 50),
    Column("link", lambda entry, _: entry.link or "", 50),
)
"""The columns of both forms, in their order; moments are in UTC, amounts without taxes."""


def csv_bytes(digest: Digest) -> bytes:
    """The table as CSV in UTF-8 with a byte order mark, as spreadsheets expect it."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([column.name for column in COLUMNS])
    for entry in digest.entries:
        writer.writerow([_csv_cell(column.value(entry, digest)) for column in COLUMNS])
    return stream.getvalue().encode("utf-8-sig", "replace")


def _csv_cell(value: Cell) -> str | float | int | None:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, str):
        # A spreadsheet would compute what begins so.
        return f"'{value}" if _FORMULA.search(value) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def xlsx_bytes(digest: Digest) -> bytes:
    """The table as a workbook with one sheet, a frozen header and a filter; the same digest gives the same bytes."""
    import xlsxwriter  # type: ignore[import-untyped]  # it comes without types

    stream = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book: Any
    with cast("Any", xlsxwriter).Workbook(stream, options) as book:
        book.set_properties({"title": digest.title, "created": digest.created_at.replace(tzinfo=None)})
        sheet = book.add_worksheet("Tenders")
        header = book.add_format({"bold": True, "bottom": 1})
        formats = {float: book.add_format({"num_format": "#,##0.00"}), datetime: book.add_format({"num_format": _DATE_FORMAT})}
        for at, column in enumerate(COLUMNS):
            sheet.set_column(at, at, column.width)
            sheet.write_string(0, at, column.name, header)
        for row, entry in enumerate(digest.entries, start=1):
            for at, column in enumerate(COLUMNS):
                _write_cell(sheet, row, at, column.value(entry, digest), formats)
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(len(digest.entries), 1), len(COLUMNS) - 1)
    return stream.getvalue()


def _write_cell(sheet: Any, row: int, at: int, value: Cell, formats: dict[type, Any]) -> None:
    if isinstance(value, datetime) and value.year >= 1900:
        sheet.write_datetime(row, at, value.replace(tzinfo=None), formats[datetime])
    elif isinstance(value, float | int) and math.isfinite(value):
        sheet.write_number(row, at, value, formats[float])
    elif value:
        # A string cell is never computed, whatever it starts with; it is only limited in length.
        sheet.write_string(row, at, str(value)[:XLSX_TEXT_MAX])
