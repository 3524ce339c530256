"""The attack on real hospitals whose folders are joined by the person column."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from core import engine
from core.algorithms import partition_sweep
from core.attack.intersection import intersection_attack
from core.base.arrays import Progress, part, step
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.wording import percent
from core.cli.commands import CommandResult, Result, check_outputs, judged_by, looked_at, result_of, split
from core.cli.inputs import built, limits_of, of_this_data, say_other_codes, schema_of, stored, used_options
from core.cli.loading import OF_ONE_FILE, Say, by_engine, data_name, engine_bounds, spark
from core.cli.progress import bar
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.decision.review import confidences, exposed, exposed_columns
from core.decision.scenario.scenario import Scenario
from core.engine.file_patterns import is_several
from core.release.algorithm import ALGORITHMS
from core.release.published.layout import ONE_EACH
from core.study.coverage import sensitive_shares
from core.study.one_run import Outcome as Attack
from core.study.redraw_numbers import attack_numbers, over_redraws
from core.study.uploads import their_schema

MADE_UP = (
    "overlap",
    "their_records",
    "their_size",
    "same_value_rate",
    "case_mix",
    "one_record",
    "record_seed",
    "repeats",
    "seed",
    "doubts",
)
"""Options for simulated hospitals, or for people with several records."""
STRANGE = 0.05
"""Share of people in no class of a folder that they are in, above which its columns are probably coded otherwise."""
OF_INTRUDER = ("named_list", "named_mine")
"""Limits of the motivated intruder, who is not tried here."""
NOT_LOOKED_AT = (
    "record",
    "evidence",
    "evidence_for",
    "marginals",
    "counts",
    "their_counts",
    "my_counts",
    "their_marks",
    "their_files",
    "intruder",
    "list_size",
    "population_list",
    "guess_by",
    "rows_are_people",
    *OF_ONE_FILE,
)
"""Options for a single file, or for output that is not written here."""


def is_wanted(options: Namespace) -> bool:
    """Whether the options name folders of several hospitals, to be joined by the person column."""
    if options.command != "attack" or not options.others:
        return False
    if any(map(is_several, options.others)):
        return True
    return by_engine(options) and _schema(options).person is not None


def _schema(options: Namespace) -> Schema:
    return schema_of(options) if options.scenario is None else stored(options).schema


def run(options: Namespace, say: Say) -> Result:
    """Release every folder, find the people in all of them, and attack them.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    check_outputs(options)
    by_engine(options)  # refuses what another engine has
    patterns, schema = (options.data, *options.others), _schema(options)
    before = None if options.scenario is None else stored(options)
    _check(options, before, schema, len(patterns))
    count = "" if options.count == ONE_EACH else None
    how = {"decimal": options.decimal, "delimiter": options.delimiter, "count": count}
    with spark(options) as by, bar("Joining the people") as progress:
        people = engine.shared_people(patterns, schema, engine_bounds(options), **how, engine=by, progress=progress)
    scenario = _scenario(options, before, people, say)
    person = shown(schema.person or "")
    if people.with_several_records:
        say(
            f"{people.with_several_records:,} more people are in all of them, with several records in one. No column "
            "says which record of one belongs to which of another, so they are not attacked, and k counts records. "
            f"{person} says who is who."
        )
    able = [name for name in looked_at("attack") if name not in OF_INTRUDER]
    held, rest = split(options, scenario.requirements, able)
    with bar("Working it out") as progress:
        encoded = _encoded(people, scenario)
        _check_values(patterns, encoded, say)
        frame, unlocated, shared = _attacked(people, encoded, scenario, options.curve_k or (), progress)
    for pattern, share in zip(patterns[1:], unlocated[1:], strict=True):
        if share > STRANGE:
            say(
                f"{percent(share)} of the people are in {shown(data_name(pattern))} but fit no class of it by my "
                "values. If it uses other words or units, the attack looks weaker than it is."
            )
    absent: dict[str, str] = {}
    of_k = {
        k: exposed(frame[frame["value"] == k], scenario, chance=False, absent=absent)
        for k in (0, *(options.curve_k or ()))
    }
    numbers = of_k.pop(0)
    by_column = exposed_columns(frame[frame["value"] == 0], scenario, chance=False)
    mine = scenario.mine
    head = (
        f"{shown(data_name(options.data))}: {encoded[0].records:,} records; {mine.policy.signs}; "
        f"{ALGORITHMS[mine.algorithm].phrase}; {len(patterns)} hospitals that share {shared:,} people.\n"
        f"They are the people whose {person} occurs in exactly one record of each."
    )
    result = result_of(
        options,
        CommandResult(
            head,
            scenario,
            encoded[0].records,
            numbers,
            absent,
            judged_by(held, numbers, others=True),
            rest,
            curve=of_k,
            by_column=by_column,
        ),
    )
    return replace(result, scenario=scenario)


def _check(options: Namespace, before: Scenario | None, schema: Schema, folders: int) -> None:
    """Refuse options that describe hospitals other than those of the folders."""
    if schema.person is None:
        raise ParameterError(
            "Folders of other hospitals are joined by the column that identifies the person of each record; name it "
            "with --person.",
            parameter="person",
        )
    used = used_options(options, MADE_UP)
    if used:
        raise ParameterError(
            f"{used[0]} is for simulated hospitals, or a table in memory; with joined folders the data determine it.",
            parameter=used[0].strip("-").replace("-", "_"),
        )
    counts = () if options.count == ONE_EACH else ("count",)
    for option in used_options(options, (*NOT_LOOKED_AT, *counts)):
        raise ParameterError(
            f"{option} is not for folders that are joined by the person column; omit it.",
            parameter=option.strip("-").replace("-", "_"),
        )
    wanted = options.releases if before is None else len(before.hospitals)
    if wanted is not None and wanted != folders:
        raise ParameterError(
            f"{folders} folders are given for {wanted} hospitals; give one folder for each.", parameter="releases"
        )
    if schema.one_record is not None:
        raise ParameterError(
            "One record per person can only be chosen for a table in memory; write a folder of such records first.",
            parameter="one_record",
        )
    if before is not None and before.uploads:
        raise ParameterError(
            "The scenario has files of other hospitals, which are not joined by the person column; use one without.",
            parameter="scenario",
        )
    if before is not None and any(hospital.counts is not None for hospital in before.hospitals):
        raise ParameterError(
            "The scenario has tables of counts, but joined folders are all released as classes; use one without.",
            parameter="scenario",
        )


def _scenario(options: Namespace, before: Scenario | None, people: engine.SharedPeople, say: Say) -> Scenario:
    mine = people.frequency_tables[0]
    if before is None:
        in_place = {"person": None, "overlap": people.people, "releases": len(people.frequency_tables)}
        scenario = built(Namespace(**{**vars(options), **in_place}), mine)
        scenario = scenario.with_(schema=scenario.schema.with_(person=options.person))
    else:
        scenario = of_this_data(before, mine, options, say).with_(overlap=people.people)
    return scenario.with_(requirements=limits_of(options, scenario.requirements))


def _check_values(patterns: Sequence[str], encoded: Sequence[Encoded], say: Say) -> None:
    """Refuse folders that have none of my sensitive values, and warn if they have few: other codes look harmless."""
    mine = encoded[0]
    for pattern, theirs in zip(patterns[1:], encoded[1:], strict=True):
        shares = sensitive_shares(theirs.sensitive, theirs.overall, mine)
        for column, (share, _) in shares.items():
            if not share:
                raise InputError(
                    f"No value of {shown(column)} in {shown(data_name(pattern))} is one of mine; write both with the "
                    "same words.",
                    parameter=column,
                )
        say_other_codes(data_name(pattern), shares, say)


def _attacked(
    people: engine.SharedPeople,
    encoded: list[Encoded],
    scenario: Scenario,
    ks: tuple[int, ...],
    progress: Progress | None,
) -> tuple[pd.DataFrame, list[float], int]:
    """Numbers of the attack under the scenario (as value 0) and with each k at all hospitals.

    And the share of people who fit no class, by release of the scenario, and the number of people.
    """
    positions, weight = people.among(encoded)
    if not len(weight):
        raise InputError("Everyone who is in all of the data is left out of one release because of a missing value.")
    made = []
    for number, (own, hospital) in enumerate(zip(encoded, scenario.hospitals, strict=True)):
        policies = [hospital.policy, *(replace(hospital.policy, k=k) for k in ks)]
        inner = step(part(progress, 0.0, 0.5), number, len(encoded))
        made.append(partition_sweep(own, policies, hospital.algorithm, inner))
    rows, unlocated = [], list[float]()
    for number, (k, releases) in enumerate(zip((0, *ks), zip(*made, strict=True), strict=True)):
        result = intersection_attack(releases, positions, scenario.locate, weight)
        unlocated = unlocated or (result.unlocated / result.people).tolist()
        attack = Attack(releases, result, positions, (1.0,) * len(releases))
        rows += attack_numbers(k, attack, confidences(scenario))
        if progress is not None:
            progress(0.5 + 0.5 * (number + 1) / (len(ks) + 1))
    return over_redraws(pd.DataFrame(rows), "k", 1), unlocated, int(weight.sum())


def _encoded(people: engine.SharedPeople, scenario: Scenario) -> list[Encoded]:
    """Encode the frequency tables; columns of others have the types of mine."""
    own = scenario.schema.with_(person=None)
    mine = people.frequency_tables[0]
    encoded = [encode(mine, own)]
    for frequencies, hospital in zip(people.frequency_tables[1:], scenario.hospitals[1:], strict=True):
        theirs = their_schema(own.quasi_identifiers, frequencies.table, mine.table, own)
        part_of = encode(frequencies, theirs)
        encoded.append(part_of if hospital.attributes is None else part_of.only(hospital.attributes))
    return encoded


__all__ = ["is_wanted", "run"]
