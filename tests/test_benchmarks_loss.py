"""The benchmark of what is lost: a small city measured and put into words."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import loss, peers
from core import examples
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
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
    losses = loss.losses({"city": whole})
    row = losses.set_index(["k", "model"]).loc[(10, "k alone")]
    for column, algorithm in (("mondrian", "mondrian"), ("least", "least-loss")):
        assert row[column] == pytest.approx(gcp(partition(whole, Policy(10), algorithm)))
    assert (losses["tight"] <= losses["mondrian"]).all()
    best = loss.optimum(3)
    assert (best[["mondrian", "least"]] >= 1 - 1e-9).all().all()
    shown = loss.exposures({"city": whole}, 2, True)
    assert set(shown["vary"]) == {"k", "l"}
    assert shown["share"].notna().all()
    text = "\n\n".join(loss.sections(losses, best, shown))
    assert "| city, k = 10, k alone |" in text
    assert text.count("**no**") == 1
    assert f"Of {len(losses)} settings" in text


def test_what_is_assumed_of_the_other_and_averages_are_measured() -> None:
    whole = encode(examples.city(900), examples.city_schema())
    assumed = loss.assumed({"city": whole}, 2)
    assert len(assumed) == 8
    study = Study((Hospital(Policy(5), "least-loss"), Hospital(Policy(5), "mondrian", origin="resampled")), 150)
    wanted = sweep(whole, study, "releases", [2], Redraws(2, confidences=(1.0,)))["share"].iloc[0]
    row = assumed[(assumed["k"] == 5) & (assumed["mine"] == "least-loss") & (assumed["theirs"] == "mondrian")]
    assert row["share"].tolist() == [wanted]
    assert f"{wanted:.2%} (" in "\n".join(loss.assumed_in_words(assumed))
    average = loss.averages(whole, 2)
    size = sweep(whole, Study.uniform(Policy(10), 150, algorithm="least-loss"), "releases", [2], Redraws(2))[
        "class_size"
    ]
    assert average.loc[0, "least-loss"] == pytest.approx(size.iloc[0])
    assert "| k = 10, t = 0.4 | close to 1,300 |" in "\n".join(loss.averages_in_words(average))


# --- others' programs ----------------------------------------------------------------------------


def test_what_the_other_program_made_is_held_against_our_policy_and_measured_by_our_formula(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    city = encode(examples.city(300), examples.city_schema())
    halves = Release.of(city, np.repeat([1, 0], 150), Policy(10), ALGORITHMS["mondrian-tight"])
    monkeypatch.setattr(peers, "anonypyx_release", lambda *_: halves)
    policies = {"k = 10": Policy(10), "k = 200": Policy(200)}
    rows = peers.losses("Adult", city, policies).set_index("policy")
    assert rows["anonypyx"].tolist() == [gcp(halves)] * 2
    assert rows["kept"].tolist() == [True, False], "two halves of 150 are no classes of 200"
    assert rows.loc["k = 10", "least-loss"] == gcp(partition(city, Policy(10), "least-loss"))
    text = "\n".join(peers.in_words("Adult", rows.reset_index()))
    assert "do not meet the policy: k = 200." in text
    assert "| .0520 |" in text, "cited: ARX was run on Adult"
    assert "| .0520 |" not in "\n".join(peers.in_words("city", rows.reset_index()))
