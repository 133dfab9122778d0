"""What an action is, what decides whether it is possible, and the sentences that say why it is not. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Situation:
    """What a screen knows that decides which actions are possible; screens fill it in, actions only read it."""

    connected: bool = False
    embedded: bool = False
    sample: bool = False
    tender: bool = False
    buyer: bool = False
    link: bool = False
    document: bool = False
    saved_document: bool = False
    downloading: bool = False
    filters: bool = False
    loading: bool = False
    results: bool = False
    has_more: bool = False
    neighbours: bool = False


Reason = Callable[[Situation], str | None]
"""Why an action is not possible now, as a sentence; ``None`` where it is."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do.

    ``keys`` are Textual key names, the first is the one shown. ``screens`` are where it works: ``app`` is everywhere, ``table``
    wherever a list of results has the focus. ``method`` names the method behind it (``action_`` left out). ``rank`` orders the
    footer, lowest first; ``None`` keeps it out; ``quiet`` leaves it out while it is not possible.
    """

    id: str
    title: str
    help: str
    keys: tuple[str, ...]
    group: str
    screens: tuple[str, ...]
    method: str
    when: Reason
    rank: int | None = None
    quiet: bool = False

    @property
    def key(self) -> str:
        """The key that is shown for it; empty where it has none and is reached by the palette."""
        return self.keys[0] if self.keys else ""


def always(_: Situation) -> None:
    """Nothing stands in the way."""
    return


def needs_tender(now: Situation) -> str | None:
    """A tender must be under the cursor."""
    return None if now.tender else "There is no tender under the cursor: search first, then move to one."


def needs_link(now: Situation) -> str | None:
    """It must carry an address."""
    return needs_tender(now) or (
        None if now.link else "This tender carries no web address that is safe to open (http or https)."
    )


def needs_buyer(now: Situation) -> str | None:
    """It must say who buys."""
    return needs_tender(now) or (None if now.buyer else "This tender does not say who buys.")


def needs_document(now: Situation) -> str | None:
    """A document must be under the cursor."""
    return None if now.document else "There is no document under the cursor."


def needs_saved(now: Situation) -> str | None:
    """The document must be on disk."""
    return needs_document(now) or (None if now.saved_document else "This document is not on disk yet: press d to download it.")


def needs_download(now: Situation) -> str | None:
    """A download must be under way."""
    return None if now.downloading else "No download is under way."


def needs_filters(now: Situation) -> str | None:
    """A filter must be set."""
    return None if now.filters else "No filter is set."


def needs_results(now: Situation) -> str | None:
    """There must be results."""
    return None if now.results else "There are no results yet."


def needs_more(now: Situation) -> str | None:
    """More results must follow."""
    return needs_results(now) or (None if now.has_more else "Every result of this search is already here.")


def needs_embedded(now: Situation) -> str | None:
    """The workspace must be one's own embedded service."""
    if not now.connected:
        return "The workspace is not open yet."
    if now.sample:
        return "The sample workspace holds invented data, and real data must not mix with it: open 'local' with ctrl+o first."
    return (
        None if now.embedded else "Importing works on your own embedded service only: open the workspace 'local' with ctrl+o."
    )


def needs_neighbours(now: Situation) -> str | None:
    """The tender must have been opened from a list."""
    return None if now.neighbours else "This tender was not opened from a list."
