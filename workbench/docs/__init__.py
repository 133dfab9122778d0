"""The user documentation that ships with the package: Markdown pages, read by ``workbench docs`` and by the UI's help."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Final


class UnknownTopic(ValueError):
    """A topic that has no page. Its message lists those that have one."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One page: the name to ask for it, and what it tells in a few words."""

    name: str
    summary: str


TOPICS: Final = (
    Topic("index", "what the workbench is, and where to read on"),
    Topic("getting-started", "the first five minutes: sample, import, search, export"),
    Topic("searching", "what the words of a search mean and how they combine"),
    Topic("filters", "every filter and every order, with its option and its Python name"),
    Topic("data-sources", "what is read from which feed, and how it is mapped"),
    Topic("commands", "every command and option"),
    Topic("keys-and-actions", "every key of the terminal UI"),
    Topic("python", "the same from a script or a notebook"),
    Topic("api", "every name of the Python client, with its parameters and errors"),
    Topic("alerts", "what an alert matches, what sets it off, and how its e-mails leave"),
    Topic("service", "the embedded service over HTTP: keys, errors, limits"),
    Topic("privacy-and-keys", "what is stored where, and what is left out on purpose"),
)
"""All pages in reading order."""


def read(name: str) -> str:
    """The Markdown text of one page. Raises :class:`UnknownTopic` for a name that has none."""
    known = [topic.name for topic in TOPICS]
    if name not in known:
        raise UnknownTopic(f"There is no page {name!r}; there are {', '.join(known)}.")
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
