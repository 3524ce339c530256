"""The weighted adversary: cases by hand, and its slow twin on random releases with one, several or no candidate."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import examples, intersection_attack
from core.attack import pools
from core.attack.intersection import AttackResult
from core.attack.weighted import weigh
from core.base.errors import ParameterError
from core.data.classes import ClassHistogram
from core.release.published.located import Located
from tests.reference import weighted as twin
from tests.releases import releases_of
from tests.situations import Setting, situations


def assert_same(setting: Setting, **options: Any) -> None:
    found = setting.weigh(**options)
    assert found.people == len(setting.truth)
    for i in setting.people:
        said = setting.said(i, **options)
        value, probability = found.posterior(i)
        assert "same_value_rate" in options or len(value) == len(said), "who may disagree is not ruled out"
        chances = {setting.values[v]: chance for v, chance in zip(value, probability, strict=True)}
        exact = {s: float(said.get(s, 0)) for s in chances} | {s: float(chance) for s, chance in said.items()}
        assert chances == pytest.approx(exact, rel=1e-9, abs=1e-15)
        most = max(said.values(), default=Fraction(0))
        assert found.max_posterior[i] == pytest.approx(float(most), rel=1e-9)
        named = min((s for s in said if said[s] == most), default=None)
        assert (setting.values[found.guess[i]] if found.guess[i] >= 0 else None) == named
        truth = setting.truth[i]
        assert found.hit[i] == pytest.approx(float(twin.hit(said, truth)), rel=1e-12)
        assert found.judged[i] == (bool(said) and truth is not None)
        for j, records in enumerate(setting.records):
            alone = twin.share_of(records, setting.candidates[j][i] or None)
            if not setting.candidates[j][i]:
                alone = twin.share_of(setting.records[0], None)
            shares = {s: Fraction(n, sum(alone.values())) for s, n in alone.items()}
            assert found.alone[j, i] == pytest.approx(float(max(shares.values())), rel=1e-12)
            assert found.alone_hit[j, i] == pytest.approx(float(twin.hit(shares, truth)), rel=1e-12)
    for confidence in (1.0, 0.7, 0.5, 0.25):
        breached = [max(setting.said(i, **options).values(), default=0) >= confidence for i in setting.people]
        if not np.isclose(found.max_posterior, confidence, rtol=1e-6).any() or confidence == 1.0:
            assert found.breached(confidence).tolist() == breached


@settings(max_examples=80, deadline=None)
@given(setting=situations(), block=st.sampled_from([pools.BLOCK, 300]))
def test_equals_its_slow_twin(setting: Setting, block: int) -> None:
    """Also a few cells at a time, as with a table too large for one block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "BLOCK", block)
        assert_same(setting)


@settings(max_examples=80, deadline=None)
@given(setting=situations(), data=st.data(), prior_weight=st.sampled_from([1, 20, 1000]), naive=st.booleans())
def test_other_priors_naive_or_not_and_disagreement_equal_their_twin(
    setting: Setting, data: st.DataObject, prior_weight: int, naive: bool
) -> None:
    chances = st.sampled_from([Fraction(1), Fraction(4, 5), Fraction(1, 2), Fraction(1, 10), Fraction(0)])
    drawn = data.draw(st.none() | st.tuples(*[chances for _ in setting.releases[1:]]))
    options = {} if drawn is None else {"same_value_rate": [Fraction(1), *drawn]}
    assert_same(setting, prior_weight=prior_weight, naive=naive, **options)


@pytest.mark.parametrize("releases", [2, 8])
def test_products_of_many_records_neither_overflow_nor_vanish(releases: int) -> None:
    """Eight releases of a thousand million records with a value that one in a thousand million has."""
    many = 10**9
    one = ClassHistogram(
        np.zeros(2, dtype=np.int64), np.arange(2), np.array([many, 1]), np.zeros(1, dtype=np.int64), np.array([many, 1])
    )
    nobody = np.zeros((releases, 1), dtype=np.int64)
    result = AttackResult(
        ("common", "rare"),
        effective_anonymity=nobody + 2,
        sets=np.array([[3]], dtype=np.uint64),
        truth=np.array([1]),
        overall=one.overall,
        unlocated=np.zeros(releases, dtype=np.int64),
        weight=np.array([1]),
        record=np.array([0]),
        right_left=np.array([2]),
        located=(Located.one_each(np.array([0])),) * releases,
        histograms=(one,) * releases,
        codes=(np.arange(2),) * releases,
    )
    found = weigh(result)
    assert found.max_posterior[0] == pytest.approx(1 - 1e-9, rel=1e-6)
    assert found.posterior(0)[1][1] == pytest.approx(1e-9, rel=1e-6)
    alone = weigh(result, naive=True)
    assert alone.posterior(0)[1][1] == pytest.approx(1e-9, rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(setting=situations())
def test_rates_are_sums_over_people(setting: Setting) -> None:
    found = setting.weigh()
    for confidence in (1.0, 0.6, 0.3):
        breached = found.breached(confidence)
        pvp, hits = found.pvp(confidence), found.hits(confidence)
        assert pvp.value == pytest.approx(breached.mean())
        assert hits.value == pytest.approx(found.hit[breached].sum() / found.people)
        assert pvp.single == pytest.approx(max((row >= confidence - 1e-9).mean() for row in found.alone))
    count = twin.share_of(setting.records[0], None)
    assert found.guessing == pytest.approx(max(count.values()) / sum(count.values()))


@pytest.mark.parametrize("same_value_rate", [[1], [1, 1.1], [1, -0.1], [1, float("nan")]])
def test_what_cannot_be_weighed_is_refused_by_name(same_value_rate: list[float]) -> None:
    with pytest.raises(ParameterError) as caught:
        weigh(
            intersection_attack(releases_of(examples.hospitals_a_and_b()), [[4], [4]]), same_value_rate=same_value_rate
        )
    assert caught.value.parameter == "same_value_rate"
