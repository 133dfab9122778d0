"""The one place of isolation: statements are narrowed to the account, or refused, whatever their author thought of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from boards_house import UNKNOWN, House, furnished, house
from sqlalchemy import Select, exists, func, literal, select, table, text, union
from sqlalchemy.exc import IntegrityError

import workbench.service
from workbench.service.access import Access
from workbench.service.refusals import RequestRefused
from workbench.service.scope import AccountScope, Actor, NotKept, Owner, calling_key
from workbench.service.store.access_tables import account, api_key, service_secret, team, team_member
from workbench.service.store.board_tables import workspace_history
from workbench.service.store.schema import METADATA
from workbench.service.store.tenders_tables import tender
from workbench.service.store.workspace_tables import opportunity, opportunity_history, pipeline, stage, task

SERVICE = Path(workbench.service.__file__).parent


@pytest.fixture(name="two")
def two_(tmp_path: Path) -> Iterator[tuple[House, House]]:
    database = furnished(tmp_path)
    access = Access(database)
    pair = house(database, "Norte"), house(database, "Sur")
    for one in pair:
        user = access.create_user(one.slug, f"{one.slug} user")
        access.create_team(one.slug, f"{one.slug} team", [user.id])
        access.create_key(f"{one.slug} key", account_slug=one.slug)
        one.track(1, responsibles=[user.id])
        one.track(2)
    yield pair
    database.close()


def owned_tables() -> list[str]:
    return sorted(name for name, one in METADATA.tables.items() if "account_id" in one.c and one is not api_key)


@pytest.mark.requirement("AUTH-2")
@pytest.mark.parametrize("name", owned_tables())
def test_each_owned_table_shows_the_account_s_rows_only(two: tuple[House, House], name: str) -> None:
    wanted = METADATA.tables[name]
    for one in two:
        with one.scope.reading() as rows:
            assert {row.account_id for row in rows.all(select(wanted))} <= {one.account_id}
            alias = wanted.alias()
            assert {row.account_id for row in rows.all(select(alias))} <= {one.account_id}


@pytest.mark.requirement("AUTH-2")
def test_joins_counts_and_aliases_are_narrowed(two: tuple[House, House]) -> None:
    north, _ = two
    other = opportunity.alias("other")
    counted: list[tuple[Select[int], int]] = [
        (select(func.count()).select_from(opportunity), 2),
        (select(func.count()).select_from(opportunity.join(stage, stage.c.id == opportunity.c.stage_id)), 2),
        (select(func.count()).select_from(opportunity.join(tender, tender.c.id == opportunity.c.tender_id)), 2),
        (select(func.count()).select_from(opportunity.outerjoin(tender, tender.c.id == opportunity.c.tender_id)), 2),
        (select(func.count()).select_from(opportunity.join(other, other.c.stage_id == opportunity.c.stage_id)), 4),
        (select(func.count()).where(opportunity.c.stage_id == stage.c.id), 2),
        (select(func.count()).select_from(account), 1),
        (select(func.count()).select_from(team_member), 1),
        (select(func.count()).select_from(team.join(team_member, team_member.c.team_id == team.c.id)), 1),
        (select(func.count()).select_from(tender), 9),
    ]
    with north.scope.reading() as rows:
        for statement, expected in counted:
            row = rows.first(statement)
            assert row is not None
            assert row[0] == expected, str(statement)


@pytest.mark.requirement("AUTH-2")
def test_what_cannot_be_narrowed_is_refused(two: tuple[House, House]) -> None:
    north, _ = two
    ids = select(opportunity.c.id)
    refused: list[Select[object]] = [
        select(api_key.c.digest),
        select(service_secret.c.value),
        select(ids.subquery().c.id),
        select(ids.cte().c.id),
        select(stage.c.id).where(stage.c.id.in_(select(opportunity.c.stage_id))),
        select(stage.c.id).where(exists().where(opportunity.c.stage_id == stage.c.id)),
        select(stage.c.id, select(func.count()).select_from(opportunity).scalar_subquery()),
        select(union(ids, ids).subquery().c.id),
        select(text("* FROM opportunity")),
        select(stage.c.id).where(text("1=1")),
        select(literal(1)).select_from(text("opportunity")),
        select(literal(1)).select_from(table("opportunity")),
        select(tender.c.id).select_from(tender.outerjoin(opportunity, tender.c.id == opportunity.c.tender_id)),
        select(opportunity.c.id).select_from(opportunity.join(tender, tender.c.id == opportunity.c.tender_id, full=True)),
        select(METADATA.tables["pipeline"].to_metadata(type(METADATA)()).c.id),
    ]
    with north.scope.reading() as rows:
        for statement in refused:
            with pytest.raises(NotKept):
                rows.all(statement)


@pytest.mark.requirement("AUTH-2")
def test_only_whose_a_row_is_can_be_learnt_of_another_account(two: tuple[House, House]) -> None:
    north, south = two
    with south.scope.reading() as rows:
        (theirs,) = rows.all(select(opportunity).where(opportunity.c.name == "Obra 1"))
    with north.scope.reading() as rows:
        (ours,) = rows.all(select(opportunity.c.id).where(opportunity.c.name == "Obra 1"))
        assert rows.owner_of(opportunity, ours.id) is Owner.OURS
        assert rows.owner_of(opportunity, theirs.id) is Owner.ANOTHERS
        assert rows.owner_of(opportunity, UNKNOWN) is Owner.NOBODYS
        assert rows.get(opportunity, theirs.id) is None
        for forbidden, status in ((None, 404), ("Not yours.", 403)):
            with pytest.raises(RequestRefused) as refusal:
                rows.need(opportunity, theirs.id, missing="Not there.", forbidden=forbidden)
            assert refusal.value.status == status
        with pytest.raises(RequestRefused) as refusal:
            rows.need(opportunity, UNKNOWN, missing="Not there.", forbidden="Not yours.")
        assert refusal.value.status == 404
        with pytest.raises(NotKept):
            rows.owner_of(api_key, "x")


@pytest.mark.requirement("AUTH-2")
def test_writing_stays_within_the_account(two: tuple[House, House]) -> None:
    north, south = two
    with south.scope.reading() as rows:
        theirs = rows.all(select(opportunity).order_by(opportunity.c.name))
    with north.scope.writing() as rows:
        assert rows.change(opportunity, theirs[0].id, name="taken") is False
        values = {"title": "x", "status": "to-do", "priority": "low", "user_ids": []}
        with pytest.raises(NotKept, match="refer to a row of opportunity"):
            rows.add(task, opportunity_id=theirs[0].id, **values)
        (ours,) = rows.all(select(opportunity.c.id).where(opportunity.c.name == "Obra 1"))
        with pytest.raises(NotKept, match="refer to a row of stage"):
            rows.change(opportunity, ours.id, stage_id=south.stages["Doing"])
        for values in ({"account_id": south.account_id}, {"account_id": north.account_id}):
            with pytest.raises(NotKept, match="the scope's own"):
                rows.change(opportunity, ours.id, **values)
            with pytest.raises(NotKept, match="the scope's own"):
                rows.add(pipeline, name="x", sort_points=1.0, **values)
        for unowned in (api_key, tender, service_secret, account):
            with pytest.raises(NotKept):
                rows.add(unowned, name="x")
            with pytest.raises(NotKept):
                rows.change(unowned, "x", name="x")
    with south.scope.reading() as rows:
        assert rows.all(select(opportunity).order_by(opportunity.c.name)) == theirs


def test_every_change_is_noted_with_who_and_when(two: tuple[House, House]) -> None:
    north, _ = two
    scope = AccountScope(north.database, north.account_id, calling_key("k1"))
    with scope.writing() as rows:
        made = rows.add(pipeline, name="Noted", sort_points=9.0)
        assert rows.change(pipeline, made, name="Renamed", sort_points=9.0)
        assert rows.change(pipeline, made, name="Renamed")
        now = rows.now
    with scope.reading() as rows:
        noted = rows.all(select(workspace_history).where(workspace_history.c.row_id == made).order_by(workspace_history.c.id))
    assert [(one.kind, one.changes, one.actor_type, one.actor_id, one.at) for one in noted] == [
        ("pipeline", {"name": "Noted", "sort_points": 9.0}, "apiKey", "k1", now),
        ("pipeline", {"name": ["Noted", "Renamed"]}, "apiKey", "k1", now),
    ]
    assert Actor("administration").id is None


def test_what_is_undone_leaves_no_note(two: tuple[House, House]) -> None:
    north, _ = two
    with north.scope.reading() as rows:
        before = rows.all(select(workspace_history.c.id))

    def fail() -> None:
        with north.scope.writing() as rows:
            rows.add(pipeline, name="Undone", sort_points=9.0)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with north.scope.reading() as rows:
        assert rows.all(select(workspace_history.c.id)) == before
        assert rows.first(select(pipeline.c.id).where(pipeline.c.name == "Undone")) is None


@pytest.mark.parametrize("history", [opportunity_history, workspace_history])
def test_nothing_changes_or_deletes_history(two: tuple[House, House], history: object) -> None:
    north, _ = two
    kept = METADATA.tables[str(history)]
    with north.scope.reading() as rows:
        before = rows.all(select(kept))
    assert before
    for statement in (kept.delete(), kept.update().values(at=0), METADATA.tables["account"].delete()):
        with pytest.raises(IntegrityError), north.database.writer() as connection:
            connection.execute(statement)
    with north.scope.reading() as rows:
        assert rows.all(select(kept)) == before


# Who goes past the scope, and why: each of these works for the whole service and not for a caller.
WHOLE_SERVICE = {
    "delivery": "runs the alerts of every account on their schedule",
    "summary_worker.py": "writes the summaries of every account",
    "access.py": "administers accounts, users, teams and keys",
    "key_directory.py": "finds out which account a key opens",
    "sample.py": "fills an empty database",
    "sample_people.py": "fills an empty database",
    "scope.py": "is the place of isolation itself",
}


def test_use_cases_reach_owned_tables_through_the_scope_only() -> None:
    owned = set(owned_tables()) | {"api_key", "team_member", "account"}
    past: list[str] = []
    for path in SERVICE.rglob("*.py"):
        name = str(path.relative_to(SERVICE))
        if WHOLE_SERVICE.keys() & {name, path.parent.name} or path.parent.name == "store":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = ("access_tables", "board_tables", "workspace_tables", "delivery_tables", "summary_tables")
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in modules
            for alias in node.names
        }
        calls = {
            node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        if imported & owned and calls & {"reader", "writer", "execute", "exec_driver_sql"}:
            past.append(name)
    assert past == [], "these ask the database for an account's rows past AccountScope"
