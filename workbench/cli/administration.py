"""``workbench local …``: import open data, fill the sample, count, start afresh, and keys."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli import (
    administration_alerts,
    administration_boards,
    administration_files,
    administration_people,
    administration_summaries,
)
from workbench.cli.failures import WrongUse
from workbench.cli.moments import Bound, read_moment
from workbench.cli.output import console, in_wire_spelling, put, put_json, say
from workbench.cli.session import DataOption, JsonOption, ProfileOption, embedded_folder

group = typer.Typer(
    name="local",
    help="Look after your own embedded service: its data and its keys.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
keys = typer.Typer(name="key", help="API keys of the embedded service.", no_args_is_help=True, rich_markup_mode=None)
group.add_typer(keys)


@group.command("import")
def import_(
    context: typer.Context,
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|DIR...", help="PLACSP .atom and .zip files, or folders of them.")
    ],
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Import open data. Safe to interrupt and to repeat: what is there already stays as it is."""
    from workbench.cli.importing import run_import

    raise typer.Exit(run_import(embedded_folder(context, profile, data, real_data=True), paths, json_=json_))


@group.command()
def sample(context: typer.Context, profile: ProfileOption = None, data: DataOption = None, json_: JsonOption = False) -> None:
    """Make the sample workspace: invented tenders, buyers and boards to try everything on."""
    from workbench.cli.importing import run_sample

    run_sample(embedded_folder(context, profile, data, otherwise="sample"), json_=json_)


@group.command()
def stats(context: typer.Context, profile: ProfileOption = None, data: DataOption = None, json_: JsonOption = False) -> None:
    """Count what the embedded service holds."""
    from workbench.cli.local import statistics

    found = statistics(embedded_folder(context, profile, data))
    if json_:
        put_json(in_wire_spelling(asdict(found)))
        return
    from workbench.cli.moments import local_minute
    from workbench.cli.tables import print_fields, size_of

    statuses = ", ".join(f"{number:,} {status}" for status, number in found.by_status.items())
    print_fields(
        console(),
        [
            ("Folder", str(found.folder)),
            ("Size", size_of(found.size)),
            ("Tenders", f"{found.tenders:,}" + (f" ({statuses})" if statuses else "")),
            ("Published", f"{local_minute(found.first_published)} to {local_minute(found.last_published)}"),
            ("Organizations", f"{found.organizations:,}"),
            ("Awards", f"{found.awards:,}"),
            ("Documents", f"{found.documents:,}"),
            ("Versions read", f"{found.versions:,}"),
            ("Files imported", f"{found.imports:,}"),
            ("Last import", local_minute(found.last_import)),
        ],
    )


@group.command()
def reset(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Delete the embedded service's data, keys included, and start afresh. There is no way back."""
    import sys

    from workbench.cli.local import database_file, delete_data

    folder = embedded_folder(context, profile, data)
    if not database_file(folder).exists():
        say(f"There is no data in {folder}; nothing to delete.")
        return
    if not yes:
        if not sys.stdin.isatty():
            raise WrongUse("This deletes all data and nobody can be asked here; add --yes if that is meant.")
        typer.confirm(f"Delete all data and keys in {folder}? There is no way back.", abort=True, err=True)
    delete_data(folder)
    put(f"Deleted the data in {folder}.")


@keys.command("create")
def create_key(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the key is for.")],
    account: Annotated[str | None, typer.Option(metavar="SLUG", help="The account; the local one by default.")] = None,
    mcp: Annotated[bool, typer.Option("--mcp", help="Also open the tool server to this key.")] = False,
    rate_limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Requests a minute; 300 by default.")] = None,
    expires: Annotated[
        datetime | None,
        typer.Option(
            metavar="DATE", parser=lambda text: read_moment(text, Bound.UPPER), help="The last day or moment it works."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the key and its settings as JSON.")] = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Make an API key and print it: the only time that it is shown."""
    from workbench.cli import local

    made = local.create_key(
        embedded_folder(context, profile, data), name, account=account, mcp=mcp, rate_limit=rate_limit, expires=expires
    )
    token = made.token.get_secret_value()
    if json_:
        put_json(local.key_as_record(made.key) | {"key": token})
    else:
        put(token)
        say("Keep it now: it is stored as a fingerprint only and cannot be shown again.")


@keys.command("list")
def list_keys(
    context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None
) -> None:
    """List the keys, without what they open."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        found = stored.keys()
    if json_:
        put_json([local.key_as_record(key) for key in found])
        return
    from workbench.cli.tables import print_keys

    print_keys(local.key_as_record(key) | {"last4": key.last4} for key in found)


@keys.command("disable")
def disable_key(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The key's id, from `local key list`.")],
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Switch a key off, from the next request on."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        put(f"Key {stored.disable_key(id_).name} is switched off.")


@keys.command("delete")
def delete_key(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The key's id, from `local key list`.")],
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Delete a key, from the next request on."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        stored.delete_key(id_)
    put("The key is deleted.")


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    administration_people.register(group)
    administration_boards.register(group)
    administration_alerts.register(group)
    administration_summaries.register(group)
    administration_files.register(group)
    app.add_typer(group)
