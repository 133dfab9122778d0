"""The rooms keep their doors: import rules, size of files, and what a light import may load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "workbench"
HEAVY = {
    "textual",
    "pandas",
    "plotly",
    "mcp",
    "keyring",
    "sqlalchemy",
    "starlette",
    "httpx2",
    "lxml",
    "uvicorn",
    "reportlab",
}


def modules_after(statement: str) -> set[str]:
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize("statement", ["import workbench", "import workbench.reference.cpv", "import workbench.profiles"])
def test_a_light_import_loads_nothing_heavy(statement: str) -> None:
    assert not modules_after(statement) & HEAVY


def test_the_contract_loads_pydantic_and_nothing_heavier() -> None:
    loaded = modules_after("import workbench.contract.operations, workbench.contract.tools")
    assert "pydantic" in loaded
    assert not loaded & HEAVY


def test_import_rules_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_files_stay_rooms() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    too_long = {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > 400}
    assert not too_long, f"these want to be two rooms: {too_long}"
