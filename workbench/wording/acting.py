"""Characters that do something where they are shown, instead of only standing there."""

from __future__ import annotations

from typing import Final

CONTROLS: Final = "\x00-\x1f\x7f-\x9f"
"""C0, DEL and C1, as a range for a regular expression's class: a terminal obeys them."""

HIDDEN: Final = "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
"""Soft hyphen, marks that reorder or hide text, line separators, annotation marks, lone surrogates, tag characters."""
