"""A release: what one publisher publishes about its table.

Regions are intervals of codes inside and readable texts outside: ranges for numbers
(``[20-30]``), runs of a declared order (``[primary .. secondary]``), sets of labels
(``{A, B}``), labels of taxonomy nodes, and ``*`` for everything. An algorithm may list only the values of a category
that occur in a class: then a cell is any set of codes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Bools, Floats, Ints
from core.base.errors import ParameterError
from core.base.short import html_table, many, named, short
from core.data.classes import Classes, ClassHistogram, distinct_columns
from core.data.encoding.encoded import Encoded
from core.data.encoding.published_columns import ClassTuples
from core.data.schemas.taxonomy import ROOT, Taxonomy
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS, Algorithm
from core.release.centroids import central_codes, mean_texts
from core.release.published.cell_reader import Reader
from core.release.published.parse import parse
from core.release.published.published import Cells, Published, SensitiveCells, assemble
from core.release.region_text import region_text, set_text
from core.release.value_sets import ValueSets


@dataclass(frozen=True, eq=False)
class Release:
    """A partitioned table [Ganta 2008, Def. 2; definitions §3].

    Parameters
    ----------
    encoded
        The records that were partitioned.
    classes
        Class of each of those records.
    policy
        What every class satisfies.
    algorithm
        The algorithm that formed the classes.
    inputs
        Number of input rows.
    position
        (records,) index of each record among the input rows.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples
    >>> release = anonymize(examples.city(500), examples.city_schema(), Policy(k=10))
    >>> release.publish().shape[1], int(release.classes.sizes.min()) >= 10
    (8, True)
    """

    encoded: Encoded
    classes: Classes
    policy: Policy
    algorithm: Algorithm
    inputs: int
    position: Ints

    def __repr__(self) -> str:
        suppressed = f"{self.classes.suppressed:,} suppressed" if self.classes.suppressed else ""
        classes, way = many(self.classes.count, "class", "classes"), self.algorithm.words or self.algorithm.name
        return short(self, many(self.encoded.records, "record"), classes, suppressed, self.policy.signs, way)

    def _repr_html_(self) -> str:
        sizes = self.sizes
        span = f"{sizes.min():,} to {sizes.max():,}" if len(sizes) else "none"
        rows = [
            ["records", f"{self.encoded.records:,}"],
            ["suppressed records", f"{self.classes.suppressed:,}"],
            ["classes", f"{self.classes.count:,}"],
            ["people in a class", span],
            ["asked of every class", self.policy.signs],
            ["classes formed by", self.algorithm.words or self.algorithm.name],
            ["quasi-identifiers", named(domain.name for domain in self.encoded.qids)],
            ["sensitive", self.encoded.sensitive.name],
        ]
        return html_table("Release", ["what", "value"], rows)

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        labels: NDArray[Any],
        policy: Policy,
        algorithm: Algorithm | str,
        inputs: int | None = None,
        position: Ints | None = None,
    ) -> Release:
        """Create a release from class labels of the encoded records; any name is allowed for classes formed by hand."""
        if len(labels) != len(encoded):
            raise ParameterError(f"{len(encoded):,} records need as many labels; {len(labels):,} were given.")
        place = np.arange(len(encoded)) if position is None else position
        how = ALGORITHMS.get(algorithm, Algorithm(algorithm)) if isinstance(algorithm, str) else algorithm
        classes = Classes.from_labels(labels, encoded.weight)
        return cls(encoded, classes, policy, how, inputs or len(encoded), place)

    parse = staticmethod(parse)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """(rows,) class of each row of the input; -1 for a suppressed or left-out one."""
        full = np.full(self.inputs, -1, dtype=np.int32)
        full[self.position] = self.classes.labels
        return full

    @property
    def agreement(self) -> str:
        """Digest of the agreement that its classes keep; "" if they keep none."""
        kept = self.encoded.sensitive.agreement if self.algorithm.agreement else None
        return "" if kept is None else kept.digest

    @property
    def sizes(self) -> Ints:
        """(classes,) people in each class: records, or distinct persons if they may have several.

        The records of each class are ``classes.sizes``.
        """
        return self.histogram.people if self.encoded.has_multiple_records else self.classes.sizes

    @cached_property
    def histogram(self) -> ClassHistogram:
        """Sensitive values of each class; a person with several records counts once per value."""
        return self.encoded.histogram(self.classes.labels, self.classes.count, self.overall)

    @cached_property
    def tuples(self) -> ClassTuples | None:
        """Tuples of sensitive and published values of each class; ``None`` if no column is published as it is."""
        if not self.encoded.plain:
            return None
        kept = self.classes.labels >= 0
        columns = [column.take(kept) for column in self.encoded.plain]
        return ClassTuples.of(
            self.classes.labels[kept], self.classes.count, self.encoded.sensitive_codes[kept], columns
        )

    @cached_property
    def overall(self) -> Ints:
        """(values,) people with each sensitive value in all classes together."""
        kept = np.flatnonzero(self.classes.labels >= 0)
        return self.encoded.overall if len(kept) == len(self.encoded) else self.encoded.overall_of(kept)

    @cached_property
    def regions(self) -> tuple[Ints, Ints, Bools]:
        """Lowest and highest code of each region, and whether it also has a missing value.

        (classes, quasi-identifiers) each. The smallest region of its form that covers the known values of the class: a
        range or set from the lowest to the highest, or the lowest node above all. If cells list the values that occur
        (see :meth:`value_sets`), the first and last of them. If no value is known, the code of a missing one.
        """
        low, high = (ends.astype(np.int64) for ends in self.classes.lows_highs(self.encoded.codes))
        absent = np.zeros(low.shape, dtype=bool)
        for i, domain in enumerate(self.encoded.qids):
            gone = domain.missing
            mixed = (low[:, i] < gone) & (high[:, i] == gone)
            if mixed.any():
                own = self.encoded.codes[i : i + 1]
                known = self.classes.lows_highs(np.where(own == gone, -1, own))[1][:, 0]
                high[mixed, i] = known[mixed]
            if not self.lists_values(i):
                low[:, i], high[:, i] = domain.cover(low[:, i], high[:, i])
            absent[:, i] = mixed & (high[:, i] < gone)  # a root has the missing value under it
        return low, high, absent

    def lists_values(self, attribute: int) -> bool:
        """Whether the cells of a quasi-identifier list the values that occur, instead of a range or a node."""
        domain = self.encoded.qids[attribute]
        return self.algorithm.sets and not domain.column_type.ordered and not domain.one_node

    def value_sets(self, attribute: int) -> ValueSets:
        """Values in the distinct cells of one quasi-identifier, whatever form they are published in."""
        if attribute not in self._value_sets:
            domain = self.encoded.qids[attribute]
            if self.lists_values(attribute):
                sets = ValueSets.of(self.encoded.codes[attribute], self.classes, domain.size).shortened(domain)
            else:
                low, high, absent = self.regions
                sets = ValueSets.of_runs(low[:, attribute], high[:, attribute], absent[:, attribute], domain.size)
            self._value_sets[attribute] = sets
        return self._value_sets[attribute]

    @cached_property
    def _value_sets(self) -> dict[int, ValueSets]:
        return {}

    def amount_in_cells(self, attribute: int, amount: NDArray[Any]) -> Floats:
        """(classes,) sum of an amount, (values,), over the values in each class's cell of a quasi-identifier."""
        if self.lists_values(attribute):
            return self.value_sets(attribute).total(amount)
        low, high, absent = self.regions
        before = np.concatenate(([0.0], np.cumsum(amount)))
        runs: Floats = before[high[:, attribute] + 1] - before[low[:, attribute]]
        return runs + np.where(absent[:, attribute], amount[-1], 0.0)  # a missing value is the last

    def region_codes(self, attribute: int) -> tuple[list[str], Ints]:
        """Texts of the distinct cells of one quasi-identifier, and the text number of each class.

        Regions; for microaggregation centroids, see :mod:`core.release.centroids`. Two classes with the same cells in
        all columns are one class to the reader [definitions §4].
        """
        domain = self.encoded.qids[attribute]
        if self.publishes_centroids:
            return self._centroid_codes(attribute)
        reader = Reader.of(domain)
        if self.lists_values(attribute):
            cells, kept = self.value_sets(attribute), self.encoded.sensitive.agreement
            listed = kept is not None and domain.name in kept.stable
            texts = [set_text(domain, cells.values(cell).tolist(), reader, listed) for cell in range(len(cells.counts))]
            return texts, cells.which
        ends = np.stack([part[:, attribute] for part in self.regions])
        first, which, _ = distinct_columns(ends)
        return [
            region_text(domain, low, high, absent > 0, reader) for low, high, absent in ends[:, first].T.tolist()
        ], which

    def _centroid_codes(self, attribute: int) -> tuple[list[str], Ints]:
        self.encoded.need_rows("Microaggregation", "algorithm")
        domain, codes = self.encoded.qids[attribute], self.encoded.codes[attribute]
        if domain.values is not None:
            return mean_texts(domain, codes, self.classes)
        used, which = np.unique(central_codes(domain, codes, self.classes), return_inverse=True)
        return [region_text(domain, code, code) for code in used.tolist()], which

    def region_frame(self) -> pd.DataFrame:
        """Published texts of every class, one row per class."""
        columns = {}
        for i, domain in enumerate(self.encoded.qids):
            texts, which = self.region_codes(i)
            columns[domain.name] = _categories(which, texts)
        return pd.DataFrame(columns)

    def hierarchies(self) -> dict[str, Taxonomy]:
        """Hierarchy of each column in which every value has one published cell: value, published cell, everything.

        A column is left out if a value is published in several ways, as by most algorithms, or if nothing was changed.
        """
        trees, there = {}, self.classes.labels >= 0
        for number, domain in enumerate(self.encoded.qids):
            texts, which = self.region_codes(number)
            pairs = np.stack([self.encoded.codes[number][there], which[self.classes.labels[there]]])
            pairs = pairs[:, distinct_columns(pairs)[0]]
            rows = [(domain.labels[code], texts[cell]) for code, cell in pairs.T.tolist()]
            if len(dict(rows)) == len(rows) and any(value != cell for value, cell in rows):
                trees[domain.name] = Taxonomy.from_levels([(*row, ROOT) for row in rows])
        return trees

    @property
    def publishes_centroids(self) -> bool:
        """Whether the published cells are centroids instead of regions."""
        return self.algorithm.centroids

    @property
    def release(self) -> Release:
        """Itself: its records are known (:class:`core.release.readable.Readable`)."""
        return self

    @cached_property
    def published(self) -> Published:
        """Knowledge of the reader of this release; its rows are the encoded records, in their order."""
        columns = []
        for i, domain in enumerate(self.encoded.qids):
            reader = Reader.of(domain)
            texts, which = self.region_codes(i)
            regions = [reader.read(text) for text in texts]
            assert None not in regions, "what is written here can be read"
            columns.append(Cells(reader, [region for region in regions if region is not None], texts, which))
        encoded, centroids = self.encoded, self.publishes_centroids
        sensitive = SensitiveCells.one_each(encoded.sensitive, encoded.sensitive_codes)
        return assemble(columns, self.classes.labels, sensitive, centroids, encoded.weight, encoded.plain)

    @cached_property
    def reader_classes(self) -> Ints:
        """(classes,) the class of :attr:`published` that each class is part of."""
        into = np.full(self.classes.count, -1, dtype=np.int64)
        there = self.classes.labels >= 0
        into[self.classes.labels[there]] = self.published.labels[there]
        return into

    def publish(self, seed: int | None = None, person: str | None = None, key: Column | None = None) -> pd.DataFrame:
        """Return the table to publish.

        Parameters
        ----------
        seed
            ``None`` shuffles with randomness of the operating system, for real use, because the order of the input
            could re-identify people. A number gives the same order each time.
        person
            Name of a column to add, with the number of the person of each record. Only for the publisher:
            :func:`core.measure` needs it in addition to the published table to count persons. It has no effect if every
            record is a person.
        key
            Column of the released table to add unchanged, so that the publisher can later identify the person in each
            row. Only for the publisher's private copy.

        Returns
        -------
        DataFrame
            One row per record, also if a frequency table was released: regions of the quasi-identifiers
            (for microaggregation their means, medians and modes), the sensitive value and the
            columns that are published as they are, all categorical; no identifier; suppressed records left out.
        """
        rows = np.flatnonzero(self.classes.labels >= 0)
        order = np.random.default_rng(seed).permutation(np.repeat(rows, self.encoded.weight[rows]))
        label = self.classes.labels[order]
        columns: dict[str, Any] = {}
        for i, domain in enumerate(self.encoded.qids):
            regions, which = self.region_codes(i)
            columns[domain.name] = _categories(which[label], regions)
        for name, texts, which in self.encoded.sensitive.separate:
            columns[name] = _categories(which[self.encoded.sensitive_codes[order]], list(texts))
        for column in self.encoded.plain:
            columns[column.name] = _categories(column.codes[order], list(column.labels))
        if person is not None and self.encoded.has_multiple_records:
            columns[person] = self.encoded.person[order]
        if key is not None:
            columns[key.name] = _categories(key.codes[self.encoded.rows[order]], list(key.labels))
        return pd.DataFrame(columns)

    def publish_counts(self) -> tuple[Table, Ints]:
        """Return the table to publish as distinct rows, with the number of records of each.

        The same table as :meth:`publish`, in the order of the published cells, which depends only on what is published
        and so reveals nothing more.

        Returns
        -------
        table
            Distinct rows: classes with equal cells are one.
        counts
            (rows,) records.

        Raises
        ------
        PolicyError
            If persons have several records: what is counted here is records.

        Notes
        -----
        Texts are sorted for classes, not for rows: O(rows + distinct cells log distinct cells) for each column.
        """
        self.encoded.need_one_record("A table of counts", "person")
        sensitive, own = self.encoded.sensitive, self.encoded.sensitive_codes.astype(np.int64)
        cells = [self.region_codes(i) for i in range(len(self.encoded.qids))]
        # Classes are sorted by their cells first, and those with equal cells merged: rows then need no sort.
        first, cell_group, _ = distinct_columns(np.stack([which for _, which in cells]))
        kept = np.flatnonzero(self.classes.labels >= 0)
        labels, values, weight = self.classes.labels[kept], np.zeros(sensitive.size), self.encoded.weight[kept]
        rows = ClassHistogram.of_records(cell_group[labels], own[kept], values, len(first), weight)
        columns = []
        for (regions, which), domain in zip(cells, self.encoded.qids, strict=True):
            column = Column.from_codes(domain.name, regions, which[first])
            columns.append(replace(column, codes=column.codes[rows.owner]))
        columns += [Column.from_codes(name, texts, which[rows.value]) for name, texts, which in sensitive.separate]
        return Table(tuple(columns)), rows.count


def _categories(codes: NDArray[Any], texts: list[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(texts, dtype=object))
