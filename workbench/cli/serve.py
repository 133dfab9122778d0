"""``workbench serve``: the embedded service over HTTP, for other programs on this machine or network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.local import mail_post, summary_writer
from workbench.cli.mail_options import MailFromOption, SmtpOption, SmtpUserOption
from workbench.cli.output import put, put_json_line, say
from workbench.cli.session import DataOption, ProfileOption, embedded_folder

if TYPE_CHECKING:
    from workbench.service.serve import Ready


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8765,
    sample: Annotated[bool, typer.Option("--sample", help="Fill an empty folder with the sample workspace first.")] = False,
    ephemeral: Annotated[bool, typer.Option("--ephemeral", help="Keep nothing: a temporary folder, gone at the end.")] = False,
    no_key: Annotated[bool, typer.Option("--no-key", help="Make no key for this start; only stored keys open it.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one line of JSON when ready: baseUrl, mcpUrl, key.")] = False,
    smtp: SmtpOption = None,
    smtp_user: SmtpUserOption = None,
    mail_from: MailFromOption = None,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Serve the embedded service over HTTP: REST under /v1. Ctrl-C stops it.

    Alerts run meanwhile. Their e-mails leave by the mail server of --smtp, else they are files in the folder's own mail.
    """
    from workbench.service.serve import run

    folder = embedded_folder(context, profile, data, otherwise="sample" if sample else "local")
    post = mail_post(folder, smtp, user=smtp_user, sender=mail_from) if smtp or smtp_user or mail_from else None

    def announce(ready: Ready) -> None:
        if json_:
            key = ready.key.get_secret_value() if ready.key else None
            put_json_line({"baseUrl": ready.base_url, "mcpUrl": ready.mcp_url, "key": key})
        else:
            _announce(ready, Path(folder), ephemeral=ephemeral)

    run(
        folder,
        host,
        port,
        on_ready=announce,
        sample=sample,
        ephemeral=ephemeral,
        no_key=no_key,
        post=post,
        summary_writer=summary_writer(),
    )


def _announce(ready: Ready, folder: Path, *, ephemeral: bool) -> None:
    put(f"Serving {'a temporary folder' if ephemeral else folder} at {ready.base_url} (REST under /v1).")
    if ready.key:
        put(f"Key for this start, shown once: {ready.key.get_secret_value()}")
        put(f"Use it with: WORKBENCH_BASE_URL={ready.base_url} WORKBENCH_API_KEY=… workbench whoami")
    say("Ctrl-C stops it.")


def register(app: typer.Typer) -> None:
    """Put the command into the tree."""
    app.command()(serve)
