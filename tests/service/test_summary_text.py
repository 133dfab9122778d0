"""What a summary says: facts, and nothing but them; and outside text that stays text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from store_builders import BUYER, SUPPLIER, award, day, notice, opened
from summary_building import board, opportunity, task

from workbench.feeds.notice import Document, Lot
from workbench.service.markdown_text import inline, plain, shortened, table
from workbench.service.scope import AccountScope
from workbench.service.store.database import Database
from workbench.service.summary_facts import SummaryFacts, discount, gather
from workbench.service.summary_text import compose

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
HOSTILE = "# <script>alert(1)</script> | [x](javascript:y) **b** `c` &lt; 1. ![i](http://z) \u202e\x1b[31m"


def shown(tokens: list[Token]) -> str:
    """The text that a reader sees."""
    return "".join(shown(token.children) if token.children else token.content for token in tokens)


def reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@given(st.text(max_size=80), st.sampled_from(["{}", "- {}", "**{}** x", "> {}", "1. {}"]))
def test_outside_text_is_shown_letter_by_letter(text: str, frame: str) -> None:
    if not plain(text):
        return
    tokens = reader().parse(frame.format(inline(text)))
    kinds = {child.type for token in tokens for child in token.children or []}
    assert kinds <= {"text", "strong_open", "strong_close"}
    assert shown(tokens).removesuffix(" x" if "**" in frame else "") == plain(text)


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), min_size=1, max_size=5))
def test_cells_keep_a_table_together(rows: list[tuple[str, str]]) -> None:
    tokens = reader().parse(table(["a", "b"], [[inline(cell) for cell in row] for row in rows]))
    assert sum(token.type == "td_open" for token in tokens) == 2 * len(rows)
    cells = [shown(token.children or []) for token in tokens if token.type == "inline"]
    assert cells == ["a", "b", *(plain(cell) for row in rows for cell in row)]


@given(st.text(max_size=60), st.integers(2, 40))
def test_a_shortened_text_fits_and_is_a_beginning(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    assert plain(text).startswith(short.removesuffix("…").rstrip(" ,;.:")) or short == plain(text)


def tender(**values: Any) -> dict[str, Any]:
    return {"name": "Obra", "currency": "EUR", "country": "ES", "budgetNoTaxes": 1000.0, **values}


def facts(**values: Any) -> SummaryFacts:
    return SummaryFacts(now=NOW, opportunity="Obra", pipeline="Bids", stage="New", **values)


def test_a_summary_without_a_tender_says_so_and_invents_nothing() -> None:
    text = compose(facts())
    assert "The tender itself: it is not among the data" in text
    assert "## Money" not in text
    assert "## Dates" not in text


def test_what_is_missing_is_told_as_unknown() -> None:
    text = compose(facts(tender=tender(budgetNoTaxes=None)))
    for sentence in (
        "names no buyer",
        "no CPV code",
        "The budget without taxes",
        "states no deadline",
        "no document is listed",
    ):
        assert sentence in text


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(hours=5), "in 5 hours"),
        (timedelta(minutes=10), "in 1 hour"),
        (timedelta(days=2), "in 2 days"),
        (timedelta(days=30), "in 30 days"),
        (timedelta(days=-1), "1 day before"),
        (timedelta(days=-40), "40 days before"),
        (timedelta(hours=-2), "the same day"),
    ],
)
def test_days_left_are_counted_from_when_it_was_written(gap: timedelta, words: str) -> None:
    deadline = (NOW + gap).isoformat().replace("+00:00", "Z")
    assert f"| {words} |" in compose(facts(tender=tender(expedientSubmissionDeadline=deadline)))


def test_a_deadline_at_midnight_keeps_its_hour_in_spanish_time() -> None:
    text = compose(
        facts(tender=tender(expedientSubmissionDeadline="2026-07-01T22:00:00Z", expedientExpirationDate="2026-12-31T23:00:00Z"))
    )
    assert "| Offers until | 02 Jul 2026, 00:00 |" in text
    assert "| Contract ends | 01 Jan 2027 |" in text


def test_hostile_text_in_every_field_is_text(tmp_path: Path) -> None:
    fields = {"name", "description", "expedient", "contractType", "procedure", "location", "status"}
    hostile = tender(**dict.fromkeys(fields, HOSTILE), cpvCodes=[HOSTILE], platformUrl=f"https://x/{HOSTILE}")
    hostile |= {"contractingOrganization": {"name": HOSTILE}, "successBidders": [{"name": HOSTILE}]}
    hostile |= {"lots": [{"id": HOSTILE, "name": HOSTILE}], "currency": HOSTILE}
    tokens = reader().parse(compose(facts(tender=hostile, amount=1.0, currency=HOSTILE)))
    children = [child for token in tokens for child in token.children or []]
    assert not [child for child in children if child.type in ("link_open", "image", "html_inline", "code_inline")]
    assert not [token for token in tokens if token.type in ("html_block", "fence", "code_block")]
    assert shown(tokens).count("<script>alert(1)</script>") >= len(fields)
    assert "\x1b" not in shown(tokens)


@pytest.mark.parametrize(
    ("record", "lot", "amount", "currency", "share"),
    [
        ({"budgetNoTaxes": 1000, "successBidders": [{}], "currency": "EUR"}, None, 800, "EUR", 0.2),
        ({"budgetNoTaxes": 1000, "successBidders": [{}, {}], "currency": "EUR"}, None, 800, "EUR", None),
        ({"budgetNoTaxes": 1000, "successBidders": [{}], "currency": "USD"}, None, 800, "EUR", None),
        ({"budgetNoTaxes": 0, "successBidders": [{}]}, None, 800, None, None),
        ({"budgetNoTaxes": None, "successBidders": [{}]}, None, 800, None, None),
        ({"budgetNoTaxes": 1000, "successBidders": [{}]}, None, None, "EUR", None),
        ({"lots": [{"id": "1", "budgetNoTaxes": 400}], "budgetNoTaxes": 1000}, "1", 300, "EUR", 0.25),
        ({"lots": [{"id": "1"}], "budgetNoTaxes": 1000}, "1", 300, "EUR", None),
        ({"lots": [{"id": "1", "budgetNoTaxes": 400}]}, "2", 300, "EUR", None),
        ({"budgetNoTaxes": 1000, "successBidders": [{}]}, None, 1200, "EUR", -0.2),
    ],
)
def test_a_discount_is_told_only_where_it_is_known(
    record: dict[str, Any], lot: str | None, amount: float | None, currency: str | None, share: float | None
) -> None:
    assert discount(record, lot, amount, currency) == (None if share is None else pytest.approx(share))


def past(number: int, **values: Any) -> Any:
    awards = (award(None, "Adjudicado", SUPPLIER, 900.0 - number, offers=number, awarded_at=day(number)),)
    filled = {
        "status": "Adjudicada",
        "cpvs": ("45233120",),
        "budget_no_taxes": 1_000.0,
        "awards": awards,
        "awarded_at": day(number),
    }
    return notice(number, **filled | values)


def gathered(database: Database, *, tender_id: str | None) -> tuple[AccountScope, SummaryFacts]:
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage, tender_id=tender_id, amount=950.0, currency="EUR")
    task(scope, one, "Open one")
    task(scope, one, "Done one", status="done")
    with scope.reading() as rows:
        found = gather(rows, one, NOW)
    assert found is not None
    return scope, found


def test_facts_are_read_from_the_tender_its_documents_the_buyers_awards_and_open_tasks(tmp_path: Path) -> None:
    documents = (Document("PCAP.pdf", "https://example.org/1", "1", type="PCAP"), Document("PPT.pdf", None, "2"))
    open_one = notice(50, cpvs=("45000000",), lots=(Lot("1", name="Uno"),), documents=documents, deadline_at=day(90))
    others = (
        past(7, buyer=None),
        past(8, cpvs=("72000000",)),
        past(9, awards=(award(None, "Desierto", None, None),)),
    )
    database = opened(tmp_path, [open_one, *(past(number) for number in range(1, 5)), *others])
    with database.reader() as connection:
        tender_id = connection.exec_driver_sql(
            "SELECT id FROM tender WHERE json_extract(record,'$.name') = 'Obra 50'"
        ).scalar_one()
    _, found = gathered(database, tender_id=tender_id)
    database.close()
    assert [one.name for one in found.documents] == ["PCAP.pdf", "PPT.pdf"]
    assert [one.title for one in found.tasks] == ["Open one"]
    assert (found.division, found.past_award_count) == ("45", 4)
    assert [one.awarded_at for one in found.past_awards] == [day(4), day(3), day(2), day(1)]
    assert [round(one.discount or 0, 3) for one in found.past_awards] == [0.104, 0.103, 0.102, 0.101]
    text = compose(found)
    assert f"**{BUYER.name}** is the buyer" in text
    assert "- **4 awards** (in all)." in text
    assert "Discount on the budget: 10.2% in the middle (10.1% to 10.4%; known of 4)." in text
    assert "Offers: 2.5 in the middle (1 to 4)." in text
    assert "## Documents: 2" in text
    assert "## Lots: 1" in text
    assert "## Open tasks: 1" in text


def test_an_opportunity_of_another_account_has_no_facts(tmp_path: Path) -> None:
    database = opened(tmp_path)
    scope, pipeline, stage = board(database)
    one = opportunity(scope, pipeline, stage)
    other, _, _ = board(database, "other")
    with other.reading() as rows:
        assert gather(rows, one, NOW) is None
    database.close()
