"""Two versions of a growing table: which values a reader who knows who is new cannot rule out.

The exact attack is one flow. Each old record goes with its value to a new class that shares a point with its old one,
or leaves the table. The newcomers of a new class have the values that remain in it. A value is possible for a newcomer
exactly when some way to explain all records uses it. One maximum flow and the strongly connected components of its
residual graph say which values those are [definitions §4].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.base.arrays import Bools, Floats, Ints, runs
from core.base.errors import MissingPackageError, ParameterError
from core.data.classes import distinct_columns
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.tables.cell_syntax import is_star
from core.release.release import Release

KNOWLEDGE = {
    "all": "who is new and who left",
    "new": "who is new, and how many left",
    "target": "only that the person is new, and how many are",
}
"""What the reader knows, in words."""
READER = (
    "They know the class of each person who is new, left or changed, but not which class everybody else moved from and "
    "to. Who knows that may rule out more."
)
"""What else the reader knows, and does not."""
SMALL_SET = 11
"""People in an anonymity set below this number are counted; published cells usually need at least 11."""
_AT_ONCE = 1 << 22
"""Pairs of classes compared in one step, to bound memory."""


@dataclass(frozen=True, eq=False)
class Left:
    """What is left for some people.

    Parameters
    ----------
    values
        (people,) values that the reader cannot rule out; of several sensitive columns, the one with the fewest.
    together
        (people,) people that the reader cannot distinguish: the anonymity set.
    alone
        (people,) values left by the one release alone that the person is in (for changed people, the present one).
    """

    values: Ints
    together: Ints
    alone: Ints

    @property
    def people(self) -> int:
        """Number of people."""
        return len(self.values)

    @property
    def one_value_left(self) -> float:
        """Share with one value left; NaN if there are no people."""
        return float((self.values == 1).mean()) if self.people else np.nan

    @property
    def one_value_alone(self) -> float:
        """Share with one value left from one release alone; NaN if there are no people."""
        return float((self.alone == 1).mean()) if self.people else np.nan

    @property
    def in_small_set(self) -> float:
        """Share in an anonymity set below :data:`SMALL_SET`; NaN if there are no people."""
        return float((self.together < SMALL_SET).mean()) if self.people else np.nan


@dataclass(frozen=True, eq=False)
class Update:
    """The attack on an update of a release.

    Parameters
    ----------
    knowledge
        One of :data:`KNOWLEDGE`.
    new, removed, changed
        What is left for people who are only in the new version, only in the old one, and in both with another value or
        published column, or with quasi-identifiers of another class. For changed people these are the values that they
        may have now.
    """

    knowledge: str
    new: Left
    removed: Left
    changed: Left

    @property
    def groups(self) -> dict[str, Left]:
        """What is left for each group, by its name."""
        return {"new": self.new, "removed": self.removed, "changed": self.changed}


def update_attack(
    before: Release, after: Release, persons_before: Ints, persons_after: Ints, knowledge: str = "all"
) -> Update:
    """Attack an update: a release of an earlier version of a table, and one of its present version.

    The reader knows both releases and, depending on ``knowledge``, who is in which version, and the class of each
    person who is new, left or changed; which class everybody else moved from or to is not used. They look for all ways
    to explain both releases, and rule out the values that no explanation gives to a person [definitions §4]. ``*`` in a
    version may be any value. A
    person with one value left is exposed by the update; compare that share with ``one_value_alone``, which the one
    release alone gives.

    Parameters
    ----------
    before, after
        The releases, with one record per person and schemas of the same columns.
    persons_before, persons_after
        (records,) number of the person of each record of either; each occurs once in a version.
    knowledge
        What the reader knows: one of :data:`KNOWLEDGE`.

    Raises
    ------
    ParameterError
        If a person occurs twice, or the knowledge is none of these.
    MissingPackageError
        Without SciPy, which finds the flow.

    Notes
    -----
    A person whose old and new classes share no point also counts as changed. Records left out of a version are not in
    it.
    """
    if knowledge not in KNOWLEDGE:
        raise ParameterError(f"knowledge must be one of {', '.join(KNOWLEDGE)}.", parameter="knowledge")
    for release, persons in ((before, persons_before), (after, persons_after)):
        release.encoded.need_one_record("An update", "person")
        release.encoded.need_rows("An update")
        if len(np.unique(persons)) != len(persons):
            raise ParameterError("An update needs one record of each person in a version.", parameter="identifiers")
    old_class, new_class = (release.classes.labels.astype(np.int64) for release in (before, after))
    old_there, new_there = old_class >= 0, new_class >= 0
    touch = _touching(before, after)
    old_value, new_value, values = _tuples(before.encoded, after.encoded)
    # Persons in both, with the positions of their records.
    _, in_old, in_new = np.intersect1d(
        persons_before[old_there], persons_after[new_there], assume_unique=True, return_indices=True
    )
    old_place, new_place = np.flatnonzero(old_there)[in_old], np.flatnonzero(new_there)[in_new]
    same = values.may_be_one(old_value[old_place], new_value[new_place])
    same &= touch.has(old_class[old_place], new_class[new_place])
    gone, come = old_there.copy(), new_there.copy()
    gone[old_place[same]], come[new_place[same]] = False, False
    counts = _Counts(
        old_class[old_there],
        old_value[old_there],
        new_class[new_there],
        new_value[new_there],
        np.bincount(old_class[gone], minlength=before.classes.count),
        np.bincount(new_class[come], minlength=after.classes.count),
    )
    possible_new, possible_gone = _possible(counts, values, touch, knowledge)
    alone_new = values.left(new_class[new_there], new_value[new_there], after.classes.count)
    alone_gone = values.left(old_class[old_there], old_value[old_there], before.classes.count)

    def left(classes: Ints, possible: Ints, crowd: Ints, alone: Ints) -> Left:
        return Left(possible[classes], crowd[classes], alone[classes])

    is_changed_old, is_changed_new = np.zeros_like(gone), np.zeros_like(come)
    is_changed_old[old_place[~same]], is_changed_new[new_place[~same]] = True, True
    crowd_new = np.full(after.classes.count, counts.come.sum()) if knowledge == "target" else counts.come
    crowd_gone = counts.gone if knowledge == "all" else np.full(before.classes.count, counts.gone.sum())
    return Update(
        knowledge,
        left(new_class[come & ~is_changed_new], possible_new, crowd_new, alone_new),
        left(old_class[gone & ~is_changed_old], possible_gone, crowd_gone, alone_gone),
        left(new_class[is_changed_new], possible_new, crowd_new, alone_new),
    )


def unchanged(before: Encoded, after: Encoded, persons_before: Ints, persons_after: Ints) -> tuple[Ints, Ints]:
    """(people,) places in both versions of the records of people of whom no released column changed."""
    _, in_old, in_new = np.intersect1d(persons_before, persons_after, assume_unique=True, return_indices=True)
    old_value, new_value, _ = _tuples(before, after)
    same = old_value[in_old] == new_value[in_new]
    for old, new, old_code, new_code in zip(before.qids, after.qids, before.codes, after.codes, strict=True):
        old_key, new_key = _same_codes(old, new)
        same &= old_key[old_code[in_old]] == new_key[new_code[in_new]]
    return in_old[same], in_new[same]


# ---- classes that share a point ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Touching:
    """Pairs of an old and a new class whose published cells share a point, sorted by both.

    Parameters
    ----------
    old, new
        (pairs,) the classes.
    many
        Number of new classes.
    """

    old: Ints
    new: Ints
    many: int

    def has(self, old: Ints, new: Ints) -> Bools:
        """(pairs given,) whether each pair is one of them."""
        pairs, wanted = self.old * self.many + self.new, old.astype(np.int64) * self.many + new
        place = np.minimum(np.searchsorted(pairs, wanted), max(0, len(pairs) - 1))
        return pairs[place] == wanted if len(pairs) else np.zeros(len(wanted), dtype=bool)


def _touching(before: Release, after: Release) -> Touching:
    """Classes that share a point; every class if that cannot be told (means, or a column with another type)."""
    shapes = before.classes.count, after.classes.count
    shared = [
        _shared_cells(before, after, attribute)
        for attribute in range(len(before.encoded.qids))
        if not (before.publishes_centroids or after.publishes_centroids)
        and before.encoded.qids[attribute].column_type == after.encoded.qids[attribute].column_type
    ]
    old, new = list[Ints](), list[Ints]()
    step = max(1, _AT_ONCE // max(1, shapes[1]))
    for first in range(0, shapes[0], step):
        some = np.arange(first, min(first + step, shapes[0]))
        hit = np.ones((len(some), shapes[1]), dtype=bool)
        for table, old_cell, new_cell in shared:
            hit &= table[old_cell[some]][:, new_cell]
        old_places, new_places = np.nonzero(hit)
        old.append(some[old_places])
        new.append(new_places)
    return Touching(np.concatenate(old), np.concatenate(new), shapes[1])


def _shared_cells(before: Release, after: Release, attribute: int) -> tuple[Bools, Ints, Ints]:
    """(old cells, new cells) whether two cells share a value; then the cell of each old and of each new class."""
    old, new = before.encoded.qids[attribute], after.encoded.qids[attribute]
    codes = _same_codes(old, new)
    size = max(int(each.max(initial=-1)) for each in codes) + 1
    tables, which = list[Bools](), list[Ints]()
    for release, of in zip((before, after), codes, strict=True):
        sets, domain = release.value_sets(attribute), release.encoded.qids[attribute]
        hit = np.zeros((len(sets.counts), size), dtype=bool)
        hit[sets.owner, of[sets.value]] = True
        hit[sets.owner[_stars(domain.labels)[sets.value]]] = True
        if domain.column_type.ordered:
            # A range holds what lies between its ends, whether or not it occurs there; a missing value has no position.
            known = sets.value != domain.missing
            low, high = np.full(len(hit), size), np.full(len(hit), -1)
            np.minimum.at(low, sets.owner[known], of[sets.value[known]])
            np.maximum.at(high, sets.owner[known], of[sets.value[known]])
            places = np.arange(size)
            hit |= (places >= low[:, None]) & (places <= high[:, None])
        tables.append(hit)
        which.append(sets.which)
    shared: Bools = tables[0].astype(np.float32) @ tables[1].astype(np.float32).T > 0
    return shared, which[0], which[1]


def _stars(labels: Sequence[str]) -> Bools:
    """(labels,) whether a value is ``*``: it may be any value."""
    return np.array([is_star(label) for label in labels], dtype=bool)


@dataclass(frozen=True, eq=False)
class _Values:
    """The tuples of sensitive value and published columns of two versions.

    Parameters
    ----------
    of
        (sensitive columns, tuples) value of each.
    is_any
        (sensitive columns, tuples) whether that is ``*``.
    like
        (pairs,) two tuples that may be one, in both orders: equal, or ``*`` where they differ; sorted by the first.
    """

    of: Ints
    is_any: Bools
    like: tuple[Ints, Ints]

    def may_be_one(self, old: Ints, new: Ints) -> Bools:
        """(records,) whether the tuples of two records may be one."""
        many = self.of.shape[1]
        return np.isin(old * many + new, self.like[0] * many + self.like[1])

    def left(self, classes: Ints, tuples: Ints, count: int) -> Ints:
        """(classes,) distinct values in each class, by the class and tuple of each record; all of them with ``*``.

        Of several sensitive columns, those of the one with the fewest.
        """
        every = []
        for of, is_any in zip(self.of, self.is_any, strict=True):
            distinct = np.bincount(_groups(classes, of[tuples])[0], minlength=count)
            distinct[classes[is_any[tuples]]] = len(np.unique(of[~is_any]))
            every.append(distinct)
        least: Ints = np.min(every, axis=0)
        return least


def _tuples(before: Encoded, after: Encoded) -> tuple[Ints, Ints, _Values]:
    """(records,) tuple of sensitive value and published columns of both versions, and these tuples."""
    rows, stars = [], []
    for (cells, codes), (later_cells, later_codes) in zip(_cells(before), _cells(after), strict=True):
        old, new = _same_codes(cells, later_cells)
        rows.append(np.concatenate((old[codes], new[later_codes])))
        stars.append(np.concatenate((_stars(cells.labels)[codes], _stars(later_cells.labels)[later_codes])))
    sensitive = len(rows)
    for column, later in zip(before.plain, after.plain, strict=True):
        number = {text: place for place, text in enumerate(dict.fromkeys((*column.labels, *later.labels)))}
        texts = (
            np.array([number[text] for text in each.labels], dtype=np.int64)[each.codes] for each in (column, later)
        )
        rows.append(np.concatenate([*texts]))
        stars.append(np.concatenate([_stars(each.labels)[each.codes] for each in (column, later)]))
    first, group, _ = distinct_columns(np.stack(rows))
    is_any = np.stack(stars)[:, first]
    tuples = np.stack(rows)[:, first]
    values = _Values(tuples[:sensitive], is_any[:sensitive], _alike(tuples, is_any))
    return group[: len(before)], group[len(before) :], values


def _cells(encoded: Encoded) -> list[tuple[Domain, Ints]]:
    """Domain of each sensitive column, and (records,) its codes."""
    codes = encoded.sensitive_codes.astype(np.int64)
    return [(domain, which[codes]) for domain, which in encoded.sensitive.by_part] or [(encoded.sensitive, codes)]


def _alike(tuples: Ints, is_any: Bools) -> tuple[Ints, Ints]:
    """Pairs of tuples that may be one; both arguments are (columns, tuples)."""
    every = np.arange(tuples.shape[1])
    pairs = [np.stack((every, every))]
    for place in np.flatnonzero(is_any.any(axis=0)):
        fits = (tuples == tuples[:, [place]]) | is_any | is_any[:, [place]]
        near = np.flatnonzero(fits.all(axis=0))
        same = np.full(len(near), place)
        pairs += [np.stack((same, near)), np.stack((near, same))]
    first, second = np.unique(np.concatenate(pairs, axis=1), axis=1)
    return first, second


def _same_codes(old: Domain, new: Domain) -> tuple[Ints, Ints]:
    """(values,) codes of each of two domains of a column in one numbering, in the order of the column."""
    numbers = old.values is not None and new.values is not None

    def keys(domain: Domain) -> list[Any]:
        values = domain.labels if domain.values is None or not numbers else domain.values.tolist()
        return [(True, "") if place == domain.missing else (False, value) for place, value in enumerate(values)]

    first, second = keys(old), keys(new)
    if [value for missing, value in first if not missing] == [value for missing, value in second if not missing]:
        every = first if len(first) >= len(second) else second  # an order that is public, or nothing new
    else:
        every = sorted({*first, *second})
    number = {key: place for place, key in enumerate(every)}
    return np.array([number[key] for key in first]), np.array([number[key] for key in second])


# ---- the flow ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Counts:
    """Records of both versions by class and value, and (classes,) how many leave an old class or come to a new one."""

    old_class: Ints
    old_value: Ints
    new_class: Ints
    new_value: Ints
    gone: Ints
    come: Ints


def _groups(classes: Ints, values: Ints) -> tuple[Ints, Ints, Ints]:
    """Distinct pairs of class and value, sorted, and how often each occurs."""
    size = int(values.max(initial=0)) + 1
    pairs, many = np.unique(classes.astype(np.int64) * size + values, return_counts=True)
    return pairs // size, pairs % size, many


def _possible(counts: _Counts, values: _Values, touch: Touching, knowledge: str) -> tuple[Ints, Ints]:
    """(new classes,) values possible for a newcomer of each; (old classes,) for a person who left each."""
    old_class, old_value, supply = _groups(counts.old_class, counts.old_value)
    new_class, new_value, demand = _groups(counts.new_class, counts.new_value)
    starts = np.searchsorted(old_class, np.arange(len(counts.gone) + 1))
    # Each pair of touching classes, once for each value of the old one and each that may be the same: an edge if the
    # new class has that.
    sizes = np.diff(starts)[touch.old]
    group = runs(starts[touch.old], sizes)
    target = np.repeat(touch.new, sizes)
    size = values.of.shape[1]
    begin = np.searchsorted(values.like[0], np.arange(size + 1))
    times = np.diff(begin)[old_value[group]]
    value = values.like[1][runs(begin[old_value[group]], times)]
    group, target = np.repeat(group, times), np.repeat(target, times)
    wanted, have = target * size + value, new_class * size + new_value
    place = np.minimum(np.searchsorted(have, wanted), len(have) - 1)
    kept = have[place] == wanted
    stay_from, stay_to = group[kept], place[kept]
    # Nodes: source, old groups, pools of newcomers, new groups, pools of leavers, sink.
    pool = np.zeros(len(counts.come), dtype=np.int64) if knowledge == "target" else np.arange(len(counts.come))
    sink = np.arange(len(counts.gone)) if knowledge == "all" else np.zeros(len(counts.gone), dtype=np.int64)
    come, gone = np.bincount(pool, weights=counts.come), np.bincount(sink, weights=counts.gone)
    old_node = 1 + np.arange(len(supply))
    come_node = 1 + len(supply) + np.arange(len(come))
    new_node = 1 + len(supply) + len(come) + np.arange(len(demand))
    gone_node = 1 + len(supply) + len(come) + len(demand) + np.arange(len(gone))
    last = 1 + len(supply) + len(come) + len(demand) + len(gone)
    newcomer = come_node[pool[new_class]], new_node, np.minimum(demand, come[pool[new_class]])
    leaver = old_node, gone_node[sink[old_class]], np.minimum(supply, gone[sink[old_class]])
    edges = [
        (np.zeros(len(supply), dtype=np.int64), old_node, supply),
        (np.zeros(len(come), dtype=np.int64), come_node, come),
        (old_node[stay_from], new_node[stay_to], np.minimum(supply[stay_from], demand[stay_to])),
        newcomer,
        leaver,
        (new_node, np.full(len(demand), last), demand),
        (gone_node, np.full(len(gone), last), gone),
    ]
    used = _used_in_some_full_flow(edges, last, int(supply.sum() + come.sum()))
    new_used, gone_used = used(newcomer), used(leaver)
    return (
        values.left(new_class[new_used], new_value[new_used], len(counts.come)),
        values.left(old_class[gone_used], old_value[gone_used], len(counts.gone)),
    )


def _used_in_some_full_flow(edges: list[tuple[Ints, Ints, Any]], last: int, total: int) -> Any:
    """Find one full flow from node 0 to the last; return a test, per edge, of its use in some full flow."""
    flow_of, sparse, components = _scipy()
    begin, end, room = (np.concatenate([np.asarray(edge[part]) for edge in edges]) for part in range(3))
    kept = room > 0
    shape = (last + 1, last + 1)
    graph = sparse((room[kept].astype(np.int32), (begin[kept], end[kept])), shape=shape)
    most = flow_of(graph, 0, last, method="dinic")
    if int(most.flow_value) != total:
        raise ParameterError(
            "The two versions contradict each other: some records of the earlier one fit nowhere in the later one.",
            parameter="before",
        )
    # The flow of an edge against its direction is negative, so its residual capacity serves the way back.
    left = (graph - most.flow).tocoo()
    open_ = left.data > 0
    residual = sparse((np.ones(int(open_.sum()), dtype=np.int8), (left.row[open_], left.col[open_])), shape=shape)
    part_of = components(residual, directed=True, connection="strong")[1]
    flow = most.flow.tocsr()

    def used(edge: tuple[Ints, Ints, Any]) -> Bools:
        begins, ends, many = edge
        carried: Floats = np.asarray(flow[begins, ends]).ravel()
        inside: Bools = (np.asarray(many) > 0) & ((carried > 0) | (part_of[begins] == part_of[ends]))
        return inside

    return used


def _scipy() -> tuple[Any, Any, Any]:
    try:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components, maximum_flow
    except ImportError:
        raise MissingPackageError("scipy", "attack an update of a release") from None
    return maximum_flow, csr_array, connected_components
