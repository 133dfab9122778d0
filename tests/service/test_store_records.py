"""What of a notice is stored and shown: the wire record, sheets, files, counts, and rows that share a second."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update
from store_builders import BUYER, SOURCE, SUPPLIER, award, clock, column, day, notice, only, opened, records

from workbench.contract.tenders import Tender, TenderSearch
from workbench.feeds.notice import Document, Location, Lot, Party
from workbench.service import cpv
from workbench.service.store import batch
from workbench.service.store.database import Database
from workbench.service.store.identity import tender_id
from workbench.service.store.importer import apply_items, import_paths
from workbench.service.store.moments import wire_moment
from workbench.service.store.tenders_tables import document
from workbench.service.tenders import Tenders

FIELDS = [
    *("id", "slug", "expedient", "name", "description", "status", "sourceStatus", "contractType", "procedure", "cpvCodes"),
    *("location", "locations", "country", "currency", "budgetNoTaxes", "budgetWithTaxes", "contractEstimatedValue"),
    *("proratedBudget", "awardAmount", "numLots", "lots", "contractingOrganizationId", "contractingOrganization"),
    *("successBidders", "biddersNumber", "expedientPublishedAt", "expedientSubmissionDeadline"),
    *("expedientAdjudicationDate", "expedientFormalizedAt", "expedientExpirationDate", "expedientExtendedExpirationDate"),
    *("expedientUpdatedAt", "lastSignificantChangeAt", "isMinorContract", "sources", "platformUrl", "createdAt", "updatedAt"),
]

FULL = notice(
    7,
    2,
    expedient="2026/7",
    name='Obras «de» la "carretera"\n\x1b[31m',
    description='"status":null,"expedientPublishedAt":null',
    source_status="ADJ",
    status="Adjudicada",
    contract_type="Obras",
    contract_type_code="3",
    procedure="Abierto",
    procedure_code="1",
    link_url="https://example.org/7",
    budget_no_taxes=900.0,
    budget_with_taxes=1089.0,
    estimated_value=1800.0,
    duration_days=1095,
    cpvs=("45233120", "45233120-6", "99999999"),
    locations=(Location("ES", "08", "Sabadell", "ES511"), Location("ES", "28")),
    lots=(Lot("1", "Lote uno", cpvs=("72000000",), budget_no_taxes=400.0, currency="EUR"), Lot("2")),
    awards=(
        award("1", "Adjudicado", SUPPLIER, 350.5, offers=4),
        award("2", "Formalizado", Party("Ana Pérez", (("NIF", "12345678-Z"),)), 100.25, offers=2),
        award("2", "Desierto", None, None, offers=0),
        award("2", "Formalizado", SUPPLIER, 77.0, currency="USD"),
    ),
    published_at=datetime(2026, 1, 10, 23, tzinfo=UTC),
    deadline_at=day(20.5),
    awarded_at=datetime(2025, 12, 31, 23, 30, tzinfo=UTC),
)


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Database]:
    database = opened(tmp_path, [FULL])
    yield database
    database.close()


@pytest.mark.requirement("TND-15")
def test_a_record_has_exactly_the_fields_in_their_order(full: Database) -> None:
    assert list(only(full)) == FIELDS


@pytest.mark.requirement("TND-15")
def test_a_record_by_id_is_what_search_shows(full: Database) -> None:
    tenders = Tenders(full)
    identifier = tender_id(SOURCE, FULL.source_id)
    assert tenders.get(identifier) == tenders.search(TenderSearch()).records[0]
    assert tenders.get("no such id") is None
    read = Tender.model_validate_json(tenders.get(identifier) or "")
    assert (read.id, read.unreadable_fields, read.other_fields) == (identifier, (), {})


def test_a_record_shows_what_the_notice_says(full: Database) -> None:
    record = only(full)
    assert record["name"] == FULL.name
    assert record["description"] == FULL.description
    assert record["slug"].startswith("obras-de-la-carretera-31m-")
    assert (record["status"], record["sourceStatus"], record["platformUrl"]) == ("Adjudicada", "ADJ", "https://example.org/7")
    assert record["cpvCodes"] == ["45233120-6", "99999999", "72000000-5"]
    assert record["location"] == "Sabadell, Barcelona; Madrid"
    assert record["locations"] == [
        {"type": "country", "code": "ES", "name": None},
        {"type": "province", "code": "08", "name": "Barcelona"},
        {"type": "town", "code": None, "name": "Sabadell"},
        {"type": "province", "code": "28", "name": "Madrid"},
    ]
    assert (record["budgetNoTaxes"], record["proratedBudget"], record["contractEstimatedValue"]) == (900.0, 300.0, 1800.0)
    assert (record["numLots"], record["biddersNumber"]) == (2, 4)
    assert record["expedientPublishedAt"] == "2026-01-10T23:00:00Z"
    assert record["sources"] == [{"name": SOURCE, "linkUrl": "https://example.org/7"}]


def test_awards_are_added_up_in_the_tenders_own_currency_only(full: Database) -> None:
    record = only(full)
    assert record["awardAmount"] == 450.75
    assert [(winner["amount"], winner["lotId"]) for winner in record["successBidders"]] == [
        (350.5, "1"),
        (100.25, "2"),
        (77.0, "2"),
    ]
    assert record["lots"][0]["awardAmount"] == 350.5
    assert record["lots"][1]["result"] == "Formalizado"


def test_a_persons_tax_number_is_masked_and_a_companys_is_not(full: Database) -> None:
    assert [winner["taxId"] for winner in only(full)["successBidders"]] == ["B11111112", "***4567**", "B11111112"]
    assert "12345678" not in json.dumps(only(full))


@pytest.mark.parametrize("link", ["javascript:alert(1)", "file:///etc/passwd", "", None])
def test_only_addresses_that_a_browser_may_open_are_shown(tmp_path: Path, link: str | None) -> None:
    database = opened(tmp_path, [notice(1, link_url=link, documents=(Document("a", link),))])
    assert only(database)["platformUrl"] is None
    (sheet,) = Tenders(database).sheets(only(database)["id"]) or []
    found = Tenders(database).document(sheet["id"])
    assert found is not None
    assert found.uri is None
    database.close()


def test_what_is_not_stated_is_null_and_never_zero(tmp_path: Path) -> None:
    database = opened(tmp_path, [notice(1, name=None, buyer=None, currency=None), notice(2, budget_no_taxes=float("nan"))])
    for record in records(database):
        assert {record[name] for name in ("budgetNoTaxes", "proratedBudget", "awardAmount", "biddersNumber")} == {None}
    assert [record["contractingOrganization"] for record in records(database)].count(None) == 1
    database.close()


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (datetime(2022, 1, 3, 2, 0, 13, 633_000, tzinfo=UTC), "2022-01-03T02:00:13.633Z"),
        (datetime(2022, 1, 3, 2, 0, 13, 1, tzinfo=UTC), "2022-01-03T02:00:13.000001Z"),
        (datetime.fromisoformat("2022-07-01T00:00:00+02:00"), "2022-06-30T22:00:00Z"),
    ],
)
def test_moments_on_the_wire(moment: datetime, shown: str) -> None:
    assert wire_moment(moment) == shown


@pytest.mark.requirement("TND-16")
def test_every_sheet_is_listed_in_the_sources_order(tmp_path: Path) -> None:
    papers = (
        Document("pliego.pdf", "https://example.org/a?token=1", "id-1", type="PCAP", mime_type="application/pdf"),
        Document("same.pdf"),
        Document("same.pdf"),
        Document("anexo.zip", published_at=day(1), language="es"),
    )
    database = opened(tmp_path, [notice(1, documents=papers), notice(2)])
    tenders = Tenders(database)
    first, second = (tender_id(SOURCE, f"https://example.org/notices/{number}") for number in (1, 2))
    sheets = tenders.sheets(first) or []
    assert [sheet["name"] for sheet in sheets] == ["pliego.pdf", "same.pdf", "same.pdf", "anexo.zip"]
    assert len({sheet["id"] for sheet in sheets}) == 4
    assert sheets[0] == {
        "id": sheets[0]["id"],
        "tenderId": first,
        "name": "pliego.pdf",
        "type": "PCAP",
        "mimeType": "application/pdf",
        "size": None,
        "publishedAt": None,
        "language": None,
    }
    assert (sheets[3]["publishedAt"], sheets[3]["language"]) == ("2026-01-11T09:00:00Z", "es")
    assert tenders.sheets(second) == []
    assert tenders.sheets("no such id") is None
    database.close()


@pytest.mark.requirement("TND-17")
def test_a_sheet_keeps_its_id_and_file_when_its_address_or_place_changes(tmp_path: Path) -> None:
    database = opened(tmp_path, [notice(1, documents=(Document("a.pdf", "https://example.org/a?token=1", "id-1"),))])
    tenders = Tenders(database)
    identifier = only(database)["id"]
    (sheet,) = tenders.sheets(identifier) or []
    with database.writer() as connection:
        connection.execute(update(document).values(content=b"%PDF-", size=5))
    papers = (Document("new.pdf"), Document("a.pdf", "https://example.org/a?token=2", "id-1"))
    apply_items(database, [notice(1, 2, documents=papers)])
    assert [one["size"] for one in tenders.sheets(identifier) or []] == [None, 5]
    kept = tenders.document(sheet["id"])
    assert kept is not None
    assert (kept.uri, kept.content, kept.tender_id) == ("https://example.org/a?token=2", b"%PDF-", identifier)
    apply_items(database, [notice(1, 3)])
    assert tenders.sheets(identifier) == []
    assert tenders.document(sheet["id"]) is None
    database.close()


def test_tenders_whose_row_numbers_meet_stand_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "row_number", lambda published, _: (published // 10**6) << 32 | 0xFFFFFFFE)
    items = [notice(number) for number in range(6)]
    database = opened(tmp_path, items[:3])
    apply_items(database, items[3:])
    apply_items(database, [notice(number, 1, published_at=day(0), description="more") for number in range(6)])
    assert len(records(database)) == 6
    assert len(Tenders(database).search(TenderSearch(text="obra more")).records) == 6
    database.close()


def test_counts_of_real_files_are_those_of_an_independent_count(tmp_path: Path, shared_data: Path) -> None:
    database = Database(tmp_path, clock=clock)
    report = import_paths(database, [shared_data / "placsp"])
    assert len(report.files) == 4
    for file in report.files:
        pages = _pages(file.file)
        entries = [entry for page in pages for entry in re.findall(rb"<entry>.*?</entry>", page, re.DOTALL)]
        ids = [re.search(rb"<id>(.*?)</id>", entry)[1] for entry in entries]  # type: ignore[index]
        updated = [re.search(rb"<updated>(.*?)</updated>", entry)[1] for entry in entries]  # type: ignore[index]
        assert file.entries == len(entries)
        assert file.tombstones == sum(page.count(b"<at:deleted-entry ") for page in pages)
        assert file.unique_ids == len(set(ids))
        assert file.versions == len(set(zip(ids, updated, strict=True)))
        assert file.read == file.new + file.updated + file.unchanged + file.withdrawn + file.refused
    assert report.refusals == ()
    again = import_paths(database, [shared_data / "placsp"])
    assert (again.new, again.updated, again.withdrawn, again.unchanged) == (0, 0, 0, again.read)
    assert again.read == report.read
    assert len(records(database)) == report.new
    database.close()


def _pages(path: Path) -> list[bytes]:
    if path.suffix != ".zip":
        return [path.read_bytes()]
    with zipfile.ZipFile(path) as archive:
        return [archive.read(name) for name in archive.namelist()]


@pytest.mark.requirement("CPV-1")
def test_cpv_codes_as_the_interface_answers_them() -> None:
    described = cpv.describe("45233120")
    assert described is not None
    assert described == cpv.describe("45233120-6")
    assert list(described) == [
        *("code", "type", "nameEn", "nameEs", "nameFr", "nameDe", "nameIt", "nameCa", "namePt", "emoji", "fontAwesomeIcon")
    ]
    assert (described["code"], described["type"], described["nameEn"]) == ("45233120", "category", "Road construction works")
    kinds = {code: (cpv.describe(code) or {})["type"] for code in ("45000000", "45200000", "45230000")}
    assert kinds == {"45000000": "division", "45200000": "group", "45230000": "class"}
    assert cpv.describe("45999999") is None
    assert cpv.describe("works") is None


def test_a_cancelled_notice_is_marked(tmp_path: Path) -> None:
    database = opened(tmp_path, [notice(1, status="Cerrada", cancelled=True, buyer=BUYER)])
    assert column(database, "cancelled") == 1
    database.close()
