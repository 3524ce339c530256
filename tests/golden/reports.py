"""The reports whose words and numbers are kept, as digests by their parts: ``python -m tests.golden`` writes them anew.

The numbers of a file are compared to nine digits, and its versions not at all. The pictures of a document are drawn
from rows of the file, so its text is kept without them.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from core import examples
from core.cli import main
from core.cli.arguments import parser
from core.data.encoding.encoded import encode
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.decision.review import Case, assess, doubts, judge
from core.decision.scenario.questions import AskedNoise
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import Scenario
from core.dp import RELATION
from core.privacy.policy import Policy
from core.report import Decision, Known, Meeting, NoisyDownload, build, evidence
from core.study.hospitals import Hospital
from core.study.uploads import Upload, open_upload
from tests.golden.cases import CASES
from tests.hostile import HOSTILE
from tests.tables import hostile_city

KEPT = Path(__file__).parent / "reports.json"
SALT = "a salt that nobody knows"
CITY = examples.city_schema()
NOISY = (NoisyDownload("cd" * 32, 1.5, 0.0, "discrete Laplace", RELATION), NoisyDownload("ef" * 32, 1, 1e-6, "g", "r"))
PICTURE = re.compile(r"<svg.*?</svg>", re.DOTALL)
VERSIONS = re.compile(r"<tr><td>Versions</td>.*?</tr>", re.DOTALL)


def scenario(schema: Schema = CITY, policy: Policy | None = None, **changes: Any) -> Scenario:
    mine, other = Hospital(policy or Policy(5, l=2), "least-loss"), Hospital(Policy(8), origin="resampled")
    given = {"schema": schema, "hospitals": (mine, other), "overlap": 60, "repeats": 2, "data_name": "city.csv"}
    return Scenario(**{**given, "data_id": hashlib.sha256(b"the table").hexdigest(), **changes})


def start() -> tuple[Case, Meeting]:
    """The city with the settings that the pages start with."""
    mine = Hospital(Policy(5), "least-loss")
    asked = scenario(hospitals=(mine, Hospital(Policy(5), origin="resampled")), overlap=5000)
    return Case(encode(examples.city(), CITY), asked), Meeting()


def meeting() -> tuple[Case, Meeting]:
    """Limits that are met and not, a decision, noisy tables."""
    encoded = encode(examples.city(600), CITY)
    limits = Requirements(k=5, one_value_left=0.9, breach=0.01, loss=0.9, m=2)
    asked = scenario(requirements=limits, repeats=10, locate="published", noise=AskedNoise(epsilon=0.5))
    made = Decision(
        "Wait.", "The board", "2026-11-21", "Too many.\nFar.", ("overlap", "So it is."), "2027-01-01", "A law."
    )
    case = Case(encoded, asked)
    return case, Meeting("Shall we?\nNow?", made, noisy=NOISY)


def met() -> tuple[Case, Meeting]:
    """All limits met, most for certain; three hospitals, two of them alike."""
    other = Hospital(Policy(8), same_value_rate=0.8, size=150)
    hospitals = (Hospital(Policy(20), "mdav"), other, other, replace(other, origin="resampled", attributes=("age",)))
    limits = Requirements(k=2, one_value_left=0.99)
    return Case(
        encode(examples.city(600), CITY), scenario(hospitals=hospitals, overlap=40, requirements=limits)
    ), Meeting()


def dealt() -> tuple[Case, Meeting]:
    """A table that is dealt out, with Gaussian noise."""
    hospitals = (Hospital(Policy(5, t=0.6)), Hospital(Policy(8), origin="simulated"))
    noise = AskedNoise(epsilon=0.5, delta=1e-6, mechanism="gaussian")
    return Case(encode(examples.city(400), CITY), scenario(hospitals=hospitals, noise=noise, repeats=1)), Meeting()


def upload() -> tuple[Case, Meeting]:
    """Tables of a worked example: one is mine, one an uploaded file in which everyone is named."""
    example = examples.hospitals_a_and_b()
    return of_upload(
        example.tables[0], example.schema, example.tables[1], True, ("Name", *example.schema.quasi_identifiers)
    )


def release() -> tuple[Case, Meeting]:
    """The published table of the other hospital, which nobody can be linked to, and one more that is made up."""
    example = examples.hospitals_a_and_b()
    theirs = Table.from_frame(example.published[1])
    case, _ = of_upload(example.tables[0], example.schema, theirs, False, example.schema.quasi_identifiers)
    hospitals = (*case.scenario.hospitals, Hospital(Policy(2), origin="resampled"))
    limits = Requirements(one_value_left=0.5, agreed=2)
    return replace(case, scenario=case.scenario.with_(hospitals=hospitals, requirements=limits)), Meeting()


def of_upload(table: Table, schema: Schema, theirs: Table, own: bool, columns: tuple[str, ...]) -> tuple[Case, Meeting]:
    named = tuple((name, name) for name in (*columns, schema.sensitive))
    file = Upload(theirs.content_id, named, name="theirs.csv", own=own)
    others = Hospital(Policy(2), origin="published", upload=file)
    asked = scenario(schema, hospitals=(Hospital(Policy(2)), others), overlap=2)
    return Case(encode(table, schema), asked, {file: open_upload(file, theirs, table, schema)}), Meeting()


def unheard() -> tuple[Case, Meeting]:
    """A released file in other words than mine."""
    city = examples.city(300)
    frame = examples.city(200, seed=4).to_frame()[[*CITY.quasi_identifiers, CITY.sensitive]]
    frame[CITY.quasi_identifiers[1]] = "elsewhere"
    case, _ = of_upload(city, CITY, Table.from_frame(frame), False, CITY.quasi_identifiers)
    return replace(case, scenario=case.scenario.with_(requirements=Requirements(one_value_left=1.0))), Meeting()


def frequencies() -> tuple[Case, Meeting]:
    """Counted records."""
    counted = FrequencyTable.of(examples.city(600), (*CITY.quasi_identifiers, CITY.sensitive))
    return Case(encode(counted, CITY), scenario(requirements=Requirements(t=0.9))), Meeting()


def visits() -> Table:
    frame = examples.city(500).to_frame()
    frame["who"] = np.sort(np.random.default_rng(1).integers(0, 300, len(frame))).astype(str)
    return Table.from_frame(frame)


def persons() -> tuple[Case, Meeting]:
    """Persons with several records."""
    schema = CITY.with_(person="who")
    return Case(encode(visits(), schema), scenario(schema, Policy(4))), Meeting()


def first() -> tuple[Case, Meeting]:
    """One record of each person."""
    schema = CITY.with_(person="who", one_record="first")
    return Case(encode(visits(), schema), scenario(schema, Policy(4))), Meeting()


def hostile() -> tuple[Case, Meeting]:
    """Names and values that nobody should call anything."""
    table = hostile_city(300)
    names = [domain.name for domain in table.qids]
    schema = Schema(
        names, table.sensitive.name, column_types=dict.fromkeys((names[1], table.sensitive.name), "categorical")
    )
    case = Case(table, scenario(schema, Policy(4), repeats=1, data_name=HOSTILE[7]))
    every = "\n".join(HOSTILE)
    noisy = [NoisyDownload("cd" * 32, 1, 0, HOSTILE[7], HOSTILE[8])]
    made = Decision(every, every, "", every, tuple(HOSTILE))
    return case, Meeting(every, made, noisy)


REPORTS: dict[str, Callable[[], tuple[Case, Meeting]]] = {
    made.__name__: made
    for made in (start, meeting, met, dealt, upload, release, unheard, frequencies, persons, first, hostile)
}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rounded(value: Any) -> Any:
    """Numbers to nine digits."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def kept_of_report(name: str) -> dict[str, str]:
    """Digests of both strengths, part by part, and of the evidence; the card in full."""
    case, brought = REPORTS[name]()
    assessment, tried = assess(case), doubts(case)
    kept = {}
    for strength in ("internal", "external"):
        report = build(case, brought, strength=strength, salt=SALT, known=Known(assessment, tried))
        report.data["data"]["scenario_digest"] = ""  # a new format of the file changes it, and no number
        html = VERSIONS.sub("", PICTURE.sub("<svg/>", report.to_html()))
        del report.data["data"]["scenario_digest"]
        for part, value in report.data.items():
            if part != "versions":
                kept[f"{strength}, {part}"] = digest(json.dumps(rounded(value), ensure_ascii=False, sort_keys=True))
        for part, text in report.data["card"].items():
            kept[f"{strength}, card, {part}"] = text
        kept[f"{strength}, document"] = digest(html)
    facts = json.loads(evidence(case, assessment, judge(assessment, tried), brought.decision))
    facts = {name: value for name, value in facts.items() if name not in ("version", "digest", "scenario_digest")}
    kept["evidence"] = digest(json.dumps(rounded(facts), sort_keys=True))
    return kept


def kept_of_command(name: str) -> str:
    """Text of a command, run in the folder of the tables."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(shlex.split(CASES[name]))
    return digest(f"{status}\n{out.getvalue()}\n{err.getvalue()}")


def kept_of_options() -> dict[str, str]:
    """Options of each command by the groups of its help: how each is written, what it takes, and its words."""
    return {
        f"{command}, {group.title}": digest(json.dumps([written(action) for action in group._group_actions]))
        for command, of_command in commands()
        for group in of_command._action_groups
    }


def commands() -> Iterator[tuple[str, ArgumentParser]]:
    for action in parser(in_full=True)._actions:
        if isinstance(action, _SubParsersAction):
            yield from action.choices.items()


def written(action: Any) -> list[Any]:
    values = [action.option_strings, action.dest, action.nargs, action.default, action.metavar, action.help]
    return [*values, action.required, action.choices and list(action.choices), type(action).__name__]


def kept() -> dict[str, Any]:
    """Everything that is kept, from the present code."""
    return {
        "reports": {name: kept_of_report(name) for name in REPORTS},
        "commands": {name: kept_of_command(name) for name in CASES},
        "options": kept_of_options(),
    }
