"""The pattern that the paper measured on Adult and IPUMS [Ganta 2008, Fig. 1-3; definitions §4].

Its code, subset sizes and taxonomies are not public, so the pattern must agree, the digits
need not.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from benchmarks.data import adult_schema, ipums_schema
from core import Policy, read_table
from core.data.encoding.encoded import Encoded, encode
from core.study.hospitals import Study
from core.study.one_run import run_study
from core.study.redraws import Redraws
from core.study.sweep import sweep

pytestmark = pytest.mark.data

KS = [2, 5, 10, 25, 50]
OVERLAP = 5_000
PERFECT, QUARTER = 1.0, 0.25


@pytest.fixture(scope="session")
def adult(adult_bytes: bytes) -> Encoded:
    """Adult as the paper uses it: complete records, seven quasi-identifiers, the occupation sensitive."""
    return encode(read_table(adult_bytes), adult_schema())


@pytest.fixture(scope="session")
def ipums(ipums_bytes: bytes) -> Encoded:
    """IPUMS, Los Angeles: the same seven quasi-identifiers and the occupation of 1950's classification."""
    return encode(read_table(ipums_bytes), ipums_schema())


def curve(encoded: Encoded) -> pd.DataFrame:
    """Breach against k of two hospitals that share 5,000 people; one row a k."""
    frame = sweep(encoded, Study.uniform(Policy(2), OVERLAP), "k", KS, Redraws(seed=0, confidences=(PERFECT, QUARTER)))
    return frame.set_index(["confidence", "value"])


@pytest.fixture(scope="session")
def adult_curve(adult: Encoded) -> pd.DataFrame:
    return curve(adult)


@pytest.fixture(scope="session")
def ipums_curve(ipums: Encoded) -> pd.DataFrame:
    return curve(ipums)


def bits(encoded: Encoded) -> float:
    """Entropy of the sensitive attribute."""
    share = encoded.overall[encoded.overall > 0] / len(encoded)
    return float(-(share * np.log2(share)).sum())


def test_the_tables_are_those_of_the_paper(adult: Encoded, ipums: Encoded) -> None:
    assert len(adult) == 30_162
    assert adult.dropped == 32_561 - 30_162
    assert [domain.size for domain in adult.qids] == [72, 7, 16, 7, 5, 2, 41]
    assert adult.sensitive.size == 14
    assert all(domain.missing == -1 for domain in (*adult.qids, adult.sensitive))
    assert not any(label != label.strip() for domain in adult.qids for label in domain.labels)
    assert len(ipums) == 70_187
    assert len(ipums.qids) == 7
    assert ipums.sensitive.size == 247
    assert bits(ipums) > bits(adult) > 3


@pytest.mark.parametrize("which", ["adult", "ipums"])
def test_the_breach_falls_with_k_and_classes_grow(which: str, request: pytest.FixtureRequest) -> None:
    frame = request.getfixturevalue(f"{which}_curve")
    for confidence in (PERFECT, QUARTER):
        shares = frame.loc[confidence, "share"].tolist()
        assert all(after < before or after == before == 0 for before, after in itertools.pairwise(shares))
        assert shares[0] > 2 * shares[-1]
    sizes = frame.loc[PERFECT, "class_size"]
    assert sizes.tolist() == sorted(sizes)
    assert (sizes > np.array(KS)).all()
    # Effective anonymity is below the class size, and far below it after the intersection (Fig. 2 and 3).
    priors, posteriors = frame.loc[PERFECT, "prior"], frame.loc[PERFECT, "posterior"]
    assert (priors < sizes).all()
    assert (posteriors < priors).all()
    assert (frame.loc[PERFECT, "wrong"] == 0).all()
    assert (frame.loc[PERFECT, "empty"] == 0).all()


@pytest.mark.parametrize("which", ["adult", "ipums"])
def test_one_release_alone_gives_less_away(which: str, request: pytest.FixtureRequest) -> None:
    frame = request.getfixturevalue(f"{which}_curve")
    breached = frame[frame["share"] > 0]
    assert (breached["single"] < breached["share"]).all()
    assert (frame.loc[frame["share"] == 0, "single"] == 0).all()
    assert (frame["vulnerable"] > 0.3).all()


def test_on_adult_it_is_the_second_release_that_makes_the_perfect_breach(adult_curve: pd.DataFrame) -> None:
    """On IPUMS four in ten have the occupation "not applicable", many in classes of nothing else."""
    row = adult_curve.loc[(PERFECT, 5)]
    assert row["share"] > 4 * row["single"]


def test_shares_of_the_paper_and_that_more_diverse_diagnoses_are_worse(
    adult_curve: pd.DataFrame, ipums_curve: pd.DataFrame
) -> None:
    """k = 5: Adult about 12% and over 60%; IPUMS about 60% and about 95%."""
    assert adult_curve.loc[(QUARTER, 5), "share"] > 0.55
    assert ipums_curve.loc[(QUARTER, 5), "share"] > 0.85
    assert 0.02 < adult_curve.loc[(PERFECT, 5), "share"] < 0.3
    assert 0.3 < ipums_curve.loc[(PERFECT, 5), "share"] < 0.8
    assert (ipums_curve["share"] > adult_curve["share"]).all()


@pytest.mark.parametrize("which", ["adult", "ipums"])
def test_more_releases_expose_more(which: str, request: pytest.FixtureRequest) -> None:
    encoded = request.getfixturevalue(which)
    study = Study.uniform(Policy(10), OVERLAP)
    frame = sweep(encoded, study, "releases", [2, 3, 4], Redraws(seed=0, confidences=(PERFECT, QUARTER)))
    for confidence in (PERFECT, QUARTER):
        two, three, four = frame.loc[frame["confidence"] == confidence, "share"]
        assert two < three < four
    assert frame["posterior"].is_monotonic_decreasing


def test_l_and_t_help_at_the_price_of_large_classes(ipums: Encoded) -> None:
    """k = 10 with l = 5 and with t = 0.4 [Ganta 2008, §3.4]: fewer are breached, and still many."""
    plain, diverse, close = (
        run_study(ipums, Study.uniform(policy, OVERLAP), seed=0)
        for policy in (Policy(10), Policy(10, l=5, diversity="entropy"), Policy(10, t=0.4))
    )
    mean = [outcome.releases[0].sizes.mean() for outcome in (plain, diverse, close)]
    assert mean[0] < mean[1] < mean[2]
    assert min(diverse.class_size, close.class_size) > 5 * plain.class_size
    shares = [outcome.result.pvp(QUARTER).value for outcome in (plain, diverse, close)]
    assert shares[0] > shares[1] > shares[2]
    assert shares[1] > 0.02
