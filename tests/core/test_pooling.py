"""Provider-aware beside its baseline."""

import numpy as np
import pytest

from core import Policy, examples
from core.algorithms import partition
from core.base.errors import ParameterError, PolicyError
from core.data.encoding import encode
from core.release.query_error import query_error
from core.study.provider_cost import METHODS, compare
from tests.tables import city_of_providers


def test_each_point_is_what_its_release_says():
    encoded, policy = city_of_providers(900, 4), Policy(8, l=2, m=1)
    frame = compare(encoded, policy, "k", [8, 20], queries=100)
    assert frame["value"].tolist() == [8] * 2 + [20] * 2
    assert frame["method"].tolist() == [*METHODS] * 2
    row = frame.iloc[1]
    release = partition(encoded, policy, "mondrian")
    assert row["classes"] == release.classes.count
    assert row["mean size"] == pytest.approx(release.sizes.mean())
    assert row["absolute"] == pytest.approx(query_error(release, 100).absolute)


def test_what_cannot_be_met_is_said_and_left_empty():
    frame = compare(city_of_providers(60, 3, "uniform"), Policy(30, m=1), "m", [1, 2], queries=10)
    assert frame["feasible"].tolist() == [True] * 2 + [False] * 2
    assert frame["classes"].isna().tolist() == [False] * 2 + [True] * 2


def test_progress_and_refusals():
    seen: list[float] = []
    compare(city_of_providers(100, 3), Policy(5, m=1), "l", [1, 2], queries=5, progress=seen.append)
    assert seen == [0.5, 1.0]
    with pytest.raises(ParameterError, match="vary"):
        compare(city_of_providers(100, 3), Policy(5, m=1), "t", [1])
    plain = encode(examples.city().take(np.arange(50)), examples.city_schema())
    with pytest.raises(PolicyError, match="provider"):
        compare(plain, Policy(5, m=1), "m", [1])
