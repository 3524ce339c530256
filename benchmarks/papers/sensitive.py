"""Several sensitive attributes of one table compared [Ganta arXiv 2008, §3.5].

The hospitals, their people and the quasi-identifiers stay the same; what is to be protected
changes. The paper expected a larger domain to mean a worse breach and found that entropy
decides: of 247 occupations few are common, of 471 incomes many are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Progress, step
from core.base.errors import CompositionError, ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Role, Schema
from core.data.tables.table import Table
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep

_MEASURED = (
    "one_value_left",
    "one_value_left_low",
    "one_value_left_high",
    "one_value_left_single",
    "one_value_left_correct",
    "breach",
    "breach_low",
    "breach_high",
    "breach_single",
    "breach_correct",
    "prior",
    "posterior",
    "drop",
    "hit",
    "weighted_hit",
    "guess_one",
    "said",
)
COLUMNS = ("attribute", "records", "distinct", "entropy", "known", *_MEASURED, "confidence", "n", "repeats", "problem")


def entropy_bits(counts: NDArray[Any]) -> float:
    """Entropy of a distribution in bits, from the records of each value; 0 for a single value.

    [Ganta arXiv 2008, Table 4] calls it the diversity of an attribute.
    """
    shares = counts[counts > 0] / max(1, counts.sum())
    return abs(float(-(shares * np.log2(shares)).sum()))


def with_sensitive(schema: Schema, column: str) -> Schema:
    """Return the schema with another column as the sensitive attribute.

    The present one becomes a column that is not published; a quasi-identifier that is made
    sensitive is one no longer. Kinds, taxonomies and orders of the others stay.

    Raises
    ------
    SchemaError
        If the column is an identifier or names the provider, or no quasi-identifier is left.
    """
    if column == schema.sensitive:
        return schema
    roles = dict(schema.roles())
    role = roles.get(column, Role.OTHER)
    if role not in (Role.QUASI_IDENTIFIER, Role.OTHER):
        raise SchemaError(
            f"The column {shown(column)} is the {role} and cannot be the sensitive attribute; choose a "
            "quasi-identifier or a column that is not published.",
            parameter=column,
        )
    qids = tuple(name for name in schema.quasi_identifiers if name != column)
    described = {*qids, column}
    return schema.with_(
        quasi_identifiers=qids,
        sensitive=column,
        other=(*(name for name in schema.other if name != column), schema.sensitive),
        column_types={name: column_type for name, column_type in schema.column_types.items() if name in described},
        taxonomies={name: tree for name, tree in schema.taxonomies.items() if name in described},
        orders={name: order for name, order in schema.orders.items() if name in described},
    )


def compare_sensitive(
    table: Table,
    schema: Schema,
    columns: Sequence[str],
    study: Study,
    redraws: Redraws | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Attack one table once for each of several sensitive attributes.

    Parameters
    ----------
    table
        The table that plays the city.
    schema
        Its roles; see :func:`with_sensitive` for what changes from attribute to attribute.
    columns
        The attributes: the sensitive one, columns that are not published, or
        quasi-identifiers (each is then left out of what the adversary knows).
    study
        Hospitals and overlap, the same for all; no uploaded files, which have one sensitive
        column of their own.
    redraws
        Draws of the hospitals, ten by default; its least confidence is the level C of the second
        breach rate. The people drawn are the same for every attribute, as long as no record is
        left out because its value is missing.
    progress
        Called with the share done; an exception it raises cancels the run.

    Returns
    -------
    DataFrame
        One row an attribute, by falling entropy: ``attribute``, ``records`` (complete ones),
        ``distinct`` (values that occur; a missing value is one, as it is to the attack),
        ``entropy`` (bits), ``known`` (quasi-identifiers used); shares from 0 to 1 of the
        shared people, means over redraws: ``one_value_left`` and ``breach`` (one value left, and
        at most floor(1/C)), each with ``_low, _high`` (95% interval, NaN below ten),
        ``_single`` (the best single release alone) and ``_correct`` (the part that is rightly
        exposed); ``prior, posterior, drop`` (values before, left and lost, means); ``hit,
        weighted_hit, guess_one, said`` (how often the value named among those left, that of
        the weighted adversary, and the most common, is right, and how sure he is); ``confidence,
        n, repeats``;
        ``problem``: why an attribute cannot be compared (its numbers are then NaN), else "".

    Raises
    ------
    ParameterError
        If fewer than one column is named or the study has uploaded files.
    SchemaError
        If a column cannot be the sensitive attribute.
    CompositionError
        If no attribute can be compared, the reason of the first.

    Notes
    -----
    Each attribute costs what :func:`core.study.sweep.sweep` does for one setting.
    """
    names, draws = list(dict.fromkeys(columns)), redraws or Redraws(10)
    draws = replace(draws, confidences=(1.0, min(draws.confidences)))
    if not names:
        raise ParameterError("A comparison needs at least one sensitive attribute.", parameter="columns")
    if any(hospital.upload is not None for hospital in study.hospitals):
        raise ParameterError(
            "An uploaded file has one sensitive column of its own, so several cannot be compared; use simulated or "
            "modelled hospitals.",
            parameter="study",
        )
    schema.check_columns(table.names, need=[*schema.quasi_identifiers, *names])
    schemas = [with_sensitive(schema, name) for name in names]
    rows, first = [], None
    for number, changed in enumerate(schemas):
        part = step(progress, number, len(names))
        try:
            rows.append(_row(table, changed, _without(study, changed), draws, part))
        except CompositionError as error:
            first = first or error
            rows.append({"attribute": changed.sensitive, "problem": error.message})
        if progress is not None:
            progress((number + 1) / len(names))
    if first is not None and all("entropy" not in row for row in rows):
        raise first
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).fillna({"problem": "", "repeats": draws.repeats})
    frame["confidence"] = draws.confidences[-1]
    numbers = [name for name in COLUMNS if name not in ("attribute", "problem")]
    frame = frame.astype(dict.fromkeys(numbers, "float64")).astype({"repeats": "int64"})
    return frame.sort_values("entropy", ascending=False, kind="stable", na_position="last", ignore_index=True)


def _without(study: Study, schema: Schema) -> Study:
    """The study without the sensitive attribute among what hospitals publish of people."""
    hospitals = tuple(
        hospital
        if hospital.attributes is None
        else replace(hospital, attributes=tuple(name for name in hospital.attributes if name != schema.sensitive))
        for hospital in study.hospitals
    )
    return replace(study, hospitals=hospitals)


def _row(table: Table, schema: Schema, study: Study, draws: Redraws, progress: Progress | None) -> dict[str, Any]:
    encoded = encode(table, schema)
    frame = sweep(encoded, study, "releases", [len(study.hospitals)], draws, progress)
    one_value_left, chosen = frame.iloc[0], frame.iloc[-1]
    row: dict[str, Any] = {
        "attribute": schema.sensitive,
        "records": len(encoded),
        "distinct": int((encoded.overall > 0).sum()),
        "entropy": entropy_bits(encoded.overall),
        "known": len(schema.quasi_identifiers),
        "n": int(chosen["n"]),
        "repeats": draws.repeats,
        "problem": "",
    }
    for name, rate in (("one_value_left", one_value_left), ("breach", chosen)):
        row[name] = float(rate["share"])
        for part in ("low", "high", "single", "right"):
            row[f"{name}_{part}"] = float(rate[part])
    for name in ("prior", "posterior", "drop", "hit", "weighted_hit", "guess_one", "said"):
        row[name] = float(chosen[name])
    return row


def rank_correlation(first_values: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN where one side is all the same."""
    first, second = (pd.Series(list(side), dtype=float).rank().to_numpy() for side in (first_values, other))
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size > 0 else float("nan")
