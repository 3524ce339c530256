"""Cells that list the values which occur: what every number makes of them, against going value by value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.data.encoding.marginals import Marginals
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.forecast.estimate import forecast
from core.privacy.policy import Policy
from core.release import value_sets
from core.release.published import containment
from core.release.query_error import count_released, random_queries
from core.release.release import Release
from tests.strategies import TREES, Case, cases

NAME = "least-loss"


def held(release: Release, attribute: int, number: int) -> set[int]:
    """Codes that the cell of a class stands for, from the records and the kinds alone."""
    domain = release.encoded.qids[attribute]
    mine = release.encoded.codes[attribute][release.labels == number]
    if domain.column_type in ("categorical", "taxonomy"):
        return set(mine.tolist())
    known, gone = mine[mine != domain.missing], mine[mine == domain.missing]
    return {*range(int(known.min(initial=domain.size)), int(known.max(initial=-1)) + 1), *gone.tolist()}


def released(case: Case, k: int) -> Release:
    return partition(case.encoded, Policy(min(k, len(case))), NAME)


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(3, 30)), k=st.integers(1, 6))
def test_tight_cells_are_those_of_mondrian_s_classes(case: Case, k: int) -> None:
    policy = Policy(min(k, len(case)))
    plain, tight = (partition(case.encoded, policy, name) for name in ("mondrian", "mondrian-tight"))
    assert np.array_equal(plain.labels, tight.labels)
    for attribute in range(len(case.encoded.qids)):
        cells = tight.value_sets(attribute)
        for number in range(tight.classes.count):
            assert set(cells.values(cells.which[number]).tolist()) == held(tight, attribute, number)


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(3, 30)), k=st.integers(1, 6), dense=st.booleans())
def test_counts_are_answered_value_by_value(case: Case, k: int, dense: bool) -> None:
    release = released(case, k)
    queries = random_queries(release.encoded.qids, 20, 1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(value_sets, "DENSE", 10**6 if dense else 0)
        answer = count_released(release, queries)
    for number in range(len(queries)):
        wanted = 0.0
        for label in release.labels:
            share = 1.0
            for i in range(len(release.encoded.qids)):
                values = held(release, i, label)
                share *= sum(queries.low[number, i] <= v <= queries.high[number, i] for v in values) / len(values)
            wanted += share
        assert answer[number] == pytest.approx(wanted)


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(4, 30)), k=st.integers(1, 6))
def test_the_forecast_takes_the_probability_of_the_listed_values(case: Case, k: int) -> None:
    release = released(case, k)
    found = forecast(release).region
    population = Marginals.of(release.encoded)
    for number in range(release.classes.count):
        wanted = 1.0
        for i in range(len(release.encoded.qids)):
            wanted *= sum(population.probability(i)[code] for code in held(release, i, number))
        assert found[number] == pytest.approx(min(wanted, 1.0))


@given(tree=st.sampled_from(TREES), data=st.data())
def test_the_highest_nodes_over_some_leaves(tree: dict, data: st.DataObject) -> None:
    found = Taxonomy.from_nested(tree)
    leaves = data.draw(st.sets(st.integers(0, found.leaves - 1), min_size=1))
    nodes = found.nodes_over(sorted(leaves))
    covered = [set(range(int(found.low[node]), int(found.high[node]) + 1)) for node in nodes]
    assert set().union(*covered) == leaves
    assert sum(map(len, covered)) == len(leaves)
    for node in nodes:
        above = found.parents[node]
        if above >= 0:
            assert not set(range(int(found.low[above]), int(found.high[above]) + 1)) <= leaves


# ---- columns of many values -------------------------------------------------------------


def many(values: int, rows: int, seed: int = 0, spell: str = "v{:05d}", **more: object) -> tuple[Table, Schema]:
    """Return a table with a category of many values, which is the only thing to cut beside a number."""
    rng = np.random.default_rng(seed)
    names = [spell.format(x) for x in rng.integers(0, values, rows)]
    frame = pd.DataFrame({"q": names, "n": rng.integers(0, 4, rows), "s": rng.choice(list("abcdefgh"), rows)})
    return Table.from_frame(frame), Schema(["q", "n"], "s", column_types={"q": "categorical", "n": "numeric"}, **more)


@pytest.mark.parametrize("algorithm", ["mondrian", NAME])
@pytest.mark.parametrize("spell", ["v{:05d}", '{{a, {:05d}}} .. "b'])
@pytest.mark.parametrize("k", [5, 120, 600])
@pytest.mark.parametrize("gaps", [False, True])
def test_a_run_of_many_labels_is_written_by_its_ends_and_reads_back(
    algorithm: str, spell: str, k: int, gaps: bool
) -> None:
    table, schema = many(900, 2_000, spell=spell)
    if gaps:
        frame = table.to_frame()
        frame.loc[::7, "q"] = ""
        table = Table.from_frame(frame)
    release = partition(encode(table, schema), Policy(k), algorithm)
    assert max(map(len, release.region_frame()["q"])) < 300
    encoded = release.encoded
    labels = ["" if code == encoded.qids[0].missing else label for code, label in enumerate(encoded.qids[0].labels)]
    part, cells = release.published.attributes[0], release.value_sets(0)
    for number in range(release.classes.count):
        mine = {labels[code] for code in encoded.codes[0][release.labels == number]}
        which = int(part.which[release.reader_classes[number]])
        region = part.regions[which]
        stated = {labels[code] for code in cells.values(int(cells.which[number]))}
        assert mine <= stated
        if len(mine) <= 8 and algorithm == NAME:
            assert mine == stated
        read = {*region.labels, *([""] if region.missing else [])}
        for low, high in region.spans:
            read |= {label for label in labels if label and low <= label <= high}
        assert region.everything or read == stated
        assert ("" in stated) == ("" in mine)
        held = set(np.array(labels)[containment.inside(part, labels)[:, which]])
        assert held == (set(labels) if region.everything else stated)


@pytest.mark.parametrize("algorithm", ["mondrian", NAME])
@pytest.mark.parametrize("k", [10, 400])
def test_a_row_of_a_table_with_a_category_of_thirty_thousand_values_stays_short(algorithm: str, k: int) -> None:
    release = partition(encode(*many(30_000, 20_000)), Policy(k), algorithm)
    written = release.publish(seed=0).to_csv(index=False)
    assert len(written) < 100 * 20_000


def test_many_leaves_are_written_as_few_nodes() -> None:
    rows = [(f"leaf{i:04d}", f"ward{i // 20:03d}", f"town{i // 200:02d}", "*") for i in range(1_000)]
    tree = Taxonomy.from_levels(rows)
    table, _ = many(1_000, 3_000, spell="leaf{:04d}")
    schema = Schema(["q", "n"], "s", taxonomies={"q": tree}, column_types={"n": "numeric"})
    release = partition(encode(table, schema), Policy(400), NAME)
    texts = set(release.region_frame()["q"])
    assert max(text.count(",") for text in texts) < 8
