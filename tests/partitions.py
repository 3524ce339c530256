"""Small tables released by an algorithm, and the partitions of an algorithm beside those of its slow twin."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pandas as pd
import pytest

from core import Policy, Release, Schema, Table, anonymize
from core.algorithms import partition
from core.base.errors import InfeasibleError
from tests.reference.policies import meets
from tests.strategies import Case, classes_of


def released(columns: dict[str, list[Any]], policy: Policy, algorithm: str, **schema: Any) -> Release:
    """Release of a small table; secrets all differ unless given."""
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "s": columns.get("s", [f"s{i % 20}" for i in range(n)])}, dtype=object)
    qids = [name for name in columns if name != "s"]
    return anonymize(Table.from_frame(frame), Schema(qids, "s", **schema), policy, algorithm)


def agreed_by_twin(
    case: Case, policy: Policy, algorithm: str, twin: Callable[..., Collection[frozenset[int]]]
) -> set[frozenset[int]]:
    """Classes that are the twin's, each of which meets the policy; none where both say that it cannot be met."""
    everyone = list(case.sensitive.values)
    if not meets(policy, everyone, everyone, case.sensitive):
        with pytest.raises(InfeasibleError):
            partition(case.encoded, policy, algorithm)
        return set()
    classes = classes_of(partition(case.encoded, policy, algorithm).labels)
    assert classes == twin(case.qids, case.sensitive, policy)
    for members in classes:
        assert meets(policy, [everyone[i] for i in members], everyone, case.sensitive)
    return classes
