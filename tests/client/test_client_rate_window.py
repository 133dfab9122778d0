"""The client stays under the limit by itself, whatever kind of window the service keeps."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.client.policy.rate_window import PADDED_WINDOW_SECONDS, RateWindow

LIMIT, WINDOW = 300, 60.0
Service = Callable[[float], bool]


def by_the_clock(offset: float) -> Service:
    counts: dict[int, int] = {}

    def hit(moment: float) -> bool:
        slot = int((moment + offset) // WINDOW)
        counts[slot] = counts.get(slot, 0) + 1
        return counts[slot] <= LIMIT

    return hit


def from_the_first_call(_offset: float) -> Service:
    state = [float("-inf"), 0.0]

    def hit(moment: float) -> bool:
        if moment >= state[0] + WINDOW:
            state[:] = [moment, 0]
        state[1] += 1
        return state[1] <= LIMIT

    return hit


def sliding(_offset: float) -> Service:
    log: deque[float] = deque()

    def hit(moment: float) -> bool:
        while log and log[0] <= moment - WINDOW:
            log.popleft()
        if len(log) >= LIMIT:
            return False
        log.append(moment)
        return True

    return hit


SERVICES = [by_the_clock, from_the_first_call, sliding]


def flood(service: Service, seed: int, *, seconds: float, workers: int, latency: float) -> tuple[int, int]:
    """Requests sent and refused when ``workers`` call without a pause, in virtual time; a request takes up to ``latency``."""
    chance = random.Random(seed)
    window = RateWindow()
    events: list[tuple[float, int, str]] = [(0.0, number, "ask") for number in range(workers)]
    sent = refused = 0
    while events:
        now, worker, what = heapq.heappop(events)
        if what == "arrive":
            sent, refused = sent + 1, refused + (not service(now))
            heapq.heappush(events, (now + chance.random() * latency / 2, worker, "answered"))
        elif what == "answered":
            window.settle(now)
            heapq.heappush(events, (now, worker, "ask"))
        elif now < seconds:
            delay = window.reserve(now)
            later = (now + delay, worker, "ask") if delay else (now + chance.random() * latency / 2, worker, "arrive")
            heapq.heappush(events, later)
    return sent, refused


@pytest.mark.requirement("LIM-1")
@pytest.mark.requirement("LIM-3")
@pytest.mark.parametrize("make", SERVICES)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10_000), workers=st.sampled_from([1, 8, 40]), latency=st.sampled_from([0.05, 0.3, 6.0]))
def test_ten_minutes_of_flood_meet_no_429(make: Callable[[float], Service], seed: int, workers: int, latency: float) -> None:
    service = make(random.Random(seed).random() * WINDOW)
    assert flood(service, seed, seconds=600, workers=workers, latency=latency)[1] == 0


def test_a_flood_uses_the_whole_limit() -> None:
    sent, refused = flood(sliding(0), 1, seconds=600, workers=8, latency=0.05)
    assert refused == 0
    assert sent >= 0.985 * 300 * 10


@given(st.lists(st.tuples(st.floats(0, 30), st.floats(0, 10)), max_size=60), st.integers(1, 8))
def test_no_padded_window_ever_holds_more_than_the_limit(steps: list[tuple[float, float]], limit: int) -> None:
    window, now, arrivals = RateWindow(limit), 0.0, list[float]()
    for gap, duration in steps:
        now += gap
        while delay := window.reserve(now):
            assert delay > 0
            now += delay
        now += duration
        window.settle(now)
        arrivals.append(now)
    for moment in arrivals:
        assert sum(moment <= other < moment + PADDED_WINDOW_SECONDS - 1e-6 for other in arrivals) <= limit


def test_a_request_that_was_never_sent_gives_its_place_back() -> None:
    window = RateWindow(limit=1)
    assert window.reserve(0) == 0
    assert window.reserve(0) > 0
    window.release()
    assert window.reserve(0) == 0


def test_a_request_under_way_keeps_its_place_however_long_it_takes() -> None:
    window = RateWindow(limit=1)
    assert window.reserve(0) == 0
    assert window.reserve(500) > 0
    window.settle(500)
    assert window.reserve(500) == pytest.approx(PADDED_WINDOW_SECONDS)
    assert window.reserve(500 + PADDED_WINDOW_SECONDS) == 0


def test_the_services_word_goes_before_the_log() -> None:
    window = RateWindow()
    window.block(10, 42)
    window.block(11, 5)
    assert window.reserve(12) == pytest.approx(40)
    assert window.used(12) == 0
    assert window.reserve(52) == 0
