"""Saving a file so that a name on disk is only ever a whole file: temporary file beside it, checks, fsync, rename."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from workbench.client.errors import NotSaved, TargetExists
from workbench.client.part_file import Kept, Part
from workbench.client.policy.bodies import Content, DamagedBody, length_in, sha256_in
from workbench.client.policy.filenames import name_in_header, next_free_name, safe_name
from workbench.client.policy.ranges import Rest, Unfit, Version, Whole, continuation, range_headers, version_of

T = TypeVar("T")

CHUNK_BYTES: Final = 256 * 1024
FREE_NAMES_MAX: Final = 1000


@dataclass(frozen=True, slots=True)
class Target:
    """Where a download goes: a file, or a folder in which the service names the file.

    A file that is there already is never replaced without ``overwrite``: a named file raises
    :class:`~workbench.client.errors.TargetExists`, and in a folder the next free name is taken (``report (2).pdf``).
    """

    to: Path
    overwrite: bool
    fallback: str
    operation: str
    resume: bool = False

    @classmethod
    def of(cls, to: str | os.PathLike[str], *, overwrite: bool, fallback: str, operation: str, resume: bool = False) -> Target:
        """The target that a caller's ``to`` names. With ``resume``, a lost connection leaves what came for the next time."""
        return cls(Path(to).expanduser(), overwrite, fallback, operation, resume)

    def check(self) -> None:
        """Refuse before anything is sent: a named file that is there, a folder that is not."""
        if self.to.is_dir():
            return
        if not self.overwrite and os.path.lexists(self.to):
            raise TargetExists(str(self.to), operation=self.operation)
        if not self.to.parent.is_dir():
            raise NotSaved(str(self.to), f"the folder {self.to.parent} does not exist", operation=self.operation)

    @property
    def folder(self) -> Path:
        """The folder that the file goes to."""
        return self.to if self.to.is_dir() else self.to.parent

    def label(self, source: str) -> str:
        """What the temporary file of this source and this target is called, every time; it tells nothing of an address."""
        name = "" if self.to.is_dir() else self.to.name
        return hashlib.sha256(f"{source}\n{name}".encode()).hexdigest()[:20]


class Download:
    """A file on its way to disk, over as many answers as it takes. Every method blocks; a disk's refusal is ``NotSaved``.

    It grows in a temporary file beside its target and goes on where it broke off, if the service can do that. ``received``
    and ``total`` are bytes; the total is ``None`` where the service does not tell it.
    """

    def __init__(self, target: Target, source: str) -> None:
        self.received = 0
        self.total: int | None = None
        self._target = target
        self._part = Part(target.folder, target.label(source) if target.resume else None)
        self._wanted = target.to
        self._named = not target.to.is_dir()
        self._version: Version | None = None
        self._expected_hash: bytes | None = None
        self._hash = hashlib.sha256()
        self._content = Content("")
        self._end: int | None = None
        self._taken: list[bytes] = []
        self._taken_bytes = 0

    def prepare(self) -> None:
        """Take up what an earlier download of the same file to the same place left, if there is any."""
        if (kept := self._part.take_up()) is None:
            return
        self._version, self._expected_hash = kept.version, kept.sha256
        self.received, self.total = kept.received, kept.version.total
        if not self._named:
            self._wanted = self._target.to / safe_name(kept.name, fallback=self._target.fallback)
        self._on_disk(lambda: self._part.feed_to(self._hash.update))

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What the next request says beside the usual: which part is missing."""
        return range_headers(self.received, self._version)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Get ready for the body of an answer. Raises :class:`DamagedBody` for one that is neither the file nor its rest."""
        self._drop_taken()
        found = Whole() if not self.headers and status == 200 else self._continuation(status, headers)
        if isinstance(found, Whole):
            self._start_over(headers)
        else:
            self.total = found.total
        length = length_in(headers)
        self._end = None if length is None else length + (self.received if isinstance(found, Rest) else 0)
        self._on_disk(self._part.open)

    def _continuation(self, status: int, headers: Mapping[str, str]) -> Rest | Whole:
        found = continuation(status, headers, received=self.received, version=self._version)
        if isinstance(found, Unfit):
            self._forget()
            raise DamagedBody(found.reason)
        return found

    def _start_over(self, headers: Mapping[str, str]) -> None:
        self._forget()
        self._content = Content(headers.get("content-encoding", ""))
        self._version = version_of(headers)
        self._expected_hash = sha256_in(headers)
        self._hash = hashlib.sha256()
        self.received = 0
        self.total = None if self._content.encoded else length_in(headers)
        if not self._named:
            name = name_in_header(headers.get("content-disposition"))
            media_type = headers.get("content-type")
            self._wanted = self._target.to / safe_name(name, fallback=self._target.fallback, media_type=media_type)
        self._on_disk(self._part.empty)

    def take(self, chunk: bytes) -> bool:
        """Add bytes as they came from the network, without blocking; whether it is time to :meth:`write`."""
        self._taken.append(chunk)
        self._taken_bytes += len(chunk)
        return self._taken_bytes >= CHUNK_BYTES

    def write(self) -> None:
        """Put what was taken on disk."""
        chunk = b"".join(self._taken)
        self._drop_taken()
        for piece in self._content.feed(chunk):
            self._hash.update(piece)
            self._on_disk(lambda piece=piece: self._part.write(piece))
        self.received += len(chunk)

    def _drop_taken(self) -> None:
        self._taken.clear()
        self._taken_bytes = 0

    def finish(self) -> Path:
        """Check size and hash, make it durable, and give it its name. Raises :class:`DamagedBody` where it is not whole."""
        expected = self.total if self.total is not None else self._end
        if expected is not None and self.received < expected:
            raise DamagedBody(f"it ended after {self.received} of {expected} bytes")
        try:
            self._check(expected)
        except DamagedBody:
            self._forget()
            raise
        return self._on_disk(self._place)

    def _check(self, expected: int | None) -> None:
        self._content.end()
        if expected is not None and self.received != expected:
            raise DamagedBody(f"it goes on after its {expected} bytes")
        if self._expected_hash is not None and self._hash.digest() != self._expected_hash:
            raise DamagedBody("its hash is not the one the service names")

    def _forget(self) -> None:
        """The next request asks for the whole file."""
        self._version = None

    def _place(self) -> Path:
        self._part.settle()
        path = self._rename()
        self._part.close()
        _sync_folder(path.parent)
        return path

    def _rename(self) -> Path:
        if self._target.overwrite:
            self._part.path.replace(self._wanted)
            return self._wanted
        for number in range(1, FREE_NAMES_MAX):
            name = self._wanted.name if number == 1 else next_free_name(self._wanted.name, number)
            path = self._wanted.with_name(name)
            if _claim(self._part.path, path):
                return path
            if self._named:
                raise TargetExists(str(path), operation=self._target.operation)
        raise NotSaved(str(self._wanted), "a thousand files of this name are there", operation=self._target.operation)

    def keep(self) -> bool:
        """Leave what came for a later download to go on from, where that was asked for and can be done; whether it was."""
        if self._version is None or not self.received or not range_headers(self.received, self._version):
            return False
        kept = Kept(self._wanted.name, self.received, self._version, self._expected_hash)
        return self._part.keep(kept)

    def discard(self) -> None:
        """Remove the temporary file; after :meth:`finish` and :meth:`keep` there is none, and nothing happens."""
        self._part.discard()

    def _on_disk(self, step: Callable[[], T]) -> T:
        try:
            return step()
        except OSError as trouble:
            reason = trouble.strerror or type(trouble).__name__
        raise NotSaved(str(self._wanted), reason[:1].lower() + reason[1:], operation=self._target.operation)


def _claim(part: Path, path: Path) -> bool:
    """Give the temporary file its name unless something has it already; atomic where the file system has hard links."""
    try:
        os.link(part, path)
    except FileExistsError:
        return False
    except OSError:
        if os.path.lexists(path):
            return False
        part.replace(path)
        return True
    part.unlink()
    return True


def _sync_folder(folder: Path) -> None:
    # The rename itself is durable only once its folder is; systems that cannot open a folder do this by themselves.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
