"""Candidate classes of people, person after person."""

import numpy as np

from core.release.published.located import Located


def test_one_class_each_or_none():
    found = Located.one_each(np.array([2, -1, 0], dtype=np.int32))
    assert found.people == 3
    assert found.counts.tolist() == [1, 0, 1]
    assert [found.of_person(i).tolist() for i in range(3)] == [[2], [], [0]]
    assert found.owner.tolist() == [0, 2]


def test_nobody():
    found = Located.one_each(np.array([], dtype=np.int32))
    assert (found.people, len(found.classes), len(found.owner)) == (0, 0, 0)


def test_several_candidates():
    found = Located(np.array([0, 2, 2, 3]), np.array([1, 4, 0]))
    assert found.counts.tolist() == [2, 0, 1]
    assert found.owner.tolist() == [0, 0, 2]
