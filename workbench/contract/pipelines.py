"""Pipelines, their stages and the kanban board (interface 2 and 4.1)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workbench.contract.aliases import also
from workbench.contract.record import Identifier, Record
from workbench.contract.request import Request
from workbench.contract.vocabulary import KANBAN_LIMIT_MAX, PAGE_FIRST, PAGE_SIZE_MAX, OpportunitySort


class Stage(Record):
    """A stage of a pipeline, called status on the wire. Reaching a terminal stage closes an opportunity for good."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    is_initial: bool | None = None
    is_terminal: bool | None = None
    outcome_type: str | None = None
    sort_points: float | None = None
    show_in_kanban: bool | None = None
    description: str | None = None
    pipeline_id: Identifier | None = None
    background_color: str | None = None
    text_color: str | None = None


class Pipeline(Record):
    """A pipeline and its stages."""

    id: Identifier | None = Field(None, validation_alias=also("id"))
    name: str | None = Field(None, validation_alias=also("name"))
    statuses: tuple[Stage, ...] = ()


class StageTotal(Record):
    """One column of the board in figures; ``total_amount`` is in ``currency``."""

    status: Stage | None = None
    opportunity_count: int | None = None
    total_amount: float | None = None
    currency: str | None = None


class PageQuery(Request):
    """Which page of a list; pages are 1-based."""

    page: Annotated[int, Field(ge=PAGE_FIRST)] | None = None
    page_size: Annotated[int, Field(ge=1, le=PAGE_SIZE_MAX)] | None = None


class BoardQuery(Request):
    """Whose opportunities: ids of users and of teams."""

    responsible: tuple[str, ...] | None = None
    team_responsible: tuple[str, ...] | None = None


class ColumnQuery(PageQuery):
    """Query of one column of the board."""

    sort: OpportunitySort | None = None


class BoardSearchQuery(BoardQuery):
    """Query of the board search; ``limit`` is per stage."""

    search: str | None = None
    limit: Annotated[int, Field(ge=1, le=KANBAN_LIMIT_MAX)] | None = None
    sort: OpportunitySort | None = None
