"""Pictures of the screens for the documentation: ``python -m workbench.tui.screenshots FOLDER``.

They are drawn from the sample workspace at a fixed moment, so that the same program draws the same pictures.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from workbench.tui.app import WorkbenchApp
from workbench.tui.results import Answer, Ask
from workbench.tui.session import Session, Start
from workbench.tui.themes import DARK, LIGHT

MOMENT: Final = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
_PATIENCE: Final = 30.0
_WIDE, _NARROW, _LARGE = (120, 36), (80, 24), (180, 48)


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: its file name without theme, the terminal's size, the words typed and the keys pressed before it."""

    name: str
    size: tuple[int, int]
    words: str = ""
    keys: tuple[str, ...] = ("escape",)
    welcome: bool = False


PICTURES: Final = (
    Picture("search", _WIDE, "mantenimiento", ("escape", "w", "j", "j")),
    Picture("search-filters", _LARGE, "", ("escape", "f", "tab", "space", "down", "space")),
    Picture("search-narrow", _NARROW, "obras", ("escape", "j")),
    Picture("search-empty", _WIDE, "zeppelin", ("escape", "w")),
    Picture("tender", _WIDE, "obras", ("escape", "G", "enter")),
    Picture("tender-narrow", _NARROW, "obras", ("escape", "j", "enter")),
    Picture("tender-raw", _WIDE, "obras", ("escape", "j", "enter", "v")),
    Picture("buyer", _WIDE, "", ("escape", "b")),
    Picture("help", _WIDE, "", ("escape", "question_mark")),
    Picture("commands", _WIDE, "", ("escape", "ctrl+p")),
    Picture("welcome", _WIDE, welcome=True, keys=()),
)


class _TimelessSession(Session):
    """Says that every search took the same time: what a picture shows must not depend on the machine."""

    async def search(self, ask: Ask, now: datetime) -> Answer:
        return replace(await super().search(ask, now), seconds=0.012)


async def draw(picture: Picture, theme: str, data: Path) -> str:
    """The SVG of one picture."""
    app = WorkbenchApp(
        Start("sample", data),
        clock=lambda: MOMENT,
        make_session=_TimelessSession,
        first_run=(lambda: True) if picture.welcome else None,
    )
    async with app.run_test(size=picture.size, notifications=False) as pilot:
        app.theme = theme
        for field in app.screen.query("Input"):
            field.cursor_blink = False  # type: ignore[attr-defined]  # every Input has it
        if not picture.welcome:
            await _settled(app, pilot)
        await pilot.press(*picture.words)
        for key in picture.keys:
            await _settled(app, pilot)
            await pilot.press(key)
        await _settled(app, pilot)
        return _portable(app.export_screenshot(title="tender workbench"))


async def _settled(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    """Wait until every request is answered and the screen stands still."""
    before = ""
    async with asyncio.timeout(_PATIENCE):
        while True:
            await pilot.pause(0.25)
            now = app.export_screenshot()
            results = app.search_screen.results
            waiting = app.session.caller is not None and (results.loading or results.loading_more or results.shown is None)
            if now == before and not waiting and (app.session.caller is not None or len(app.screen_stack) > 1):
                return
            before = now


def _portable(svg: str) -> str:
    """The picture without fonts from the network: any monospaced font will do."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r"font-family: Fira Code[^;]*;", 'font-family: "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;', svg
    )
    return svg.replace("<text ", '<text xml:space="preserve" ')


async def main(arguments: Sequence[str]) -> int:
    """Draw every picture, dark and light, into the folder that is named; gives the exit code."""
    if len(arguments) != 1:
        print("usage: python -m workbench.tui.screenshots FOLDER", file=sys.stderr)
        return 2
    from workbench.local import fill_sample

    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - nothing else runs on this loop
    with tempfile.TemporaryDirectory() as data:
        await asyncio.to_thread(fill_sample, data=Path(data), clock=lambda: MOMENT)
        for picture in PICTURES:
            for theme, suffix in ((DARK, "dark"), (LIGHT, "light")):
                path = folder / f"{picture.name}-{suffix}.svg"
                path.write_text(await draw(picture, theme, Path(data)), encoding="utf-8")
                print(path)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
