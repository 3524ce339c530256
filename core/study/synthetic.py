"""Another hospital drawn from a model: some of my people, and synthetic people who were never in a table.

My table stays whole. If my people have several records, a synthetic person has as many as one of
them, drawn at random, has. Synthetic people have the quasi-identifiers of my records, resampled, each with the
sensitive value of a similar person outside their class.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded
from core.study import synthetic_counts
from core.study.case_mix import LIKE_MINE, POOL, acceptance
from core.study.similar_people import SCALES, neighbours

Seed = int | np.random.SeedSequence | np.random.Generator


def resampled_records(encoded: Encoded, n: int, seed: Seed, case_mix: float = LIKE_MINE) -> Encoded:
    """Draw people with the quasi-identifiers of mine and the sensitive values of similar people.

    The quasi-identifiers are those of one of my records, or of all records of one of my people
    where they have several, drawn with replacement. The sensitive value of each is that of a random neighbour: a person
    in the same wide class but another narrow one, see :mod:`core.study.similar_people`. The scale of the classes is one
    of :data:`core.study.similar_people.SCALES`, drawn once.

    Parameters
    ----------
    encoded
        My table: its domains are those of the synthetic people.
    n
        People to draw, from 0.
    seed
        Of the draws. With one seed, fewer people are the first of more; not of a frequency table, for which
        only the number of each kind is drawn.
    case_mix
        How much their sensitive values differ from mine, see :mod:`core.study.case_mix`.

    Returns
    -------
    Encoded
        With the domains of my table, unshrunk; ``rows`` are -1, since these records come from no table.
    """
    scale, choose, lend, mix, accept = np.random.default_rng(seed).spawn(5)
    near = neighbours(encoded, int(scale.integers(len(SCALES))))
    chance = acceptance(encoded.overall, case_mix, mix) if case_mix else None
    if encoded.counted:
        return _counted(encoded, synthetic_counts.resampled(encoded, n, near, choose, chance))
    if chance is None:
        row, person = _like(encoded, n, choose)
        return _with_values_of(encoded, row, near.draw(row, lend), person)
    rows, sources, persons, missing = list[Ints](), list[Ints](), list[NDArray[np.int32]](), n
    while missing > 0:
        row, person = _like(encoded, POOL * missing, choose)
        source, number = near.draw(row, lend), person - person[0]
        tried = np.bincount(number)
        # A person with several records is accepted by the mean over their values.
        mean = np.bincount(number, weights=chance[encoded.sensitive_codes[source]]) / tried
        accepted = np.flatnonzero(accept.random(len(tried)) < mean)[:missing]
        kept = np.isin(number, accepted)
        rows, sources = [*rows, row[kept]], [*sources, source[kept]]
        persons.append(np.repeat(person[0] + n - missing + np.arange(len(accepted)), tried[accepted]).astype(np.int32))
        missing -= len(accepted)
    none = np.zeros(0, dtype=np.int64)
    return _with_values_of(
        encoded, np.concatenate((none, *rows)), np.concatenate((none, *sources)), np.concatenate((none, *persons))
    )


def model_hospital(
    encoded: Encoded, shared: Ints, size: int, seed: Seed, weight: Ints | None = None, case_mix: float = LIKE_MINE
) -> Encoded:
    """Simulate another hospital: the shared people first, then synthetic people.

    Parameters
    ----------
    encoded
        My table, which stays whole.
    shared
        (P,) the shared people in it, each once: positions of their records, or numbers as in
        ``encoded.whose`` if people have several records. Of a frequency table the tuple of each group of them.
    size
        People of the other hospital, P or more.
    seed
        Of the synthetic people. With one seed a smaller hospital has the first synthetic people of a larger.
    weight
        Of a frequency table, people of each group.
    case_mix
        Of resampled people, see :func:`resampled_records`.

    Returns
    -------
    Encoded
        ``size`` people; the first are the shared people in the order given, with their own
        records, values and rows, so that :func:`core.study.draw.disagree` can change some. Numeric and
        categorical domains are shrunk to what the hospital has, as in
        :meth:`~core.data.encoding.encoded.Encoded.take`.

    Raises
    ------
    ParameterError
        If the size is below P.
    """
    people = len(shared) if weight is None else int(weight.sum())
    if size < people:
        raise ParameterError(
            f"A hospital of {size:,} records cannot share {people:,} people; lower the overlap.", parameter="size"
        )
    return among_shared(encoded, shared, resampled_records(encoded, size - people, seed, case_mix), weight)


def among_shared(encoded: Encoded, shared: Ints, fresh: Encoded, weight: Ints | None = None) -> Encoded:
    """The shared people first, then synthetic people; see :func:`model_hospital`."""
    if weight is None:
        rows = encoded.records_of(shared)
        whole = _behind(encoded, rows, fresh)
        whole = replace(whole, person=np.concatenate((encoded.person[rows], fresh.person)))
    else:
        whole = replace(_behind(encoded, shared, fresh), weight=np.concatenate((weight, fresh.weight)))
    return whole.take(np.arange(len(whole)))


def _behind(encoded: Encoded, rows: Ints, fresh: Encoded) -> Encoded:
    """Put the records of synthetic people after the records ``rows`` of my table."""
    return Encoded(
        encoded.qids,
        np.concatenate((np.take(encoded.codes, rows, axis=1), fresh.codes), axis=1),
        encoded.sensitive,
        np.concatenate((encoded.sensitive_codes[rows], fresh.sensitive_codes)),
        np.concatenate((encoded.rows[rows], fresh.rows)),
        plain=tuple(
            mine.take(rows).followed_by(theirs.codes) for mine, theirs in zip(encoded.plain, fresh.plain, strict=True)
        ),
    )


def _counted(encoded: Encoded, drawn: synthetic_counts.Drawn) -> Encoded:
    """Counts of people in no table."""
    codes, sensitive_codes, weight = drawn
    return replace(
        _people(encoded, codes, sensitive_codes, np.arange(len(sensitive_codes), dtype=np.int32)), weight=weight
    )


def _people(
    encoded: Encoded, codes: NDArray[np.int32], sensitive_codes: NDArray[Any], person: NDArray[np.int32]
) -> Encoded:
    """Records of people in no table."""
    nowhere = np.full(len(sensitive_codes), -1, dtype=np.int64)
    return Encoded(encoded.qids, codes, encoded.sensitive, sensitive_codes.astype(np.int32), nowhere, person=person)


def _with_values_of(encoded: Encoded, records: Ints, source: Ints, person: NDArray[np.int32]) -> Encoded:
    """Synthetic people with the quasi-identifiers of some records, and the sensitive and published values of others."""
    people = _people(encoded, np.take(encoded.codes, records, axis=1), encoded.sensitive_codes[source], person)
    return replace(people, plain=tuple(column.take(source) for column in encoded.plain))


def _like(encoded: Encoded, n: int, rng: np.random.Generator) -> tuple[Ints, NDArray[np.int32]]:
    """Records of n of my people, drawn with replacement, and numbers for the synthetic people like them."""
    drawn = _one_of(encoded.people, n, rng)
    many = np.bincount(encoded.whose)[drawn]
    return encoded.records_of(drawn), np.repeat(int(encoded.person.max()) + 1 + np.arange(n), many).astype(np.int32)


def _one_of(records: int, n: int, rng: np.random.Generator) -> Ints:
    """Draw positions with replacement."""
    return (rng.random(n) * records).astype(np.int64)
