"""What the sample workspace buys: sectors with their size, competition and duration, and themes with titles and CPV codes.

The words stand in ``sample_themes.toml`` beside this module, which says what each value means.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

LANGUAGES: Final = ("es", "ca", "gl", "eu", "pt", "en")


@dataclass(frozen=True, slots=True)
class Theme:
    """One kind of purchase: its CPV codes with check digit (the first is the main one), titles and things by language."""

    cpvs: tuple[str, ...]
    titles: dict[str, str]
    things: tuple[str | dict[str, str], ...]

    def title(self, language: str) -> str:
        """The template in ``language``, or the Spanish one."""
        return self.titles.get(language, self.titles["es"])

    def speaks(self, language: str) -> bool:
        """Whether there is a title of its own in ``language``."""
        return language in self.titles


@dataclass(frozen=True, slots=True)
class Sector:
    """A market: ``budget`` is the median in euros with the sigma of its logarithm, ``discount`` the median share taken off.

    ``contract_type`` is the interface's word with the source's code; ``offers`` is the mean number beyond the first;
    ``days`` are the durations that occur; ``vat`` is the tax rate.
    """

    name: str
    weight: int
    contract_type: tuple[str, str]
    budget: tuple[float, float]
    discount: float
    offers: float
    days: tuple[int, ...]
    vat: float
    suppliers: int
    trades: tuple[str, ...]
    themes: tuple[Theme, ...] = field(repr=False)


def in_language(thing: str | dict[str, str], language: str) -> str:
    """A thing's wording in ``language``, else in Spanish; one that is plain text is the same in all."""
    return thing if isinstance(thing, str) else thing.get(language, thing["es"])


@cache
def sectors() -> tuple[Sector, ...]:
    """Every sector, in the order of the file."""
    return tuple(_sector(raw) for raw in _file()["sector"])


@cache
def awkward_titles() -> tuple[str, ...]:
    """Titles that test a screen's patience: brackets, markup, quotes, emoji, formulas, other scripts and great length."""
    return tuple(_file()["awkward_titles"])


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files("workbench.service").joinpath("sample_themes.toml").read_text("utf-8"))


def _sector(raw: dict[str, Any]) -> Sector:
    return Sector(
        name=raw["name"],
        weight=raw["weight"],
        contract_type=(raw["contract_type"][0], raw["contract_type"][1]),
        budget=(raw["budget"][0], raw["budget"][1]),
        discount=raw["discount"],
        offers=raw["offers"],
        days=tuple(raw["days"]),
        vat=raw["vat"],
        suppliers=raw["suppliers"],
        trades=tuple(raw["trades"]),
        themes=tuple(_theme(theme) for theme in raw["theme"]),
    )


def _theme(raw: dict[str, Any]) -> Theme:
    titles = {language: raw[language] for language in LANGUAGES if language in raw}
    return Theme(tuple(raw["cpvs"]), titles, tuple(raw.get("things", ())))
