"""Random people, candidate classes and truth for the weighted adversary and its slow twin."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from core import Release
from core.attack.intersection import AttackResult
from core.attack.weighted import Weighted, weigh
from core.release.published.located import Located
from tests.reference import weighted as twin
from tests.reference.attack import Record
from tests.releases import City, cities


def located_of(candidates: Sequence[frozenset[int]]) -> Located:
    starts = np.concatenate(([0], np.cumsum([len(mine) for mine in candidates])))
    return Located(starts.astype(np.int64), np.array([c for mine in candidates for c in sorted(mine)], dtype=np.int64))


def packed(sets: Sequence[set[int]], values: int) -> np.ndarray:
    """Sets of value numbers as bits."""
    words = np.zeros((len(sets), (values + 63) // 64), dtype=np.uint64)
    for row, mine in enumerate(sets):
        for value in mine:
            words[row, value // 64] |= np.uint64(1 << (value % 64))
    return words


class Setting:
    """Releases, candidate classes and truth of some people, for core and for the twin."""

    def __init__(
        self, releases: Sequence[Release], candidates: Sequence[Sequence[frozenset[int]]], truth: Sequence[str | None]
    ) -> None:
        """``candidates[j][i]`` are classes of person i in release j."""
        self.releases, self.candidates, self.truth = releases, candidates, truth
        self.values = sorted({label for release in releases for label in release.encoded.sensitive.labels})
        self.records: list[list[Record]] = [
            [
                (int(label) if label >= 0 else None, release.encoded.sensitive.labels[code])
                for label, code in zip(release.classes.labels, release.encoded.sensitive_codes, strict=True)
            ]
            for release in releases
        ]

    @property
    def people(self) -> range:
        return range(len(self.truth))

    def said(self, person: int, **options: Any) -> dict[str, Fraction]:
        mine = [candidates[person] for candidates in self.candidates]
        return twin.posterior(self.records, mine, frozenset(self.values), **options)

    def weigh(self, **options: Any) -> Weighted:
        return weigh(self.result(), **options)

    def result(self) -> AttackResult:
        number = {value: place for place, value in enumerate(self.values)}
        first = self.releases[0]
        codes = [np.array([number[s] for s in r.encoded.sensitive.labels]) for r in self.releases]
        overall = np.bincount(codes[0], weights=first.histogram.overall, minlength=len(number)).astype(np.int64)
        left = [{number[s] for s in self.said(i)} for i in self.people]
        truth = [-1 if s is None else number[s] for s in self.truth]
        return AttackResult(
            tuple(self.values),
            effective_anonymity=np.zeros((len(self.releases), len(self.people)), dtype=np.int64),
            sets=packed(left, len(self.values)),
            truth=np.array(truth),
            overall=overall,
            unlocated=np.zeros(len(self.releases), dtype=np.int64),
            weight=np.ones(len(self.people), dtype=np.int64),
            record=np.arange(len(self.people)),
            right_left=np.array([len(mine) * (true in mine) for mine, true in zip(left, truth, strict=True)]),
            located=tuple(located_of(mine) for mine in self.candidates),
            histograms=tuple(release.histogram for release in self.releases),
            codes=tuple(codes),
        )


@st.composite
def situations(draw: st.DrawFn) -> Setting:
    """Random releases; people with one candidate class in each, or with several, or with none."""
    city: City = draw(cities())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    several = draw(st.booleans())
    candidates = []
    for release, people in zip(city.releases, city.people, strict=True):
        mine = [frozenset([int(label)] if label >= 0 else []) for label in release.labels[people]]
        if several and rng.random() < 0.8:
            mine = [
                classes | frozenset(np.flatnonzero(rng.random(release.classes.count) < 0.3).tolist())
                for classes in mine
            ]
            mine = [frozenset() if rng.random() < 0.1 else classes for classes in mine]
        candidates.append(mine)
    return Setting(city.releases, candidates, city.expected.truth)
