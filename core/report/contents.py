"""What both strengths of a report say, from aggregates and settings alone."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np
import pandas as pd

from core.report import assumed, facts, pictures, words
from core.report.material import Material
from core.report.scales import Scale, raw
from core.report.verdict import survival, verdict
from core.scenario import SCHEMA_VERSION, Scenario
from core.version import VERSION

REPORT_VERSION = 1
"""Of the report's file; a later one that changes a meaning raises it."""
QUESTION = (
    "If this release is published and other organisations publish theirs, how many of the people they share are "
    "exposed, and what does it cost?"
)
FREE_TEXT = "As typed by the people who decided; the program has not checked it for names or values."
Facts = dict[str, Any]


def opening(material: Material, scale: Scale, strength: str, told: str) -> Facts:
    """Question, verdict, requirements and numbers."""
    assessment = material.assessment
    confidence = assessment.scenario.confidence
    rows = facts.requirements(material.judgement, material.doubts, confidence, scale)
    return {
        "format": "composition report",
        "schema_version": REPORT_VERSION,
        "strength": strength,
        "told": told,
        "question": material.question or QUESTION,
        "question_note": FREE_TEXT if material.question else "",
        "verdict": verdict(material.judgement, rows, assessment.scenario),
        "requirements": rows,
        "numbers": facts.numbers(assessment, scale),
    }


def figures(material: Material, scale: Scale) -> list[Facts]:
    """Everything that is drawn or told as a table, in the order of the pages."""
    assessment = material.assessment
    mine = assessment.scenario.mine
    found = [
        pictures.by_confidence(assessment, scale),
        None if material.curve is None else pictures.curve(material.curve, assessment, scale),
        pictures.doubts(material.doubts, assessment, scale),
        pictures.size_bands(assessment.guarantee.sizes, mine.policy.k, scale),
    ]
    return [figure for figure in found if figure is not None]


def closing(material: Material) -> Facts:
    """Seeds, versions, limits of the method and sources."""
    scenario = material.assessment.scenario
    return {
        "draws": {
            "seed": scenario.seed,
            "redraws": scenario.repeats,
            "sentence": f"The others are drawn {words.several(scenario.repeats, 'time')} from seed {scenario.seed}; "
            "the same data, settings and versions give the same report, byte for byte.",
        },
        "versions": versions(),
        "limits": list(assumed.LIMITS),
        "sources": assumed.sources(scenario),
    }  # fmt: skip


def versions() -> Facts:
    """What the numbers depend on; charts are drawn from the numbers, so what draws them takes no part."""
    return {
        "composition": VERSION,
        "scenario file": str(SCHEMA_VERSION),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def setting(group: str, name: str, value: str) -> Facts:
    """One line of the settings."""
    return {"group": group, "name": name, "value": value}


def settings(scenario: Scenario, scale: Scale) -> list[Facts]:
    """Every choice that is no name and no value of the table."""

    def people(n: int) -> str:
        return scale.people(n)[1]

    mine, asked, noise = scenario.mine, scenario.forecast, scenario.noise
    rows = [setting("My release", "Partition", assumed.policy_text(mine))]
    if mine.size is not None or scenario.size is not None:
        rows.append(setting("My release", "Records drawn", people(mine.size or scenario.size or 0)))
    for number, hospital in enumerate(scenario.hospitals[1:], 2):
        group = f"Organisation {number}"
        rows.append(setting(group, "Where its data comes from", words.SOURCE[hospital.source]))
        if hospital.source != "published":
            rows.append(setting(group, "Partition", assumed.policy_text(hospital)))
        if hospital.upload is None:
            rows.append(setting(group, "Same sensitive value there", words.confidence_text(hospital.agreement)))
        size = hospital.size if hospital.size is not None else scenario.size
        if hospital.upload is None and size is not None:
            rows.append(setting(group, "Records", people(size)))
        if hospital.attributes is not None:
            rows.append(setting(group, "Quasi-identifiers it publishes", words.count(len(hospital.attributes))))
    rows += [
        setting("Attack", "People in all releases", people(scenario.overlap)),
        setting("Attack", "Confidence (C)", f"{words.confidence_text(scenario.confidence)}: "
                f"{words.left(scenario.confidence)}"),
        setting("Attack", "A person's class is found", words.LOCATE[scenario.locate]),
        setting("Attack", "Level of categories", "none" if scenario.category_level is None
                else words.count(scenario.category_level)),
        setting("Forecast", "Common values wanted (l), and how likely", f"{asked.l}, "
                f"{words.confidence_text(asked.confidence)}"),
        setting("Forecast", "Reading of the paper", asked.reading),
        setting("Forecast", "Records of the other organisation", "as many as the table has" if asked.others is None
                else people(asked.others)),
        setting("Forecast", "People in its class", "as many as in mine" if asked.class_size is None
                else f"{asked.class_size:.10g}"),
        setting("Forecast", "Population statistics", {"table": "from the table, column by column", "joint": "from the "
                "table's own classes", "file": "from a file"}[asked.source]),
        setting("Noise", "Noisy table in place of a release", f"{noise.mechanism}, epsilon = {noise.epsilon:.10g}"
                + ("" if noise.delta is None else f", delta = {noise.delta:.10g}")),
    ]  # fmt: skip
    return rows


def salted(salt: str, digest: str) -> str:
    """SHA-256 over the salt, a line break and a digest; "" without either."""
    return hashlib.sha256(f"{salt}\n{digest}".encode()).hexdigest() if salt and digest else ""


def decision(material: Material, accepted: list[str]) -> Facts:
    """The decision as it was typed."""
    made = material.decision
    return {
        "what": made.what,
        "who": made.who,
        "when": made.when,
        "why": made.why,
        "accepted": accepted,
        "survives": material.judgement.survives,
        "survives_words": survival(material.judgement),
        "note": FREE_TEXT,
    }


def accepted(material: Material, told: tuple[assumed.Assumption, ...]) -> list[str]:
    """Assumptions that were accepted, in the words of this strength where they are those of the scenario."""
    words_of = {one.key: one.sentence for one in told}
    every = assumed.assumptions(material.assessment.scenario, material.files)
    key_of = {one.sentence: one.key for one in every}
    return [words_of.get(key_of.get(text, text), text) for text in material.decision.accepted]


def noisy(material: Material, digest: str) -> list[Facts]:
    """Noisy tables without their digests: what they promise."""
    return [
        {digest: "", "epsilon": raw(float(one.epsilon)), "delta": raw(float(one.delta)),
         "shown": {"epsilon": f"{one.epsilon:.10g}", "delta": f"{one.delta:.10g}"}}
        for one in material.noisy
    ]  # fmt: skip
