"""The limits of parameters and sizes in one table, from which checks, messages, definitions §13 and tests come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from core.base.errors import CompositionError, InputError, LimitError, ParameterError, SchemaError, TaxonomyError


@dataclass(frozen=True)
class Limit:
    """Allowed range of a number.

    Parameters
    ----------
    what
        Subject of the message: "The number of hospitals".
    least, most
        Its range.
    whole
        Whether it is a whole number.
    above, below
        Whether the least, or the most, is refused itself.
    error
        What is raised.
    do
        What to do next, as a sentence.
    """

    what: str
    least: float = -math.inf
    most: float = math.inf
    whole: bool = True
    above: bool = False
    below: bool = False
    error: type[CompositionError] = ParameterError
    do: str = ""

    @property
    def span(self) -> str:
        """The range in words: "from 1 to 1,000", "above 0 and at most 1"."""
        least, most = (f"{end:,}" if isinstance(end, int) else f"{end:g}" for end in (self.least, self.most))
        if self.most == math.inf:
            return f"above {least}" if self.above else f"at least {least}"
        upper = f"below {most}" if self.below else f"at most {most}"
        if self.least == -math.inf:
            return upper
        if self.above:
            return f"above {least} and {upper}"
        return f"from {least} to {'below ' * self.below}{most}"

    def holds(self, value: Any) -> bool:
        """Whether a value is a number of the right type and in the range."""
        number_types = int | np.integer if self.whole else int | float | np.integer | np.floating | Fraction
        if isinstance(value, bool) or not isinstance(value, number_types) or not abs(value) < math.inf:
            return False
        inside = self.least < value if self.above else self.least <= value
        return bool(inside and (value < self.most if self.below else value <= self.most))

    def check(self, value: Any, parameter: str, what: str = "", do: str = "") -> None:
        """Raise the error of the limit if a value is outside; ``what`` and ``do`` replace its words."""
        if self.holds(value):
            return
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool | complex)
        # What a file says is not repeated: it may be a cell.
        repeats_value = number and self.error is not InputError
        given = (
            f"; {f'{value:,}' if isinstance(value, int | np.integer) else f'{value:g}'} was given"
            if repeats_value
            else ""
        )
        expected = "a whole number " if self.whole and not number else ""
        sentence = " ".join(filter(None, (f"{what or self.what} must be {expected}{self.span}{given}.", do or self.do)))
        raise self.error(sentence, parameter=parameter)


LIMITS = {
    # What a user sets.
    "hospitals": Limit("The number of hospitals", 2, 8),
    "size": Limit("The size of a hospital", 1),
    "list_size": Limit("The size of a population list", 1, 2_000_000),
    "same_value_rate": Limit("The same-value rate", 0, 1, whole=False),
    "case_mix": Limit("The case mix", 0, 3, whole=False),
    "repeats": Limit("The number of draws (repeats)", 1),
    "confidence": Limit("The confidence", 0, 1, whole=False, above=True),
    "weight": Limit("The prior weight, in records,", 0, whole=False, above=True),
    "theta": Limit("theta", 0, 1, whole=False, above=True, do="A belief cannot change by more."),
    "fraction": Limit(
        "The sampling fraction", 0, 1, whole=False, above=True, do="It is the share of the population in the table."
    ),
    "others": Limit("others, the number of records of the other hospital,", 1, 1_000_000_000),
    "agreement least": Limit("The number of values of a bucket", 2, 1_000),
    "agreement k": Limit("The k of the smallest hospital", 1),
    "agreement rare": Limit("The share below which a value is rare", 0, 0.5, whole=False),
    "forecast l": Limit("l, the number of values of a forecast,", 1, 1_000),
    "queries": Limit("The number of queries", 1, 100_000),
    "residents": Limit("residents, the number of rows,", 100, 2_000_000),
    "city seed": Limit("seed", 0, 2**63 - 1),
    "record_seed": Limit("record_seed", 0, error=SchemaError),
    "epsilon": Limit(
        "epsilon",
        0.001,
        50.0,
        whole=False,
        do="0 would publish nothing but noise, and above 10 hardly anything is protected.",
    ),
    "delta": Limit(
        "delta, which Gaussian noise needs,",
        1e-300,
        0.1,
        whole=False,
        do="Choose one far below 1 over the number of records, or Laplace noise, which needs none.",
    ),
    "error": Limit("The chance of a larger error", 0, 1, whole=False, above=True, below=True),
    "slack": Limit("The slack", 0, 1, whole=False, above=True, below=True),
    "accuracy": Limit("accuracy, in records,", 0),
    "threshold": Limit("The threshold", 2),
    "cost epsilon": Limit("The epsilon of a table", 0, whole=False, above=True),
    "cost delta": Limit("The delta of a table", 0, 1, whole=False, below=True),
    "range": Limit("An end of a range, and its width,", -1e15, 1e15, whole=False, above=True, below=True),
    "tree level": Limit("The level of a tree", 1),
    "groups": Limit("The number of groups of an order", 0),
    "bin width": Limit("The width of a bin", 0, whole=False, do="0 is each value by itself."),
    # How large a thing may be.
    "header": Limit("The number of characters of a header", most=200, error=InputError),
    "categories": Limit("The number of distinct values", most=50_000, error=LimitError),
    "agreed": Limit("The number of values of an agreement", most=50_000, error=InputError),
    "agreement regions": Limit("The number of regions of an agreement", most=500, error=InputError),
    "agreement cuts": Limit("The number of cuts of an agreement", most=500_000, error=InputError),
    "agreement depth": Limit("The number of cuts on a path of an agreement", most=200, error=InputError),
    # All sets of them are attacked.
    "protected": Limit("The number of sensitive columns", most=6, error=SchemaError),
    "levels": Limit("The number of levels of a taxonomy", most=30, error=TaxonomyError),
    "nodes": Limit("The number of nodes of a taxonomy", most=500_000, error=TaxonomyError),
    # Beyond, a real number skips some whole ones.
    "frequency_table": Limit("The sum of the counts of a frequency table", most=2**53 - 1, error=InputError),
    "cells": Limit("The number of cells of a noisy table", most=1_000_000, error=LimitError),
    "bins": Limit(
        "The number of bins of a column", most=50_000, whole=False, do="Choose wider ones, or list fewer values."
    ),
    "source": Limit("The number of characters of a domain's source", most=200),
    "published cells": Limit("The number of distinct cells", most=200_000, error=LimitError),
    "register": Limit("The number of characters of a publication register", most=5_000_000, error=InputError),
    "publications": Limit("The number of publications of a register", most=200, error=InputError),
    "recipients": Limit("The number of recipients of a register", most=40, error=InputError),
    "counted": Limit(
        "The number of groups times values of a table of counts, and of cells that its totals add up,",
        most=20_000_000,
        error=LimitError,
        do="Take rows or columns that are not needed out of the file.",
    ),
    "candidates": Limit(
        "The number of classes that people fit, all people together,",
        most=30_000_000,
        do="Ask for fewer people, or give more that is known of them.",
    ),
    "background": Limit(
        "The number of shares of a background", most=40_000_000, error=LimitError, do="Let it depend on fewer columns."
    ),
    "drawn alone": Limit(
        "The number of people to draw who are almost all different",
        most=50_000_000,
        error=LimitError,
        do="Make the other hospital smaller, or leave a quasi-identifier out.",
    ),
}
"""Every limit by name, except the limits of privacy models (:mod:`core.privacy.models`)."""
