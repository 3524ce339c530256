"""Studies whose other hospitals are modelled or come from files: the same study, put together by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core import Policy, Release, Table, examples, intersection_attack
from core.algorithms import partition
from core.base.errors import ParameterError
from core.data.encoding import Encoded, encode
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.run import Outcome, run_study, seeds
from core.study.sweep import sweep
from core.study.uploads import Foreign, Upload, open_upload
from core.study.vary import at_value

SCHEMA = examples.city_schema()
MINE, THEIRS = examples.city(800, seed=1), examples.city(900, seed=2)
NAMES = (*SCHEMA.quasi_identifiers, SCHEMA.sensitive)
SAME = tuple((name, name) for name in NAMES)
RAW = Upload(THEIRS.content_id, False, SAME, name="theirs")
FILE = open_upload(RAW, THEIRS, MINE, SCHEMA)


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(MINE, SCHEMA)


def published(release: Release) -> tuple[Upload, Foreign]:
    """Somebody's release as a file, and what it becomes."""
    table = Table.from_frame(release.publish(seed=4))
    upload = Upload(table.content_id, True, SAME, name="release")
    return upload, open_upload(upload, table, MINE, SCHEMA)


def raw_study(k: int = 3, theirs: int = 4) -> Study:
    return Study((Hospital(Policy(k)), Hospital(Policy(theirs), source="raw", upload=RAW)), 150)


def test_a_raw_table_is_released_and_read_by_its_regions(encoded: Encoded) -> None:
    found = run_study(encoded, raw_study().with_files({RAW: FILE}), 0)
    mine = raw_study().with_files({RAW: FILE}).draw(encoded, seeds(0, 1)[0])[0]
    assert isinstance(mine, Encoded)
    their = partition(FILE.encoded, Policy(4))
    release = partition(mine, Policy(3))
    by_hand = intersection_attack([release, their.published], [np.arange(150), None], "default")
    assert found.result.posterior.tolist() == by_hand.posterior.tolist()
    assert found.mine.labels.tolist() == release.labels.tolist()
    assert len(found.mine.labels) == len(encoded), "my table stays whole"


def test_an_uploaded_release_is_that_of_the_raw_table(encoded: Encoded) -> None:
    """Whether they hand out the table or the release of it, the adversary reads the same."""
    upload, file = published(partition(FILE.encoded, Policy(4)))
    study = replace(
        raw_study(), hospitals=(Hospital(Policy(3)), Hospital(Policy(1), source="published", upload=upload))
    )
    one = run_study(encoded, study.with_files({upload: file}), 0)
    other = run_study(encoded, raw_study().with_files({RAW: FILE}), 0)
    assert one.result.posterior.tolist() == other.result.posterior.tolist()
    assert one.result.located_correctly[1] is None, "nobody knows who is in it"
    assert one.class_size == pytest.approx(other.class_size)


def test_my_own_release_uploaded_again_finds_everybody(encoded: Encoded) -> None:
    upload, file = published(partition(encoded, Policy(3)))
    study = Study((Hospital(Policy(3)), Hospital(Policy(1), source="published", upload=upload)), 200)
    found = run_study(encoded, study.with_files({upload: file}), 0)
    assert found.result.unlocated.tolist() == [0, 0]
    assert found.result.true_value_left.all()


def test_linked_people_are_found_in_their_own_class(encoded: Encoded) -> None:
    """The same table, linked by a number: both know every person's class."""
    order = np.random.default_rng(3).permutation(len(MINE))
    linked = Foreign(encoded=encoded.take(order), mine=np.arange(len(MINE)), theirs=np.argsort(order))
    theirs = replace(linked, encoded=replace(encoded.take(order), rows=np.arange(len(MINE))))
    found = run_study(encoded, raw_study().with_files({RAW: theirs}), 0)
    assert found.result.located_correctly[1] is not None
    assert found.result.located_correctly[1].only.value == 1.0
    assert found.result.true_value_left.all()
    assert found.result.empty.value == 0


@pytest.mark.parametrize("source", ["independent", "resampled"])
def test_modelled_hospitals_share_my_people(encoded: Encoded, source: str) -> None:
    study = Study((Hospital(Policy(3)), Hospital(Policy(5), source=source, size=400)), 150)
    found = run_study(encoded, study, 2)
    theirs = found.releases[1]
    assert isinstance(theirs, Release)
    assert len(theirs.labels) == 400
    assert theirs.encoded.secret[:150].tolist() == found.mine.encoded.secret[:150].tolist()
    assert found.result.empty.value == 0
    again = run_study(encoded, study, 2)
    assert again.result.posterior.tolist() == found.result.posterior.tolist()


MIXED = Study(
    (
        Hospital(Policy(3)),
        Hospital(Policy(4)),
        Hospital(Policy(4), source="raw", upload=RAW),
        Hospital(Policy(5), source="resampled", agreement=0.8),
    ),
    100,
)


@pytest.mark.parametrize(
    ("vary", "values"),
    [
        ("k", [3, 8]),
        ("their k", [2, 6]),
        ("l", [2, 3]),
        ("overlap", [20, 100]),
        ("agreement", [0.5, 1.0]),
        ("releases", [2, 6]),
    ],
)
def test_every_sweep_of_a_mixed_study_is_its_points(encoded: Encoded, vary: str, values: list[int]) -> None:
    frame = sweep(encoded, MIXED.with_files({RAW: FILE}), vary, values, Redraws(2, 5, confidences=(0.25,)))
    for value in values:
        row = frame[frame["value"] == value].iloc[0]
        point = at_value(MIXED, vary, value)
        size, deal = fixed(vary, values)
        shares = []
        for redraw in seeds(5, 2):
            found = run_study(encoded, replace(point, size=size, deal=deal).with_files({RAW: FILE}), redraw)
            shares.append(found.result.breached(0.25).mean())
        assert row["share"] == pytest.approx(np.mean(shares)), value
        assert row["n"] == point.overlap


def fixed(vary: str, values: list[int]) -> tuple[int, int]:
    """Size and dealing by hand: mine and the simulated ones share the table, in the widest point."""
    overlap = max(values) if vary == "overlap" else 100
    # Beyond four hospitals the drawn ones come again: simulated, modelled, simulated, ...
    deal = 2 + (1 if vary == "releases" and max(values) > 4 else 0)
    return min(p + (800 - p) // deal for p in (values if vary == "overlap" else [overlap])), deal


def test_a_file_cannot_be_two_hospitals(encoded: Encoded) -> None:
    with pytest.raises(ParameterError, match="cannot be two") as caught:
        sweep(encoded, raw_study().with_files({RAW: FILE}), "releases", [2, 3])
    assert caught.value.parameter == "releases"


def test_agreement_of_a_file_is_what_it_says(encoded: Encoded) -> None:
    frame = sweep(encoded, raw_study().with_files({RAW: FILE}), "agreement", [0.0, 1.0], Redraws(confidences=(0.25,)))
    assert frame["share"].nunique() == 1


def test_published_location_is_weaker_than_assumed(encoded: Encoded) -> None:
    """Strict Mondrian regions do not overlap, so both find the class; centroids mislead."""
    for algorithm, located in (("mondrian", True), ("mdav", False)):
        study = Study.alike(Policy(4), 150, algorithm=algorithm)
        assumed = run_study(encoded, replace(study, locate="assumed"))
        read = run_study(encoded, replace(study, locate="published"))
        correct = read.result.located_correctly[1]
        assert correct is not None
        assert (correct.only.value > 0.999) is located
        assert assumed.result.true_value_left.all()
        assert isinstance(assumed, Outcome)
