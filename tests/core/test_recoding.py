"""The recoding of a release, applied to its own table, to a later one, and to tables that it was not made for."""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, Taxonomy, UnmodifiedColumn, anonymize, examples
from core.base.errors import InputError, SchemaError
from core.data.encoding.encoded import encode
from core.data.reading import read_hierarchy
from core.data.schemas.schema import ColumnType
from core.release.algorithm import ALGORITHMS
from core.release.recoding import Recoding, applied_hierarchies
from core.release.release import Release

ZIPS = Taxonomy.from_prefixes([f"0{n}{m}" for n in range(3) for m in range(4)], keep=(2,))
SCHEMA = Schema(
    ["age", "zip", "ward", "stage", "seen"],
    "dx",
    column_types={"age": ColumnType.NUMERIC, "seen": ColumnType.DATE},
    taxonomies={"zip": dataclasses.replace(ZIPS, one_node=True)},
    orders={"stage": ("low", "middle", "high")},
)


def table(rows: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list(ZIPS.leaf_labels), rows),
            "ward": rng.choice(["A", "B", "C"], rows),
            "stage": rng.choice(["low", "middle", "high"], rows),
            "seen": [(date(2024, 1, 1) + timedelta(int(days))).isoformat() for days in rng.integers(0, 90, rows)],
            "dx": rng.choice(["flu", "gout", "tb"], rows),
        }
    )
    frame.loc[rng.random(rows) < 0.05, "ward"] = ""
    return Table.from_frame(frame)


def kept(data: Table, policy: Policy, algorithm: str = "least-loss") -> tuple[Release, Recoding]:
    release = anonymize(data, SCHEMA, policy, algorithm)
    return release, Recoding.from_json(Recoding.of(release, SCHEMA, data).to_json())


@pytest.mark.parametrize("algorithm", ["mondrian", "mondrian-tight", "least-loss"])
def test_its_own_records_get_cells_that_hold_them_and_the_classes_are_no_smaller(algorithm: str) -> None:
    mine = table(300, 1)
    release, recoding = kept(mine, Policy(6), algorithm)
    recoded = recoding.apply(mine)
    assert recoded.left_out == 0
    if not recoded.several:
        own = release.region_frame().astype(object).to_numpy()[release.labels]
        cells = np.array(recoded.recoding.classes, dtype=object)[recoded.place]
        assert (own == cells).all()
        assert recoded.smallest >= 6
    published = recoded.publish(seed=3)
    assert sorted(published["dx"]) == sorted(mine.column("dx").texts())
    assert list(published) == ["age", "zip", "ward", "stage", "seen", "dx"]


@given(seed=st.integers(0, 1000))
@settings(max_examples=6, deadline=None)
def test_a_later_record_is_in_the_first_class_whose_cells_hold_it(seed: int) -> None:
    """The slow twin reads each cell for each record."""
    release, recoding = kept(table(120, 5), Policy(5))
    later = table(40, seed)
    recoded = recoding.apply(later)
    regions = release.region_frame().astype(object).drop_duplicates().reset_index(drop=True)
    assert [tuple(row) for row in regions.itertuples(index=False)] == list(recoded.recoding.classes)
    for record, (_, row) in enumerate(later.to_frame().iterrows()):
        fits = [
            number
            for number, cells in regions.iterrows()
            if all(holds(name, cells[name], row[name]) for name in regions)
        ]
        assert recoded.place[record] == (fits[0] if fits else -1)
    assert recoded.records == recoded.left_out + len(recoded.publish())


def holds(name: str, cell: str, value: str) -> bool:
    """Whether a cell as this program writes it holds a value."""
    if cell == "*":
        return True
    cell, _, missing = cell.partition(" or ")
    if value == "":
        return "(missing)" in (cell, missing)
    if name == "zip":
        return len(cell) == len(value) and all(c in ("*", v) for c, v in zip(cell, value, strict=True))
    if name == "ward":
        return value in cell.strip("{}").split(", ")
    low, _, high = cell.strip("[]").partition(" .. " if name != "age" else "-")
    high = high or low
    line = {"low": 0, "middle": 1, "high": 2}
    if name == "stage":
        return line[low] <= line[value] <= line[high]
    return (int(low) <= int(value) <= int(high)) if name == "age" else low <= value <= high


def test_new_values_and_values_in_no_class_are_left_out() -> None:
    mine = table(200, 1)
    _, recoding = kept(mine, Policy(6))
    frame = mine.to_frame()
    for name, value in {"zip": "999", "stage": "unheard", "age": "7", "seen": "1999-01-01", "ward": "Z"}.items():
        odd = frame.copy()
        odd.loc[:4, name] = value
        recoded = recoding.apply(Table.from_frame(odd))
        assert recoded.left_out >= (5 if name != "ward" else 0)
        assert len(recoded.publish()) == 200 - recoded.left_out
    nobody = frame.assign(age="7")
    assert (recoding.apply(Table.from_frame(nobody)).smallest, recoding.apply(Table.from_frame(nobody)).left_out) == (
        0,
        200,
    )


def test_centroids_take_every_record_to_the_nearest() -> None:
    city, schema = examples.city(300), examples.city_schema()
    release = anonymize(city, schema, Policy(8), next(name for name, each in ALGORITHMS.items() if each.centroids))
    recoded = Recoding.of(release, schema, city).apply(examples.city(500, seed=4))
    assert recoded.left_out == 0
    assert set(recoded.publish()["age"]) <= set(release.publish()["age"].astype(str))


def test_a_file_that_is_not_what_was_written_is_refused() -> None:
    text = kept(table(60, 2), Policy(5))[1].to_json()
    facts = json.loads(text)
    for wrong, words in (
        ("{}", "not a recoding"),
        (json.dumps({**facts, "schema_version": 2}), "later version"),
        (json.dumps({**facts, "sensitive": ["age"]}), "was changed"),
    ):
        with pytest.raises(InputError, match=words):
            Recoding.from_json(wrong)
    written = Recoding.from_json(text)
    odd = Recoding(written.columns, (("young", "*", "*", "*", "*"),), written.schema)
    with pytest.raises(InputError, match="a cell of 'age' that cannot be read"):
        odd.apply(table(20, 3))
    with pytest.raises(InputError, match="one cell for each"):
        Recoding(written.columns, (("1",),), written.schema)


def test_a_table_without_a_column_or_with_another_type_is_refused_by_name() -> None:
    _, recoding = kept(table(60, 2), Policy(5))
    frame = table(20, 3).to_frame()
    with pytest.raises(SchemaError, match="no column 'ward'"):
        recoding.apply(Table.from_frame(frame.drop(columns="ward")))
    with pytest.raises(Exception, match="'age'"):
        recoding.apply(Table.from_frame(frame.assign(age="young")))


def test_what_was_done_to_a_column_in_one_way_is_a_hierarchy() -> None:
    frame = pd.DataFrame(
        {"age": ["20", "21", "30", "31"] * 5, "sex": list("MF") * 10, "dx": ["flu", "gout", "tb", "flu"] * 5}
    )
    schema = Schema(["age", "sex"], "dx", column_types={"age": ColumnType.NUMERIC})
    encoded = encode(Table.from_frame(frame), schema)
    halves = Release.of(encoded, (frame["age"].astype(int) >= 30).to_numpy(int), Policy(5), "by hand")
    found = applied_hierarchies(halves)
    assert list(found) == ["age"] or set(found) == {"age", "sex"}
    assert found["age"].levels() == [
        ("20", "[20-21]", "*"),
        ("21", "[20-21]", "*"),
        ("30", "[30-31]", "*"),
        ("31", "[30-31]", "*"),
    ]
    assert read_hierarchy(found["age"].to_arx(), column="age") == found["age"]
    ages = Release.of(encoded, encoded.codes[0] // 2 * 2 + encoded.codes[1], Policy(5), "by hand")
    assert "sex" not in applied_hierarchies(ages), "nothing was done to it"
    overlapping = Release.of(encoded, np.arange(20) % 3, Policy(5), "by hand")
    assert "age" not in applied_hierarchies(overlapping) or len(set(overlapping.region_frame()["age"])) == 1


def test_the_block_of_the_guide_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "recoding.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    names: dict[str, Any] = {}
    exec(block, names)
    assert len(names["later"].publish()) + names["later"].left_out == 1_000


def test_a_later_table_is_published_as_the_release_was() -> None:
    """Rounded columns are rounded, and one record of each person is kept where the release kept one."""
    rows = range(80)
    frame = pd.DataFrame(
        {
            "age": [str(20 + n // 2 % 20) for n in rows],
            "who": [f"p{n // 2}" for n in rows],
            "charge": [str(1003 + 10 * n) for n in rows],
            "dx": [["flu", "gout", "tb"][n % 3] for n in rows],
        }
    )
    visits = Table.from_frame(frame)
    rounded = UnmodifiedColumn("charge", rounded=500)
    for one_record, people in ((None, 80), ("first", 40)):
        schema = Schema(["age"], "dx", person="who", one_record=one_record, unmodified=[rounded])
        release = anonymize(visits, schema, Policy(5))
        recoded = Recoding.from_json(Recoding.of(release, schema, visits).to_json()).apply(visits)
        published, own = recoded.publish(), release.publish()
        assert (len(published), recoded.left_out) == (people, 80 - people)
        assert sorted(published["charge"]) == sorted(own["charge"].astype(str))
        assert set(published["charge"]) <= {"1000", "1500", "2000"}
        assert "who" not in published


def test_numbers_in_another_unit_are_refused() -> None:
    def of(unit: str) -> Table:
        ages = [f"{20 + n}{unit}" for n in range(60)]
        return Table.from_frame(pd.DataFrame({"age": ages, "dx": ["flu", "gout", "tb"] * 20}))

    schema, years = Schema(["age"], "dx"), of(" years")
    recoding = Recoding.of(anonymize(years, schema, Policy(5)), schema, years)
    assert recoding.apply(years).left_out == 0
    for unit in (" months", ""):
        with pytest.raises(InputError, match=r"'age' are not in the unit of the recoding \(years\)"):
            recoding.apply(of(unit))
