"""Synthetic people for a frequency table: the number of people with each row, instead of one person at a time.

The ways of drawing are those of :mod:`core.study.synthetic` for records, except that equal people are drawn together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes, Floats, Ints
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding.draws import Lots
from core.data.encoding.encoded import Encoded
from core.study.case_mix import POOL
from core.study.similar_people import Neighbours

Drawn = tuple[NDArray[np.int32], Codes, Ints]
"""Quasi-identifiers, sensitive values, and how many people have them."""


def resampled(
    encoded: Encoded, n: int, near: Neighbours, rng: np.random.Generator, chance: Floats | None = None
) -> Drawn:
    """Draw n people like mine, with values of people like them; candidates are accepted by ``chance`` (values,)."""
    if chance is None:
        return _merged(encoded, *_candidates(encoded, n, near, rng))
    drawn, missing = [_candidates(encoded, 0, near, rng)], n
    while missing > 0:
        like, values, number = _candidates(encoded, POOL * missing, near, rng)
        accepted = rng.binomial(number, chance[values])
        if accepted.sum() > missing:
            accepted = rng.multivariate_hypergeometric(accepted, missing, method="marginals")
        drawn.append((like, values, accepted))
        missing -= int(accepted.sum())
    like, values, number = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return _merged(encoded, like[number > 0], values[number > 0], number[number > 0])


def _candidates(encoded: Encoded, n: int, near: Neighbours, rng: np.random.Generator) -> tuple[Ints, Codes, Ints]:
    """Template, value and number of people of each kind among n."""
    like, people = _like(encoded, n, rng)
    lenders, begin, end = near.lenders(like)
    who, place, number = Lots(encoded.weight[lenders]).draw(people, begin, end, rng)
    return like[who], encoded.sensitive_codes[lenders[place]], number


def _like(encoded: Encoded, n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Tuples used as templates for n people, one of each kind, and the number of people of each."""
    first, tuple_of, _ = distinct_columns(encoded.codes)
    people = rng.multinomial(n, weighted_count(tuple_of, encoded.weight, len(first)) / encoded.people)
    return first[people > 0], people[people > 0]


def _merged(encoded: Encoded, like: Ints, sensitive_codes: NDArray[Any], number: Ints) -> Drawn:
    """Add up people of one kind with one value."""
    first, group, _ = distinct_columns(np.stack([like, sensitive_codes]))
    people = weighted_count(group, number, len(first))
    return encoded.codes[:, like[first]], sensitive_codes[first].astype(np.int32), people
