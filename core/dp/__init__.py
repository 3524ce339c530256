"""Differential privacy: noisy tables, what they cost together, and what the strongest adversary learns.

- :mod:`~core.dp.contingency`: tables over coarse quasi-identifiers by sensitive value;
- :mod:`~core.dp.mechanisms`: discrete Laplace and Gaussian noise, accuracy;
- :mod:`~core.dp.composition`: several tables together, the ledger;
- :mod:`~core.dp.adversary`: exact posterior of the strongest adversary, ceilings;
- :mod:`~core.dp.semantics`: semantic privacy, its bounds, games enumerated on small tables;
- :mod:`~core.dp.beside`: partitions and noise against the same people.
"""

from core.dp.adversary import NoisyAttack, attack_noisy, by_subtraction, ceiling, expected_hit, posterior
from core.dp.beside import Targets, cells_of, partitions, prior_of
from core.dp.composition import Composition, Cost, Entry, Ledger, advanced, basic, compose
from core.dp.contingency import (
    MAX_CELLS,
    Axis,
    ContingencyTable,
    contingency_table,
    count_cells,
    noisy_query_error,
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
    delta_degree,
    epsilon_for,
    mechanism,
    noisy_counts,
    read_number,
    simulate,
)
from core.dp.published import NoisyTable, publish

__all__ = [
    "MAX_CELLS",
    "MAX_EPSILON",
    "MIN_EPSILON",
    "NAMES",
    "RELATION",
    "Axis",
    "Composition",
    "ContingencyTable",
    "Cost",
    "Entry",
    "Ledger",
    "Mechanism",
    "NoisyAttack",
    "NoisyTable",
    "Targets",
    "advanced",
    "attack_noisy",
    "basic",
    "by_subtraction",
    "ceiling",
    "cells_of",
    "check_delta",
    "check_epsilon",
    "compose",
    "contingency_table",
    "count_cells",
    "default_delta",
    "delta_degree",
    "epsilon_for",
    "expected_hit",
    "mechanism",
    "noisy_counts",
    "noisy_query_error",
    "partitions",
    "posterior",
    "prior_of",
    "publish",
    "read_number",
    "simulate",
]
