"""A release: what one publisher gives out about its table.

Regions are intervals of codes inside and readable texts outside: ranges for numbers
(``[20-30]``), runs of a declared order (``[primary .. secondary]``), sets of labels
(``{A, B}``), labels of taxonomy nodes, and ``*`` for everything.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.classes import Classes, ClassHistogram
from core.domain import Domain
from core.encoding import Encoded
from core.errors import ParameterError
from core.policy import Policy
from core.schema import Kind

Ints = NDArray[np.int64]
EVERYTHING = "*"


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
        """Texts of the distinct regions of one quasi-identifier, and the text number of each class."""
        domain = self.encoded.qids[attribute]
        low, high = self.regions[0][:, attribute], self.regions[1][:, attribute]
        keys, which = np.unique(low * domain.size + high, return_inverse=True)
        return [region_text(domain, int(key) // domain.size, int(key) % domain.size) for key in keys], which

    def region_frame(self) -> pd.DataFrame:
        """Published texts of every class, one row a class."""
        columns = {}
        for i, domain in enumerate(self.encoded.qids):
            texts, which = self.region_codes(i)
            columns[domain.name] = _categories(which, texts)
        return pd.DataFrame(columns)

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
            One row a record: regions of the quasi-identifiers and the sensitive value, as
            categorical columns; no identifier; suppressed records left out.
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
    risky = not label or label != label.strip() or label == EVERYTHING or label[0] in '[{("<>≤≥' or " or (" in label
    if not bare:
        risky = risky or any(mark in label for mark in ',{}[]"') or ".." in label
    return json.dumps(label, ensure_ascii=False) if risky else label
