"""``workbench local pipeline|workflow|track|order``: boards, and what stands on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from workbench.cli.administration_people import AccountOption, print_records
from workbench.cli.failures import WrongUse
from workbench.cli.moments import Bound, read_moment
from workbench.cli.output import put, put_json
from workbench.cli.session import DataOption, JsonOption, ProfileOption, embedded_folder

pipelines = typer.Typer(
    name="pipeline", help="Pipelines: boards and their stages.", no_args_is_help=True, rich_markup_mode=None
)
workflows = typer.Typer(
    name="workflow", help="Workflows: what is to be done for each opportunity.", no_args_is_help=True, rich_markup_mode=None
)

_STAGE_HELP: Final = "A stage, in the order of the board; NAME=won, =lost or =discarded closes, NAME=hidden is no column."
_STEP_HELP: Final = "A step and its actions: 'STEP: ACTION; ACTION@tender'."
_ID_HELP: Final = "The opportunity's id, from `workbench board`."
_PIPELINE_COLUMNS: Final = (("Pipeline", "pipeline"), ("Stage", "name"), ("Kind", "kind"), ("Column", "column"), ("Id", "id"))
_WORKFLOW_COLUMNS: Final = (("Step", "step"), ("Action", "name"), ("On", "targetType"), ("Id", "id"))

PipelineOption = Annotated[str, typer.Option("--pipeline", metavar="PIPELINE", help="The pipeline, by id or exact name.")]


@pipelines.command("create")
def create_pipeline(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the pipeline is called.")],
    stages: Annotated[list[str] | None, typer.Option("--stage", metavar="NAME[=KIND]", help=_STAGE_HELP)] = None,
    template: Annotated[
        str | None, typer.Option(metavar="TEMPLATE", help="Stages to begin with: bids (unless --stage is given) or simple.")
    ] = None,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Make a pipeline from a template or from its stages. New opportunities begin in the first open stage."""
    from workbench.cli import local

    if stages and template:
        raise WrongUse("A pipeline is made of --stage or of a --template, not of both.")
    with local.board_administration(embedded_folder(context, profile, data), account) as boards:
        made = boards.create_pipeline(name, local.stage_plans(stages, template))
    _tell(made, f"Made the pipeline {made['name']} with {len(made['statuses'])} stages: {made['id']}", json_=json_)


@pipelines.command("add-stage")
def add_stage(
    context: typer.Context,
    stage: Annotated[str, typer.Argument(metavar="NAME[=KIND]", help=_STAGE_HELP)],
    pipeline: PipelineOption,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Add a stage: an open one after the last open one, one that closes at the end."""
    from workbench.cli import local

    with local.board_administration(embedded_folder(context, profile, data), account) as boards:
        made = boards.add_stage(pipeline, local.stage_plans([stage])[0])
    _tell(made, f"Added the stage {made['name']}: {made['id']}", json_=json_)


@pipelines.command("list")
def list_pipelines(
    context: typer.Context,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List the pipelines with their stages."""
    from workbench.cli import local

    with local.board_administration(embedded_folder(context, profile, data), account) as boards:
        found = boards.pipelines()
    if json_:
        put_json(found)
        return
    lines = [_stage_line(board, stage) for board in found for stage in board["statuses"]]
    print_records(
        lines,
        _PIPELINE_COLUMNS,
        "There are no pipelines yet; `workbench local pipeline create --name NAME` makes one.",
        json_=False,
    )


@workflows.command("create")
def create_workflow(
    context: typer.Context,
    pipeline: PipelineOption,
    steps: Annotated[list[str] | None, typer.Option("--step", metavar="STEP", help=_STEP_HELP)] = None,
    template: Annotated[
        str | None, typer.Option(metavar="TEMPLATE", help="Steps to begin with: bids, unless --step is given.")
    ] = None,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Add steps and actions to a pipeline's workflow; each open opportunity gets them, and each that comes later."""
    from workbench.cli import local

    if steps and template:
        raise WrongUse("A workflow is made of --step or of a --template, not of both.")
    with local.board_administration(embedded_folder(context, profile, data), account) as boards:
        made = boards.add_workflow(pipeline, local.step_plans(steps, template))
    _tell(made, f"Steps of the workflow of {pipeline} now: {', '.join(step['name'] for step in made)}.", json_=json_)


@workflows.command("list")
def list_workflow(
    context: typer.Context,
    pipeline: PipelineOption,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List the steps of a pipeline's workflow with their actions."""
    from workbench.cli import local

    with local.board_administration(embedded_folder(context, profile, data), account) as boards:
        found = boards.workflow(pipeline)
    if json_:
        put_json(found)
        return
    lines = [{"step": step["name"], **action} for step in found for action in step["actions"] or [_NO_ACTION]]
    print_records(
        lines, _WORKFLOW_COLUMNS, "The pipeline has no workflow; `workbench local workflow create` makes one.", json_=False
    )


@workflows.command("mark")
def mark_action(
    context: typer.Context,
    action: Annotated[str, typer.Argument(metavar="ACTION", help="The action's id, from `workbench actions`.")],
    status: Annotated[str, typer.Option(metavar="STATUS", help="pending, in_progress or completed.")] = "completed",
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Mark an action of an opportunity's workflow as done, under way or to do."""
    from workbench.cli import local

    with local.board_administration(embedded_folder(context, profile, data), account) as boards:
        marked = boards.mark_action(action, status)
    _tell(marked, f"{marked['name']} is {marked['status']}.", json_=json_)


def track(
    context: typer.Context,
    tender: Annotated[str, typer.Argument(metavar="TENDER", help="The tender's id, from `workbench search`.")],
    pipeline: PipelineOption,
    responsibles: Annotated[
        list[str] | None, typer.Option("--responsible", metavar="USER", help="A user's id or exact name; may be repeated.")
    ] = None,
    teams: Annotated[
        list[str] | None, typer.Option("--team", metavar="TEAM", help="A team's id or exact name; may be repeated.")
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Its name; the tender's by default.")] = None,
    amount: Annotated[
        float | None, typer.Option(min=0, metavar="AMOUNT", help="Its amount; the budget without taxes by default.")
    ] = None,
    due: Annotated[
        datetime | None,
        typer.Option(
            metavar="DATE", parser=lambda text: read_moment(text, Bound.UPPER), help="When it is due; the deadline by default."
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also where the pipeline tracks this tender already.")] = False,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Pursue a tender: make an opportunity of it in the initial stage of a pipeline."""
    from workbench.cli import local

    with local.tracking(embedded_folder(context, profile, data), account) as boards:
        made = boards.track(
            tender,
            pipeline,
            responsibles=responsibles or (),
            teams=teams or (),
            name=name,
            amount=amount,
            due=due,
            again=again,
        )
    _tell(made, f"Tracking {made['name']}: {made['id']}", json_=json_)


def order(
    context: typer.Context,
    opportunity: Annotated[str, typer.Argument(metavar="OPPORTUNITY", help=_ID_HELP)],
    before: Annotated[str | None, typer.Option(metavar="OPPORTUNITY", help="Put it before this one of its column.")] = None,
    after: Annotated[str | None, typer.Option(metavar="OPPORTUNITY", help="Put it after this one of its column.")] = None,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Arrange an opportunity within its column; without --before and --after it goes to the end."""
    from workbench.cli import local

    with local.tracking(embedded_folder(context, profile, data), account) as boards:
        placed = boards.place(opportunity, before=before, after=after)
    _tell(placed, f"Placed {placed['name']}.", json_=json_)


_NO_ACTION: Final[Mapping[str, Any]] = {"name": None, "targetType": None, "id": None}


def _stage_line(board: Mapping[str, Any], stage: Mapping[str, Any]) -> dict[str, Any]:
    kind = "initial" if stage["isInitial"] else f"closes: {stage['outcomeType']}" if stage["isTerminal"] else "open"
    return {**stage, "pipeline": board["name"], "kind": kind, "column": "yes" if stage["showInKanban"] else "no"}


def _tell(record: Mapping[str, Any] | Sequence[Mapping[str, Any]], sentence: str, *, json_: bool) -> None:
    if json_:
        put_json(record)
    else:
        put(sentence)


def register(group: typer.Typer) -> None:
    """Put the commands under ``workbench local``."""
    group.add_typer(pipelines)
    group.add_typer(workflows)
    group.command("track")(track)
    group.command("order")(order)
