"""The commands that count records instead of holding them: tally and release."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from core import lake
from core.algorithms import partition
from core.cli.arguments import building
from core.cli.inputs import built, limits_of, need_columns, of_this_data, stored, used_options, wanted
from core.cli.outputs import check_new, plain
from core.cli.progress import bar
from core.cli.runs import BROKEN, MET, Outcome, Result, as_json, as_text, check, split, status_of
from core.cli.tables import Say, Wanted, counted, data_files
from core.data.encoding import encode
from core.data.reading.tallies import COUNT
from core.errors import InputError, ParameterError
from core.errors import shown_name as shown
from core.lake.output import check_new as check_place
from core.measurement import MEASURES, measure
from core.release.algorithm import ALGORITHMS
from core.release.utility import gcp
from core.review import Judgement, Number, measured

COLUMNS = ("qids", "sensitive")
"""Building options that a tally needs."""
OF_OTHERS = ("others", "marginals")


def run(options: Namespace, say: Say) -> Result:
    """Run tally or release.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    for name in OF_OTHERS:
        if getattr(options, name):
            raise ParameterError(f"{options.command} does not look at --{name}; leave it away.", parameter=name)
    out = Path(options.out)
    _check_out(options, out)
    if options.command == "tally":
        return _tally(options, out, say)
    return _release(options, out, say)


def _check_out(options: Namespace, out: Path) -> None:
    """Refuse an output that is taken, or that would replace what is read."""
    inputs = [path.resolve() for path in data_files(options)]
    inputs += [Path(name).resolve() for name in [options.scenario] if name]
    place = out.resolve()
    if any(path == place or path.is_relative_to(place) for path in inputs):
        raise InputError(f"{shown(out.name)} is read here, or holds what is read; choose another name.")
    check_place(out, options.force)
    if out.exists() and out.is_dir() != (options.command == "release"):
        raise InputError(f"{shown(out.name)} is no {'folder' if out.is_file() else 'file'}; choose another name.")
    scenario = getattr(options, "save_scenario", None)
    if scenario is not None:
        check_new(Path(scenario), inputs, options.force)


def _tally(options: Namespace, out: Path, say: Say) -> Result:
    if options.scenario is not None:
        roles = Wanted.of(stored(options).schema)
    else:
        need_columns(options)
        useless = used_options(options, [name for name in building() if name not in COLUMNS])
        if useless:
            raise ParameterError(f"{useless[0]} is for a release; a tally needs none.", parameter=useless[0])
        # Nothing is said here of other columns: a file that only looks like a tally is counted row by row.
        roles = replace(wanted(options), drops=True)
    tally = counted(options, roles, say).tally
    lake.write_tally(tally, out, options.count or COUNT, sensitive=roles.columns[-1], force=options.force)
    if options.json:
        facts = {
            "format": "composition tally",
            "records": tally.records,
            "rows": len(tally),
            "count": options.count or COUNT,
            "data_id": tally.content_id,
        }
        return Result(json.dumps(facts, indent=1) + "\n", MET)
    name = shown(Path(options.data).name)
    return Result(plain(f"{name}: {tally.records:,} records, {len(tally):,} distinct rows.\n"), MET)


def _release(options: Namespace, out: Path, say: Say) -> Result:
    """Release, measure what is to be published, and write it if no limit is broken."""
    if options.scenario is not None:
        scenario = stored(options)
        data = counted(options, Wanted.of(scenario.schema), say)
        scenario = of_this_data(scenario, data.source, options, say)
    else:
        data = counted(options, wanted(options), say)
        scenario = built(options, data.source)
    scenario = scenario.with_(requirements=limits_of(options, scenario.requirements))
    mine, schema = scenario.mine, scenario.schema
    held, rest = split(options, scenario.requirements, ("classes", *MEASURES, "loss"))
    encoded = encode(data.tally, schema)
    with bar("Forming classes") as progress:
        release = partition(encoded, mine.policy, mine.algorithm, progress)
    frame, counts = release.publish_counts()
    guarantee = measure(frame, schema, mine.policy.distance, counts)
    numbers = {"classes": Number(guarantee.classes, guarantee.rows, "records")}
    numbers |= measured(guarantee)
    numbers["loss"] = Number(gcp(release), encoded.records, "records")
    judged = Judgement(tuple(check(name, limit, numbers[name]) for name, limit in held.asked.items()), False)
    head = (
        f"{shown(Path(options.data).name)}: {encoded.records:,} records, {len(data.tally):,} distinct rows; "
        f"{mine.policy.signs}; {ALGORITHMS[mine.algorithm].phrase}."
    )
    outcome = Outcome(head, scenario, encoded.records, numbers, {}, judged, rest)
    status = status_of(judged, options.on_average)
    text = as_json(options, outcome) if options.json else as_text(outcome, options.on_average)
    if status == BROKEN:
        say("Nothing was written, because a limit is broken.")
        return Result(text, status)
    with bar("Writing the release") as progress:
        lake.write_release(release, out, options.format, force=options.force, progress=progress)
    saved = {} if options.save_scenario is None else {Path(options.save_scenario): scenario.to_json() + "\n"}
    return Result(text, status, saved)
