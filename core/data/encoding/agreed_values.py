"""Sensitive values as an agreement publishes them, and the region of each record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.base.arrays import Bools, Codes, Ints
from core.base.errors import SchemaError
from core.base.errors import shown_name as shown
from core.data.encoding.domain import Domain
from core.data.schemas.agreement import Agreement, Cut, Inside
from core.data.schemas.schema import ColumnType, DateFormat, Schema
from core.data.tables.column import Column
from core.data.tables.dates import has_short_years, looks_like_dates, span_of

MOST_SHOWN = 256
"""Values of a column that defines regions of several values at most; cells of a larger one are shortened."""
LONGEST_PERIOD = 366
"""Days of a year at most."""


def check_columns(agreement: Agreement, qids: Sequence[Domain], sensitive: str) -> None:
    """Refuse a table that has other columns than an agreement.

    Raises
    ------
    SchemaError
        Naming the column and what to do.
    """
    own = {domain.name: domain.column_type for domain in qids}
    agreement.check_names(tuple(own), sensitive)
    for column, column_type in agreement.columns.items():
        if own[column] != column_type:
            raise SchemaError(
                f"{shown(column)} has the column type {own[column]}, and in the agreement {column_type}; give it "
                "that type.",
                parameter=column,
            )


def check_listed(sensitive: str, listed: Collection[str], values: Collection[str]) -> None:
    """Refuse a table none of whose values is on a list, which is written in another way.

    Raises
    ------
    SchemaError
        Naming the column and what to do.
    """
    if not set(listed) & set(values):
        raise SchemaError(
            f"No value of {shown(sensitive)} is in the lists of the agreement; write the values as the agreement does.",
            parameter=sensitive,
        )


def check_years(schema: Schema, columns: Mapping[str, Column]) -> None:
    """Refuse dates with two-digit years: read as another century, they put a person in another region and class.

    Raises
    ------
    SchemaError
        Naming the column and what to do.
    """
    for name, column in columns.items():
        is_date = schema.column_types.get(name) == ColumnType.DATE or looks_like_dates(column.labels)
        if is_date and has_short_years(column.labels, schema.dates.get(name, DateFormat()).form):
            raise SchemaError(
                f"The years of {shown(name)} have two digits, and publishers may take them for different centuries; "
                "write them with four.",
                parameter=name,
            )


def is_inside(part: Inside | Cut, domain: Domain) -> Bools:
    """(codes,) whether each value of a column is in a part of a region, or on the first side of a cut."""
    is_cut = isinstance(part, Cut)
    if isinstance(part, Cut):
        part = Inside(part.column, None if part.at is None else -np.inf, part.at, part.values)
    if part.low is None or part.high is None:
        wanted = set(part.values)
        inside = np.array([label in wanted for label in domain.labels], dtype=bool)
        if domain.missing >= 0:
            inside[domain.missing] = False
        return inside
    assert domain.values is not None
    between: Bools = (domain.values >= part.low) & (domain.values <= part.high)  # a missing value is not a number
    if domain.column_type is ColumnType.DATE and not is_cut:  # a month that reaches into the next region is in none
        for code in np.flatnonzero(between & (domain.values > part.high - LONGEST_PERIOD)).tolist():
            between[code] = last_of(domain, code) <= part.high
    return between


def last_of(domain: Domain, code: int) -> float:
    """Number of a value, or the last day of the day, week, month, quarter or year that it is."""
    assert domain.values is not None
    days = span_of(domain.labels[code]) if domain.column_type is ColumnType.DATE else None
    return float(domain.values[code] if days is None else days[1])


def check_cells_show(parts: Sequence[Inside], domain: Domain) -> None:
    """Refuse regions of several values of a column whose cells would not show the region.

    Raises
    ------
    SchemaError
        With what to do.
    """
    if all(len(part.values) < 2 for part in parts) or domain.column_type.ordered:
        return
    if domain.one_node or domain.size > MOST_SHOWN:
        why = "are single nodes of its taxonomy" if domain.one_node else f"do not list more than {MOST_SHOWN:,} values"
        raise SchemaError(
            f"Regions join rare values of {shown(domain.name)}, and its published cells {why}, so they would not show "
            "the region; define regions by another column, or join these values in the data.",
            parameter=domain.name,
        )


def regions_of(agreement: Agreement, qids: Sequence[Domain], codes: Codes) -> Ints:
    """(records,) region of each record; -1 without one, because a value is missing or in no region."""
    place = {domain.name: number for number, domain in enumerate(qids)}
    regions = np.full(codes.shape[1], -1, dtype=np.int64)
    for number, region in enumerate(agreement.regions):
        inside = np.ones(codes.shape[1], dtype=bool)
        for part in region.inside:
            column = place[part.column]
            inside &= is_inside(part, qids[column])[codes[column]]
        regions[inside] = number
    return regions


def bucket_table(agreement: Agreement, sensitive: Domain) -> Ints:
    """(regions, values) bucket of each published value in the list of each region; -1 if it has none there."""
    buckets = np.full((len(agreement.regions), sensitive.size), -1, dtype=np.int64)
    for number, region in enumerate(agreement.regions):
        place = region.bucket_of
        buckets[number] = [place.get(label, -1) for label in sensitive.labels]
    if sensitive.missing >= 0:
        buckets[:, sensitive.missing] = -1
    return buckets


def with_agreement(
    sensitive: Domain, sensitive_codes: Codes, qids: Sequence[Domain], codes: Codes, agreement: Agreement | None
) -> tuple[Domain, Codes]:
    """Replace values by those that an agreement publishes, and add it to the domain.

    A value that the list of the record's region does not have becomes the agreed label. Records without a region, and
    missing values, keep what they have; no class holds them.

    Raises
    ------
    SchemaError
        If the table has other columns than the agreement.
    """
    if agreement is None:
        return sensitive, sensitive_codes
    check_columns(agreement, qids, sensitive.name)
    regions = regions_of(agreement, qids, codes)
    meant = [
        text if code == sensitive.missing else agreement.coarser.get(text, text)
        for code, text in enumerate(sensitive.labels)
    ]
    lists = [region.bucket_of for region in agreement.regions]
    check_listed(sensitive.name, set().union(*lists), meant)
    texts = [
        [
            text if code == sensitive.missing or text in listed or not agreement.label else agreement.label
            for code, text in enumerate(meant)
        ]
        for listed in lists
    ]
    texts.append(meant)  # of records without a region
    if all(own == list(sensitive.labels) for own in texts) and set().union(*lists) <= set(meant):
        return replace(sensitive, agreement=agreement), sensitive_codes
    gone = sensitive.labels[sensitive.missing] if sensitive.missing >= 0 else None
    used = np.unique(sensitive_codes[regions < 0]).tolist()
    labels = sorted(set().union(*lists, *texts[:-1], (meant[code] for code in used)) - {gone})
    labels += [gone] if gone is not None else []
    place = {text: number for number, text in enumerate(labels)}
    table = np.array([[place.get(text, -1) for text in own] for own in texts], dtype=np.int32)
    domain = Domain(
        sensitive.name,
        ColumnType.CATEGORICAL,
        tuple(labels),
        missing=len(labels) - 1 if gone is not None else -1,
        agreement=agreement,
    )
    return domain, table[regions, sensitive_codes]
