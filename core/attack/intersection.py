"""The composition (intersection) attack of Ganta, Kasiviswanathan and Smith (KDD 2008).

An adversary who knows a person's class in several releases intersects the sensitive values of
those classes [Ganta 2008, Alg. 1]. A class's set of values is a row of 64-bit words, the
attack a bitwise "and", its outcome a count of bits. If published regions leave several classes, a release allows the
union of their values. If persons have several records, each record is attacked separately, and a person counts with the
one that leaves the fewest values: the adversary may know about that encounter.

Several sensitive columns are attacked each by itself and together, as their joint value. A person is exposed if they
are in any column, so a further column never hides what another one gives away.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.attack.bitsets import common_values, full_set, has_value, onto, set_of, sets_of_people, sizes_of
from core.attack.tuples import by_tuples
from core.attack.views import LOCATE, AdversaryView, views_of
from core.base.arrays import BitSets, Ints, is_first, mean_over
from core.base.errors import ParameterError
from core.base.rates import Rate, candidate_limit
from core.base.short import html_table, many, short
from core.base.wording import percent
from core.data.classes import ClassHistogram, distinct_columns
from core.release.published.located import Located
from core.release.published.targets import Targets
from core.release.readable import Readable

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from core.data.tables.table import Table

__all__ = ["AttackResult", "intersection_attack"]

_MANY = np.iinfo(np.int64).max
"""Stands for no value left where the fewest are looked for."""
People: TypeAlias = "Sequence[NDArray[Any] | Sequence[int] | None] | Table | IntoDataFrame | Targets"


@dataclass(frozen=True)
class LocatedShare:
    """How well people were located in one release.

    Parameters
    ----------
    only
        Share of people whose one candidate class is their own.
    among
        Share of people whose own class is among their candidates.
    """

    only: Rate
    among: Rate


@dataclass(frozen=True)
class ColumnExposure:
    """Number of people exposed in one of several sensitive columns [definitions §4].

    Parameters
    ----------
    column
        Header; "" for the joint value of all columns.
    exposed
        Share of people, with that of the best single release.
    wrong
        The part of it that is wrong: the person's own value is not among those left.
    """

    column: str
    exposed: Rate
    wrong: float


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Values left to the adversary for each of P people after R releases.

    Parameters
    ----------
    values
        Text of every sensitive value; bit ``i`` of a set is ``values[i]``.
    effective_anonymity
        (R, P) effective anonymity in each release: distinct sensitive values of the
        person's class, EA_ij [Ganta 2008, Def. 8]; of all candidate classes together if there are several; all values
        if there is none.
    sets
        (P, words) the values left, S_i.
    truth
        (P,) the person's value in the first release whose records are given; -1 if it is
        not known.
    overall
        (values,) how often each value occurs in the first release.
    unlocated
        (R,) people whose class in each release is not known; that release says nothing about them.
    weight
        (P,) people that each one represents, 1 for a person. If frequency tables were attacked, P are groups of
        people with equal records in every release.
    record
        (P,) which of the records attacked each person counts with, as a number into the positions
        given. Sets, truth and classes are those of this record; if persons have several,
        ``effective_anonymity`` is the least over all records of the person, ``has_true_value`` that of the
        records with this prior.
    right_left
        (P,) fewest values left by a record of the person whose own value is among them, 0 if there is none.
    has_multiple_records
        Whether persons have several records.
    located
        Candidate classes of every person in each release.
    histograms
        Sensitive counts of the classes that ``located`` names: of the release itself if classes are assumed known,
        otherwise of the classes as a reader sees them.
    codes
        For each release, the index in ``values`` of each of its sensitive codes.
    own
        (P,) for each release, the class that each person is really in, -1 for none; ``None`` if that is not known.
    has_true_value
        (R, P) whether the values that each release allows for a person include the true one; False if that is not
        known.
    tuples
        (P,) if columns are published as they are: tuples of sensitive and published values left
        (:mod:`core.attack.tuples`), 0 if they have nothing in common. ``None`` if there are none.
    parts
        Columns whose joint values ``values`` are; empty for one sensitive column.
    of_parts
        The outcome for each of them: the fewest of its values that are left by any of the columns together, the column
        among them. A person counts with the record that leaves the fewest values of that column.
    """

    values: tuple[str, ...]
    effective_anonymity: Ints
    sets: BitSets
    truth: Ints
    overall: Ints
    unlocated: Ints
    weight: Ints
    record: Ints
    right_left: Ints
    has_multiple_records: bool = False
    located: tuple[Located, ...] = ()
    histograms: tuple[ClassHistogram, ...] = ()
    codes: tuple[Ints, ...] = ()
    own: tuple[Ints | None, ...] = ()
    has_true_value: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))
    tuples: Ints | None = None
    parts: tuple[str, ...] = ()
    of_parts: tuple[AttackResult, ...] = ()

    def __repr__(self) -> str:
        share = (
            f"one value left for {percent(self.one_value_left.value)}, best single release {percent(self.single(1.0))}"
        )
        return short(self, many(self.people, "person", "people"), many(self.releases, "release"), share)

    def _repr_html_(self) -> str:
        rows = [[f"{most:,}", percent(self.pvp(1 / most).value), percent(self.single(1 / most))] for most in (1, 2, 4)]
        for own in self.by_column():
            of = f"one value of {own.column} left" if own.column else "one joint value left"
            rows.append([of, percent(own.exposed.value), percent(own.exposed.single or 0.0)])
        caption = f"{many(self.people, 'person', 'people')}, {many(self.releases, 'release')}"
        return html_table(caption, ["values left at most", "after all releases", "best single release"], rows)

    def __len__(self) -> int:
        """P: people attacked, or groups of them."""
        return int(self.effective_anonymity.shape[1])

    @cached_property
    def people(self) -> int:
        """Number of people attacked."""
        return int(self.weight.sum())

    def mean(self, numbers: NDArray[Any]) -> Any:
        """Mean over all people of numbers (..., P), or the share if they are booleans."""
        return mean_over(numbers, self.weight)

    @property
    def releases(self) -> int:
        """R, the number of releases."""
        return int(self.effective_anonymity.shape[0])

    @cached_property
    def same_classes(self) -> tuple[Ints, Ints] | None:
        """Groups of people with the same classes: one person of each group, and (P,) the group of each person.

        ``None`` if a person has several candidate classes in a release, or none.
        """
        if not all(len(located.classes) == len(self) and (located.counts == 1).all() for located in self.located):
            return None
        first, group, _ = distinct_columns(np.array([located.classes for located in self.located]))
        return first, group

    @cached_property
    def posterior(self) -> Ints:
        """(P,) values left, EA^_i; 0 is an empty intersection."""
        return sizes_of(self.sets)

    @cached_property
    def fits_all(self) -> NDArray[np.bool_]:
        """(P,) whether each person has a candidate class in every release."""
        fits: NDArray[np.bool_] = np.all([located.counts > 0 for located in self.located], axis=0)
        return fits

    @cached_property
    def best_effective_anonymity(self) -> Ints:
        """(P,) effective anonymity in the release that reveals most."""
        least: Ints = self.effective_anonymity.min(axis=0)
        return least

    @property
    def drop(self) -> Ints:
        """(P,) Anon_Drop_i = min_j EA_ij - EA^_i; 0 if the intersection is empty."""
        # If a person has several records, one release may say less about the record that counts.
        return np.where(self.posterior > 0, np.maximum(self.best_effective_anonymity - self.posterior, 0), 0)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(P,) C_i = 1 / EA^_i [Ganta 2008, Def. 9]; 0 if the intersection is empty."""
        return np.where(self.posterior > 0, 1.0 / np.maximum(self.posterior, 1), 0.0)

    @cached_property
    def true_value_left(self) -> NDArray[np.bool_]:
        """(P,) whether the person's true value is among those left; False if truth is unknown."""
        return has_value(self.sets, self.truth)

    @cached_property
    def fewest(self) -> Ints:
        """(P,) fewest values left of any sensitive column, at least one; 0 if none is left of any."""
        left = np.array([own.posterior for own in self._columns])
        least: Ints = np.where(left > 0, left, _MANY).min(axis=0) % _MANY
        return least

    @property
    def _columns(self) -> tuple[AttackResult, ...]:
        """The outcome for each sensitive column."""
        return self.of_parts or (self,)

    def breached(self, confidence: float = 1.0) -> NDArray[np.bool_]:
        """(P,) whether at most floor(1/C) values of any sensitive column are left, and at least one: VP_C."""
        return (self.fewest > 0) & (self.fewest <= candidate_limit(confidence))

    def true_disclosures(self, confidence: float = 1.0) -> NDArray[np.bool_]:
        """(P,) whether at most floor(1/C) values are left and the true one is among them: a true disclosure.

        This holds for any sensitive column and, for a person with several records, for any of them.
        """
        right = np.array([own.right_left for own in self._columns])
        disclosed: NDArray[np.bool_] = np.any((right > 0) & (right <= candidate_limit(confidence)), axis=0)
        return disclosed

    def false_disclosures(self, confidence: float = 1.0) -> NDArray[np.bool_]:
        """(P,) whether a person is exposed, and it is no true disclosure."""
        return self.breached(confidence) & ~self.true_disclosures(confidence)

    def pvp(self, confidence: float) -> Rate:
        """Share of people breached with at least this confidence, PVP_C / 100.

        Returns
        -------
        Rate
            ``single``: the share that the best single release alone gives, its baseline.
            There is no baseline for guessing, which leaves no fewer values. The share is exact for these people
            and has no interval.
        """
        return Rate(float(self.mean(self.breached(confidence))), self.people, single=self.single(confidence))

    def guess(self, confidence: float) -> float:
        """Share of the people in the first release whose value is among the floor(1/C) most common."""
        most_common = np.sort(self.overall)[::-1][: candidate_limit(confidence)]
        return float(most_common.sum() / max(1, self.overall.sum()))

    def single(self, confidence: float) -> float:
        """Share breached by the best single release alone."""
        limit = candidate_limit(confidence)
        alone = np.any([own.effective_anonymity <= limit for own in self._columns], axis=0)
        return float(self.mean(alone).max())

    def true_disclosures_single(self, confidence: float) -> float:
        """Share of true disclosures by the best single release alone."""
        limit = candidate_limit(confidence)
        alone = np.any([(own.effective_anonymity <= limit) & own.has_true_value for own in self._columns], axis=0)
        return float(self.mean(alone).max())

    @property
    def joint(self) -> AttackResult:
        """The outcome for the joint value of several sensitive columns as if it were one column."""
        return replace(self, of_parts=())

    def by_column(self, confidence: float = 1.0) -> tuple[ColumnExposure, ...]:
        """Exposure in each of several sensitive columns, and last of their joint value; empty for one column.

        A person is exposed in a column if at most floor(1/C) of its values are left, and at least one.
        """
        every = zip((*self.parts, ""), (*self.of_parts, self.joint), strict=True) if self.of_parts else ()
        return tuple(
            ColumnExposure(column, own.pvp(confidence), float(self.mean(own.false_disclosures(confidence))))
            for column, own in every
        )

    @property
    def one_row_left(self) -> Rate:
        """Share of people with a single tuple of sensitive and published values left.

        If no column is published as it is, a tuple is the sensitive value alone. An adversary who
        knows only where a person was a patient then knows the whole row, right or wrong.
        """
        left = self.posterior if self.tuples is None else self.tuples
        return Rate(float(self.mean(left == 1)), self.people)

    @property
    def one_value_left(self) -> Rate:
        """Share with one value left [Ganta 2008, §3.2.1]."""
        return self.pvp(1.0)

    @property
    def vulnerable(self) -> Rate:
        """Share whose effective anonymity drops at all, VP [Ganta 2008, §2.1]."""
        return Rate(float(self.mean(self.drop > 0)), self.people)

    @property
    def empty(self) -> Rate:
        """Share with an empty intersection: in neither VP nor VP_C."""
        return Rate(float(self.mean(self.posterior == 0)), self.people)

    @property
    def false_alarms(self) -> Rate:
        """Share with a single candidate that is not the true value (0 if truth is unknown)."""
        wrong = self.false_disclosures() & (self.truth >= 0)
        return Rate(float(self.mean(wrong)), self.people)

    @cached_property
    def located_correctly(self) -> tuple[LocatedShare | None, ...]:
        """(R,) how well people were located [definitions §4]; ``None`` if that is not known.

        The shares are of the people who are in a class of the release.
        """
        return tuple(_share(located, own, self.weight) for located, own in zip(self.located, self.own, strict=True))

    def candidates(self, person: int) -> tuple[str, ...]:
        """Return the sensitive values left for one person."""
        return self._texts(self.sets[person])

    def _texts(self, words: BitSets) -> tuple[str, ...]:
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return tuple(self.values[i] for i in np.flatnonzero(bits))


def intersection_attack(
    releases: Sequence[Readable], people: People | None = None, locate: str = "assumed", weight: Ints | None = None
) -> AttackResult:
    """Attack people who are in several releases [Ganta 2008, Alg. 1].

    The adversary knows who is in all releases and, for each of these people, the class in every release, or the
    quasi-identifiers from which the class is found. They intersect the sensitive values of the classes. A person with
    one value left is exposed: the adversary concludes that value, which may be wrong if the releases disagree. Read
    :meth:`AttackResult.pvp` next to its baseline, the best single release, and with its part of incorrect inferences.

    Parameters
    ----------
    releases
        Two or more releases of the same sensitive attribute, whose values are matched by
        their text. Another publisher's table comes from :meth:`Release.parse`.
    people
        For each release, the positions of the shared people among its input rows, in one
        order of people (for a published table their rows, or ``None`` if it is not known who is in which row); if
        persons have several records, of all their records, in one order of records; or, if only regions are read, what
        is known about them: a table or frame with one row per person and one column per quasi-identifier.
    locate
        ``"assumed"``: the adversary knows the class of each person (the paper's setting).
        ``"published"``: they have the published regions (or centroids) and the person's
        quasi-identifiers; with positions, those of the first release that has records. A
        release then says the union over all classes that match [definitions §4]. A published table is read by its
        regions if it is not known who is in which row.
    weight
        How many people each position represents, if releases are of frequency tables: positions are
        then those of tuples, and a group has one in each release. By default each is a person.

    Returns
    -------
    AttackResult
        A person who fits no class of a release is counted (``unlocated``); that release says nothing about them. If
        persons have several records in the first release with records, the numbers count persons. Each counts with the
        record that leaves the fewest values, but at least one; in case of ties, with the first record whose own value
        is left. Records that this release left out are then not attacked.

    Raises
    ------
    ParameterError
        If there are fewer than two releases, people differ in number or lie outside a
        release, or the way of locating is unknown or needs something that is missing.
    InputError
        If a value known about a person does not fit the type of its column.

    Notes
    -----
    O(classes x values / 64 + R x P x values / 64) and, by regions, that of
    :func:`core.release.published.locate.locate`; 2 releases and 5,000 people take about a millisecond once
    the classes are counted.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples, intersection_attack, overlapping_samples
    >>> city, schema = examples.city(600), examples.city_schema()
    >>> rows = overlapping_samples(len(city), overlap=100, seed=1)
    >>> releases = [anonymize(city, schema, Policy(k=3), rows=each) for each in rows]
    >>> result = intersection_attack(releases, [range(100)] * 2)
    >>> result.one_value_left.value > result.one_value_left.single
    True
    """
    views = _checked_views(releases, people, locate)
    result = attack_views(views, weight)
    person = next((view.person for view in views if view.person is not None), None)
    return result if person is None else _by_person(result, person)


def by_record(releases: Sequence[Readable], people: People, locate: str = "assumed") -> AttackResult:
    """Attack as :func:`intersection_attack`, each record separately even if persons have several."""
    return attack_views(_checked_views(releases, people, locate))


def _checked_views(releases: Sequence[Readable], people: People | None, locate: str) -> list[AdversaryView]:
    """The view of each release."""
    if locate not in LOCATE:
        raise ParameterError(f"locate must be one of {', '.join(map(repr, LOCATE))}.", parameter="locate")
    if not hasattr(releases, "__len__") or len(releases) < 2:
        raise ParameterError("An intersection needs a list of at least two releases.", parameter="releases")
    if not all(hasattr(type(release), "published") for release in releases):
        raise ParameterError(
            "A release comes from anonymize(); read a published table with Release.parse() first.", parameter="releases"
        )
    return views_of(releases, people, locate)


def attack_views(views: Sequence[AdversaryView], weight: Ints | None = None) -> AttackResult:
    """Attack as :func:`intersection_attack` what an adversary sees of one release or more, record by record."""
    result = _attack(views, weight)
    every = range(len(result.parts))
    return replace(result, of_parts=_of_parts(views, result) if every else ())


def _of_parts(views: Sequence[AdversaryView], joint: AttackResult) -> tuple[AttackResult, ...]:
    """The outcome for each of several sensitive columns: that of the columns together that leave the fewest of it."""
    places = range(len(joint.parts))
    alone = [_attack([view.in_parts((place,)) for view in views], joint.weight) for place in places]
    for number in range(2, len(places) + 1):
        for chosen in itertools.combinations(places, number):
            together = joint
            if number < len(places):
                together = _attack([view.in_parts(chosen) for view in views], joint.weight)
            for place in chosen:
                alone[place] = _narrowed(alone[place], views, together, chosen, place)
    return tuple(alone)


def _narrowed(
    result: AttackResult, views: Sequence[AdversaryView], together: AttackResult, chosen: tuple[int, ...], place: int
) -> AttackResult:
    """The outcome for a column where some columns together leave fewer of its values."""
    which = np.zeros(len(together.values), dtype=np.int64)
    for view, code, own in zip(views, together.codes, result.codes, strict=True):
        of = view.sensitive.of_parts(chosen)[1] if len(chosen) < len(view.sensitive.parts) else np.arange(len(code))
        which[code[of]] = own[view.sensitive.by_part[place][1]]
    left = onto(together.sets, which, len(result.values))
    size, right = sizes_of(left), has_value(left, result.truth)
    fewer = (size > 0) & ((size < result.posterior) | (result.posterior == 0))
    correct = right & ((size < result.right_left) | (result.right_left == 0))
    return replace(
        result, sets=np.where(fewer[:, None], left, result.sets), right_left=np.where(correct, size, result.right_left)
    )


def _attack(views: Sequence[AdversaryView], weight: Ints | None) -> AttackResult:
    """Attack views by the sensitive values that they have."""
    values, codes = common_values([view.sensitive for view in views])
    every = full_set(len(values))
    count = views[0].located.people
    each_for = _checked_weight(weight, count)
    left, truth = np.tile(every, (count, 1)), _truth(views, codes)
    has_true_value = np.tile(truth >= 0, (len(views), 1))
    anonymity = np.full((len(views), count), len(values), dtype=np.int64)  # a person in no class may have any value
    overall = np.bincount(codes[0], weights=views[0].histogram.overall, minlength=len(values)).astype(np.int64)
    unlocated = np.array([_nowhere(view.located, each_for) for view in views])
    for number, (view, code) in enumerate(zip(views, codes, strict=True)):
        people, sets = sets_of_people(view.histogram, code, len(every), view.located)
        there = people if len(people) < count else slice(None)
        left[there] &= sets
        anonymity[number, there] = sizes_of(sets)
        has_true_value[number, there] = has_value(sets, truth[there])
    linked = by_tuples(views, codes, left)
    sets = left if linked is None else linked[0]
    return AttackResult(
        values,
        np.minimum(anonymity, int(sizes_of(set_of(codes, len(every))[None, :])[0])),
        sets,
        truth,
        overall,
        unlocated,
        weight=each_for,
        record=np.arange(count),
        right_left=np.where(has_value(sets, truth), sizes_of(sets), 0),
        located=tuple(view.located for view in views),
        histograms=tuple(view.histogram for view in views),
        codes=codes,
        own=tuple(view.own for view in views),
        has_true_value=has_true_value,
        tuples=None if linked is None else linked[1],
        parts=views[0].sensitive.parts,
    )


def _by_person(result: AttackResult, person: Ints) -> AttackResult:
    """Let each person count with the record that leaves fewest values, persons in order of first appearance."""
    there = np.flatnonzero(person >= 0)
    if not len(there):
        raise ParameterError("All records of the given people were left out of the release.", parameter="people")
    whose = person[there]
    _, first = np.unique(whose, return_index=True)
    place = np.empty(int(whose.max()) + 1, dtype=np.int64)
    place[whose[np.sort(first)]] = np.arange(len(first))
    number = place[whose]
    left = np.where(result.posterior > 0, result.posterior, _MANY)[there]
    order = np.lexsort((there, ~result.true_value_left[there], left, number))
    starts = np.flatnonzero(is_first(number[order]))
    chosen = there[order[starts]]
    anonymity, has_true_value = result.effective_anonymity[:, there[order]], result.has_true_value[:, there[order]]
    least = np.minimum.reduceat(anonymity, starts, axis=1)
    has_true_value &= anonymity == np.repeat(least, np.diff(np.append(starts, len(order))), axis=1)
    right = np.where(result.right_left > 0, result.right_left, _MANY)[there][order]
    fewest = np.minimum.reduceat(right, starts)
    located = tuple(located.take(chosen) for located in result.located)
    return replace(
        result,
        effective_anonymity=least,
        sets=result.sets[chosen],
        truth=result.truth[chosen],
        unlocated=np.array([np.count_nonzero(located.counts == 0) for located in located]),
        weight=result.weight[chosen],
        located=located,
        own=tuple(None if own is None else own[chosen] for own in result.own),
        has_true_value=np.logical_or.reduceat(has_true_value, starts, axis=1),
        record=chosen,
        has_multiple_records=True,
        tuples=None if result.tuples is None else result.tuples[chosen],
        right_left=fewest % _MANY,
        of_parts=tuple(_by_person(own, person) for own in result.of_parts),
    )


def _truth(views: Sequence[AdversaryView], codes: Sequence[Ints]) -> Ints:
    """Sensitive value of each person in the first release that has records; -1 for records that were left out."""
    for view, code in zip(views, codes, strict=True):
        if view.sensitive_codes is not None:
            return np.where(view.sensitive_codes >= 0, code[view.sensitive_codes], -1)
    return np.full(views[0].located.people, -1, dtype=np.int64)


def _share(located: Located, own: Ints | None, each: Ints) -> LocatedShare | None:
    if own is None:
        return None
    people = int(each[own >= 0].sum())
    if not people:
        return None
    home = located.owner[located.classes == own[located.owner]]
    single = int(each[home[located.counts[home] == 1]].sum())
    return LocatedShare(Rate(single / people, people), Rate(int(each[home].sum()) / people, people))


def _nowhere(located: Located, weight: Ints) -> int:
    """People who fit no class."""
    return int(weight[located.counts == 0].sum())


def _checked_weight(weight: Ints | None, groups: int) -> Ints:
    """People of each group: one each if none are given."""
    if weight is None:
        return np.ones(groups, dtype=np.int64)
    if weight.shape != (groups,) or weight.dtype.kind not in "iu" or weight.min(initial=1) < 1:
        raise ParameterError(
            f"Give a whole number of people, at least 1, as the weight of each of the {groups:,} positions.",
            parameter="weight",
        )
    return weight.astype(np.int64)
