"""``workbench tasks``, ``summaries`` and ``actions``: what belongs to one opportunity (interface 2 and 4.1)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.boards import OpportunityArgument
from workbench.cli.failures import WrongUse
from workbench.cli.moments import Bound, read_moment
from workbench.cli.output import clean, put, put_json, put_json_array, say
from workbench.cli.session import DataOption, JsonOption, OverwriteOption, ProfileOption, connected
from workbench.cli.span import AllOption, LimitOption, PageOption, PageSizeOption, Span
from workbench.cli.words import word_option
from workbench.contract.vocabulary import TaskPriority, TaskStatus

group = typer.Typer(name="tasks", help="Tasks of an opportunity.", no_args_is_help=True, rich_markup_mode=None)
StatusOption = Annotated[
    TaskStatus | None, word_option("--status", words=TaskStatus, metavar="STATUS", help_=f"One of {', '.join(TaskStatus)}.")
]


@group.command("list")
def list_tasks(
    context: typer.Context,
    opportunity: OpportunityArgument,
    status: StatusOption = None,
    page: PageOption = None,
    page_size: PageSizeOption = None,
    limit: LimitOption = None,
    everything: AllOption = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List the tasks of an opportunity."""
    span = Span(page, page_size, limit, everything)
    with connected(context, profile, data) as client:
        opportunities = client.opportunities
        found = span.fetch(
            lambda **query: opportunities.tasks(opportunity, **query),
            lambda **query: opportunities.iterate_tasks(opportunity, **query),
            {} if status is None else {"status": status},
            what="tasks",
        )
        if json_:
            put_json_array(task.to_wire() for task in found.records)
        else:
            from workbench.cli.board_tables import print_tasks

            print_tasks(found.records)
    if hint := found.more():
        say(hint)


@group.command("add")
def add_task(
    context: typer.Context,
    opportunity: OpportunityArgument,
    title: Annotated[list[str] | None, typer.Argument(metavar="TITLE", help="What is to be done.")] = None,
    description: Annotated[str | None, typer.Option("--description", metavar="TEXT", help="More about it.")] = None,
    status: StatusOption = None,
    priority: Annotated[
        TaskPriority | None,
        word_option("--priority", words=TaskPriority, metavar="PRIORITY", help_=f"One of {', '.join(TaskPriority)}."),
    ] = None,
    user_ids: Annotated[
        list[str] | None, typer.Option("--user-ids", "--user", metavar="USER", help="A user's id; repeat for several.")
    ] = None,
    deadline_at: Annotated[
        datetime | None,
        typer.Option(
            "--deadline-at", "--deadline", metavar="DATE", parser=lambda text: read_moment(text, Bound.UPPER), help="By when."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE", help="A JSON object in the interface's spelling, - for standard input."),
    ] = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Add a task to an opportunity, and print its id. An option goes before the field of the JSON object."""
    draft = _object(source) | _said(
        title=" ".join(title) if title else None,
        description=description,
        status=status,
        priority=priority,
        userIds=user_ids or None,
        deadlineAt=deadline_at,
    )
    if not draft.get("title"):
        raise WrongUse("A task needs a title: `workbench tasks add OPPORTUNITY TITLE`.")
    with connected(context, profile, data) as client:
        made = client.opportunities.create_task(opportunity, draft)
    if json_:
        put_json(made.to_wire())
    else:
        put(clean(made.id))


def _object(source: str | None) -> dict[str, Any]:
    if source is None:
        return {}
    from workbench.cli.json_input import read_object
    from workbench.contract.opportunities import TaskDraft

    names = {name: str(field.alias or name) for name, field in TaskDraft.model_fields.items()}
    return {names.get(name, name): value for name, value in read_object(source).items()}


def _said(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def summaries(
    context: typer.Context,
    opportunity: OpportunityArgument,
    pdf: Annotated[str | None, typer.Option("--pdf", metavar="ID", help="Save this summary as PDF instead.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file, or the folder, for the PDF; this folder by default."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="With --pdf: wait until the summary is completed.")] = False,
    overwrite: OverwriteOption = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show the summaries of an opportunity, or save one as PDF; the file's path goes to standard output."""
    if pdf is None and (output or wait or overwrite):
        raise WrongUse("-o, --wait and --overwrite go with --pdf ID.")
    with connected(context, profile, data) as client:
        if pdf is not None:
            fetch = client.opportunities.wait_for_summary_pdf if wait else client.opportunities.summary_pdf
            path = fetch(opportunity, pdf, to=output or Path(), overwrite=overwrite)
            if json_:
                put_json({"summaryId": pdf, "path": str(path), "size": path.stat().st_size})
            else:
                put(clean(path))
            return
        found = client.opportunities.summaries(opportunity)
    if json_:
        put_json_array(summary.to_wire() for summary in found)
        return
    from workbench.cli.board_tables import print_summaries

    print_summaries(found)


def actions(
    context: typer.Context,
    opportunity: OpportunityArgument,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show the workflow of an opportunity, step by step."""
    with connected(context, profile, data) as client:
        found = client.opportunities.workflow_actions(opportunity)
    if json_:
        put_json_array(action.to_wire() for action in found)
        return
    from workbench.cli.board_tables import print_actions

    print_actions(found)


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    app.add_typer(group)
    for command in (summaries, actions):
        app.command()(command)
