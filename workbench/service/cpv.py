"""CPV codes as the service answers them (interface 2 and 4.1, ``GET /v1/cpv/{code}``)."""

from __future__ import annotations

from workbench.contract.record import JsonObject
from workbench.reference import cpv


def describe(code: str) -> JsonObject | None:
    """The CPV object of a code with or without its check digit, or ``None`` where CPV 2008 has no such code.

    ``code`` is answered without the check digit. Names are ``null`` in a language that has none; emoji and icon are those
    of the division.
    """
    known = cpv.get(code)
    if known is None:
        return None
    names = {f"name{language.capitalize()}": known.names[language] for language in ("en", "es", "fr", "de", "it", "ca", "pt")}
    return {"code": known.code, "type": known.type, **names, "emoji": known.emoji, "fontAwesomeIcon": known.icon}
