"""Composition: what a release gives away once another organisation has published too.

The public face: what a notebook or a script imports. Needs numpy and pandas only; what
needs more says which package is missing.
"""

from core import dp, examples
from core.anonymize import ALGORITHM_NAMES, ALGORITHMS, anonymize, partition, partition_sweep
from core.attack import AttackResult, intersection_attack
from core.calibration import calibration, calibration_over
from core.categories import category_breach
from core.coalitions import Verdict, assign_providers, coalition_table, m_private
from core.curves import Outcome, breach_curve, run_study, sweep, what_if
from core.encoding import Encoded, encode
from core.errors import (
    CompositionError,
    InfeasibleError,
    InputError,
    LimitError,
    MissingPackageError,
    ParameterError,
    PolicyError,
    ScenarioError,
    SchemaError,
    TaxonomyError,
)
from core.forecast import Forecast, forecast
from core.hospitals import Hospital, Study, overlapping_samples
from core.located import Located
from core.marginals import Marginals
from core.measure import Guarantee, measure
from core.policy import Policy
from core.products import with_product
from core.proposal import propose
from core.published import Published
from core.rates import Rate
from core.reading import read_table
from core.release import Release
from core.scenario import Scenario
from core.schema import Kind, Role, Schema
from core.sensitive_attributes import compare_sensitive
from core.table import Limits, Table
from core.taxonomy import Taxonomy
from core.uniqueness import uniqueness
from core.utility import QueryError, query_error, utility
from core.version import VERSION
from core.weighted import Weighted, weigh

__version__ = VERSION

__all__ = [
    "ALGORITHMS",
    "ALGORITHM_NAMES",
    "AttackResult",
    "CompositionError",
    "Encoded",
    "Forecast",
    "Guarantee",
    "Hospital",
    "InfeasibleError",
    "InputError",
    "Kind",
    "LimitError",
    "Limits",
    "Located",
    "Marginals",
    "MissingPackageError",
    "Outcome",
    "ParameterError",
    "Policy",
    "PolicyError",
    "Published",
    "QueryError",
    "Rate",
    "Release",
    "Role",
    "Scenario",
    "ScenarioError",
    "Schema",
    "SchemaError",
    "Study",
    "Table",
    "Taxonomy",
    "TaxonomyError",
    "Verdict",
    "Weighted",
    "anonymize",
    "assign_providers",
    "breach_curve",
    "calibration",
    "calibration_over",
    "category_breach",
    "coalition_table",
    "compare_sensitive",
    "dp",
    "encode",
    "examples",
    "forecast",
    "intersection_attack",
    "m_private",
    "measure",
    "overlapping_samples",
    "partition",
    "partition_sweep",
    "propose",
    "query_error",
    "read_table",
    "run_study",
    "sweep",
    "uniqueness",
    "utility",
    "weigh",
    "what_if",
    "with_product",
]
