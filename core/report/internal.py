"""The internal strength: columns and files by name, exact numbers; still no record and no class."""

from __future__ import annotations

import json

from core.base import wording
from core.base.metrics import METRICS
from core.data.schemas.schema import Schema, UnmodifiedColumn
from core.report import assumption, contents, facts
from core.report.decision import typed
from core.report.material import Material
from core.report.risk_section import risk
from core.report.rounding import Facts, Scale

MOST_NAME = 120


def internal(material: Material) -> Facts:
    """Everything that the decision makers may see."""
    scale, scenario = Scale(), material.assessment.scenario
    stated = assumption.assumptions(scenario, material.case.files)
    return {
        **contents.opening(*material.opening, scale, "internal"),
        "about": f"Composition report, internal, about {_name(scenario.data_name) or 'a table'} "
        f"({wording.several(material.case.encoded.records, 'record')})",
        "not_assessed": [
            {"metric": name, "words": facts.metric_words(name, scenario.confidence), "why": typed(why, "why")}
            for name, why in material.assessment.not_assessed.items()
            if not METRICS[name].whole
        ],
        "risk": risk(material, scale),
        "figures": contents.figures(material, scale),
        "settings_tried": contents.settings_tried(material, scale),
        "assumptions": [{"key": assumption.key, "sentence": assumption.sentence} for assumption in stated],
        "settings": [*_data(material), *contents.settings(scenario, scale)],
        "data": {
            "name": _name(scenario.data_name),
            "digest": scenario.data_id,
            "digest_of": "SHA-256 of the table's content" if scenario.data_id else "",
            "scenario_digest": scenario.digest,
            "records": material.case.encoded.records,
            "dropped": material.case.encoded.dropped,
        },
        "update": contents.update(material, scale),
        "register": contents.register(material, _name),
        "files": _files(material),
        "noisy": [
            {**row, "mechanism": table.mechanism, "relation": table.relation}
            for row, table in zip(contents.noisy(material, str), material.meeting.noisy, strict=True)
        ],
        "decision": contents.decision(material, contents.accepted(material, stated)),
        **contents.closing(material),
        "scenario": json.loads(scenario.to_json()),
    }


def _name(text: str) -> str:
    flat = " ".join(typed(text, "name", 1_000_000).split())
    return flat if len(flat) <= MOST_NAME else f"{flat[: MOST_NAME - 1]}…"


def _data(material: Material) -> list[Facts]:
    encoded, schema = material.case.encoded, material.assessment.scenario.schema
    column_types = {domain.name: str(domain.column_type) for domain in encoded.qids}
    rows = [
        contents.setting("Data", "Name", _name(material.assessment.scenario.data_name) or wording.NONE),
        contents.setting("Data", "Records", wording.count(encoded.records)),
        *([contents.setting("Data", "Persons", wording.count(encoded.people))] if schema.person else []),
        contents.setting("Data", "Left out for missing values", wording.count(encoded.dropped)),
        contents.setting("Data", "Missing quasi-identifiers", _missing(schema)),
        *_published(material),
    ]
    rows += [
        contents.setting(
            "Data", "Quasi-identifier", f"{_name(name)} ({column_types[name]})" if name in column_types else _name(name)
        )
        for name in schema.quasi_identifiers
    ]
    how = "protected as one, their joint value" if schema.parts else encoded.sensitive.column_type
    rows += [
        contents.setting("Data", "Sensitive attribute", f"{_name(name)} ({how})") for name in schema.sensitive_columns
    ]
    rows += [contents.setting("Data", "Published as it is", _as_it_is(column)) for column in schema.unmodified.values()]
    rows += [contents.setting("Data", "Dropped first", _name(name)) for name in schema.identifiers]
    if schema.person:
        rows.append(contents.setting("Data", "Person", f"{_name(schema.person)}, never published"))
        rows.append(contents.setting("Data", "Records of a person", _one_record(schema)))
    rows += [contents.setting("Data", "Provider", _name(schema.provider))] if schema.provider else []
    rows += [contents.setting("Data", "Not published", _name(name)) for name in schema.other]
    return rows


def _as_it_is(column: UnmodifiedColumn) -> str:
    """A published column, its rounding, and its same-value rate at other hospitals."""
    step, share, name = column.rounded, column.same_value_rate, column.name
    notes = ["must also meet l and t"] if column.diverse else []
    notes += [f"rounded to {step:g}"] if step is not None else []
    notes += [] if share == 1 else [f"the same elsewhere for {100 * share:g}%" if share else "not the same elsewhere"]
    return f"{_name(name)} ({', '.join(notes)})" if notes else _name(name)


def _published(material: Material) -> list[Facts]:
    """Number of records in the release and how they were chosen, if they are not all."""
    assessment, listed = material.assessment, material.assessment.scenario.schema.agreement
    rows, suppressed = assessment.guarantee.rows, assessment.records - assessment.guarantee.rows
    settings = []
    if listed is not None:
        settings.append(contents.setting("Data", "Agreement", f"{listed.in_words}; digest {listed.digest[:16]}"))
    if suppressed:
        settings.append(contents.setting("Data", "Published", wording.several(rows, "record")))
        settings.append(contents.setting("Data", "Suppressed", wording.several(suppressed, "record")))
    return settings


def _one_record(schema: Schema) -> str:
    """State which of a person's records are released."""
    if schema.one_record is None:
        return "all are released, and persons are counted"
    if schema.one_record == "random":
        return f"one, at random from seed {schema.record_seed}"
    return f"the {schema.one_record}"


def _missing(schema: Schema) -> str:
    return {
        "category": "a value of their own",
        "drop": "their records are left out",
        "complete": "their records are left out, and those without a sensitive value",
    }[schema.missing]


def _files(material: Material) -> list[Facts]:
    rows = [{"name": "", "records": None, **row} for row in contents.files(material, str)]
    for row, upload in zip(rows, material.assessment.scenario.uploads, strict=False):
        read = material.case.files.get(upload)
        row |= {"name": _name(upload.name), "records": None if read is None else read.records}
    for row in rows:
        row["shown"]["records"] = wording.NONE if row["records"] is None else wording.count(row["records"])
    return rows
