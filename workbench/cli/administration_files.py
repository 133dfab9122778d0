"""``workbench local backup|restore|check|migrate``: looking after the embedded service's database file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.failures import ExitCode, WrongUse
from workbench.cli.output import console, in_wire_spelling, put, put_json, say
from workbench.cli.session import DataOption, JsonOption, OverwriteOption, ProfileOption, embedded_folder


def backup(
    context: typer.Context,
    target: Annotated[
        Path | None, typer.Argument(metavar="[FILE|DIR]", help="Where to; a name with the time in this folder otherwise.")
    ] = None,
    overwrite: OverwriteOption = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Copy all data, keys included, into one file; also while the service runs. `workbench local restore` puts it back."""
    from workbench.cli import local
    from workbench.cli.tables import size_of

    made = local.back_up(embedded_folder(context, profile, data), target, overwrite=overwrite)
    if json_:
        put_json(in_wire_spelling(asdict(made)))
    else:
        put(f"Copied the data to {made.path} ({size_of(made.size)}). It holds the keys' fingerprints: keep it to yourself.")


def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A copy that `workbench local backup` made.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Put a copy in the place of the data that is there, which is kept in a file beside it. Nothing may use it meanwhile."""
    import sys

    from workbench.cli import local

    folder = embedded_folder(context, profile, data)
    if local.database_file(folder).exists() and not yes:
        if not sys.stdin.isatty():
            raise WrongUse("This replaces the data that is there and nobody can be asked here; add --yes if that is meant.")
        typer.confirm(f"Put {source} in the place of the data in {folder}?", abort=True, err=True)
    done = local.restore(folder, source)
    if json_:
        put_json(in_wire_spelling(asdict(done)))
        return
    put(f"Restored the data in {folder} from {source}.")
    if done.before is not None:
        say(f"What was there before is in {done.before}.")


def check(context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None) -> None:
    """Prove the data sound: pages, references, text index and shape. Changes nothing; exit code 1 where something is wrong."""
    from workbench.cli import local
    from workbench.cli.tables import print_fields, size_of

    found = local.check(embedded_folder(context, profile, data))
    if json_:
        put_json(in_wire_spelling(asdict(found)))
    else:
        rows = [("File", str(found.path)), ("Size", size_of(found.size)), ("Version", str(found.version))]
        rows += [(table.replace("_", " ").capitalize(), f"{count:,}") for table, count in found.counts.items() if count]
        print_fields(console(), rows)
        put("The data is sound." if not found.problems else "The data is not sound:")
        for problem in found.problems:
            put(f"- {problem}")
        if found.problems:
            say("Restore a backup with `workbench local restore FILE`, or import the data again into a new folder.")
    if found.problems:
        raise typer.Exit(ExitCode.REFUSED)


def migrate(context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None) -> None:
    """Bring the data of an earlier release up to date, after a backup beside it. Every other command does so too."""
    from workbench.cli import local

    done = local.migrate(embedded_folder(context, profile, data))
    if json_:
        put_json(in_wire_spelling(asdict(done)))
    elif done.backup is None:
        put(f"The data is up to date already (version {done.after}).")
    else:
        put(f"Brought the data from version {done.before} to version {done.after}; as it was, it is in {done.backup}.")


def register(group: typer.Typer) -> None:
    """Put the commands into ``workbench local``."""
    for command in (backup, restore, check, migrate):
        group.command()(command)
