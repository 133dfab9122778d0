"""One entry of a PLACSP feed becomes one notice. Its parts are read elsewhere; here they are put together and weighed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from workbench.feeds import placsp_codes
from workbench.feeds.amounts import amount
from workbench.feeds.moments import stamp
from workbench.feeds.notice import Notice, Origin, Party, Refused
from workbench.feeds.placsp_names import ATOM, CAC, CBC, PLACE_CAC, PLACE_CBC
from workbench.feeds.placsp_parties import buyer_of, first, location_of_buyer, text_at, text_of
from workbench.feeds.placsp_project import read_lot, read_project
from workbench.feeds.placsp_reading import Duration, Reading, days_of, end_of
from workbench.feeds.placsp_stages import (
    add_document,
    read_general_document,
    read_modification,
    read_process,
    read_result,
    read_valid_notice,
)
from workbench.feeds.xml_element import Element

_ID: Final = ATOM + "id"
_LINK: Final = ATOM + "link"
_SUMMARY: Final = ATOM + "summary"
_TITLE: Final = ATOM + "title"
_UPDATED: Final = ATOM + "updated"
_FOLDER: Final = PLACE_CAC + "ContractFolderStatus"

_CALL_NOTICE: Final = "DOC_CN"
_PRIOR_NOTICES: Final = ("DOC_PIN", "DOC_PIN_RTL")
_AWARD_NOTICES: Final = ("DOC_CAN_ADJ", "DOC_CAN_DEF")
_FORMALIZATION_NOTICES: Final = ("DOC_FORM", "DOC_FORM_ENC")
_MINOR_PROCEDURE: Final = "6"
_SUMMARY_LABEL: Final = re.compile(
    r"(?:(Id [Ll]icitaci\S{1,4}n|N\S{1,4}mero de expediente)|(\S{0,4}rgano de [Cc]ontrataci\S{1,4}n)|(Importe)|(Estado))\s*:"
)
_FIGURE: Final = re.compile(r"[^0-9.,]+")
_DOUBTFUL: Final = re.compile(r"[0-9]+[.,][0-9]{3}(?![0-9.,])").match


def source_of(source_id: str) -> str:
    """The feed that an id belongs to, by the name in its address: ``PlataformasAgregadasSinMenores``, else ``placsp``.

    It depends on the id alone, so an entry and its tombstone agree in whatever file they stand.
    """
    parts = source_id.split("/")
    return parts[-2] if len(parts) > 4 and parts[-2] and parts[0] in ("https:", "http:") else "placsp"


def _read_expedient(reading: Reading, element: Element) -> None:
    reading.notice.expedient = text_of(element)


def _read_status(reading: Reading, element: Element) -> None:
    reading.notice.source_status = text_of(element)


def _read_buyer(reading: Reading, element: Element) -> None:
    reading.notice.buyer, reading.notice.platform = buyer_of(element)


def _read_terms(reading: Reading, element: Element) -> None:
    stated = first(element, CAC + "Language")
    language = None if stated is None else text_at(stated, CBC + "ID")
    reading.notice.language = language.lower() if language else None


def _read_legal(reading: Reading, element: Element) -> None:
    add_document(reading, element, "Pliego de cláusulas administrativas")


def _read_technical(reading: Reading, element: Element) -> None:
    add_document(reading, element, "Pliego de prescripciones técnicas")


def _read_additional(reading: Reading, element: Element) -> None:
    add_document(reading, element, "Documento adicional")


_SECTIONS: Final[dict[str, Callable[[Reading, Element], None]]] = {
    CBC + "ContractFolderID": _read_expedient,
    PLACE_CBC + "ContractFolderStatusCode": _read_status,
    PLACE_CAC + "LocatedContractingParty": _read_buyer,
    CAC + "ProcurementProject": read_project,
    CAC + "ProcurementProjectLot": read_lot,
    CAC + "TenderingTerms": _read_terms,
    CAC + "TenderingProcess": read_process,
    CAC + "TenderResult": read_result,
    CAC + "LegalDocumentReference": _read_legal,
    CAC + "TechnicalDocumentReference": _read_technical,
    CAC + "AdditionalDocumentReference": _read_additional,
    PLACE_CAC + "GeneralDocument": read_general_document,
    PLACE_CAC + "ValidNoticeInfo": read_valid_notice,
    CAC + "ContractModification": read_modification,
}


def read_entry(entry: Element, origin: Origin) -> Notice | Refused:
    """The notice that an ``atom:entry`` holds, or why it cannot be one."""
    source_id = link = summary = title = updated = None
    folder: Element | None = None
    for child in entry:
        tag = child.tag
        if tag == _ID:
            source_id = text_of(child)
        elif tag == _LINK:
            link = child.get("href") or link
        elif tag == _SUMMARY:
            summary = text_of(child)
        elif tag == _TITLE:
            title = text_of(child)
        elif tag == _UPDATED:
            updated = text_of(child)
        elif tag == _FOLDER:
            folder = child
    if source_id is None:
        return Refused(origin, f"The entry has no id, so it cannot be told from others (its title: {_shown(title)}).")
    version_at = stamp(updated) if updated else None
    if version_at is None or folder is None:
        return Refused(origin, _why_not(updated, folder), source_id)
    notice = Notice(source_of(source_id), source_id, version_at, origin, "", link_url=link)
    reading = Reading(notice)
    for child in folder:
        section = _SECTIONS.get(child.tag)
        if section is not None:
            section(reading, child)
    _complete_from_summary(notice, title, summary)
    _weigh(reading)
    return notice


def _why_not(updated: str | None, folder: Element | None) -> str:
    if folder is None:
        return "The entry holds no contract folder (ContractFolderStatus), so it is not a tender."
    if updated is None:
        return "The entry cannot be placed among its versions: it has no time of update."
    return f"The entry cannot be placed among its versions: its time of update {_shown(updated)} is not a date and time."


def _shown(text: str | None) -> str:
    return "none" if text is None else repr(text if len(text) <= 80 else f"{text[:80]}…")


def _complete_from_summary(notice: Notice, title: str | None, summary: str | None) -> None:
    if notice.name is None:
        notice.name = title
    if notice.description is None:
        notice.description = summary
    if summary is None or (notice.expedient and notice.buyer and notice.buyer.name and notice.source_status):
        return
    labels = list(_SUMMARY_LABEL.finditer(summary))
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        value = summary[label.end() : following.start() if following else None].strip(" ;,")
        if value:
            _complete(notice, value, *label.groups())


def _complete(
    notice: Notice, value: str, folder: str | None, buyer: str | None, budget: str | None, status: str | None
) -> None:
    if folder and notice.expedient is None:
        notice.expedient = value
    elif buyer and (notice.buyer is None or notice.buyer.name is None):
        notice.buyer = notice.buyer or Party()
        notice.buyer.name = value
    elif budget and notice.budget_no_taxes is None and not _DOUBTFUL(value):
        notice.budget_no_taxes = amount(_FIGURE.sub("", value))
    elif status and notice.source_status is None:
        notice.source_status = placsp_codes.STATUS_WORDS.get(value.casefold(), value)


def _weigh(reading: Reading) -> None:
    notice = reading.notice
    code = notice.source_status
    notice.status = placsp_codes.status_of(code, reading.results, reading.notices, has_contract=bool(reading.contract_days))
    notice.rank = placsp_codes.RANKS.get(code, 0) if code else 0
    notice.cancelled = code == placsp_codes.ANNULLED
    notice.is_minor_contract = (
        notice.procedure_code == _MINOR_PROCEDURE or notice.source in placsp_codes.FEEDS_OF_MINOR_CONTRACTS
    )
    if reading.lots:
        _weigh_lots(reading)
    if not reading.locations and notice.buyer and (place := location_of_buyer(notice.buyer)):
        reading.locations.append(place)
    _weigh_dates(reading)
    notice.cpvs = tuple(reading.cpvs)
    notice.locations = tuple(reading.locations)
    notice.awards = tuple(reading.awards)
    notice.documents = tuple(reading.documents)
    notice.modifications = tuple(reading.modifications)
    notice.notes = tuple(reading.notes)


def _weigh_lots(reading: Reading) -> None:
    notice = reading.notice
    notice.lots = tuple(reading.lots)
    for lot in reading.lots:
        reading.cpvs.extend(cpv for cpv in lot.cpvs if cpv not in reading.cpvs)
        reading.locations.extend(place for place in lot.locations if place not in reading.locations)
    notice.partially_awarded = notice.source_status == placsp_codes.AWARDED and any(
        lot.id not in reading.results_lots for lot in reading.lots
    )
    notice.description = "\n".join(filter(None, (notice.description, *(lot.name for lot in reading.lots)))) or None


def _weigh_dates(reading: Reading) -> None:
    notice, notices = reading.notice, reading.notices
    published = notices.get(_CALL_NOTICE) or _earliest(notices, _PRIOR_NOTICES)
    notice.published_at = published or notice.version_at
    notice.published_estimated = published is None
    awarded = [award.awarded_at for award in reading.awards if award.awarded_at]
    notice.awarded_at = min(awarded) if awarded else _earliest(notices, _AWARD_NOTICES)
    contracts = reading.contract_days
    notice.formalized_at = min(contracts) if contracts else _earliest(notices, _FORMALIZATION_NOTICES)
    if reading.duration:
        notice.duration_days = days_of(reading.duration)
    elif reading.start and reading.end and reading.end >= reading.start:
        notice.duration_days = round((reading.end - reading.start).total_seconds() / 86_400)
    _weigh_end(reading)


def _weigh_end(reading: Reading) -> None:
    notice = reading.notice
    start = min(reading.starts) if reading.starts else None
    start = start or (min(reading.contract_days) if reading.contract_days else None) or reading.start
    if start is None and reading.duration and reading.end is None and notice.formalized_at:
        start = notice.formalized_at
        reading.notes.append("The end of the contract is counted from the formalization notice; no start is stated.")
    notice.expires_at = reading.end or _end(start, reading.duration)
    notice.extended_expires_at = _end(start, reading.final) or _end(notice.expires_at, reading.extension)


def _end(start: datetime | None, duration: Duration | None) -> datetime | None:
    return end_of(start, duration) if start and duration else None


def _earliest(notices: dict[str, datetime | None], kinds: tuple[str, ...]) -> datetime | None:
    days = [day for kind in kinds if (day := notices.get(kind))]
    return min(days) if days else None
