"""The canonical notice: what every feed is mapped to and all that the store needs to know of a source.

Names follow OCDS and eForms (buyer, supplier, award, lot, procedure). Amounts are plain numbers in the currency beside
them; ``None`` is "not stated" and never zero. Moments are aware datetimes in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(slots=True)
class Party:
    """An organization as one notice names it. No contact person is ever read (personal data).

    ``identifiers`` are ``(scheme, value)`` pairs as published, such as ``("NIF", "A28114742")`` or ``("DIR3", "L01080193")``;
    placeholders such as ``-`` or ``A9999999`` are left out. The best one for telling organizations apart comes first.
    ``parents`` are the names of the bodies it belongs to, nearest first, which some names need to be told apart.
    """

    name: str | None = None
    identifiers: tuple[tuple[str, str], ...] = ()
    parents: tuple[str, ...] = ()
    activity: str | None = None
    authority_type: str | None = None
    country: str | None = None
    province: str | None = None
    city: str | None = None
    post_code: str | None = None
    street: str | None = None
    web_url: str | None = None
    profile_url: str | None = None


@dataclass(slots=True)
class Location:
    """A place of performance: ISO 3166-1 alpha-2 country, INE province code, town; ``label`` is the source's own wording."""

    country: str | None = None
    province: str | None = None
    town: str | None = None
    nuts: str | None = None
    label: str | None = None


@dataclass(slots=True)
class Lot:
    """One lot. Its budget is a part of the procedure's and is never added to it."""

    id: str
    name: str | None = None
    description: str | None = None
    cpvs: tuple[str, ...] = ()
    budget_no_taxes: float | None = None
    budget_with_taxes: float | None = None
    currency: str | None = None
    locations: tuple[Location, ...] = ()


@dataclass(slots=True)
class Award:
    """One result for one winner; a result without a winner (deserted, withdrawn) has ``supplier`` ``None``.

    ``offers`` is the number of tenders received for the result. ``result_code`` is the source's code, ``result`` its words.
    Where a result names several winners and one amount, the amount stands with the first, so that sums count it once.
    ``awarded_at`` is what the result itself states; where it states nothing, `Notice.awarded_at` may still know.
    """

    lot_id: str | None = None
    result_code: str | None = None
    result: str | None = None
    description: str | None = None
    supplier: Party | None = None
    amount_no_taxes: float | None = None
    amount_with_taxes: float | None = None
    currency: str | None = None
    offers: int | None = None
    lowest_offer: float | None = None
    highest_offer: float | None = None
    awarded_at: datetime | None = None
    contract_at: datetime | None = None
    contract_start: datetime | None = None
    joint_venture: bool = False
    sme_offers: int | None = None
    sme_winner: bool | None = None
    abnormally_low: bool | None = None


@dataclass(slots=True)
class Document:
    """A published file. ``uri`` may carry a token of the source, so ``source_id`` or ``digest`` tell files apart."""

    name: str
    uri: str | None = None
    source_id: str | None = None
    digest: str | None = None
    type: str | None = None
    mime_type: str | None = None
    published_at: datetime | None = None
    language: str | None = None


@dataclass(slots=True)
class Modification:
    """A change of a contract: what it adds, and the amount and duration it ends with."""

    id: str | None = None
    contract_id: str | None = None
    amount_no_taxes: float | None = None
    final_amount_no_taxes: float | None = None
    final_duration_days: int | None = None
    currency: str | None = None


@dataclass(slots=True)
class Origin:
    """Where an item was read: file name, member of an archive, and its position there.

    ``position`` counts from 1, entries and tombstones each on their own. ``file_time`` is the file's own time stamp,
    ``20220105_030012``, which sorts as text: between versions of equal time the one of the newer file wins.
    """

    file: str
    member: str | None = None
    position: int | None = None
    file_time: str | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.member}" if self.member else self.file
        return f"{place} entry {self.position}" if self.position else place


@dataclass(slots=True)
class Notice:
    """One version of one procedure as published. ``(source, source_id)`` is its key, ``version_at`` orders versions.

    ``status`` is the interface's word (section 3), ``source_status`` the source's own code; ``rank`` breaks ties between
    versions of equal time: the later stage of the procedure wins. ``partially_awarded`` says that some lots have no result
    yet. ``published_estimated`` marks a ``published_at`` that the source does not state and that is only when this version
    appeared: among versions the earliest counts. ``expires_at`` is always worked out (start and duration), never stated.
    ``notes`` are sentences about what was odd in the source: nothing is corrected in silence.
    """

    source: str
    source_id: str
    version_at: datetime
    origin: Origin
    status: str
    rank: int = 0
    source_status: str | None = None
    cancelled: bool = False
    partially_awarded: bool = False
    platform: str | None = None
    link_url: str | None = None
    expedient: str | None = None
    name: str | None = None
    description: str | None = None
    contract_type: str | None = None
    contract_type_code: str | None = None
    contract_subtype_code: str | None = None
    mixed_contract: bool | None = None
    procedure: str | None = None
    procedure_code: str | None = None
    urgency: str | None = None
    contracting_system: str | None = None
    is_minor_contract: bool = False
    language: str | None = None
    currency: str | None = None
    budget_no_taxes: float | None = None
    budget_with_taxes: float | None = None
    estimated_value: float | None = None
    duration_days: int | None = None
    cpvs: tuple[str, ...] = ()
    locations: tuple[Location, ...] = ()
    buyer: Party | None = None
    lots: tuple[Lot, ...] = ()
    awards: tuple[Award, ...] = ()
    documents: tuple[Document, ...] = ()
    modifications: tuple[Modification, ...] = ()
    published_at: datetime | None = None
    published_estimated: bool = False
    deadline_at: datetime | None = None
    deadline_text: str | None = None
    awarded_at: datetime | None = None
    formalized_at: datetime | None = None
    expires_at: datetime | None = None
    extended_expires_at: datetime | None = None
    notes: tuple[str, ...] = field(default=())


class WithdrawalReason(StrEnum):
    """Why a source took a notice back: cancelled, archived on the platform (not cancelled), or no reason stated."""

    CANCELLED = "ANULADA"
    ARCHIVED = "CERRADA"
    UNSTATED = ""


@dataclass(slots=True)
class Withdrawal:
    """A tombstone (RFC 6721): the source no longer shows this notice. Local data is marked, never deleted."""

    source: str
    source_id: str
    at: datetime
    origin: Origin
    reason: WithdrawalReason = WithdrawalReason.UNSTATED


@dataclass(slots=True)
class Refused:
    """Something that could not be read, with the reason as a sentence; nothing is dropped without one of these."""

    origin: Origin
    reason: str
    source_id: str | None = None


FeedItem = Notice | Withdrawal | Refused
