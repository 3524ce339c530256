"""What every equivalence class must satisfy: k, l, t and their conjunction.

Each model is a function of a :class:`~core.classes.ClassHistogram`, for all classes at
once. Boundaries [definitions §2]: k and distinct l are integers, compared exactly;
recursive (c, l) is a strict inequality in exact arithmetic; entropy l and t allow 1e-9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.classes import ClassHistogram
from core.domain import Domain
from core.encoding import Encoded
from core.errors import InfeasibleError, PolicyError
from core.models import distances, entropies, known_distinct, recursive, smallest_c

Bools = NDArray[np.bool_]

TOLERANCE = 1e-9
DIVERSITIES = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True)
class Policy:
    """A conjunction of privacy models.

    Parameters
    ----------
    k
        Records in a class, at least 1 [Ganta 2008, Def. 3].
    l
        Diversity of the sensitive values; ``None`` asks for none. A whole number for
        *distinct* and *recursive*, a real number >= 1 for *entropy*.
    diversity
        ``"distinct"``, ``"entropy"`` [Ganta 2008, Def. 4] or ``"recursive"`` (c, l)
        [Allard 2023].
    c
        Factor of recursive diversity, > 0: the commonest value must be rarer than c times
        the l-th and later ones together.
    t
        Largest distance of a class from the whole table, 0 to 1 [Ganta 2008, Def. 5].
    distance
        ``"equal"`` (total variation), ``"ordered"`` (earth mover's on ranks) or
        ``"hierarchical"`` (earth mover's over a taxonomy; Li et al. 2007, §4).
    m
        Providers that may collude (m-privacy), or ``None``.

    Raises
    ------
    PolicyError
        If a parameter is out of range; the message names the range.
    """

    k: int
    l: float | None = None  # noqa: E741 - the field's own name
    diversity: str = "distinct"
    c: float | Fraction | None = None
    t: float | None = None
    distance: str = "equal"
    m: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be a policy."""
        self._whole("k", self.k, 1)
        if self.diversity not in DIVERSITIES:
            raise PolicyError(f"diversity must be one of {', '.join(DIVERSITIES)}.", parameter="diversity")
        if self.distance not in DISTANCES:
            raise PolicyError(f"distance must be one of {', '.join(DISTANCES)}.", parameter="distance")
        if self.l is not None:
            if self.diversity == "entropy":
                self._real("l", self.l, 1, math.inf)
            else:
                self._whole("l", self.l, 1)
        if self.diversity == "recursive" and self.l is not None:
            if self.c is None:
                raise PolicyError("Recursive diversity needs c, a number above 0.", parameter="c")
            self._real("c", self.c, 0, math.inf)
            if self.c == 0:
                raise PolicyError("c must be above 0.", parameter="c")
        if self.t is not None:
            self._real("t", self.t, 0, 1)
        if self.m is not None:
            self._whole("m", self.m, 0)

    @staticmethod
    def _whole(name: str, value: Any, least: int) -> None:
        number = not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating)
        if not number or (isinstance(value, float | np.floating) and not float(value).is_integer()):
            raise PolicyError(f"{name} must be a whole number of at least {least}.", parameter=name)
        if value < least:
            raise PolicyError(f"{name} must be at least {least}; {value} was given.", parameter=name)

    @staticmethod
    def _real(name: str, value: Any, least: float, most: float) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float | np.number | Fraction):
            raise PolicyError(f"{name} must be a number.", parameter=name)
        if isinstance(value, int) and abs(value) > 2**1000:
            raise PolicyError(f"{name} is too large a number.", parameter=name)
        if not (math.isfinite(value) and least <= value <= most):
            span = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
            raise PolicyError(f"{name} must be a number {span}; {float(value):g} was given.", parameter=name)

    @property
    def only_k(self) -> bool:
        """Whether class sizes alone decide."""
        return self.l is None and self.t is None and self.m is None

    @property
    def survives_merging(self) -> bool:
        """Whether a class that meets the policy still meets it after any records are added."""
        return self.t is None and (self.l is None or self.diversity == "distinct")

    def holds(self, histogram: ClassHistogram, sensitive: Domain) -> Bools:
        """Whether each class meets the whole policy; O(triples log triples)."""
        good: Bools = histogram.sizes >= self.k
        if self.l is not None:
            good &= diverse(histogram, self)
        if self.t is not None:
            good &= distances(histogram, sensitive, self.distance) <= self.t + TOLERANCE
        return good

    def check_feasible(self, encoded: Encoded) -> None:
        """Refuse a policy that not even the whole table as one class meets.

        Raises
        ------
        InfeasibleError
            Naming the parameter, what the whole table has, and what to do.
        """
        if self.k > len(encoded):
            raise InfeasibleError(
                f"k = {self.k:,} is more than the {len(encoded):,} records of the table; k can be at most "
                f"{len(encoded):,}.",
                parameter="k",
            )
        zeros = np.zeros(len(encoded), dtype=np.int64)
        whole = ClassHistogram.tally(zeros, encoded.secret, encoded.overall, 1, missing=encoded.sensitive.missing)
        if self.t is not None:
            distances(whole, encoded.sensitive, self.distance)  # refuses a distance the column cannot have
        if self.l is None or bool(diverse(whole, self)[0]):
            return
        distinct = int(np.count_nonzero(whole.known.count))
        if self.diversity == "recursive" and distinct >= self.l:
            raise InfeasibleError(
                f"The whole table is not recursively ({float(self.c or 0):g}, {self.l:g})-diverse; it is for any c "
                f"above {smallest_c(whole, int(self.l))[0]:.3g}. Raise c or lower l.",
                parameter="c",
            )
        reached = math.exp(entropies(whole)[0]) if self.diversity == "entropy" else distinct
        shown = math.floor(reached * 100) / 100
        counted = "" if self.diversity == "entropy" else " distinct sensitive values"
        raise InfeasibleError(
            f"l = {self.l:g} is more than the whole table has ({shown:g}{counted}); l can be at most {shown:g}.",
            parameter="l",
        )


def diverse(histogram: ClassHistogram, policy: Policy) -> Bools:
    """Whether each class is l-diverse in the policy's sense; missing values never count."""
    assert policy.l is not None
    if policy.diversity == "entropy":
        return entropies(histogram) >= math.log(policy.l) - TOLERANCE
    if policy.diversity == "distinct":
        return known_distinct(histogram) >= int(policy.l)
    assert policy.c is not None
    return recursive(histogram, policy.c, int(policy.l))
