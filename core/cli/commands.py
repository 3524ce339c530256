"""The four commands: their numbers, limits and output."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Any

from msgspec import structs
from pandas import DataFrame

from core import engine, report
from core.algorithms import partition
from core.attack.intruder import Claims
from core.base import metrics
from core.base.arrays import part
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.base.metrics import GROUPS, METRICS, requirable
from core.base.version import VERSION
from core.base.wording import (
    SEVERAL_PROTECTED,
    baselines,
    in_full,
    interval_words,
    limit_words,
    met_text,
    metric_value,
    of_column,
    text_at_limit,
)
from core.cli.inputs import (
    check_used,
    compared,
    decision_of,
    given,
    inputs_of,
    limits_of,
    published_schema,
    salt_of,
    stored_register,
)
from core.cli.intruding import as_json as claims_as_json
from core.cli.intruding import claims_asked_for, told
from core.cli.loading import CountedTable, Say, by_engine, data_name, read
from core.cli.outputs import check_new, one_line, plain
from core.cli.progress import bar
from core.data.frequency_table import FrequencyTable, rows_of
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.decision.review import (
    Assessment,
    Case,
    Check,
    Judgement,
    Number,
    assess,
    doubts,
    judge,
    measured,
    worth_showing,
)
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import Scenario
from core.decision.scenario.world import not_rare, world
from core.measurement import measure
from core.register import MAX_WORDS, Register, publication_of
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
from core.report.cases import case_rows, condition
from core.report.facts import requirements
from core.report.rounding import Facts, Scale
from core.report.verdict import others, verdict
from core.study.hospitals import OWN

MET, BROKEN, OPEN = 0, 1, 3
OUTPUT_VERSION = 2
"""Version of the JSON. Version 2: "met" means with the whole interval, and next to a share is a baseline of the same
kind.
"""
LOOKED_AT = {
    "measure": ("guarantee", "cost"),
    "attack": ("exposure",),
    "counts": ("exposure",),
    "forecast": ("anticipated",),
    "report": GROUPS,
}
"""Metric groups of each command."""


def looked_at(command: str) -> list[str]:
    """Names of the numbers that a command computes."""
    return [name for name, metric in METRICS.items() if metric.group in LOOKED_AT[command]]


@dataclass(frozen=True)
class Result:
    """Result of a command: standard output, files, exit status, and the scenario to save if requested."""

    shown: str
    status: int
    saved: dict[Path, str] = field(default_factory=dict)
    scenario: Scenario | None = None


@dataclass(frozen=True)
class CommandResult:
    """Answer of a command, before it is formatted as text or JSON.

    Parameters
    ----------
    head
        What the numbers describe, in words.
    scenario
        Scenario of the numbers; ``None`` for a table that was measured as published.
    records
        Of the table.
    numbers, absent
        Numbers by their names; the reason for each absent one.
    judged
        Limits to compare them with.
    passed
        Limits that the command does not look at.
    cases, unless
        The numbers under wrong assumptions, and the condition of the verdict, if these were tried.
    curve
        Numbers with another k at all hospitals, by that k.
    more
        Other facts of the JSON.
    by_column
        Share with one value left in each of several sensitive columns, and under "" in any of them.
    """

    head: str
    scenario: Scenario | None
    records: int
    numbers: Mapping[str, Number]
    absent: Mapping[str, str]
    judged: Judgement
    passed: list[str]
    cases: Sequence[Facts] = ()
    unless: str = ""
    by_column: Mapping[str, Number] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


def run(options: Namespace, say: Say) -> Result:
    """Run the command that the options name.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    check_used(options)
    check_outputs(options)
    if options.command == "measure" and options.scenario is None and options.k is None:
        return _published(options, say)
    table, case = given(options, say)
    if options.command == "report":
        result = _report(options, table, case, say)
    else:
        result = _numbers(options, case, claims_asked_for(options, table, case, say))
    return replace(result, saved={**result.saved, **saved_of(options, table, case)}, scenario=case.scenario)


def saved_of(options: Namespace, table: Table | FrequencyTable, case: Case) -> dict[Path, str]:
    """Files about my release that the options ask for."""
    return {} if options.record is None else {Path(options.record): _record(options, table, case)}


def check_outputs(options: Namespace) -> None:
    """Refuse, before any work, files that must not be written.

    Raises
    ------
    CompositionError
        If one is read, exists without ``--force``, or is named twice.
    """
    outputs = {"--out": options.out, "--save-scenario": options.save_scenario, "--record": options.record}
    outputs |= {f"--{name.replace('_', '-')}": getattr(options, name, None) for name in ("evidence", "keep_classes")}
    if options.recipient is not None and options.record is None:
        raise ParameterError("--recipient needs --record; give that too.", parameter="recipient")
    if getattr(options, "evidence_for", None) is not None and options.evidence is None:
        raise ParameterError("--evidence-for needs --evidence; give that too.", parameter="evidence_for")
    if getattr(options, "register", None) and options.strength == "external" and options.evidence is None:
        raise ParameterError(
            "An external report has nothing of the register; omit --register, or give --evidence.", parameter="register"
        )
    if getattr(options, "knows", "all") != "all" and options.before is None:
        raise ParameterError("--knows needs --before; give that too.", parameter="knows")
    named = [(option, Path(name)) for option, name in outputs.items() if name is not None]
    for (option, path), (other, same) in combinations(named, 2):
        if path.absolute() == same.absolute():
            raise ParameterError(f"{option} and {other} name the same file.", parameter=option.strip("-"))
    for _, path in named:
        check_new(path, inputs_of(options), options.force)


def _record(options: Namespace, table: Table | FrequencyTable, case: Case) -> str:
    """The release as a register of one entry, with today's date and the person column or the first identifier."""
    schema = case.scenario.schema
    key = next(iter((*([schema.person] if schema.person else []), *schema.identifiers)), "")
    if isinstance(table, FrequencyTable):
        key = ""  # it has nobody's
    entry = publication_of(_release(case), datetime.now().astimezone().date(), case.scenario.data_name[:MAX_WORDS], key)
    entry = structs.replace(entry, scenario_digest=case.scenario.digest)
    return Register().add(entry, [options.recipient] if options.recipient else []).to_json()


def _release(case: Case) -> Release:
    return partition(case.encoded, case.scenario.mine.policy, case.scenario.mine.algorithm)


# ---- measure, attack, forecast ------------------------------------------------------------


def _numbers(options: Namespace, case: Case, claims: Claims | None) -> Result:
    """Assess the part of the scenario that the command uses."""
    groups = LOOKED_AT[options.command]
    held, rest = split(options, case.scenario.requirements, looked_at(options.command))
    whole = case.scenario
    case = replace(case, scenario=whole.with_(requirements=held))
    wanted = getattr(options, "doubts", None) is not None
    with bar("Working it out") as progress:
        assessment = assess(case, part(progress, 0.0, 0.3) if wanted else progress, groups=groups)
        tried = doubts(case, progress=part(progress, 0.3)) if wanted else None
    head = head_of(options, case, "exposure" in groups)
    answer = answer_of(head, assessment, tried, whole, rest)
    if claims is not None:
        answer = replace(answer, head=f"{head}\n{told(claims)}", more=claims_as_json(claims))
    outcome = result_of(options, answer)
    return _with_evidence(options, replace(case, scenario=whole), assessment, tried, outcome)


def _with_evidence(
    options: Namespace,
    case: Case,
    assessment: Assessment,
    tried: DataFrame | None,
    outcome: Result,
    decision: report.Decision | None = None,
    register: Register | None = None,
) -> Result:
    if getattr(options, "evidence", None) is not None:
        sealed = report.evidence(case, assessment, judge(assessment, tried), decision, register)
        outcome.saved[Path(options.evidence)] = report.for_openmed(sealed) if options.evidence_for else sealed
    return outcome


def answer_of(
    head: str, assessment: Assessment, tried: DataFrame | None, scenario: Scenario, passed: Sequence[str] = ()
) -> CommandResult:
    """Answer of a command that assessed a scenario; ``tried`` are its numbers under wrong assumptions."""
    judged = judge(assessment, tried)
    return CommandResult(
        head,
        scenario,
        assessment.records,
        assessment.numbers,
        assessment.not_assessed,
        judged,
        list(passed),
        () if tried is None else case_rows(assessment, judged, tried, Scale()),
        condition(assessment, judged, Scale()),
        by_column=assessment.by_column,
    )


def _published(options: Namespace, say: Say) -> Result:
    """Measure a published table as it is."""
    if options.save_scenario is not None:
        raise ParameterError("A published table has no scenario to save.", parameter="save_scenario")
    if options.marginals is not None:
        raise ParameterError(
            "A published table is measured as it is; --marginals is for raw records, so omit it.", parameter="marginals"
        )
    if options.record is not None:
        raise ParameterError(
            "A published table is measured as it is; an entry of the publication register is written with the release, "
            "so use it with -k or --scenario.",
            parameter="record",
        )
    if options.columns is not None:
        raise ParameterError(
            "A published table is measured as it is, with every column that its readers have; omit --columns.",
            parameter="columns",
        )
    schema, distance, of = published_schema(options), options.distance or "equal", ""
    counts_there = by_engine(options)
    if counts_there:
        _need_no_person(schema)
        _check_published(schema, engine.header_of(options.data, options.delimiter, options.count))
    data = read(options, schema, say)
    if isinstance(data, CountedTable):
        _need_no_person(schema)
    counts = data.frequency_table.counts if isinstance(data, CountedTable) else None
    if not counts_there:
        _check_published(schema, rows_of(data.source if isinstance(data, CountedTable) else data).names)
    table = data.frequency_table.table if isinstance(data, CountedTable) else data
    guarantee = measure(table, schema, distance, counts)
    if schema.person is not None:
        of = f" of {guarantee.people:,} persons"
    numbers, apart = measured(guarantee), guarantee.suppressed
    held, _ = split(options, limits_of(options, Requirements()), numbers)
    rows = numbers["classes"].n
    of += f" and {apart:,} suppressed" if apart else ""
    head = f"{shown(data_name(options.data))}: {rows:,} records{of}, measured as published."
    head += f"\n{SEVERAL_PROTECTED}" if schema.parts else ""
    return result_of(options, CommandResult(head, None, rows, numbers, {}, judged_by(held, numbers), []))


def _check_published(schema: Schema, names: Sequence[str]) -> None:
    """Refuse a published table that lacks a column with a role, or has one without."""
    schema.check_published(names)
    schema.check_columns(names)


def _need_no_person(schema: Schema) -> None:
    if schema.person is not None:
        raise ParameterError(
            "Files that are counted do not identify the person of a record; omit --person.", parameter="person"
        )


def judged_by(held: Requirements, numbers: Mapping[str, Number], others: bool = False) -> Judgement:
    """Compare the numbers with their limits; without its number a limit is open."""
    pairs = [(name, limit, numbers.get(name)) for name, limit in held.asked.items()]
    return Judgement(
        tuple(
            Check(name, limit, number, None if number is None else number.verdict(name, limit))
            for name, limit, number in pairs
        ),
        others,
    )


def split(options: Namespace, requirements: Requirements, names: Any) -> tuple[Requirements, list[str]]:
    """Limits that the command applies, and the names of the others.

    A limit given as an option must not be ignored.
    """
    passed = [name for name in dict(options.limit) if name not in names]
    if passed:
        able = ", ".join(name for name in names if name in requirable())
        raise ParameterError(f"{options.command} does not use {passed[0]} here; it uses {able}.", parameter=passed[0])
    limits = {name: limit for name, limit in requirements.asked.items() if name in names}
    return Requirements(**limits), [name for name in requirements.asked if name not in names]


def result_of(options: Namespace, outcome: CommandResult) -> Result:
    """Format a command's answer as text or JSON for its destination, with its exit status."""
    result = text_of(options, outcome)
    if options.out is None:
        return result
    run = "" if options.json or outcome.scenario is None else f"Scenario, SHA-256: {outcome.scenario.digest}\n"
    return Result("", result.status, {Path(options.out): f"{result.shown}{run}"})


def text_of(options: Namespace, outcome: CommandResult) -> Result:
    """Format a command's answer as text or JSON for standard output, with its exit status."""
    text = as_json(options, outcome) if options.json else as_text(outcome, options)
    return Result(text, status_of(outcome.judged, options))


def status_of(judged: Judgement, options: Namespace) -> int:
    """Exit status that follows from the limits."""
    on_average = options.on_average
    passes = (metrics.MET, metrics.ON_AVERAGE, None) if on_average else (metrics.MET, None)
    if any(check.verdict not in passes for check in judged.checks):
        return BROKEN
    if judged.verdict == metrics.CONDITIONAL and getattr(options, "doubts", None) == "fail":
        return BROKEN
    return OPEN if judged.verdict == "open" else MET


def as_json(options: Namespace, outcome: CommandResult) -> str:
    """Answer of a command for programs."""
    scenario, judged = outcome.scenario, outcome.judged
    data = {
        "format": "composition numbers",
        "schema_version": OUTPUT_VERSION,
        "version": VERSION,
        "command": options.command,
        "data": data_name(options.data),
        "data_id": None if scenario is None else scenario.data_id,
        "scenario_digest": None if scenario is None else scenario.digest,
        "records": outcome.records,
        "numbers": {name: asdict(number) for name, number in outcome.numbers.items()},
        "not_assessed": dict(outcome.absent),
        **_columns_as_json(outcome),
        **outcome.more,
        "limits": [
            {
                "name": check.metric,
                "limit": check.limit,
                "verdict": check.verdict,
                "met": check.met,
                "on_average": check.on_average,
            }
            for check in judged.checks
        ],
        "limits_not_looked_at": outcome.passed,
        "cases": list(outcome.cases),
        "verdict": judged.verdict,
        "condition": outcome.unless,
        "met": judged.met,
        "on_average": judged.on_average,
        "releases_of_others_considered": judged.others_considered,
        "on_average_passes": options.on_average,
        "status": status_of(judged, options),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _columns_as_json(outcome: CommandResult) -> dict[str, Any]:
    """Exposure in each of several sensitive columns and of their joint value; empty for one column."""
    columns = dict(outcome.by_column)
    joint = columns.pop("", None)
    if joint is None:
        return {}
    return {
        "one_value_left_by_column": {
            "columns": {name: asdict(number) for name, number in columns.items()},
            "joint": asdict(joint),
        }
    }


# ---- text -------------------------------------------------------------------------------------


def head_of(options: Namespace, case: Case, others: bool = True) -> str:
    """Describe the data and my release, and the assumed ``others``."""
    scenario = case.scenario
    mine = scenario.mine
    name = shown(data_name(options.data))
    encoded = case.encoded
    people = f" of {encoded.people:,} persons" if encoded.has_multiple_records else ""
    head = f"{name}: {encoded.records:,} records{people}; {mine.policy.signs}; {ALGORITHMS[mine.algorithm].phrase}"
    more = f"\n{SEVERAL_PROTECTED}" if scenario.schema.parts else ""
    if not others:
        return f"{head}.{more}"
    meant = " ".join(filter(None, (world(scenario, case.encoded.people), not_rare(scenario))))
    many = sum(hospital.origin_name != OWN for hospital in scenario.hospitals)
    shared = f"; {many} hospitals that share {scenario.overlap:,} people" * (many > 1)
    return f"{head}{shared}.\n{meant}{more}"


def as_text(outcome: CommandResult, options: Namespace) -> str:
    """Answer of a command for people: the verdict first, then the numbers behind it."""
    numbers, absent, judged, passed = outcome.numbers, outcome.absent, outcome.judged, outcome.passed
    confidence = 1.0 if outcome.scenario is None else outcome.scenario.confidence
    stated = verdict(judged, requirements(judged, confidence, Scale()), outcome.cases, outcome.unless)
    nothing = ["No limit is set that this command looks at."]
    sentences = nothing if passed and not judged.checks else stated["sentences"]
    lines = [f"Verdict: {stated['headline']}", *sentences]
    if judged.verdict == metrics.ON_AVERAGE or (judged.verdict == metrics.CONDITIONAL and not judged.met):
        lines.append(f"This passes {'because of' if options.on_average else 'only with'} --on-average.")
    if judged.verdict == metrics.CONDITIONAL:
        lines.append(f"This {'fails because of' if options.doubts == 'fail' else 'passes without'} --doubts fail.")
    if "one_value_left" in numbers and outcome.scenario is not None and not judged.others_considered:
        lines.append(others(outcome.scenario))
    if passed:
        lines.append(f"Limits of the scenario that this command does not look at: {', '.join(passed)}.")
    lines += ["", outcome.head, ""]
    checks = {check.metric: check for check in judged.checks}
    shown = worth_showing(numbers, checks)
    titles = [METRICS[name].words for name in shown if name in numbers or name in absent]
    width = max(map(len, (*titles, *map(of_column, outcome.by_column))), default=0)
    for name in shown:
        metric = METRICS[name]
        if name in numbers:
            number = numbers[name]
            check = checks.get(name)
            value = (
                metric_value(name, number.value) if check is None else text_at_limit(name, number.value, check.limit)
            )
            # A ceiling is for a number of tables and for a prior belief.
            of = f"{number.n} {number.of}" if name == "dp_ceiling" else number.of
            words = [in_full(name, value, of), interval_words(name, number), *baselines(number)]
        elif name in absent:
            words = [f"not assessed: {one_line(absent[name])}"]
        else:
            continue
        if name in checks:
            words.append(f"limit {limit_words(name, checks[name].limit)}: {met_text(checks[name].verdict)}")
        lines.append(f"{metric.words:<{width}}  {'; '.join(filter(None, words))}")
    for name, number in outcome.by_column.items():
        share = [
            metric_value("one_value_left", number.value),
            interval_words("one_value_left", number),
            *baselines(number),
        ]
        lines.append(f"{of_column(name):<{width}}  {'; '.join(filter(None, share))}")
    return plain("\n".join(lines) + "\n")


# ---- report -------------------------------------------------------------------------------------


def _report(options: Namespace, table: Table | FrequencyTable, case: Case, say: Say) -> Result:
    """Write the report: to standard output, or to the file of ``--out`` with the numbers on standard output."""
    decision = decision_of(options.decision)
    salt = salt_of(options)
    words = case.scenario.decision
    register = None if options.register is None else stored_register(options.register)
    meeting = report.Meeting(
        options.question or words.question, decision, limits_by=options.limits_by or words.limits_by, register=register
    )
    if options.before is not None:
        update, kept, _ = compared(options, table, case.scenario, say)
        meeting = replace(meeting, update=update, kept=kept)
    with bar("Working it out") as progress:
        assessment = assess(case, part(progress, 0.0, 0.2))
        tried = doubts(case, progress=part(progress, 0.2, 0.6))
        written = report.build(
            case,
            meeting,
            strength=options.strength,
            salt=salt,
            known=report.Known(assessment, tried),
            progress=part(progress, 0.6),
        )
    text = written.to_json() if options.format == "json" else written.to_html()
    if options.out is None:
        result = Result(text, status_of(judge(assessment, tried), options))
    else:
        result = text_of(options, answer_of(head_of(options, case), assessment, tried, case.scenario))
        result.saved[Path(options.out)] = text
    return _with_evidence(options, case, assessment, tried, result, decision, register)
