"""Differential privacy: noisy tables, their total cost, and what the strongest adversary learns.

- :mod:`~core.dp.public_domains`: the bins of every column, declared without looking at the table;
- :mod:`~core.dp.contingency`: tables over coarse quasi-identifiers by sensitive value;
- :mod:`~core.dp.mechanisms`: discrete Laplace and Gaussian noise, accuracy;
- :mod:`~core.dp.threshold`: unlisted cells, published only if enough records are in them;
- :mod:`~core.dp.composition`: several tables together;
- :mod:`~core.dp.priors`: what the adversary believes beforehand;
- :mod:`~core.dp.adversary`: exact posterior of the strongest adversary, ceilings;
- :mod:`~core.dp.equal_protection`: the epsilon at which noise reveals as much as releases of classes.

Examples
--------
>>> from composition_dashboard import dp
>>> dp.epsilon_for("laplace", 20) < dp.epsilon_for("laplace", 2)  # a larger error costs a smaller epsilon
True
"""

from core.dp.adversary import NoisyAttack, NoisyTargets, attack_noisy, by_subtraction, ceiling, posterior
from core.dp.composition import Composition, Cost, advanced, basic, compose
from core.dp.contingency import (
    MAX_CELLS,
    ContingencyTable,
    GridColumn,
    axis_of,
    contingency_table,
    count_cells,
    noisy_query_error,
    queries_about,
)
from core.dp.equal_protection import (
    Guesser,
    attack_by_noise,
    attacks_by_noise,
    equal_epsilon,
    gains,
    right_by_classes,
    right_by_noise,
    right_without,
    shared_people,
)
from core.dp.mechanisms import (
    MAX_EPSILON,
    MIN_EPSILON,
    NAMES,
    RELATION,
    Mechanism,
    check_delta,
    check_epsilon,
    default_delta,
    epsilon_for,
    mechanism,
    noisy_counts,
    simulate,
)
from core.dp.noisy_table import NoisyTable, publish
from core.dp.priors import BASE_RATES, PRIOR_WORDS, PRIORS, UNIFORM, prior_of
from core.dp.public_domains import OPEN, Declared, Suggestion, digest_of, fits, for_charts, in_rest, suggest, words_of
from core.dp.threshold import Threshold, threshold_for

__all__ = [
    "BASE_RATES",
    "MAX_CELLS",
    "MAX_EPSILON",
    "MIN_EPSILON",
    "NAMES",
    "OPEN",
    "PRIORS",
    "PRIOR_WORDS",
    "RELATION",
    "UNIFORM",
    "Composition",
    "ContingencyTable",
    "Cost",
    "Declared",
    "GridColumn",
    "Guesser",
    "Mechanism",
    "NoisyAttack",
    "NoisyTable",
    "NoisyTargets",
    "Suggestion",
    "Threshold",
    "advanced",
    "attack_by_noise",
    "attack_noisy",
    "attacks_by_noise",
    "axis_of",
    "basic",
    "by_subtraction",
    "ceiling",
    "check_delta",
    "check_epsilon",
    "compose",
    "contingency_table",
    "count_cells",
    "default_delta",
    "digest_of",
    "epsilon_for",
    "equal_epsilon",
    "fits",
    "for_charts",
    "gains",
    "in_rest",
    "mechanism",
    "noisy_counts",
    "noisy_query_error",
    "posterior",
    "prior_of",
    "publish",
    "queries_about",
    "right_by_classes",
    "right_by_noise",
    "right_without",
    "shared_people",
    "simulate",
    "suggest",
    "threshold_for",
    "words_of",
]
