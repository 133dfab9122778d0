"""Words of the sample's boards: stages, steps, actions, tasks and the text of summaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from workbench.feeds.notice import Notice
from workbench.service.sample_course import MADRID
from workbench.service.sample_words import DISCLAIMER


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage as the sample makes it; ``pool`` is the kind of tender that stands in it."""

    name: str
    pool: str
    description: str
    background: str
    text: str
    outcome: str | None = None
    shown: bool = True


PIPELINES: Final = (("Public works bids", ("45",)), ("Services and IT", ("48", "71", "72", "79")))
"""Name of each pipeline, and the CPV divisions of the tenders on it."""

STAGES: Final[tuple[StagePlan, ...]] = (
    StagePlan("New", "open", "Just found by an alert or by hand; nobody has looked at it yet.", "#E3F2FD", "#0D3C61"),
    StagePlan("Qualifying", "open", "Is it worth a bid? Solvency, margin, capacity and competition.", "#E8EAF6", "#1A237E"),
    StagePlan("Preparing bid", "open", "Go decided: technical and economic offer are being written.", "#FFF8E1", "#5D4300"),
    StagePlan("On hold", "open", "Waiting for an answer from the buyer or for a partner.", "#F3E5F5", "#4A148C", shown=False),
    StagePlan("Submitted", "waiting", "Bid handed in; envelopes are being opened and evaluated.", "#E0F2F1", "#004D40"),
    StagePlan("Won", "won", "Contract awarded to us.", "#E8F5E9", "#1B5E20", "won"),
    StagePlan("Lost", "lost", "Awarded to somebody else.", "#FFEBEE", "#7F1D1D", "lost"),
    StagePlan("Discarded", "open", "We decided not to bid.", "#ECEFF1", "#37474F", "discarded", shown=False),
)

STEPS: Final = (
    ("Go or no-go", "Documents", "Technical offer", "Economic offer", "Submission"),
    ("Qualification", "Administrative part", "Solution design", "Pricing", "Submission"),
)
"""Names of the workflow's steps, for each pipeline."""

ACTIONS: Final[tuple[tuple[tuple[str, str], ...], ...]] = (
    (("Read the administrative specification", "tender"), ("Check solvency and classification", "opportunity"),
        ("Decide go or no-go", "opportunity")),
    (("Fill in the ESPD", "document"), ("Collect certificates", "document")),
    (("Draft the technical report", "document"), ("Plan the work and its milestones", "opportunity"),
        ("Internal review", "user")),
    (("Ask suppliers for prices", "task"), ("Close the price", "opportunity")),
    (("Sign the envelopes", "document"), ("Submit on the buyer's platform", "tender")),
)  # fmt: skip
"""Actions of each step: name and what it targets."""

TASKS: Final[tuple[tuple[str, str | None], ...]] = (
    ("Call the buyer about the site visit", "Ask which days are left and who has to register."),
    ("Ask for the bank guarantee", None),
    ("Preguntar por el desglose de lotes en la plataforma", "El anexo II no coincide con el cuadro de características."),
    ("Compare with last year's award", "Discount, number of bidders, winner."),
    ("Update the CVs of the team", None),
    ("Review abnormal-price rules", "Clause 5 of the administrative specification: 15 points below the mean."),
    ("Preparar la memoria técnica (máx. 40 páginas)", "Letra de 11 puntos; los anexos no cuentan."),
    ("Get three quotes for machinery", None),
    ("Traducir el resumen ejecutivo al catalán", None),
    ("Check the electronic signature of the attorney", "It has to be valid on the day of submission."),
    ("Agree on the joint venture's shares", "60/40 or 50/50?"),
    ("Upload the offer one day early", None),
)
"""Title and description."""

SUMMARY_NAMES: Final = ("Executive summary", "Solvency and award criteria", "Risks and penalties", "Deadlines and milestones")
FAILED_SUMMARY: Final = "Technical requirements"


def summary_text(notice: Notice) -> str:
    """A summary of a tender in Markdown: headings, lists, a table, a quotation and emphasis, as a reader should cope with."""
    buyer = notice.buyer.name if notice.buyer else "the buyer"
    budget = f"{notice.budget_no_taxes:,.2f} EUR" if notice.budget_no_taxes is not None else "not stated"
    deadline = notice.deadline_at.astimezone(MADRID).strftime("%d %B %Y, %H:%M") if notice.deadline_at else "not stated"
    lots = f"{len(notice.lots)} lots" if notice.lots else "no lots"
    return f"""# {_escaped(notice.name or "Tender")}

**{_escaped(buyer or "")}** buys this by *{_escaped(notice.procedure or "an unnamed procedure")}* ({notice.expedient},
    {lots}).

## Key facts

| Fact | Value |
|---|---|
| Budget without taxes | {budget} |
| Submission deadline | {deadline} (Madrid) |
| Duration | {notice.duration_days or "not stated"} days |
| CPV | {", ".join(notice.cpvs)} |

## What it takes

1. Annual turnover of 1.5 times the yearly value of the contract.
2. Three similar contracts in the last five years.
3. A responsible person with **five years** of experience.

## Award criteria

- Price: 60 points, proportional formula
- Technical quality: 30 points
- Improvements at no cost: 10 points
  - extended warranty
  - shorter response times

## Risks

> Delays cost 0.60 EUR a day for each 1,000 EUR of the price, and offers 15 points below the mean have to be justified.

Check `Annex II`: the list of lots there is older than the specification.

---

{DISCLAIMER["en"]}
"""


def _escaped(text: str) -> str:
    # A title is data: its brackets, stars and underscores must not become links or emphasis.
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in " ".join(text.split()))
