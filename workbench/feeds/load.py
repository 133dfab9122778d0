"""Files, folders and zip archives as a stream of feed items, with limits on what an archive may inflate to.

Names inside an archive are only shown, never used as paths; nothing is unpacked to disk.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

from workbench.feeds.detect import HEAD_BYTES, Kind, detect
from workbench.feeds.notice import FeedItem, Origin, Refused
from workbench.feeds.placsp import parse_feed

SUFFIXES: Final = (".atom", ".xml", ".zip")
"""Ends of the names that are taken from a folder; a file named by the user may have any name."""

_MB: Final = 1024 * 1024
_END_OF_DIRECTORY: Final = struct.Struct("<4s4H2LH")
_DAMAGES: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_SEARCH_BYTES: Final = 65_535 + _END_OF_DIRECTORY.size


class FeedError(ValueError):
    """Paths that cannot be imported; the message has one sentence a path."""


class LimitExceeded(ValueError):
    """An archive inflates to more than it may; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class FeedFile:
    """A file to be read and its size in bytes on disk."""

    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class Limits:
    """What an archive may hold, counted while it inflates and not as it claims.

    ``ratio`` is inflated to packed bytes of a member; it counts only above ``ratio_from`` inflated bytes, since what is
    small does no harm however well it packs.
    """

    members: int = 20_000
    directory_bytes: int = 64 * _MB
    member_bytes: int = 1024 * _MB
    total_bytes: int = 64 * 1024 * _MB
    ratio: int = 200
    ratio_from: int = 32 * _MB


LIMITS: Final = Limits()
"""Far above every archive that PLACSP has published."""


def find_files(paths: Sequence[Path]) -> list[FeedFile]:
    """The files to read, each once: those named, and of a folder those ending in `SUFFIXES` at any depth, by name.

    Raises:
        FeedError: a path does not exist, may not be read, is neither file nor folder, or is a folder without such files.
    """
    found: dict[Path, FeedFile] = {}
    problems: list[str] = []
    for path in paths:
        try:
            for file in _files_at(path):
                found.setdefault(file.path.resolve(), file)
        except OSError as error:
            problems.append(f"{path}: it cannot be read ({error.strerror or error}).")
        except FeedError as error:
            problems.append(str(error))
    if problems:
        raise FeedError("\n".join(problems))
    if not found:
        raise FeedError("No file was named; name a feed (.atom), a zip archive or a folder of them.")
    return list(found.values())


def _files_at(path: Path) -> list[FeedFile]:
    if path.is_dir():
        inside = _inside(path)
        if not inside:
            raise FeedError(f"{path}: this folder holds no feed (no file ending in {', '.join(SUFFIXES)}).")
        return [FeedFile(file, file.stat().st_size) for file in inside]
    if not path.exists():
        raise FeedError(f"{path}: there is no such file or folder.")
    if not path.is_file():
        raise FeedError(f"{path}: this is neither a file nor a folder.")
    if not os.access(path, os.R_OK):
        raise FeedError(f"{path}: it cannot be read (permission denied).")
    return [FeedFile(path, path.stat().st_size)]


def _inside(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise error

    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(place, name)
            if name.lower().endswith(SUFFIXES) and not name.startswith(".") and file.is_file():
                found.append(file)
    return sorted(found)


def read(file: FeedFile, *, on_bytes: Callable[[int], None] | None = None, limits: Limits = LIMITS) -> Iterator[FeedItem]:
    """The items of a feed, or of every member of a zip archive, one by one and in the order they stand there.

    Nothing raises for what the file holds: a file or member that cannot be read gives one `Refused` (its position is
    ``None``), a broken entry another, and reading goes on after it. ``on_bytes`` is called with the bytes of the file on
    disk that were got through since the last call; they add up to its size.
    """
    origin = Origin(file.path.name)
    progress = _Progress(file.size, on_bytes)
    try:
        with file.path.open("rb") as raw:
            if detect(raw.read(HEAD_BYTES)).kind is Kind.ZIP:
                yield from _read_archive(raw, origin, progress, limits)
            else:
                raw.seek(0)
                yield from parse_feed(cast("BinaryIO", _Counted(raw, progress.at)), origin)
    except OSError as error:
        yield Refused(origin, f"The file cannot be read ({error.strerror or error}).")
    progress.at(file.size)


class _Progress:
    """Bytes of the file on disk that were got through; told as they grow, never backwards and never past the end."""

    def __init__(self, size: int, tell: Callable[[int], None] | None) -> None:
        self._size, self._tell, self._told = size, tell, 0

    def at(self, position: int) -> None:
        grown = min(position, self._size) - self._told
        if grown > 0:
            self._told += grown
            if self._tell:
                self._tell(grown)


class _Counted(RawIOBase):
    """A file that says how far it was read."""

    def __init__(self, raw: BinaryIO, at: Callable[[int], None]) -> None:
        super().__init__()
        self._raw, self._at = raw, at

    def read(self, size: int = -1, /) -> bytes:
        data = self._raw.read(size)
        self._at(self._raw.tell())
        return data

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._raw.seek(offset, whence)


def _read_archive(raw: BinaryIO, origin: Origin, progress: _Progress, limits: Limits) -> Iterator[FeedItem]:
    refusal = _refuse_directory(raw, limits)
    if refusal:
        yield Refused(origin, refusal)
        return
    try:
        archive = zipfile.ZipFile(raw)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error):
        yield Refused(
            origin, "The zip archive is cut short or damaged (its list of members cannot be read). Download it again."
        )
        return
    with archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if not members:
            yield Refused(origin, "The zip archive is empty.")
        budget = _Budget(limits.total_bytes)
        for number, member in enumerate(members):
            if budget.left <= 0:
                left = f"{len(members) - number} of its {len(members)} members were not read"
                yield Refused(origin, f"The zip archive inflates to more than {limits.total_bytes:,} bytes: {left}.")
                return
            place = Origin(origin.file, member.filename)
            yield from _read_member(archive, member, place, progress, budget, limits)


def _refuse_directory(raw: BinaryIO, limits: Limits) -> str | None:
    """Why the list of members is too long to be read; it is looked at before it is loaded, as it is loaded whole."""
    size = raw.seek(0, os.SEEK_END)
    raw.seek(max(0, size - _SEARCH_BYTES))
    tail = raw.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END_OF_DIRECTORY.size:
        return "The zip archive is cut short (its end is missing). Download it again."
    _, _, _, _, members, directory, _, _ = _END_OF_DIRECTORY.unpack_from(tail, at)
    if members == 0xFFFF or directory == 0xFFFFFFFF:
        wide = tail.rfind(b"PK\x06\x06", 0, at)
        if wide < 0 or at - wide < 56:
            return "The zip archive is damaged (its list of members cannot be found). Download it again."
        members, directory = struct.unpack_from("<2Q", tail, wide + 32)
    if members > limits.members or directory > limits.directory_bytes:
        return f"The zip archive lists {members:,} members; no more than {limits.members:,} are read."
    return None


class _Budget:
    """Bytes that the rest of an archive may still inflate to."""

    def __init__(self, left: int) -> None:
        self.left = left


def _read_member(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    origin: Origin,
    progress: _Progress,
    budget: _Budget,
    limits: Limits,
) -> Iterator[FeedItem]:
    if member.flag_bits & 0x1:
        yield Refused(origin, "This member is encrypted; unpack the archive with its password and import what is inside.")
        return
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield Refused(origin, "This member is packed in a way that is not read; unpack the archive and import what is inside.")
        return
    try:
        inflated = archive.open(member)
    except (*_DAMAGES, ValueError, struct.error):  # ValueError: the name in the member's own header is not UTF-8
        yield Refused(
            origin, "This member is damaged (its header does not fit the archive's list). Download the archive again."
        )
        return
    try:
        with inflated:
            stream = _Inflated(inflated, member, progress, budget, limits)
            yield from parse_feed(cast("BinaryIO", stream), origin)
    except LimitExceeded as error:
        yield Refused(origin, str(error))
    except _DAMAGES as error:
        why = f"This member is cut short or damaged and could not be read to its end ({error})."
        yield Refused(origin, f"{why} Download the archive again.")


class _Inflated(RawIOBase):
    """A member while it inflates, with every byte counted against the limits."""

    def __init__(self, raw: IO[bytes], member: zipfile.ZipInfo, progress: _Progress, budget: _Budget, limits: Limits) -> None:
        super().__init__()
        self._raw, self._member, self._progress, self._budget, self._limits = raw, member, progress, budget, limits
        self._count = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._raw.read(size)
        self._count += len(data)
        self._budget.left -= len(data)
        self._check()
        packed, whole = self._member.compress_size, max(self._member.file_size, 1)
        self._progress.at(self._member.header_offset + packed * min(self._count, whole) // whole)
        return data

    def _check(self) -> None:
        limits, packed = self._limits, max(self._member.compress_size, 1)
        if self._count > limits.member_bytes:
            raise LimitExceeded(f"This member inflates to more than {limits.member_bytes:,} bytes and was not read further.")
        if self._count > limits.ratio_from and self._count > packed * limits.ratio:
            raise LimitExceeded(
                f"This member inflates to over {limits.ratio} times its packed size, as a zip bomb does; its rest was not read."
            )
        if self._budget.left < 0:
            raise LimitExceeded("The zip archive inflates to more than it may; this member was not read to its end.")

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._count = 0
        return self._raw.seek(offset, whence)
