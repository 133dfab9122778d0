"""Text from outside is neutral before it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.text import block, content, cut, fit, plain, shown_link

ACTING = [
    *map(chr, range(0x20)),
    "\x7f",
    *map(chr, range(0x80, 0xA0)),
    *"\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
]


@given(st.text(max_size=300) | st.lists(st.sampled_from([*ACTING, "a", "日", "\ud800"]), max_size=60).map("".join))
def test_plain_text_holds_nothing_that_acts_and_is_one_line(text: str) -> None:
    shown = plain(text)
    assert not set(shown) & set(ACTING)
    assert "\n" not in shown
    shown.encode("utf-8")


@given(st.text(max_size=300))
def test_block_keeps_lines_and_nothing_else_that_acts(text: str) -> None:
    assert not (set(block(text)) - {"\n"}) & set(ACTING)


@given(st.text(max_size=200), st.integers(0, 60), st.booleans())
def test_a_cell_is_exactly_as_wide_as_asked(text: str, cells: int, right: bool) -> None:
    assert cell_len(fit(plain(text), cells, right)) == cells


@given(st.text(max_size=200), st.integers(1, 60))
def test_cut_text_is_never_wider_than_asked(text: str, cells: int) -> None:
    assert cell_len(cut(plain(text), cells)) <= cells


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Lote [/] 1", "Lote [/] 1"),
        ("[@click=app.quit]hi[/]", "[@click=app.quit]hi[/]"),
        ("a\x1b[31mred", "a␛[31mred"),
        ("nul\x00", "nul␀"),
        ("\u202egnp.exe", "⟨RLO⟩gnp.exe"),
        ("two\r\nlines\tand a tab", "two lines and a tab"),
        ("\ud800", "�"),
        ("e\u0301\u0302\u0303\u0304", "e\u0301\u0302"),
        (7, "7"),
        (None, ""),
        ({"a": [1]}, "{'a': [1]}"),
    ],
)
def test_what_acts_is_shown_and_what_looks_like_markup_stays(text: object, shown: str) -> None:
    assert plain(text) == shown
    assert content(text).plain == shown
    assert not content(text).spans


def test_very_long_text_is_cut_visibly() -> None:
    assert plain("x" * 10_000, 100) == "x" * 100 + "…"
    assert len(block("line\n" * 100_000)) < 61_000


@pytest.mark.parametrize("link", ["https://example.org/x?y=1", "http://example.org"])
def test_web_addresses_may_be_opened(link: str) -> None:
    assert shown_link(link) == link


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "file:///etc/passwd", "ftp://x", "https://", "https://a b", "data:text/html,x", None, 5, "http:///x",
     "https://exam\u202eple.org", "-oProxyCommand=x", "//x.org"],
)  # fmt: skip
def test_nothing_else_may_be_opened(link: object) -> None:
    assert shown_link(link) is None
