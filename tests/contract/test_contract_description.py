"""The served description held against the service by schemathesis: no 5xx, and no status that it does not name."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from workbench.contract.operations import MOVE_OPPORTUNITY, OPERATIONS
from workbench.service.access import Access
from workbench.service.fetching import FetchPolicy
from workbench.service.links import DocumentLinks
from workbench.service.sample import fill
from workbench.service.serve import Ready, run
from workbench.service.store.database import Database
from workbench.service.store.schema import METADATA
from workbench.service.summary_worker import SummaryWorker

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
"""Left out are the two that take a schema for all that a service may demand: that a place is written as one, for instance, or
that a time zone exists, is checked here and told in a 422, though no JSON schema says it."""

EXAMPLES = 40


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The sample workspace over HTTP: its address, a key that is hardly rationed, and ids that exist there."""
    if importlib.util.find_spec("schemathesis") is None:
        pytest.skip("schemathesis is not installed (extra dev)")
    folder = tmp_path_factory.mktemp("described")
    database = Database(folder)
    fill(database)
    SummaryWorker(database).run()
    access = Access(database)
    key = access.create_key("fuzz", rate_limit=1_000_000_000)
    known = ids(database, DocumentLinks(database), key.key.id, key.key.account_id)
    database.close()
    ready: list[Ready] = []
    answering, stop = threading.Event(), threading.Event()

    def note(one: Ready) -> None:
        ready.append(one)
        answering.set()

    # No document is fetched: the links of the sample lead nowhere.
    policy = FetchPolicy(judge=lambda _host, _port, _address: False)
    options: dict[str, Any] = {"port": 0, "on_ready": note, "no_key": True, "stop": stop, "fetching": policy}
    thread = threading.Thread(target=run, args=(folder,), kwargs=options)
    thread.start()
    assert answering.wait(60)
    yield ready[0].base_url, key.token.get_secret_value(), known
    stop.set()
    thread.join(60)


def ids(database: Database, links: DocumentLinks, key_id: str, account_id: str) -> dict[str, str]:
    """One existing value of each path parameter, chosen so that they belong together."""
    tables = METADATA.tables
    summary, opportunity = tables["summary"].c, tables["opportunity"].c
    with database.reader() as connection:
        one = connection.execute(
            select(summary.id, summary.opportunity_id, opportunity.pipeline_id, opportunity.stage_id)
            .join(tables["opportunity"], opportunity.id == summary.opportunity_id)
            .where(summary.status == "completed", summary.account_id == account_id)
            .order_by(summary.id)
        ).first()
        assert one is not None
        sheet = connection.execute(
            select(tables["document"].c.id, tables["document"].c.tender_id).where(tables["document"].c.content.is_not(None))
        ).first()
        assert sheet is not None
        alert = (
            connection.execute(select(tables["alert"].c.id).where(tables["alert"].c.account_id == account_id)).scalars().first()
        )
        organization = connection.execute(select(tables["organization"].c.slug)).scalars().first()
    return {
        "id": sheet.tender_id,
        "sheetId": sheet.id,
        "token": links.sign(sheet.id, key_id).token,
        "idOrSlug": str(organization),
        "code": "45000000",
        "alertId": str(alert),
        "pipelineId": one.pipeline_id,
        "statusId": one.stage_id,
        "opportunityId": one.opportunity_id,
        "summaryId": one.id,
    }


def fuzzed(address: str, key: str, folder: Path, known: dict[str, str], seed: int) -> dict[str, Any]:
    """What schemathesis finds; ``known`` are path parameters that it takes as they are."""
    settings = folder / "schemathesis.toml"
    settings.write_text("[parameters]\n" + "".join(f'"path.{name}" = "{value}"\n' for name, value in known.items()))
    report = folder / "report.json"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "--no-color", "run"]
    options = [
        "--max-examples",
        str(EXAMPLES),
        "--seed",
        str(seed),
        "--phases",
        "examples,coverage,fuzzing",
        "--warnings",
        "off",
    ]
    limits = ["--checks", ",".join(CHECKS), "--request-timeout", "30", "--report", "json", "--report-json-path", str(report)]
    done = subprocess.run(
        [*command, f"{address}/v1/openapi.json", "-H", f"api-key: {key}", *options, *limits],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("SCHEMATHESIS")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    return json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.requirement("ERR-1", "VER-1")
@pytest.mark.parametrize("ids_known", [True, False], ids=["ids that exist", "any ids"])
def test_nothing_breaks_the_service_and_every_status_is_described(
    served: tuple[str, str, dict[str, str]], tmp_path: Path, ids_known: bool
) -> None:
    address, key, known = served
    found = fuzzed(address, key, tmp_path, known if ids_known else {}, seed=20_260_315)
    assert found["operations"]["tested"] == len(OPERATIONS)
    assert found["test_cases"]["generated"] > 1_000
    assert (found["failures"], found["errors"]) == ([], [])
    if ids_known:
        # Else the 404 of an id would be all that was tested.
        reached = {name for name, phases in found["valid_rates"].items() if any(rate["accepted"] for rate in phases.values())}
        every = {f"{operation.method} {operation.path}" for operation in OPERATIONS}
        # That the target of a move is the id of a stage is nothing that a schema can say.
        assert every - reached <= {f"{MOVE_OPPORTUNITY.method} {MOVE_OPPORTUNITY.path}"}
