"""How fast PLACSP feeds are parsed and mapped, as a ratio to lxml alone on the same bytes, and what memory it takes.

Run it with the folder or files to read (default: the real open data beside the checkout):

    python tests/bench/bench_import_parse.py [PATH …]
"""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from workbench.feeds.load import FeedFile, find_files, read
from workbench.feeds.notice import Origin
from workbench.feeds.placsp import DELETED, ENTRY, SAFE_PARSING, parse_feed

ROUNDS = 7
MEMORY_FILES = (1, 4, 16)
DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data" / "placsp"


def pages(files: list[FeedFile]) -> Iterator[tuple[str, bytes]]:
    """Each feed page with its name, inflated."""
    for file in files:
        if not zipfile.is_zipfile(file.path):
            yield file.path.name, file.path.read_bytes()
            continue
        with zipfile.ZipFile(file.path) as archive:
            for name in archive.namelist():
                yield name, archive.read(name)


def lxml_alone(data: bytes, **options: bool) -> int:
    """The number of items that lxml sees when nothing is done with them."""
    items = 0
    for _, element in etree.iterparse(io.BytesIO(data), events=("end",), tag=(ENTRY, DELETED), **options):
        items += 1
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return items


def lxml_told_of_all(data: bytes) -> None:
    """The usual loop over lxml's events, which stops at each element."""
    for _, element in etree.iterparse(io.BytesIO(data)):
        if element.tag in (ENTRY, DELETED):
            element.clear()


def best(work: Callable[[], object]) -> float:
    """Processor seconds of the quickest round: the one that was disturbed least."""
    gc.collect()
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def peak_memory(path: Path, copies: int) -> float:
    """Peak resident memory in MB of a fresh process that reads a file so many times over."""
    code = (
        "import resource, sys; from pathlib import Path; from workbench.feeds.load import find_files, read\n"
        "files = find_files([Path(sys.argv[1])]) * int(sys.argv[2])\n"
        "total = sum(1 for file in files for item in read(file))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path), str(copies)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    files = find_files([Path(argument) for argument in arguments] or [DEFAULT])
    loaded = list(pages(files))
    size = sum(len(data) for _, data in loaded) / 1e6
    safe = {name: value for name, value in SAFE_PARSING.items() if not name.startswith("remove")}
    plain = best(lambda: [lxml_alone(data, **safe) for _, data in loaded])
    items = sum(lxml_alone(data, **safe) for _, data in loaded)
    told_all = best(lambda: [lxml_told_of_all(data) for _, data in loaded])
    stripped = best(lambda: [lxml_alone(data, **SAFE_PARSING) for _, data in loaded])
    mapped = best(lambda: [list(parse_feed(io.BytesIO(data), Origin(name))) for name, data in loaded])
    dropped = best(lambda: [sum(1 for _ in parse_feed(io.BytesIO(data), Origin(name))) for name, data in loaded])
    whole = best(lambda: [sum(1 for _ in read(file)) for file in files])
    print(f"{len(loaded)} pages, {size:.1f} MB, {items} items; processor seconds of the best of {ROUNDS} rounds")
    rows = (
        ("lxml alone, told of items only", plain),
        ("lxml alone, told of each element", told_all),
        ("lxml alone, blank text dropped", stripped),
        ("parse and map, items dropped", dropped),
        ("parse and map, a page kept", mapped),
        ("from disk, zip inflation included", whole),
    )
    for name, seconds in rows:
        pace = f"{items / seconds:9,.0f} items/s  {size / seconds:6.1f} MB/s"
        print(f"  {name:36} {seconds:6.3f} s  {seconds / plain:5.2f} × lxml  {pace}")
    print("peak memory of a process that reads the largest file n times over")
    largest = max(files, key=lambda file: file.size).path
    for copies in MEMORY_FILES:
        print(f"  {copies:3} files  {peak_memory(largest, copies):7.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
