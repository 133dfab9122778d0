"""Runs command lines as the command does, one after the other, with every library logging all it can.

``python canary_commands.py`` reads a JSON list of command lines from standard input. Nothing waits: pauses are skipped.
"""

from __future__ import annotations

import json
import logging
import sys

from workbench.cli import main
from workbench.client.effects import AsyncEffects, SyncEffects


async def no_pause(_self: AsyncEffects, _seconds: float) -> None:
    """Instead of waiting."""


if __name__ == "__main__":
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    AsyncEffects.pause = no_pause  # type: ignore[method-assign]
    SyncEffects.pause = lambda _self, _seconds: None  # type: ignore[method-assign]
    for line in json.loads(sys.stdin.read()):
        code = main(line)
        print(f"[{code}] {line}", flush=True)
