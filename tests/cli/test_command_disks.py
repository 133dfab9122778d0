"""Disks that are really full and really read-only: small memory file systems, mounted for the test where that is allowed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


class Disk:
    """A memory file system of a few megabytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self, options: str) -> None:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")

    def make_read_only(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if not sys.platform.startswith("linux"):
        pytest.skip("memory file systems are mounted on Linux only")
    folder = tmp_path / "disk"
    folder.mkdir()
    yield Disk(folder)
    subprocess.run(["umount", folder], check=False, capture_output=True)


def workbench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "workbench", *arguments], capture_output=True, text=True, check=False)


def feed_of(shared_data: Path) -> Path:
    return shared_data / "placsp" / "PlataformasAgregadasSinMenores_2018.zip"


def test_a_full_disk_is_said_in_a_sentence_and_nothing_stored_is_lost(disk: Disk, shared_data: Path) -> None:
    disk.mount("size=3m")
    data = disk.folder / "data"
    done = workbench("local", "import", feed_of(shared_data), "--data", data)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        f"The disk that holds {data} is full. Nothing that was stored before is lost; free some space and try again."
    )
    subprocess.run(["mount", "-o", "remount,size=60m", disk.folder], check=True)
    again = workbench("local", "import", feed_of(shared_data), "--data", data)
    assert again.returncode == 0, again.stderr
    assert "1,449" in again.stdout, "after space was made, the same command loads everything"


def test_a_read_only_disk_is_said_in_a_sentence(disk: Disk, shared_data: Path) -> None:
    disk.mount("ro,size=3m")
    done = workbench("local", "import", feed_of(shared_data), "--data", disk.folder / "data")
    assert done.returncode == 1
    assert "Read-only file system" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_on_a_disk_that_became_read_only_is_left_alone(disk: Disk, shared_data: Path) -> None:
    disk.mount("size=60m")
    data = disk.folder / "data"
    assert workbench("local", "import", feed_of(shared_data), "--data", data).returncode == 0
    before = sorted((path.name, path.read_bytes()) for path in data.iterdir())
    disk.make_read_only()
    done = workbench("local", "import", feed_of(shared_data), "--data", data)
    assert done.returncode == 1
    assert "cannot be opened" in done.stderr
    assert sorted((path.name, path.read_bytes()) for path in data.iterdir()) == before
