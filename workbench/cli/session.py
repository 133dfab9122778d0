"""Which service a command talks to: ``--profile`` and ``--data``, before or after the command's name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from workbench.cli.failures import WrongUse
from workbench.cli.progress import announce_pause, filling_progress

if TYPE_CHECKING:
    from workbench.client import Client

ProfileOption = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="The service to use: local, sample, or one of `workbench profiles`."),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="The embedded service's own folder, instead of the profile's."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, as the service gave it.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file, which appears only when whole.")
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists already.")]
TaxIdsOption = Annotated[
    bool, typer.Option("--with-tax-ids", help="Show tax ids of natural persons in full; they are masked otherwise.")
]


@dataclass(frozen=True)
class Choice:
    """What the command line says about the service; ``None`` is "nothing", and then environment and settings decide."""

    profile: str | None = None
    data: Path | None = None


def choice(context: typer.Context, profile: str | None, data: Path | None) -> Choice:
    """The options given after the command's name, each falling back to the one before it."""
    before = cast("Choice", context.find_root().obj or Choice())
    return Choice(profile or before.profile, data or before.data)


@contextmanager
def connected(context: typer.Context, profile: str | None, data: Path | None) -> Iterator[Client]:
    """A client for the chosen service, closed when the block ends."""
    from workbench.connect import connect

    chosen = choice(context, profile, data)
    with filling_progress() as progress:
        client = connect(chosen.profile, data=chosen.data, on_wait=announce_pause, progress=progress)
    try:
        yield client
    finally:
        client.close()


def embedded_folder(
    context: typer.Context, profile: str | None, data: Path | None, *, otherwise: str = "local", real_data: bool = False
) -> Path:
    """The folder of the embedded service to administer: ``--data``, else the profile's, else that of ``otherwise``.

    Where ``otherwise`` is the local profile, a current profile that is embedded too goes before it.

    Raises :class:`WrongUse` where the chosen profile is a hosted service, which is not administered from here, and for
    ``real_data`` that would mix with the invented data of the sample workspace.
    """
    from workbench.profiles import LOCAL, load_profiles

    chosen = choice(context, profile, data)
    if chosen.data:
        return chosen.data
    known = load_profiles()
    if chosen.profile is None and otherwise == LOCAL and known.current.kind == "embedded":
        found = known.current
    else:
        found = known.get(chosen.profile or otherwise)
    if found.data is None:
        raise WrongUse(f"Profile {found.name} is a hosted service; `workbench local` looks after an embedded one (--data DIR).")
    if real_data and found.sample:
        raise WrongUse(f"Profile {found.name} holds invented data only; import into your own with --profile local.")
    return found.data
