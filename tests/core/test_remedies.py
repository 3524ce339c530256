"""Ways to bring exposure down, over the number of hospitals: partitions one after another, and truthful tables."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from core import Policy, Schema, Table, dp
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.dp.truthful import sampling_for
from core.dp.truthful_release import TruthfulTable, drawn, publish_truthful
from core.release.query_error import count_codes, random_queries
from core.study.hospitals import Study
from core.study.remedies import COORDINATED, agreed, stricter

VALUES = tuple("abcdef")


def people(rows: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    frame = {"age": rng.integers(20, 60, rows).astype(str), "zip": rng.choice(list("pqrstu"), rows)}
    return Table.from_frame(pd.DataFrame({**frame, "s": rng.choice(VALUES, rows)}))


SCHEMA = Schema(["age", "zip"], "s")


def encoded_people(rows: int = 400, seed: int = 0) -> Encoded:
    return encode(people(rows, seed), SCHEMA)


def test_the_ways() -> None:
    study = Study.uniform(Policy(4, l=2, t=0.5), 60, 3, origin="resampled")
    assert {hospital.policy for hospital in stricter(study, k=20).hospitals} == {Policy(20, l=2, t=0.5)}
    listed = agreed(study)
    assert {(h.policy, h.algorithm) for h in listed.hospitals} == {(Policy(4), COORDINATED)}
    alone = agreed(study, alone=True)
    assert alone.hospitals[0] == listed.hospitals[0]
    assert alone.hospitals[1:] == study.hospitals[1:]


# ---- truthful tables ----------------------------------------------------------------------------

GRID = {"age": dp.Declared("range", low=20, high=60, width=10), "zip": dp.Declared("values", values=tuple("pqrstu"))}
SECRET = dp.Declared("values", values=VALUES)


@pytest.mark.parametrize("grid", [{}, {"age": GRID["age"]}], ids=["no column", "age"])
def test_loss_of_a_truthful_table_counts_each_record(grid: dict[str, dp.Declared]) -> None:
    encoded = encoded_people(2_000)
    table = dp.contingency_table(people(2_000), SCHEMA, grid, SECRET)
    made = drawn(table, sampling_for(1.0, 1e-5), np.random.default_rng(0))
    assert ((made.counts == 0) | (made.counts >= made.sampling.k)).all()
    assert 0 < made.published < 2_000
    domain, total = encoded.qids[0], 0.0
    for cell, told in enumerate(made.counts.sum(axis=1).tolist()):
        bins = table.axes[0].bin_of if grid else np.full(domain.size, -1)
        inside = [float(label) for label, one in zip(domain.labels, bins, strict=True) if one == cell]
        every = [float(label) for label in domain.labels]
        width = (max(inside) - min(inside)) / (max(every) - min(every)) if inside else 1.0
        total += told * (width + 1) / 2  # the zip code is left out of the grid
    assert made.loss(encoded) == pytest.approx((total + 2_000 - made.published) / 2_000)


def test_a_kept_record_stands_for_those_it_was_drawn_from() -> None:
    encoded = encoded_people(2_000)
    table = dp.contingency_table(people(2_000), SCHEMA, GRID, SECRET)
    sampling = sampling_for(1.0, 1e-5)
    half = TruthfulTable(table, sampling, table.counts)
    queries = random_queries(encoded.qids, 200, 0)
    truth = count_codes(encoded.codes, queries)
    exact = dp.noisy_query_error(table, encoded, queries, truth)
    found = half.query_error(encoded, queries, truth)
    assert found.answer == pytest.approx(exact.answer / sampling.beta)
    assert np.array_equal(found.truth, truth)


def test_what_is_published_is_true_or_left_out_and_its_statement_says_what_is_promised() -> None:
    table = dp.contingency_table(people(3_000), SCHEMA, {"age": GRID["age"]}, SECRET)
    sampling = sampling_for(1.0, 1e-5)
    made = publish_truthful(table, sampling)
    assert (made.counts <= table.counts).all()
    frame = made.frame()
    assert frame["records_kept"].sum() == made.published
    assert frame["records_kept"].min() >= sampling.k
    assert made.cost == sampling.replaced
    said = made.statement()
    for words in ("epsilon = 1,", "epsilon = 2,", f"fewer than {sampling.k} kept", "there is no seed", "age: 20 to 60"):
        assert words in said
    with zipfile.ZipFile(io.BytesIO(made.package())) as archive:
        assert archive.read("statement.txt").decode() == said
        assert len(pd.read_csv(io.BytesIO(archive.read("truthful_table.csv")))) == len(frame)


def test_a_truthful_table_takes_no_cells_from_the_data() -> None:
    table = dp.contingency_table(people(400), SCHEMA, {"age": GRID["age"]}, dp.Declared("open"))
    with pytest.raises(ParameterError, match="The values of 's' are not declared"):
        publish_truthful(table, sampling_for(1.0, 1e-5))
