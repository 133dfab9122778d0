"""Document answers: names from outside, ranges that resume, and files that only the source has."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.contract.errors import ErrorCode
from workbench.service.documents import disposition, file_answer, media_type_of
from workbench.service.refusals import RequestRefused


@dataclass
class Document:
    name: str = "pliego.pdf"
    mime_type: str | None = "application/pdf"
    uri: str | None = None
    content: bytes | None = b"0123456789"


def test_a_whole_file_says_what_it_is() -> None:
    answer = file_answer(Document(), {})
    assert (answer.status, answer.body) == (200, b"0123456789")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["content-disposition"] == "attachment; filename=\"pliego.pdf\"; filename*=UTF-8''pliego.pdf"


@pytest.mark.parametrize(
    ("asked", "status", "body", "content_range"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=4-", 206, b"456789", "bytes 4-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=-30", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=8-100", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-2", 200, b"0123456789", None),
        ("bytes=0-1,4-5", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
        ("bytes=-", 200, b"0123456789", None),
    ],
)
def test_one_range_is_served(asked: str, status: int, body: bytes, content_range: str | None) -> None:
    answer = file_answer(Document(), {"range": asked})
    assert (answer.status, answer.body, answer.headers.get("content-range")) == (status, body, content_range)


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=-0", "bytes=99-100"])
def test_a_range_outside_the_file_is_refused_with_its_size(asked: str) -> None:
    with pytest.raises(RequestRefused) as refusal:
        file_answer(Document(), {"range": asked})
    assert refusal.value.status == 416
    assert refusal.value.headers == {"content-range": "bytes */10"}


@given(content=st.binary(max_size=300), start=st.integers(0, 400))
def test_a_resumed_download_is_the_whole_file(content: bytes, start: int) -> None:
    document = Document(content=content)
    if start >= len(content):
        with pytest.raises(RequestRefused):
            file_answer(document, {"range": f"bytes={start}-"})
        return
    rest = file_answer(document, {"range": f"bytes={start}-", "if-range": file_answer(document, {}).headers["etag"]})
    assert content[:start] + rest.body == content


def test_a_changed_file_is_sent_whole() -> None:
    answer = file_answer(Document(), {"range": "bytes=4-", "if-range": '"another"'})
    assert (answer.status, answer.body) == (200, b"0123456789")


def test_an_unchanged_file_is_not_sent_again() -> None:
    etag = file_answer(Document(), {}).headers["etag"]
    for tags in (etag, f"W/{etag}", f'"x", {etag}', "*"):
        assert file_answer(Document(), {"if-none-match": tags}).status == 304
    assert file_answer(Document(), {"if-none-match": '"x"'}).status == 200


@given(st.text())
def test_any_name_makes_one_harmless_header(name: str) -> None:
    header = disposition(name)
    header.encode("ascii")
    assert header.isprintable()
    message = EmailMessage()
    message["content-disposition"] = header
    assert message.get_content_disposition() == "attachment"
    offered = unquote(header.rpartition("''")[2])
    assert offered
    assert "/" not in offered
    assert "\\" not in offered
    assert offered not in (".", "..")


def test_names_are_offered_in_full_and_in_ascii() -> None:
    header = disposition("../Año “2026”\r\nX: y.pdf")
    assert header == (
        "attachment; filename=\"A_o _2026_X: y.pdf\"; filename*=UTF-8''A%C3%B1o%20%E2%80%9C2026%E2%80%9DX%3A%20y.pdf"
    )
    assert "filename*=UTF-8''invoicefdp.exe" in disposition("invoice\u202efdp.exe")


def test_a_media_type_that_is_none_is_not_passed_on() -> None:
    assert media_type_of("application/pdf") == "application/pdf"
    for odd in (None, "", "pdf", "text/html\r\nX: y", "text/html; charset=x", "a/b/c"):
        assert media_type_of(odd) == "application/octet-stream"


@pytest.mark.parametrize("uri", ["https://example.org/doc?id=1", None, "javascript:alert(1)", "https://x\n/"])
def test_a_file_at_its_source_says_how_to_get_it(uri: str | None) -> None:
    with pytest.raises(RequestRefused) as refusal:
        file_answer(Document(content=None, uri=uri), {})
    assert (refusal.value.status, refusal.value.code) == (502, ErrorCode.SOURCE_UNAVAILABLE)
    shown = uri is not None and uri.startswith("https://example.org")
    assert (f"Open {uri} in a browser" in refusal.value.message) is shown
    assert "javascript" not in refusal.value.message
