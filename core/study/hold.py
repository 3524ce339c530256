"""Ways to bring exposure down, over the number of hospitals: stricter policies, and lists that all agree on.

A way is a study with other policies. Its hospitals publish one after another, so that an answer
for two is there before that for eight, and work that was ended goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from core.attack.intersection import AttackResult, attack_after_each
from core.base.arrays import Progress, step
from core.data.encoding import Encoded
from core.privacy.policy import Policy
from core.release.readable import Readable
from core.study.draw import MAX_RELEASES
from core.study.hospitals import Hospital, Study
from core.study.publisher import Publisher
from core.study.run import Whole, release_of, shared_in
from core.study.vary import at_value, fixed_sizes, with_drawn

BY_BUCKET = "by-bucket"
"""The algorithm that forms classes closed under an agreed list."""


# ---- ways ----------------------------------------------------------------------------------


def stricter(study: Study, **changed: Any) -> Study:
    """The study with parameters of the policy changed at my hospital and at all that are drawn."""
    return _each(study, lambda hospital: replace(hospital, policy=hospital.policy.with_(**changed)))


def agreed(study: Study, least: int, alone: bool = False) -> Study:
    """The study with classes closed under the agreed list of its table, which leaves ``least`` values or more.

    k stays; what else is asked of the classes is left out. My hospital and all that are drawn do so, or mine
    ``alone``. A file of somebody else stays as it is.
    """

    def closed(hospital: Hospital) -> Hospital:
        return replace(hospital, policy=Policy(hospital.policy.k, more={"agreed": least}), algorithm=BY_BUCKET)

    if alone:
        return replace(study, hospitals=(closed(study.hospitals[0]), *study.hospitals[1:]))
    return _each(study, closed)


def _each(study: Study, change: Any) -> Study:
    mine, *others = study.hospitals
    changed = (other if other.upload is not None else change(other) for other in others)
    return replace(study, hospitals=(change(mine), *changed))


# ---- one draw --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Drawn:
    """Hospitals of one draw, which publish one after another.

    Parameters
    ----------
    study
        With as many hospitals as there may be.
    parts
        What each of them has.
    releases
        Of the first of them, as far as they have published.
    """

    study: Study
    parts: tuple[Publisher, ...]
    releases: list[Readable] = field(default_factory=list)

    @classmethod
    def of(cls, encoded: Encoded, study: Study, seed: int | np.random.SeedSequence, most: int = MAX_RELEASES) -> Drawn:
        """Draw as many hospitals as ``most``, with the sizes that so many need [definitions §4].

        Where all others are files, hospitals like mine go on beside them
        (:func:`core.study.vary.with_drawn`). Same seed, same people as
        :func:`core.study.sweep.sweep` over the number of hospitals.

        Raises
        ------
        ParameterError
            As :func:`core.study.vary.fixed_sizes`.
        """
        study = with_drawn(study)
        counts = list(range(2, max(most, len(study.hospitals)) + 1))
        wide = at_value(fixed_sizes(study, "releases", counts, encoded.people), "releases", counts[-1])
        return cls(wide, tuple(wide.draw(encoded, seed)))

    def publish(self, hospitals: int, mine: Whole, progress: Progress | None = None) -> None:
        """Let hospitals publish until so many have; a release that was made before stays.

        Parameters
        ----------
        hospitals
            How many.
        mine
            My releases of the whole table.
        progress
            Called with the share of the work done; what it raises ends it, and keeps what is made.
        """
        begin = len(self.releases)
        for number in range(begin, hospitals):
            part, hospital = self.parts[number], self.study.hospitals[number]
            inner = step(progress, number - begin, hospitals - begin)
            records = part.to_release
            if number == 0 and mine.fits and records is not None:
                self.releases.append(mine.of(records, [hospital.policy], hospital.algorithm, inner)[0])
            else:
                self.releases.append(release_of(part, hospital, inner))
            if progress is not None:
                progress((number + 1 - begin) / (hospitals - begin))

    def attacked(self) -> list[AttackResult]:
        """Outcome for the people shared by all, after two releases, three, and so on to those that are there."""
        read, people, weight = shared_in(self.releases, self.parts, self.study)
        return attack_after_each(read, people, self.study.locate, weight)


def exposure(results: Sequence[AttackResult], confidence: float) -> pd.DataFrame:
    """Who is exposed after each number of releases.

    Parameters
    ----------
    results
        Output of :meth:`Drawn.attacked`.
    confidence
        C of the second share.

    Returns
    -------
    DataFrame
        A row a number of releases: ``releases, n, one, few, one_right, few_right, fewest``. ``one`` is
        the share with one value left, ``few`` that with at most floor(1/C), each with the part whose
        true value is among them; ``fewest`` the least number of values that anybody has left who has any.
    """
    rows = []
    for result in results:
        some = result.posterior[result.posterior > 0]
        rows.append(
            {
                "releases": result.releases,
                "n": result.people,
                "one": float(result.mean(result.breached(1.0))),
                "few": float(result.mean(result.breached(confidence))),
                "one_right": float(result.mean(result.rightly(1.0))),
                "few_right": float(result.mean(result.rightly(confidence))),
                "fewest": int(some.min(initial=len(result.values))),
            }
        )
    return pd.DataFrame(rows)
