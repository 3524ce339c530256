"""The benchmark of what is lost: a small city measured and put into words."""

from __future__ import annotations

import math

import pytest

from benchmarks import loss
from core import examples
from core.algorithms import partition
from core.data.encoding import encode
from core.privacy.policy import Policy
from core.release.utility import gcp


def test_losses_optimum_and_exposures_are_measured_and_put_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "KS", (5, 10))
    monkeypatch.setattr(loss, "GRID", (5,))
    monkeypatch.setattr(loss, "GOALS", (("city", 10, "k alone", 0.0), ("city", 5, "k alone", 1.0)))
    monkeypatch.setattr(loss, "MODELS", {name: loss.MODELS[name] for name in ("k alone", "distinct 3")})
    whole = encode(examples.city(900), examples.city_schema())
    found = loss.losses({"city": whole})
    assert len(found) == 3
    one = found[(found["k"] == 10) & (found["model"] == "k alone")].iloc[0]
    assert one["mondrian"] == pytest.approx(gcp(partition(whole, Policy(10), "mondrian")))
    assert one["least"] == pytest.approx(gcp(partition(whole, Policy(10), "least-loss")))
    assert (found["tight"] <= found["mondrian"]).all()
    best = loss.optimum(3)
    assert (best[["mondrian", "least", "branching"]] >= 1 - 1e-9).all().all()
    shown = loss.exposures({"city": whole}, 2, True)
    assert set(shown["vary"]) == {"k", "l"}
    text = "\n\n".join(loss.sections(found, best, shown))
    assert "| city, k = 10, k alone |" in text
    assert text.count("**no**") == 1
    assert f"Of {len(found)} settings" in text
    assert not math.isnan(shown["share"].sum())
