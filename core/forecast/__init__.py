"""Risk of composition from one release, before anybody else has published [Sattar 2018].

- :mod:`~core.forecast.expected`: shared people left with one value, calibrated, with a band (ours);
- :mod:`~core.forecast.another`, :mod:`~core.forecast.likeness`: what it supposes of the others;
- :mod:`~core.forecast.presence`: how likely l values in both classes are;
- :mod:`~core.forecast.estimate`: the forecast, and the pinning estimate (ours);
- :mod:`~core.forecast.real`: real risk between two releases, hypothesised releases drawn;
- :mod:`~core.forecast.search`: the forecast against k, the smallest k and (k, l) under a limit;
- :mod:`~core.forecast.columns`: what each quasi-identifier adds;
- :mod:`~core.forecast.merge_advice`: which classes to merge with their nearest;
- :mod:`~core.forecast.against_simulation`: the forecast beside what simulated hospitals really do.
"""

from core.bounds import READINGS
from core.forecast.against_simulation import beside_real, calibration, rank_correlation
from core.forecast.another import Another, another_like
from core.forecast.columns import contributions
from core.forecast.estimate import Forecast, forecast
from core.forecast.expected import Expected, expected
from core.forecast.merge_advice import Merger, merged, mergers
from core.forecast.real import RealRisk, common_values, hypothesised, real_risk
from core.forecast.search import MEASURES, Goal, Question, Search, forecast_curve, smallest_k, smallest_k_and_l

__all__ = [
    "MEASURES",
    "READINGS",
    "Another",
    "Expected",
    "Forecast",
    "Goal",
    "Merger",
    "Question",
    "RealRisk",
    "Search",
    "another_like",
    "beside_real",
    "calibration",
    "common_values",
    "contributions",
    "expected",
    "forecast",
    "forecast_curve",
    "hypothesised",
    "merged",
    "mergers",
    "rank_correlation",
    "real_risk",
    "smallest_k",
    "smallest_k_and_l",
]
