"""Loss against exposure by algorithm: what the benchmark of loss draws is what core works out."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.trade_off import by_algorithm, trade_off
from core.algorithms import partition
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
