"""My own table of counts next to my release: what both say about the same people, and what other settings would.

Everyone in my table is in both, so no one is sampled; the attack is the one on several releases of mine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.attack.intersection import AttackResult
from core.attack.views import Locate
from core.base.arrays import Progress
from core.data.encoding.encoded import Encoded
from core.release.count_settings import CountSettings
from core.release.made_counts import MadeCounts, coarser, made_text
from core.release.release import Release
from core.study.hospitals import OWN, Hospital, Study
from core.study.one_run import run_study
from core.study.redraws import Redraws
from core.study.sweep import sweep

THRESHOLD, BASE = 10, 5
"""Threshold and base of rounding that are tried."""


def own_hospital(mine: Hospital, settings: CountSettings) -> Hospital:
    """Publisher of a table of counts of my own records."""
    return Hospital(mine.policy, mine.algorithm, origin=OWN, counts=settings)


def with_own_counts(
    encoded: Encoded, release: Release, settings: CountSettings, locate: Locate = "assumed"
) -> AttackResult:
    """Attack my release together with my table of counts, for everyone in my table.

    Parameters
    ----------
    encoded
        My table.
    release
        My release of it.
    settings
        How the table of counts is made.
    locate
        How the adversary finds a person's class in my release; the group of each follows from what is published.

    Returns
    -------
    AttackResult
        Of two releases: mine, then the table of counts.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples
    >>> from composition_dashboard.core.release.count_settings import settings_of
    >>> from composition_dashboard.core.study.own_counts import with_own_counts
    >>> release = anonymize(examples.city(500), examples.city_schema(), Policy(k=5))
    >>> together = with_own_counts(release.encoded, release, settings_of("age/10, zip code; below=5"))
    >>> together.one_value_left.value > together.single(1.0)
    True
    """
    mine = Hospital(release.policy, release.algorithm.name)
    study = Study((mine, own_hospital(mine, settings)), encoded.people, locate=locate)
    return run_study(encoded, study, made=(release,)).result


@dataclass(frozen=True)
class OwnCounts:
    """What my release and my own table of counts give away.

    Parameters
    ----------
    settings
        How the table is made.
    people
        Everyone in my table.
    release, counts, together
        Share with one value left by my release alone, by the table alone, and by both.
    groups, smallest
        Groups of the table, and people in the smallest.
    masked
        Share of its counts of 1 or more that are masked.
    """

    settings: CountSettings
    people: int
    release: float
    counts: float
    together: float
    groups: int
    smallest: int
    masked: float


def own_counts(encoded: Encoded, release: Release, settings: CountSettings, locate: Locate = "assumed") -> OwnCounts:
    """Numbers of :func:`with_own_counts`, whose parameters these are."""
    made = MadeCounts.of(encoded, settings)
    result = with_own_counts(encoded, release, settings, locate)
    alone = result.mean(result.effective_anonymity == 1)
    there = made.counts[made.counts > 0]
    return OwnCounts(
        settings,
        result.people,
        float(alone[0]),
        float(alone[1]),
        result.one_value_left.value,
        len(made.people),
        int(made.people.min()),
        float((there < settings.below).mean()),
    )


# ---- other settings ------------------------------------------------------------------------


@dataclass(frozen=True)
class CountVariant:
    """Settings of a table of counts that are tried.

    Parameters
    ----------
    words
        What differs from the present settings; "" for the present ones.
    settings
        The settings.
    """

    words: str
    settings: CountSettings


def variants(encoded: Encoded, settings: CountSettings) -> list[CountVariant]:
    """Settings worth trying: more masked, rounded, coarser groups, fewer columns, and zeros masked with each of these.

    Parameters
    ----------
    encoded
        The records that are counted, whose columns decide what is coarser.
    settings
        The present settings, which come first.
    """
    single = [CountVariant("", settings), *_stricter(settings), *_coarser(encoded, settings)]
    every = list(single)
    if settings.zeros != "masked":
        for variant in single:
            masked = replace_settings(variant.settings, zeros="masked", below=max(5, variant.settings.below))
            every.append(CountVariant(", ".join(filter(None, [variant.words, "zeros masked"])), masked))
    return list({variant.settings: variant for variant in reversed(every)}.values())[::-1]


def replace_settings(settings: CountSettings, **changes: object) -> CountSettings:
    """The same settings with some changed."""
    facts = {name: getattr(settings, name) for name in settings.__struct_fields__}
    return CountSettings(**{**facts, **changes})


def _stricter(settings: CountSettings) -> Iterator[CountVariant]:
    if settings.below < THRESHOLD:
        yield CountVariant(f"counts below {THRESHOLD} masked", replace_settings(settings, below=THRESHOLD))
    if settings.rounded < BASE:
        yield CountVariant(f"rounded to {BASE}", replace_settings(settings, rounded=BASE))
    if settings.totals:
        yield CountVariant("group sizes not shown", replace_settings(settings, totals=False))


def _coarser(encoded: Encoded, settings: CountSettings) -> Iterator[CountVariant]:
    """Each column one step coarser, and each left out."""
    domains = {domain.name: domain for domain in encoded.qids}
    for place, column in enumerate(settings.groups):
        others = (settings.groups[:place], settings.groups[place + 1 :])
        next_level = coarser(domains[column.name], column)
        if next_level is not None:
            groups = (*others[0], next_level, *others[1])
            yield CountVariant(f"{column.name} coarser", replace_settings(settings, groups=groups))
        if len(settings.groups) > 1:
            yield CountVariant(f"without {column.name}", replace_settings(settings, groups=others[0] + others[1]))


def count_error(exact: MadeCounts, made: MadeCounts) -> float:
    """Error of the counts of a table, relative to their size [definitions §9].

    Parameters
    ----------
    exact
        The finest table that is compared: the true counts of its groups.
    made
        A table of the same records in the same or coarser groups.

    Returns
    -------
    float
        Sum of |count - estimate| over all groups of the finest table and values, divided by the sum of the counts. The
        estimate of a count is the mean of all counts that are published alike, by the same text. 0 if every count
        is published as it is.
    """
    into = np.empty(len(exact.people), dtype=np.int64)
    into[exact.labels] = made.labels
    distinct, which = np.unique(made.counts, return_inverse=True)
    texts = [made_text(number, made.settings) for number in distinct.tolist()]
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    alike = np.array([place[text] for text in texts])[which.reshape(made.counts.shape)][into].ravel()
    counts = exact.counts.ravel().astype(np.float64)
    mean = np.bincount(alike, weights=counts, minlength=len(place)) / np.maximum(1, np.bincount(alike))
    return float(np.abs(counts - mean[alike]).sum() / counts.sum())


def tried(
    encoded: Encoded,
    study: Study,
    number: int,
    settings: CountSettings | None,
    draws: Redraws,
    made: Sequence[Release] = (),
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Exposure and error of counts if one hospital of a study made its table of counts with other settings.

    Parameters
    ----------
    encoded, study, draws, made, progress
        As for :func:`core.study.sweep.sweep`; the draws have one confidence.
    number
        The hospital, which makes a table of counts.
    settings
        The other settings; ``None`` if it published nothing.

    Returns
    -------
    DataFrame
        One row: the columns of :func:`core.study.sweep.sweep`, and ``error``, as :func:`count_error` measures it on my
        records, compared with exact counts in the groups of the present settings; NaN if nothing is published.
    """
    present = study.hospitals[number].counts
    assert present is not None
    before, after = study.hospitals[:number], study.hospitals[number + 1 :]
    there = () if settings is None else (replace(study.hospitals[number], counts=settings),)
    changed = replace(study, hospitals=(*before, *there, *after))
    frame = sweep(encoded, changed, "releases", [len(changed.hospitals)], draws, progress, made)
    if settings is None:
        return frame.assign(error=np.nan)
    exact = MadeCounts.of(encoded, CountSettings(present.groups, 0))
    return frame.assign(error=count_error(exact, MadeCounts.of(encoded, settings)))
