"""A summary as PDF: the same bytes, the letters of four alphabets, and Markdown from outside that cannot do harm."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.service.pdf_letters import MISSING, Letters
from workbench.service.summaries import FinishedSummary
from workbench.service.summary_pdf import render

MARKDOWN = """# Obra

| Amount | Value |
|---|---:|
| Presupuesto | 1,234.00 EUR |

- one
  - two

> quoted

---

1. first
"""
HARMFUL = (
    "[a](javascript:alert(1)) [b](file:///etc/passwd) ![c](http://169.254.169.254/x) <img src=http://x> "
    "<font color='red'>d</font>"
)


def made(markdown: str, opportunity: str = "Obra de ejemplo") -> bytes:
    moment = datetime(2026, 3, 15, 12, tzinfo=UTC)
    return render(FinishedSummary("1", "Tender summary", opportunity, markdown, moment))


def text_of(pdf: bytes, tmp_path: Path) -> str:
    """The text that a reader can copy out of it."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    file = tmp_path / "made.pdf"
    file.write_bytes(pdf)
    return subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, check=True).stdout.decode()


def test_the_same_summary_is_the_same_file() -> None:
    assert made(MARKDOWN) == made(MARKDOWN)
    assert made(MARKDOWN).startswith(b"%PDF-")


def test_four_alphabets_are_set_in_embedded_letters(tmp_path: Path) -> None:
    words = ("Año «ñandú» – 1.000 €", "Αντικατάσταση παραθύρων", "Подмяна на прозорци", "Łódź, Őrség, țară")
    pdf = made(f"# {words[0]}\n\n**{words[1]}** *{words[2]}*\n\n| a |\n|---|\n| {words[3]} |")
    found = " ".join(text_of(pdf, tmp_path).split())
    for word in words:
        assert word in found
    assert pdf.count(b"/FontFile2") >= 2
    assert "not in this document's typeface" not in found


def test_letters_that_the_typeface_lacks_are_marked_and_noted(tmp_path: Path) -> None:
    found = " ".join(text_of(made("Obra 中文 😀"), tmp_path).split())
    assert f"Obra {MISSING * 2} {MISSING}" in found
    assert "3 letters of this text are not in this document's typeface" in found
    assert "U+4E2D, U+6587, U+1F600" in found


def test_pages_are_numbered_and_named(tmp_path: Path) -> None:
    found = text_of(made("\n\n".join(f"## Part {number}\n\nText." for number in range(60))), tmp_path)
    count = found.count("\f")
    assert count > 1
    for number in range(1, count + 1):
        assert re.search(rf"\b{number} ?/ ?{count}\b", found)
    assert found.count("Tender summary, 15 Mar 2026, 12:00 UTC") == count
    assert found.count("Obra de ejemplo") == count - 1


def test_a_table_breaks_over_pages_with_its_head(tmp_path: Path) -> None:
    rows = "".join(f"| Fila {number} | {number},00 |\n" for number in range(450))
    found = text_of(made(f"| Nombre | Importe |\n|---|---:|\n{rows}"), tmp_path)
    assert all(f"Fila {number} " in found for number in range(450))
    assert found.count("Nombre") >= found.count("\f")


def test_markdown_from_outside_makes_no_link_but_of_the_web_and_fetches_nothing(tmp_path: Path) -> None:
    pdf = made(HARMFUL + " [ok](https://example.org/?a=1&b=%22)")
    addresses = re.findall(rb"/URI \((.*?)\)", pdf)
    assert addresses == [b"https://example.org/?a=1&b=%22"]
    assert b"/JavaScript" not in pdf
    found = text_of(pdf, tmp_path)
    assert "<img src=http://x>" in found
    assert "<font color='red'>d</font>" in found


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("ab #*_`~[]()<>|&\\-+1.!\n\t\"':/{}é中"), max_size=120))
def test_any_markdown_makes_a_file(markdown: str) -> None:
    assert made(markdown, opportunity=markdown).startswith(b"%PDF-")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_makes_harmless_markup(text: str) -> None:
    markup = Letters().markup(text)
    assert re.sub(r'<font face="[\w-]+">|</font>|&(amp|lt|gt);', "", markup).find("<") == -1


LONG = {
    "nothing": "",
    "an empty item": "- ",
    "an empty table": "| a |\n|---|\n",
    "deep quotes": "> " * 60 + "x",
    "deep lists": "- " * 60 + "x",
    "a long word": "W" * 5_000,
    "a cell of pages": "| a |\n|---|\n| " + "w " * 9_000 + "|",
}


@pytest.mark.parametrize("markdown", LONG.values(), ids=LONG.keys())
def test_what_is_empty_deep_or_long_makes_a_file_too(markdown: str) -> None:
    assert made(markdown).startswith(b"%PDF-")
