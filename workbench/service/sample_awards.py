"""Lots, offers, winners and prices of the sample's procedures: lasting relations, a usual discount and few bidders."""

from __future__ import annotations

from random import Random

from workbench.feeds.notice import Award, Lot, Notice, Party
from workbench.service.sample_course import RESULTS, Course
from workbench.service.sample_parties import Supplier
from workbench.service.sample_themes import Sector

LOTS_SHARE = 0.26
SINGLE_BID_SHARE = 0.34
LOYALTY = 0.5
"""How often a buyer takes a supplier that it already knows from the same sector."""

_LOT_WORDS = {"es": "Lote", "ca": "Lot", "gl": "Lote", "eu": "Sorta", "pt": "Lote", "en": "Lot"}
_LOT_PARTS = (
    "zona norte",
    "zona sur",
    "zona centro",
    "zona este",
    "zona oeste",
    "edificios singulares",
    "urgencias",
    "repuestos",
)

Loyal = dict[tuple[str, str], list[Party]]


def make_lots(random: Random, notice: Notice) -> tuple[Lot, ...]:
    """The lots of a notice, whose budgets add up to the notice's; most procedures have none."""
    if notice.is_minor_contract or not notice.budget_no_taxes or random.random() > LOTS_SHARE:
        return ()
    count = random.choices((2, 3, 4, 5, 6, 8, 12), (40, 25, 14, 8, 6, 4, 3))[0]
    shares = [random.uniform(0.4, 1.6) for _ in range(count)]
    budgets = [round(notice.budget_no_taxes * share / sum(shares), 2) for share in shares]
    budgets[-1] = round(notice.budget_no_taxes - sum(budgets[:-1]), 2)
    word = _LOT_WORDS[notice.language or "es"]
    return tuple(
        Lot(
            id=str(position),
            name=f"{word} {position}: {_LOT_PARTS[(position - 1) % len(_LOT_PARTS)]}",
            cpvs=notice.cpvs[:1],
            budget_no_taxes=budget,
            currency=notice.currency,
            locations=notice.locations,
        )
        for position, budget in enumerate(budgets, start=1)
    )


def awards_of(
    random: Random, notice: Notice, course: Course, sector: Sector, suppliers: list[Supplier], loyal: Loyal
) -> tuple[Award, ...]:
    """One result for each lot, or one for the whole; none while the procedure is undecided."""
    code = course.outcome.result_code
    if code is None:
        return ()
    parts = [(lot.id, lot.budget_no_taxes) for lot in notice.lots] or [(None, notice.budget_no_taxes)]
    return tuple(_award(random, notice, code, lot_id, budget, sector, suppliers, loyal) for lot_id, budget in parts)


def _award(
    random: Random,
    notice: Notice,
    code: str,
    lot_id: str | None,
    budget: float | None,
    sector: Sector,
    suppliers: list[Supplier],
    loyal: Loyal,
) -> Award:
    if code in {"8", "9"} and lot_id is not None and random.random() < 0.06:
        code = "3"
    award = Award(lot_id=lot_id, result_code=code, result=RESULTS[code], currency=notice.currency, awarded_at=notice.awarded_at)
    if code not in {"8", "9"}:
        award.offers = 0 if code == "3" else None
        return award
    award.supplier = _winner(random, notice, sector, suppliers, loyal)
    award.offers = _offers(random, sector) if random.random() < 0.96 else None
    award.contract_at = award.contract_start = notice.formalized_at
    if budget is not None:
        award.amount_no_taxes = round(budget * (1 - _discount(random, sector, award.offers)), 2)
        award.amount_with_taxes = round(award.amount_no_taxes * (1 + sector.vat), 2)
        if (award.offers or 1) > 1:
            award.lowest_offer = round(award.amount_no_taxes * random.uniform(0.9, 1), 2)
            award.highest_offer = round(max(award.amount_no_taxes, budget * random.uniform(0.97, 1)), 2)
    return award


def _winner(random: Random, notice: Notice, sector: Sector, suppliers: list[Supplier], loyal: Loyal) -> Party:
    known = loyal.setdefault((str(notice.buyer.name if notice.buyer else ""), sector.name), [])
    if known and random.random() < LOYALTY:
        return random.choice(known)
    province = notice.locations[0].province if notice.locations else None
    weights = [supplier.weight * (3 if supplier.province == province else 1) for supplier in suppliers]
    winner = random.choices(suppliers, weights)[0].party
    if len(known) < 3 and winner not in known:
        known.append(winner)
    return winner


def _offers(random: Random, sector: Sector) -> int:
    if random.random() < SINGLE_BID_SHARE:
        return 1
    return min(28, 2 + int(random.expovariate(1 / sector.offers)))


def _discount(random: Random, sector: Sector, offers: int | None) -> float:
    """The share taken off the budget: less where nobody else bids; now and then an award above it, as in real data."""
    lot = random.random()
    if lot < 0.006:
        return -random.uniform(0.01, 0.05)
    if lot < 0.12:
        return 0.0
    competition = 0.35 if offers == 1 else 0.8 + min(offers or 2, 10) / 8
    return min(0.58, sector.discount * competition * random.lognormvariate(0, 0.7))
