"""Slow twin of the intersection attack: sets of texts, one person at a time.

[Ganta 2008, Alg. 1, Def. 7-9] and definitions §4. A release is a list of records, each with
its class (``None`` if it is in none) and the text of its sensitive value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest

from core.attack.intersection import AttackResult

CONFIDENCES = (1.0, 0.5, 0.34, 0.25, 0.2)
Record = tuple[int | None, str]


@dataclass(frozen=True)
class Attacked:
    """What is known of each person after the attack.

    ``known[j][i]`` is the set of values of person i's class in release j, ``None`` where the
    class is not known; ``universe`` are all values that any of the publishers may use.
    """

    first: Sequence[Record]
    universe: frozenset[str]
    known: list[list[frozenset[str] | None]]
    truth: list[str | None]

    @property
    def people(self) -> range:
        return range(len(self.truth))

    def prior(self, j: int, i: int) -> int:
        """EA_ij = |s_ij|; everything is possible where the class is not known."""
        found = self.known[j][i]
        return len(self.universe if found is None else found)

    def left(self, i: int) -> frozenset[str]:
        """S_i, the values common to all classes of the person."""
        left = self.universe
        for release in self.known:
            if (found := release[i]) is not None:
                left &= found
        return left

    def posterior(self, i: int) -> int:
        """EA^_i = |S_i|."""
        return len(self.left(i))

    def best_effective_anonymity(self, i: int) -> int:
        return min(self.prior(j, i) for j in range(len(self.known)))

    def drop(self, i: int) -> int:
        """Anon_Drop_i; an empty intersection is counted apart and has none."""
        return self.best_effective_anonymity(i) - self.posterior(i) if self.left(i) else 0

    def confidence(self, i: int) -> Fraction:
        """C_i = 1 / EA^_i; 0 for an empty intersection."""
        return Fraction(1, self.posterior(i)) if self.left(i) else Fraction(0)

    def breached(self, i: int, confidence: float) -> bool:
        """i in VP_C, in integers."""
        return 1 <= self.posterior(i) <= limit(confidence)

    def true_disclosures(self, confidence: float) -> Fraction:
        """Share with few enough values left, the own one among them."""
        return self.share([self.breached(i, confidence) and self.truth[i] in self.left(i) for i in self.people])

    def true_disclosures_single(self, confidence: float) -> Fraction:
        """The same from the best single release alone."""
        return max(
            self.share(
                [
                    self.prior(j, i) <= limit(confidence)
                    and self.truth[i] is not None
                    and self.truth[i] in (self.universe if self.known[j][i] is None else self.known[j][i] or ())
                    for i in self.people
                ]
            )
            for j in range(len(self.known))
        )

    def wrong(self, i: int) -> bool:
        """Whether the true value is known not to be among those left."""
        return self.truth[i] not in self.left(i)

    def right_by_chance(self, i: int) -> float:
        """Chance that one of the values left, picked blindly, is the true one."""
        return 0.0 if self.wrong(i) else 1 / self.posterior(i)

    def false_alarm(self, i: int) -> bool:
        """One candidate, and not the true value."""
        return self.posterior(i) == 1 and self.truth[i] is not None and self.wrong(i)

    def share(self, people: Sequence[bool]) -> Fraction:
        return Fraction(sum(people), len(self.truth))

    def pvp(self, confidence: float) -> Fraction:
        """PVP_C / 100."""
        return self.share([self.breached(i, confidence) for i in self.people])

    def vulnerable(self) -> Fraction:
        """|VP| / |P|."""
        return self.share([self.drop(i) > 0 for i in self.people])

    def empty(self) -> Fraction:
        return self.share([not self.left(i) for i in self.people])

    def false_alarms(self) -> Fraction:
        return self.share([self.false_alarm(i) for i in self.people])

    def single(self, confidence: float) -> Fraction:
        """Share breached by the best single release alone."""
        return max(
            self.share([self.prior(j, i) <= limit(confidence) for i in self.people]) for j in range(len(self.known))
        )

    def guess(self, confidence: float) -> Fraction:
        """Share of the records of the first release whose value is among its so many most common."""
        count = Counter(value for label, value in self.first if label is not None)
        most_common = sorted(count.values(), reverse=True)[: limit(confidence)]
        return Fraction(sum(most_common), sum(count.values()))


def limit(confidence: float) -> int:
    """Most candidates that still give a confidence: floor(1/C + 1e-9) [definitions §4]."""
    return math.floor(1 / confidence + 1e-9)


def attack(
    releases: Sequence[Sequence[Record]],
    people: Sequence[Sequence[int]],
    universe: Sequence[str] = (),
    secrets: Sequence[str | None] | None = None,
) -> Attacked:
    """Algorithm 1; truth is what the first table says, or the ``secrets`` given for its rows."""
    known: list[list[frozenset[str] | None]] = []
    values = set(universe)
    for records, positions in zip(releases, people, strict=True):
        inside: dict[int, set[str]] = {}
        for label, value in records:
            values.add(value)
            if label is not None:
                inside.setdefault(label, set()).add(value)
        labels = [records[position][0] for position in positions]
        known.append([None if label is None else frozenset(inside[label]) for label in labels])
    says = [value for _, value in releases[0]] if secrets is None else secrets
    return Attacked(releases[0], frozenset(values), known, [says[position] for position in people[0]])


def assert_same(result: AttackResult, expected: Attacked) -> None:
    """Compare every number of the attack with the twin's."""
    everybody = expected.people
    assert sorted(result.values) == sorted(expected.universe)
    assert result.effective_anonymity.tolist() == [
        [expected.prior(j, i) for i in everybody] for j in range(result.releases)
    ]
    for name in ("best_effective_anonymity", "posterior", "drop", "confidence"):
        assert getattr(result, name).tolist() == [float(getattr(expected, name)(i)) for i in everybody], name
    assert [set(result.candidates(i)) for i in everybody] == [expected.left(i) for i in everybody]
    assert [len(result.candidates(i)) for i in everybody] == result.posterior.tolist()
    assert result.true_value_left.tolist() == [not expected.wrong(i) for i in everybody]
    assert result.unlocated.tolist() == [sum(values is None for values in row) for row in expected.known]
    for confidence in CONFIDENCES:
        rate = result.pvp(confidence)
        assert result.breached(confidence).tolist() == [expected.breached(i, confidence) for i in everybody]
        assert (rate.n, rate.low, rate.high, rate.single) == (len(everybody), None, None, result.single(confidence))
        assert rate.value == pytest.approx(float(expected.pvp(confidence)), abs=1e-12)
        disclosed = result.true_disclosures(confidence).mean()
        assert disclosed == pytest.approx(float(expected.true_disclosures(confidence)), abs=1e-12)
        for name in ("single", "guess", "true_disclosures_single"):
            exact = float(getattr(expected, name)(confidence))
            assert getattr(result, name)(confidence) == pytest.approx(exact, abs=1e-12), name
    assert result.one_value_left == result.pvp(1.0)
    for name in ("vulnerable", "empty", "false_alarms"):
        assert getattr(result, name).value == pytest.approx(float(getattr(expected, name)()), abs=1e-12), name
