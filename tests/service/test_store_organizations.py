"""One organization an identity, and what it won or awarded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from store_builders import BUYER, SUPPLIER, award, day, notice, only, opened, records

from workbench.contract.organizations import AwardStatistics, Organization
from workbench.feeds.notice import Award, Lot, Party
from workbench.service.organizations import Organizations
from workbench.service.store.database import Database, driver
from workbench.service.store.identity import identify
from workbench.service.store.importer import apply_items, import_paths

NIF = ("NIF", "B11111112")


def one_of(*parties: Party) -> bool:
    """Whether all parties are one organization."""
    found = [identify(party.name, party.identifiers, party.parents) for party in parties]
    return None not in found and len({identity.id for identity in found if identity}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Party("A", (NIF,)), Party("B", (NIF,))),
        (Party("A", (NIF,)), Party("B", (("NIF", " b-11.111.112 "),))),
        (Party("A", (NIF,)), Party("B", (("NIF", "ESB11111112"),))),
        (Party("A", (NIF,)), Party("B", (("OTROS", "B11111112"),))),
        (Party("A", (NIF,)), Party("A", (("DIR3", "L01080193"), NIF))),
        (Party("A", (("DIR3", "L01080193"),)), Party("B", (("ID_PLATAFORMA", "70123"), ("DIR3", "L01080193")))),
        (Party("A", (("DIR3", "A9999999"), ("ID_PLATAFORMA", "70123"))), Party("B", (("ID_PLATAFORMA", "70123"),))),
        (Party("Ayuntamiento de Ávila"), Party("AYUNTAMIENTO DE AVILA.")),
        (Party("Alcalde", parents=("Ávila",)), Party("ALCALDE", parents=("avila",))),
    ],
)
def test_one_organization_under_two_descriptions(one: Party, other: Party) -> None:
    assert one_of(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Party("A", (NIF,)), Party("A", (("NIF", "B22222224"),))),
        (Party("A", (("NIF", "-"),)), Party("B", (("NIF", "-"),))),
        (Party("A", (("DIR3", "A9999999"),)), Party("B", (("DIR3", "A9999999"),))),
        (Party("A", (("OTROS", "00000000"),)), Party("B", (("OTROS", "00000000"),))),
        (Party("Alcalde", parents=("Ávila",)), Party("Alcalde", parents=("Soria",))),
        (Party("A", (("DIR3", "70123456"),)), Party("A", (("ID_PLATAFORMA", "70123456"),))),
    ],
)
def test_two_organizations_that_look_alike(one: Party, other: Party) -> None:
    assert not one_of(one, other)


@pytest.mark.parametrize("party", [Party(), Party("-"), Party(" . ", (("NIF", "-"),)), Party(None, (("NIF", "XXXXXXXXX"),))])
def test_a_placeholder_is_nobody(party: Party) -> None:
    assert identify(party.name, party.identifiers, party.parents) is None


def only_winner(database: Database) -> dict[str, Any]:
    found = Organizations(database).get(only(database)["successBidders"][0]["id"])
    assert found is not None
    return found


@pytest.mark.requirement("ORG-1")
def test_an_organization_has_its_fields_by_id_and_by_slug(tmp_path: Path) -> None:
    buyer = Party(
        "Ayuntamiento de Ávila",
        (("DIR3", "L01050199"), ("NIF", "P0501900E")),
        activity="Servicios generales",
        country="ES",
        province="05",
        city="Ávila",
        post_code="05001",
        street="Plaza del Mercado 1",
        web_url="https://avila.example",
    )
    database = opened(tmp_path, [notice(1, buyer=buyer, awards=(Award(supplier=SUPPLIER),))])
    organizations = Organizations(database)
    found = organizations.get(only(database)["contractingOrganizationId"])
    assert found == {
        "id": only(database)["contractingOrganizationId"],
        "slug": found["slug"] if found else "",
        "name": "Ayuntamiento de Ávila",
        "type": "public-contracting-institution",
        "taxId": "P0501900E",
        "activity": "Servicios generales",
        "country": "ES",
        "address": {"city": "Ávila", "province": "05", "postCode": "05001", "street": "Plaza del Mercado 1"},
        "webUrl": "https://avila.example",
        "logo": None,
    }
    assert found["slug"].startswith("ayuntamiento-de-avila-")
    assert organizations.get(found["slug"]) == found
    assert organizations.get(found["id"].upper()) == found
    assert Organization.model_validate(found).other_fields == {}
    assert only_winner(database)["type"] == "bidder"
    assert only_winner(database)["address"] is None
    for unknown in ("nobody", "", "nobody-000000000000", "00000000-0000-0000-0000-000000000000"):
        assert organizations.get(unknown) is None
    database.close()


@pytest.mark.requirement("ORG-1")
def test_a_renamed_organization_keeps_its_id_and_its_old_slug(tmp_path: Path) -> None:
    items = [notice(number, number, buyer=Party(name, (NIF,))) for number, name in ((1, "First name"), (2, "Newer name"))]
    database = opened(tmp_path, items[:1])
    organizations = Organizations(database)
    before = organizations.get(only(database)["contractingOrganizationId"])
    apply_items(database, [items[1]])
    assert before is not None
    after = organizations.get(before["slug"])
    assert after is not None
    assert (before["name"], after["name"], before["id"]) == ("First name", "Newer name", after["id"])
    assert organizations.get(after["slug"]) == after
    apply_items(database, [notice(3, 0, buyer=Party("Oldest name", (NIF,)))])
    assert organizations.get(before["slug"]) == after
    database.close()


def test_an_older_attribute_is_kept_where_the_newest_version_has_none(tmp_path: Path) -> None:
    told = [Party("One", (NIF,), activity="Roads", city="Soria"), Party("Two", (NIF,)), Party(None, (NIF,))]
    database = opened(tmp_path, [notice(1, number, awards=(Award(supplier=one),)) for number, one in enumerate(told)])
    winner = only_winner(database)
    assert (winner["name"], winner["activity"], winner["address"]["city"]) == ("Two", "Roads", "Soria")
    database.close()


def awarded(number: int, amount: float | None, when: datetime | None, currency: str = "EUR", **values: Any) -> Any:
    won = award("1", "Formalizado", SUPPLIER, amount, currency=currency, awarded_at=when)
    return notice(number, awards=(won,), **{"cpvs": ("45233120",)} | values)


STATISTICS = [
    awarded(1, 100.0, datetime(2024, 5, 1, tzinfo=UTC)),
    awarded(2, 50.25, datetime(2024, 12, 31, 22, 59, tzinfo=UTC), cpvs=("72260000", "45000000")),
    awarded(3, 8.0, datetime(2024, 12, 31, 23, 0, tzinfo=UTC), cpvs=("72260000",), lots=(Lot("1", cpvs=("90910000",)),)),
    awarded(4, 7.0, datetime(2025, 6, 1, tzinfo=UTC), currency="USD"),
    awarded(5, None, None, published_at=day(0), cpvs=()),
    notice(6, awards=(award(None, "Desierto", None, None),)),
]


@pytest.mark.requirement("ORG-2")
@pytest.mark.parametrize("party", ["contractingOrganizationId", "successBidders"])
def test_award_statistics_of_a_buyer_and_of_a_supplier(tmp_path: Path, party: str) -> None:
    database = opened(tmp_path, STATISTICS)
    record = next(one for one in records(database) if one["successBidders"])
    identifier = record[party] if isinstance(record[party], str) else record[party][0]["id"]
    answer = Organizations(database).awards(identifier)
    assert answer is not None
    is_buyer = party == "contractingOrganizationId"
    assert answer["organizationName"] == (BUYER if is_buyer else SUPPLIER).name
    assert answer["type"] == ("public-contracting-institution" if is_buyer else "bidder")
    # The year is Spain's: the last second of 2024 there is 22:59 in UTC. Dollars are counted and not added to euros.
    assert answer["stats"] == [
        {"year": 2024, "count": 2, "totalAmount": 150.25},
        {"year": 2025, "count": 2, "totalAmount": 8.0},
        {"year": 2026, "count": 1, "totalAmount": 0.0},
    ]
    assert [(sector["divisionCode"], sector["count"], sector["percentage"]) for sector in answer["sectors"]] == [
        ("45", 2, 50.0),
        ("72", 1, 25.0),
        ("90", 1, 25.0),
    ]
    assert answer["sectors"][0]["divisionNameEn"] == "Construction work"
    assert answer["sectors"][0]["divisionNameEs"].startswith("Trabajos de construcción")
    assert answer["sectors"][0]["emoji"]
    assert AwardStatistics.model_validate(answer).other_fields == {}
    database.close()


@pytest.mark.requirement("ORG-2")
def test_an_organization_without_awards_has_empty_statistics(tmp_path: Path) -> None:
    database = opened(tmp_path, [notice(1)])
    answer = Organizations(database).awards(only(database)["contractingOrganizationId"])
    assert answer is not None
    assert (answer["stats"], answer["sectors"]) == ([], [])
    assert Organizations(database).awards("nobody") is None
    database.close()


def test_real_organizations_are_unique_and_their_percentages_are_whole(tmp_path: Path, shared_data: Path) -> None:
    database = Database(tmp_path)
    import_paths(database, [shared_data / "placsp"])
    with database.reader() as connection:
        raw = driver(connection)
        assert (
            raw.execute("SELECT tax_id FROM organization WHERE tax_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1").fetchall()
            == []
        )
        busiest = raw.execute(
            "SELECT supplier_id, count(*) FROM award WHERE supplier_id IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 20"
        )
        suppliers = busiest.fetchall()
    for supplier, count in suppliers:
        answer = Organizations(database).awards(supplier)
        assert answer is not None
        if answer["type"] == "bidder":
            assert sum(year["count"] for year in answer["stats"]) == count
        assert sum(sector["percentage"] for sector in answer["sectors"]) == pytest.approx(100, abs=0.5)
    database.close()
