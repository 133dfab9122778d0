"""Keys and tokens in text and log records."""

from __future__ import annotations

import gc
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from workbench.client.policy.redaction import HIDDEN, RedactingFilter, excerpt, redact

SECRETS = st.text(st.characters(codec="ascii", categories=("L", "N", "P")), min_size=8, max_size=40).filter(
    lambda text: text not in HIDDEN
)
TOKENS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~", min_size=6, max_size=60)


@pytest.mark.requirement("AUTH-8")
@given(st.text(), SECRETS, st.text())
def test_a_known_secret_is_gone_wherever_it_stands(before: str, secret: str, after: str) -> None:
    assert secret not in redact(f"{before}{secret}{after}", [SecretStr(secret)]).replace(HIDDEN, "")


@pytest.mark.requirement("AUTH-8")
@given(
    TOKENS,
    st.sampled_from(
        ["https://h.example/v1/tenders/{}/download", "/v1/tenders/{}/download?x=1", "GET /v1/tenders/{}/download HTTP"]
    ),
)
def test_a_document_token_is_gone(token: str, template: str) -> None:
    text = redact(template.format(f"documents/{token}"))
    assert f"/{token}/" not in text
    assert text.startswith(template.partition("{")[0])


@given(
    TOKENS,
    st.sampled_from(
        [
            "api-key: {}",
            "{{'api-key': '{}', 'x': 1}}",
            "Headers({{'API-Key': '{}'}})",
            "(b'api-key', b'{}')",
            '{{"api_key": "{}"}}',
            "Authorization: Bearer {}",
            "https://store.example/f?X-Amz-Signature={}&x=1",
            "https://store.example/f?a=1&sig={}",
            "https://user:{}@host.example/",
        ]
    ),
)
def test_unknown_secrets_in_their_usual_places_are_gone(value: str, template: str) -> None:
    assert value not in redact(template.format("zz" + value + "zz")).replace(HIDDEN, "")


def test_ordinary_text_stays_as_it_is() -> None:
    for text in (
        "Obras de la carretera, 2.000.000 €",
        "status: Publicada",
        "https://h.example/v1/tenders/documents",
        "a key: word",
    ):
        assert redact(text) == text


@given(st.binary(max_size=3000))
def test_an_excerpt_is_one_short_printable_line(body: bytes) -> None:
    text = excerpt(body)
    assert len(text) <= 200
    assert text.isprintable()


def test_the_log_filter_hides_what_is_watched_for_as_long_as_it_is_held(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("tests.redaction")
    redacting = RedactingFilter()
    logger.addFilter(redacting)
    secret, twin = SecretStr("watched-secret-1"), SecretStr("watched-secret-1")
    redacting.watch(twin)
    redacting.watch(secret)
    del twin
    gc.collect()
    with caplog.at_level(logging.INFO, "tests.redaction"):
        logger.info("echo %s at %s", "watched-secret-1", "/v1/tenders/documents/tok.en/download")
    assert caplog.messages == [f"echo {HIDDEN} at /v1/tenders/documents/{HIDDEN}/download"]
    del secret
    gc.collect()
    assert not list(redacting._watched)
