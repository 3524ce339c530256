"""anonypyx's intersection attack on the same published tables: every candidate set, and its PVP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.anonypyx_runs import SENSITIVE, need
from benchmarks.twins import Versus
from core import Release, intersection_attack
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.release.published.published import Published
from core.release.published.targets import Targets

CONFIDENCES = (1.0, 0.5, 1 / 3, 0.25)


def attack(releases: Sequence[Release], people: int) -> Versus:
    """Return the attack by published regions here and there; the first people of each release are shared.

    Both get the published tables and the people's quasi-identifiers, and nothing else. They
    agree if every person is left with the same values, and the percentage of vulnerable
    population is the same at each confidence.
    """
    need()
    from anonypyx.attackers import IntersectionAttacker
    from anonypyx.generalisation import MachineReadable

    tables = [release.published for release in releases]
    mine = releases[0].encoded
    targets = Targets.of(mine, np.arange(people))
    columns = [
        _Column(number, [release.encoded.qids[number] for release in releases]) for number in range(len(mine.qids))
    ]
    numbers, sets = [c for c in columns if c.numeric], [c for c in columns if not c.numeric]
    schema = MachineReadable(
        {c.name: [f"{c.name}_v{i}" for i in range(len(c.labels))] for c in sets},
        {c.name: (f"{c.name}_min", f"{c.name}_max") for c in numbers},
        [SENSITIVE],
    )
    names = [c.name for c in columns]
    published = [_frame(table, columns) for table in tables]
    prior = pd.concat([column.of_people(targets) for column in columns], axis=1).assign(ID=np.arange(people))
    everyone = list(range(people))

    def theirs() -> list[set[str]]:
        attacker = IntersectionAttacker(prior, names, SENSITIVE, schema)
        for frame in published:
            attacker.observe(frame, [*names, SENSITIVE], everyone)
        return [set(attacker.predict(person, SENSITIVE)) for person in everyone]

    def ours() -> Any:
        return intersection_attack(tables, targets, "published").posterior

    result = intersection_attack(tables, targets, "published")
    left = theirs()
    same = left == [{f"s{result.values.index(text)}" for text in result.candidates(i)} for i in everyone]
    shares = _vulnerable(left, mine, people)
    same = same and np.allclose(shares, [result.pvp(confidence).value for confidence in CONFIDENCES], atol=1e-12)
    classes = " and ".join(f"{table.histogram.classes:,}" for table in tables)
    said = ", ".join(f"{100 * share:.2f}%" for share in shares)

    def note() -> str:
        return (
            f"By published regions, {classes} classes, {people:,} shared people: anonypyx and this project "
            f"{'leave every person the same values' if same else 'differ'}; percentage of vulnerable population by "
            f"anonypyx at confidence 100, 50, 33% and 25%: {said}."
        )

    return Versus(ours, theirs, f"{people:,} people", bool(same), note)


class _Column:
    """One quasi-identifier in all releases, as anonypyx wants it: a range, or a flag a value."""

    def __init__(self, number: int, domains: Sequence[Domain]) -> None:
        self.number, self.name = number, f"q{number}"
        self.numeric = domains[0].values is not None
        self.labels = sorted({label for domain in domains for label in domain.labels})

    def of_classes(self, table: Published) -> pd.DataFrame:
        """Return the published regions, a row a class."""
        part = table.attributes[self.number]
        if self.numeric:
            ends = np.array([next(iter(region.ranges)) for region in part.regions], dtype=np.int64)[part.which]
            return pd.DataFrame({f"{self.name}_min": ends[:, 0], f"{self.name}_max": ends[:, 1]})
        flags = np.array([[r.everything or label in r.labels for label in self.labels] for r in part.regions])
        return self._flags(flags[part.which])

    def of_people(self, targets: Targets) -> pd.DataFrame:
        """Return what is known of the people, a row a person."""
        texts = np.array(targets.texts[self.number], dtype=object)[targets.codes[self.number]]
        if self.numeric:
            value = texts.astype(np.int64)
            return pd.DataFrame({f"{self.name}_min": value, f"{self.name}_max": value})
        return self._flags(texts[:, None] == np.array(self.labels, dtype=object))

    def _flags(self, flags: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(flags.astype(bool), columns=[f"{self.name}_v{i}" for i in range(len(self.labels))])


def _frame(table: Published, columns: Sequence[_Column]) -> pd.DataFrame:
    """Return a published table as anonypyx's: a row a class and sensitive value."""
    histogram = table.histogram
    regions = pd.concat([column.of_classes(table) for column in columns], axis=1)
    frame = regions.iloc[histogram.owner].reset_index(drop=True)
    frame[SENSITIVE] = [f"s{value}" for value in histogram.value]
    return frame.assign(count=histogram.count)


def _vulnerable(left: Sequence[set[str]], mine: Encoded, people: int) -> list[float]:
    """Return the percentage of vulnerable population as anonypyx computes it, at each confidence, as a share."""
    from anonypyx.metrics import percentage_of_vulnerable_population, preprocess_prediction

    names = [f"s{code}" for code in range(mine.sensitive.size)]
    guesses = pd.DataFrame([[name in values for name in names] for values in left], columns=names, dtype=float)
    predicted = preprocess_prediction(guesses.assign(ID=np.arange(people)))
    truth = pd.DataFrame({SENSITIVE: [f"s{code}" for code in mine.sensitive_codes[:people]]})
    return [percentage_of_vulnerable_population(truth, predicted, c, SENSITIVE) for c in CONFIDENCES]
