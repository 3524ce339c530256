"""Each chart once, as a specification in Vega-Lite, for pages and reports.

Field names inside a chart are fixed and safe; names and values of the user's columns only
appear as data or titles. Colours come from the theme in the order of :data:`SERIES`, so
that light and dark both work; every line also differs by dash, weight or label.
"""

from core.base.wording import level_text
from core.figures.base import SERIES, colour, plot
from core.figures.belief_charts import breach_by_theta, forecast_curve, prior_and_posterior
from core.figures.class_charts import class_sizes, exposure, size_bands
from core.figures.cost_charts import error_against_exposure, loss_against_exposure, tradeoff
from core.figures.exposure_charts import (
    adversaries,
    before_and_after,
    breach_curve,
    cases,
    icon_array,
    presumed_and_effective,
)

__all__ = [
    "SERIES",
    "adversaries",
    "before_and_after",
    "breach_by_theta",
    "breach_curve",
    "cases",
    "class_sizes",
    "colour",
    "error_against_exposure",
    "exposure",
    "forecast_curve",
    "icon_array",
    "level_text",
    "loss_against_exposure",
    "plot",
    "presumed_and_effective",
    "prior_and_posterior",
    "size_bands",
    "tradeoff",
]
