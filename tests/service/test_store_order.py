"""The outcome of an import does not depend on the order in which things are read, nor on how often."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_builders import BUYER, NOW, SUPPLIER, clock, column, day, dump, notice, only, opened, records, totals, withdrawal

from workbench.feeds.notice import Award, Document, FeedItem, Party, WithdrawalReason
from workbench.service.store.database import Database
from workbench.service.store.importer import apply_items, import_paths

PARTIES = (
    BUYER,
    SUPPLIER,
    Party("AYUNTAMIENTO DE EJEMPLO", (("DIR3", "L01080193"),), web_url="https://ejemplo.example"),
    Party("Construcciones Ejemplo SL", (("NIF", "B-11111112"),), city="Lleida"),
    Party("Alcalde", parents=("Ayuntamiento de Ejemplo",)),
    Party("-", (("OTROS", "-"),)),
)

versions = st.builds(
    notice,
    st.integers(1, 3),
    st.integers(0, 4),
    file_time=st.sampled_from(("20260110", "20260111")),
    rank=st.integers(0, 2),
    status=st.sampled_from(("Publicada", "Adjudicada", "Cerrada")),
    cancelled=st.booleans(),
    name=st.sampled_from(("Obra", "Obra corregida")),
    budget_no_taxes=st.sampled_from((None, 10.0)),
    published_at=st.sampled_from((None, day(1))),
    deadline_at=st.sampled_from((None, day(30))),
    buyer=st.sampled_from((None, *PARTIES)),
    awards=st.sampled_from(((), (Award(supplier=SUPPLIER, amount_no_taxes=9.0),), (Award(supplier=PARTIES[3]),))),
    documents=st.sampled_from(((), (Document("a.pdf"),), (Document("a.pdf"), Document("a.pdf")))),
)
withdrawals = st.builds(withdrawal, st.integers(1, 3), st.integers(0, 5), st.sampled_from(WithdrawalReason))


def after(batches: Sequence[Sequence[FeedItem]]) -> dict[str, list[tuple[Any, ...]]]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder), clock=clock)
        for batch in batches:
            apply_items(database, batch)
        found = dump(database)
        database.close()
    return found


@settings(max_examples=40, deadline=None)
@given(items=st.lists(versions | withdrawals, min_size=1, max_size=8), data=st.data())
def test_any_order_and_any_batches_give_the_same_rows(items: list[FeedItem], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))
    cut = data.draw(st.integers(0, len(items)))
    assert after([shuffled[:cut], shuffled[cut:]]) == after([items])


@settings(max_examples=15, deadline=None)
@given(items=st.lists(versions | withdrawals, min_size=1, max_size=8))
def test_reading_the_same_again_changes_nothing(items: list[FeedItem]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = opened(Path(folder), items)
        before = dump(database)
        report = apply_items(database, items)
        assert totals(report) == (0, 0, len(items), 0, 0)
        assert dump(database) == before
        database.close()


def test_real_files_in_any_order_give_the_same_rows(shared_data: Path, tmp_path: Path) -> None:
    files = sorted((shared_data / "placsp").glob("Plataformas*"))
    found = []
    for number, order in enumerate((files, files[::-1], files[2:] + files[:2])):
        database = Database(tmp_path / str(number), clock=clock)
        for file in order:
            import_paths(database, [file])
        found.append(dump(database))
        database.close()
    assert found[0]["tender"]
    assert found[1] == found[0]
    assert found[2] == found[0]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_newest_version_wins(tmp_path: Path, order: tuple[int, ...]) -> None:
    items = [notice(1, 0, name="first"), notice(1, 1, name="second"), notice(1, 2, name="third", status="Adjudicada")]
    database = opened(tmp_path, [items[at] for at in order])
    record = only(database)
    assert (record["name"], record["status"], record["expedientUpdatedAt"]) == ("third", "Adjudicada", "2026-01-12T09:00:00Z")
    database.close()


@pytest.mark.parametrize("backwards", [False, True])
def test_of_equal_times_the_newer_file_wins_then_the_later_stage(tmp_path: Path, backwards: bool) -> None:
    by_file = [notice(1, name="corrected", file_time="20260112"), notice(1, name="first", file_time="20260110", rank=9)]
    by_stage = [notice(2, name="awarded", rank=2), notice(2, name="published", rank=1)]
    items = [*by_file, *by_stage]
    database = opened(tmp_path, items[::-1] if backwards else items)
    assert {record["name"] for record in records(database)} == {"corrected", "awarded"}
    database.close()


@pytest.mark.parametrize("backwards", [False, True])
def test_publication_falls_back_to_the_earliest_version(tmp_path: Path, backwards: bool) -> None:
    items = [notice(1, 2), notice(1, 0), notice(1, 5, name="newest")]
    database = opened(tmp_path, items[::-1] if backwards else items)
    assert only(database)["expedientPublishedAt"] == "2026-01-10T09:00:00Z"
    apply_items(database, [notice(1, 6, published_at=day(6), published_estimated=True)])
    assert only(database)["expedientPublishedAt"] == "2026-01-10T09:00:00Z"
    apply_items(database, [notice(1, 7, published_at=day(-3))])
    assert only(database)["expedientPublishedAt"] == "2026-01-07T09:00:00Z"
    database.close()


@pytest.mark.parametrize(
    ("change", "is_significant"),
    [
        ({}, False),
        ({"description": "another"}, False),
        ({"status": "Adjudicada"}, True),
        ({"deadline_at": day(99)}, True),
        ({"budget_no_taxes": 5.0}, True),
        ({"awards": (Award(supplier=SUPPLIER),)}, True),
        ({"documents": (Document("new.pdf"),)}, True),
    ],
)
def test_what_counts_as_a_significant_change(tmp_path: Path, change: dict[str, Any], is_significant: bool) -> None:
    database = opened(tmp_path, [notice(1, 0), notice(1, 3, **change)])
    expected = "2026-01-13T09:00:00Z" if is_significant else "2026-01-10T09:00:00Z"
    assert only(database)["lastSignificantChangeAt"] == expected
    database.close()


WITHDRAWN = [
    (WithdrawalReason.CANCELLED, "Publicada", "Cerrada"),
    (WithdrawalReason.CANCELLED, "Adjudicada", "Cerrada"),
    (WithdrawalReason.ARCHIVED, "Publicada", "Cerrada"),
    (WithdrawalReason.ARCHIVED, "Adjudicada", "Adjudicada"),
    (WithdrawalReason.ARCHIVED, "Resuelta", "Resuelta"),
    (WithdrawalReason.ARCHIVED, "Formalizada", "Formalizada"),
    (WithdrawalReason.UNSTATED, "Publicada", "Publicada"),
]


@pytest.mark.parametrize(("reason", "status", "expected"), WITHDRAWN)
@pytest.mark.parametrize("tombstone_first", [False, True])
def test_a_withdrawal_closes_what_it_should_and_deletes_nothing(
    tmp_path: Path, reason: WithdrawalReason, status: str, expected: str, tombstone_first: bool
) -> None:
    items = [notice(1, 0, status=status), withdrawal(1, 2, reason)]
    database = opened(tmp_path, items[::-1] if tombstone_first else items)
    changed = "2026-01-12T09:00:00Z" if status != expected else "2026-01-10T09:00:00Z"
    assert (only(database)["status"], only(database)["lastSignificantChangeAt"]) == (expected, changed)
    assert column(database, "cancelled") == (reason is WithdrawalReason.CANCELLED)
    assert (column(database, "archived_at") is not None) == (reason is WithdrawalReason.ARCHIVED)
    assert (column(database, "removed_at") is not None) == (reason is WithdrawalReason.UNSTATED)
    database.close()


@pytest.mark.parametrize("reason", list(WithdrawalReason))
@pytest.mark.parametrize("backwards", [False, True])
def test_a_later_version_revives_and_one_of_the_same_time_does_not(
    tmp_path: Path, reason: WithdrawalReason, backwards: bool
) -> None:
    items = [notice(1, 0), withdrawal(1, 2, reason), notice(1, 2, name="of the same time")]
    database = opened(tmp_path, items[::-1] if backwards else items)
    assert (only(database)["status"] == "Cerrada") == (reason is not WithdrawalReason.UNSTATED)
    apply_items(database, [notice(1, 3)])
    assert only(database)["status"] == "Publicada"
    assert [column(database, name) for name in ("cancelled", "archived_at", "removed_at")] == [0, None, None]
    database.close()


def test_the_local_clocks_are_when_it_was_stored_and_changed(tmp_path: Path) -> None:
    moments = iter([NOW, NOW, day(100), day(100), day(101), day(101)])
    database = Database(tmp_path, clock=lambda: next(moments))
    for items in ([notice(1)], [notice(1)], [notice(1, 5)]):
        apply_items(database, items)
    assert (only(database)["createdAt"], only(database)["updatedAt"]) == ("2026-03-15T12:00:00Z", "2026-04-21T09:00:00Z")
    database.close()
