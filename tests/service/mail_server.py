"""A real mail server on this machine, which keeps what it takes and fails when it is told to."""

from __future__ import annotations

import csv
import io
import re
import socket
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope


@dataclass
class Mailbox:
    """What the server took, and how it answers: ``refused`` addresses for good, everything while ``failing``."""

    taken: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    failing: str | None = None

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: Any) -> str:  # noqa: N802
        if address in self.refused:
            return "550 5.1.1 no such user here"
        if address in self.later:
            return "451 4.2.2 mailbox busy"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802
        if self.failing is not None:
            return self.failing
        content = envelope.content
        assert isinstance(content, bytes)
        self.taken.append((tuple(envelope.rcpt_tos), content))
        return "250 OK"

    @property
    def messages(self) -> list[EmailMessage]:
        return [parsed(content) for _, content in self.taken]


def parsed(content: bytes) -> EmailMessage:
    """An e-mail as its bytes say it."""
    message = message_from_bytes(content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


@contextmanager
def mail_server(mailbox: Mailbox) -> Iterator[tuple[str, int]]:
    """A running server over ``mailbox``; gives its host and port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=port, server_hostname="localhost")
    controller.start()
    try:
        yield "127.0.0.1", port
    finally:
        controller.stop()


def body(message: EmailMessage, kind: str) -> str:
    """The ``plain`` or ``html`` body of an e-mail."""
    part = message.get_body((kind,))
    assert part is not None
    return part.get_content().replace("\r\n", "\n")


def attachments(message: EmailMessage) -> dict[str, bytes]:
    """The files of an e-mail by their ending."""
    return {
        str(part.get_filename()).rpartition(".")[2]: part.get_payload(decode=True)  # type: ignore[misc]
        for part in message.iter_attachments()
    }


def csv_rows(content: bytes) -> list[dict[str, str]]:
    """The rows of a CSV file by the names of its columns."""
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def xlsx_rows(content: bytes) -> list[list[str]]:
    """The text cells of each row of a workbook's first sheet, read without any library for workbooks."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        assert book.testzip() is None
        shared = re.findall(r"<si><t[^>]*>(.*?)</t></si>", book.read("xl/sharedStrings.xml").decode(), re.DOTALL)
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    rows = re.findall(r"<row .*?</row>", sheet, re.DOTALL)
    return [[shared[int(at)] for at in re.findall(r't="s"><v>(\d+)</v>', row)] for row in rows]
