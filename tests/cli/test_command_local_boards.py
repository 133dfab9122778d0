"""``workbench local account|user|team|pipeline|workflow|track|order``: the owner's side of boards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Run

import workbench


@pytest.fixture(name="folder", scope="module")
def folder_(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from workbench.cli import main

    folder = tmp_path_factory.mktemp("boards") / "sample"
    assert main(["local", "sample", "--data", str(folder)]) == 0
    return folder


@pytest.fixture(name="local")
def local_(run: Run, folder: Path) -> Any:
    """Run ``workbench local …`` with ``--json`` and give what it printed."""

    def run_line(*argv: str) -> Any:
        outcome = run("local", *argv, "--data", folder, "--json")
        assert (outcome.code, outcome.err) == (0, "")
        return json.loads(outcome.out)

    return run_line


@pytest.fixture(name="tender")
def tender_(folder: Path) -> str:
    with workbench.connect("sample", data=folder) as client:
        return client.tenders.search(status=["Publicada"]).data[0].id


@pytest.mark.requirement("PIP-1", "OPP-1")
def test_an_account_gets_people_a_board_and_an_opportunity(local: Any, run: Run, folder: Path, tender: str) -> None:
    account = local("account", "create", "--name", "Acme Ñ", "--plan", "team")
    assert (account["slug"], account["planTier"]) == ("acme-n", "team")
    ana = local("user", "create", "--name", "Ana", "--email", "ana@example.org", "--account", "acme-n")
    team = local("team", "create", "--name", "Obras", "--member", "Ana", "--account", "acme-n")
    assert team["memberIds"] == [ana["id"]]
    stages = ("--stage", "Nueva", "--stage", "Fuera=hidden", "--stage", "Ganada=won", "--stage", "Perdida=lost")
    board = local("pipeline", "create", "--name", "Concursos", *stages, "--account", "acme-n")
    assert [(one["name"], one["outcomeType"], one["showInKanban"]) for one in board["statuses"]] == [
        ("Nueva", "open", True), ("Fuera", "open", False), ("Ganada", "won", True), ("Perdida", "lost", True)
    ]  # fmt: skip
    added = local("pipeline", "add-stage", "Oferta", "--pipeline", "Concursos", "--account", "acme-n")
    steps = ("--step", "Decidir: Leer@tender; Ir o no", "--step", "Presentar: Firmar@document")
    workflow = local("workflow", "create", "--pipeline", "Concursos", *steps, "--account", "acme-n")
    assert [len(step["actions"]) for step in workflow] == [2, 1]
    who = ("--responsible", "Ana", "--team", "Obras", "--account", "acme-n")
    card = local("track", tender, "--pipeline", "Concursos", *who)
    assert card["responsibles"] == [{"id": ana["id"], "name": "Ana"}]
    second = local("track", tender, "--pipeline", "Concursos", "--again", "--amount", "5", "--due", "2030-01-31T12:00Z", *who)
    assert (second["amount"], second["dueDate"]) == (5.0, "2030-01-31T12:00:00Z")
    placed = local("order", second["id"], "--before", card["id"], "--account", "acme-n")
    assert placed["sortPoints"] < card["sortPoints"]

    assert [one["slug"] for one in local("account", "list")] == ["acme-n", "local"]
    assert local("user", "list", "--account", "acme-n") == [ana]
    assert local("team", "list", "--account", account["id"]) == [team]
    (listed,) = local("pipeline", "list", "--account", "acme-n")
    assert added in listed["statuses"]
    assert local("workflow", "list", "--pipeline", board["id"], "--account", "acme-n") == workflow

    key = local("key", "create", "--name", "k", "--account", "acme-n")
    assert key["accountId"] == account["id"]
    for line in ("account list", "user list", "team list", "pipeline list"):
        outcome = run("local", *line.split(), *(() if "account" in line else ("--account", "acme-n")), "--data", folder)
        assert (outcome.code, outcome.err) == (0, "")
        assert "Id" in outcome.out
    told = run("local", "workflow", "list", "--pipeline", "Concursos", "--account", "acme-n", "--data", folder)
    assert "Firmar" in told.out


@pytest.mark.requirement("OPP-5")
def test_without_an_account_the_local_one_is_meant(local: Any, run: Run, folder: Path, tender: str) -> None:
    made = local("pipeline", "create", "--name", "Simple", "--template", "simple")
    local("workflow", "create", "--pipeline", "Simple")
    card = local("track", tender, "--pipeline", "Simple")
    with workbench.connect("sample", data=folder) as client:
        assert made["id"] in {pipeline.id for pipeline in client.pipelines.iterate()}
        actions = client.opportunities.workflow_actions(card["id"])
        assert len(actions) == 11
        marked = local("workflow", "mark", actions[0].id)
        assert marked["status"] == "completed"
        assert client.opportunities.workflow_actions(card["id"])[0].completed_at is not None
    said = run("local", "track", tender, "--pipeline", "Simple", "--data", folder, "--again")
    assert said.code == 0
    assert said.out.startswith("Tracking ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("pipeline", "create", "--name", "x", "--stage", "a", "--template", "simple"), "not of both"),
        (("pipeline", "create", "--name", "x", "--template", "none"), "the templates are bids, simple"),
        (("pipeline", "create", "--name", "x", "--stage", "a=won"), "needs an open stage"),
        (("workflow", "create", "--pipeline", "Nope"), "no pipeline 'Nope'"),
        (("workflow", "mark", "x"), "No workflow action has the id 'x'"),
        (("track", "x", "--pipeline", "Public works bids"), "No tender has the id 'x'"),
        (("order", "x"), "No opportunity has the id 'x'"),
        (("user", "list", "--account", "nobody"), "no account 'nobody'"),
        (("team", "create", "--name", "x", "--member", "Nobody"), "'Nobody' is no user of the account"),
        (("account", "create", "--name", "x", "--slug", "Not A Slug"), "is no slug"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, folder: Path, line: tuple[str, ...], words: str) -> None:
    outcome = run("local", *line, "--data", folder)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_an_empty_service_says_what_to_do(run: Run, tmp_path: Path) -> None:
    for what in ("user", "team", "pipeline"):
        outcome = run("local", what, "list", "--data", tmp_path / "new")
        assert (outcome.code, outcome.out) == (0, "")
        assert f"`workbench local {what} create" in outcome.err
