"""What a session has computed stays whole where two runs of its script are at it at once."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pages.shared.compute import cache


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> OrderedDict[Any, Any]:
    """Give the cache of a session."""
    kept: OrderedDict[Any, Any] = OrderedDict()
    monkeypatch.setattr(cache, "_cache", lambda: kept)
    return kept


@pytest.fixture
def often() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often")
def test_a_run_that_was_ended_and_the_next_one_keep_results_side_by_side(
    kept: OrderedDict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_ENTRIES", 20)
    failed: list[Exception] = []

    def run(first: int) -> None:
        try:
            for number in range(first, first + 3000):
                assert cache.cached(("x", number % 35), lambda number=number: number % 35) == number % 35
        except Exception as error:  # noqa: BLE001 - whatever it is, it would stand on the page
            failed.append(error)

    runs = [threading.Thread(target=run, args=(first,)) for first in (0, 11, 23)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert not failed
    assert len(kept) == 20


def test_the_oldest_results_go_first_and_large_ones_push_out_others_but_never_themselves(
    kept: OrderedDict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_ENTRIES", 3)
    for name in "abcad":
        assert cache.cached((name,), name.upper) == name.upper()
    assert [key[1] for key in kept] == ["c", "a", "d"]
    assert not cache.is_cached(("b",))
    monkeypatch.setattr(cache, "MAX_BYTES", 1000)
    cache.cached(("large",), lambda: np.zeros(1000))
    assert [key[1] for key in kept] == ["large"]
