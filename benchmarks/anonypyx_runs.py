"""anonypyx (MIT, in requirements-bench.txt) on the same tables: its Mondrian and its intersection attack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.twins import Versus
from core import Policy, Release, intersection_attack
from core.algorithms import partition
from core.data.encoding.encoded import Encoded

SENSITIVE = "sensitive"


class Absent(Exception):
    """It cannot be compared with; the message says why."""


def need() -> None:
    """Refuse where anonypyx is not installed."""
    try:
        import anonypyx  # noqa: F401
    except ImportError as error:
        raise Absent("anonypyx is not installed; requirements-bench.txt names it.") from error


def frame_of(encoded: Encoded) -> pd.DataFrame:
    """Return a table as anonypyx wants it: whole numbers as int64, categories as categories.

    Names and values are replaced by numbered ones: anonypyx puts them into queries, where
    marks such as ``(`` stand for something else.
    """
    columns: dict[str, Any] = {}
    for number, (domain, codes) in enumerate(zip(encoded.qids, encoded.codes, strict=True)):
        if domain.values is not None:
            columns[f"q{number}"] = domain.values[codes].astype(np.int64)
        else:
            columns[f"q{number}"] = _categories(codes, domain.size, "v")
    columns[SENSITIVE] = _categories(encoded.sensitive_codes, encoded.sensitive.size, "s")
    return pd.DataFrame(columns)


def _categories(codes: Any, count: int, letter: str) -> pd.Categorical:
    # Plain objects: a little faster for anonypyx than the strings of pandas 3.
    names = pd.Index([f"{letter}{code}" for code in range(count)], dtype=object)
    return pd.Categorical.from_codes(codes, names)


def mondrian(encoded: Encoded, k: int) -> Versus:
    """Return strict Mondrian here and there: the partition alone, nothing published."""
    need()
    from anonypyx.models import kAnonymity
    from anonypyx.mondrian import Mondrian

    frame = frame_of(encoded)
    qids = [name for name in frame.columns if name != SENSITIVE]
    found: dict[str, int] = {}

    def ours() -> None:
        found["ours"] = len(partition(encoded, Policy(k)).sizes)

    def theirs() -> None:
        found["theirs"] = len(Mondrian(frame, qids).partition([kAnonymity(k)]))

    def note() -> str:
        return f"anonypyx cuts {found['theirs']:,} classes at k = {k}, this project {found['ours']:,}."

    return Versus(ours, theirs, f"{len(encoded):,} records", note=note)


def attack(releases: Sequence[Release], people: int) -> Versus:
    """Return the intersection attack here and there, on the same releases and the first people of each.

    anonypyx finds each person's class by the published region; ours is told the class. In a
    strict partition both are the same class, so both must be left with the same values.
    """
    need()
    from anonypyx.attackers import IntersectionAttacker
    from anonypyx.generalisation import MachineReadable

    frames = [_common(releases, number) for number in range(len(releases))]
    qids = [name for name in frames[0].columns if name != SENSITIVE]
    schema = MachineReadable.create_for_data(pd.concat(frames, ignore_index=True), qids)
    published = [
        schema.generalise(frame, [pd.Index(release.classes.members(i)) for i in range(release.classes.count)])
        for frame, release in zip(frames, releases, strict=True)
    ]
    targets = frames[0].iloc[:people]
    prior = schema.generalise(targets, [pd.Index([i]) for i in range(people)]).drop(columns=["count", SENSITIVE])
    prior["ID"] = np.arange(people)
    everyone = list(range(people))

    def theirs() -> list[int]:
        attacker = IntersectionAttacker(prior, qids, SENSITIVE, schema)
        for release in published:
            attacker.observe(release, [*qids, SENSITIVE], everyone)
        return [len(attacker.predict(person, SENSITIVE)) for person in everyone]

    rows = [np.arange(people)] * len(releases)
    same = theirs() == intersection_attack(releases, rows).posterior.tolist()
    return Versus(lambda: intersection_attack(releases, rows).posterior, theirs, f"{people:,} people", same)


def _common(releases: Sequence[Release], number: int) -> pd.DataFrame:
    """Return one hospital's table with values numbered alike in all of them."""
    encoded = releases[number].encoded
    frame = frame_of(encoded)
    for place, domain in enumerate(encoded.qids):
        if domain.values is not None:
            continue
        labels = sorted({label for release in releases for label in release.encoded.qids[place].labels})
        position = np.array([labels.index(label) for label in domain.labels])
        frame[f"q{place}"] = _categories(position[encoded.codes[place]], len(labels), "v")
    return frame
