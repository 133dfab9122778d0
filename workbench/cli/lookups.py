"""``tender``, ``org``, ``awards``, ``cpv`` and ``whoami``: one thing by its id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from workbench.cli.output import console, put_json, put_json_array
from workbench.cli.session import DataOption, JsonOption, ProfileOption, TaxIdsOption, connected

if TYPE_CHECKING:
    from workbench.reference.cpv import CpvCode

_CODE: Final = re.compile(r"[0-9]{8}(-[0-9])?")
OrganizationArgument = Annotated[str, typer.Argument(metavar="ID", help="An organization's id or slug.")]


def tender(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The tender's id, as the search shows it.")],
    sheets: Annotated[bool, typer.Option("--sheets", help="List the tender's documents instead.")] = False,
    json_: JsonOption = False,
    with_tax_ids: TaxIdsOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show one tender with every field, or list its documents."""
    with connected(context, profile, data) as client:
        if sheets:
            listed = client.tenders.sheets(id_)
            if json_:
                put_json_array(sheet.to_wire() for sheet in listed)
                return
            from workbench.cli.tables import print_sheets

            print_sheets(listed)
            return
        record = client.tenders.get(id_)
    if json_:
        put_json(record.to_wire())
        return
    from workbench.cli.tables import print_tender

    print_tender(record, with_tax_ids=with_tax_ids)


def org(
    context: typer.Context,
    id_: OrganizationArgument,
    json_: JsonOption = False,
    with_tax_ids: TaxIdsOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show a buyer or supplier."""
    with connected(context, profile, data) as client:
        record = client.organizations.get(id_)
    if json_:
        put_json(record.to_wire())
        return
    from workbench.cli.tables import print_organization

    print_organization(record, with_tax_ids=with_tax_ids)


def awards(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids or slugs of organizations.")],
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show what organizations have awarded or won, by year and by sector.

    With --json, one ID gives the service's object and several give an array of them.
    """
    with connected(context, profile, data) as client:
        found = [client.organizations.awards(id_) for id_ in ids]
    if json_:
        wires = [statistics.to_wire() for statistics in found]
        put_json(wires[0] if len(wires) == 1 else wires)
        return
    from workbench.cli.tables import print_awards

    for statistics in found:
        print_awards(statistics)


def cpv(
    context: typer.Context,
    text: Annotated[list[str], typer.Argument(metavar="CODE|TEXT", help="A code, or words of its name in any language.")],
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="For words: the best N.")] = 20,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Look up a CPV code: by its eight digits, by their beginning, or by words in seven languages (no connection needed)."""
    wanted = " ".join(text).strip()
    if _CODE.fullmatch(wanted):
        with connected(context, profile, data) as client:
            record = client.cpv.get(wanted[:8])
        if json_:
            put_json(record.to_wire())
            return
        from workbench.cli.tables import print_cpv

        print_cpv(record)
        return
    from workbench.reference.cpv import search

    found = search(wanted, limit=limit)
    if json_:
        put_json_array(_code_as_record(code) for code in found)
        return
    from workbench.cli.tables import print_codes

    print_codes(found)


def _code_as_record(code: CpvCode) -> dict[str, Any]:
    names = {f"name{language.capitalize()}": code.names[language] for language in ("en", "es", "fr", "de", "it", "ca", "pt")}
    return {
        "code": code.code,
        "checkDigit": code.check_digit,
        "type": code.type,
        **names,
        "emoji": code.emoji,
        "fontAwesomeIcon": code.icon,
    }


def whoami(context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None) -> None:
    """Show who calls: the key's name, its account, organization and plan."""
    with connected(context, profile, data) as client:
        caller = client.whoami()
        service = client.base_url
    if json_:
        put_json(caller.to_wire())
        return
    from workbench.cli.tables import print_fields, print_other_fields

    account = caller.account
    screen = console()
    print_fields(
        screen,
        [
            ("Service", str(service)),
            ("Key", caller.principal.name if caller.principal else None),
            ("Key id", caller.principal.id if caller.principal else None),
            ("Account", f"{account.name or ''} ({account.slug or account.id or '–'})" if account else None),
            ("Organization", caller.organization.name if caller.organization else None),
            ("Plan", caller.plan.tier if caller.plan else None),
        ],
    )
    print_other_fields(screen, caller.other_fields)


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    for command in (tender, org, awards, cpv, whoami):
        app.command()(command)
