"""Fetching documents from their source: limits, redirects, the cache, and every way in which a source can fail."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from loopback_source import Source, answer, source
from store_builders import NOW

from workbench.service.address_guard import Address
from workbench.service.document_cache import FOLDER_NAME, DocumentCache
from workbench.service.fetching import DocumentFetcher, FetchPolicy, GrowingFile, SourceFailed, expects_page

PDF = b"%PDF-1.4 " + bytes(range(256)) * 600


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def served() -> Iterator[Source]:
    with source() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Fetchers:
    """Fetchers on one folder, which may call one port of loopback; closed at the end."""

    def __init__(self, folder: Path, clock: Clock, port: int) -> None:
        self._folder, self._clock, self._port = folder, clock, port
        self._made: list[DocumentFetcher] = []

    def __call__(self, **limits: Any) -> DocumentFetcher:
        policy = FetchPolicy(judge=self._judge, **{"seconds": 20.0, **limits})
        self._made.append(DocumentFetcher(self._folder, clock=self._clock, policy=policy))
        return self._made[-1]

    def _judge(self, _host: str, port: int, address: Address) -> bool:
        return port == self._port and str(address) == "127.0.0.1"

    def close(self) -> None:
        for fetcher in self._made:
            fetcher.close()


@pytest.fixture
def fetchers(tmp_path: Path, clock: Clock, served: Source) -> Iterator[Fetchers]:
    made = Fetchers(tmp_path, clock, served.port)
    yield made
    made.close()


def got(fetcher: DocumentFetcher, url: str, *, page: bool = False, whole: bool = False) -> bytes:
    return b"".join(fetcher.hold(url, expects_page=page, whole=whole).read())


def refused(fetcher: DocumentFetcher, url: str) -> str:
    with pytest.raises(SourceFailed) as failure:
        got(fetcher, url)
    return str(failure.value)


def left_over(folder: Path) -> list[str]:
    return sorted(path.name.rpartition(".")[2] for path in (folder / FOLDER_NAME).glob("*"))


def test_a_document_is_fetched_once_and_then_given_from_the_cache(fetchers: Fetchers, served: Source, tmp_path: Path) -> None:
    served.gives(answer(body=PDF, content_type="application/pdf; charset=x"))
    fetcher = fetchers()
    first = fetcher.hold(served.url(), expects_page=False)
    assert b"".join(first.read()) == PDF
    assert first.copy.mime_type == "application/pdf"
    held = fetcher.hold(served.url(), expects_page=False, whole=True)
    assert (held.copy.size, b"".join(held.read(10, 20))) == (len(PDF), PDF[10:20])
    assert b"".join(fetchers().hold(served.url(), expects_page=False).read()) == PDF
    assert len(served.asked) == 1
    assert left_over(tmp_path) == ["body", "json"]
    path, headers, _ = served.asked[0]
    assert (path, headers["host"], headers["accept-encoding"]) == ("/pliego.pdf", f"127.0.0.1:{served.port}", "identity")
    assert not headers.keys() & {"cookie", "authorization", "api-key", "referer"}


def test_a_day_later_it_is_asked_for_by_its_validators(fetchers: Fetchers, served: Source, clock: Clock) -> None:
    served.gives(
        answer(body=PDF, etag='"one"', last_modified="Sat, 10 Jan 2026 09:00:00 GMT"),
        answer("304 Not Modified", content_length="none"),
        answer(body=b"%PDF new", etag='"two"'),
    )
    fetcher = fetchers()
    first = fetcher.hold(served.url(), expects_page=False, whole=True)
    clock.now += timedelta(days=1, seconds=1)
    assert got(fetcher, served.url()) == PDF
    assert served.asked[1][1]["if-none-match"] == '"one"'
    assert served.asked[1][1]["if-modified-since"] == "Sat, 10 Jan 2026 09:00:00 GMT"
    assert fetcher.hold(served.url(), expects_page=False).copy.etag == first.copy.etag
    assert len(served.asked) == 2
    clock.now += timedelta(days=2)
    assert got(fetcher, served.url(), whole=True) == b"%PDF new"
    assert fetcher.hold(served.url(), expects_page=False).copy.etag != first.copy.etag


def test_a_kept_copy_is_better_than_a_source_that_fails(fetchers: Fetchers, served: Source, clock: Clock) -> None:
    served.gives(answer(body=PDF), answer("503 Service Unavailable"))
    fetcher = fetchers()
    assert got(fetcher, served.url(), whole=True) == PDF
    clock.now += timedelta(days=3)
    assert got(fetcher, served.url()) == PDF
    assert len(served.asked) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (answer("404 Not Found", b"<html>"), "answered 404 Not Found"),
        (answer("500 Internal Server Error"), "answered 500"),
        (answer("299 Odd", b"x"), "answered 299"),
        (answer("206 Partial Content", b"x"), "answered 206"),
        (answer(body=b"<html>log in</html>", content_type="text/html"), "sent a web page in its place"),
        (answer(body=b"x", content_encoding="gzip"), "in a packed form that was not asked for"),
        (answer(body=PDF, content_length=str(len(PDF) + 9)), "broke off after"),
        (answer(body=b"x", content_length="999999999"), "larger than the 1,000,000 bytes"),
        (answer("302 Found"), "redirects to nowhere"),
        (answer(), "sent an empty file"),
        (b"not http at all\r\n\r\n", "an answer that is no HTTP"),
        (b"", "no HTTP|could not be reached"),
        (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 300 + b"\r\n", "no HTTP"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000 + b"\r\n\r\n", "no HTTP"),
    ],
)
def test_a_source_that_fails_is_said_and_nothing_is_kept(
    fetchers: Fetchers, served: Source, tmp_path: Path, given: bytes, words: str
) -> None:
    served.gives(given)
    fetcher = fetchers(bytes_max=1_000_000)
    with pytest.raises(SourceFailed, match=words):
        got(fetcher, served.url(), whole=True)
    assert left_over(tmp_path) == []


def test_a_document_without_a_stated_length_is_limited_too(fetchers: Fetchers, served: Source, tmp_path: Path) -> None:
    served.gives(answer(body=b"x" * 50_000, content_length="none"))
    assert "larger than the 40,000 bytes" in refused(fetchers(bytes_max=40_000), served.url())
    assert got(fetchers(bytes_max=50_000), served.url()) == b"x" * 50_000
    assert left_over(tmp_path) == ["body", "json"]


def test_a_web_page_is_given_where_the_record_says_that_it_is_one(fetchers: Fetchers, served: Source) -> None:
    served.gives(answer(body=b"<html>Anuncio</html>", content_type="text/html"))
    assert got(fetchers(), served.url("/anuncio"), page=True) == b"<html>Anuncio</html>"


@pytest.mark.parametrize(
    ("name", "mime_type", "expected"),
    [("a.pdf", None, False), ("a.html", None, True), ("Anuncio", None, True), ("a.pdf", "text/html", True),
     ("a.html", "application/pdf", False), ("Pliego 1.5 de obras", None, True)],
)  # fmt: skip
def test_whether_a_page_is_expected(name: str, mime_type: str | None, expected: bool) -> None:
    assert expects_page(name, mime_type) is expected


def test_redirects_are_followed_to_the_end_and_each_is_judged(fetchers: Fetchers, served: Source) -> None:
    served.gives(
        answer("302 Found", location="/two"),
        answer("307 Temporary Redirect", location=served.url("/three?a=1")),
        answer(body=PDF),
    )
    assert got(fetchers(), served.url("/one")) == PDF
    assert [path for path, _, _ in served.asked] == ["/one", "/two", "/three?a=1"]


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("http://169.254.169.254/latest/meta-data", "does not call"),
        ("http://[::ffff:127.0.0.1]/", "does not call"),
        ("http://localhost:1/", "does not call"),
        ("file:///etc/passwd", "not one of the web"),
        ("ftp://127.0.0.1/x", "not one of the web"),
        ("http://user:pass@127.0.0.1/", "user name"),
        ("//127.0.0.2/", "does not call"),
    ],
)
def test_a_redirect_to_where_this_service_does_not_call_is_refused(
    fetchers: Fetchers, served: Source, location: str, words: str
) -> None:
    served.gives(answer("302 Found", location=location))
    assert words in refused(fetchers(), served.url())
    assert len(served.asked) == 1


def test_a_ring_of_redirects_ends(fetchers: Fetchers, served: Source) -> None:
    served.gives(answer("301 Moved Permanently", location="/again"))
    assert "more than 5 times" in refused(fetchers(), served.url())
    assert len(served.asked) == 6


def test_a_service_in_use_calls_no_private_address(tmp_path: Path, clock: Clock, served: Source) -> None:
    fetcher = DocumentFetcher(tmp_path, clock=clock)
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"):
        assert "does not call" in refused(fetcher, f"http://{host}:{served.port}/")
    assert served.asked == []
    fetcher.close()


def test_a_name_that_changes_its_address_is_called_at_the_judged_one(
    fetchers: Fetchers, served: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.gives(answer(body=PDF))
    told = ["127.0.0.1", "10.0.0.1"]
    real = socket.getaddrinfo

    def resolved(host: str, port: int, *rest: Any, **options: Any) -> list[Any]:
        return real(told.pop(0) if host == "rebinding.example" else host, port, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    url = f"http://rebinding.example:{served.port}/x.pdf"
    assert got(fetchers(), url, whole=True) == PDF
    assert told == ["10.0.0.1"]
    assert served.asked[0][1]["host"] == f"rebinding.example:{served.port}"
    assert "does not call" in refused(fetchers(fresh_seconds=-1, cache_bytes=0), f"{url}?again")


@pytest.mark.parametrize("more", [b"", b"connection: close\r\n"])
def test_a_source_that_drips_is_left_after_its_time(fetchers: Fetchers, served: Source, tmp_path: Path, more: bytes) -> None:
    def drip(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + more + b"content-length: 1000000\r\n\r\n")
        while not served.leaving.wait(0.01):
            connection.sendall(b"x")

    served.script = drip
    with pytest.raises(SourceFailed, match="did not answer within"):
        got(fetchers(seconds=0.3), served.url())
    assert left_over(tmp_path) == []


def test_a_header_that_drips_is_left_after_its_time(fetchers: Fetchers, served: Source) -> None:
    def drip(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
        while not served.leaving.wait(0.01):
            connection.sendall(b"y")

    served.script = drip
    assert "did not answer within" in refused(fetchers(seconds=0.3), served.url())


def test_many_callers_read_one_fetch_while_it_comes(fetchers: Fetchers, served: Source) -> None:
    half, rest = threading.Event(), threading.Event()

    def in_halves(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        full = answer(body=PDF)
        cut = len(full) - len(PDF) // 2
        connection.sendall(full[:cut])
        half.set()
        assert rest.wait(30)
        connection.sendall(full[cut:])

    served.script = in_halves
    fetcher = fetchers()
    readers = [fetcher.hold(served.url(), expects_page=False).read() for _ in range(8)]
    assert half.wait(30)
    firsts = [next(reader) for reader in readers]
    assert all(PDF.startswith(first) for first in firsts)
    gone: GrowingFile = readers.pop()
    gone.close()
    rest.set()
    for first, reader in zip(firsts, readers, strict=False):
        assert first + b"".join(reader) == PDF
    assert len(served.asked) == 1


def test_a_service_that_ends_ends_its_fetches(fetchers: Fetchers, served: Source) -> None:
    def stuck(connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")
        served.leaving.wait(30)

    served.script = stuck
    fetcher = fetchers()
    reader = fetcher.hold(served.url(), expects_page=False).read()
    assert next(reader) == b"x"
    fetcher.close()
    with pytest.raises(SourceFailed):
        next(reader)
    assert "is ending" in refused(fetcher, served.url("/other"))
    reader.close()


def test_the_least_recently_used_go_when_room_is_needed(fetchers: Fetchers, served: Source, tmp_path: Path) -> None:
    served.gives(answer(body=b"x" * 1_000))
    fetcher = fetchers(cache_bytes=3_500)
    for number in range(3):
        held = fetcher.hold(served.url(f"/{number}"), expects_page=True, whole=True)
        os.utime(held.path, (number, number))
    assert got(fetcher, served.url("/0"), page=True) == b"x" * 1_000
    got(fetcher, served.url("/3"), page=True, whole=True)
    assert len(served.asked) == 4
    assert left_over(tmp_path) == ["body"] * 3 + ["json"] * 3
    got(fetcher, served.url("/0"), page=True)
    assert len(served.asked) == 4
    got(fetcher, served.url("/1"), page=True, whole=True)
    assert len(served.asked) == 5


def test_a_cache_that_was_tampered_with_is_fetched_anew(fetchers: Fetchers, served: Source, tmp_path: Path) -> None:
    served.gives(answer(body=PDF))
    fetcher = fetchers()
    for harm in ("{", "[]", '{"uri": 1}', None):
        assert got(fetcher, served.url(), whole=True) == PDF
        (about,) = (tmp_path / FOLDER_NAME).glob("*.json")
        if harm is None:
            for body in (tmp_path / FOLDER_NAME).glob("*.body"):
                body.write_bytes(b"short")
        else:
            about.write_text(harm)
    assert got(fetcher, served.url(), whole=True) == PDF
    assert len(served.asked) == 5


def test_a_folder_that_cannot_be_written_is_said(fetchers: Fetchers, served: Source, tmp_path: Path) -> None:
    (tmp_path / FOLDER_NAME).write_text("a file")
    served.gives(answer(body=PDF))
    assert "could not keep it" in refused(fetchers(), served.url())


def test_clearing_leaves_what_is_not_the_caches_own(tmp_path: Path, fetchers: Fetchers, served: Source) -> None:
    served.gives(answer(body=PDF))
    got(fetchers(), served.url(), whole=True)
    mine = tmp_path / FOLDER_NAME / "mine.pdf"
    mine.write_bytes(b"x")
    cache = DocumentCache(tmp_path / FOLDER_NAME, bytes_max=1)
    cache.clear()
    assert list((tmp_path / FOLDER_NAME).iterdir()) == [mine]
    mine.unlink()
    cache.clear()
    cache.clear()
    assert not (tmp_path / FOLDER_NAME).exists()
