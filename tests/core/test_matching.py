"""Matching another hospital's file by names and values: by hand with odd labels, and against counting row by row."""

from collections import Counter

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from core import Schema, Table
from core.data.encoding import encode
from core.release.published.correspondence import propose_columns
from core.release.published.matching import AHEAD, ALIKE, guess_values, match_columns
from core.study.coverage import in_reach
from core.study.uploads import Upload, open_upload
from tests.hostile import TRICKS

SCHEMA = Schema(["Age.Group", "Gender", "Zip"], "CCSR.Diagnosis.Code")


def hospital(seed: int, codes: list[str], sexes: list[str], headers: list[str], rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    cells = (
        rng.choice(["0 to 17", "18 to 49", "50 or Older"], rows, p=[0.2, 0.3, 0.5]),
        rng.choice(sexes, rows, p=[0.6, 0.4]),
        rng.choice(["100", "101", "102", "103"], rows),
        rng.choice(codes, rows),
    )
    return pd.DataFrame(dict(zip(headers, cells, strict=True)))


CODES = ["CIR001", "CIR002", "DIG003", "é", *TRICKS[:2]]
MINE = Table.from_frame(hospital(1, CODES, ["Male", "Female"], [*SCHEMA.quasi_identifiers, SCHEMA.sensitive]))
THEIRS = Table.from_frame(hospital(2, CODES, ["M", "F"], ["band", "sex", "plz3", "dx"]).assign(flag="Y", dx2="CIR001"))


def test_columns_are_found_by_names_and_by_values_and_short_forms_are_guessed():
    age, sex, zip_code, code = match_columns(MINE, THEIRS, SCHEMA)
    assert [(match.theirs, match.by) for match in (age, sex, zip_code, code)] == [
        ("band", "values"),
        ("sex", "name"),
        ("plz3", "values"),
        ("dx", "values"),
    ]
    assert dict(sex.values) == {"M": "Male", "F": "Female"}
    assert age.values == zip_code.values == code.values == ()
    assert [match.coverage for match in (age, sex, zip_code, code)] == [1.0] * 4


def test_of_two_columns_alike_neither_is_taken():
    frame = THEIRS.to_frame()
    twice = Table.from_frame(frame.assign(dx9=frame["dx"].sample(frac=1, random_state=0).to_numpy()))
    assert match_columns(MINE, twice, SCHEMA)[-1].theirs is None


def test_guesses_are_made_where_one_value_alone_can_be_meant():
    assert guess_values(["m", "F.", "U"], ["Male", "Female", "Unknown"]) == {
        "m": "Male",
        "F.": "Female",
        "U": "Unknown",
    }
    assert guess_values(["M"], ["Married", "Male"]) == {}, "two of mine begin so"
    assert guess_values(["1", ""], ["10", "x"]) == {}, "a number is no short form of another"
    assert guess_values([*TRICKS], ["x"]) == {}
    assert guess_values(["a"], [f"a{n}" for n in range(30)]) == {}


def slow(mine: list[list[str]], theirs: list[list[str]]) -> dict[int, int]:
    """Compare columns of plain words by counting their rows, each pair by itself."""

    def overlap(ours: list[str], other: list[str]) -> float:
        a, b = Counter(cell for cell in ours if cell), Counter(cell for cell in other if cell)
        shared = (min(a[value] / max(1, a.total()), b[value] / max(1, b.total())) for value in a)
        return sum(shared)

    pairs = {}
    for i, ours in enumerate(mine):
        scores = [overlap(ours, other) for other in theirs]
        best = max(range(len(theirs)), key=lambda place: (scores[place], -place))
        rivals = [score for place, score in enumerate(scores) if place != best]
        rivals += [overlap(other, theirs[best]) for place, other in enumerate(mine) if place != i]
        if scores[best] >= max(ALIKE, AHEAD + max(rivals, default=0.0)) - 1e-12:
            pairs[i] = best
    return pairs


@given(st.data())
def test_the_same_as_row_by_row(data):
    # Digits are never guessed, and eighths are exact: no rounding decides.
    cells = st.lists(st.sampled_from(["1", "2", "3", "4"]), min_size=8, max_size=8)
    mine, theirs = (data.draw(st.lists(cells, min_size=2, max_size=4)) for _ in range(2))
    names, headers = [f"m{i}" for i in range(len(mine))], [f"t{i}" for i in range(len(theirs))]
    tables = [
        Table.from_frame(pd.DataFrame(dict(zip(titles, columns, strict=True))))
        for titles, columns in ((names, mine), (headers, theirs))
    ]
    schema = Schema(names[:-1], names[-1])
    assert not propose_columns(headers, schema)
    found = match_columns(*tables, schema)
    assert {names.index(match.mine): headers.index(match.theirs) for match in found if match.theirs} == slow(
        mine, theirs
    )


def upload(anonymised: bool, cells: tuple[tuple[str, str, str], ...] = ()) -> Upload:
    columns = (("Gender", "sex"), ("Zip", "plz3"), ("CCSR.Diagnosis.Code", "dx"))
    return Upload("", anonymised, columns, cells=cells)


def test_with_its_values_mapped_a_file_reaches_my_records():
    encoded = encode(MINE, SCHEMA)
    both = (("Gender", "M", "Male"), ("Gender", "F", "Female"))
    shares = [
        in_reach(open_upload(upload(False, cells), THEIRS, MINE, SCHEMA), encoded) for cells in ((), both[:1], both)
    ]
    males = MINE.to_frame()["Gender"].eq("Male").mean()
    assert shares == [0.0, males, 1.0]


def test_in_a_release_a_value_is_mapped_within_a_set_too():
    frame = THEIRS.to_frame()
    frame["sex"] = np.where(frame["plz3"] == "100", "{F, M}", frame["sex"])
    release = Table.from_frame(frame)
    both = (("Gender", "M", "Male"), ("Gender", "F", "Female"))
    regions = [
        {label for region in part.regions for label in region.labels}
        for cells in ((), both)
        for part in open_upload(upload(True, cells), release, MINE, SCHEMA).published.attributes
        if part.name == "Gender"
    ]
    assert regions == [{"M", "F"}, {"Male", "Female"}]
