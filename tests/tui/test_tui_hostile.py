"""Hostile text in every field of every screen: nothing crashes, nothing is taken for markup, nothing acts on the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tui_fake import FakeSession, clock, sheet, tender
from tui_stage import stage

from workbench.contract.organizations import AwardStatistics, Organization
from workbench.contract.tenders import Tender
from workbench.tui.dialogs.organization import organization_sections
from workbench.tui.query import Choice, Query
from workbench.tui.record import headline, raw_json, sections, tender_link, title
from workbench.tui.trouble import Kind, Trouble

pytestmark = pytest.mark.anyio

HOSTILE = [
    "Lote [/] 1", "[/red]x", "Obra [A=1, B=(2]", "[b", '[1, "3"] and [b + s', "[@click=app.quit]hi[/]",
    "[link=http://x]y", "[#zz]x",
    "[$foo]x[/]", "[1] lote", "[Lote] obra", "\\[b]", "{0} %s ${HOME} `id`", "\x1b[31mred\x1b[0m \x1b]0;owned\x07",
    "\x1b[2J\x1b[H", "\x9b31m",
    "nul\x00byte", "\u202eright to left", "\u2066isolated\u2069", "a\u200bb\ufeffc", "line\none\r\ntwo\ttab",
    "\ud800 lone surrogate",
    "日本語のタイトル" * 20, "👩‍👩‍👧‍👦" * 30, "z" + "\u0301" * 200, "x" * 10_000, "word " * 2_000, " ", "",
    "\u2028separators\u2029", "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "../../etc/passwd", "\U000e0041tag",
]  # fmt: skip

WRONG: list[Any] = [
    None,
    7,
    -1.5,
    True,
    [],
    {},
    [None],
    ["x", {"y": 1}],
    {"a": {"b": [1, "\x1b[31m"]}},
    1e308,
    "not a date",
    [[["deep"]]],
]

FIELDS = (
    "id", "slug", "expedient", "name", "description", "status", "sourceStatus", "contractType", "procedure",
    "cpvCodes", "location",
    "locations", "country", "currency", "budgetNoTaxes", "budgetWithTaxes", "contractEstimatedValue",
    "proratedBudget", "awardAmount",
    "numLots", "lots", "contractingOrganizationId", "contractingOrganization", "successBidders", "biddersNumber",
    "expedientPublishedAt", "expedientSubmissionDeadline", "expedientAdjudicationDate", "expedientFormalizedAt",
    "expedientExpirationDate", "expedientUpdatedAt", "isMinorContract", "sources", "platformUrl", "createdAt",
)  # fmt: skip

ACTING = {*map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), "\u202e", "\u2066"} - {"\n"}


def filled(text: str) -> dict[str, Any]:
    """Every field that takes text, and every nested one, with the text."""
    return {
        **dict.fromkeys(
            ("slug", "expedient", "name", "description", "status", "sourceStatus", "contractType", "procedure"), text
        ),
        **dict.fromkeys(("location", "country", "currency", "contractingOrganizationId", "platformUrl"), text),
        "cpvCodes": [text, text],
        "locations": [{"type": text, "code": text, "name": text}],
        "contractingOrganization": {"id": text or "o", "name": text, "taxId": text},
        "successBidders": [{"id": text, "name": text, "taxId": text, "amount": 1.0, "lotId": text}],
        "lots": [{"id": text, "name": text, "description": text, "result": text}],
        "sources": [{"name": text, "linkUrl": text}],
        text[:200] or "empty": text,
        "nested": {text[:50]: [text]},
    }


@pytest.mark.slow
@pytest.mark.requirement("TUI-1")
async def test_no_hostile_text_crashes_a_screen_or_is_taken_for_markup() -> None:
    rows = [tender(at, **filled(text)) for at, text in enumerate(HOSTILE)]
    session = FakeSession(tenders=rows)
    session.organization_record = dict(zip(("name", "activity", "taxId", "webUrl"), HOSTILE[5:], strict=False))
    async with stage(session, size=(110, 26)) as on:
        await on.press("escape")
        for at, text in enumerate(HOSTILE):
            session.documents = [sheet(0, name=text, type=text, language=text, mimeType=text)]
            await on.press("enter")
            words = on.words()
            assert not set(words) & ACTING
            if text.startswith("[") and len(text) < 60:
                assert text in words
            await on.press("v", "b", "escape", "y", "escape", "escape")
            if at < len(HOSTILE) - 1:
                await on.press("j")
            assert not set(on.words()) & ACTING


async def test_wrong_types_in_every_field_crash_nothing() -> None:
    rows = [
        Tender.model_validate(
            {"id": f"w{at}", **{name: WRONG[(at + shift) % len(WRONG)] for shift, name in enumerate(FIELDS[1:])}}
        )
        for at in range(len(WRONG))
    ]
    async with stage(FakeSession(tenders=rows)) as on:
        await on.press("escape")
        for at in range(len(rows)):
            await on.press("enter", "v", "escape")
            if at < len(rows) - 1:
                await on.press("j")
        assert on.app.return_code is None


async def test_hostile_queries_filters_and_errors_are_only_text() -> None:
    async with stage() as on:
        for text in HOSTILE[:24]:
            on.search.ask(Query(text=text, cpvs=(Choice("45", text),), places=(Choice(f"town/{text}", text),)))
            await on.idle()
            on.app.tell(text, "error")
            on.session.troubles = [Trouble(text, Kind.FAULT, text)]
            on.search.ask(Query(text=text + "!"))
            await on.idle()
            assert not set(on.words()) & ACTING
        await on.press("escape", "f")
        for name in ("min_budget", "deadline"):
            for text in HOSTILE[:24]:
                field = on.search.query_one(f"#filters #{name}")
                field.value = text.replace("\n", " ")  # type: ignore[attr-defined]
                await on.idle()
        assert not set(on.words()) & ACTING


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(max_size=40)
    | st.sampled_from(HOSTILE[:24]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=12), json_values, max_size=12))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_record_can_be_laid_out(wire: dict[str, Any]) -> None:
    record = Tender.model_validate(wire)
    now = clock()
    shown = [title(record), headline(record, now)]
    for section in sections(record, now):
        shown += [fact.value for fact in section.facts] + ([section.text] if section.text else [])
    for text in shown:
        assert not set(text.plain) & ACTING
    assert not set(raw_json(record.to_wire()).plain) & ACTING
    link = tender_link(record)
    assert link is None or link.lower().startswith(("http://", "https://"))


@given(
    st.dictionaries(
        st.sampled_from(["id", "name", "type", "taxId", "address", "webUrl", "stats", "sectors", "x"]), json_values, max_size=8
    )
)
def test_any_organization_can_be_laid_out(wire: dict[str, Any]) -> None:
    for section in organization_sections(Organization.model_validate(wire), AwardStatistics.model_validate(wire)):
        for fact in section.facts:
            assert not set(fact.value.plain) & ACTING


def test_every_field_that_came_is_somewhere_on_the_screen() -> None:
    record = tender(0, extra="EXTRA-VALUE", budgetNoTaxes="many", lots=[{"id": "1", "name": "LOT-NAME"}])
    text = "\n".join(fact.value.plain for section in sections(record, clock()) for fact in section.facts)
    for expected in ("EXTRA-VALUE", "many", "LOT-NAME", '{"kept": 0}'):
        assert expected in text


def test_tax_ids_of_persons_are_masked_and_those_of_companies_are_not() -> None:
    record = tender(
        0, successBidders=[{"name": "Una Persona", "taxId": "12345678Z"}, {"name": "Empresa", "taxId": "B12345678"}]
    )
    text = "\n".join(fact.value.plain for section in sections(record, clock()) for fact in section.facts)
    assert "12345678Z" not in text
    assert "***4567**" in text
    assert "B12345678" in text
