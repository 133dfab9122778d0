"""Organizations, award statistics and CPV codes as a caller over HTTP meets them (interface 2 and 4.1)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

ORGANIZATION = ("id", "name", "type", "taxId", "activity", "country", "address", "webUrl", "logo")


def parties(world: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A buyer and a supplier, each as a tender names it."""
    record = next(record for record in world.search_all() if record["successBidders"])
    return record["contractingOrganization"], record["successBidders"][0]


def spanish_year(record: dict[str, Any]) -> int:
    """The calendar year of a tender's award where it was made."""
    return datetime.fromisoformat(record["expedientAdjudicationDate"]).astimezone(ZoneInfo("Europe/Madrid")).year


@pytest.mark.requirement("ORG-1")
def test_an_organization_is_one_by_its_id_and_by_its_slug(world: Any) -> None:
    for party, kind in zip(parties(world), ("public-contracting-institution", "bidder"), strict=True):
        found = world.get(f"/v1/organizations/{party['id']}").json()
        assert set(ORGANIZATION) <= set(found)
        assert (found["id"], found["name"], found["type"]) == (party["id"], party["name"], kind)
        assert found["country"] == "ES"
        assert found["slug"] != found["id"]
        assert world.get(f"/v1/organizations/{found['slug']}").json() == found


@pytest.mark.requirement("ORG-2")
def test_award_statistics_add_up(world: Any) -> None:
    everything = world.search_all()
    buyer, supplier = parties(world)
    for party in (buyer, supplier):
        statistics = world.get(f"/v1/organizations/{party['id']}/awards").json()
        assert statistics["organizationId"] == party["id"]
        assert statistics["organizationName"] == party["name"]
        awards = [
            (record, bidder)
            for record in everything
            for bidder in record["successBidders"]
            if party["id"] in (record["contractingOrganizationId"], bidder["id"])
        ]
        years: dict[int, list[float]] = {}
        for record, bidder in awards:
            years.setdefault(spanish_year(record), []).append(bidder["amount"] or 0)
        told = {row["year"]: (row["count"], row["totalAmount"]) for row in statistics["stats"]}
        assert {year: count for year, (count, _) in told.items()} == {year: len(rows) for year, rows in years.items()}
        for year, rows in years.items():
            assert told[year][1] == pytest.approx(sum(rows))
        assert sum(row["count"] for row in statistics["sectors"]) > 0
        for row in statistics["sectors"]:
            assert set(row) == {"divisionCode", "divisionNameEn", "divisionNameEs", "emoji", "count", "percentage"}
        assert sum(row["percentage"] for row in statistics["sectors"]) == pytest.approx(100, abs=1)


@pytest.mark.requirement("CPV-1")
@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        ("45000000", "division", "Construction work"),
        ("45200000", "group", None),
        ("45230000", "class", None),
        ("45233000", "category", None),
    ],
)
def test_a_code_is_described_in_seven_languages(world: Any, code: str, kind: str, name: str | None) -> None:
    found = world.get(f"/v1/cpv/{code}").json()
    languages = {f"name{language}" for language in ("En", "Es", "Fr", "De", "It", "Ca", "Pt")}
    assert set(found) >= {"code", "type", "emoji", "fontAwesomeIcon"} | languages
    assert (found["code"][:8], found["type"]) == (code, kind)
    assert name is None or found["nameEn"] == name
    assert found["nameEs"]
