"""Ways for an e-mail to leave: a mail server, or a folder of ``.eml`` files where there is none."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
import smtplib
import ssl
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import ClassVar, Final, Protocol

from pydantic import SecretStr

from workbench.reference.text import words

SECONDS_MAX: Final = 30
"""How long a mail server may take for one answer."""

TLS_PORT: Final = 465
"""The port on which TLS begins before the first word (RFC 8314)."""


_ADDRESS: Final = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\]+")


class WrongPost(ValueError):
    """Settings of a mail server that cannot be meant; the text is a sentence for the person who gave them."""


def is_address(text: str) -> bool:
    """Whether an e-mail can be addressed to ``text``."""
    return len(text) <= 254 and text.isprintable() and _ADDRESS.fullmatch(text) is not None


class PostUnavailable(Exception):
    """Nothing can be sent just now; the text is a sentence. The outbox keeps everything and tries again."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why one address did not get the e-mail, and whether trying again is of no use."""

    reason: str
    for_good: bool


@dataclass(frozen=True, slots=True)
class Posted:
    """Which addresses have the e-mail now, and why the others have not."""

    accepted: tuple[str, ...]
    refused: Mapping[str, Refused] = field(default_factory=dict[str, Refused])


class Post(Protocol):
    """A way for an e-mail to leave."""

    @property
    def sender(self) -> str:
        """The address that e-mails come from."""
        ...

    def send(self, message: EmailMessage, addresses: Sequence[str]) -> Posted:
        """Hand ``message`` over for ``addresses``. Raises :class:`PostUnavailable` where that cannot be tried at all."""
        ...


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server (SMTP). TLS is used from the start on port 465, elsewhere as soon as the server offers it.

    A user's password is sent over TLS only, unless the server is on this machine.
    """

    host: str
    port: int
    sender: str
    user: str | None = None
    password: SecretStr | None = None

    def send(self, message: EmailMessage, addresses: Sequence[str]) -> Posted:
        """Hand ``message`` to the server; what it says of each address is in the answer."""
        try:
            with self._connected() as server:
                return self._send(server, message, addresses)
        except smtplib.SMTPAuthenticationError as trouble:
            raise PostUnavailable(f"{self._name} refused the user or the password: {_said(trouble)}.") from None
        except smtplib.SMTPResponseException as trouble:
            raise PostUnavailable(f"{self._name} did not take the e-mail: {_said(trouble)}.") from None
        except smtplib.SMTPException as trouble:
            raise PostUnavailable(f"{self._name} did not take the e-mail: {_shown(str(trouble))}.") from None
        except OSError as trouble:
            reason = trouble.strerror or str(trouble) or type(trouble).__name__
            raise PostUnavailable(f"{self._name} cannot be reached: {_shown(reason)}.") from None

    @property
    def _name(self) -> str:
        return f"The mail server {self.host} port {self.port}"

    def _connected(self) -> smtplib.SMTP:
        secure = ssl.create_default_context()
        if self.port == TLS_PORT:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS_MAX, context=secure)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=SECONDS_MAX)
        try:
            server.ehlo_or_helo_if_needed()
            encrypted = self.port == TLS_PORT
            if not encrypted and server.has_extn("starttls"):
                server.starttls(context=secure)
                server.ehlo()
                encrypted = True
            self._log_in(server, encrypted=encrypted)
        except BaseException:
            server.close()
            raise
        return server

    def _log_in(self, server: smtplib.SMTP, *, encrypted: bool) -> None:
        if self.user is None:
            return
        if not encrypted and not _is_this_machine(self.host):
            raise PostUnavailable(f"{self._name} offers no TLS, so the password is not sent. Use port 465 or another server.")
        server.login(self.user, "" if self.password is None else self.password.get_secret_value())

    def _send(self, server: smtplib.SMTP, message: EmailMessage, addresses: Sequence[str]) -> Posted:
        try:
            refused = server.send_message(message, self.sender, list(addresses))
        except smtplib.SMTPRecipientsRefused as trouble:
            refused = trouble.recipients
        except smtplib.SMTPNotSupportedError as trouble:
            reason = Refused(f"{self._name} takes no such address: {_shown(str(trouble))}.", for_good=True)
            return Posted((), dict.fromkeys(addresses, reason))
        except smtplib.SMTPDataError as trouble:
            if trouble.smtp_code < 500:
                raise
            reason = Refused(f"{self._name} refused the e-mail: {_said(trouble)}.", for_good=True)
            return Posted((), dict.fromkeys(addresses, reason))
        why = {
            address: Refused(f"{self._name} refused the address: {code} {_shown(_text(said))}.", for_good=code >= 500)
            for address, (code, said) in refused.items()
        }
        return Posted(tuple(address for address in addresses if address not in why), why)


@dataclass(frozen=True, slots=True)
class MailFolder:
    """A folder that gets each e-mail as an ``.eml`` file, which any mail program opens. The same e-mail gets the same name."""

    DEFAULT_SENDER: ClassVar[str] = "workbench@localhost"

    folder: Path
    sender: str = DEFAULT_SENDER

    def send(self, message: EmailMessage, addresses: Sequence[str]) -> Posted:
        """Write ``message`` as a whole file or not at all."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self.folder / self._name(message), message.as_bytes())
        except OSError as trouble:
            reason = trouble.strerror or type(trouble).__name__
            raise PostUnavailable(f"The e-mail cannot be written into {self.folder}: {reason}.") from None
        return Posted(tuple(addresses))

    def _name(self, message: EmailMessage) -> str:
        when = message["Date"].datetime.strftime("%Y-%m-%dT%H%M")
        about = "-".join(words(message["Subject"]))[:50].strip("-")
        identity = message["Message-ID"].strip("<>").partition("@")[0]
        return f"{when}-{about}-{identity[:8]}.eml"

    def _write(self, path: Path, content: bytes) -> None:
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".writing-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def post_for(
    folder: Path,
    server: str | None = None,
    *,
    user: str | None = None,
    password: SecretStr | None = None,
    sender: str | None = None,
) -> Post:
    """The mail server ``HOST:PORT``, or without one the folder ``mail`` in the service's own ``folder``.

    ``sender`` is the address that e-mails come from: the user where that is an address, else ``workbench`` at the server's
    host. Raises :class:`WrongPost`.
    """
    if server is None:
        if user is not None or sender is not None:
            raise WrongPost("A mail user or sender needs a mail server: name it with --smtp HOST:PORT.")
        return MailFolder(folder / "mail")
    host, _, port = server.rpartition(":")
    host = host.strip().removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536 or not host.isprintable():
        raise WrongPost(f"{server!r} is no mail server: expected HOST:PORT, such as mail.example.org:587.")
    if user is not None and password is None:
        raise WrongPost("The mail user has no password: put it into the environment variable WORKBENCH_SMTP_PASSWORD.")
    address = sender or (user if user and is_address(user) else f"workbench@{host}")
    if not is_address(address):
        raise WrongPost(f"{address!r} is no address that e-mails could come from: name one with --mail-from.")
    return MailServer(host, int(port), address, user, password)


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _said(trouble: smtplib.SMTPResponseException) -> str:
    return f"{trouble.smtp_code} {_shown(_text(trouble.smtp_error))}"


def _text(said: bytes | str) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else said


def _shown(text: str) -> str:
    # A server's answer is text from outside: one line of it, and no more than a person reads.
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return plain[:200].rstrip(".")
