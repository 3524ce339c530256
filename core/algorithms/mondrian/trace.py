"""The cuts of a Mondrian partition one after another, for teaching."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.algorithms.mondrian.rounds import Open, Task, one_round
from core.base.arrays import Ints
from core.base.errors import LimitError
from core.data.encoding import Encoded
from core.privacy.coalitions import with_providers
from core.privacy.policy import Policy

MAX_RECORDS = 50_000


@dataclass(frozen=True, eq=False)
class Cut:
    """One cut.

    Parameters
    ----------
    parent
        Node that is cut; node 0 is the whole table.
    parts
        Nodes that it is cut into.
    attribute
        Index of the quasi-identifier it is cut on.
    """

    parent: int
    parts: tuple[int, ...]
    attribute: int


@dataclass(frozen=True, eq=False)
class Trace:
    """How a partition came about.

    Parameters
    ----------
    cuts
        In order: level by level, within a level by node.
    low, high
        (nodes, quasi-identifiers) lowest and highest code in each node.
    sizes
        (nodes,) people in each node: records, or distinct persons where they may have several.
    """

    cuts: tuple[Cut, ...]
    low: Ints
    high: Ints
    sizes: Ints

    def after(self, cuts: int) -> list[int]:
        """Nodes that are classes after the first so many cuts."""
        present = {0}
        for cut in self.cuts[:cuts]:
            present.remove(cut.parent)
            present.update(cut.parts)
        return sorted(present)


def trace(encoded: Encoded, policy: Policy) -> Trace:
    """Partition by strict Mondrian and keep every cut.

    Raises
    ------
    LimitError
        Beyond 50,000 rows, of a tally distinct ones: a picture of so many cuts teaches nothing.

    Notes
    -----
    The cuts are those of :func:`core.algorithms.mondrian.mondrian`, found by the same rounds.
    """
    if len(encoded) > MAX_RECORDS:
        raise LimitError(f"A partition can be followed cut by cut for at most {MAX_RECORDS:,} rows.")
    policy.check_feasible(encoded)
    if policy.m is not None:
        encoded, policy = with_providers(encoded, policy)
    task = Task.of(encoded, policy, [policy.k])
    state, units = task.whole(), task.units
    node_of_unit = np.zeros(len(units.weight), dtype=np.int64)
    unit_count = [len(units.weight)]
    cuts: list[Cut] = []
    members = [np.arange(len(units.weight))]
    while len(state.size):
        state = one_round(state, task, [])
        cuts += _new_cuts(state, node_of_unit, unit_count, members)
    low = np.array([units.codes[:, m].min(axis=1) for m in members], dtype=np.int64)
    high = np.array([units.codes[:, m].max(axis=1) for m in members], dtype=np.int64)
    person = units.person
    sizes = np.array(
        [units.weight[m].sum() if person is None else len(np.unique(person[m])) for m in members], dtype=np.int64
    )
    return Trace(tuple(_by_level(cuts, len(members))), low, high, sizes)


def _by_level(cuts: list[Cut], nodes: int) -> list[Cut]:
    """Order cuts by level: a class that had to try a second attribute was cut in a later round."""
    level = [0] * nodes
    for cut in cuts:
        for part in cut.parts:
            level[part] = level[cut.parent] + 1
    return sorted(cuts, key=lambda cut: (level[cut.parent], cut.parent))


def _new_cuts(state: Open, node_of_unit: Ints, unit_count: list[int], members: list[Ints]) -> list[Cut]:
    """Give numbers to the classes that a round made, and list the cuts that made them."""
    starts = state.starts
    parent = node_of_unit[state.unit[starts]] if len(starts) else starts
    made: dict[int, list[int]] = {}
    on: dict[int, int] = {}
    for number in range(len(starts)):
        before = int(parent[number])
        if state.size[number] == unit_count[before]:
            continue
        inside = state.unit[starts[number] : starts[number] + state.size[number]]
        unit_count.append(len(inside))
        members.append(inside)
        made.setdefault(before, []).append(len(members) - 1)
        on[before] = int(state.cut_on[number])
    for nodes in made.values():
        for node in nodes:
            node_of_unit[members[node]] = node
    return [Cut(before, tuple(nodes), on[before]) for before, nodes in sorted(made.items())]
