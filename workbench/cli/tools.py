"""``workbench tools list`` and ``workbench tools call``: the tool server, as a desktop assistant sees it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from workbench.cli.failures import WrongUse
from workbench.cli.json_input import read_object
from workbench.cli.output import clean, console, is_terminal, put, put_json, put_json_array
from workbench.cli.session import DataOption, JsonOption, ProfileOption, TaxIdsOption, connected

if TYPE_CHECKING:
    from workbench.client.tool_results import Reference, ToolDescription
    from workbench.contract.tools import Tool

tools = typer.Typer(help="The tool server: list its tools, and call one.", no_args_is_help=True, rich_markup_mode=None)


@tools.command("list")
def list_tools(
    context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None, data: DataOption = None
) -> None:
    """List the tools that the service's tool server offers."""
    with connected(context, profile, data) as client:
        found = client.tool_server().list()
    if json_:
        put_json_array(_as_record(tool) for tool in found)
        return
    _print_tools(found)


@tools.command("call")
def call_tool(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tool's name, such as search_tenders.")],
    arg: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="K=V", help="A parameter; lists by repeating it, objects as JSON. Repeat for more."),
    ] = None,
    json_args: Annotated[
        str | None,
        typer.Option(
            "--json-args", metavar="JSON|FILE", help="All parameters: a JSON object, a file with one, or - for stdin."
        ),
    ] = None,
    json_: JsonOption = False,
    with_tax_ids: TaxIdsOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Call a tool and print its answer.

    What changes something asks first: the tool refuses, and says what to confirm. Confirm by adding --arg confirmed=true, or
    --arg confirmTerminal=true for a move that closes an opportunity.
    """
    from workbench.client.tool_results import tool_named

    tool = tool_named(name)
    arguments = _from_json(json_args) | _from_pairs(tool, arg or ())
    with connected(context, profile, data) as client:
        result = client.tool_server().call(name, arguments, check=True)
    if json_:
        put_json(result.data)
        return
    from workbench.reference.tax_ids import masked_everywhere

    put_json(result.data if with_tax_ids else masked_everywhere(result.data))
    if result.references and is_terminal():
        _print_references(result.references)


def _from_json(given: str | None) -> dict[str, Any]:
    if given is None:
        return {}
    if not given.lstrip().startswith("{"):
        return read_object(given)
    try:
        return cast("dict[str, Any]", json.loads(given))
    except ValueError as trouble:
        raise WrongUse(f"--json-args is no JSON: {trouble}.") from None


def _from_pairs(tool: Tool, pairs: Sequence[str]) -> dict[str, Any]:
    """The arguments of ``--arg``, each as its parameter wants it; what does not fit goes on, to be refused by its name."""
    schema = tool.parameters.model_json_schema(by_alias=True)
    properties = cast("dict[str, Any]", schema.get("properties", {}))
    spellings = {_bare(name): name for name in properties}
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise WrongUse(f"--arg takes NAME=VALUE, and {clean(pair)!r} is not that.")
        name = spellings.get(_bare(key), key.strip())
        kinds = set(_kinds(properties.get(name, {}), cast("dict[str, Any]", schema.get("$defs", {}))))
        if "array" in kinds and not text.lstrip().startswith("["):
            value = _scalar(text, {"object"} if text.lstrip().startswith("{") else {"string"})
            found[name] = [*cast("list[Any]", found.get(name, [])), value]
        elif name in found:
            raise WrongUse(f"--arg {name} is given twice, and {tool.name} takes one.")
        else:
            found[name] = _scalar(text, kinds or {"string"})
    return found


def _bare(name: str) -> str:
    return name.strip().replace("_", "").replace("-", "").casefold()


def _kinds(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterable[str]:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        yield from _kinds(definitions.get(reference.rpartition("/")[2], {}), definitions)
    for form in (*schema.get("anyOf", ()), *schema.get("allOf", ()), *schema.get("oneOf", ())):
        yield from _kinds(form, definitions)
    if isinstance(schema.get("type"), str):
        yield schema["type"]


def _scalar(text: str, kinds: set[str]) -> Any:
    if "string" in kinds:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _as_record(tool: ToolDescription) -> dict[str, Any]:
    record = {"name": tool.name, "description": tool.description, "readOnly": tool.read_only, "destructive": tool.destructive}
    return record | {"inputSchema": tool.parameters}


def _print_tools(found: Iterable[ToolDescription]) -> None:
    from workbench.cli.tables import cell, new_table

    table = new_table("Tool", "Group", "Changes", "What it does")
    for tool in found:
        group = tool.known.group.value if tool.known else "not of the interface"
        changes = "no" if tool.read_only else "may close for good" if tool.destructive else "yes"
        table.add_row(cell(tool.name), group, changes, cell(tool.description))
    console().print(table)


def _print_references(references: Iterable[Reference]) -> None:
    from workbench.cli.tables import cell, new_table

    table = new_table("Type", "Id", "Name")
    for reference in references:
        table.add_row(cell(str(reference.type)), cell(reference.id), cell(reference.label))
    put("")
    console().print(table)


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    app.add_typer(tools, name="tools")
