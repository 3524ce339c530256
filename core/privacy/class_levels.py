"""The privacy models as functions of a class histogram, for all classes at once [definitions §2].

Recursive (c, l) is compared in exact arithmetic; entropies and distances are real numbers, compared with a tolerance of
1e-9.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Floats
from core.base.errors import PolicyError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain


def known_distinct(histogram: ClassHistogram) -> NDArray[np.int64]:
    """Distinct sensitive values of each class, missing ones left out."""
    known = histogram.known
    return np.add.reduceat((known.count > 0).astype(np.int64), known.starts)


def fewest_distinct(histogram: ClassHistogram, sensitive: Domain) -> NDArray[np.int64]:
    """Distinct values of each class, missing ones left out, in the sensitive column that has the fewest there."""
    parts = [histogram.mapped(which, domain.size, domain.missing) for domain, which in sensitive.by_part]
    least: NDArray[np.int64] = np.min([known_distinct(each) for each in parts or [histogram]], axis=0)
    return least


def entropies(histogram: ClassHistogram) -> Floats:
    """Entropy in nats of the known sensitive values of each class; -inf if there are none."""
    known = histogram.known
    count = known.count.astype(np.float64)
    size = np.add.reduceat(count, known.starts)
    terms = np.zeros_like(count)
    share = count / np.maximum(size, 1.0)[known.owner]
    np.log(share, where=share > 0, out=terms)
    entropy = -np.add.reduceat(share * terms, known.starts)
    return np.where(size > 0, entropy + 0.0, -np.inf)


def _head_and_tail(histogram: ClassHistogram, l: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # noqa: E741
    """Largest count of each class, and the sum of the l-th largest and all smaller ones."""
    known = histogram.known
    most = int(known.count.max(initial=0)) + 1
    key = np.sort(known.owner * most + (most - 1 - known.count))
    count = (most - 1) - key % most
    before = np.concatenate(([0], np.cumsum(count)))
    end = np.append(known.starts[1:], len(count))
    tail_start = np.minimum(known.starts + min(l, len(count) + 1) - 1, end)
    return count[known.starts], before[end] - before[tail_start]


def recursive(histogram: ClassHistogram, c: float | Fraction, l: int) -> Bools:  # noqa: E741
    """Whether r1 < c (r_l + ... + r_m) in each class, exactly; c counts as the decimal it is written as."""
    head, tail = _head_and_tail(histogram, l)
    factor = c if isinstance(c, Fraction) else Fraction(repr(float(c)))
    if max(factor.numerator, factor.denominator) < 2**31:
        return head * factor.denominator < tail * factor.numerator
    exact = [int(h) * factor.denominator < int(r) * factor.numerator for h, r in zip(head, tail, strict=True)]
    return np.array(exact, dtype=bool)


def smallest_c(histogram: ClassHistogram, l: int) -> Floats:  # noqa: E741
    """Infimum of the c for which each class is recursively (c, l)-diverse; inf if none is."""
    head, tail = _head_and_tail(histogram, l)
    return np.where(tail > 0, head / np.maximum(tail, 1), np.inf)


def distances(histogram: ClassHistogram, sensitive: Domain, distance: str) -> Floats:
    """Distance of each class from the whole table, 0 to 1.

    Raises
    ------
    PolicyError
        If the sensitive attribute has no taxonomy for *hierarchical*, or is a joint value for *ordered*.
    """
    if distance == "equal":
        return _total_variation(histogram)
    if distance == "ordered":
        if sensitive.parts:
            raise PolicyError(
                "The ordered distance needs an order of the values, and joint values of several sensitive columns have "
                "none; choose the equal distance.",
                parameter="distance",
            )
        return _ordered(histogram)
    if sensitive.taxonomy is None:
        raise PolicyError(
            "The hierarchical distance needs a taxonomy of the sensitive attribute; load one or choose another "
            "distance.",
            parameter="distance",
        )
    return _hierarchical(histogram, sensitive)


def _shares(histogram: ClassHistogram) -> tuple[Floats, Floats]:
    share = histogram.count / histogram.sizes[histogram.owner]
    return share, histogram.overall / histogram.overall.sum()


def _total_variation(histogram: ClassHistogram) -> Floats:
    share, table = _shares(histogram)
    return np.add.reduceat(np.maximum(share - table[histogram.value], 0.0), histogram.starts)


def _ordered(histogram: ClassHistogram) -> Floats:
    """Sum of absolute cumulative differences over the ranks, divided by m - 1.

    Ranks run over the values that the table has. Between two values of a class its
    cumulative share A is constant while the table's Q grows, so the sum over that run is
    a difference of prefix sums on either side of the place where Q passes A.
    """
    share, table = _shares(histogram)
    present = histogram.overall > 0
    rank = (np.cumsum(present) - 1)[histogram.value]
    q = np.cumsum(table[present])
    m = len(q)
    if m < 2:
        return np.zeros(histogram.classes)
    prefix = np.concatenate(([0.0], np.cumsum(q)))
    running = np.cumsum(share)
    base = running[histogram.starts] - share[histogram.starts]
    a = running - base[histogram.owner]
    following = np.append(rank[1:], m)
    following[np.append(histogram.starts[1:], len(rank)) - 1] = m
    cross = np.clip(np.searchsorted(q, a), rank, following)
    below = a * (cross - rank) - (prefix[cross] - prefix[rank])
    above = (prefix[following] - prefix[cross]) - a * (following - cross)
    runs = np.add.reduceat(below + above, histogram.starts)
    moved: Floats = (runs + prefix[rank[histogram.starts]]) / (m - 1)
    return moved


def _hierarchical(histogram: ClassHistogram, sensitive: Domain) -> Floats:
    """Earth mover's distance over the taxonomy (Li, Li and Venkatasubramanian 2007, §4.2).

    The ground distance of two values is the height of their lowest common node over the
    height of the tree, heights counted from the deepest leaf. At each node the surplus of
    some children must be moved to the deficit of others: cost = height * min(surplus, deficit).
    """
    tree = sensitive.taxonomy
    assert tree is not None
    share, table = _shares(histogram)
    if tree.height == 0:
        return np.zeros(histogram.classes)
    cost = np.zeros(histogram.classes)
    key = histogram.owner * tree.nodes + tree.ancestors[tree.height, histogram.value]
    mass: Floats = share
    parents = np.asarray(tree.parents, dtype=np.int64)
    for level in range(tree.height, 0, -1):
        # Surplus of the nodes at this level that hold records of the class.
        ancestors, inverse = np.unique(key, return_inverse=True)
        mass = np.bincount(inverse, weights=mass).astype(np.float64)
        owner, node = ancestors // tree.nodes, ancestors % tree.nodes
        surplus = mass - _node_share(tree.ancestors[level], table, tree.nodes)[node]
        shallow = tree.depth[node] < level  # a leaf at a higher level waits for that level
        above = np.where(shallow, node, parents[node])
        positive = np.where(shallow, 0.0, np.maximum(surplus, 0.0))
        key = owner * tree.nodes + above
        group, where = np.unique(key, return_inverse=True)
        gain = np.bincount(where, weights=positive)
        held = np.bincount(where, weights=mass).astype(np.float64)
        net = held - _node_share(tree.ancestors[level - 1], table, tree.nodes)[group % tree.nodes]
        moved = np.minimum(gain, np.maximum(gain - net, 0.0))
        moved[np.bincount(where, weights=~shallow) == 0] = 0.0
        np.add.at(cost, group // tree.nodes, moved * (tree.height - level + 1) / tree.height)
    return cost


def _node_share(node_of_leaf: NDArray[np.int64], table: Floats, nodes: int) -> Floats:
    padded = np.zeros(len(node_of_leaf))
    padded[: len(table)] = table
    return np.bincount(node_of_leaf, weights=padded, minlength=nodes).astype(np.float64)
