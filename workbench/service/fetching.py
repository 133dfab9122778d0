"""Documents that only their source has: fetched when somebody asks, within limits, and kept for the next who asks.

A fetch runs in its own thread into a file, and any number of callers read that file while it grows: a slow caller holds up
nobody, and one that leaves loses nothing. What is kept is asked for again after a day, by the source's own validators.
"""

from __future__ import annotations

import hashlib
import http.client
import logging
import secrets
import threading
import time
from dataclasses import dataclass, replace
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from workbench.service.address_guard import AddressRefused, Judge, Target, judged_addresses, public_only, target_of
from workbench.service.document_cache import FOLDER_NAME, Copy, DocumentCache
from workbench.service.outbound import Exchange, ExchangeFailed
from workbench.service.store.database import Clock

CHUNK_BYTES: Final = 64 * 1024
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_WEB_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})

log = logging.getLogger("workbench.service")


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What fetching may cost and where it may go. ``judge`` decides on each address, of each redirect too.

    ``fresh_seconds`` is how long a kept copy is given without asking its source, ``cache_bytes`` how much is kept in all.
    """

    judge: Judge = public_only
    bytes_max: int = 100 * 1024 * 1024
    seconds: float = 120.0
    redirects: int = 5
    fresh_seconds: float = 86_400.0
    cache_bytes: int = 1024 * 1024 * 1024


class SourceFailed(Exception):
    """The source did not give a document; the text is the part of a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Held:
    """A document at hand, whole or still growing. ``size`` and ``etag`` are as in :class:`Copy`."""

    copy: Copy
    path: Path
    fetch: Fetch | None = None

    def read(self, start: int = 0, end: int | None = None) -> GrowingFile:
        """Its bytes from ``start`` to ``end`` (exclusive). Raises :class:`SourceFailed` where they are gone again."""
        try:
            return GrowingFile(self.path, self.fetch, start, end)
        except OSError:
            if self.fetch is not None:
                # It failed a moment ago, and says why.
                self.fetch.wait_until_over()
            raise SourceFailed("the fetched copy of it is gone; ask again") from None


class DocumentFetcher:
    """Gives documents by their address, from the cache in ``folder`` or from their source. Callable from any thread."""

    def __init__(self, folder: Path, *, clock: Clock, policy: FetchPolicy | None = None) -> None:
        self._policy = policy or FetchPolicy()
        self._cache = DocumentCache(folder / FOLDER_NAME, bytes_max=self._policy.cache_bytes)
        self._clock = clock
        self._guard = threading.Lock()
        self._running: dict[str, Fetch] = {}
        self._closed = False

    def hold(self, uri: str, *, expects_page: bool, whole: bool = False) -> Held:
        """The document at ``uri``: from the cache, or as soon as its source answers; with ``whole``, once it is all here.

        ``expects_page`` says that it may be a web page; otherwise a page is taken for the error that it is. A copy whose
        source fails is better than nothing, and is given as it is. Raises :class:`SourceFailed`.
        """
        now = self._clock().timestamp()
        kept = self._cache.find(uri)
        if kept is not None and 0 <= now - kept[0].checked_at < self._policy.fresh_seconds:
            return Held(*kept)
        fetch = self._fetch(uri, kept[0] if kept else None, expects_page=expects_page)
        try:
            return fetch.held(whole=whole)
        except SourceFailed as trouble:
            if kept is None:
                raise
            log.info("a document's source failed, so a kept copy of it was given: %s", trouble)
            return Held(*kept)

    def close(self) -> None:
        """End the fetches that are under way; whoever reads them gets :class:`SourceFailed`."""
        with self._guard:
            self._closed = True
            running = list(self._running.values())
        for fetch in running:
            fetch.cancel()

    def _fetch(self, uri: str, kept: Copy | None, *, expects_page: bool) -> Fetch:
        with self._guard:
            if self._closed:
                raise SourceFailed("this service is ending")
            fetch = self._running.get(uri)
            if fetch is None:
                fetch = Fetch(uri, kept, self._policy, self._cache, self._clock, expects_page=expects_page)
                self._running[uri] = fetch
                threading.Thread(target=self._run, args=(uri, fetch), name="workbench-fetch", daemon=True).start()
        return fetch

    def _run(self, uri: str, fetch: Fetch) -> None:
        try:
            fetch.run()
        finally:
            with self._guard:
                del self._running[uri]


class Fetch:
    """One document on its way: a thread runs it, others wait for it and read what has come."""

    def __init__(
        self, uri: str, kept: Copy | None, policy: FetchPolicy, cache: DocumentCache, clock: Clock, *, expects_page: bool
    ) -> None:
        self._uri, self._kept, self._policy, self._cache, self._clock = uri, kept, policy, cache, clock
        self._expects_page = expects_page
        self._changed = threading.Condition()
        self._exchange: Exchange | None = None
        self._held: Held | None = None
        self._received = 0
        self._over = False
        self._cancelled = False
        self._failure: str | None = None

    def run(self) -> None:
        """Fetch it; what goes wrong is told to whoever waits."""
        failure: str | None = None
        try:
            self._follow()
        except (SourceFailed, AddressRefused, ExchangeFailed) as trouble:
            failure = str(trouble)
        except OSError as trouble:
            log.error("a document could not be kept: %s", trouble)  # noqa: TRY400 - the sentence says it
            failure = f"this service could not keep it ({trouble.strerror or type(trouble).__name__})"
        finally:
            with self._changed:
                self._over, self._failure = True, failure
                self._changed.notify_all()

    def held(self, *, whole: bool) -> Held:
        """The document once its first bytes are here, or all of it. Raises :class:`SourceFailed`."""
        with self._changed:
            self._changed.wait_for(lambda: self._over or (self._received > 0 and not whole), timeout=self._policy.seconds + 5)
            if self._failure is not None:
                raise SourceFailed(self._failure)
            if self._held is None:
                raise SourceFailed("its source did not answer in time")
            return self._held

    def wait_beyond(self, place: int) -> tuple[int, bool]:
        """How many bytes are here, once there are more than ``place`` or no more come, and whether it is whole.

        Raises :class:`SourceFailed` where it broke off.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._received > place, timeout=self._policy.seconds + 5)
            if self._failure is not None:
                raise SourceFailed(self._failure)
            return self._received, self._over

    def wait_until_over(self) -> None:
        """Wait for its end. Raises :class:`SourceFailed` where it failed."""
        with self._changed:
            self._changed.wait_for(lambda: self._over, timeout=self._policy.seconds + 5)
            if self._failure is not None:
                raise SourceFailed(self._failure)

    def cancel(self) -> None:
        """End it."""
        with self._changed:
            self._cancelled = True
            exchange = self._exchange
        if exchange is not None:
            exchange.cancel()

    def _follow(self) -> None:
        """From address to address, each judged anew, until one answers with the document."""
        target = target_of(self._uri)
        deadline = time.monotonic() + self._policy.seconds
        for _ in range(self._policy.redirects + 1):
            addresses = judged_addresses(target, self._policy.judge)
            with Exchange(target, addresses[0], seconds=max(0.1, deadline - time.monotonic())) as exchange:
                with self._changed:
                    self._exchange = exchange
                    if self._cancelled:
                        raise SourceFailed("this service is ending")
                response = exchange.send("GET", self._conditions())
                if response.status in _REDIRECTS:
                    target = _next_target(target, response.headers.get("location"))
                    continue
                if response.status == HTTPStatus.NOT_MODIFIED and self._kept is not None:
                    self._confirm(self._kept)
                else:
                    self._receive(exchange, response, target.host)
                return
        raise SourceFailed(f"its link is redirected more than {self._policy.redirects} times")

    def _conditions(self) -> dict[str, str]:
        kept = self._kept
        asked = {"If-None-Match": kept and kept.source_etag, "If-Modified-Since": kept and kept.source_modified}
        return {"Accept": "*/*", **{name: value for name, value in asked.items() if value}}

    def _confirm(self, kept: Copy) -> None:
        self._cache.confirm(kept, self._clock().timestamp())
        found = self._cache.find(self._uri)
        if found is None:
            raise SourceFailed("the kept copy of it is gone; ask again")
        with self._changed:
            self._held = Held(*found)

    def _receive(self, exchange: Exchange, response: http.client.HTTPResponse, host: str) -> None:
        stated = _stated_size(response.headers)
        self._check(response, stated, host)
        body = self._cache.new_body()
        copy = self._described(response.headers, stated, body.name)
        try:
            received = self._write(exchange, response, copy, body, host)
            whole = replace(copy, size=received)
            self._cache.keep(whole)
        except BaseException:
            body.unlink(missing_ok=True)
            raise
        with self._changed:
            self._held = Held(whole, body)

    def _check(self, response: http.client.HTTPResponse, stated: int | None, host: str) -> None:
        if response.status != HTTPStatus.OK:
            raise SourceFailed(f"{host} answered {response.status} {_phrase(response.status)}".rstrip())
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise SourceFailed(f"{host} sent it in a packed form that was not asked for")
        if stated is not None and stated > self._policy.bytes_max:
            raise self._too_large()
        if _media_type(response.headers) in _WEB_PAGES and not self._expects_page:
            raise SourceFailed(f"{host} sent a web page in its place")

    def _described(self, headers: Message, stated: int | None, body: str) -> Copy:
        etag, modified = headers.get("etag"), headers.get("last-modified")
        mark = f"{self._uri}\n{etag}\n{modified}\n{stated}" if etag or modified else secrets.token_hex(16)
        return Copy(
            uri=self._uri,
            body=body,
            mime_type=_media_type(headers),
            size=stated,
            etag=f'"{hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()[:40]}"',
            source_etag=etag,
            source_modified=modified,
            checked_at=self._clock().timestamp(),
        )

    def _write(self, exchange: Exchange, response: http.client.HTTPResponse, copy: Copy, body: Path, host: str) -> int:
        received = 0
        with body.open("xb") as file:
            while chunk := exchange.read(response, CHUNK_BYTES):
                received += len(chunk)
                if received > self._policy.bytes_max:
                    raise self._too_large()
                file.write(chunk)
                file.flush()
                with self._changed:
                    self._held = Held(copy, body, self)
                    self._received = received
                    self._changed.notify_all()
        if copy.size is not None and received != copy.size:
            raise SourceFailed(f"{host} broke off after {received:,} of {copy.size:,} bytes")
        if not received:
            raise SourceFailed(f"{host} sent an empty file")
        return received

    def _too_large(self) -> SourceFailed:
        return SourceFailed(f"it is larger than the {self._policy.bytes_max:,} bytes that this service fetches")


class GrowingFile:
    """The bytes of a document from one place to another, in chunks; waits for those that have not come yet."""

    def __init__(self, path: Path, fetch: Fetch | None, start: int, end: int | None) -> None:
        self._fetch = fetch
        self._place = start
        self._end = end
        self._file = path.open("rb")
        self._file.seek(start)

    def __iter__(self) -> GrowingFile:
        return self

    def __next__(self) -> bytes:
        """The next chunk. Raises :class:`SourceFailed` where the source broke off."""
        try:
            chunk = self._next()
        except BaseException:
            self.close()
            raise
        if chunk is None:
            self.close()
            raise StopIteration
        self._place += len(chunk)
        return chunk

    def _next(self) -> bytes | None:
        size = CHUNK_BYTES if self._end is None else min(CHUNK_BYTES, self._end - self._place)
        while size > 0 and not self._file.closed:
            if chunk := self._file.read(size):
                return chunk
            if self._fetch is None:
                return None
            received, over = self._fetch.wait_beyond(self._place)
            if over and received <= self._place:
                return None
        return None

    def close(self) -> None:
        """Let the file go; closing again does nothing."""
        self._file.close()


def expects_page(name: str, mime_type: str | None) -> bool:
    """Whether a document of this name and stated type may be a web page."""
    if mime_type is not None:
        return mime_type.lower() in _WEB_PAGES
    ending = name.lower().rpartition(".")[2]
    return ending in ("html", "htm", "xhtml") or not 2 <= len(ending) <= 4 or ending == name.lower()


def _next_target(target: Target, location: str | None) -> Target:
    if not location:
        raise SourceFailed(f"{target.host} redirects to nowhere")
    return target_of(urljoin(target.url, location))


def _media_type(headers: Message) -> str | None:
    return (headers.get("content-type") or "").partition(";")[0].strip().lower() or None


def _stated_size(headers: Message) -> int | None:
    text = (headers.get("content-length") or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
