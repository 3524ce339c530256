"""The command ``update``: what a release of a grown table reveals about new, removed or changed people."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from core.attack.updates import KNOWLEDGE, READER, SMALL_SET, Left, Update
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.base.wording import listed, percent, several
from core.cli.commands import MET, CommandResult, Result, check_outputs, judged_by, result_of, split
from core.cli.inputs import check_used, compared, given
from core.cli.loading import Say, data_name
from core.data.tables.csv_export import csv_bytes
from core.decision.review import Number
from core.release.algorithm import ALGORITHMS
from core.study.kept_classes import KeptClasses, is_revealing

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
    data, case = given(options, say)
    scenario, mine = case.scenario, case.scenario.mine
    update, kept, refused = compared(options, data, scenario, say)
    if kept is None and options.keep_classes is not None:
        raise ParameterError(refused, parameter="keep_classes")
    judged = update if kept is None or options.keep_classes is None else kept.update
    worst = max(judged.groups.values(), key=lambda left: left.one_value_left if left.people else -1.0)
    share = worst.one_value_left if worst.people else 0.0
    numbers = {LIMITED: Number(share, worst.people, "people", single=worst.one_value_alone if worst.people else None)}
    held, rest = split(options, scenario.requirements, numbers)
    head = (
        f"{shown(data_name(options.data))} after {shown(data_name(options.before))}: {case.encoded.records:,} records; "
        f"{mine.policy.signs}; {ALGORITHMS[mine.algorithm].phrase}.\n"
        f"The reader knows {KNOWLEDGE[update.knowledge]}. {READER}\n"
        + "\n".join(_told(name, left) for name, left in update.groups.items())
        + f"\n{in_words(kept, refused)}"
    )
    more = {"knowledge": update.knowledge, **_as_json(update), "keep_classes": _kept_as_json(kept, refused)}
    outcome = CommandResult(
        head, scenario, case.encoded.records, numbers, {}, judged_by(held, numbers, others=True), rest, more=more
    )
    result = result_of(options, outcome)
    saved = dict(result.saved)
    if options.keep_classes is not None and kept is not None and result.status == MET:
        saved[Path(options.keep_classes)] = csv_bytes(kept.release.publish()).decode()
    return Result(result.shown, result.status, saved, scenario)


def in_words(kept: KeptClasses | None, refused: str) -> str:
    """What the release that keeps the earlier classes leaves and costs, or why there is none."""
    if kept is None:
        return f"With the earlier classes kept: {refused}"
    left = [f"{percent(own.one_value_left)} of {name} people" for name, own in kept.update.groups.items() if own.people]
    loss = f"information loss {percent(kept.loss)}"
    loss += f", of new people {percent(kept.loss_new)}" if kept.update.new.people else ""
    exposed = f"one value left for {listed(left)}; " if left else ""
    if kept.as_they_were:
        loss += f"; {several(kept.as_they_were, 'changed record stays as it was', 'changed records stay as they were')}"
    more = " Keep the records of those who left until more have." if is_revealing(kept.update.removed) else ""
    return f"With the earlier classes kept, and new people in classes of their own: {exposed}{loss}.{more}"


def _kept_as_json(kept: KeptClasses | None, refused: str) -> dict[str, Any]:
    if kept is None:
        return {"refused": refused}
    loss_new = kept.loss_new if kept.update.new.people else None
    return {**_as_json(kept.update), "loss": kept.loss, "loss_new": loss_new, "as_they_were": kept.as_they_were}


def _told(name: str, left: Left) -> str:
    people = several(left.people, "person", "people")
    if not left.people:
        return f"{name.capitalize()}: no one."
    return (
        f"{name.capitalize()}: {people}; one value left for {percent(left.one_value_left)} (from one version alone "
        f"{percent(left.one_value_alone)}); in an anonymity set of fewer than {SMALL_SET} {percent(left.in_small_set)}."
    )


def _as_json(update: Update) -> dict[str, Any]:
    return {name: _group_as_json(left) for name, left in update.groups.items()}


def _group_as_json(left: Left) -> dict[str, Any]:
    if not left.people:
        return {"people": 0, LIMITED: None, "in_small_set": None}
    return {
        "people": left.people,
        LIMITED: {"share": left.one_value_left, "alone": left.one_value_alone},
        "in_small_set": {"share": left.in_small_set},
    }
