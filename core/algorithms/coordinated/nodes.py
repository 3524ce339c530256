"""Where the records of one table lie in the trees of an agreement, and what each node holds of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.algorithms.units import Units
from core.base.arrays import Bools, Codes, Ints, Progress, is_first
from core.data.classes import ClassHistogram
from core.data.encoding.agreed_values import bucket_table, is_inside, regions_of
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.agreement import Agreement
from core.privacy.policy import Policy


@dataclass(frozen=True, eq=False)
class Trees:
    """All trees of an agreement as arrays; nodes are numbered level by level, the roots first.

    Parameters
    ----------
    first
        (regions + 1,) number of the first tree of each region.
    values
        (trees,) number of values of each bucket.
    attribute
        (nodes,) quasi-identifier by which a node is cut; -1 for a leaf.
    child
        (2, nodes) node of each side; -1 for a leaf.
    tree
        (nodes,) tree of each node.
    level
        (levels + 1,) number of the first node of each level.
    key
        Sorted; node * ``span`` + code, if a record with that code is on the first side of the node; a last larger one.
    span
        More than any code.
    """

    first: Ints
    values: Ints
    attribute: Ints
    child: Ints
    tree: Ints
    level: Ints
    key: Ints
    span: int

    @classmethod
    def of(cls, agreement: Agreement, qids: Sequence[Domain]) -> Trees:
        """Number the nodes of an agreement and look up its values among those of a table."""
        place = {domain.name: number for number, domain in enumerate(qids)}
        span = max(domain.size for domain in qids)
        trees = [pair for region in agreement.regions for pair in zip(region.trees, region.buckets, strict=True)]
        attribute, tree_of, levels = list[int](), list[int](), [0]
        children, keys = list[tuple[int, int]](), list[Ints]()
        at_level = [(number, 0 if tree else -1) for number, (tree, _) in enumerate(trees)]
        begin = 0
        while at_level:
            later: list[tuple[int, int]] = []
            for number, (tree, own) in enumerate(at_level, start=begin):
                tree_of.append(tree)
                if own < 0:
                    attribute.append(-1)
                    children.append((-1, -1))
                    continue
                cut = trees[tree][0][own]
                attribute.append(place[cut.column])
                codes = np.flatnonzero(is_inside(cut, qids[place[cut.column]]))
                keys.append(number * span + codes)
                next_one = begin + len(at_level) + len(later)
                children.append((next_one, next_one + 1))
                later += [(tree, cut.first), (tree, cut.second)]
            begin += len(at_level)
            levels.append(begin)
            at_level = later
        counts = [0, *(len(region.trees) for region in agreement.regions)]
        return cls(
            np.cumsum(counts),
            np.array([len(bucket) for _, bucket in trees]),
            np.array(attribute),
            np.array(children).T,
            np.array(tree_of),
            np.array(levels),
            np.concatenate([*keys, [np.iinfo(np.int64).max]]),
            span,
        )

    def sides(self, node: Ints, codes: Codes, which: Ints) -> Ints:
        """Node of the next level for some records, ``which``, at nodes that are cut."""
        code = codes[self.attribute[node], which].astype(np.int64)
        key = node * self.span + code
        at = np.searchsorted(self.key, key)
        sides: Ints = np.where(self.key[at] == key, self.child[0, node], self.child[1, node])
        return sides


@dataclass(frozen=True, eq=False)
class Held:
    """What each node of the trees holds of one table.

    Parameters
    ----------
    trees
        The trees.
    records
        (nodes,) records.
    whole
        (nodes,) whether every value of the bucket occurs.
    deepest
        (units,) leaf of each distinct person; -1 without a tree.
    units
        Distinct people.
    histogram
        Sensitive values of the nodes ``node``, if asked for.
    node
        Nodes with records, in order.
    """

    trees: Trees
    records: Ints
    whole: Bools
    deepest: Ints
    units: Units
    histogram: ClassHistogram | None
    node: Ints

    @classmethod
    def of(
        cls, encoded: Encoded, agreement: Agreement, with_values: bool = False, progress: Progress | None = None
    ) -> Held:
        """Send every record of a table down its tree; O(records x levels)."""
        trees, units = Trees.of(agreement, encoded.qids), Units.of(encoded, with_sensitive=True)
        regions = regions_of(agreement, encoded.qids, units.codes)
        bucket = bucket_table(agreement, encoded.sensitive)[regions, units.sensitive_codes]
        at = np.where((regions >= 0) & (bucket >= 0), trees.first[regions] + bucket, -1)
        records, whole = np.zeros(len(trees.tree), dtype=np.int64), np.zeros(len(trees.tree), dtype=bool)
        active, parts = np.flatnonzero(at >= 0), list[ClassHistogram]()
        levels = len(trees.level) - 1
        present: list[Ints] = []
        for level in range(levels):
            active = active[np.lexsort((units.sensitive_codes[active], at[active]))]
            begins = np.flatnonzero(is_first(at[active]))
            some = at[active][begins]
            present.append(some)
            if len(active):
                label = np.cumsum(is_first(at[active])) - 1
                histogram = ClassHistogram.of_records(
                    label,
                    units.sensitive_codes[active],
                    encoded.overall,
                    len(some),
                    units.weight[active],
                    encoded.sensitive.missing,
                )
                records[some] = histogram.people
                whole[some] = np.bincount(histogram.owner, minlength=len(some)) == trees.values[trees.tree[some]]
                if with_values:
                    parts.append(histogram)
            active = active[trees.attribute[at[active]] >= 0]
            if len(active):
                at[active] = trees.sides(at[active], units.codes, active)
            if progress is not None:
                progress((level + 1) / levels)
        joined = _joined(parts, encoded) if parts else None
        return cls(trees, records, whole, at, units, joined, np.concatenate(present))

    def allowed(self, policy: Policy, overall: Ints, sensitive: Domain) -> Bools:
        """(nodes,) whether each could be a class: k, every value of its bucket, and what else the policy asks for."""
        good = self.whole & (self.records >= policy.k)
        if self.histogram is not None:
            held = ClassHistogram(
                self.histogram.owner,
                self.histogram.value,
                self.histogram.count,
                self.histogram.starts,
                overall,
                sensitive.missing,
                self.histogram.people,
            )
            good[self.node] &= policy.is_satisfied(held, sensitive)
        return good

    def labels(self, chosen: Bools) -> Codes:
        """(records,) class of each record for the nodes chosen, no two of them on one path; -1 if left out."""
        trees = self.trees
        own = np.where(chosen, np.arange(len(chosen)), -1)
        for level in range(len(trees.level) - 2):
            begin, end = trees.level[level : level + 2]
            cut = begin + np.flatnonzero(trees.attribute[begin:end] >= 0)
            for child in trees.child[:, cut]:
                own[child] = np.where(own[cut] >= 0, own[cut], own[child])
        node = np.where(self.deepest >= 0, own[self.deepest], -1)
        kept = np.flatnonzero(node >= 0)
        labels = np.full(len(node), -1, dtype=np.int32)
        _, first, number = np.unique(node[kept], return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.int32)
        order[np.argsort(first)] = np.arange(len(first))
        labels[kept] = order[number]
        return labels[self.units.of_record]


def _joined(parts: Sequence[ClassHistogram], encoded: Encoded) -> ClassHistogram:
    """The histograms of all levels as one."""
    before = np.cumsum([0, *(part.classes for part in parts)])
    owner = np.concatenate([part.owner + first for part, first in zip(parts, before, strict=False)])
    return ClassHistogram(
        owner,
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.count for part in parts]),
        np.flatnonzero(is_first(owner)),
        encoded.overall,
        encoded.sensitive.missing,
    )


def cut_if_both_are_allowed(trees: Trees, allowed: Bools) -> Bools:
    """(nodes,) which are classes, if a node is cut exactly when both sides are allowed."""
    chosen = np.zeros(len(allowed), dtype=bool)
    open_nodes = np.flatnonzero(allowed[: trees.level[1]])
    while len(open_nodes):
        is_cut = trees.attribute[open_nodes] >= 0
        sides = trees.child[:, open_nodes]
        is_cut &= allowed[sides].all(axis=0)  # a leaf's sides, -1, are masked
        chosen[open_nodes[~is_cut]] = True
        open_nodes = np.sort(sides[:, is_cut].ravel())
    return chosen
