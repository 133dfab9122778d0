"""Documents that were fetched once, kept as files of the data folder up to a total size; the least recently used go first.

What was fetched is one file, which never changes its name, so that it can be read while it grows. What it is stands in a small
JSON file, named by a hash of the document's address and written last and in one step: a copy is whole or not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

FOLDER_NAME: Final = "fetched-documents"
_ABANDONED_SECONDS: Final = 86_400.0
_BODY: Final = re.compile(r"[0-9a-f]{32}\.body")
_OURS: Final = re.compile(r"[0-9a-f]{32}\.body|[0-9a-f]{40}(\.[0-9a-f]{12})?\.(json|partial)")


@dataclass(frozen=True, slots=True)
class Copy:
    """What is known of a fetched document. ``body`` is the name of its file, ``etag`` this service's own mark of it;
    ``source_…`` are what its source is asked by. ``size`` is ``None`` while it comes from a source that did not say, and
    ``checked_at`` is in seconds since 1970.
    """

    uri: str
    body: str
    mime_type: str | None
    size: int | None
    etag: str
    source_etag: str | None
    source_modified: str | None
    checked_at: float


class DocumentCache:
    """The copies in ``folder``, which is made when the first is kept. Every method may be called from any thread."""

    def __init__(self, folder: Path, *, bytes_max: int) -> None:
        self._folder = folder
        self._bytes_max = bytes_max

    def find(self, uri: str) -> tuple[Copy, Path] | None:
        """The copy of a document and its file, or ``None``."""
        found = self._read(self._about(uri))
        if found is None or found.uri != uri:
            return None
        body = self._folder / found.body
        try:
            whole = body.stat().st_size == found.size
        except OSError:
            return None
        if not whole:
            return None
        with contextlib.suppress(OSError):
            os.utime(body)
        return found, body

    def new_body(self) -> Path:
        """The name of a new file to fetch into. Raises ``OSError`` where there is no permission."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder / f"{secrets.token_hex(16)}.body"

    def keep(self, copy: Copy) -> None:
        """Take a copy whose file is whole into the cache in place of an older one, and make room. Raises ``OSError``."""
        about = self._about(copy.uri)
        older = self._read(about)
        self._write(about, copy)
        if older is not None and older.body != copy.body:
            _delete(self._folder / older.body)
        self._make_room(keeping=copy.body)

    def confirm(self, copy: Copy, now: float) -> None:
        """Note that a copy's source says that it still is as it was. Raises ``OSError``."""
        self._write(self._about(copy.uri), replace(copy, checked_at=now))

    def clear(self) -> None:
        """Delete every copy, and the folder where nothing else is in it."""
        if self._folder.is_dir():
            for file in self._folder.iterdir():
                if _OURS.fullmatch(file.name):
                    _delete(file)
            with contextlib.suppress(OSError):
                self._folder.rmdir()

    def _about(self, uri: str) -> Path:
        return self._folder / f"{hashlib.sha256(uri.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}.json"

    def _read(self, about: Path) -> Copy | None:
        try:
            found = Copy(**json.loads(about.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return found if _BODY.fullmatch(found.body) else None

    def _write(self, about: Path, copy: Copy) -> None:
        fresh = about.with_suffix(f".{secrets.token_hex(6)}.partial")
        fresh.write_text(json.dumps(asdict(copy)), encoding="utf-8")
        fresh.replace(about)

    def _make_room(self, *, keeping: str) -> None:
        """Delete what nobody refers to any more, then the least recently used copies beyond the total size."""
        files = self._files()
        referring = {found.body: about for about in self._folder.glob("*.json") if (found := self._read(about)) is not None}
        total = sum(size for name, (_, size) in files.items() if name in referring)
        for name, (used, size) in sorted(files.items(), key=lambda item: item[1]):
            if name in referring:
                if total > self._bytes_max and name != keeping:
                    _delete(referring[name])
                    _delete(self._folder / name)
                    total -= size
            elif time.time() - used > _ABANDONED_SECONDS:
                # No process fetches for a day: whoever began this file has ended.
                _delete(self._folder / name)

    def _files(self) -> dict[str, tuple[float, int]]:
        """When each file was last used and its size, by name; those that say what a copy is are left out."""
        found: dict[str, tuple[float, int]] = {}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                # Another process may delete a file between its name and its size.
                with contextlib.suppress(FileNotFoundError):
                    state = entry.stat()
                    if not entry.name.endswith(".json"):
                        found[entry.name] = (state.st_mtime, state.st_size)
        return found


def _delete(file: Path) -> None:
    # A file that somebody reads cannot be deleted everywhere; it goes another time.
    with contextlib.suppress(OSError):
        file.unlink()
