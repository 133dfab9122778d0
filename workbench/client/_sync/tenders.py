# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Tenders: search, read, download (interface 4.1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Unpack

from workbench.client import calls
from workbench.client._sync.driver import Driver
from workbench.client._sync.walking import pages, records
from workbench.client.calls import Query, TenderFilters
from workbench.client.downloads import Target
from workbench.client.errors import InvalidArgument
from workbench.client.options import Progress
from workbench.client.policy.paging import PageWalk
from workbench.contract.record import Page
from workbench.contract.tenders import Tender, TenderSheet


class Tenders:
    """``client.tenders``: every method may raise the errors of :mod:`workbench.client.errors`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def search(self, query: Query | None = None, /, **filters: Unpack[TenderFilters]) -> Page[Tender]:
        """One page of the tenders that fit (interface 4.1, POST /v1/tenders/search).

        Takes a :class:`~workbench.contract.tenders.TenderSearch`, a mapping, keyword arguments, or both (a keyword goes
        before the value's field). Every filter is optional and all combine; without any, the newest tenders come. Page 1 of
        20, newest publication first, unless said otherwise. ``InvalidArgument`` names a field that cannot be sent.
        """
        return self._driver.read(calls.search_tenders(query, filters))

    def pages(self, query: Query | None = None, /, **filters: Unpack[TenderFilters]) -> Iterator[Page[Tender]]:
        """The pages of a search one after the other, from ``page`` (default 1), of ``page_size`` (default 100), as they came.

        Ends where the service says that no page follows; ``UnexpectedAnswer`` where it repeats itself without end.
        """
        search = calls.tender_search(query, filters)
        return pages(self._driver, partial(calls.on_page, search), PageWalk(first=search.page or 1))

    def iterate(
        self, query: Query | None = None, /, *, limit: int | None = None, **filters: Unpack[TenderFilters]
    ) -> Iterator[Tender]:
        """The tenders of a search one by one, over all pages, each id once; at most ``limit`` of them (``None``: all).

        Pages are fetched as they are needed, ``page_size`` (default 100) at a time.
        """
        search = calls.tender_search(query, filters)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
            raise InvalidArgument("limit", f"takes a number of tenders from 0 up, not {limit!r}", operation="tenders.iterate")
        if limit and search.page_size is None:
            search = search.model_copy(update={"page_size": min(limit, calls.WALK_PAGE_SIZE)})
        return records(self._driver, partial(calls.on_page, search), PageWalk(first=search.page or 1, limit=limit))

    def get(self, id: str) -> Tender:  # noqa: A002 - the interface's name
        """One tender, with every field the service has (interface 4.1). ``NotFound`` where no tender has this id."""
        return self._driver.read(calls.get_tender(id))

    def sheets(self, id: str) -> tuple[TenderSheet, ...]:  # noqa: A002 - the interface's name
        """All documents of a tender (interface 4.1); empty where it has none. ``NotFound`` where no tender has this id."""
        return self._driver.read(calls.tender_sheets(id))

    def download_sheet(
        self,
        sheet_id: str,
        *,
        to: str | os.PathLike[str] = ".",
        progress: Progress | None = None,
        overwrite: bool = False,
        resume: bool = False,
    ) -> Path:
        """The path under which a document was saved (interface 4.1).

        ``to`` is a file, or a folder in which the service's file name is used, made safe. ``progress(bytes_done,
        bytes_total)`` is told of each step, and may raise to end the download. A file is there under its name only when it
        is whole; an existing one is replaced only with ``overwrite``: without it, a named file raises ``TargetExists``, and
        in a folder the next free name is taken. ``NotSaved`` where the disk refuses.

        A download that breaks off goes on where it was, as often as a call is repeated, if the service can do that. With
        ``resume``, what came is also kept when the connection is lost for good (in a hidden ``.part`` file beside the
        target; not after any other end), and the same download to the same place goes on from there.
        """
        call = calls.download_sheet(sheet_id)
        target = Target.of(to, overwrite=overwrite, resume=resume, fallback=f"sheet-{sheet_id}", operation=call.operation.name)
        return self._driver.save(call, target, progress)

    def download_document(
        self,
        url_or_token: str,
        *,
        to: str | os.PathLike[str] = ".",
        progress: Progress | None = None,
        overwrite: bool = False,
        resume: bool = False,
    ) -> Path:
        """The path under which a document was saved, by its short-lived link or the token in it (interface 5.6).

        A link to another host than the base URL's is followed without the key. Otherwise as :meth:`download_sheet`.
        """
        call = calls.download_document(url_or_token)
        target = Target.of(to, overwrite=overwrite, resume=resume, fallback="document", operation=call.operation.name)
        return self._driver.save(call, target, progress)
