"""The rate window of a key: exact, for any order of requests and any number of threads (interface 8)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.service.rate_window import RateWindows


@pytest.mark.requirement("LIM-1")
@given(gaps=st.lists(st.integers(0, 40), min_size=1, max_size=120), limit=st.integers(1, 8))
def test_a_window_lets_through_exactly_its_limit(gaps: list[int], limit: int) -> None:
    windows = RateWindows()
    now, opened, count = 1_000, None, 0
    for gap in gaps:
        now += gap
        if opened is None or now - opened >= 60:
            opened, count = now, 0
        count += 1
        verdict = windows.hit("key", limit, now)
        assert verdict.allowed == (count <= limit)
        assert verdict.remaining == max(0, limit - count)
        assert verdict.reset_seconds == opened + 60 - now


def test_the_count_is_exact_under_concurrency() -> None:
    windows = RateWindows()
    with ThreadPoolExecutor(16) as pool:
        verdicts = list(pool.map(lambda _: windows.hit("key", 300, 0.0), range(1_000)))
    assert sum(verdict.allowed for verdict in verdicts) == 300


def test_keys_do_not_share_a_window() -> None:
    windows = RateWindows()
    assert windows.hit("one", 1, 0.0).allowed
    assert not windows.hit("one", 1, 0.0).allowed
    assert windows.hit("two", 1, 0.0).allowed


def test_a_clock_set_back_does_not_lengthen_the_refusal() -> None:
    windows = RateWindows()
    assert windows.hit("key", 1, 10_000.0).allowed
    assert not windows.hit("key", 1, 10_001.0).allowed
    verdict = windows.hit("key", 1, 10.0)
    assert verdict.allowed
    assert verdict.reset_seconds == 60
