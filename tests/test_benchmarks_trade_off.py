"""Loss against exposure by algorithm: what the benchmark of loss draws is what core works out."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.trade_off import by_algorithm, least_within, trade_off
from core.algorithms import partition
from core.base.errors import ParameterError
from core.data.encoding import encode
from core.privacy.policy import Policy
from core.release.utility import gcp
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.tables import small_table


def test_loss_is_that_of_my_whole_table_and_exposure_that_of_the_sweep() -> None:
    encoded = encode(*small_table())
    study = Study.alike(Policy(3), 30)
    found = trade_off(encoded, by_algorithm(study, ("mondrian", "least-loss")), (2, 5), redraws=Redraws(2))
    assert found["algorithm"].tolist() == ["mondrian"] * 2 + ["least-loss"] * 2
    for row in found.to_dict("records"):
        release = partition(encoded, Policy(int(row["value"])), str(row["algorithm"]))
        assert row["loss"] == pytest.approx(gcp(release))
        assert row["classes"] == release.classes.count
    alike = Study.alike(Policy(3), 30, algorithm="least-loss")
    wanted = sweep(encoded, alike, "k", (2, 5), Redraws(2, confidences=(1.0,)))["share"].to_numpy()
    followed = trade_off(
        encoded, by_algorithm(study, ("least-loss",), alike=True), (2, 5), redraws=Redraws(2, confidences=(1.0, 0.5))
    )
    assert np.array_equal(followed["share"], wanted)


def test_of_each_algorithm_the_cheapest_point_within_the_exposure() -> None:
    encoded = encode(*small_table())
    found = trade_off(encoded, by_algorithm(Study.alike(Policy(3), 30), ("mondrian", "least-loss")), (2, 4, 9))
    limit = float(found["share"].median())
    best = least_within(found, limit)
    for name, group in found.groupby("algorithm"):
        inside = group[group["share"] <= limit]
        mine = best[best["algorithm"] == name]
        assert len(mine) == (len(inside) > 0)
        if len(mine):
            assert mine["loss"].iloc[0] == inside["loss"].min()
    assert best["loss"].is_monotonic_increasing
    assert least_within(found, -1.0).empty


def test_what_cannot_be_compared_is_refused() -> None:
    encoded, study = encode(*small_table()), Study.alike(Policy(3), 30)
    for algorithms, values, vary in (((), (2,), "k"), (("mondrian",), (), "k"), (("mondrian",), (2,), "overlap")):
        with pytest.raises(ParameterError):
            trade_off(encoded, by_algorithm(study, algorithms), values, vary)
