"""A small file for other programs' gates: what a release was held against, and what came of it.

The report is for people. A pipeline, a register of publications or another tool wants to know a
few things, and to know later that they were not changed: which data and setting, whose releases
were considered and how many people were taken to be shared, exposure by one release and by all,
and the verdict with how far it is from turning. The format is in ``docs/evidence.md``.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from core.attack.number import exposures
from core.base.metrics import METRICS, MORE
from core.base.version import VERSION
from core.decision.review import Assessment, Case, Check, Judgement
from core.report.decision import Decision
from core.report.rounding import raw
from core.study.hospitals import Hospital

EVIDENCE_VERSION = 1
"""Of the file; a later one that changes a meaning raises it."""
NAME = "composition evidence"


def evidence(case: Case, assessment: Assessment, judgement: Judgement, decision: Decision | None = None) -> str:
    """Write what was assessed as JSON with its own digest.

    Parameters
    ----------
    case
        What was assessed.
    assessment, judgement
        Its numbers, and the limits held against them.
    decision
        Of which the date, and the date until which it holds, enter; no free text.

    Returns
    -------
    str
        JSON with sorted keys. Shares are exact, so it is for those who may see the table; no name of a
        column and no value of a cell is in it. Same data, scenario and arguments, same text.
    """
    scenario, made = case.scenario, decision or Decision()
    mine = scenario.mine
    others = [_other(case, hospital) for hospital in scenario.hospitals[1:]]
    facts: dict[str, Any] = {
        "format": NAME,
        "schema_version": EVIDENCE_VERSION,
        "version": VERSION,
        "data_digest": scenario.data_id,
        "scenario_digest": hashlib.sha256(scenario.to_json().encode()).hexdigest(),
        "records": assessment.records,
        "release": {"algorithm": mine.algorithm, "asked": mine.policy.signs, "measured": _measured(assessment)},
        "held_against": others,
        "shared_people": {"number": scenario.overlap, "known": any(other["shared_people_known"] for other in others)},
        "exposure": {name: _exposure(assessment, name) for name in exposures() if name in assessment.numbers},
        "confidence": scenario.confidence,
        "limits": [_limit(check) for check in judgement.checks],
        "status": judgement.verdict,
        "survives_other_assumptions": judgement.survives,
        "decided": made.when or None,
        "valid_until": made.until or None,
    }
    return json.dumps({**facts, "digest": digest_of(facts)}, indent=1, sort_keys=True, allow_nan=False) + "\n"


def digest_of(facts: dict[str, Any]) -> str:
    """SHA-256 of everything but the digest, as compact JSON with sorted keys: what a reader recomputes."""
    rest = {name: value for name, value in facts.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _measured(assessment: Assessment) -> dict[str, Any]:
    return {name: raw(value) for name, value in assessment.guarantee.numbers.items()}


def _other(case: Case, hospital: Hospital) -> dict[str, Any]:
    """One other release: made up, or a file by its digest; never by its name."""
    upload = hospital.upload
    known = upload is not None and upload in case.files and case.files[upload].linked
    return {
        "source": hospital.source,
        "digest": None if upload is None else upload.content_id,
        "assumed": None if hospital.source == "published" else hospital.policy.signs,
        "algorithm": None if hospital.source == "published" else hospital.algorithm,
        "shared_people_known": known,
    }


def _exposure(assessment: Assessment, name: str) -> dict[str, Any]:
    number = assessment.numbers[name]
    return {
        "means": METRICS[name].words,
        "all_releases": raw(number.value),
        "interval": None if number.low is None or number.high is None else [raw(number.low), raw(number.high)],
        "best_single_release": raw(number.single),
        "people": number.n,
        "redraws": number.redraws,
    }


def _limit(check: Check) -> dict[str, Any]:
    """A limit, its number, and the margin: how far the end of the interval is on the good side; below 0 past it."""
    entry: dict[str, Any] = {"name": check.metric, "limit": raw(check.limit), "verdict": check.verdict}
    if check.number is None:
        return {**entry, "value": None, "margin": None}
    more = METRICS[check.metric].better == MORE
    end = check.number.low if more else check.number.high
    worst = check.number.value if end is None else end
    return {
        **entry,
        "value": raw(check.number.value),
        "margin": raw(worst - check.limit if more else check.limit - worst),
    }
