"""The external strength: an allow-list of aggregates, each put in by name.

Nothing is taken over from the internal report. What is not written here is not told: no
record, no class, no name of a column, value, file or data set, no label of a taxonomy, no
message of an error, no digest without its salt.
"""

from __future__ import annotations

from core.attack.number import exposures
from core.base import words
from core.base.metrics import METRICS
from core.dp import NAMES, RELATION
from core.report import assumption, contents, facts
from core.report.material import Material
from core.report.risk import risk
from core.report.rounding import Coarse, Facts

WHY = {
    "m": "Nothing was asked against colluding providers.",
    "dp_ceiling": "The chosen noise puts no ceiling on a belief.",
}
"""Reasons in words of this module: the ones of the program can name a column."""
NO_CROWD = "The crowd left around a person could not be counted in this attack."
UNABLE = "It could not be worked out for this table and these settings."


def external(material: Material) -> Facts:
    """What may be told to others."""
    scale, scenario = Coarse(), material.assessment.scenario
    stated = assumption.assumptions(scenario, material.case.files, lambda n: scale.people(n).text)
    records, records_text, _ = scale.people(material.case.encoded.records)
    pinned = dict(
        zip(map(_letter, range(len(material.meeting.candidates))), material.meeting.candidates.values(), strict=True)
    )
    digest = contents.salted(material.salt, scenario.data_id)
    return {
        **contents.opening(material, scale, "external"),
        "about": f"Composition report, external, about a table of {records_text} records",
        "not_assessed": [
            {"metric": name, "words": facts.metric_words(name, scenario.confidence), "why": _why(name)}
            for name in material.assessment.not_assessed
            if not METRICS[name].whole
        ],
        "risk": risk(material, scale),
        "figures": contents.figures(material, scale),
        "candidates": facts.candidates(pinned, scale),
        "assumptions": [{"key": assumption.key, "sentence": assumption.sentence} for assumption in stated],
        "settings": [*_data(material, records_text), *contents.settings(scenario, scale)],
        "data": {
            "digest": digest,
            "digest_of": "SHA-256 of a secret salt, a line break and the table's digest" if digest else "",
            "records": records,
        },
        "files": _files(material),
        "noisy": _noisy(material),
        "decision": contents.decision(material, contents.accepted(material, stated)),
        **contents.closing(material),
    }


def _why(name: str) -> str:
    number = exposures().get(name)
    if number is not None and number.of_crowds:
        return NO_CROWD
    return WHY.get(name, UNABLE)


def _letter(number: int) -> str:
    return f"Candidate {number + 1}"


def _data(material: Material, records: str) -> list[Facts]:
    schema = material.assessment.scenario.schema
    return [
        contents.setting("Data", "Records", records),
        contents.setting("Data", "Quasi-identifiers", words.count(len(schema.quasi_identifiers))),
        contents.setting("Data", "Sensitive attributes", "1"),
        contents.setting("Data", "Providers known", "yes" if schema.provider else "no"),
    ]


def _files(material: Material) -> list[Facts]:
    rows: list[Facts] = []
    for number, hospital in enumerate(material.assessment.scenario.hospitals, 1):
        if hospital.upload is not None:
            rows.append(
                {
                    "organisation": number,
                    "digest": contents.salted(material.salt, hospital.upload.content_id),
                    "anonymised": hospital.upload.anonymised,
                    "shown": {
                        "organisation": f"Hospital {number}",
                        "kind": "a release" if hospital.upload.anonymised else "a raw table",
                    },
                }
            )
    question = material.assessment.scenario.forecast
    if question.source == "file":
        shown = {"organisation": "Population", "kind": "population statistics"}
        digest = contents.salted(material.salt, question.file_id)
        rows.append({"organisation": None, "digest": digest, "anonymised": None, "shown": shown})
    return rows


def _noisy(material: Material) -> list[Facts]:
    rows = []
    for row, table in zip(contents.noisy(material, "digest"), material.meeting.noisy, strict=True):
        known = next((name for name in NAMES if name in table.mechanism.lower()), "")
        relation = RELATION if table.relation == RELATION else ""
        digest = contents.salted(material.salt, table.digest)
        rows.append({**row, "digest": digest, "mechanism": known, "relation": relation})
    return rows
