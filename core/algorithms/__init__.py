"""Anonymisation algorithms behind one function.

An algorithm is one folder or file that declares an :class:`~core.release.algorithm.Algorithm`;
the line below that declares it is the only other place that knows its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms import coordinated, leastloss, mdav, mondrian, provider_aware
from core.algorithms.merging import merge_classes
from core.base.arrays import Progress
from core.base.errors import ParameterError, PolicyError
from core.data.encoding.encoded import Encoded, check_is_schema, encode
from core.data.frequency_table import FrequencyTable, data_of
from core.data.schemas.agreement import Agreement
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.privacy.policy import Policy, check_policy
from core.release.algorithm import DEFAULT, algorithm_named, declare
from core.release.release import Release

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

for _one in (
    mondrian.ALGORITHM,
    mondrian.TIGHT,
    leastloss.ALGORITHM,
    mdav.ALGORITHM,
    provider_aware.ALGORITHM,
    coordinated.ALGORITHM,
):
    declare(_one)


def anonymize(
    table: Table | FrequencyTable | IntoDataFrame,
    schema: Schema,
    policy: Policy,
    algorithm: str | None = None,
    rows: NDArray[Any] | Sequence[int] | None = None,
    progress: Progress | None = None,
    agreement: Agreement | None = None,
) -> Release:
    """Partition a table so that every class meets a policy.

    Parameters
    ----------
    table, schema
        The data, a table or a frame of pandas, Polars or Arrow, and the roles of its columns. A frequency table
        gives the classes and numbers of the table that it counts; a record of the release is then a tuple.
    policy
        What every class must satisfy.
    algorithm
        ``"mondrian"``, the default: strict multidimensional Mondrian (LeFevre et al. 2006), with the tie rules of
        definitions §3; regions are published. ``"mondrian-tight"``: the same classes; cells list the values that occur.
        ``"least-loss"``: each cut is the one that loses the least, see :func:`core.algorithms.leastloss.least_loss`;
        cells list the values that occur. ``"mdav"``: microaggregation (Domingo-Ferrer and Torra 2005), groups of k to
        2k - 1 people near each other, formed inside the classes of least loss if l or t is not met; means and modes are
        published. See :func:`core.algorithms.mdav.microaggregation`, also for tables beyond 50,000 records.
        ``"provider-aware"`` (Goryczka et al. 2011, Alg. 2): also cuts between providers; for policies with m, see
        :func:`core.algorithms.provider_aware.provider_aware`. Mondrian with m is the paper's baseline.
        ``"coordinated"``, the default with an agreement: nodes of its trees, see
        :func:`core.algorithms.coordinated.coordinated`.
    rows
        Positions of the records to release, as a separate table; all by default.
    progress
        Called with the share of the work done; an exception it raises cancels the run.
    agreement
        What other publishers keep, too (:class:`core.data.schemas.agreement.Agreement`); that of the schema by default.

    Returns
    -------
    Release
        ``labels[i]`` is the class of the i-th row (of ``rows`` if given).

    Raises
    ------
    SchemaError, LimitError
        If the table does not fit the schema.
    InputError
        If the agreement was made from this very table.
    InfeasibleError
        If not even the whole table meets the policy.
    PolicyError
        If the policy asks for m and the algorithm is MDAV, which cannot promise it, or the table
        names no providers, or has too few; or if provider-aware is requested without m. If persons
        have several records and the policy asks for m, or the algorithm is not Mondrian.
    ParameterError
        For an unknown algorithm, one that does not keep the agreement, or rows outside the table.

    Notes
    -----
    Mondrian: O(rounds x distinct people x quasi-identifiers); 30,162 records of Adult in
    some 30 ms, reading the texts included in 10 ms more. MDAV: O(records / k x distinct
    people x quasi-identifiers), about a second for the same at k = 5.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples
    >>> release = anonymize(examples.city(500), examples.city_schema(), Policy(k=10, l=3))
    >>> int(release.classes.sizes.min()) >= 10
    True
    """
    table = data_of(table)
    check_policy(policy)
    check_is_schema(schema)
    schema = schema if agreement is None else schema.with_(agreement=agreement)
    keeps = schema.agreement is not None
    algorithm = algorithm or (coordinated.ALGORITHM.name if keeps else DEFAULT)
    if agreement is not None and not algorithm_named(algorithm).agreement:
        raise ParameterError(
            f"The algorithm {algorithm} does not keep an agreement; choose {coordinated.ALGORITHM.name}, or leave the "
            "agreement out.",
            parameter="algorithm",
        )
    if agreement is not None:
        agreement.check_origin(table.content_id)
    encoded = encode(table, schema)
    if rows is None:
        return partition(encoded, policy, algorithm, progress, inputs=len(table), position=encoded.rows)
    chosen = np.asarray(rows, dtype=np.int64)
    if len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= len(table):
        raise ParameterError(f"rows must be positions from 0 to {len(table) - 1:,}, at least one.", parameter="rows")
    if len(np.unique(chosen)) != len(chosen):
        raise ParameterError("rows names a record twice; give each once.", parameter="rows")
    where = np.full(len(table), -1, dtype=np.int64)
    where[encoded.rows] = np.arange(len(encoded))
    place = where[chosen]
    kept = np.flatnonzero(place >= 0)
    if not len(kept):
        raise ParameterError("All the rows given have missing values and are left out.", parameter="rows")
    return partition(encoded.take(place[kept]), policy, algorithm, progress, inputs=len(chosen), position=kept)


def partition(
    encoded: Encoded,
    policy: Policy,
    algorithm: str = DEFAULT,
    progress: Progress | None = None,
    inputs: int | None = None,
    position: NDArray[np.int64] | None = None,
) -> Release:
    """Partition a table that is already encoded; see :func:`anonymize`."""
    return _run(encoded, [policy], algorithm, progress, inputs, position)[0]


def partition_sweep(
    encoded: Encoded, policies: Sequence[Policy], algorithm: str = DEFAULT, progress: Progress | None = None
) -> list[Release]:
    """Partition one table for several policies, sharing work if possible.

    Mondrian answers all policies that differ in k alone in one pass, MDAV forms its groups
    once for each k; the rest is done one by one. The results equal those of
    :func:`partition`.
    """
    return _run(encoded, policies, algorithm, progress, None, None)


def _run(
    encoded: Encoded,
    policies: Sequence[Policy],
    algorithm: str,
    progress: Progress | None,
    inputs: int | None,
    position: NDArray[np.int64] | None,
) -> list[Release]:
    how = algorithm_named(algorithm)
    assert how.run is not None
    if not how.takes_frequency_tables:
        encoded.need_rows(f"The algorithm {how.words}", "algorithm")
    for policy in policies:
        if policy.m is not None and how.providers == "none":
            raise PolicyError(
                f"The algorithm {algorithm} cannot guarantee m-privacy; leave m out of the policy.", parameter="m"
            )
        if policy.m is None and how.providers == "needed":
            raise PolicyError(
                f"The algorithm {algorithm} needs m, how many providers may collude; add m to the policy or choose "
                "another algorithm.",
                parameter="m",
            )
        if policy.m is not None:
            encoded.need_rows("m-privacy", "m")
            encoded.need_one_record("m-privacy", "m")
        elif not (how.persons or how.agreement):  # which says itself what to choose
            encoded.need_one_record(f"The algorithm {how.words}", "algorithm")
        if not how.suppresses:
            policy.check_feasible(encoded)
    distinct = list(dict.fromkeys(policies))
    formed = zip(distinct, how.run(encoded, distinct, progress), strict=True)
    labels = {policy: merge_classes(encoded, classes, policy) for policy, classes in formed}
    return [Release.of(encoded, labels[policy], policy, how, inputs, position) for policy in policies]


__all__ = ["anonymize", "partition", "partition_sweep"]
