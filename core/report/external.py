"""The external strength: an allow-list of aggregates, each added by name.

Nothing is copied from the internal report. Anything else stays out: no record, no class, no name of a column, value,
file or data set, no label of a taxonomy, no message of an error, no digest without its salt.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from core.attack.number import exposures
from core.base import wording
from core.base.metrics import METRICS
from core.dp import NAMES, RELATION
from core.report import assumption, contents, facts
from core.report.material import Material
from core.report.risk_section import risk
from core.report.rounding import Coarse, Facts

WHY = {
    "m": "No protection against colluding providers was asked for.",
    "dp_ceiling": "The chosen noise puts no ceiling on a belief.",
}
"""This module words its own reasons: those of the program can name a column."""
NO_ANONYMITY_SET = "The anonymity set left around a person could not be counted in this attack."
UNABLE = "It could not be computed for this table and these settings."


def external(material: Material) -> Facts:
    """Content that may be disclosed to others."""
    scale, scenario = Coarse(), material.assessment.scenario
    stated = assumption.assumptions(scenario, material.case.files, lambda n: scale.people(n).text)
    records, records_text, _ = scale.people(material.case.encoded.records)
    salted = partial(contents.salted, material.salt)
    digest = salted(scenario.data_id)
    return {
        **contents.opening(*material.opening, scale, "external"),
        "about": f"Composition report, external, about a table of {records_text} records",
        "not_assessed": [
            {"metric": name, "words": facts.metric_words(name, scenario.confidence), "why": _why(name)}
            for name in material.assessment.not_assessed
            if not METRICS[name].whole
        ],
        "risk": risk(material, scale),
        "figures": contents.figures(material, scale),
        "settings_tried": contents.settings_tried(material, scale),
        "assumptions": [{"key": assumption.key, "sentence": assumption.sentence} for assumption in stated],
        "settings": [*_data(material, records_text), *contents.settings(scenario, scale)],
        "data": {
            "digest": digest,
            "digest_of": "SHA-256 of a secret salt, a line break and the table's digest" if digest else "",
            "scenario_digest": salted(scenario.digest),
            "records": records,
        },
        "update": contents.update(material, scale),
        "files": contents.files(material, salted),
        "noisy": _noisy(material, salted),
        "decision": contents.decision(material, contents.accepted(material, stated)),
        **contents.closing(material),
    }


def _why(name: str) -> str:
    number = exposures().get(name)
    if number is not None and number.of_anonymity_sets:
        return NO_ANONYMITY_SET
    return WHY.get(name, UNABLE)


def _data(material: Material, records: str) -> list[Facts]:
    schema = material.assessment.scenario.schema
    return [
        contents.setting("Data", "Records", records),
        contents.setting("Data", "Quasi-identifiers", wording.count(len(schema.quasi_identifiers))),
        contents.setting("Data", "Sensitive attributes", wording.count(len(schema.sensitive_columns))),
        contents.setting("Data", "Providers known", "yes" if schema.provider else "no"),
    ]


def _noisy(material: Material, digest: Callable[[str], str]) -> list[Facts]:
    """Noisy tables, with the program's names for mechanism and relation."""
    rows = contents.noisy(material, digest)
    for row, table in zip(rows, material.meeting.noisy, strict=True):
        row["mechanism"] = next((name for name in NAMES if name in table.mechanism.lower()), "")
        row["relation"] = RELATION if table.relation == RELATION else ""
    return rows
