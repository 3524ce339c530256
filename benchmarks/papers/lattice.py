"""The coalitions of one class as bitmasks, checked many at a time; for k and distinct l."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.base.arrays import Bools, Floats, Ints
from core.privacy.coalitions import Group, score

ALPHA_VERIFY = 0.3
"""Weight of diversity in the fitness score when verifying [Goryczka 2011, Table II]."""
CELLS = 4_000_000
"""Cells of one step of a check of many coalitions, to bound memory."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Coalitions of the at most 62 contributors of a class; bit ``i`` stands for ``group.providers[i]``."""

    group: Group

    @property
    def contributors(self) -> int:
        """n_G, the providers with a record in the class."""
        return self.group.contributors

    def most(self, m: int) -> int:
        """Members of the largest coalition that leaves an outsider."""
        return self.group.most(m)

    @cached_property
    def holders(self) -> tuple[Ints, Ints]:
        """Distinct sets of holders of a known sensitive value, and how many values each one holds."""
        held = self.group.holders
        return np.array(list(held), dtype=np.int64), np.array(list(held.values()), dtype=np.int64)

    def left(self, masks: Ints) -> tuple[Ints, Ints]:
        """Records and distinct known sensitive values left without each coalition; O(coalitions x (n_G + values))."""
        held, times = self.holders
        sizes, bits = self.group.sizes, np.arange(self.contributors)
        size, distinct = np.empty(len(masks), dtype=np.int64), np.empty(len(masks), dtype=np.int64)
        step = max(1, CELLS // max(1, len(held), len(bits)))
        for begin in range(0, len(masks), step):
            part = masks[begin : begin + step, None]
            size[begin : begin + step] = sizes.sum() - ((part >> bits) & 1) @ sizes
            distinct[begin : begin + step] = ((held & ~part) != 0) @ times
        return size, distinct

    def breached_by(self, masks: Ints) -> Bools:
        """Whether what is left without each coalition's records fails the constraint."""
        policy = self.group.constraint.policy
        size, distinct = self.left(masks)
        return (size < policy.k) | (distinct < (policy.l or 0))

    @cached_property
    def _plain(self) -> tuple[list[list[int]], list[tuple[int, int]], int]:
        """Records of every choice of eight contributors; holders of the values, most holders first; records."""
        held, times = self.holders
        sizes = self.group.sizes
        order = np.argsort(-np.bitwise_count(held).astype(np.int64), kind="stable")
        bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
        padded = np.concatenate((sizes, np.zeros(-len(sizes) % 8, dtype=np.int64)))
        sums = [(bits @ eight).tolist() for eight in padded.reshape(-1, 8)]
        return sums, list(zip(held[order].tolist(), times[order].tolist(), strict=True)), int(sizes.sum())

    def is_breached_by(self, mask: int) -> bool:
        """Answer :meth:`breached_by` for one coalition, in plain integers."""
        sums, held, left = self._plain
        rest = mask
        for eight in sums:
            left -= eight[rest & 255]
            rest >>= 8
        policy = self.group.constraint.policy
        if left < policy.k:
            return True
        missing = policy.l
        if missing is None:
            return False
        for holder, times in held:
            if holder & ~mask:
                missing -= times
                if missing <= 0:
                    return False
        return missing > 0

    def fitness(self, masks: Ints, alpha: float = ALPHA_VERIFY) -> Floats:
        """Privacy fitness score of the records that each coalition contributed [Goryczka 2011, Eq. 1].

        The higher, the stronger the coalition. See :func:`core.privacy.coalitions.score`.
        """
        everyone = (1 << self.contributors) - 1
        size, distinct = self.left(everyone & ~masks)
        return score(size, distinct, self.group.constraint.policy, alpha)

    def mean_fitness(self, alpha: float = ALPHA_VERIFY) -> float:
        """Mean fitness score of the contributors, each alone: what the adaptive strategy looks at."""
        return float(self.fitness(np.int64(1) << np.arange(self.contributors), alpha).mean())
