"""The temporary file of a download: a name of its own each time, or one that a later download finds again."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from workbench.client.policy.ranges import Version
from workbench.client.shared_file import try_lock

_READ_BYTES: Final = 1024 * 1024
_NOTE_BYTES_MAX: Final = 4096


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a part that was left: the file's name, how much came, and of which version of the file it is."""

    name: str
    received: int
    version: Version
    sha256: bytes | None


class Part:
    """A hidden file in ``folder``. Nothing is on disk before :meth:`open`, and nothing after :meth:`discard`.

    With a ``label`` the file can be kept: :meth:`keep` leaves it with a note beside it, and :meth:`take_up` of another object
    with the same label finds both. While one uses it, another gets a file of its own.
    """

    def __init__(self, folder: Path, label: str | None) -> None:
        self._folder = folder
        self._label = label
        self._file: BinaryIO | None = None
        self._name_of_its_own()
        self._note = folder / f".workbench-{label}.json"

    def _name_of_its_own(self) -> None:
        self.path = self._folder / f".workbench-{secrets.token_hex(8)}.part"

    def take_up(self) -> Kept | None:
        """Open the file that was kept under this label; ``None`` where there is none that can be used."""
        if self._label is None:
            return None
        path = self._folder / f".workbench-{self._label}.part"
        try:
            file = os.fdopen(os.open(path, _FLAGS, 0o666), "r+b")
        except OSError:
            return None  # a download that cannot be gone on with later is still a download
        if not _alone(file, path):
            file.close()
            return None
        self.path, self._file = path, file
        kept = _read_note(self._note)
        if kept is None or os.fstat(file.fileno()).st_size != kept.received:
            return None
        file.seek(0, os.SEEK_END)
        return kept

    def open(self) -> None:
        """Make the file, unless it is open."""
        if self._file is None:
            self._file = os.fdopen(os.open(self.path, _FLAGS | os.O_EXCL, 0o666), "r+b")

    def empty(self) -> None:
        """Forget what is in it."""
        with suppress(FileNotFoundError):
            self._note.unlink()
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()

    def write(self, piece: bytes) -> None:
        """Add bytes."""
        self._open.write(piece)

    def feed_to(self, take: Callable[[bytes], None]) -> None:
        """Hand over all that is in it; afterwards writing goes on at its end."""
        self._open.seek(0)
        while piece := self._open.read(_READ_BYTES):
            take(piece)
        self._open.seek(0, os.SEEK_END)

    def settle(self) -> None:
        """Make it durable. Where open files cannot be renamed, it is closed."""
        self._open.flush()
        os.fsync(self._open.fileno())
        if os.name == "nt":
            self.close()

    def close(self) -> None:
        """Let it go, under whatever name it has now; the note is no longer true."""
        if self._file is not None:
            self._file.close()
            self._file = None
        with suppress(OSError):
            self._note.unlink()

    def keep(self, kept: Kept) -> bool:
        """Leave it with a note for the next time; whether it could be left."""
        if self._label is None or self._file is None or self._label not in self.path.name:
            return False
        note = {
            "name": kept.name,
            "received": kept.received,
            "validator": kept.version.validator,
            "total": kept.version.total,
            "sha256": None if kept.sha256 is None else kept.sha256.hex(),
        }
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._note.write_text(json.dumps(note), encoding="utf-8")
        except OSError:
            return False
        self._file.close()
        self._file = None
        return True

    def discard(self) -> None:
        """Remove it and its note, unless it was kept or closed."""
        if self._file is None:
            return
        with suppress(OSError):
            # The name goes before the lock, so that nobody takes up what is being removed.
            if os.name != "nt":
                self.path.unlink()
        with suppress(OSError):
            self._file.close()
        self._file = None
        for path in (self.path, self._note):
            with suppress(OSError):
                path.unlink()

    @property
    def _open(self) -> BinaryIO:
        if self._file is None:
            raise ValueError("the download is over")
        return self._file


_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def _alone(file: BinaryIO, path: Path) -> bool:
    """Whether nobody else uses the file; the lock is held until it is closed."""
    with suppress(OSError):
        if try_lock(file.fileno()):
            # Whoever had it may just have given it its name: then what is open here is somebody's finished file.
            return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


def _read_note(path: Path) -> Kept | None:
    try:
        with path.open("rb") as file:
            note: Any = json.loads(file.read(_NOTE_BYTES_MAX))
        fields = cast("dict[str, Any]", note)
        total, sha256 = fields["total"], fields["sha256"]
        return Kept(
            name=str(fields["name"]),
            received=int(fields["received"]),
            version=Version(str(fields["validator"]), None if total is None else int(total)),
            sha256=None if sha256 is None else bytes.fromhex(sha256),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
