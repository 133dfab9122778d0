"""Pipelines and stages by id or by name: what a person writes becomes the ids that the interface takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.cli.failures import WrongUse
from workbench.contract.vocabulary import KANBAN_LIMIT_MAX

if TYPE_CHECKING:
    from workbench.client import Client
    from workbench.contract.pipelines import Pipeline, Stage

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_NAMES_SHOWN: Final = 20


@dataclass(frozen=True)
class Target:
    """A stage to move to: its id, and its name where it was looked up."""

    id: str
    name: str | None = None


def find_pipeline(client: Client, wanted: str) -> Pipeline:
    """The pipeline of this id or this exact name. Raises :class:`WrongUse`, naming those there are."""
    return _pipeline(list(client.pipelines.iterate()), wanted)


def find_stage(pipeline: Pipeline, wanted: str) -> Stage:
    """The stage of this id or this exact name in a pipeline. Raises :class:`WrongUse`, naming those there are."""
    found = _stages(pipeline, wanted)
    if len(found) == 1:
        return found[0]
    if found:
        raise WrongUse(f"{pipeline.name!r} has {len(found)} stages named {wanted!r}: {_ids(found)}. Give the id.")
    raise WrongUse(f"{pipeline.name!r} has no stage {wanted!r}; it has {_names(one.name for one in pipeline.statuses)}.")


def find_target(client: Client, opportunity: str, wanted: str, pipeline: str | None) -> Target:
    """The stage to move an opportunity to, by id or by exact name within the opportunity's pipeline.

    An id in the form of a UUID needs no look-up. A name is looked for in ``pipeline``, or in the pipelines that have a stage of
    this name and the opportunity on their board. Raises :class:`WrongUse` where that is none, or more than one.
    """
    if pipeline is None and _UUID.fullmatch(wanted.strip()):
        return Target(wanted.strip())
    known = list(client.pipelines.iterate())
    if pipeline is not None:
        return _target(find_stage(_pipeline(known, pipeline), wanted))
    candidates = [one for one in known if _stages(one, wanted)]
    if not candidates:
        names = _names(stage.name for one in known for stage in one.statuses)
        raise WrongUse(f"No pipeline has a stage {wanted!r}; the stages are {names}.")
    if stage := next((stage for one in candidates for stage in one.statuses if stage.id == wanted), None):
        return _target(stage)
    home = next((one for one in candidates if _holds(client, one, opportunity)), None)
    if home is None:
        boards = _names(one.name for one in candidates)
        raise WrongUse(
            f"Opportunity {opportunity!r} is on no board that has a stage {wanted!r} (that is {boards}). "
            "Check its id, or give the stage's id (`workbench pipelines` lists them)."
        )
    return _target(find_stage(home, wanted))


def _target(stage: Stage) -> Target:
    if stage.id is None:
        raise WrongUse(f"The service gives the stage {stage.name!r} no id, so nothing can be moved to it.")
    return Target(stage.id, stage.name)


def _pipeline(known: list[Pipeline], wanted: str) -> Pipeline:
    found = [one for one in known if one.id == wanted] or [one for one in known if one.name == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(str(one.id) for one in found)
        raise WrongUse(f"{len(found)} pipelines are named {wanted!r}: {ids}. Give the id.")
    raise WrongUse(f"There is no pipeline {wanted!r}; there are {_names(one.name for one in known)}.")


def _stages(pipeline: Pipeline, wanted: str) -> list[Stage]:
    stages = pipeline.statuses
    return [one for one in stages if one.id == wanted] or [one for one in stages if one.name == wanted]


def _holds(client: Client, pipeline: Pipeline, opportunity: str) -> bool:
    """Whether an opportunity is on a pipeline's board; the interface has no call that says it at once."""
    if pipeline.id is None:
        return False
    board = client.kanban.search(pipeline.id, limit=KANBAN_LIMIT_MAX)
    if any(one.id == opportunity for column in board.values() for one in column):
        return True
    full = [stage for stage, column in board.items() if len(column) >= KANBAN_LIMIT_MAX]
    return any(one.id == opportunity for stage in full for one in client.kanban.iterate(pipeline.id, stage))


def _ids(stages: Iterable[Stage]) -> str:
    return ", ".join(str(stage.id) for stage in stages)


def _names(names: Iterable[str | None]) -> str:
    known = list(dict.fromkeys(repr(name) for name in names if name))
    shown = ", ".join(known[:_NAMES_SHOWN])
    return (f"{shown} and {len(known) - _NAMES_SHOWN} more" if len(known) > _NAMES_SHOWN else shown) or "none"
