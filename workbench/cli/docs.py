"""``workbench docs``: the shipped documentation, laid out in a terminal and plain in a pipe."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import console, is_terminal, put


def docs(
    topic: Annotated[str, typer.Argument(metavar="[TOPIC]", help="The page to read.")] = "index",
    list_: Annotated[bool, typer.Option("--list", help="List the pages instead.")] = False,
) -> None:
    """Read the documentation."""
    from workbench.docs import TOPICS, read

    if list_:
        width = max(len(one.name) for one in TOPICS)
        for one in TOPICS:
            put(f"{one.name:<{width}}  {one.summary}")
        return
    text = read(topic.lower().removesuffix(".md"))
    if not is_terminal():
        put(text.rstrip("\n"))
        return
    from rich.markdown import Markdown

    screen = console()
    screen.print(Markdown(text, hyperlinks=False), width=min(screen.width, 100))


def register(app: typer.Typer) -> None:
    """Put the command into the tree."""
    app.command()(docs)
