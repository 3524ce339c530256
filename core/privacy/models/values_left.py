"""Whole buckets of an agreed list: if all others publish by it, at least l values are left [definitions §11].

A class is closed if the sensitive values in it are a union of buckets of the list. Closed sets
stay closed when they are joined and when they are intersected, so the values that R closed releases leave for a person
are a union of buckets, including the person's own.
"""

from __future__ import annotations

import numpy as np

from core.base.arrays import Bools, Floats
from core.base.errors import InfeasibleError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.privacy.model import COUNTS, LIST, Model, Parameter, Values


def values_left(histogram: ClassHistogram, sensitive: Domain) -> Floats:
    """(classes,) number of values of the smallest bucket in each class of whole buckets, 0 for other classes.

    O(triples log triples).
    """
    sizes = sensitive.bucket_sizes
    if not len(sizes):
        return np.zeros(histogram.classes)
    # Pairs of a class and a bucket in it, and the number of the bucket's values there; -1 is no bucket.
    base = len(sizes) + 1
    pair, present = np.unique(histogram.owner * base + sensitive.bucket_of[histogram.value] + 1, return_counts=True)
    owner, bucket = pair // base, pair % base - 1
    whole = (bucket >= 0) & (present == sizes[bucket])
    left = np.where(whole, sizes[bucket], 0).astype(np.float64)
    # A bucket that is not whole leaves 0, and so does its class.
    return np.minimum.reduceat(left, np.searchsorted(owner, np.arange(histogram.classes)))


class Agreed(Model):
    """Every class holds whole buckets, and no bucket of the list has fewer than l values."""

    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:  # noqa: ARG002
        """Values left for a person in each class; nothing without a list."""
        if sensitive.agreed is None:
            return {}
        return {"agreed": values_left(histogram, sensitive)}

    def is_satisfied(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> Bools:
        """Whether each class holds whole buckets and leaves the required number of values."""
        good: Bools = values_left(histogram, sensitive) >= parameters["agreed"]
        return good

    def check_feasible(self, parameters: Values, whole: ClassHistogram, sensitive: Domain) -> None:
        """Refuse a table without a list, a list with small buckets, and a table that lacks values of its buckets."""
        check_list(parameters, sensitive)
        if self.is_satisfied(parameters, whole, sensitive)[0]:
            return
        present = np.unique(sensitive.bucket_of[whole.value])
        some = present[present >= 0]
        have = np.bincount(sensitive.bucket_of[whole.value][sensitive.bucket_of[whole.value] >= 0])[some]
        lacking = int(np.count_nonzero(have < sensitive.bucket_sizes[some]))
        why = (
            f"{lacking:,} of the {len(some):,} buckets lack a value in this table"
            if lacking
            else "some records have no sensitive value"
        )
        raise InfeasibleError(
            f"The whole table does not hold whole buckets of the agreed list: {why}; choose the algorithm that "
            f"distributes records by bucket, which leaves such records out and counts them.",
            parameter="agreed",
        )


def check_list(parameters: Values, sensitive: Domain) -> None:
    """Refuse a policy without a list, and a list with buckets of too few values.

    Raises
    ------
    InfeasibleError
        With what to do.
    """
    least = int(parameters["agreed"] or 1)
    if sensitive.agreed is None:
        raise InfeasibleError(
            "No agreed list of the sensitive values is given; take a level of their taxonomy, a file, or published "
            "shares.",
            parameter="agreed",
        )
    small = int(np.count_nonzero(sensitive.bucket_sizes < least))
    if small:
        raise InfeasibleError(
            f"{small:,} of the {len(sensitive.bucket_sizes):,} buckets of the agreed list have fewer than {least:,} "
            f"values; join buckets, or ask for at most {int(sensitive.bucket_sizes.min()):,}.",
            parameter="agreed",
        )


MODEL = Agreed(
    name="agreed list",
    parameters=(
        Parameter(
            "agreed",
            "Values left whatever others publish (agreed list)",
            about="values left at least, however many publish: every class is closed under the agreed list",
            whole=True,
            least=1,
            high=50_000,
        ),
    ),
    phrase="whole buckets of at least {agreed} values of the agreed list per class",
    needs=frozenset({COUNTS, LIST}),
)
