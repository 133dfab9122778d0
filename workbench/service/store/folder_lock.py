"""One process at a time: a lock on a file of the data folder, which the system lets go when the process ends."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class FolderLock:
    """The lock called ``name`` in ``folder``: held by one :class:`FolderLock` of all processes at most."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{name}.lock"
        self._file: IO[Any] | None = None
        self._guard = threading.Lock()

    def acquire(self) -> bool:
        """Take the lock where nobody else has it; ``False``, at once, where somebody has. Raises ``OSError``."""
        with self._guard:
            if self._file is not None:
                return False
            file = self._path.open("a+b")
            try:
                _lock(file)
            except OSError:
                file.close()
                return False
            self._file = file
            return True

    def release(self) -> None:
        """Let the lock go; without it nothing happens."""
        with self._guard:
            if self._file is not None:
                # Closing the file ends the lock; the file stays, since deleting it would let two hold "the" lock.
                self._file.close()
                self._file = None


def _lock(file: IO[Any]) -> None:
    if sys.platform == "win32":
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
