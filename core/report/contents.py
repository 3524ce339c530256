"""Common content of both strengths of a report, from aggregates and settings alone."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd

from core.attack.updates import KNOWLEDGE, SMALL_SET
from core.base import wording
from core.base.version import VERSION
from core.decision.review import Assessment, Case, Judgement
from core.decision.scenario.scenario import Scenario
from core.decision.scenario.scenario_file import FILE_VERSION
from core.dp import PRIOR_WORDS
from core.register import LIMITED, worst_first
from core.register.recipients import value_text
from core.report import assumption, facts, pictures
from core.report.card import card
from core.report.cases import case_rows, condition, shown_metric
from core.report.material import Material, Meeting
from core.report.rounding import Facts, Scale, raw, shares
from core.report.sentences import listed, sentence
from core.report.tried_settings import told_settings
from core.report.verdict import others, survival, verdict

REPORT_VERSION = 3
"""Of the report's file; a later one that changes a meaning raises it. Version 3: a verdict has a condition, the worst
value comes from a plausible case, and "doubts" has one row per case. Version 2: "met" means with the whole interval, a
hidden share has no value but an interval under "within", a baseline is of the kind of its share."""


def opening(
    case: Case,
    meeting: Meeting,
    assessment: Assessment,
    judgement: Judgement,
    doubts: pd.DataFrame | None,
    scale: Scale,
    strength: str,
) -> Facts:
    """Question, verdict, card, requirements and numbers, the beginning of a report and of the file of a meeting."""
    scenario, whose = assessment.scenario, meeting.limits_by
    stated = assumption.assumptions(scenario, case.files, lambda people: scale.people(people).text)
    rows = facts.requirements(judgement, scenario.confidence, scale)
    cases = case_rows(assessment, judgement, doubts, scale)
    judged = verdict(judgement, rows, cases, condition(assessment, judgement, scale))
    judged["sentences"] += [others(scenario), *counted(case, strength)]
    numbers = facts.numbers(assessment, scale)
    columns = {
        column: wording.of_column(column)
        if strength == "internal" or not column
        else f"One value left of column {place}"
        for place, column in enumerate(assessment.by_column, 1)
    }
    numbers += facts.by_column(assessment, columns, scale)
    return {
        "format": "composition report",
        "schema_version": REPORT_VERSION,
        "strength": strength,
        "told": sentence(strength),
        "question": meeting.question or sentence("question"),
        "question_note": sentence("free text") if meeting.question or whose else "",
        "verdict": judged,
        "limits_of": limits_of(whose) if rows else "",
        "card": card(assessment, stated, case.files, doubts, cases, scale),
        "requirements": rows,
        "icon_array": pictures.icon_array(numbers),
        "numbers": numbers,
    }


def limits_of(whose: str) -> str:
    """Author of the limits of a verdict, on which its value depends."""
    return f"The limits are those of: {whose}." if whose else "No author of the limits is named."


def counted(case: Case, strength: str) -> list[str]:
    """What is counted: records or people, and with several protected columns which number is of what."""
    several = [wording.SEVERAL_PROTECTED] if case.scenario.schema.parts else []
    return several + _people(case, strength)


def _people(case: Case, strength: str) -> list[str]:
    """Whether records are people, and what is counted if persons have several."""
    encoded, schema = case.encoded, case.scenario.schema
    if schema.one_record is not None:
        which = {"first": "the first", "last": "the last", "random": "a random one"}[schema.one_record]
        return [
            f"One record of each person is released, {which}. The others are left out, so every record is a person."
        ]
    if encoded.has_multiple_records:
        sentence = (
            "Persons may have several records. Classes, exposure and forecast count persons, each as exposed as their "
            "most revealing record. With only the published file, one can count records, not people."
        )
        if strength == "internal":
            sentence = (
                f"{wording.count(len(encoded))} records of {wording.several(encoded.people, 'person')}. {sentence}"
            )
        return [sentence]
    if schema.rows_are_people and schema.person is None:
        return ["Its publisher says that every record is another person, also if an identifier repeats."]
    return []


def figures(material: Material, scale: Scale) -> list[Facts]:
    """Everything shown as a chart or a table, in the order of the pages."""
    assessment = material.assessment
    mine = assessment.scenario.mine
    several = material.case.encoded.has_multiple_records
    charts = [
        pictures.by_confidence(assessment, scale),
        None if material.curve is None else pictures.curve(material.curve, assessment, scale),
        pictures.cases(assessment, material.judgement, material.doubts, scale),
        pictures.size_bands(assessment.guarantee.sizes, mine.policy.k, scale, several),
    ]
    return [figure for figure in charts if figure is not None]


def settings_tried(material: Material, scale: Scale) -> Facts | None:
    """Settings of my release that no other beats."""
    metric = shown_metric(material.judgement, material.assessment)
    return told_settings(material.meeting.settings, material.assessment, metric, scale)


def closing(material: Material) -> Facts:
    """Seeds, versions, limits of the method and sources."""
    scenario = material.assessment.scenario
    return {
        "draws": {
            "seed": scenario.seed,
            "redraws": scenario.repeats,
            "sentence": f"The others are drawn {wording.several(scenario.repeats, 'time')} from seed {scenario.seed}; "
            "the same data, settings and versions give the same report, byte for byte.",
        },
        "versions": versions(),
        "limits": listed("limits"),
        "sources": assumption.sources(scenario),
    }


def versions() -> Facts:
    """Versions that the numbers depend on; charts are drawn from the numbers, so their libraries are left out."""
    return {
        "composition": VERSION,
        "scenario file": str(FILE_VERSION),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def setting(group: str, name: str, value: str) -> Facts:
    """One line of the settings."""
    return {"group": group, "name": name, "value": value}


def settings(scenario: Scenario, scale: Scale) -> list[Facts]:
    """Choices other than names and values of the table; what the other hospitals do is listed as assumptions."""

    def people(n: int) -> str:
        return scale.people(n).text

    mine, size = scenario.mine, scenario.mine.size or scenario.size
    forecast, noise = scenario.forecast, scenario.noise
    wanted = f"{forecast.l}, {wording.confidence_text(forecast.confidence)}"
    others = "as many as the table has" if forecast.others is None else people(forecast.others)
    table = f"{noise.mechanism}, epsilon = {noise.epsilon:.10g}"
    table += "" if noise.delta is None else f", delta = {noise.delta:.10g}"
    closed = sum(declared.closed for declared in noise.domains.values())
    confidence = f"{wording.confidence_text(scenario.confidence)}: {wording.left(scenario.confidence)}"
    return [
        setting("My release", "Partition", assumption.policy_text(mine)),
        *([] if size is None else [setting("My release", "Records drawn", people(size))]),
        setting("Attack", "People in all releases", people(scenario.overlap)),
        setting("Attack", "Confidence (C)", confidence),
        setting("Attack", "A person's class", wording.LOCATE[scenario.locate]),
        setting("Forecast", "Shared values wanted, and how likely", wanted),
        setting("Forecast", "Reading of the paper", forecast.reading),
        setting("Forecast", "Records of the other hospital", others),
        setting("Forecast", "Population statistics", wording.STATISTICS[forecast.statistics]),
        setting("Noise", "Noisy table in place of a release", table),
        setting("Noise", "Ceiling of a belief", PRIOR_WORDS[noise.prior]),
        setting("Noise", "Columns with a declared domain", wording.count(closed)),
    ]


def salted(salt: str, digest: str) -> str:
    """SHA-256 over the salt, a line break and a digest; "" without either."""
    return hashlib.sha256(f"{salt}\n{digest}".encode()).hexdigest() if salt and digest else ""


def decision(material: Material, accepted: list[str]) -> Facts:
    """The decision as it was typed."""
    made = material.meeting.decision
    return {
        "what": made.what,
        "who": made.who,
        "when": made.when,
        "why": made.why,
        "until": made.until,
        "ends": made.ends,
        "accepted": accepted,
        "survives": material.judgement.survives,
        "survives_words": survival(material.judgement),
        "note": sentence("free text"),
    }


def accepted(material: Material, stated: tuple[assumption.Assumption, ...]) -> list[str]:
    """Accepted assumptions, in the wording of this strength if they are those of the scenario."""
    words_of = {assumption.key: assumption.sentence for assumption in stated}
    every = assumption.assumptions(material.assessment.scenario, material.case.files)
    key_of = {assumption.sentence: assumption.key for assumption in every}
    return [words_of.get(key_of.get(text, text), text) for text in material.meeting.decision.accepted]


def files(material: Material, digest: Callable[[str], str]) -> list[Facts]:
    """Files of others without their names: publisher and type."""
    scenario = material.assessment.scenario
    rows: list[Facts] = [
        {
            "organisation": number,
            "digest": digest(upload.content_id),
            "shown": {"organisation": f"Hospital {number}", "kind": "a release"},
        }
        for number, upload in enumerate((hospital.upload for hospital in scenario.hospitals), 1)
        if upload is not None
    ]
    if scenario.forecast.statistics == "file":
        shown = {"organisation": "Population", "kind": "population statistics"}
        rows.append({"organisation": None, "digest": digest(scenario.forecast.file_id), "shown": shown})
    return rows


UPDATED = {"new": "new", "removed": "left", "changed": "record changed"}
"""Groups of people of an update, as a report names them."""


def update(material: Material, scale: Scale) -> Facts:
    """What my release gives away together with that of an earlier version of the table; empty if none was compared."""
    compared, kept = material.meeting.update, material.meeting.kept
    if compared is None:
        return {}
    rows = []
    for name, left in compared.groups.items():
        if left.people:
            hidden = None if kept is None else kept.update.groups[name]
            named = {
                "one_value_left": left.one_value_left,
                "alone": left.one_value_alone,
                "in_small_set": left.in_small_set,
                "kept": hidden.one_value_left if hidden is not None and hidden.people else None,
            }
            values, texts = shares(scale, named, left.people)
            people = scale.people(left.people)
            shown = {"group": UPDATED[name], "people": people.text, **texts}
            rows.append({"group": name, "people": people.value, **values, "shown": shown})
    loss = "" if kept is None else wording.percent(kept.loss)
    return {"knows": KNOWLEDGE[compared.knowledge], "small": SMALL_SET, "groups": rows, "loss_with_kept_classes": loss}


def register(material: Material, name: Callable[[str], str]) -> Facts:
    """What each recipient of the publication register, and each pair, can conclude, the worst first; empty without one.

    ``name`` shortens the name of a recipient.
    """
    kept = material.meeting.register
    if kept is None:
        return {}
    rows = []
    for standing in worst_first(kept.standings()):
        values = {column: raw(standing.value(column)) for column in LIMITED}
        shown = {
            "recipients": " and ".join(map(name, standing.recipients)),
            "publications": ", ".join(map(str, standing.publications)),
            **{column: value_text(standing, column) for column in LIMITED},
        }
        people = None if standing.numbers is None else standing.numbers.people
        shown["people"] = wording.NONE if people is None else wording.count(people)
        rows.append({"publications": list(standing.publications), "people": people, **values, "shown": shown})
    return {"digest": kept.digest, "publications": len(kept.publications), "rows": rows}


def noisy(material: Material, digest: Callable[[str], str]) -> list[Facts]:
    """Guarantees of noisy tables."""
    return [
        {
            "digest": digest(table.digest),
            "epsilon": raw(float(table.epsilon)),
            "delta": raw(float(table.delta)),
            "shown": {"epsilon": f"{table.epsilon:.10g}", "delta": wording.power(table.delta, 10)},
        }
        for table in material.meeting.noisy
    ]
