"""Values that microaggregation publishes for a class: means, medians and modes [definitions §3].

Numbers: the mean of the known values. Dates: the mean, to a day, in the unit of the
column. Orders: the median, the lower of two middle labels. Categories and leaves of a taxonomy: the most common value,
the first in sorting order if several are. A missing value is published if more than half of a class have none.
Otherwise it is left out of means and medians, and counts as one category.

**Digits of a mean.** One decimal place more than the column has, halves upwards: ages in
whole years give ``37.4``. A column of more than nine decimal places gives means to a
millionth of its range. A class in which all have one value publishes that value. So a mean is read as it is written,
and reveals no more than the values do.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.data.classes import Classes
from core.data.encoding.domain import Domain, decimals, number_text
from core.data.tables.dates import text_of, unit_of


def central_codes(domain: Domain, codes: NDArray[np.int32], classes: Classes) -> Ints:
    """Median (orders) or most common (other kinds) code of each class; O(records log records).

    Parameters
    ----------
    domain, codes
        A column and its (records,) codes.
    classes
        A partition of the records; none of its classes is empty.

    Returns
    -------
    ndarray
        (classes,) codes.
    """
    code = codes[classes.order].astype(np.int64)
    owner = np.repeat(np.arange(classes.count), classes.sizes)
    if domain.column_type == "ordinal":
        code = code[np.lexsort((code, owner))]  # the missing code is the last
        missing = _missing(domain, code, owner, classes)
        middle = classes.starts[:-1] + (classes.sizes - missing - 1) // 2
        return np.where(2 * missing > classes.sizes, domain.missing, code[middle])
    cell, held = np.unique(owner * domain.size + code, return_counts=True)
    best = np.lexsort((cell, -held, cell // domain.size))
    first = np.searchsorted(cell // domain.size, np.arange(classes.count))
    most_common: Ints = cell[best[first]] % domain.size
    return most_common


def mean_texts(domain: Domain, codes: NDArray[np.int32], classes: Classes) -> tuple[list[str], Ints]:
    """Texts of the distinct means of a column of numbers or dates, and the text number of each class.

    Parameters and cost as for :func:`central_codes`. The result does not depend on the
    order of the records.
    """
    assert domain.values is not None
    code = codes[classes.order].astype(np.int64)
    owner = np.repeat(np.arange(classes.count), classes.sizes)
    missing = _missing(domain, code, owner, classes)
    absent = 2 * missing > classes.sizes
    known = code != domain.missing
    size = np.where(absent, 1, classes.sizes - missing)
    values = domain.values[: domain.size - (domain.missing >= 0)]
    places = 0 if domain.column_type == "date" else 1
    mean = _means(values, code[known], owner[known], size, classes.count, places)
    mean[absent] = np.inf  # no mean is infinite
    distinct, which = np.unique(mean, return_inverse=True)
    texts = [_mean_text(domain, value) for value in distinct.tolist()]
    number = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return list(number), np.array([number[text] for text in texts], dtype=np.int64)[which]


def _mean_text(domain: Domain, mean: float) -> str:
    """Text of a mean; several days share one in a column of months."""
    if math.isinf(mean):
        return domain.labels[domain.missing]
    return text_of(int(mean), unit_of(domain.labels[0])) if domain.column_type == "date" else number_text(mean)


def _missing(domain: Domain, code: Ints, owner: Ints, classes: Classes) -> Ints:
    """(classes,) records without a value."""
    return np.bincount(owner[code == domain.missing], minlength=classes.count)


def _means(values: Floats, code: Ints, owner: Ints, size: Ints, count: int, more: int) -> Floats:
    """(classes,) means of the known values, with ``more`` additional decimals; arbitrary if there are none."""
    places = decimals(values)
    if places is not None and np.abs(values).max(initial=0.0) < 2.0**53 / (10.0**places * max(1, len(code))):
        whole = np.rint(values * 10.0**places)
        total = np.bincount(owner, weights=whole[code], minlength=count).astype(np.int64)
        mean: Floats = (2 * 10**more * total + size) // (2 * size) / 10.0 ** (places + more)
        return mean
    # In the order of the values, so that the sum is that of the same people in any order.
    order = np.lexsort((code, owner))
    code, owner = code[order], owner[order]
    mean = np.bincount(owner, weights=values[code] / size[owner], minlength=count).astype(np.float64)
    length = float(values[-1] - values[0]) if len(values) else 0.0
    if length > 0:
        step = min(300, math.ceil(6 - math.log10(length)))
        mean = np.array([round(value, step) for value in mean.tolist()], dtype=np.float64)
    first = np.searchsorted(owner, np.arange(count)).clip(max=max(0, len(owner) - 1))
    last = np.searchsorted(owner, np.arange(count), side="right") - 1
    is_single = (last >= first) & (code[first] == code[last]) if len(code) else np.zeros(count, dtype=bool)
    mean[is_single] = values[code[first[is_single]]]
    return mean
