"""What every equivalence class must satisfy: k, l, t and their conjunction.

Each model is a function of a :class:`~core.classes.ClassHistogram`, for all classes at
once. Boundaries [definitions §2]: k and distinct l are integers, compared exactly;
recursive (c, l) is a strict inequality in exact arithmetic; entropy l and t allow 1e-9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.classes import ClassHistogram
from core.encoding import Domain, Encoded
from core.errors import InfeasibleError, PolicyError

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

TOLERANCE = 1e-9
DIVERSITIES = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True)
class Policy:
    """A conjunction of privacy models.

    Parameters
    ----------
    k
        Records in a class, at least 1 [Ganta 2008, Def. 3].
    l
        Diversity of the sensitive values; ``None`` asks for none. A whole number for
        *distinct* and *recursive*, a real number >= 1 for *entropy*.
    diversity
        ``"distinct"``, ``"entropy"`` [Ganta 2008, Def. 4] or ``"recursive"`` (c, l)
        [Allard 2023].
    c
        Factor of recursive diversity, > 0: the commonest value must be rarer than c times
        the l-th and later ones together.
    t
        Largest distance of a class from the whole table, 0 to 1 [Ganta 2008, Def. 5].
    distance
        ``"equal"`` (total variation), ``"ordered"`` (earth mover's on ranks) or
        ``"hierarchical"`` (earth mover's over a taxonomy; Li et al. 2007, §4).
    m
        Providers that may collude (m-privacy), or ``None``.

    Raises
    ------
    PolicyError
        If a parameter is out of range; the message names the range.
    """

    k: int
    l: float | None = None  # noqa: E741 - the field's own name
    diversity: str = "distinct"
    c: float | Fraction | None = None
    t: float | None = None
    distance: str = "equal"
    m: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be a policy."""
        self._whole("k", self.k, 1)
        if self.diversity not in DIVERSITIES:
            raise PolicyError(f"diversity must be one of {', '.join(DIVERSITIES)}.", parameter="diversity")
        if self.distance not in DISTANCES:
            raise PolicyError(f"distance must be one of {', '.join(DISTANCES)}.", parameter="distance")
        if self.l is not None:
            if self.diversity == "entropy":
                self._real("l", self.l, 1, math.inf)
            else:
                self._whole("l", self.l, 1)
        if self.diversity == "recursive" and self.l is not None:
            if self.c is None:
                raise PolicyError("Recursive diversity needs c, a number above 0.", parameter="c")
            self._real("c", self.c, 0, math.inf)
            if self.c == 0:
                raise PolicyError("c must be above 0.", parameter="c")
        if self.t is not None:
            self._real("t", self.t, 0, 1)
        if self.m is not None:
            self._whole("m", self.m, 0)

    @staticmethod
    def _whole(name: str, value: Any, least: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer) or value != int(value):
            raise PolicyError(f"{name} must be a whole number of at least {least}.", parameter=name)
        if value < least:
            raise PolicyError(f"{name} must be at least {least}; {value} was given.", parameter=name)

    @staticmethod
    def _real(name: str, value: Any, least: float, most: float) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float | np.number | Fraction):
            raise PolicyError(f"{name} must be a number.", parameter=name)
        if not (math.isfinite(value) and least <= value <= most):
            span = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
            raise PolicyError(f"{name} must be a number {span}; {float(value):g} was given.", parameter=name)

    @property
    def only_k(self) -> bool:
        """Whether class sizes alone decide."""
        return self.l is None and self.t is None

    @property
    def survives_merging(self) -> bool:
        """Whether a class that meets the policy still meets it after any records are added."""
        return self.t is None and (self.l is None or self.diversity == "distinct")

    def holds(self, histogram: ClassHistogram, sensitive: Domain) -> Bools:
        """Whether each class meets the whole policy; O(triples log triples)."""
        good: Bools = histogram.sizes >= self.k
        if self.l is not None:
            good &= diverse(histogram, self)
        if self.t is not None:
            good &= distances(histogram, sensitive, self.distance) <= self.t + TOLERANCE
        return good

    def check_feasible(self, encoded: Encoded) -> None:
        """Refuse a policy that not even the whole table as one class meets.

        Raises
        ------
        InfeasibleError
            Naming the parameter, what the whole table has, and what to do.
        """
        if self.k > len(encoded):
            raise InfeasibleError(
                f"k = {self.k:,} is more than the {len(encoded):,} records of the table; k can be at most "
                f"{len(encoded):,}.",
                parameter="k",
            )
        zeros = np.zeros(len(encoded), dtype=np.int64)
        whole = ClassHistogram.tally(zeros, encoded.secret, encoded.overall, 1, missing=encoded.sensitive.missing)
        if self.t is not None:
            distances(whole, encoded.sensitive, self.distance)  # refuses a distance the column cannot have
        if self.l is None or bool(diverse(whole, self)[0]):
            return
        distinct = int(np.count_nonzero(whole.known.count))
        if self.diversity == "recursive" and distinct >= self.l:
            raise InfeasibleError(
                f"The whole table is not recursively ({self.c:g}, {self.l:g})-diverse; it is for any c above "
                f"{smallest_c(whole, int(self.l))[0]:.3g}. Raise c or lower l.",
                parameter="c",
            )
        reached = math.exp(entropies(whole)[0]) if self.diversity == "entropy" else distinct
        shown = math.floor(reached * 100) / 100
        counted = "" if self.diversity == "entropy" else " distinct sensitive values"
        raise InfeasibleError(
            f"l = {self.l:g} is more than the whole table has ({shown:g}{counted}); l can be at most {shown:g}.",
            parameter="l",
        )


# ---- the models, for all classes at once ------------------------------------------------


def diverse(histogram: ClassHistogram, policy: Policy) -> Bools:
    """Whether each class is l-diverse in the policy's sense; missing values never count."""
    assert policy.l is not None
    if policy.diversity == "entropy":
        return entropies(histogram) >= math.log(policy.l) - TOLERANCE
    if policy.diversity == "distinct":
        return known_distinct(histogram) >= int(policy.l)
    assert policy.c is not None
    return recursive(histogram, policy.c, int(policy.l))


def known_distinct(histogram: ClassHistogram) -> NDArray[np.int64]:
    """Distinct sensitive values of each class, missing ones left out."""
    known = histogram.known
    return np.add.reduceat((known.count > 0).astype(np.int64), known.starts)


def entropies(histogram: ClassHistogram) -> Floats:
    """Entropy in nats of the known sensitive values of each class; -inf where there are none."""
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
    tail_start = np.minimum(known.starts + l - 1, end)
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
        If the sensitive attribute has no taxonomy for *hierarchical*.
    """
    if distance == "equal":
        return _total_variation(histogram)
    if distance == "ordered":
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
        here, inverse = np.unique(key, return_inverse=True)
        mass = np.bincount(inverse, weights=mass).astype(np.float64)
        owner, node = here // tree.nodes, here % tree.nodes
        surplus = mass - _node_share(tree.ancestors[level], table, tree.nodes)[node]
        shallow = tree.depth[node] < level  # a leaf that ended higher up waits for its own level
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
