"""Short-lived signed links to document files (interface 5.6): the token in the path is the whole authorisation."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from itsdangerous import BadSignature, TimestampSigner, URLSafeTimedSerializer
from itsdangerous.encoding import base64_decode, base64_encode
from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from workbench.contract.errors import ErrorCode
from workbench.service.refusals import RequestRefused
from workbench.service.store.access_tables import service_secret
from workbench.service.store.database import Database

LINK_SECONDS: Final = 300
TOKEN_LENGTH_MAX: Final = 1_000
_SECRET_NAME: Final = "links"  # noqa: S105 - the name under which the secret is kept
_DOCUMENT_SALT: Final = "workbench.link.document"


@dataclass(frozen=True, slots=True)
class SignedLink:
    """A token for one document, and when it stops working."""

    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a good token stands for: the document, and the key that asked for the link."""

    sheet_id: str
    key_id: str


class DocumentLinks:
    """Makes and reads document tokens. The secret is in the database, so links outlive a restart but no copy of the data.

    A token of another purpose, an altered one and an expired one are refused alike.
    """

    def __init__(self, database: Database) -> None:
        self._clock = clock = database.clock

        class ClockSigner(TimestampSigner):
            def get_timestamp(self) -> int:
                return int(clock().timestamp())

        self._serializer: URLSafeTimedSerializer = URLSafeTimedSerializer(
            _secret(database),
            salt=_DOCUMENT_SALT,
            signer=ClockSigner,
            signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"},
        )

    def sign(self, sheet_id: str, key_id: str) -> SignedLink:
        """A link to the document for whoever holds it, for 300 seconds, as long as the key that asked for it works."""
        token = self._serializer.dumps([sheet_id, key_id])
        return SignedLink(token, self._clock() + timedelta(seconds=LINK_SECONDS))

    def read(self, token: str) -> LinkTarget:
        """What the token stands for. Raises :class:`RequestRefused` (404 ``LINK_EXPIRED``) for any token that is not good."""
        if len(token) > TOKEN_LENGTH_MAX:
            raise stale_link()
        try:
            payload = self._serializer.loads(token, max_age=LINK_SECONDS)
            signature = token.rpartition(".")[2].encode()
            # Base64 leaves spare bits in the last letter: another letter there would decode to the same signature.
            if base64_encode(base64_decode(signature)) != signature:
                raise stale_link()
        except BadSignature as trouble:
            raise stale_link() from trouble
        sheet_id, key_id = payload
        return LinkTarget(sheet_id, key_id)


def stale_link() -> RequestRefused:
    """The refusal of a token that is expired, altered or not one of this service's."""
    return RequestRefused(
        404,
        ErrorCode.LINK_EXPIRED,
        f"This document link has expired or is not one of this service: links work for {LINK_SECONDS // 60} minutes. "
        "Ask for the tender's documents again to get a new one.",
    )


def _secret(database: Database) -> bytes:
    wanted = select(service_secret.c.value).where(service_secret.c.name == _SECRET_NAME)
    with database.reader() as connection:
        found = connection.execute(wanted).scalar()
    if found is not None:
        return found
    fresh = insert(service_secret).values(
        name=_SECRET_NAME, value=secrets.token_bytes(32), created_at=int(database.clock().timestamp())
    )
    with database.writer() as connection:
        # Two processes may open a new folder at once: whoever comes second takes the secret of the first.
        connection.execute(fresh.on_conflict_do_nothing())
        return connection.execute(wanted).scalar_one()
