"""The key appears nowhere: a test for each way in drives every verb there is, and looks for a canary in all that comes out."""

from __future__ import annotations

import asyncio
import copy
import inspect
import io
import json
import logging
import os
import pickle
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import typer
from canary_service import CANARY, MODES, CanaryService, canary_service
from rich.console import Console
from rich.traceback import Traceback

from workbench.cli.app import app
from workbench.client import AsyncClient, Client
from workbench.client.errors import InvalidArgument, WorkbenchError
from workbench.connect import connect

pytestmark = pytest.mark.requirement("AUTH-8")
HERE = Path(__file__).parent
MINE = {"test_canary_verbs.py", "conftest.py"}


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[CanaryService, CanaryService]]:
    with canary_service() as both:
        yield both


def leaks(shown: list[str]) -> list[str]:
    """The lines in which the key stands, a few signs around it."""
    spellings = {CANARY, CANARY.encode().hex(), CANARY[::-1]}
    return [text[max(text.index(one) - 120, 0) : text.index(one) + 60] for text in shown for one in spellings if one in text]


def everything_in(folder: Path) -> list[str]:
    """Every file under a folder, its name too."""
    return [f"{path}\n{path.read_bytes().decode('latin-1')}" for path in folder.rglob("*") if path.is_file()]


def frames(error: BaseException, *, pretty: bool = True) -> list[str]:
    """The error as whoever reports crashes would print it: every local of every frame that is not this test's own."""
    shown = [str(error), repr(error), repr(vars(error)), pickle.dumps(error).decode("latin-1")]
    frame = error.__traceback__
    while frame and Path(frame.tb_frame.f_code.co_filename).name in MINE:
        frame = frame.tb_next
    error = error.with_traceback(frame)
    with_locals = traceback.TracebackException.from_exception(error, capture_locals=True)
    shown.append("".join(with_locals.format()))
    if not pretty:
        return shown
    console = Console(file=io.StringIO(), width=300)
    console.print(
        Traceback.from_exception(type(error), error, frame, show_locals=True, locals_max_length=1000, locals_max_string=100_000)
    )
    shown.append(console.file.getvalue())  # type: ignore[attr-defined]
    return shown


# ---- the client


def methods(thing: object, prefix: str = "") -> dict[str, Callable[..., Any]]:
    found = {
        f"{prefix}{name}": member
        for name, member in inspect.getmembers(thing, callable)
        if not name.startswith("_") and name not in {"close", "aclose", "with_options", "tool_server"}
    }
    for name, value in vars(thing).items():
        if not name.startswith("_") and type(value).__module__.startswith("workbench.client"):
            found |= methods(value, f"{prefix}{name}.")
    return found


ARGUMENTS: dict[str, Any] = {
    "id": "x1",
    "draft": {"title": "Obra"},
    "patch": {"title": "Obra"},
    "confirm_terminal": True,
    "url_or_token": "token-1",
    "code": "45000000",
    "patience": 0.0,
}


ALERT = {"title": "Obra", "windowsSearch": [{"field": "expedientPublishedAt"}]}


def arguments(name_of_it: str, member: Callable[..., Any], to: Path) -> dict[str, Any]:
    given: dict[str, Any] = {"to": to} if "to" in inspect.signature(member).parameters else {}
    for name, parameter in inspect.signature(member).parameters.items():
        wanted = parameter.default is inspect.Parameter.empty or name == "confirm_terminal"
        if wanted and parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            draft = ALERT if name == "draft" and name_of_it.endswith("alerts.create") else None
            given.setdefault(name, draft or ARGUMENTS.get(name, "x1"))
    return given


async def drain(result: Any) -> Any:
    """What a method gives, awaited or walked through as it wants."""
    if inspect.isawaitable(result):
        return await result
    if hasattr(result, "__aiter__"):
        return [item async for item in result]
    return list(result) if inspect.isgenerator(result) else result


def drive(client: Any, folder: Path, shown: list[str]) -> set[str]:
    """Call every method and note all that comes back; gives the names of those that gave an answer."""
    good: set[str] = set()
    seen: set[type[Exception]] = set()

    async def all_of_them() -> None:
        for name, member in methods(client).items():
            try:
                answer = await drain(member(**arguments(name, member, folder)))
            except WorkbenchError as error:
                # The pretty kind takes its time, and every verb takes the same way down; so once for each kind of error.
                shown.extend(frames(error, pretty=type(error) not in seen))
                seen.add(type(error))
            else:
                good.add(name)
                shown.append(f"{name}: {answer!r}")
            shown.append(repr(member))
        if inspect.iscoroutinefunction(getattr(client, "aclose", None)):
            await client.aclose()

    asyncio.run(all_of_them())
    return good


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_no_verb_of_the_client_shows_the_key(
    kind: type[Any],
    services: tuple[CanaryService, CanaryService],
    pauses: list[float],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    here, other = services
    here.seen.clear()
    other.seen.clear()
    shown: list[str] = []
    waits: list[str] = []
    good: dict[str, set[str]] = {}
    with caplog.at_level(logging.DEBUG):
        for mode in MODES:
            folder = tmp_path / "downloads" / mode
            folder.mkdir(parents=True)
            client = kind(here.address(mode), CANARY, rate_window=tmp_path / "cache", on_wait=lambda w: waits.append(repr(w)))
            client._driver._window = None if mode != "good" else client._driver._window
            things = (client, client.raw, client.tenders, client._driver, client._driver._sender, client._driver._http)
            shown += [text for thing in things for text in (repr(thing), str(thing), repr(vars(thing)))]
            with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
                pickle.dumps(client)
            shown.append(repr(vars(copy.copy(client))))
            good[mode] = drive(client, folder, shown)
            if kind is Client:
                client.close()
    captured = capsys.readouterr()
    shown += [captured.out, captured.err, *waits, *everything_in(tmp_path)]
    shown += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    assert not leaks(shown)
    assert good["good"] == set(methods(kind("https://api.example.org"))), "every verb was driven to its answer"
    assert not good["refused"] | good["failing"] | good["broken"]
    assert any("send_request_headers" in text for text in shown), "the libraries were logging"
    assert {seen.headers.get("api-key") for seen in here.seen} == {CANARY}, "and it did travel"
    assert other.seen, "a download went to the other origin"
    assert not leaks([repr(seen.headers) for seen in other.seen])
    assert any((tmp_path / "cache").rglob("*.window"))


def test_a_key_that_cannot_be_used_is_not_shown_by_the_error_that_says_so(tmp_path: Path) -> None:
    wrong = f"{CANARY}\nsecond line"
    tries: list[Callable[[], Any]] = [
        lambda: Client("https://api.example.org", wrong),
        lambda: AsyncClient("https://api.example.org", wrong),
        lambda: Client("http://api.example.org", CANARY),
        lambda: Client("https://user:pw@api.example.org", CANARY),
        lambda: Client("https://api.example.org", CANARY, timeout=-1),
        lambda: connect(base_url="https://api.example.org", api_key=wrong),
        lambda: connect(base_url="http://api.example.org", api_key=CANARY),
        lambda: connect("nowhere", api_key=CANARY),
    ]
    shown: list[str] = []
    for attempt in tries:
        with pytest.raises(WorkbenchError) as caught:
            attempt()
        shown += frames(caught.value)
    assert not leaks(shown)


def test_a_callers_own_exception_does_not_carry_the_key(
    services: tuple[CanaryService, CanaryService], pauses: list[float], tmp_path: Path
) -> None:
    def raises(*_: object) -> None:
        raise ZeroDivisionError

    shown: list[str] = []
    with Client(services[0].address("good"), CANARY, rate_window=False) as client, pytest.raises(ZeroDivisionError) as caught:
        client.tenders.download_sheet("s", to=tmp_path, progress=raises)
    shown += frames(caught.value)
    with (
        Client(services[0].address("failing"), CANARY, on_wait=raises, rate_window=False) as client,
        pytest.raises(ZeroDivisionError) as caught,
    ):
        client.whoami()
    shown += frames(caught.value)
    with Client(services[0].address("good"), CANARY, rate_window=False) as client, pytest.raises(InvalidArgument) as refused:
        client.tenders.get("..")
    shown += frames(refused.value)
    assert not leaks(shown)


# ---- the command

VERBS: dict[str, list[str]] = {
    "search": ["search", "obra"],
    "tender": ["tender", "x1", "--sheets"],
    "org": ["org", "x1"],
    "awards": ["awards", "x1"],
    "cpv": ["cpv", "45000000"],
    "whoami": ["whoami"],
    "download": ["download", "x1", "-o", "."],
    "pipelines": ["pipelines"],
    "board": ["board", "p1"],
    "move": ["move", "x1", "s1", "--confirm-terminal"],
    "summaries": ["summaries", "x1"],
    "actions": ["actions", "x1"],
    "doctor": ["doctor"],
    "docs": ["docs"],
    "alerts list": ["alerts", "list"],
    "alerts show": ["alerts", "show", "x1"],
    "alerts create": ["alerts", "create", "--title", "Obra", "--event", "publication"],
    "alerts edit": ["alerts", "edit", "x1", "--title", "Obra"],
    "alerts results": ["alerts", "results", "x1"],
    "alerts pause": ["alerts", "pause", "x1"],
    "alerts resume": ["alerts", "resume", "x1"],
    "alerts archive": ["alerts", "archive", "x1"],
    "alerts unarchive": ["alerts", "unarchive", "x1"],
    "tasks list": ["tasks", "list", "x1"],
    "tasks add": ["tasks", "add", "x1", "Call"],
    "profiles list": ["profiles", "list"],
    "profiles use": ["profiles", "use", "local"],
    "profiles remove": ["profiles", "remove", "nobody"],
    "tools list": ["tools", "list"],
    "tools call": ["tools", "call", "whoami"],
    "login": ["login", "--base-url", "https://127.0.0.1:1", "--key-stdin"],
    "logout": ["logout"],
}
NO_KEY_OF_A_SERVICE = {"serve", "local", "lab", "mcp"}
"""Verbs of the embedded service, which makes and prints keys of its own, and of programs that the workbench starts."""

READ_VERBS = [name for name in VERBS if name not in {"login", "logout", "docs", "move"} and not name.startswith("profiles ")]


def verbs(command: Any, prefix: str = "") -> Iterator[str]:
    for name, sub in getattr(command, "commands", {}).items():
        yield from verbs(sub, f"{prefix}{name} ") if getattr(sub, "commands", None) else [f"{prefix}{name}"]


def test_every_verb_of_the_command_is_driven_here() -> None:
    there = {name for name in verbs(typer.main.get_command(app)) if name.partition(" ")[0] not in NO_KEY_OF_A_SERVICE}
    assert there == set(VERBS)


def surroundings(home: Path, base_url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "WORKBENCH_CONFIG": str(home / "config"),
        "WORKBENCH_DATA": str(home / "data"),
        "WORKBENCH_BASE_URL": base_url,
        "WORKBENCH_MCP_URL": f"{base_url}/mcp",
        "WORKBENCH_API_KEY": CANARY,
        "PYTHONFAULTHANDLER": "1",
        "COLUMNS": "120",
    }


@pytest.mark.slow
def test_no_verb_of_the_command_shows_the_key_whatever_the_service_answers(
    services: tuple[CanaryService, CanaryService], tmp_path: Path
) -> None:
    here, other = services
    here.seen.clear()
    other.seen.clear()
    as_json = [[*line, "--json"] for line in VERBS.values() if line != ["docs"]]

    def run(mode: str) -> str:
        home = tmp_path / mode
        home.mkdir()
        lines = [*VERBS.values(), *(as_json if mode == "good" else ())]
        done = subprocess.run(
            [sys.executable, "-W", "always::ResourceWarning", str(HERE / "canary_commands.py")],
            input=json.dumps(lines),
            capture_output=True,
            text=True,
            env=surroundings(home, here.address(mode)),
            cwd=home,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout + done.stderr

    with ThreadPoolExecutor(2) as pool:
        shown = list(pool.map(run, MODES))
    assert not leaks(shown + everything_in(tmp_path))
    assert "Traceback" not in "".join(shown)
    assert "ResourceWarning: A workbench client" not in "".join(shown), "the command closes what it opens"
    assert len(re.findall(r"^\[\d+\] \['", shown[0], re.MULTILINE)) == len(VERBS) + len(as_json), "every line was run"
    assert any((tmp_path / "good").rglob("*.window")), "the shared window was in use"
    assert {seen.headers.get("api-key") for seen in here.seen if seen.path.startswith("/v1")} <= {CANARY, None}
    assert not leaks([repr(seen.headers) for seen in other.seen])


@pytest.mark.slow
def test_no_read_verb_shows_the_key_when_run_as_a_command(
    services: tuple[CanaryService, CanaryService], tmp_path: Path
) -> None:
    def run(name: str) -> tuple[str, subprocess.CompletedProcess[str]]:
        home = tmp_path / name
        home.mkdir()
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *VERBS[name]],
            capture_output=True,
            text=True,
            env=surroundings(home, services[0].address("good")) | {"PYTHONLOGGING": "DEBUG"},
            cwd=home,
            timeout=120,
            check=False,
        )
        return name, done

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, READ_VERBS))
    assert not leaks([done.stdout + done.stderr for _, done in results] + everything_in(tmp_path))
    failed = {name: done.stderr for name, done in results if done.returncode != 0 and name != "doctor"}
    assert not failed


# ---- the terminal UI

CRASH = """
import os, sys
from workbench.client import AsyncClient, Client
from workbench.tui.app import WorkbenchApp

key = os.environ["WORKBENCH_API_KEY"]

class Leaky(RuntimeError):
    pass

def crash(self):
    headers = {"api-key": key}
    secret = key
    raise Leaky(f"sending {headers!r} to https://api.example.org/v1/tenders/documents/{key}/download?token={key}")

WorkbenchApp.on_mount = crash
from workbench.tui import run
sys.exit(run("environment"))
"""


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_terminal_uis_crash_output_does_not_show_the_key(
    services: tuple[CanaryService, CanaryService], tmp_path: Path
) -> None:
    import pty
    import select

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        env = surroundings(tmp_path, services[0].address("good")) | {"TERM": "xterm-256color", "TMPDIR": str(tmp_path)}
        os.execve(sys.executable, [sys.executable, "-c", CRASH], env)
    printed = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        printed += chunk
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    text = printed.decode("utf-8", "replace")
    assert os.waitstatus_to_exitcode(status) == 1, text[-2000:]
    reports = list(tmp_path.glob("workbench-report-*.txt"))
    assert len(reports) == 1, text[-2000:]
    assert "Leaky" in text
    assert "fault of its own" in " ".join(text.split())
    assert not leaks([text, *everything_in(tmp_path)])
