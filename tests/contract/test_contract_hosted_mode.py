"""The suite's way to ask a hosted account: it passes against this project's own service, writes nothing, shows no key."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hosted import Hosted, key_from
from sqlalchemy import func, select

HERE = Path(__file__).parent


def run_suite(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--showlocals", str(HERE), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[1],
    )


def rows(world: Any) -> dict[str, int]:
    """How many rows each table holds; windows of requests come and go by being asked."""
    with world.database.reader() as connection:
        tables = [table for table in world.database.metadata.sorted_tables if "window" not in table.name]
        return {table.name: connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables}


@pytest.fixture(autouse=True)
def _own_service(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--base-url", default=None):
        pytest.skip("tests this mode against this project's own service, which a hosted account is not")


@pytest.fixture
def over_http(world: Any) -> Any:
    if "127.0.0.1" not in str(world.client.base_url):
        pytest.skip("the suite asks a service over a socket")
    return world


@pytest.mark.slow
def test_the_read_only_part_passes_and_the_rest_says_why_not(over_http: Any, tmp_path: Path) -> None:
    made = over_http.access.create_key("suite in suite", rate_limit=100_000)
    key = made.token.get_secret_value()
    file = tmp_path / "key"
    file.touch(0o600)
    file.write_text(f"{key}\n")
    before = rows(over_http)
    choice = () if over_http.serves("alerts.list") else ("-k", "not alerts_are_listed and not board_leads")
    outcome = run_suite("--base-url", str(over_http.client.base_url), "--key-from", str(file), *choice)
    assert outcome.returncode == 0, outcome.stdout[-4_000:]
    told = {word: int(number) for number, word in re.findall(r"(\d+) (passed|skipped|failed|xfailed)", outcome.stdout)}
    assert told["passed"] >= 40
    assert told["skipped"] >= 20
    assert "failed" not in told
    assert "which a hosted account does not" in outcome.stdout
    assert key not in outcome.stdout + outcome.stderr
    assert rows(over_http) == before


def test_what_is_missing_or_open_to_others_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exposed = tmp_path / "key"
    exposed.write_text("some-key")
    exposed.chmod(0o644)
    monkeypatch.setenv("EMPTY_KEY", " ")
    for place, words in ((str(exposed), "chmod 600"), ("NO_SUCH_PLACE", "neither an environment"), ("EMPTY_KEY", "is empty")):
        with pytest.raises(pytest.UsageError, match=words) as caught:
            key_from(place)
        assert "some-key" not in str(caught.value)
    for address, words in (
        ("http://x.example", "https"),
        ("x.example", "begins with https"),
        ("https://u:p@x.example", "user"),
    ):
        with pytest.raises(pytest.UsageError, match=words):
            Hosted(address, key_from("PATH"))
    outcome = run_suite("--base-url", "https://x.example")
    assert outcome.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--base-url needs --key-from" in outcome.stderr
