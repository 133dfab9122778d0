"""One source for both clients, and one face: what one offers the other offers, raw ones included."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.client import AsyncClient, Client, generate_sync
from workbench.client.calls import TenderFilters
from workbench.contract.operations import BY_NAME
from workbench.contract.tenders import TenderSearch


def client(kind: type) -> Any:
    return kind("https://api.example.org")


def methods(thing: object) -> dict[str, Any]:
    return {name: member for name, member in inspect.getmembers(thing, callable) if not name.startswith("_")}


def resources(thing: object) -> dict[str, object]:
    return {
        name: value
        for name, value in vars(thing).items()
        if not name.startswith("_") and type(value).__module__.startswith("workbench.client")
    }


def face(thing: object, prefix: str = "") -> dict[str, Any]:
    found = {f"{prefix}{name}": member for name, member in methods(thing).items()}
    for name, value in resources(thing).items():
        found |= face(value, f"{prefix}{name}.")
    return found


def shape(member: Any) -> str:
    signature = inspect.signature(member)
    shown = f"{[str(p) for p in signature.parameters.values()]} -> {signature.return_annotation}"
    return re.sub(r"\bAsync(?=[A-Z])", "", shown)


def test_sync_and_asynchronous_clients_have_the_same_face() -> None:
    sync, asynchronous = face(client(Client)), face(client(AsyncClient))
    asynchronous["close"] = asynchronous.pop("aclose")
    assert sync.keys() == asynchronous.keys()
    for name, member in sync.items():
        assert shape(member) == shape(asynchronous[name]), name
        assert not inspect.iscoroutinefunction(member), name
        if name not in {"with_options", "tool_server"} and not name.rpartition(".")[2].startswith(("iterate", "pages")):
            assert inspect.iscoroutinefunction(asynchronous[name]), name


def test_every_operation_has_a_raw_twin_with_the_same_parameters() -> None:
    found = face(client(Client))
    for name in BY_NAME:
        plain = {
            p: str(v)
            for p, v in inspect.signature(found[name]).parameters.items()
            if p not in {"to", "progress", "overwrite", "resume"}
        }
        raw = {p: str(v) for p, v in inspect.signature(found[f"raw.{name}"]).parameters.items()}
        assert plain == raw, name
    raw_names = {name.removeprefix("raw.") for name in found if name.startswith("raw.")}
    assert raw_names == set(BY_NAME)


def test_every_public_method_says_what_it_gives() -> None:
    for name, member in face(client(Client)).items():
        assert member.__doc__, name
        assert "sync" not in member.__doc__.lower().replace("asynchronous", ""), name


def test_the_filters_are_the_fields_of_the_search() -> None:
    assert set(TenderFilters.__annotations__) == set(TenderSearch.model_fields)


def test_the_sync_client_is_current() -> None:
    assert generate_sync.main(["--check"]) == 0


def test_a_stale_file_and_a_leftover_file_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_sync, "RESULT", tmp_path)
    assert generate_sync.main([]) == 0
    assert generate_sync.main(["--check"]) == 0
    (tmp_path / "driver.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "leftover.py").write_text("", encoding="utf-8")
    assert generate_sync.main(["--check"]) == 1
    shown = capsys.readouterr().err
    assert "driver.py" in shown
    assert "leftover.py" in shown
    assert generate_sync.main([]) == 0
    assert not (tmp_path / "leftover.py").exists()


def test_a_rule_that_changes_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(generate_sync, "RULES", (*generate_sync.RULES, ("never_there", "x")))
    assert generate_sync.main(["--check"]) == 1
    assert "never_there" in capsys.readouterr().err


HEAVY = {
    "textual",
    "pandas",
    "plotly",
    "mcp",
    "keyring",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "lxml",
    "reportlab",
    "pyarrow",
    "typer",
}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return {name.partition(".")[0] for name in shown.split()}


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import workbench", HEAVY | {"httpx2", "pydantic", "asyncio", "ssl", "anyio", "platformdirs"}),
        ("import workbench\nworkbench.NotFound, workbench.__version__", HEAVY | {"httpx2", "pydantic", "asyncio", "ssl"}),
        ("import workbench.client", HEAVY | {"httpx2", "pydantic", "asyncio", "ssl"}),
        ("import workbench\nworkbench.connect", HEAVY | {"httpx2"}),
        ("from workbench.client import Client, AsyncClient", HEAVY),
    ],
)
def test_importing_loads_nothing_heavy(statement: str, unwanted: set[str]) -> None:
    assert not loaded_by(statement) & unwanted


def test_the_public_names_are_there_whichever_way_one_comes() -> None:
    code = (
        "import workbench, workbench.connect\n"
        "assert all(getattr(workbench, name) is not None for name in workbench.__all__)\n"
        "assert set(workbench.__all__) <= set(dir(workbench))\n"
        "from workbench.connect import connect\n"
        "try:\n    workbench.connect('no such profile')\n"
        "except workbench.ProfileError as error:\n    assert 'no such profile' in str(error)\n"
        "else:\n    raise SystemExit('connected')\n"
        "try:\n    workbench.nothing\n"
        "except AttributeError:\n    pass\n"
        "else:\n    raise SystemExit('found')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
