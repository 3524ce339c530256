"""A small file for other programs' gates: the baselines of a release, and the result.

The report is for people. A pipeline, a register of publications or another tool needs a few facts, and later the proof
that they were not changed: data and setting, the releases considered and the number of shared people, exposure by one
release and by all, and the verdict with its margin. The format is in ``docs/evidence.md``.
"""

from __future__ import annotations

import json
from typing import Literal

import msgspec
from msgspec import Struct

from core.attack.number import exposures
from core.base.json_files import sealed
from core.base.metrics import CONDITIONAL, MET, METRICS, MORE, NOT_MET, ON_AVERAGE
from core.base.version import VERSION
from core.decision.review import Assessment, Case, Check, DoubtCase, Judgement, plausible_ranges
from core.register import Register
from core.report.decision import Decision
from core.report.rounding import raw
from core.study.hospitals import Hospital

EVIDENCE_VERSION: Literal[3] = 3
"""Of the file; a later one that changes a meaning raises it."""
NAME = "composition evidence"


class ReleaseFacts(Struct):
    """Algorithm of my release, requirements for its classes, and what was measured."""

    algorithm: str
    asked: str
    measured: dict[str, float | None]


class HeldAgainst(Struct):
    """One other release: simulated, or a file by its digest, never by its name."""

    source: str
    digest: str | None
    assumed: str | None
    algorithm: str | None
    shared_people_known: bool


class PeopleShared(Struct):
    """Number of shared people, and whether any file identifies them; else it is an assumption."""

    number: int
    known: bool


class Exposure(Struct):
    """A number of the attack by all releases together and by the best single one."""

    means: str
    all_releases: float | None
    interval: tuple[float, float] | None
    best_single_release: float | None
    people: int
    redraws: int | None


class LimitHeld(Struct):
    """A limit, its number, and the margin: distance from the end of the interval to the limit, negative beyond it."""

    name: str
    limit: float
    verdict: str | None
    value: float | None
    margin: float | None


class BreakingCase(Struct):
    """A plausible case that breaks a limit which is met as assumed."""

    limit: str
    assumption: str
    instead: float
    value: float
    people: int
    n: int


class RegisterFacts(Struct):
    """Publication register: its digest, and the worst that one recipient, and a pair, can conclude."""

    digest: str
    publications: int
    recipients: int
    not_assessed: int
    one_value_left: float | None
    one_value_left_by_a_pair: float | None
    small_set: float | None
    small_set_by_a_pair: float | None
    epsilon: float
    delta: float


class Evidence(Struct, tag_field="format", tag=NAME):
    """The file without its digest; docs/evidence.md says what each field means."""

    data_digest: str
    scenario_digest: str
    records: int
    release: ReleaseFacts
    held_against: list[HeldAgainst]
    shared_people: PeopleShared
    exposure: dict[str, Exposure]
    confidence: float
    limits: list[LimitHeld]
    status: str
    plausible: dict[str, tuple[float, float]]
    breaking_cases: list[BreakingCase]
    survives_other_assumptions: bool | None
    decided: str | None
    valid_until: str | None
    published: RegisterFacts | None = None
    schema_version: Literal[3] = EVIDENCE_VERSION
    version: str = VERSION


def evidence(
    case: Case,
    assessment: Assessment,
    judgement: Judgement,
    decision: Decision | None = None,
    register: Register | None = None,
) -> str:
    """Write the assessment as JSON with its own digest.

    Parameters
    ----------
    case
        The scenario and its data.
    assessment, judgement
        Its numbers, and the limits they are compared with.
    decision
        Only its date and its last day are used; no free text.
    register
        What has been published; only numbers of it are used, no name.

    Returns
    -------
    str
        JSON with sorted keys. Shares are exact, so it is for people who may see the table; it has no column name and no
        cell value. The same data, scenario and arguments give the same text.
    """
    scenario, made = case.scenario, decision or Decision()
    mine = scenario.mine
    others = [_other(case, hospital) for hospital in scenario.hospitals[1:]]
    # The weaker of the two words: cases that break it under other assumptions are listed.
    on_average = judgement.verdict == CONDITIONAL and not judgement.met
    measured = {name: raw(value) for name, value in assessment.guarantee.numbers.items()}
    facts = Evidence(
        data_digest=scenario.data_id,
        scenario_digest=scenario.digest,
        records=assessment.records,
        release=ReleaseFacts(mine.algorithm, mine.policy.signs, measured),
        held_against=others,
        shared_people=PeopleShared(scenario.overlap, any(other.shared_people_known for other in others)),
        exposure={name: _exposure(assessment, name) for name in exposures() if name in assessment.numbers},
        confidence=scenario.confidence,
        limits=[_limit(check) for check in judgement.checks],
        status=ON_AVERAGE if on_average else judgement.verdict,
        plausible=plausible_ranges(scenario),
        breaking_cases=[_breaking(check, case) for check in judgement.checks for case in check.breaking],
        survives_other_assumptions=judgement.survives,
        decided=made.when or None,
        valid_until=made.until or None,
        published=None if register is None else _published(register),
    )
    return sealed(msgspec.to_builtins(facts))


def _published(register: Register) -> RegisterFacts:
    standings = register.standings()

    def worst(name: str, pairs: bool) -> float | None:
        values = [standing.value(name) for standing in standings if standing.is_pair == pairs]
        return max((value for value in values if value is not None), default=None)

    return RegisterFacts(
        register.digest,
        len(register.publications),
        len(register.recipients),
        len({number for standing in standings for number in standing.not_assessed}),
        worst("one_value_left", pairs=False),
        worst("one_value_left", pairs=True),
        worst("at_risk", pairs=False),
        worst("at_risk", pairs=True),
        max((standing.cost.epsilon for standing in standings), default=0.0),
        max((standing.cost.delta for standing in standings), default=0.0),
    )


def _other(case: Case, hospital: Hospital) -> HeldAgainst:
    upload = hospital.upload
    has_policy, counts = hospital.has_policy, hospital.counts
    return HeldAgainst(
        hospital.origin,
        None if upload is None else upload.content_id,
        hospital.policy.signs if has_policy else None if counts is None else counts.in_words,
        hospital.algorithm if has_policy else None,
        upload is not None and upload in case.files and case.files[upload].linked,
    )


OPENMED_STATUS = {MET: "no_material_increase_observed", NOT_MET: "increase_observed"}
"""Their status of a verdict; every other verdict is inconclusive."""


def for_openmed(text: str) -> str:
    """Write a file of :func:`evidence` as the composition evidence of OpenMed's expert review.

    Only releases of others that were read as files count as assessed; simulated ones do not. Their status follows
    :data:`OPENMED_STATUS`, and their digest is that of our file.
    """
    facts = json.loads(text)
    files = sum(other["digest"] is not None for other in facts["held_against"])
    status = OPENMED_STATUS.get(facts["status"], "inconclusive") if files else "not_assessed"
    theirs = {
        "release_count": 1 + files,
        "longitudinal_linkage_assessed": files > 0,
        "prior_release_overlap_assessed": files > 0,
        "risk_status": status,
        "evidence_digest": f"sha256:{facts['digest']}",
    }
    return json.dumps(theirs, indent=1) + "\n"


def _exposure(assessment: Assessment, name: str) -> Exposure:
    number = assessment.numbers[name]
    ends = None if number.low is None or number.high is None else (raw(number.low), raw(number.high))
    return Exposure(METRICS[name].words, raw(number.value), ends, raw(number.single), number.n, number.redraws)


def _breaking(check: Check, case: DoubtCase) -> BreakingCase:
    value, n = raw(case.number.value), case.number.n
    return BreakingCase(check.metric, case.assumption, raw(case.value), value, round(value * n), n)


def _limit(check: Check) -> LimitHeld:
    limit, verdict = raw(check.limit), check.verdict
    if check.number is None:
        return LimitHeld(check.metric, limit, verdict, None, None)
    more = METRICS[check.metric].better == MORE
    end = check.number.low if more else check.number.high
    worst = check.number.value if end is None else end
    margin = worst - check.limit if more else check.limit - worst
    return LimitHeld(check.metric, limit, verdict, raw(check.number.value), raw(margin))
