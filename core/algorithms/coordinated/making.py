"""Make an agreement from public data: lists of values of like frequency, and a tree of cuts for each bucket."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from core.algorithms.leastloss.lines import Lines
from core.algorithms.units import Units
from core.base.arrays import Bools, Floats, Ints, Progress, step
from core.base.errors import InfeasibleError, ParameterError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.classes import weighted_count
from core.data.encoding.agreed_values import check_cells_show, check_years, is_inside, last_of
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable, data_of, rows_of
from core.data.schemas.agreement import BY_NUMBER, AgreedRegion, Agreement, Cut, Inside, Made
from core.data.schemas.schema import Schema
from core.data.tables.table import Table

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

OTHER = "(other)"
"""Label of values that a list does not have; in more brackets if a value has that text."""
PRIOR = 5.0
"""Public records that a node's shares of values weigh as much as when those of a side are estimated."""
FORESIGHT = (0.0, 0.1)
"""Powers of the number of classes that a side can have, by which its loss is divided when cuts are compared."""
POSSIBLE = 0.1
"""Least chance with which the smallest hospital can make a cut."""
USUAL_K, USUAL_RARE = 10, 0.002
"""The k of publishers, and the share of a region below which a value is rare, if nothing else is given."""
FEW = 0.01
"""Share of the public records below which values of a stable column are put into one region together."""
GROUPS = 4
"""Regions that a column of numbers is divided into."""
MOST_COMMON, RANGES = 4, 8
"""Candidate cuts: how many of the most common categories; into how many parts of equal weight for a number."""


def agree(
    table: Table | FrequencyTable | IntoDataFrame,
    schema: Schema,
    least: int = 3,
    stable: Sequence[str] = (),
    size: int | None = None,
    k: int = USUAL_K,
    rare: float = USUAL_RARE,
    level: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Make an agreement from public data [definitions §11].

    Parameters
    ----------
    table, schema
        Public data, such as a census extract, and the roles of its columns. They must not hold the records that the
        agreement is to protect.
    least
        Number of values of each bucket at least: what is left of the values of anyone.
    stable
        Quasi-identifiers by which lists differ: public and unchangeable, such as sex or year of birth. Of a column of
        numbers there are up to four parts.
    size
        Records of the smallest hospital that will keep it; as many as the public data by default. Trees end earlier for
        smaller ones.
    k
        People per class that it will require. Others may require fewer or more.
    rare
        Share of a region's records below which a value is published as the label for all others.
    level
        Publish the sensitive values at this level of their taxonomy, from 0 at its root.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    Agreement

    Raises
    ------
    SchemaError, LimitError
        If the table does not fit the schema.
    ParameterError
        If a number is out of range, or a column is not a quasi-identifier.
    InfeasibleError
        If a region has fewer than ``least`` values.

    Notes
    -----
    15,060 records of Adult in about two seconds.

    Examples
    --------
    >>> from composition_dashboard import agree, examples
    >>> agree(examples.city(1_000, seed=1), examples.city_schema(), least=4).least
    4
    """
    LIMITS["agreement least"].check(least, "least")
    LIMITS["agreement rare"].check(rare, "rare")
    LIMITS["agreement k"].check(k, "k")
    schema.need_one_sensitive("An agreement", "sensitive")
    data = data_of(table)
    encoded = encode(data, schema.with_(agreement=None))
    check_years(schema, {name: rows_of(data).column(name) for name in schema.quasi_identifiers})
    encoded.need_one_record("An agreement", "person")
    if size is not None:
        LIMITS["size"].check(size, "size")
    settings = {"least": float(least), "rare": rare, "size": float(size or encoded.records), "k": float(k)}
    coarser = {} if level is None else _coarser(encoded.sensitive, level)
    settings |= {} if level is None else {"level": float(level)}
    label = _label({*encoded.sensitive.labels, *coarser.values()})
    regions = []
    for inside, rows in _regions(encoded, stable):
        regions.append((inside, rows, _buckets(_shares(encoded.take(rows), coarser), least, rare, label)))
    smallest = Smallest((size or encoded.records) / encoded.records, k)
    trees = [
        _trees(encoded.take(rows), buckets, coarser, label, smallest, step(progress, number, len(regions)))
        for number, (_, rows, buckets) in enumerate(regions)
    ]
    return Agreement(
        encoded.sensitive.name,
        {domain.name: str(domain.column_type) for domain in encoded.qids},
        tuple(AgreedRegion(buckets, own, inside) for (inside, _, buckets), own in zip(regions, trees, strict=True)),
        label,
        coarser,
        Made("table", data.content_id, encoded.records, settings),
    )


def _label(taken: set[str]) -> str:
    label = OTHER
    while label in taken:
        label = f"({label})"
    return label


def _coarser(sensitive: Domain, level: int) -> dict[str, str]:
    """Each value of a taxonomy, by the node of a level that it is published as."""
    tree = sensitive.taxonomy
    if tree is None:
        raise ParameterError(
            f"{shown(sensitive.name)} has no taxonomy, so it has no level; give one, or leave the level out.",
            parameter="level",
        )
    if not 0 < level <= tree.height:
        raise ParameterError(f"The level must be from 1 to {tree.height}.", parameter="level")
    nodes = tree.ancestors[level].tolist()
    return {tree.leaf_labels[leaf]: tree.labels[node] for leaf, node in enumerate(nodes)}


# ---- regions and lists ---------------------------------------------------------------------


def _regions(encoded: Encoded, stable: Sequence[str]) -> Iterator[tuple[tuple[Inside, ...], Ints]]:
    """Each region that has records: what defines it, and its records."""
    place = {domain.name: number for number, domain in enumerate(encoded.qids)}
    parts: list[list[tuple[Inside, Bools]]] = []
    for column in dict.fromkeys(stable):
        if column not in place:
            raise ParameterError(
                f"{shown(column)} defines regions, so it must be a quasi-identifier; give it that role, or omit it.",
                parameter="stable",
            )
        domain, codes = encoded.qids[place[column]], encoded.codes[place[column]]
        cuts = (
            _ranges(domain, codes, encoded.weight)
            if domain.column_type in BY_NUMBER
            else _single(domain, codes, encoded.weight)
        )
        parts.append([(inside, is_inside(inside, domain)[codes]) for inside in cuts])
    LIMITS["agreement regions"].check(math.prod(map(len, parts)), "stable")
    for chosen in product(*parts):
        everyone = np.ones(len(encoded), dtype=bool)
        rows = np.flatnonzero(np.logical_and.reduce([everyone, *(there for _, there in chosen)]))
        if len(rows):
            yield tuple(inside for inside, _ in chosen), rows


def _single(domain: Domain, codes: Ints, weight: Ints) -> list[Inside]:
    """Each value of a column; rare ones together, in the order of the column if its cells are ranges."""
    count = weighted_count(codes, weight, domain.size)
    known = np.flatnonzero(np.arange(domain.size) != domain.missing)
    if not domain.column_type.ordered:
        known = known[np.argsort(-count[known], kind="stable")]
    parts: list[list[int]] = [[]]
    for code in known.tolist():
        parts[-1].append(code)
        if count[parts[-1]].sum() >= FEW * count.sum():
            parts.append([])
    rest = parts.pop()
    parts = parts or [[]]
    parts[-1] += rest
    made = [Inside(domain.name, values=tuple(domain.labels[code] for code in sorted(part))) for part in parts]
    check_cells_show(made, domain)
    return made


def _ranges(domain: Domain, codes: Ints, weight: Ints) -> list[Inside]:
    """Parts of a column of numbers with about equally many records; the first and last are open."""
    assert domain.values is not None
    count = weighted_count(codes, weight, domain.size)
    known = domain.size - (domain.missing >= 0)
    upto = np.cumsum(count[:known])
    ends = np.searchsorted(upto, upto[-1] * np.arange(1, GROUPS) / GROUPS)
    at = [-1.0e15, *(last_of(domain, end) for end in np.unique(ends).tolist()), 1.0e15]
    return [
        Inside(domain.name, low=low if number == 0 else float(np.nextafter(low, np.inf)), high=high)
        for number, (low, high) in enumerate(pairwise(at))
        if ((domain.values[:known] <= high) & (domain.values[:known] > low)).any()
    ]


def _shares(encoded: Encoded, coarser: dict[str, str]) -> dict[str, int]:
    """Records of each published value."""
    counts: dict[str, int] = {}
    for code, count in enumerate(encoded.overall.tolist()):
        if count and code != encoded.sensitive.missing:
            text = encoded.sensitive.labels[code]
            text = coarser.get(text, text)
            counts[text] = counts.get(text, 0) + count
    return counts


def _buckets(counts: dict[str, int], least: int, rare: float, label: str) -> tuple[tuple[str, ...], ...]:
    """Deal values into buckets of like frequency; the rarest are one label, which is dealt like any other.

    Of the ways to cut the values, ordered by frequency, into buckets of ``least`` to ``2 least - 1``, the one with the
    least sum of P ln(P / r): P is the share of a bucket, r that of its rarest value, of which every class needs one.
    """
    ordered = sorted(counts, key=lambda value: (counts[value], value))
    threshold, together, number = rare * sum(counts.values()), 0, 0
    while number < len(ordered) and (
        counts[ordered[number]] < threshold or (0 < together < threshold and len(ordered) - number > least)
    ):
        together += counts[ordered[number]]
        number += 1
    shares = {value: counts[value] for value in ordered[number:]} | ({label: together} if number else {})
    if len(shares) < least:
        raise InfeasibleError(
            f"A region has only {len(shares):,} values that are not rare, and a bucket needs {least:,}; ask for "
            "fewer values, use fewer stable columns, or lower the share that is rare.",
            parameter="least",
        )
    ordered = sorted(shares, key=lambda value: (shares[value], value))
    total = sum(shares.values())
    cuts = cheapest([shares[value] / total for value in ordered], least)
    return tuple(tuple(ordered[begin:end]) for begin, end in pairwise(cuts))


def cheapest(share: Sequence[float], least: int) -> list[int]:
    """Bounds of the buckets, in rising shares, that minimise the sum of P ln(P / r); O(values x least)."""
    n = len(share)
    upto = np.concatenate(([0.0], np.cumsum(share))).tolist()
    cost, came = [0.0] + [math.inf] * n, [0] * (n + 1)
    for end in range(least, n + 1):
        for begin in range(max(0, end - 2 * least + 1), end - least + 1):
            p = upto[end] - upto[begin]
            loss = cost[begin] + p * math.log(p / share[begin])
            if loss < cost[end]:
                cost[end], came[end] = loss, begin
    cuts = [n]
    while cuts[-1]:
        cuts.append(came[cuts[-1]])
    return cuts[::-1]


# ---- trees ---------------------------------------------------------------------------------


def _trees(
    encoded: Encoded,
    buckets: Sequence[Sequence[str]],
    coarser: dict[str, str],
    label: str,
    smallest: Smallest,
    progress: Progress | None,
) -> tuple[tuple[Cut, ...], ...]:
    """The tree of each bucket of a region, from its public records.

    If the smallest hospital has more records of a bucket than the public data, records of other buckets show where they
    lie, too.
    """
    place = {value: (number, which) for number, bucket in enumerate(buckets) for which, value in enumerate(bucket)}
    texts = [coarser.get(text, text) for text in encoded.sensitive.labels]
    of_value = np.array([place.get(text, place.get(label, (-1, -1))) for text in texts])
    if encoded.sensitive.missing >= 0:
        of_value[encoded.sensitive.missing] = -1
    trees = []
    order = np.random.default_rng(0).permutation(len(encoded))
    for number, bucket in enumerate(buckets):
        own = of_value[encoded.sensitive_codes, 0] == number
        rows, others = np.flatnonzero(own), order[~own[order]]
        more = (smallest.share - 1) * encoded.weight[rows].sum()
        rows = np.sort(np.append(rows, others[np.cumsum(encoded.weight[others]) <= more]))
        which = np.where(of_value[:, 0] == number, of_value[:, 1], len(bucket))
        trees.append(_tree(encoded.take(rows), which, len(bucket), smallest) if own.any() else ())
        if progress is not None:
            progress((number + 1) / len(buckets))
    return tuple(trees)


@dataclass(frozen=True)
class Smallest:
    """The smallest hospital: its records per public record, and its k."""

    share: float
    k: int

    def chance(self, held: Floats, shares: Floats) -> tuple[Floats, Floats]:
        """(sides,) approximate chance of k records and every value on a side; and number of classes that it could hold.

        ``held`` are the public records there, and ``shares`` those of the values. Counts of a value are taken as
        Poisson; the chance of k in all is approximated by a logistic function.
        """
        expected = self.share * held.sum(axis=1, keepdims=True) * shares
        every = -np.expm1(-expected)
        records = expected.sum(axis=1)
        spare = (records - self.k) / math.sqrt(self.k)
        chance: Floats = every.prod(axis=1) / (1 + np.exp(np.clip(-1.7 * spare, -50, 50)))
        return chance, np.minimum(expected.min(axis=1), records / self.k)


@dataclass(frozen=True, eq=False)
class _Bucket:
    """The public records of one bucket, and the candidate cuts of a part of them."""

    encoded: Encoded
    units: Units
    lines: Lines
    value: Floats
    smallest: Smallest

    def candidates(self, part: Ints) -> list[tuple[int, Ints]]:
        """Candidate cuts of a part: quasi-identifier, and the codes on the first side."""
        made: list[tuple[int, Ints]] = []
        for i, domain in enumerate(self.encoded.qids):
            codes, weight = self.units.codes[i, part], self.units.weight[part]
            count = weighted_count(codes, weight, domain.size)
            there = np.flatnonzero(count)
            if len(there) < 2:
                continue
            if domain.column_type.ordered:
                upto = np.cumsum(count)
                ends = np.searchsorted(upto, upto[-1] * np.arange(1, RANGES) / RANGES)
                last = domain.size - 2 if domain.missing >= 0 else domain.size - 1
                made += [(i, np.arange(end + 1)) for end in np.unique(np.minimum(ends, last)) if end < there[-1]]
                continue
            by_count = there[np.argsort(-count[there], kind="stable")]
            by_count = by_count[by_count != domain.missing]
            made += [(i, by_count[:some]) for some in range(1, min(MOST_COMMON, len(there) - 1) + 1)]
            made += [(i, by_count[some : some + 1]) for some in range(1, min(MOST_COMMON, len(by_count)))]
            tree = domain.taxonomy
            if tree is not None:
                node = int(tree.lowest_common(there[:1], there[-1:])[0])
                below = [child for child, parent in enumerate(tree.parents) if parent == node]
                made += [(i, np.arange(tree.low[child], tree.high[child] + 1)) for child in below]
        return made

    def loss(self, sides: Bools, part: Ints) -> tuple[Floats, Floats]:
        """(sides,) records x NCP of each side, and (sides, values) its records."""
        held = sides @ (self.value[part] * self.units.weight[part, None])
        records = held.sum(axis=1)
        low, high = (np.empty((len(self.lines.ranged), len(sides)), dtype=np.int64) for _ in range(2))
        for place, i in enumerate(self.lines.ranged):
            on_line = self.lines.place[i, part]
            order = np.argsort(on_line, kind="stable")
            along = sides[:, order]
            low[place] = on_line[order[along.argmax(axis=1)]]
            high[place] = on_line[order[len(part) - 1 - along[:, ::-1].argmax(axis=1)]]
        sets = (
            np.stack(
                [np.bitwise_or.reduce(np.where(sides, word, np.uint64(0)), axis=1) for word in self.lines.bits[:, part]]
            )
            if len(self.lines.bits)
            else np.zeros((0, len(sides)), dtype=np.uint64)
        )
        filled = records > 0
        ncp = np.zeros(len(sides))
        ncp[filled] = self.lines.penalty(sets[:, filled], low[:, filled], high[:, filled])
        return records * ncp, held

    def best(self, part: Ints, shares: Floats, foresight: float) -> _Step:
        """What a part loses, and the cut with the least expected loss, if one gains and is possible.

        A hospital that cannot make the cut loses what it loses now. Few public records say little about the values of a
        side, so that the shares of the part count, too. With foresight, the loss of a side counts less the more classes
        it has people and values for.
        """
        whole = float(self.loss(np.ones((1, len(part)), dtype=bool), part)[0][0])
        made = self.candidates(part)
        if not made:
            return _Step(whole)
        first = np.empty((len(made), len(part)), dtype=bool)
        for number, (i, codes) in enumerate(made):
            on_first = np.zeros(self.encoded.qids[i].size, dtype=bool)
            on_first[codes] = True
            first[number] = on_first[self.units.codes[i, part]]
        loss, held = self.loss(np.concatenate([first, ~first]), part)
        own = _pooled(held, shares)
        chance, classes = self.smallest.chance(held, own)
        chance = chance[: len(made)] * chance[len(made) :]

        def expected(loss: Floats) -> Floats:
            return chance * (loss[: len(made)] + loss[len(made) :]) + (1 - chance) * whole

        possible = (chance >= POSSIBLE) & (expected(loss) < whole * (1 - 1e-9))
        if not possible.any():
            return _Step(whole)
        place = int(np.where(possible, expected(loss / (1 + classes) ** foresight), np.inf).argmin())
        return _Step(whole, float(chance[place]), *made[place], own[[place, place + len(made)]])


@dataclass(frozen=True, eq=False)
class _Step:
    """What a part loses whole; and its cut: chance, attribute, codes of the first side, shares of values on both."""

    loss: float
    chance: float = 0.0
    attribute: int = -1
    codes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    shares: Floats = field(default_factory=lambda: np.zeros((2, 0)))


def _pooled(held: Floats, shares: Floats) -> Floats:
    """(sides, values) shares of the values, from the records of each side and what is known without them."""
    pooled: Floats = (held + PRIOR * shares) / (held.sum(axis=1, keepdims=True) + PRIOR)
    return pooled


def _tree(encoded: Encoded, which: Ints, values: int, smallest: Smallest) -> tuple[Cut, ...]:
    """Cut the public records of one bucket greedily, with more and less foresight; the tree of least expected loss."""
    units = Units.of(encoded, with_sensitive=True)
    one_hot = np.eye(values + 1)[which[units.sensitive_codes], :values]  # none of the values: of another bucket
    bucket = _Bucket(encoded, units, Lines.of(encoded, units), one_hot, smallest)
    shares = _pooled(units.weight @ one_hot[None], np.full(values, 1 / values))[0]
    return min((_grown(bucket, shares, foresight) for foresight in FORESIGHT), key=lambda grown: grown[1])[0]


def _grown(bucket: _Bucket, shares: Floats, foresight: float) -> tuple[tuple[Cut, ...], float]:
    """A tree, and its expected loss at the smallest hospital."""
    steps: list[tuple[_Step, int, str]] = []
    cuts: list[Cut] = []
    waiting: list[tuple[Ints, int, str, Floats]] = [(np.arange(len(bucket.units.weight)), -1, "", shares)]
    loss: dict[tuple[int, str], float] = {}  # of each side of a cut
    while waiting:
        part, parent, side, shares = waiting.pop()
        step = bucket.best(part, shares, foresight)
        if step.attribute < 0:
            loss[parent, side] = step.loss
            continue
        number = len(cuts)
        if parent >= 0:
            cuts[parent] = structs.replace(cuts[parent], **{side: number})
        domain = bucket.encoded.qids[step.attribute]
        if domain.column_type in BY_NUMBER:
            cut = Cut(domain.name, at=last_of(domain, step.codes[-1]))
        else:
            cut = Cut(domain.name, values=tuple(domain.labels[code] for code in step.codes.tolist()))
        on_first = is_inside(cut, domain)[bucket.units.codes[step.attribute, part]]
        cuts.append(cut)
        steps.append((step, parent, side))
        waiting += [
            (part[~on_first], number, "second", step.shares[1]),
            (part[on_first], number, "first", step.shares[0]),
        ]
    for number in range(len(cuts) - 1, -1, -1):  # a cut comes after the one above it
        step, parent, side = steps[number]
        below = loss[number, "first"] + loss[number, "second"]
        loss[parent, side] = step.chance * below + (1 - step.chance) * step.loss
    return tuple(cuts), loss[-1, ""]
