"""Made tables of counts: what their reader is left with is what the table says when it is read back."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import FrequencyTable, Policy, Schema, examples, intersection_attack
from core.algorithms import partition
from core.base.errors import ParameterError
from core.cli import main
from core.data.encoding.encoded import Encoded, encode
from core.data.tables.table import Table
from core.decision.scenario.scenario import Scenario
from core.decision.scenario.world import world
from core.release.count_settings import ZEROS, CountSettings, GroupColumn, settings_of
from core.release.made_counts import MadeCounts, made_text
from core.release.published.locate import locate
from core.release.published.published import Published
from core.release.published.targets import Targets
from core.study.hospitals import OWN, Hospital, Study
from core.study.one_run import run_study
from core.study.own_counts import count_error, own_hospital, variants, with_own_counts
from core.study.uploads import Upload, open_upload
from core.study.vary import at_value
from tests.strategies import Case, cases
from tests.tables import extract


def left(published: Published, encoded: Encoded) -> list[dict[str, int]]:
    """For each record the values that its groups leave, with their weights."""
    located = locate(published, Targets.of(encoded, np.arange(len(encoded))))
    people = []
    for person in range(len(encoded)):
        found: Counter[str] = Counter()
        for number in located.classes[located.starts[person] : located.starts[person + 1]].tolist():
            values, counts = published.histogram.of_class(number)
            found.update({published.sensitive.labels[v]: int(n) for v, n in zip(values, counts, strict=True)})
        people.append(dict(found))
    return people


def read_back(made: MadeCounts, table: Table, schema: Schema) -> Published:
    """The slow twin: the table as a file of another hospital, with what its publisher says."""
    theirs = made.table()
    names = [column.reader.name for column in made.columns]
    pairs = tuple((name, name) for name in (*names, schema.sensitive))
    upload = Upload("x" * 64, pairs, counts=made.rules.text, count=theirs.names[-1], marks="missing")
    published = open_upload(upload, theirs, table, schema).published
    assert published is not None
    return published


@st.composite
def count_settings(draw: st.DrawFn, case: Case) -> CountSettings:
    """Some of the quasi-identifiers, each at some level, and what is masked, rounded and shown."""
    names = draw(st.lists(st.sampled_from([a.name for a in case.qids]), min_size=1, unique=True))
    trees = {name: tree.height for name, tree in case.schema.taxonomies.items()}
    columns = []
    for name in names:
        level = name in trees and draw(st.booleans())
        step = draw(st.integers(1, trees[name])) if level else draw(st.sampled_from([0, 0, 1, 2, 5, 10]))
        columns.append(GroupColumn(name, step, level))
    below = draw(st.sampled_from([0, 2, 3, 5, 10]))
    zeros = draw(st.sampled_from(ZEROS if below > 1 else ZEROS[:2]))
    return CountSettings(tuple(columns), below, zeros, draw(st.sampled_from([1, 2, 3, 5, 10])), draw(st.booleans()))


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_made_table_is_the_one_that_is_read_back_and_keeps_every_true_value(data: st.DataObject) -> None:
    case = data.draw(cases())
    made_as = data.draw(count_settings(case))
    assert settings_of(made_as.text) == made_as
    encoded = case.encoded
    try:
        made = MadeCounts.of(encoded, made_as)
    except ParameterError:
        assume(False)
    fast = left(made.published, encoded)
    truth = [encoded.sensitive.labels[code] for code in encoded.sensitive_codes.tolist()]
    assert all(value in possible for value, possible in zip(truth, fast, strict=True))
    assert fast == left(read_back(made, case.table, case.schema), encoded)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_people_share_a_group_if_they_agree_at_its_level(data: st.DataObject) -> None:
    """Groups by hand, from the values of the records alone."""
    case = data.draw(cases(qids=2))
    made_as = data.draw(count_settings(case))
    values = {a.name: a for a in case.qids}
    trees = case.schema.taxonomies

    def cell(column: GroupColumn, record: int) -> Any:
        value = values[column.name].values[record]
        if value is None or not column.step:
            return value
        if column.level:
            tree = trees[column.name]
            leaf = tree.leaf_labels.index(value)
            return int(tree.ancestors[column.step][leaf])
        if values[column.name].column_type == "numeric":
            return value // column.step
        if values[column.name].column_type == "ordinal":
            return values[column.name].order.index(value) // column.step
        return value[: column.step], len(value)

    try:
        made = MadeCounts.of(case.encoded, made_as)
    except ParameterError:
        assume(False)
    keys = [tuple(cell(column, record) for column in made_as.groups) for record in case.encoded.rows.tolist()]
    pairs = set(zip(keys, made.labels.tolist(), strict=True))
    assert len(pairs) == len(set(keys)) == len(made.people)
    counted = Counter(zip(made.labels.tolist(), case.encoded.sensitive_codes.tolist(), strict=True))
    assert {cell: n for cell, n in np.ndenumerate(made.counts) if n} == dict(counted)
    assert made.people.tolist() == made.counts.sum(axis=1).tolist()


@settings(deadline=None)
@given(st.integers(0, 40), st.sampled_from([0, 2, 5, 10]), st.sampled_from([1, 5, 10]), st.sampled_from(ZEROS))
def test_a_count_is_shown_rounded_or_masked(number: int, below: int, base: int, zeros: Any) -> None:
    made = CountSettings((GroupColumn("a"),), below, zeros if below else "shown", base)
    text = made_text(number, made)
    if below and number < below and (number or zeros == "masked"):
        assert text == f"<{below}"
    else:
        assert abs(2 * int(text) - 2 * number) <= base
        assert int(text) % base == 0
        assert not made.zero_is_exact or (text == "0") == (number == 0)


def test_persons_with_several_records_count_once_per_value() -> None:
    frame = pd.DataFrame({"p": [*"aaab"], "age": ["30"] * 4, "ill": ["flu", "flu", "gout", "flu"]})
    encoded = encode(Table.from_frame(frame), Schema(["age"], "ill", person="p"))
    made = MadeCounts.of(encoded, settings_of("age/10; below=0"))
    assert (made.counts.tolist(), made.people.tolist(), made.rules.totals) == ([[2, 1]], [2], "several")
    assert made.table().column("count").texts().tolist() == ["2", "1", "2"]
    assert left(made.published, encoded)[0] == {"flu": 2, "gout": 1}


def test_the_word_of_a_total_and_the_header_of_counts_are_none_of_mine() -> None:
    frame = pd.DataFrame({"count": ["1", "2"], "ill": ["Total", "flu"]})
    made = MadeCounts.of(encode(Table.from_frame(frame), Schema(["count"], "ill")), settings_of("count; below=0"))
    table = made.table()
    assert table.names == ("count", "ill", "count_")
    assert set(table.column("ill").labels) == {"Total", "flu", "All"}


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("age", [("age", 0, False)]),
        ("age / 10, zip/level2", [("age", 10, False), ("zip", 2, True)]),
        ('"rate, per 10/5",b', [("rate, per 10", 5, False), ("b", 0, False)]),
        ("rate/10/0", [("rate/10", 0, False)]),
        ('"a ""b""; c"', [('a "b"; c', 0, False)]),
    ],
)
def test_groups_are_read_from_one_text(text: str, groups: list[tuple[str, int, bool]]) -> None:
    made = settings_of(f"{text}; below=7;zeros=masked; rounded=3; totals=hidden")
    assert made == CountSettings(tuple(GroupColumn(*group) for group in groups), 7, "masked", 3, totals=False)
    assert settings_of(made.text) == made


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names at least one column"),
        ("age, age/10", "each once"),
        ("age; below=x", "cannot be read"),
        ("age; zeros=maybe", "cannot be read"),
        ("age; colour=red", "cannot be read"),
        ("age; below=5; below=9", "say below twice"),
        ("age; below=2000000", "must be from 0 to 1,000,000"),
        ("age; rounded=0", "must be from 1 to 1,000,000"),
        ("age; below=1; zeros=masked", "set below to 2 or more"),
        ("zip/level0", "Level 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        settings_of(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("weight", "'weight' is no quasi-identifier"),
        ("age/level1", "'age' has no taxonomy"),
        ("zip code/level9", "a taxonomy of 3 levels"),
    ],
)
def test_columns_that_cannot_be_grouped_so_are_refused(text: str, words: str) -> None:
    encoded = encode(examples.city(200), examples.city_schema())
    with pytest.raises(ParameterError, match=words):
        MadeCounts.of(encoded, settings_of(text))


def test_dates_are_grouped_by_month_and_year_and_by_nothing_between() -> None:
    frame = pd.DataFrame({"seen": ["2024-01-05", "2024-01-20", "2024-03-01", "2025-03-01"], "ill": [*"abab"]})
    encoded = encode(Table.from_frame(frame), Schema(["seen"], "ill", column_types={"seen": "date"}))
    assert MadeCounts.of(encoded, settings_of("seen/7")).people.tolist() == [2, 1, 1]
    assert MadeCounts.of(encoded, settings_of("seen/4")).people.tolist() == [3, 1]
    with pytest.raises(ParameterError, match="cannot be grouped by 6"):
        MadeCounts.of(encoded, settings_of("seen/6"))
    with pytest.raises(ParameterError, match="cannot be grouped by their first 3,000"):
        MadeCounts.of(encoded, settings_of("seen/3000"))


# ---- as an assumption about another hospital, and next to my release ----------------------------


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(3000), examples.city_schema()).only(("age", "sex", "zip code"))


def exposed(city: Encoded, theirs: CountSettings, overlap: int = 500, **more: Any) -> float:
    other = Hospital(Policy(5), origin="resampled", counts=theirs, **more)
    outcome = run_study(city, Study((Hospital(Policy(5), "least-loss"), other), overlap), 1)
    assert outcome.result.true_value_left.all()
    return float(outcome.result.one_value_left.value)


def test_detail_exposes_and_masking_zeros_ends_it(city: Encoded) -> None:
    fine = settings_of("age/5, sex, zip code")
    coarse, masked = settings_of("age/20, sex, zip code/3"), settings_of("age/5, sex, zip code; zeros=masked")
    assert exposed(city, fine) > 0.1 > exposed(city, coarse)
    assert exposed(city, masked) < 0.01
    assert exposed(city, settings_of("age/5, sex, zip code; zeros=absent")) == exposed(city, fine)


def test_a_study_draws_the_same_people_whether_they_are_counted_or_released(city: Encoded) -> None:
    fine = settings_of("age/5, sex, zip code")
    for origin in ("resampled", "simulated"):
        study = Study((Hospital(Policy(5)), Hospital(Policy(5), origin=origin)), 300)
        counted = replace(study, hospitals=(study.hospitals[0], replace(study.hospitals[1], counts=fine)))
        _, records = study.draw(city, 3)
        _, publisher = counted.draw(city, 3)
        assert records.to_release is not None
        assert publisher.given_out is not None
        assert left(publisher.given_out, records.to_release) == left(
            MadeCounts.of(records.to_release, fine).published, records.to_release
        )


def test_my_own_counts_are_attacked_together_with_my_release(city: Encoded) -> None:
    mine, release = Hospital(Policy(5), "least-loss"), partition(city, Policy(5), "least-loss")
    made = settings_of("age/10, zip code")
    run = run_study(city, Study((mine, own_hospital(mine, made)), city.people), 0)
    result = with_own_counts(city, release, made)
    assert result.people == city.people
    assert result.true_value_left.all()
    assert result.one_value_left == run.result.one_value_left
    slow = intersection_attack([release, MadeCounts.of(city, made).published], [np.arange(len(city)), None])
    assert result.one_value_left == slow.one_value_left
    assert result.one_value_left.value > max(result.mean(result.effective_anonymity == 1))


@pytest.mark.parametrize("kind", ["frequency table", "persons with several records"])
def test_other_tables_of_records_are_counted_and_keep_the_true_values(kind: str) -> None:
    if kind == "frequency table":
        data: Table | FrequencyTable = FrequencyTable.of(examples.city(600), ("age", "sex", "diagnosis"))
        schema = Schema(["age", "sex"], "diagnosis", column_types={"age": "numeric"})
    else:
        data = Table.from_frame(extract(240, people=90))
        schema = Schema(["age", "sex"], "diagnosis", person="person", unassigned="drop")
    encoded, made = encode(data, schema), settings_of("age/10, sex; below=3")
    mine, other = Hospital(Policy(5)), Hospital(Policy(5), origin="resampled", counts=made)
    outcome = run_study(encoded, Study((mine, other, own_hospital(mine, made)), 30), 1)
    assert outcome.result.true_value_left.all()
    assert MadeCounts.of(encoded, made).people.sum() >= encoded.people


def test_a_divided_table_has_its_own_counts_of_the_part_that_is_mine(city: Encoded) -> None:
    mine = Hospital(Policy(5), "least-loss")
    study = Study((mine, Hospital(Policy(5)), own_hospital(mine, settings_of("age/10, sex"))), 200)
    parts = study.draw(city, 2)
    records, counts = parts[0].to_release, parts[2].given_out
    assert records is not None
    assert counts is not None
    assert study.dealt == 2
    expected = left(MadeCounts.of(records, settings_of("age/10, sex")).published, records)
    assert left(counts, records) == expected


def test_variants_are_coarser_or_mask_more_and_their_error_is_that_of_counting_by_hand(city: Encoded) -> None:
    present = settings_of("age/10, zip code; below=5")
    tried = variants(city, present)
    city = city.take(np.arange(300))
    assert tried[0].settings == present
    assert len({variant.settings for variant in tried}) == len(tried)
    assert {variant.words for variant in tried} >= {"zeros masked", "rounded to 5", "age coarser", "without age"}
    exact = MadeCounts.of(city, replace_groups(present))
    assert count_error(exact, exact) == 0
    for variant in tried:
        made = MadeCounts.of(city, variant.settings)
        into = dict(zip(exact.labels.tolist(), made.labels.tolist(), strict=True))
        texts: dict[str, list[int]] = {}
        cells = list(itertools.product(range(len(exact.people)), range(city.sensitive.size)))
        for group, value in cells:
            text = made_text(int(made.counts[into[group], value]), variant.settings)
            texts.setdefault(text, []).append(int(exact.counts[group, value]))
        means = {text: sum(alike) / len(alike) for text, alike in texts.items()}
        error = sum(abs(n - means[text]) for text, alike in texts.items() for n in alike) / city.people
        assert count_error(exact, made) == pytest.approx(error)


def replace_groups(settings: CountSettings) -> CountSettings:
    """The same groups with exact counts."""
    return CountSettings(settings.groups, 0)


def test_a_curve_changes_nothing_about_my_own_counts() -> None:
    mine = Hospital(Policy(5), "least-loss")
    own = own_hospital(mine, settings_of("age"))
    study = Study((mine, Hospital(Policy(5), origin="resampled"), own), 20)
    assert at_value(study, "same_value_rate", 0.5).hospitals[2] == own
    four = at_value(study, "releases", 4).hospitals
    assert [hospital.origin for hospital in four] == ["simulated", "resampled", OWN, "resampled"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": OWN},
        {"origin": "resampled", "counts": settings_of("age"), "attributes": ("age",)},
        {"origin": "published", "counts": settings_of("age"), "upload": Upload("a", ())},
    ],
)
def test_a_hospital_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="able of counts"):
        Hospital(Policy(5), **wrong)


def test_a_scenario_keeps_tables_of_counts_and_says_them() -> None:
    mine = Hospital(Policy(5), "least-loss")
    made = settings_of("age/10, zip code/level1; below=6; zeros=absent; rounded=5; totals=hidden")
    other = Hospital(Policy(5), origin="resampled", counts=made)
    scenario = Scenario(examples.city_schema(), (mine, other, own_hospital(mine, made)), overlap=200)
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert "It publishes a table of counts instead of a release" in world(scenario, 3000)
    assert "My own table of counts" in world(scenario, 3000)
    alone = scenario.with_(hospitals=(mine, own_hospital(mine, made)))
    assert world(alone, 3000).startswith("The numbers are those of my release together with my own table")


# ---- the gate -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "mine.csv"
    examples.city(1500).to_frame().to_csv(path, index=False)
    return path


def ran(command: str, file: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, Any], str]:
    call = [command, "--data", str(file), "--qids", "age,sex,zip code", "--sensitive", "diagnosis", "-k", "5"]
    status = main([*call, "--drop-unassigned", "--json", "--repeats", "2", *more])
    out, err = capsys.readouterr()
    return status, json.loads(out) if out else {}, err


def test_the_gate_makes_a_table_that_it_reads_back_to_the_same_number(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "counts.csv")
    status, found, _ = ran("counts", file, capsys, "--my-counts", "age/10, zip code; below=3", "--out", out)
    assert status == 0
    own = found["my_counts"]
    share = own["one_value_left"]
    assert share["together"] == found["numbers"]["one_value_left"]["value"] > max(share["release"], share["counts"])
    again = ["--others", out, "--counts", own["rules"], "--overlap", str(share["people"])]
    status, read, _ = ran("attack", file, capsys, *again)
    assert read["numbers"]["one_value_left"]["value"] == share["together"]


def test_a_table_that_breaks_a_limit_is_not_written(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "counts.csv"
    limited = ["--my-counts", "age/5, zip code; below=0", "--limit", "one_value_left=0", "--out", str(out)]
    status, _, err = ran("counts", file, capsys, *limited)
    assert (status, out.exists()) == (1, False)
    assert "The table of counts is not written" in err
    status, _, err = ran("counts", file, capsys, "--overlap", "100")
    assert status == 2
    assert "--my-counts" in err


def test_last_months_table_of_mine_is_attacked_with_my_release(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everyone who fits a group is in it: the same number as that of the table when it is made."""
    out = str(tmp_path / "counts.csv")
    made = ran("counts", file, capsys, "--my-counts", "age/10, zip code; below=3", "--out", out)[1]["my_counts"]
    again = ["--others", out, "--their-files", "mine", "--overlap", "1500"]
    status, read, err = ran("attack", file, capsys, *again, "--counts", made["rules"])
    number = read["numbers"]["one_value_left"]
    assert (status, number["value"]) == (0, made["one_value_left"]["together"])
    assert number["n"] == 1500
    assert "100.0% of my records can be in it" in err
    status, _, err = ran("attack", file, capsys, *again)
    assert status == 2
    assert "say with --counts" in err
    few = Table.from_frame(pd.DataFrame({"age": ["[0-9]"], "diagnosis": ["A09"], "count": ["5"]}))
    upload = Upload("x" * 64, (("age", "age"), ("diagnosis", "diagnosis")), own=True, counts="absent=zero")
    city = examples.city(1500)
    foreign = open_upload(upload, few, city, examples.city_schema())
    young = [int(age) < 10 for age in city.column("age").texts().tolist()]
    assert foreign.mine.tolist() == np.flatnonzero(young).tolist()


def test_the_gate_assumes_that_others_publish_counts(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fine = ran("attack", file, capsys, "--overlap", "300", "--their-counts", "age/5, sex, zip code")[1]
    masked = ran("attack", file, capsys, "--overlap", "300", "--their-counts", "age/5, sex, zip code; zeros=masked")[1]
    both = ["--their-counts", "age/5, sex, zip code", "--my-counts", "age/10, zip code"]
    more = ran("attack", file, capsys, "--overlap", "300", *both)[1]
    shares = [found["numbers"]["one_value_left"]["value"] for found in (masked, fine, more)]
    assert shares == sorted(shares)
    assert shares[0] < shares[1] < shares[2]
    claims = ran("attack", file, capsys, "--overlap", "300", *both, "--intruder", "list")[1]
    assert claims["numbers"]["one_value_left"]["value"] == shares[2]
