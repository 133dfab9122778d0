"""An account with a board, for the tests of pipelines, opportunities and tasks: its owner makes it, its key sees it."""

from __future__ import annotations

from itertools import count
from typing import Any

import httpx2

from workbench.service.administration import BoardAdministration
from workbench.service.board_templates import ActionPlan, StagePlan, StepPlan
from workbench.service.tracking import Tracking

STAGES = (
    StagePlan("Nueva", description="Recién llegada.", background="#E3F2FD", text="#0D3C61"),
    StagePlan("En estudio"),
    StagePlan("En espera", shown=False),
    StagePlan("Ganada", "won"),
    StagePlan("Perdida", "lost"),
)
STEPS = (
    StepPlan("Decidir", (ActionPlan("Leer el pliego", "tender"), ActionPlan("Decidir si se va"))),
    StepPlan("Presentar", (ActionPlan("Firmar los sobres", "document"),)),
)
UNKNOWN = "00000000-0000-4000-8000-000000000000"
_numbers = count(1)


class BoardWorld:
    """One account of a world with users, a team, two pipelines, and the opportunities it is asked to track."""

    def __init__(self, world: Any, label: str = "Tablero") -> None:
        self.world = world
        self.label = f"{label} {next(_numbers)}"
        self.account = world.access.create_account(self.label)
        self.users = [world.access.create_user(self.account.slug, f"{self.label} persona {n}") for n in range(3)]
        self.team = world.access.create_team(self.account.slug, f"{self.label} equipo", [self.users[0].id])
        self.administration = BoardAdministration(world.database, self.account.slug)
        self.tracking = Tracking(world.database, self.account.slug)
        self.pipeline = self.administration.create_pipeline(f"{self.label} concursos", STAGES)
        self.other_pipeline = self.administration.create_pipeline(f"{self.label} otros", STAGES)
        self.administration.add_workflow(self.pipeline["id"], STEPS)
        self.key = world.new_key(f"{self.label} clave", account_slug=self.account.slug, rate_limit=1_000_000)
        self.stages = {stage["name"]: stage["id"] for stage in self.pipeline["statuses"]}

    def track(self, tender: dict[str, Any], **options: Any) -> str:
        """Track a tender on the first pipeline; gives the opportunity's id."""
        return self.tracking.track(tender["id"], self.pipeline["id"], again=True, **options)["id"]

    def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return self.world.call(method, path, key=self.key, **options)

    def get(self, path: str, **options: Any) -> Any:
        """The JSON of a GET that must succeed."""
        answer = self.call("GET", path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def move(self, opportunity: str, stage: str) -> httpx2.Response:
        """A move to a stage by its name or id."""
        body = {"targetStatusId": self.stages.get(stage, stage)}
        return self.call("PUT", f"/v1/opportunities/{opportunity}/status", json=body)

    def column(self, stage: str, **query: Any) -> list[dict[str, Any]]:
        """Every opportunity of a stage, page by page."""
        found: list[dict[str, Any]] = []
        path = f"/v1/kanban/{self.pipeline['id']}/status/{self.stages[stage]}/opportunities"
        for page in range(1, 1_000):
            answer = self.get(path, params={**query, "page": page})
            found += answer["data"]
            if not answer["pagination"]["hasNextPage"]:
                return found
        raise AssertionError("the pages never end")

    def totals(self, **query: Any) -> dict[str, tuple[int, float]]:
        """Count and sum of each stage by its name, in the order of the answer."""
        answer = self.get(f"/v1/kanban/{self.pipeline['id']}/status", params=query)
        return {one["status"]["name"]: (one["opportunityCount"], one["totalAmount"]) for one in answer}
