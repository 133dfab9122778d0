"""Tables of open data: tenders, their text index, organizations, awards, documents, versions and what was imported.

Moments are microseconds since 1970 in UTC, so that a bound compares exactly with what the record shows. Ids are uuid
texts made from what the source calls a thing, so that every import gives the same. Amounts are without taxes and in the
row's currency. A column that is ``NULL`` was not stated by the source.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BLOB, REAL, Column, ForeignKey, Index, Integer, Table, Text, text

from workbench.service.store.metadata import METADATA

tender = Table(
    "tender",
    METADATA,
    Column("rid", Integer, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False, unique=True),
    Column("status", Integer, nullable=False),
    Column("published", Integer, nullable=False),
    Column("updated", Integer, nullable=False),
    Column("deadline", Integer),
    Column("awarded", Integer),
    Column("expires", Integer),
    Column("significant", Integer, nullable=False),
    Column("budget", REAL),
    Column("prorated_budget", REAL),
    Column("buyer_id", Text, ForeignKey("organization.id")),
    Column("division", Text),
    Column("source", Text, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("notice_status", Integer, nullable=False),
    Column("published_stated", Integer),
    Column("cancelled", Integer, nullable=False),
    Column("archived_at", Integer),
    Column("removed_at", Integer),
    Column("version_at", Integer, nullable=False),
    Column("version_digest", BLOB, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Column("record", Text, nullable=False),
    *(
        Index(f"tender_by_{name}", name)
        for name in ("updated", "deadline", "awarded", "expires", "significant", "budget", "prorated_budget")
    ),
    Index("tender_of_buyer", "buyer_id", sqlite_where=text("buyer_id IS NOT NULL")),
    sqlite_strict=True,
)
"""One procedure in its present state; ``record`` is its complete wire JSON, built when it is stored.

``rid`` encodes publication (:mod:`workbench.service.store.row_order`), so that "newest first" is a walk over the table
itself. ``status`` is the interface's, as its place in ``TenderStatus``; ``notice_status`` is what the newest notice says
before a withdrawal changed it. ``published_stated`` is the publication the newest notice states, where it states one.
``created_at`` and ``updated_at`` are local clocks: when this database first stored and last changed the tender.
"""

tender_text = Table(
    "tender_text",
    METADATA,
    Column("rid", Integer, primary_key=True, autoincrement=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("facets", Text, nullable=False),
    sqlite_strict=True,
)
"""What the text index was made from, already folded to plain words. Kept, because taking a row out of the index needs
its exact words again, and folding may change with a release of Python or of the workbench."""

FULL_TEXT: Final = (
    """CREATE VIRTUAL TABLE tender_fts USING fts5(
        title, description, facets, content='tender_text', content_rowid='rid', tokenize='ascii')""",
    # Each batch is gathered in memory before it is written as one sorted run; the default of 1 MB would split it.
    "INSERT INTO tender_fts(tender_fts, rank) VALUES('hashsize', 67108864)",
)
"""The index over :data:`tender_text`. Words come folded and parted by blanks, which the ``ascii`` tokenizer keeps as they
are; ``unicode61`` would fold accents but neither ``ł`` nor the Catalan ``l·l``."""

organization = Table(
    "organization",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("name_at", Integer, nullable=False),
    Column("is_buyer", Integer, nullable=False),
    Column("tax_id", Text),
    Column("activity", Text),
    Column("activity_at", Integer),
    Column("country", Text),
    Column("city", Text),
    Column("province", Text),
    Column("post_code", Text),
    Column("street", Text),
    Column("place_at", Integer),
    Column("web_url", Text),
    Column("web_url_at", Integer),
    sqlite_strict=True,
)
"""One buyer or supplier. Each ``…_at`` is the time of the version that the attribute before it was last read from: the
most recent spelling wins, in whatever order files come. ``tax_id`` is kept in full; it is masked where it is shown."""

award = Table(
    "award",
    METADATA,
    Column("tender_id", Text, ForeignKey("tender.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("lot_id", Text),
    Column("supplier_id", Text, ForeignKey("organization.id")),
    Column("result_code", Text),
    Column("result", Text),
    Column("amount_no_taxes", REAL),
    Column("amount_with_taxes", REAL),
    Column("currency", Text),
    Column("offers", Integer),
    Column("lowest_offer", REAL),
    Column("highest_offer", REAL),
    Column("awarded_at", Integer),
    Column("contract_at", Integer),
    Column("contract_start", Integer),
    Column("year", Integer),
    Column("division", Text),
    Index("award_of_supplier", "supplier_id", sqlite_where=text("supplier_id IS NOT NULL")),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""One result for one winner; ``supplier_id`` is ``NULL`` for a result without one. ``year`` is that of the award in
Spanish time, else of the contract, else of the publication; ``division`` is the CPV division it counts under."""

document = Table(
    "document",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("tender_id", Text, ForeignKey("tender.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("type", Text),
    Column("mime_type", Text),
    Column("size", Integer),
    Column("uri", Text),
    Column("digest", Text),
    Column("published_at", Integer),
    Column("language", Text),
    Column("content", BLOB),
    Index("document_of_tender", "tender_id", "position"),
    sqlite_strict=True,
)
"""One document sheet. Its file is at ``uri`` with the source, or in ``content`` where it is kept here."""

notice_version = Table(
    "notice_version",
    METADATA,
    Column("tender_id", Text, primary_key=True),
    Column("version_at", Integer, primary_key=True),
    Column("digest", BLOB, primary_key=True),
    Column("file_time", Text, nullable=False),
    Column("stage", Integer, nullable=False),
    Column("status", Integer, nullable=False),
    Column("cancelled", Integer, nullable=False),
    Column("significant", BLOB, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Every version of a tender that was ever read. ``digest`` is of the whole content, ``significant`` of what a reader cares
about: status, deadline, budget, awards, documents."""

withdrawal = Table(
    "withdrawal",
    METADATA,
    Column("tender_id", Text, primary_key=True),
    Column("at", Integer, primary_key=True),
    Column("reason", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("source_id", Text, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Every tombstone that was ever read, also those whose notice has not come yet: it is applied when the notice comes."""

import_file = Table(
    "import_file",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("file", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("started_at", Integer, nullable=False),
    Column("finished_at", Integer),
    *(
        Column(name, Integer, nullable=False)
        for name in ("entries", "tombstones", "new", "updated", "unchanged", "withdrawn", "refused")
    ),
    sqlite_strict=True,
)
"""What each import read, as far as it came: the counts are committed together with the data they count."""
