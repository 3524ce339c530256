"""The order of whole numbers against numpy's, on every way that it is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base import sorting
from core.base.sorting import stable_order


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
