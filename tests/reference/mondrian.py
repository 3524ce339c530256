"""Slow twin of strict multidimensional Mondrian, straight from definitions §3.

"At each class take the attribute with the widest normalised range; among its allowable cuts
take the one nearest the median; a cut is allowable if every side meets the whole policy. Ties:
attributes in schema order, then the smaller ``|left - n/2|``, then the lower value. If the
widest attribute has none, try the next; if none has, the class is final."

What §3 leaves open and this twin takes as decided: a declared order is a line of equally
spaced ranks, all of it; a missing value stands after all others, and a class that mixes it with
numbers or ranks has the whole range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from core.privacy.policy import Policy
from tests.reference.attributes import Attribute, Value, shared
from tests.reference.policies import meets

Members = list[int]
Holds = Callable[[Members], bool]
Count = Callable[[Members], int]


def partition(attributes: Sequence[Attribute], sensitive: Attribute, policy: Policy) -> set[frozenset[int]]:
    """Classes of the whole table, as sets of record numbers."""

    def holds(members: Members) -> bool:
        return meets(policy, [sensitive.values[i] for i in members], sensitive.values, sensitive)

    everyone = list(range(len(sensitive.values)))
    assert holds(everyone)
    return {frozenset(members) for members in split(everyone, attributes, holds)}


def split(members: Members, attributes: Sequence[Attribute], holds: Holds, count: Count = len) -> list[Members]:
    """Cut a class as long as it can be cut; ``count`` says how many people some records are of."""
    widest_first = sorted(attributes, key=lambda attribute: -width(attribute, members))  # sorted() is stable
    for attribute in widest_first:
        parts = best_cut(attribute, members, holds, count)
        if parts:
            return [final for part in parts for final in split(part, attributes, holds, count)]
    return [members]


def best_cut(attribute: Attribute, members: Members, holds: Holds, count: Count = len) -> list[Members]:
    """Parts of the allowable cut nearest the median, or of the node's children; none where none is allowed.

    The cut nearest the median is that whose smaller side has most people.
    """
    if attribute.column_type == "taxonomy":
        depth = len(common_path(attribute, members))
        children: dict[object, Members] = {}
        for i in members:
            path = attribute.path(attribute.values[i])
            children.setdefault(path[depth] if depth < len(path) else None, []).append(i)
        parts = list(children.values())
        return parts if len(parts) > 1 and all(holds(part) for part in parts) else []
    ranks = {i: rank(attribute, attribute.values[i]) for i in members}
    cuts = []
    for place in sorted(set(ranks.values()))[:-1]:
        left = [i for i in members if ranks[i] <= place]
        right = [i for i in members if ranks[i] > place]
        if holds(left) and holds(right):
            cuts.append((-min(count(left), count(right)), place, [left, right]))
    return min(cuts, key=lambda cut: cut[:2])[2] if cuts else []


def rank(attribute: Attribute, value: Value) -> tuple[int, Fraction]:
    """Place of a value on the attribute's line; a missing one stands after all others."""
    if value is None:
        return 1, Fraction(0)
    return 0, Fraction(value if attribute.column_type == "numeric" else attribute.labels().index(value))


def width(attribute: Attribute, members: Members) -> Fraction:
    """Normalised range: numbers and ranks, range over range; categories, leaves over leaves."""
    values = [attribute.values[i] for i in members]
    if attribute.column_type == "taxonomy":
        above = common_path(attribute, members)
        leaves = [attribute.path(leaf) for leaf in attribute.labels()]
        leaves += [attribute.path(None)] if attribute.has_missing else []
        return Fraction(sum(path[: len(above)] == above for path in leaves), len(leaves))
    labels = attribute.labels()
    if attribute.column_type == "categorical":
        everything = [*labels, None] if attribute.has_missing else labels
        places = [everything.index(value) for value in values]
        return Fraction(max(places) - min(places) + 1, len(everything))
    if any(value is None for value in values):
        return Fraction(0 if all(value is None for value in values) else 1)
    ranks = [rank(attribute, value)[1] for value in values]
    ends = [rank(attribute, value)[1] for value in labels]
    table = max(ends) - min(ends)
    return (max(ranks) - min(ranks)) / table if table else Fraction(0)


def common_path(attribute: Attribute, members: Members) -> tuple[object, ...]:
    """Nodes from the root down to the lowest one over all values: single children are stepped through."""
    return shared(attribute.path(attribute.values[i]) for i in members)
