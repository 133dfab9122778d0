"""``workbench local alerts|mail``: run alerts without a service, and look into the outbox of their e-mails."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.failures import Failure
from workbench.cli.mail_options import MailFromOption, SmtpOption, SmtpUserOption
from workbench.cli.output import clean, console, in_wire_spelling, put, put_bytes, put_json, say
from workbench.cli.session import DataOption, JsonOption, ProfileOption, embedded_folder

if TYPE_CHECKING:
    from workbench.cli.local import Attempt, Letter, Outbox, Run

alerts = typer.Typer(name="alerts", help="Alerts of the embedded service at work.", no_args_is_help=True, rich_markup_mode=None)
mail = typer.Typer(
    name="mail", help="E-mails of alerts: what was sent and what waits.", no_args_is_help=True, rich_markup_mode=None
)

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The e-mail's id from `local mail list`, or how it begins.")]


@alerts.command("run")
def run_alerts(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ALERT]...", help="Only these alerts, at once.")] = None,
    now: Annotated[bool, typer.Option("--now", help="Run all active alerts, whether their time has come or not.")] = False,
    smtp: SmtpOption = None,
    smtp_user: SmtpUserOption = None,
    mail_from: MailFromOption = None,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Run the alerts whose time has come, and send what is to be sent. `workbench serve` does the same by itself."""
    from workbench.cli import local

    folder = embedded_folder(context, profile, data)
    post = local.mail_post(folder, smtp, user=smtp_user, sender=mail_from)
    with local.delivery(folder, post) as delivery:
        runs, attempts = delivery.run_now(ids or None) if ids or now else delivery.round()
    missing = set(ids or ()) - {run.alert_id for run in runs}
    if missing:
        raise Failure(f"No running alert has the id {clean(min(missing))}; `workbench alerts list` shows them.")
    if json_:
        put_json({"runs": [_as_json(run) for run in runs], "mails": [_as_json(attempt) for attempt in attempts]})
        return
    for run in runs:
        _tell_run(run)
    if not runs:
        put("No alert is active." if ids or now else "No alert is due. Add --now to run all that are active.")
    for attempt in attempts:
        _tell_attempt(attempt)


def _tell_run(run: Run) -> None:
    from workbench.cli.moments import local_minute

    found = f"{run.total:,} tender{'' if run.total == 1 else 's'}"
    whom = f"to {run.recipients} recipient{'' if run.recipients == 1 else 's'}" if run.recipients else "to nobody"
    what = f"{found}, {whom}" if run.delivery_id else "nothing to send"
    put(f"{clean(run.title)}: {what}; next on {local_minute(run.next_run_at)}.")


def _tell_attempt(attempt: Attempt) -> None:
    said = {"sent": "sent", "waiting": "not sent yet and tried again later", "failed": "not sent"}[attempt.state]
    put(f"E-mail {attempt.delivery_id[:8]}: {said}.{f' {clean(attempt.error)}' if attempt.error else ''}")


@mail.command("list")
def list_mail(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="The newest so many.")] = 50,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """List the e-mails of alerts, the newest first."""
    from workbench.cli import local

    with local.outbox(embedded_folder(context, profile, data)) as stored:
        letters = stored.letters(limit=limit)
    if json_:
        put_json([_as_json(letter) for letter in letters])
        return
    if not letters:
        say("No alert has written an e-mail yet; `workbench local alerts run --now` runs those that are active.")
        return
    from workbench.cli.moments import local_minute
    from workbench.cli.tables import cell, new_table

    table = new_table("Id", "Written", "Alert", ("Tenders", {"justify": "right"}), "State", "To")
    for letter in letters:
        people = ", ".join(one.email or one.name for one in letter.recipients) or "nobody"
        values = (letter.id[:8], local_minute(letter.created_at), letter.title, f"{letter.total:,}", _state(letter), people)
        table.add_row(*(cell(value) for value in values))
    console().print(table)


def _state(letter: Letter) -> str:
    from workbench.cli.moments import local_minute

    if letter.state == "waiting" and letter.attempts:
        return f"waiting, again {local_minute(letter.next_attempt_at)}"
    return "for nobody" if letter.state == "unaddressed" else letter.state


@mail.command("show")
def show_mail(
    context: typer.Context,
    id_: IdArgument,
    eml: Annotated[bool, typer.Option("--eml", help="The whole e-mail, attachments included, as a file.")] = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Print what an e-mail says and what became of it."""
    from workbench.cli import local

    with local.outbox(embedded_folder(context, profile, data)) as stored:
        letter = _need(stored, id_)
        if json_:
            put_json(_as_json(letter))
        elif eml:
            put_bytes(stored.eml(letter))
        else:
            for one in letter.recipients:
                put(clean(f"To {one.name} <{one.email or 'no address'}>: {one.state}. {one.error or ''}"))
            put("")
            put(stored.text(letter))


@mail.command("send")
def send_mail(
    context: typer.Context,
    id_: IdArgument,
    smtp: SmtpOption = None,
    smtp_user: SmtpUserOption = None,
    mail_from: MailFromOption = None,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Send an e-mail again to those who did not get it."""
    from workbench.cli import local

    folder = embedded_folder(context, profile, data)
    post = local.mail_post(folder, smtp, user=smtp_user, sender=mail_from)
    with local.outbox(folder) as stored:
        letter = _need(stored, id_)
        if letter.state != "waiting" and not stored.send_again(letter.id):
            raise Failure("Everybody whom this e-mail is for has it.")
        for attempt in stored.send_due(post):
            _tell_attempt(attempt)


def _need(stored: Outbox, id_: str) -> Letter:
    letter = stored.letter(id_)
    if letter is None:
        raise Failure(f"No e-mail, or more than one, has an id that begins with {clean(id_)}; `local mail list` shows them.")
    return letter


def _as_json(value: Any) -> dict[str, Any]:
    return in_wire_spelling(asdict(value))


def register(group: typer.Typer) -> None:
    """Put the commands into ``workbench local``."""
    group.add_typer(alerts)
    group.add_typer(mail)
