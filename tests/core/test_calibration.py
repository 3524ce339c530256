"""Calibration: bins, pooled redraws, intervals from redraws only, and the slow twin."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.claims import COLUMNS, Claims, agreement, calibration
from core import Policy, examples
from core.attack.weighted import adversaries, weigh
from core.base.rates import redraw_interval
from core.data.encoding.encoded import encode
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from tests.reference import calibration as twin

SHARES = st.integers(0, 60).map(lambda n: Fraction(n, 60))
CLAIMS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=40)


def claims_of(pairs: list[tuple[Fraction, Fraction]]) -> Claims:
    said, right = (np.array([float(pair[i]) for pair in pairs]) for i in (0, 1))
    return Claims(said, right, np.ones(len(pairs), dtype=np.int64))


@given(pairs=CLAIMS, bins=st.sampled_from([1, 2, 3, 5, 10, 20]))
def test_equals_its_slow_twin(pairs: list[tuple[Fraction, Fraction]], bins: int) -> None:
    frame = calibration([claims_of(pairs)], bins)
    expected = twin.table(pairs, bins)
    assert tuple(frame.columns) == COLUMNS
    assert frame["start"].tolist() == pytest.approx([number / bins for number in sorted(expected)])
    assert frame["end"].tolist() == pytest.approx([(number + 1) / bins for number in sorted(expected)])
    for row, number in zip(frame.itertuples(), sorted(expected), strict=True):
        said, right, n = expected[number]
        assert (row.said, row.right, row.n) == (pytest.approx(float(said)), pytest.approx(float(right)), n)
    assert frame[["low", "high"]].isna().all().all()
    found = agreement(frame)
    assert found.n == len(pairs)
    assert found.said == pytest.approx(float(sum(s for s, _ in pairs) / len(pairs)))
    assert found.right == pytest.approx(float(sum(r for _, r in pairs) / len(pairs)))
    assert found.error == pytest.approx(float(twin.error(pairs, bins)), abs=1e-12)


@given(redraws=st.lists(CLAIMS, min_size=1, max_size=12))
def test_redraws_are_pooled(redraws: list[list[tuple[Fraction, Fraction]]]) -> None:
    frame = calibration([claims_of(pairs) for pairs in redraws], 4)
    pooled = calibration([claims_of([pair for pairs in redraws for pair in pairs])], 4)
    assert np.allclose(frame[["start", "said", "right", "n"]], pooled[["start", "said", "right", "n"]])
    for row in frame.itertuples():
        tables = [twin.table(pairs, 4) for pairs in redraws]
        shares = [float(table[round(row.start * 4)][1]) for table in tables if round(row.start * 4) in table]
        low, high = redraw_interval(shares, row.n / len(shares))
        if low is None:
            assert np.isnan([row.low, row.high]).all()
        else:
            assert (row.low, row.high) == (pytest.approx(low), pytest.approx(high))


def test_nobody_to_judge() -> None:
    found = agreement(calibration([claims_of([])]))
    assert found.n == 0
    assert np.isnan([found.said, found.right, found.error]).all()


def test_who_names_one_of_what_is_left_is_right_as_often_as_he_says() -> None:
    """Where everybody carries one value to all hospitals, the set adversary is calibrated by construction."""
    encoded = encode(examples.city(3000), examples.city_schema())
    result = run_study(encoded, Study.uniform(Policy(5), 400)).result
    claims = Claims.sets(result)
    assert claims.said.tolist() == claims.right.tolist() == (1 / result.posterior).tolist()
    assert agreement(calibration([claims])).error == pytest.approx(0)


def test_both_adversaries_side_by_side() -> None:
    """Whoever the sets expose is the intersection attack's; who is right is counted by the chance of a hit."""
    encoded = encode(examples.city(3000), examples.city_schema())
    study = Study((Hospital(Policy(5)), Hospital(Policy(5), same_value_rate=0.7)), 400)
    result = run_study(encoded, study).result
    weighted = weigh(result)
    frame = adversaries(result, weighted)
    frame = frame[frame["confidence"].isin((0.25, 0.5, 1.0))]
    assert frame["adversary"].tolist() == ["weights", "sets"] * 3
    chance = np.divide(result.true_value_left, result.posterior, where=result.posterior > 0, out=np.zeros(400))
    for row in frame.itertuples():
        ours = weighted if row.adversary == "weights" else result
        right = weighted.hit if row.adversary == "weights" else chance
        assert (row.exposed, row.n) == (pytest.approx(ours.pvp(row.confidence).value), 400)
        assert row.right == pytest.approx((right * ours.breached(row.confidence)).mean())
