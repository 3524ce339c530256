"""An adversary's view of each release: who may be in which class, and the counts of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Ints
from core.base.errors import ParameterError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.encoding.published_columns import ClassTuples
from core.data.tables.table import is_frame
from core.release.published.locate import locate as fit
from core.release.published.located import Located
from core.release.published.published import Published
from core.release.published.targets import Targets
from core.release.readable import Readable
from core.release.release import Release

Locate = Literal["assumed", "published"]
LOCATE: tuple[Locate, ...] = get_args(Locate)
"""How the adversary finds a person's class."""


@dataclass(frozen=True, eq=False)
class AdversaryView:
    """One release as the adversary sees it.

    Parameters
    ----------
    located
        Candidate classes of every person.
    histogram
        Sensitive counts of these classes.
    sensitive
        The sensitive values.
    own
        (P,) class that each person is in, -1 for none; ``None`` if that is not known.
    sensitive_codes
        (P,) sensitive code of each person's record, -1 if it was left out; given for the
        first release that has records.
    person
        (P,) person of each record, -1 if it was left out; given together with ``sensitive_codes`` if persons have
        several records, which are then attacked one by one.
    tuples
        Tuples of sensitive and published values of these classes, if columns are published as they are.
    fits, withheld
        Candidate classes whether or not they withhold a value; (sensitive columns, classes) which class withholds one
        of which column. ``None`` if none does.
    """

    located: Located
    histogram: ClassHistogram
    sensitive: Domain
    own: Ints | None = None
    sensitive_codes: Ints | None = None
    person: Ints | None = None
    tuples: ClassTuples | None = None
    fits: Located | None = None
    withheld: Bools | None = None

    def in_parts(self, places: tuple[int, ...]) -> AdversaryView:
        """What the release says about some of several sensitive columns alone."""
        domain, which = self.sensitive.of_parts(places)
        codes, tuples, located = self.sensitive_codes, self.tuples, self.located
        if self.fits is not None and self.withheld is not None:
            located = _without(self.fits, np.any(self.withheld[list(places)], axis=0))
        return replace(
            self,
            located=located,
            histogram=self.histogram.mapped(which, domain.size, domain.missing),
            sensitive=domain,
            sensitive_codes=None if codes is None else np.where(codes >= 0, which[codes], -1),
            tuples=None if tuples is None else tuples.mapped(which),
            fits=None,
            withheld=None,
        )


def views_of(releases: Sequence[Readable], people: Any, locate: str) -> list[AdversaryView]:
    """Locate people in every release; see :func:`core.attack.intersection.intersection_attack`."""
    if isinstance(people, Targets) or is_frame(people):
        if locate == "assumed":
            raise ParameterError(
                "People with only known quasi-identifiers are located by published regions: give locate='published'.",
                parameter="locate",
            )
        targets = people if isinstance(people, Targets) else Targets.from_frame(people)
        return [_by_region(release, targets) for release in releases]
    rows = _checked(releases, people)
    known: tuple[Targets, Bools] | None = None
    views = []
    for release, row in zip(releases, rows, strict=True):
        if row is not None and locate == "assumed":
            views.append(by_class(release, row))
        else:
            known = known or _known(releases, rows)
            views.append(_by_region(release, *known, row=row))
    for number, (release, row) in enumerate(zip(releases, rows, strict=True)):
        mine = release.release
        if mine is not None and row is not None:
            sensitive_codes, person = mine.encoded.sensitive_codes, mine.encoded.person
            whose = _of_rows(mine, person, row) if mine.encoded.has_multiple_records else None
            views[number] = replace(views[number], sensitive_codes=_of_rows(mine, sensitive_codes, row), person=whose)
            break
    return views


def by_class(release: Readable, row: Ints) -> AdversaryView:
    """View of an adversary who knows the row of every person in a release, and so the class.

    Parameters
    ----------
    release
        With its records, or as it was published.
    row
        (P,) index of each person's row; -1 for a person who is not in the release, which then says nothing.

    Returns
    -------
    AdversaryView
        Without the true values.
    """
    mine = release.release
    # Without records it is a published table whose rows are known to be of these people.
    known = release.published if mine is None else mine
    sensitive = release.published.sensitive if mine is None else mine.encoded.sensitive
    label = np.where(row >= 0, known.labels[row], -1).astype(np.int64)
    view = AdversaryView(Located.one_each(label), known.histogram, sensitive, label, tuples=known.tuples)
    if mine is not None:
        return view
    view = _ruling(view, release.published)
    return replace(view, own=np.where(view.located.counts > 0, label, -1))


def _by_region(
    release: Readable, targets: Targets, there: Bools | None = None, row: Ints | None = None
) -> AdversaryView:
    """The adversary reads the published table; ``there`` are the indices of the targets among all people."""
    published, mine = release.published, release.release
    located = fit(published, targets)
    if there is not None and not there.all():
        counts = np.zeros(len(there), dtype=np.int64)
        counts[there] = located.counts
        located = Located(np.concatenate(([0], np.cumsum(counts))), located.classes)
    own = None
    if row is not None:
        label = (published if mine is None else mine).labels[row]
        own = np.full(len(label), -1, dtype=np.int64)
        own[label >= 0] = label[label >= 0] if mine is None else mine.reader_classes[label[label >= 0]]
    view = AdversaryView(located, published.histogram, published.sensitive, own, tuples=published.tuples)
    return _ruling(view, published)


def _ruling(view: AdversaryView, published: Published) -> AdversaryView:
    """The view with candidate classes only of the people for whom the table rules something out."""
    if not published.unruled.any():
        return view
    located = _without(view.located, published.unruled)
    return replace(view, located=located, fits=view.located, withheld=published.withheld)


def _without(located: Located, unruled: Bools) -> Located:
    """The candidate classes, and none for people with one of the unruled ones among them."""
    hit = np.concatenate(([0], np.cumsum(unruled[located.classes])))
    kept = hit[located.starts[1:]] == hit[located.starts[:-1]]
    return Located(
        np.concatenate(([0], np.cumsum(np.where(kept, located.counts, 0)))),
        located.classes[np.repeat(kept, located.counts)],
    )


def _known(releases: Sequence[Readable], rows: Sequence[Ints | None]) -> tuple[Targets, Bools]:
    """Values of the people in the first release with records, and whose records it has; one always exists."""
    mine, row = next(
        (mine, row)
        for release, row in zip(releases, rows, strict=True)
        if (mine := release.release) is not None and row is not None
    )
    place = np.full(mine.inputs, -1, dtype=np.int64)
    place[mine.position] = np.arange(len(mine.encoded))
    there = place[row] >= 0
    return Targets.of(mine.encoded, place[row][there]), there


def _of_rows(release: Release, codes: NDArray[np.int32], row: Ints) -> Ints:
    """Codes of some rows of the input; -1 if the record was left out."""
    full = np.full(release.inputs, -1, dtype=np.int64)
    full[release.position] = codes
    return full[row]


# ---- validation -------------------------------------------------------------------------


def _checked(releases: Sequence[Readable], people: Any) -> list[Ints | None]:
    if not hasattr(people, "__len__"):
        raise ParameterError(
            "People are a list of positions for each release, or a table or frame of their quasi-identifiers.",
            parameter="people",
        )
    if len(people) != len(releases):
        raise ParameterError(
            f"{len(releases)} releases need {len(releases)} lists of people; {len(people)} were given.",
            parameter="people",
        )
    pairs = list(zip(releases, people, strict=True))
    rows = [None if release.release is None and row is None else _positions(row) for release, row in pairs]
    lengths = {len(row) for row in rows if row is not None}
    if all(release.release is None for release in releases):
        raise ParameterError(
            "Published tables have no positions of people; give a table of the people's quasi-identifiers.",
            parameter="people",
        )
    if len(lengths) > 1 or 0 in lengths:
        raise ParameterError("Every release needs the positions of the same people, at least one.", parameter="people")
    for number, (release, row) in enumerate(zip(releases, rows, strict=True), start=1):
        mine = release.release
        if row is None:
            continue
        inputs = len(release.published.labels) if mine is None else mine.inputs
        if row.min() < 0 or row.max() >= inputs:
            raise ParameterError(
                f"People of release {number} must be positions from 0 to {inputs - 1:,}.", parameter="people"
            )
    return rows


def _positions(row: Any) -> Ints:
    try:
        positions = np.asarray(row)
    except ValueError:
        positions = np.empty((0, 0))
    if positions.ndim != 1 or (positions.size and positions.dtype.kind not in "iu"):
        raise ParameterError("People must be given as a list of positions, whole numbers from 0.", parameter="people")
    return positions.astype(np.int64)
