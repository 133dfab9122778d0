"""``workbench alerts …``: saved searches that send e-mails (interface 2 and 4.1)."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from workbench.cli import alert_options as options
from workbench.cli.failures import WrongUse
from workbench.cli.filters import TenderFilterOptions, client_filters
from workbench.cli.option_groups import Said, with_options
from workbench.cli.output import clean, put, put_json, put_json_array, say
from workbench.cli.results import FormatOption, Writing, chosen_format
from workbench.cli.session import DataOption, JsonOption, OutputOption, OverwriteOption, ProfileOption, TaxIdsOption, connected
from workbench.cli.span import AllOption, LimitOption, PageOption, PageSizeOption, Span
from workbench.cli.words import word_option
from workbench.contract.vocabulary import AlertSort, SortDirection

group = typer.Typer(name="alerts", help="Alerts: saved searches that notify.", no_args_is_help=True, rich_markup_mode=None)
AlertArgument = Annotated[str, typer.Argument(metavar="ALERT", help="The alert's id, from `alerts list`.")]


@group.command("list")
def list_alerts(
    context: typer.Context,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Only those whose title has this.")] = None,
    is_archived: Annotated[
        bool | None,
        typer.Option("--is-archived/--not-archived", help="Only archived ones, or only others.", show_default=False),
    ] = None,
    sort: Annotated[
        AlertSort | None,
        word_option("--sort", words=AlertSort, metavar="ORDER", help_=f"One of {', '.join(AlertSort)}."),
    ] = None,
    ascending: Annotated[
        bool | None, typer.Option("--ascending/--descending", help="First to last, or last first.", show_default=False)
    ] = None,
    page: PageOption = None,
    page_size: PageSizeOption = None,
    limit: LimitOption = None,
    everything: AllOption = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List alerts, the last changed first."""
    span = Span(page, page_size, limit, everything)
    given: dict[str, Any] = {"text": text, "is_archived": is_archived, "sort": sort}
    if ascending is not None:
        given["sort_direction"] = SortDirection.ASCENDING if ascending else SortDirection.DESCENDING
    given = {name: value for name, value in given.items() if value is not None}
    with connected(context, profile, data) as client:
        found = span.fetch(client.alerts.list, client.alerts.iterate, given, what="alerts")
        if json_:
            put_json_array(alert.to_wire() for alert in found.records)
        else:
            from workbench.cli.alert_tables import print_alerts

            print_alerts(found.records)
    if hint := found.more():
        say(hint)


@group.command()
def show(
    context: typer.Context,
    alert: AlertArgument,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show one alert: what it looks for, and when it writes."""
    with connected(context, profile, data) as client:
        _print(client.alerts.get(alert), json_=json_)


@group.command()
@with_options(options.AlertOptions)
def create(
    context: typer.Context,
    said: Said,
    source: options.FromOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Create an alert from options, from a JSON object, or from both: an option goes before the object's field.

    A title and at least one event are needed. The object may be one that `alerts show --json` printed.
    """
    from workbench.cli.alert_changes import new_alert

    base = _from(source)
    draft = new_alert(base | options.alert_with(base, said))
    if missing := [name for name, wire in (("--title", "title"), ("--event", "windowsSearch")) if not draft.get(wire)]:
        raise WrongUse(f"An alert needs {' and '.join(missing)} (or the same in --from FILE).")
    with connected(context, profile, data) as client:
        made = client.alerts.create(draft)
    _print(made, json_=json_, before=f"Created the alert {clean(made.id)}.")


@group.command()
@with_options(options.AlertEditOptions)
def edit(
    context: typer.Context,
    alert: AlertArgument,
    said: Said,
    source: options.FromOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Change an alert. Only what differs from the alert as it is now is sent; a list that is given replaces the one there.

    With --from FILE the object may be one that `alerts show --json` printed, changed by hand; fields it leaves out stay.
    """
    from workbench.cli.alert_changes import changes

    wanted = _from(source)
    if not said and not wanted:
        raise WrongUse("Nothing to change was said: add an option (`workbench alerts edit --help`), or --from FILE.")
    with connected(context, profile, data) as client:
        now = client.alerts.get(alert)
        present = now.to_wire()
        patch = changes(present, wanted | options.alert_with(present | wanted, said))
        if not patch:
            _print(now, json_=json_)
            say("The alert is like that already; nothing was sent.")
            return
        changed = client.alerts.update(alert, patch)
    _print(changed, json_=json_, before=f"Changed {', '.join(sorted(patch))}.")


@group.command()
@with_options(TenderFilterOptions)
def results(
    context: typer.Context,
    alert: AlertArgument,
    said: Said,
    page: PageOption = None,
    page_size: PageSizeOption = None,
    limit: LimitOption = None,
    everything: AllOption = False,
    format_: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    overwrite: OverwriteOption = False,
    with_tax_ids: TaxIdsOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Show the tenders that match an alert now. The filters of `workbench search` narrow them further."""
    span = Span(page, page_size, limit, everything)
    writing = Writing(chosen_format(format_, output, json_=json_), output, overwrite=overwrite, with_tax_ids=with_tax_ids)
    writing.check()
    given = client_filters(said)
    with connected(context, profile, data) as client:
        alerts = client.alerts
        found = span.fetch(
            lambda **query: alerts.results(alert, **query),
            lambda **query: alerts.iterate_results(alert, **query),
            given,
            what="tenders",
        )
        writing.write(found.records, more=found.more)


def _switching(name: str, patch: dict[str, bool], done: str, help_: str) -> None:
    def switch(
        context: typer.Context,
        alert: AlertArgument,
        json_: JsonOption = False,
        profile: ProfileOption = None,
        data: DataOption = None,
    ) -> None:
        with connected(context, profile, data) as client:
            changed = client.alerts.update(alert, patch)
        if json_:
            put_json(changed.to_wire())
        else:
            put(f"{clean(changed.title or alert)} is {done}.")

    group.command(name, help=help_)(switch)


_switching("pause", {"is_active": False}, "paused", "Stop an alert until it is resumed.")
_switching("resume", {"is_active": True}, "running again", "Let a paused alert run again.")
_switching("archive", {"is_archived": True}, "archived", "Put an alert into the archive.")
_switching("unarchive", {"is_archived": False}, "out of the archive", "Take an alert out of the archive.")


def _from(source: str | None) -> dict[str, Any]:
    if source is None:
        return {}
    from workbench.cli.alert_changes import in_wire_names
    from workbench.cli.json_input import read_object

    return in_wire_names(read_object(source))


def _print(alert: Any, *, json_: bool, before: str | None = None) -> None:
    if json_:
        put_json(alert.to_wire())
        return
    from workbench.cli.alert_tables import print_alert

    if before:
        put(before)
    print_alert(alert)


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    app.add_typer(group)
