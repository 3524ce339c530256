"""Another publisher's file: columns and values matched by hand and by what they hold, links by an identifier."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Release, Schema, Table
from core.base.errors import InputError
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import encode
from core.data.schemas.schema import ColumnType
from core.release.published import matching
from core.release.published.correspondence import propose_columns
from core.release.published.matching import AHEAD, MIN_OVERLAP, guess_meanings, guess_values, match_columns
from core.study.coverage import in_reach, reach
from core.study.uploads import Foreign, Upload, open_upload
from tests.hostile import TRICKS

MINE = Table.from_frame(
    pd.DataFrame(
        {
            "id": ["a", "b", "c", "d", "d", ""],
            "age": ["20", "30", "40", "50", "60", "70"],
            "sex": ["f", "m", "f", "m", "f", "m"],
            "diagnosis": ["flu", "cold", "flu", "hiv", "cold", "flu"],
        }
    )
)
THEIRS = Table.from_frame(
    pd.DataFrame(
        {
            "patient": ["x", "c", "a", "d", "b", "b", ""],
            "Years": ["25", "40", "20", "50", "30", "31", "70"],
            "dx": ["J11", "J10", "J11", "B20", "J00", "J00", "J00"],
        }
    )
)
SCHEMA = Schema(["age", "sex"], "diagnosis", identifiers=["id"], rows_are_people=True)
COLUMNS = (("age", "Years"), ("diagnosis", "dx"))
VALUES = (("J10", "flu"), ("J11", "flu"), ("B20", "hiv"))


def upload_of(**changes) -> Upload:
    return Upload(**{"content_id": "", "columns": COLUMNS, "values": VALUES, **changes})


def test_a_file_gets_my_names_and_my_values():
    found = open_upload(upload_of(), THEIRS, MINE, SCHEMA)
    assert [part.name for part in found.published.attributes] == ["age"]
    assert set(found.published.sensitive.labels) >= {"flu", "hiv", "J00"}
    assert found.records == 7
    assert not found.linked


@pytest.mark.parametrize(
    ("columns", "word"),
    [
        ((("age", "Years"),), "sensitive"),
        ((("diagnosis", "dx"),), "quasi-identifier"),
        ((("age", "nowhere"), ("diagnosis", "dx")), "nowhere"),
        ((("age", "Years"), ("sex", "Years"), ("diagnosis", "dx")), "twice"),
        ((("age", "Years"), ("age", "patient"), ("diagnosis", "dx")), "twice"),
        ((("weight", "Years"), ("diagnosis", "dx")), "weight"),
    ],
)
def test_a_wrong_correspondence_is_refused(columns, word):
    with pytest.raises(InputError, match=word) as caught:
        open_upload(upload_of(columns=columns), THEIRS, MINE, SCHEMA)
    assert "J11" not in caught.value.message


def test_links_agree_with_a_join():
    rng = np.random.default_rng(5)
    for _ in range(20):
        # The empty cell names nobody.
        mine, theirs = (rng.choice(["", *map(str, range(25))], size=18) for _ in range(2))
        my_table = Table.from_frame(pd.DataFrame({"id": mine, "age": "1", "diagnosis": rng.choice(["a", "b"], 18)}))
        their_table = Table.from_frame(pd.DataFrame({"id": theirs, "age": "1", "diagnosis": ["a", "b"] * 9}))
        columns = (("id", "id"), ("age", "age"), ("diagnosis", "diagnosis"))
        wanted = [
            (i, theirs.tolist().index(name))
            for i, name in enumerate(mine.tolist())
            if name and mine.tolist().count(name) == 1 and theirs.tolist().count(name) == 1
        ]
        if not wanted:
            continue  # refused: no one is in both
        linked = upload_of(columns=columns, own=True, values=())
        schema = Schema(["age"], "diagnosis", ["id"], rows_are_people=True)
        found = open_upload(linked, their_table, my_table, schema)
        assert list(zip(found.mine.tolist(), found.theirs.tolist(), strict=True)) == wanted


def days(texts: list[str], name: str) -> Table:
    return Table.from_frame(pd.DataFrame({name: texts, "diagnosis": ["flu", "cold", "hiv"][: len(texts)]}))


def test_of_days_and_months_as_many_are_in_reach_as_share_a_day():
    mine = encode(days(["31.01.2024", "02.03.2024", "09.05.2024"], "seen"), Schema(["seen"], "diagnosis"))
    months = Schema(["seen"], "diagnosis", column_types={"seen": "date"})
    published = pd.DataFrame({"seen": ["2024-01", "[2024-02 .. 2024-03]"], "diagnosis": ["flu", "cold"]})
    assert reach(Foreign(published=Release.parse(published, months, mine=mine)), mine) == {"seen": pytest.approx(2 / 3)}


# ---- matching by names and values --------------------------------------------------------------

CODED = Schema(["Age.Group", "Gender", "Zip"], "CCSR.Diagnosis.Code")


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
CODED_MINE = Table.from_frame(hospital(1, CODES, ["Male", "Female"], [*CODED.quasi_identifiers, CODED.sensitive]))
CODED_THEIRS = Table.from_frame(
    hospital(2, CODES, ["M", "F"], ["band", "sex", "plz3", "dx"]).assign(flag="Y", dx2="CIR001")
)


def test_columns_are_found_by_names_and_by_values_and_short_forms_are_guessed():
    age, sex, zip_code, code = match_columns(CODED_MINE, CODED_THEIRS, CODED)
    assert [(match.theirs, match.by) for match in (age, sex, zip_code, code)] == [
        ("band", "values"),
        ("sex", "name"),
        ("plz3", "values"),
        ("dx", "values"),
    ]
    assert dict(sex.values) == {"M": "Male", "F": "Female"}
    assert age.values == zip_code.values == code.values == ()
    assert [match.coverage for match in (age, sex, zip_code, code)] == [1.0] * 4


@pytest.mark.parametrize(("most", "theirs"), [(4, "u"), (3, None)])
def test_a_column_of_as_many_values_as_are_compared_is_found_by_them(most, theirs, monkeypatch):
    monkeypatch.setattr(matching, "MANY", most)
    mine, other = (
        Table.from_frame(pd.DataFrame({first: list("pqrs") * 2, second: list("xy") * 4}))
        for first, second in (("a", "b"), ("u", "v"))
    )
    found = match_columns(mine, other, Schema(["a"], "b"))
    assert [match.theirs for match in found] == [theirs, "v"]


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


@pytest.mark.parametrize(
    ("theirs", "mine", "meant"),
    [
        ("E11", ["E11.0", "E11.9", "I10"], ["E11.0", "E11.9"]),
        ("250.**", ["250.01", "250.13", "401.9"], ["250.01", "250.13"]),
        ("250.13", ["250", "401"], ["250"]),
    ],
)
def test_a_coarser_code_of_either_icd_means_the_codes_below_it(theirs, mine, meant):
    domain = Domain("dx", ColumnType.CATEGORICAL, tuple(mine))
    assert guess_meanings([theirs], domain) == [(theirs, ours) for ours in meant]


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
        if scores[best] >= max(MIN_OVERLAP, AHEAD + max(rivals, default=0.0)) - 1e-12:
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


BOTH = (("Gender", "M", "Male"), ("Gender", "F", "Female"))


def coded(cells: tuple[tuple[str, str, str], ...] = ()) -> Upload:
    columns = (("Gender", "sex"), ("Zip", "plz3"), ("CCSR.Diagnosis.Code", "dx"))
    return Upload("", columns, cells=cells)


def test_with_its_values_mapped_a_file_reaches_my_records():
    encoded = encode(CODED_MINE, CODED)
    shares = [
        in_reach(open_upload(coded(cells), CODED_THEIRS, CODED_MINE, CODED), encoded) for cells in ((), BOTH[:1], BOTH)
    ]
    males = CODED_MINE.to_frame()["Gender"].eq("Male").mean()
    assert shares == [0.0, males, 1.0]


def test_in_a_release_a_value_is_mapped_within_a_set_too():
    frame = CODED_THEIRS.to_frame()
    frame["sex"] = np.where(frame["plz3"] == "100", "{F, M}", frame["sex"])
    release = Table.from_frame(frame)
    regions = [
        {label for region in part.regions for label in region.labels}
        for cells in ((), BOTH)
        for part in open_upload(coded(cells), release, CODED_MINE, CODED).published.attributes
        if part.name == "Gender"
    ]
    assert regions == [{"M", "F"}, {"Male", "Female"}]
