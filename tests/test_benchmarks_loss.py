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
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.sweep import sweep


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
    assert (best[["mondrian", "least"]] >= 1 - 1e-9).all().all()
    shown = loss.exposures({"city": whole}, 2, True)
    assert set(shown["vary"]) == {"k", "l"}
    text = "\n\n".join(loss.sections(found, best, shown))
    assert "| city, k = 10, k alone |" in text
    assert text.count("**no**") == 1
    assert f"Of {len(found)} settings" in text
    assert not math.isnan(shown["share"].sum())


def test_what_is_assumed_of_the_other_and_averages_are_measured() -> None:
    whole = encode(examples.city(900), examples.city_schema())
    found = loss.assumed({"city": whole}, 2)
    assert len(found) == 8
    study = Study((Hospital(Policy(5), "least-loss"), Hospital(Policy(5), "mondrian", source="resampled")), 150)
    wanted = sweep(whole, study, "releases", [2], Redraws(2, confidences=(1.0,)))["share"].iloc[0]
    one = found[(found["k"] == 5) & (found["mine"] == "least-loss") & (found["theirs"] == "mondrian")]
    assert one["share"].tolist() == [wanted]
    text = "\n".join(loss.assumed_in_words(found))
    assert "| city | 5 | Least loss |" in text
    assert f"{wanted:.2%} (" in text
    average = loss.averages(whole, 2)
    size = sweep(whole, Study.alike(Policy(10), 150, algorithm="least-loss"), "releases", [2], Redraws(2))["class_size"]
    assert average.loc[0, "least-loss"] == pytest.approx(size.iloc[0])
    assert "| k = 10, t = 0.4 | close to 1,300 |" in "\n".join(loss.averages_in_words(average))


def test_microaggregation_under_l_and_t_is_measured() -> None:
    whole = encode(examples.city(900), examples.city_schema())
    found = loss.microaggregated({"city": whole})
    assert len(found) == len(loss.GROUPED)
    assert found.set_index("policy").loc["t = 0.4", "loss"] == gcp(partition(whole, Policy(10, t=0.4), "mdav"))
    assert "| city | t = 0.4 |" in "\n".join(loss.microaggregated_in_words(found))
