"""``workbench download``: documents of a tender, into a folder of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.failures import ExitCode, WrongUse, explain
from workbench.cli.output import clean, put, put_json_array, say
from workbench.cli.progress import download_progress
from workbench.cli.session import DataOption, JsonOption, ProfileOption, connected

if TYPE_CHECKING:
    from workbench.client import Client


def download(
    context: typer.Context,
    sheet: Annotated[str | None, typer.Argument(metavar="[SHEET]", help="A document's id, from `tender ID --sheets`.")] = None,
    tender: Annotated[str | None, typer.Option("--tender", metavar="ID", help="All documents of this tender.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="The folder to put them in (this one by default), or a file for one."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files of the same name; otherwise a folder's next free name is taken.")
    ] = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Download one document, or all of a tender. The path of each goes to standard output."""
    if (sheet is None) == (tender is None):
        raise WrongUse("Name one document (`workbench download SHEET`) or one tender (`workbench download --tender ID`).")
    target = output or Path()
    with connected(context, profile, data) as client:
        names = {sheet: sheet} if sheet else _sheets_of(client, str(tender), target)
        saved, failures = _fetch(client, names, target, overwrite=overwrite, json_=json_)
    if json_:
        put_json_array(saved)
    if failures:
        say(f"{len(failures)} of {len(names)} documents could not be downloaded.")
        raise typer.Exit(max(failures))


def _sheets_of(client: Client, tender: str, target: Path) -> dict[str, str]:
    if target.is_file():
        raise WrongUse(f"{target} is a file; the documents of a tender go into a folder.")
    target.mkdir(parents=True, exist_ok=True)
    found = {sheet.id: sheet.name or sheet.id for sheet in client.tenders.sheets(tender) if sheet.id}
    if not found:
        say("This tender has no documents.")
    return found


def _fetch(
    client: Client, names: dict[str, str], target: Path, *, overwrite: bool, json_: bool
) -> tuple[list[dict[str, Any]], list[ExitCode]]:
    saved: list[dict[str, Any]] = []
    failures: list[ExitCode] = []
    for sheet, name in names.items():
        try:
            with download_progress(name) as progress:
                path = client.tenders.download_sheet(sheet, to=target, progress=progress, overwrite=overwrite)
        except Exception as error:
            # One document of several that fails does not stop the others; a single one fails as any command does.
            if len(names) == 1:
                raise
            code, sentence = explain(error)
            failures.append(code)
            say(f"{name}: {sentence}")
            continue
        saved.append({"sheetId": sheet, "name": name, "path": str(path), "size": path.stat().st_size})
        if not json_:
            put(clean(path))
    return saved, failures


def register(app: typer.Typer) -> None:
    """Put the command into the tree."""
    app.command()(download)
