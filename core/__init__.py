"""Composition: what a release gives away once another hospital has published too.

The public face: the names that the README teaches. Everything else is in the rooms, by name:
``core.attack.intersection``, ``core.forecast``, ``core.study.run`` ... Needs numpy and pandas only; what needs
more says which package is missing.
"""

from core import dp, examples
from core.algorithms import anonymize
from core.attack.intersection import intersection_attack
from core.data.reading import read_table
from core.data.schema import Schema
from core.data.table import Table
from core.data.tally import Tally
from core.data.taxonomy import Taxonomy
from core.errors import CompositionError
from core.measurement import measure
from core.privacy.coalitions import m_private
from core.privacy.policy import Policy
from core.release.release import Release
from core.scenario.scenario import Scenario
from core.study.draw import overlapping_samples
from core.study.sweep import breach_curve
from core.version import VERSION

__version__ = VERSION

__all__ = [
    "CompositionError",
    "Policy",
    "Release",
    "Scenario",
    "Schema",
    "Table",
    "Tally",
    "Taxonomy",
    "anonymize",
    "breach_curve",
    "dp",
    "examples",
    "intersection_attack",
    "m_private",
    "measure",
    "overlapping_samples",
    "read_table",
]
