"""From what was explored to a decision: assess a scenario, compare candidates, check them against requirements.

- :mod:`~core.decision.review.case`: a scenario with its data;
- :mod:`~core.decision.review.assessment`: every number of one scenario;
- :mod:`~core.decision.review.judgement`: requirements met or not, and over the range of what may be wrong;
- :mod:`~core.decision.review.compare`: candidates side by side, the efficient frontier.
"""

from core.decision.review.assessment import (
    Assessment,
    Number,
    assess,
    confidences,
    exposed,
    exposed_columns,
    measured,
    most_colluding,
    redraws,
    worth_showing,
)
from core.decision.review.case import Case
from core.decision.review.compare import BEST, WORST, efficient, marks
from core.decision.review.judgement import Check, Judgement, doubts, judge, plausible_ranges

__all__ = [
    "BEST",
    "WORST",
    "Assessment",
    "Case",
    "Check",
    "Judgement",
    "Number",
    "assess",
    "confidences",
    "doubts",
    "efficient",
    "exposed",
    "exposed_columns",
    "judge",
    "marks",
    "measured",
    "most_colluding",
    "plausible_ranges",
    "redraws",
    "worth_showing",
]
