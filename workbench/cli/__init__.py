"""The command ``workbench``: the terminal UI's verbs in line mode, tables for people and JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (the process's own arguments by default) and give its exit code.

    0 ok, 1 the service refused, 2 usage, 3 no connection, 4 no key, 130 interrupted, 141 the reader went away. A failure is
    one sentence on standard error; nothing is raised.
    """
    from workbench.cli.app import run

    return run(argv)
