"""Parties and places of PLACSP entries: who buys, who wins, and where. Contact persons are never read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from workbench.feeds.notice import Location, Party
from workbench.feeds.placsp_codes import ACTIVITIES, AUTHORITY_TYPES, PLACEHOLDER_IDENTIFIERS, SPANISH_REGIONS
from workbench.feeds.placsp_names import CAC, CBC, PLACE_CAC
from workbench.feeds.xml_element import Element
from workbench.reference import provinces

_PARTY: Final = CAC + "Party"
_PARENT: Final = PLACE_CAC + "ParentLocatedParty"
_PARTY_TYPE: Final = CBC + "ContractingPartyTypeCode"
_ACTIVITY: Final = CBC + "ActivityCode"
_PROFILE: Final = CBC + "BuyerProfileURIID"
_PARTY_IDENTIFICATION: Final = CAC + "PartyIdentification"
_PARTY_NAME: Final = CAC + "PartyName"
_POSTAL_ADDRESS: Final = CAC + "PostalAddress"
_PHYSICAL_LOCATION: Final = CAC + "PhysicalLocation"
_AGENT: Final = CAC + "AgentParty"
_ADDRESS: Final = CAC + "Address"
_ADDRESS_LINE: Final = CAC + "AddressLine"
_COUNTRY: Final = CAC + "Country"
_WEB: Final = CBC + "WebsiteURI"
_NAME: Final = CBC + "Name"
_ID: Final = CBC + "ID"
_CITY: Final = CBC + "CityName"
_POSTAL_ZONE: Final = CBC + "PostalZone"
_STREET: Final = CBC + "StreetName"
_LINE: Final = CBC + "Line"
_COUNTRY_CODE: Final = CBC + "IdentificationCode"
_SUBENTITY: Final = CBC + "CountrySubentity"
_SUBENTITY_CODE: Final = CBC + "CountrySubentityCode"

_PARENTS_MAX: Final = 20
_SCHEMES_BY_WORTH: Final = {"NIF": 0, "DIR3": 1, "ID_PLATAFORMA": 2, "ID_OC_PLAT": 3}
_A_DIGIT: Final = re.compile(r"[1-9]").search
_NUTS: Final = re.compile(r"[A-Z]{2}[A-Z0-9]{0,3}").fullmatch
_COUNTRY_ALPHA_2: Final = re.compile(r"[A-Z]{2}").fullmatch
_COUNTRIES_OF_NUTS: Final = {"EL": "GR", "UK": "GB"}
_NO_NAMES: Final = frozenset({"-", "--", ".", "·"})


def text_of(element: Element) -> str | None:
    """The text of a leaf without blanks around it; ``None`` where there is none."""
    text = element.text
    return (text.strip() or None) if text else None


def first(element: Element, tag: str) -> Element | None:
    """The first child with this tag. Mostly it is the very first, which is much quicker to look at than to search for."""
    if len(element) == 0:
        return None
    child = element[0]
    if child.tag == tag:
        return child
    return next(element.iterchildren(tag), None)


def text_at(element: Element, tag: str) -> str | None:
    """The text of the first child with this tag; ``None`` where there is no such child or no text in it."""
    child = first(element, tag)
    return None if child is None else text_of(child)


def buyer_of(element: Element) -> tuple[Party, str | None]:
    """The buyer that a ``LocatedContractingParty`` states, and the platform its notice comes from, where one is named."""
    party, platform = Party(), None
    for child in element:
        tag = child.tag
        if tag == _PARTY:
            platform = _fill(party, child)
        elif tag == _PARENT:
            party.parents = _parents(child)
        elif tag == _PROFILE:
            party.profile_url = text_of(child)
        elif tag == _PARTY_TYPE:
            code = text_of(child)
            party.authority_type = AUTHORITY_TYPES.get(code, code) if code else None
        elif tag == _ACTIVITY:
            code = text_of(child)
            party.activity = ACTIVITIES.get(code, code) if code else None
    return party, platform


def supplier_of(element: Element) -> Party | None:
    """The supplier that a ``WinningParty`` states; ``None`` where it is only placeholders."""
    party = Party()
    _fill(party, element)
    return party if party.name or party.identifiers else None


def _fill(party: Party, element: Element) -> str | None:
    platform = None
    for child in element:
        tag = child.tag
        if tag == _PARTY_IDENTIFICATION:
            _add_identifier(party, child)
        elif tag == _PARTY_NAME:
            name = text_at(child, _NAME)
            party.name = None if name in _NO_NAMES else name
        elif tag == _POSTAL_ADDRESS:
            _fill_address(party, child)
        elif tag == _PHYSICAL_LOCATION:
            _fill_place(party, child)
        elif tag == _WEB:
            party.web_url = text_of(child)
        elif tag == _AGENT:
            named = first(child, _PARTY_NAME)
            platform = None if named is None else text_at(named, _NAME)
    return platform


def _add_identifier(party: Party, element: Element) -> None:
    child = first(element, _ID)
    value = None if child is None else text_of(child)
    if child is not None and value and _A_DIGIT(value) and value.upper() not in PLACEHOLDER_IDENTIFIERS:
        pair = (child.get("schemeName", "").strip(), value)
        known = party.identifiers
        party.identifiers = tuple(sorted({*known, pair}, key=_worth)) if known else (pair,)


def _worth(pair: tuple[str, str]) -> tuple[int, str, str]:
    return _SCHEMES_BY_WORTH.get(pair[0], len(_SCHEMES_BY_WORTH)), *pair


def _parents(element: Element) -> tuple[str, ...]:
    names: list[str] = []
    at: Element | None = element
    for _ in range(_PARENTS_MAX):
        if at is None:
            break
        above: Element | None = None
        for child in at:
            tag = child.tag
            if tag == _PARTY_NAME:
                name = text_at(child, _NAME)
                if name and name not in names:
                    names.append(name)
            elif tag == _PARENT and above is None:
                above = child
        at = above
    return tuple(names)


def _fill_place(party: Party, element: Element) -> None:
    nuts = text_at(element, _SUBENTITY_CODE)
    address = first(element, _ADDRESS)
    if address is not None:
        _fill_address(party, address)
    place = place_at(party.country, None, nuts, party.post_code, party.city)
    party.country, party.province = place.country, place.province


def _fill_address(party: Party, element: Element) -> None:
    lines: list[str] = []
    for child in element:
        tag = child.tag
        if tag == _CITY:
            party.city = text_of(child)
        elif tag == _POSTAL_ZONE:
            party.post_code = text_of(child)
        elif tag == _STREET:
            lines.append(text_of(child) or "")
        elif tag == _ADDRESS_LINE:
            lines.append(text_at(child, _LINE) or "")
        elif tag == _COUNTRY:
            party.country = text_at(child, _COUNTRY_CODE)
    party.street = ", ".join(line for line in lines if line) or None
    place = place_at(party.country, None, None, party.post_code, party.city)
    party.country, party.province = place.country, place.province


def location_of(element: Element) -> Location | None:
    """The place that a ``RealizedLocation`` states; ``None`` where it states none."""
    label = nuts = country = post_code = city = None
    for child in element:
        tag = child.tag
        if tag == _SUBENTITY_CODE:
            nuts = text_of(child)
        elif tag == _SUBENTITY:
            label = text_of(child)
        elif tag == _ADDRESS:
            city = text_at(child, _CITY)
            post_code = text_at(child, _POSTAL_ZONE)
            stated = first(child, _COUNTRY)
            country = None if stated is None else text_at(stated, _COUNTRY_CODE)
    return place_at(country, label, nuts, post_code, city) if label or nuts or country or post_code or city else None


def location_of_buyer(party: Party) -> Location | None:
    """The buyer's own address as a place of performance, for a notice that states none."""
    if not (party.country or party.province or party.city):
        return None
    return place_at(party.country, None, None, party.post_code, party.city)


@lru_cache(maxsize=8192)
def place_at(country: str | None, label: str | None, nuts: str | None, post_code: str | None, town: str | None) -> Location:
    """A place from what is known of it: the province by NUTS code, else by Spanish postcode, else by its name.

    The answer is shared between callers and must not be changed.
    """
    code = nuts.upper() if nuts and _NUTS(nuts.upper()) else None
    if country is None or not _COUNTRY_ALPHA_2(country):
        country = _COUNTRIES_OF_NUTS.get(code[:2], code[:2]) if code else None
    province = None
    if country in (None, "ES"):
        province = (
            (provinces.by_nuts(code) if code else None)
            or (provinces.by_postcode(post_code) if post_code else None)
            or (provinces.find(label) if label else None)
        )
    if province is not None:
        country = "ES"
    if label is None and province is None and code:
        label = SPANISH_REGIONS.get(code)
    return Location(country, province.ine if province else None, town, nuts, label)
