"""``workbench pipelines``, ``board`` and ``move``: the kanban board in line mode (interface 2, 3 and 4.1)."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from workbench.cli.failures import Failure, WrongUse, explain
from workbench.cli.output import clean, put, put_json, put_json_array
from workbench.cli.session import DataOption, JsonOption, ProfileOption, connected
from workbench.cli.words import word_option
from workbench.contract.vocabulary import KANBAN_LIMIT_DEFAULT, KANBAN_LIMIT_MAX, OpportunitySort

OpportunityArgument = Annotated[str, typer.Argument(metavar="OPPORTUNITY", help="The opportunity's id, as the board shows it.")]


def pipelines(
    context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None
) -> None:
    """List the pipelines with their stages."""
    with connected(context, profile, data) as client:
        found = client.pipelines.iterate()
        if json_:
            put_json_array(pipeline.to_wire() for pipeline in found)
            return
        from workbench.cli.board_tables import print_pipelines

        print_pipelines(list(found))


def board(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline's id, or its exact name.")],
    search: Annotated[str | None, typer.Option("--search", metavar="TEXT", help="Only opportunities that fit.")] = None,
    responsible: Annotated[
        list[str] | None, typer.Option("--responsible", metavar="USER", help="Only those of a user's id; repeat for several.")
    ] = None,
    team_responsible: Annotated[
        list[str] | None, typer.Option("--team-responsible", metavar="TEAM", help="Only those of a team's id; repeat.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, max=KANBAN_LIMIT_MAX, help=f"How many a stage; {KANBAN_LIMIT_DEFAULT} by default."),
    ] = None,
    stage: Annotated[
        str | None, typer.Option("--stage", metavar="STAGE", help="The whole of one stage, by id or exact name, instead.")
    ] = None,
    sort: Annotated[
        OpportunitySort | None,
        word_option("--sort", words=OpportunitySort, metavar="ORDER", help_=f"One of {', '.join(OpportunitySort)}."),
    ] = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show a board: each stage with its count, its sum and its opportunities, or one stage whole with --stage.

    With --json, an object of the service's totals and of its opportunities by stage id; with --stage an array of opportunities.
    """
    if stage is not None and (search or responsible or team_responsible or limit):
        raise WrongUse(
            "--stage shows a stage whole; it does not go with --search, --responsible, --team-responsible or --limit."
        )
    from workbench.cli import board_tables
    from workbench.cli.stages import find_pipeline, find_stage

    people: dict[str, Any] = {"responsible": responsible or None, "team_responsible": team_responsible or None}
    with connected(context, profile, data) as client:
        found = find_pipeline(client, pipeline)
        if stage is not None:
            column = find_stage(found, stage)
            opportunities = client.kanban.iterate(str(found.id), str(column.id), sort=sort)
            if json_:
                put_json_array(one.to_wire() for one in opportunities)
            else:
                board_tables.print_column(column, list(opportunities))
            return
        totals = client.kanban.totals(str(found.id), **people)
        columns = client.kanban.search(str(found.id), search=search, limit=limit, sort=sort, **people)
    if json_:
        opportunities_ = {stage_id: [one.to_wire() for one in column] for stage_id, column in columns.items()}
        put_json({"totals": [total.to_wire() for total in totals], "opportunities": opportunities_})
    else:
        board_tables.print_board(found, totals, columns, searched=search is not None)


def move(
    context: typer.Context,
    opportunity: OpportunityArgument,
    stage: Annotated[
        str, typer.Argument(metavar="STAGE", help="The stage's id, or its exact name in the opportunity's pipeline.")
    ],
    confirm_terminal: Annotated[
        bool, typer.Option("--confirm-terminal", help="Move even if that closes the opportunity for good.")
    ] = False,
    pipeline: Annotated[
        str | None, typer.Option("--pipeline", metavar="PIPELINE", help="The pipeline that the stage's name is looked up in.")
    ] = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Move an opportunity to another stage.

    A terminal stage closes it for good, so --confirm-terminal has to say that this is meant; without it nothing is moved. There
    is no question to answer: what a script may do is written in its line.
    """
    from workbench.cli.stages import find_target
    from workbench.client.errors import TerminalMoveNotConfirmed

    with connected(context, profile, data) as client:
        target = find_target(client, opportunity, stage, pipeline)
        try:
            client.opportunities.move(opportunity, target.id, confirm_terminal=confirm_terminal)
        except TerminalMoveNotConfirmed as refusal:
            failure = _unconfirmed(refusal, target.name or stage)
        else:
            failure = None
    if failure is not None:
        raise failure
    if json_:
        put_json({"opportunityId": opportunity, "targetStatusId": target.id, "targetStatusName": target.name})
    else:
        put(f"Moved {clean(opportunity)} to {clean(target.name or target.id)}.")


def _unconfirmed(refusal: Any, stage: str) -> Failure:
    """The client's refusal in the command's own words: its remedy is an option and no argument of a call."""
    name = refusal.stage_name or stage
    if refusal.reason == "not looked up" and refusal.__cause__ is not None:
        code, why = explain(refusal.__cause__)
        return Failure(f"Whether stage {name!r} is terminal could not be looked up, so nothing was moved. {why}", code)
    why = {
        "terminal": f"Stage {name!r} is terminal: moving there closes the opportunity for good, and there is no undo.",
        "not found": f"No pipeline lists stage {name!r}, so it may be terminal (`workbench pipelines` lists the stages).",
    }.get(str(refusal.reason), f"The service does not say whether stage {name!r} is terminal, so it counts as terminal.")
    return WrongUse(f"{why} Nothing was moved. If that is meant, add --confirm-terminal.")


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    for command in (pipelines, board, move):
        app.command()(command)
