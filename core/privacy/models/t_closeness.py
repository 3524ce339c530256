"""t-closeness: no class is farther than t from the whole table [Ganta 2008, Def. 5; Li et al. 2007, §4]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.base.arrays import Floats
from core.base.metrics import LESS
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.privacy.class_levels import distances
from core.privacy.model import Line, Model, Option, Parameter, Values


class TCloseness(Model):
    """The distance is a real number, compared with a tolerance of 1e-9."""

    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:
        """Distance of each class from the table."""
        return {"t": distances(histogram, sensitive, parameters["distance"])}

    def lines(self, parameters: Values, reached: Mapping[str, float]) -> list[Line]:
        """The largest distance, with how it is measured."""
        words = f"Distance to the table (t, {self.parameters[1].text(parameters['distance'])})"
        return [replace(line, words=words) for line in super().lines(parameters, reached)]


MODEL = TCloseness(
    name="t-closeness",
    parameters=(
        Parameter(
            "t", "Distance at most (t)", about="largest distance of a class from the table, 0 to 1", most=1, better=LESS
        ),
        Parameter(
            "distance",
            "Distance",
            about="in which t is measured (default equal)",
            options=(
                Option("equal", "All values equally far apart (total variation)", "total variation"),
                Option("ordered", "Along an order (earth mover's)", "along the order"),
                Option("hierarchical", "Along the taxonomy (earth mover's)", "along the taxonomy", taxonomy=True),
            ),
        ),
    ),
    phrase="a distance to the table of at most {t} (t, {distance})",
    citation="Li, Li, Venkatasubramanian: t-closeness: privacy beyond k-anonymity and l-diversity. ICDE 2007.",
)
DISTANCES = tuple(option.name for option in MODEL.parameters[1].options)
