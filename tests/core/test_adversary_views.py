"""Draws that are kept as an adversary sees them give the numbers of a sweep, bit for bit."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import Policy
from core.algorithms import partition
from core.attack.intersection import attack_views
from core.attack.views import packed, unpacked, views_of
from core.attack.weighted import weigh
from core.dp.noise_and_partitions import widest
from core.release.release import Release
from core.study.adversary_views import see
from core.study.hospitals import Hospital, Study
from core.study.redraw_numbers import attack_numbers
from core.study.redraws import Redraws
from core.study.sweep import redrawn
from tests.tables import a_table

LEVELS = (1.0, 0.5, 0.25)


def others(source: str, same_value_rate: float, algorithm: str, hospitals: int) -> Study:
    theirs = Hospital(Policy(3), algorithm, same_value_rate=same_value_rate, origin=source)
    return Study((Hospital(Policy(4), "least-loss"), *(theirs,) * (hospitals - 1)), 40)


@pytest.mark.parametrize(
    ("source", "same_value_rate", "algorithm", "several"),
    [
        ("resampled", 1.0, "mondrian", False),
        ("resampled", 0.7, "mondrian", True),
        ("resampled", 0.7, "mdav", False),
        ("independent", 0.7, "mondrian", True),
        ("independent", 1.0, "mdav", False),
    ],
)
def test_numbers_of_kept_draws_are_those_of_a_sweep(
    source: str, same_value_rate: float, algorithm: str, several: bool
) -> None:
    encoded = a_table(260, 3)
    if several:
        encoded = replace(encoded, person=(np.random.default_rng(1).permutation(260) // 2).astype(np.int32))
    study = others(source, same_value_rate, algorithm, 3)
    wide = widest(study, encoded.people, 5)
    kept = pickle.loads(pickle.dumps(see(encoded, wide, Redraws(2, 7))))
    for hospitals in (2, 3, 5):
        narrow = replace(study, hospitals=wide.hospitals[:hospitals])
        draws = Redraws(2, 7, LEVELS)
        found = pd.DataFrame([row for draw in kept for row in attack_numbers(hospitals, draw.after(hospitals), LEVELS)])
        wanted = redrawn(encoded, narrow, "releases", [hospitals], draws)
        pd.testing.assert_frame_equal(found, wanted, check_exact=True)


def test_draws_made_in_parts_are_the_same() -> None:
    encoded, wide, draws = a_table(200, 5), others("resampled", 1.0, "mondrian", 4), Redraws(3, 2)
    parts = [seen for part in draws.parts(2) for seen in see(encoded, wide, part)]
    for part, whole in zip(parts, see(encoded, wide, draws), strict=True):
        assert np.array_equal(part.positions, whole.positions)
        assert np.array_equal(part.after(4).result.sets, whole.after(4).result.sets)


@pytest.mark.parametrize("locate", ["assumed", "published"])
@pytest.mark.parametrize("left_out", [False, True])
def test_what_is_packed_tells_everything_of_those_attacked(locate: str, left_out: bool) -> None:
    """Also where somebody is in no class: then he may be in any, and all stay."""
    encoded = a_table(150, 1)
    whole = partition(encoded, Policy(5))
    labels = whole.labels.astype(np.int64)
    labels[labels == labels[3]] = -1
    labels = np.unique(labels, return_inverse=True)[1] - 1
    people = np.arange(20) if left_out else np.flatnonzero(labels >= 0)[:20]
    views = views_of([whole, Release.of(encoded, labels, Policy(5), whole.algorithm)], [people, people], locate)
    short = [packed(view) for view in views]
    assert left_out or all(
        part.histogram.classes < view.histogram.classes for part, view in zip(short, views, strict=True)
    )
    results = [attack_views(seen)[-1] for seen in (views, [unpacked(part) for part in short])]
    for name in ("effective_anonymity", "sets", "truth", "unlocated", "right_left"):
        assert np.array_equal(*(getattr(result, name) for result in results)), name
    beliefs = [weigh(result) for result in results]
    assert np.array_equal(*(belief.max_posterior for belief in beliefs))
    assert np.array_equal(*(belief.alone for belief in beliefs))
