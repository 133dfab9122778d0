"""Provinces are found by every code and name a notice uses, and never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.reference import provinces
from workbench.reference.text import fold, words

every = st.sampled_from(provinces.all_provinces())


@pytest.fixture(scope="module")
def compiled(shared_data: Path) -> list[dict[str, Any]]:
    return json.loads((shared_data / "geo" / "es_provinces.json").read_text(encoding="utf-8"))


def test_there_are_52_with_the_ine_codes_01_to_52() -> None:
    assert [province.ine for province in provinces.all_provinces()] == [f"{number:02}" for number in range(1, 53)]


def test_codes_and_names_are_the_compiled_ones(compiled: list[dict[str, Any]]) -> None:
    ours = [(p.ine, p.name, p.iso, p.nuts3, p.nuts2) for p in provinces.all_provinces()]
    theirs = [(p["ineCode"], p["name"], p["iso31662"], tuple(p["nuts3"]), p["nuts2"]) for p in compiled]
    assert ours == theirs


def test_every_compiled_alias_finds_its_province(compiled: list[dict[str, Any]]) -> None:
    for row in compiled:
        for alias in row["aliases"]:
            found = provinces.find(alias)
            assert found is not None, alias
            assert found.ine == row["ineCode"]


def test_nuts_codes_are_the_ministrys_own(shared_data: Path) -> None:
    """Every NUTS 3 code of Spain in the Ministry's code list is one province's, and the other way round."""
    listed = json.loads((shared_data / "placsp" / "codice_codelists.json").read_text(encoding="utf-8"))["nuts"]
    spanish = {code for code in listed if code.startswith("ES") and len(code) == 5 and code[2:] != "ZZZ"}
    ours = {code for province in provinces.all_provinces() for code in province.nuts3}
    assert len(ours) == 59
    assert ours == spanish


def test_no_name_stands_for_two_provinces() -> None:
    owners: dict[str, set[str]] = {}
    for province in provinces.all_provinces():
        for name in (province.name, *province.name.split("/"), *province.aliases):
            owners.setdefault(" ".join(words(name)), set()).add(province.ine)
    assert {name: ines for name, ines in owners.items() if len(ines) > 1} == {}


@given(province=every)
def test_each_is_found_by_each_of_its_codes_and_names(province: provinces.Province) -> None:
    assert provinces.by_ine(province.ine) is province
    assert provinces.by_iso(province.iso.lower()) is province
    assert provinces.by_postcode(f"{province.ine}001") is province
    assert all(provinces.by_nuts(code) is province for code in province.nuts3)
    for text in (province.ine, province.iso, f" {province.iso.lower()} ", province.name, *province.aliases):
        assert provinces.find(text) is province
        assert provinces.find(fold(text).upper()) is province
        assert provinces.search(text)[0] is province


def test_level_2_names_a_province_only_where_the_region_has_one() -> None:
    regions = {province.nuts2 for province in provinces.all_provinces()}
    single = {region for region in regions if provinces.by_nuts(region) is not None}
    assert single == {"ES12", "ES13", "ES22", "ES23", "ES30", "ES53", "ES62", "ES63", "ES64"}
    madrid = provinces.by_nuts("es30")
    assert madrid is not None
    assert madrid.name == "Madrid"


@pytest.mark.parametrize("code", ["", "ES", "ES3", "ES7", "ES51", "ES70", "ES701", "ES702", "ES999", "ESZZZ", "FR101", "08"])
def test_a_nuts_code_that_names_no_province_gives_none(code: str) -> None:
    assert provinces.by_nuts(code) is None


@pytest.mark.parametrize("postcode", ["", "08", "0800", "080011", "00001", "53001", "99999", "0800A", "08००१"])
def test_a_postcode_outside_the_provinces_gives_none(postcode: str) -> None:
    assert provinces.by_postcode(postcode) is None


@pytest.mark.parametrize(
    ("text", "ine"),
    [
        ("València/Valencia", "46"),
        ("valencia", "46"),
        ("Álava - Araba", "01"),
        ("ALICANTE", "03"),
        ("Coruña, A", "15"),
        ("Palmas, Las", "35"),
        ("Balears, Illes", "07"),
        ("Guipuzcoa", "20"),
        ("gerona", "17"),
        ("LERIDA", "25"),
    ],
)
def test_names_in_use_are_found(text: str, ine: str) -> None:
    found = provinces.find(text)
    assert found is not None
    assert found.ine == ine


@pytest.mark.parametrize("text", ["", " ", "8", "53", "00", "ES-", "ES-XX", "Cataluña", "Val", "Barcelona Madrid", ","])
def test_what_names_no_province_finds_none(text: str) -> None:
    assert provinces.find(text) is None


def test_a_code_of_one_kind_is_not_one_of_another() -> None:
    assert provinces.by_ine("ES-B") is None
    assert provinces.by_iso("08") is None
    assert provinces.by_nuts("ES-B") is None


@given(text=st.text())
def test_find_and_search_take_any_text(text: str) -> None:
    found = provinces.find(text)
    hits = provinces.search(text)
    assert len(hits) <= 10
    if found is not None:
        assert hits[0] is found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("val", ["Valencia/València", "Valladolid"]),
        ("cordo", ["Córdoba"]),
        ("palma", ["Las Palmas"]),
        ("lugo", ["Lugo"]),
        ("ES-M", ["Madrid", "Málaga", "Melilla", "Murcia"]),
        ("xyz", []),
        ("  ", []),
    ],
)
def test_search_examples(text: str, names: list[str]) -> None:
    assert [province.name for province in provinces.search(text)] == names


def test_search_is_bounded() -> None:
    assert len(provinces.search("ES")) == 10
    assert provinces.search("ES", 2) == provinces.search("ES")[:2]
    assert len(provinces.search("ES", 100)) == 52
    assert provinces.search("ES", 0) == provinces.search("ES", -3) == ()
