"""How a search text is read: each rule that the documentation states, and what has no meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_builders import notice, opened, records

from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import TenderSort
from workbench.service.store import ranking, search
from workbench.service.store.query import InvalidQuery
from workbench.service.store.query_text import TERMS_MAX, Term, TextQuery, read_text
from workbench.service.tenders import Tenders

NAMES = {
    "1": ("Obras de la carretera C-45", None),
    "2": ("OBRAS menores", "Limpieza de la carretera"),
    "3": ("Instal·lació elèctrica", "Señalización"),
    "4": ("Limpieza y aseo de oficinas", "obra civil"),
    "5": ("Suministro", "carretera de obras"),
    "6": (None, None),
}


@pytest.fixture
def tenders(tmp_path: Path) -> Iterator[Tenders]:
    database = opened(
        tmp_path, [notice(int(key), expedient=key, name=name, description=text) for key, (name, text) in NAMES.items()]
    )
    yield Tenders(database)
    database.close()


def found(tenders: Tenders, text: str, **values: object) -> set[str]:
    answer = tenders.search(TenderSearch(text=text, **values))
    return {json.loads(record)["expedient"] for record in answer.records}


@pytest.mark.requirement("TND-2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "123456"),
        ("   ", "123456"),
        ("obras", "125"),
        ("OBRAS", "125"),
        ("obrás", "125"),
        ("obras carretera", "125"),
        ("carretera obras", "125"),
        ('"obras de la carretera"', "1"),
        ('"carretera de obras"', "5"),
        ('"obras carretera"', ""),
        ("señalizacion", "3"),
        ("instal·lació", "3"),
        ("installacio", "3"),
        ("obras -limpieza", "15"),
        ('carretera -"carretera de obras"', "12"),
        ("-limpieza", "1356"),
        ("limpieza OR suministro", "245"),
        ("limpieza OR suministro carretera", "25"),
        ("carretera limpieza OR suministro", "25"),
        ("limpieza OR aseo OR suministro", "245"),
        ("limpieza or suministro", ""),
        ("obra*", "1245"),
        ("obra", "4"),
        ("obra-civil", "4"),
        ("c-45", "1"),
        ("limpi* ofi*", "4"),
        ("-obra*", "36"),
    ],
)
def test_texts_find_what_the_documentation_says(tenders: Tenders, text: str, expected: str) -> None:
    assert found(tenders, text) == set(expected)


@pytest.mark.requirement("TND-2")
@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('"obras', "obras"),
        ('"obras de la', '"obras de la"'),
        ('obras "', "obras"),
        ('obras ""', "obras"),
        ("obras -", "obras"),
        ("obras - limpieza", "obras limpieza"),
        ("OR obras", "obras"),
        ("obras OR", "obras"),
        ("OR", ""),
        ("OR OR OR", ""),
        ("limpieza OR OR suministro", "limpieza OR suministro"),
        ("obras OR -limpieza", "obras -limpieza"),
        ("-limpieza OR obras", "-limpieza obras"),
        ("* ? ... ()", ""),
        ("obras**", "obras*"),
        ("--limpieza", "-limpieza"),
        ("obras\x00carretera", "obras-carretera"),
        ("obras AND (carretera", "obras and carretera"),
        ("NEAR(obras carretera)", "near-obras carretera"),
        ("title:obras", "title-obras"),
        ("{title description} : obras", "title description obras"),
        ('obras"carretera"', 'obras "carretera"'),
    ],
)
def test_what_cannot_be_meant_is_passed_over(tenders: Tenders, text: str, same: str) -> None:
    assert read_text(text) == read_text(same)
    assert found(tenders, text) == found(tenders, same)


def test_a_text_is_read_into_groups_and_exclusions() -> None:
    assert read_text('a OR "b c" d* -e') == TextQuery(
        required=((Term(("a",)), Term(("b", "c"))), (Term(("d",), prefix=True),)), excluded=(Term(("e",)),)
    )


def test_too_many_words_are_refused_with_the_limit(tenders: Tenders) -> None:
    with pytest.raises(InvalidQuery, match=f"at most {TERMS_MAX}") as refusal:
        found(tenders, "word " * (TERMS_MAX + 1))
    assert refusal.value.field == "text"
    assert found(tenders, "word " * TERMS_MAX) == set()


@pytest.mark.requirement("TND-4")
def test_the_most_relevant_name_comes_first(tmp_path: Path) -> None:
    database = opened(
        tmp_path,
        [
            notice(1, name="Servicio", description="de limpieza y otras muchas cosas que hacen larga la descripción"),
            notice(2, name="Limpieza de limpieza"),
            notice(3, name="Obras"),
            notice(4, name="Limpieza de edificios municipales y de sus alrededores"),
        ],
    )
    order = [record["name"][:8] for record in map(_loaded, Tenders(database).search(_relevance()).records)]
    backwards = [
        record["name"][:8] for record in map(_loaded, Tenders(database).search(_relevance(is_descendent=False)).records)
    ]
    assert order == ["Limpieza", "Limpieza", "Servicio"]
    assert backwards == order[::-1]
    assert len(records(database)) == 4
    database.close()


@pytest.mark.requirement("TND-4")
def test_without_text_relevance_is_publication(tenders: Tenders) -> None:
    by_relevance = tenders.search(TenderSearch(sort=TenderSort.RELEVANCE)).records
    assert by_relevance == tenders.search(TenderSearch()).records


@pytest.mark.requirement("TND-4")
def test_of_very_many_matches_the_newest_are_ranked_and_no_page_overlaps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MANY_MATCHES", 5)
    monkeypatch.setattr(ranking, "RERANKED", 8)
    items = [notice(number, number, name="limpieza " * (1 + number % 3) + "y más") for number in range(20)]
    database = opened(tmp_path, items)
    pages = [Tenders(database).search(_relevance(page=page, page_size=3)) for page in range(1, 8)]
    shown = [_loaded(record) for page in pages for record in page.records]
    assert len({record["id"] for record in shown}) == len(shown) == 20
    first = [record["name"].count("limpieza") for record in shown[:8]]
    assert first == sorted(first, reverse=True)
    rest = [record["expedientUpdatedAt"] for record in shown[8:]]
    assert rest == sorted(rest, reverse=True)
    assert [page.has_next_page for page in pages] == [True] * 6 + [False]
    database.close()


def _relevance(**values: object) -> TenderSearch:
    return TenderSearch(text="limpieza", sort=TenderSort.RELEVANCE, **values)


def _loaded(record: str) -> dict[str, object]:
    return json.loads(record)
