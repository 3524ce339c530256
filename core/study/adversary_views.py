"""An adversary's view of each hospital of a draw, cached so that another number of hospitals needs no new releases.

Draws of a study whose table stays whole are nested: the first hospitals of a draw of eight are a
draw of more. Of each release only the classes are kept that a shared person may be in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.attack.intersection import AttackResult, attack_views
from core.attack.views import AdversaryView, packed, unpacked, views_of
from core.base.arrays import Ints, Progress, step
from core.data.encoding.encoded import Encoded
from core.release.release import Release
from core.study.hospitals import Study
from core.study.one_run import Outcome, Whole, releases_of_parts, seeds, shared_in
from core.study.redraws import Redraws


@dataclass(frozen=True, eq=False)
class DrawSeen:
    """One draw of a study as the adversary sees it.

    Parameters
    ----------
    views
        Of each release, packed (:func:`core.attack.views.packed`).
    same_value_rate
        For each release, how likely a shared person's record carries the value of mine.
    positions
        (P,) shared people as positions in my table (:func:`shared_positions`).
    weight
        People that each of those attacked represents.
    """

    views: tuple[AdversaryView, ...]
    same_value_rate: tuple[float, ...]
    positions: Ints
    weight: Ints

    def after(self, releases: int) -> Outcome:
        """Outcome after ``releases`` releases, at least two, without the releases themselves."""
        result = attack_views([unpacked(view) for view in self.views[:releases]], self.weight)[-1]
        return Outcome((), result, (), self.same_value_rate[:releases])

    def after_each(self) -> list[AttackResult]:
        """After one release, two, and so on to all of them."""
        views = [unpacked(view) for view in self.views]
        # One release twice over leaves what it leaves alone.
        first = attack_views([views[0], views[0]], self.weight)
        return [*first, *attack_views(views, self.weight, each=True)]


def see(
    encoded: Encoded, study: Study, draws: Redraws, progress: Progress | None = None, made: Sequence[Release] = ()
) -> list[DrawSeen]:
    """Draw the hospitals, create their releases, and return the adversary's views; one per draw.

    Draws can be made in parts (:meth:`core.study.redraws.Redraws.parts`). ``made`` are my releases of the
    whole table that are there already.
    """
    whole = Whole(encoded, study, made)
    seen: list[DrawSeen] = []
    for number, draw in enumerate(seeds(draws.seed, draws.repeats, draws.first)):
        parts = study.draw(encoded, draw)
        releases = releases_of_parts(study, parts, step(progress, number, draws.repeats), whole)
        read, people, weight = shared_in(releases, parts, study)
        mine = parts[0].to_release
        assert mine is not None
        seen.append(
            DrawSeen(
                tuple(packed(view) for view in views_of(read, people, study.locate)),
                tuple(hospital.same_value_rate for hospital in study.hospitals),
                shared_positions(encoded, mine, study.overlap),
                weight,
            )
        )
    return seen


def shared_positions(encoded: Encoded, mine: Encoded, overlap: int) -> Ints:
    """(P,) positions of the shared people in the table, or of their first records if they have several."""
    people = np.searchsorted(encoded.rows, mine.rows[: mine.leading(overlap)])
    if encoded.has_multiple_records:
        first = encoded.first_records
        people = first[encoded.whose[people[np.unique(encoded.whose[people], return_index=True)[1]]]]
    positions: Ints = people.astype(np.int64)
    return positions
