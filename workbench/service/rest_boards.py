"""REST of pipelines, boards, moves, workflow and tasks: from a call to the use case of the caller's account (interface 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from workbench.contract import operations
from workbench.contract.opportunities import StageMove, TaskDraft, TaskQuery
from workbench.contract.pipelines import BoardQuery, BoardSearchQuery, ColumnQuery, PageQuery
from workbench.contract.request import Request
from workbench.service.boards import Boards
from workbench.service.opportunities import Opportunities
from workbench.service.rest import Call, Handler, Reply, json_reply
from workbench.service.scope import AccountScope, calling_key
from workbench.service.service import Service
from workbench.service.tasks import Tasks

RequestT = TypeVar("RequestT", bound=Request)


def handlers(service: Service) -> Mapping[str, Handler]:
    """What answers each operation on boards."""
    return {
        operations.LIST_PIPELINES.name: partial(_list_pipelines, service),
        operations.KANBAN_TOTALS.name: partial(_kanban_totals, service),
        operations.KANBAN_OPPORTUNITIES.name: partial(_kanban_opportunities, service),
        operations.KANBAN_SEARCH.name: partial(_kanban_search, service),
        operations.MOVE_OPPORTUNITY.name: partial(_move, service),
        operations.WORKFLOW_ACTIONS.name: partial(_workflow_actions, service),
        operations.LIST_TASKS.name: partial(_list_tasks, service),
        operations.CREATE_TASK.name: partial(_create_task, service),
    }


def scope_of(service: Service, call: Call) -> AccountScope:
    """The rows of the account that the caller's key opens, and no others."""
    return AccountScope(service.database, call.caller.account_id, calling_key(call.caller.key_id))


def _list_pipelines(service: Service, call: Call) -> Reply:
    return json_reply(Boards(scope_of(service, call)).pipelines(_query(call, PageQuery)))


def _kanban_totals(service: Service, call: Call) -> Reply:
    return json_reply(Boards(scope_of(service, call)).totals(_id(call, "pipelineId"), _query(call, BoardQuery)))


def _kanban_opportunities(service: Service, call: Call) -> Reply:
    boards = Boards(scope_of(service, call))
    return json_reply(boards.column(_id(call, "pipelineId"), _id(call, "statusId"), _query(call, ColumnQuery)))


def _kanban_search(service: Service, call: Call) -> Reply:
    return json_reply(Boards(scope_of(service, call)).search(_id(call, "pipelineId"), _query(call, BoardSearchQuery)))


def _move(service: Service, call: Call) -> Reply:
    target = call.body_as(StageMove).target_status_id
    Opportunities(scope_of(service, call)).move(_id(call, "opportunityId"), target)
    return Reply(b"")


def _workflow_actions(service: Service, call: Call) -> Reply:
    return json_reply(Opportunities(scope_of(service, call)).workflow_actions(_id(call, "opportunityId")))


def _list_tasks(service: Service, call: Call) -> Reply:
    return json_reply(Tasks(scope_of(service, call)).page(_id(call, "opportunityId"), _query(call, TaskQuery)))


def _create_task(service: Service, call: Call) -> Reply:
    made = Tasks(scope_of(service, call)).create(_id(call, "opportunityId"), call.body_as(TaskDraft))
    return json_reply({"id": made})


def _query(call: Call, model: type[RequestT]) -> RequestT:
    return call.query if isinstance(call.query, model) else model()


def _id(call: Call, name: str) -> str:
    # A uuid is the same in capitals (RFC 9562, section 4).
    return call.path[name].lower()
