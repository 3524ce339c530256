"""Turn files and options into a scenario with its data."""

from __future__ import annotations

import hashlib
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import structs

from core.attack.updates import Update
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.json_files import parsed
from core.base.json_files import read as read_struct
from core.base.limits import LIMITS
from core.base.wording import listed, percent
from core.cli.arguments import SALT_VARIABLE, WITH_OTHERS, building, names_of, with_option
from core.cli.loading import NO_COLUMNS, CountedTable, Say, data_files, read
from core.cli.progress import bar
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.marginals import Marginals
from core.data.frequency_table import FrequencyTable, rows_of
from core.data.profiling.cautions import cautions, forms_left_out
from core.data.reading import read_hierarchy, read_table
from core.data.schemas.agreement import MAX_TEXT as MAX_AGREEMENT
from core.data.schemas.agreement import Agreement
from core.data.schemas.hierarchies import proposed_hierarchy
from core.data.schemas.schema import DateFormat, Schema, UnmodifiedColumn
from core.data.tables.table import Table
from core.decision.review import Case
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import MAX_TEXT, Scenario
from core.engine.file_patterns import is_several
from core.privacy.model import parameters_of
from core.privacy.policy import Policy
from core.register import Register
from core.release.algorithm import DEFAULT, MINE, for_agreements
from core.release.count_settings import settings_of
from core.release.published.layout import ONE_EACH
from core.report import Decision
from core.study.coverage import DOUBTFUL, in_reach, reach, remarks, sensitive_shares
from core.study.hospitals import OWN, PUBLISHED, Hospital
from core.study.kept_classes import KeptClasses
from core.study.own_counts import own_hospital
from core.study.table_versions import attack_versions, kept_or_refused
from core.study.uploads import Foreign, Upload, open_upload, proposed_upload

NOT_LOOKED_AT = {
    "measure": ("others",),
    "forecast": ("others",),
    "frequency-table": ("others", "marginals", "limit", "on_average"),
    "release": ("others", "marginals"),
    "update": (
        *("others", "marginals", "on_average", "record", "recipient", "one_record", "unmodified"),
        *("overlap", "confidence", "locate", "seed", "repeats", "releases", "their_k", "their_algorithm"),
        *("their_records", "their_files", "their_size", "same_value_rate", "case_mix", "count"),
        *("their_counts", "my_counts"),
        *("engine", "master", "m"),
    ),
}
"""Options that a command does not use, by command."""
OF_OTHERS = ("their_files", "their_marks", "counts")
"""Options that describe the files of ``--others``."""
AS_PUBLISHED = (
    *("qids", "sensitive", "unmodified", "unmodified_same_value_rate", "identifiers", "person"),
    *("agreement", "distance", "missing_tokens"),
)
"""Scenario options that also describe a published table."""
MOST_SMALL = 50_000_000
"""Largest size in bytes of a hierarchy, a decision or a file of statistics."""


def compared(
    options: Namespace, table: Table | FrequencyTable, scenario: Scenario, say: Say
) -> tuple[Update, KeptClasses | None, str]:
    """Compare the table with the earlier version of ``--before``: the attack, and the remedy or why there is none.

    Raises
    ------
    CompositionError
        If either is no table of records, or they cannot be compared.
    """
    if is_several(options.data) or is_several(options.before):
        raise ParameterError("An update needs the records of both versions; give one file for each.", parameter="data")
    earlier = read(Namespace(**{**vars(options), "data": options.before}), scenario.schema, say)
    if not isinstance(table, Table) or isinstance(earlier, CountedTable):
        raise ParameterError("An update needs the records of both versions; give tables, not counts.", parameter="data")
    mine, schema = scenario.mine, scenario.schema
    names = schema.identifiers or ((schema.person,) if schema.person else ())
    versions = (earlier, table, schema, mine.policy, mine.algorithm, names)
    with bar("Attacking the difference"):
        return attack_versions(*versions, options.knows), *kept_or_refused(*versions)


def given(options: Namespace, say: Say) -> tuple[Table | FrequencyTable, Case]:
    """Read everything and check that it belongs together: the table, and the scenario on its data.

    Raises
    ------
    CompositionError
        With the option, file or column at fault.
    """
    before = None if options.scenario is None else stored(options)
    data = read(options, roles_of(options) if before is None else before.schema, say)
    # Counted records are not kept in memory.
    table, held = (data.source, data.frequency_table) if isinstance(data, CountedTable) else (data, data)
    scenario = built(options, table) if before is None else of_this_data(before, table, options, say)
    if before is None and options.others and options.command in WITH_OTHERS:
        scenario = _with_files(options, scenario, held, say)
    scenario = scenario.with_(requirements=limits_of(options, scenario.requirements))
    encoded = encode(held, scenario.schema)
    say_remarks(held, scenario.schema, say)
    if scenario.overlap > encoded.people:
        what = "persons" if encoded.has_multiple_records else "records"
        raise ParameterError(
            f"The overlap can be at most the {encoded.people:,} {what} of the table.", parameter="overlap"
        )
    scenario, marginals = _marginals(options, scenario, encoded, say)
    scenario, files = _files(options, scenario, held, encoded, say)
    for upload, foreign in files.items():
        published = foreign.published
        shares = sensitive_shares(published.sensitive, published.histogram.overall, encoded)
        _say_other_codes(upload.name, shares, say)
        for column, share in reach(foreign, encoded).items():
            if share < DOUBTFUL:
                say(
                    f"Only {100 * share:.1f}% of the records have a value of {shown(column)} that occurs in the file "
                    f"{shown(upload.name)}. If the file uses other words or units, the attack looks weaker than it is."
                )
    return table, Case(encoded, scenario, files, marginals)


def _say_other_codes(name: str, shares: Mapping[str, tuple[float, float]], say: Say) -> None:
    """Warn that the sensitive values of another hospital are probably coded otherwise than mine."""
    for column, (share, my_share) in shares.items():
        if min(share, my_share) < DOUBTFUL:
            say(
                f"{percent(share)} of the records of {shown(name)} have a value of {shown(column)} that is one of "
                f"mine, and {percent(my_share)} of mine have one of theirs. If they are coded otherwise, the attack "
                "excludes values that are the same."
            )


def inputs_of(options: Namespace) -> list[Path]:
    """Every input file; none may be overwritten."""
    names = [*map(str, data_files(options.data)), options.scenario, options.marginals, options.agreement]
    names += options.others
    small = ("decision", "salt_file", "before", "population_list", "register", "from")
    names += [getattr(options, name, None) for name in small]
    names += list(taxonomy_files(options).values())
    return [Path(name) for name in names if name]


def check_used(options: Namespace) -> None:
    """Refuse, before any work, options that the command would ignore.

    Raises
    ------
    ParameterError
        Naming the first.
    """
    for name in NOT_LOOKED_AT.get(options.command, ()):
        if getattr(options, name) not in (None, False, [], ""):
            option = name.replace("_", "-")
            raise ParameterError(f"{options.command} does not use --{option}; omit it.", parameter=name)
    if any(map(is_several, options.others)):
        raise ParameterError(
            "--others takes one file for each hospital; release each folder with the command release, and give the "
            "private copies.",
            parameter="others",
        )
    for name in OF_OTHERS if not options.others else ():
        if getattr(options, name, None) is not None:
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} needs --others; give that too.", parameter=name)


def say_remarks(data: Table | FrequencyTable, schema: Schema, say: Say) -> None:
    """Report the remarks that the page Data shows next to its columns."""
    for caution in (*cautions(data, schema), *forms_left_out(data, schema)):
        say(caution.text)
    for column, tree in schema.taxonomies.items():
        for note in tree.notes:
            say(f"The taxonomy of {shown(column)}: {note}")


def stored(options: Namespace) -> Scenario:
    """Read the scenario file; with ``--rows-are-people`` every record is another person.

    Raises
    ------
    ParameterError
        If it cannot be read, or options that make a scenario are given as well.
    """
    used = used_options(options, building())
    if used:
        raise ParameterError(
            f"{used[0]} defines a scenario, and --scenario names one; omit one of them.", parameter=used[0]
        )
    scenario = Scenario.from_json(content(options.scenario, MAX_TEXT))
    people = scenario.schema.rows_are_people or bool(options.rows_are_people)
    return scenario.with_(schema=scenario.schema.with_(rows_are_people=people))


def used_options(options: Namespace, names: Sequence[str]) -> list[str]:
    """Spelling of those of the named options that were given."""
    return [f"--{name.replace('_', '-')}" for name in names if getattr(options, name) is not None]


def limits_of(options: Namespace, before: Requirements) -> Requirements:
    """Let the limits of the options replace the existing ones."""
    return before.with_(dict(options.limit))


def published_schema(options: Namespace) -> Schema:
    """Roles of the columns of a published table; every column needs one, because its reader has every column.

    Raises
    ------
    ParameterError
        If an option is given that only a release of raw records could follow.
    """
    need_columns(options)
    useless = used_options(options, [name for name in building() if name not in AS_PUBLISHED])
    if useless:
        raise ParameterError(
            f"{useless[0]} is for raw records, which are released first with -k; without -k the data are measured as "
            f"published.",
            parameter=useless[0],
        )
    return roles_of(options).with_(agreement=agreement_of(options))


def agreement_of(options: Namespace) -> Agreement | None:
    """Read the agreement that all publishers keep."""
    return None if options.agreement is None else Agreement.from_json(content(options.agreement, MAX_AGREEMENT))


def decision_of(path: str | None) -> Decision:
    """Read the decision; see :class:`core.report.Decision`."""
    if path is None:
        return Decision()
    return read_struct(parsed(content(path, MOST_SMALL)), Decision, "decision", InputError)


def stored_register(path: str) -> Register:
    """Read a publication register."""
    return Register.from_json(content(path, int(LIMITS["register"].most)))


def content(name: str, most: int) -> bytes:
    """Read a small ordinary file; a pipe or a device could be endless, or keep the run waiting."""
    path = Path(name)
    try:
        if path.is_dir():
            raise InputError(f"{shown(path.name or name)} is a folder; give a file.")
        if path.exists() and not path.is_file():
            raise InputError(f"{shown(path.name)} is a pipe or a device; save its content as a file and give that.")
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except FileNotFoundError:
        raise InputError(f"The file {shown(path.name)} does not exist.") from None
    except (OSError, ValueError):
        raise InputError(f"The file {shown(path.name)} cannot be read; check the path and your permission.") from None
    if len(data) > most:
        raise InputError(f"The file {shown(path.name)} is larger than {most // 1_000_000} MB.")
    return data


def salt_of(options: Namespace) -> str:
    """Salt for the digests of an external report: from a file, else from the environment, else none."""
    if options.strength != "external":
        return ""
    if options.salt_file is None:
        return os.environ.get(SALT_VARIABLE, "")
    lines = content(options.salt_file, 10_000).splitlines()
    try:
        salt = lines[0].decode("utf-8") if lines else ""
    except UnicodeDecodeError:
        raise InputError("The first line of the salt file is not UTF-8 text.", parameter="salt_file") from None
    if not salt:
        raise InputError("The first line of the salt file is empty.", parameter="salt_file")
    return salt


# ---- a scenario file --------------------------------------------------------------------


def of_this_data(scenario: Scenario, table: Table | FrequencyTable, options: Namespace, say: Say) -> Scenario:
    """Refuse data that the scenario was not made for, or warn and continue."""
    name = Path(options.data).name
    if scenario.data_id and scenario.data_id != table.content_id:
        _other(f"The scenario was made for another table than {shown(name)}.", options, say)
    elif scenario.data_id:
        return scenario
    return scenario.with_(data_id=table.content_id, data_name=name[:200])


def _other(sentence: str, options: Namespace, say: Say) -> None:
    if not options.other_data:
        raise InputError(f"{sentence} Give that one, or use this one with --other-data.")
    say(f"{sentence} It is used because of --other-data.")


def _marginals(options: Namespace, scenario: Scenario, encoded: Encoded, say: Say) -> tuple[Scenario, Marginals | None]:
    question = scenario.forecast
    if options.marginals is None:
        return scenario, None
    if question.statistics != "file" and options.scenario is not None:
        raise ParameterError(
            "The scenario takes its statistics from the table; omit --marginals.", parameter="marginals"
        )
    raw = content(options.marginals, MOST_SMALL)
    digest = hashlib.sha256(raw).hexdigest()
    if question.statistics == "file" and question.file_id != digest:
        _other("The scenario was made with other population statistics.", options, say)
    question = structs.replace(question, statistics="file", file_id=digest)
    return scenario.with_(forecast=question), Marginals.read(raw, encoded)


def _with_files(options: Namespace, scenario: Scenario, table: Table | FrequencyTable, say: Say) -> Scenario:
    """Replace simulated hospitals of the scenario with the files of others, matched by names and values."""
    schema = scenario.schema
    encoded, like = encode(table, schema), scenario.hospitals[1]
    if options.their_files == "mine" and options.counts is None:
        raise ParameterError(
            "--their-files mine is for tables of counts; say with --counts what their marks mean.",
            parameter="their_files",
        )
    others = []
    for path in options.others:
        theirs, name = read_table(path), Path(path).name
        upload = _answered(options, proposed_upload(theirs, table, encoded, schema, name, options.counts or ""), theirs)
        if options.their_files == "mine":
            upload = structs.replace(upload, own=True)
        pairs = ", ".join(f"{shown(header)} is {shown(mine)}" for mine, header in upload.columns)
        absent = [shown(mine) for mine in schema.released if upload.theirs(mine) is None]
        lacks = f" It has no column for {listed(absent)}, so it says nothing of that." if absent else ""
        share = in_reach(open_upload(upload, theirs, table, schema), encoded)
        say(
            f"{shown(name)}: {pairs}.{lacks} So matched, {100 * share:.1f}% of my records can be in it; from "
            "the others the attack takes nothing."
        )
        others.append(replace(like, origin=PUBLISHED, upload=upload))
    own = (hospital for hospital in scenario.hospitals if hospital.origin == OWN)
    return scenario.with_(hospitals=(scenario.hospitals[0], *others, *own))


def _files(
    options: Namespace, scenario: Scenario, table: Table | FrequencyTable, encoded: Encoded, say: Say
) -> tuple[Scenario, dict[Upload, Foreign]]:
    """Match the files of others with the scenario's uploads by their content, if they take part."""
    if options.command not in WITH_OTHERS:
        return scenario, {}
    theirs = {}
    for name in options.others:
        read = read_table(name)
        theirs[read.content_id] = (read, Path(name).name)
    scenario = scenario.with_(hospitals=tuple(_with_answers(options, each, theirs) for each in scenario.hospitals))
    wanted = {upload.content_id for upload in scenario.uploads}
    for content_id, (_, name) in theirs.items():
        if content_id not in wanted:
            raise InputError(f"No hospital of the scenario publishes the file {shown(name)}; omit it.")
    opened = {}
    for upload in scenario.uploads:
        if upload.content_id not in theirs:
            called = f" ({shown(upload.name)})" if upload.name else ""
            raise InputError(
                f"The scenario needs the file of another hospital{called} with the content that it had; give it with "
                "--others.",
                parameter="others",
            )
        file = theirs[upload.content_id][0]
        opened[upload] = open_upload(upload, file, table, scenario.schema)
        for remark in remarks(upload, file, opened[upload], encoded):
            say(f"{shown(upload.name)}: {remark}")
    return scenario, opened


def _with_answers(options: Namespace, hospital: Hospital, files: Mapping[str, tuple[Table, str]]) -> Hospital:
    """Create a hospital whose file is read as the options say."""
    if hospital.upload is None or hospital.upload.content_id not in files:
        return hospital
    return replace(hospital, upload=_answered(options, hospital.upload, files[hospital.upload.content_id][0]))


def _answered(options: Namespace, upload: Upload, theirs: Table) -> Upload:
    """Apply the options about marks and counts of a release unless something else was said."""
    count = "" if options.count == ONE_EACH else options.count if options.count in theirs.names else None
    return structs.replace(
        upload,
        marks=upload.marks or options.their_marks or "",
        count=count if upload.count is None else upload.count,
        counts=upload.counts or options.counts or "",
    )


# ---- a scenario of options -----------------------------------------------------------------


def _tokens(options: Namespace) -> tuple[str, ...]:
    return ("", *names_of(options.missing_tokens))


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def need_columns(options: Namespace) -> None:
    """Refuse options that name no columns."""
    if not options.qids or not options.sensitive:
        raise ParameterError(NO_COLUMNS)


def built(options: Namespace, table: Table | FrequencyTable) -> Scenario:
    """Return the scenario that the options define."""
    need_columns(options)
    if options.k is None:
        raise ParameterError("Give k, the people per class, with -k, or a scenario with --scenario.", parameter="k")
    alone = options.overlap is None and options.my_counts is not None and not options.others
    if options.overlap is None and options.command in WITH_OTHERS and not alone:
        raise ParameterError("Give the number of people who are in all releases with --overlap.", parameter="overlap")
    parameters = {name: _plain(getattr(options, name)) for name in parameters_of()}
    mine = Policy.of({name: value for name, value in parameters.items() if value is not None})
    theirs = replace(mine, k=_or(options.their_k, options.k), m=None)
    agreement = agreement_of(options)
    _check_algorithm(options, agreement)
    if agreement is not None:
        agreement.check_origin(table.content_id)
    kept = for_agreements()[0] if agreement is not None else None
    other = Hospital(
        theirs,
        _or(options.their_algorithm, kept or DEFAULT),
        _or(options.same_value_rate, 1.0),
        _or(options.their_records, "resampled"),
        options.their_size,
        case_mix=_or(options.case_mix, 0.0),
        counts=None if options.their_counts is None else settings_of(options.their_counts),
    )
    mine_first = Hospital(mine, _or(options.algorithm, kept or MINE))
    others = () if alone else (other,) * (min(_or(options.releases, 2), 100) - 1)
    own = () if options.my_counts is None else (own_hospital(mine_first, settings_of(options.my_counts)),)
    schema = with_hierarchies(options, schema_of(options), rows_of(table)).with_(agreement=agreement)
    chosen = {name: getattr(options, name) for name in with_option()}
    return Scenario(
        schema=schema,
        hospitals=(mine_first, *others, *own),
        overlap=encode(table, schema).people if alone else _or(options.overlap, 1),
        data_name=Path(options.data).name[:200],
        data_id=table.content_id,
    ).with_(**{name: value for name, value in chosen.items() if value is not None})


def _check_algorithm(options: Namespace, agreement: Agreement | None) -> None:
    """Refuse an agreement that my release would not keep."""
    if agreement is not None and options.algorithm not in (None, *for_agreements()):
        raise ParameterError(
            f"The algorithm {options.algorithm} does not keep an agreement; choose {' or '.join(for_agreements())}, or "
            "omit --agreement.",
            parameter="algorithm",
        )


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def by_column(texts: Sequence[str] | None, columns: Sequence[str], option: str, what: str) -> dict[str, str]:
    """Read the values of an option such as COLUMN=FILE, and return what each column is given.

    A column name may itself contain the sign =: the longest name that fits is meant.
    """
    given = {}
    longest_first = sorted(columns, key=len, reverse=True)
    for text in texts or ():
        before_sign, sign, _ = text.partition("=")
        if not sign:
            raise ParameterError(f"--{option} is given as COLUMN={what}.", parameter=option)
        column = next((column for column in longest_first if text.startswith(f"{column}=")), before_sign)
        given[column] = text[len(column) + 1 :]
    return given


def taxonomy_files(options: Namespace) -> dict[str, str]:
    """File of each column that has a taxonomy."""
    return by_column(options.taxonomy, _described(options), "taxonomy", "FILE")


def _described(options: Namespace) -> tuple[str, ...]:
    """Columns that have a kind."""
    return (*names_of(options.qids), *names_of(options.sensitive))


def _numbers_by_column(options: Namespace, texts: Sequence[str] | None, option: str, what: str) -> dict[str, float]:
    given = by_column(texts, names_of(options.unmodified), option, what)
    try:
        return {column: float(number) for column, number in given.items()}
    except ValueError:
        raise ParameterError(f"--{option} is given as COLUMN={what}, with a number.", parameter=option) from None


def schema_of(options: Namespace) -> Schema:
    """Roles and types of the columns of raw records, as the options give them."""
    need_columns(options)
    files = taxonomy_files(options).items()
    return roles_of(options).with_(
        taxonomies={column: read_hierarchy(content(name, MOST_SMALL), column=column) for column, name in files},
        dates=DateFormat.each(
            by_column(options.date_format, _described(options), "date-format", "FORMAT"),
            by_column(options.date_unit, _described(options), "date-unit", "UNIT"),
        ),
    )


def roles_of(options: Namespace) -> Schema:
    """Roles of the columns, as the options give them."""
    need_columns(options)
    return Schema(
        names_of(options.qids),
        names_of(options.sensitive),
        names_of(options.identifiers),
        options.provider,
        missing=_or(options.missing, "category"),
        missing_tokens=_tokens(options),
        unassigned="drop" if options.drop_unassigned else "error",
        person=options.person,
        one_record=options.one_record,
        record_seed=_or(options.record_seed, 0),
        rows_are_people=bool(options.rows_are_people),
        unmodified=UnmodifiedColumn.each(
            names_of(options.unmodified),
            _numbers_by_column(options, options.unmodified_same_value_rate, "unmodified-same-value-rate", "SHARE"),
            _numbers_by_column(options, options.round, "round", "STEP"),
            names_of(options.diverse),
        ),
    )


def with_hierarchies(options: Namespace, schema: Schema, table: Table) -> Schema:
    """Schema with the hierarchies that columns of the options suggest."""
    trees = dict(schema.taxonomies)
    for name in names_of(options.hierarchies):
        schema.check_columns(table.names, need=[name])
        known = [label for label in table.column(name).labels if label not in schema.missing_tokens]
        proposed = proposed_hierarchy(name, known)
        if proposed is None or name in trees:
            raise ParameterError(
                f"The values of {shown(name)} suggest no hierarchy, or a taxonomy is given; codes of one length, "
                "postal codes, ages in years, countries and codes of diseases suggest one. Give a file with "
                "--taxonomy instead.",
                parameter="hierarchies",
            )
        trees[name] = proposed.tree
    return schema.with_(taxonomies=trees)
