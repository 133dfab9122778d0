"""A few numbers that processes share: a small file of their own, read and changed under a lock that ends with its holder.

No memory map: a file that someone cuts short would end the process. Reading a page of numbers costs microseconds.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import struct
import sys
from array import array
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_MAGIC: Final = b"WBRATE1\n"
_HEADER_BYTES: Final = len(_MAGIC) + 16
_NUMBER: Final = struct.Struct("=d")
_LOCK_TRIES: Final = 3
_LOCK_AT: Final = 1 << 30
"""Where the lock lies on systems whose locks forbid reading: far behind the numbers."""


class Unusable(Exception):
    """There is no such file to be had here: a folder that cannot be written, somebody else's file, no locks."""


class SharedNumbers:
    """``count`` floating-point numbers in a file that its owner alone can read. Every method may raise ``OSError``.

    Raises :class:`Unusable` where the file cannot be had. One object a process and file; not safe between threads.
    """

    def __init__(self, path: Path, count: int) -> None:
        self._path = path
        self._header = _MAGIC + _this_boot()
        self._size = _HEADER_BYTES + 8 * count
        self._file = _open(path)
        self._generation = _FORKS.generation
        self._identity = _identity(os.fstat(self._file))

    @property
    def inherited(self) -> bool:
        """Whether another process opened it, of which this one is a forked child: it would not be locked out by its parent."""
        return self._generation != _FORKS.generation

    def current(self) -> bool:
        """Whether the path still names this file."""
        try:
            return _identity(self._path.stat()) == self._identity
        except OSError:
            return False

    def lock(self) -> bool:
        """Take the lock, without waiting for it; whether it was to be had. The system takes it from a holder that ends."""
        return try_lock(self._file) or any(try_lock(self._file) for _ in range(_LOCK_TRIES))

    def unlock(self) -> None:
        """Give the lock back."""
        _unlock(self._file)

    def read(self) -> array[float] | None:
        """The numbers; ``None`` where the file is new, damaged, somebody else's, or older than this start of the machine."""
        content = _read(self._file, self._size + 1)
        if len(content) != self._size or not content.startswith(self._header):
            return None
        numbers = array("d")
        numbers.frombytes(memoryview(content)[_HEADER_BYTES:])
        return numbers

    def write(self, numbers: array[float]) -> None:
        """Replace everything."""
        os.ftruncate(self._file, 0)
        _write(self._file, self._header + numbers.tobytes(), 0)

    def change(self, index: int, value: float) -> None:
        """Replace one number."""
        _write(self._file, _NUMBER.pack(value), _HEADER_BYTES + 8 * index)

    def close(self) -> None:
        """Let the file go."""
        with suppress(OSError):
            os.close(self._file)


class _Forks:
    """How many forks lie between the first process and this one; cheaper to ask than the process's number."""

    generation = 0

    def count(self) -> None:
        self.generation += 1


_FORKS: Final = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_FORKS.count)


@cache
def _this_boot() -> bytes:
    # The numbers are moments of a clock that begins anew with the machine, and that no other machine has.
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        start = platform.node()
    return hashlib.sha256(start.encode()).digest()[:16]


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT
    for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, flags, 0o600)
    except OSError as trouble:
        raise Unusable(str(trouble)) from None
    status = os.fstat(file)
    mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    if not stat.S_ISREG(status.st_mode) or not mine:
        os.close(file)
        raise Unusable(f"{path} is no file of this user")
    with suppress(OSError, AttributeError):
        os.fchmod(file, 0o600)
    return file


if sys.platform == "win32":
    import msvcrt

    def try_lock(file: int) -> bool:
        os.lseek(file, _LOCK_AT, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: int) -> None:
        os.lseek(file, _LOCK_AT, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    def _read(file: int, size: int) -> bytes:
        os.lseek(file, 0, os.SEEK_SET)
        return os.read(file, size)

    def _write(file: int, content: bytes, at: int) -> None:
        os.lseek(file, at, os.SEEK_SET)
        os.write(file, content)

else:
    import fcntl

    def try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)

    def _read(file: int, size: int) -> bytes:
        return os.pread(file, size, 0)

    def _write(file: int, content: bytes, at: int) -> None:
        os.pwrite(file, content, at)
