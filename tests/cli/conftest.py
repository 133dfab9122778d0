"""The command as a function: a line in, exit code and both streams out, in a home of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import FakeClient, Outcome, Run
from scripted_service import KEY, Script, scripted_service

import workbench.connect
from workbench.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No setting of the machine reaches a test, and nothing a test writes reaches the machine."""
    for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one command line in this process."""

    def run_line(*argv: str | Path) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in argv])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run_line


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    """A client that the command gets instead of a real one."""
    client = FakeClient()

    def connect(profile: str | None = None, *, data: Path | None = None, **_: object) -> FakeClient:
        client.opened.append((profile, data))
        return client

    monkeypatch.setattr(workbench.connect, "connect", connect)
    return client


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample workspace, made once; tests read it and change nothing."""
    folder = tmp_path_factory.mktemp("cli") / "sample"
    assert main(["local", "sample", "--data", str(folder)]) == 0
    return folder


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """A scripted service that the environment names, with its key, so that every command talks to it."""
    with scripted_service() as script:
        monkeypatch.setenv("WORKBENCH_BASE_URL", script.base_url)
        monkeypatch.setenv("WORKBENCH_API_KEY", KEY)
        yield script
