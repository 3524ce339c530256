"""Hierarchies at hand: what a column suggests, and that classes are published as its nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import Policy, Release, Schema, Table, Taxonomy
from core.algorithms import partition
from core.data.encoding import encode
from core.data.hierarchies import AGE_BANDS, CHAPTERS, PREFIXES, proposed_hierarchy
from core.data.schema_file import read_schema
from core.release.utility import gcp, loss_by_attribute

POSTCODES = ["01135", "01136", "01144", "02110"]


def steps(name: str, values: list[str]) -> dict[str, tuple[str, ...]]:
    proposed = proposed_hierarchy(name, values)
    assert proposed is not None
    return {row[0]: row[1:] for row in proposed.tree.levels()}


def test_postcodes_lose_their_last_digits_to_two():
    assert steps("zip", POSTCODES)["01136"] == ("0113*", "011**", "01***", "*")
    assert steps("plz3", ["100", "104"])["104"] == ("10*", "*")
    assert proposed_hierarchy("zip", POSTCODES).by == PREFIXES  # type: ignore[union-attr]


def test_ages_are_in_bands_of_5_10_and_20_years_and_one_from_90():
    bands = steps("age", ["3", "45", "93"])
    assert bands["45"] == ("45-49", "40-49", "40-59", "*")
    assert bands["80"] == ("80-84", "80-89", "80+", "*")
    assert bands["93"][1:] == bands["99"][1:] == ("90+", "80+", "*")
    assert len(bands) == 100


def test_a_band_has_just_the_ages_that_it_says():
    tree = proposed_hierarchy("age", ["0", "99"]).tree  # type: ignore[union-attr]
    inner = [node for node in range(1, tree.nodes) if not tree.labels[node].isdecimal()]
    for node in inner:
        low, _, high = tree.labels[node].rstrip("+").partition("-")
        leaves = tree.leaf_labels[tree.low[node] : tree.high[node] + 1]
        assert leaves == tuple(str(age) for age in range(int(low), int(high or 99) + 1))
    assert len(inner) == 18 + 1 + 9 + 5


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", ["3.5", "4"]),
        ("age", ["03", "4"]),
        ("age", ["300", "4"]),
        ("age", ["10-20", "20-30"]),
        ("zip", ["0113", "01136"]),
        ("zip", ["01 13", "01 14"]),
        ("colour", ["red", "tan"]),
        ("diagnosis", ["cold", "flue"]),
        ("zip", ["01135"]),
        ("zip", []),
    ],
)
def test_nothing_is_suggested_where_the_form_does_not_say_it(name, values):
    assert proposed_hierarchy(name, values) is None


def test_codes_of_diseases_are_under_their_chapters():
    proposed = proposed_hierarchy("diagnosis", ["A01", "A02", "J45.1", "J46"])
    assert proposed is not None
    assert (proposed.by, proposed.steps) == (CHAPTERS, ("J45.1", "J00-J99 Respiration", "*"))
    assert proposed_hierarchy("age", ["3", "4"]).by == AGE_BANDS  # type: ignore[union-attr]


def stays(rows: int = 300) -> Table:
    rng = np.random.default_rng(1)
    zips = [f"{zip_code:05d}" for zip_code in rng.choice(rng.integers(1_000, 1_400, 40), rows)]
    ages = rng.integers(0, 95, rows).astype(str)
    return Table.from_frame(pd.DataFrame({"zip": zips, "age": ages, "disease": rng.choice(list("abcd"), rows)}))


def tree_of(table: Table, name: str) -> Taxonomy:
    proposed = proposed_hierarchy(name, table.column(name).labels)
    assert proposed is not None
    return proposed.tree


@pytest.mark.parametrize("algorithm", ["least-loss", "mondrian"])
def test_a_class_is_published_as_the_lowest_node_above_its_values(algorithm):
    table = stays()
    trees = {name: tree_of(table, name) for name in ("zip", "age")}
    release = partition(encode(table, Schema(["zip", "age"], "disease", taxonomies=trees)), Policy(k=5), algorithm)
    for at, domain in enumerate(release.encoded.qids):
        texts, which = release.region_codes(at)
        tree = domain.taxonomy
        assert tree is not None
        for number in range(release.classes.count):
            codes = release.encoded.codes[at][release.classes.labels == number]
            above = [set(tree.ancestors[:, code].tolist()) for code in codes]
            lowest = max(set.intersection(*above), key=lambda node: tree.depth[node])
            assert texts[which[number]] == tree.labels[lowest]


def test_least_loss_cuts_along_the_tree_where_a_class_is_one_node():
    table = stays(2_000)
    tree = tree_of(table, "zip")
    schema = Schema(["zip", "age"], "disease", kinds={"age": "numeric"}, taxonomies={"zip": tree})
    as_list = schema.with_(taxonomies={"zip": replace(tree, one_node=False)})
    nodes, listed = (partition(encode(table, own), Policy(k=5), "least-loss") for own in (schema, as_list))
    assert loss_by_attribute(listed)["zip"] < loss_by_attribute(nodes)["zip"]
    by_median = partition(nodes.encoded, Policy(k=5), "mondrian")
    assert gcp(nodes) < 1.05 * gcp(by_median)


def test_what_is_published_is_read_back_and_the_tree_is_kept():
    table = stays()
    tree = tree_of(table, "zip")
    schema = Schema(["zip"], "disease", taxonomies={"zip": tree}, other=["age"])
    again = read_schema(schema.to_json())
    assert again == schema
    assert again.taxonomies["zip"].one_node
    assert replace(tree, one_node=False) != tree
    release = partition(encode(table, schema), Policy(k=5), "least-loss")
    parsed = Release.parse(release.publish(), schema)
    assert set(parsed.attributes[0].regions) == set(release.published.attributes[0].regions)
