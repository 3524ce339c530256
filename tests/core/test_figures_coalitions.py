"""Figures of coalitions: valid, within the limits of a chart, with the user's texts as data only."""

import json

import numpy as np
import pytest

from core import Policy, figures
from core.privacy.coalitions import STRATEGIES, lattice, levels
from core.study.provider_cost import METHODS, compare, strategies_beside
from tests.coalitions import LETTERS, group_of
from tests.hostile import HOSTILE
from tests.tables import city_of_providers


def group(providers: int, policy: Policy | None = None):
    return group_of([(f"P{i:02}", LETTERS[j]) for i in range(providers) for j in range(4)], policy or Policy(4, l=3))


@pytest.mark.parametrize("providers", [1, 5, 7])
@pytest.mark.parametrize("k", [4, 40])
def test_the_diamond_shows_every_coalition(providers, k):
    some = group(providers, Policy(k))
    nodes = lattice(some, STRATEGIES["bottom-up"](some, 2))
    spec = figures.diamond(nodes, HOSTILE[:providers], 2).to_dict()
    rows = max(spec["datasets"].values(), key=len)
    assert len(rows) <= max(2_000, 2**providers)
    points = [layer for layer in spec["layer"] if layer["mark"]["type"] == "point"]
    drawn = sum(len(spec["datasets"][layer["data"]["name"]]) for layer in points)
    assert drawn == 2**providers - 1
    encodings = json.dumps([layer.get("encoding", {}) for layer in spec["layer"]])
    assert not any(name in encodings for name in HOSTILE if len(name) > 3)


@pytest.mark.parametrize("providers", [3, 15, 20])
def test_levels_add_up(providers):
    some = group(providers)
    summary = levels(some, STRATEGIES["top-down"](some, 2))
    spec = figures.lattice_levels(summary, 2).to_dict()
    rows = max(spec["datasets"].values(), key=len)
    assert len(rows) == len(summary)
    assert sum(row["share"] for row in rows) == pytest.approx(providers)


def test_strategies_and_curves_are_valid():
    table, _ = strategies_beside(group(5), 2)
    assert figures.strategy_checks(table).to_dict()["layer"]
    frame = compare(city_of_providers(80, 3, "uniform"), Policy(10, m=1), "m", [0, 1, 2], queries=20)
    spec = figures.pooled_curve(frame, METHODS, "absolute", "Error", "m", 1).to_dict()
    rows = max(spec["datasets"].values(), key=len)
    assert {row["what"] for row in rows} == set(METHODS.values())
    assert np.isfinite([row["value"] for row in rows]).all()
