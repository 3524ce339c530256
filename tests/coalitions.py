"""Classes of records of several providers, as short lists."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from core.data.encoding.domain import Domain
from core.data.schemas.schema import ColumnType
from core.privacy.coalitions import Constraint, Contributions, Group
from core.privacy.policy import Policy

LETTERS = "abcdef"


def constraint_of(policy: Policy, some: list) -> Constraint:
    codes = coded(some)
    domain = Domain("s", ColumnType.CATEGORICAL, (*LETTERS, "(missing)"), missing=len(LETTERS))
    return Constraint(policy, domain, np.bincount(codes, minlength=domain.size))


def coded(some: list) -> np.ndarray:
    return np.array([len(LETTERS) if value is None else LETTERS.index(value) for _, value in some])


def parts_of(some: list, policy: Policy, labels: list[int] | None = None) -> Contributions:
    names = sorted({provider for provider, _ in some})
    source = np.array([names.index(provider) for provider, _ in some])
    where = np.zeros(len(some), dtype=int) if labels is None else np.array(labels)
    return Contributions.of_records(where, coded(some), source, len(names), constraint_of(policy, some))


def group_of(some: list, policy: Policy) -> Group:
    return parts_of(some, policy).group(0)


def records(least: int = 1, most: int = 9, providers: int = 5, values: int = 4) -> st.SearchStrategy:
    """The records of one class: provider and sensitive value; the value may be missing."""
    value = st.sampled_from([*LETTERS[:values], None])
    provider = st.sampled_from([f"P{i}" for i in range(providers)])
    return st.lists(st.tuples(provider, value), min_size=least, max_size=most)


policies = st.builds(Policy, k=st.integers(1, 4), l=st.sampled_from([None, 1, 2, 3]))
