"""Ways to bring exposure down, over the number of hospitals."""

from __future__ import annotations

from core import Policy
from core.study.hospitals import Study
from core.study.remedies import COORDINATED, agreed, stricter


def test_the_ways() -> None:
    study = Study.uniform(Policy(4, l=2, t=0.5), 60, 3, origin="resampled")
    assert {hospital.policy for hospital in stricter(study, k=20).hospitals} == {Policy(20, l=2, t=0.5)}
    listed = agreed(study)
    assert {(h.policy, h.algorithm) for h in listed.hospitals} == {(Policy(4), COORDINATED)}
    alone = agreed(study, alone=True)
    assert alone.hospitals[0] == listed.hospitals[0]
    assert alone.hospitals[1:] == study.hospitals[1:]
