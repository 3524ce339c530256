"""Slow twin of m-privacy, straight from Def. 2.1 of Goryczka et al. and definitions §6.

A class is a list of records (provider, sensitive value). Coalitions are drawn from its own
contributors, at most min(m, n_G - 1) of them, and may take away any part of their records.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from tests.reference.attributes import Attribute
from tests.reference.mondrian import Members, best_cut, width

Record = tuple[str, object]
Holds = Callable[[list[object]], bool]


def coalitions(records: Sequence[Record], m: int) -> Iterator[frozenset[str]]:
    """Every coalition of the class's contributors that leaves somebody outside."""
    contributors = sorted({provider for provider, _ in records})
    for size in range(min(m, len(contributors) - 1) + 1):
        yield from map(frozenset, itertools.combinations(contributors, size))


def survivors(records: Sequence[Record], coalition: frozenset[str], everything: bool) -> Iterator[list[object]]:
    """Sensitive values of every T' with T minus T_I inside T' inside T; or of T minus T_I alone."""
    theirs = [value for provider, value in records if provider not in coalition]
    own = [value for provider, value in records if provider in coalition]
    for kept in [0] if everything else range(len(own) + 1):
        for part in itertools.combinations(own, kept):
            yield [*theirs, *part]


def m_private(records: Sequence[Record], m: int, holds: Holds, everything: bool = False) -> bool:
    """Whether a class is m-private; `everything` asks the weaker question."""
    return all(
        holds(left) for coalition in coalitions(records, m) for left in survivors(records, coalition, everything)
    )


# ---- the strategies, one check after another ---------------------------------------------------


class Class:
    """One class for k and distinct l, with the fitness score in exact numbers."""

    def __init__(self, records: Sequence[Record], k: int, l: int | None, alpha: Fraction) -> None:  # noqa: E741
        self.records, self.k, self.l, self.alpha = records, k, l, alpha
        self.contributors = sorted({provider for provider, _ in records})
        self.checks = 0

    def subsets(self, size: int) -> list[frozenset[str]]:
        return [frozenset(chosen) for chosen in itertools.combinations(self.contributors, size)]

    def holds(self, values: list[object]) -> bool:
        known = {value for value in values if value is not None}
        return len(values) >= self.k and (self.l is None or len(known) >= self.l)

    def breached(self, coalition: frozenset[str]) -> bool:
        """Make one check."""
        self.checks += 1
        return not self.holds([value for provider, value in self.records if provider not in coalition])

    def fitness(self, coalition: frozenset[str]) -> Fraction:
        values = [value for provider, value in self.records if provider in coalition]
        known = {value for value in values if value is not None}
        score = Fraction(len(values), self.k)
        if self.l is not None:
            score = (1 - self.alpha) * score + self.alpha * Fraction(len(known), self.l)
        return score if self.holds(values) else min(1 - Fraction(1, 10**9), score)

    def mask(self, coalition: frozenset[str]) -> int:
        return sum(2 ** self.contributors.index(provider) for provider in coalition)

    def strongest(self, some: Iterable[frozenset[str]]) -> list[frozenset[str]]:
        return sorted(some, key=lambda coalition: (-self.fitness(coalition), self.mask(coalition)))

    def weakest(self, some: Iterable[frozenset[str]]) -> list[frozenset[str]]:
        return sorted(some, key=lambda coalition: (self.fitness(coalition), self.mask(coalition)))


def direct(group: Class, m: int) -> bool:
    most = min(m, len(group.contributors) - 1)
    return not any(group.breached(coalition) for coalition in group.strongest(group.subsets(most)))


def bottom_up(group: Class, m: int) -> bool:
    most = min(m, len(group.contributors) - 1)
    return not any(
        group.breached(coalition) for size in range(most + 1) for coalition in group.strongest(group.subsets(size))
    )


def top_down(group: Class, m: int) -> bool:
    n = len(group.contributors)
    most = min(m, n - 1)
    waiting = set(group.subsets(most))
    harmless: list[frozenset[str]] = []
    for size in range(n - 1, most, -1):
        for coalition in group.weakest(group.subsets(size)):
            if any(coalition <= whole for whole in harmless):
                continue
            if not group.breached(coalition):
                harmless.append(coalition)
                waiting = {adversary for adversary in waiting if not adversary <= coalition}
                if not waiting:
                    return True
    return not any(group.breached(coalition) for coalition in group.strongest(waiting))


STRATEGIES = {"direct": direct, "bottom-up": bottom_up, "top-down": top_down}


# ---- provider-aware anonymisation, [Goryczka 2011, Alg. 2] ---------------------------------------


class ProviderAware:
    """The recursion of Alg. 2, with what core/algorithms/provider_aware.py says it leaves open."""

    def __init__(
        self,
        attributes: Sequence[Attribute],
        secrets: Sequence[object],
        providers: Sequence[str],
        asked: tuple[int, int | None, int],
        alpha: Fraction = Fraction(4, 5),
    ) -> None:
        self.attributes, self.secrets, self.providers = attributes, secrets, providers
        self.k, self.l, self.m = asked
        self.alpha = alpha

    def group(self, part: Members) -> Class:
        return Class([(self.providers[i], self.secrets[i]) for i in part], self.k, self.l, self.alpha)

    def holds(self, part: Members) -> bool:
        group = self.group(part)
        return m_private(group.records, self.m, group.holds, everything=True)

    def by_provider(self, part: Members) -> list[Members]:
        """Near-equal halves of the providers, the largest contributors first; none where none is allowed."""
        count = Counter(self.providers[i] for i in part)
        ranked = sorted(count, key=lambda provider: (-count[provider], provider))
        cuts = []
        for place in range(1, len(ranked)):
            first = [i for i in part if self.providers[i] in ranked[:place]]
            rest = [i for i in part if self.providers[i] not in ranked[:place]]
            if self.holds(first) and self.holds(rest):
                cuts.append((abs(2 * len(first) - len(part)), place, [first, rest]))
        return min(cuts)[2] if cuts else []

    def rank(self, parts: list[Members]) -> Fraction:
        groups = [self.group(part) for part in parts]
        return sum((group.fitness(frozenset(group.contributors)) for group in groups), Fraction(0))

    def split(self, part: Members) -> list[Members]:
        """Cut by fitness, ties to the provider, then to the width."""
        options = []
        for place, attribute in enumerate(self.attributes):
            parts = best_cut(attribute, part, self.holds)
            options += [(self.rank(parts), width(attribute, part), -place, parts)] if parts else []
        parts = self.by_provider(part)
        options += [(self.rank(parts), Fraction(2), 0, parts)] if parts else []
        if not options:
            return [part]
        return [final for piece in max(options, key=lambda option: option[:3])[3] for final in self.split(piece)]
