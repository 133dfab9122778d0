"""The one place that opens the room's data files."""

from __future__ import annotations

import gzip
from pathlib import Path

DATA = Path(__file__).with_name("data")


def lines(name: str) -> list[str]:
    """The lines of a file in ``data/`` (UTF-8), unpacked where its name ends in ``.gz``.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    packed = (DATA / name).read_bytes()
    content = gzip.decompress(packed) if name.endswith(".gz") else packed
    # Not str.splitlines: it also breaks at U+2028 and U+0085, and row numbers are what ties the files together.
    return content.decode("utf-8").removesuffix("\n").split("\n")
