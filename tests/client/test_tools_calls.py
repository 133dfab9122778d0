"""The 20 tools over one session, in both protocol eras, with JSON answers and with event streams."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Unpack, get_args, get_origin, get_type_hints

import pytest
from tool_server_double import KEY, Pool, ToolServerDouble

from workbench.client import AsyncClient
from workbench.client._async.tools import AsyncToolServer
from workbench.client._sync.tools import ToolServer
from workbench.client.errors import ClientMisused, InvalidArgument, ToolRefused
from workbench.client.tool_results import Reference, ToolResult
from workbench.contract.tools import TOOLS, TOOLS_BY_NAME, Tool
from workbench.contract.vocabulary import ReferenceType

Serve = Callable[..., tuple[ToolServerDouble, str]]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "search_tenders": {
        "text": "obras", "page": 1, "page_size": 2, "sort": "by-budget", "is_descendent": False, "status": ["Publicada"],
        "cpvs": ["45233120-6"], "locations": ["country/ES"], "procedures": ["Abierto"], "contract_types": ["Obras"],
        "min_budget": 1.5, "max_budget": 2.5, "min_publication_date": "2026-01-01T00:00:00Z",
        "max_publication_date": "2026-01-02T00:00:00Z", "min_deadline_date": "2026-01-03T00:00:00Z",
        "max_deadline_date": "2026-01-04T00:00:00Z",
    },
    "get_tender": {"id": "t1"},
    "get_tender_sheets": {"id": "t1"},
    "get_cpv": {"code": "45233120"},
    "get_organization": {"id_or_slug": "acme"},
    "get_organization_award_stats": {"id_or_slug": "acme"},
    "whoami": {},
    "list_alerts": {"text": "x", "is_archived": True, "page": 2, "page_size": 5, "sort": "by-name", "sort_direction": "asc"},
    "get_alert": {"alert": "https://app.example.org/alerts/a1?tab=2"},
    "get_alert_results": {
        "alert_id": "a1", "text": "x", "page": 2, "page_size": 5, "sort": "by-due-date", "is_descendent": True,
    },
    "list_pipelines": {"page": 1, "page_size": 100},
    "get_kanban_status_totals": {"pipeline_id": "Ventas", "responsible": ["u1"], "team_responsible": ["e1"]},
    "get_kanban_opportunities_by_status": {
        "pipeline_id": "p1", "status_id": "s1", "page": 1, "page_size": 3, "sort": "custom", "sort_direction": "desc",
    },
    "search_kanban_opportunities": {
        "pipeline_id": "p1", "responsible": ["u1"], "team_responsible": ["e1"], "limit": 50, "search": "x",
        "sort": "by-budget", "sort_direction": "asc",
    },
    "get_opportunity_workflow_actions": {"opportunity": "o1"},
    "list_opportunity_tasks": {"opportunity": "o1", "status": "to-do", "page": 1, "page_size": 20},
    "create_alert": {
        "title": "Obras", "events": [{"event": "deadline", "expirationOffset": 2}], "description": "d",
        "criteria": {"keywords": {"include": ["obra"], "exclude": []}}, "notification": {"hour": 8},
        "responsible_user_ids": ["u1"], "is_active": False, "is_public": True, "confirmed": True,
    },
    "update_alert": {
        "alert": "a1", "title": "t", "description": "d", "events": [{"event": "award"}],
        "criteria": {"cpvCodes": {"include": []}}, "notification": {"weeklyDay": 3}, "responsible_user_ids": [],
        "is_active": True, "is_public": False, "is_archived": True,
    },
    "change_opportunity_status": {"opportunity": "o1", "target_status": "s2", "confirm_terminal": True},
    "create_opportunity_task": {
        "opportunity": "o1", "title": "t", "description": "d", "status": "done", "priority": "high",
        "responsible_user_ids": ["u1"], "deadline_at": "2026-01-01T00:00:00Z", "confirmed": True,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = Pool()
    yield made
    made.close()


@pytest.fixture
def serve(pool: Pool) -> Iterator[Serve]:
    yield pool.lend
    pool.take_back()


def opened(world: Any, url: str, **options: Any) -> Any:
    """A tool server's client; its REST calls would go nowhere."""
    return world.open("https://api.example.org", KEY, mcp_url=f"{url}/mcp", rate_window=False, **options).tool_server()


@pytest.mark.parametrize("events", [False, True], ids=["json", "event stream"])
@pytest.mark.parametrize(
    ("era", "opening"),
    [
        ("both", ["server/discover"]),
        ("newer", ["server/discover"]),
        ("older", ["server/discover", "initialize", "notifications/initialized"]),
    ],
)
def test_both_protocol_eras_are_spoken_over_one_session(
    world: Any, serve: Serve, era: str, opening: list[str], events: bool
) -> None:
    double, url = serve(era=era, events=events)
    tools = opened(world, url)
    found = world.do(tools.search_tenders(text="obras", page_size=2))
    assert [tender.name for tender in found.typed().data] == ["Obras 0", "Obras 1"]
    assert found.typed().data[0].other_fields == {"newField": [1]}
    assert world.do(tools.whoami()).typed().account.id == "acme"
    assert len(world.do(tools.list())) == 20
    assert double.calls == [*opening, "search_tenders", "whoami", "tools/list"]
    assert {seen.headers["api-key"] for seen in double.seen} == {KEY}
    assert all("application/json, text/event-stream" in seen.headers["accept"] for seen in double.seen)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_a_method_that_takes_every_parameter(world: Any, serve: Serve, tool: Tool) -> None:
    double, url = serve()
    given = ARGUMENTS[tool.name]
    assert set(given) == set(tool.parameters.model_fields)
    result = world.do(getattr(opened(world, url), tool.name)(**given))
    sent = double.seen[-1].message["params"]
    assert sent["name"] == tool.name
    assert sent["arguments"] == tool.parameters.model_validate(given).to_wire()
    assert set(sent["arguments"]) == {field.alias for field in tool.parameters.model_fields.values()} & set(sent["arguments"])
    assert len(sent["arguments"]) == len(given)
    assert isinstance(result, ToolResult)
    assert result.tool == tool.name
    result.typed()


@pytest.mark.parametrize("kind", [AsyncToolServer, ToolServer])
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_methods_parameters_are_the_tools(kind: type[Any], tool: Tool) -> None:
    method = getattr(kind, tool.name)
    hints = get_type_hints(method, include_extras=True)
    names: set[str] = set()
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            assert get_origin(hints[name]) is Unpack
            names |= set(get_type_hints(get_args(hints[name])[0]))
        elif name != "self":
            names.add(name)
    assert names == set(tool.parameters.model_fields)
    assert method.__doc__


def test_references_are_typed_wherever_they_stand(world: Any, serve: Serve) -> None:
    _, url = serve()
    result = world.do(opened(world, url).list_pipelines())
    assert result.references[0] == Reference(ReferenceType.PIPELINE, "p1", "Ventas")
    assert [one.label for one in result.refer_to(ReferenceType.PIPELINE_STATUS)] == ["Abierta", "Ganada", "Sin decir"]
    assert result.refer_to("pipeline") == result.references[:1]
    assert result.structured["references"]["pipelines"][0]["pipeline"]["id"] == "p1"
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes


def test_a_refusal_is_a_result_by_name_and_an_error_by_method(world: Any, serve: Serve) -> None:
    _, url = serve()
    tools = opened(world, url)
    result = world.do(tools.call("create_alert", {"title": "Obras", "events": [{"event": "award"}]}))
    assert result.is_error
    assert result.message == "Summarize it to the user and call again with confirmed: true."
    with pytest.raises(ToolRefused, match=r"The tool create_alert refused: Summarize it .* confirmed: true\.$") as caught:
        world.do(tools.create_alert("Obras", [{"event": "award"}]))
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (again.tool, again.message, str(again)) == ("create_alert", caught.value.message, str(caught.value))
    with pytest.raises(ToolRefused):
        world.do(tools.call("create_alert", {"title": "Obras", "events": [{"event": "award"}]}, check=True))
    with pytest.raises(ToolRefused):
        result.typed()


@pytest.mark.parametrize("name", ["create_alert", "create_opportunity_task", "change_opportunity_status"])
def test_a_confirmation_is_sent_only_where_the_caller_gave_it(world: Any, serve: Serve, name: str) -> None:
    double, url = serve()
    tools = opened(world, url)
    given = {key: value for key, value in ARGUMENTS[name].items() if key not in {"confirmed", "confirm_terminal"}}
    if name == "change_opportunity_status":
        given["target_status"] = "Abierta"
    world.do(tools.call(name, given))
    for spelling in (None, False):
        world.do(tools.call(name, given | {"confirmed": spelling} if "title" in given else given))
    for seen in double.seen:
        assert seen.message.get("params", {}).get("arguments", {}).get("confirmed") is not True
        assert "confirmTerminal" not in seen.message.get("params", {}).get("arguments", {})
    with pytest.raises(InvalidArgument):
        world.do(tools.call(name, given | {"confirmed": "true", "confirm_terminal": 1}))


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("search_tender", {}, "name"),
        ("search_tenders", {"page_size": 101}, "page_size"),
        ("search_tenders", {"pageSize": 0}, "page_size"),
        ("search_tenders", {"status": "Publicada"}, "status"),
        ("search_tenders", {"min_publication_date": "2026-01-01T00:00:00"}, "min_publication_date"),
        ("search_tenders", {"min_awarding_date": "2026-01-01T00:00:00Z"}, "min_awarding_date"),
        ("get_tender", {}, "id"),
        ("get_tender", {"id": 5}, "id"),
        ("get_tender", ["t1"], "arguments"),
        ("create_alert", {"title": "t", "events": []}, "events"),
        (
            "create_alert",
            {"title": "t", "events": [{"event": "award", "expirationOffset": "2"}]},
            "events[0].expiration_offset",
        ),
        ("update_alert", {"alert": "a", "confirmed": True}, "confirmed"),
        ("create_opportunity_task", {"opportunity": "o", "title": "t", "confirmed": "yes"}, "confirmed"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_its_field_and_not_sent(
    world: Any, serve: Serve, name: str, arguments: Any, field: str
) -> None:
    double, url = serve()
    with pytest.raises(InvalidArgument) as caught:
        world.do(opened(world, url).call(name, arguments))
    assert caught.value.field == field
    assert double.seen == []


def test_many_callers_at_once_share_one_session(serve: Serve) -> None:
    double, url = serve()

    async def storm() -> list[Any]:
        async with AsyncClient("https://api.example.org", KEY, mcp_url=f"{url}/mcp", rate_window=False) as client:
            tools = client.tool_server()
            assert client.tool_server() is tools
            return await asyncio.gather(*(tools.get_tender(f"t{number}") for number in range(40)))

    results = asyncio.run(storm())
    assert [result.data["id"] for result in results] == [f"t{number}" for number in range(40)]
    assert double.calls.count("server/discover") == 1


def test_threads_share_a_sync_tool_server(serve: Serve) -> None:
    from workbench.client import Client

    double, url = serve()
    ids: list[str] = []
    with Client("https://api.example.org", KEY, mcp_url=f"{url}/mcp", rate_window=False) as client:
        tools = client.tool_server()
        threads = [threading.Thread(target=lambda n=n: ids.append(tools.get_tender(f"t{n}").data["id"])) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(ids) == [f"t{number}" for number in range(8)]
    assert double.calls.count("server/discover") == 1


def test_a_closed_client_says_so(world: Any, serve: Serve) -> None:
    double, url = serve()
    client = world.open("https://api.example.org", KEY, mcp_url=f"{url}/mcp", rate_window=False)
    tools = client.tool_server()
    world.do(tools.whoami())
    close = client.aclose if world.kind == "async" else client.close
    world.do(close())
    world.do(close())
    with pytest.raises(ClientMisused):
        world.do(tools.whoami())
    with pytest.raises(ClientMisused):
        client.tool_server()
    assert double.calls == ["server/discover", "whoami"]


def test_a_tool_server_never_used_costs_nothing_to_close(world: Any) -> None:
    tools = world.open("https://api.example.org", KEY, mcp_url="https://tools.example.org/mcp").tool_server()
    assert repr(tools).endswith("('https://tools.example.org/mcp')")
    assert KEY not in repr(tools)


def test_another_event_loop_is_refused(serve: Serve) -> None:
    _, url = serve()
    client = AsyncClient("https://api.example.org", KEY, mcp_url=f"{url}/mcp", rate_window=False)
    tools = client.tool_server()
    with asyncio.Runner() as first:
        first.run(tools.whoami())
        with asyncio.Runner() as second, pytest.raises(ClientMisused):
            second.run(tools.whoami())
        first.run(client.aclose())


def test_the_sdk_loads_when_the_first_tool_is_called() -> None:
    program = (
        "import sys\nfrom workbench.client import Client\n"
        "client = Client('https://api.example.org', 'a-key-of-length')\nclient.tool_server()\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in {'mcp', 'mcp_types', 'starlette', 'uvicorn'}))\n"
        "client.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_the_contracts_tools_and_the_methods_are_the_same_twenty() -> None:
    methods = {name for name in vars(AsyncToolServer) if not name.startswith("_")}
    assert methods == set(TOOLS_BY_NAME)
    assert methods == {name for name in vars(ToolServer) if not name.startswith("_")}


@pytest.mark.parametrize("profile", ["local", "hosted"])
def test_a_client_that_nobody_closed_does_not_keep_the_interpreter_alive(serve: Serve, tmp_path: Path, profile: str) -> None:
    _, url = serve()
    options = f"'local', data={str(tmp_path)!r}" if profile == "local" else f"base_url={url!r}, api_key={KEY!r}"
    program = (
        f"import workbench\nclient = workbench.connect({options})\n"
        "try:\n    print(client.tool_server().whoami().tool)\nexcept workbench.NoToolServer:\n    print('none')\n"
    )
    environment = {"WORKBENCH_CONFIG": str(tmp_path), "WORKBENCH_DATA": str(tmp_path), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, env=environment)
    assert (done.returncode, done.stdout) == (0, "none\n" if profile == "local" else "whoami\n")
