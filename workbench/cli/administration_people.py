"""``workbench local account|user|team``: who the embedded service knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from workbench.cli.output import console, put, put_json, say
from workbench.cli.session import DataOption, JsonOption, ProfileOption, embedded_folder

accounts = typer.Typer(name="account", help="Accounts of the embedded service.", no_args_is_help=True, rich_markup_mode=None)
users = typer.Typer(name="user", help="Users of an account.", no_args_is_help=True, rich_markup_mode=None)
teams = typer.Typer(name="team", help="Teams of an account's users.", no_args_is_help=True, rich_markup_mode=None)

AccountOption = Annotated[
    str | None, typer.Option("--account", metavar="SLUG", help="The account, by slug or id; the local one by default.")
]


@accounts.command("create")
def create_account(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the account is called.")],
    slug: Annotated[str | None, typer.Option(metavar="SLUG", help="Its short name; made from the name by default.")] = None,
    organization: Annotated[
        str | None, typer.Option(metavar="ID", help="The organization of the open data that it stands for.")
    ] = None,
    plan: Annotated[str | None, typer.Option(metavar="TIER", help="Its plan, as `workbench whoami` shows it.")] = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Make an account: its keys reach its own alerts and boards, and nobody else's."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        options = {"plan_tier": plan} if plan else {}
        made = stored.create_account(name, slug=slug, organization_id=organization, **options)
    _tell(local.account_as_record(made), f"Made the account {made.slug}.", json_=json_)


@accounts.command("list")
def list_accounts(
    context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None
) -> None:
    """List the accounts."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        found = [local.account_as_record(one) for one in stored.accounts()]
    columns = (("Slug", "slug"), ("Name", "name"), ("Plan", "planTier"), ("Organization", "organizationId"), ("Id", "id"))
    print_records(
        found, columns, "There are no accounts yet; `workbench local account create --name NAME` makes one.", json_=json_
    )


@users.command("create")
def create_user(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the user is called.")],
    email: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Where e-mails of alerts go.")] = None,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Make a user, whom alerts, opportunities and tasks can name."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        made = stored.create_user(local.account_or_default(stored, account), name, email=email)
    _tell(local.user_as_record(made), f"Made the user {made.name}: {made.id}", json_=json_)


@users.command("list")
def list_users(
    context: typer.Context,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List the users of an account."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        found = [local.user_as_record(one) for one in stored.users(local.account_or_default(stored, account))]
    columns = (("Name", "name"), ("E-mail", "email"), ("Id", "id"))
    print_records(
        found, columns, "The account has no users yet; `workbench local user create --name NAME` makes one.", json_=json_
    )


@teams.command("create")
def create_team(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the team is called.")],
    members: Annotated[
        list[str] | None, typer.Option("--member", metavar="USER", help="A user's id or exact name; may be repeated.")
    ] = None,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Make a team of an account's users."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        owner = local.account_or_default(stored, account)
        made = stored.create_team(owner, name, local.user_ids(stored, owner, members or ()))
    _tell(local.team_as_record(made), f"Made the team {made.name}: {made.id}", json_=json_)


@teams.command("list")
def list_teams(
    context: typer.Context,
    account: AccountOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List the teams of an account."""
    from workbench.cli import local

    with local.access(embedded_folder(context, profile, data)) as stored:
        found = [local.team_as_record(one) for one in stored.teams(local.account_or_default(stored, account))]
    columns = (("Name", "name"), ("Members", "memberIds"), ("Id", "id"))
    print_records(
        found, columns, "The account has no teams yet; `workbench local team create --name NAME` makes one.", json_=json_
    )


def print_records(
    records: Iterable[Mapping[str, Any]], columns: Iterable[tuple[str, str]], nothing: str, *, json_: bool
) -> None:
    """Print records as JSON, or as a table of ``columns`` (heading and field); where there are none, say ``nothing``."""
    if json_:
        put_json(list(records))
        return
    from workbench.cli.tables import cell, new_table

    headings, fields = zip(*columns, strict=True)
    table = new_table(*headings)
    for record in records:
        table.add_row(*(cell(_text(record[field])) for field in fields))
    if table.row_count:
        console().print(table)
    else:
        say(nothing)


def _text(value: object) -> str | None:
    match value:
        case None | []:
            return None
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _tell(record: Mapping[str, Any], sentence: str, *, json_: bool) -> None:
    if json_:
        put_json(record)
    else:
        put(sentence)


def register(group: typer.Typer) -> None:
    """Put the commands under ``workbench local``."""
    for commands in (accounts, users, teams):
        group.add_typer(commands)
