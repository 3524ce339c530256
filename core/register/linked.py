"""A publication with the person of each of its rows, in memory only, and what several of them leave together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from core.attack.anonymity_set import sets_of_classes
from core.attack.intersection import attack_views
from core.attack.risk.reidentification_risk import REGULATED_SIZE
from core.attack.views import AdversaryView, by_class
from core.base.arrays import Bools, Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.json_files import Count
from core.base.wording import several
from core.data.classes import distinct_columns
from core.data.schemas.schema import ColumnType, Schema
from core.data.tables.column import Column
from core.data.tables.csv_export import in_one_form
from core.data.tables.table import Table
from core.register.publication import Publication
from core.release.published.cell_reader import ABSENT
from core.release.published.count_table import TOTALS, people_in_groups, possible_rows, rules_of, totals_of
from core.release.published.published import Published
from core.release.published_content import headers_in
from core.release.release import Release


class OfPublication(Struct, frozen=True, forbid_unknown_fields=True):
    """The same of the people of one publication of the set; its shares never fall when a publication is added.

    Parameters
    ----------
    publication
        Its number.
    people, one_value_left, small_set
        As for :class:`SetNumbers`.
    """

    publication: int
    people: Annotated[int, Meta(ge=1)]
    one_value_left: Count
    small_set: Count


class SetNumbers(Struct, frozen=True, forbid_unknown_fields=True):
    """What some publications leave together of the people who are in at least one of them; numbers of people.

    Parameters
    ----------
    publications
        Their numbers, ascending; all of them were attacked.
    people
        In at least one of them.
    one_value_left
        With one value left in a sensitive column, after the publications that hold the person.
    small_set
        In an anonymity set below 11.
    none_left
        With no value left in a column: their value changed, or it is coded in two ways.
    each
        The same of the people of each publication.
    """

    publications: tuple[int, ...]
    people: Annotated[int, Meta(ge=1)]
    one_value_left: Count
    small_set: Count
    none_left: Count
    each: tuple[OfPublication, ...]

    def worst(self, name: str) -> tuple[float, int]:
        """Largest share of the people of one publication, in ``one_value_left`` or ``small_set``; and its number."""
        share, number = max((getattr(own, name) / own.people, -own.publication) for own in self.each)
        return share, -number


ValuesOfOthers = tuple[tuple[str, ...], tuple[str, ...]]
"""Values of the other publications, and the text of a missing one if some are missing."""
NO_OTHERS: ValuesOfOthers = ((), ())


@dataclass(frozen=True, eq=False)
class Linked:
    """A publication and the person of each row; identifiers stay in memory.

    Parameters
    ----------
    publication
        Its entry.
    table
        The private copy; for a table of counts what was published. Columns have the names of the entry.
    key
        (rows of the private copy,) identifier.
    group
        (rows of the private copy,) class of each person; -1 if the table has no such group, or withholds every column.
    classes
        (rows of ``table``,) class of each row.
    values
        Texts of my columns of a table of counts, by their names: a cell that is one of them is no total.
    uncounted
        People of the private copy of a table of counts for whom the counts of their group have no room.
    """

    publication: Publication
    table: Table
    key: Column
    group: Ints
    classes: Ints
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uncounted: int = 0
    _read: dict[tuple[str, ValuesOfOthers], tuple[Published, Ints]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Linked: publication {self.publication.number}, {len(self.key):,} people>"

    def read(self, sensitive: str, others: ValuesOfOthers = NO_OTHERS) -> tuple[Published, Ints]:
        """What it says about one sensitive column, and (people,) a row of it for each person, -1 for none.

        ``others`` are values that a table of counts may have without naming them.
        """
        of_counts = self.publication.is_of_counts
        wanted = sensitive, others if of_counts else NO_OTHERS
        if wanted not in self._read:
            self._read[wanted] = self._of_counts(*wanted) if of_counts else self._of_rows(sensitive)
        return self._read[wanted]

    def _of_rows(self, sensitive: str) -> tuple[Published, Ints]:
        own = self.publication
        plain = tuple(name for name in (*own.sensitive, *own.unmodified) if name != sensitive)
        published = _parsed(self.classes, self.table, sensitive, plain)
        return published, np.where(self.group >= 0, np.arange(len(self.table)), -1)

    def _of_counts(self, sensitive: str, others: ValuesOfOthers) -> tuple[Published, Ints]:
        own, (known, missing) = self.publication, others
        headers = (*own.quasi_identifiers, sensitive)
        mine = {**self.values, sensitive: known}
        rows = possible_rows(self.table, headers, own.count, known, rules_of(own.counts), mine, missing).rows
        place = {cells: number for number, cells in enumerate(_tuples(self.table, own.quasi_identifiers))}
        group = self.classes[[place[cells] for cells in _tuples(rows, own.quasi_identifiers)]]
        published = _parsed(group, rows, sensitive, (), own.count)
        row = np.full(int(max(group.max(), self.group.max(initial=0))) + 1, -1, dtype=np.int64)
        row[group] = np.arange(len(rows))
        return published, np.where(self.group >= 0, row[self.group], -1)


def _tuples(table: Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    return [*zip(*(table.column(name).texts().tolist() for name in names), strict=True)]


def _parsed(group: Ints, table: Table, sensitive: str, plain: Sequence[str], count: str = "") -> Published:
    """Read rows whose classes are numbered."""
    name = "class"
    while name in (sensitive, count, *plain):
        name += "_"
    labels = [*map(str, range(int(group.max()) + 1))]
    kept = [table.column(each) for each in (sensitive, *plain, *([count] if count else []))]
    schema = Schema(
        [name],
        sensitive,
        unmodified=list(plain),
        column_types={name: ColumnType.CATEGORICAL, sensitive: ColumnType.CATEGORICAL},
        unassigned="drop",
    )
    rows = replace(table, columns=(Column.from_codes(name, labels, group), *kept))
    columns = {each: each for each in (name, sensitive, *plain)}
    return Release.parse(rows, schema, columns=columns, marks=ABSENT, count=count)


def link(publication: Publication, copy: Table, published: Table | None = None) -> Linked:
    """Take a publication together with its private copy.

    Parameters
    ----------
    publication
        Its entry; ``copy`` and ``content``, if they are given, are the digests that the files must have.
    copy
        The published rows with the identifier of each person; for a table of counts one row per person with the group
        that the person is counted in, written as in the table.
    published
        The table of counts; not needed for other publications.

    Raises
    ------
    InputError
        If a column is missing, the file is another one, or a person has no identifier, or several rows.

    Examples
    --------
    >>> from datetime import date
    >>> import pandas as pd
    >>> from composition_dashboard import Table
    >>> from composition_dashboard.core.register import Publication, link
    >>> rows = pd.DataFrame({"id": ["1", "2"], "age": ["20-29"] * 2, "ill": ["flu", "gout"]})
    >>> one = Publication("release", date(2026, 1, 31), quasi_identifiers=("age",), sensitive=("ill",))
    >>> link(one.with_copy(Table.from_frame(rows), "id"), Table.from_frame(rows))
    <Linked: publication 0, 2 people>
    """
    own = publication
    headers = headers_in(copy, (*own.linked_columns, own.key), (), f"{own.words} has")
    key = _renamed(copy, headers, [own.key]).column(own.key)
    if "" in key.labels:
        raise InputError(
            f"The private copy has a row without {shown(own.key)}; fill it in, or remove the row from both files.",
            parameter="key",
        )
    if (key.counts > 1).any():
        raise InputError(
            f"The private copy names a person twice by {shown(own.key)}; the register needs one row per person.",
            parameter="key",
        )
    if own.copy and not own.is_copy(copy):
        raise InputError(
            f"The private copy is not that of {own.words}: a cell, an identifier or a row differs.", parameter="private"
        )
    renamed = _renamed(copy, headers, own.linked_columns)
    stars = _are_withheld(renamed, own.quasi_identifiers)
    if not own.is_of_counts:
        codes = np.array([renamed.column(name).codes for name in own.quasi_identifiers], dtype=np.int64)
        classes = distinct_columns(codes)[1]
        return Linked(own, renamed, key, np.where(stars, -1, classes), classes)
    if published is None:
        raise InputError(f"To attack {own.words} give the table of counts, too.", parameter="files")
    published = own.laid_out(published)
    shown_columns = headers_in(published, own.columns, (), f"{own.words} has")
    counts = _renamed(published, shown_columns, own.columns)
    number: dict[tuple[str, ...], int] = {}
    classes = np.array([number.setdefault(cells, len(number)) for cells in _tuples(counts, own.quasi_identifiers)])
    group = np.array([number.get(cells, -1) for cells in _tuples(renamed, own.quasi_identifiers)])
    lost = int(np.count_nonzero((group < 0) & ~stars))
    group[stars] = -1
    if lost == len(group) or (lost and rules_of(own.counts).absent in (None, "zero")):
        raise InputError(
            f"{lost:,} of {len(group):,} rows of the private copy are in no group of the table of counts; write its "
            "columns as the table has them.",
            parameter="private",
        )
    for name in own.sensitive:
        words = {label.strip().casefold() for label in counts.column(name).labels} & TOTALS
        if words - {"total", "totals"} and not rules_of(own.counts).total:
            raise InputError(
                f"The table of counts has a cell of {shown(name)} that can be a total or a value; say which word is "
                'the total (at the gate with --counts "total=total", or "total=none" if there is none).',
                parameter=name,
            )
    values = {name: renamed.column(name).labels for name in own.quasi_identifiers}
    people = np.bincount(group[group >= 0], minlength=len(number))
    return Linked(own, counts, key, group, classes, values, _uncounted(own, counts, people, classes, values))


def _uncounted(
    own: Publication, counts: Table, people: Ints, classes: Ints, values: Mapping[str, Sequence[str]]
) -> int:
    """Number of people of a private copy for whom the counts of their group have no room.

    ``people`` are those of each class; too few for a count, or too many for a total, are refused.
    """
    headers, rules = (*own.quasi_identifiers, *own.sensitive), rules_of(own.counts)
    fewest, most, room = people_in_groups(counts, headers, own.count, rules, values)
    rows = np.flatnonzero(
        ((people[classes] < fewest) | (people[classes] > most)) & ~_are_withheld(counts, own.quasi_identifiers)
    )
    if len(rows):
        raise InputError(
            f"The private copy does not fit {several(len(rows), 'row')} of the table of counts, first row "
            f"{rows[0] + 1:,}: its group has too few people for the count, or too many for the total. Give the copy "
            "that the table was counted from.",
            parameter="private",
        )
    if rules.absent in ("masked", "either"):
        return 0
    return int(np.maximum(0, people - np.bincount(classes, room, len(people))).sum())


def _renamed(table: Table, headers: Mapping[str, str], names: Sequence[str]) -> Table:
    columns = ((name, table.column(headers[name])) for name in names)
    return replace(table, columns=tuple(own.renamed(name, map(in_one_form, own.labels)) for name, own in columns))


def _is_star(cell: str) -> bool:
    return {*cell} == {"*"}


def _are_withheld(table: Table, names: Sequence[str]) -> Bools:
    """(rows,) whether every one of these columns is withheld: such a row rules nothing out."""
    return np.array([all(map(_is_star, cells)) for cells in _tuples(table, names)])


def match_files(publications: Sequence[Publication], files: Sequence[Table]) -> dict[int, Linked]:
    """Find the publication of each file by its digest, and take those together that have all they need.

    Parameters
    ----------
    publications
        Of a register.
    files
        Private copies, and tables of counts as they were published, in any order.

    Raises
    ------
    InputError
        If a file belongs to no publication, or is its private copy and cannot be used.
    """
    copies: dict[int, Table] = {}
    shown_counts: dict[int, Table] = {}
    for place, table in enumerate(files, 1):
        used = False
        for own in publications:
            if own.is_copy(table):
                copies[own.number], used = table, True
            elif own.is_of_counts and own.fits(table, own.content, own.columns):
                shown_counts[own.number], used = table, True
            elif own.has_content(table):
                used = True  # as it was published: it is known, and says nothing about who is who
        if not used:
            raise InputError(
                f"File {place} of those given belongs to no publication of the register: a cell, a row or a header "
                "differs. Give files as they were published, and private copies as they were entered.",
                parameter="files",
            )
    whole = [own for own in publications if own.number in copies]
    return {
        own.number: link(own, copies[own.number], shown_counts.get(own.number))
        for own in whole
        if not own.is_of_counts or own.number in shown_counts
    }


def numbers_of(linked: Sequence[Linked]) -> SetNumbers:
    """Attack some publications together: every person with the publications that hold the person.

    Notes
    -----
    The classes of each person are known, and so are the people (:func:`core.attack.intersection.attack_views`). Other
    columns that are published as they are link tuples, as do the other sensitive columns. O(publications x people x
    values / 64).
    """
    if not linked:
        raise ParameterError("Give at least one publication to attack.", parameter="publications")
    number: dict[str, int] = {}
    places = [
        np.array([number.setdefault(label, len(number)) for label in own.key.labels])[own.key.codes] for own in linked
    ]
    people = len(number)
    exposed, none = np.zeros((2, people), dtype=bool)
    columns = list(dict.fromkeys(name for own in linked for name in own.publication.sensitive))
    for name in columns:
        having = [
            place
            for place, own in enumerate(linked)
            if name in own.publication.sensitive and not all(map(_is_star, own.table.column(name).labels))
        ]
        if not having:
            continue  # all of it is withheld
        others = _values(name, [linked[place] for place in having])
        views = [_view(linked[place], name, others, places[place], people) for place in having]
        result = attack_views(views)
        # Of whom no publication says anything, none has left one value, though there may be one value only.
        exposed |= result.breached() & np.any([view.located.counts for view in views], axis=0)
        none |= result.posterior == 0
    classes = np.full((len(linked), people), -1, dtype=np.int64)
    for own, place, known in zip(linked, places, classes, strict=True):
        known[place] = own.group
    small = sets_of_classes([*classes], np.ones(people, dtype=np.int64))[0] < REGULATED_SIZE
    numbers = tuple(own.publication.number for own in linked)
    each = tuple(
        OfPublication(number, len(place), int(exposed[place].sum()), int(small[place].sum()))
        for number, place in zip(numbers, places, strict=True)
    )
    return SetNumbers(numbers, people, int(exposed.sum()), int(small.sum()), int(none.sum()), each)


def _values(name: str, linked: Sequence[Linked]) -> ValuesOfOthers:
    """Values of a sensitive column in all publications; a table of counts may have any of them."""
    labels: set[str] = set()
    missing: dict[str, None] = {}
    for own in linked:
        if not own.publication.is_of_counts:
            domain = own.read(name)[0].sensitive
            known = domain.labels[: domain.size - (domain.missing >= 0)]
            labels.update(known)
            if {label for label in own.table.column(name).labels if not _is_star(label)} - {*known}:
                missing[domain.labels[domain.missing]] = None  # stars are no missing values
    for own in linked:
        if own.publication.is_of_counts:
            column, rules = own.table.column(name), rules_of(own.publication.counts)
            wider = {*totals_of(column, (), rules)}
            if not rules.total and wider & labels:
                raise InputError(
                    f"A cell of {shown(name)} in {own.publication.words} is a total there, or the value that another "
                    'publication has; enter the table with "total=none" or the word of its totals, as in '
                    '--counts "total=all".',
                    parameter=name,
                )
            labels.update({*column.labels} - wider)
    return tuple(sorted(labels)), tuple(missing)


def _view(linked: Linked, name: str, others: ValuesOfOthers, place: Ints, people: int) -> AdversaryView:
    published, row = linked.read(name, others)
    of_person = np.full(people, -1, dtype=np.int64)
    of_person[place] = row
    return by_class(published, of_person)
