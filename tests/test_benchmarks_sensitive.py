"""Several sensitive attributes of one table: the same people, another secret."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from benchmarks.papers.sensitive import COLUMNS, compare_sensitive, with_sensitive
from core import Policy, Schema, Table, Taxonomy
from core.data.encoding.encoded import encode
from core.study.hospitals import Study
from core.study.one_run import run_study
from core.study.redraws import Redraws


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
    column_types={"age": "numeric", "town": "taxonomy"},
    taxonomies={"town": Taxonomy.flat(["a", "b", "c", "d"])},
)
STUDY = Study.uniform(Policy(4), 60)


def test_each_attribute_is_attacked_as_if_it_were_the_only_one() -> None:
    """Against sets of Python, class by class, person by person."""
    people = table()
    frame = compare_sensitive(people, SCHEMA, ["job", "pay", "town"], STUDY, redraws=Redraws(1, 3))
    assert list(frame) == list(COLUMNS)
    for name, row in frame.set_index("attribute").iterrows():
        releases = run_study(encode(people, with_sensitive(SCHEMA, name)), STUDY, 3).releases
        left = []
        for person in range(60):
            values = [
                set(release.encoded.sensitive_codes[release.labels == release.labels[person]]) for release in releases
            ]
            left.append((len(set.intersection(*values)), min(map(len, values))))
        assert row["one_value_left"] == pytest.approx(np.mean([after == 1 for after, _ in left]))
        assert row["breach"] == pytest.approx(np.mean([after <= 4 for after, _ in left]))
        assert row["drop"] == pytest.approx(np.mean([before - after for after, before in left]))
        counts = Counter(people.column(name).texts().tolist())
        assert row["distinct"] == len(counts)
        assert row["entropy"] == pytest.approx(-sum(n / 400 * math.log2(n / 400) for n in counts.values()))
        assert row["records"] == 400
