"""How fast an import is, as a ratio to lxml alone over the same bytes, and whether memory stays flat with more files.

Run: ``python tests/bench/bench_import.py FILE…`` (feeds and zips). Processor time counts; the best of several runs.
"""

from __future__ import annotations

import argparse
import io
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ENTRY = "{http://www.w3.org/2005/Atom}entry"


def pages(files: list[Path]) -> Iterator[bytes]:
    """Every feed page of the files, inflated."""
    for file in files:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                yield from (archive.read(name) for name in archive.namelist())
        else:
            yield file.read_bytes()


def lxml_alone(files: list[Path]) -> tuple[float, int]:
    """Seconds of processor time and entries of a bare pass that looks at nothing."""
    from lxml import etree

    began = time.process_time()
    entries = 0
    for page in pages(files):
        for _, element in etree.iterparse(io.BytesIO(page), tag=ENTRY):
            entries += 1
            element.clear()
    return time.process_time() - began, entries


def parse_and_map(files: list[Path]) -> float:
    """Seconds of reading the files into notices, without storing them."""
    from workbench.feeds.load import find_files, read

    began = time.process_time()
    for file in find_files(files):
        for _ in read(file):
            pass
    return time.process_time() - began


def whole_import(files: list[Path]) -> tuple[float, float, int]:
    """Seconds of a first and of a repeated import, and the size of the database in bytes."""
    from workbench.service.store.database import Database
    from workbench.service.store.importer import import_paths

    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder))
        seconds = []
        for _ in range(2):
            began = time.process_time()
            import_paths(database, files)
            seconds.append(time.process_time() - began)
        database.close()
        return seconds[0], seconds[1], database.path.stat().st_size


def memory(files: list[Path], copies: int) -> int:
    """Peak resident megabytes of a process that imports every file so many times under different names."""
    script = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from workbench.service.store.database import Database\nfrom workbench.service.store.importer import import_paths\n"
        "database = Database(Path(sys.argv[1]) / 'data')\nimport_paths(database, [Path(sys.argv[1]) / 'feeds'])\n"
        "database.close()\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        feeds = Path(folder, "feeds")
        feeds.mkdir()
        for copy in range(copies):
            for file in files:
                shutil.copy(file, feeds / f"{copy}_{file.name}")
        return int(subprocess.run([sys.executable, "-c", script, folder], check=True, capture_output=True).stdout)


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="+", type=Path)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    bare, entries = min(lxml_alone(given.files) for _ in range(given.runs))
    mapped = min(parse_and_map(given.files) for _ in range(given.runs))
    first, again, size = min(whole_import(given.files) for _ in range(given.runs))
    print(f"entries                        {entries}")
    print(f"lxml alone                     {bare:.3f} s   {entries / bare:,.0f} entries/s")
    print(f"parse and map                  {mapped:.3f} s   {mapped / bare:.2f} times lxml alone")
    print(
        f"whole import                   {first:.3f} s   {first / bare:.2f} times lxml alone   {entries / first:,.0f} entries/s"
    )
    print(f"the same files again           {again:.3f} s   {again / bare:.2f} times lxml alone")
    print(f"database                       {size / 1e6:.1f} MB   {size / entries:,.0f} bytes an entry")
    print(f"this process's peak            {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    for copies in (1, 4, 8):
        print(f"peak with {copies * len(given.files):3} files            {memory(given.files, copies)} MB")


if __name__ == "__main__":
    main()
