"""Tracking: a tender becomes an opportunity on a board, and the owner arranges a column by hand (design, decision 10)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, select

from workbench.contract.record import JsonObject
from workbench.service.administration import account_scope, add_actions, need_pipeline
from workbench.service.board_records import wire_opportunity
from workbench.service.board_templates import BoardError, checked_name
from workbench.service.boards import DEFAULT_CURRENCY
from workbench.service.opportunities import STEP_ON_BOARD, end_of_column, note_move
from workbench.service.people import team_names, user_names
from workbench.service.scope import OwnedRows, WritableRows
from workbench.service.store.database import Database
from workbench.service.store.tenders_tables import tender
from workbench.service.store.workspace_tables import opportunity, stage, workflow_step
from workbench.service.summaries import request_summary

_UNTITLED: Final = "(no title)"


class Tracking:
    """Opportunities of one account. Every method is one transaction and raises :class:`BoardError` for what cannot be done."""

    def __init__(self, database: Database, account: str) -> None:
        self._scope = account_scope(database, account)

    def track(
        self,
        tender_id: str,
        pipeline: str,
        *,
        responsibles: Sequence[str] = (),
        teams: Sequence[str] = (),
        name: str | None = None,
        amount: float | None = None,
        due: datetime | None = None,
        again: bool = False,
    ) -> JsonObject:
        """A new opportunity in the initial stage of a pipeline (id or exact name), with the actions of its workflow and a
        summary asked for.

        Its name is the tender's, its amount the budget without taxes (in the tender's currency) and its due date the
        submission deadline, unless others are given. ``responsibles`` and ``teams`` are ids or exact
        names. A tender that the pipeline has already is refused unless ``again``.
        """
        with self._scope.writing() as rows:
            found = _need_tender(rows, tender_id)
            board = need_pipeline(rows, pipeline)
            beginning = rows.first(select(stage).where(stage.c.pipeline_id == board.id, stage.c.is_initial.is_(True)))
            if beginning is None:
                raise BoardError(f"The pipeline {board.name!r} has no initial stage, in which an opportunity could begin.")
            there = (opportunity.c.pipeline_id == board.id) & (opportunity.c.tender_id == found.id)
            known = rows.first(select(opportunity.c.id).where(there))
            if known is not None and not again:
                raise BoardError(
                    f"The pipeline {board.name!r} tracks this tender already, as {known.id}; --again adds another."
                )
            made = rows.add(
                opportunity,
                pipeline_id=board.id,
                stage_id=beginning.id,
                tender_id=found.id,
                responsibles=_ids(responsibles, user_names(rows), "user"),
                teams=_ids(teams, team_names(rows), "team"),
                sort_points=end_of_column(rows, beginning.id),
                **_figures(found, name, amount, due),
            )
            note_move(rows, made, None, beginning.id)
            add_actions(rows, made, found.id, workflow_step.c.pipeline_id == board.id)
            request_summary(rows, made)
            return _record(rows, made)

    def place(self, opportunity_id: str, *, before: str | None = None, after: str | None = None) -> JsonObject:
        """Arrange an opportunity within its column: before or after another one of it; at its end where neither is given."""
        with self._scope.writing() as rows:
            moved = _need_opportunity(rows, opportunity_id)
            in_column = opportunity.c.stage_id == moved.stage_id
            order = select(opportunity.c.id, opportunity.c.sort_points).where(in_column, opportunity.c.id != moved.id)
            column = [
                (row.id, row.sort_points) for row in rows.all(order.order_by(opportunity.c.sort_points, opportunity.c.id))
            ]
            ids = [identity for identity, _ in column]
            place = _place(ids, before, after)
            low = column[place - 1][1] if place else None
            high = column[place][1] if place < len(column) else None
            points = _between(low, high)
            if points is not None:
                rows.change(opportunity, moved.id, sort_points=points)
            else:
                # No number fits between the neighbours any more, so the column is numbered afresh.
                for number, identity in enumerate([*ids[:place], moved.id, *ids[place:]], start=1):
                    rows.change(opportunity, identity, sort_points=STEP_ON_BOARD * number)
            return _record(rows, moved.id)


def _need_tender(rows: OwnedRows, tender_id: str) -> Row[Any, Any, Any, Any, Any]:
    columns = (tender.c.id, tender.c.record, tender.c.budget, tender.c.prorated_budget, tender.c.deadline)
    found = rows.first(select(*columns).where(tender.c.id == tender_id.lower()))
    if found is None:
        raise BoardError(f"No tender has the id {tender_id!r}; `workbench search` shows the ids.")
    return found


def _need_opportunity(rows: OwnedRows, opportunity_id: str) -> Row[Any]:
    found = rows.get(opportunity, opportunity_id)
    if found is None:
        raise BoardError(f"No opportunity has the id {opportunity_id!r}; `workbench board PIPELINE` shows the ids.")
    return found


def _figures(
    found: Row[Any, Any, Any, Any, Any], name: str | None, amount: float | None, due: datetime | None
) -> dict[str, Any]:
    record: JsonObject = json.loads(found.record)
    prorated: float | None = found.prorated_budget
    if amount is None:
        amount = found.budget
    elif prorated is not None and found.budget:
        prorated = round(prorated * amount / found.budget, 2)
    deadline = None if found.deadline is None else found.deadline // 1_000_000
    return {
        "name": checked_name(name, "an opportunity") if name else record["name"] or _UNTITLED,
        "amount": amount,
        "prorated_amount": prorated,
        "currency": record["currency"] or DEFAULT_CURRENCY,
        "due_at": deadline if due is None else int(due.timestamp()),
    }


def _ids(given: Sequence[str], names: Mapping[str, str], what: str) -> list[str]:
    """The ids of users or teams that are named by id or exact name, each once."""
    found: dict[str, None] = {}
    for one in given:
        fitting = [one] if one in names else [identity for identity, name in names.items() if name == one]
        if not fitting:
            known = ", ".join(map(repr, names.values())) or "none yet"
            raise BoardError(f"The account has no {what} {one!r}. Its {what}s: {known}.")
        if len(fitting) > 1:
            raise BoardError(f"Several {what}s have the name {one!r}; give the id: {', '.join(fitting)}.")
        found[fitting[0]] = None
    return list(found)


def _place(ids: Sequence[str], before: str | None, after: str | None) -> int:
    if before is not None and after is not None:
        raise BoardError("An opportunity goes before another one or after it, not both.")
    for neighbour, offset in ((before, 0), (after, 1)):
        if neighbour is not None:
            if neighbour not in ids:
                raise BoardError(f"{neighbour!r} is no other opportunity of the same column.")
            return ids.index(neighbour) + offset
    return len(ids)


def _between(low: float | None, high: float | None) -> float | None:
    """A number between two; ``None`` where none fits."""
    if high is None:
        return (low or 0.0) + STEP_ON_BOARD
    below = low if low is not None else high - 2 * STEP_ON_BOARD
    middle = (below + high) / 2
    return middle if below < middle < high else None


def _record(rows: WritableRows, opportunity_id: str) -> JsonObject:
    return wire_opportunity(_need_opportunity(rows, opportunity_id), user_names(rows), team_names(rows))
