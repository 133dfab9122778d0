"""Documents that only their source has, as a caller downloads them: through the service, within its limits, and again."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from loopback_source import Source, answer, source
from sqlalchemy import delete, insert, select

from workbench.service.store.tenders_tables import document, tender

ADDED = 99
"""The position of documents that a test adds."""

PDF = b"%PDF-1.4 " + bytes(range(256)) * 2_000


@pytest.fixture
def origin(world: Any) -> Iterator[Source]:
    ports = world.fetch_ports
    with source() as running:
        ports.add(running.port)
        yield running
        ports.discard(running.port)


@pytest.fixture(autouse=True)
def _documents_of_a_test(world: Any) -> Iterator[None]:
    database = world.database
    yield
    with database.writer() as connection:
        connection.execute(delete(document).where(document.c.position == ADDED))


def sheet(world: Any, url: str | None, name: str = "Pliego (año).pdf", mime_type: str | None = None) -> str:
    """A document of a tender of the world that is at ``url``; gives its id."""
    made = str(uuid4())
    with world.database.writer() as connection:
        tender_id = connection.execute(select(tender.c.id).limit(1)).scalar_one()
        values = {"id": made, "tender_id": tender_id, "position": ADDED, "name": name, "uri": url, "mime_type": mime_type}
        connection.execute(insert(document).values(**values))
    return made


def download(world: Any, sheet_id: str, **options: Any) -> httpx2.Response:
    return world.get(f"/v1/tenders/sheets/{sheet_id}/download", **options)


@pytest.mark.requirement("TND-17")
def test_a_document_at_its_source_is_given_under_its_name_and_type(world: Any, origin: Source) -> None:
    origin.gives(
        answer(body=PDF, content_type="application/x-whatever", content_disposition="attachment; filename=../../x.exe")
    )
    known = sheet(world, origin.url(), mime_type="application/pdf")
    got = download(world, known)
    assert (got.status_code, got.content) == (200, PDF)
    assert got.headers["content-type"] == "application/pdf"
    assert "filename*=UTF-8''Pliego%20%28a%C3%B1o%29.pdf" in got.headers["content-disposition"]
    assert "x.exe" not in str(got.headers)
    assert int(got.headers["content-length"]) == len(PDF)
    assert got.headers["content-security-policy"] == "sandbox"
    unknown = download(world, sheet(world, origin.url("/other")))
    assert unknown.headers["content-type"] == "application/x-whatever"


@pytest.mark.requirement("TND-17")
def test_the_second_download_is_from_the_cache_and_can_be_resumed(world: Any, origin: Source) -> None:
    origin.gives(answer(body=PDF))
    known = sheet(world, origin.url())
    first = download(world, known)
    rest = download(world, known, headers={"range": "bytes=100000-", "if-range": first.headers["etag"]})
    assert (rest.status_code, rest.content) == (206, PDF[100_000:])
    assert rest.headers["content-range"] == f"bytes 100000-{len(PDF) - 1}/{len(PDF)}"
    assert download(world, known, headers={"if-none-match": first.headers["etag"]}).status_code == 304
    assert download(world, known, headers={"range": f"bytes={len(PDF)}-"}).status_code == 416
    assert download(world, known).content == PDF
    assert len(origin.asked) == 1


@pytest.mark.requirement("TND-17")
def test_a_first_download_can_ask_for_a_part(world: Any, origin: Source) -> None:
    origin.gives(answer(body=PDF, content_length="none"))
    got = download(world, sheet(world, origin.url()), headers={"range": "bytes=-5"})
    assert (got.status_code, got.content) == (206, PDF[-5:])


@pytest.mark.requirement("TND-17")
def test_bytes_come_while_the_source_still_sends(world: Any, origin: Source) -> None:
    rest = threading.Event()

    def halting(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        connection.sendall(answer(body=PDF)[:-1_000])
        assert rest.wait(30)
        connection.sendall(PDF[-1_000:])

    origin.script = halting
    known = sheet(world, origin.url())
    others: list[bytes] = []
    thread = threading.Thread(target=lambda: others.append(download(world, known).content))
    thread.start()
    if "http://in-process" in str(world.client.base_url):
        # Its test client gives an answer only once it is whole.
        rest.set()
    with world.client.stream("GET", f"/v1/tenders/sheets/{known}/download", headers={"api-key": world.token}) as got:
        assert got.status_code == 200
        pieces = got.iter_bytes()
        begun = next(pieces)
        rest.set()
        assert begun + b"".join(pieces) == PDF
    thread.join(30)
    assert others == [PDF]
    assert len(origin.asked) == 1


@pytest.mark.requirement("TND-18")
def test_a_signed_link_gives_a_document_at_its_source_too(world: Any, origin: Source) -> None:
    origin.gives(answer(body=PDF))
    token = world.links.sign(sheet(world, origin.url()), world.access.create_key("maker").key.id).token
    got = world.get(f"/v1/tenders/documents/{token}/download", key="")
    assert (got.status_code, got.content) == (200, PDF)
    assert len(origin.asked) == 1


@pytest.mark.requirement("TND-18")
def test_a_link_that_has_expired_fetches_nothing(world: Any, origin: Source, refusal: Any) -> None:
    token = world.links.sign(sheet(world, origin.url()), world.access.create_key("maker").key.id).token
    world.clock.advance(timedelta(seconds=301).total_seconds())
    refusal(world.get(f"/v1/tenders/documents/{token}/download", key=""), 404, "LINK_EXPIRED")
    refusal(world.get(f"/v1/tenders/documents/{token[:-2]}xx/download", key=""), 404, "LINK_EXPIRED")
    assert origin.asked == []


@pytest.mark.requirement("TND-17")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (answer("404 Not Found"), "answered 404 Not Found"),
        (answer(body=b"<html>log in</html>", content_type="text/html"), "sent a web page in its place"),
        (answer(body=b"x", content_length="99999999999"), "larger than the 104,857,600 bytes"),
        (answer("302 Found", location="http://169.254.169.254/latest"), "which this service does not call"),
        (b"", "could not|no HTTP"),
    ],
)
def test_a_source_that_fails_is_a_sentence_with_the_link_to_open(
    world: Any, origin: Source, refusal: Any, given: bytes, words: str
) -> None:
    origin.gives(given)
    message = refusal(download(world, sheet(world, origin.url())), 502, "SOURCE_UNAVAILABLE")
    assert any(word in message for word in words.split("|"))
    assert f"Open {origin.url()} in a browser to get it." in message


@pytest.mark.requirement("TND-17")
@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9/x", "http://localhost:9/x", "http://[::1]:9/x", "http://10.0.0.1/x", "http://169.254.169.254/x",
     "file:///etc/passwd", "gopher://127.0.0.1/x", "http://user:pass@127.0.0.1/x", "http://", "http://[/", None],
)  # fmt: skip
def test_what_a_record_links_to_is_not_called_unless_it_is_public(world: Any, refusal: Any, url: str | None) -> None:
    message = refusal(download(world, sheet(world, url)), 502, "SOURCE_UNAVAILABLE")
    assert "root:" not in message


@pytest.mark.requirement("TND-17")
def test_what_breaks_off_is_an_answer_that_ends_short(world: Any, origin: Source) -> None:
    if "http://in-process" in str(world.client.base_url):
        pytest.skip("in process the failure is an exception of the test client")
    halfway = threading.Event()

    def broken(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        connection.sendall(answer(body=PDF)[:-100_000])
        assert halfway.wait(30)

    origin.script = broken
    known = sheet(world, origin.url())

    def read() -> None:
        path = f"/v1/tenders/sheets/{known}/download"
        with world.client.stream("GET", path, headers={"api-key": world.token}) as got:
            assert got.status_code == 200
            for _ in got.iter_bytes():
                halfway.set()

    with pytest.raises(httpx2.RemoteProtocolError):
        read()
    origin.gives(answer(body=PDF))
    assert download(world, known).content == PDF
