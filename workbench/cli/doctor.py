"""``workbench doctor``: what stands between the command and a service, looked at piece by piece. It shows no key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from workbench.cli.failures import ExitCode
from workbench.cli.output import console, put_json
from workbench.cli.session import JsonOption, ProfileOption, choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.cli.checks import Check

MARKS = {"ok": ("ok", "green"), "warning": ("warning", "yellow"), "failed": ("FAILED", "bold red"), "off": ("–", "dim")}


def doctor(context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None) -> None:
    """Check the installation, the profile, the key store, the key, the service, the clock and the terminal.

    Ends with 1 where something fails that the profile needs. No key and no token is ever shown; nothing is changed.
    """
    from workbench.cli.checks import examine

    checks = examine(choice(context, profile, None).profile)
    healthy = all(check.state != "failed" for check in checks)
    if json_:
        put_json({"ok": healthy, "checks": [check.as_record() for check in checks]})
    else:
        _print(checks)
    raise typer.Exit(ExitCode.OK if healthy else ExitCode.REFUSED)


def _print(checks: Sequence[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    from workbench.cli.output import clean

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        mark, style = MARKS[check.state]
        table.add_row(Text(mark, style=style), Text(check.name), Text(clean(check.detail)))
    console().print(table)


def register(app: typer.Typer) -> None:
    """Put the command into the tree."""
    app.command()(doctor)
