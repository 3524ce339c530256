"""Composition risk estimated from one release, before anyone else has published [Sattar 2018].

- :mod:`~core.forecast.occupancy`: the probability of l values in both classes;
- :mod:`~core.forecast.estimate`: the estimate of every class, and overall;
- :mod:`~core.forecast.curve`: the estimate against k;
- :mod:`~core.forecast.real`: the real risk (Eq. 1) against a second release that is known;

The number of shared people with one value left is not estimated here; it comes from redraws (:mod:`core.study`).
"""

from core.forecast.curve import Question, forecast_curve
from core.forecast.estimate import Forecast, forecast
from core.forecast.real import RealRisk, real_risk

__all__ = ["Forecast", "Question", "RealRisk", "forecast", "forecast_curve", "real_risk"]
