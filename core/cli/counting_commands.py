"""The commands that count records instead of keeping them in memory: frequency-table and release."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np

from core import engine
from core.algorithms import partition
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.placing import Place, placed
from core.cli.arguments import building
from core.cli.commands import BROKEN, MET, CommandResult, Result, judged_by, split, text_of
from core.cli.inputs import (
    built,
    check_used,
    inputs_of,
    limits_of,
    need_columns,
    of_this_data,
    roles_of,
    say_remarks,
    stored,
    used_options,
)
from core.cli.loading import CountedTable, Say, by_engine, counted, data_name
from core.cli.outputs import check_new, plain
from core.cli.progress import bar
from core.data.encoding.encoded import encode
from core.data.frequency_table import FrequencyTable, rows_of
from core.data.reading.frequency_file import COUNT
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.decision.review import Number, measured
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import Scenario
from core.engine.file_patterns import would_name
from core.engine.output import write_counts
from core.measurement import MEASURES, measure
from core.release.algorithm import ALGORITHMS
from core.release.remeasured import remeasured
from core.release.utility import gcp

COLUMNS = ("qids", "sensitive")
"""Scenario options that a frequency table needs."""
NO_RECORDS = (
    "What is counted, by an engine or in a frequency table, lists no rows whose classes could be written; give one "
    "table of records, without --engine."
)


def run(options: Namespace, say: Say) -> Result:
    """Run frequency-table or release.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    check_used(options)
    out = Path(options.out)
    _check_out(options, out)
    if options.command == "frequency-table":
        return _frequency_table(options, out, say)
    return _release(options, out, say)


def _check_out(options: Namespace, out: Path) -> None:
    """Refuse an output that exists, or that would replace an input."""
    inputs = [path.resolve() for path in inputs_of(options)]
    place = out.resolve()
    if any(path == place or path.is_relative_to(place) for path in inputs):
        raise InputError(f"{shown(out.name)} is an input, or a folder that holds one; choose another name.")
    for written in filter(None, (options.out, getattr(options, "classes", None))):
        if would_name(options.data, written):
            raise InputError(
                f"{shown(Path(written).name)} would be in the data folder, and the next command would read it as data; "
                "choose another folder."
            )
    Place(out, options.force, is_folder=True).check()
    if out.exists() and out.is_dir() != (options.command == "release"):
        raise InputError(f"{shown(out.name)} is not a {'folder' if out.is_file() else 'file'}; choose another name.")
    scenario = getattr(options, "save_scenario", None)
    if scenario is not None:
        check_new(Path(scenario), inputs, options.force)
    file = _class_file(options) if options.command == "release" else None
    if file is not None:
        check_new(file.path, [*inputs, *([Path(scenario)] if scenario else [])], options.force)
        if file.path.resolve().is_relative_to(place):
            raise InputError("The file of classes would be in the folder that is published; name a file elsewhere.")


def _class_file(options: Namespace) -> engine.ClassFile | None:
    """Destination for the class of every row, if requested."""
    if options.classes is None:
        if options.key is not None:
            raise ParameterError("--key needs --classes; give that too.", parameter="key")
        return None
    if by_engine(options):
        raise ParameterError(NO_RECORDS, parameter="classes")
    return engine.ClassFile(Path(options.classes), options.key or "")


def _frequency_table(options: Namespace, out: Path, say: Say) -> Result:
    if options.scenario is not None:
        roles = stored(options).schema
        _need_no_persons(roles)
    else:
        need_columns(options)
        useless = used_options(options, [name for name in building() if name not in COLUMNS])
        if useless:
            raise ParameterError(
                f"{useless[0]} is for a release, not for a frequency table; omit it.", parameter=useless[0]
            )
        # Nothing is said here about other columns: a file that only looks like a frequency table is counted row by row.
        roles = roles_of(options).with_(unassigned="drop")
    frequencies = counted(options, roles, say).frequency_table
    # The mark of a frequency table names one sensitive column.
    mark = roles.sensitive if not roles.parts else ""
    engine.write_frequency_table(frequencies, out, options.count or COUNT, sensitive=mark, force=options.force)
    if options.json:
        facts = {
            "format": "composition frequency table",
            "records": frequencies.records,
            "rows": len(frequencies),
            "count": options.count or COUNT,
            "data_id": frequencies.content_id,
        }
        return Result(json.dumps(facts, indent=1) + "\n", MET)
    name = shown(data_name(options.data))
    return Result(plain(f"{name}: {frequencies.records:,} records, {len(frequencies):,} distinct rows.\n"), MET)


def _release(options: Namespace, out: Path, say: Say) -> Result:
    """Release, measure what is to be published, and write it if no limit is broken."""
    schema = roles_of(options) if options.scenario is None else stored(options).schema
    file = _class_file(options)
    data = counted(options, schema, say)
    if file is not None:
        _check_rows(data, file)
    scenario = _scenario(options, data.source, say)
    mine, schema = scenario.mine, scenario.schema
    able = [name for name in ("classes", *MEASURES, "loss") if name != "agreed" or schema.agreement is not None]
    held, rest = split(options, scenario.requirements, able)
    table_of = data.frequency_table if schema.person is None else data.source
    encoded = encode(table_of, schema)
    say_remarks(table_of, schema, say)
    with bar("Forming classes") as progress:
        release = partition(encoded, mine.policy, mine.algorithm, progress)
    # What is written has the records, and does not say whose they are.
    listed = replace(encoded, person=np.arange(len(encoded), dtype=np.int32))
    table, counts = replace(release, encoded=listed).publish_counts()
    if encoded.has_multiple_records:
        guarantee = remeasured(release, schema)
    else:
        guarantee = measure(table, schema, mine.policy.distance, counts, suppression=False)
    numbers = measured(guarantee)
    numbers["loss"] = Number(gcp(release), encoded.records, "records")
    persons = encoded.people if encoded.has_multiple_records else 0
    size = encoded.records, len(data.frequency_table)
    result = _judged(options, scenario, size, numbers, held, rest, persons)
    if result.status == BROKEN:
        say("Nothing was written, because a limit is broken.")
        return result
    texts = {} if options.save_scenario is None else {Path(options.save_scenario): scenario.to_json()}
    private = [] if file is None else [Place(file.path, options.force)]
    places = Place(out, options.force, is_folder=True), *(Place(path, options.force) for path in texts), *private
    with placed(*places) as (folder, *others):
        for place, text in zip(others, texts.values(), strict=False):
            place.write_text(text, encoding="utf-8")
        if file is not None and isinstance(data.source, Table):
            classes = np.full(len(rows_of(table_of)), -1, dtype=np.int64)
            classes[encoded.rows] = release.classes.labels
            engine.write_classes(data.source, classes[data.place], file, others[-1])
        with bar("Writing the release") as progress:
            write_counts(table, counts, folder, options.format, progress)
    if file is not None:
        say(
            f"{shown(file.path.name)} says which class each row of the data is in, so it is as secret as they are: "
            f"publish the folder {shown(out.name)} alone."
        )
    return result


def _check_rows(data: CountedTable, file: engine.ClassFile) -> None:
    """Refuse, before anything is formed, rows that are not there to be listed, or that no column names."""
    if not isinstance(data.source, Table):
        raise ParameterError(NO_RECORDS, parameter="classes")
    if file.key:
        data.source.column(file.key)


def _scenario(options: Namespace, source: Table | FrequencyTable, say: Say) -> Scenario:
    """Return the stored scenario, or the one that the options define."""
    if options.scenario is None:
        scenario = built(options, source)
    else:
        scenario = of_this_data(stored(options), source, options, say)
    if isinstance(source, FrequencyTable):
        _need_no_persons(scenario.schema)
    _need_no_unmodified(scenario.schema)
    return scenario.with_(requirements=limits_of(options, scenario.requirements))


def _need_no_persons(schema: Schema) -> None:
    """Refuse to count records whose persons are to be counted."""
    if schema.person is not None:
        raise ParameterError(
            "What counts equal records does not identify their persons; keep one record of each person in the data, "
            "and omit --person.",
            parameter="person",
        )


def _need_no_unmodified(schema: Schema) -> None:
    """Refuse columns that cannot be counted with the others, with what to do in this command."""
    if schema.unmodified:
        name = shown(next(iter(schema.unmodified)))
        why = f"This command counts equal records, so {name} cannot be"
        if schema.agreement is not None:
            why = f"An agreement guarantees nothing if {name} is"
        raise ParameterError(f"{why} published as it is; omit it from --unmodified.", parameter="unmodified")


def _judged(
    options: Namespace,
    scenario: Scenario,
    size: tuple[int, int],
    numbers: dict[str, Number],
    held: Requirements,
    rest: list[str],
    persons: int = 0,
) -> Result:
    """Answer for a release, with its records and distinct rows, and persons if they may have several records."""
    records, rows = size
    mine = scenario.mine
    lost = records - int(numbers["classes"].n)
    left_out = f" ({lost:,} left out)" if lost else ""
    of_persons = f" of {persons:,} persons" if persons else ""
    head = (
        f"{shown(data_name(options.data))}: {records:,} records{left_out}{of_persons}, {rows:,} distinct rows; "
        f"{mine.policy.signs}; {ALGORITHMS[mine.algorithm].phrase}."
    )
    outcome = CommandResult(head, scenario, records, numbers, {}, judged_by(held, numbers), rest)
    return text_of(options, outcome)
