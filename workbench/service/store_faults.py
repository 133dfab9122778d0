"""What a caller is told when the store cannot answer: a state of the service, not a fault of the request.

The store's own sentences name files of this machine; over HTTP these stand in their place, and the log has the others.
"""

from __future__ import annotations

from workbench.contract.errors import ErrorCode
from workbench.service.refusals import RequestRefused
from workbench.service.store.failures import SearchTooSlow, StoreBusy, StoreError, StoreFull


def refusal_of(trouble: StoreError) -> RequestRefused:
    """The 503 for a failure of the store."""
    match trouble:
        case StoreBusy():
            code, message = (
                ErrorCode.STORE_BUSY,
                "The database is busy with another program's writing; try again in a few seconds.",
            )
        case StoreFull():
            code, message = (
                ErrorCode.STORE_FULL,
                "The disk of this service is full. Nothing that was stored is lost; make room and try again.",
            )
        case SearchTooSlow():
            code, message = (
                ErrorCode.STORE_BUSY,
                "This search took too long and was stopped; narrow it with a filter or more exact words.",
            )
        case _:
            code, message = (
                ErrorCode.INTERNAL_ERROR,
                "The database of this service cannot be used just now; the service's own log says why.",
            )
    headers = {"retry-after": "2"} if code is ErrorCode.STORE_BUSY else {}
    return RequestRefused(503, code, message, headers)
