"""How e-mails of alerts leave, as options of the commands that send them. The password is in the environment only."""

from __future__ import annotations

from typing import Annotated

import typer

SmtpOption = Annotated[
    str | None, typer.Option("--smtp", metavar="HOST:PORT", help="The mail server; without one e-mails become files.")
]
SmtpUserOption = Annotated[
    str | None,
    typer.Option("--smtp-user", metavar="NAME", help="Its user; the password is in WORKBENCH_SMTP_PASSWORD."),
]
MailFromOption = Annotated[
    str | None,
    typer.Option("--mail-from", metavar="ADDRESS", help="The address e-mails come from; the user's by default."),
]
