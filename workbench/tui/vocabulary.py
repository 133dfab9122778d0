"""Values that filters offer while one types: CPV codes, provinces, countries, towns. Called in threads; loads data lazily."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from workbench.tui.query import Choice

CPV_LANGUAGES: Final = ("en", "es")
"""Languages that CPV names are shown in, in the order of the key that changes them."""

COUNTRIES: Final = {
    "ES": ("Spain", "España"), "PT": ("Portugal",), "FR": ("France", "Francia"), "AD": ("Andorra",),
    "IT": ("Italy", "Italia"), "DE": ("Germany", "Alemania"), "AT": ("Austria",), "BE": ("Belgium", "Bélgica"),
    "BG": ("Bulgaria",), "CY": ("Cyprus", "Chipre"), "CZ": ("Czechia", "Chequia"), "DK": ("Denmark", "Dinamarca"),
    "EE": ("Estonia",), "FI": ("Finland", "Finlandia"), "GR": ("Greece", "Grecia"), "HR": ("Croatia", "Croacia"),
    "HU": ("Hungary", "Hungría"), "IE": ("Ireland", "Irlanda"), "LT": ("Lithuania", "Lituania"),
    "LU": ("Luxembourg", "Luxemburgo"), "LV": ("Latvia", "Letonia"), "MT": ("Malta",),
    "NL": ("Netherlands", "Países Bajos"), "PL": ("Poland", "Polonia"), "RO": ("Romania", "Rumanía"),
    "SE": ("Sweden", "Suecia"), "SI": ("Slovenia", "Eslovenia"), "SK": ("Slovakia", "Eslovaquia"),
    "CH": ("Switzerland", "Suiza"), "GB": ("United Kingdom", "Reino Unido"), "NO": ("Norway", "Noruega"),
    "IS": ("Iceland", "Islandia"), "LI": ("Liechtenstein",), "MA": ("Morocco", "Marruecos"),
    "US": ("United States", "Estados Unidos"),
}  # fmt: skip
"""ISO 3166-1 code to the names one may type for it, the one that is shown first; any other code may be typed as it is."""


def suggest_cpvs(text: str, limit: int = 30) -> list[Choice]:
    """CPV codes for typed digits or words of any language, best first, as ``45233120-6`` with the English name."""
    from workbench.reference import cpv

    return [Choice(code.full, f"{code.full}  {code.emoji} {code.name('en')}") for code in cpv.search(text, limit=limit)]


def cpv_chip(choice: Choice) -> Choice:
    """The same choice with a label short enough for a chip."""
    code, _, name = choice.label.partition("  ")
    return Choice(choice.value, f"{code[:8].rstrip('0').ljust(2, '0')} {name}")


def suggest_places(text: str, limit: int = 12) -> list[Choice]:
    """Provinces, countries and, last, the text as a town; as the service takes them (``province/08``, ``town/Vic``)."""
    from workbench.reference import provinces
    from workbench.reference.text import spaced, words

    wanted = [f" {word}" for word in words(text)]
    if not wanted:
        return []
    found = [Choice(f"province/{each.ine}", f"{each.name}  province {each.ine}") for each in provinces.search(text, limit)]
    for code, names in COUNTRIES.items():
        if any(all(word in spaced(name) for word in wanted) for name in names):
            found.append(Choice(f"country/{code}", f"{names[0]}  country {code}"))
    code = text.strip().upper()
    if len(code) == 2 and code.isascii() and code.isalpha():
        found.insert(0, Choice(f"country/{code}", f"{COUNTRIES.get(code, (code,))[0]}  country {code}"))
    typed = " ".join(text.split())[:80]
    unique = {choice.value: choice for choice in found}
    return [*list(unique.values())[:limit], Choice(f"town/{typed}", f"{typed}  town")]


def place_chip(choice: Choice) -> Choice:
    """The same choice with a label short enough for a chip."""
    return Choice(choice.value, choice.label.rpartition("  ")[0])


def cpv_names(codes: Iterable[str], language: str) -> dict[str, str]:
    """The names of those codes that CPV 2008 knows, in a language, else in English."""
    from workbench.reference import cpv

    known = {code: cpv.get(code) for code in codes}
    return {code: found.name(language) for code, found in known.items() if found is not None}
