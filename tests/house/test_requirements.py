"""Every requirement is carried by a test that names it, or stands openly in the list of those still to come."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
LIST = TESTS / "requirements.csv"
NOT_YET = TESTS / "requirements_not_yet.txt"
SHARED_LIST = TESTS.parents[1] / "shared" / "interface" / "requirements.csv"


def ids_of(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row["id"] for row in csv.DictReader(file)]


def ids_to_come() -> set[str]:
    lines = NOT_YET.read_text(encoding="utf-8").splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def ids_carried_by(source: str) -> set[str]:
    """Ids in ``@pytest.mark.requirement(...)`` decorators and in module-level ``pytestmark``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requirement":
            found.update(arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
    return found


def carried() -> set[str]:
    return set().union(*(ids_carried_by(path.read_text(encoding="utf-8")) for path in TESTS.rglob("test_*.py")))


def test_each_requirement_has_a_test_or_is_openly_to_come() -> None:
    missing = set(ids_of(LIST)) - carried() - ids_to_come()
    assert not missing, f"no test names these requirements: {', '.join(sorted(missing))}"


def test_the_list_of_those_to_come_only_shrinks() -> None:
    done = ids_to_come() & carried()
    assert not done, f"these have a test now, so take them off {NOT_YET.name}: {', '.join(sorted(done))}"


def test_tests_and_list_name_only_known_requirements() -> None:
    unknown = (carried() | ids_to_come()) - set(ids_of(LIST))
    assert not unknown, f"unknown requirement ids: {', '.join(sorted(unknown))}"


def test_ids_stand_once() -> None:
    ids = ids_of(LIST)
    assert len(ids) == len(set(ids))


def test_the_list_is_the_interface_s_own() -> None:
    if not SHARED_LIST.exists():
        pytest.skip("the interface's own requirement list is not beside this checkout")
    assert set(ids_of(LIST)) == set(ids_of(SHARED_LIST))


def test_the_scan_sees_a_marker() -> None:
    assert ids_carried_by('@pytest.mark.requirement("TND-1", "TND-2")\ndef test_x(): ...') == {"TND-1", "TND-2"}
