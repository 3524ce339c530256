"""Coverage of my people by another publisher's file: column by column, and as a whole.

A column with other words (F for female) or other units matches none of my people: the file then seems harmless, but is
not. Ours; there is no source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Ints
from core.base.errors import shown_name as shown
from core.base.wording import listed, percent, several
from core.data.classes import weighted_count
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.data.tables.table import Table
from core.release.published.cell_reader import ABSENT
from core.release.published.containment import bits
from core.release.published.count_table import Possible, rules_of
from core.release.published.layout import joined_headers
from core.release.published.locate import fits_any
from core.release.published.published import Attribute, Published
from core.release.published.targets import Targets
from core.study.hospitals import Hospital, Study
from core.study.uploads import Foreign, Upload

DOUBTFUL = 0.5
"""Share of my records below which a column probably uses other values or units."""
FEW = 0.05
"""Share of my people with a matching class below which a file reveals almost nothing."""
ABOUT_MARKS = {"zero": "no one", "masked": "a masked count of 1 or more", "either": "no one or a masked count"}
"""Meaning of a count that is not shown, in words."""
SEVERAL_TABLES = (
    "Several tables of the same people can together reveal more than each leaves: one value left is then a lower "
    "bound. Of three people, counts by age and diagnosis and by sex and diagnosis may leave two diagnoses, and counts "
    "by age and sex may settle it."
)


def fitting(study: Study, hospital: Hospital, mine: Encoded) -> float:
    """Share of my people who fit some class of the release of an uploaded file [definitions §4].

    Parameters
    ----------
    study
        With its files.
    hospital
        One of the study whose people are found by what it publishes.
    mine
        My records. If a file is linked, those of the people in it are counted, else all.

    Raises
    ------
    CompositionError
        If it has no column by which a person can be located.

    Notes
    -----
    O(distinct people x classes x columns / 64).
    """
    assert hospital.upload is not None
    file = study.files[hospital.upload]
    people = np.flatnonzero(np.isin(mine.rows, file.mine)) if file.linked else np.arange(len(mine))
    if not len(people):
        return 1.0
    there = fits_any(file.published, Targets.of(mine, people))
    return float(np.average(there, weights=mine.weight[people]))


def without_effect(study: Study, mine: Encoded) -> tuple[int, ...]:
    """Indices of hospitals whose file rules nothing out, because it matches almost none of my records.

    Takes and raises what :func:`fitting` does. Files whose people's classes are known, and files that are not loaded,
    are skipped.
    """
    return tuple(
        number
        for number, hospital in enumerate(study.hospitals)
        if hospital.upload in study.files and study.by_publication(hospital) and fitting(study, hospital, mine) < FEW
    )


def _covered(part: Attribute, mine: Domain) -> Bools:
    """(classes,) whether the region of each class contains any value of my column."""
    words = np.bitwise_or.reduce(bits(part, list(mine.labels)), axis=0)
    flags = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    return flags[: len(part.which)].astype(np.bool_)


def reach(foreign: Foreign, mine: Encoded) -> dict[str, float]:
    """Share of my records whose value in a column the file covers.

    Parameters
    ----------
    foreign
        The other publisher's file, read.
    mine
        My records.

    Returns
    -------
    dict
        By my quasi-identifiers, those that the file has. It covers a value if the region of some class contains it;
        with centroids, it covers every number, and the categories that are published.

    Notes
    -----
    O(values x classes / 64) for each column.
    """
    shares = {}
    for i, domain in enumerate(mine.qids):
        known = _spoken_of(foreign.published, domain)
        if known is not None:
            counts = weighted_count(mine.codes[i], mine.weight, domain.size)
            shares[domain.name] = float(counts[known].sum() / counts.sum())
    return shares


def in_reach(foreign: Foreign, mine: Encoded) -> float:
    """Share of my records that the file covers, because they fit one of its classes; no more can be in it."""
    there = fits_any(foreign.published, Targets.of(mine, np.arange(len(mine))))
    return float(np.average(there, weights=mine.weight))


def sensitive_shares(theirs: Domain, counts: Ints, mine: Encoded) -> dict[str, tuple[float, float]]:
    """Shares of records whose sensitive value both sides have; if one is below :data:`DOUBTFUL`, codes probably differ.

    Parameters
    ----------
    theirs, counts
        Domain of their sensitive values, and (values,) records of each.
    mine
        My records.

    Returns
    -------
    dict
        By sensitive column: the share of theirs whose value is one of mine, and of mine whose value is one of theirs.
        Missing and withheld values are left out on both sides.
    """
    shares = {}
    for (name, own, which), (_, other, their_which) in zip(mine.sensitive.separate, theirs.separate, strict=True):
        of_own, of_other = np.bincount(which, mine.overall, len(own)), np.bincount(their_which, counts, len(other))
        shares[name] = _common(other, of_other, own), _common(own, of_own, other)
    return shares


def _common(texts: Sequence[str], counts: NDArray[Any], others: Sequence[str]) -> float:
    """Share of the records with a value that is among others; "" is a missing one."""
    mine, known = set(others), np.array([bool(text) for text in texts])
    there = known & np.array([text in mine for text in texts])
    return float(counts[there].sum() / max(1, counts[known].sum()))


def remarks(upload: Upload, their_table: Table, foreign: Foreign, mine: Encoded) -> tuple[str, ...]:
    """Sentences on how a file was read if its cells alone do not say it, with names of columns.

    Parameters
    ----------
    upload, their_table
        The file, and what was said about it.
    foreign
        What it became.
    mine
        My records.
    """
    sentences = [] if upload.own else _of_release(upload, their_table, foreign.published, mine)
    if foreign.possible is not None:
        sentences += _of_counts(upload, foreign.possible, 1 - in_reach(foreign, mine))
    meant = {(column, theirs) for column, theirs, _ in upload.cells} | {("", theirs) for theirs, _ in upload.values}
    if meant:
        words = several(len(meant), "value that is none of mine is", "values that are none of mine are")
        sentences.append(f"{words} read as mine, by their spelling or code.")
    published = foreign.published
    for name, (share, _) in sensitive_shares(published.sensitive, published.histogram.overall, mine).items():
        if share < 1:
            sentences.append(f"{percent(1 - share)} of its records have a value of {shown(name)} that I do not have.")
    return tuple(sentences)


def _of_release(upload: Upload, their_table: Table, published: Published, mine: Encoded) -> list[str]:
    """The same for features that only a release has."""
    sentences = []
    for stem, headers in joined_headers(their_table, [domain.name for domain in mine.qids]).items():
        if stem in dict(upload.columns).values():
            sentences.append(f"The columns {shown(headers[0])} to {shown(headers[-1])} are read as one, {shown(stem)}.")
    marked = [shown(part.name) for part in published.attributes if part.marked]
    if marked:
        what = "missing values" if upload.marks == ABSENT else "withheld: each fits every value"
        sentences.append(f"Empty cells and marks such as NA in {listed(marked)} are read as {what}.")
    if published.unruled.any():
        classes = int(np.count_nonzero(published.unruled))
        sentences.append(
            f"{several(classes, 'class has', 'classes have')} a withheld value of {shown(mine.sensitive.name)}, which "
            "may be any, so nothing is ruled out for the people in them."
        )
    for part in published.attributes:
        strange = ~_covered(part, next(domain for domain in mine.qids if domain.name == part.name))
        if strange.any() and not published.centroids:
            share = float(published.sizes[strange].sum() / published.sizes.sum())
            sentences.append(
                f"{percent(share)} of its records have a value of {shown(part.name)} that I do not have, so none of my "
                "people is found among them."
            )
    if upload.count and not upload.counts:
        sentences.append(f"Each row counts as the column {shown(upload.count)} says.")
    return sentences


def _of_counts(upload: Upload, possible: Possible, outside: float) -> list[str]:
    """The same for a table of counts; ``outside`` is the share of my records that fit none of its groups."""
    rules = rules_of(upload.counts)
    sentences = [
        "It is read as a table of counts: a person in a group may have every value whose count may be 1 or more."
    ]
    for number, word, words, meaning in (
        (possible.absent, "missing combination is", "missing combinations are", rules.absent),
        (possible.blank, "empty count is", "empty counts are", rules.blank),
        (possible.mark, "count that is a mark is", "counts that are marks are", rules.mark),
    ):
        if number and meaning is not None:
            sentences.append(f"{several(number, word, words)} read as {ABOUT_MARKS[meaning]}, as you said.")
    if possible.contradiction:
        sentences.append(
            f"The total in row {possible.contradiction:,} contradicts the counts that it adds up, so no total is used."
        )
    if rules.absent == "zero" and outside > 0:
        sentences.append(
            f"A missing group has no one in it: {percent(outside)} of my records fit no group, so it says "
            "nothing about them."
        )
    return [*sentences, SEVERAL_TABLES]


def _spoken_of(published: Published, mine: Domain) -> Bools | None:
    """(values,) whether the file covers each value of my column, with centroids every number; None if it lacks it."""
    part = next((part for part in published.attributes if part.name == mine.name), None)
    if part is None:
        return None
    if published.centroids and part.column_type is not ColumnType.CATEGORICAL:
        return np.ones(mine.size, dtype=bool)
    return np.asarray(bits(part, list(mine.labels)).any(axis=1))
