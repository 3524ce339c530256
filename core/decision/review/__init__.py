"""From exploration to a decision: assess a scenario, check it against requirements.

- :mod:`~core.decision.review.case`: a scenario with its data;
- :mod:`~core.decision.review.assessment`: every number of one scenario;
- :mod:`~core.decision.review.doubts`: the numbers if an assumption about others is wrong;
- :mod:`~core.decision.review.judgement`: limits met or not, and under which condition;
- :mod:`~core.decision.review.compare`: the efficient frontier.
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
from core.decision.review.compare import efficient
from core.decision.review.doubts import (
    DoubtCase,
    assumed_values,
    cases,
    doubts,
    plausible_ranges,
    present_values,
    tried_values,
)
from core.decision.review.judgement import Check, Judgement, judge

__all__ = [
    "Assessment",
    "Case",
    "Check",
    "DoubtCase",
    "Judgement",
    "Number",
    "assess",
    "assumed_values",
    "cases",
    "confidences",
    "doubts",
    "efficient",
    "exposed",
    "exposed_columns",
    "judge",
    "measured",
    "most_colluding",
    "plausible_ranges",
    "present_values",
    "redraws",
    "tried_values",
    "worth_showing",
]
