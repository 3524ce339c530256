"""A release: what one publisher gives out about its table.

Regions are intervals of codes inside and readable texts outside: ranges for numbers
(``[20-30]``), runs of a declared order (``[primary .. secondary]``), sets of labels
(``{A, B}``), labels of taxonomy nodes, and ``*`` for everything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.cells import Reader
from core.centroids import central_codes, mean_texts
from core.classes import Classes, ClassHistogram
from core.domain import Domain
from core.encoding import Encoded
from core.errors import ParameterError
from core.parsing import parse
from core.policy import Policy
from core.published import Cells, Published, assemble
from core.schema import Kind, Schema
from core.table import Table

Ints = NDArray[np.int64]
EVERYTHING = "*"
READ_BY_REGION = ("mdav", "provider-aware", "provider-last")
"""Algorithms whose classes a reader cannot take for given, because they overlap or look alike."""


@dataclass(frozen=True, eq=False)
class Release:
    """A partitioned table.

    Parameters
    ----------
    encoded
        The records that were partitioned.
    classes
        Class of each of those records.
    policy
        What was declared.
    algorithm
        Name of the algorithm.
    inputs
        Number of rows that were handed in.
    position
        (records,) place of each record among the rows handed in.
    """

    encoded: Encoded
    classes: Classes
    policy: Policy
    algorithm: str
    inputs: int
    position: Ints

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        labels: NDArray[Any],
        policy: Policy,
        algorithm: str,
        inputs: int | None = None,
        position: Ints | None = None,
    ) -> Release:
        """Make a release from class labels of the encoded records."""
        if len(labels) != len(encoded):
            raise ParameterError(f"{len(encoded):,} records need as many labels; {len(labels):,} were given.")
        place = np.arange(len(encoded)) if position is None else position
        return cls(encoded, Classes.from_labels(labels), policy, algorithm, inputs or len(encoded), place)

    @staticmethod
    def parse(
        frame: pd.DataFrame | Table,
        schema: Schema,
        *,
        columns: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
        centroids: bool = False,
        mine: Encoded | None = None,
        suppression: bool = True,
    ) -> Published:
        """Read somebody else's published table [definitions §4].

        Parameters
        ----------
        frame
            The table as published: a row a record. Row numbers in messages count from 1.
        schema
            Mine: its quasi-identifiers, their kinds, taxonomies and orders, and the sensitive
            attribute. The kind of my column decides how a cell is read, see :mod:`core.cells`;
            a kind that is not given is inferred from ``mine``, else from the cells.
        columns
            My column to their header. A quasi-identifier that it leaves out is not published
            and tells nothing. By default columns correspond by name.
        values
            Their sensitive value to mine; several of theirs may be one of mine, and values that
            it leaves out stay as they are.
        centroids
            Whether the cells are centroids of microaggregation.
        mine
            My encoded table: kinds, and labels that win over any other reading of a cell.
        suppression
            Whether rows of ``*`` in every quasi-identifier are suppressed records, in no class,
            as ARX writes them. Where every row is, they are one class of everybody. Columns of
            theirs without a counterpart in mine count where they hold any ``*``.

        Returns
        -------
        Published

        Raises
        ------
        InputError
            If there are no rows, columns do not correspond, or a cell cannot be read; the
            message has their column, the row and the forms that are understood.
        LimitError
            If a column has more than 200,000 distinct cells, or a cell a million characters.

        Notes
        -----
        Each distinct cell of a column is read once; O(columns x rows + distinct cells).
        """
        return parse(
            frame, schema, columns=columns, values=values, centroids=centroids, mine=mine, suppression=suppression
        )

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """(rows,) class of each row handed in; -1 for a suppressed or left-out one."""
        full = np.full(self.inputs, -1, dtype=np.int32)
        full[self.position] = self.classes.labels
        return full

    @property
    def sizes(self) -> Ints:
        """(classes,) records in each class."""
        return self.classes.sizes

    @cached_property
    def histogram(self) -> ClassHistogram:
        """Sensitive values of each class."""
        kept = self.classes.labels >= 0
        labels, secret = self.classes.labels, self.encoded.secret
        if not kept.all():
            labels, secret = labels[kept], secret[kept]
        overall = np.bincount(secret, minlength=self.encoded.sensitive.size)
        return ClassHistogram.tally(labels, secret, overall, self.classes.count, missing=self.encoded.sensitive.missing)

    @cached_property
    def regions(self) -> tuple[Ints, Ints]:
        """Lowest and highest code of each region, (classes, quasi-identifiers) each.

        The least region of its form that covers the class: a range or set from the lowest
        to the highest value, or the lowest node above all values.
        """
        low, high = self.classes.lows_highs(self.encoded.codes)
        pairs = [domain.cover(low[:, i], high[:, i]) for i, domain in enumerate(self.encoded.qids)]
        return np.column_stack([p[0] for p in pairs]), np.column_stack([p[1] for p in pairs])

    def region_codes(self, attribute: int) -> tuple[list[str], Ints]:
        """Texts of the distinct cells of one quasi-identifier, and the text number of each class.

        Regions; for microaggregation centroids, see :mod:`core.centroids`. Two classes may
        have the same cells throughout: then they are one to the reader [definitions §4].
        """
        domain = self.encoded.qids[attribute]
        if self.publishes_centroids:
            return self._centroid_codes(attribute)
        low, high = self.regions[0][:, attribute], self.regions[1][:, attribute]
        keys, which = np.unique(low * domain.size + high, return_inverse=True)
        return [region_text(domain, int(key) // domain.size, int(key) % domain.size) for key in keys], which

    def _centroid_codes(self, attribute: int) -> tuple[list[str], Ints]:
        domain, codes = self.encoded.qids[attribute], self.encoded.codes[attribute]
        if domain.kind is Kind.NUMERIC:
            return mean_texts(domain, codes, self.classes)
        used, which = np.unique(central_codes(domain, codes, self.classes), return_inverse=True)
        return [region_text(domain, code, code) for code in used.tolist()], which

    def region_frame(self) -> pd.DataFrame:
        """Published texts of every class, one row a class."""
        columns = {}
        for i, domain in enumerate(self.encoded.qids):
            texts, which = self.region_codes(i)
            columns[domain.name] = _categories(which, texts)
        return pd.DataFrame(columns)

    @property
    def publishes_centroids(self) -> bool:
        """Whether the published cells are centroids instead of regions."""
        return self.algorithm == "mdav"

    @property
    def read_by_region(self) -> bool:
        """Whether an adversary locates people by what is published, by default [definitions §4]."""
        return self.publishes_centroids or self.algorithm in READ_BY_REGION

    @cached_property
    def published(self) -> Published:
        """What the reader of this release knows; its rows are the encoded records, in their order."""
        columns = []
        for i, domain in enumerate(self.encoded.qids):
            reader = Reader.of(domain)
            texts, which = self.region_codes(i)
            regions = [reader.read(text) for text in texts]
            assert None not in regions, "what is written here can be read"
            columns.append(Cells(reader, [region for region in regions if region is not None], texts, which))
        sensitive = self.encoded.sensitive
        return assemble(columns, self.classes.labels, sensitive, self.encoded.secret, self.publishes_centroids)

    @cached_property
    def reader_classes(self) -> Ints:
        """(classes,) the class of :attr:`published` that each class is part of."""
        into = np.full(self.classes.count, -1, dtype=np.int64)
        there = self.classes.labels >= 0
        into[self.classes.labels[there]] = self.published.labels[there]
        return into

    def publish(self, seed: int | None = None) -> pd.DataFrame:
        """Return the table to be given out.

        Parameters
        ----------
        seed
            ``None`` shuffles with randomness of the operating system, for real use: the
            order of the input re-identifies. A number gives the same order each time.

        Returns
        -------
        DataFrame
            One row a record: regions of the quasi-identifiers (for microaggregation their
            means, medians and modes) and the sensitive value, as categorical columns; no
            identifier; suppressed records left out.
        """
        order = np.random.default_rng(seed).permutation(np.flatnonzero(self.classes.labels >= 0))
        label = self.classes.labels[order]
        columns = {}
        for i, domain in enumerate(self.encoded.qids):
            texts, which = self.region_codes(i)
            columns[domain.name] = _categories(which[label], texts)
        sensitive = self.encoded.sensitive
        texts = ["" if i == sensitive.missing else text for i, text in enumerate(sensitive.labels)]
        columns[sensitive.name] = _categories(self.encoded.secret[order], texts)
        return pd.DataFrame(columns)


def _categories(codes: NDArray[Any], texts: list[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(texts, dtype=object))


def region_text(domain: Domain, low: int, high: int) -> str:
    """Return the published text of the region ``[low, high]`` of a domain."""
    known = domain.size - 1 if domain.missing >= 0 else domain.size
    if low == high:
        return domain.labels[low] if low == domain.missing else plain_text(domain.labels[low], domain.kind)
    if domain.taxonomy is not None:
        node = domain.taxonomy.lowest_common(np.array([low]), np.array([high]))[0]
        label: str = domain.taxonomy.labels[node]
        return label
    if low == 0 and high == domain.size - 1 and domain.kind is Kind.CATEGORICAL:
        return EVERYTHING
    if high == domain.missing:
        return f"{region_text(domain, low, known - 1)} or {domain.labels[domain.missing]}"
    if domain.kind is Kind.NUMERIC:
        return range_text(domain.labels[low], domain.labels[high])
    if domain.kind is Kind.ORDINAL:
        return f"[{quoted(domain.labels[low])} .. {quoted(domain.labels[high])}]"
    return "{" + ", ".join(quoted(label) for label in domain.labels[low : high + 1]) + "}"


def range_text(low: str, high: str) -> str:
    """``[20-30]``; with a comma where a minus sign or an exponent would confuse."""
    return f"[{low}, {high}]" if "-" in low + high else f"[{low}-{high}]"


def plain_text(label: str, kind: Kind) -> str:
    """Return a single value, quoted where it would read as something more general."""
    return label if kind in (Kind.NUMERIC, Kind.TAXONOMY) else quoted(label, bare=True)


def quoted(label: str, bare: bool = False) -> str:
    """Quote a label in JSON fashion where it holds a mark of the region texts."""
    risky = label != label.strip() or not label.strip("*") or label[0] in '[{("<>≤≥' or " or (" in label
    if not bare:
        risky = risky or any(mark in label for mark in ',{}[]"') or ".." in label
    return json.dumps(label, ensure_ascii=False) if risky else label
