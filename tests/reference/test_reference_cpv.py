"""The vocabulary is the official one, code by code, and finds what a person means."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.reference import build, cpv
from workbench.reference.text import fold, words

codes = st.sampled_from([code.code for code in cpv.all_codes()])
languages = st.sampled_from(cpv.LANGUAGES)

# The first example of a test may load the data; how long that takes is measured where it is the question.
unhurried = settings(deadline=None)

# How many names the table read here words otherwise than ours: it keeps older wordings, typing errors and a few
# broken letters ("manutenç??o"), of which our source is free.
OTHERWISE_WORDED = {"en": 0, "es": 163, "fr": 129, "de": 152, "it": 55, "pt": 65}


@pytest.fixture(scope="module")
def official(shared_data: Path) -> list[dict[str, Any]]:
    return json.loads((shared_data / "cpv" / "cpv2008_multilingual.json").read_text(encoding="utf-8"))


def test_there_are_9454_codes_in_45_divisions_in_order() -> None:
    every = [code.code for code in cpv.all_codes()]
    assert len(every) == len(set(every)) == 9_454
    assert every == sorted(every)
    assert [code.type for code in cpv.divisions()] == ["division"] * 45


@pytest.mark.requirement("CPV-1")
def test_type_and_parent_of_every_code_are_the_official_ones(official: list[dict[str, Any]]) -> None:
    ours = [(code.code, code.type, code.parent) for code in cpv.all_codes()]
    assert ours == [(row["code"], row["type"], row["parent"]) for row in official]


@pytest.mark.requirement("TND-6")
def test_check_digit_of_every_code_is_the_official_one(official: list[dict[str, Any]]) -> None:
    assert [code.full for code in cpv.all_codes()] == [f"{row['code']}-{row['checkDigit']}" for row in official]


@pytest.mark.requirement("TND-6")
def test_532_official_check_digits_deviate_from_the_formula_and_stay() -> None:
    deviating = [code for code in cpv.all_codes() if code.check_digit != build.usual_check_digit(code.code)]
    assert len(deviating) == 532
    for code in deviating:
        assert cpv.normalize(code.full) == code.code
        with pytest.raises(cpv.UnknownCpv, match=f"expected {code.full}"):
            cpv.normalize(f"{code.code}-{build.usual_check_digit(code.code)}")


@pytest.mark.requirement("TND-6")
@unhurried
@given(code=codes, digit=st.integers(0, 9))
def test_a_code_is_taken_with_its_check_digit_or_without_and_with_no_other(code: str, digit: int) -> None:
    found = cpv.get(code)
    assert found is not None
    assert found.full == f"{code}-{found.check_digit}"
    assert cpv.normalize(code) == cpv.normalize(f" {found.full}\n") == code
    assert cpv.get(found.full) == found
    given_form = f"{code}-{digit}"
    if str(digit) == found.check_digit:
        assert cpv.normalize(given_form) == code
    else:
        assert cpv.get(given_form) is None
        with pytest.raises(cpv.UnknownCpv) as refusal:
            cpv.normalize(given_form)
        assert refusal.value.expected == found.full
        assert str(refusal.value) == f"{given_form} has the wrong check digit: expected {found.full}."


@pytest.mark.requirement("CPV-1")
def test_names_of_every_code_are_the_official_ones(official: list[dict[str, Any]]) -> None:
    def plain(name: str) -> str:
        return " ".join(name.split()).replace("’", "'")

    otherwise = dict.fromkeys(OTHERWISE_WORDED, 0)
    for code, row in zip(cpv.all_codes(), official, strict=True):
        for language in otherwise:
            ours, theirs = code.names[language], row[f"name{language.title()}"]
            assert ours
            otherwise[language] += plain(ours) != plain(theirs)
    assert otherwise == OTHERWISE_WORDED


@pytest.mark.requirement("CPV-1")
def test_catalan_names_and_emoji_of_the_divisions(official: list[dict[str, Any]], shared_data: Path) -> None:
    table = json.loads((shared_data / "cpv" / "cpv_divisions_ca_emoji.json").read_text(encoding="utf-8"))
    for code, row in zip(cpv.all_codes(), official, strict=True):
        assert code.emoji == table["emoji"][code.division]
        assert code.names["ca"] == row["nameCa"]
        assert code.names["ca"] == (table["ca"][code.division] if code.type == "division" else None)


@pytest.mark.requirement("CPV-1")
def test_names_come_in_the_seven_languages_of_the_interface() -> None:
    works = cpv.get("45000000")
    assert works is not None
    assert dict(works.names) == {
        "en": "Construction work",
        "es": "Trabajos de construcción",
        "fr": "Travaux de construction",
        "de": "Bauarbeiten",
        "it": "Lavori di costruzione",
        "pt": "Construção",
        "ca": "Treballs de construcció",
    }
    with pytest.raises(KeyError):
        works.names["eu"]


def test_a_name_that_is_missing_falls_back() -> None:
    roads = cpv.get("45233120-6")
    assert roads is not None
    assert roads.names["ca"] is None
    assert roads.name("ca") == roads.name("eu") == roads.name("en") == "Road construction works"
    assert roads.name("ca", "es") == roads.names["es"] == "Trabajos de construcción de carreteras"
    assert roads.name("ca", "eu") == roads.names["en"]


def test_names_that_the_source_garbled_are_mended_in_the_shipped_data() -> None:
    for (code, language), name in build.CORRECTIONS.items():
        found = cpv.get(code)
        assert found is not None
        assert found.names[language] == name


def test_each_division_has_an_icon_of_its_own() -> None:
    icons = {division.division: division.icon for division in cpv.divisions()}
    assert len(set(icons.values())) == 45
    assert all(icon == icon.lower() and icon.replace("-", "").isalpha() for icon in icons.values())
    roads = cpv.get("45233120")
    assert roads is not None
    assert roads.icon == icons["45"] == "helmet-safety"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("45233120-7", "45233120-7 has the wrong check digit: expected 45233120-6."),
        ("45299999", "45299999 is not among the codes of CPV 2008: expected one of its 9,454 codes."),
        ("45299999-1", "45299999-1 is not among the codes of CPV 2008: expected one of its 9,454 codes."),
        (" 4523 ", "'4523' is not a CPV code: expected eight digits, with or without the check digit, as in 45233120-6."),
    ],
)
def test_a_refusal_says_what_was_expected(wrong: str, sentence: str) -> None:
    assert cpv.get(wrong) is None
    with pytest.raises(cpv.UnknownCpv) as refusal:
        cpv.normalize(wrong)
    assert str(refusal.value) == sentence
    assert str(pickle.loads(pickle.dumps(refusal.value))) == sentence  # noqa: S301 - our own bytes


@unhurried
@given(text=st.text() | st.from_regex(r"[0-9-]{1,12}") | st.just("٤٥٢٣٣١٢٠"))
def test_what_is_not_a_code_is_always_refused(text: str) -> None:
    short, _, digit = text.strip().partition("-")
    known = {code.code: code.check_digit for code in cpv.all_codes()}
    if text.strip() in known or (short in known and text.strip() == f"{short}-{known[short]}" and digit):
        assert cpv.normalize(text) == short
    else:
        assert cpv.get(text) is None
        with pytest.raises(cpv.UnknownCpv):
            cpv.normalize(text)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("45200000", "452"), ("45000000", "45"), ("30000000", "30"), ("45233120-6", "4523312"), ("03115110", "0311511")],
)
def test_stem_examples(code: str, expected: str) -> None:
    assert cpv.stem(code) == expected


@unhurried
@given(code=st.from_regex(r"[0-9]{8}(-[0-9])?", fullmatch=True))
def test_a_stem_is_the_code_without_what_does_not_count(code: str) -> None:
    stem = cpv.stem(code)
    assert len(stem) >= 2
    assert stem.ljust(8, "0") == code[:8]
    assert len(stem) == 2 or not stem.endswith("0")


@pytest.mark.parametrize("text", ["", "45", "452000000", "4520000O", "45200000-", "45200000-12"])
def test_a_stem_is_of_a_whole_code(text: str) -> None:
    with pytest.raises(cpv.UnknownCpv):
        cpv.stem(text)


@unhurried
@given(code=codes)
def test_under_a_code_stands_what_shares_its_stem_and_the_code_first(code: str) -> None:
    found = [each.code for each in cpv.under(code)]
    stem = cpv.stem(code)
    assert found[0] == code
    assert found == [each.code for each in cpv.all_codes() if each.code.startswith(stem)]


@unhurried
@given(prefix=st.from_regex(r"[0-9]{1,7}", fullmatch=True))
def test_under_a_prefix_stands_what_starts_with_it(prefix: str) -> None:
    assert [each.code for each in cpv.under(prefix)] == [each.code for each in cpv.all_codes() if each.code.startswith(prefix)]


@pytest.mark.parametrize("text", ["", "45299999", "45233120-7", "bridge"])
def test_under_refuses_what_is_neither_prefix_nor_code(text: str) -> None:
    with pytest.raises(cpv.UnknownCpv):
        cpv.under(text)


def test_the_tree_holds_every_code_once() -> None:
    reached: list[str] = []
    waiting = list(cpv.divisions())
    while waiting:
        code = waiting.pop()
        reached.append(code.code)
        below = cpv.children(code.full)
        assert all(child.parent == code.code for child in below)
        waiting.extend(below)
    assert sorted(reached) == [code.code for code in cpv.all_codes()]


@unhurried
@given(code=codes)
def test_ancestors_lead_from_the_division_to_the_parent(code: str) -> None:
    found = cpv.get(code)
    assert found is not None
    path = cpv.ancestors(found.full)
    assert [above.code for above in path[-1:]] == ([found.parent] if found.parent else [])
    assert [above.parent for above in path] == [None, *(above.code for above in path)][: len(path)]
    assert all(found in cpv.under(above.code) for above in path)
    if path:
        assert path[0].type == "division"


def test_ancestors_of_a_road() -> None:
    assert [above.code for above in cpv.ancestors("45233120")] == ["45000000", "45200000", "45230000", "45233000"]
    assert cpv.ancestors("45000000") == ()


@unhurried
@given(code=codes)
def test_search_finds_a_code_first_by_either_form_then_its_subtree(code: str) -> None:
    found = cpv.get(code)
    assert found is not None
    for typed in (code, found.full, f"{code}-", f"{code}-{(int(found.check_digit) + 1) % 10}"):
        hits = cpv.search(typed, limit=10_000)
        assert hits[0] == found
        assert set(hits) == set(cpv.under(code))


@unhurried
@given(prefix=codes.flatmap(lambda code: st.integers(2, 7).map(lambda digits: code[:digits])))
def test_search_by_prefix_gives_higher_levels_first(prefix: str) -> None:
    hits = cpv.search(prefix, limit=10_000)
    assert set(hits) == set(cpv.under(prefix))
    lengths = [len(cpv.stem(hit.code)) for hit in hits]
    assert lengths == sorted(lengths)


@unhurried
@given(code=codes, language=languages, seed=st.integers())
def test_search_finds_a_name_typed_without_accents_in_any_case_and_order(code: str, language: str, seed: int) -> None:
    found = cpv.get(code)
    assert found is not None
    name = found.names[language]
    if name is None:
        return
    typed = fold(name).upper()
    first = cpv.search(typed, language, limit=1)[0]
    assert words(first.names[language] or "") == words(name)
    shuffled = words(name)
    random.Random(seed).shuffle(shuffled)
    assert found in cpv.search(" ".join(shuffled), language, limit=10_000)
    assert found in cpv.search(" ".join(shuffled), limit=10_000)


@pytest.fixture(scope="module")
def vocabulary() -> list[tuple[cpv.CpvCode, list[str]]]:
    """Each code with the words of each of its names."""
    return [(code, words(name)) for code in cpv.all_codes() for name in code.names.values() if name is not None]


@settings(unhurried, max_examples=25)  # every name of the vocabulary is read for each example
@given(
    query=st.lists(
        st.sampled_from(["bridge", "puente", "oeuf", "software", "camion", "de", "4", "agua", "serv"]), min_size=1, max_size=3
    ),
    tail=st.sampled_from(["bridge", "puente", "oeuf", "software", "camion", "de", "agua", "serv"]),
)
def test_each_word_searched_begins_a_word_of_one_name(
    vocabulary: list[tuple[cpv.CpvCode, list[str]]], query: list[str], tail: str
) -> None:
    wanted = [*query, tail]
    expected = {code for code, name in vocabulary if all(any(word.startswith(start) for word in name) for start in wanted)}
    assert set(cpv.search(" ".join(wanted), limit=10_000)) == expected


@pytest.mark.parametrize(
    ("text", "language", "code"),
    [
        ("bridge construction work", "en", "45221110"),
        ("SERVICIOS DE ENSEÑANZA", "es", "80000000"),
        ("servicios ensenanza formacion", "es", "80000000"),
        ("oeufs", "fr", "03142500"),
        ("œufs", None, "03142500"),
        ("illuminacio", "ca", "31000000"),
        ("il·luminació", None, "31000000"),
        ("Straßenbauarbeiten", "de", "45233120"),
        ("strassenbauarb", "de", "45233120"),
        ("trabajos de construccion", None, "45000000"),
    ],
)
def test_search_ranks_what_is_meant_first(text: str, language: str | None, code: str) -> None:
    assert cpv.search(text, language)[0].code == code


@pytest.mark.parametrize("text", ["software", "construction", "construccion", "transport", "material"])
def test_search_ranks_by_closeness_then_level_then_length(text: str) -> None:
    def rank(name: str, code: str) -> tuple[int, int, int]:
        plain = " ".join(words(name))
        closeness = 0 if plain == text else 1 if plain.startswith(text) else 2
        return closeness, len(cpv.stem(code)), len(plain)

    hits = cpv.search(text, limit=10_000)
    best = [
        min(rank(name, hit.code) for name in hit.names.values() if name and f" {text}" in f" {' '.join(words(name))}")
        for hit in hits
    ]
    assert len(best) > 20
    assert best == sorted(best)


def test_search_keeps_to_the_language_asked_for() -> None:
    assert cpv.search("Straßenbauarbeiten", "es") == ()
    assert cpv.search("puentes", "en") == ()
    with pytest.raises(ValueError, match="expected one of en, es, fr, de, it, pt, ca"):
        cpv.search("puentes", "eu")


def test_search_is_bounded_and_blank_text_finds_nothing() -> None:
    assert len(cpv.search("de")) == 20
    assert cpv.search("de", limit=3) == cpv.search("de")[:3]
    assert cpv.search("de", limit=0) == cpv.search("de", limit=-1) == ()
    assert cpv.search("") == cpv.search("  - ") == cpv.search("99") == ()


def test_codes_are_values() -> None:
    code = cpv.get("45233120")
    assert code is not None
    again = pickle.loads(pickle.dumps(code))  # noqa: S301 - our own bytes
    assert again == code
    assert hash(again) == hash(code)
    assert dict(again.names) == dict(code.names)
    assert len(code.names) == 7
    with pytest.raises(AttributeError):
        code.check_digit = "0"  # type: ignore[misc]
