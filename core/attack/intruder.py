"""Claims of an adversary with a population list, counted by what they rest on.

An adversary who does not know who is in which table looks up every person on a list and claims a value where the
classes that fit leave one in common. Many such claims are right by chance, about people who are in neither table. So
claims about people in every table are counted apart, and next to all of them stands a guesser, who has the same list
and no release [ICO 2012, the motivated intruder; EDPB 2014, Opinion 05/2014].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.attack.intersection import AttackResult, intersection_attack
from core.base.arrays import Bools, Ints, is_first
from core.base.errors import ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.base.short import many, short
from core.base.wording import percent, several
from core.data.encoding.encoded import Encoded
from core.data.tables.table import table_of
from core.release.published.targets import Targets
from core.release.readable import Readable

__all__ = ["Claims", "PopulationList", "intruder_attack"]

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from core.data.tables.table import Table

KNOWS = {
    "everywhere": "who was where",
    "mine": "who is in my table, but not who is in the others",
    "list": "only a population list, not who is in any table",
}
"""What the adversary knows about who is in which table, in words."""


@dataclass(frozen=True, eq=False)
class PopulationList:
    """People whom an adversary can look up, in one order.

    Parameters
    ----------
    targets
        What the list says about them: values of quasi-identifiers.
    values
        Distinct sensitive values. The adversary does not have them; claims are compared with them.
    codes
        (people,) which of them each person has; -1 if it is not known.
    """

    targets: Targets
    values: tuple[str, ...]
    codes: Ints

    def __repr__(self) -> str:
        return short(self, many(self.targets.people, "person", "people"))

    @classmethod
    def of(cls, encoded: Encoded) -> PopulationList:
        """Take all records of a table as a list of people whose values are known."""
        return cls(
            Targets.of(encoded, np.arange(len(encoded))),
            encoded.sensitive.labels,
            encoded.sensitive_codes.astype(np.int64),
        )

    @classmethod
    def of_table(cls, table: Table, encoded: Encoded) -> PopulationList:
        """Take a table with columns named as those of the records; without sensitive values if it has no such column.

        Raises
        ------
        SchemaError
            If it has none of the quasi-identifiers.
        """
        names = [domain.name for domain in encoded.qids if domain.name in table.names]
        if not names:
            wanted = ", ".join(shown(domain.name) for domain in encoded.qids)
            raise SchemaError(
                f"The population list has none of the quasi-identifiers as a column; name one of {wanted} so.",
                parameter="population_list",
            )
        targets, name = Targets.of_table(table, names), encoded.sensitive.name
        if encoded.sensitive.parts or name not in table.names:
            return cls(targets, (), np.full(targets.people, -1))
        column = table.column(name)
        known = np.array([bool(label) for label in column.labels], dtype=bool)
        return cls(targets, tuple(column.labels), np.where(known[column.codes], column.codes, -1))

    @classmethod
    def together(cls, parts: Sequence[PopulationList]) -> PopulationList:
        """Join lists that say the same about people, one after the other."""
        values, codes = _by_text([part.values for part in parts], [part.codes for part in parts])
        names = parts[0].targets.names
        columns = [
            _by_text([part.targets.texts[i] for part in parts], [part.targets.codes[i] for part in parts])
            for i in range(len(names))
        ]
        return cls(
            Targets(names, tuple(texts for texts, _ in columns), np.array([c for _, c in columns])), values, codes
        )

    def with_values(self, people: Ints, values: tuple[str, ...], codes: Ints) -> PopulationList:
        """The list with the values of some people known, which go before those that the list says."""
        texts, both = _by_text([values, self.values], [codes, self.codes])
        known = both[len(codes) :]
        known[people] = both[: len(codes)]
        return PopulationList(self.targets, texts, known)


def _by_text(texts: Sequence[tuple[str, ...]], codes: Sequence[Ints]) -> tuple[tuple[str, ...], Ints]:
    """Number texts of several columns together; -1 stays."""
    number: dict[str, int] = {}
    new = [np.array([*(number.setdefault(text, len(number)) for text in each), -1]) for each in texts]
    return tuple(number), np.concatenate([of[code] for of, code in zip(new, codes, strict=True)]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Claims:
    """The claims of one adversary: one value each, about people whose classes leave it alone.

    Parameters
    ----------
    knows
        One of :data:`KNOWS`.
    listed, shared, releases
        People on the list, those of them who are in every table, and the number of tables.
    person
        (claims,) whom each claim is about, as a place on the list.
    in_all
        (claims,) whether the person is in every table, so that the claim rests on their own record in each.
    known
        (claims,) whether the true value is known; else the claim is neither right nor wrong.
    right
        (claims,) whether it is the true value.
    guessed, base
        (claims,) whether a guesser is right about the person, and whether the most common value of all is theirs.
    guess_by
        Columns that the guesser goes by.
    """

    knows: str
    listed: int
    shared: int
    releases: int
    person: Ints
    in_all: Bools
    known: Bools
    right: Bools
    guessed: Bools
    base: Bools
    guess_by: tuple[str, ...]

    def __repr__(self) -> str:
        return short(self, many(self.listed, "person", "people"), in_words(self))

    @property
    def claims(self) -> int:
        """Number of claims."""
        return len(self.person)

    @property
    def disclosures(self) -> int:
        """Right claims about people in every table."""
        return int((self.right & self.in_all).sum())

    @property
    def by_chance(self) -> int:
        """Right claims about people who are not in every table."""
        return int((self.right & ~self.in_all).sum())

    @property
    def wrong(self) -> int:
        """Wrong claims: people about whom a wrong value is inferred."""
        return int((self.known & ~self.right).sum())

    @property
    def unknown(self) -> int:
        """Claims about people whose value is not known."""
        return int((~self.known).sum())

    @property
    def reached(self) -> float:
        """Disclosures per person in every table (recall); NaN without such people."""
        return self.disclosures / self.shared if self.shared else np.nan

    @property
    def share_right(self) -> float:
        """Share of right claims among those whose value is known (precision); NaN without any."""
        return _mean(self.right, self.known)

    @property
    def guesser(self) -> float:
        """Share of the same people about whom the guesser is right; NaN without any."""
        return _mean(self.guessed, self.known)

    @property
    def base_rate(self) -> float:
        """Share of the same people who have the most common value of all; NaN without any."""
        return _mean(self.base, self.known)

    @property
    def excess(self) -> float:
        """Share right less the guesser's share: the part that the releases add; NaN without claims."""
        return self.share_right - self.guesser


def _mean(which: Bools, among: Bools) -> float:
    return float(which[among].mean()) if among.any() else np.nan


def in_words(claims: Claims, name: Callable[[str], str] = shown) -> str:
    """What the adversary claims, and what a guesser would have known; ``name`` writes the name of a column."""
    if not claims.claims:
        return "No claims: more than one value is left, or no class fits, for everyone whom this adversary can look up."
    tables = "both tables" if claims.releases == 2 else f"all {claims.releases} tables"
    unknown = f", {claims.unknown:,} about people whose value is not known"
    counts = (
        f"{several(claims.claims, 'claim')}: {claims.disclosures:,} right about people in {tables}, "
        f"{claims.by_chance:,} right by chance about others, {claims.wrong:,} wrong{unknown * bool(claims.unknown)}."
    )
    if not claims.known.any():
        return counts
    by = f" by {', '.join(map(name, claims.guess_by))}" * bool(claims.guess_by)
    more = f"for {100 * claims.excess:.1f} points more" if claims.excess > 0 else "no more often"
    return (
        f"{counts} A guesser{by} is right for {percent(claims.guesser)} of the same people; all claims together are "
        f"right {more}."
    )


def intruder_attack(
    releases: Sequence[Readable],
    rows: Sequence[Sequence[int] | Ints],
    population: Table | IntoDataFrame,
    knows: str = "list",
    locate: str = "assumed",
    guess_by: Sequence[str] | None = None,
) -> Claims:
    """Attack releases with a population list, and count the claims by what they rest on.

    Parameters
    ----------
    releases
        Two or more, made from records; the first is mine.
    rows
        For each release, the row on the list of each of its input rows; -1 for a person who is not on it.
    population
        The list, one row per person: quasi-identifiers by their names, and the sensitive attribute where it is known
        (an empty cell where it is not), with which claims are compared.
    knows
        What the adversary knows: one of :data:`KNOWS`.
    locate
        How a class that they know of is found, as for :func:`core.intersection_attack`; everybody else is located by
        what is published.
    guess_by
        Columns that the guesser goes by; by default those that make guesses right most often.

    Returns
    -------
    Claims
        Of one value each [definitions §4].

    Raises
    ------
    ParameterError, SchemaError
        If rows are not on the list, the knowledge is none of these, or a column is not there.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples, intruder_attack, overlapping_samples
    >>> city, schema = examples.city(2_000), examples.city_schema()
    >>> rows = overlapping_samples(len(city), overlap=200, sizes=600, seed=1)
    >>> releases = [anonymize(city, schema, Policy(k=3), rows=each) for each in rows]
    >>> claims = intruder_attack(releases, rows, city)
    >>> claims.claims == claims.disclosures + claims.by_chance + claims.wrong
    True
    """
    mine = releases[0].release if len(releases) else None
    if mine is None or len(rows) != len(releases):
        raise ParameterError(
            "Give my release first, made from records, and for each release the list's row of each of its input rows.",
            parameter="rows",
        )
    known = PopulationList.of_table(table_of(population), mine.encoded)
    places = [places_on(np.asarray(each, dtype=np.int64), known.targets.people) for each in rows]
    return claims_of(releases, places, np.all([place >= 0 for place in places], axis=0), known, knows, locate, guess_by)


def places_on(rows: Ints, people: int) -> Ints:
    """(people,) position of each person on a list among some rows, -1 for none; ``rows`` are places on the list."""
    on = np.flatnonzero(rows >= 0)
    if rows.max(initial=-1) >= people or len(np.unique(rows[on])) != len(on):
        raise ParameterError(
            f"Rows of the list are numbers from 0 to {people - 1:,}, each once for a release.", parameter="rows"
        )
    place = np.full(people, -1, dtype=np.int64)
    place[rows[on]] = on
    return place


def claims_of(
    releases: Sequence[Readable],
    places: Sequence[Ints | None],
    shared: Bools,
    population: PopulationList,
    knows: str,
    locate: str = "assumed",
    guess_by: Sequence[str] | None = None,
) -> Claims:
    """Attack as :func:`intruder_attack`.

    Parameters
    ----------
    places
        For each release, (people,) position among its input rows of each person on the list, -1 if they are not in it;
        ``None`` for a table of which nobody knows whose its rows are.
    shared
        (people,) whether each person is in every table.
    """
    if knows not in KNOWS:
        raise ParameterError(f"knows must be one of {', '.join(KNOWS)}.", parameter="knows")
    for release in releases:
        if release.release is not None:
            release.release.encoded.need_one_record("A population list", "person")
            release.release.encoded.need_rows("A population list")
    assert places[0] is not None
    everybody = np.ones(population.targets.people, dtype=bool)
    attacked = np.flatnonzero({"everywhere": shared, "mine": places[0] >= 0, "list": everybody}[knows])
    person, named = attacked[:0], tuple[str, ...]()
    if len(attacked):
        result = _attack(
            releases,
            [None if place is None else place[attacked] for place in places],
            population,
            attacked,
            knows,
            locate,
        )
        single = result.posterior == 1
        if knows != "everywhere":
            # Of a person whom no class of a release fits, this adversary knows that they are not in it.
            single &= result.fits_all
        person = attacked[single]
        named = tuple(text for place in np.flatnonzero(single).tolist() for text in result.candidates(place))
    of_value = {text: code for code, text in enumerate(population.values)}
    value = np.array([of_value.get(text, -2) for text in named], dtype=np.int64)
    truth = population.codes[person]
    guess_by, guessed = _guesses(population, guess_by)
    return Claims(
        knows,
        population.targets.people,
        int(shared.sum()),
        len(releases),
        person,
        shared[person],
        truth >= 0,
        (truth >= 0) & (value == truth),
        guessed[person],
        _right_of_others(np.zeros(len(everybody), dtype=np.int64), population.codes)[person],
        guess_by,
    )


def _attack(
    releases: Sequence[Readable],
    places: list[Ints | None],
    population: PopulationList,
    attacked: Ints,
    knows: str,
    locate: str,
) -> AttackResult:
    """Outcome of the attack on these people with this knowledge."""
    published: list[Readable] = [release.published for release in releases]
    if knows == "list":
        targets = population.targets
        return intersection_attack(
            published, Targets(targets.names, targets.texts, targets.codes[:, attacked]), "published"
        )
    if knows == "mine":
        return intersection_attack([releases[0], *published[1:]], [places[0], *[None] * len(published[1:])], locate)
    read = [
        open_ if place is None else release for open_, release, place in zip(published, releases, places, strict=True)
    ]
    return intersection_attack(read, places, locate)


# ---- the guesser ------------------------------------------------------------------------


def _guesses(population: PopulationList, guess_by: Sequence[str] | None) -> tuple[tuple[str, ...], Bools]:
    """Columns that the guesser goes by, and (people,) whether the guess about each is right.

    By default columns are added one by one, each time the one that makes most guesses right, while that helps.
    """
    names, codes, values = population.targets.names, population.targets.codes, population.codes
    if guess_by is not None:
        for name in guess_by:
            if name not in names:
                raise ParameterError(
                    f"The population list has no column {shown(name)} that a guesser could go by.", parameter="guess_by"
                )
        return tuple(guess_by), _right_of_others(
            _groups([codes[names.index(name)] for name in guess_by], len(values)), values
        )
    chosen: list[int] = []
    group = np.zeros(len(values), dtype=np.int64)
    best = _right_of_others(group, values)
    while len(chosen) < len(names):
        tried = {}
        for column in range(len(names)):
            if column not in chosen:
                finer = _groups([group, codes[column]], len(values))
                tried[column] = finer, _right_of_others(finer, values)
        column = max(tried, key=lambda each: int(tried[each][1].sum()))
        if tried[column][1].sum() <= best.sum():
            break
        chosen.append(column)
        group, best = tried[column]
    return tuple(names[column] for column in chosen), best


def _groups(columns: Sequence[Ints], people: int) -> Ints:
    """(people,) number of the combination of values of each person."""
    group = np.zeros(people, dtype=np.int64)
    for codes in columns:
        group = np.unique(group * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return group


def _right_of_others(group: Ints, values: Ints) -> Bools:
    """(people,) whether the most common value of the others in a person's group is theirs.

    Of the others only, so that nobody's own value helps to guess it; of equally common values the first. A person
    without others of known value in the group gets the most common value of everybody else.
    """
    size = int(values.max(initial=-1)) + 1
    known = np.flatnonzero(values >= 0)
    right = np.zeros(len(values), dtype=bool)
    if not len(known):
        return right
    pair, of_pair, count = np.unique(group[known] * size + values[known], return_inverse=True, return_counts=True)
    order = np.lexsort((pair, -count, pair // size))
    begins = is_first(pair[order] // size)
    first = np.flatnonzero(begins)
    top, at = order[first], np.cumsum(begins) - 1
    of_group = np.empty(len(pair), dtype=np.int64)
    of_group[order] = at
    alone = np.append(begins[1:], True)[first]
    second = order[np.minimum(first + 1, len(order) - 1)]
    count_second = np.where(alone, 0, count[second])
    # Without the person's own value their group's first one has one less, and loses a tie to an earlier one.
    stays = (count[top] - 1 > count_second) | ((count[top] - 1 == count_second) & (alone | (top < second)))
    mine = of_group[of_pair]
    right[known] = (top[mine] == of_pair) & stays[mine]
    lonely = np.bincount(mine)[mine] == 1
    if lonely.any() and len(first) > 1:
        right[known[lonely]] = _right_of_others(np.zeros(len(values), dtype=np.int64), values)[known[lonely]]
    elif lonely.any():
        right[known[lonely]] = False
    return right
