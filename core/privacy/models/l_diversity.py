"""l-diversity: every class has l well represented sensitive values [Ganta 2008, Def. 4; Allard 2023].

Distinct l is compared exactly, recursive (c, l) as a strict inequality in exact arithmetic,
entropy l allows 1e-9 [definitions §2].
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from core.base.arrays import Bools, Floats
from core.base.errors import InfeasibleError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.privacy.class_levels import entropies, known_distinct, recursive, smallest_c
from core.privacy.model import NONE, TOLERANCE, Line, Model, Option, Parameter, Values


def level(parameters: Values) -> int:
    """The l for which recursive diversity is shown: the required one if it is whole and at least 2, else 2."""
    return 2 if parameters["l"] is None else max(2, math.floor(parameters["l"]))


class LDiversity(Model):
    """Distinct, entropy or recursive; a missing value never counts."""

    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:  # noqa: ARG002
        """Distinct values, exp of the entropy, and the infimum of c for the l that is shown."""
        return {
            "distinct_l": known_distinct(histogram).astype(float),
            "entropy_l": np.exp(entropies(histogram)),
            "c": smallest_c(histogram, level(parameters)),
        }

    def is_satisfied(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> Bools:  # noqa: ARG002
        """Whether each class is l-diverse in the required sense."""
        if parameters["diversity"] == "entropy":
            return entropies(histogram) >= math.log(parameters["l"]) - TOLERANCE
        if parameters["diversity"] == "distinct":
            return known_distinct(histogram) >= int(parameters["l"])
        return recursive(histogram, parameters["c"], int(parameters["l"]))

    def check_feasible(self, parameters: Values, whole: ClassHistogram, sensitive: Domain) -> None:
        """Refuse an l that the whole table does not have."""
        if self.is_satisfied(parameters, whole, sensitive)[0]:
            return
        l = parameters["l"]  # noqa: E741 - the field's own name
        distinct = int(np.count_nonzero(whole.known.count))
        if parameters["diversity"] == "recursive" and distinct >= l:
            raise InfeasibleError(
                f"The whole table is not recursively ({float(parameters['c'] or 0):g}, {l:g})-diverse; it is for any c "
                f"above {smallest_c(whole, int(l))[0]:.3g}. Raise c or lower l.",
                parameter="c",
            )
        entropy = parameters["diversity"] == "entropy"
        shown = math.floor((math.exp(entropies(whole)[0]) if entropy else distinct) * 100) / 100
        counted = "" if entropy else " distinct sensitive values"
        raise InfeasibleError(
            f"l = {l:g} is more than the whole table has ({shown:g}{counted}); l can be at most {shown:g}.",
            parameter="l",
        )

    def lines(self, parameters: Values, reached: Mapping[str, float]) -> list[Line]:
        """The three senses, one below the other."""
        l, variant = parameters["l"] or 0.0, parameters["diversity"] if parameters["l"] is not None else ""  # noqa: E741
        distinct, entropy, c = reached["distinct_l"], reached["entropy_l"], reached["c"]
        entropy_met = variant == "entropy" and entropy > 0 and math.log(entropy) >= math.log(l) - TOLERANCE
        title = f"No value dominates (recursive, l\u00a0=\u00a0{level(parameters)})"
        factor = f"c = {float(parameters['c']):g}" if variant == "recursive" else ""
        wanted = {variant: f"at least {l:g}"}
        return [
            Line("distinct_l", "Distinct values (distinct l)", wanted.get("distinct", ""), distinct >= l, "count"),
            Line("entropy_l", "Evenly spread values (entropy l)", wanted.get("entropy", ""), entropy_met, "down"),
            Line("c", title, factor, c < (parameters["c"] or 0), "any c"),
        ]


MODEL = LDiversity(
    name="l-diversity",
    parameters=(
        Parameter(
            "l",
            "Values per class (l)",
            about="diversity of the sensitive values in a class",
            whole=True,
            least=1,
            high=100_000,
        ),
        Parameter(
            "diversity",
            "Diversity of values (l)",
            about="kind of l (default distinct)",
            options=(
                Option("distinct", "Distinct values (distinct l)", "distinct values"),
                Option("entropy", "Evenly spread values (entropy l)", "entropy", real=True),
                Option("recursive", "No value dominates (recursive c, l)", "recursive"),
            ),
        ),
        Parameter(
            "c",
            "Factor (c)",
            about="factor of recursive diversity",
            above=True,
            low=1e-6,
            high=1_000_000,
            under="recursive",
        ),
    ),
    phrase="{l} values per class (l, {diversity}{c})",
    citation="Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity: privacy beyond k-anonymity. TKDD 1(1), "
    "2007.",
)
DIVERSITIES = tuple(option.name for option in MODEL.parameters[1].options)
assert NONE not in DIVERSITIES
