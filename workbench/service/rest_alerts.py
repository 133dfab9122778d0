"""The alert operations over REST: from a call to the use case and back (interface 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.contract import operations
from workbench.contract.alerts import AlertDraft, AlertListQuery, AlertPatch, AlertResultsSearch
from workbench.service.alerts import Alerts
from workbench.service.rest import Call, Handler, Reply, json_reply

if TYPE_CHECKING:
    from workbench.service.service import Service


def handlers(service: Service) -> Mapping[str, Handler]:
    """What answers each operation of alerts."""
    alerts = Alerts(service.database, service.tenders)

    def list_(call: Call) -> Reply:
        query = call.query if isinstance(call.query, AlertListQuery) else AlertListQuery()
        return json_reply(alerts.list(call.caller, query))

    def get(call: Call) -> Reply:
        return json_reply(alerts.get(call.caller, call.path["alertId"]))

    def create(call: Call) -> Reply:
        if not isinstance(call.body, AlertDraft):
            raise TypeError("the route reads the body as the operation's model")
        return json_reply(alerts.create(call.caller, call.body))

    def update(call: Call) -> Reply:
        return json_reply(alerts.update(call.caller, call.path["alertId"], call.body_as(AlertPatch)))

    def results(call: Call) -> Reply:
        return Reply(alerts.results(call.caller, call.path["alertId"], call.body_as(AlertResultsSearch)).to_json())

    return {
        operations.LIST_ALERTS.name: list_,
        operations.GET_ALERT.name: get,
        operations.CREATE_ALERT.name: create,
        operations.UPDATE_ALERT.name: update,
        operations.ALERT_RESULTS.name: results,
    }
