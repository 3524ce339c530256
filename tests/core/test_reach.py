"""How far another publisher's file speaks of my values: by hand, and cell by cell."""

import json
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table
from core.algorithms import partition
from core.cli.commands import status_of
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess, judge
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import Scenario
from core.release.published.locate import fits_any, locate
from core.release.published.targets import Targets
from core.report import Known, build
from core.report.evidence import evidence
from core.study.coverage import FEW, fitting, reach, sensitive_shares, without_effect
from core.study.hospitals import Hospital, Study
from core.study.uploads import Upload, open_upload

SCHEMA = Schema(["age", "sex"], "diagnosis")
MINE = Table.from_frame(
    pd.DataFrame(
        {
            "age": ["20", "30", "40", "50", "60", "70", "80", "90"],
            "sex": ["f", "f", "f", "m", "m", "m", "m", "x"],
            "diagnosis": ["flu", "cold"] * 4,
        }
    )
)
COLUMNS = (("age", "age"), ("sex", "sex"), ("diagnosis", "diagnosis"))


def reached(theirs: dict[str, list[str]], columns=COLUMNS, **more) -> dict[str, float]:
    upload = Upload("", columns, **more)
    return reach(open_upload(upload, Table.from_frame(pd.DataFrame(theirs)), MINE, SCHEMA), encode(MINE, SCHEMA))


def release(age: list[str], sex: list[str]) -> dict[str, list[str]]:
    return {"age": age, "sex": sex, "diagnosis": ["flu", "cold"] * (len(age) // 2)}


WORDS = ["Female", "Female", "Male", "Male"]


@pytest.mark.parametrize(
    ("age", "sex", "centroids", "expected"),
    [
        (["[20-45]", "[20-45]", "[60-70]", "[60-70]"], list("ffmm"), False, (5 / 8, 7 / 8)),
        (["[0-99]"] * 4, WORDS, False, (1, 0)),
        (["[0-99]"] * 4, ["*"] * 4, False, (1, 1)),
        # Another letter case is the same word unless somebody tells them apart.
        (["[0-99]"] * 4, list("FFMM"), False, (1, 7 / 8)),
        (["[0-99]"] * 4, ["Ff", "Ff", "M", "m"], False, (1, 4 / 8)),
        # Numbers always have a nearest centroid.
        (["25", "25", "300", "300"], ["f", "f", "Male", "Male"], True, (1, 3 / 8)),
    ],
)
def test_regions_words_and_centroids_by_hand(
    age: list[str], sex: list[str], centroids: bool, expected: tuple[float, float]
) -> None:
    found = reached(release(age, sex), centroids=centroids)
    assert found == dict(zip(("age", "sex"), expected, strict=True))


def test_a_column_that_they_lack_is_not_told_of():
    theirs = {"age": ["[20-40]"] * 4, "diagnosis": ["flu", "cold"] * 2}
    assert reached(theirs, (COLUMNS[0], COLUMNS[2])) == {"age": 3 / 8}


def test_missing_values_are_reached_by_missing_values():
    frame = pd.DataFrame({"age": ["20", "30", "40", ""], "sex": ["f", "f", "m", ""], "diagnosis": ["a", "b", "a", "b"]})
    mine = Table.from_frame(frame)
    for sex, share in (("", 1), ("m", 3 / 4)):
        theirs = Table.from_frame(frame.assign(age=["20", "40", "40", "40"], sex=["f", "f", "m", sex]))
        found = reach(open_upload(Upload("", COLUMNS, marks="missing"), theirs, mine, SCHEMA), encode(mine, SCHEMA))
        assert found == {"age": 1 / 2, "sex": share}


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_a_release_is_read_value_by_value(seed):
    rng = np.random.default_rng(seed)

    def people(rows: int) -> Table:
        return Table.from_frame(
            pd.DataFrame(
                {
                    "age": rng.integers(10, 40, rows),
                    "sex": rng.choice(list("abcdef"), rows),
                    "diagnosis": ["flu", "cold"] * (rows // 2),
                }
            )
        )

    mine, theirs = people(30), people(12)
    own = encode(theirs, SCHEMA)
    anonymised = partition(own, Policy(2))
    found = reach(
        open_upload(Upload("", COLUMNS), Table.from_frame(anonymised.publish(seed=1)), mine, SCHEMA),
        encode(mine, SCHEMA),
    )
    published = anonymised.publish(seed=1)
    for i, name in enumerate(("age", "sex")):
        labels, low, high = own.qids[i].labels, anonymised.regions[0][:, i], anonymised.regions[1][:, i]
        regions = [labels[a : b + 1] for a, b in zip(low, high, strict=True)]
        starred = (published[name] == "*").any()
        fits = [
            starred
            or any(
                text in region if name == "sex" else int(region[0]) <= int(text) <= int(region[-1])
                for region in regions
            )
            for text in mine.to_frame()[name]
        ]
        assert found[name] == pytest.approx(sum(fits) / 30)


# ---- people: whether a file takes anything away from anybody -----------------------------------------


def study_with(theirs: dict[str, list[str]]) -> Study:
    upload = Upload("", COLUMNS)
    other = Hospital(Policy(2), origin="published", upload=upload)
    file = open_upload(upload, Table.from_frame(pd.DataFrame(theirs)), MINE, SCHEMA)
    return Study((Hospital(Policy(2)), other), 2).with_files({upload: file})


def test_people_who_fit_a_class_are_those_of_one_class_and_not_of_columns():
    """Everybody has a value of each column that occurs, and half of them no class with both."""
    theirs = release(["[20-50]", "[20-50]", "[50-90]", "[50-90]"], ["f", "f", "{m, x}", "{m, x}"])
    study = study_with(theirs)
    assert fitting(study, study.hospitals[1], encode(MINE, SCHEMA)) == 1
    theirs = release(["[20-50]", "[20-50]", "[60-90]", "[60-90]"], ["{m, x}", "{m, x}", "f", "f"])
    assert reached(theirs) == {"age": 1, "sex": 1}
    study = study_with(theirs)
    assert fitting(study, study.hospitals[1], encode(MINE, SCHEMA)) == 1 / 8


def test_a_column_in_other_words_takes_nothing_away():
    ages = ["[20-50]", "[20-50]", "[50-90]", "[50-90]"]
    mine = encode(MINE, SCHEMA)
    same = study_with(release(ages, ["f", "f", "m", "m"]))
    other = study_with(release(ages, ["Female", "Female", "Male", "Male"]))
    assert without_effect(same, mine) == ()
    assert fitting(other, other.hospitals[1], mine) < FEW
    assert without_effect(other, mine) == (1,)


def test_what_takes_nothing_away_keeps_no_limit():
    mine = encode(MINE, SCHEMA)
    verdicts, told = {}, {}
    for female in ("f", "Female"):
        study = study_with(release(["[20-50]", "[20-50]", "[20-90]", "[20-90]"], [female, female, "z", "z"]))
        scenario = Scenario(SCHEMA, study.hospitals, overlap=2, repeats=2, requirements=Requirements(k=2))
        case = Case(mine, scenario, study.files)
        assessed = assess(case)
        judged = judge(assessed)
        verdicts[female] = judged.verdict
        assert status_of(judged, Namespace(on_average=True)) == (0 if female == "f" else 3)
        assert json.loads(evidence(case, assessed, judged))["status"] == judged.verdict
        told[female] = json.loads(build(case, known=Known(assessed), strength="external").to_json())
    assert verdicts == {"f": "met", "Female": "open"}
    said = "Almost none of my records match a class of the file of hospital 2, so it rules out nothing for anyone."
    assert [said in report["verdict"]["sentences"] for report in told.values()] == [False, True]
    assert [report["card"]["depends_on"][0] == said for report in told.values()] == [False, True]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_who_fits_any_class_has_a_candidate(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 40).astype(str),
            "sex": rng.choice(["f", "m", "x"], 40),
            "diagnosis": rng.choice(["flu", "cold"], 40),
        }
    )
    theirs = partition(encode(Table.from_frame(frame), SCHEMA), Policy(3), "mondrian").published
    people = Targets.of(encode(MINE, SCHEMA), np.arange(8))
    assert fits_any(theirs, people).tolist() == (locate(theirs, people).counts > 0).tolist()


def test_shares_of_records_whose_value_both_sides_have() -> None:
    """By hand, column by column: theirs first, then mine; missing values are left out."""
    schema = Schema(["age"], ["ill", "ward"])
    mine = pd.DataFrame({"age": "1", "ill": ["flu", "flu", "tb", ""], "ward": list("abbb")})
    theirs = pd.DataFrame({"age": "1", "ill": ["flu", "flu", "flu", "hiv", ""], "ward": list("accca")})
    other = encode(Table.from_frame(theirs), schema)
    shares = sensitive_shares(other.sensitive, other.overall, encode(Table.from_frame(mine), schema))
    assert shares == {"ill": (3 / 4, 2 / 3), "ward": (2 / 5, 1 / 4)}
