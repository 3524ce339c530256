"""What draws need of a whole table is worked out once and goes along to other processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from core import Policy
from core.data.encoding import Encoded
from core.study import neighbours as module
from core.study.hospitals import Study
from core.study.neighbours import SCALES
from tests.tables import a_table


def drawn(encoded: Encoded, study: Study) -> list[list[int]]:
    parts = study.draw(encoded, 3)
    return [part.to_release.secret.tolist() for part in parts if part.to_release is not None]


def test_a_copy_of_a_prepared_table_is_drawn_from_without_new_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded, study = a_table(300, 2), Study.alike(Policy(3), 40, 6, source="resampled")
    wanted = drawn(a_table(300, 2), study)
    study.prepare(encoded)
    assert len(encoded.neighbours) == len(SCALES)
    copy = pickle.loads(pickle.dumps(encoded))

    def refuse(*_: object) -> None:
        raise AssertionError("a partition is made again")

    monkeypatch.setattr(module, "partition", refuse)
    assert drawn(copy, study) == wanted
    with pytest.raises(AssertionError, match="again"):
        drawn(encoded.take(np.arange(300)), study)


@pytest.mark.parametrize("source", ["simulated", "independent"])
def test_nothing_is_prepared_for_draws_that_ask_for_nothing(source: str) -> None:
    encoded = a_table(300, 2)
    Study.alike(Policy(3), 40, 2, source=source).prepare(encoded)
    assert not encoded.neighbours
