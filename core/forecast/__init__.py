"""Risk of composition estimated from one release, before anybody else has published [Sattar 2018].

- :mod:`~core.forecast.occupancy`: how likely l values in both classes are;
- :mod:`~core.forecast.estimate`: the estimate of every class, and overall;
- :mod:`~core.forecast.curve`: the estimate against k;

How many shared people are left with one value is not estimated here: redraws say it (:mod:`core.study`).
"""

from core.forecast.curve import Question, forecast_curve
from core.forecast.estimate import Forecast, forecast

__all__ = ["Forecast", "Question", "forecast", "forecast_curve"]
