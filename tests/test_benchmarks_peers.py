"""Others' programs beside ours: their classes are held against our policy and measured by our formula."""

from __future__ import annotations

import sys
import types

import numpy as np
import pandas as pd
import pytest

from benchmarks import peers
from benchmarks.anonypyx_runs import SENSITIVE
from core import examples
from core.algorithms import partition
from core.data.encoding import Encoded, encode
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
from core.release.utility import gcp


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(300), examples.city_schema())


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A stand-in for anonypyx that cuts a table in two halves, and what it was asked to keep."""
    kept: list[object] = []

    class Mondrian:
        def __init__(self, frame: pd.DataFrame, columns: list[str]) -> None:
            assert SENSITIVE not in columns
            self.frame = frame

        def partition(self, models: list[object]) -> list[pd.Index]:
            kept.extend(models)
            half = len(self.frame) // 2
            return [self.frame.index[half:], self.frame.index[:half]]

    package = types.ModuleType("anonypyx")
    models, mondrian = types.ModuleType("anonypyx.models"), types.ModuleType("anonypyx.mondrian")
    models.kAnonymity = lambda k: ("k", k)  # type: ignore[attr-defined]
    models.DistinctLDiversity = lambda least, column: ("l", least, column)  # type: ignore[attr-defined]
    models.tCloseness = lambda t, frame, column, metric: ("t", t, column, metric)  # type: ignore[attr-defined]
    models.earth_movers_distance_categorical = "equal"  # type: ignore[attr-defined]
    mondrian.Mondrian = Mondrian  # type: ignore[attr-defined]
    package.models = models  # type: ignore[attr-defined]
    for name, module in (("", package), (".models", models), (".mondrian", mondrian)):
        monkeypatch.setitem(sys.modules, f"anonypyx{name}", module)
    return kept


def test_loss_is_computed_anew_from_the_classes_of_the_other_program(city: Encoded, halves: list[object]) -> None:
    release = peers.anonypyx_release(city, Policy(10, l=5, t=0.4))
    assert halves == [("k", 10), ("l", 5, SENSITIVE), ("t", 0.4, SENSITIVE, "equal")]
    labels = np.repeat(np.array([1, 0], dtype=np.int32), [150, 150])
    wanted = Release.of(city, labels, Policy(10), ALGORITHMS["mondrian-tight"])
    assert gcp(release) == gcp(wanted)
    policies = {"k = 10": Policy(10), "k = 200": Policy(200), "k = 5, entropy 5": Policy(5, l=5, diversity="entropy")}
    found = peers.losses("Adult", city, policies).set_index("policy")
    assert found.loc["k = 10", "anonypyx"] == gcp(wanted)
    assert found["kept"].tolist() == [True, False, True], "two halves of 150 are no classes of 200"
    assert np.isnan(found.loc["k = 5, entropy 5", "anonypyx"])
    assert found.loc["k = 10", "least-loss"] == gcp(partition(city, Policy(10), "least-loss"))
    text = "\n".join(peers.in_words("Adult", found.reset_index()))
    assert f"| k = 10 | {peers._share(gcp(wanted))} | 2 |" in text
    assert "| .0520 |" in text, "cited"
    assert "do not meet the policy: k = 200." in text
    assert "cited" in text
    assert "| .0520 |" not in "\n".join(peers.in_words("city", found.reset_index())), "ARX was run on Adult"
