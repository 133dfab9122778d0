"""A server's file name never becomes a path, a hidden file, a device or a lie."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client.policy.filenames import NAME_BYTES_MAX, name_in_header, next_free_name, safe_name

EVIL = [
    "../../etc/passwd", "..\\..\\boot.ini", "/etc/shadow", "C:\\Windows\\x.dll", "CON", "nul.txt", ".bashrc", "...", "", "   ",
    "a\x00b.pdf", "a\nb.pdf", "\x1b[31mred.pdf", "invoice\u202efdp.exe", "a" * 5000 + ".pdf", "ñ" * 400 + ".pdf", "con.pdf.",
    "name.", "a:b|c?.pdf", "\ud800x.pdf", "%2e%2e%2fx", ".\u200b.", "\u2028", "~", "-rf", "x/", "aux.", "COM1.pdf",
]  # fmt: skip


def check(name: str) -> None:
    assert name == PurePosixPath(name).name == PureWindowsPath(name).name
    assert name not in {"", ".", ".."}
    assert not name.startswith(".")
    assert not name.endswith((".", " "))
    assert len(name.encode()) <= NAME_BYTES_MAX
    assert not {unicodedata.category(c) for c in name} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert PureWindowsPath(name).stem.upper() not in {"CON", "NUL", "AUX", "PRN", "COM1"}


@pytest.mark.parametrize("name", EVIL)
def test_evil_names_become_harmless(name: str) -> None:
    check(safe_name(name, fallback="sheet-1"))


@given(st.text(max_size=400), st.text(max_size=60))
def test_any_name_and_any_fallback_become_one_harmless_segment(name: str, fallback: str) -> None:
    check(safe_name(name, fallback=fallback))


@given(st.text(max_size=200))
def test_any_header_is_survived(header: str) -> None:
    check(safe_name(name_in_header(f"attachment; {header}"), fallback="sheet-1"))


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60))
def test_rfc_5987_names_are_read_exactly(name: str) -> None:
    assert name_in_header(f"attachment; filename=\"x.pdf\"; filename*=UTF-8''{quote(name, safe='')}") == name


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="Pliego de cláusulas.pdf"', "Pliego de cláusulas.pdf"),
        ("attachment; filename=plain.pdf", "plain.pdf"),
        ('attachment; filename="with \\"quotes\\".pdf"', 'with "quotes".pdf'),
        ("attachment; filename=\"a.pdf\"; filename*=utf-8'es'%C3%B1.pdf", "ñ.pdf"),
        ("attachment; filename*=iso-8859-1''%F1.pdf; filename=a.pdf", "ñ.pdf"),
        ("attachment; filename*=utf-8''%FF; filename=a.pdf", "a.pdf"),
        ("attachment; filename*=klingon''x; filename=a.pdf", "a.pdf"),
        ("attachment", None),
        ("", None),
        (None, None),
        ('attachment; filename=""', None),
    ],
)
def test_content_disposition_is_read_as_the_rfcs_say(header: str | None, name: str | None) -> None:
    assert name_in_header(header) == name


def test_the_fallback_gets_the_extension_of_its_type() -> None:
    assert safe_name(None, fallback="sheet-7", media_type="application/pdf; x=1") == "sheet-7.pdf"
    assert safe_name(None, fallback="sheet-7", media_type="no/such") == "sheet-7"
    assert safe_name("x" * 300 + ".pdf", fallback="f").endswith(".pdf")


def test_next_free_name() -> None:
    assert next_free_name("x.pdf", 2) == "x (2).pdf"
    assert next_free_name("x", 3) == "x (3)"
