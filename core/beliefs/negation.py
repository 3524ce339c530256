"""What negation statements ("not flu") do to the diversity of a class, at worst.

An adversary who knows b values that the target does not have strikes them from the class
[Allard 2023]. The statements are true, so at least one value stays. Which b values hurt most
is known without trying: with the counts sorted, r1 >= r2 >= ... >= rm, he keeps r1 and strikes
the next ones. For l >= 2 the class is then (c, l)-diverse exactly if it was (c, l + b)-diverse;
one statement turns (c, l) into (c, l - 1) at worst. Proof: of the sum of the tail, at most
r1 + ... + r(l + b - 1) can go by striking b values and leaving out the largest l - 1 of the
rest, and no choice leaves a head larger than r1.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.data.classes import ClassHistogram
from core.privacy.models import known_distinct, recursive, smallest_c

MOST_STATEMENTS = 100


def _statements(statements: int) -> int:
    if not 0 <= statements <= MOST_STATEMENTS:
        raise ParameterError(f"statements must be from 0 to {MOST_STATEMENTS}.", parameter="statements")
    return int(statements)


def left_after(histogram: ClassHistogram, statements: int) -> Ints:
    """(classes,) distinct sensitive values left after so many negation statements; at least 1.

    Missing values are not counted [definitions §1]; a class of nothing else has 0 left.

    Raises
    ------
    ParameterError
        If statements are not from 0 to 100.
    """
    distinct = known_distinct(histogram)
    left: Ints = np.maximum(distinct - _statements(statements), np.minimum(distinct, 1))
    return left


def share_after(histogram: ClassHistogram, statements: int) -> Floats:
    """(classes,) share of the commonest value among the records left, at worst: he keeps r1 and strikes the next.

    What he would say of the likeliest value if he believed the same of all records. NaN where
    every value is missing.
    """
    known = histogram.known
    most = int(known.count.max(initial=0)) + 1
    order = np.sort(known.owner * most + (most - 1 - known.count))
    count = (most - 1) - order % most
    rank = np.arange(len(count)) - known.starts[known.owner]
    struck = (rank >= 1) & (rank <= _statements(statements))
    left = np.add.reduceat(np.where(struck, 0, count), known.starts).astype(np.float64)
    shares: Floats = np.divide(count[known.starts], left, out=np.full(len(left), np.nan), where=left > 0)
    return shares


def smallest_c_after(histogram: ClassHistogram, l: int, statements: int) -> Floats:  # noqa: E741
    """(classes,) infimum of the c for which (c, l) still holds after so many statements, at worst.

    Infinite where it holds for none: fewer than l values may be left. With l = 1 the tail is the
    whole class, so it is :func:`share_after`.
    """
    if l < 1:
        raise ParameterError("l must be at least 1.", parameter="l")
    if l == 1:
        share = share_after(histogram, statements)
        return np.where(np.isnan(share), np.inf, share)
    return smallest_c(histogram, l + _statements(statements))


def largest_l_after(histogram: ClassHistogram, c: float | Fraction, statements: int) -> Ints:
    """(classes,) largest l >= 2 for which (c, l) still holds after so many statements, at worst; 0 for none.

    Compared exactly. O(largest number of distinct values x triples): the l are tried one by
    one, since what holds for l + 1 holds for l.
    """
    largest = np.zeros(histogram.classes, dtype=np.int64)
    struck = _statements(statements)
    for l in range(2, int(known_distinct(histogram).max(initial=0)) - struck + 1):  # noqa: E741
        holds = recursive(histogram, c, l + struck)
        if not holds.any():
            break
        largest[holds] = l
    return largest
