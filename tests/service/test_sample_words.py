"""The words of the sample fit together: codes are official, and no title is left with a hole."""

from __future__ import annotations

import string
from datetime import date

import pytest

from workbench.reference import cpv, provinces
from workbench.service.sample_tenders import make_notices, make_world
from workbench.service.sample_themes import Theme, awkward_titles, in_language, sectors
from workbench.service.sample_words import COUNCILS, LANGUAGES, PROVINCE_WEIGHTS, TOWNS


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("theme", [theme for sector in sectors() for theme in sector.themes], ids=lambda theme: theme.cpvs[0])
def test_a_theme_is_whole(theme: Theme) -> None:
    for code in theme.cpvs:
        found = cpv.get(code)
        assert found is not None, code
        assert f"{found.code}-{found.check_digit}" == code
    for language, title in theme.titles.items():
        assert fields(title) <= {"place", "zone", "thing", "year"}
        if "thing" in fields(title):
            assert theme.things
        for thing in theme.things:
            assert fields(in_language(thing, language)) <= {"place", "zone", "year"}
            if "thing" in fields(title) and isinstance(thing, dict):
                assert language in thing, f"{title} mixes languages"


def test_sectors_are_plausible() -> None:
    assert len({sector.name for sector in sectors()}) == len(sectors())
    assert sum(sector.suppliers for sector in sectors()) > 280
    assert all(0 < sector.discount < 0.3 and sector.budget[0] > 10_000 and sector.days for sector in sectors())


def test_all_provinces_buy() -> None:
    assert set(PROVINCE_WEIGHTS) == {province.ine for province in provinces.all_provinces()}
    assert all(code in PROVINCE_WEIGHTS for codes in LANGUAGES.values() for code in codes)
    assert set(TOWNS) == set(COUNCILS)
    towns = [town for names in TOWNS.values() for town in names]
    assert len(set(towns)) == len(towns)


def test_titles_come_out_whole_and_some_are_awkward() -> None:
    names = [str(notice.name) for notice in make_notices(make_world(11, date(2026, 11, 21)))]
    assert not [name for name in names if "{" in name or "|" in name.replace("| CO₂", "") or not name.strip()]
    assert any("[Lote 1]" in name for name in names)
    assert any("🚒" in name for name in names)
    assert max(map(len, names)) > 400
    assert len(awkward_titles()) >= 12
    assert len(set(names)) > 1_000
