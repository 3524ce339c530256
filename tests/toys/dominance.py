"""A toy privacy model: at most a share p of a class has one and the same sensitive value."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Floats
from core.base.metrics import LESS
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.privacy.model import Model, Parameter, Values


class Dominance(Model):
    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:
        return {"p": np.maximum.reduceat(histogram.count, histogram.starts) / histogram.sizes}


MODEL = Dominance(
    name="dominance",
    parameters=(
        Parameter(
            "p",
            "Share of the most common value (p)",
            about="largest share of one sensitive value in a class, 0 to 1",
            most=1.0,
            better=LESS,
        ),
    ),
    phrase="at most a share {p} of one value in a class (p)",
    citation="Toy: Nobody published this.",
)
