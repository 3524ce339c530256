"""Each chart once, as a specification in Vega-Lite, for pages and reports.

Field names inside a chart are fixed and safe; names and values of the user's columns only
appear as data or titles. Colours come from the theme in the order of :data:`SERIES`, so
that light and dark both work; every line also differs by dash, weight or label.
"""

from core.base.wording import level_text
from core.figures.anonymity_chart import before_and_after, presumed_and_effective
from core.figures.base import SERIES, colour, plot
from core.figures.belief_chart import breach_by_theta, prior_and_posterior
from core.figures.breach_chart import breach_curve
from core.figures.case_chart import cases
from core.figures.class_chart import class_sizes, exposure
from core.figures.count_chart import error_against_exposure
from core.figures.forecast_chart import forecast_curve
from core.figures.loss_exposure_chart import loss_against_exposure
from core.figures.noise_chart import tradeoff
from core.figures.people_chart import icon_array
from core.figures.size_chart import size_bands
from core.figures.weighted_chart import adversaries

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
