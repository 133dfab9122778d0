"""The sample's documents open, and each page says what it is."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from workbench.contract.tenders import TenderSearch
from workbench.feeds.notice import Document, Notice, Origin, Party
from workbench.service.sample import fill
from workbench.service.sample_documents import draw, drawn_documents
from workbench.service.sample_tenders import make_notices, make_world
from workbench.service.store.database import Database
from workbench.service.tenders import Tenders

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
SIZE_MAX = 8_192


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = Database(tmp_path_factory.mktemp("documents"), clock=lambda: NOW)
    fill(database)
    yield database
    database.close()


def pages_of(content: bytes) -> list[bytes]:
    """The drawing of each page, unpacked; fails where the file's own directory of objects does not lead to them."""
    assert content.startswith(b"%PDF-1.")
    assert content.rstrip().endswith(b"%%EOF")
    directory = int(re.findall(rb"startxref\s+(\d+)", content)[-1])
    assert content[directory : directory + 4] == b"xref"
    for offset in re.findall(rb"^(\d{10}) 00000 n", content[directory:], re.MULTILINE):
        assert re.match(rb"\d+ 0 obj", content[int(offset) :])
    assert re.search(rb"/Encrypt", content) is None
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    return [zlib.decompress(base64.a85decode(b"<~" + stream.strip(), adobe=True)) for stream in streams]


def test_the_newest_tenders_have_files_and_the_others_links(db: Database) -> None:
    tenders = Tenders(db)
    page = tenders.search(TenderSearch(page_size=50))
    newest = [re.search(r'"id":"([^"]+)"', record) for record in page.records]
    for found in newest:
        assert found
        sheets = tenders.sheets(found.group(1))
        assert sheets
        assert 2 <= len(sheets) <= 4
        kept = tenders.document(sheets[0]["id"])
        assert kept is not None
        assert kept.content is not None
        assert (kept.mime_type, sheets[0]["size"]) == ("application/pdf", len(kept.content))
    with db.reader() as connection:
        links = connection.execute(text("SELECT count(*), count(uri) FROM document WHERE content IS NULL")).one()
    assert links[0] == links[1] > 3_000


def test_every_file_is_a_small_whole_pdf_that_says_it_is_a_sample(db: Database) -> None:
    with db.reader() as connection:
        stored = connection.execute(text("SELECT content, size, digest, uri FROM document WHERE content IS NOT NULL")).all()
    assert len(stored) >= 120
    for content, size, digest, uri in stored:
        assert (size, digest, uri) == (len(content), hashlib.sha256(content).hexdigest(), None)
        assert len(content) < SIZE_MAX
        pages = pages_of(content)
        assert 1 <= len(pages) <= 2
        assert all(b"SYNTHETIC SAMPLE" in page for page in pages)


def test_the_same_notice_gives_the_same_bytes() -> None:
    def files() -> list[bytes]:
        notices = list(make_notices(make_world(5, NOW.date()), 40))[-3:]
        return [content for notice in notices for _, content in drawn_documents(notice)]

    assert files() == files()


@pytest.mark.parametrize(
    "name",
    ["", "🚒 emoji \u202e and 翻译", "palabra" * 400, "muchas palabras " * 400, "(paréntesis) \\ y % {llaves}", "\x00\x1b[31m"],
)
def test_any_title_can_be_drawn(name: str) -> None:
    document = Document("Pliego.pdf", type="PCAP")
    notice = Notice("s", "1", NOW, Origin("f"), "Publicada", name=name, buyer=Party(name=name), documents=(document,))
    content = draw(notice, document)
    assert len(content) < 2 * SIZE_MAX
    assert 1 <= len(pages_of(content)) <= 3


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext (poppler-utils) is not installed")
def test_a_pdf_reader_reads_it(tmp_path: Path) -> None:
    notice = list(make_notices(make_world(5, NOW.date()), 40))[-1]
    file = tmp_path / "document.pdf"
    file.write_bytes(next(content for _, content in drawn_documents(notice)))
    words = subprocess.run(["pdftotext", str(file), "-"], capture_output=True, check=True, text=True).stdout
    assert "PLIEGO DE CLÁUSULAS ADMINISTRATIVAS" in words
    assert str(notice.expedient) in words
    assert "no es una licitación real" in words
