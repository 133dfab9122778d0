"""``workbench serve`` as a process of its own, on a folder with a board to write to."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
from pydantic import SecretStr

from workbench.service.access import Access
from workbench.service.administration import BoardAdministration
from workbench.service.board_templates import StagePlan
from workbench.service.scope import AccountScope
from workbench.service.store.database import Database
from workbench.service.store.schema import METADATA

OPEN_STAGES = ("New", "Deciding", "Writing")
AMOUNT = 1_000.0


@dataclass(frozen=True)
class Board:
    """A pipeline whose stages are all open, and opportunities on it; keys of the account, hardly rationed and rationed."""

    pipeline: str
    stages: tuple[str, ...]
    opportunities: tuple[str, ...]
    key: SecretStr
    rationed_key: SecretStr


def board(folder: Path, count: int) -> Board:
    """A new database in ``folder`` with a board of ``count`` opportunities."""
    database = Database(folder)
    access = Access(database)
    account = access.default_account()
    made = BoardAdministration(database, account.slug).create_pipeline(
        "Load", [StagePlan(name) for name in OPEN_STAGES] + [StagePlan("Won", outcome="won")]
    )
    stages = tuple(stage["id"] for stage in made["statuses"] if not stage["isTerminal"])
    values: dict[str, Any] = {"pipeline_id": made["id"], "stage_id": stages[0], "responsibles": [], "teams": []}
    with AccountScope(database, account.id).writing() as rows:
        opportunities = tuple(
            rows.add(
                METADATA.tables["opportunity"],
                **{"name": f"Obra {number}", "amount": AMOUNT, "currency": "EUR", "sort_points": float(number), **values},
            )
            for number in range(count)
        )
    key = access.create_key("load", rate_limit=1_000_000_000).token
    rationed = access.create_key("rationed", rate_limit=40).token
    database.close()
    return Board(made["id"], stages, opportunities, key, rationed)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a service on ``folder`` and its process, which is ended at the end."""
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--json", "--no-key", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr else ""
            yield json.loads(line)["baseUrl"], process
        finally:
            process.kill()
            process.wait()


def client(address: str, key: SecretStr) -> httpx2.Client:
    """A client of the service with a key."""
    return httpx2.Client(base_url=address, headers={"api-key": key.get_secret_value()}, timeout=60)


def token() -> str:
    """A word that nothing else holds."""
    return uuid4().hex
