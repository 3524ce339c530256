"""Balanced under an agreed list: counts in a bucket are near the list's public shares [definitions §11].

Closed classes bound what remains possible, not how likely. Where the counts of a bucket, each over
its public share, differ by at most 1 / balance in every class, one release changes the odds
between two values of a bucket by at most that factor, and R releases by at most its R-th power.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Floats
from core.classes import ClassHistogram
from core.data.domain import Domain
from core.errors import InfeasibleError
from core.privacy.declared.agreed import values_left
from core.privacy.model import Model, Parameter, Switch, Values


def balances(histogram: ClassHistogram, sensitive: Domain) -> Floats:
    """(classes,) least over greatest count per share in any bucket of each class, 0 where it is not closed.

    1 is counts in proportion to the shares of the list. A bucket of which the whole table lacks a
    value can be in a closed class by its name alone, which changes no odds. O(triples log triples).
    """
    buckets = len(sensitive.bucket_sizes)
    held = np.where(sensitive.bucket_of >= 0, sensitive.bucket_of, buckets)[histogram.value]
    key = histogram.owner * (buckets + 1) + held
    order = np.argsort(key, kind="stable")
    per_share = (histogram.count / sensitive.bucket_weights[histogram.value])[order]
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    ratio = np.minimum.reduceat(per_share, first) / np.maximum.reduceat(per_share, first)
    owner, bucket = key[order][first] // (buckets + 1), key[order][first] % (buckets + 1)
    ratio[~np.append(sensitive.whole_buckets(histogram.overall), True)[bucket]] = 1.0
    least: Floats = np.minimum.reduceat(ratio, np.searchsorted(owner, np.arange(histogram.classes)))
    return np.where(values_left(histogram, sensitive) > 0, least, 0.0)


class Balance(Model):
    """Every class is closed, and counts in proportion to the list's shares, but for a factor."""

    def reached(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:  # noqa: ARG002
        """Balance of each class; nothing without a list."""
        return {} if sensitive.agreed is None else {"balance": balances(histogram, sensitive)}

    def check_feasible(self, parameters: Values, whole: ClassHistogram, sensitive: Domain) -> None:
        """Refuse a table without a list, and one that is not as balanced by itself."""
        if sensitive.agreed is None:
            raise InfeasibleError(
                "No agreed list of the sensitive values is given, whose shares the counts could be held against; take "
                "a level of their taxonomy, a file, or published shares.",
                parameter="balance",
            )
        if self.holds(parameters, whole, sensitive)[0]:
            return
        reached = np.floor(100 * float(balances(whole, sensitive)[0])) / 100
        raise InfeasibleError(
            f"The whole table has a balance of {reached:g} under the agreed list, and {parameters['balance']:g} is "
            "asked; ask for less, or choose the algorithm that deals the records out by bucket, which leaves records "
            "out until the counts fit and counts them.",
            parameter="balance",
        )


MODEL = Balance(
    name="balance under an agreed list",
    parameters=(
        Parameter(
            "balance",
            "Counts like the list's shares (balance)",
            "Within a class and a bucket: the least count over its public share, divided by the greatest. At 0.5 one "
            "release at most doubles the odds between two values, two releases at most make them four times as large.",
            about="least balance: within a class and a bucket of the agreed list, the least count over its public "
            "share divided by the greatest (0 to 1)",
            least=0.0,
            most=1.0,
            above=True,
            start=0.5,
            low=0.05,
            high=1.0,
            step=0.05,
        ),
    ),
    phrase="a balance of at least {balance} with the shares of the agreed list",
    column="Balance",
    switch=Switch(
        "balanced",
        "Balanced counts",
        "Whole buckets say what is possible, not how likely. Balanced counts also bound how far the odds move. "
        "Records that do not fit are left out.",
    ),
    needs_list=True,
)
