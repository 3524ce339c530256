"""Ranges of the numbers that a user may choose, shared by the pages' controls and scenario files.

A number outside these bounds is accepted nowhere, so that none is accepted here and crashes, or
takes hours, there. Controls of a page may offer less (a table of 60 records has no k of 100),
never more. Parameters of a policy have theirs in their model, fields of a scenario in
``core.decision.scenario``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.base.errors import ParameterError


@dataclass(frozen=True)
class Range:
    """Range of one number.

    Parameters
    ----------
    low, high
        Both allowed.
    whole
        Whether it is a whole number.
    """

    low: float
    high: float
    whole: bool = True

    @property
    def words(self) -> str:
        """The range for a message."""
        return f"from {_number(self.low)} to {_number(self.high)}"

    def check(self, value: Any, name: str, parameter: str) -> None:
        """Refuse a value outside the range; ``None`` means that nothing was chosen, and passes.

        Raises
        ------
        ParameterError
            With the name of the field and its range.
        """
        if value is None:
            return
        number = isinstance(value, int | float) and not isinstance(value, bool)
        # A whole number beyond the floats is compared as it is; a NaN is not inside anything.
        inside = number and (isinstance(value, int) or math.isfinite(value)) and self.low <= value <= self.high
        if not inside or (self.whole and value != int(value)):
            what = "a whole number" if self.whole else "a number"
            raise ParameterError(f"{name} must be {what} {self.words}.", parameter=parameter)


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() else f"{value:g}"


RECORDS = 100_000_000
"""More than any table that is read; the number of records of the table is a tighter bound."""

Reading = Literal["at least l", "every subset"]
READINGS: tuple[Reading, ...] = get_args(Reading)
"""Possible meanings of a forecast of at least l shared values: both are our readings of the paper [definitions §5]."""
