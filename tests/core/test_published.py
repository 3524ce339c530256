"""Somebody else's published table: its classes, what is refused, and who of my people fits which class."""

from __future__ import annotations

import io
import random
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table, Taxonomy
from core.algorithms import partition
from core.attack.intersection import intersection_attack
from core.base.errors import CompositionError, InputError, ParameterError
from core.data.encoding.encoded import encode
from core.data.tables.cell_syntax import is_withheld
from core.data.tables.csv_export import csv_bytes
from core.release.published import containment
from core.release.published import locate as module
from core.release.published.correspondence import in_my_case, propose_columns, propose_values
from core.release.published.locate import locate
from core.release.published.located import Located
from core.release.published.published import Published
from core.release.published.targets import Targets
from tests.reference import locating as slow
from tests.releases import texts_of_class
from tests.strategies import Case, cases, message_of
from tests.townsfolk import NAMES, SCHOOL, random_people, random_rows, texts
from tests.townsfolk import SCHEMA as TOWN

SCHEMA = Schema(
    ["zip", "age", "sex"], "illness", column_types={"zip": "categorical", "age": "numeric", "sex": "categorical"}
)
ROWS = [
    ("130**", "<30", "*", "flu"),
    ("130**", "<30", "*", "cold"),
    ("130**", "[30-40]", "f", "flu"),
    ("130**", "30-40", "f", "gout"),
    ("148**", ">=40", "{f, m}", "gout"),
]


def table(
    rows: list[tuple[Any, ...]] = ROWS, names: tuple[str, ...] = ("zip", "age", "sex", "illness")
) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(names), dtype=object)


def classes(published: Published) -> dict[tuple[int, ...], dict[str, int]]:
    """Rows of each class, and its sensitive values with their counts."""
    found = {}
    for number in range(published.histogram.classes):
        values, counts = published.histogram.of_class(number)
        rows = tuple(np.flatnonzero(published.labels == number).tolist())
        found[rows] = {published.sensitive.labels[v]: int(c) for v, c in zip(values, counts, strict=True)}
    return found


# ---- classes ----------------------------------------------------------------------------


def test_rows_with_equal_regions_are_one_class() -> None:
    published = Release.parse(table(), SCHEMA)
    assert classes(published) == {
        (0, 1): {"cold": 1, "flu": 1},
        (2, 3): {"flu": 1, "gout": 1},  # spelt [30-40] and 30-40
        (4,): {"gout": 1},
    }
    assert texts_of_class(published, int(published.labels[0])) == {"zip": "130**", "age": "<30", "sex": "*"}


def test_kinds_that_nobody_gave_are_read_off_the_cells() -> None:
    schema = Schema(["zip", "age", "sex"], "illness")
    assert [part.column_type for part in Release.parse(table(), schema).attributes] == [
        "numeric",
        "numeric",
        "categorical",
    ]
    rows = [(f"0{cell}"[: len(cell)], *rest) for cell, *rest in ROWS]
    assert Release.parse(table(rows), schema).attributes[0].column_type == "categorical", "codes with leading zeros"
    mine = encode(Table.from_frame(table([("13012", 3, "f", "flu"), ("x", 4, "m", "cold")])), schema)
    found = Release.parse(table(), schema, mine=mine).attributes
    assert [part.column_type for part in found] == ["categorical", "numeric", "categorical"]
    assert found[0].reader.labels == ("13012", "x")


def test_suppressed_rows_are_in_no_class() -> None:
    published = Release.parse(table([*ROWS, ("*", "*", "*", "flu"), ("*****", "*", "*", "tbc")]), SCHEMA)
    assert published.labels.tolist()[5:] == [-1, -1]
    assert published.histogram.overall.tolist() == [1, 2, 2, 0], "cold, flu, gout, tbc of the rows in a class"
    kept = Release.parse(table([*ROWS, ("*", "*", "*", "flu")]), SCHEMA, suppression=False)
    assert classes(kept)[5,] == {"flu": 1}


def test_a_column_of_stars_says_nothing() -> None:
    published = Release.parse(table([(a, "*", b, c) for a, _, b, c in ROWS]), SCHEMA)
    assert published.attributes[1].texts == ("*",)
    people = pd.DataFrame({"zip": ["13012"], "age": ["77"], "sex": ["f"]})
    assert locate(published, people).counts.tolist() == [2]


def test_a_row_of_stars_with_another_column_of_theirs_is_no_suppression() -> None:
    names = ("zip", "age", "sex", "town", "illness")
    rows = [("*", "*", "*", "Ithaca", "flu"), ("*", "*", "*", "*", "flu"), ("130**", "<30", "f", "*", "cold")]
    assert Release.parse(table(rows, names), SCHEMA).labels.tolist().count(-1) == 1
    plain = [(*row[:3], "Ithaca", row[4]) for row in rows]
    assert Release.parse(table(plain, names), SCHEMA).labels.tolist().count(-1) == 2, "no quasi-identifier of theirs"


@pytest.mark.parametrize("mark", ["*", "NA", "", ".", "suppressed"])
def test_a_withheld_sensitive_value_rules_nothing_out_for_its_class(mark: str) -> None:
    found = Release.parse(table([*ROWS, ("130**", "<30", "*", mark)]), SCHEMA)
    assert found.unruled.tolist() == [mine == int(found.labels[0]) for mine in range(found.histogram.classes)]
    people = pd.DataFrame({"zip": ["13012", "13012"], "age": ["20", "35"], "sex": ["m", "f"]})
    result = intersection_attack([found, found], people, locate="published")
    assert result.unlocated.tolist() == [1, 1]
    assert result.candidates(0) == result.values
    assert result.candidates(1) == ("flu", "gout")


# ---- correspondence ---------------------------------------------------------------------


def test_columns_under_other_names() -> None:
    theirs = table(names=("PLZ", "Age (years)", "sex", "Diagnosis"))
    names = {"zip": "PLZ", "age": "Age (years)", "sex": "sex", "illness": "Diagnosis"}
    assert classes(Release.parse(theirs, SCHEMA, columns=names)) == classes(Release.parse(table(), SCHEMA))
    crossed = table(names=("age", "zip", "sex", "illness"))
    found = Release.parse(crossed, SCHEMA, columns={"zip": "age", "age": "zip"})
    assert [part.texts[0] for part in found.attributes] == ["130**", "30-40"]


def test_values_in_another_coding() -> None:
    values = {"flu": "J11", "cold": "J00", "gout": "J00", "unheard of": "x"}
    found = Release.parse(table(), SCHEMA, values={SCHEMA.sensitive: values})
    assert found.sensitive.labels == ("J00", "J11")
    assert classes(found)[2, 3] == {"J00": 1, "J11": 1}


def test_missing_sensitive_values_are_a_value_of_their_own() -> None:
    rows = [*ROWS, ("130**", "<30", "*", None), ("130**", "<30", "*", "?")]
    found = Release.parse(table(rows), SCHEMA.with_(missing_tokens=["?"]), marks="missing")
    assert found.sensitive.labels == ("cold", "flu", "gout", "(missing)")
    assert classes(found)[0, 1, 5, 6] == {"cold": 1, "flu": 1, "(missing)": 2}


def test_numbers_as_sensitive_values_are_compared_as_numbers() -> None:
    rows = [(*row[:3], value) for row, value in zip(ROWS, ("1.0", "1", "2.50", "2.5", "3"), strict=True)]
    assert Release.parse(table(rows), SCHEMA).sensitive.labels == ("1", "2.5", "3")


@pytest.mark.parametrize(
    ("names", "schema", "proposed"),
    [
        # age and AGE would both do, so neither is proposed.
        (
            ["ZIP_Code", "age", "SEX", "sex", "strasse", "Illness", "other", "AGE "],
            Schema(["zip code", "Age", "sex", "Straße"], "illness"),
            {"zip code": "ZIP_Code", "sex": "sex", "illness": "Illness", "Straße": "strasse"},
        ),
        (["?", "!"], Schema(["!"], "?"), {"!": "!", "?": "?"}),
        (["-"], Schema(["!"], "?"), {}),
        # What usually means the same: occupation and profession would both do.
        (
            ["Age_years", "PostalCode", "gender", "Diagnosis", "occupation", "profession"],
            Schema(["age", "zip", "sex", "job"], "diagnosis"),
            {"diagnosis": "Diagnosis", "age": "Age_years", "zip": "PostalCode", "sex": "gender"},
        ),
        # The same name goes first.
        (["gender", "SEX"], Schema(["sex"], "x"), {"sex": "SEX"}),
        (["gender"], Schema(["sex", "Gender"], "x"), {"Gender": "gender"}),
    ],
)
def test_columns_that_are_called_alike_or_usually_mean_the_same_are_proposed(
    names: list[str], schema: Schema, proposed: dict[str, str]
) -> None:
    assert propose_columns(names, schema) == proposed


@pytest.mark.parametrize(
    ("theirs", "mine", "same"),
    [
        (["m", "f"], ["M", "F"], {"m": "M", "f": "F"}),
        (["M", "F"], ["M", "F"], {}),
        (["m", "M"], ["M"], {}),
        (["m"], ["M", "m"], {}),
        (["m"], ["N"], {}),
    ],
)
def test_letter_case_alone(theirs: list[str], mine: list[str], same: dict[str, str]) -> None:
    assert in_my_case(theirs, mine) == same


def test_categories_in_another_letter_case_are_read_as_mine() -> None:
    """Of a release, also inside sets; people are located as if it were written as in my table."""
    schema = Schema(["sex"], "illness")
    mine = encode(Table.from_frame(pd.DataFrame({"sex": list("MFXxMF"), "illness": ["flu", "cold"] * 3})), schema)

    def candidates(texts: list[str]) -> list[int]:
        frame = pd.DataFrame({"sex": texts, "illness": ["flu", "cold"] * 2})
        found = Release.parse(Table.from_frame(frame), schema, mine=mine)
        return locate(found, Targets.of(mine, np.arange(6))).counts.tolist()

    as_mine = candidates(["{M, F}", "{M, F}", "M", "M"])
    assert as_mine == [2, 1, 0, 0, 2, 1]
    assert candidates(["{m, f}", "{m, f}", "m", "m"]) == as_mine
    assert candidates(["{m, f}", "{m, f}", "M", "M"]) == [1, 1, 0, 0, 1, 1], "they write M in two ways: two values"
    assert candidates(["{x, f}", "{x, f}", "m", "m"]) == [1, 1, 0, 1, 1, 1], "I write x in two ways"


def test_proposed_values() -> None:
    mine = ["Flu", "cold", "Heart disease", "a-b", "ab"]
    theirs = ["FLU", "flu ", "Heart-Disease", "cold", "AB", "a b", "gout", "?"]
    assert propose_values(theirs, mine) == {
        "FLU": "Flu",
        "flu ": "Flu",
        "Heart-Disease": "Heart disease",
        "cold": "cold",
    }


# ---- what is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "columns", "said"),
    [
        (table([]), None, "no rows"),
        (table(names=("a", "b", "c", "illness")), None, "none of the quasi-identifiers 'zip', 'age', 'sex'"),
        (table(names=("zip", "age", "sex", "salary")), None, "no column for the sensitive attribute 'illness'"),
        (table(names=("zip", "age", "zip", "illness")), None, "same header"),
        (table(), {"zip": "zip", "age": "zip"}, "corresponds to both 'zip' and 'age'"),
        (table(), {"zip": "illness"}, "corresponds to both"),
        (table(), {"zip": "PLZ"}, "no column 'PLZ'"),
        (table(), {"height": "age"}, "'height' is not a column"),
        (table(), {}, "none of the quasi-identifiers"),
        (table(), {"illness": "illness"}, "none of the quasi-identifiers"),
        (table([(*row[:3], "") for row in ROWS]), None, "missing"),
    ],
)
def test_tables_that_do_not_correspond(frame: pd.DataFrame, columns: dict[str, str] | None, said: str) -> None:
    message = message_of(lambda: Release.parse(frame, SCHEMA, columns=columns), InputError)
    assert said in message
    assert message.endswith(".")


def test_another_sensitive_attribute_shares_no_value() -> None:
    mine = encode(Table.from_frame(table([("13012", 3, "f", "flu"), ("x", 4, "m", "cold")])), SCHEMA)
    paid = table([(*row[:3], str(i)) for i, row in enumerate(ROWS)])
    assert "No value of" in message_of(lambda: Release.parse(paid, SCHEMA, mine=mine), InputError)
    assert Release.parse(paid, SCHEMA, mine=mine, values={SCHEMA.sensitive: {"0": "flu"}}).sensitive.size == 5


@pytest.mark.parametrize(
    ("column", "cell", "form"), [("age", "Methuselah 969", "[20-30]"), ("sex", "{Methuselah 969", "{A, B}")]
)
def test_an_unknown_form_is_named_by_place_and_never_shown(column: str, cell: str, form: str) -> None:
    rows = table([ROWS[i % 5] for i in range(20_000)], ("zip", "years", "gender", "illness"))
    theirs = {"age": "years", "sex": "gender"}[column]
    rows.loc[17_341, theirs] = cell
    names = {"zip": "zip", "age": "years", "sex": "gender"}
    message = message_of(lambda: Release.parse(rows, SCHEMA, columns=names), InputError)
    assert "row 17,342" in message
    assert f"'{theirs}'" in message
    assert form in message
    assert "Methuselah" not in message
    assert "969" not in message


@pytest.mark.parametrize(
    "text", ["\x00", "\ud800", "💥" * 500, "]" * 3000, "{" * 3000, '{"' * 999, "<" * 999, "-" * 1500]
)
@pytest.mark.parametrize("column", range(4))
def test_odd_cells_are_read_or_refused(text: str, column: int) -> None:
    rows = [list(row) for row in ROWS]
    rows[2][column] = text
    said = ""
    try:
        Release.parse(table([tuple(row) for row in rows]), SCHEMA)
    except CompositionError as error:
        said = error.message
    assert text not in said
    assert not said or "row 3" in said


# ---- what this program writes -----------------------------------------------------------


def alike(published: Published) -> list[list[tuple[str, int]]]:
    """Sensitive counts of the classes, in no order."""
    return sorted(sorted(counts.items()) for counts in classes(published).values())


def assert_located(release: Release, published: Published) -> None:
    """Every member's own class is among his candidates, and holds as many records of each value."""
    known = Targets.of(release.encoded, np.arange(len(release.encoded)))
    located = locate(published, known)
    histogram = release.histogram
    for person, label in enumerate(release.classes.labels):
        values, counts = histogram.of_class(int(label))
        texts = [release.encoded.sensitive.labels[v] for v in values]
        said: dict[str, int] = {}
        for number in located.of_person(person):
            for value, count in zip(*published.histogram.of_class(int(number)), strict=True):
                text = published.sensitive.labels[value]
                said[text] = said.get(text, 0) + int(count)
        assert all(said.get(text, 0) >= count for text, count in zip(texts, counts, strict=True))


@settings(max_examples=80)
@given(cases(), st.integers(1, 5), st.booleans())
def test_our_own_releases_are_read_back(case: Case, k: int, known: bool) -> None:
    release = partition(case.encoded, Policy(min(k, len(case))))
    published = Release.parse(release.publish(0), case.schema, mine=case.encoded if known else None, marks="missing")
    assert_located(release, published)
    # What the reader sees without parsing is what he reads off the file.
    mine = release.published
    assert alike(published) == alike(mine)
    own = locate(mine, Targets.of(case.encoded, np.arange(len(case))))
    assert all(
        release.reader_classes[label] in own.of_person(person) for person, label in enumerate(release.classes.labels)
    )


NASTY = (
    "<30",
    "20-30",
    "A-B",
    "{A, B}",
    "A",
    "B",
    "*",
    "**",
    "(missing)",
    "A or (missing)",
    '"A"',
    "130**",
    "=1",
    "'=1",
    "-",
    " A ",
    "a, b",
    "[A .. B]",
    "A .. B",
    "≥40",
    "{",
    '"',
    "'",
    "+A",
    "\tx",
    "40+",
    "20",
    "{A",
    "A}",
    "*}",
    "a or b}",
    "[1-2)",
    "a..b",
)


@settings(max_examples=100)
@given(st.data())
def test_labels_that_look_like_something_else_are_read_back(data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.sampled_from(NASTY), min_size=2, max_size=7, unique=True))
    cells = data.draw(st.lists(st.sampled_from([*labels, ""]), min_size=6, max_size=24))
    cells[0] = labels[0]
    secrets = [f"={i % 3}" for i in range(len(cells))]
    frame = pd.DataFrame({"=q": cells, "r": cells[::-1], "@s": secrets}, dtype=object)
    tree = Taxonomy.from_nested({"left": labels[:1], "right": labels[1:]}, "all")
    schemas = [
        Schema(["=q", "r"], "@s", column_types={"=q": "categorical"}, orders={"r": labels}),
        Schema(["=q"], "@s", other=["r"], taxonomies={"=q": tree}),
    ]
    schema = data.draw(st.sampled_from(schemas))
    encoded = encode(Table.from_frame(frame), schema)
    release = partition(encoded, Policy(data.draw(st.integers(1, 4))))
    out = release.publish(0)
    if data.draw(st.booleans()):
        out = pd.read_csv(io.BytesIO(csv_bytes(out)), dtype=str, keep_default_na=False)
    # Nobody but a reader of mine can tell a label such as "-" from a mark.
    known = data.draw(st.booleans()) or any(map(is_withheld, labels))
    assert_located(release, Release.parse(out, schema, mine=encoded if known else None, marks="missing"))


def test_classes_that_look_alike_are_one_to_the_reader() -> None:
    frame = pd.DataFrame({"q": ["a", "b"] * 4, "s": list("uvwxuvwx")})
    schema = Schema(["q"], "s")
    encoded = encode(Table.from_frame(frame), schema)
    release = Release.of(encoded, np.array([0, 0, 1, 1, 2, -1, 2, 3]), Policy(1), "provider-aware")
    assert classes(release.published) == {
        (0, 1, 2, 3): {"u": 1, "v": 1, "w": 1, "x": 1},
        (4, 6): {"u": 1, "w": 1},
        (7,): {"x": 1},
    }
    assert release.reader_classes.tolist() == release.published.labels[[0, 2, 4, 7]].tolist()


# ---- who fits which class ----------------------------------------------------------------------

BLOCKS = (1, 7, 1000, module.BLOCK)


def rows_of(published: Published, located: Located, person: int) -> set[int]:
    """Published rows of a person's candidate classes."""
    return set(np.flatnonzero(np.isin(published.labels, located.of_person(person))).tolist())


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 12), st.integers(1, 15), st.sampled_from(BLOCKS))
def test_candidates_equal_those_of_the_slow_twin(rng: random.Random, rows: int, people: int, block: int) -> None:
    cells, persons = random_rows(rng, rows), random_people(rng, people)
    frame = pd.DataFrame([[cell.text for cell in row] for row in cells], columns=NAMES, dtype=object).assign(s="x")
    published = Release.parse(frame, TOWN, suppression=False)
    with mock.patch.object(module, "BLOCK", block), mock.patch.object(containment, "BLOCK", block):
        located = locate(published, texts(persons))
    assert located.people == people
    for i, person in enumerate(persons):
        assert rows_of(published, located, i) == slow.rows_by_regions(cells, person)
        assert np.all(np.diff(located.of_person(i)) > 0)
    known = [True, False, True, False]
    part = locate(published, texts(persons)[["school", "age"]])
    for i, person in enumerate(persons):
        assert rows_of(published, part, i) == slow.rows_by_regions(cells, person, known), "what is not known fits all"


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 12), st.integers(1, 15), st.sampled_from(BLOCKS))
def test_nearest_centroids_equal_those_of_the_slow_twin(rng: random.Random, rows: int, people: int, block: int) -> None:
    place = {label: i for i, label in enumerate(SCHOOL)}
    cells, persons = random_people(rng, rows), random_people(rng, people)
    published = Release.parse(texts(cells).assign(s="x"), TOWN, centroids=True, marks="missing")
    with mock.patch.object(module, "BLOCK", block):
        located = locate(published, texts(persons))

    def as_numbers(row: list[Any]) -> list[Any]:
        return [row[0], row[1], place.get(row[2]), row[3]]

    for i, person in enumerate(persons):
        expected = slow.rows_by_centroid([as_numbers(row) for row in cells], as_numbers(person))
        assert rows_of(published, located, i) == expected


# ---- by hand ----------------------------------------------------------------------------

TWO = Schema(["age", "sex"], "s", column_types={"age": "numeric", "sex": "categorical"})


def published(rows: list[tuple[str, str]], **options: Any) -> Published:
    return Release.parse(pd.DataFrame(rows, columns=["age", "sex"]).assign(s="x"), TWO, **options)


def test_more_than_sixty_four_classes() -> None:
    rows = [(str(age), "f") for age in range(200)]
    found = locate(published(rows), pd.DataFrame({"age": [str(a) for a in range(-1, 201)], "sex": "f"}))
    assert found.counts.tolist() == [0] + [1] * 200 + [0]
    assert found.classes.tolist() == published(rows).labels.tolist()


def test_a_release_of_nobody() -> None:
    encoded = encode(Table.from_frame(pd.DataFrame({"q": ["1", "2"], "s": ["x", "y"]})), Schema(["q"], "s"))
    release = Release.of(encoded, np.array([-1, -1]), Policy(1), "by hand")
    assert locate(release.published, pd.DataFrame({"q": ["1", "2"]})).counts.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("frame", "error", "said"),
    [
        (pd.DataFrame({"age": []}), InputError, "at least one record"),
        (pd.DataFrame({"height": ["1"]}), ParameterError, "Nothing that is known"),
        (pd.DataFrame([["1", "2"]], columns=["age", "age"]), InputError, "the same header"),
        (pd.DataFrame({"age": ["1", "Methuselah"]}), InputError, "'age'"),
    ],
)
def test_people_who_cannot_be_located(frame: pd.DataFrame, error: type[Exception], said: str) -> None:
    message = message_of(lambda: locate(published([("[20-30]", "f")]), frame), error)
    assert said in message
    assert "Methuselah" not in message
