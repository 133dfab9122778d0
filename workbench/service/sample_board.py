"""The boards of the sample workspace: two pipelines, forty opportunities, their history, workflow, tasks and summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID, uuid5

from workbench.feeds.notice import Notice
from workbench.service.sample_course import MADRID
from workbench.service.sample_texts import (
    ACTIONS,
    FAILED_SUMMARY,
    PIPELINES,
    STAGES,
    STEPS,
    SUMMARY_NAMES,
    TASKS,
    summary_text,
)
from workbench.service.sample_words import HOUSE_NAME, MARK
from workbench.service.store.identity import tender_id

Rows = dict[str, list[dict[str, Any]]]
"""Table name to the rows to insert."""

_NAMESPACE = UUID("5a3e1f0c-2d7b-5c64-8f11-6d1f20b7a9c3")
# How many opportunities stand in each stage, in the order of STAGES, for each pipeline.
_SPREAD = ((5, 5, 4, 0, 3, 2, 2, 1), (4, 3, 3, 1, 2, 2, 2, 1))
_DONE_BY_STAGE = {"New": 0.0, "Qualifying": 0.2, "Preparing bid": 0.55, "On hold": 0.4, "Submitted": 0.95}
_TASK_STATUSES = ("to-do", "to-do", "in-progress", "done")
_PRIORITIES = ("high", "medium", "medium", "low")


def sample_id(kind: str, *parts: object) -> str:
    """The uuid text of one thing of the sample: the same in every sample, whatever its seed."""
    return str(uuid5(_NAMESPACE, "/".join([kind, *map(str, parts)])))


@dataclass(slots=True)
class Board:
    """What the rows of a board are made with; ``users`` are ids, ``teams`` the ids of one team for each pipeline."""

    random: Random
    today: date
    account_id: str
    users: Sequence[str]
    teams: Sequence[str]
    rows: Rows = field(default_factory=dict[str, list[dict[str, Any]]])

    def add(self, table: str, **values: Any) -> None:
        """One row of ``table``, of this account."""
        self.rows.setdefault(table, []).append({"account_id": self.account_id, **values})

    def seconds(self, days_ago: float, hour: int = 9) -> int:
        """A moment so many days before the sample's day, at an hour of the office, in seconds since 1970."""
        start = datetime.combine(self.today, time(0), MADRID) - timedelta(days=days_ago)
        return int((start + timedelta(hours=hour - 24)).timestamp())


def board_rows(board: Board, notices: Sequence[Notice]) -> Rows:
    """Rows of pipeline, stage, opportunity, opportunity_history, workflow_step, workflow_action, task and summary."""
    for number, (name, divisions) in enumerate(PIPELINES):
        pipeline_id = sample_id("pipeline", number)
        created = board.seconds(700)
        board.add(
            "pipeline", id=pipeline_id, name=name, sort_points=100.0 * (number + 1), created_at=created, updated_at=created
        )
        _add_stages(board, number, pipeline_id, created)
        _add_steps(board, number, pipeline_id, created)
        fitting = [notice for notice in notices if notice.cpvs[0][:2] in divisions and notice.budget_no_taxes]
        for stage, place, notice in _spread(board.random, number, fitting):
            _Pursuit(board, number, stage, place, notice).add()
    return board.rows


def _add_stages(board: Board, pipeline: int, pipeline_id: str, created: int) -> None:
    for place, stage in enumerate(STAGES):
        if _SPREAD[pipeline][place] == 0:
            continue
        board.add(
            "stage",
            id=sample_id("stage", pipeline, stage.name),
            pipeline_id=pipeline_id,
            name=stage.name,
            is_initial=place == 0,
            is_terminal=stage.outcome is not None,
            outcome_type=stage.outcome,
            sort_points=100.0 * (place + 1),
            show_in_kanban=stage.shown,
            description=stage.description,
            background_color=stage.background,
            text_color=stage.text,
            created_at=created,
            updated_at=created,
        )


def _add_steps(board: Board, pipeline: int, pipeline_id: str, created: int) -> None:
    for place, name in enumerate(STEPS[pipeline], start=1):
        board.add(
            "workflow_step",
            id=sample_id("step", pipeline, place),
            pipeline_id=pipeline_id,
            name=name,
            position=float(place),
            created_at=created,
            updated_at=created,
        )


def _spread(random: Random, pipeline: int, notices: Sequence[Notice]) -> Iterator[tuple[str, int, Notice]]:
    """Which tender stands in which stage: open ones at the start, ours among the won, other people's among the lost."""
    house = f"{HOUSE_NAME} {MARK}"
    newest = sorted(notices, key=lambda notice: (notice.published_at or notice.version_at, notice.source_id), reverse=True)
    pools: dict[str, list[Notice]] = {"open": [], "waiting": [], "won": [], "lost": []}
    for notice in newest:
        winners = [award.supplier.name for award in notice.awards if award.supplier]
        if notice.source_status == "PUB":
            pools["open"].append(notice)
        elif notice.source_status == "EV":
            pools["waiting"].append(notice)
        elif winners:
            pools["won" if house in winners else "lost"].append(notice)
    random.shuffle(pools["open"])
    for stage, count in zip(STAGES, _SPREAD[pipeline], strict=True):
        for place in range(count):
            yield stage.name, place, pools[stage.pool].pop(0)


class _Pursuit:
    """One opportunity with all that hangs on it."""

    def __init__(self, board: Board, pipeline: int, stage: str, place: int, notice: Notice) -> None:
        self.board, self.pipeline, self.stage, self.place, self.notice = board, pipeline, stage, place, notice
        self.random = board.random
        self.id = sample_id("opportunity", pipeline, stage, place)
        self.team = board.teams[pipeline]
        self.people = self.random.sample(board.users[pipeline * 2 : pipeline * 2 + 3], k=self.random.choice((1, 1, 2)))
        published = notice.published_at or notice.version_at
        age = (board.today - published.astimezone(MADRID).date()).days
        self.created_days = max(0.0, age - 1.0)
        self.is_closed = stage in {"Won", "Lost", "Discarded"}

    def add(self) -> None:
        """Its rows, in the order in which they refer to one another."""
        trail = self._trail()
        budget = self.notice.budget_no_taxes or 0.0
        amount = round(budget * self.random.uniform(0.86, 0.99), 2)
        years = max((self.notice.duration_days or 365) / 365, 1.0)
        self.board.add(
            "opportunity",
            id=self.id,
            pipeline_id=sample_id("pipeline", self.pipeline),
            stage_id=sample_id("stage", self.pipeline, self.stage),
            tender_id=tender_id(self.notice.source, self.notice.source_id),
            name=self.notice.name,
            amount=amount,
            prorated_amount=round(amount / years, 2),
            currency="EUR",
            due_at=int(self.notice.deadline_at.timestamp()) if self.notice.deadline_at else None,
            responsibles=list(self.people),
            teams=[self.team],
            sort_points=1000.0 * (self.place + 1),
            closed_at=trail[-1][1] if self.is_closed else None,
            created_at=trail[0][1],
            updated_at=trail[-1][1],
        )
        self._add_history(trail)
        self._add_actions(trail[0][1], trail[-1][1])
        self._add_tasks(trail[0][1], trail[-1][1])
        self._add_summaries()

    def _trail(self) -> list[tuple[str, int]]:
        """The stages it went through with the moment of each, ending in the present one."""
        order = ["New", "Qualifying", "Preparing bid", "Submitted"]
        if self.stage in order:
            stages = order[: order.index(self.stage) + 1]
        elif self.stage in {"Won", "Lost"}:
            stages = [*order, self.stage]
        else:
            stages = ["New", "Qualifying", self.stage]
        first = self.board.seconds(self.created_days)
        last = self.board.seconds(0) if not self.is_closed else first + 100 * 86_400
        last = max(first, min(last, self.board.seconds(0)))
        step = (last - first) // max(1, len(stages))
        return [(stage, first + step * place) for place, stage in enumerate(stages)]

    def _add_history(self, trail: list[tuple[str, int]]) -> None:
        def stage_id(name: str) -> str:
            return sample_id("stage", self.pipeline, name)

        moves = [(None, trail[0]), *((before[0], after) for before, after in pairwise(trail))]
        for number, (before, (after, moment)) in enumerate(moves):
            self.board.add(
                "opportunity_history",
                id=sample_id("history", self.id, number),
                opportunity_id=self.id,
                from_stage_id=None if before is None else stage_id(before),
                to_stage_id=stage_id(after),
                actor_type="user",
                actor_id=self.people[0],
                at=moment,
            )

    def _add_actions(self, created: int, updated: int) -> None:
        share = 1.0 if self.stage in {"Won", "Lost"} else _DONE_BY_STAGE.get(self.stage, 0.2)
        plan = [(step, place, *action) for step, actions in enumerate(ACTIONS, 1) for place, action in enumerate(actions, 1)]
        done = round(share * len(plan))
        for number, (step, place, name, target) in enumerate(plan):
            status = "completed" if number < done else "in_progress" if number == done and done else "pending"
            completed = created + (updated - created) * (number + 1) // (done + 1) if status == "completed" else None
            targets = {"tender": tender_id(self.notice.source, self.notice.source_id), "opportunity": self.id}
            self.board.add(
                "workflow_action",
                id=sample_id("action", self.id, number),
                opportunity_id=self.id,
                workflow_step_id=sample_id("step", self.pipeline, step),
                name=name,
                target_type=target,
                target_id=targets.get(target),
                status=status,
                position=float(place),
                completed_at=completed,
                created_at=created,
                updated_at=completed or created,
            )

    def _add_tasks(self, created: int, updated: int) -> None:
        count = self.random.choice((0, 1, 2, 3, 4, 5)) if not self.is_closed else self.random.choice((0, 1, 2))
        for number, (title, description) in enumerate(self.random.sample(TASKS, count)):
            status = "done" if self.is_closed else self.random.choice(_TASK_STATUSES)
            deadline = self.notice.deadline_at
            self.board.add(
                "task",
                id=sample_id("task", self.id, number),
                opportunity_id=self.id,
                title=title,
                description=description,
                status=status,
                priority=self.random.choice(_PRIORITIES),
                user_ids=self.random.sample(self.people, k=self.random.choice((0, 1, len(self.people)))),
                deadline_at=int((deadline - timedelta(days=2 + number)).timestamp()) if deadline else None,
                created_by=self.people[0],
                created_at=created,
                updated_at=updated if status == "done" else created,
            )

    def _add_summaries(self) -> None:
        # Places in the board decide, not chance: every status is there whatever the seed.
        statuses = {0: ("completed",), 1: ("completed", "failed"), 2: ("in_progress",), 3: ("pending",)}.get(self.place, ())
        for number, status in enumerate(statuses):
            created = self.board.seconds(min(self.created_days, 3.0), 10 + number)
            generated = created + 95 if status == "completed" else None
            self.board.add(
                "summary",
                id=sample_id("summary", self.id, number),
                opportunity_id=self.id,
                name=FAILED_SUMMARY if status == "failed" else SUMMARY_NAMES[self.place % len(SUMMARY_NAMES)],
                status=status,
                result=summary_text(self.notice) if status == "completed" else None,
                generated_at=generated,
                created_at=created,
                updated_at=generated or created + 40,
            )
