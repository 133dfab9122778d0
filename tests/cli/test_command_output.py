"""What leaves the command: safe on a terminal, without loss for programs, whole or absent as a file."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command_line import FakeClient, Run, no_controls, wire
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.cli.export import safe_text
from workbench.cli.output import as_json, clean, clean_block
from workbench.cli.tables import money
from workbench.reference.tax_ids import masked, masked_everywhere

SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "\x1b]0;title\x07\x1b[31mred\x9b2J",
    "right\u202eto left\u2066",
    "line\nbreak\rreturn\u2028separator",
    "[bold red]markup[/] [link=https://example.org]x[/link] :smile:",
    "null\x00 and \ud800 half a pair",
    "a" * 10_000,
    "x" * 40_000,
    "",
]
PERSON = {"name": "Somebody", "taxId": "12345678Z"}


def hostile_wires() -> list[dict[str, Any]]:
    odd = {"numLots": 10**30, "budgetNoTaxes": "a lot", "cpvCodes": {"not": "a list"}, "createdAt": "9999-12-31T23:59:59-12:00"}
    texts = [
        wire(text, id=text[:50], status=text, description=text, currency=text[:5], location=text, newField=text)
        for text in HOSTILE
    ]
    return [*texts, wire(**odd), {}, {"name": None, "contractingOrganization": PERSON, "successBidders": [PERSON]}]


@pytest.mark.requirement("TND-15")
def test_json_is_the_record_as_the_service_sent_it(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires = hostile_wires()
    for line in (["search", "--json"], ["search", "--format", "json"], ["search", "--all", "--json"]):
        outcome = run(*line)
        assert json.loads(outcome.out) == fake.tenders.wires
        assert no_controls(outcome.out)
    lines = run("search", "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == fake.tenders.wires
    assert json.loads(run("tender", "t", "--json").out) == fake.tenders.wires[0]


def test_nothing_found_is_an_empty_array_and_a_sentence(run: Run, fake: FakeClient) -> None:
    assert json.loads(run("search", "--json").out) == []
    assert run("search", "--format", "jsonl").out == ""
    table = run("search", "nothing")
    assert (table.code, table.out, table.err) == (0, "", "No tender matches.\n")


@pytest.mark.parametrize("columns", ["40", "80", "120", "200"])
def test_a_table_fits_and_no_text_from_outside_acts(
    run: Run, fake: FakeClient, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    fake.tenders.wires = hostile_wires()
    shown = run("search").out
    assert no_controls(shown)
    assert max(map(len, shown.splitlines())) <= int(columns)
    assert "[bold red]" in shown
    for at in range(len(fake.tenders.wires)):
        fake.tenders.wires = hostile_wires()[at:]
        outcome = run("tender", "t")
        assert outcome.code == 0
        assert no_controls(outcome.out)


def test_amounts_stand_right_with_thousands_and_nothing_is_not_zero(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires = [wire(), wire(budgetNoTaxes=12), wire(budgetNoTaxes=None), wire(budgetNoTaxes=0)]
    lines = run("search").out.splitlines()
    end = next(line.index("Budget") + len("Budget") for line in lines if "Budget" in line)
    amounts = [line[:end].split()[-1] for line in lines if "Publicada" in line]
    assert amounts == ["1,234,568", "12", "–", "0"]
    assert all(not line[end - 1].isspace() for line in lines if "Publicada" in line)
    assert (money(None), money(0, "EUR"), money(-1234.5, "EUR", cents=True)) == ("–", "0 EUR", "-1,234.50 EUR")


def test_unknown_fields_are_shown_under_a_heading(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires = [wire(contractingOrganization=PERSON, other={"taxId": "12345678Z"})]
    masked = run("tender", "t").out
    assert masked.index("Other fields") < masked.index("newField")
    assert "12345678Z" not in masked
    assert run("tender", "t", "--with-tax-ids").out.count("12345678Z") == 2


def test_csv_round_trip(run: Run, fake: FakeClient, home: Path) -> None:
    fake.tenders.wires = hostile_wires()
    target = home / "tenders.csv"
    outcome = run("search", "-o", target)
    assert (outcome.code, outcome.out) == (0, "")
    text = target.read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == len(fake.tenders.wires)
    assert text.replace("\r\n", "\n") == run("search", "--format", "csv").out.replace("\r\n", "\n")
    for row, sent in zip(rows, fake.tenders.wires, strict=True):
        assert not any(re.match(r"\s*[=+\-@\t\r]", cell) for cell in row.values())
        assert no_controls(row["name"])
        assert row["name"].lstrip("'") == clean_block(sent.get("name") or "").lstrip("'")
    assert rows[0]["budgetNoTaxes"] == "1234567.5"
    assert rows[0]["expedientPublishedAt"] == "2026-03-01T08:30:00Z"
    assert json.loads(rows[0]["otherFields"])["newField"] == HOSTILE[0]
    assert rows[-1]["contractingOrganization.taxId"] == rows[-1]["successBidders.taxId"] == "***4567**"
    unmasked = run("search", "--format", "csv", "--with-tax-ids").out
    assert unmasked.count("12345678Z") == 2


def test_xlsx_round_trip(run: Run, fake: FakeClient, home: Path) -> None:
    fake.tenders.wires = [record for record in hostile_wires() if record]
    target = home / "tenders.xlsx"
    assert run("search", "-o", target).code == 0
    with zipfile.ZipFile(target) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))  # noqa: S314 - our own file
    assert sheet.find(f".//{SPREADSHEET}f") is None
    rows = [
        {re.sub(r"\d", "", cell.attrib["r"]): cell for cell in row.iter(f"{SPREADSHEET}c")}
        for row in sheet.iter(f"{SPREADSHEET}row")
    ]
    assert len(rows) == len(fake.tenders.wires) + 1
    column = {"".join(cell.itertext()): name for name, cell in rows[0].items()}
    first = rows[1]
    assert first[column["budgetNoTaxes"]].findtext(f"{SPREADSHEET}v") == "1234567.5"
    assert "t" not in first[column["budgetNoTaxes"]].attrib
    day = float(first[column["expedientPublishedAt"]].findtext(f"{SPREADSHEET}v") or 0)
    assert day == pytest.approx(
        (datetime(2026, 3, 1, 8, 30, tzinfo=UTC) - datetime(1899, 12, 30, tzinfo=UTC)).total_seconds() / 86400
    )
    assert first[column["name"]].attrib["t"] == "inlineStr"
    assert "".join(first[column["name"]].itertext()) == HOSTILE[0]
    long = "".join(rows[1 + HOSTILE.index("x" * 40_000)][column["name"]].itertext())
    assert len(long) == 32_767
    assert long.endswith("[…]")


def test_parquet_round_trip(run: Run, fake: FakeClient, home: Path) -> None:
    from pyarrow import parquet

    fake.tenders.wires = hostile_wires()
    target = home / "tenders.parquet"
    assert run("search", "-o", target).code == 0
    table = parquet.read_table(target).to_pylist()
    assert len(table) == len(fake.tenders.wires)
    assert table[0]["name"] == HOSTILE[0]
    assert table[0]["budgetNoTaxes"] == 1234567.5
    assert table[0]["expedientPublishedAt"] == datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
    assert table[len(HOSTILE)]["numLots"] is None
    assert table[-1]["name"] is None


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "xlsx", "parquet"])
def test_a_file_is_whole_or_absent(run: Run, fake: FakeClient, home: Path, suffix: str) -> None:
    folder = home / "out"
    folder.mkdir()
    target = folder / f"tenders.{suffix}"
    fake.tenders.wires, fake.tenders.trouble, fake.tenders.trouble_after = [wire(), wire(), wire()], ValueError("broke"), 2
    assert run("search", "--all", "-o", target).code == 1
    assert list(folder.iterdir()) == []
    fake.tenders.trouble = None
    outcome = run("search", "--all", "-o", target)
    assert (outcome.code, outcome.err) == (0, f"3 tenders in {target}.\n")
    assert list(folder.iterdir()) == [target]
    before = target.read_bytes()
    refused = run("search", "-o", target)
    assert refused.code == 2
    assert "--overwrite" in refused.err
    assert target.read_bytes() == before
    fake.tenders.wires = []
    assert run("search", "-o", target, "--overwrite").code == 0
    assert target.read_bytes() != before


def test_json_that_broke_on_the_way_is_not_a_whole_array(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires, fake.tenders.trouble, fake.tenders.trouble_after = [wire(), wire()], OSError(5, "Input/output error"), 1
    outcome = run("search", "--all", "--json")
    assert outcome.code == 1
    assert outcome.err == "Input/output error.\n"
    with pytest.raises(json.JSONDecodeError):
        json.loads(outcome.out)


@settings(deadline=None)
@given(st.text())
def test_clean_text_is_one_safe_line_and_stays_clean(text: str) -> None:
    shown = clean(text)
    assert no_controls(shown)
    assert "\n" not in shown
    assert clean(shown) == shown
    assert no_controls(clean_block(text))
    if text.isascii() and text.isprintable():
        assert shown == " ".join(text.split())


@settings(deadline=None)
@given(st.text())
def test_no_text_becomes_a_formula(text: str) -> None:
    assert not re.match(r"\s*[=+\-@]|[\t\r]", safe_text(text))


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_text_is_safe_and_loses_nothing(value: Any) -> None:
    assert json.loads(as_json(value)) == value
    assert no_controls(as_json(value))


@pytest.mark.parametrize(
    ("tax_id", "shown"),
    [
        ("12345678Z", "***4567**"),
        ("12.345.678-z", "***4567**"),
        ("ES12345678Z", "***4567**"),
        ("1234567L", "***3456**"),
        ("X1234567L", "****4567*"),
        ("k1234567L", "****4567*"),
        ("B12345678", "B12345678"),
        ("A28114742", "A28114742"),
        ("ESA28114742", "ESA28114742"),
        ("PT501234567", "PT501234567"),
        ("", ""),
    ],
)
def test_tax_ids_of_persons_are_masked_and_of_companies_are_not(tax_id: str, shown: str) -> None:
    assert masked(tax_id) == shown
    assert masked_everywhere({"a": [{"taxId": tax_id, "name": tax_id}]}) == {"a": [{"taxId": shown, "name": tax_id}]}


@settings(deadline=None)
@given(st.from_regex(r"\A[0-9]{8}[A-Z]\Z|\A[XYZKLM][0-9]{7}[A-Z]\Z"))
def test_a_masked_tax_id_shows_four_digits(tax_id: str) -> None:
    assert sum(letter.isdigit() for letter in masked(tax_id)) == 4
