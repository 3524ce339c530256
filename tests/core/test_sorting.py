"""The order of whole numbers against numpy's, on every way that it is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import sorting
from core.sorting import order_in_runs, stable_order


@given(st.integers(0, 62).flatmap(lambda bits: st.lists(st.integers(0, 2**bits), max_size=60)))
def test_order_is_that_of_a_stable_sort(numbers: list[int]) -> None:
    key = np.array(numbers, dtype=np.int64)
    assert stable_order(key).tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@pytest.mark.parametrize("most", [0, 1, 2**16 - 1, 2**16, 2**32 - 1, 2**32, 2**40, 2**61])
@pytest.mark.parametrize("in_cache", [10, 1 << 17])
def test_equal_numbers_stay_as_they_stand(most: int, in_cache: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "IN_CACHE", in_cache)
    rng = np.random.default_rng(most % 1_000)
    values = np.unique(rng.integers(0, most, 40, endpoint=True))
    key = np.append(rng.choice(values, 2_000), most)
    assert np.array_equal(stable_order(key), np.argsort(key, kind="stable"))


@pytest.mark.parametrize("most", [0, 1, 300, 2**20, 2**31 - 1])
@pytest.mark.parametrize("sizes", [[1], [7], [1, 1, 1], [2_000, 1, 3], [4] * 500, [*range(1, 60)]])
def test_runs_are_sorted_each_by_itself(most: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(len(sizes))
    size = np.array(sizes)
    n, ends = int(size.sum()), np.cumsum(size)
    value = np.append(rng.integers(0, most, n, endpoint=True)[1:], most).astype(np.int32)
    order, is_break = order_in_runs(size, value)
    runs = [range(end - many, end) for end, many in zip(ends.tolist(), sizes, strict=True)]
    # Sorted in Python: equal values stay as they stand.
    assert order.tolist() == [place for run in runs for place in sorted(run, key=value.__getitem__)]
    breaks = [place > run[0] and value[order[place]] != value[order[place - 1]] for run in runs for place in run]
    assert is_break.tolist() == breaks


def test_runs_of_numbers_that_do_not_fit_into_one_are_sorted() -> None:
    size, value = np.array([3, 2]), np.array([2**61, 0, 2**61, 5, 4])
    order, is_break = order_in_runs(size, value)
    assert order.tolist() == [1, 0, 2, 4, 3]
    assert is_break.tolist() == [False, True, False, False, True]
