"""The internal strength: columns and files by name, numbers as they are; still no record and no class."""

from __future__ import annotations

import json
from typing import Any

from core.report import assumed, common, facts, words
from core.report.material import Material
from core.report.record import typed
from core.report.scales import Exact
from core.schema import Schema

Facts = dict[str, Any]
TOLD = (
    "Internal: names of columns and files, exact numbers. It holds no record and no class; values of the table occur "
    "in the settings only, as far as taxonomies, orders and correspondences need them, and in the file, not in the "
    "document."
)
MOST_NAME = 120


def internal(material: Material) -> Facts:
    """Everything that an organisation may tell itself."""
    scale, scenario = Exact(), material.assessment.scenario
    told = assumed.assumptions(scenario, material.files)
    pinned = {_name(name): each for name, each in material.candidates.items()}
    return {
        **common.opening(material, scale, "internal", TOLD),
        "about": f"Composition report, internal, about {_name(scenario.data_name) or 'a table'} "
        f"({words.several(len(material.encoded), 'record')})",
        "not_assessed": [
            {"metric": name, "words": facts.metric_words(name, scenario.confidence), "why": typed(why, "why")}
            for name, why in material.assessment.not_assessed.items()
        ],
        "figures": common.figures(material, scale),
        "candidates": facts.candidates(pinned, scale),
        "assumptions": [{"key": one.key, "sentence": one.sentence} for one in told],
        "settings": [*_data(material), *common.settings(scenario, scale)],
        "data": {
            "name": _name(scenario.data_name),
            "digest": scenario.data_id,
            "digest_of": "SHA-256 of the table's content" if scenario.data_id else "",
            "records": len(material.encoded),
            "dropped": material.encoded.dropped,
        },
        "files": _files(material),
        "noisy": [
            {**row, "digest": one.digest, "mechanism": one.mechanism, "relation": one.relation}
            for row, one in zip(common.noisy(material, "digest"), material.noisy, strict=True)
        ],
        "decision": common.decision(material, common.accepted(material, told)),
        **common.closing(material),
        "scenario": json.loads(scenario.to_json()),
    }


def _name(text: str) -> str:
    flat = " ".join(typed(text, "name", 1_000_000).split())
    return flat if len(flat) <= MOST_NAME else f"{flat[: MOST_NAME - 1]}…"


def _data(material: Material) -> list[Facts]:
    encoded, schema = material.encoded, material.assessment.scenario.schema
    kinds = {domain.name: str(domain.kind) for domain in encoded.qids}
    rows = [
        common.setting("Data", "Name", _name(material.assessment.scenario.data_name) or words.NONE),
        common.setting("Data", "Records", words.count(len(encoded))),
        common.setting("Data", "Left out for missing values", words.count(encoded.dropped)),
        common.setting("Data", "Missing quasi-identifiers", _missing(schema)),
    ]
    rows += [
        common.setting("Data", "Quasi-identifier", f"{_name(name)} ({kinds[name]})" if name in kinds else _name(name))
        for name in schema.quasi_identifiers
    ]
    rows.append(common.setting("Data", "Sensitive attribute", f"{_name(schema.sensitive)} ({encoded.sensitive.kind})"))
    rows += [common.setting("Data", "Dropped first", _name(name)) for name in schema.identifiers]
    rows += [common.setting("Data", "Provider", _name(schema.provider))] if schema.provider else []
    rows += [common.setting("Data", "Not published", _name(name)) for name in schema.other]
    return rows


def _missing(schema: Schema) -> str:
    return {
        "category": "a value of their own",
        "drop": "their records are left out",
        "complete": "their records are left out, and those without a sensitive value",
    }[schema.missing]


def _files(material: Material) -> list[Facts]:
    rows: list[Facts] = []
    for number, hospital in enumerate(material.assessment.scenario.hospitals, 1):
        if hospital.upload is not None:
            upload, read = hospital.upload, material.files.get(hospital.upload)
            records = None if read is None else read.records
            rows.append(
                {
                    "organisation": number,
                    "name": _name(upload.name),
                    "digest": upload.content_id,
                    "anonymised": upload.anonymised,
                    "records": records,
                    "shown": {
                        "organisation": f"Organisation {number}",
                        "kind": "a release" if upload.anonymised else "a raw table",
                        "records": words.NONE if records is None else words.count(records),
                    },
                }
            )
    asked = material.assessment.scenario.forecast
    if asked.source == "file":
        rows.append(
            {
                "organisation": None, "name": "", "digest": asked.file_id, "anonymised": None, "records": None,
                "shown": {"organisation": "Population", "kind": "population statistics", "records": words.NONE},
            }
        )  # fmt: skip
    return rows
