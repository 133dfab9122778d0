"""Fixtures that every room's tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real open data beside the checkout; tests that need it are skipped, saying so, where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"real open data is not here (looked for {folder.name!r} beside the checkout)")
    return folder


@pytest.fixture(autouse=True)
def key_store_chosen_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """keyring keeps the first backend that it finds for as long as the process lives; each test chooses its own."""
    if "keyring.core" in sys.modules:
        monkeypatch.setattr("keyring.core._keyring_backend", None)


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, which Textual and the notebooks use."""
    return "asyncio"
