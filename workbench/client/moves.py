"""The guard of terminal moves: nothing that may close an opportunity leaves without a confirmation (interface 3).

Every path that can move an opportunity (the sync client, the asynchronous one, their raw twins, the tool client) makes a
:class:`Move` and passes it through ``ensure_confirmed``, which reads the pipelines afresh for each move and fails closed.
A driver sends a destructive operation only as a :class:`ClearedMove`, so that a path which forgets the guard sends nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from pydantic import ValidationError

from workbench.client.calls import Call
from workbench.client.errors import InvalidArgument, TerminalMoveNotConfirmed, UnexpectedAnswer, WorkbenchError
from workbench.client.policy.paging import GoingInCircles, PageWalk
from workbench.contract.operations import LIST_PIPELINES
from workbench.contract.pipelines import Pipeline
from workbench.contract.record import Page

CLEARANCE_SECONDS: Final = 10.0
"""A look-up older than this is stale: a move that had to wait its turn that long looks the stage up again."""

CLEARANCES_MAX: Final = 10
"""So many look-ups for one move, and it gives up: each means that the move waited for the limit or for the network."""

_NAME_CHARACTERS_MAX: Final = 80
_PIPELINES_WANTED: Final = "a page of pipelines: an object with 'data', a list of objects"

_NOT_SENT: Final = "The move was not sent."
_TRIED: Final = "The move is not sent again; read the opportunity to see in which stage it is."

Reason = Literal["terminal", "not stated", "not found", "not looked up"]
"""Why a move needs a confirmation: the stage is terminal, the service does not say, knows no such stage, or did not answer."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move that is wanted: the target stage, and what the caller said about closing the opportunity.

    ``target`` is a stage id; with ``by_name`` it may be a stage's name as well (the tool's parameter). ``confirm_terminal``
    confirms only as ``True`` itself: 1 and "true" do not. ``tried`` says that an attempt was made already and waited too long.
    """

    target: str
    confirm_terminal: object = False
    opportunity: str | None = None
    by_name: bool = False
    operation: str = "opportunities.move"
    tried: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.target, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all type-checked
            raise InvalidArgument("stage", f"takes text, not {type(self.target).__name__}", operation=self.operation)
        if not self.target.strip():
            raise InvalidArgument("stage", "is empty; give the stage's id", operation=self.operation)

    @property
    def confirmed(self) -> bool:
        """Whether the caller confirmed that the opportunity may be closed for good."""
        return self.confirm_terminal is True

    def refused(
        self, reason: Reason, *, stage_name: str | None = None, why: WorkbenchError | None = None
    ) -> TerminalMoveNotConfirmed:
        """The error for a move that is not confirmed and needs to be."""
        shown = repr(self.target[:_NAME_CHARACTERS_MAX])
        if stage_name is not None and stage_name != self.target:
            shown = f"{stage_name[:_NAME_CHARACTERS_MAX]!r} ({shown})"
        unconfirming = self.confirm_terminal is None or self.confirm_terminal is False
        given = "" if unconfirming else f" (True itself, not {_shown(self.confirm_terminal)})"
        return TerminalMoveNotConfirmed(
            f"{self.operation}: {_sentence(reason, shown, why)} {_TRIED if self.tried else _NOT_SENT} "
            f"If it is to close the opportunity for good, pass confirm_terminal=True{given}.",
            operation=self.operation,
            opportunity=self.opportunity,
            stage=self.target,
            stage_name=stage_name,
            reason=reason,
        )


def _shown(value: object) -> str:
    return repr(value)[:40] if isinstance(value, (str, int, float)) else f"a value of type {type(value).__name__}"


def _sentence(reason: Reason, shown: str, why: WorkbenchError | None) -> str:
    if reason == "terminal":
        return f"stage {shown} is terminal: reaching it closes the opportunity, and there is no undo."
    if reason == "not stated":
        return f"the service does not say whether stage {shown} is terminal, so it counts as terminal."
    if reason == "not found":
        return f"no pipeline of this account lists stage {shown}, so it may be terminal. Check it against the pipelines."
    cause = "it waited too long each time" if why is None else str(why).rstrip(". ")
    return f"whether stage {shown} is terminal could not be looked up ({cause})."


class StageLookup:
    """Reads pages of pipelines for one stage: ask for :attr:`next_page` until it is ``None``, then :meth:`check`.

    All pages are read. A stage that is listed more than once is terminal if it is terminal anywhere; a spelling that differs
    only in letter case or outer spaces is taken to be meant too when it is terminal, and never to be the stage when it is not.
    """

    def __init__(self, move: Move) -> None:
        self._move = move
        self._folded = _folded(move.target)
        self._walk = PageWalk[Pipeline]()
        self._found = False
        self._reason: Reason | None = None
        self._name: str | None = None

    @property
    def next_page(self) -> int | None:
        """The 1-based number of the page to read next; ``None`` after the last."""
        return self._walk.next_page

    def take(self, decoded: object) -> None:
        """Read the decoded JSON of a page of pipelines. Raises ``UnexpectedAnswer`` where it is none, or the pages go round."""
        wire: Mapping[str, Any] = cast("Mapping[str, Any]", decoded) if isinstance(decoded, Mapping) else {}
        data: object = wire.get("data")
        if not isinstance(data, list):
            raise self._unexpected("data")
        try:
            page = Page[Pipeline].model_validate(wire)
            self._walk.take(page)
        except (ValidationError, GoingInCircles):
            raise self._unexpected("the pages of the list") from None
        for stage in _stages(cast("list[object]", data)):
            self._look_at(stage)

    def check(self) -> None:
        """Return where the stage was found and is open; otherwise raise ``TerminalMoveNotConfirmed``."""
        if self._reason is not None:
            raise self._move.refused(self._reason, stage_name=self._name)
        if not self._found:
            raise self._move.refused("not found")

    def _look_at(self, stage: Mapping[str, Any]) -> None:
        name = stage.get("name")
        spellings = [stage.get("id"), stage.get("_id"), *([name] if self._move.by_name else [])]
        texts = [str(spelling) for spelling in spellings if isinstance(spelling, (str, int))]
        if self._folded not in map(_folded, texts):
            return
        self._found = self._found or self._move.target in texts
        # Only JSON's own false says that a stage is open; a record would also read "no" and 0 as false.
        flag = stage.get("isTerminal")
        if flag is not False and self._reason != "terminal":
            self._reason = "terminal" if flag is True else "not stated"
            self._name = name if isinstance(name, str) else None

    def _unexpected(self, where: str) -> UnexpectedAnswer:
        return UnexpectedAnswer(_PIPELINES_WANTED, where=where, operation=LIST_PIPELINES.name)


def _stages(pipelines: list[object]) -> Iterator[Mapping[str, Any]]:
    for pipeline in pipelines:
        stages = cast("Mapping[str, Any]", pipeline).get("statuses") if isinstance(pipeline, Mapping) else None
        for stage in cast("list[object]", stages) if isinstance(stages, list) else ():
            if isinstance(stage, Mapping):
                yield cast("Mapping[str, Any]", stage)


def _folded(text: str) -> str:
    return text.strip().casefold()


@dataclass(frozen=True, slots=True, repr=False)
class ClearedMove(Call[None]):
    """A move that may be sent: confirmed by the caller (``looked_up_at`` is ``None``), or to a stage found open at that moment.

    The moment is on this process's monotonic clock, in seconds.
    """

    looked_up_at: float | None = None

    @classmethod
    def of(cls, call: Call[None], move: Move) -> ClearedMove:
        """The call, cleared; a move that is not confirmed must have passed the look-up just now."""
        return cls(call.operation, call.target, call.body, looked_up_at=None if move.confirmed else time.monotonic())


class ClearanceStale(Exception):
    """A move waited so long after its stage was looked up that the stage has to be looked up again."""


def check_clearance(call: Call[Any]) -> None:
    """What a driver asks right before bytes leave, after every wait.

    Raises ``TerminalMoveNotConfirmed`` for a destructive call that did not come through the guard, and
    :class:`ClearanceStale` for one whose look-up is too old.
    """
    if not call.operation.destructive:
        return
    if not isinstance(call, ClearedMove):
        raise TerminalMoveNotConfirmed(
            f"{call.operation.name}: it may close something for good and was not checked. Nothing was sent. "
            "Use client.opportunities.move.",
            operation=call.operation.name,
            reason="not looked up",
        )
    if call.looked_up_at is not None and not 0 <= time.monotonic() - call.looked_up_at <= CLEARANCE_SECONDS:
        raise ClearanceStale
