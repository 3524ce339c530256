"""The command ``counts``: a table of counts of the data, attacked together with the release before it is written."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from core.algorithms import partition
from core.base.errors import ParameterError
from core.base.wording import percent
from core.cli.commands import (
    BROKEN,
    MET,
    Result,
    answer_of,
    check_outputs,
    head_of,
    looked_at,
    saved_of,
    split,
    text_of,
)
from core.cli.inputs import check_used, given
from core.cli.loading import Say
from core.cli.progress import bar
from core.data.tables.csv_export import csv_bytes
from core.decision.review import assess
from core.release.made_counts import MadeCounts
from core.study.coverage import SEVERAL_TABLES
from core.study.hospitals import OWN
from core.study.own_counts import own_counts


def run(options: Namespace, say: Say) -> Result:
    """Make the table of counts of the scenario, attack it together with the release, and write it within the limits.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    check_used(options)
    check_outputs(options)
    table, case = given(options, say)
    scenario = case.scenario
    settings = next((hospital.counts for hospital in scenario.hospitals if hospital.origin == OWN), None)
    if settings is None:
        raise ParameterError(
            "Give how the table of counts is made with --my-counts, or a scenario that has one.", parameter="my_counts"
        )
    held, rest = split(options, scenario.requirements, looked_at("counts"))
    with bar("Working it out") as progress:
        assessment = assess(replace(case, scenario=scenario.with_(requirements=held)), progress, groups=("exposure",))
    release = partition(case.encoded, scenario.mine.policy, scenario.mine.algorithm)
    own = own_counts(case.encoded, release, settings, scenario.locate)
    made = MadeCounts.of(case.encoded, settings)
    sentences = (
        f'My table of counts: {settings.text}. To be read with --counts "{made.rules.text}".\n'
        f"One value left for everyone in the data: my release alone {percent(own.release)}, my table of counts alone "
        f"{percent(own.counts)}, both together {percent(own.together)}. {SEVERAL_TABLES}"
    )
    answer = answer_of(f"{head_of(options, case)}\n{sentences}", assessment, None, scenario, rest)
    more = {"settings": settings.text, "rules": made.rules.text, "groups": own.groups, "smallest": own.smallest}
    shares = {"release": own.release, "counts": own.counts, "together": own.together, "people": own.people}
    result = text_of(options, replace(answer, more={"my_counts": {**more, "one_value_left": shares}}))
    saved = saved_of(options, table, case)
    if options.out is not None and result.status == MET:
        saved[Path(options.out)] = csv_bytes(made.table().to_frame()).decode()
    elif options.out is not None:
        reason = "is not met" if result.status == BROKEN else "has no number"
        say(f"The table of counts is not written, because a limit {reason}.")
    return replace(result, saved={**result.saved, **saved}, scenario=scenario)
