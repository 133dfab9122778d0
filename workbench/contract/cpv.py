"""CPV codes as the service answers them (interface 2)."""

from __future__ import annotations

from workbench.contract.record import Record


class Cpv(Record):
    """Answer of ``GET /v1/cpv/{code}``: names in seven languages, each ``None`` where the service has none."""

    code: str | None = None
    type: str | None = None
    name_en: str | None = None
    name_es: str | None = None
    name_fr: str | None = None
    name_de: str | None = None
    name_it: str | None = None
    name_ca: str | None = None
    name_pt: str | None = None
    emoji: str | None = None
    font_awesome_icon: str | None = None
