"""My own earlier releases: the record kept of each, whose its rows are, and the attack of the new one with the old."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Scenario, Schema, Table
from core.algorithms import partition
from core.attack.anonymity_set import anonymity_set
from core.attack.intersection import intersection_attack
from core.base.errors import CompositionError, InputError, ParameterError
from core.base.json_files import digest_of
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.release.algorithm import MINE, for_one_publisher
from core.release.record import ReleaseRecord, content_digest, record_of
from core.release.release import Release
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.uploads import Upload, open_upload
from tests import leaves
from tests.files import read_table
from tests.gate import gate

DOCS = Path(__file__).parents[2] / "docs" / "release-record.md"
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
    return Upload(file.content_id, True, pairs, (("'=l", "=l"),), own=True, **more)


# ---- the record ---------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", for_one_publisher())
def test_the_record_knows_its_file_in_any_order_and_with_the_key(algorithm: str) -> None:
    table = Table.from_frame(people())
    release, copy = kept(table, algorithm=algorithm)
    record = record_of(release, table.content_id, "2026-01-31", "the registry", "id")
    assert ReleaseRecord.from_json(record.to_json()) == record
    record.check(as_read(release.publish()))
    record.check(copy)
    assert record.records == len(copy)
    assert record.centroids == release.publishes_centroids
    other, _ = kept(table, k=9, algorithm=algorithm)
    with pytest.raises(InputError, match="not the one of its release record"):
        record.check(as_read(other.publish()))


def test_a_record_has_no_cell_and_its_documentation_names_every_field() -> None:
    frame = people().assign(zip=lambda f: "ZZMARKzip" + f["zip"], s=lambda f: "ZZMARKs" + f["s"])
    table = Table.from_frame(frame)
    text = record_of(kept(table)[0], table.content_id, "2026-01-31", key="id").to_json()
    assert "ZZMARK" not in text
    described = {
        name.strip("`")
        for row in DOCS.read_text(encoding="utf-8").splitlines()
        if row.startswith("| `")
        for name in row.split("|")[1].replace(" ", "").split(",")
    }
    assert described == {*json.loads(text), "unmodified", "agreement"}


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


def changed(**fields: Any) -> str:
    """A record with other fields and a digest that fits them."""
    table = Table.from_frame(people(40))
    facts = {**json.loads(record_of(kept(table)[0], "", "2026-01-31").to_json()), **fields}
    return json.dumps({**facts, "digest": digest_of(facts)})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not a release record"),
        ("[]", "not a release record"),
        ('{"format": "composition scenario"}', "not a release record"),
        ("x" * 1_000_001, "not a release record"),
        *((changed(schema_version=version), "a version other than") for version in (0, 3, 1.0, True)),
        (changed().replace("2026-01-31", "2026-01-30"), "changed after"),
        (changed(released="soon"), "YYYY-MM-DD"),
        (changed(quasi_identifiers="age"), "quasi_identifiers"),
        (changed(centroids="no"), "centroids"),
        (changed(policy={"k": [1]}), "policy"),
        (changed(recipient="x" * 201), "200 characters"),
    ],
)
def test_what_is_no_record_is_refused_in_a_sentence(text: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        ReleaseRecord.from_json(text)


READ = {
    "below blank half nan text": "policy.distance policy.diversity policy.k",
    "below blank empty half nan null text true": "digest",
    "blank text": "algorithm unmodified.* quasi_identifiers.* version",
    "empty": "unmodified",
    "text": "data key recipient sensitive",
    "true": "centroids",
    "unknown": "policy",
}
"""What a record may say in the place of what it says; anything else is refused."""


def test_a_record_of_version_1_is_read() -> None:
    now = json.loads(changed(unmodified=["job"]))
    before = {**now, "schema_version": 1, "published": now["unmodified"]}
    del before["unmodified"]
    former = json.dumps({**before, "digest": digest_of(before)})
    assert ReleaseRecord.from_json(former) == ReleaseRecord.from_json(json.dumps(now))


def test_one_wrong_leaf_of_a_record_is_refused() -> None:
    whole = json.loads(changed(unmodified=["job"]))

    def stands(text: str) -> bool:
        facts = json.loads(text)
        with contextlib.suppress(InputError):
            ReleaseRecord.from_json(json.dumps({**facts, "digest": digest_of(facts)}))
            return True
        return False

    assert leaves.wrongly_named(whole, stands, READ) == {}


def test_a_file_with_other_columns_than_its_record_is_refused_by_the_column() -> None:
    release, copy = kept(Table.from_frame(people()))
    renamed = Table.from_frame(copy.to_frame().rename(columns={"zip": "postcode"}))
    with pytest.raises(InputError, match="no column 'zip'"):
        record_of(release, "", "2026-01-31").check(renamed)


# ---- the attack -------------------------------------------------------------------------------------


@pytest.mark.parametrize("locate", ["assumed", "default"])
def test_an_earlier_release_read_from_its_file_is_attacked_as_the_release_itself(locate: str) -> None:
    frame = people()
    table, now = Table.from_frame(frame), Table.from_frame(frame.sample(frac=1, random_state=1))
    release, copy = kept(table)
    mine = partition(encode(now, NOW), Policy(6))
    foreign = open_upload(own(copy, "age", "s", "id", further=("zip",)), copy, now, NOW)
    positions = foreign.positions(np.arange(240))
    ids = now.column("id").texts()
    same = np.array([np.flatnonzero(table.column("id").texts() == one)[0] for one in ids])
    read = intersection_attack([mine, foreign.published], [np.arange(240), positions], locate)
    real = intersection_attack([mine, release], [np.arange(240), same], locate)
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
        (whole, strangers, THEN, "According to the column 'id', no one in my table is in the earlier release"),
        (own(copy, "age", "zip", "s"), table, THEN, "No column of the earlier release identifies the person"),
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
    upload = Upload("0" * 64, True, (("age", "age"), ("s", "s"), ("id", "id")), own=True, further=("zip",))
    earlier = Hospital(Policy(5), origin="published", upload=upload)
    scenario = Scenario(THEN, (Hospital(Policy(5)), earlier), overlap=20)
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert earlier.origin_name == "earlier"


def test_the_command_line_writes_the_record_of_what_it_releases(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    options = gate(tmp_path, "measure", Table.from_frame(people()), THEN, "--identifiers", "id")
    assert main([*options, "--record", str(path)]) == 2, "what is measured as published was released before"
    options += ["-k", "5"]
    assert main([*options, "--recipient", "nobody"]) == 2, "a recipient stands in a record alone"
    assert main([*options, "--record", str(path), "--recipient", "the registry"]) == 0
    record = ReleaseRecord.from_json(path.read_text(encoding="utf-8"))
    table = read_table(str(tmp_path / "data.csv"))
    release, copy = kept(table, algorithm=MINE)
    assert record == record_of(release, table.content_id, record.released, "the registry", "id")
    record.check(copy)
    assert path.stat().st_mode & 0o777 == 0o600
