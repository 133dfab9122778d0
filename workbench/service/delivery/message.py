"""From a digest to the e-mail: headers, both bodies, and the attachments that the alert asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from workbench.reference.text import words
from workbench.service.delivery import digest_text
from workbench.service.delivery.digest import Digest, Recipient
from workbench.service.delivery.digest_pdf import pdf_bytes
from workbench.service.delivery.digest_tables import csv_bytes, xlsx_bytes
from workbench.service.delivery.post import is_address
from workbench.service.delivery.wording import clean, shortened

MESSAGE_DOMAIN: Final = "alerts.tender-workbench"
"""The right side of each Message-ID: the same whoever sends, so that a second attempt is known for what it is."""

SENDER_NAME: Final = "Tender workbench"
_SUBJECT_MAX: Final = 150
_FORMS: Final = (
    ("hasPdf", "pdf", "application", "pdf", pdf_bytes),
    ("hasCsv", "csv", "text", "csv", csv_bytes),
    ("hasXlsx", "xlsx", "application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx_bytes),
)


def compose(digest: Digest, recipients: Sequence[Recipient], sender: str) -> EmailMessage:
    """The e-mail of ``digest``, the same bytes each time; addressed to all ``recipients`` that have an address."""
    message = EmailMessage(policy=SMTP)
    message["From"] = _address(SENDER_NAME, sender)
    message["To"] = [_address(one.name, one.email) for one in recipients if one.email and is_address(one.email)]
    message["Subject"] = shortened(digest.subject, _SUBJECT_MAX)
    message["Date"] = digest.created_at
    message["Message-ID"] = f"<{digest.id}@{MESSAGE_DOMAIN}>"
    message["List-Id"] = f"<{digest.alert_id}.{MESSAGE_DOMAIN}>"
    # Nobody's holiday notice should answer this (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(digest_text.plain(digest), cte="quoted-printable")
    message.add_alternative(digest_text.html(digest), subtype="html", cte="quoted-printable")
    for field, ending, kind, subtype, make in _FORMS:
        if digest.attachments.get(field) is True:
            name = f"{_file_name(digest)}.{ending}"
            charset = {"charset": "utf-8"} if kind == "text" else {}
            message.add_attachment(make(digest), maintype=kind, subtype=subtype, filename=name, params=charset)
    _fix_boundaries(message, digest.id)
    return message


def _address(name: str, address: str) -> Address:
    return Address(display_name=clean(name), addr_spec=address)


def _file_name(digest: Digest) -> str:
    day = digest.created_at.astimezone(digest.zone).date().isoformat()
    return f"{'-'.join(words(digest.title))[:60].strip('-') or 'alert'}-{day}"


def _fix_boundaries(message: EmailMessage, identity: str) -> None:
    # Left alone each would be random, and a second attempt would differ from the first.
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{hashlib.sha256(f'{identity}/{number}'.encode()).hexdigest()[:32]}")
