"""Tenders: search, record, document sheets and their files (interface 2 and 4.1)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select

from workbench.contract.record import JsonObject
from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import PAGE_FIRST
from workbench.service.store.database import Database, driver
from workbench.service.store.moments import wire_micros
from workbench.service.store.query import InvalidQuery, Query, query_of
from workbench.service.store.search import TIME_LIMIT, find_rows
from workbench.service.store.tenders_tables import document, tender

__all__ = ["InvalidQuery", "RecordPage", "StoredDocument", "Tenders"]

PAGE_SIZE: Final = 20


@dataclass(frozen=True, slots=True)
class RecordPage:
    """One page of records, each as its JSON text. ``total_count`` is ``None`` where it was not counted."""

    records: list[str]
    page: int
    page_size: int
    has_next_page: bool
    total_count: int | None = None

    def to_json(self) -> bytes:
        """The paginated envelope of interface 2, in UTF-8; the records go in as they are stored."""
        pagination: JsonObject = {"page": self.page, "pageSize": self.page_size, "hasNextPage": self.has_next_page}
        if self.total_count is not None:
            pagination["totalCount"] = self.total_count
        return f'{{"data":[{",".join(self.records)}],"pagination":{json.dumps(pagination, separators=(",", ":"))}}}'.encode()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document's file: in ``content``, or with the source at ``uri``; both are ``None`` where the source named no place."""

    id: str
    tender_id: str
    name: str
    mime_type: str | None
    uri: str | None
    content: bytes | None


class Tenders:
    """The tenders of one database. Every method reads one moment of the data and may be called from any thread."""

    def __init__(self, db: Database, *, time_limit: float = TIME_LIMIT) -> None:
        self._db = db
        self._time_limit = time_limit

    def search(self, query: TenderSearch, *, page_size_default: int = PAGE_SIZE) -> RecordPage:
        """The page that a search body asks for (interface 4.1, Tender search body).

        Values of one filter mean any of them, filters together mean all of them, bounds are inclusive, and a CPV code stands
        for everything below it too. How ``text`` is read is told in :mod:`workbench.service.store.query_text`, how records
        are ordered in :mod:`workbench.service.store.search`. Raises :class:`InvalidQuery` for a value that no tender could
        have, and ``SearchTooSlow`` after the time limit.
        """
        return self.page(query_of(query, self._db.clock(), page_size_default), query.page or PAGE_FIRST)

    def page(self, compiled: Query, number: int) -> RecordPage:
        """The page, called ``number``, of a query that is compiled already; as :meth:`search`."""
        size = compiled.limit - 1
        with self._db.reader() as connection:
            raw = driver(connection)
            rows = find_rows(raw, compiled, time_limit=self._time_limit)
            shown = rows[:size]
            found: dict[int, str] = dict(
                raw.execute(
                    "SELECT rid, record FROM tender WHERE rid IN (SELECT value FROM json_each(?))", (json.dumps(shown),)
                )
            )
        return RecordPage([found[row] for row in shown], number, size, len(rows) > size)

    def get(self, tender_id: str) -> str | None:
        """The wire JSON of a tender, or ``None`` where there is none of this id."""
        with self._db.reader() as connection:
            return connection.execute(select(tender.c.record).where(tender.c.id == tender_id)).scalar_one_or_none()

    def sheets(self, tender_id: str) -> list[JsonObject] | None:
        """Every document sheet of a tender in the source's order, or ``None`` where there is no such tender."""
        columns = document.c
        with self._db.reader() as connection:
            if connection.execute(select(tender.c.rid).where(tender.c.id == tender_id)).first() is None:
                return None
            rows = connection.execute(
                select(
                    columns.id,
                    columns.name,
                    columns.type,
                    columns.mime_type,
                    columns.size,
                    columns.published_at,
                    columns.language,
                )
                .where(columns.tender_id == tender_id)
                .order_by(columns.position)
            ).all()
        return [
            {
                "id": row.id,
                "tenderId": tender_id,
                "name": row.name,
                "type": row.type,
                "mimeType": row.mime_type,
                "size": row.size,
                "publishedAt": None if row.published_at is None else wire_micros(row.published_at),
                "language": row.language,
            }
            for row in rows
        ]

    def document(self, sheet_id: str) -> StoredDocument | None:
        """Where the file of a document sheet is, or ``None`` where there is no such sheet."""
        columns = document.c
        with self._db.reader() as connection:
            row = connection.execute(
                select(columns.id, columns.tender_id, columns.name, columns.mime_type, columns.uri, columns.content).where(
                    columns.id == sheet_id
                )
            ).first()
        return None if row is None else StoredDocument(*row)
