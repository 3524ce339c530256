"""The command ``update``: what a release of a grown table reveals about new, removed or changed people."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from core.attack.updates import KNOWLEDGE, SMALL_SET, Left
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.base.wording import percent, several
from core.cli.commands import CommandResult, Result, check_outputs, judged_by, result_of, split
from core.cli.inputs import check_used, given
from core.cli.loading import CountedTable, Say, Wanted, data_name, read
from core.cli.progress import bar
from core.data.tables.table import Table
from core.decision.review import Number
from core.lake.file_patterns import is_several
from core.release.algorithm import ALGORITHMS
from core.study.table_versions import attack_versions

LIMITED = "one_value_left"


def run(options: Namespace, say: Say) -> Result:
    """Release both versions, and attack the difference.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    check_used(options)
    check_outputs(options)
    if options.before is None:
        raise ParameterError("Give the earlier version of the table with --before.", parameter="before")
    if options.scenario is None and options.k is None:
        raise ParameterError("Give how each version is released: -k, or a scenario with --scenario.", parameter="k")
    if is_several(options.data) or is_several(options.before):
        raise ParameterError("An update needs the records of both versions; give one file for each.", parameter="data")
    data, case = given(options, say)
    scenario, table = case.scenario, data
    earlier = read(Namespace(**{**vars(options), "data": options.before}), Wanted.of(scenario.schema), say)
    if not isinstance(table, Table) or isinstance(earlier, CountedTable):
        raise ParameterError("An update needs the records of both versions; give tables, not counts.", parameter="data")
    mine, schema = scenario.mine, scenario.schema
    names = schema.identifiers or ((schema.person,) if schema.person else ())
    with bar("Attacking the difference"):
        update = attack_versions(earlier, table, schema, mine.policy, mine.algorithm, names, options.knows)
    groups = {"new": update.new, "removed": update.removed, "changed": update.changed}
    worst = max(groups.values(), key=lambda left: left.one_value_left if left.people else -1.0)
    share = worst.one_value_left if worst.people else 0.0
    numbers = {LIMITED: Number(share, worst.people, "people", single=worst.one_value_alone if worst.people else None)}
    held, rest = split(options, scenario.requirements, numbers)
    head = (
        f"{shown(data_name(options.data))} after {shown(data_name(options.before))}: {len(table):,} after "
        f"{len(earlier):,} records; {mine.policy.signs}; {ALGORITHMS[mine.algorithm].phrase}.\n"
        f"The reader knows {KNOWLEDGE[update.knowledge]}, and in which class of each version everyone is.\n"
        + "\n".join(_told(name, left) for name, left in groups.items())
    )
    more = {"knowledge": update.knowledge, **{name: _as_json(left) for name, left in groups.items()}}
    outcome = CommandResult(
        head, scenario, case.encoded.records, numbers, {}, judged_by(held, numbers, others=True), rest, more=more
    )
    result = result_of(options, outcome)
    return Result(result.shown, result.status, result.saved, scenario)


def _told(name: str, left: Left) -> str:
    people = several(left.people, "person", "people")
    if not left.people:
        return f"{name.capitalize()}: no one."
    return (
        f"{name.capitalize()}: {people}; one value left for {percent(left.one_value_left)} (from one version alone "
        f"{percent(left.one_value_alone)}); in an anonymity set of fewer than {SMALL_SET} {percent(left.in_small_set)}."
    )


def _as_json(left: Left) -> dict[str, Any]:
    if not left.people:
        return {"people": 0, LIMITED: None, "in_small_set": None}
    return {
        "people": left.people,
        LIMITED: {"share": left.one_value_left, "alone": left.one_value_alone},
        "in_small_set": {"share": left.in_small_set},
    }
