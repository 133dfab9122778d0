"""Boards, tasks, summaries and workflow actions as a person reads them. Every text goes through :func:`clean`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.text import Text

from workbench.cli.moments import local_day, local_minute, time_left
from workbench.cli.output import clean, clean_block, console, plain, say
from workbench.cli.tables import BLOCK_LENGTH, RIGHT, cell, cut, money, new_table, print_fields

if TYPE_CHECKING:
    from workbench.contract.opportunities import Opportunity, Summary, Task, WorkflowAction
    from workbench.contract.pipelines import Pipeline, Stage, StageTotal


def print_pipelines(pipelines: Sequence[Pipeline]) -> None:
    """Print each pipeline with its stages in the board's order."""
    screen = console()
    for pipeline in pipelines:
        table = new_table("Stage", "Kind", "Outcome", "Id")
        for stage in _in_order(pipeline.statuses):
            table.add_row(*map(cell, (stage.name or "(no name)", kind_of(stage), stage.outcome_type, stage.id)))
        screen.print(Text.assemble((clean(pipeline.name or "(no name)"), "bold"), (f"  {clean(pipeline.id or '')}", "dim")))
        screen.print(table if table.row_count else Text("It has no stages.\n"))
    if not pipelines:
        say("There are no pipelines.")


def _in_order(stages: Iterable[Stage]) -> list[Stage]:
    return sorted(stages, key=lambda stage: stage.sort_points if stage.sort_points is not None else float("inf"))


def kind_of(stage: Stage) -> str:
    """What a stage is to an opportunity; one that is not said to be open counts as terminal."""
    words = ["initial"] if stage.is_initial else []
    if stage.is_terminal is not False:
        words.append("terminal" if stage.is_terminal else "terminal (not stated)")
    if stage.show_in_kanban is False:
        words.append("not on the board")
    return ", ".join(words) or "open"


def print_board(
    pipeline: Pipeline,
    totals: Iterable[StageTotal],
    columns: Mapping[str, Sequence[Opportunity]],
    *,
    searched: bool,
) -> None:
    """Print a board, stage by stage: totals as the service counts them, and the opportunities that came."""
    screen = console()
    screen.print(Text(clean(pipeline.name or pipeline.id or ""), style="bold"))
    rest = dict(columns)
    for total in totals:
        stage = total.status
        shown = rest.pop(stage.id, ()) if stage and stage.id else ()
        amount = f", {money(total.total_amount, total.currency)}" if total.total_amount is not None else ""
        count = "–" if total.opportunity_count is None else f"{total.opportunity_count:,}"
        screen.print(_heading(stage, f"{count}{amount}"))
        _print_opportunities(shown)
        hidden = (total.opportunity_count or 0) - len(shown)
        if hidden > 0 and not searched:
            say(f"{hidden:,} more in this stage; --stage {clean(stage.name if stage else '')!r} shows it whole.")
    names = {stage.id: stage for stage in pipeline.statuses}
    for stage_id, shown in rest.items():
        screen.print(_heading(names.get(stage_id), f"{len(shown):,} shown", otherwise=stage_id))
        _print_opportunities(shown)


def print_column(stage: Stage, opportunities: Sequence[Opportunity]) -> None:
    """Print one stage whole."""
    console().print(_heading(stage, f"{len(opportunities):,}"))
    _print_opportunities(opportunities)
    if not opportunities:
        say("There is nothing in this stage.")


def _heading(stage: Stage | None, figures: str, *, otherwise: str = "") -> Text:
    name = clean((stage.name if stage else None) or otherwise or "(no name)")
    terminal = " · terminal" if stage and stage.is_terminal is not False else ""
    return Text.assemble((f"\n{name}", "bold"), (f"  {clean(figures)}{terminal}", "dim"))


def _print_opportunities(opportunities: Iterable[Opportunity]) -> None:
    table = new_table("Opportunity", ("Amount", RIGHT), "Due", "Responsible", "Id")
    now = datetime.now(UTC)
    for one in opportunities:
        left = time_left(one.due_date, now)
        due = local_day(one.due_date) + (f" ({left})" if left else "")
        people = ", ".join(map(_who, one.responsibles))
        table.add_row(*map(cell, (one.name or "(no name)", money(one.amount, one.currency), due, people, one.id)))
    if table.row_count:
        console().print(table)


def _who(user: Mapping[str, Any] | str) -> str:
    return plain(user if isinstance(user, str) else user.get("name") or user.get("email") or user.get("id"))


def print_tasks(tasks: Iterable[Task]) -> None:
    """Print the tasks of an opportunity."""
    table = new_table("Status", "Priority", "Task", "Deadline", "Responsible", "Id")
    now = datetime.now(UTC)
    for task in tasks:
        left = time_left(task.deadline_at, now) if task.status != "done" else ""
        deadline = local_minute(task.deadline_at) + (f" ({left})" if left else "")
        people = ", ".join(map(_who, task.user_ids))
        table.add_row(*map(cell, (task.status, task.priority, task.title or "(no title)", deadline, people, task.id)))
    if table.row_count:
        console().print(table)
    else:
        say("There are no such tasks; `workbench tasks add OPPORTUNITY TITLE` adds one.")


def print_actions(actions: Iterable[WorkflowAction]) -> None:
    """Print a workflow, step by step."""
    ordered = sorted(
        actions, key=lambda one: (_place(one.workflow_step_position), str(one.workflow_step_id), _place(one.position))
    )
    table = new_table("Step", "Action", "Status", "On", "Completed", "Id")
    for _, step in groupby(ordered, key=lambda one: one.workflow_step_id):
        for at, action in enumerate(step):
            name = (action.workflow_step_name or action.workflow_step_id) if at == 0 else " "
            target = f"{action.target_type or ''} {action.target_id or ''}".strip()
            table.add_row(*map(cell, (name, action.name, action.status, target, local_minute(action.completed_at), action.id)))
    if table.row_count:
        console().print(table)
    else:
        say("This opportunity has no workflow actions.")


def _place(position: float | None) -> float:
    return position if position is not None else float("inf")


def print_summaries(summaries: Sequence[Summary]) -> None:
    """Print the summaries of an opportunity, each with its text where it is completed."""
    screen = console()
    for summary in summaries:
        screen.print(Text(clean(summary.name or "(no name)"), style="bold"))
        print_fields(
            screen,
            [("Id", summary.id), ("Status", summary.status), ("Generated", local_minute(summary.generated_at))],
        )
        if summary.result:
            screen.print(Text(f"\n{cut(clean_block(summary.result), BLOCK_LENGTH)}"))
        screen.print()
    if not summaries:
        say("This opportunity has no summaries.")
