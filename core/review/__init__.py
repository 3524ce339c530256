"""From what was explored to a decision: assess a scenario, compare candidates, hold them against requirements.

- :mod:`~core.review.case`: a scenario with its data;
- :mod:`~core.review.assessment`: every number of one scenario;
- :mod:`~core.review.judgement`: requirements met or not, and over the range of what may be wrong;
- :mod:`~core.review.compare`: candidates side by side, the efficient frontier;
- :mod:`~core.review.find`: the setting that costs least under the requirements.
"""

from core.review.assessment import (
    Assessment,
    Number,
    assess,
    confidences,
    exposed,
    measured,
    most_colluding,
    question,
    redraws,
    worth_showing,
)
from core.review.case import Case
from core.review.compare import efficient, side_by_side
from core.review.find import Nearest, Search, find_setting
from core.review.find.grid import Grid
from core.review.judgement import Check, Judgement, doubts, judge, most_shared, plausible_ranges

__all__ = [
    "Assessment",
    "Case",
    "Check",
    "Grid",
    "Judgement",
    "Nearest",
    "Number",
    "Search",
    "assess",
    "confidences",
    "doubts",
    "efficient",
    "exposed",
    "find_setting",
    "judge",
    "measured",
    "most_colluding",
    "most_shared",
    "plausible_ranges",
    "question",
    "redraws",
    "side_by_side",
    "worth_showing",
]
