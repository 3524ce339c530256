"""Belief of the adversary before the release: the joint f(s, q) of [Allard 2023], Eq. 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.data.classes import distinct_columns
from core.data.encoding.encoded import Encoded


@dataclass(frozen=True, eq=False)
class Background:
    """The joint f(s, q) on the quasi-identifiers that occur in the table.

    Quasi-identifiers that no one in the table has carry no mass: the adversary knows who
    may be in it. Records with equal rows of f(s | q) share a *profile*.

    Parameters
    ----------
    given
        (profiles, values) f(s | q); every row sums to 1. This is the prior belief alpha.
    profile
        (records,) profile of each record.
    weight
        (records,) share of f(q) that falls on each record; records with the same
        quasi-identifiers share f(q) between them. Sums to 1.
    """

    given: Floats
    profile: Ints
    weight: Floats

    @classmethod
    def of_table(cls, encoded: Encoded, known: Sequence[str] | None = None) -> Background:
        """Count in the table how the sensitive value depends on some quasi-identifiers.

        Parameters
        ----------
        encoded
            The table.
        known
            Names of the quasi-identifiers on which the adversary's f(s | q) depends. All of
            them (``None``): the table's own joint; none of them: independent marginals,
            f(s, q) = P(s) P(q). In between is ours.

        Raises
        ------
        ParameterError
            If a name is not one of the quasi-identifiers.
        LimitError
            If distinct profiles times sensitive values exceed 40,000,000.

        Notes
        -----
        O(quasi-identifiers x records + profiles x values).
        """
        encoded.need_rows("What an adversary believes", "background")
        encoded.need_one_record("What an adversary believes", "background")
        records = len(encoded)
        names = [domain.name for domain in encoded.qids]
        if known is not None and not set(known) <= set(names):
            raise ParameterError("The background names a column that is not a quasi-identifier.", parameter="known")
        rows = [i for i, name in enumerate(names) if known is None or name in set(known)]
        group = distinct_columns(encoded.codes[rows])[1] if rows else np.zeros(records, dtype=np.int64)
        profiles, values = int(group.max(initial=0)) + 1, encoded.sensitive.size
        LIMITS["background"].check(profiles * values, "known")
        cells = np.bincount(group * values + encoded.sensitive_codes, minlength=profiles * values)
        counts = cells.reshape(profiles, values).astype(np.float64)
        return cls(counts / counts.sum(axis=1, keepdims=True), group, np.full(records, 1 / records))

    @classmethod
    def constant(cls, encoded: Encoded, weights: Sequence[float] | NDArray[Any] | None = None) -> Background:
        """Assign everyone the same belief.

        Parameters
        ----------
        encoded
            The table.
        weights
            (values,) weights of the sensitive values, from 0, of any positive sum;
            ``None`` for the uniform belief over the values that the table has.

        Raises
        ------
        ParameterError
            If the number of weights is wrong, or one is negative or not finite, or all are 0.
        """
        values = encoded.sensitive.size
        weight = (encoded.overall > 0).astype(np.float64) if weights is None else np.asarray(weights, dtype=np.float64)
        if weight.shape != (values,):
            raise ParameterError(
                f"There are {values:,} sensitive values; give one weight for each.", parameter="weights"
            )
        given = _rows_of(weight[None, :])
        records = len(encoded)
        return cls(given, np.zeros(records, dtype=np.int64), np.full(records, 1 / records))

    @classmethod
    def edited(cls, encoded: Encoded, joint: NDArray[Any]) -> Background:
        """Use a given f(s, q) for the quasi-identifiers of every record.

        Parameters
        ----------
        encoded
            The table.
        joint
            (records, values) f(s, q) of each record's quasi-identifiers, up to one factor.
            Records with the same quasi-identifiers must have the same row.

        Raises
        ------
        ParameterError
            If the shape is wrong, an entry is negative or not finite, a row is all 0, or
            records with the same quasi-identifiers have different rows.
        """
        table = np.asarray(joint, dtype=np.float64)
        records, values = len(encoded), encoded.sensitive.size
        if table.shape != (records, values):
            raise ParameterError(
                f"The background needs a row for each of the {records:,} records and a column for each of the "
                f"{values:,} sensitive values.",
                parameter="joint",
            )
        LIMITS["background"].check(records * values, "known")
        given = _rows_of(table)
        first, group, count = distinct_columns(encoded.codes)
        if not np.array_equal(table, table[first[group]]):
            raise ParameterError(
                "Records with the same quasi-identifiers need the same row of the background: nothing distinguishes "
                "them before the release.",
                parameter="joint",
            )
        weight = table.sum(axis=1) / count[group]
        return cls(given, np.arange(records), weight / weight.sum())

    def without(self, ruled_out: Sequence[int]) -> Background:
        """Rule out sensitive values by negation statements ("not flu") about the target.

        f(s, q) is set to 0 for these values, for every q, since each may be the target's. For the
        other values f(s | q) / f(s | q*) keeps its ratios, so beta is the same as if only the
        target's row had been changed, and the same as beta conditioned on what is left. A profile that allowed no other
        value gets a row of zeros: it contradicts the statement.

        Parameters
        ----------
        ruled_out
            Codes of the values that the target does not have.
        """
        if not len(ruled_out):
            return self
        given = self.given.copy()
        given[:, list(ruled_out)] = 0.0
        left = given.sum(axis=1)
        given /= np.where(left > 0, left, 1.0)[:, None]
        weight = self.weight * left[self.profile]
        return replace(self, given=given, weight=weight / (weight.sum() or 1.0))


def _rows_of(table: Floats) -> Floats:
    """Turn each row into shares; refuse rows that are not a belief."""
    if not np.isfinite(table).all() or table.min(initial=0.0) < 0:
        raise ParameterError("A belief needs numbers of at least 0; one of those given is not.", parameter="background")
    total = table.sum(axis=1, keepdims=True)
    if not (total > 0).all() or not np.isfinite(total).all():
        raise ParameterError(
            "Each person needs at least one value that is believed possible; a row of the background is all 0.",
            parameter="background",
        )
    shares: Floats = table / total
    return shares
