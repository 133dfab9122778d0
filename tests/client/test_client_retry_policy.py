"""When a call is sent again: the policy alone, over every operation."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client.policy.retry import (
    BACKOFF_MAX_SECONDS,
    RATE_WAIT_MAX_SECONDS,
    RATE_WAITS_BELIEVED,
    RATE_WAITS_MAX,
    RETRIES_MAX,
    Answered,
    Broken,
    Raise,
    Return,
    Wait,
    backoff,
    decide,
    read_retry_after,
)
from workbench.contract import operations as op

OPERATIONS = st.sampled_from(op.OPERATIONS)
WRITES = st.sampled_from([operation for operation in op.OPERATIONS if not operation.replayable])
REPLAYABLE = {"whoami", "api_key", "tenders.search", "alerts.results", "opportunities.move"}


def test_the_replayable_operations_are_the_reads_the_two_searches_and_put_status() -> None:
    for operation in op.OPERATIONS:
        expected = operation.method is op.Method.GET or operation.name in REPLAYABLE
        assert operation.replayable == expected, operation.name


@given(OPERATIONS, st.integers(1, 9), st.integers(200, 299))
def test_a_success_is_returned(operation: op.Operation[object], attempt: int, status: int) -> None:
    assert isinstance(decide(operation, attempt, Answered(status)), Return)


@given(OPERATIONS, st.integers(1, 9), st.none() | st.floats(0, 1000))
def test_a_409_is_a_state_and_never_retried(operation: op.Operation[object], attempt: int, wait: float | None) -> None:
    assert isinstance(decide(operation, attempt, Answered(409, wait)), Raise)


@given(OPERATIONS, st.integers(1, 4), st.sampled_from([400, 401, 403, 404, 405, 410, 413, 422, 501]))
def test_a_refusal_is_not_repeated(operation: op.Operation[object], attempt: int, status: int) -> None:
    assert isinstance(decide(operation, attempt, Answered(status)), Raise)


@given(WRITES, st.integers(1, 9), st.booleans(), st.sampled_from([408, 500, 502, 503, 504]))
def test_a_write_is_never_replayed_once_it_may_have_arrived(
    operation: op.Operation[object], attempt: int, timed_out: bool, status: int
) -> None:
    assert isinstance(decide(operation, attempt, Broken(sent=True, timed_out=timed_out)), Raise)
    assert isinstance(decide(operation, attempt, Answered(status)), Raise)


@given(OPERATIONS, st.floats(0, 1))
def test_where_nothing_was_sent_everything_is_tried_again_and_not_for_ever(
    operation: op.Operation[object], jitter: float
) -> None:
    decisions = [decide(operation, attempt, Broken(sent=False), jitter=jitter) for attempt in range(1, RETRIES_MAX + 2)]
    assert all(isinstance(decision, Wait) for decision in decisions[:-1])
    assert isinstance(decisions[-1], Raise)


@pytest.mark.requirement("LIM-3")
@given(OPERATIONS, st.integers(1, 9), st.none() | st.floats(0, 1e9), st.integers(0, RATE_WAITS_MAX - 1))
def test_a_429_is_waited_out_for_every_operation(
    operation: op.Operation[object], attempt: int, asked: float | None, waits: int
) -> None:
    decision = decide(operation, attempt, Answered(429, asked), rate_waits=waits)
    assert isinstance(decision, Wait)
    assert decision.window
    assert decision.seconds <= RATE_WAIT_MAX_SECONDS
    if asked is None:
        assert decision.seconds > 60
    elif waits < RATE_WAITS_BELIEVED and asked <= RATE_WAIT_MAX_SECONDS:
        assert decision.seconds == asked
    else:
        assert decision.seconds >= 60
    assert isinstance(decide(operation, attempt, Answered(429, asked), rate_waits=RATE_WAITS_MAX), Raise)


@given(st.integers(1, 500), st.floats(allow_nan=False))
def test_backoff_is_bounded_and_never_less_than_half(attempt: int, jitter: float) -> None:
    assert 0.125 <= backoff(attempt, jitter) <= BACKOFF_MAX_SECONDS
    assert backoff(attempt, 0) <= backoff(attempt + 1, 0)
    assert backoff(attempt, 1) == backoff(attempt, 0) / 2


@given(st.text(max_size=40))
def test_any_retry_after_header_is_survived(text: str) -> None:
    seconds = read_retry_after(text, now=0)
    assert seconds is None or 0 <= seconds < float("inf")


def test_retry_after_takes_seconds_and_dates() -> None:
    assert read_retry_after("12", now=0) == 12
    assert read_retry_after(" 1.5 ", now=0) == 1.5
    assert read_retry_after("-3", now=0) == 0
    assert read_retry_after(formatdate(1_800_000_030, usegmt=True), now=1_800_000_000) == 30
    assert read_retry_after(formatdate(1_700_000_000, usegmt=True), now=1_800_000_000) == 0
    for text in ("inf", "nan", "soon", "", None):
        assert read_retry_after(text, now=0) is None


def test_a_service_that_asks_for_minutes_is_not_waited_for_silently() -> None:
    assert isinstance(decide(op.GET_TENDER, 1, Answered(503, 600.0)), Raise)
    assert decide(op.GET_TENDER, 1, Answered(503, 7.0)) == Wait(7.0)


def test_a_time_out_is_tried_once_more() -> None:
    assert isinstance(decide(op.GET_TENDER, 1, Broken(sent=True, timed_out=True)), Wait)
    assert isinstance(decide(op.GET_TENDER, 2, Broken(sent=True, timed_out=True)), Raise)
