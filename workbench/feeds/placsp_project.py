"""What a PLACSP procedure buys: name, type, budget, CPV codes, places, duration, lots."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from workbench.feeds.notice import Location, Lot
from workbench.feeds.placsp_codes import CONTRACT_TYPES
from workbench.feeds.placsp_names import CAC, CBC
from workbench.feeds.placsp_parties import first, location_of, text_at, text_of
from workbench.feeds.placsp_reading import Duration, Reading, flag_of
from workbench.feeds.xml_element import Element
from workbench.reference import cpv

_ID: Final = CBC + "ID"
_NAME: Final = CBC + "Name"
_DESCRIPTION: Final = CBC + "Description"
_START_DATE: Final = CBC + "StartDate"
_END_DATE: Final = CBC + "EndDate"
_DURATION: Final = CBC + "DurationMeasure"
_TAX_EXCLUSIVE: Final = CBC + "TaxExclusiveAmount"
_TOTAL: Final = CBC + "TotalAmount"
_ESTIMATED: Final = CBC + "EstimatedOverallContractAmount"
_TYPE_CODE: Final = CBC + "TypeCode"
_SUBTYPE_CODE: Final = CBC + "SubTypeCode"
_MIXED: Final = CBC + "MixContractIndicator"
_CLASSIFICATION_CODE: Final = CBC + "ItemClassificationCode"
_BUDGET: Final = CAC + "BudgetAmount"
_CLASSIFICATION: Final = CAC + "RequiredCommodityClassification"
_LOCATION: Final = CAC + "RealizedLocation"
_PLANNED_PERIOD: Final = CAC + "PlannedPeriod"
_EXTENSION: Final = CAC + "ContractExtension"
_VALIDITY: Final = CAC + "OptionValidityPeriod"
_PROJECT: Final = CAC + "ProcurementProject"

_PERIOD_WORDS: Final = re.compile(
    r"\b([0-9]{1,3})\s*(?:\([^()]{0,40}\)\s*)?(?:(mes(?:es|os)?)|(año|any|ano)s?|(d[ií]a|día)s?)\b", re.IGNORECASE
)


def read_project(reading: Reading, element: Element) -> None:
    """``ProcurementProject`` of the whole procedure."""
    notice = reading.notice
    for child in element:
        tag = child.tag
        if tag == _CLASSIFICATION:
            _add_cpv(reading, child, reading.cpvs)
        elif tag == _NAME:
            notice.name = text_of(child)
        elif tag == _TYPE_CODE:
            code = notice.contract_type_code = text_of(child)
            notice.contract_type = CONTRACT_TYPES.get(code, code) if code else None
        elif tag == _BUDGET:
            _read_budget(reading, child)
        elif tag == _LOCATION:
            _add_location(child, reading.locations)
        elif tag == _PLANNED_PERIOD:
            _read_planned_period(reading, child)
        else:
            _read_rare(reading, child, tag)


def _read_rare(reading: Reading, element: Element, tag: str) -> None:
    notice = reading.notice
    if tag == _DESCRIPTION:
        notice.description = text_of(element)
    elif tag == _SUBTYPE_CODE:
        notice.contract_subtype_code = text_of(element)
    elif tag == _MIXED:
        notice.mixed_contract = flag_of(element)
    elif tag == _EXTENSION:
        _read_extension(reading, element)


def read_lot(reading: Reading, element: Element) -> None:
    """One ``ProcurementProjectLot``. Its CPV codes also count for the procedure, its budget does not."""
    lot = Lot(id=text_at(element, _ID) or str(len(reading.lots) + 1))
    cpvs: list[str] = []
    places: list[Location] = []
    for child in element.iterchildren(_PROJECT):
        for part in child:
            tag = part.tag
            if tag == _NAME:
                lot.name = text_of(part)
            elif tag == _DESCRIPTION:
                lot.description = text_of(part)
            elif tag == _BUDGET:
                _read_lot_budget(reading, part, lot)
            elif tag == _CLASSIFICATION:
                _add_cpv(reading, part, cpvs)
            elif tag == _LOCATION:
                _add_location(part, places)
    lot.cpvs, lot.locations = tuple(cpvs), tuple(places)
    reading.lots.append(lot)


def _read_budget(reading: Reading, element: Element) -> None:
    notice = reading.notice
    for child in element:
        tag = child.tag
        if tag == _ESTIMATED:
            notice.estimated_value = reading.amount(child, "The estimated value", notice)
        elif tag == _TAX_EXCLUSIVE:
            notice.budget_no_taxes = reading.amount(child, "The budget without taxes", notice)
        elif tag == _TOTAL:
            notice.budget_with_taxes = reading.amount(child, "The budget with taxes", notice)


def _read_lot_budget(reading: Reading, element: Element, lot: Lot) -> None:
    for child in element:
        tag = child.tag
        if tag == _TAX_EXCLUSIVE:
            lot.budget_no_taxes = reading.amount(child, f"The budget without taxes of lot {lot.id}", lot)
        elif tag == _TOTAL:
            lot.budget_with_taxes = reading.amount(child, f"The budget with taxes of lot {lot.id}", lot)


@lru_cache(maxsize=16384)
def full_cpv(code: str) -> tuple[str, bool]:
    """A CPV code in its long form and whether CPV 2008 has it; a code that it has not comes back as it was given.

    The table decides the check digit: one that came with the code and differs is replaced.
    """
    known = cpv.get(code) or (cpv.get(code[:8]) if code[8:9] == "-" else None)
    return (known.full, True) if known else (code, False)


def _add_cpv(reading: Reading, element: Element, codes: list[str]) -> None:
    text = text_at(element, _CLASSIFICATION_CODE)
    if text is None:
        return
    code, known = full_cpv(text)
    if code not in codes:
        codes.append(code)
        if not known:
            reading.notes.append(f"CPV {text[:60]!r} is not among the codes of CPV 2008; it is kept as text.")


def _add_location(element: Element, places: list[Location]) -> None:
    place = location_of(element)
    if place is not None and place not in places:
        places.append(place)


def _read_planned_period(reading: Reading, element: Element) -> None:
    for child in element:
        tag = child.tag
        if tag == _DURATION:
            reading.duration = reading.duration_of(child, "The duration")
        elif tag == _START_DATE:
            reading.start = reading.day(child, "The start date")
        elif tag == _END_DATE:
            reading.end = reading.day(child, "The end date")


def _read_extension(reading: Reading, element: Element) -> None:
    for period in element.iterchildren(_VALIDITY):
        stated = first(period, _DURATION)
        if stated is not None:
            reading.extension = reading.duration_of(stated, "The extension")
        elif words := text_at(period, _DESCRIPTION):
            reading.extension = period_in_words(words)


def period_in_words(text: str) -> Duration | None:
    """The one period that a text names, as ``12 meses`` or ``2 (dos) años``; ``None`` where it names none or several."""
    found = {
        (float(number), "MON" if months else "ANN" if years else "DAY")
        for number, months, years, _days in _PERIOD_WORDS.findall(text)
    }
    return found.pop() if len(found) == 1 else None
