"""Beliefs: golden numbers of the example, and agreement with the models told event by event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, examples
from core.algorithms import partition
from core.base.errors import ParameterError
from core.beliefs import Background, Beliefs, beliefs, change
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import ColumnType
from tests import strategies as tables
from tests.reference import beliefs as twin

DON = np.array([0.1, 0.01, 0.14])
OTHERS = np.array([0.083, 0.083, 0.083])


def don_release() -> Release:
    example = examples.bobs_class()
    return Release.of(encode(example.tables[0], example.schema), np.array(example.labels[0]), Policy(2), "as printed")


def don() -> Beliefs:
    release = don_release()
    return beliefs(release, Background.edited(release.encoded, np.array([OTHERS, OTHERS, DON, OTHERS])))


# ---- Don [Allard 2023] ---------------------------------------------------------------------


def test_breach_counts_a_change_of_exactly_theta():
    found = don()
    third = found.members(0)[0]
    assert found.breached(1 / 3)[third]
    assert not found.breached(1 / 3 + 1e-6)[third]
    assert [found.satisfied(theta) for theta in (0.1, 1 / 3, 1.0)] == [False, False, True]


# ---- against the models, event by event -------------------------------------------------------


@dataclass
class Case:
    qids: list[int]
    secret: list[int]
    labels: list[int]
    joint: list[list[float]]
    values: int

    def release(self) -> Release:
        domain = Domain("q", ColumnType.CATEGORICAL, tuple(f"q{i}" for i in range(max(self.qids) + 1)))
        sensitive = Domain("s", ColumnType.CATEGORICAL, tuple(f"s{i}" for i in range(self.values)))
        encoded = Encoded(
            (domain,),
            np.array([self.qids], np.int32),
            sensitive,
            np.array(self.secret, np.int32),
            np.arange(len(self.qids)),
        )
        return Release.of(encoded, np.array(self.labels), Policy(1), "by hand")

    def rows(self) -> np.ndarray:
        return np.array([self.joint[q] for q in self.qids])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """People with the same quasi-identifiers are in the same class, as strict partitions have it."""
    groups = draw(st.integers(1, 5))
    values = draw(st.integers(2, 4))
    n = draw(st.integers(groups, 9))
    qids = [*range(groups), *draw(st.lists(st.integers(0, groups - 1), min_size=n - groups, max_size=n - groups))]
    of_group = draw(st.lists(st.integers(-1, 2), min_size=groups, max_size=groups).filter(lambda x: max(x) >= 0))
    used = sorted({x for x in of_group if x >= 0})
    labels = [used.index(of_group[q]) if of_group[q] >= 0 else -1 for q in qids]
    secret = draw(st.lists(st.integers(0, values - 1), min_size=n, max_size=n))
    weights = st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0, 3.0])
    joint = draw(
        st.lists(st.lists(weights, min_size=values, max_size=values).filter(any), min_size=groups, max_size=groups)
    )
    return Case(qids, secret, labels, joint, values)


def check(found: Beliefs, case: Case, joint: dict[int, list[float]]) -> None:
    """Compare the beliefs of everybody with the slow twin."""
    release = found.release
    for label in range(release.classes.count):
        members = release.classes.members(label)
        prior, after = found.rows(label)
        qids = [case.qids[i] for i in members]
        secrets = [case.secret[i] for i in members]
        for person, group in zip(members, found.members(label), strict=True):
            a = twin.alpha(joint[case.qids[person]])
            b = twin.drawn_posterior(case.qids[person], qids, secrets, joint)
            assert prior[group - found.starts[label]] == pytest.approx(a)
            assert after[group - found.starts[label]] == pytest.approx(b)
            lost = sum(b) == 0
            assert found.contradicted[group] == lost
            change = [0.0 if lost else abs(x - y) for x, y in zip(a, b, strict=True)]
            assert found.gain[group] == pytest.approx(max(change))
            assert change[found.value[group]] == pytest.approx(max(change))
            assert found.before[group] == pytest.approx(a[found.value[group]])
            assert found.after[group] == pytest.approx(b[found.value[group]])
    assert found.total == sum(label >= 0 for label in case.labels)


@settings(max_examples=200, deadline=None)
@given(case=cases(), block=st.sampled_from([1, 5, 1_000_000]))
def test_beta_is_the_posterior_of_its_own_model(case, block):
    release = case.release()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change, "BLOCK", block)
        found = beliefs(release, Background.edited(release.encoded, case.rows()))
    check(found, case, dict(enumerate(case.joint)))


@settings(max_examples=60, deadline=None)
@given(case=cases(), struck=st.sets(st.integers(0, 3), max_size=2))
def test_negation_conditions_prior_and_posterior(case, struck):
    release = case.release()
    struck = {s for s in struck if s < case.values}
    whole = Background.edited(release.encoded, case.rows())
    found = beliefs(release, whole.without(sorted(struck)))
    cut = {q: [0.0 if s in struck else x for s, x in enumerate(row)] for q, row in enumerate(case.joint)}
    check(found, case, cut)


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_the_table_s_own_joint_learns_nothing_from_a_strict_partition(case):
    release = case.release()
    found = beliefs(release, Background.of_table(release.encoded))
    check(found, case, twin.own_joint(case.qids, case.secret, case.values))
    assert found.gain == pytest.approx(0)


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_with_independent_marginals_and_uniform_beta_is_the_class_s_distribution(case):
    release = case.release()
    shares = np.bincount(case.secret, minlength=case.values) / len(case.secret)
    independent = Background.of_table(release.encoded, [])
    assert independent.given[0] == pytest.approx(shares)
    for found in (beliefs(release, independent), beliefs(release, Background.constant(release.encoded))):
        for label in range(release.classes.count):
            mine = np.array(case.secret)[release.classes.members(label)]
            assert found.rows(label)[1][0] == pytest.approx(np.bincount(mine, minlength=case.values) / len(mine))


@settings(max_examples=60, deadline=None)
@given(case=tables.cases(rows=(2, 20), qids=3), data=st.data())
def test_what_is_known_of_a_person_is_what_those_alike_in_the_chosen_columns_have(case, data):
    encoded = case.encoded
    names = data.draw(st.lists(st.sampled_from([domain.name for domain in encoded.qids]), unique=True))
    background = Background.of_table(encoded, names)
    rows = [i for i, domain in enumerate(encoded.qids) if domain.name in names]
    known = list(zip(*encoded.codes[rows].tolist(), strict=True)) if rows else [()] * len(case)
    joint = twin.own_joint(known, encoded.sensitive_codes.tolist(), encoded.sensitive.size)
    for person, group in enumerate(known):
        assert background.given[background.profile[person]] == pytest.approx(twin.alpha(joint[group]))


# ---- what is refused, and larger tables -----------------------------------------------------------

RELEASE = don_release()
KNOWN, TWINS = RELEASE.encoded, RELEASE.encoded.take(np.array([0, 0]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Background.edited(KNOWN, np.ones((4, 2))), "row for each"),
        (lambda: Background.edited(KNOWN, np.zeros((4, 3))), "all 0"),
        (lambda: Background.constant(KNOWN, [1, -1, 1]), "numbers of at least 0"),
        (lambda: Background.constant(KNOWN, [1, np.nan, 1]), "numbers of at least 0"),
        (lambda: Background.constant(KNOWN, [1, 2]), "one weight for each"),
        (lambda: Background.of_table(KNOWN, ["Disease"]), "not a quasi-identifier"),
        (lambda: Background.edited(TWINS, np.array([[1.0, 2, 3], [1, 2, 4]])), "same quasi-identifiers"),
        (lambda: don().share(0), "theta"),
        (lambda: don().share(1.5), "theta"),
        (lambda: don().share(float("nan")), "theta"),
        (lambda: beliefs(RELEASE, Background.constant(TWINS)), "another table"),
        (
            lambda: beliefs(Release.of(KNOWN, np.full(4, -1), Policy(2), "by hand"), Background.constant(KNOWN)),
            "no class",
        ),
    ],
)
def test_what_nobody_can_believe_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_what_contradicts_is_counted_apart():
    release = don_release()
    known = Background.constant(release.encoded, [0, 1, 0])
    found = beliefs(release, known)
    assert found.apart == 2, "nobody in the class of Don and Sue has the flu"
    assert found.gain[found.contradicted].tolist() == [0]
    assert found.share(0.01).value == 0


def test_the_city():
    encoded = encode(examples.city(3000), examples.city_schema())
    release = partition(encoded, Policy(5))
    found = beliefs(release, Background.of_table(encoded, []))
    thetas = np.array([0.01, 0.05, 0.1, 0.3, 0.6, 1.0])
    assert found.curve(thetas) == pytest.approx([found.share(theta).value for theta in thetas])
    table = found.table(0.3)
    assert table["breached"].sum() / 3000 == pytest.approx(found.share(0.3).value)
    assert table["gain"].max() == found.gain[found.largest]
    assert (table["size"].to_numpy() == release.sizes).all()
    by_age = beliefs(release, Background.of_table(encoded, [encoded.qids[0].name]))
    prior, after = by_age.rows(int(by_age.owner[by_age.largest]))
    assert np.abs(prior - after).max() == pytest.approx(by_age.gain[by_age.largest])
