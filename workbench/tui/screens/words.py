"""What the search screen says of itself: counts, states, empty and failed searches. Pure."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from workbench.tui.amounts import counted
from workbench.tui.moments import duration
from workbench.tui.query import Query
from workbench.tui.results import Results
from workbench.tui.text import content, cut, plain


def status_words(results: Results, now: datetime, opening: bool) -> Content:
    """The line above the rows: how many of how many, the order, how long it took; or what is under way or went wrong."""
    if opening or (results.shown is None and not results.rows):
        return Content("")
    counts = counted(len(results.rows), results.has_more, results.total)
    age = duration((now - results.fetched_at).total_seconds()) if results.fetched_at else ""
    if results.trouble is not None:
        sentence, remedy = plain(results.trouble.sentence, 400), plain(results.trouble.remedy, 200)
        below = f"  Below: {counts}, {age} old."
        return Content.assemble(("▲ ", "bold $error"), (sentence, "$error"), (f"  {remedy}{below}", "$soft"))
    if results.loading:
        below = f"; below still {counts} of the search before" if results.stale and results.rows else ""
        return Content.assemble(("◐ searching…", "$accent"), (f"  esc gives up{below}", "$soft"))
    shown = results.shown or results.asked
    return Content.assemble((counts, "bold"), (f"  {shown.order}", "$soft"), (f"  {results.seconds * 1000:.0f} ms", "$faint"))


def tail_words(results: Results) -> str:
    """The line below the last row."""
    if results.loading_more:
        return "loading more…"
    if results.trouble is not None and results.has_more:
        return "the next page did not come: F5 tries again"
    return "more follow as you go on" if results.has_more else ""


def message_words(results: Results, query: Query, opening: bool) -> Content | None:
    """What stands in the place of rows while there are none; ``None`` where there are rows to show."""
    if results.rows:
        return None
    trouble = results.trouble
    if trouble is not None:
        return Content.assemble(
            ("▲ ", "bold $error"),
            ("That did not work\n\n", "bold"),
            content(trouble.sentence, limit=1000),
            "\n\n",
            content(trouble.remedy, "$soft"),
        )
    if opening:
        return opening_words("Opening the workspace…")
    if results.loading or results.shown is None:
        return Content.assemble(("◐ ", "$accent"), ("Searching…", "$soft"))
    return _nothing_found(query)


def opening_words(words: str) -> Content:
    """What stands there while the workspace is being opened."""
    return Content.assemble(("◌ ", "$faint"), content(words, "$soft"), ("\n\nYou can type your search already.", "$faint"))


def _nothing_found(query: Query) -> Content:
    lines = [Content.styled("No tender matches.", "bold"), Content("")]
    if query.text.strip():
        lines.append(
            Content.assemble(
                "Words: ", (cut(plain(query.text), 60), "bold"), ("   all of them must occur; OR and -word work", "$soft")
            )
        )
    if query.chips():
        labels = " · ".join(cut(plain(chip.label), 40) for chip in query.chips()[:6])
        lines.append(Content.assemble("Filters: ", (labels, "bold")))
    lines.append(Content(""))
    if query.chips():
        lines.append(_hint("x", "drops the last filter") + _hint("X", "drops them all"))
    if query.text.strip():
        lines.append(_hint("/", "changes the words"))
    if not query.text.strip() and not query.chips():
        lines.append(
            Content.assemble(
                "This workspace holds no tenders yet.  ",
                _hint("I", "imports open data"),
                _hint("^o", "opens another workspace"),
            )
        )
    return Content("\n").join(lines)


def _hint(key: str, words: str) -> Content:
    return Content.assemble((f"{key} ", "bold $footer-key-foreground"), (f"{words}   ", "$soft"))
