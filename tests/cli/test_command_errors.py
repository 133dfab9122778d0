"""How the command fails: an exit code, a sentence on standard error, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import FakeClient, Run, wire

from workbench.cli.failures import Failure
from workbench.client import errors

COMMAND = [sys.executable, "-m", "workbench"]


@pytest.mark.parametrize(
    ("trouble", "code", "words"),
    [
        (errors.Unauthorized(401, "UNAUTHORIZED", "no such key"), 1, "did not accept the API key"),
        (errors.NotFound(404, "NOT_FOUND", "no tender has this id"), 1, "no tender has this id"),
        (errors.Invalid(422, "INVALID_REQUEST", "'x' is no place"), 1, "'x' is no place"),
        (errors.RateLimited(429), 1, "Wait a minute"),
        (errors.ServerFault(503, "STORE_BUSY"), 1, "Another program is writing"),
        (errors.UnexpectedAnswer("an object", where="data"), 1, "wrong at data"),
        (errors.InvalidArgument("text", "is too long"), 2, "text: is too long"),
        (errors.ProfileError("There is no profile 'x'."), 2, "no profile 'x'"),
        (errors.ConnectionFailed("The connection broke."), 3, "The connection broke."),
        (errors.TimedOut("No answer in 30 s."), 3, "No answer"),
        (errors.KeyNotFound("No key for profile 'x'. Set WORKBENCH_API_KEY."), 4, "WORKBENCH_API_KEY"),
        (errors.DataUnusable("The disk is full."), 1, "The disk is full."),
        (Failure("Said already."), 1, "Said already."),
        (PermissionError(13, "Permission denied", "/somewhere"), 1, "/somewhere: Permission denied. Choose a folder"),
        (OSError(28, "No space left on device"), 1, "Free some space"),
        (ZeroDivisionError("wb_secret"), 1, "a fault of the workbench itself: ZeroDivisionError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_each_failure_has_its_exit_code_and_a_sentence(
    run: Run, fake: FakeClient, trouble: Exception, code: int, words: str
) -> None:
    fake.tenders.trouble = trouble
    for line in (["search", "x"], ["tender", "x", "--json"]):
        outcome = run(*line)
        assert (outcome.code, outcome.out) == (code, "")
        assert words in outcome.err
        assert "Traceback" not in outcome.err
        assert "wb_secret" not in outcome.err
        assert outcome.err.count("\n") == 1
    assert fake.closed == 2


def test_a_service_cannot_write_to_the_terminal_through_an_error(run: Run, fake: FakeClient) -> None:
    fake.tenders.trouble = errors.NotFound(404, "X", "\x1b[2J\x9b31m\u202egone\nsecond line")
    assert run("tender", "x").err.isprintable() is False
    assert set(run("tender", "x").err) & {"\x1b", "\x9b", "\u202e"} == set()


def test_ctrl_c_is_130(run: Run, fake: FakeClient) -> None:
    fake.tenders.trouble = KeyboardInterrupt()  # type: ignore[assignment]  # as the signal raises it
    outcome = run("search")
    assert (outcome.code, outcome.out) == (130, "")


def test_without_a_terminal_the_ui_says_what_to_do(run: Run) -> None:
    outcome = run()
    assert (outcome.code, outcome.out) == (2, "")
    assert "not a terminal" in outcome.err
    assert "workbench local import" in outcome.err


def test_a_command_that_is_none_suggests_one(run: Run) -> None:
    outcome = run("serch")
    assert outcome.code == 2
    assert "Did you mean" in outcome.err


def test_version_and_help(run: Run) -> None:
    assert run("--version").out.startswith("workbench 0.")
    text = run("--help")
    assert (text.code, text.err) == (0, "")
    for name in ["search", "tender", "org", "awards", "cpv", "whoami", "profiles", "download", "serve", "local", "docs"]:
        assert name in text.out


@pytest.mark.parametrize("line", ["search", "--help", "docs commands"])
def test_a_reader_that_goes_away_is_no_error(line: str, sample_folder: Path) -> None:
    options = ["--data", str(sample_folder)] if line != "docs commands" else []
    arguments = [*options, *line.split(), *(["--all", "--json"] if line == "search" else [])]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, complaint = process.communicate(timeout=60)
    assert complaint == b""
    assert process.returncode == 141


def test_a_locale_without_letters_still_gets_utf_8(sample_folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    line = [*COMMAND, "--data", str(sample_folder), "search", "--limit", "50", "--json"]
    done = subprocess.run(line, capture_output=True, env=environment, check=True, timeout=60)
    assert len(json.loads(done.stdout.decode("utf-8"))) == 50
    table = subprocess.run([*line[:-1]], capture_output=True, env=environment, check=True, timeout=60)
    assert table.stdout


def test_the_help_loads_nothing_heavy() -> None:
    heavy = (
        "rich",
        "pydantic",
        "httpx2",
        "sqlalchemy",
        "textual",
        "pandas",
        "pyarrow",
        "xlsxwriter",
        "keyring",
        "starlette",
        "lxml",
    )
    code = f"""
import sys
from workbench.cli import main
assert main(["--help"]) == 0
loaded = [name for name in {heavy!r} if name in sys.modules]
sys.exit(f"loaded: {{loaded}}" if loaded else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_records_without_an_id_or_a_name_are_shown(run: Run, fake: FakeClient) -> None:
    fake.tenders.wires = [wire(None, id=None)]  # type: ignore[arg-type]  # a service may send null
    assert "(no title)" in run("search").out
    assert "(no id)" in run("search").out
