"""Persons with several records: what counts persons, against slow twins and known worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core import Policy, Release, Scenario, Schema, Table, anonymize, intersection_attack, measure
from core.algorithms import partition, partition_sweep
from core.attack.exposure import by_attribute
from core.attack.intersection import by_record
from core.attack.number import SEVERAL
from core.attack.risk.population_uniques import population_uniques
from core.base.errors import (
    CompositionError,
    InfeasibleError,
    ParameterError,
    PolicyError,
    RepeatedIdentifierError,
    SchemaError,
)
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.persons import check_people, people_of
from core.data.profiling.proposal import propose
from core.data.profiling.uniqueness import people_by_group, uniqueness
from core.decision import review
from core.dp import Declared, by_subtraction, contingency_table, gains, prior_of, shared_people
from core.forecast import forecast
from core.release.class_table import class_table
from core.study.draw import disagree
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.synthetic import model_hospital
from core.study.uploads import Foreign, Upload, open_upload
from tests.reference import measure as slow
from tests.reference import persons as twin
from tests.reference import policies as models
from tests.strategies import Case, cases, classes_of, message_of, policies
from tests.visits import made_visits

SCHEMA = Schema(["age", "zip"], "diagnosis", person="patient_nbr")


def table(persons: int = 400, seed: int = 0) -> Table:
    return Table.from_frame(made_visits(persons, seed))


def whose(draw: st.DataObject, case: Case) -> list[int]:
    """A person for every record, some with several."""
    return draw.draw(st.lists(st.integers(0, max(1, len(case) // 2)), min_size=len(case), max_size=len(case)))


def encoded_of(case: Case, person: list[int]) -> Encoded:
    frame = case.frame.assign(person=[f"p{n}" for n in person])
    return encode(Table.from_frame(frame), case.schema.with_(person="person"))


# ---- the schema, and what is encoded -----------------------------------------------------


def test_a_person_column_is_a_role_and_never_published() -> None:
    release = anonymize(table(), SCHEMA, Policy(5))
    assert list(release.publish(seed=1).columns) == ["age", "zip", "diagnosis"]
    beside = release.publish(1, "patient_nbr")
    assert not beside["patient_nbr"].astype(str).str.startswith("P").any()  # numbers of our own, no cell


def test_refusals_name_the_column_and_what_to_do() -> None:
    assert "person" in message_of(lambda: Schema(["age"], "d", one_record="first"), SchemaError)
    assert "'first'" in message_of(lambda: Schema(["age"], "d", person="p", one_record="best"), SchemaError)
    frame = made_visits()
    frame.loc[[3, 8], "patient_nbr"] = ""
    message = message_of(lambda: encode(Table.from_frame(frame), SCHEMA), SchemaError)
    assert "'patient_nbr' is empty in 2 of" in message
    encoded = encode(table(), SCHEMA)
    for call in (
        lambda: partition(encoded, Policy(3), "mdav"),
        lambda: partition(encoded, Policy(3, m=1)),
        lambda: partition(encoded, Policy(3, m=1), "provider-aware"),
    ):
        assert "one record per person" in message_of(call, PolicyError)
    message = message_of(lambda: partition(encoded, Policy(401)), InfeasibleError)
    assert "400 people" in message


def test_persons_with_one_record_each_change_nothing() -> None:
    frame = made_visits().drop_duplicates("patient_nbr")
    with_person = anonymize(Table.from_frame(frame), SCHEMA, Policy(4, l=2))
    without = anonymize(Table.from_frame(frame), Schema(["age", "zip"], "diagnosis", ["patient_nbr"]), Policy(4, l=2))
    assert np.array_equal(with_person.labels, without.labels)


@pytest.mark.parametrize("how", ["first", "last"])
def test_the_first_or_last_record_of_each_person_is_kept(how: str) -> None:
    frame = made_visits()
    encoded = encode(Table.from_frame(frame), SCHEMA.with_(one_record=how))
    assert encoded.rows.tolist() == frame.drop_duplicates("patient_nbr", keep=how).index.tolist()
    assert (encoded.people, encoded.has_multiple_records, encoded.set_aside) == (400, False, len(frame) - 400)


def test_the_random_record_is_any_of_a_persons_and_follows_the_seed() -> None:
    frame = made_visits()
    drawn = [
        encode(Table.from_frame(frame), SCHEMA.with_(one_record="random", record_seed=seed)).rows
        for seed in (*range(60), 7)
    ]
    assert np.array_equal(drawn[7], drawn[60])
    assert {frame["patient_nbr"][rows].nunique() for rows in drawn} == {len(drawn[0])} == {400}
    assert len(np.unique(np.concatenate(drawn))) == len(frame)  # every record is chosen sometimes


def test_the_random_record_of_a_person_does_not_depend_on_others() -> None:
    """One missing value left a record out, and another record was chosen of every second person."""
    frame, schema = made_visits(), SCHEMA.with_(one_record="random", missing="drop")
    changed = frame.copy()
    changed.loc[changed.index[0], "age"] = ""
    chosen = [set(encode(Table.from_frame(each), schema).rows.tolist()) for each in (frame, changed)]
    whose_first = frame["patient_nbr"].to_numpy()
    assert {whose_first[row] for row in chosen[0] ^ chosen[1]} <= {whose_first[0]}


def test_one_record_is_chosen_among_those_without_missing_values() -> None:
    frame = pd.DataFrame(
        {
            "patient_nbr": ["a", "a", "b", "c"],
            "age": ["", "30", "40", "50"],
            "zip": ["1", "1", "2", "2"],
            "diagnosis": ["x", "y", "x", "y"],
        }
    )
    encoded = encode(Table.from_frame(frame), SCHEMA.with_(missing="drop", one_record="first"))
    assert encoded.rows.tolist() == [1, 2, 3]
    assert (encoded.dropped, encoded.set_aside) == (1, 0)


# ---- classes -------------------------------------------------------------------------------


@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data(), case=cases(rows=(2, 40)))
def test_mondrian_counts_persons_as_its_slow_twin(data: st.DataObject, case: Case) -> None:
    person = whose(data, case)
    policy = data.draw(policies(case.sensitive, k=4))
    assume(twin.meets(policy, list(range(len(case))), person, case.sensitive))
    release = partition(encoded_of(case, person), policy)
    assert classes_of(release.labels) == twin.partition(case.qids, case.sensitive, person, policy)


@pytest.mark.parametrize("algorithm", ["mondrian", "least-loss"])
@settings(max_examples=60)
@given(data=st.data(), case=cases(rows=(4, 40)))
def test_all_k_in_one_pass_are_each_k_alone(algorithm: str, data: st.DataObject, case: Case) -> None:
    encoded = encoded_of(case, whose(data, case))
    l = data.draw(st.sampled_from([None, 2]))  # noqa: E741
    asked = [Policy(k, l=l) for k in range(1, min(7, encoded.people + 1))]
    try:
        found = partition_sweep(encoded, asked, algorithm)
    except InfeasibleError:
        return
    for policy, release in zip(asked, found, strict=True):
        assert np.array_equal(release.labels, partition(encoded, policy, algorithm).labels)


@settings(max_examples=100)
@given(data=st.data(), case=cases(rows=(2, 40)))
def test_persons_are_measured_as_by_hand(data: st.DataObject, case: Case) -> None:
    person = whose(data, case)
    encoded = encoded_of(case, person)
    release = partition(encoded, Policy(data.draw(st.integers(1, min(4, encoded.people)))))
    schema = case.schema.with_(person="person")
    groups = [sorted(group) for group in classes_of(release.labels)]
    # Classes with the same published cells are one to whoever measures; Mondrian makes none.
    values = [twin.values_of(group, person, case.sensitive.values) for group in groups]
    expected = slow.Measured(values, case.sensitive)
    everybody = twin.values_of(list(range(len(case))), person, case.sensitive.values)
    for distance in ("equal", "ordered", *(["hierarchical"] if case.sensitive.column_type == "taxonomy" else [])):
        found = measure(release.publish(1, "person"), schema, distance)
        far = [models.distance_of(group, everybody, case.sensitive, distance) for group in values]
        assert found.t == pytest.approx(float(max(far)))
    assert found.by_person or not encoded.has_multiple_records
    assert found.k == min(twin.persons_in(group, person) for group in groups)
    assert found.people == len(set(person))
    assert found.distinct_l == expected.distinct_l
    assert found.entropy_l == pytest.approx(expected.entropy_l)
    assert found.recursive_c(2) == pytest.approx(expected.recursive_c(2))
    assert release.sizes.tolist() == [
        twin.persons_in(np.flatnonzero(release.labels == c).tolist(), person) for c in range(release.classes.count)
    ]


def test_the_published_file_alone_tells_of_records() -> None:
    release = anonymize(table(), SCHEMA, Policy(5))
    alone = measure(release.publish(seed=1), SCHEMA)
    assert alone.people == alone.rows == len(release.encoded)
    assert alone.k == release.classes.sizes.min() >= measure(release.publish(1, "patient_nbr"), SCHEMA).k


def test_the_class_table_is_of_people() -> None:
    release = anonymize(table(), SCHEMA, Policy(5))
    shown = class_table(release)
    assert shown["size"].tolist() == release.histogram.people.tolist()
    frame = made_visits()
    for number in (0, len(shown) - 1):
        inside = frame[release.labels == number]
        most_common = inside.drop_duplicates(["patient_nbr", "diagnosis"])["diagnosis"].value_counts().max()
        assert shown["most_common"][number] == pytest.approx(most_common / inside["patient_nbr"].nunique())


# ---- hospitals -------------------------------------------------------------------------------


def test_hospitals_share_exactly_so_many_persons_with_all_their_records() -> None:
    encoded = encode(table(), SCHEMA)
    study = Study((Hospital(Policy(3)),) * 3, overlap=50)
    parts = study.draw(encoded, 5)
    sets = []
    for part in parts:
        sets.append(set(part.person.tolist()))
        assert part.people == 50 + (400 - 50) // 3
        # Whoever is there is there with every record.
        assert sorted(part.rows.tolist()) == np.flatnonzero(np.isin(encoded.person, part.person)).tolist()
        assert part.rows[: part.leading(50)].tolist() == parts[0].rows[: parts[0].leading(50)].tolist()
    assert sets[0] & sets[1] == sets[0] & sets[1] & sets[2]
    assert len(sets[0] & sets[1]) == 50


def test_agreement_is_of_persons() -> None:
    encoded = encode(table(2000), SCHEMA)
    part = encoded.take(encoded.records_of(np.arange(1000)))
    other = disagree(part, 1000, 0.5, seed=1)
    changed = other.sensitive_codes != part.sensitive_codes
    by_person = pd.Series(changed).groupby(part.whose).max()
    # Half of the persons are redrawn; a value may come out the same.
    assert 0.35 < by_person.mean() < 0.5
    several = pd.Series(part.whose).map(pd.Series(part.whose).value_counts()).to_numpy() == 4
    whole = pd.Series(changed[several]).groupby(part.whose[several]).mean()
    assert (whole == 0).mean() > 0.4  # not 0.5 ** 4 of them: all records of a person agree together


def test_synthetic_people_have_as_many_records_as_my_people() -> None:
    encoded = encode(table(1000), SCHEMA)
    other = model_hospital(encoded, np.arange(100), 1000, 3)
    assert other.people == 1000
    assert other.leading(100) == len(encoded.records_of(np.arange(100)))
    assert len(other) == pytest.approx(len(encoded), rel=0.05)
    assert not set(other.person[other.leading(100) :].tolist()) & set(encoded.person.tolist())


# ---- attack ----------------------------------------------------------------------------------


def rows_of(release: Release) -> list[tuple[int | None, str]]:
    texts = release.encoded.sensitive.labels
    return [
        (None if label < 0 else int(label), texts[code])
        for label, code in zip(release.labels, release.encoded.sensitive_codes, strict=True)
    ]


@settings(max_examples=80)
@given(
    seed=st.integers(0, 10**6),
    same_value_rate=st.sampled_from([1.0, 0.6]),
    overlap=st.integers(1, 30),
    k=st.integers(2, 5),
)
def test_a_person_counts_with_the_record_that_leaves_fewest(
    seed: int, same_value_rate: float, overlap: int, k: int
) -> None:
    encoded = encode(table(60, seed % 7), SCHEMA)
    study = Study((Hospital(Policy(k)), Hospital(Policy(k), same_value_rate=same_value_rate)), overlap)
    outcome = run_study(encoded, study, seed)
    mine, other = outcome.releases
    records = mine.encoded.leading(overlap)
    positions = [list(range(records))] * 2
    person = mine.encoded.whose[:records].tolist()
    expected = twin.attacked([rows_of(mine), rows_of(other)], positions, person)
    result = outcome.result
    assert result.people == overlap == len(expected)
    for number, (left, own, least) in expected.items():
        assert set(result.candidates(number)) == left
        assert mine.encoded.whose[result.record[number]] == number
        assert result.effective_anonymity[:, number].tolist() == least
        assert bool(result.true_value_left[number]) == (own in left)
    # True disclosures: any record of the person is, also one that is not the one that counts.
    each = by_record(outcome.releases, outcome.people)
    for confidence in (1.0, 0.5, 0.25):
        right = pd.Series(each.true_disclosures(confidence)).groupby(person).any()
        assert result.true_disclosures(confidence).tolist() == [bool(right[number]) for number in range(overlap)]


def test_the_first_release_says_whose_a_record_is() -> None:
    frame = made_visits(40)
    several = anonymize(Table.from_frame(frame), SCHEMA, Policy(3))
    one = anonymize(
        Table.from_frame(frame), SCHEMA.with_(person=None, unassigned="drop", rows_are_people=True), Policy(3)
    )
    persons = frame["patient_nbr"].nunique()
    for releases, people in (([one, several], len(frame)), ([several, one], persons)):
        assert intersection_attack(releases, [range(len(frame))] * 2).people == people
    assert persons < len(frame)


def test_records_left_out_are_no_target() -> None:
    frame = made_visits(100)
    frame.loc[:20, "age"] = ""
    schema = SCHEMA.with_(missing="drop")
    release = anonymize(Table.from_frame(frame), schema, Policy(3))
    rows = np.arange(len(frame))
    result = intersection_attack([release, release], [rows, rows])
    assert result.people == frame["patient_nbr"][21:].nunique()
    with pytest.raises(ParameterError, match="left out"):
        intersection_attack([release, release], [rows[:5], rows[:5]])


def test_curves_and_groups_are_of_persons() -> None:
    encoded = encode(table(600), SCHEMA)
    study = Study.uniform(Policy(3, l=2), 100)
    frame = sweep(encoded, study, "overlap", [50, 100])
    assert frame["n"].tolist() == [50] * 3 + [100] * 3
    outcome = run_study(encoded, study)
    for attribute in ("age", "diagnosis"):
        assert by_attribute(outcome.result, outcome.mine.encoded, attribute, 0.5)["people"].sum() == 100


# ---- forecast --------------------------------------------------------------------------------


def test_the_forecast_is_of_persons() -> None:
    release = anonymize(table(300), SCHEMA, Policy(3))
    found = forecast(release)
    vulnerable = pd.Series(found.vulnerable()[release.labels]).groupby(made_visits(300)["patient_nbr"]).any()
    assert found.people().n == 300
    assert found.people().value == pytest.approx(vulnerable.mean())


# ---- noise -----------------------------------------------------------------------------------


GRID = {"age": Declared("range", low=0, high=120, width=20), "zip": Declared("open")}


def test_a_noisy_table_counts_each_person_once() -> None:
    frame = made_visits()
    counted = contingency_table(Table.from_frame(frame), SCHEMA, GRID, Declared("open"))
    assert (counted.counts.sum(), counted.records, counted.first_only) == (400, 400, True)
    # One person replaced by another with the same number of records moves one record only.
    one = frame.index[frame["patient_nbr"] == frame["patient_nbr"][0]]
    changed = frame.copy()
    changed.loc[one, ["age", "zip", "diagnosis"]] = frame.loc[frame.index[-1], ["age", "zip", "diagnosis"]].to_list()
    after = contingency_table(Table.from_frame(changed), SCHEMA, GRID, Declared("open"))
    assert np.abs(after.counts - counted.counts).sum() in (0, 2)


def test_a_prior_is_of_what_is_counted_of_each_person() -> None:
    encoded = encode(Table.from_frame(made_visits()), SCHEMA)
    first = made_visits().drop_duplicates("patient_nbr")
    rates = first["diagnosis"].value_counts(normalize=True)
    assert dict(zip(encoded.sensitive.labels, prior_of(encoded).tolist(), strict=True)) == pytest.approx(
        rates.to_dict()
    )


def test_noise_and_partitions_are_of_the_same_persons() -> None:
    encoded, study = encode(table(600), SCHEMA), Study.uniform(Policy(3), 40)
    positions = shared_people(encoded, study, 0)
    assert gains(encoded, study, "k", [3], Redraws())["n"].tolist() == [40]
    assert len(np.unique(encoded.whose[positions])) == 40
    assert set(positions.tolist()) <= set(encoded.first_records.tolist())
    release = partition(encoded, Policy(3))
    assert np.array_equal(by_subtraction(release, positions), encoded.sensitive_codes[positions])


# ---- the data page's part --------------------------------------------------------------------


def test_who_is_unique_is_counted_by_person() -> None:
    frame = made_visits(150)
    found = uniqueness(encode(Table.from_frame(frame), SCHEMA))

    def fewest(columns: list[str]) -> pd.Series[Any]:
        if not columns:
            return pd.Series(150, index=sorted(set(frame["patient_nbr"])))
        size = frame.groupby(columns)["patient_nbr"].transform("nunique")
        return size.groupby(frame["patient_nbr"]).min()

    assert found.people == 150
    assert found.unique == (fewest(["age", "zip"]) == 1).sum()
    assert found.smallest == frame.groupby(["age", "zip"])["patient_nbr"].nunique().min()
    for part, rest in zip(found.contributions, (["zip"], ["age"]), strict=True):
        assert part.without == (fewest(rest) == 1).sum()
        assert part.alone == (fewest([part.name]) == 1).sum()
    assert people_of(Table.from_frame(frame), SCHEMA) == 150
    size, people = people_by_group(encode(Table.from_frame(frame), SCHEMA))
    assert dict(zip(size.tolist(), people.tolist(), strict=True)) == fewest(["age", "zip"]).value_counts().to_dict()
    guessed = population_uniques(size, 0.1, people)
    assert (guessed.sample, guessed.records, guessed.population) == (found.unique, 150, 1500)


def test_an_identifier_that_repeats_is_refused_until_it_is_said_whether_records_are_people() -> None:
    data = table()
    named = Schema(["age", "zip"], "diagnosis", ["patient_nbr"])
    unused = Schema(["age", "zip"], "diagnosis", other=["patient_nbr"]), Schema(["age", "zip"], "diagnosis")
    for schema in (named, *(each.with_(unassigned="drop") for each in unused)):
        message = message_of(lambda schema=schema: encode(data, schema), RepeatedIdentifierError)
        assert message.startswith("'patient_nbr' repeats, so a person may have several records.")
        assert encode(data, schema.with_(rows_are_people=True)).people == len(data)
    assert encode(data, SCHEMA).people == 400
    renamed = Table.from_frame(made_visits().rename(columns={"patient_nbr": "encounter_nbr"}))
    check_people(renamed, Schema(["age", "zip"], "diagnosis", unassigned="drop"))
    for other in (made_visits().drop_duplicates("patient_nbr"), made_visits().assign(patient_nbr="")):
        check_people(Table.from_frame(other), named)


PERSONS = ["patient_nbr", "patient_id", "MRN", "person", "PersonID", "subject id"]


@pytest.mark.parametrize("header", [*PERSONS, "encounter_id", "visit id", "record id", "name"])
def test_a_person_column_is_recognised_where_it_repeats(header: str) -> None:
    frame = made_visits().rename(columns={"patient_nbr": header})
    assert propose(Table.from_frame(frame)).schema.person == (header if header in PERSONS else None)
    once = propose(Table.from_frame(frame.drop_duplicates(header)))
    assert once.schema.person is None
    assert header in once.schema.identifiers


# ---- files of others -------------------------------------------------------------------------


PAIRS = (("age", "age"), ("zip", "zip"), ("diagnosis", "diagnosis"))


def test_a_release_of_encounters_is_linked_only_if_each_person_has_one_record() -> None:
    mine, schema = table(), SCHEMA.with_(one_record="last")
    frame = partition(encode(mine, schema), Policy(3)).publish(seed=1, key=mine.column("patient_nbr"))
    theirs = Table.from_frame(frame)
    upload = Upload("id", tuple((name, name) for name in (*schema.released, "patient_nbr")), own=True)
    with pytest.raises(CompositionError, match="one record per person"):
        open_upload(upload, theirs, mine, SCHEMA)
    one = open_upload(upload, theirs, mine, schema)
    first = made_visits()["patient_nbr"].to_numpy()
    assert (first[one.mine] == frame["patient_nbr"].to_numpy()[one.theirs]).all()
    study = Study((Hospital(Policy(3)), Hospital(Policy(3), origin="published", upload=upload)), 300)
    outcome = run_study(encode(mine, schema), study.with_files({upload: one}), 0)
    assert outcome.result.people == 300


def test_an_identifier_links_no_persons_with_several_records() -> None:
    mine = table()
    upload = Upload("id", PAIRS)
    file = Foreign(partition(encode(mine, SCHEMA), Policy(3)).published, mine=np.arange(50), theirs=np.arange(50))
    study = Study((Hospital(Policy(3)), Hospital(Policy(3), origin="published", upload=upload)), 30)
    with pytest.raises(CompositionError, match="one record per person"):
        run_study(encode(mine, SCHEMA), study.with_files({upload: file}), 0)


def test_anonymity_sets_that_are_not_counted_say_why() -> None:
    encoded = encode(table(200), SCHEMA)
    hospitals = (Hospital(Policy(3)), Hospital(Policy(3)))
    assessed = review.assess(
        review.Case(encoded, Scenario(SCHEMA, hospitals, overlap=60, repeats=1)), groups=("exposure",)
    )
    anonymity_sets = ("alone", "crowd", "at_risk", "average_after")
    assert {assessed.not_assessed[name] for name in anonymity_sets} == {SEVERAL}
