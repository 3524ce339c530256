"""Releases with identifiers: their entry, whose the rows are, and the attack of the new one with the old."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from core import Policy, Scenario, Schema, Table
from core.algorithms import partition
from core.attack.anonymity_set import anonymity_set
from core.attack.intersection import intersection_attack
from core.base.errors import CompositionError, ParameterError
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.register import Register, publication_of
from core.release.algorithm import MINE, for_one_publisher
from core.release.published_content import content_digest
from core.release.release import Release
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.uploads import Upload, open_upload
from tests.files import read_table
from tests.gate import gate

DAY = date(2026, 1, 31)
THEN = Schema(["age", "zip"], "s", identifiers=["id"], unassigned="drop")
NOW = Schema(["age", "work"], "s", identifiers=["id"], unassigned="drop")


def people(rows: int = 240, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"ZZMARK{i:04d}" for i in range(rows)],
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list("abcdefgh"), rows),
            "work": rng.choice(list("uvwxyz"), rows),
            "s": rng.choice(["k", "=l", "m,n", ""], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


def as_read(frame: pd.DataFrame) -> Table:
    """What comes back of a frame that was written as a file."""
    return read_table(csv_bytes(frame))


def kept(table: Table, schema: Schema = THEN, k: int = 5, algorithm: str = "mondrian") -> tuple[Release, Table]:
    """A release, and the publisher's own copy of it as it is loaded again."""
    release = partition(encode(table, schema), Policy(k), algorithm)
    return release, as_read(release.publish(key=table.column("id")))


def own(file: Table, *columns: str, **more: Any) -> Upload:
    pairs = tuple((name, name) for name in columns)
    return Upload(file.content_id, pairs, (("'=l", "=l"),), own=True, **more)


# ---- the entry -----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", for_one_publisher())
def test_the_entry_knows_its_file_in_any_order_and_with_the_key(algorithm: str) -> None:
    table = Table.from_frame(people())
    release, copy = kept(table, algorithm=algorithm)
    entry = publication_of(release, DAY, key="id")
    assert entry.has_content(as_read(release.publish()))
    assert entry.has_content(copy)
    assert (entry.records, entry.has_centroids) == (len(copy), release.publishes_centroids)
    other, _ = kept(table, k=9, algorithm=algorithm)
    assert not entry.has_content(as_read(other.publish()))
    assert not entry.has_content(Table.from_frame(copy.to_frame().rename(columns={"zip": "postcode"})))


@given(st.lists(st.tuples(st.sampled_from("ab,=1"), st.sampled_from("b,c1=")), min_size=2, max_size=6), st.randoms())
@settings(deadline=None)
def test_the_digest_is_that_of_the_rows_without_their_order(rows: list[tuple[str, str]], random: Any) -> None:
    def digest(some: list[tuple[str, str]]) -> str:
        return content_digest(pd.DataFrame(some, columns=["a", "b"]), ["a", "b"])

    assert digest(rows) == digest(random.sample(rows, len(rows)))
    assert content_digest(as_read(pd.DataFrame(rows, columns=["a", "b"])), ["a", "b"]) == digest(rows)
    assert digest(rows[1:]) != digest(rows)
    swapped = [(b, a) for a, b in rows]
    assert (digest(swapped) == digest(rows)) == (sorted(swapped) == sorted(rows))


# ---- the attack -------------------------------------------------------------------------------------


def test_an_earlier_release_read_from_its_file_is_attacked_as_the_release_itself() -> None:
    frame = people()
    table, now = Table.from_frame(frame), Table.from_frame(frame.sample(frac=1, random_state=1))
    release, copy = kept(table)
    mine = partition(encode(now, NOW), Policy(6))
    foreign = open_upload(own(copy, "age", "s", "id", further=("zip",)), copy, now, NOW)
    positions = foreign.positions(np.arange(240))
    ids = now.column("id").texts()
    same = np.array([np.flatnonzero(table.column("id").texts() == one)[0] for one in ids])
    read = intersection_attack([mine, foreign.published], [np.arange(240), positions])
    real = intersection_attack([mine, release], [np.arange(240), same])
    assert read.posterior.tolist() == real.posterior.tolist()
    found, known = anonymity_set(read), anonymity_set(real)
    assert found.exact
    assert found.low.tolist() == known.low.tolist()


def test_a_column_that_is_published_no_more_tells_classes_apart() -> None:
    table = Table.from_frame(people())
    _, copy = kept(table)
    with_it = open_upload(own(copy, "age", "s", "id", further=("zip",)), copy, table, NOW).published
    without = open_upload(own(copy, "age", "s", "id"), copy, table, NOW).published
    assert len(with_it.sizes) == len(kept(table)[0].published.sizes) > len(without.sizes)


def test_releases_without_a_common_quasi_identifier_are_attacked_all_the_same() -> None:
    table = Table.from_frame(people())
    _, copy = kept(table, Schema(["zip"], "s", identifiers=["id"], unassigned="drop"))
    now = Schema(["age", "work"], "s", identifiers=["id"], unassigned="drop")
    found = open_upload(own(copy, "s", "id", further=("zip",)), copy, table, now)
    study = Study((Hospital(Policy(5)), Hospital(Policy(5), origin="published", upload=own(copy, "s", "id"))), 240)
    upload = study.hospitals[1].upload
    outcome = run_study(encode(table, now), study.with_files({upload: found}))
    assert 1 <= anonymity_set(outcome.result).low.min() < 5


def test_a_second_year_is_held_against_the_first_over_whoever_is_in_both() -> None:
    first = people()
    second = pd.concat([first.iloc[40:], people(60, seed=9).assign(id=[f"new {i}" for i in range(60)])])
    table = Table.from_frame(second)
    _, copy = kept(Table.from_frame(first))
    upload = own(copy, "age", "zip", "s", "id")
    foreign = open_upload(upload, copy, table, THEN)
    hospitals = (Hospital(Policy(5)), Hospital(Policy(5), origin="published", upload=upload))
    encoded = encode(table, THEN)
    with pytest.raises(ParameterError, match="200 people in common"):
        run_study(encoded, Study(hospitals, 201, files={upload: foreign}))
    outcome = run_study(encoded, Study(hospitals, 200, files={upload: foreign}))
    together, mine, (rows, old) = anonymity_set(outcome.result), outcome.mine, outcome.people
    assert together.exact
    # The slow way: the ids in my class and in the old class of each person, intersected.
    ids = np.array(table.column("id").texts())[mine.encoded.rows[rows]]
    assert ids.tolist() == np.array(copy.column("id").texts())[old].tolist()
    new_class, old_class = mine.labels[rows], foreign.published.labels[old]  # type: ignore[union-attr]
    pairs = list(zip(new_class, old_class, strict=True))
    assert together.low.tolist() == [pairs.count(pair) for pair in pairs]


# ---- refusals ---------------------------------------------------------------------------------------


def test_nobody_in_common_no_key_two_keys_and_several_records_are_refused() -> None:
    table = Table.from_frame(people())
    _, copy = kept(table)
    strangers = Table.from_frame(people().assign(id=lambda f: "other " + f["id"]))
    several = Table.from_frame(pd.concat([people(), people()]))
    wider, by_person = THEN.with_(quasi_identifiers=("age", "zip", "nowhere")), THEN.with_(identifiers=(), person="id")
    whole = own(copy, "age", "zip", "s", "id")
    for upload, mine, schema, words in (
        (whole, strangers, THEN, "According to the column 'id', no one in my table is in the other file"),
        (own(copy, "age", "zip", "s"), table, THEN, "No column of the file identifies the person"),
        (own(copy, "age", "zip", "nowhere", "s", "id"), table, wider, "no column 'nowhere'"),
        (own(copy, "age", "zip", "s", "id", further=("gone",)), table, THEN, "separate column 'gone'"),
        (whole, several, by_person, "choose one record per person"),
    ):
        with pytest.raises(CompositionError, match=words) as caught:
            open_upload(upload, copy, mine, schema)
        assert "ZZMARK" not in caught.value.message
    once = THEN.with_(identifiers=(), person="id", one_record="first")
    assert len(open_upload(own(copy, "age", "zip", "s", "id"), copy, several, once).mine) == 240


def test_positions_outside_a_published_table_are_refused() -> None:
    release, _ = kept(Table.from_frame(people()))
    with pytest.raises(ParameterError, match="from 0 to 239"):
        intersection_attack([release, release.published], [[0], [240]])


def test_a_scenario_keeps_what_an_earlier_release_is() -> None:
    upload = Upload("0" * 64, (("age", "age"), ("s", "s"), ("id", "id")), own=True, further=("zip",))
    earlier = Hospital(Policy(5), origin="published", upload=upload)
    scenario = Scenario(THEN, (Hospital(Policy(5)), earlier), overlap=20)
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert earlier.origin_name == "identified"


def test_the_command_line_writes_the_entry_of_what_it_releases(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    options = gate(tmp_path, "measure", Table.from_frame(people()), THEN, "--identifiers", "id")
    assert main([*options, "--record", str(path)]) == 2, "what is measured as published was released before"
    options += ["-k", "5"]
    assert main([*options, "--recipient", "nobody"]) == 2, "a recipient stands in a record alone"
    assert main([*options, "--record", str(path), "--recipient", "the registry"]) == 0
    (entry,) = Register.from_json(path.read_text(encoding="utf-8")).publications
    table = read_table(str(tmp_path / "data.csv"))
    release, copy = kept(table, algorithm=MINE)
    own = publication_of(release, entry.published, "data.csv", "id")
    run = entry.scenario_digest
    assert len(run) == 64
    assert entry == structs.replace(own, number=1, recipients=("the registry",), scenario_digest=run)
    assert entry.has_content(copy)
    assert path.stat().st_mode & 0o777 == 0o600
