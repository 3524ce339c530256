"""Somebody else's release in the spellings of other programs: the same numbers, or a question that names the column."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from core import Policy, Schema, Table
from core.algorithms import partition
from core.attack.intersection import intersection_attack
from core.base.errors import InputError
from core.data.encoding.encoded import encode
from core.data.tables.cell_syntax import is_withheld
from core.study.coverage import in_reach, remarks, sensitive_shares
from core.study.uploads import Upload, open_upload, proposed_upload
from tests.strategies import message_of

SCHEMA = Schema(["age", "ward"], "dx")
WARDS, DIAGNOSES = list("ABCDE"), ["asthma", "flu", "gout", "lupus", "mumps"]
THEIR_WARDS = [*WARDS, "Z"]
"""One of them is none of mine."""


@dataclass(frozen=True)
class Group:
    """Equal records of a release: a range of ages and a set of wards, ``None`` where withheld, and a diagnosis."""

    age: tuple[int, int] | None
    ward: tuple[str, ...] | None
    dx: str | None
    count: int


def drawn(seed: int) -> tuple[Table, list[Group]]:
    """My table, and another hospital's release."""
    rng = np.random.default_rng(seed)
    mine = pd.DataFrame(
        {
            "age": rng.integers(20, 40, 60).astype(str),
            "ward": [*WARDS, *rng.choice(WARDS, 55)],
            "dx": [*DIAGNOSES, *rng.choice(DIAGNOSES, 55)],
        }
    )
    groups = []
    for _ in range(6):
        low, high = sorted(rng.integers(20, 40, 2).tolist())
        ages = None if rng.random() < 0.25 else (low, high)
        chosen = sorted(rng.choice(THEIR_WARDS, rng.integers(1, 4), replace=False).tolist())
        wards = None if rng.random() < 0.25 else tuple(chosen)
        groups += [
            Group(ages, wards, None if rng.random() < 0.05 else dx, int(rng.integers(1, 4)))
            for dx in rng.choice(DIAGNOSES, rng.integers(1, 4), replace=False).tolist()
        ]
    # A file has a value in each column, and a set of several wards, by which its separator is known.
    return Table.from_frame(mine), [*groups, Group((20, 30), ("A", "B"), "flu", 2)]


SETS: dict[str, Callable[[tuple[str, ...]], str]] = {
    "braces": lambda values: "{" + ", ".join(values) + "}",
    "commas": ",".join,
    "commas and blanks": ", ".join,
    "semicolons": ";".join,
    "bars": "|".join,
    "slashes": "/".join,
    "or": " or ".join,
    "and": " and ".join,
    "ampersands": " & ".join,
    "plus": "+".join,
    "parentheses": lambda values: f"({', '.join(values)})",
    "Python list": lambda values: str(list(values)),
    "Python list of numpy": lambda values: str(list(map(np.str_, values))),
    "Python set": lambda values: "{" + ", ".join(map(repr, values)) + "}",
    "frozenset": lambda values: f"frozenset({{{', '.join(map(repr, values))}}})",
    "JSON list": lambda values: json.dumps(list(values)),
    "numpy array": lambda values: f"[{' '.join(map(repr, values))}]",
}
RANGES: dict[str, Callable[[int, int], str]] = {
    "brackets": lambda low, high: f"[{low}-{high}]",
    "hyphen": lambda low, high: f"{low}-{high}",
    "comma": lambda low, high: f"[{low}, {high}]",
    "half open": lambda low, high: f"[{low}, {high + 1})",
    "words": lambda low, high: f"{low} to {high}",
    "in a list": lambda low, high: f"['{low}-{high}']",
}
WITHHELD = ["*", "<suppressed>", "—", "NA", "", ".", "<NA>", "nan", "n/a", "suppressed", "Any", "?", "NULL"]
COUNTS = ["count", "N", "freq", "n_patients", "Number of cases", "Anzahl", "fk", "Size"]
ENDS = [
    ("age_min", "age_max"),
    ("min_age", "max_age"),
    ("AgeLow", "AgeHigh"),
    ("Age (from)", "Age (to)"),
    ("age.lb", "age.ub"),
]
FLAGS = [("True", "False"), ("1", "0"), ("Y", "N"), ("x", "")]


@dataclass(frozen=True)
class Spelling:
    """How a release is written."""

    withheld: str = "*"
    sets: str = "braces"
    ranges: str = "brackets"
    two_columns: tuple[str, str] | None = None
    flags: tuple[str, str] | None = None
    count: str = ""
    order: int = 0

    def written(self, groups: list[Group]) -> pd.DataFrame:
        rows = [self._row(group) for group in groups]
        if self.count:
            frame = pd.DataFrame([*rows, rows[0]])
            frame[self.count] = [*(str(group.count) for group in groups), "0"]
        else:
            frame = pd.DataFrame([row for row, group in zip(rows, groups, strict=True) for _ in range(group.count)])
        rng = np.random.default_rng(self.order)
        return frame.sample(frac=1, random_state=self.order)[list(rng.permutation(frame.columns))]

    def _row(self, group: Group) -> dict[str, str]:
        row = {"dx": self.withheld if group.dx is None else group.dx}
        if self.two_columns:
            low, high = self.two_columns
            row[low], row[high] = (self.withheld,) * 2 if group.age is None else map(str, group.age)
        else:
            row["age"] = self.withheld if group.age is None else RANGES[self.ranges](*group.age)
        if self.flags:
            row |= {f"ward_{ward}": self.flags[not (group.ward is None or ward in group.ward)] for ward in THEIR_WARDS}
        elif group.ward is None:
            row["ward"] = self.withheld
        else:
            row["ward"] = group.ward[0] if len(group.ward) == 1 else SETS[self.sets](group.ward)
        return row


PLAIN = Spelling()


def upload_of(mine: Table, theirs: Table, **answers: str) -> Upload:
    return structs.replace(proposed_upload(theirs, mine, encode(mine, SCHEMA), SCHEMA, True), **answers)


def numbers(mine: Table, frame: pd.DataFrame, **answers: str) -> tuple[list[int], float]:
    """Values left for each of my people, and the share of them who can be in the file."""
    theirs, encoded = Table.from_frame(frame.astype(object)), encode(mine, SCHEMA)
    foreign = open_upload(upload_of(mine, theirs, **answers), theirs, mine, SCHEMA)
    release = partition(encoded, Policy(3))
    assert foreign.published is not None
    left = intersection_attack([release, foreign.published], [np.arange(len(encoded)), None], "published")
    return left.posterior.tolist(), in_reach(foreign, encoded)


def enumerated(mine: Table, groups: list[Group]) -> float:
    """Share of my records that fit a class, one by one."""
    rows = mine.to_frame()
    there = [
        any(
            (group.age is None or group.age[0] <= int(age) <= group.age[1])
            and (group.ward is None or ward in group.ward)
            and (group.age is not None or group.ward is not None)  # else it is suppressed
            for group in groups
        )
        for age, ward in zip(rows["age"], rows["ward"], strict=True)
    ]
    return sum(there) / len(there)


spellings = st.builds(
    Spelling,
    withheld=st.sampled_from(WITHHELD),
    sets=st.sampled_from(list(SETS)),
    ranges=st.sampled_from(list(RANGES)),
    two_columns=st.sampled_from([None, *ENDS]),
    flags=st.sampled_from([None, *FLAGS]),
    count=st.sampled_from(["", *COUNTS]),
    order=st.integers(0, 9),
)


@settings(max_examples=150)
@given(seed=st.integers(0, 10_000), spelling=spellings)
def test_each_spelling_of_a_release_gives_the_same_numbers(seed: int, spelling: Spelling) -> None:
    """Each form must be read: a refusal fails."""
    mine, groups = drawn(seed)
    # One true value for each ward is how such files write a withheld set; a row of nothing else is not told as one.
    groups = [group for group in groups if not (spelling.flags and group.age is None and group.ward is None)]
    expected = numbers(mine, PLAIN.written(groups))
    assert numbers(mine, spelling.written(groups), count=spelling.count) == expected
    assert expected[1] == pytest.approx(enumerated(mine, groups))


@pytest.mark.parametrize("count", COUNTS)
def test_a_column_of_counts_is_asked_about(count: str) -> None:
    mine, groups = drawn(0)
    frame = Spelling(count=count).written(groups)
    assert f"'{count}'" in message_of(lambda: numbers(mine, frame), InputError)
    assert numbers(mine, frame, count="") == numbers(mine, frame.drop(columns=count)), "each row one record"
    masked = frame.assign(**{count: ["<5", *frame[count][1:]]})
    said = message_of(lambda: numbers(mine, masked, count=count), InputError)
    assert f"row 1 of the column '{count}' is masked" in said
    assert "<5" not in said


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), mark=st.sampled_from([mark for mark in WITHHELD if mark != "*"]))
def test_marks_are_asked_about_where_values_of_mine_are_missing(seed: int, mark: str) -> None:
    mine, groups = drawn(seed)
    whole = mine.to_frame()
    own = Table.from_frame(whole.assign(ward=["", *whole["ward"][1:]], dx=["", *whole["dx"][1:]]))
    starred, marked = PLAIN.written(groups), Spelling(withheld=mark).written(groups)
    with_marks = [name for name in ("ward", "dx") if (marked[name] == mark).any()]
    if not with_marks:
        assert numbers(own, marked) == numbers(own, starred)
        return
    assert any(f"'{name}'" in message_of(lambda: numbers(own, marked), InputError) for name in with_marks)
    assert numbers(own, marked, marks="withheld") == numbers(own, starred)


def test_a_separator_is_known_from_sets_of_my_values() -> None:
    """A set with a value that I do not have is a set where others of the column show the separator."""
    mine, _ = drawn(0)

    def reached(*wards: str) -> float:
        frame = pd.DataFrame({"age": "*", "ward": wards, "dx": "flu"})
        return numbers(mine, frame)[1]

    only_a, a_and_b = (np.mean([ward in each for ward in mine.to_frame()["ward"]]) for each in ("A", "AB"))
    assert reached("A", "B") == pytest.approx(a_and_b)
    assert reached("A,Z", "A,B") == pytest.approx(a_and_b)
    assert reached("A,Z", "A") == pytest.approx(only_a), "nothing shows that the comma is none of a value"


def test_one_end_of_a_range_is_no_value() -> None:
    mine, groups = drawn(0)
    frame = Spelling(two_columns=ENDS[0]).written(groups).drop(columns="age_max")
    theirs = Table.from_frame(frame)
    upload = upload_of(mine, theirs)
    assert upload.theirs("age") is None
    chosen = structs.replace(upload, columns=(*upload.columns, ("age", "age_min")))
    said = message_of(lambda: open_upload(chosen, theirs, mine, SCHEMA), InputError)
    assert "'age_min' is one end of a range" in said


def test_what_was_read_otherwise_is_said() -> None:
    mine, groups = drawn(0)
    spelling = Spelling(withheld="NA", two_columns=ENDS[0], count="n")
    theirs = Table.from_frame(spelling.written([*groups, Group(None, ("A",), None, 1)]))
    upload = upload_of(mine, theirs, count="n")
    said = remarks(upload, theirs, open_upload(upload, theirs, mine, SCHEMA), encode(mine, SCHEMA))
    assert "The columns 'age_min' to 'age_max' are read as one, 'age'." in said
    assert any("withheld value of 'dx'" in sentence for sentence in said)
    assert "Each row counts as the column 'n' says." in said
    marked = Table.from_frame(Spelling(withheld="NA").written([Group(None, ("A",), "flu", 2)]))
    upload = upload_of(mine, marked)
    said = remarks(upload, marked, open_upload(upload, marked, mine, SCHEMA), encode(mine, SCHEMA))
    assert said == ("Empty cells and marks such as NA in 'age' are read as withheld: each fits every value.",)
    strange = Table.from_frame(PLAIN.written([Group(None, ("A",), "flu", 3), Group(None, ("Z", "Y"), "flu", 1)]))
    upload = upload_of(mine, strange)
    said = remarks(upload, strange, open_upload(upload, strange, mine, SCHEMA), encode(mine, SCHEMA))
    assert said == (
        ("25.0% of its records have a value of 'ward' that I do not have, so none of my people is found among them."),
    )


# ---- codes ----------------------------------------------------------------------------------------------


MINE = pd.DataFrame(
    {"age": ["30"] * 6, "ward": ["A"] * 6, "dx": ["E11.9", "E11.65", "I10", "I63.9", "S72.001A", "J45.1"]}
)


def coded(dx: list[str], released: bool = True) -> tuple[Upload, list[str]]:
    """What is proposed for a file, and the values left for my first person."""
    mine = Table.from_frame(MINE)
    theirs = Table.from_frame(pd.DataFrame({"age": "30", "ward": "A", "dx": dx}))
    encoded = encode(mine, SCHEMA)
    upload = proposed_upload(theirs, mine, encoded, SCHEMA, released)
    published = open_upload(upload, theirs, mine, SCHEMA).published
    if published is None:
        return upload, []
    release = partition(encoded, Policy(6))
    result = intersection_attack([release, published], [np.arange(6), None], "published")
    return upload, sorted(result.candidates(0))


def test_a_coarser_code_means_every_code_of_mine_below_it() -> None:
    for coarse in ("E11", "E11.*", "E11.-", "E11*"):
        upload, left = coded([coarse, "I63", "I10"])
        assert sorted(upload.values) == [(coarse, "E11.65"), (coarse, "E11.9"), ("I63", "I63.9")]
        assert left == ["E11.65", "E11.9", "I10", "I63.9"]
    assert coded(["E11", "I10"], released=False)[0].values == (), "a record has one value"


def test_a_finer_code_means_the_code_of_mine_above_it() -> None:
    assert coded(["I10.0", "E119"])[0].values == (("E119", "E11.9"), ("I10.0", "I10"))


def test_a_sensitive_column_in_another_coding_has_few_values_of_mine() -> None:
    mine = Table.from_frame(MINE)
    for dx, shares in ((["other"] * 9 + ["I10"], (0.1, 1 / 6)), (list(MINE["dx"]), (1, 1))):
        theirs = Table.from_frame(pd.DataFrame({"age": "30", "ward": "A", "dx": dx}))
        upload = upload_of(mine, theirs)
        found = sensitive_shares(open_upload(upload, theirs, mine, SCHEMA), encode(mine, SCHEMA))
        assert found == pytest.approx(shares)


def test_words_that_may_be_values_are_no_marks() -> None:
    """A withheld value rules nothing out, so a diagnosis that is called none must not be read as one."""
    assert [word for word in ("none", "Unknown", "missing") if is_withheld(word)] == []
