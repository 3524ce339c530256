"""m-privacy against its slow twin, the worked example, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core import Schema, Table
from core.base.errors import ParameterError, PolicyError
from core.data.classes import Classes
from core.data.encoding.encoded import encode
from core.privacy.coalitions import breach, by_counting, coalition_table, m_private, private_classes
from core.privacy.policy import Policy
from tests.coalitions import LETTERS, group_of, parts_of, policies, records
from tests.reference import coalitions as twin
from tests.reference.attributes import Attribute
from tests.reference.policies import meets
from tests.strategies import message_of
from tests.worked import colluding_hospitals


def plain_holds(policy: Policy, some: list):
    """The policy on a list of sensitive values, by the slow twin of the models."""
    values = [value for _, value in some]
    sensitive = Attribute("s", "categorical", tuple(values), (), {})
    return lambda left: meets(policy, left, values, sensitive)


# ---- against Def. 2.1 --------------------------------------------------------------------


@given(records(), policies, st.integers(0, 5))
@example([("P0", "a")] * 3, Policy(3, l=1), 2)  # one contributor: the outside recipient only
@example([("P0", "a"), ("P0", "b"), ("P1", "a"), ("P1", "b")], Policy(2, l=2), 5)  # m beyond n_G - 1
def test_a_class_is_decided_as_by_the_definition(some, policy, m):
    expected = twin.m_private(some, m, plain_holds(policy, some))
    group = group_of(some, policy)
    coalition = breach(group, m)
    assert (coalition is None) == expected
    if coalition is not None:
        assert len(coalition) <= min(m, group.contributors - 1)
        names = sorted({provider for provider, _ in some})
        gone = {names[i] for i in coalition}
        left = [value for provider, value in some if provider not in gone]
        assert not plain_holds(policy, some)(left)


@given(records(1, 24, providers=7, values=6), st.integers(1, 5), st.integers(0, 7))
@example([(f"P{i}", LETTERS[j]) for j, held in enumerate([(0, 1), (1, 2), (2, 0), (3, 4)]) for i in held], 3, 2)
def test_larger_classes_are_decided_as_by_every_coalition(some, l, m):  # noqa: E741
    policy = Policy(1, l=l)
    expected = twin.m_private(some, m, plain_holds(policy, some), everything=True)
    assert (breach(group_of(some, policy), m) is None) == expected


def test_a_search_that_would_be_too_long_is_refused(monkeypatch):
    """Where neither the largest nor the heaviest coalition decides."""
    some = [(f"P{i}", LETTERS[j]) for j, held in enumerate([(0, 1), (1, 2), (2, 0), (3, 4)]) for i in held]
    group = group_of(some, Policy(1, l=3))
    monkeypatch.setattr(by_counting, "MAX_UNIONS", 2)
    assert "smaller m" in message_of(lambda: breach(group, 2), ParameterError)


@given(records(1, 12, providers=4), st.integers(0, 3), st.data())
def test_classes_are_decided_at_once_as_one_by_one(some, m, data):
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(some), max_size=len(some)))
    numbers = sorted(set(labels))
    labels = [numbers.index(label) for label in labels]
    policy = data.draw(policies)
    parts = parts_of(some, policy, labels)
    at_once = private_classes(parts, m)
    for number in range(len(numbers)):
        mine = [record for record, label in zip(some, labels, strict=True) if label == number]
        assert at_once[number] == twin.m_private(mine, m, plain_holds(policy, mine)), number


# ---- constraints that are not monotonic ----------------------------------------------------


NOT_MONOTONIC = (
    Policy(1, l=2, diversity="entropy"),
    Policy(1, l=2, diversity="recursive", c=2),
    Policy(1, t=0.4),
    Policy(2, l=2, t=0.5, distance="ordered"),
)


@pytest.mark.parametrize("policy", NOT_MONOTONIC, ids=lambda policy: policy.diversity if policy.l else "t")
def test_other_constraints_are_refused_with_the_reason(policy):
    release = colluding_hospitals().releases[0]
    for call in (lambda: m_private(release, None, policy, 1), lambda: coalition_table(release, 1, policy)):
        assert "some of a coalition's records" in message_of(call, PolicyError)


# ---- worked example 3 -----------------------------------------------------------------------


def test_p1_is_left_with_sara():
    release = colluding_hospitals().releases[0]
    verdict = m_private(release, None, Policy(3, l=2), 1)
    assert (verdict.class_number, verdict.names) == (0, ("P1",))
    assert (verdict.learns.size, verdict.learns.own, verdict.learns.left) == (3, 2, 1)
    assert (verdict.learns.values, verdict.learns.certain) == ((("Epilepsy", 1),), True)
    table = coalition_table(release, 1, Policy(2, l=2))
    assert table[["left", "private"]].to_numpy().tolist() == [[1, False], [2, True], [1, False]]


# ---- who is named --------------------------------------------------------------------------


def test_a_coalition_has_no_idle_member():
    some = [("P0", "a")] * 5 + [("P1", "a"), ("P2", "a"), ("P3", "a")]
    source, secret = [p for p, _ in some], [v for _, v in some]
    assert m_private(Classes.from_labels(np.zeros(8)), source, Policy(4), 3, sensitive_values=secret).names == ("P0",)


def test_the_outside_recipient_is_an_empty_coalition():
    verdict = m_private(
        Classes.from_labels([0, 0, 1, 1, 1]), list("xyxyz"), Policy(3), 2, sensitive_values=list("abcde")
    )
    assert not verdict.is_satisfied
    assert (verdict.class_number, verdict.coalition, verdict.names) == (0, (), ())


def test_many_contributors():
    some = [(f"P{i:03}", LETTERS[j]) for i in range(80) for j in range(3)]
    source, secret = [p for p, _ in some], [v for _, v in some]
    whole = Classes.from_labels(np.zeros(240))
    assert m_private(whole, source, Policy(10, l=3), 40, sensitive_values=secret).is_satisfied
    verdict = m_private(whole, source, Policy(200, l=3), 40, sensitive_values=secret)
    # 14 take 42 records: 198 are left, and the other 26 need not help.
    assert (verdict.is_satisfied, len(verdict.names), verdict.learns.left) == (False, 14, 198)
    rare = ["rare" if i in (0, 1) else value for i, value in enumerate(secret)]
    assert m_private(whole, source, Policy(10, l=4), 1, sensitive_values=rare).names == ("P000",), (
        "one provider holds it"
    )


# ---- bad input -------------------------------------------------------------------------------------


ONE, TWO = Classes.from_labels([0, 0, 0]), Classes.from_labels([0, 0])


@pytest.mark.parametrize(
    ("call", "error_class", "words"),
    [
        *(
            (
                lambda given=given, m=m: m_private(ONE, given, Policy(1), m, sensitive_values=list("abc")),
                PolicyError,
                words,
            )
            for given, m, words in (
                (["x"] * 3, 1, "one provider"),
                *((list("xyz"), m, "m must be") for m in (3, 4, -1, 1.5, True)),
                (["x", "y", ""], 1, "1 of 3 records name no provider"),
                (["x", None, float("nan")], 1, "2 of 3"),
            )
        ),
        *(
            (call, (ParameterError, PolicyError), words)
            for call, words in (
                (lambda: m_private(TWO, list("xy"), Policy(1), 1), "sensitive_values"),
                (lambda: m_private(TWO, None, Policy(1), 1, sensitive_values=list("ab")), "provider"),
                (lambda: m_private(TWO, list("xy"), None, 1, sensitive_values=list("ab")), "policy"),
                (lambda: m_private(colluding_hospitals().releases[0]), "m is needed"),
                (lambda: m_private(TWO, list("xyz"), Policy(1), 1, sensitive_values=list("ab")), "3 were given"),
            )
        ),
    ],
)
def test_what_cannot_collude_is_refused_and_what_is_missing_asked_for(call, error_class, words):
    assert words in message_of(call, error_class)


def test_no_message_holds_a_provider_or_a_value():
    table = Table.from_frame(colluding_hospitals().table.to_frame().assign(Provider="St. Mary"))
    encoded = encode(table, colluding_hospitals().schema)
    said = message_of(
        lambda: m_private(
            Classes.from_labels(np.zeros(10)),
            encoded.provider_code,
            Policy(2),
            1,
            sensitive_values=encoded.sensitive_codes,
        ),
        PolicyError,
    )
    assert "Mary" not in said


# ---- the provider column -----------------------------------------------------------------------------


def test_encoded_records_carry_their_provider():
    told = colluding_hospitals()
    encoded = encode(told.table, told.schema)
    assert encoded.provider.labels == ("P1", "P2", "P3", "P4")
    part = encoded.take(np.array([9, 0, 3]))
    assert [part.provider.labels[code] for code in part.provider_code] == ["P4", "P1", "P2"]
    assert encode(told.table, told.schema.with_(provider=None, other=["Provider"])).provider_code is None


def test_numbered_providers_are_names_and_missing_ones_are_kept_apart():
    frame = colluding_hospitals().table.to_frame()
    frame["Provider"] = ["007", "", "7", "7", "7", "?", "7", "7", "7", "7"]
    schema = Schema(["Age"], "Disease", provider="Provider", unassigned="drop", missing_tokens=["?"])
    encoded = encode(Table.from_frame(frame), schema)
    assert encoded.provider.labels == ("007", "7", "(missing)")
    assert int((encoded.provider_code == encoded.provider.missing).sum()) == 2
