"""The search text of a person, read so that nothing typed is ever an error.

How it is read (the documentation quotes this):

- Words are found whatever their accents and capitals; ``instalación`` finds ``INSTALACION``. They are looked for in the
  name, the description, the file number, the buyer's name and the names of the lots of a tender.
- Several words must all be there, in any order: ``obras carretera``.
- ``"a phrase"`` in quotes must be there word after word. A word with a mark inside, such as ``obra-civil``, is a phrase too.
- ``OR`` in capitals between two words asks for either; it binds tighter than standing side by side: ``limpieza OR aseo
  oficinas`` asks for ``oficinas`` and for one of the two others.
- ``-word`` and ``-"a phrase"`` leave out what has them; alone they leave all the rest.
- ``word*`` asks for any word that begins so.
- What cannot be meant is passed over: a quote that is not closed reaches to the end; ``OR`` without a word on both sides,
  beside an exclusion or beside another ``OR`` joins nothing; marks without letters or digits ask for nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from workbench.reference.text import words

TERMS_MAX: Final = 100
"""Words and phrases that one text may have; nobody types more, and each costs time."""

_PIECE: Final = re.compile(r'(?P<minus>-*)(?:"(?P<phrase>[^"]*)(?:"|$)|(?P<word>[^\s"]+))|-+(?=\s|$)')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must follow each other; of the last one only the beginning where ``prefix`` is set."""

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Every group of ``required`` needs one of its terms; no term of ``excluded`` may be there."""

    required: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()

    @property
    def size(self) -> int:
        """How many terms there are."""
        return sum(map(len, self.required)) + len(self.excluded)

    @property
    def has_prefix(self) -> bool:
        """Whether any term asks for the beginning of a word."""
        return any(term.prefix for group in (*self.required, self.excluded) for term in group)


def read_text(text: str) -> TextQuery:
    """What a search text asks for; see the module's own words. Blank text asks for nothing."""
    required: list[list[Term]] = []
    excluded: list[Term] = []
    joins = False
    joinable = False
    for piece in _PIECE.finditer(text):
        if piece["word"] == "OR" and not piece["minus"]:
            joins = joinable
            continue
        term = _term(piece)
        if term is None:
            continue
        if piece["minus"]:
            excluded.append(term)
            joins = joinable = False
        elif joins:
            required[-1].append(term)
            joins = False
        else:
            required.append([term])
            joinable = True
    return TextQuery(tuple(map(tuple, required)), tuple(excluded))


def _term(piece: re.Match[str]) -> Term | None:
    typed = piece["phrase"] if piece["phrase"] is not None else piece["word"] or ""
    found = tuple(words(typed))
    return Term(found, prefix=piece["word"] is not None and typed.endswith("*")) if found else None
