"""Guarantees of a published table, recomputed from that table alone.

Shares the grouping of :mod:`core.data.classes` and nothing with ``policy`` or ``anonymize``: every formula is written a
second time and in another way, so that a bug cannot certify itself. A published table has no person column, so on its
own it only gives numbers of records. With the person column kept with it
(:meth:`core.release.release.Release.publish`), persons are measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.base.short import many, short
from core.data.classes import group_columns
from core.data.schemas.agreement import Inside
from core.data.schemas.bands import Bands, band
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.cell_syntax import elements, interval, unescaped, unquoted
from core.data.tables.column import Column
from core.data.tables.csv_export import in_one_form
from core.data.tables.dates import span_of
from core.data.tables.numbers import looks_numeric, parse_numbers
from core.data.tables.table import Table, columns_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


@dataclass(frozen=True, eq=False)
class Guarantee:
    """The weakest class of a published table, model by model [definitions §2].

    Parameters
    ----------
    rows, classes
        Records and equivalence classes.
    k
        People in the smallest class: records, or distinct persons if ``by_person``.
    distinct_l
        Smallest number of distinct sensitive values in a class.
    entropy_l
        exp of the smallest entropy, a real number; 0 if a class has no known value.
    t
        Largest distance of a class from the table.
    distance
        The distance ``t`` is measured in.
    sizes, distinct, entropy, t_of_class
        The same for each class.
    sorted_counts
        Counts of each class, class by class, largest first; with ``starts``.
    by_person
        Whether persons were counted: each once per class, and once per value of a class.
    people
        Persons in the table; its records if records were counted.
    more
        Results of the other entries of :data:`MEASURES`, by their names.
    beside
        The same for published columns that must also be diverse. All numbers about values are then the worst of all.
    suppressed
        Records excluded because every quasi-identifier is ``*``; in none of the other numbers.
    """

    rows: int
    classes: int
    k: int
    distinct_l: int
    entropy_l: float
    t: float
    distance: str
    sizes: Ints
    distinct: Ints
    entropy: Floats
    t_of_class: Floats
    sorted_counts: Ints
    starts: Ints
    by_person: bool = False
    people: int = 0
    more: Mapping[str, float] = field(default_factory=dict)
    other_columns: tuple[Guarantee, ...] = ()
    suppressed: int = 0

    def __repr__(self) -> str:
        people = many(self.people, "person", "people") if self.by_person else many(self.rows, "record")
        numbers = f"k = {self.k}, distinct l = {self.distinct_l}, entropy l = {self.entropy_l:.3g}, t = {self.t:.3g}"
        return short(self, people, many(self.classes, "class", "classes"), numbers)

    @property
    def numbers(self) -> dict[str, float]:
        """Numbers of the weakest class, by the names of :data:`MEASURES`."""
        own = {"k": self.k, "distinct_l": self.distinct_l, "entropy_l": self.entropy_l, "t": self.t}
        return {**own, **self.more}

    def recursive_c(self, l: int) -> float:  # noqa: E741
        """Infimum of the c for which every class is recursively (c, l)-diverse; inf if none is.

        The table is (c, l)-diverse for every c above this number, and not for it.
        """
        return max([self._recursive_c(l), *(other.recursive_c(l) for other in self.other_columns)])

    def _recursive_c(self, l: int) -> float:  # noqa: E741
        ends = np.append(self.starts[1:], len(self.sorted_counts))
        tail_from = self.starts + (l - 1)
        if (tail_from >= ends).any():
            return float("inf")
        total = np.append(np.cumsum(self.sorted_counts[::-1])[::-1], 0)
        tail = total[tail_from] - total[ends]
        head = self.sorted_counts[self.starts]
        if (tail == 0).any():
            return float("inf")
        return float((head / tail).max())


def measure(
    frame: Table | IntoDataFrame,
    schema: Schema,
    distance: str = "equal",
    counts: NDArray[Any] | None = None,
    suppression: bool = True,
) -> Guarantee:
    """Measure k, l and t of a published table [definitions §2].

    Parameters
    ----------
    frame
        Any table or frame with the quasi-identifiers and the sensitive attribute of the schema.
        Rows with equal cells form a class. If it has the person column of the schema, persons
        are counted, not records.
    schema
        Roles; column types, orders and taxonomies matter only for the distance of the sensitive attribute. Published
        columns that must be diverse are measured like the sensitive attribute if the frame has them, and the worst
        number counts.
    distance
        ``"equal"``, ``"ordered"`` or ``"hierarchical"``.
    counts
        (rows,) records that each row represents, if the frame lists equal rows once
        (:meth:`core.release.release.Release.publish_counts`); one each by default.
    suppression
        Whether rows of ``*`` in every quasi-identifier are suppressed records, which are in no class, as ARX writes
        them. If every row is, they are one class. A table of this program has none: it leaves such records out. Other
        marks, such as NA, may be values: rows of them form a class, so that no guess improves a number. With an
        agreement such rows are a class, too: their values are published.

    Returns
    -------
    Guarantee

    Raises
    ------
    InputError
        If it is no table or frame, or has no rows.
    SchemaError
        If a column is missing, a cell of the person column is empty, or the
        distance does not fit.
    ParameterError
        If counts are given that are not one per row, not at least 1 each, or given with a person column.

    Notes
    -----
    O(rows x columns + triples log triples); some 10 ms for 30,000 rows.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples, measure
    >>> schema = examples.city_schema()
    >>> measure(anonymize(examples.city(500), schema, Policy(k=10)).publish(), schema).k >= 10
    True
    """
    columns = columns_of(frame, {*schema.counted, *schema.diverse, *([schema.person] if schema.person else [])})
    decimal = frame.decimal if isinstance(frame, Table) else "."
    for name in schema.counted:
        if name not in columns:
            raise SchemaError(f"The published table has no column {shown(name)}.", parameter=name)
    if schema.agreement is not None:
        schema.agreement.check_names(schema.quasi_identifiers, schema.sensitive)
        suppression = False  # what keeps an agreement has no such rows, and their values are published
        _need_no_link(schema, [*columns_of(frame)])
    apart, suppressed = _starred(columns, schema) if suppression else np.zeros(1, dtype=bool), 0
    if apart.any():
        kept = np.flatnonzero(~apart)
        suppressed = len(apart) - len(kept) if counts is None else int(np.asarray(counts)[apart].sum())
        columns = {name: column.take(kept) for name, column in columns.items()}
        counts = None if counts is None else np.asarray(counts)[kept]
    cells = np.stack([columns[name].codes for name in schema.quasi_identifiers])
    group = group_columns(cells).labels
    labels, codes, absent = _sensitive([columns[name] for name in schema.sensitive_columns], schema)
    cell, whose = group * np.int64(len(labels)) + codes, _persons(columns, schema)
    if schema.agreement is not None and whose is not None and len(np.unique(whose)) < len(whose):
        raise SchemaError(
            "Persons of the published table have several records, and an agreement holds for one of each; publish one "
            "record per person.",
            parameter=schema.person,
        )
    times = _times(counts, len(group), whose)
    rows = people = len(group) if times is None else int(times.sum())
    if whose is None:
        sizes = np.bincount(group, times).astype(np.int64)
        table = np.bincount(codes, times, minlength=len(labels)) / rows
    else:
        records = pd.DataFrame({"class": group, "cell": cell, "value": codes, "person": whose})
        sizes = np.bincount(records.drop_duplicates(["class", "person"])["class"])
        cell = records.drop_duplicates(["cell", "person"])["cell"].to_numpy()
        people = int(records["person"].nunique())
        once = records.drop_duplicates(["value", "person"])["value"].to_numpy()
        table = np.bincount(once, minlength=len(labels)) / len(once)
    pair, count = np.unique(cell, return_counts=True) if times is None else _pairs(cell, times)
    owner, value = pair // len(labels), pair % len(labels)
    stable = () if schema.agreement is None else schema.agreement.stable
    defining = {name: columns[name] for name in stable if name in schema.quasi_identifiers}
    first = np.unique(group, return_index=True)[1]
    texts = {name: [column.labels[code] for code in column.codes[first].tolist()] for name, column in defining.items()}
    counted = Counted(owner, value, count, sizes, table, labels, absent, schema, distance, decimal, texts)
    of_class = {name: measured.of_class(counted) for name, measured in MEASURES.items() if measured.applies(schema)}
    worst = {name: MEASURES[name].worst(numbers) for name, numbers in of_class.items()}
    known_owner, known_count = counted.known
    guarantee = Guarantee(
        rows=rows,
        classes=len(counted.sizes),
        k=int(worst.pop("k")),
        distinct_l=int(worst.pop("distinct_l")),
        entropy_l=float(worst.pop("entropy_l")),
        t=float(worst.pop("t")),
        distance=distance,
        sizes=counted.sizes,
        distinct=of_class["distinct_l"],
        entropy=counted.entropy,
        t_of_class=of_class["t"],
        sorted_counts=known_count[np.lexsort((-known_count, known_owner))],
        starts=np.concatenate(([0], np.cumsum(of_class["distinct_l"])[:-1])),
        by_person=whose is not None,
        people=people,
        more={name: float(number) for name, number in worst.items()},
        suppressed=suppressed,
    )
    others = [_instead(schema, name) for name in schema.diverse if name in columns]
    read = Table(tuple(columns.values()), decimal)
    return _worst_of(guarantee, [measure(read, other, distance, counts, suppression=False) for other in others])


def _need_no_link(schema: Schema, names: Sequence[str]) -> None:
    """Refuse a published table that keeps an agreement in vain, because one of its columns links releases."""
    schema.check_published(names)
    for column in schema.unmodified.values():
        if column.same_value_rate > 0 or column.diverse:
            raise SchemaError(
                f"An agreement guarantees nothing if {shown(column.name)} is published as it is, because it links "
                "releases; leave it out, or state that its values never agree between hospitals "
                "(--unmodified-same-value-rate).",
                parameter=column.name,
            )


def _starred(columns: Mapping[str, Column], schema: Schema) -> NDArray[np.bool_]:
    """(rows,) whether every quasi-identifier of a row is ``*``, of any length; none if all rows are."""
    cells = (columns[name] for name in schema.quasi_identifiers)
    stars = [np.array([set(text.strip(" ")) == {"*"} for text in cell.labels])[cell.codes] for cell in cells]
    apart: NDArray[np.bool_] = np.logical_and.reduce(stars)
    return np.zeros_like(apart) if apart.all() else apart


def _instead(schema: Schema, name: str) -> Schema:
    """A published column used as the sensitive attribute."""
    return Schema(
        schema.quasi_identifiers,
        name,
        missing_tokens=schema.missing_tokens,
        unassigned="drop",
        person=schema.person,
        one_record=schema.one_record,
    )


def _worst_of(own: Guarantee, others: list[Guarantee]) -> Guarantee:
    """The worst number of values over several columns."""
    every = (own, *others)
    return replace(
        own,
        distinct_l=min(each.distinct_l for each in every),
        entropy_l=min(each.entropy_l for each in every),
        t=max(each.t for each in every),
        distinct=np.min([each.distinct for each in every], axis=0),
        entropy=np.min([each.entropy for each in every], axis=0),
        t_of_class=np.max([each.t_of_class for each in every], axis=0),
        other_columns=tuple(others),
    )


@dataclass(frozen=True, eq=False)
class Counted:
    """A counted published table, from which every measure starts.

    Parameters
    ----------
    owner, value, count
        (pairs,) class, sensitive value and people, each pair that occurs once; a person counts once per value.
    sizes
        (classes,) people.
    table
        (values,) share of each value in the whole table.
    labels, absent
        Texts of the sensitive cells, and the one that is missing.
    schema, distance
        As given to :func:`measure`.
    decimal
        Decimal mark of the numbers.
    cells
        (classes,) texts of the columns that define the regions of an agreement.
    """

    owner: Ints
    value: Ints
    count: Ints
    sizes: Ints
    table: Floats
    labels: list[str]
    absent: NDArray[np.bool_]
    schema: Schema
    distance: str
    decimal: str = "."
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def share(self) -> Floats:
        """(pairs,) share of the value among all values of its class."""
        return self.count / np.bincount(self.owner, weights=self.count)[self.owner]

    @cached_property
    def known(self) -> tuple[Ints, Ints]:
        """Class and records of the pairs whose value is not missing."""
        known = ~self.absent[self.value]
        return self.owner[known], self.count[known]

    @cached_property
    def entropy(self) -> Floats:
        """(classes,) entropy of the known values in nats; -inf for a class without one."""
        return _entropy(*self.known, len(self.sizes))


def _pairs(cell: Ints, times: NDArray[Any]) -> tuple[Ints, Ints]:
    """Distinct numbers, and the number of records for each."""
    pair, of_row = np.unique(cell, return_inverse=True)
    return pair, np.bincount(of_row, times).astype(np.int64)


def _times(counts: NDArray[Any] | None, rows: int, whose: Ints | None) -> NDArray[Any] | None:
    if counts is None:
        return None
    times = np.asarray(counts)
    if times.shape != (rows,) or times.dtype.kind not in "iu" or times.min(initial=1) < 1:
        raise ParameterError(
            f"counts must be a whole number of at least 1 for each of the {rows:,} rows.", parameter="counts"
        )
    if whose is not None:
        raise ParameterError(
            "Counts of equal rows do not identify persons; leave the person column or the counts out.",
            parameter="counts",
        )
    return times


def _persons(columns: Mapping[str, Column], schema: Schema) -> Ints | None:
    """Person of each row, as a number; ``None`` if it is unknown or one record per person was released."""
    if schema.person is None or schema.one_record is not None or schema.person not in columns:
        return None
    read = columns[schema.person]
    if any(label in schema.missing_tokens for label in read.labels):
        raise SchemaError(
            f"The person column {shown(schema.person)} has empty cells, and a record of no one cannot be counted.",
            parameter=schema.person,
        )
    return read.renamed(read.name, map(in_one_form, read.labels)).codes.astype(np.int64)


def _sensitive(columns: Sequence[Column], schema: Schema) -> tuple[list[str], Ints, NDArray[np.bool_]]:
    """Distinct sensitive texts, the text of each row, and which text is missing.

    At most one text is the missing value, the last. Of several columns every combination of texts that occurs is
    one, named by its number, and is missing if the text of any column is.
    """
    parts = [_sensitive_part(column, schema) for column in columns]
    if len(parts) == 1:
        return parts[0]
    rows, codes = np.unique(np.stack([codes for _, codes, _ in parts], axis=1), axis=0, return_inverse=True)
    gone = np.any([absent[rows[:, place]] for place, (_, _, absent) in enumerate(parts)], axis=0)
    return list(map(str, range(len(rows)))), codes.astype(np.int64), gone


def _sensitive_part(read: Column, schema: Schema) -> tuple[list[str], Ints, NDArray[np.bool_]]:
    """Texts, the text of each row and which is missing, of one column."""
    gone = np.array([label in schema.missing_tokens for label in read.labels], dtype=bool)
    labels, codes = _one_missing(read, gone)
    absent = np.zeros(len(labels), dtype=bool)
    absent[-1] = gone.any()
    return labels, codes, absent


def _one_missing(read: Column, gone: NDArray[np.bool_]) -> tuple[list[str], Ints]:
    """Texts and the text of each row, with all missing ones merged at the end."""
    if not gone.any():
        return list(read.labels), read.codes.astype(np.int64)
    place = np.where(gone, np.count_nonzero(~gone), np.cumsum(~gone) - 1)
    labels = [*(label for label, absent in zip(read.labels, gone, strict=True) if not absent), ""]
    return labels, place[read.codes]


def _entropy(owner: Ints, count: Ints, classes: int) -> Floats:
    """ln n - (sum of c ln c) / n, in nats; -inf for a class without a known value."""
    n = np.bincount(owner, weights=count, minlength=classes)
    weighted = np.bincount(owner, weights=count * np.log(count), minlength=classes)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.log(n) - weighted / n
    return np.where(n > 0, np.maximum(entropy, 0.0), -np.inf)


def _distances(counted: Counted) -> Floats:
    schema, distance = counted.schema, counted.distance
    if distance == "equal":
        owner, table = counted.owner, counted.table[counted.value]
        classes = len(counted.sizes)
        present = np.bincount(owner, weights=np.abs(counted.share - table), minlength=classes)
        covered = np.bincount(owner, weights=table, minlength=classes)
        return np.clip((present + 1.0 - covered) / 2.0, 0.0, 1.0)
    schema.need_one_sensitive(f"The {distance} distance", "distance")
    if distance == "ordered":
        return _ordered(counted, _ranks(counted))
    if distance == "hierarchical":
        tree = schema.taxonomies.get(schema.sensitive)
        if tree is None:
            raise SchemaError(
                f"The hierarchical distance needs a taxonomy of {shown(schema.sensitive)}.", parameter="distance"
            )
        return _hierarchical(counted, tree)
    raise SchemaError("distance must be one of equal, ordered, hierarchical.", parameter="distance")


def _ranks(counted: Counted) -> Ints:
    """Rank of every label: by declared order, leaf number, value or text; missing ones last."""
    labels, absent, schema, decimal = counted.labels, counted.absent, counted.schema, counted.decimal
    name = schema.sensitive
    known = [label for label, gone in zip(labels, absent, strict=True) if not gone]
    tree, column_type = schema.taxonomies.get(name), schema.column_types.get(name)
    order: dict[str, float]
    if tree is not None and column_type in (None, "taxonomy"):
        order = {label: float(i) for i, label in enumerate(tree.leaf_labels)}
    elif name in schema.orders and column_type in (None, "ordinal"):
        order = {label: float(i) for i, label in enumerate(schema.orders[name])}
    elif column_type == "numeric" or (column_type is None and looks_numeric(known, decimal)):
        order = {
            text: number
            for text, number in zip(known, parse_numbers(known, decimal).tolist(), strict=True)
            if number == number
        }
    else:
        order = {label: float(i) for i, label in enumerate(sorted(known))}
    _all_in(known, order, name)
    place = [np.inf if gone else order[label] for label, gone in zip(labels, absent, strict=True)]
    return np.unique(np.array(place), return_inverse=True)[1].astype(np.int64)


def _all_in(known: list[str], place: Mapping[str, float], name: str) -> None:
    outside = sum(label not in place for label in known)
    if outside:
        raise SchemaError(
            f"{outside:,} of the {len(known):,} values of {shown(name)} in the published table are missing from the "
            f"order, taxonomy or numbers of the schema; complete them or choose another distance.",
            parameter=name,
        )


def _ordered(counted: Counted, rank: Ints) -> Floats:
    """Earth mover's distance on ranks, from full rows of cumulative differences, some classes at a time."""
    owner, classes = counted.owner, len(counted.sizes)
    m = int(rank.max()) + 1
    if m < 2:
        return np.zeros(classes)
    q = np.bincount(rank, weights=counted.table, minlength=m)
    far = np.empty(classes)
    step = max(1, 2_000_000 // m)
    for begin in range(0, classes, step):
        end = min(classes, begin + step)
        block = slice(*np.searchsorted(owner, (begin, end)))
        rows = np.zeros((end - begin, m))
        np.add.at(rows, (owner[block] - begin, rank[counted.value[block]]), counted.share[block])
        far[begin:end] = np.abs(np.cumsum(rows - q, axis=1)).sum(axis=1) / (m - 1)
    return far


def _hierarchical(counted: Counted, tree: Taxonomy) -> Floats:
    """Earth mover's distance on the tree: the amount that must cross each edge, times half the edge's length.

    The ground distance height(lowest common node) / height(tree) is the length of the path
    between two leaves when an edge is as long as the heights of its ends differ, halved.
    """
    owner, labels, classes = counted.owner, counted.labels, len(counted.sizes)
    if counted.absent.any():
        missing = "missing"
        while missing in tree.labels:
            missing = f"({missing})"
        tree = tree.with_leaf(missing)
        labels = [missing if gone else label for label, gone in zip(labels, counted.absent, strict=True)]
    node_of = {label: int(node) for label, node in zip(tree.leaf_labels, tree.leaf_nodes, strict=True)}
    _all_in(labels, node_of, counted.schema.sensitive)
    node = np.array([node_of[label] for label in labels], dtype=np.int64)
    height = tree.height - tree.depth.astype(np.float64)
    height[tree.leaf_nodes] = 0.0
    if tree.height == 0:
        return np.zeros(classes)
    parents = np.asarray(tree.parents, dtype=np.int64)
    far = np.empty(classes)
    step = max(1, 2_000_000 // tree.nodes)
    for begin in range(0, classes, step):
        end = min(classes, begin + step)
        block = slice(*np.searchsorted(owner, (begin, end)))
        surplus = np.zeros((end - begin, tree.nodes))
        np.add.at(surplus, (owner[block] - begin, node[counted.value[block]]), counted.share[block])
        surplus -= np.bincount(node, weights=counted.table, minlength=tree.nodes)
        for child in range(tree.nodes - 1, 0, -1):
            surplus[:, parents[child]] += surplus[:, child]
        length = np.zeros(tree.nodes)
        length[1:] = (height[parents[1:]] - height[1:]) / (2 * tree.height)
        far[begin:end] = np.abs(surplus) @ length
    return far


def _places(buckets: Sequence[Sequence[str]], counted: Counted) -> tuple[Ints, Ints]:
    """Bucket of each published text, -1 if it has none; and the values of each bucket."""
    texts = [text for bucket in buckets for text in bucket]
    known = [text for text, gone in zip(counted.labels, counted.absent, strict=True) if not gone]
    column_type = counted.schema.column_types.get(counted.schema.sensitive)
    keys: list[str | float] = list(texts)
    labels: list[str | float] = list(counted.labels)
    if column_type == "numeric" or (
        column_type is None and looks_numeric(known, counted.decimal) and looks_numeric(texts)
    ):
        keys = list(parse_numbers(texts).tolist())
        labels = list(parse_numbers(counted.labels, counted.decimal).tolist())
    number = [number for number, bucket in enumerate(buckets) for _ in bucket]
    where = dict(zip(keys, number, strict=True))
    places = [
        -1 if gone else where.get(label, where.get(unescaped(label) if isinstance(label, str) else label, -1))
        for label, gone in zip(labels, counted.absent, strict=True)
    ]
    return np.array(places, dtype=np.int64), np.array([len(bucket) for bucket in buckets], dtype=np.int64)


def _kept_values(counted: Counted) -> Ints:
    """(classes,) values of the smallest bucket of an agreement in a class; 0 if one is incomplete, or no region fits.

    Read from the published texts: the region from the cells of the columns that define it.
    """
    agreement = counted.schema.agreement
    assert agreement is not None
    left = np.zeros(len(counted.sizes), dtype=np.int64)
    for region in agreement.regions:
        inside = np.ones(len(left), dtype=bool)
        for part in region.inside:
            cells = counted.cells.get(part.column, ["*"] * len(left))
            fits = {text: _is_in(text, part, counted) for text in set(cells)}
            inside &= np.array([fits[text] for text in cells], dtype=bool)
        bucket, size = _places(region.buckets, counted)
        rows = inside[counted.owner]
        pairs, values = np.unique(
            np.stack([counted.owner[rows], bucket[counted.value[rows]]]), axis=1, return_counts=True
        )
        sizes = np.append(size, -1)[pairs[1]]  # -1, no bucket, has no size that fits
        left[inside] = len(counted.labels)
        np.minimum.at(left, pairs[0], np.where(values == sizes, sizes, 0))
    return left


def _is_in(text: str, part: Inside, counted: Counted) -> bool:
    """Whether a published cell lies in what a region has of its column, however it can be read."""
    agreement, text = counted.schema.agreement, unescaped(text)
    assert agreement is not None
    column_type = agreement.columns[part.column]
    if part.low is None or part.high is None:
        every = [each for own in agreement.regions for each in own.inside if each.column == part.column]
        known = sorted({value for each in every for value in each.values})
        read = [values for values in _readings(text, counted.schema.taxonomies.get(part.column)) if values <= {*known}]
        if not read and column_type == "ordinal":
            read = _run(text, known)
        return bool(read) and all(values <= {*part.values} for values in read)
    place, last = (_first_day, _last_day) if column_type == "date" else (partial(_number, counted.decimal),) * 2
    low, high = place(text), last(text)
    ends = interval(text, place, last) if low is None or high is None else (low, high)
    return ends is not None and part.low <= ends[0] and ends[1] <= part.high


def _number(decimal: str, text: str) -> float | None:
    (number,) = parse_numbers([text], decimal).tolist()
    return number if math.isfinite(number) else None


def _first_day(text: str) -> float | None:
    days = span_of(text)
    return None if days is None else days[0]


def _last_day(text: str) -> float | None:
    days = span_of(text)
    return None if days is None else days[1]


def _readings(text: str, tree: Taxonomy | None) -> list[set[str]]:
    """Sets of values that a cell of a category can mean; stars alone mean any."""
    listed, quoted = elements(text), unquoted(text)
    read = [{text}] if text.strip("*") else []
    read += [{quoted}] if quoted is not None else []
    read += [{value for value, _ in listed}] if listed is not None else []
    if tree is None:
        return read
    ends = zip(tree.labels, tree.low.tolist(), tree.high.tolist(), strict=True)
    below = {label: {*tree.leaf_labels[low : high + 1]} for label, low, high in ends}
    return [set().union(*(below.get(value, {value}) for value in values)) for values in read]


def _run(text: str, known: Sequence[str]) -> list[set[str]]:
    """What a range of an order means: the bands that it touches, else its first and last value."""
    span, bands = band(text), Bands.of(known)
    if span is not None and bands is not None:
        run = bands.touched(span)
        return [] if run is None else [{*bands.labels[run[0] : run[1] + 1]}]
    ends = {unquoted(end) or end for end in text[1:-1].split(" .. ")} if text[:1] + text[-1:] == "[]" else {""}
    return [ends] if ends <= {*known} else []


@dataclass(frozen=True)
class Measure:
    """Measurement of one number of a model, by an independent formula.

    Parameters
    ----------
    of_class
        (classes,) the number of each class.
    worst
        The number of the whole table from those: usually that of its weakest class.
    applies
        Whether there is such a number under a schema.
    of_people
        Whether it is a share of people instead of a number of a class.
    """

    of_class: Callable[[Counted], NDArray[Any]]
    worst: Callable[[NDArray[Any]], Any]
    applies: Callable[[Schema], bool] = lambda _: True
    of_people: bool = False


MEASURES: dict[str, Measure] = {
    "k": Measure(lambda counted: counted.sizes, np.min),
    "distinct_l": Measure(lambda counted: np.bincount(counted.known[0], minlength=len(counted.sizes)), np.min),
    "entropy_l": Measure(lambda counted: np.exp(counted.entropy), np.min),
    "t": Measure(_distances, np.max),
    # In every class one guess is right, among as many people as it has.
    "average_risk": Measure(
        lambda counted: 1.0 / counted.sizes, lambda chance: len(chance) / (1.0 / chance).sum(), of_people=True
    ),
    "agreed": Measure(_kept_values, np.min, lambda schema: schema.agreement is not None),
}
"""Every measured number, by the name that models use for it."""
