"""One question, three faces: the command, Python and the terminal UI give the same tenders in the same order, on real data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tui_stage import Stage

import workbench
from workbench.contract.vocabulary import TenderSort
from workbench.local import import_files
from workbench.tui.app import WorkbenchApp
from workbench.tui.query import Choice, Query
from workbench.tui.session import Start

pytestmark = pytest.mark.anyio

QUESTIONS: dict[str, tuple[list[str], dict[str, Any], Query]] = {
    "words, status, province, budget": (
        ["obras carretera", "--status", "Publicada", "--location", "province/08", "--min-budget", "100000"],
        {"text": "obras carretera", "status": ["Publicada"], "locations": ["province/08"], "min_budget": 100_000},
        Query("obras carretera", ("Publicada",), places=(Choice("province/08", "Barcelona"),), min_budget=100_000),
    ),
    "either word, two provinces": (
        ["carretera OR camino", "--location", "province/30", "--location", "province/33"],
        {"text": "carretera OR camino", "locations": ["province/30", "province/33"]},
        Query("carretera OR camino", places=(Choice("province/30", "Murcia"), Choice("province/33", "Asturias"))),
    ),
    "works by budget, least first": (
        ["obras -suministro", "--cpv", "45000000-7", "--sort", "by-budget", "--ascending"],
        {"text": "obras -suministro", "cpvs": ["45000000-7"], "sort": "by-budget", "is_descendent": False},
        Query("obras -suministro", cpvs=(Choice("45000000-7", "Works"),), sort=TenderSort.BUDGET, descending=False),
    ),
}


@pytest.fixture(scope="module")
def data(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded service's folder with every PLACSP file that is here."""
    folder = tmp_path_factory.mktemp("faces")
    report = import_files(None, sorted((shared_data / "placsp").glob("Plataformas*")), data=folder)
    assert not report.refusals
    return folder


def printed_by_the_command(options: list[str], data: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "workbench", "search", *options, "--all", "--json", "--data", str(data)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.requirement("TND-1", "TND-2", "TUI-1")
async def test_the_three_faces_agree(data: Path, tmp_path: Path, question: str) -> None:
    options, filters, query = QUESTIONS[question]
    printed = printed_by_the_command(options, data)
    with workbench.connect("local", data=data) as client:
        read = [tender.to_wire() for tender in client.tenders.iterate(**filters)]
    app = WorkbenchApp(Start("local", data), download_folder=tmp_path)
    async with app.run_test(size=(140, 50)) as pilot:
        on = Stage(app, pilot)
        await on.until(lambda: app.session.caller is not None)
        await on.idle()
        app.search_screen.ask(query)
        await on.idle()
        await on.press("escape")
        for _ in range(len(read) // 50):
            await on.press("G")
        shown = [tender.to_wire() for tender in app.search_screen.results.rows]
    assert printed == read == shown
    assert question.startswith("words") or len(read) > 10
