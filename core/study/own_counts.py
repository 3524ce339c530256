"""My own table of counts next to my release: what both say about the same people, and what other settings would.

Everyone in my table is in both, so no one is sampled; the attack is the one on several releases of mine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from core.attack.intersection import AttackResult
from core.attack.views import Locate
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.release.count_settings import CountSettings, GroupColumn
from core.release.made_counts import MadeCounts, made_text
from core.release.release import Release
from core.study.hospitals import OWN, Hospital, Study
from core.study.one_run import run_study

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
        coarser = _step_up(column, domains[column.name].column_type, domains[column.name].labels)
        if coarser is not None:
            groups = (*others[0], coarser, *others[1])
            yield CountVariant(f"{column.name} coarser", replace_settings(settings, groups=groups))
        if len(settings.groups) > 1:
            yield CountVariant(f"without {column.name}", replace_settings(settings, groups=others[0] + others[1]))


def _step_up(column: GroupColumn, column_type: ColumnType, labels: tuple[str, ...]) -> GroupColumn | None:
    """A column one step coarser; ``None`` if only leaving it out is."""
    if column.level:
        return GroupColumn(column.name, column.step - 1, level=True) if column.step > 1 else None
    if column_type in (ColumnType.NUMERIC, ColumnType.ORDINAL):
        step = 2 * column.step or (10 if column_type is ColumnType.NUMERIC else 2)
        return GroupColumn(column.name, step)
    if column_type is ColumnType.DATE:
        longest = max(map(len, labels))
        step = next((many for many in (7, 4) if many < (column.step or longest)), 0)
        return GroupColumn(column.name, step) if step else None
    if column.step > 1:
        return GroupColumn(column.name, column.step - 1)
    digits = column_type is ColumnType.TAXONOMY and all(label[:1].isdecimal() for label in labels[:-1] or labels)
    return GroupColumn(column.name, len(labels[0]) - 1) if digits and len(labels[0]) > 2 else None


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


def tried_hospitals(study: Study, number: int, settings: CountSettings) -> Study:
    """The study with other settings of the table of counts of one hospital."""
    hospitals = list(study.hospitals)
    hospitals[number] = replace(hospitals[number], counts=settings)
    return replace(study, hospitals=tuple(hospitals))
