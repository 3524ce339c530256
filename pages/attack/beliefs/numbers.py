"""What the beliefs page asks of core, kept like every other result of the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core import CompositionError
from core.beliefs import (
    Background,
    Beliefs,
    beliefs,
    known_members,
    largest_l_after,
    left_after,
    share_after,
    smallest_c_after,
)
from core.data.classes import ClassHistogram
from pages.shared import results, session

STATEMENTS = (0, 1, 2, 3)
THETAS = np.arange(1, 101) / 100


def columns() -> tuple[str, ...]:
    """Columns that the adversary's background depends on, of those that the table has."""
    chosen = set(session.get("belief_columns"))
    return tuple(domain.name for domain in results.encoded().qids if domain.name in chosen)


def weights() -> tuple[float, ...]:
    """The edited frequencies of the sensitive values; the table's own until they are edited."""
    encoded = results.encoded()
    kept = session.get("belief_weights")
    if kept and kept[0] == hash(results.data_key()) and len(kept[1]) == encoded.sensitive.size:
        edited: tuple[float, ...] = kept[1]
        return edited
    return tuple(np.round(100 * encoded.overall / encoded.overall.sum(), 6).tolist())


def keep_weights(edited: tuple[float, ...]) -> None:
    """Use these frequencies for the present table."""
    session.put("belief_weights", (hash(results.data_key()), edited))


def background_key() -> tuple[Any, ...]:
    """What the background depends on, beside the table."""
    source = str(session.get("belief_source"))
    extra = {"columns": columns, "edited": weights}.get(source)
    return (source, () if extra is None else extra())


def background() -> Background:
    """The adversary's background as chosen."""
    encoded, (source, extra) = results.encoded(), background_key()

    def make() -> Background:
        if source == "uniform":
            return Background.constant(encoded)
        if source == "edited":
            return Background.constant(encoded, extra)
        known = {"marginals": (), "columns": extra, "joint": None}[source]
        return Background.of_table(encoded, known)

    return results.remembered(("background", *results.data_key(), source, extra), make)


def everybody() -> Beliefs:
    """Beliefs of everybody in my release."""
    release, before = results.my_release().release, background()
    return results.remembered(("beliefs", *results.release_key(), *background_key()), lambda: beliefs(release, before))


# ---- one class ---------------------------------------------------------------------------


def open_class(number: int) -> None:
    """Open a class of the present release; another release closes it."""
    results.open_class("beliefs", number)


def opened(held: Beliefs) -> tuple[int, bool]:
    """The class that is open, and whether the user chose it; else that of the largest change."""
    number = results.opened_class("beliefs", held.release.classes.count)
    return (number, True) if number is not None else (int(held.owner[held.largest]), False)


@dataclass(frozen=True, eq=False)
class BelievedPerson:
    """Beliefs about one kind of people of a class.

    Parameters
    ----------
    before, after
        (values,) alpha and beta; ``after`` is 0 throughout where they contradict each other.
    known
        (values,) posterior when all members are known, or ``None``.
    why
        Why there is no ``known``.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    known: NDArray[np.float64] | None
    why: str

    @property
    def gain(self) -> float:
        """Largest change; 0 where background and release contradict each other."""
        return float(np.abs(self.before - self.after).max()) if self.after.any() else 0.0


def person(held: Beliefs, number: int, kind: int, struck: tuple[int, ...] = ()) -> BelievedPerson:
    """Beliefs about one kind of people, with values ruled out by negation statements about the target."""
    release, place = held.release, kind - int(held.starts[number])
    before, after = (rows[place] for rows in held.rows(number))
    members = release.classes.members(number)
    target = int(np.flatnonzero(held.members(number) == kind)[0])
    prior = held.background.given[held.background.profile[members]].copy()
    counts = np.bincount(release.encoded.secret[members], minlength=release.encoded.sensitive.size)
    # A statement is about the target alone; conditioning alpha and beta is the same as cutting f.
    before, after, prior[target] = (_left(row, struck) for row in (before, after, prior[target]))
    try:
        known = known_members(prior, counts)[target]
    except CompositionError as error:
        return BelievedPerson(before, after, None, error.message)
    if not known.any():
        return BelievedPerson(before, after, None, "Under this background no way to deal out the values is possible.")
    return BelievedPerson(before, after, known, "")


def present_person(number: int, kind: int, struck: tuple[int, ...]) -> BelievedPerson:
    """:func:`person` of my release, kept while only theta moves."""
    held = everybody()
    key = ("belief", *results.release_key(), *background_key(), number, kind, struck)
    return results.remembered(key, lambda: person(held, number, kind, struck))


def _left(belief: NDArray[np.float64], struck: tuple[int, ...]) -> NDArray[np.float64]:
    """A belief conditioned on not having some values."""
    left = belief.copy()
    left[list(struck)] = 0.0
    shares: NDArray[np.float64] = left / (left.sum() or 1.0)
    return shares


# ---- negation statements -------------------------------------------------------------------


def statements(histogram: ClassHistogram, c: float, l: int) -> pd.DataFrame:  # noqa: E741
    """What is left of diversity after 0 to 3 statements, at worst, over all classes and people.

    One row a number of *statements*: *distinct* (fewest values left in a class), *pinned* (share
    of people in classes that may be down to one value), *failing* (share in classes that may fail
    (c, l)), *least_l* (largest l at this c that every class keeps, 0 for none), *smallest_c* (every
    class keeps (c, l) for any larger c), *commonest* (largest share that one value may come to).
    """
    sizes, rows = histogram.sizes / histogram.sizes.sum(), []
    for number in STATEMENTS:
        left, best = left_after(histogram, number), largest_l_after(histogram, c, number)
        rows.append(
            {
                "statements": number,
                "distinct": int(left.min()),
                "pinned": float(sizes[left <= 1].sum()),
                "failing": float(sizes[best < l].sum()),
                "least_l": int(best.min()),
                "smallest_c": float(smallest_c_after(histogram, l, number).max()),
                "commonest": float(np.nanmax(share_after(histogram, number), initial=0.0)),
            }
        )
    return pd.DataFrame(rows)


def of_release() -> pd.DataFrame:
    """:func:`statements` of my release."""
    c, l = float(session.get("belief_c")), int(session.get("belief_l"))  # noqa: E741
    release = results.my_release().release
    return results.remembered(("statements", *results.release_key(), c, l), lambda: statements(release.histogram, c, l))


def of_counts(counts: list[int], c: float, l: int) -> pd.DataFrame:  # noqa: E741
    """:func:`statements` of one class with these counts."""
    codes = np.arange(len(counts))
    histogram = ClassHistogram.tally(
        np.zeros(len(counts), dtype=np.int64), codes, np.array(counts), 1, weights=np.array(counts)
    )
    return statements(histogram, c, l)
