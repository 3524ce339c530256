"""A truthful table as one publisher would give it out, what it costs, and what several together leave of a person.

The counts are those of :mod:`core.dp.truthful` over a grid of declared domains. What is drawn here is
drawn with a seed, for charts and numbers alone; what is published comes from the operating system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.base.arrays import Bools, Floats, Ints, Progress
from core.base.errors import ParameterError, shown_name
from core.base.rates import candidate_limit
from core.data.csv_export import csv_bytes
from core.data.encoding import Encoded
from core.data.marginals import PRIOR_RECORDS
from core.dp.composition import Cost
from core.dp.contingency import ContingencyTable, noisy_query_error
from core.dp.mechanisms import RELATION
from core.dp.noisy_table import FIRST_RECORD, declared_line, flat, missing_line, packed
from core.dp.truthful import BITS, Sampling, truthful_counts
from core.release.query_error import Queries, QueryError

TOLERANCE = 1e-12
"""Relative; beliefs that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class TruthfulTable:
    """One draw of a truthful table.

    Parameters
    ----------
    table
        The grid with its true counts, which are never exported.
    sampling
        Chance with which a record is kept, and the smallest count that is told.
    counts
        (cells, sensitive bins) what is told; 0 where nothing is.
    """

    table: ContingencyTable
    sampling: Sampling
    counts: Ints

    @property
    def published(self) -> int:
        """Records that are told."""
        return int(self.counts.sum())

    @property
    def cost(self) -> Cost:
        """Epsilon and delta where one record is replaced, as a ledger of noisy tables counts them."""
        return self.sampling.replaced

    def frame(self) -> pd.DataFrame:
        """One row a cell that is told: its bins, and how many of its records were kept."""
        frame = self.table.frame(self.counts, "records_kept")
        return frame[self.counts.ravel() > 0].reset_index(drop=True)

    def statement(self) -> str:
        """What is promised, and everything that is taken to be public. There is no seed, and no true count in it."""
        chosen, promised = self.sampling, self.sampling.replaced
        persons = self.table.first_only
        lines = [
            "Truthful contingency table under differential privacy (SafePub: Bild, Kuhn, Prasser, PoPETs 2018)",
            "",
            f"Columns: {', '.join(flat(axis.name) for axis in self.table.every)}",
            f"Promise: epsilon = {chosen.epsilon:.12g}, delta = {chosen.delta:.12g}, for one record added or removed",
            f"Neighbouring tables: {RELATION}:",
            f"epsilon = {promised.epsilon:.12g}, delta = {promised.delta:.12g}",
            *([FIRST_RECORD] if persons else []),
            "Mechanism: every record is kept independently with a chance of",
            f"{chosen.threshold} / 2^{BITS} = {chosen.beta:.12g};",
            f"a cell with fewer than {chosen.k} kept records is left out; there is no noise",
            "Chance: whole numbers of 53 bits from the operating system's randomness; there is no seed",
            "",
            "Public by assumption:",
            f"- the number of {'persons' if persons else 'records'} of the table, {self.table.records}",
            "- the names of the columns, and that these were chosen",
            missing_line(self.table),
            *(f"- {declared_line(axis)}" for axis in self.table.every),
            "",
            f"Reading: each record told is a true one, and stands for {1 / chosen.beta:.6g} records of its cell. A",
            "cell that is not listed can hold records; sums over listed cells are too small.",
            "Together with other tables about the same people, epsilons and deltas add up.",
            "",
        ]
        return "\n".join(lines)

    def package(self) -> bytes:
        """A ZIP of table and statement, so that one does not travel without the other."""
        return packed({"truthful_table.csv": csv_bytes(self.frame()), "statement.txt": self.statement()})

    def loss(self, encoded: Encoded) -> float:
        """Information loss (GCP) [definitions §9]: a record that is not told counts 1, as does a column left out."""
        place = {domain.name: i for i, domain in enumerate(encoded.qids)}
        published = self.counts.sum(axis=1).astype(np.float64)
        lost = np.full(len(published), float(len(encoded.qids) - len(self.table.axes)))
        where = np.unravel_index(np.arange(len(published)), self.table.shape or (1,))
        for axis, bins in zip(self.table.axes, where, strict=False):
            lost += _widths(encoded, place[axis.name], axis.bin_of, axis.size)[bins]
        kept = float((lost * published).sum()) / len(encoded.qids)
        records = encoded.people
        return (kept + records - float(published.sum())) / records

    def query_error(self, encoded: Encoded, queries: Queries, truth: Ints) -> QueryError:
        """Answer counting queries from what is told, each record for the 1 / beta records that it was drawn from."""
        error = noisy_query_error(self.table, encoded, queries, truth, self.counts)
        return QueryError(truth, error.answer / self.sampling.beta)


def _widths(encoded: Encoded, attribute: int, bin_of: Ints, bins: int) -> Floats:
    """(bins,) NCP of each bin of a column: 0 for a single value, 1 for a bin that no value of the table is in."""
    domain = encoded.qids[attribute]
    inside = np.flatnonzero(bin_of >= 0)
    many = np.bincount(bin_of[inside], minlength=bins)
    low, high = np.full(bins, domain.size - 1), np.zeros(bins, dtype=np.int64)
    np.minimum.at(low, bin_of[inside], inside)
    np.maximum.at(high, bin_of[inside], inside)
    width = domain.width(np.minimum(low, high), high) if domain.kind.ordered else many / domain.size
    return np.where(many == 0, 1.0, np.where(many == 1, 0.0, width))


def drawn(table: ContingencyTable, sampling: Sampling, rng: np.random.Generator) -> TruthfulTable:
    """Draw a truthful table from a seed: for numbers about the way, never to be published."""
    return TruthfulTable(table, sampling, truthful_counts(table.counts, sampling, source=rng.bytes))


def publish_truthful(table: ContingencyTable, sampling: Sampling, progress: Progress | None = None) -> TruthfulTable:
    """Draw a truthful table that may be published, with randomness of the operating system.

    Raises
    ------
    ParameterError
        If a domain is not declared: the cells would come from the data.
    """
    for axis in table.every:
        if not axis.declared.closed:
            raise ParameterError(
                f"The values of {shown_name(axis.name)} are not declared, so the cells would come from the data; "
                "declare its domain.",
                parameter=axis.name,
            )
    return TruthfulTable(table, sampling, truthful_counts(table.counts, sampling, progress))


def same_grid(table: ContingencyTable, other: Encoded) -> ContingencyTable:
    """The grid of one table with the counts of another publisher's records, whose values are among those of the first.

    Values are matched by their text; a record with a value that the first table does not have is left out.
    """
    other.need_rows("A truthful table", "other")
    names = {domain.name: i for i, domain in enumerate(other.qids)}
    cell, outside = np.zeros(len(other), dtype=np.int64), np.zeros(len(other), dtype=bool)
    for axis in table.axes:
        bins_of = _bins(axis.domain.labels, axis.bin_of, other.qids[names[axis.name]].labels)
        bins = bins_of[other.codes[names[axis.name]]]
        outside |= bins < 0
        cell = cell * axis.size + np.maximum(bins, 0)
    secret = table.sensitive
    value = _bins(secret.domain.labels, secret.bin_of, other.sensitive.labels)[other.secret]
    counted = ~outside & (value >= 0)
    if other.person is not None:
        first = np.zeros(len(other), dtype=bool)
        first[other.first_records] = True
        counted &= first
    counts = np.bincount(cell[counted] * secret.size + value[counted], minlength=table.size)
    cell[outside] = -1
    shaped = counts.reshape(-1, secret.size)
    return ContingencyTable(table.axes, secret, shaped, cell, other.people, table.missing, other.person is not None)


def _bins(mine: Sequence[str], bin_of: Ints, theirs: Sequence[str]) -> Ints:
    """(their codes,) bin of each value by its text; -1 for one that I do not have."""
    place = {label: int(number) for label, number in zip(mine, bin_of, strict=True)}
    return np.array([place.get(label, -1) for label in theirs], dtype=np.int64)


def told_sets(tables: Sequence[TruthfulTable], cells: Ints) -> Bools:
    """(tables, people, sensitive bins) whether a value can be that of each person, by each table alone.

    The cell of a person is public knowledge. A table that tells nothing of the cell says nothing.
    """
    every = []
    for truthful in tables:
        published = truthful.counts > 0
        published[~published.any(axis=1)] = True
        every.append(np.where((cells >= 0)[:, None], published[np.maximum(cells, 0)], True))
    return np.array(every)


def exposure_of_truthful(tables: Sequence[TruthfulTable], cells: Ints, truth: Ints, confidence: float) -> pd.DataFrame:
    """Who is exposed after two truthful tables, three, and so on: the frame of :func:`core.study.hold.exposure`.

    Parameters
    ----------
    tables
        One of each hospital, over one grid.
    cells, truth
        (P,) cell and sensitive bin of each person; -1 where they are left out.
    confidence
        C of the second share.

    Notes
    -----
    Whoever takes what is told for all there is intersects wrongly: a sampled table leaves values out.
    So the part that is right stands beside each share. O(tables x people x bins).
    """
    left = np.logical_and.accumulate(told_sets(tables, cells), axis=0)
    rows = []
    for number in range(2, len(tables) + 1):
        remaining = left[number - 1]
        many = remaining.sum(axis=1)
        right = (truth >= 0) & remaining[np.arange(len(truth)), np.maximum(truth, 0)]
        few = (many > 0) & (many <= candidate_limit(confidence))
        some = many[many > 0]
        rows.append(
            {
                "releases": number,
                "n": len(truth),
                "one": float((many == 1).mean()),
                "few": float(few.mean()),
                "one_right": float(((many == 1) & right).mean()),
                "few_right": float((few & right).mean()),
                "fewest": int(some.min(initial=remaining.shape[1])),
            }
        )
    return pd.DataFrame(rows)


def beliefs_in_truthful(
    tables: Sequence[TruthfulTable], cells: Ints, truth: Ints, prior: Floats, bin_of: Ints, confidence: float
) -> pd.DataFrame:
    """What somebody who weighs what is told believes after one truthful table, two, and so on.

    He goes by the counts of a person's cell as the weighted adversary by those of a class (:func:`core.attack.weigh`),
    with ``prior`` for the overall distribution; a table that tells nothing of the cell says nothing. Values of one bin
    cannot be told apart: they have its probability in the proportion of the prior [definitions §11].

    Parameters
    ----------
    tables
        One of each hospital, over one grid.
    cells, truth
        (P,) cell of each person, -1 for people who are left out, and their sensitive values.
    prior
        (values,) belief beforehand.
    bin_of
        (values,) sensitive bin of each value; -1 for one that the tables leave out.
    confidence
        C of the share.

    Returns
    -------
    DataFrame
        ``releases, share, mean, hit``, under the names of :class:`core.dp.beside_partitions.StudyTargets`: the share of
        people of whom he is at least C sure, the mean confidence in the likeliest value (0 where none is left), and
        how often naming it is right; ties are split evenly.

    Notes
    -----
    O(tables x cells of these people x bins).
    """
    bins = tables[0].counts.shape[1] + 1  # the last is for values that no table tells
    at = np.where(bin_of >= 0, bin_of, bins - 1)
    base = np.bincount(at, prior, minlength=bins)
    inner = np.divide(prior, base[at], out=np.zeros(len(prior)), where=prior > 0)
    most = np.zeros(bins)
    np.maximum.at(most, at, inner)
    alike = np.bincount(at, (inner >= most[at] * (1 - TOLERANCE)) & (prior > 0), minlength=bins)
    cell, group = np.unique(cells, return_inverse=True)
    together, heard = np.zeros((len(cell), bins)), np.zeros((len(cell), 1))
    log, rows = np.zeros((len(cell), bins)), []
    for number, table in enumerate(tables, 1):
        records = np.zeros((len(cell), bins))
        records[cell >= 0, :-1] = table.counts[cell[cell >= 0]]
        tells = records.any(axis=1, keepdims=True)
        heard += tells
        together += records
        with np.errstate(divide="ignore", invalid="ignore"):
            log += np.where(tells, np.log(records), 0.0)
            before = np.where(heard == 1, 0.0, (1 - heard) * np.log(together + PRIOR_RECORDS * base))
            weight = np.where(np.isneginf(log), -np.inf, log + before)
            top = weight.max(axis=1, keepdims=True)
            chance = np.where(np.isneginf(weight), 0.0, np.exp(weight - top))
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1.0)
        likeliest = chance * most
        sure = likeliest.max(axis=1)
        ties = ((likeliest >= sure[:, None] * (1 - TOLERANCE)) & (likeliest > 0)) @ alike
        named = chance[group, at[truth]] * inner[truth] >= sure[group] * (1 - TOLERANCE)
        right = np.where(named & (sure[group] > 0), 1 / np.maximum(ties[group], 1), 0.0)
        exposed = sure[group] >= confidence - TOLERANCE
        means = {"share": float(exposed.mean()), "mean": float(sure[group].mean()), "hit": float(right.mean())}
        rows.append({"releases": number, **means})
    return pd.DataFrame(rows)
