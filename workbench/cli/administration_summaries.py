"""``workbench local summaries``: ask for summaries, and write those that wait without a service."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from workbench.cli.administration_people import AccountOption
from workbench.cli.failures import ExitCode
from workbench.cli.output import clean, in_wire_spelling, put, put_json
from workbench.cli.session import DataOption, JsonOption, ProfileOption, embedded_folder

group = typer.Typer(
    name="summaries", help="Summaries of opportunities: ask for one, write them.", no_args_is_help=True, rich_markup_mode=None
)


@group.command()
def run(
    context: typer.Context,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="An OpenAI-compatible endpoint, such as http://localhost:11434/v1.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model to ask there.")] = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Write the summaries that wait. `workbench serve` does the same by itself.

    They are composed of what is known, unless --url (or WORKBENCH_SUMMARY_URL, WORKBENCH_SUMMARY_MODEL, and
    WORKBENCH_SUMMARY_KEY for its key) names a language model to write them. Exit code 1 where one could not be written.
    """
    from workbench.cli import local

    folder = embedded_folder(context, profile, data)
    report = local.write_summaries(folder, local.summary_writer(url=url, model=model))
    if json_:
        outcomes = [in_wire_spelling(asdict(one)) for one in report.outcomes]
        put_json({"outcomes": outcomes, "elsewhere": report.elsewhere})
    elif report.elsewhere:
        put("Another program writes the summaries of this folder just now.")
    elif not report.outcomes:
        put("No summary waits to be written.")
    for one in [] if json_ else report.outcomes:
        ended = "written." if one.failure is None else f"failed. {clean(one.failure)}"
        put(f"{clean(one.opportunity)}: {clean(one.name)} {ended}")
    if report.failed:
        raise typer.Exit(ExitCode.REFUSED)


@group.command()
def add(
    context: typer.Context,
    opportunity: Annotated[str, typer.Argument(metavar="OPPORTUNITY", help="The opportunity's id.")],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="What the summary is called.")] = None,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Ask for another summary of an opportunity."""
    from workbench.cli import local

    with local.summaries(embedded_folder(context, profile, data), account) as stored:
        made = stored.request(opportunity, name)
    if json_:
        put_json({"id": made, "opportunityId": opportunity})
    else:
        put(f"Asked for the summary {made}; `workbench serve` or `workbench local summaries run` writes it.")


@group.command()
def retry(
    context: typer.Context,
    summary: Annotated[str, typer.Argument(metavar="SUMMARY", help="The summary's id.")],
    account: AccountOption = None,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Have a summary that failed written again."""
    from workbench.cli import local

    with local.summaries(embedded_folder(context, profile, data), account) as stored:
        stored.retry(summary)
    put("It is written again by `workbench serve` or `workbench local summaries run`.")


def register(local: typer.Typer) -> None:
    """Put the commands into ``workbench local``."""
    local.add_typer(group)
