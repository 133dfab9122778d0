"""The Python reference names every public name, with the parameters it has."""

from __future__ import annotations

import inspect
import re

import pytest

import workbench
import workbench.client
from workbench.contract import operations
from workbench.contract.operations import OPERATIONS
from workbench.contract.record import Record
from workbench.contract.request import Request
from workbench.docs import build, read
from workbench.docs.reference import error_classes, methods_of, prose, resources_of, signature


@pytest.fixture(scope="module")
def headings() -> list[str]:
    return re.findall(r"^#{2,3} (.+)$", read("api"), re.MULTILINE)


def test_the_page_is_current() -> None:
    assert read("api") == build.api_page(), "run python -m workbench.docs.build"


def test_every_public_name_of_the_package_is_on_the_page(headings: list[str]) -> None:
    page = read("api")
    bare = {heading.removeprefix("workbench.") for heading in headings}
    elsewhere = {"AsyncClient", "__version__"}
    assert {*workbench.__all__, *workbench.client.__all__} - bare <= elsewhere
    assert all(name in page for name in elsewhere)
    assert {kind.__name__ for kind in error_classes()} <= bare


def test_every_method_of_a_client_is_on_the_page(headings: list[str]) -> None:
    with workbench.Client("https://api.example.org") as client:
        expected = {f"client.{name}" for name in methods_of(client)}
        for resource, value in resources_of(client).items():
            expected.add(f"client.{resource}")
            expected |= {f"client.{resource}.{name}" for name in methods_of(value) if resource != "raw"}
        raw = [f"`{resource}.{name}`" for resource, value in resources_of(client.raw).items() for name in methods_of(value)]
    assert expected <= set(headings)
    line = next(line for line in read("api").splitlines() if line.startswith("The same calls, answered with"))
    assert [name for name in raw if name not in line] == []
    operations_of_resources = {f"client.{operation.name}" for operation in OPERATIONS}
    assert operations_of_resources <= set(headings)


def test_every_record_and_request_of_an_operation_is_on_the_page(headings: list[str]) -> None:
    kinds = {
        value
        for value in vars(operations).values()
        if inspect.isclass(value) and issubclass(value, (Record, Request)) and value not in (Record, Request)
    }
    queries = {operation.query for operation in OPERATIONS if operation.query}
    told_as_parameters = {kind.__name__ for kind in queries} | {"AlertResultsSearch", "StageMove"}
    assert {kind.__name__.partition("[")[0] for kind in kinds} - told_as_parameters <= set(headings)


def test_errors_stand_after_what_they_are_a_kind_of() -> None:
    kinds = error_classes()
    assert kinds[0] is workbench.WorkbenchError
    for place, kind in enumerate(kinds[1:], 1):
        assert any(base in kinds[:place] for base in kind.__bases__)


def test_a_signature_reads_as_one_writes_it() -> None:
    def call(self: object, a: str, /, b: int = 1, *, c: str = "x", **rest: object) -> None:
        """Says what it gives: :class:`~workbench.Client`, ``None``, :mod:`workbench.keys`."""

    assert signature("client.call", call) == 'client.call(a: str, /, b: int = 1, *, c: str = "x", **rest: object) -> None'
    assert prose(call) == "Says what it gives: `Client`, `None`, `workbench.keys`."
    call.__doc__ = None
    with pytest.raises(ValueError, match="call has no docstring"):
        prose(call)
