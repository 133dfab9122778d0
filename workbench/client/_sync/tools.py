# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""The 20 tools of the tool server as methods (interface 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from workbench.client.tool_arguments import (
    ToolAlertDetails,
    ToolAlertFilters,
    ToolAlertPatch,
    ToolBoardSearch,
    ToolColumnOrder,
    ToolPage,
    ToolPeople,
    ToolTaskDetails,
    ToolTaskFilters,
    ToolTenderFilters,
    ToolTenderOrder,
)
from workbench.client.tool_results import ToolResult
from workbench.client.tools import ToolCalls
from workbench.contract.account import CallerContext
from workbench.contract.alerts import Alert
from workbench.contract.cpv import Cpv
from workbench.contract.opportunities import CreatedTask, Opportunity, Task, WorkflowAction
from workbench.contract.organizations import AwardStatistics, Organization
from workbench.contract.pipelines import Pipeline, StageTotal
from workbench.contract.record import Page
from workbench.contract.tenders import Tender, TenderSheet
from workbench.contract.tools import ToolEvent


class ToolServer(ToolCalls):
    """``client.tool_server()``: every tool by its name, and :meth:`call` for a name that is only known at run time.

    A method gives a ``ToolResult`` (``.data``, ``.references``, ``.typed()``), and raises ``ToolRefused(message, tool)`` where
    the tool answers with an error result; otherwise as :meth:`call`. Alerts and opportunities may be given as ids or as the
    addresses of their pages, pipelines and stages as ids or by their exact names. The server counts 30 requests a minute for
    a key, apart from the REST calls; the session takes up to three of them when it opens.
    """

    def search_tenders(self, **filters: Unpack[ToolTenderFilters]) -> ToolResult[Page[Tender]]:
        """One page of a tender search: page 1 of 10, newest publication first, unless said otherwise."""
        return self.call("search_tenders", filters, check=True)

    def get_tender(self, id: str) -> ToolResult[Tender]:  # noqa: A002 - the interface's name
        """One tender with every field."""
        return self.call("get_tender", {"id": id}, check=True)

    def get_tender_sheets(self, id: str) -> ToolResult[tuple[TenderSheet, ...]]:  # noqa: A002 - the interface's name
        """A tender's documents with short-lived links, for ``client.tenders.download_document``; no file comes by a tool."""
        return self.call("get_tender_sheets", {"id": id}, check=True)

    def get_cpv(self, code: str) -> ToolResult[Cpv]:
        """One CPV code, given without its check digit."""
        return self.call("get_cpv", {"code": code}, check=True)

    def get_organization(self, id_or_slug: str) -> ToolResult[Organization]:
        """A buyer or supplier."""
        return self.call("get_organization", {"id_or_slug": id_or_slug}, check=True)

    def get_organization_award_stats(self, id_or_slug: str) -> ToolResult[AwardStatistics]:
        """What an organization has awarded or won, by year and by sector."""
        return self.call("get_organization_award_stats", {"id_or_slug": id_or_slug}, check=True)

    def whoami(self) -> ToolResult[CallerContext]:
        """Who calls: principal, account, organization and plan."""
        return self.call("whoami", {}, check=True)

    def list_alerts(self, **filters: Unpack[ToolAlertFilters]) -> ToolResult[Page[Alert]]:
        """One page of saved alerts, by title and archive state: page 1 of 20."""
        return self.call("list_alerts", filters, check=True)

    def get_alert(self, alert: str) -> ToolResult[Alert]:
        """One alert."""
        return self.call("get_alert", {"alert": alert}, check=True)

    def get_alert_results(
        self, alert_id: str, *, text: str | None = None, **order: Unpack[ToolTenderOrder]
    ) -> ToolResult[Page[Tender]]:
        """One page of the tenders that match an alert; ``text`` filters after the alert's own criteria."""
        return self.call("get_alert_results", {"alert_id": alert_id, "text": text, **order}, check=True)

    def list_pipelines(self, **page: Unpack[ToolPage]) -> ToolResult[Page[Pipeline]]:
        """One page of pipelines with their stages: page 1 of 20."""
        return self.call("list_pipelines", page, check=True)

    def get_kanban_status_totals(
        self, pipeline_id: str, **people: Unpack[ToolPeople]
    ) -> ToolResult[tuple[StageTotal, ...]]:
        """A board in figures, stage by stage."""
        return self.call("get_kanban_status_totals", {"pipeline_id": pipeline_id, **people}, check=True)

    def get_kanban_opportunities_by_status(
        self, pipeline_id: str, status_id: str, **order: Unpack[ToolColumnOrder]
    ) -> ToolResult[Page[Opportunity]]:
        """One page of one column of a board: page 1 of 10."""
        arguments = {"pipeline_id": pipeline_id, "status_id": status_id, **order}
        return self.call("get_kanban_opportunities_by_status", arguments, check=True)

    def search_kanban_opportunities(
        self, pipeline_id: str, **search: Unpack[ToolBoardSearch]
    ) -> ToolResult[Mapping[str, tuple[Opportunity, ...]]]:
        """Opportunities of a board by stage id, at most ``limit`` of each stage."""
        return self.call("search_kanban_opportunities", {"pipeline_id": pipeline_id, **search}, check=True)

    def get_opportunity_workflow_actions(self, opportunity: str) -> ToolResult[tuple[WorkflowAction, ...]]:
        """The actions of an opportunity's workflow, step by step."""
        return self.call("get_opportunity_workflow_actions", {"opportunity": opportunity}, check=True)

    def list_opportunity_tasks(self, opportunity: str, **filters: Unpack[ToolTaskFilters]) -> ToolResult[Page[Task]]:
        """One page of an opportunity's tasks: page 1 of 20."""
        return self.call("list_opportunity_tasks", {"opportunity": opportunity, **filters}, check=True)

    def create_alert(
        self,
        title: str,
        events: Sequence[ToolEvent | Mapping[str, Any]],
        *,
        confirmed: bool = False,
        **details: Unpack[ToolAlertDetails],
    ) -> ToolResult[Alert]:
        """Create an alert. Without ``confirmed=True`` the tool refuses, and its words ask for the confirmation."""
        arguments = {"title": title, "events": events, **details, **_confirmation("confirmed", confirmed)}
        return self.call("create_alert", arguments, check=True)

    def update_alert(self, alert: str, **changes: Unpack[ToolAlertPatch]) -> ToolResult[Alert]:
        """Change an alert; what is not given stays. No confirmation is asked for."""
        return self.call("update_alert", {"alert": alert, **changes}, check=True)

    def change_opportunity_status(
        self, opportunity: str, target_status: str, *, confirm_terminal: bool = False
    ) -> ToolResult[None]:
        """Move an opportunity to a stage, by the stage's id or exact name; to where it is already, it changes nothing.

        A terminal stage closes the opportunity for good. So the stage is looked up first, with ``list_pipelines``; unless
        ``confirm_terminal`` is ``True``, ``TerminalMoveNotConfirmed`` is raised and the move is not sent where the stage is
        terminal, is not said to be open, is in no pipeline, or cannot be looked up.
        """
        arguments = {"opportunity": opportunity, "target_status": target_status}
        arguments |= _confirmation("confirm_terminal", confirm_terminal)
        return self.call("change_opportunity_status", arguments, check=True)

    def create_opportunity_task(
        self, opportunity: str, title: str, *, confirmed: bool = False, **details: Unpack[ToolTaskDetails]
    ) -> ToolResult[CreatedTask]:
        """Create a task. Without ``confirmed=True`` the tool refuses, and its words ask for the confirmation."""
        arguments = {"opportunity": opportunity, "title": title, **details, **_confirmation("confirmed", confirmed)}
        return self.call("create_opportunity_task", arguments, check=True)


def _confirmation(name: str, given: bool) -> dict[str, Any]:
    # Left out where it was not given, so that the bytes show what the caller said; anything odd goes on, to be refused.
    return {} if given is False else {name: given}
