"""Category breach: every value left is of one kind.

Flu, fever and cold left over say "an infection", though not which [Ganta 2008, §3.2.2]. A
category is a node of the sensitive attribute's taxonomy at a level that the user picks; a
value whose leaf lies above that level, or that the taxonomy does not have, is a category of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.arrays import Bools, Ints, Words, mean_over
from core.attack.bitsets import MAX_WORDS
from core.attack.intersection import AttackResult
from core.classes import ClassHistogram
from core.data.taxonomy import Taxonomy
from core.errors import ParameterError
from core.published.located import Located
from core.rates import Rate


def levels(taxonomy: Taxonomy) -> tuple[int, ...]:
    """Levels at which categories gather values, from the children of the root (1) downwards.

    Empty for a taxonomy of a single level: its categories are the values themselves.
    """
    return tuple(range(1, taxonomy.height))


@dataclass(frozen=True, eq=False)
class Categories:
    """The category of each sensitive value.

    Parameters
    ----------
    names
        Label of each category.
    of_value
        (values,) category of each value.
    """

    names: tuple[str, ...]
    of_value: Ints

    @classmethod
    def at(cls, values: Sequence[str], taxonomy: Taxonomy, level: int) -> Categories:
        """Look up the nodes of a level above some values.

        Parameters
        ----------
        values
            Texts of the sensitive values.
        taxonomy
            Of the sensitive attribute.
        level
            Depth of the nodes, from 1 (children of the root) to the height of the tree, where
            every value is its own category.

        Raises
        ------
        ParameterError
            If the tree has no such level.
        """
        if not 1 <= level <= taxonomy.height:
            raise ParameterError(
                f"The taxonomy of the sensitive attribute has the levels 1 to {taxonomy.height}; {level} was given."
                if taxonomy.height
                else "The taxonomy of the sensitive attribute has a single value and so no level to choose.",
                parameter="level",
            )
        # A release may publish a whole category in place of a value: its label is a node, too.
        nodes = np.arange(taxonomy.nodes)
        above = taxonomy.ancestors[level, taxonomy.low]
        leaf_or_deep = (taxonomy.depth >= level) | (taxonomy.leaf_nodes[taxonomy.low] == nodes)
        node_of = dict(zip(taxonomy.labels, np.where(leaf_or_deep, above, nodes).tolist(), strict=True))
        number: dict[int | str, int] = {}
        names: list[str] = []
        of_value: list[int] = []
        for value in values:
            node = node_of.get(value, value)
            if node not in number:
                number[node] = len(names)
                names.append(taxonomy.labels[node] if isinstance(node, int) else node)
            of_value.append(number[node])
        return cls(tuple(names), np.array(of_value, dtype=np.int64))

    @property
    def count(self) -> int:
        """Number of categories."""
        return len(self.names)

    @cached_property
    def masks(self) -> Words:
        """(categories, words) values of each category as bits."""
        words = (len(self.of_value) + 63) // 64
        if self.count * words > MAX_WORDS:
            raise ParameterError(
                f"{self.count:,} categories of {len(self.of_value):,} values need too much memory; choose a higher "
                "level of the taxonomy.",
                parameter="level",
            )
        value = np.arange(len(self.of_value))
        masks = np.zeros((self.count, words), dtype=np.uint64)
        np.bitwise_or.at(masks, (self.of_value, value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
        return masks

    def of_sets(self, sets: Words) -> Ints:
        """(P,) the category that all values of a set belong to; -1 where there are several, or no value.

        The category of the lowest value is the only one that can be; the rest is one "and not".
        O(P x words).
        """
        filled = sets.any(axis=1)
        word = (sets != 0).argmax(axis=1)
        bits = sets[np.arange(len(sets)), word]
        lowest = np.bitwise_count((bits & (~bits + np.uint64(1))) - np.uint64(1)).astype(np.int64)
        category = self.of_value[np.where(filled, 64 * word + lowest, 0)]
        single = filled & ~(sets & ~self.masks[category]).any(axis=1)
        return np.where(single, category, -1)

    def of_classes(self, histogram: ClassHistogram, code: Ints) -> tuple[Ints, Ints]:
        """Lowest and highest category among the values of each class, (classes,) each."""
        category = self.of_value[code[histogram.value]]
        if not histogram.classes:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return np.minimum.reduceat(category, histogram.starts), np.maximum.reduceat(category, histogram.starts)

    def of_people(self, located: Located, histogram: ClassHistogram, code: Ints) -> Ints:
        """(P,) the category that one release alone leaves; -1 where it leaves several, or the class is not known."""
        low, high = self.of_classes(histogram, code)
        there = np.flatnonzero(located.counts)
        categories = np.full(located.people, -1, dtype=np.int64)
        if len(there):
            least = np.minimum.reduceat(low[located.classes], located.starts[there])
            most = np.maximum.reduceat(high[located.classes], located.starts[there])
            categories[there] = np.where(least == most, least, -1)
        return categories


@dataclass(frozen=True, eq=False)
class CategoryBreach:
    """Whose category is known after an attack.

    Parameters
    ----------
    categories
        At the level that was chosen.
    category
        (P,) the one category of all values left; -1 where there are several, or none is left.
    alone
        (R, P) the same from each release alone.
    truth
        (P,) category of the true value, -1 where that is not known.
    overall
        (categories,) records of each category in the first release.
    weight
        (P,) people that each one stands for; ``None`` where each is a person.
    """

    categories: Categories
    category: Ints
    alone: Ints
    truth: Ints
    overall: Ints
    weight: Ints | None = None

    @property
    def people(self) -> int:
        """Number of people attacked."""
        return len(self.category) if self.weight is None else int(self.weight.sum())

    def mean(self, numbers: Bools) -> Any:
        """Share of all people, (..., P) to (...)."""
        return mean_over(numbers, self.weight)

    @property
    def breached(self) -> Bools:
        """(P,) whether all values left are of one category, and at least one is left."""
        return self.category >= 0

    @property
    def rate(self) -> Rate:
        """Share of people whose category is known.

        ``single``: share from the best single release, its baseline. Exact for these people,
        without an interval.
        """
        return Rate(float(self.mean(self.breached)), self.people, single=float(self.mean(self.alone >= 0).max()))

    @property
    def right(self) -> Rate:
        """Share of people breached whose true value is of that category; ``single``: by the best single release."""
        known = self.truth >= 0
        return Rate(
            float(self.mean(known & (self.truth == self.category))),
            self.people,
            single=float(self.mean(known & (self.alone == self.truth)).max()),
        )

    @property
    def guess(self) -> float:
        """How often naming the commonest category of the first release is right."""
        return float(self.overall.max(initial=0) / max(1, self.overall.sum()))

    @property
    def wrong(self) -> Rate:
        """Share of people breached whose true value is of another category; part of :attr:`rate`."""
        other = self.breached & (self.truth >= 0) & (self.truth != self.category)
        return Rate(float(self.mean(other)), self.people)


def category_breach(result: AttackResult, taxonomy: Taxonomy, level: int = 1) -> CategoryBreach:
    """Find the people of whom an attack tells the category of their sensitive value.

    Parameters
    ----------
    result
        Of :func:`core.intersection_attack`.
    taxonomy
        Of the sensitive attribute.
    level
        Depth of the categories, 1 for the children of the root; see :func:`levels`.

    Returns
    -------
    CategoryBreach

    Raises
    ------
    ParameterError
        If the tree has no such level.

    Notes
    -----
    An empty intersection is no breach. O(R x (triples + P) + P x values / 64).
    """
    breach = category_breach_parts(
        result.sets,
        result.located,
        result.histograms,
        result.codes,
        result.truth,
        result.overall,
        Categories.at(result.values, taxonomy, level),
    )
    return replace(breach, weight=result.weight)


def category_breach_parts(
    sets: Words,
    located: Sequence[Located],
    histograms: Sequence[ClassHistogram],
    codes: Sequence[Ints],
    truth: Ints,
    overall: Ints,
    categories: Categories,
) -> CategoryBreach:
    """Find the people whose category is known, from the parts of an attack; see :func:`category_breach`."""
    alone = [categories.of_people(*parts) for parts in zip(located, histograms, codes, strict=True)]
    return CategoryBreach(
        categories,
        categories.of_sets(sets),
        np.array(alone),
        np.where(truth >= 0, categories.of_value[truth], -1),
        np.bincount(categories.of_value, weights=overall, minlength=categories.count).astype(np.int64),
    )
