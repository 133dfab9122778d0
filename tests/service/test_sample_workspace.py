"""The sample workspace as whoever opens it sees it: complete, repeatable, openly synthetic, and alone in its database."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from workbench.contract.alerts import AlertDraft
from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import SummaryStatus, TaskPriority, TaskStatus, TenderStatus
from workbench.feeds.notice import Notice, Origin
from workbench.reference.tax_ids import is_personal
from workbench.service.access import Access
from workbench.service.organizations import Organizations
from workbench.service.sample import SampleProgress, SampleReport, fill
from workbench.service.sample_tenders import make_notices, make_world
from workbench.service.store.database import Database
from workbench.service.store.failures import StoreError
from workbench.service.store.importer import apply_items
from workbench.service.tenders import Tenders

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
SPANISH_TAX_ID = re.compile(r"[A-Z]\d{7}[0-9A-Z]|[0-9XYZKLM]\d{7}[A-Z]")


def clock() -> datetime:
    return NOW


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, SampleReport]]:
    db = Database(tmp_path_factory.mktemp("sample"), clock=clock)
    yield db, fill(db)
    db.close()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Database]:
    db = Database(tmp_path / "other", clock=clock)
    yield db
    db.close()


def rows(db: Database, query: str) -> list[tuple[object, ...]]:
    with db.reader() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def everything(db: Database) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, the text index included."""
    with sqlite3.connect(db.path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        dump = {name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in names}
    connection.close()
    return dump


def real_notice() -> Notice:
    return Notice(
        source="some platform",
        source_id="https://example.net/1",
        version_at=NOW,
        origin=Origin("file.atom"),
        status="Publicada",
        name="Imported tender",
    )


def test_it_holds_what_every_screen_needs(filled: tuple[Database, SampleReport]) -> None:
    db, report = filled
    assert report.tenders == 2000
    assert report.organizations > 350
    assert report.documents >= 120
    assert (report.pipelines, report.opportunities, report.alerts) == (2, 40, 8)
    assert report.tasks >= 50
    assert not report.was_there
    assert rows(db, "SELECT count(*) FROM account_user") == [(5,)]
    assert rows(db, "SELECT count(*) FROM team") == [(2,)]
    assert "2,000 synthetic tenders" in str(report)


def test_every_status_is_there(filled: tuple[Database, SampleReport]) -> None:
    db, _ = filled
    assert {status for (status,) in rows(db, "SELECT json_extract(record, '$.status') FROM tender")} == set(TenderStatus)
    assert {status for (status,) in rows(db, "SELECT status FROM summary")} == set(SummaryStatus)
    assert {status for (status,) in rows(db, "SELECT status FROM task")} == set(TaskStatus)
    assert {priority for (priority,) in rows(db, "SELECT priority FROM task")} == set(TaskPriority)
    assert {outcome for (outcome,) in rows(db, "SELECT outcome_type FROM stage")} == {None, "won", "lost", "discarded"}
    flags = set(rows(db, "SELECT is_active, is_public, is_archived FROM alert"))
    assert {(1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 1, 1)} <= flags
    triggers = rows(db, "SELECT DISTINCT json_extract(value, '$.field') FROM alert, json_each(windows_search)")
    assert len(triggers) == 3
    rhythms = rows(db, "SELECT DISTINCT json_extract(notification_config, '$.frequency.type') FROM alert")
    assert {rhythm for (rhythm,) in rhythms} == {"daily", "weekly"}


def test_about_one_in_twelve_takes_bids_and_is_due_within_sixty_days(filled: tuple[Database, SampleReport]) -> None:
    db, _ = filled
    page = Tenders(db).search(TenderSearch(is_only_within_deadline=True, page_size=100))
    assert page.has_next_page
    deadlines = rows(db, "SELECT deadline FROM tender WHERE json_extract(record, '$.sourceStatus') = 'PUB'")
    latest = max(int(str(deadline)) for (deadline,) in deadlines) / 1_000_000
    assert len(deadlines) == 160
    assert all(int(str(deadline)) / 1_000_000 > NOW.timestamp() for (deadline,) in deadlines)
    assert latest < (NOW + timedelta(days=63)).timestamp()


def test_filling_again_changes_nothing_and_says_so(filled: tuple[Database, SampleReport]) -> None:
    db, first = filled
    before = everything(db)
    again = fill(db, seed=7)
    assert again.was_there
    assert "nothing was changed" in str(again)
    assert (again.tenders, again.documents, again.tasks) == (first.tenders, first.documents, first.tasks)
    assert everything(db) == before


def test_two_fillings_of_one_day_are_equal_row_for_row(filled: tuple[Database, SampleReport], empty: Database) -> None:
    fill(empty)
    assert everything(empty) == everything(filled[0])


def test_an_interrupted_filling_is_finished_by_the_next(filled: tuple[Database, SampleReport], empty: Database) -> None:
    def interrupt(progress: SampleProgress) -> None:
        if progress.label == "documents":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(empty, progress=interrupt)
    assert not fill(empty).was_there
    complete, mended = everything(filled[0]), everything(empty)
    for log in ("import_file", "sqlite_sequence"):  # Both runs are in the log, as they should be.
        complete.pop(log, None)
        mended.pop(log, None)
    for table in ("tender", "organization", "award", "document", "opportunity", "task", "summary", "alert", "account"):
        assert mended[table] == complete[table], table


def test_another_seed_gives_other_tenders() -> None:
    today = NOW.date()
    one, other = (list(make_notices(make_world(seed, today), 200)) for seed in (1, 2))
    assert [notice.name for notice in one] != [notice.name for notice in other]
    assert one == list(make_notices(make_world(1, today), 200))


@pytest.mark.parametrize("days", [0, 1, 40, 101, 466])
def test_dates_follow_the_day_and_are_in_order(days: int) -> None:
    now = NOW + timedelta(days=days)
    for notice in make_notices(make_world(3, now.date())):
        assert notice.published_at is not None
        moments = [notice.published_at, notice.deadline_at, notice.awarded_at, notice.formalized_at, notice.expires_at]
        stated = [moment for moment in moments if moment is not None]
        assert stated == sorted(stated)
        assert notice.published_at <= notice.version_at < now
        assert notice.published_at > now - timedelta(days=3 * 366)
        assert (notice.source_status == "PUB") == (notice.deadline_at is not None and notice.deadline_at > now)


def test_progress_only_goes_forward_and_reaches_its_end(empty: Database) -> None:
    seen: list[SampleProgress] = []
    fill(empty, progress=seen.append)
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert seen[-1].done == seen[-1].total
    assert {progress.label for progress in seen} == {"tenders", "documents", "boards"}


def test_it_does_not_mix_with_imported_tenders_by_accident(empty: Database) -> None:
    apply_items(empty, [real_notice()])
    with pytest.raises(StoreError, match="invented data"):
        fill(empty)
    assert rows(empty, "SELECT count(*) FROM tender") == [(1,)]
    assert fill(empty, alongside=True).tenders == 2000
    assert rows(empty, "SELECT count(*) FROM tender") == [(2001,)]


def test_it_takes_an_empty_account_and_leaves_one_that_is_used(filled: tuple[Database, SampleReport], empty: Database) -> None:
    assert Access(filled[0]).default_account().name == "Sample workspace (synthetic)"
    mine = Access(empty).default_account()
    Access(empty).create_user(mine.slug, "Somebody")
    fill(empty)
    accounts = {account.slug: account.name for account in Access(empty).accounts()}
    assert accounts == {"local": mine.name, "sample": "Sample workspace (synthetic)"}


def test_everything_says_that_it_is_synthetic(filled: tuple[Database, SampleReport]) -> None:
    db, _ = filled
    for (stored,) in rows(db, "SELECT record FROM tender"):
        record = json.loads(str(stored))
        assert record["sources"][0]["name"] == "synthetic sample"
        assert record["expedient"].startswith("SYN")
        assert record["contractingOrganization"]["name"].endswith("(synthetic)")
        assert all(bidder["name"].endswith("(synthetic)") for bidder in record["successBidders"])
        assert re.search(r"sint[éèe]ti|synthetic", record["description"], re.IGNORECASE)
        assert record["platformUrl"].startswith("https://example.org/")
    assert rows(db, "SELECT name FROM organization WHERE name NOT LIKE '%(synthetic)'") == []
    assert rows(db, "SELECT name FROM account WHERE name NOT LIKE '%(synthetic)'") == []
    assert rows(db, "SELECT uri FROM document WHERE uri IS NOT NULL AND uri NOT LIKE 'https://example.org/%'") == []
    assert rows(db, "SELECT email FROM account_user WHERE email NOT LIKE '%@example.org'") == []


def test_no_identifier_could_be_anybodys_tax_number(filled: tuple[Database, SampleReport]) -> None:
    for (tax_id,) in rows(filled[0], "SELECT tax_id FROM organization"):
        assert str(tax_id).startswith("SYN")
        assert not is_personal(str(tax_id))
        assert not SPANISH_TAX_ID.fullmatch(str(tax_id))


def test_references_hold(filled: tuple[Database, SampleReport]) -> None:
    db, _ = filled
    assert rows(db, "PRAGMA foreign_key_check") == []
    broken = {
        "tender of an opportunity": "SELECT id FROM opportunity WHERE tender_id NOT IN (SELECT id FROM tender)",
        "stage of another pipeline": "SELECT o.id FROM opportunity o JOIN stage s ON s.id = o.stage_id "
        "WHERE s.pipeline_id <> o.pipeline_id",
        "user of an opportunity": "SELECT o.id FROM opportunity o, json_each(o.responsibles) u "
        "WHERE u.value NOT IN (SELECT id FROM account_user)",
        "team of an opportunity": "SELECT o.id FROM opportunity o, json_each(o.teams) t "
        "WHERE t.value NOT IN (SELECT id FROM team)",
        "user of a task": "SELECT t.id FROM task t, json_each(t.user_ids) u WHERE u.value NOT IN (SELECT id FROM account_user)",
        "user of an alert": "SELECT a.id FROM alert a, json_each(a.responsibles) u "
        "WHERE json_extract(u.value, '$.id') NOT IN (SELECT id FROM account_user)",
        "last move": "SELECT o.id FROM opportunity o WHERE stage_id <> (SELECT to_stage_id FROM opportunity_history h "
        "WHERE h.opportunity_id = o.id ORDER BY at DESC, (h.from_stage_id IS NULL) LIMIT 1)",
        "step of another pipeline": "SELECT a.id FROM workflow_action a JOIN workflow_step s ON s.id = a.workflow_step_id "
        "JOIN opportunity o ON o.id = a.opportunity_id WHERE s.pipeline_id <> o.pipeline_id",
        "closed but open": "SELECT o.id FROM opportunity o JOIN stage s ON s.id = o.stage_id "
        "WHERE s.is_terminal <> (o.closed_at IS NOT NULL)",
        "organization of the account": "SELECT id FROM account WHERE organization_id NOT IN (SELECT id FROM organization)",
    }
    assert {what: found for what, query in broken.items() if (found := rows(db, query))} == {}


def test_each_pipeline_has_one_way_in_and_every_way_out(filled: tuple[Database, SampleReport]) -> None:
    query = "SELECT sum(is_initial), sum(is_terminal), count(DISTINCT sort_points) = count(*), min(show_in_kanban) FROM stage"
    assert rows(filled[0], f"{query} GROUP BY pipeline_id") == [(1, 3, 1, 0), (1, 3, 1, 0)]


def test_alerts_are_what_the_interface_would_take(filled: tuple[Database, SampleReport]) -> None:
    columns = "title, windows_search, criteria, notification_config, responsibles"
    for title, *parts in rows(filled[0], f"SELECT {columns} FROM alert"):
        windows, criteria, notification, people = (json.loads(str(part)) for part in parts)
        body = {"windowsSearch": windows, "criteria": criteria, "notificationConfig": notification, "responsibles": people}
        AlertDraft.model_validate_json(json.dumps({"title": title, **body}))


def test_awards_look_alive(filled: tuple[Database, SampleReport]) -> None:
    db, _ = filled
    top = rows(
        db,
        "SELECT supplier_id, count(*), count(DISTINCT year) FROM award WHERE supplier_id IS NOT NULL "
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
    )
    supplier, wins, years = top[0]
    assert int(str(wins)) > 25
    assert int(str(years)) >= 3
    statistics = Organizations(db).awards(str(supplier))
    assert statistics is not None
    assert len(statistics["stats"]) >= 3
    [(single,)] = rows(db, "SELECT avg(offers = 1) FROM award WHERE offers > 0")
    assert 0.25 < float(str(single)) < 0.45
    [(above,)] = rows(
        db,
        "SELECT avg(json_extract(record, '$.awardAmount') > budget) FROM tender "
        "WHERE json_extract(record, '$.awardAmount') IS NOT NULL AND budget IS NOT NULL",
    )
    assert float(str(above)) < 0.03
    assert len(rows(db, "SELECT DISTINCT value FROM tender, json_each(record, '$.locations')")) > 100
    [(lots,)] = rows(db, "SELECT avg(json_extract(record, '$.numLots') > 0) FROM tender")
    assert 0.18 < float(str(lots)) < 0.32
