"""Writes ``workbench/client/_sync`` from ``workbench/client/_async``: one source for both clients.

``python -m workbench.client.generate_sync`` writes; with ``--check`` it writes nothing and fails where a file is not
current. A substitution rule that changes nothing in any file is an error: it has outlived its reason.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

RULES: Final[tuple[tuple[str, str], ...]] = (
    (r"The asynchronous client: the source from which ``workbench/client/_sync`` is generated\.", "The sync client."),
    (r"AsyncIterator", "Iterator"),
    (r"AsyncAnswer", "Answer"),
    (r"AsyncHttp", "SyncHttp"),
    (r"AsyncTransport", "SyncTransport"),
    (r"AsyncEffects", "SyncEffects"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"open_async", "open_sync"),
    (r"client\._async", "client._sync"),
    (r"Awaitable\[(\w+)\]", r"\1"),
    (r"import Awaitable, Callable", "import Callable"),
    (r"async def", "def"),
    (r"async for", "for"),
    (r"async with", "with"),
    (r"await ", ""),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"aclose", "close"),
    (r"aiter_(bytes|raw)", r"iter_\1"),
    (r"aconnect", "connect"),
    (r" Use it in one event loop, and close it\.", " Threads may share it. Close it."),
)
"""Regular expression and replacement, applied in this order."""

HEADER: Final = "# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.\n"
SOURCE: Final = Path(__file__).parent / "_async"
RESULT: Final = Path(__file__).parent / "_sync"


class UnusedRule(Exception):
    """A substitution rule that changed nothing."""


def translate(sources: dict[str, str]) -> dict[str, str]:
    """File names and texts of the sync client. Raises :class:`UnusedRule`, naming the rules, where some changed nothing."""
    results = dict(sources)
    unused: list[str] = []
    for pattern, replacement in RULES:
        changes = 0
        for name, text in results.items():
            results[name], count = re.subn(pattern, replacement, text)
            changes += count
        if not changes:
            unused.append(pattern)
    if unused:
        raise UnusedRule(f"these rules change nothing any more: {', '.join(unused)}")
    return {name: HEADER + text for name, text in results.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when written, or current; 1 with a line for each stale file or unused rule."""
    check = "--check" in (sys.argv[1:] if arguments is None else arguments)
    sources = {path.name: path.read_text(encoding="utf-8") for path in sorted(SOURCE.glob("*.py"))}
    try:
        results = translate(sources)
    except UnusedRule as trouble:
        print(trouble, file=sys.stderr)
        return 1
    present = {path.name: path.read_text(encoding="utf-8") for path in RESULT.glob("*.py")} if RESULT.is_dir() else {}
    if check:
        stale = sorted(name for name in results.keys() | present.keys() if results.get(name) != present.get(name))
        for name in stale:
            print(
                f"workbench/client/_sync/{name} is not current; run python -m workbench.client.generate_sync", file=sys.stderr
            )
        return 1 if stale else 0
    RESULT.mkdir(exist_ok=True)
    for name in present.keys() - results.keys():
        (RESULT / name).unlink()
    for name, text in results.items():
        (RESULT / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
