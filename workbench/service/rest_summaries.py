"""REST of summaries: the list of an opportunity's, and the PDF of one (interface 4.1 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from workbench.contract import operations
from workbench.contract.vocabulary import SummaryStatus
from workbench.service.documents import file_answer
from workbench.service.rest import Call, Handler, Reply, json_reply
from workbench.service.scope import AccountScope
from workbench.service.service import Service
from workbench.service.summaries import FinishedSummary, Summaries

_UNFINISHED = frozenset({SummaryStatus.PENDING.value, SummaryStatus.IN_PROGRESS.value})


def handlers(service: Service) -> Mapping[str, Handler]:
    """What answers each operation on summaries."""
    return {
        operations.LIST_SUMMARIES.name: partial(_list, service),
        operations.SUMMARY_PDF.name: partial(_pdf, service),
    }


@dataclass(frozen=True, slots=True)
class _Pdf:
    """The PDF as a document file."""

    name: str
    content: bytes
    mime_type: str = "application/pdf"
    uri: None = None


def _list(service: Service, call: Call) -> Reply:
    found = _summaries(service, call).all(call.path["opportunityId"].lower())
    if any(one["status"] in _UNFINISHED for one in found):
        # Whoever asks for it waits for it: where nobody else is at work on this folder, this process is from now on.
        service.summaries.wake()
    return json_reply(found)


def _pdf(service: Service, call: Call) -> Reply:
    from workbench.service.summary_pdf import render

    found = _summaries(service, call).finished(call.path["opportunityId"].lower(), call.path["summaryId"].lower())
    answer = file_answer(_Pdf(_file_name(found), render(found)), call.headers)
    return Reply(answer.body, answer.status, answer.headers)


def _summaries(service: Service, call: Call) -> Summaries:
    return Summaries(AccountScope(service.database, call.caller.account_id))


def _file_name(found: FinishedSummary) -> str:
    return f"{found.name}, {found.opportunity}"[:120].rstrip(" ,.") + ".pdf"
