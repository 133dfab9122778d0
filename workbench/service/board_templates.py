"""What pipelines and workflows are made from: plans, and the templates that have a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

PlanT = TypeVar("PlanT")

OUTCOMES: Final = ("won", "lost", "discarded")
"""Outcomes that a terminal stage may stand for."""

TARGETS: Final = ("opportunity", "tender", "document", "task", "user")
"""What an action of a workflow may target."""

NAME_LENGTH_MAX: Final = 200


class BoardError(ValueError):
    """An administration step on boards that cannot be done; the text is a sentence for the person who asked for it."""


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage to make. One with an ``outcome`` is terminal; ``shown`` says whether it is a column of the board."""

    name: str
    outcome: str | None = None
    shown: bool = True
    description: str | None = None
    background: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """An action that each opportunity gets in a step of its workflow, and what it targets."""

    name: str
    target: str = "opportunity"


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A step of a workflow."""

    name: str
    actions: tuple[ActionPlan, ...] = ()


PIPELINES: Final[Mapping[str, tuple[StagePlan, ...]]] = {
    "bids": (
        StagePlan("New", None, True, "Just found; nobody has looked at it yet.", "#E3F2FD", "#0D3C61"),
        StagePlan("Qualifying", None, True, "Is it worth a bid?", "#E8EAF6", "#1A237E"),
        StagePlan("Preparing bid", None, True, "Go decided: the offer is being written.", "#FFF8E1", "#5D4300"),
        StagePlan("On hold", None, False, "Waiting for an answer or for a partner.", "#F3E5F5", "#4A148C"),
        StagePlan("Submitted", None, True, "Bid handed in and being evaluated.", "#E0F2F1", "#004D40"),
        StagePlan("Won", "won", True, "Contract awarded to us.", "#E8F5E9", "#1B5E20"),
        StagePlan("Lost", "lost", True, "Awarded to somebody else.", "#FFEBEE", "#7F1D1D"),
        StagePlan("Discarded", "discarded", False, "We decided not to bid.", "#ECEFF1", "#37474F"),
    ),
    "simple": (StagePlan("To do"), StagePlan("Doing"), StagePlan("Won", "won"), StagePlan("Lost", "lost")),
}
"""Stages by the name of their template."""

WORKFLOWS: Final[Mapping[str, tuple[StepPlan, ...]]] = {
    "bids": (
        StepPlan(
            "Go or no-go",
            (
                ActionPlan("Read the administrative specification", "tender"),
                ActionPlan("Check solvency and classification"),
                ActionPlan("Decide go or no-go"),
            ),
        ),
        StepPlan("Documents", (ActionPlan("Fill in the ESPD", "document"), ActionPlan("Collect certificates", "document"))),
        StepPlan(
            "Technical offer", (ActionPlan("Draft the technical report", "document"), ActionPlan("Internal review", "user"))
        ),
        StepPlan("Economic offer", (ActionPlan("Ask suppliers for prices", "task"), ActionPlan("Close the price"))),
        StepPlan(
            "Submission", (ActionPlan("Sign the envelopes", "document"), ActionPlan("Submit on the buyer's platform", "tender"))
        ),
    ),
}
"""Steps by the name of their template."""

DEFAULT_TEMPLATE: Final = "bids"
HIDDEN: Final = "hidden"


def stages_of(template: str | None) -> list[StagePlan]:
    """The stages of a template; those of ``bids`` for ``None``. Raises :class:`BoardError` for an unknown name."""
    return list(_template(PIPELINES, template))


def steps_of(template: str | None) -> list[StepPlan]:
    """The steps of a template; those of ``bids`` for ``None``. Raises :class:`BoardError` for an unknown name."""
    return list(_template(WORKFLOWS, template))


def read_stage(text: str) -> StagePlan:
    """The stage that ``NAME`` or ``NAME=KIND`` stands for; the kind is an outcome, or ``hidden`` for an open stage that is no
    column. What follows another ``=`` is part of the name."""
    name, mark, kind = text.rpartition("=")
    kind = kind.strip().lower()
    if mark and kind in OUTCOMES:
        return StagePlan(name.strip(), kind)
    return StagePlan(name.strip(), shown=False) if mark and kind == HIDDEN else StagePlan(text.strip())


def read_step(text: str) -> StepPlan:
    """The step that ``STEP: ACTION; ACTION@TARGET`` stands for."""
    name, _, actions = text.partition(":")
    return StepPlan(name.strip(), tuple(_read_action(one) for one in actions.split(";") if one.strip()))


def _read_action(text: str) -> ActionPlan:
    name, mark, target = text.rpartition("@")
    target = target.strip().lower()
    return ActionPlan(name.strip(), target) if mark and target in TARGETS else ActionPlan(text.strip())


def _template(known: Mapping[str, Sequence[PlanT]], name: str | None) -> Sequence[PlanT]:
    found = known.get(name or DEFAULT_TEMPLATE)
    if found is None:
        raise BoardError(f"There is no template {name!r}; the templates are {', '.join(known)}.")
    return found


def checked_name(name: str, what: str) -> str:
    """The name without blanks around it. Raises :class:`BoardError` for one that is empty, too long or not printable."""
    name = name.strip()
    if not name or len(name) > NAME_LENGTH_MAX or not name.isprintable():
        raise BoardError(f"The name of {what} is 1 to {NAME_LENGTH_MAX} printable characters.")
    return name


def check_stages(stages: Sequence[StagePlan]) -> None:
    """Raise :class:`BoardError` unless these stages make a pipeline: an open one to begin in, and each name once."""
    if all(stage.outcome is not None for stage in stages):
        raise BoardError("A pipeline needs an open stage, in which new opportunities begin.")
    names = [stage.name for stage in stages]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BoardError(f"Two stages have the name {twice!r}; a stage is told by its name.")
    for stage in stages:
        check_stage(stage)


def check_stage(stage: StagePlan) -> None:
    """Raise :class:`BoardError` for a stage whose name or outcome cannot be."""
    checked_name(stage.name, "a stage")
    if stage.outcome is not None and stage.outcome not in OUTCOMES:
        raise BoardError(f"{stage.outcome!r} is no outcome of a stage; it is one of {', '.join(OUTCOMES)}.")


def check_steps(steps: Sequence[StepPlan]) -> None:
    """Raise :class:`BoardError` unless these steps make a workflow: at least one, with names and known targets."""
    if not steps:
        raise BoardError("A workflow needs at least one step.")
    for step in steps:
        checked_name(step.name, "a step")
        for action in step.actions:
            checked_name(action.name, "an action")
            if action.target not in TARGETS:
                raise BoardError(f"{action.target!r} is nothing that an action targets; it is one of {', '.join(TARGETS)}.")
