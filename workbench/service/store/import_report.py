"""What an import tells while it runs and when it has ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.feeds.notice import Refused


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come: bytes as they lie on disk, items of every kind, and seconds since it began."""

    file: Path
    bytes_done: int
    bytes_total: int
    items: int
    seconds: float


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one file held and what became of it.

    ``entries`` and ``tombstones`` are what could be read; ``unique_ids`` and ``versions`` count the different notices among
    the entries and their different (notice, time) pairs. Each entry or tombstone is one of ``new``, ``updated``,
    ``unchanged`` (known already, or older than what is known) and ``withdrawn`` (a tombstone that was not known);
    ``refused`` counts what could not be read.
    """

    file: Path
    entries: int = 0
    tombstones: int = 0
    unique_ids: int = 0
    versions: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    refused: int = 0

    @property
    def read(self) -> int:
        """Entries and tombstones that were read, and those that were refused."""
        return self.entries + self.tombstones + self.refused


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The outcome of an import. ``interrupted`` says that it was stopped before its end; what was loaded stays."""

    files: tuple[FileReport, ...]
    refusals: tuple[Refused, ...]
    seconds: float
    interrupted: bool = False

    @property
    def read(self) -> int:
        """Everything that was read or refused, over all files."""
        return sum(file.read for file in self.files)

    @property
    def entries(self) -> int:
        """Entries read, over all files."""
        return sum(file.entries for file in self.files)

    @property
    def tombstones(self) -> int:
        """Tombstones read, over all files."""
        return sum(file.tombstones for file in self.files)

    @property
    def new(self) -> int:
        """Tenders that were not known before."""
        return sum(file.new for file in self.files)

    @property
    def updated(self) -> int:
        """Versions newer than what was known."""
        return sum(file.updated for file in self.files)

    @property
    def unchanged(self) -> int:
        """Items that told nothing new about a tender's present state."""
        return sum(file.unchanged for file in self.files)

    @property
    def withdrawn(self) -> int:
        """Tombstones that were not known before, also those of tenders that are not here."""
        return sum(file.withdrawn for file in self.files)

    @property
    def refused(self) -> int:
        """Entries, members and files that could not be read; :attr:`refusals` says why."""
        return len(self.refusals)
