"""Prior belief of the adversary about a sensitive value before noisy tables are published.

The ceiling of a belief depends on its start, so the prior is named next to every ceiling.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded

Prior = Literal["base rates", "uniform"]
PRIORS: tuple[Prior, ...] = get_args(Prior)
BASE_RATES, UNIFORM = PRIORS
PRIOR_WORDS: dict[str, str] = {
    BASE_RATES: "starting from how common each value is",
    UNIFORM: "starting from all values equally likely",
}
"""Wording of each prior after a number."""


def prior_of(encoded: Encoded, variant: str = BASE_RATES) -> NDArray[np.float64]:
    """(values,) prior over the values that occur; for persons with several records in the first of each.

    Parameters
    ----------
    encoded
        The table.
    variant
        ``"base rates"``, each value as likely as it is common in the table, or ``"uniform"``.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    if variant not in PRIORS:
        raise ParameterError(f"The prior must be one of {', '.join(PRIORS)}.", parameter="prior")
    overall = encoded.overall.astype(np.float64)
    if encoded.has_multiple_records:
        # A noisy table counts the first record of each person, so their values here are those of that record.
        sensitive_codes = encoded.sensitive_codes[encoded.first_records]
        overall = np.bincount(sensitive_codes, minlength=encoded.sensitive.size).astype(np.float64)
    weight = (overall > 0).astype(np.float64) if variant == UNIFORM else overall
    prior: NDArray[np.float64] = weight / weight.sum()
    return prior
