"""The tables of operations and tools say what the interface says, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.contract import operations, tools
from workbench.contract.vocabulary import AlertSort, OpportunitySort, TenderSort, TenderStatus

INTERFACE = Path(__file__).resolve().parents[3] / "shared" / "interface" / "interface.md"


@pytest.fixture(scope="module")
def interface() -> str:
    if not INTERFACE.exists():
        pytest.skip("the interface's own text is not beside this checkout")
    return INTERFACE.read_text(encoding="utf-8")


@pytest.mark.requirement("VER-1")
def test_each_operation_lives_under_v1() -> None:
    assert all(operation.path.startswith("/v1/") for operation in operations.OPERATIONS)


def test_there_are_25_operations_with_names_and_places_of_their_own() -> None:
    assert len(operations.OPERATIONS) == 25
    assert len(operations.BY_NAME) == 25
    assert len({(operation.method, operation.path) for operation in operations.OPERATIONS}) == 25


def test_operations_are_those_of_the_interface(interface: str) -> None:
    stated = set(re.findall(r"^\| (GET|POST|PATCH|PUT) \| (/v1/\S+) \|", interface, re.MULTILINE))
    assert {(o.method.value, o.path) for o in operations.OPERATIONS} == stated


def test_only_what_the_interface_calls_safe_is_replayed() -> None:
    writes = {o.name for o in operations.OPERATIONS if not o.replayable}
    assert writes == {"alerts.create", "alerts.update", "opportunities.create_task"}


def test_only_a_move_can_end_something_for_good() -> None:
    assert [o.name for o in operations.OPERATIONS if o.destructive] == ["opportunities.move"]
    assert [t.name for t in tools.TOOLS if t.destructive] == ["change_opportunity_status"]


def test_there_are_20_tools_in_three_groups() -> None:
    by_group = {group: sum(tool.group is group for tool in tools.TOOLS) for group in tools.ToolGroup}
    assert list(by_group.values()) == [6, 10, 4]
    assert len(tools.TOOLS_BY_NAME) == 20


def test_tools_and_their_parameters_are_those_of_the_interface(interface: str) -> None:
    section = interface.split("### 4.2")[1].split("### 4.3", maxsplit=1)[0]
    rows = dict(re.findall(r"^\| ([a-z_]+) \| (.*?) \|", section, re.MULTILINE))
    rows = {name: parameters for name, parameters in rows.items() if name in tools.TOOLS_BY_NAME}
    assert rows.keys() == tools.TOOLS_BY_NAME.keys()
    for name, stated in rows.items():
        ours = set(tools.TOOLS_BY_NAME[name].parameters.model_json_schema().get("properties", {}))
        bare = re.sub(r"\([^)]*\)", "", stated)
        assert {word.split()[0].rstrip("?") for word in re.split(r",\s*", bare)} - {"none"} == ours, name


def test_downloads_and_key_data_are_no_tools() -> None:
    named = {tool.operation.name for tool in tools.TOOLS}
    assert not named & {"tenders.download_sheet", "tenders.download_document", "api_key", "opportunities.summary_pdf"}


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        (set(TenderSort), "Tender sort values", "Opportunity sort values"),
        (set(OpportunitySort), "Opportunity sort values", "Alert sort values"),
        (set(AlertSort), "Alert sort values", "Task status"),
        (set(TenderStatus), "### Tender status values", "### Opportunity stage"),
    ],
)
def test_vocabulary_is_that_of_the_interface(interface: str, words: set[str], start: str, end: str) -> None:
    part = interface.split("### 4.3")[1] if not start.startswith("#") else interface
    part = part.split(start)[1].split(end)[0]
    missing = {word for word in words if not re.search(rf"\b{re.escape(word)}\b", part)}
    assert not missing
