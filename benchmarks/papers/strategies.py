"""The search strategies of Goryczka, Xiong and Fung (2011, §III) for one class, each exact.

They differ in how many coalitions they check. That number does not depend on the machine:
coalitions are checked in arrays, and counted as if one after another, up to the first that
decides.

Orders [definitions §6]: coalitions larger than the m-adversaries by ascending fitness (the
weak ones fail to breach, which prunes all below them), m-adversaries and smaller ones by
descending fitness (the strong ones breach, which ends the search); ties by mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.papers.lattice import Lattice
from benchmarks.papers.masks import children, inside_any, of_size
from core.base.arrays import Bools, Ints

ADAPTIVE_FITNESS = 0.85
"""Mean fitness per provider from which *adaptive* goes top-down [Goryczka 2011, §V.B]."""
FIRST_BATCH, LAST_BATCH = 8, 1024


@dataclass
class Search:
    """What a strategy found, and what it did.

    Parameters
    ----------
    coalition
        Mask of a coalition that breaches; ``None`` if the class is m-private.
    checks
        Privacy checks made.
    checked, answers
        Coalitions that were checked and whether they breach, in the order of the checks: single
        ones and arrays of them, see :attr:`made`.
    """

    coalition: int | None = None
    checks: int = 0
    checked: list[Any] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether no coalition breaches."""
        return self.coalition is None

    @property
    def made(self) -> tuple[Ints, Bools]:
        """Every coalition that was checked, and whether it breaches, in the order of the checks."""
        none = np.zeros(0, dtype=np.int64)
        checked = np.concatenate([none, *(np.atleast_1d(part) for part in self.checked)])
        return checked, np.concatenate([none.astype(bool), *(np.atleast_1d(part) for part in self.answers)])

    def note(self, masks: Ints, breached: Bools) -> None:
        """Count checks."""
        self.checks += len(masks)
        self.checked.append(masks)
        self.answers.append(breached)

    def note_one(self, mask: int, breached: bool) -> bool:
        """Count one check and hand its answer on."""
        self.checks += 1
        self.checked.append(mask)
        self.answers.append(breached)
        return breached

    def until_breach(self, group: Lattice, masks: Ints) -> bool:
        """Check coalitions in their order up to the first that breaches; whether there is one."""
        for part in batches(masks):
            bad = group.breached_by(part)
            if bad.any():
                first = int(np.argmax(bad))
                self.note(part[: first + 1], bad[: first + 1])
                self.coalition = int(part[first])
                return True
            self.note(part, bad)
        return False


def batches(masks: Ints) -> Iterator[Ints]:
    """Cut an order of checks into growing pieces, so that an early end wastes little."""
    begin, size = 0, FIRST_BATCH
    while begin < len(masks):
        yield masks[begin : begin + size]
        begin += size
        size = min(2 * size, LAST_BATCH)


def strongest_first(group: Lattice, masks: Ints) -> Ints:
    """Order coalitions by descending fitness, ties by mask."""
    return masks[np.lexsort((masks, -group.fitness(masks)))]


def weakest_first(group: Lattice, masks: Ints) -> Ints:
    """Order coalitions by ascending fitness, ties by mask."""
    return masks[np.lexsort((masks, group.fitness(masks)))]


def direct(group: Lattice, m: int) -> Search:
    """Check every coalition of m providers: C(n_G, m) checks if none breaches."""
    search = Search()
    search.until_breach(group, strongest_first(group, of_size(group.contributors, group.most(m))))
    return search


def bottom_up(group: Lattice, m: int) -> Search:
    """Check from the outside recipient upwards; the first breach ends it."""
    search = Search()
    for size in range(group.most(m) + 1):
        if search.until_breach(group, strongest_first(group, of_size(group.contributors, size))):
            break
    return search


def top_down(group: Lattice, m: int) -> Search:
    """Check from all but one downwards, below those that breach only.

    A coalition that does not breach has no sub-coalition that does. A level is abandoned as
    soon as every m-adversary is below one that was found harmless.
    """
    search, n, lowest = Search(), group.contributors, group.most(m)
    unsettled, level = of_size(n, lowest), of_size(n, n - 1)
    for size in range(n - 1, lowest, -1):
        breaching = []
        for part in batches(weakest_first(group, level)):
            bad = group.breached_by(part)
            remaining = unsettled[~inside_any(unsettled, part[~bad])]
            if not len(remaining):
                needed = _needed(unsettled, part, bad)
                search.note(part[:needed], bad[:needed])
                return search
            unsettled = remaining
            search.note(part, bad)
            breaching.append(part[bad])
        masks, parents = children(np.concatenate(breaching), n)
        level = masks[parents == n - size + 1]
    # Left are the m-adversaries below nothing harmless.
    search.until_breach(group, strongest_first(group, unsettled))
    return search


def _needed(unsettled: Ints, part: Ints, bad: Bools) -> int:
    """How many checks of a batch it takes until every m-adversary left is settled."""
    for number in np.flatnonzero(~bad).tolist():
        unsettled = unsettled[(unsettled & ~part[number]) != 0]
        if not len(unsettled):
            return number + 1
    return len(part)


def binary(group: Lattice, m: int) -> Search:
    """Search between the largest coalitions and the m-adversaries [Goryczka 2011, Alg. 1].

    Each turn takes a coalition of all but one that breaches and an m-adversary inside it
    that does not, halves the way between them until a breaching coalition stands directly
    above a harmless one, and prunes all m-adversaries below the harmless one. A coalition
    that was checked is not checked again.

    *Reading*: the printed line 6 goes on to the next coalition when I_super *breaches*; by
    the text it does so when it does not, after pruning all below it. The largest coalitions
    are gone through in turn, and again, until no m-adversary is left.
    """
    n, lowest = group.contributors, group.most(m)
    if lowest == n - 1:
        return direct(group, m)
    search, known = Search(), _Known(group)
    waiting = _Waiting(strongest_first(group, of_size(n, lowest)))
    tops: list[int] = []
    for top in weakest_first(group, of_size(n, n - 1)).tolist():
        if not search.note_one(top, group.is_breached_by(top)):
            waiting.settle(top)
        else:
            tops.append(top)
            low = waiting.first_inside(top)
            if low is not None and _one_turn(low, top, waiting, search, known):
                return search
        if waiting.is_over():
            return search
    turn = 0
    while not waiting.is_over():
        low = waiting.first()
        while low & ~tops[turn % len(tops)]:
            turn += 1
        if _one_turn(low, tops[turn % len(tops)], waiting, search, known):
            break
        turn += 1
    return search


def _one_turn(low: int, high: int, waiting: _Waiting, search: Search, known: _Known) -> bool:
    """One turn of the binary search below a breaching coalition; whether the m-adversary ``low`` breaches."""
    if search.note_one(low, known.group.is_breached_by(low)):
        search.coalition = low
        return True
    while (gap := high.bit_count() - low.bit_count()) > 1:
        middle = known.between(low, high, gap // 2)
        if known.breaches(search, middle):
            high = middle
        else:
            low = middle
    waiting.settle(low)
    return False


class _Waiting:
    """The m-adversaries that are neither checked nor pruned, in their order."""

    def __init__(self, order: Ints) -> None:
        self.order, self.at = order, 0
        self.plain: list[int] = order.tolist()
        # One memory seen twice: a byte search finds the next one, an array operation prunes many.
        self.open = bytearray(b"\1" * len(order))
        self.flags = np.frombuffer(self.open, dtype=np.uint8)

    def is_over(self) -> bool:
        """Whether none is left."""
        self.at = self.open.find(1, self.at)
        return self.at < 0

    def first(self) -> int:
        """Return the first that is left."""
        return self.plain[self.at]

    def first_inside(self, whole: int) -> int | None:
        """Return the first that is left inside a coalition."""
        inside = np.flatnonzero((self.flags == 1) & ((self.order & ~whole) == 0))
        return self.plain[inside[0]] if len(inside) else None

    def settle(self, harmless: int) -> None:
        """Prune all inside a harmless coalition."""
        if harmless == self.plain[self.at]:
            self.open[self.at] = 0
        else:
            self.flags &= (self.order & ~harmless) != 0


class _Known:
    """Answers on the way between the m-adversaries and the largest coalitions."""

    def __init__(self, group: Lattice) -> None:
        self.group = group
        self.answers: dict[int, bool] = {}
        weights = group.fitness(np.int64(1) << np.arange(group.contributors))
        self.weakest = [1 << i for i in np.argsort(weights, kind="stable").tolist()]

    def breaches(self, search: Search, mask: int) -> bool:
        """Whether a coalition breaches; one that was checked before is not checked again."""
        known = self.answers.get(mask)
        if known is None:
            known = self.answers[mask] = search.note_one(mask, self.group.is_breached_by(mask))
        return known

    def between(self, low: int, high: int, more: int) -> int:
        """Coalition above ``low`` and below ``high`` with so many more members, the weakest ones."""
        room, middle = high & ~low, low
        for member in self.weakest:
            if room & member:
                middle |= member
                more -= 1
                if not more:
                    break
        return middle


def adaptive(group: Lattice, m: int) -> Search:
    """Search *binary* where breaches are likely, below a mean fitness per provider of 0.85, else *top-down*."""
    return (binary if group.mean_fitness() < ADAPTIVE_FITNESS else top_down)(group, m)


STRATEGIES: dict[str, Callable[[Lattice, int], Search]] = {
    "direct": direct,
    "top-down": top_down,
    "bottom-up": bottom_up,
    "binary": binary,
    "adaptive": adaptive,
}
