"""Proposed roles, missing values, remarks and columns that follow from others: by rule, and on anything at all."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core import Schema, Table, examples, read_table
from core.base.errors import RepeatedIdentifierError, SchemaError
from core.data.encoding.encoded import encode
from core.data.encoding.missing import (
    SPELLINGS,
    MissingToken,
    count_missing,
    find_tokens,
    missing_cells,
    missing_labels,
)
from core.data.profiling.cautions import cautions
from core.data.profiling.derived_columns import Follows, described, what_follows
from core.data.profiling.proposal import propose
from core.data.schemas import icd
from core.data.schemas.header_topics import (
    AGE,
    BIRTH,
    CONTACT,
    DATE,
    DIAGNOSIS,
    HEALTH,
    JOB,
    MARITAL,
    MONEY,
    NAME,
    NUMBER,
    ORIGIN,
    PLACE,
    PROVIDER,
    SEX,
    WORK,
    ZIP,
    topic_of,
)
from core.data.schemas.schema import ColumnType, Role

GANTA = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def table(**columns: list[str]) -> Table:
    return Table.from_frame(pd.DataFrame({name.replace("_", " "): cells for name, cells in columns.items()}))


def roles(proposal) -> dict[str, str]:
    return {column.name: str(column.role) for column in proposal.columns}


def column_types(proposal) -> dict[str, ColumnType]:
    return {column.name: column.column_type for column in proposal.columns}


# --- known tables ------------------------------------------------------------------------------


def test_adult_gets_the_roles_of_the_paper(adult_bytes):
    found = read_table(adult_bytes.replace(b"income\n", b"salary-class\n", 1))
    proposal = propose(found)
    assert proposal.schema.quasi_identifiers == GANTA
    assert proposal.schema.sensitive == "occupation"
    assert set(proposal.schema.other) == set(found.names) - {*GANTA, "occupation"}
    assert [(token.token, token.cells, token.likely) for token in proposal.tokens] == [("?", 4262, True)]
    assert proposal.reasons["education-num"] == "Says the same as 'education'"


def test_the_city_gets_its_own_roles():
    proposal, schema = propose(examples.city(5_000)), examples.city_schema()
    assert proposal.schema.quasi_identifiers == schema.quasi_identifiers
    assert proposal.schema.sensitive == schema.sensitive
    assert column_types(proposal)["zip code"] is ColumnType.CATEGORICAL
    assert "leading zeros" in proposal.reasons["zip code"]
    # "none" is a level of education here, and only a candidate.
    assert proposal.schema.missing_tokens == ("",)
    assert [(token.token, token.likely) for token in proposal.tokens] == [("none", False)]


@pytest.mark.parametrize("example", examples.worked_examples(), ids=lambda example: example.name)
def test_worked_examples_get_their_own_roles(example):
    for found in example.tables:
        schema = propose(found).schema
        assert set(schema.quasi_identifiers) == set(example.schema.quasi_identifiers)
        assert schema.sensitive == example.schema.sensitive
        assert schema.identifiers == example.schema.identifiers


# --- rules -------------------------------------------------------------------------------------

ROLES = {"i": "identifier", "q": "quasi-identifier", "s": "sensitive", "o": "other", "p": "provider"}
WORKERS = {"age": ["1", "2", "3", "3"], "job": [*"pqrp"]}
TOLD: dict[str, tuple[dict[str, list[str]], str]] = {
    "German": (
        {
            "Vorname": ["Anna", "Karl", "Anna", "Ute"],
            "Geschlecht": [*"wmww"],
            "Alter": ["34", "35", "36", "34"],
            "PLZ": ["01067", "10115", "80331", "01067"],
            "Familienstand": ["ledig", "ledig", "verheiratet", "ledig"],
            "Hauptdiagnose": ["I10", "E11", "I10", "J45"],
        },
        "iqqqqs",
    ),
    "French": ({"Nom": [*"ABC"], "Âge": [*"343"], "Sexe": [*"fhf"], "Maladie": [*"xyx"]}, "iqqs"),
    "texts of their own are identifiers and measurements are not": (
        {
            "code": [f"k{n:03d}" for n in range(40)],
            "reading": [f"{n}.5" for n in range(40)],
            "sex": ["f", "m"] * 20,
            "diagnosis": ["a", "b", "c", "d"] * 10,
        },
        "ioqs",
    ),
    "one value": ({"age": [*"3453"], "country": [*"XXXX"], "disease": [*"abab"]}, "qos"),
    "one provider": ({"hospital": [*"ABAB"], "site": [*"1212"], "age": [*"1233"], "disease": [*"abab"]}, "poqs"),
    "an illness before money": (WORKERS | {"income": [*"5675"], "illness": [*"abab"]}, "qqos"),
    "money before work": (WORKERS | {"income": [*"5675"]}, "qqs"),
    "work before two incomes": (WORKERS | {"income": ["high", "low", "high", "low"]}, "qso"),
    "headers that tell nothing": ({"a": [*"1231"], "b": [*"xyxy"], "c": [*"pqrp"]}, "qqs"),
}


@pytest.mark.parametrize("what", TOLD)
def test_roles_go_by_headers_and_values(what):
    columns, letters = TOLD[what]
    assert roles(propose(table(**columns))) == {
        name: ROLES[letter] for name, letter in zip(columns, letters, strict=True)
    }


def test_guesses_and_left_out_columns_say_why():
    reasons = propose(table(a=[*"1231"], b=[*"xyxy"], c=[*"pqrp"])).reasons
    assert reasons["a"].startswith("A guess")
    reasons = propose(table(age=[*"3453"], country=[*"XXXX"], disease=[*"abab"])).reasons
    assert reasons["country"] == "The same value in every record"


def test_numbers_too_far_apart_to_subtract_are_categories():
    proposal = propose(table(age=["1e308", "-1e308", "3", "4"], disease=["a", "b", "a", "b"]))
    assert column_types(proposal)["age"] is ColumnType.CATEGORICAL


@pytest.mark.parametrize(
    ("header", "topic"),
    [
        ("age", AGE),
        ("Age at diagnosis", AGE),
        ("stage", None),
        ("language", ORIGIN),
        ("DateOfBirth", BIRTH),
        ("date_of_admission", DATE),
        ("Geburtsdatum", BIRTH),
        ("zip", ZIP),
        ("Postal code", ZIP),
        ("native-country", PLACE),
        ("sex", SEX),
        ("essex", None),
        ("marital-status", MARITAL),
        ("workclass", WORK),
        ("work hours", None),
        ("hours-per-week", None),
        ("occupation", JOB),
        ("ICD10", DIAGNOSIS),
        ("Condition", DIAGNOSIS),
        ("Hauptdiagnose", DIAGNOSIS),
        ("medication", HEALTH),
        ("HIV status", HEALTH),
        ("salary-class", MONEY),
        ("first name", NAME),
        ("Patient", NAME),
        ("drug name", HEALTH),
        ("patient_id", NUMBER),
        ("PatientID", NUMBER),
        ("SSN", NUMBER),
        ("id", NUMBER),
        ("e-mail", CONTACT),
        ("Straße", CONTACT),
        ("hospital", PROVIDER),
        ("hospital id", PROVIDER),
        ("hospital stay days", None),
        ("", None),
        ("42", None),
        ("relationship", None),
    ],
)
def test_what_a_header_says(header, topic):
    assert topic_of(header) == topic


def test_a_hundred_thousand_categories_are_left_out():
    rows = 100_000
    found = table(
        city=[f"place {n}" for n in range(rows)],
        sex=["f", "m"] * (rows // 2),
        disease=["a", "b", "c", "d"] * (rows // 4),
    )
    proposal = propose(found)
    assert roles(proposal)["city"] == "other"
    assert proposal.reasons["city"] == "More than 50,000 values"


@pytest.mark.parametrize(
    "columns",
    [
        {"age": ["1", "2", "3"]},
        {"age": ["1", "1"], "disease": ["a", "a"]},
        {"age": ["", "", ""], "disease": ["", "", ""]},
        {"age": ["30"], "disease": ["a"]},
        {"a": [str(n) for n in range(50)], "b": [f"x{n}" for n in range(50)]},
    ],
    ids=["one column", "one value each", "all missing", "one record", "all unique"],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence(columns):
    with pytest.raises(SchemaError, match="No column can be sensitive"):
        propose(table(**columns))


HEADERS = [
    "age",
    "sex",
    "zip",
    "name",
    "id",
    "disease",
    "income",
    "occupation",
    "hospital",
    "notes",
    "x",
    "date",
    "race",
]
CELLS = ("", "?", "NA", "1", "2", "03", "1.5", "1e308", "-1e308", "a", "b", "c", "2024-01-31", "=1+1", "<b>", "x" * 80)


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(HEADERS), min_size=1, max_size=6, unique=True))
    rows = draw(st.integers(1, 30))
    return Table.from_frame(
        pd.DataFrame(
            {
                name: draw(st.lists(st.sampled_from(CELLS) | st.integers(0, 40).map(str), min_size=rows, max_size=rows))
                for name in names
            },
            dtype=object,
        )
    )


@given(tables())
def test_any_table_gets_a_schema_that_works_or_a_refusal(found):
    try:
        proposal = propose(found)
    except SchemaError:
        return
    try:
        encoded = encode(found, proposal.schema)
    except RepeatedIdentifierError:  # *Data* asks whose a record is
        encoded = encode(found, proposal.schema.with_(rows_are_people=True))
    assert len(encoded) == len(found)
    assert [column.name for column in proposal.columns] == list(found.names)
    cells = {label for column in found.columns for label in column.labels if len(label) > 3} - set(found.names)
    assert not [reason for reason in proposal.reasons.values() for cell in cells if cell in reason]
    for caution in cautions(found, proposal.schema):
        assert not [cell for cell in cells if cell in caution.text]


# --- missing values ----------------------------------------------------------------------------


def test_a_word_is_missing_only_among_numbers():
    found = table(age=["1", "2", "3", "NA"], disease=["a", "b", "c", "b"])
    assert propose(found).schema.missing_tokens == ("", "NA")
    assert column_types(propose(found))["age"] is ColumnType.NUMERIC
    assert column_types(propose(found, missing_tokens=()))["age"] is ColumnType.CATEGORICAL
    country = table(country=["NA", "DE", "FR", "DE"], age=["1", "2", "3", "NA"], disease=["a", "b", "c", "b"])
    assert propose(country).schema.missing_tokens == ("",), "NA may be Namibia, and a token counts in every column"
    assert [token.token for token in propose(country).tokens] == ["NA"]


@pytest.mark.parametrize(
    ("cells", "token", "likely"),
    [
        (["+", "-", "+", "+"], "-", False),  # a sign among signs
        (["A", "-", "B", "AB"], "-", True),
        (["-", "-", "B", "AB"], "-", False),  # it fills half of the column
        (["?", "?", "?", "70"], "?", True),  # a question mark means nothing else
        (["NA"] * 3 + ["White"], "NA", True),  # what programs write for no value
        (["NA", "DE", "FR", "Oman"], "NA", True),  # not all are codes of its length
        (["N/A"] * 3 + ["White"], "N/A", True),
        (["NULL"] * 3 + ["White"], "NULL", True),
        (["NaN"] * 3 + ["White"], "NaN", True),
    ],
)
def test_what_is_likely_to_mean_missing(cells, token, likely):
    (found,) = find_tokens(table(group=cells, age=["1", "2", "3", "4"]))
    assert found == MissingToken(token, cells.count(token), ("group",), likely)


def test_a_hospital_table_gets_the_roles_of_its_headers():
    rows = 400
    some = [f"{n % 90 * 7 + 1}" for n in range(rows)]
    found = table(
        encounter_id=[str(n) for n in range(rows)],
        patient_nbr=[str(n // 2) for n in range(rows)],
        race=["A", "B", "?", "C"] * (rows // 4),
        gender=["f", "m"] * (rows // 2),
        age=["[0-10)", "[10-20)", "[20-30)", "[30-40)"] * (rows // 4),
        weight=["?"] * (rows - 4) + ["70", "80", "90", "60"],
        diag_1=["250.83", "V58", "?", "428", *some[4:]],
        diag_2=["401", "E880", "8", "38", *some[4:]],
    )
    schema = propose(found).schema
    assert schema.identifiers == ("encounter id",)
    assert schema.person == "patient nbr"
    assert schema.sensitive == "diag 1"
    assert schema.quasi_identifiers == ("race", "gender", "age")
    assert schema.missing_tokens == ("", "?")
    assert schema.orders["age"] == ("[0-10)", "[10-20)", "[20-30)", "[30-40)")
    assert schema.taxonomies["diag 1"].height == 2


@pytest.mark.parametrize(
    ("chapter_of", "code", "chapter"),
    [
        (icd.chapter_of_ten, "A00", "A00-B99"),
        (icd.chapter_of_ten, "B99.9", "A00-B99"),
        (icd.chapter_of_ten, "C00", "C00-D49"),
        (icd.chapter_of_ten, "D50", "D50-D89"),
        (icd.chapter_of_ten, "H59", "H00-H59"),
        (icd.chapter_of_ten, "H60.1", "H60-H95"),
        (icd.chapter_of_ten, "T98", "S00-T98"),
        (icd.chapter_of_ten, "U07.1", "U00-U99"),
        (icd.chapter_of_ten, "V01", "V00-Y99"),
        (icd.chapter_of_ten, "Z34", "Z00-Z99"),
        (icd.chapter_of_nine, "8", "001-139"),
        (icd.chapter_of_nine, "140", "140-239"),
        (icd.chapter_of_nine, "250.83", "240-279"),
        (icd.chapter_of_nine, "999", "800-999"),
        (icd.chapter_of_nine, "V58", "V01"),
        (icd.chapter_of_nine, "E880", "E800"),
    ],
)
def test_chapters_of_the_icd(chapter_of, code, chapter):
    assert chapter_of(code).startswith(chapter)


def test_what_is_no_code_has_no_chapters():
    assert icd.chapter_taxonomy(["flu", "gout", "asthma"]) is None
    assert icd.chapter_taxonomy([str(n) for n in range(1, 6)]) is None, "a few numbers are no codes of diseases"
    assert icd.chapter_taxonomy(["J00", "J01", "J02"]) is None, "one chapter tells nothing apart"
    labels = ["J00", "A09", *(f"K{n}" for n in range(20, 60)), "unclear"]
    assert set(icd.chapter_taxonomy(labels).leaf_labels) == set(labels)


@given(tables(), st.lists(st.sampled_from(("?", "NA", "a", "nowhere")), unique=True))
def test_missing_records_are_counted_as_one_by_one(found, tokens):
    assume(len(found.names) > 1)
    *quasi, sensitive = found.names
    schema = Schema(quasi, sensitive, missing_tokens=tokens)
    counted, frame, absent = count_missing(found, schema), found.to_frame(), {"", *tokens}
    lacks = frame[quasi].isin(absent).any(axis=1)
    hidden = frame[sensitive].isin(absent)
    assert (counted.quasi, counted.sensitive, counted.either) == (lacks.sum(), hidden.sum(), (lacks | hidden).sum())
    assert counted.cells == {name: frame[name].isin(absent).sum() for name in found.names}
    assert [counted.left_out(missing) for missing in ("category", "drop", "complete")] == [
        0,
        lacks.sum(),
        (lacks | hidden).sum(),
    ]


@given(tables())
def test_tokens_are_counted_as_one_by_one(found):
    frame = found.to_frame()
    expected = {token: int((frame == token).to_numpy().sum()) for token in SPELLINGS}
    assert {token.token: token.cells for token in find_tokens(found)} == {t: n for t, n in expected.items() if n}
    for column in found.columns:
        inside = frame[column.name].isin(("", "a", "?"))
        assert missing_cells(found, column, ("", "a", "?")) == inside.sum()
        assert missing_labels(column, ("", "a", "?")) == frame[column.name][inside].nunique()


# --- remarks -----------------------------------------------------------------------------------


def remark(found: Table, schema: Schema) -> dict[str, str]:
    return {caution.column: caution.text for caution in cautions(found, schema)}


def test_remarks_on_what_is_probably_not_meant():
    rows = 60
    found = table(
        constant=["x"] * rows,
        own=[f"k{n}" for n in range(rows)],
        day=[f"2024-01-{n % 28 + 1:02d}" for n in range(rows)],
        age=[str(n % 30) for n in range(rows)],
        disease=["a", "b"] * (rows // 2),
    )
    texts = remark(found, Schema(["constant", "own", "day", "age"], "disease", column_types={"day": "categorical"}))
    assert set(texts) == {"constant", "own", "day", "disease"}
    assert "same value in every record" in texts["constant"]
    assert "differs in every record" in texts["own"]
    assert "give it the column type date" in texts["day"]
    assert "only two values" in texts["disease"]


def test_remarks_on_many_values():
    rows = 600
    found = table(
        place=[f"p{n % 300}" for n in range(rows)],
        age=["1", "2"] * (rows // 2),
        code=[f"c{n % 290}" for n in range(rows)],
    )
    texts = remark(found, Schema(["place", "age"], "code"))
    assert set(texts) == {"place", "code"}
    assert "300 values and no taxonomy" in texts["place"]
    assert "290 values in 600 records" in texts["code"]


def test_no_remarks_on_the_city_or_on_a_schema_of_another_table():
    assert cautions(examples.city(3_000), examples.city_schema()) == ()
    assert cautions(table(a=["1", "2"], b=["x", "y"]), Schema(["age"], "disease")) == ()


def test_dates_of_one_format_have_the_kind_date_and_others_are_not_guessed():
    born = [f"{n % 28 + 1:02d}.{n % 12 + 1:02d}.19{n % 40 + 40}" for n in range(60)]
    rows = table(birth=born, zip=[str(n % 7) for n in range(60)], disease=["a", "b", "c"] * 20)
    assert propose(rows).schema.column_types["birth"] is ColumnType.DATE
    either = table(birth=["01.02.1950", "11.12.1960"] * 12, zip=["1", "2"] * 12, disease=["a", "b", "c"] * 8)
    refused = {column.name: column for column in propose(either).columns}["birth"]
    assert (refused.role, refused.column_type) == (Role.OTHER, ColumnType.DATE)
    assert refused.reason == "Dates whose day and month can be either way round"


def test_years_of_two_digits_are_remarked_on():
    rows = table(seen=["31.01.24", "14.06.24"] * 10, age=["1", "2", "3", "4"] * 5, disease=["a", "b", "c", "d"] * 5)
    assert "1969 to 2068" in remark(rows, Schema(["seen", "age"], "disease"))["seen"]


# ---- columns that follow from others -----------------------------------------------------------


def slow(rows: dict[str, list[str]], sources: list[str]) -> list[Follows]:
    """Pair the values of each two columns row by row."""
    out = []
    for name, values in rows.items():
        for source in sources:
            known = rows[source]
            pairs = set(zip(known, values, strict=True))
            seen_again = {value for key, value in pairs if known.count(key) > 1}
            often = 2 * len(set(known)) <= len(known)
            if name != source and often and len(pairs) == len(set(known)) and len(seen_again) > 1:
                out.append(Follows(name, source, len(set(values)) == len(set(known))))
                break
    return out


@given(st.data())
def test_the_same_as_row_by_row(data):
    rows = data.draw(st.integers(2, 12))
    cells = st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows)
    table = {name: data.draw(cells) for name in ("x", "y", "z")}
    table["w"] = [{"a": "1", "b": "1", "c": "2"}[value] for value in table["x"]]
    sources = data.draw(st.permutations(list(table)).map(lambda names: names[:2]))
    assert list(what_follows(Table.from_frame(pd.DataFrame(table)), sources)) == slow(table, sources)


def test_a_logarithm_says_the_same_and_a_band_follows():
    stay = 1 + np.arange(400) % 40
    frame = pd.DataFrame(
        {
            "number": range(400),
            "los": stay,
            "lnhlos": np.log(stay).round(6),
            "long": stay > 7,
            "year": 2019,
            "sex": np.arange(400) % 3,
        }
    )
    table = Table.from_frame(frame.astype(str))
    found = what_follows(table, ["number", "los", "sex"])
    assert [(one.column, one.text) for one in found] == [
        ("lnhlos", "Follows from 'los': anyone who knows one knows the other"),
        ("long", "Follows from 'los': anyone who knows 'los' knows it"),
    ]
    assert not what_follows(table, ["number"]), "from what never repeats anything follows"


def test_a_code_is_described_by_a_column_of_texts_that_has_one_for_each() -> None:
    rng = np.random.default_rng(2)
    code = rng.integers(1, 6, 80)
    frame = pd.DataFrame(
        {
            "code": code.astype(str),
            "doubled": (2 * code).astype(str),
            "coarse": np.where(code < 3, "low", "high"),
            "description": [f"group {'abcde'[number - 1]}" for number in code],
        }
    )
    table = Table.from_frame(frame)
    assert described(table, ["code"]) == {str(number): f"group {'abcde'[number - 1]}" for number in range(1, 6)}
    assert described(Table.from_frame(frame.drop(columns="description")), ["code"]) == {}, "numbers describe nothing"
    assert described(table, ["code", "coarse"]) == {}
    assert not what_follows(examples.city(), examples.city_schema().quasi_identifiers)
