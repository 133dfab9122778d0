"""Signed document links: good for five minutes, for one document, and in no altered form (interface 5.6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import URLSafeTimedSerializer

from workbench.contract.errors import ErrorCode
from workbench.service.links import DocumentLinks, LinkTarget
from workbench.service.refusals import RequestRefused
from workbench.service.store.database import Database

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
moment = [NOON]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("links")


@pytest.fixture(scope="module")
def links(folder: Path) -> Iterator[DocumentLinks]:
    database = Database(folder, clock=lambda: moment[0])
    yield DocumentLinks(database)
    database.close()


@pytest.fixture(autouse=True)
def at_noon() -> None:
    moment[0] = NOON


def refused(links: DocumentLinks, token: str) -> bool:
    try:
        links.read(token)
    except RequestRefused as refusal:
        return (refusal.status, refusal.code) == (404, ErrorCode.LINK_EXPIRED)
    return False


@pytest.mark.requirement("AUTH-7")
def test_a_link_works_for_five_minutes(links: DocumentLinks) -> None:
    link = links.sign("sheet-1", "key-1")
    assert link.expires_at == NOON + timedelta(seconds=300)
    for seconds in (0, 1, 300):
        moment[0] = NOON + timedelta(seconds=seconds)
        assert links.read(link.token) == LinkTarget("sheet-1", "key-1")
    for seconds in (301, 100_000, -5):
        moment[0] = NOON + timedelta(seconds=seconds)
        assert refused(links, link.token)


@pytest.mark.requirement("AUTH-7")
def test_every_single_altered_letter_is_refused(links: DocumentLinks) -> None:
    token = links.sign("sheet-1", "key-1").token
    for place, letter in enumerate(token):
        for other in "Aa0-_.~é":
            if other != letter:
                assert refused(links, token[:place] + other + token[place + 1 :])
        assert refused(links, token[:place] + token[place + 1 :])


@given(st.text(max_size=1_200))
def test_no_text_is_a_link_by_chance(links: DocumentLinks, text: str) -> None:
    assert refused(links, text)


def test_a_token_signed_for_another_purpose_is_refused(links: DocumentLinks) -> None:
    secret = links._serializer.secret_keys[0]
    for salt in ("workbench.link.summary", "itsdangerous"):
        other = URLSafeTimedSerializer(secret, salt=salt).dumps(["sheet-1", "key-1"])
        assert refused(links, str(other))


def test_links_outlive_a_restart_and_no_other_folder_makes_them(links: DocumentLinks, folder: Path, tmp_path: Path) -> None:
    token = links.sign("sheet-1", "key-1").token
    for place, works in ((folder, True), (tmp_path, False)):
        database = Database(place, clock=lambda: moment[0])
        assert refused(DocumentLinks(database), token) is not works
        database.close()
