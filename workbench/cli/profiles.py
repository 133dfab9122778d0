"""``workbench profiles``: which services there are by name, and which is the current one."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workbench.cli.failures import WrongUse
from workbench.cli.output import put, put_json, put_json_array, say
from workbench.cli.session import JsonOption

group = typer.Typer(
    name="profiles",
    help="The services that --profile can name; without a command, list them.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A profile's name.")]


@group.callback()
def profiles(context: typer.Context, json_: JsonOption = False) -> None:
    """The services that --profile can name; without a command, list them."""
    if context.invoked_subcommand is None:
        list_profiles(json_=json_)


@group.command("list")
def list_profiles(json_: JsonOption = False) -> None:
    """List the services that --profile can name; the current one is marked."""
    from workbench.profiles import load_profiles

    known = load_profiles()
    current = known.current.name
    found = [known.get(name) for name in known.names]
    if json_:
        put_json_array(
            {
                "name": one.name,
                "kind": one.kind,
                "baseUrl": one.base_url,
                "mcpUrl": one.mcp_url,
                "data": str(one.data) if one.data else None,
                "current": one.name == current,
            }
            for one in found
        )
        return
    from workbench.cli.tables import print_profiles

    print_profiles(found, current=current)


@group.command("use")
def use(name: NameArgument, json_: JsonOption = False) -> None:
    """Make a profile the one that is used when none is named."""
    from workbench.profiles import BASE_URL_VARIABLE, ENVIRONMENT, PROFILE_VARIABLE, load_profiles

    if name == ENVIRONMENT:
        raise WrongUse(f"Profile {ENVIRONMENT} is the current one wherever {BASE_URL_VARIABLE} is set; it cannot be chosen.")
    known = load_profiles()
    chosen = known.choose(name)
    known.save()
    if json_:
        put_json({"name": chosen.name, "current": True})
    else:
        put(f"Profile {chosen.name} is now the current one.")
    ahead = next((one for one in (PROFILE_VARIABLE, BASE_URL_VARIABLE) if os.environ.get(one, "").strip()), None)
    if ahead:
        say(f"{ahead} is set here and goes before it.")


@group.command("remove")
def remove(name: NameArgument, json_: JsonOption = False) -> None:
    """Forget a profile and its key in the system's key store. The data of an embedded one stays on the disk."""
    from workbench.client.errors import KeyNotStored
    from workbench.keys import remove_key
    from workbench.profiles import load_profiles

    known = load_profiles()
    found = known.get(name)
    known.remove(name)
    removed, trouble = False, ""
    if found.kind == "hosted":
        try:
            removed = remove_key(found)
        except KeyNotStored as refusal:
            trouble = str(refusal)
    known.save()
    if json_:
        put_json({"name": name, "keyRemoved": removed})
    else:
        put(f"Forgot profile {name}{' and its key' if removed else ''}.")
    if trouble:
        say(f"{trouble} If one was stored, it is still there, under the name {name!r}.")


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    app.add_typer(group)
