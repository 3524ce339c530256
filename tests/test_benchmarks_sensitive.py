"""Several sensitive attributes of one table: the same people, another secret."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.sensitive import COLUMNS, compare_sensitive, entropy_bits, with_sensitive
from core import Policy, Schema, Table, Taxonomy
from core.base.errors import InfeasibleError, ParameterError, SchemaError
from core.data.encoding import encode
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.run import run_study
from core.study.uploads import Upload


def table(rows: int = 400, seed: int = 1) -> Table:
    rng = np.random.default_rng(seed)
    return Table.from_frame(
        pd.DataFrame(
            {
                "name": [f"person {i}" for i in range(rows)],
                "age": rng.integers(18, 80, rows),
                "sex": rng.choice(["f", "m"], rows),
                "town": rng.choice(["a", "b", "c", "d"], rows),
                "job": rng.choice([f"job {i}" for i in range(12)], rows),
                "pay": rng.integers(0, 60, rows),
                "team": rng.choice(["x", "y"], rows, p=[0.9, 0.1]),
                "same": ["z"] * rows,
            }
        )
    )


SCHEMA = Schema(
    ["age", "sex", "town"],
    "job",
    identifiers=["name"],
    other=["pay", "team", "same"],
    kinds={"age": "numeric", "town": "taxonomy"},
    taxonomies={"town": Taxonomy.flat(["a", "b", "c", "d"])},
)
STUDY = Study.alike(Policy(4), 60)


def test_each_attribute_is_attacked_as_if_it_were_the_only_one() -> None:
    """Against sets of Python, class by class, person by person."""
    here = table()
    frame = compare_sensitive(here, SCHEMA, ["job", "pay", "town"], STUDY, redraws=Redraws(1, 3)).set_index("attribute")
    assert list(frame.reset_index()) == list(COLUMNS)
    for name in ("job", "pay", "town"):
        encoded = encode(here, with_sensitive(SCHEMA, name))
        releases = run_study(encoded, STUDY, 3).releases
        left = []
        for person in range(60):
            values = [
                {
                    release.encoded.secret[row]
                    for row in range(len(release.encoded))
                    if release.labels[row] == release.labels[person]
                }
                for release in releases
            ]
            left.append((len(set.intersection(*values)), min(map(len, values))))
        row = frame.loc[name]
        assert row["perfect"] == pytest.approx(np.mean([after == 1 for after, _ in left]))
        assert row["breach"] == pytest.approx(np.mean([after <= 4 for after, _ in left]))
        assert row["drop"] == pytest.approx(np.mean([before - after for after, before in left]))
        counts = Counter(here.column(name).texts().tolist())
        assert row["distinct"] == len(counts)
        assert row["entropy"] == pytest.approx(-sum(n / 400 * math.log2(n / 400) for n in counts.values()))
        assert row["records"] == 400


def test_the_same_people_are_drawn_whatever_is_to_be_protected() -> None:
    drawn = [
        [part.rows.tolist() for part in STUDY.draw(encode(table(), with_sensitive(SCHEMA, name)), 5)]
        for name in ("job", "team", "sex")
    ]
    assert drawn[0] == drawn[1] == drawn[2]


def test_rows_come_by_falling_entropy_and_a_column_named_twice_counts_once() -> None:
    frame = compare_sensitive(table(), SCHEMA, ["team", "job", "pay", "job"], STUDY, redraws=Redraws(1))
    assert list(frame["attribute"]) == ["pay", "job", "team"]
    assert frame["entropy"].is_monotonic_decreasing
    assert (frame["known"] == 3).all()
    assert frame["problem"].eq("").all()


def test_a_quasi_identifier_in_turn_is_not_known_to_the_adversary() -> None:
    frame = compare_sensitive(table(), SCHEMA, ["job", "town"], STUDY, redraws=Redraws(1)).set_index("attribute")
    assert frame.loc["job", "known"] == 3
    assert frame.loc["town", "known"] == 2
    changed = with_sensitive(SCHEMA, "town")
    assert changed.quasi_identifiers == ("age", "sex")
    assert "town" in changed.taxonomies, "the attribute keeps its taxonomy"
    assert changed.other == ("pay", "team", "same", "job")
    assert with_sensitive(SCHEMA, "pay").kinds == {"age": "numeric", "town": "taxonomy"}


def test_intervals_come_with_ten_redraws() -> None:
    few = compare_sensitive(table(200), SCHEMA, ["job"], Study.alike(Policy(4), 30), redraws=Redraws(2))
    ten = compare_sensitive(table(200), SCHEMA, ["job"], Study.alike(Policy(4), 30), redraws=Redraws(10))
    assert few["breach_low"].isna().all()
    assert (ten["breach_low"] <= ten["breach"]).all()
    assert (ten["breach"] <= ten["breach_high"]).all()
    assert int(ten["repeats"].iloc[0]) == 10


def test_an_attribute_that_cannot_be_compared_says_why_beside_the_others() -> None:
    study = Study.alike(Policy(4, l=3), 60)
    frame = compare_sensitive(table(), SCHEMA, ["job", "team", "same"], study, redraws=Redraws(1)).set_index(
        "attribute"
    )
    assert frame.loc["job", "problem"] == ""
    assert 0 <= frame.loc["job", "perfect"] <= frame.loc["job", "breach"]
    assert np.isnan(frame.loc["team", "perfect"])
    assert "l" in frame.loc["team", "problem"]
    assert "one value only" in frame.loc["same", "problem"]
    assert next(iter(frame.index)) == "job"
    with pytest.raises(InfeasibleError):
        compare_sensitive(table(), SCHEMA, ["team"], study, redraws=Redraws(1))


def test_hospitals_do_not_publish_what_is_to_be_protected() -> None:
    study = Study((Hospital(Policy(4)), Hospital(Policy(4), attributes=("age", "town"))), 60)
    frame = compare_sensitive(table(), SCHEMA, ["job", "town"], study, redraws=Redraws(1))
    assert frame["problem"].eq("").all()
    alone = Study((Hospital(Policy(4)), Hospital(Policy(4), attributes=("town",))), 60)
    frame = compare_sensitive(table(), SCHEMA, ["job", "town"], alone, redraws=Redraws(1)).set_index("attribute")
    assert "at least one" in frame.loc["town", "problem"]


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        compare_sensitive(table(), SCHEMA, [], STUDY)
    with pytest.raises(SchemaError, match="no column"):
        compare_sensitive(table(), SCHEMA, ["nobody"], STUDY)
    with pytest.raises(SchemaError, match="is the identifier"):
        compare_sensitive(table(), SCHEMA, ["name"], STUDY)
    with pytest.raises(SchemaError, match="No quasi-identifier"):
        with_sensitive(Schema(["age"], "job"), "age")
    upload = Upload("0" * 64, True, (("age", "age"),))
    files = Study((Hospital(Policy(4)), Hospital(Policy(4), source="published", upload=upload)), 60)
    with pytest.raises(ParameterError, match="uploaded file"):
        compare_sensitive(table(), SCHEMA, ["job"], files)


def test_progress_rises_to_one_and_can_end_the_run() -> None:
    seen: list[float] = []
    compare_sensitive(table(), SCHEMA, ["job", "pay"], STUDY, redraws=Redraws(2), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1

    class Newer(Exception):
        pass

    def stop(_: float) -> None:
        raise Newer

    with pytest.raises(Newer):
        compare_sensitive(table(), SCHEMA, ["job"], STUDY, redraws=Redraws(2), progress=stop)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20).filter(lambda counts: sum(counts) > 0))
@settings(max_examples=60, deadline=None)
def test_entropy_in_bits(counts: list[int]) -> None:
    total = sum(counts)
    slow = -sum(n / total * math.log(n / total, 2) for n in counts if n)
    assert entropy_bits(np.array(counts)) == pytest.approx(slow, abs=1e-12)
    assert 0 <= entropy_bits(np.array(counts)) <= math.log2(len(counts)) + 1e-12
