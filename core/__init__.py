"""Composition: what a release reveals once another hospital publishes too.

The public face: the names that the README teaches. Everything else is in the rooms, by name:
``core.attack.intersection``, ``core.forecast``, ``core.study.one_run`` ... Needs numpy, pandas, pyarrow, narwhals,
python-calamine and msgspec only; what needs more says which package is missing.

A name is imported when it is first used, so that a process that needs one room starts with that room alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.base.version import VERSION

if TYPE_CHECKING:
    from core import dp, examples
    from core.algorithms import anonymize
    from core.algorithms.coordinated import agree
    from core.attack.intersection import intersection_attack
    from core.attack.intruder import intruder_attack
    from core.base.errors import CompositionError
    from core.data.frequency_table import FrequencyTable
    from core.data.reading import read_table
    from core.data.schemas.agreement import Agreement
    from core.data.schemas.schema import DateFormat, Schema, UnmodifiedColumn
    from core.data.schemas.taxonomy import Taxonomy
    from core.data.tables.table import Table
    from core.decision.scenario.scenario import Scenario
    from core.measurement import measure
    from core.privacy.coalitions import m_private
    from core.privacy.policy import Policy
    from core.release.release import Release
    from core.study.draw import overlapping_samples
    from core.study.sweep import breach_curve
    from core.study.table_versions import attack_versions, release_with_earlier_classes

__version__ = VERSION

__all__ = [
    "Agreement",
    "CompositionError",
    "DateFormat",
    "FrequencyTable",
    "Policy",
    "Release",
    "Scenario",
    "Schema",
    "Table",
    "Taxonomy",
    "UnmodifiedColumn",
    "agree",
    "anonymize",
    "attack_versions",
    "breach_curve",
    "dp",
    "examples",
    "intersection_attack",
    "intruder_attack",
    "m_private",
    "measure",
    "overlapping_samples",
    "read_table",
    "release_with_earlier_classes",
]

# Where each name is, below this package: what the imports above tell the type checker.
_ROOMS = ("dp", "examples")
_HOMES = {
    "Agreement": "data.schemas.agreement",
    "agree": "algorithms.coordinated",
    "CompositionError": "base.errors",
    "DateFormat": "data.schemas.schema",
    "Policy": "privacy.policy",
    "UnmodifiedColumn": "data.schemas.schema",
    "Release": "release.release",
    "Scenario": "decision.scenario.scenario",
    "Schema": "data.schemas.schema",
    "Table": "data.tables.table",
    "FrequencyTable": "data.frequency_table",
    "Taxonomy": "data.schemas.taxonomy",
    "anonymize": "algorithms",
    "attack_versions": "study.table_versions",
    "release_with_earlier_classes": "study.table_versions",
    "breach_curve": "study.sweep",
    "intersection_attack": "attack.intersection",
    "intruder_attack": "attack.intruder",
    "m_private": "privacy.coalitions",
    "measure": "measurement",
    "overlapping_samples": "study.draw",
    "read_table": "data.reading",
}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
