"""One person's story: what each release reveals about them, and what is left after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.attack.intersection import AttackResult
from core.base.errors import ParameterError
from core.release.readable import Readable


@dataclass(frozen=True)
class Match:
    """A class that the person may be in.

    Parameters
    ----------
    number, size
        The class, and its records.
    region
        Its published cells, by quasi-identifier.
    """

    number: int
    size: int
    region: dict[str, str]


@dataclass(frozen=True)
class Step:
    """Information of one more release about one person.

    Parameters
    ----------
    release
        Number of the release, from 1.
    matches
        Classes that the person may be in; none if no class fits, and the release then
        says nothing.
    counts
        Sensitive values of those classes together with their counts, most common first.
    left
        Values left after this release, in the order of the first release that rules something out; every value if none
        does.
    """

    release: int
    matches: tuple[Match, ...]
    counts: tuple[tuple[str, int], ...]
    left: tuple[str, ...]

    @property
    def size(self) -> int:
        """Records in the matching classes."""
        return sum(match.size for match in self.matches)


def follow(releases: Sequence[Readable], result: AttackResult, person: int) -> list[Step]:
    """Follow an attack on one person release by release.

    Parameters
    ----------
    releases
        As attacked.
    result
        Of :func:`core.intersection_attack` on them.
    person
        Position among the people attacked.

    Returns
    -------
    list of Step
        The last step's ``left`` are ``result.candidates(person)``.

    Raises
    ------
    ParameterError
        If there is no such person, or the releases are not those of the result.
    """
    if not 0 <= person < len(result):
        raise ParameterError(f"The person must be from 0 to {len(result) - 1:,}.", parameter="person")
    if len(releases) != result.releases:
        raise ParameterError("The releases are not those that were attacked.", parameter="releases")
    steps = []
    left = result.values
    started = False
    for place, release in enumerate(releases):
        classes = result.located[place].of_person(person)
        histogram, code = result.histograms[place], result.codes[place]
        inside = np.isin(histogram.owner, classes)
        total = np.bincount(code[histogram.value[inside]], histogram.count[inside], minlength=len(result.values))
        order = [i for i in np.argsort(-total, kind="stable").tolist() if total[i]]
        counts = tuple((result.values[i], int(total[i])) for i in order)
        if len(classes):
            values = {text for text, _ in counts}
            # The first release that rules something out gives the order in which values are listed.
            left = tuple(text for text in left if text in values) if started else tuple(text for text, _ in counts)
            started = True
        if place + 1 == len(releases) and result.tuples is not None:
            still = result.candidates(person)  # published columns rule out more than the values alone
            left = tuple(text for text in left if text in still)
        read = _as_read(release, result, place)
        matches = tuple(Match(c, int(histogram.people[c]), _region(read, c)) for c in classes.tolist())
        steps.append(Step(place + 1, matches, counts, left))
    return steps


Columns = list[tuple[str, Sequence[str], NDArray[np.int64]]]


def _as_read(release: Readable, result: AttackResult, place: int) -> Columns:
    """Published cells of the classes numbered in the result: name, texts and the text of each class, by column.

    The classes are those of the release itself, or what its reader sees of it.
    """
    mine = release.release
    if mine is None or result.histograms[place] is not mine.histogram:
        return [(part.name, part.texts, part.which) for part in release.published.attributes]
    return [(domain.name, *mine.region_codes(i)) for i, domain in enumerate(mine.encoded.qids)]


def _region(columns: Columns, number: int) -> dict[str, str]:
    return {name: texts[int(which[number])] for name, texts, which in columns}
