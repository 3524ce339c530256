"""The command ``register``: enter what has been published, and check what recipients can conclude."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.base.metrics import MET, NOT_MET
from core.base.placing import Place
from core.base.settling import held
from core.base.wording import percent, several
from core.cli.arguments import names_of
from core.cli.commands import BROKEN, OPEN, Result
from core.cli.inputs import content, stored_register
from core.cli.loading import Say
from core.cli.outputs import check_new, plain, save_again
from core.cli.progress import bar
from core.data.reading import read_table
from core.data.tables.table import Table
from core.register import (
    KINDS,
    LIMITED,
    Added,
    Publication,
    Register,
    Standing,
    added,
    match_files,
    remarks_on,
    worst_first,
)
from core.register.recipients import SHARES, in_words, value_text
from core.study.uploads import COUNT

ONLY_ADDED = (
    *("file", "kind", "date", "recipient", "public", "name", "record", "qids", "sensitive", "unmodified", "count"),
    *("counts", "epsilon", "delta", "version_of", "entry", "private", "key", "files", "leave_open", "try"),
)
"""Options of ``add`` alone."""
OF_NEW = tuple(
    name
    for name in ONLY_ADDED
    if name not in ("recipient", "public", "entry", "private", "key", "files", "leave_open", "try")
)
"""Options that describe a new publication."""
READ = ("file", "private", "record")
"""Options that name one file to read."""
STATUS = {MET: 0, NOT_MET: BROKEN}


def run(options: Namespace, say: Say) -> Result:
    """Run one action on a register.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    if options.action == "add":
        # From before it is read until it has its name: two runs at once keep both entries.
        with held(str(Place(Path(options.register)).real.parent), wait=True):
            return _add(options, say)
    useless = next((name for name in ONLY_ADDED if getattr(options, name)), None)
    if useless is not None:
        raise ParameterError(
            f"register {options.action} does not use --{_spelled(useless)}; omit it.", parameter=useless
        )
    if options.action == "check" and not options.limit:
        raise ParameterError(f"Give a limit with --limit, such as one_value_left=5%; there are {', '.join(LIMITED)}.")
    register = stored_register(options.register)
    if register.agreements_in_words:
        say(register.agreements_in_words)
    return _answer(options, register, [])


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _add(options: Namespace, say: Say) -> Result:
    """Enter a publication, recipients or a private copy, and compute the numbers that this changes."""
    path = Path(options.register)
    inputs = [Path(getattr(options, name)) for name in READ if getattr(options, name)]
    check_new(path, [*inputs, *map(Path, options.files)], force=True)
    text = content(options.register, int(LIMITS["register"].most)) if path.exists() else None
    before = Register() if text is None else Register.from_json(text)
    if (options.private is None) != (options.key is None) and not (
        options.private and (options.record or options.entry)
    ):
        raise ParameterError("--private and --key go together; give both.", parameter="key")
    files = [read_table(name) for name in (*options.files, *filter(None, [options.private]))]
    copy = files[-1] if options.private else None
    if options.entry is not None:
        after = _to_entry(options, before, copy)
    else:
        publication, table = _described(options, copy)
        if not publication.recipients and not options.recipient and not options.public:
            raise ParameterError("Name who has the publication with --recipient, or --public.", parameter="recipient")
        after = before.add(publication, options.recipient or ())
        files += [table] if table is not None and publication.is_of_counts and copy is not None else []
    with bar("Attacking what recipients hold") as progress:
        linked = match_files(after.publications, files)
        after = after.assessed(linked, leave_open=options.leave_open, progress=progress)
    for remark in remarks_on(after, linked, before):
        say(remark)
    opened = after.open_sets()
    if opened:
        say(f"{several(len(opened), 'set')} of publications is left open: give --files to attack it.")
    result = _answer(options, after, added(before.standings(), after.standings()))
    if not getattr(options, "try"):
        save_again(path, after.to_json(), text)
    return result


def _to_entry(options: Namespace, before: Register, copy: Table | None) -> Register:
    """More recipients of a publication that is in the register, or its private copy."""
    useless = next((name for name in OF_NEW if getattr(options, name)), None)
    if useless is not None:
        raise ParameterError(
            "--entry adds recipients or a private copy to a publication that is in the register; omit "
            f"--{_spelled(useless)}.",
            parameter=useless,
        )
    if copy is None and not options.recipient and not options.public:
        raise ParameterError("Name who has the publication with --recipient, or --public.", parameter="recipient")
    after = before.give(options.entry, options.recipient or (), options.public)
    return after if copy is None else after.with_copy(options.entry, copy, options.key or "")


def _described(options: Namespace, copy: Table | None) -> tuple[Publication, Table | None]:
    """The publication that the options describe, with the digest of its private copy; and its file."""
    table = None if options.file is None else read_table(options.file)
    name = options.name or ("" if options.file is None else Path(options.file).name[:200])
    of = _of_options if options.record is None else _of_record
    publication = structs.replace(of(options, table, name), public=options.public)
    if copy is None:
        return publication, table
    key = options.key or publication.key
    if not key:
        raise ParameterError("Name the column that identifies people in the private copy with --key.", parameter="key")
    return publication.with_copy(copy, key), table


def _of_record(options: Namespace, table: Table | None, name: str) -> Publication:
    for described in ("qids", "sensitive", "unmodified", "count", "counts", "epsilon", "delta"):
        if getattr(options, described) is not None:
            raise ParameterError(f"--record says what was published; omit --{described}.", parameter=described)
    entries = stored_register(options.record).publications
    if len(entries) != 1:
        raise ParameterError("--record needs the entry of one release; give its own file.", parameter="record")
    own = entries[0]
    if table is not None and not own.has_content(table):
        raise InputError(
            "The file is not the one of its entry: a cell, a row or a header differs. Give it as it was published.",
            parameter="file",
        )
    more = {"kind": options.kind, "published": options.date, "version_of": options.version_of, "name": name or None}
    more["recipients"] = () if options.recipient else None
    return structs.replace(own, **{field: value for field, value in more.items() if value is not None})


def _of_options(options: Namespace, table: Table | None, name: str) -> Publication:
    lacking = next((option for option in ("kind", "date") if getattr(options, option) is None), None)
    if lacking is not None:
        raise ParameterError(f"Give --{lacking}, or the entry of a release with --record.", parameter=lacking)
    if table is None and options.kind != "noisy":
        raise ParameterError(
            "Give the published file with --file, or the entry of a release with --record.", parameter="file"
        )
    if options.kind == "noisy" and options.epsilon is None:
        raise ParameterError("Give the epsilon of the noisy table with --epsilon.", parameter="epsilon")
    noisy = options.kind == "noisy"
    publication = Publication(
        options.kind,
        options.date,
        name=name,
        quasi_identifiers=names_of(options.qids),
        sensitive=names_of(options.sensitive),
        unmodified=names_of(options.unmodified),
        count=options.count or (COUNT if options.kind == "counts" else ""),
        counts=options.counts or "",
        version_of=options.version_of or 0,
        epsilon=options.epsilon or 0.0,
        delta=options.delta or 0.0,
        records=0 if table is None or noisy else len(table),
    )
    if table is None:
        return publication
    columns = publication.columns or table.names
    return structs.replace(publication, content=publication.digest(table, columns, "the options name"))


# ---- text and JSON ------------------------------------------------------------------------------


def _answer(options: Namespace, register: Register, changes: Sequence[Added]) -> Result:
    standings = worst_first(register.standings())
    limits = dict(options.limit)
    verdicts = {(standing, name): standing.verdict(name, limits[name]) for standing in standings for name in limits}
    status = BROKEN if NOT_MET in verdicts.values() else OPEN if set(verdicts.values()) - {MET} else 0
    if options.json:
        return Result(_as_json(register, standings, changes, limits, verdicts, status), status)
    lines = _limit_lines(standings, limits, verdicts)
    head = f"{shown(Path(options.register).name)}: {several(len(register.publications), 'publication')}, "
    lines += [f"{head}{several(len(register.recipients), 'recipient')}."]
    if getattr(options, "try"):
        lines.append("Nothing was written.")
    if options.action != "check":
        lines += ["", *map(_line, register.publications)]
    lines += ["", *_table(standings)]
    if changes:
        lines += ["", "What this publication adds:", *map(_change, changes)]
    return Result(plain("\n".join(lines) + "\n"), status)


def _limit_lines(
    standings: Sequence[Standing], limits: Mapping[str, float], verdicts: Mapping[tuple[Standing, str], str]
) -> list[str]:
    lines = []
    for name, limit in limits.items():
        broken = [standing for standing in standings if verdicts[standing, name] == NOT_MET]
        opened = [standing for standing in standings if verdicts[standing, name] not in (MET, NOT_MET)]
        text = percent(limit) if name in SHARES else f"{limit:g}"
        words = f"{LIMITED[name][0].upper()}{LIMITED[name][1:]} at most {text}"
        if broken:
            worst = max(broken, key=lambda standing: (standing.value(name) or 0.0, -len(standing.recipients)))
            lines.append(f"{words}: not met by {len(broken)} of {len(standings)}; the worst is {_who(worst)}.")
        elif opened:
            lines.append(f"{words}: open, because publications of {_who(opened[0])} are not assessed.")
        else:
            lines.append(f"{words}: met.")
    if standings:
        lines.append(in_words(standings[0], [*map(shown, standings[0].recipients)]))
    return [*lines, ""]


def _who(standing: Standing) -> str:
    return " and ".join(map(shown, standing.recipients))


def _line(own: Publication) -> str:
    """One publication in the list."""
    facts = [f"epsilon {own.epsilon:g}"] if own.epsilon else []
    facts += [f"delta {own.delta:g}"] if own.delta else []
    facts += [several(own.records, "row")] if own.records and own.kind != "noisy" else []
    facts += [f"version of {own.version_of}"] if own.version_of else []
    to = [*(["everyone"] if own.public else []), *map(shown, own.recipients)]
    facts += [f"to {', '.join(to)}"]
    facts += [] if own.is_assessed or own.kind == "noisy" else ["not assessed"]
    name = f" {shown(own.name)}" if own.name else ""
    return f"{own.number:>3}  {own.published}  {KINDS[own.kind]}{name}: {'; '.join(facts)}"


def _table(standings: Sequence[Standing]) -> list[str]:
    """What each recipient and each pair can conclude, the worst first."""
    head = ("recipients", "publications", "one value left", "set under 11", "people", "epsilon", "delta")
    rows = [head, *map(_row, standings)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _row(standing: Standing) -> tuple[str, ...]:
    numbers = standing.numbers
    return (
        _who(standing),
        ",".join(map(str, standing.publications)),
        value_text(standing, "one_value_left"),
        value_text(standing, "at_risk"),
        "-" if numbers is None else f"{numbers.people:,}",
        value_text(standing, "epsilon"),
        value_text(standing, "delta"),
    )


def _change(change: Added) -> str:
    before, after = change.before, change.after
    cells = []
    for name in ("one_value_left", "at_risk"):
        earlier = "-" if before is None else value_text(before, name)
        cells.append(f"{LIMITED[name]} {earlier} -> {value_text(after, name)}")
    epsilon = 0.0 if before is None else before.cost.epsilon
    if after.cost.epsilon != epsilon:
        cells.append(f"epsilon {epsilon:g} -> {after.cost.epsilon:g}")
    return f"{_who(after)}: {'; '.join(cells)}"


def _as_json(
    register: Register,
    standings: Sequence[Standing],
    changes: Sequence[Added],
    limits: Mapping[str, float],
    verdicts: Mapping[tuple[Standing, str], str],
    status: int,
) -> str:
    data: dict[str, Any] = {
        "publications": msgspec.to_builtins(register.publications),
        "recipients": list(register.recipients),
        "standings": [_facts(standing) for standing in standings],
        "changes": [
            {"before": None if change.before is None else _facts(change.before), "after": _facts(change.after)}
            for change in changes
        ],
        "limits": [
            {
                "name": name,
                "limit": limit,
                "verdicts": [
                    {"recipients": list(standing.recipients), "verdict": verdicts[standing, name]}
                    for standing in standings
                ],
            }
            for name, limit in limits.items()
        ],
        "status": status,
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _facts(standing: Standing) -> dict[str, Any]:
    numbers = standing.numbers
    return {
        "recipients": list(standing.recipients),
        "publications": list(standing.publications),
        "not_assessed": list(standing.not_assessed),
        "people": None if numbers is None else numbers.people,
        **{name: standing.value(name) for name in LIMITED},
    }
