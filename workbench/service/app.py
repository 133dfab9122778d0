"""The ASGI application: the gate, the router behind it, and the table of what is answered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, Final

import anyio.to_thread
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.contract import operations
from workbench.contract.operations import Operation
from workbench.contract.record import JsonObject
from workbench.contract.tenders import TenderSearch
from workbench.contract.vocabulary import RATE_WINDOW_SECONDS
from workbench.service import cpv, rest_alerts, rest_boards, rest_summaries
from workbench.service.documents import fetched_answer, file_answer
from workbench.service.gate import Gate, Limits, send_json
from workbench.service.refusals import invalid, not_found
from workbench.service.rest import (
    Call,
    Handler,
    Reply,
    built,
    json_reply,
    method_not_allowed,
    nothing_here,
    routes,
)
from workbench.service.service import Service
from workbench.service.tenders import InvalidQuery

OPENAPI_PATH: Final = "/v1/openapi.json"


def create_app(service: Service, *, hosts: Collection[str] | None = None, limits: Limits | None = None) -> ASGIApp:
    """The application over ``service``. ``hosts`` are the names it answers to, ``None`` for any (interface 4.1)."""
    handlers = {name: _seen_through(service, handler) for name, handler in handlers_of(service).items()}
    operations_built = built(handlers)
    router = Router(
        [Route(OPENAPI_PATH, _Description(operations_built)), *routes(handlers)], redirect_slashes=False, default=nothing_here
    )
    return Gate(
        router,
        service.keys,
        service.windows,
        clock=service.clock,
        keyless=_keyless([OPENAPI_PATH, *(one.path for one in operations_built if one.keyless)]),
        on_use=service.note_use,
        hosts=hosts,
        limits=limits,
    )


def handlers_of(service: Service) -> Mapping[str, Handler]:
    """What answers each operation. An operation without a line here has no address and stands in no description."""
    return {
        operations.WHOAMI.name: partial(_whoami, service),
        operations.API_KEY.name: partial(_api_key, service),
        operations.SEARCH_TENDERS.name: partial(_search_tenders, service),
        operations.GET_TENDER.name: partial(_get_tender, service),
        operations.TENDER_SHEETS.name: partial(_tender_sheets, service),
        operations.DOWNLOAD_SHEET.name: partial(_download_sheet, service),
        operations.DOWNLOAD_DOCUMENT.name: partial(_download_document, service),
        operations.GET_ORGANIZATION.name: partial(_get_organization, service),
        operations.ORGANIZATION_AWARDS.name: partial(_organization_awards, service),
        operations.GET_CPV.name: _get_cpv,
        **rest_alerts.handlers(service),
        **rest_boards.handlers(service),
        **rest_summaries.handlers(service),
    }


def _seen_through(service: Service, handler: Handler) -> Handler:
    def handle(call: Call) -> Reply:
        with service.working():
            return handler(call)

    return handle


def _keyless(paths: Sequence[str]) -> Callable[[str], bool]:
    shape = re.compile("|".join(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for path in paths))
    return lambda path: shape.fullmatch(path) is not None


class _Description:
    """The OpenAPI description: the same bytes for everyone, without a key, so that tools can read it.

    It is made when it is first asked for: building every schema would be half the time of opening the service.
    """

    def __init__(self, described: Sequence[Operation[Any]]) -> None:
        self._described = described

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["operation_path"] = OPENAPI_PATH
        if scope["method"] != "GET":
            raise method_not_allowed(["GET"])
        await send_json(send, 200, await anyio.to_thread.run_sync(lambda: self._body))

    @cached_property
    def _body(self) -> bytes:
        from workbench.service.openapi import describe

        return json.dumps(describe(self._described), ensure_ascii=False).encode()


def _whoami(service: Service, call: Call) -> Reply:
    caller = call.caller
    account = service.access.account(caller.account_id)
    if account is None:
        raise RuntimeError("a key opens an account that is not there")
    linked = service.organizations.get(account.organization_id) if account.organization_id else None
    return json_reply(
        {
            "principal": {"type": "apiKey", "id": caller.key_id, "name": caller.key_name},
            "account": {"id": account.id, "name": account.name, "slug": account.slug},
            "organization": {"id": linked["id"], "name": linked["name"]} if linked else None,
            "plan": {"tier": account.plan_tier},
        }
    )


def _api_key(service: Service, call: Call) -> Reply:
    caller = call.caller
    return json_reply(
        {
            "id": caller.key_id,
            "name": caller.key_name,
            "rateLimit": {"limit": caller.rate_limit, "windowSeconds": RATE_WINDOW_SECONDS},
            "expiresAt": _iso(caller.expires_at),
            "lastUsedAt": _iso(service.keys.last_used(caller.key_id)),
            "isMcpEnabled": caller.mcp_enabled,
            "isActive": True,
            "createdAt": _iso(caller.created_at),
        }
    )


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _search_tenders(service: Service, call: Call) -> Reply:
    try:
        return Reply(service.tenders.search(call.body_as(TenderSearch)).to_json())
    except InvalidQuery as trouble:
        raise invalid(str(trouble)) from None


def _get_tender(service: Service, call: Call) -> Reply:
    record = service.tenders.get(call.path["id"])
    if record is None:
        raise not_found("No tender has this id.")
    return Reply(record.encode())


def _tender_sheets(service: Service, call: Call) -> Reply:
    sheets = service.tenders.sheets(call.path["id"])
    if sheets is None:
        raise not_found("No tender has this id.")
    return json_reply(sheets)


def _download_sheet(service: Service, call: Call) -> Reply:
    return _file(service, call, call.path["sheetId"])


def _download_document(service: Service, call: Call) -> Reply:
    from workbench.service.links import stale_link

    target = service.links.read(call.path["token"])
    if not service.keys.still_opens(target.key_id):
        raise stale_link()
    return _file(service, call, target.sheet_id)


def _file(service: Service, call: Call, sheet_id: str) -> Reply:
    document = service.tenders.document(sheet_id)
    if document is None:
        raise not_found("No document has this id.")
    if document.content is None:
        answer = fetched_answer(document, service.fetcher, call.headers)
    else:
        answer = file_answer(document, call.headers)
    return Reply(answer.body, answer.status, answer.headers, answer.chunks)


def _get_organization(service: Service, call: Call) -> Reply:
    return _organization(service.organizations.get(call.path["idOrSlug"]))


def _organization_awards(service: Service, call: Call) -> Reply:
    return _organization(service.organizations.awards(call.path["idOrSlug"]))


def _organization(found: JsonObject | None) -> Reply:
    if found is None:
        raise not_found("No organization has this id or slug.")
    return json_reply(found)


def _get_cpv(call: Call) -> Reply:
    found = cpv.describe(call.path["code"])
    if found is None:
        raise not_found("CPV 2008 has no such code; give its eight digits, such as 45233120, without the check digit.")
    return json_reply(found)
