"""How long searches take over many invented tenders: p50 and p95 of each kind of query, in milliseconds and as a ratio.

Run: ``python tests/bench/bench_search.py [--tenders 100000] [--keep FOLDER]``. The ratio is to the first page without filters,
which is the least that any search costs here.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from workbench.contract.tenders import TenderSearch
from workbench.feeds.notice import Location, Notice, Origin, Party
from workbench.reference import cpv, provinces
from workbench.service.store.database import Database
from workbench.service.store.importer import apply_items
from workbench.service.tenders import Tenders

NOW = datetime(2026, 11, 20, tzinfo=UTC)
START = datetime(2012, 1, 1, tzinfo=UTC)
COMMON = [
    "de",
    "la",
    "en",
    "y",
    "el",
    "obras",
    "servicio",
    "suministro",
    "mantenimiento",
    "contrato",
    "ayuntamiento",
    "proyecto",
    "limpieza",
    "edificio",
    "gestión",
]
SYLLABLES = [a + b for a in "bcdfglmnprst" for b in ("a", "e", "i", "o", "ón", "al")]
STATUSES = ("Adjudicada", "Resuelta", "Formalizada", "Cerrada")


def invented(count: int) -> Iterator[Notice]:
    """Tenders with words, codes, places and amounts distributed unevenly, as real ones are."""
    choose = random.Random(20261120)
    vocabulary = COMMON + ["".join(choose.choices(SYLLABLES, k=choose.randint(2, 4))) for _ in range(30_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    codes = [code.code for code in cpv.all_codes()]
    places = [province.ine for province in provinces.all_provinces()]
    place_weights = [1 / rank for rank in range(1, len(places) + 1)]
    days = (NOW - START).days
    for number in range(count):
        published = START + timedelta(days=int(days * choose.random() ** 0.6))
        deadline = published + timedelta(days=choose.randint(12, 50))
        is_open = deadline > NOW
        yield Notice(
            "invented",
            str(number),
            published + timedelta(hours=choose.randint(1, 2_000)),
            Origin("invented"),
            "Publicada" if is_open else choose.choice(STATUSES),
            name=" ".join(choose.choices(vocabulary, cum_weights=weights, k=choose.randint(5, 15))).capitalize(),
            description=" ".join(choose.choices(vocabulary, cum_weights=weights, k=choose.randint(15, 60))),
            contract_type=choose.choice(("Obras", "Servicios", "Suministros")),
            procedure=choose.choice(("Abierto", "Abierto simplificado")),
            currency="EUR",
            budget_no_taxes=round(choose.lognormvariate(11, 1.8), 2) if choose.random() < 0.95 else None,
            cpvs=tuple(choose.sample(codes, k=choose.randint(1, 3))),
            locations=(Location("ES", choose.choices(places, place_weights)[0]),),
            buyer=Party(f"Ayuntamiento {choose.randint(1, 5_000)}"),
            published_at=published,
            deadline_at=deadline,
            awarded_at=None if is_open else deadline + timedelta(days=90),
        )


def workload() -> dict[str, Callable[[random.Random], dict[str, Any]]]:
    """A query of each kind, by name; each call gives another one of the kind."""
    words = COMMON[5:]

    def place(choose: random.Random) -> tuple[str, ...]:
        return (f"province/{choose.randint(1, 20):02d}",)

    return {
        "no filter": lambda _: {},
        "page 200": lambda _: {"page": 200},
        "status": lambda c: {"status": (c.choice(STATUSES),)},
        "status, province, budget": lambda c: {
            "status": ("Formalizada",),
            "locations": place(c),
            "min_budget": 20_000.0,
            "max_budget": 200_000.0,
        },
        "CPV division": lambda c: {"cpvs": (c.choice(("45000000-7", "72000000-5", "90000000-7")),)},
        "open, by deadline": lambda _: {"is_only_within_deadline": True, "sort": "by-due-date", "is_descendent": False},
        "common word": lambda c: {"text": c.choice(words)},
        "two common words": lambda c: {"text": " ".join(c.sample(words, 2))},
        "two common words, relevance": lambda c: {"text": " ".join(c.sample(words, 2)), "sort": "by-relevance"},
        "common word, by budget": lambda c: {"text": c.choice(words), "sort": "by-budget"},
        "common word, by budget up": lambda c: {"text": c.choice(words), "sort": "by-budget", "is_descendent": False},
        "word, status, CPV, province": lambda c: {
            "text": c.choice(words),
            "status": ("Resuelta",),
            "cpvs": ("45000000-7",),
            "locations": place(c),
        },
        "phrase": lambda _: {"text": '"obras de la"'},
        "prefix": lambda c: {"text": f"{c.choice(SYLLABLES[:30])}{c.choice(SYLLABLES[:30])}*"},
        "OR and exclusion": lambda c: {"text": " OR ".join(c.sample(words, 3)) + " -limpieza"},
        "exclusion alone, by budget": lambda c: {"text": f"-{c.choice(words)}", "sort": "by-budget"},
        "province and 90 days, by budget": lambda c: {
            "locations": place(c),
            "min_publication_date": NOW - timedelta(days=90),
            "sort": "by-budget",
        },
        "highest budgets only": lambda _: {"min_budget": 20_000_000.0},
        "nothing matches": lambda c: {"text": "obras", "locations": place(c), "min_budget": 1e12},
        "by update": lambda _: {"sort": "by-update-date"},
    }


def measure(tenders: Tenders, runs: int) -> None:
    """Print the figures of every kind."""
    choose = random.Random(42)
    base = 0.0
    for name, make in workload().items():
        times: list[float] = []
        for _ in range(runs):
            search = TenderSearch(**make(choose))
            began = time.perf_counter()
            tenders.search(search)
            times.append((time.perf_counter() - began) * 1_000)
        times.sort()
        middle = statistics.median(times)
        base = base or middle
        print(f"{name:34} p50 {middle:8.2f} ms   p95 {times[int(len(times) * 0.95) - 1]:8.2f} ms   {middle / base:7.1f} times")


def main() -> None:
    """Fill a database unless it is kept from before, and measure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tenders", type=int, default=100_000)
    arguments.add_argument("--runs", type=int, default=25)
    arguments.add_argument("--keep", type=Path, help="a folder for the database, filled on the first run")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        folder: Path = given.keep or Path(passing)
        is_new = not folder.exists() or not any(folder.iterdir())
        database = Database(folder, clock=lambda: NOW)
        if is_new:
            began = time.process_time()
            apply_items(database, invented(given.tenders))
            size = database.path.stat().st_size
            seconds = time.process_time() - began
            print(
                f"filled in {seconds:.1f} s, {given.tenders / seconds:,.0f} tenders/s, {size / given.tenders:,.0f} bytes each"
            )
        measure(Tenders(database), given.runs)
        database.close()


if __name__ == "__main__":
    main()
