"""Passing a move through the guard of :mod:`workbench.client.moves`, on any connection that can list pipelines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from workbench.client import workspace_calls
from workbench.client._async.driver import AsyncDriver
from workbench.client.errors import ClientMisused, Unauthorized, WorkbenchError
from workbench.client.moves import CLEARANCES_MAX, ClearanceStale, ClearedMove, Move, StageLookup
from workbench.client.policy.answers import RawResponse


async def ensure_confirmed(move: Move, fetch: Callable[[int], Awaitable[Any]]) -> None:
    """Return where the move may be sent now; otherwise raise ``TerminalMoveNotConfirmed``. A confirmed move needs no look-up.

    ``fetch`` gives the decoded JSON of a page of pipelines (``{"data": [...], "pagination": {...}}``) by its 1-based number;
    100 pipelines a page are the fewest requests. A failure of it, of whatever kind, ends the move: errors of this package as
    ``TerminalMoveNotConfirmed`` with the failure as its cause, except for a key that is not accepted and a closed client,
    which are raised as they are.
    """
    if move.confirmed:
        return
    lookup = StageLookup(move)
    failure: WorkbenchError | None = None
    try:
        while lookup.next_page is not None:
            lookup.take(await fetch(lookup.next_page))
    except (Unauthorized, ClientMisused):
        raise
    except WorkbenchError as trouble:
        failure = trouble
    if failure is not None:
        raise move.refused("not looked up", why=failure) from failure
    lookup.check()


async def send_move(driver: AsyncDriver, id: str, stage: str, confirm_terminal: object) -> RawResponse:  # noqa: A002 - the interface's name
    """The answer to a move that passed the guard; one that had to wait its turn for long passes it again."""
    move = Move(stage, confirm_terminal, opportunity=id)
    call = workspace_calls.move_opportunity(id, move)

    async def fetch(page: int) -> Any:
        return await driver.read(workspace_calls.pipelines_as_json(page))

    for _ in range(CLEARANCES_MAX):
        await ensure_confirmed(move, fetch)
        try:
            return await driver.raw(ClearedMove.of(call, move))
        except ClearanceStale:
            move = replace(move, tried=True)
    raise move.refused("not looked up")
