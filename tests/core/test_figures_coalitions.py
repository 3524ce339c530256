"""The figure of coalitions: valid, with the user's texts as data only."""

import numpy as np

from core import Policy, figures
from core.study.provider_cost import METHODS, compare
from tests.tables import city_of_providers


def test_the_curve_is_valid():
    frame = compare(city_of_providers(80, 3, "uniform"), Policy(10, m=1), "m", [0, 1, 2], queries=20)
    spec = figures.pooled_curve(frame, METHODS, "absolute", "Error", "m", 1).to_dict()
    rows = max(spec["datasets"].values(), key=len)
    assert {row["what"] for row in rows} == set(METHODS.values())
    assert np.isfinite([row["value"] for row in rows]).all()
