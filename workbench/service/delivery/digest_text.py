"""An e-mail's body: HTML for mail programs, and the same in plain text for everyone else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from workbench.service.delivery import wording
from workbench.service.delivery.digest import Digest, Entry, Section
from workbench.service.delivery.gathering import Reason

if TYPE_CHECKING:
    from jinja2 import Template

SHOWN_MAX: Final = 50
"""Tenders that the body tells of; mail programs cut what is much longer. Attachments hold all."""

_WIDTH: Final = 76
_LABEL: Final = 14
_TITLE_MAX: Final = 240
_BADGES: Final = {
    Reason.NEW: "new",
    Reason.AWARDED: "awarded",
    Reason.DEADLINE: "deadline near",
    Reason.MODIFIED: "modified",
}


@dataclass(frozen=True, slots=True)
class _Badge:
    reason: Reason
    words: str


@dataclass(frozen=True, slots=True)
class _Shown:
    """One tender as a body shows it."""

    title: str
    link: str | None
    badges: tuple[_Badge, ...]
    facts: list[tuple[str, str]]
    changes: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class _ShownSection:
    reason: Reason
    heading: str
    entries: list[_Shown]


def html(digest: Digest) -> str:
    """The body in HTML, without anything that a mail program would have to fetch."""
    return _template().render(
        digest=digest,
        date=wording.when(digest.created_at, digest.zone),
        preview="; ".join(wording.title(entry.record) for entry in digest.entries[:3]),
        sections=_sections(digest),
        more=_more(digest),
        criteria=wording.criteria(digest.criteria),
        reason=_why(digest),
        unknown=wording.UNKNOWN,
    )


def plain(digest: Digest) -> str:
    """The body in plain text, in lines of 76 characters; only addresses may be longer."""
    lines = [digest.title, f"{digest.account}, {wording.when(digest.created_at, digest.zone)}"]
    if digest.description:
        lines += wrap(digest.description, _WIDTH)
    lines += ["", f"{digest.counts[0].upper()}{digest.counts[1:]}."]
    for section in _sections(digest):
        lines += ["", section.heading.upper(), "-" * len(section.heading)]
        for entry in section.entries:
            lines += ["", *_entry_lines(entry)]
    if more := _more(digest):
        lines += ["", *wrap(more, _WIDTH)]
    criteria = wording.criteria(digest.criteria)
    lines += ["", "-- ", "This alert looks for" + (":" if criteria else " every tender.")]
    lines += [line for label, value in criteria for line in _fact(label, value)]
    return "\n".join([*lines, "", *wrap(_why(digest), _WIDTH), ""])


def _entry_lines(entry: _Shown) -> list[str]:
    badges = "".join(f" [{badge.words}]" for badge in entry.badges)
    lines = wrap(f"{entry.title}{badges}", _WIDTH)
    lines += [line for label, value in entry.facts for line in _fact(label, value)]
    for label, before, after in entry.changes:
        lines += _fact(f"* {label}", f"{before} -> {after}" if before else after)
    return [*lines, f"  {entry.link}"] if entry.link else lines


def _fact(label: str, value: str) -> list[str]:
    start = f"  {label}:".ljust(_LABEL + 4)
    return wrap(value, _WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False)


def _sections(digest: Digest) -> list[_ShownSection]:
    """The sections with as many tenders as a body holds, each section getting its share from the top."""
    left = SHOWN_MAX
    shown: list[_ShownSection] = []
    for section in digest.sections:
        entries = section.entries[:left]
        left -= len(entries)
        if entries:
            shown.append(_ShownSection(section.reason, section.heading, [_shown(entry, section, digest) for entry in entries]))
    return shown


def _shown(entry: Entry, section: Section, digest: Digest) -> _Shown:
    others = tuple(_Badge(reason, _BADGES[reason]) for reason in entry.reasons if reason != section.reason)
    awarded = Reason.AWARDED in entry.reasons
    return _Shown(
        title=wording.shortened(wording.title(entry.record), _TITLE_MAX),
        link=entry.link,
        badges=others,
        facts=wording.facts(entry.record, digest.zone, awarded=awarded),
        changes=[wording.change(change, entry.record, digest.zone) for change in entry.changes],
    )


def _more(digest: Digest) -> str:
    missing = digest.total - min(len(digest.entries), SHOWN_MAX)
    if missing <= 0:
        return ""
    kept = len(digest.entries)
    if any(digest.attachments.values()):
        holds = "the attachments hold all" if kept == digest.total else f"the attachments hold the newest {kept:,}"
    else:
        holds = "the results of the alert list all"
    return f"And {missing:,} more; {holds}."


def _why(digest: Digest) -> str:
    return (
        f"You get this e-mail because you are responsible for the alert “{digest.title}” of {digest.account}. "
        f"Moments are those of {digest.zone.key}, amounts are without taxes."
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("workbench.service.delivery", "")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("digest.html.jinja")
