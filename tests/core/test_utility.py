"""What a release costs: slow twin, hand-made cases, and every measure within its own range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table, examples
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.release.utility import c_avg, discernibility, gcp, loss_by_attribute, ncp, utility
from tests.reference import utility as twin
from tests.strategies import Case, cases


def release(columns: dict[str, list[Any]], labels: list[int], k: int = 1, **schema: Any) -> Release:
    """Release of a small table in the classes given."""
    frame = pd.DataFrame({name: [str(value) for value in values] for name, values in columns.items()})
    frame["s"] = ["x", "y"] * (len(frame) // 2) + ["x"] * (len(frame) % 2)
    encoded = encode(Table.from_frame(frame), Schema(list(columns), "s", **schema))
    return Release.of(encoded, np.array(labels), Policy(k), "by hand")


# ---- the slow twin --------------------------------------------------------------------------


@settings(max_examples=100)
@given(case=cases(rows=(2, 40)), data=st.data())
def test_measures_equal_their_slow_twins(case: Case, data: st.DataObject) -> None:
    part = case.encoded
    drawn = data.draw(st.lists(st.integers(-1, 4), min_size=len(part), max_size=len(part)))
    assume(max(drawn) >= 0)
    numbered = np.unique(drawn, return_inverse=True)[1]
    labels = numbered - (min(drawn) < 0)
    classes = [np.flatnonzero(labels == number).tolist() for number in range(labels.max() + 1)]
    made = Release.of(part, labels, Policy(data.draw(st.integers(1, 5))), "")
    penalty = ncp(made)
    assert penalty.shape == (len(classes), len(case.qids))
    for number, members in enumerate(classes):
        for i, attribute in enumerate(case.qids):
            assert penalty[number, i] == pytest.approx(float(twin.ncp(attribute, members)), abs=1e-9)
    assert gcp(made) == pytest.approx(float(twin.gcp(case.qids, classes)), abs=1e-9)
    assert discernibility(made) == twin.discernibility(case.qids, classes)
    assert c_avg(made) == pytest.approx(float(twin.c_avg(classes, made.policy.k)))
    kept = sum(map(len, classes))
    assert loss_by_attribute(made) == {
        attribute.name: pytest.approx(
            float(sum(len(members) * twin.ncp(attribute, members) for members in classes) / kept), abs=1e-9
        )
        for attribute in case.qids
    }


# ---- ranges ---------------------------------------------------------------------------------


@settings(max_examples=60)
@given(case=cases(rows=(2, 50)), k=st.integers(1, 5))
def test_every_measure_lies_in_its_range(case: Case, k: int) -> None:
    made = partition(case.encoded, Policy(min(k, len(case))))
    measures = utility(made)
    for measure in measures:
        assert measure.low - 1e-9 <= measure.value <= measure.high + 1e-9, measure
    value = {measure.name: measure.value for measure in measures}
    assert value["Information loss (GCP)"] == gcp(made)
    assert (value["Classes"], value["Largest class"]) == (made.classes.count, max(made.sizes))


def test_better_says_the_right_way() -> None:
    """A larger k costs more by every measure."""
    encoded = encode(examples.city(3_000, seed=4), examples.city_schema())
    fine, rough = (utility(partition(encoded, Policy(k))) for k in (3, 50))
    for before, after in zip(fine, rough, strict=True):
        if "C_avg" in before.name:  # measured against its own k
            continue
        grew = after.value > before.value
        assert grew == (before.better == "lower"), before.name


def test_a_release_of_nobody_is_no_crash() -> None:
    """All records suppressed: everything is lost, and there is no class to speak of."""
    made = release({"age": [1, 2]}, [-1, -1])
    assert gcp(made) == 1.0
    assert discernibility(made) == 4
