"""A worked example for one person: core's own attack on the tables as printed, ready to be shown.

Pure functions over core; nothing here draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import core
from core import Policy, Release, Schema, Table
from core.attack.intersection import AttackResult
from core.attack.trail import Step, follow
from core.data.encoding.encoded import encode
from core.examples import WorkedExample
from pages.shared.ui.text import safe

LETTERS = "abcdefgh"


@dataclass(frozen=True, eq=False)
class Telling:
    """One person of a worked example.

    Parameters
    ----------
    example
        The example.
    person
        Who is looked for.
    knows
        What the adversary knows: one text per quasi-identifier.
    rows
        For each published table, the rows of the person's class.
    k
        For each published table, the measured people per class.
    steps
        What each release reveals, from :func:`core.attack.trail.follow`.
    result
        Outcome of the attack on this one person; ``None`` if there is one release only.
    """

    example: WorkedExample
    person: str
    knows: Mapping[str, str]
    rows: tuple[tuple[int, ...], ...]
    k: tuple[int, ...]
    steps: tuple[Step, ...]
    result: AttackResult | None

    @property
    def prior(self) -> tuple[int, ...]:
        """Different sensitive values in each release."""
        return tuple(len(step.counts) for step in self.steps)

    @property
    def left(self) -> tuple[str, ...]:
        """Sensitive values left after all releases."""
        return self.steps[-1].left

    @property
    def drop(self) -> int:
        """Values ruled out by the intersection; 0 if there is nothing to intersect."""
        return 0 if self.result is None else int(self.result.drop[0])

    @property
    def confidence(self) -> float:
        """Adversary's confidence at the end."""
        return 1 / len(self.left) if self.result is None else float(self.result.confidence[0])

    def values(self, release: int) -> tuple[str, ...]:
        """Different sensitive values of one release, in the order of its rows."""
        column = self.example.published[release][self.example.schema.sensitive]
        return tuple(dict.fromkeys(str(column.iloc[row]) for row in self.rows[release]))


def people(example: WorkedExample, first: str) -> tuple[str, ...]:
    """Who can be looked for: the target, then the other people with expected numbers."""
    return (first, *(name for name, answers in example.expected.items() if isinstance(answers, dict)))


def tell(example: WorkedExample, person: str) -> Telling:
    """Attack one person of an example, table by table, with core."""
    expected = example.expected.get(person, example.expected)
    places = expected.get("rows", tuple(rows[0] for rows in example.target_classes))
    releases = [
        as_release(frame, labels, row, example.schema)
        for frame, labels, row in zip(example.published, example.labels, places, strict=True)
    ]
    # A single release next to itself reveals what it reveals alone.
    both = releases if len(releases) > 1 else releases * 2
    attacked = core.intersection_attack(both, [np.array([0])] * len(both))
    return Telling(
        example,
        person,
        known(example, places) if expected is not example.expected else dict(example.target),
        tuple(
            tuple(i for i, label in enumerate(labels) if label == labels[row])
            for labels, row in zip(example.labels, places, strict=True)
        ),
        tuple(core.measure(frame, example.schema).k for frame in example.published),
        tuple(follow(both, attacked, 0)[: len(releases)]),
        attacked if len(releases) > 1 else None,
    )


def as_release(frame: pd.DataFrame, labels: Sequence[int], row: int, schema: Schema) -> Release:
    """Take a printed table as a release, one person's row first.

    Its generalised cells are treated as labels; the example gives the class of each row.
    """
    plain = Schema(
        schema.quasi_identifiers, schema.sensitive, column_types=dict.fromkeys(schema.quasi_identifiers, "categorical")
    )
    order = [row, *(i for i in range(len(frame)) if i != row)]
    encoded = encode(Table.from_frame(frame.iloc[order]), plain)
    return Release.of(encoded, np.asarray(labels)[order], Policy(1), "as printed")


def known(example: WorkedExample, places: Sequence[int]) -> dict[str, str]:
    """Quasi-identifiers of a person in the first original table."""
    row = places[0]
    return {name: str(example.tables[0].column(name).texts()[row]) for name in example.schema.quasi_identifiers}


# ---- what is shown ----------------------------------------------------------------------


def table(story: Telling, release: int, looked: bool, final: bool) -> pd.DataFrame:
    """One published table as printed, as Markdown cells, with a column that says which rows fit.

    Parameters
    ----------
    story
        The example.
    release
        Number of the table, from 0.
    looked
        Whether the person has been looked up in it; else the column stays empty.
    final
        Whether the intersection is drawn: values that only one table has are struck out.
    """
    frame, sensitive = story.example.published[release], story.example.schema.sensitive
    fits = set(story.rows[release]) if looked else set()
    columns: dict[str, list[str]] = {f"{safe(story.person)}?": []}
    columns |= {safe(name): [] for name in frame.columns}
    for row in range(len(frame)):
        fitting = row in fits
        left = str(frame[sensitive].iloc[row]) in story.left
        columns[f"{safe(story.person)}?"].append(_sign(fitting, left, final))
        for name in frame.columns:
            cell = safe(frame[name].iloc[row])
            columns[safe(name)].append(_cell(cell, fitting, looked, final and name == sensitive, left))
    return pd.DataFrame(columns, index=[str(row + 1) for row in range(len(frame))])


def _sign(fits: bool, left: bool, final: bool) -> str:
    if not fits:
        return ""
    if not final:
        return "**✓ fits**"
    return "**✓ in both**" if left else "× ruled out"


def _cell(cell: str, fits: bool, looked: bool, decides: bool, left: bool) -> str:
    if looked and not fits:
        return f":gray[{cell}]"
    if not fits:
        return cell
    if not decides:
        return f"**{cell}**"
    return f":red-background[**{cell}**]" if left else f"~~{cell}~~"


def table_in_words(story: Telling, release: int, looked: bool) -> str:
    """Text alternative of a table."""
    frame = story.example.published[release]
    start = (
        f"Published table {LETTERS[release]}: {len(frame)} rows, every one like at least {story.k[release] - 1} others."
    )
    if not looked:
        return start
    rows = story.rows[release]
    return (
        f"{start} Rows {rows[0] + 1} to {rows[-1] + 1} fit {story.person}; their values are "
        f"{', '.join(story.values(release))}."
    )


def chips(values: Sequence[str], left: Sequence[str] | None = None) -> str:
    """Values as a Markdown line; with ``left``, those ruled out are struck out and those left are marked."""
    if left is None:
        return " ".join(f":blue-badge[{safe(value)}]" for value in values)
    return " ".join(
        f":red-badge[✓ {safe(value)}]" if value in left else f":gray-badge[~~{safe(value)}~~]" for value in values
    )
