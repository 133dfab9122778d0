"""Pipelines and their boards: lists, totals, columns and search (interface 2, 4.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, func, literal, select

from workbench.contract.pipelines import BoardQuery, BoardSearchQuery, ColumnQuery, PageQuery
from workbench.contract.record import JsonObject
from workbench.contract.vocabulary import (
    KANBAN_LIMIT_DEFAULT,
    PAGE_FIRST,
    PAGE_SIZE_DEFAULT,
    PAGE_SIZE_DEFAULT_KANBAN,
    OpportunitySort,
    SortDirection,
)
from workbench.reference.text import spaced
from workbench.service.board_records import envelope, wire_opportunity, wire_pipeline, wire_stage
from workbench.service.people import team_names, user_names
from workbench.service.refusals import invalid, not_found
from workbench.service.scope import AccountScope, OwnedRows
from workbench.service.store.query_text import Term, TextQuery, read_text
from workbench.service.store.workspace_tables import opportunity, pipeline, stage

NO_PIPELINE: Final = "No pipeline has this id."
NO_STAGE: Final = "This pipeline has no stage with this id."
DEFAULT_CURRENCY: Final = "EUR"

_SORTED_BY: Final = {
    OpportunitySort.CUSTOM: opportunity.c.sort_points,
    OpportunitySort.UPDATED: opportunity.c.updated_at,
    OpportunitySort.DUE: opportunity.c.due_at,
    OpportunitySort.BUDGET: opportunity.c.amount,
    OpportunitySort.PRORATED_BUDGET: opportunity.c.prorated_amount,
}


class Boards:
    """The pipelines of one account. Every method reads one moment of the data.

    A pipeline or stage that the account does not have is refused with 404, whether or not another account has it.
    """

    def __init__(self, scope: AccountScope) -> None:
        self._scope = scope

    def pipelines(self, query: PageQuery) -> JsonObject:
        """One page of the pipelines in the order of their making, each with its stages in the order of the board."""
        page, size = query.page or PAGE_FIRST, query.page_size or PAGE_SIZE_DEFAULT
        wanted = select(pipeline).order_by(pipeline.c.sort_points, pipeline.c.name)
        with self._scope.reading() as rows:
            found = rows.all(wanted.limit(size + 1).offset((page - 1) * size))
            stages = _stages(rows, (row.id for row in found))
        return envelope([wire_pipeline(row, [one for one in stages if one.pipeline_id == row.id]) for row in found], page, size)

    def totals(self, pipeline_id: str, query: BoardQuery) -> list[JsonObject]:
        """Each stage of a pipeline, in the order of the board, with how many opportunities it has and what they sum up to.

        Opportunities without an amount are counted and add nothing. Amounts are summed in one currency, which most of the
        pipeline's opportunities have; what stands in others is not added to it but listed as ``otherAmounts``.
        """
        chosen = _whose(query)
        of_pipeline = opportunity.c.pipeline_id == pipeline_id
        groups = (opportunity.c.stage_id, opportunity.c.currency)
        figures = (func.count().label("number"), func.sum(opportunity.c.amount).label("amount"))
        with_amount = opportunity.c.amount.is_not(None) & opportunity.c.currency.is_not(None)
        with self._scope.reading() as rows:
            rows.need(pipeline, pipeline_id, missing=NO_PIPELINE)
            stages = _stages(rows, [pipeline_id])
            currencies = rows.all(
                select(opportunity.c.currency, func.count().label("number"))
                .where(of_pipeline, with_amount)
                .group_by(opportunity.c.currency)
                .order_by(func.count().desc(), opportunity.c.currency)
            )
            sums = rows.all(select(*groups, *figures).where(of_pipeline, *chosen).group_by(*groups))
        currency: str = currencies[0].currency if currencies else DEFAULT_CURRENCY
        return [_total(one, [row for row in sums if row.stage_id == one.id], currency) for one in stages]

    def column(
        self,
        pipeline_id: str,
        stage_id: str,
        query: ColumnQuery,
        direction: SortDirection = SortDirection.ASCENDING,
    ) -> JsonObject:
        """One page of the opportunities in a stage, in the board's own order unless ``sort`` asks for another."""
        page, size = query.page or PAGE_FIRST, query.page_size or PAGE_SIZE_DEFAULT_KANBAN
        wanted = select(opportunity).where(opportunity.c.stage_id == stage_id).order_by(*_order(query.sort, direction))
        with self._scope.reading() as rows:
            rows.need(pipeline, pipeline_id, missing=NO_PIPELINE)
            if rows.need(stage, stage_id, missing=NO_STAGE).pipeline_id != pipeline_id:
                raise not_found(NO_STAGE)
            found = _opportunities(rows, rows.all(wanted.limit(size + 1).offset((page - 1) * size)))
        return envelope(found, page, size)

    def search(
        self, pipeline_id: str, query: BoardSearchQuery, direction: SortDirection = SortDirection.ASCENDING
    ) -> dict[str, list[JsonObject]]:
        """The opportunities of a pipeline that fit, by stage id; every stage is there, at most ``limit`` in each.

        ``search`` is read as the text of a tender search is (:mod:`workbench.service.store.query_text`), on the names of
        opportunities, and each word typed may be the beginning of one: ``carret`` finds ``Carretera``.
        """
        limit = query.limit or KANBAN_LIMIT_DEFAULT
        text = read_text(query.search or "")
        of_pipeline = opportunity.c.pipeline_id == pipeline_id
        names = select(opportunity.c.id, opportunity.c.stage_id, opportunity.c.name).where(of_pipeline, *_whose(query))
        with self._scope.reading() as rows:
            rows.need(pipeline, pipeline_id, missing=NO_PIPELINE)
            board: dict[str, list[str]] = {one.id: [] for one in _stages(rows, [pipeline_id])}
            for row in rows.all(names.order_by(*_order(query.sort, direction))):
                column = board[row.stage_id]
                if len(column) < limit and _fits(row.name, text):
                    column.append(row.id)
            chosen = [identity for column in board.values() for identity in column]
            records = _opportunities(rows, rows.all(select(opportunity).where(opportunity.c.id.in_(chosen))))
        by_id = {record["id"]: record for record in records}
        return {stage_id: [by_id[identity] for identity in column] for stage_id, column in board.items()}


def _stages(rows: OwnedRows, pipeline_ids: Iterable[str]) -> Sequence[Row[Any]]:
    return rows.all(
        select(stage).where(stage.c.pipeline_id.in_(list(pipeline_ids))).order_by(stage.c.sort_points, stage.c.name)
    )


def _opportunities(rows: OwnedRows, found: Sequence[Row[Any]]) -> list[JsonObject]:
    users, teams = user_names(rows), team_names(rows)
    return [wire_opportunity(row, users, teams) for row in found]


def _whose(query: BoardQuery) -> list[ColumnElement[bool]]:
    """Conditions on who is responsible: any of the users, and any of the teams where both are asked for."""
    asked = (
        ("responsible", opportunity.c.responsibles, query.responsible),
        ("teamResponsible", opportunity.c.teams, query.team_responsible),
    )
    return [_has_any(column, _ids(name, ids)) for name, column, ids in asked if ids]


def _ids(name: str, ids: Sequence[str]) -> Sequence[str]:
    for identity in ids:
        if not identity or "," in identity:
            raise invalid(f"The query parameter '{name}' takes one id; for several, repeat it: {name}=ID1&{name}=ID2.")
    return ids


def _has_any(column: ColumnElement[Any], ids: Sequence[str]) -> ColumnElement[bool]:
    values = func.json_each(column).table_valued("value")
    return select(literal(1)).select_from(values).where(values.c.value.in_(ids)).exists()


def _order(sort: OpportunitySort | None, direction: SortDirection) -> list[ColumnElement[Any]]:
    """What has no such date or amount comes last in either direction; equals stand as on the board."""
    column = _SORTED_BY[sort or OpportunitySort.CUSTOM]
    turned = column.desc() if direction is SortDirection.DESCENDING else column.asc()
    return [turned.nulls_last(), opportunity.c.sort_points.asc(), opportunity.c.id.asc()]


def _fits(name: str, text: TextQuery) -> bool:
    folded = spaced(name)

    def has(term: Term) -> bool:
        return f" {' '.join(term.words)}" in folded

    return all(any(map(has, group)) for group in text.required) and not any(map(has, text.excluded))


def _total(row: Row[Any], sums: Sequence[Row[Any, Any, int, Any]], currency: str) -> JsonObject:
    amounts: dict[str | None, float] = {one.currency: round(one.amount, 2) for one in sums if one.amount is not None}
    total: JsonObject = {
        "status": wire_stage(row),
        "opportunityCount": sum(one.number for one in sums),
        "totalAmount": amounts.pop(currency, 0),
        "currency": currency,
    }
    if amounts:
        total["otherAmounts"] = [{"currency": other, "amount": amount} for other, amount in sorted(amounts.items(), key=str)]
    return total
