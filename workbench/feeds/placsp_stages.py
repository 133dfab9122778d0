"""What becomes of a PLACSP procedure: deadline, results and winners, notices, documents, changes of contract."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from workbench.feeds import moments
from workbench.feeds.notice import Award, Document, Modification
from workbench.feeds.placsp_codes import CONTRACTING_SYSTEMS, PROCEDURES, RESULTS, URGENCIES
from workbench.feeds.placsp_document_codes import DOCUMENT_TYPES, MIME_TYPES, NOTICE_TYPES
from workbench.feeds.placsp_names import CAC, CBC, PLACE_CAC, PLACE_CBC
from workbench.feeds.placsp_parties import first, supplier_of, text_at, text_of
from workbench.feeds.placsp_reading import Reading, days_of, flag_of
from workbench.feeds.xml_element import Element

_ID: Final = CBC + "ID"
_DESCRIPTION: Final = CBC + "Description"
_ISSUE_DATE: Final = CBC + "IssueDate"
_START_DATE: Final = CBC + "StartDate"
_END_DATE: Final = CBC + "EndDate"
_END_TIME: Final = CBC + "EndTime"
_PROCEDURE: Final = CBC + "ProcedureCode"
_URGENCY: Final = CBC + "UrgencyCode"
_SYSTEM: Final = CBC + "ContractingSystemCode"
_SUBMISSION: Final = CAC + "TenderSubmissionDeadlinePeriod"
_PARTICIPATION: Final = CAC + "ParticipationRequestReceptionPeriod"
_RESULT_CODE: Final = CBC + "ResultCode"
_AWARD_DATE: Final = CBC + "AwardDate"
_RECEIVED: Final = CBC + "ReceivedTenderQuantity"
_LOWEST: Final = CBC + "LowerTenderAmount"
_HIGHEST: Final = CBC + "HigherTenderAmount"
_SME_RECEIVED: Final = CBC + "SMEsReceivedTenderQuantity"
_SME_AWARDED: Final = CBC + "SMEAwardedIndicator"
_ABNORMALLY_LOW: Final = CBC + "AbnormallyLowTendersIndicator"
_CONTRACT: Final = CAC + "Contract"
_WINNER: Final = CAC + "WinningParty"
_AWARDED_PROJECT: Final = CAC + "AwardedTenderedProject"
_LOT_ID: Final = CBC + "ProcurementProjectLotID"
_LEGAL_TOTAL: Final = CAC + "LegalMonetaryTotal"
_TAX_EXCLUSIVE: Final = CBC + "TaxExclusiveAmount"
_PAYABLE: Final = CBC + "PayableAmount"
_NOTICE_TYPE: Final = PLACE_CBC + "NoticeTypeCode"
_PUBLICATION_DOCUMENT: Final = PLACE_CAC + "AdditionalPublicationDocumentReference"
_GENERAL_REFERENCE: Final = PLACE_CAC + "GeneralDocumentDocumentReference"
_URI: Final = CBC + "URI"
_FILE_NAME: Final = CBC + "FileName"
_HASH: Final = CBC + "DocumentHash"
_DOCUMENT_TYPE: Final = CBC + "DocumentTypeCode"
_CONTRACT_ID: Final = CBC + "ContractID"
_MODIFICATION_TOTAL: Final = CAC + "ContractModificationLegalMonetaryTotal"
_FINAL_TOTAL: Final = CAC + "FinalLegalMonetaryTotal"
_FINAL_DURATION: Final = CBC + "FinalDurationMeasure"

_JOINT_VENTURE: Final = "UTE"
_OF_A_PERSON: Final = re.compile(r"[0-9XYZKLM][0-9]{7}[A-Z]", re.IGNORECASE).fullmatch


def read_process(reading: Reading, element: Element) -> None:
    """``TenderingProcess``: procedure, urgency, framework, and until when one may take part."""
    notice = reading.notice
    participation: Element | None = None
    for child in element:
        tag = child.tag
        if tag == _PROCEDURE:
            code = notice.procedure_code = text_of(child)
            notice.procedure = PROCEDURES.get(code, code) if code else None
        elif tag == _SUBMISSION:
            _read_deadline(reading, child)
        elif tag == _PARTICIPATION:
            participation = child
        elif tag == _URGENCY:
            code = text_of(child)
            notice.urgency = URGENCIES.get(code, code) if code else None
        elif tag == _SYSTEM:
            code = text_of(child)
            notice.contracting_system = CONTRACTING_SYSTEMS.get(code, code) if code else None
    if participation is not None and notice.deadline_text is None:
        _read_deadline(reading, participation)


def _read_deadline(reading: Reading, element: Element) -> None:
    day = clock = words = None
    for child in element:
        tag = child.tag
        if tag == _END_DATE:
            day = text_of(child)
        elif tag == _END_TIME:
            clock = text_of(child)
        elif tag == _DESCRIPTION:
            words = text_of(child)
    notice = reading.notice
    notice.deadline_text = " ".join(part for part in (day, clock) if part) or words
    if day is None:
        return
    notice.deadline_at = moments.deadline(day, clock)
    if notice.deadline_at is None and clock and (whole_day := moments.deadline(day, None)):
        reading.unreadable("The hour of the deadline", clock)
        notice.deadline_at = whole_day
    elif notice.deadline_at is None:
        reading.unreadable("The deadline", notice.deadline_text or day)
    elif clock is None:
        reading.notes.append("The deadline has no hour; the whole day counts.")


def read_result(reading: Reading, element: Element) -> None:
    """One ``TenderResult``: a row for each winner, or one row without a supplier."""
    award = Award()
    winners: list[Element] = []
    lots: list[str] = []
    for child in element:
        tag = child.tag
        if tag == _RESULT_CODE:
            code = award.result_code = text_of(child)
            if code:
                award.result = RESULTS.get(code, code)
                reading.results.add(code)
        elif tag == _RECEIVED:
            award.offers = reading.count(child, "The number of tenders received")
        elif tag == _WINNER:
            winners.append(child)
        elif tag == _AWARDED_PROJECT:
            _read_awarded(reading, child, award, lots)
        elif tag == _CONTRACT:
            award.contract_at = _earlier(award.contract_at, _contract_day(reading, child))
        else:
            _read_result_detail(reading, child, tag, award)
    if award.contract_at:
        reading.contract_days.append(award.contract_at)
    if award.contract_start:
        reading.starts.append(award.contract_start)
    award.lot_id = ", ".join(lots) or None
    reading.results_lots.update(lots)
    _add_awards(reading, award, winners)


def _read_result_detail(reading: Reading, child: Element, tag: str, award: Award) -> None:
    if tag == _AWARD_DATE:
        award.awarded_at = reading.day(child, "The award date")
    elif tag == _LOWEST:
        award.lowest_offer = reading.amount(child, "The lowest tender", award)
    elif tag == _HIGHEST:
        award.highest_offer = reading.amount(child, "The highest tender", award)
    elif tag == _START_DATE:
        award.contract_start = reading.day(child, "The start of the contract")
    elif tag == _SME_RECEIVED:
        award.sme_offers = reading.count(child, "The number of tenders of small firms")
    elif tag == _SME_AWARDED:
        award.sme_winner = flag_of(child)
    elif tag == _ABNORMALLY_LOW:
        award.abnormally_low = flag_of(child)
    elif tag == _DESCRIPTION:
        award.description = text_of(child)


def _read_awarded(reading: Reading, element: Element, award: Award, lots: list[str]) -> None:
    for child in element:
        tag = child.tag
        if tag == _LEGAL_TOTAL:
            for part in child:
                if part.tag == _TAX_EXCLUSIVE:
                    award.amount_no_taxes = reading.amount(part, "The award without taxes", award)
                elif part.tag == _PAYABLE:
                    award.amount_with_taxes = reading.amount(part, "The award with taxes", award)
        elif tag == _LOT_ID and (lot := text_of(child)) and lot not in lots:
            lots.append(lot)


def _contract_day(reading: Reading, element: Element) -> datetime | None:
    child = first(element, _ISSUE_DATE)
    return None if child is None else reading.day(child, "The date of the contract")


def _add_awards(reading: Reading, award: Award, winners: list[Element]) -> None:
    suppliers = [supplier for winner in winners if (supplier := supplier_of(winner)) is not None]
    if not suppliers:
        reading.awards.append(award)
        return
    if len(suppliers) > 1 and (award.amount_no_taxes is not None or award.amount_with_taxes is not None):
        reading.notes.append("One amount was awarded to several suppliers together; it stands with the first of them.")
    for number, supplier in enumerate(suppliers):
        row = replace(award, amount_no_taxes=None, amount_with_taxes=None) if number else award
        row.supplier = supplier
        row.joint_venture = any(_is_joint_venture(scheme, value) for scheme, value in supplier.identifiers)
        reading.awards.append(row)


def _is_joint_venture(scheme: str, value: str) -> bool:
    # Some persons and firms are filed under the scheme of joint ventures; a person's number gives that away.
    return value[:1] in "Uu" or (scheme == _JOINT_VENTURE and not _OF_A_PERSON(value))


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min(one, other) if one and other else one or other


def read_valid_notice(reading: Reading, element: Element) -> None:
    """``ValidNoticeInfo``: when a kind of notice was first published, and its files."""
    code = None
    day: datetime | None = None
    # Walked flat, as each of these tags has one place under it: there are more of these than of anything else.
    for part in element.iter():
        tag = part.tag
        if tag == _ISSUE_DATE:
            day = _earlier(day, reading.day(part, "The date of a notice"))
        elif tag == _NOTICE_TYPE:
            code = text_of(part)
        elif tag == _PUBLICATION_DOCUMENT and len(part) > 1:
            add_document(reading, part, NOTICE_TYPES.get(code, code) if code else None, only_with_file=True)
    if code:
        reading.notices[code] = _earlier(reading.notices.get(code), day)


def read_general_document(reading: Reading, element: Element) -> None:
    """``GeneralDocument``: minutes, reports and other files, typed by the code list or by their own name."""
    for reference in element.iterchildren(_GENERAL_REFERENCE):
        code = text_at(reference, _DOCUMENT_TYPE)
        add_document(reading, reference, DOCUMENT_TYPES.get(code, code) if code else DOCUMENT_TYPES["ZZZ"])


def add_document(reading: Reading, element: Element, kind: str | None, *, only_with_file: bool = False) -> None:
    """The file that a document reference names, of a kind in words.

    A reference that names nothing is no document; ``only_with_file`` also leaves out one without an address.
    """
    document = Document(name="", type=kind)
    file_name = None
    # Walked flat: each of these tags has one place in a document reference.
    for part in element.iter():
        tag = part.tag
        if tag == _URI:
            document.uri = text_of(part)
        elif tag == _ID:
            document.source_id = document.source_id or text_of(part)
        elif tag == _HASH:
            document.digest = text_of(part)
        elif tag == _FILE_NAME:
            file_name = text_of(part)
        elif tag == _ISSUE_DATE:
            document.published_at = reading.day(part, "The date of a document")
    name = file_name or document.source_id
    if document.uri or (name and not only_with_file):
        document.name = name or kind or "Documento"
        document.mime_type = MIME_TYPES.get(document.name.rpartition(".")[2].lower())
        reading.documents.append(document)


def read_modification(reading: Reading, element: Element) -> None:
    """``ContractModification``: what a change adds, and the amount and duration it ends with."""
    change = Modification()
    for child in element:
        tag = child.tag
        if tag == _ID:
            change.id = text_of(child)
        elif tag == _CONTRACT_ID:
            change.contract_id = text_of(child)
        elif tag == _FINAL_DURATION:
            final = reading.duration_of(child, "The final duration")
            if final:
                reading.final, change.final_duration_days = final, days_of(final)
        elif tag == _MODIFICATION_TOTAL and (part := first(child, _TAX_EXCLUSIVE)) is not None:
            change.amount_no_taxes = reading.amount(part, "The amount of a modification", change)
        elif tag == _FINAL_TOTAL and (part := first(child, _TAX_EXCLUSIVE)) is not None:
            change.final_amount_no_taxes = reading.amount(part, "The final amount of a modification", change)
    reading.modifications.append(change)
