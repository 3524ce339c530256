"""Tables of counts as releases: what is possible in a group, whatever its publisher masked, rounded or left out."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from core import CompositionError, Schema, intersection_attack
from core.base.errors import InputError
from core.cli import main
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.data.tables.table import Table
from core.release.count_settings import settings_of
from core.release.made_counts import MadeCounts
from core.release.published.count_table import (
    CountRules,
    count_columns,
    lengthened,
    narrow,
    possible_rows,
    rounded_from,
    rules_of,
)
from core.study.coverage import remarks
from core.study.uploads import open_upload, proposed_upload
from tests.files import read_table

VALUES = ["asthma", "flu", "gout"]
WARDS = ["east", "west"]


def possible(
    rows: list[tuple[Any, ...]], rules: CountRules, groups: tuple[str, ...] = ("ward",)
) -> set[tuple[str, ...]]:
    table = Table.from_frame(pd.DataFrame(rows, columns=[*groups, "ill", "n"]).astype(str))
    left = possible_rows(table, (*groups, "ill"), "n", VALUES, rules).rows
    return set(left.to_frame()[[*groups, "ill"]].itertuples(index=False, name=None))


@st.composite
def published_counts(draw: st.DrawFn) -> tuple[Counter[tuple[str, str]], list[tuple[str, str, str]], CountRules]:
    """People, the table of their counts as somebody publishes it, and what that publisher says about it."""
    cells = list(itertools.product(WARDS, VALUES))
    counts = Counter({cell: draw(st.integers(0, 9)) for cell in cells})
    below, base = draw(st.sampled_from([0, 3, 5])), draw(st.sampled_from([1, 5]))
    rounding = draw(st.sampled_from(["nearest", "up", "down", "random"]))
    zeros = draw(st.sampled_from(["shown", "masked", "left out", "left out with masked"]))
    mark = draw(st.sampled_from(["below", "*", ""]))
    shown_values = draw(st.sampled_from([VALUES, VALUES[:2]]))
    totals = draw(st.sampled_from(["none", "exact"]))

    def rounded(number: int) -> int:
        down = number // base * base
        up = down if down == number else down + base
        return {
            "nearest": down if number - down <= up - number else up,
            "up": up,
            "down": down,
            "random": draw(st.sampled_from([down, up])),
        }[rounding]

    rounds_first = draw(st.booleans())
    masks_zero = zeros in ("masked", "left out with masked")
    rows, absent = [], "zero" if zeros == "left out" else "either"
    for (ward, value), number in counts.items():
        if value not in shown_values:
            continue
        published = rounded(number)
        masked = 0 < (published if rounds_first else number) < below or (number == 0 and masks_zero)
        if (number == 0 and zeros == "left out") or (masked and zeros == "left out with masked"):
            continue
        text = (
            str(published) if not masked else f"<{below}" if mark == "below" and below else mark.replace("below", "*")
        )
        rows.append((ward, value, text))
    if totals == "exact":
        rows += [(ward, "Total", str(rounded(sum(counts[ward, value] for value in VALUES)))) for ward in WARDS]
        rows += [("all", value, str(rounded(sum(counts[ward, value] for ward in WARDS)))) for value in shown_values]
    everyone = len(shown_values) == len(VALUES)
    meaning = "either" if masks_zero else "masked"
    rules = CountRules(
        absent=absent if everyone else "either",
        blank=meaning,
        mark=meaning,
        below=below,
        rounded=base,
        rounding=rounding,
        totals=draw(st.sampled_from(["one", "most", "several"] if everyone else ["most", "several"])),
    )
    return counts, rows, rules


@settings(deadline=None, max_examples=400)
@given(published_counts())
def test_a_true_value_is_never_ruled_out(
    published: tuple[Counter[tuple[str, str]], list[tuple[str, str, str]], CountRules],
) -> None:
    counts, rows, rules = published
    if not sum(counts.values()) or not any(ward in WARDS and value in VALUES for ward, value, _ in rows):
        return
    kept = possible(rows, rules)
    wards = {ward for ward, value, _ in rows if ward in WARDS and value in VALUES}
    assert {cell for cell, number in counts.items() if number and cell[0] in wards} <= kept


def enumerated(rows: list[tuple[str, str, str]], spans: dict[str, range]) -> set[tuple[str, str]]:
    """Cells that have people in some population that fits the numbers: the slow twin, one cell per person."""
    cells = [row for row in rows if row[0] in WARDS and row[1] in VALUES]
    totals = [row for row in rows if row not in cells]
    found = set()
    for numbers in itertools.product(*(spans[text] for _, _, text in cells)):
        population = {(ward, value): n for (ward, value, _), n in zip(cells, numbers, strict=True)}
        if all(
            sum(n for cell, n in population.items() if w in (cell[0], "all") and v in (cell[1], "Total")) in spans[text]
            for w, v, text in totals
        ):
            found |= {cell for cell, n in population.items() if n}
    return found


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.booleans())
def test_what_is_possible_is_what_enumeration_finds(numbers: list[int], with_totals: bool) -> None:
    cells = list(itertools.product(WARDS, VALUES))
    rows = [(*cell, "<3" if n < 3 else str(n)) for cell, n in zip(cells, numbers, strict=True)]
    if with_totals:  # of groups alone: line by line is then exact
        rows += [
            (ward, "Total", str(sum(numbers[i] for i, cell in enumerate(cells) if cell[0] == ward))) for ward in WARDS
        ]
    spans = {
        "<3": range(3),
        **{str(n): range(n, n + 1) for n in range(3, 20)},
        **{str(n): range(n, n + 1) for n in range(3)},
    }
    rules = CountRules(totals="one")
    if with_totals and not any(numbers):
        with pytest.raises(InputError, match="Every count is 0"):
            possible(rows, rules)
    else:
        assert possible(rows, rules) == enumerated(rows, spans)


def test_several_tables_of_the_same_people_may_tell_more_than_each_leaves() -> None:
    """Three people: the old one and the man have b, so the young woman has a; the intersection leaves her a and b."""
    people = [("young", "female", "a"), ("young", "male", "b"), ("old", "female", "b")]
    encoded = encode(
        Table.from_frame(pd.DataFrame(people, columns=["age", "sex", "ill"])), Schema(["age", "sex"], "ill")
    )
    tables = [MadeCounts.of(encoded, settings_of(f"{name}; below=0")).published for name in ("age", "sex")]
    result = intersection_attack(tables, encoded_people(people[:1]), "published")
    assert result.posterior.tolist() == [2]
    every = itertools.product(("young", "old"), ("female", "male"), "ab")
    margins = [Counter(person[:1] + person[2:] for person in people), Counter(person[1:] for person in people)]
    margins.append(Counter(person[:2] for person in people))
    fits = [
        world
        for world in itertools.combinations_with_replacement([*every], 3)
        if [Counter(p[:1] + p[2:] for p in world), Counter(p[1:] for p in world), Counter(p[:2] for p in world)]
        == margins
    ]
    assert {person[2] for world in fits for person in world if person[:2] == ("young", "female")} == {"a"}


def encoded_people(people: list[tuple[str, str, str]]) -> pd.DataFrame:
    """What is known about some people."""
    return pd.DataFrame(people, columns=["age", "sex", "ill"])[["age", "sex"]]


@pytest.mark.parametrize(
    ("text", "ends"),
    [("7", (7, 7)), ("1,234", (1234, 1234)), ("<5", (0, 4)), ("≤ 5", (0, 5)), ("1-4", (1, 4)), ("5+", (5, math.inf))],
)
def test_a_count_is_an_interval(text: str, ends: tuple[float, float]) -> None:
    rows = [("east", "flu", text), ("east", "gout", "9"), ("east", "asthma", "9")]
    table = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    left = possible_rows(table, ["ward", "ill"], "n", VALUES, CountRules()).rows
    weight = {row[1]: int(row[2]) for row in left.to_frame().itertuples(index=False, name=None)}
    middle = ends[0] if math.isinf(ends[1]) else sum(ends) / 2
    assert weight["flu"] == max(1, round(middle))


@pytest.mark.parametrize("rounding", ["nearest", "up", "down", "random"])
@pytest.mark.parametrize("base", [1, 2, 3, 5, 10])
def test_a_rounded_count_may_be_every_count_that_is_rounded_to_it_and_no_other(rounding: str, base: int) -> None:
    def ways(count: int) -> set[int]:
        down = count // base * base
        up = down if down == count else down + base
        far = 2 * (count - down) - base
        ends = {"up": {up}, "down": {down}, "random": {down, up}}
        return ends.get(rounding) or {n for n, chosen in ((down, far <= 0), (up, far >= 0)) if chosen}

    for shown in range(0, 31, base):
        counts = [count for count in range(60) if shown in ways(count)]
        assert rounded_from(shown, CountRules(rounded=base, rounding=rounding)) == (min(counts), max(counts))


def test_a_masked_count_excludes_zero_only_if_zeros_are_told_apart() -> None:
    totals = [("east", "Total", "9")]
    rows = [("east", "flu", "<5"), ("east", "gout", "9"), ("east", "asthma", "0"), *totals]
    with_zero = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    assert possible_rows(with_zero, ["ward", "ill"], "n", VALUES, CountRules(totals="one")).contradiction == 4
    rows[2] = ("east", "asthma", "<5")
    assert possible(rows, CountRules(totals="one")) == {("east", "gout")}


def test_totals_are_used_only_as_far_as_their_publisher_says() -> None:
    several = [("east", "flu", "5"), ("east", "gout", "<5"), ("east", "asthma", "<5"), ("east", "Total", "5")]
    assert possible(several, CountRules()) == {("east", value) for value in VALUES}
    assert possible(several, CountRules(totals="most")) == {("east", "flu")}
    hidden = [("east", "flu", "7"), ("east", "gout", "1"), ("east", "asthma", "<5"), ("east", "Total", "10")]
    assert ("east", "asthma") in possible(hidden, CountRules(totals="most"))


def test_numbers_that_contradict_each_other_leave_the_totals_unused() -> None:
    lower, upper = np.array([3.0, 0.0]), np.array([3.0, 4.0])
    assert narrow(lower, upper, [(6, np.array([0, 1]), 2.0, 2.0)], "one") == 7
    assert (lower.tolist(), upper.tolist()) == ([3.0, 0.0], [3.0, 4.0])


@pytest.mark.parametrize(
    ("rows", "rules", "words"),
    [
        ([("east", "flu", "*")], "", "mark=masked"),
        ([("east", "flu", "")], "", "blank=masked"),
        ([("east", "flu", "3")], "", "lacks some combinations"),
        ([("east", "flu", "secret7")], "absent=zero", "cannot be read"),
        ([("east", "flu", "4-2")], "absent=zero", "cannot be read"),
        ([("east", "flu", "3"), ("east", "flu", "3")], "absent=zero", "occur together in two rows"),
        ([("east", "Total", "3")], "absent=zero", "is a total"),
        ([("east", "flu", "1.000")], "absent=zero", "cannot be read"),
        ([("east", "flu", "9" * 400)], "absent=zero", "cannot be read"),
        ([("east", "flu", "*"), ("east", "gout", "-")], "absent=zero, mark=zero", "several marks"),
    ],
)
def test_what_is_not_said_is_asked_and_nothing_is_guessed(rows: Any, rules: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        possible(rows, rules_of(rules))
    assert "secret7" not in caught.value.message


def test_a_mark_next_to_small_counts_may_hide_a_large_one() -> None:
    """The second count of a row is masked so that its total does not give the first one away."""
    rows = [("east", "flu", "<5"), ("east", "gout", "*"), ("east", "asthma", "90"), ("east", "Total", "100")]
    rows += [("west", value, "50") for value in VALUES] + [("all", "flu", "50")]
    assert possible(rows, rules_of("mark=masked, totals=one")) >= {("east", "gout")}
    left = possible_rows(
        Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"])),
        *(["ward", "ill"], "n", VALUES, rules_of("mark=masked, totals=one")),
    )
    weight = {row[:2]: row[2] for row in left.rows.to_frame().itertuples(index=False, name=None)}
    assert (left.contradiction, weight["east", "gout"]) == (0, "10")


def test_a_group_under_a_star_is_no_total() -> None:
    rows = [("east", value, "9") for value in VALUES] + [
        ("*", value, n) for value, n in zip(VALUES, "301", strict=True)
    ]
    assert ("east", "flu") in possible(rows, CountRules())


def test_a_value_of_mine_is_no_total() -> None:
    rows = [("east", "ALL", "3"), ("east", "flu", "3")]
    table = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    for mine, left in (({"ill": ["ALL", "flu"]}, {"ALL", "flu"}), ({}, {"flu"})):
        found = possible_rows(table, ["ward", "ill"], "n", [], CountRules(), mine)
        assert set(found.rows.column("ill").labels) == left


def test_a_total_is_not_read_as_a_value_that_begins_like_it() -> None:
    mine = Table.from_frame(city(300, 1).replace({"asthma": "allergy"}))
    rows = [("east", "flu", "6"), ("east", "allergy (any)", "3"), ("east", "All", "9")]
    theirs = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    assert proposed_upload(theirs, mine, encode(mine, SCHEMA), SCHEMA, counts="absent=zero").values == ()


def test_columns_of_counts_hold_counts_and_marks_and_marks_alone_only_under_a_name_of_counts() -> None:
    frame = pd.DataFrame({"a": ["3", "*"], "b": ["*", "x"], "n": ["*", ""], "count": ["3", "three"], "c": ["<5", "7"]})
    assert count_columns(Table.from_frame(frame), {"c"}) == ("a", "n")


def test_absent_counts_are_rounded_zeros_where_counts_are_rounded() -> None:
    rows = [("east", "flu", "5"), ("west", "gout", "5"), ("west", "flu", "0")]
    assert ("west", "flu") in possible(rows, rules_of("absent=zero, rounded=5"))
    assert ("west", "asthma") in possible(rows, rules_of("absent=zero, rounded=5"))


def test_a_total_says_nothing_of_rows_that_were_dropped() -> None:
    """West was dropped with its two people with flu: the total of flu does not put them into east."""
    rows = [("east", "flu", "<5"), ("east", "gout", "<5"), ("east", "Total", "4"), ("all", "flu", "6")]
    assert ("east", "gout") in possible(rows, rules_of("absent=either, totals=one"))


def test_numbers_that_never_settle_leave_the_totals_unused() -> None:
    lower, upper, both = np.zeros(2), np.full(2, 1e9), np.array([0, 1])
    totals = [(3, both, 1e9, 1e9), (4, both, 1e9 - 1, 1e9 - 1)]
    assert narrow(lower, upper, totals, "one") in (4, 5)
    assert (lower.tolist(), upper.tolist()) == ([0, 0], [1e9, 1e9])
    assert narrow(lower, upper, [(6, np.array([], dtype=np.int64), 3.0, 3.0)], "one") == 7


@pytest.mark.parametrize(
    "text",
    [
        *("absent", "absent=none", "below=-1", "rounded=0", "colour=red", "below=2000000", "below=5, below=9"),
        pytest.param("below=" + "9" * 4301, id="of 4,301 digits"),
    ],
)
def test_rules_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(CompositionError):
        rules_of(text)


def test_rules_are_read_from_one_text() -> None:
    rules = rules_of("absent=masked, blank=zero,mark=either , below=5, rounded=5, rounding=up, totals=most")
    assert rules == CountRules("masked", "zero", "either", 5, 5, "up", "most")
    assert rules_of("") == CountRules()


def test_a_wide_table_is_the_long_one() -> None:
    wide = pd.DataFrame([("east", "3", "0", "<5"), ("west", "7", "1", "2")], columns=["ward", *VALUES])
    long, _ = lengthened(Table.from_frame(wide), VALUES, "ill", "count")
    rows = set(long.to_frame()[["ward", "ill", "count"]].itertuples(index=False, name=None))
    assert rows == {
        (ward, value, str(wide.loc[i, value])) for i, ward in enumerate(["east", "west"]) for value in VALUES
    }
    wide["Gout (other)"], wide["Total"], wide["name"], wide["year"] = "1", "12", "x", "7"
    long, count = lengthened(Table.from_frame(wide), VALUES, "ill", "name", {"ward", "year"})
    assert (count, set(long.names)) == ("name_", {"ward", "name", "year", "ill", "name_"})
    assert set(long.column("ill").labels) == {*VALUES, "Gout (other)", "Total"}
    assert lengthened(long, VALUES, "ill", "count") == (long, "")


def city(people: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, people).astype(str),
            "ward": np.array(WARDS)[rng.integers(0, 2, people)],
            "ill": np.array(["asthma", "flu", "gout", "none"])[rng.integers(0, 4, people)],
        }
    )


SCHEMA = Schema(["age", "ward"], "ill", column_types={"age": "numeric"})


def counted(frame: pd.DataFrame) -> pd.DataFrame:
    banded = frame.assign(age=[f"{int(age) // 10 * 10}-{int(age) // 10 * 10 + 9}" for age in frame["age"]])
    return banded.value_counts().rename("n_patients").reset_index().astype(str)


def test_zeros_that_are_left_out_are_zeros_that_are_shown() -> None:
    mine, counts = Table.from_frame(city(300, 1)), counted(city(60, 2))
    groups = counts[["age", "ward"]].drop_duplicates()
    every = groups.merge(pd.DataFrame({"ill": ["asthma", "flu", "gout", "none"]}), how="cross")
    shown = every.merge(counts, how="left").fillna({"n_patients": "0"})
    encoded = encode(mine, SCHEMA)
    left = []
    for frame, rules in ((counts, "absent=zero"), (shown, "below=1"), (counts, "absent=masked")):
        theirs = Table.from_frame(frame)
        upload = proposed_upload(theirs, mine, encoded, SCHEMA, counts=rules)
        published = open_upload(upload, theirs, mine, SCHEMA).published
        assert published is not None
        left.append(np.bincount(np.unique(published.labels, return_counts=True)[1]).tolist())
    assert left[0] == left[1]
    assert len(left[2]) == 5
    assert left[2][4] == len(groups)


def test_values_that_a_spreadsheet_would_run_are_found_in_a_table_that_was_written() -> None:
    """Nothing is lacking, so what absence means is not asked."""
    frame = city(60, 1)
    frame["ill"] = np.resize(["-x", "x", "+y", "=z"], 60)
    mine = Table.from_frame(frame)
    long = pd.MultiIndex.from_product(
        [["20-29", "30-39"], WARDS, ["-x", "x", "+y", "=z"]], names=["age", "ward", "ill"]
    )
    written = long.to_frame(index=False).assign(n_patients="9")
    wide = written.pivot_table("n_patients", ["age", "ward"], "ill", "first").reset_index()
    for counts in (written, wide):
        theirs = read_table(csv_bytes(counts))
        assert "-x" not in theirs.names
        upload = proposed_upload(theirs, mine, encode(mine, SCHEMA), SCHEMA, counts="below=5")
        foreign = open_upload(upload, theirs, mine, SCHEMA)
        assert foreign.possible is not None
        assert (foreign.possible.absent, len(foreign.possible.rows)) == (0, 16)


def test_a_group_that_cannot_be_read_is_named_by_its_row_in_the_file() -> None:
    mine, counts = Table.from_frame(city(300, 1)), counted(city(60, 2))
    ages = counts["age"].tolist()
    ages[0], ages[4] = "Total", "[20-"
    wide = pd.DataFrame({"age": ages[:6], "ward": WARDS[:1] * 6, "asthma": "3", "gout": "4"})
    for frame in (counts.assign(age=ages), wide):
        theirs = Table.from_frame(frame)
        upload = proposed_upload(theirs, mine, encode(mine, SCHEMA), SCHEMA, counts="absent=zero")
        with pytest.raises(InputError, match="'age' in row 5 cannot be read"):
            open_upload(upload, theirs, mine, SCHEMA)


def test_a_wide_file_with_a_value_in_other_words_and_one_that_is_missing() -> None:
    """Flu is called Influenza there, and nobody is counted whose diagnosis is missing."""
    frame = city(80, 1)
    frame["ill"] = np.where(np.arange(80) % 9 == 0, "", frame["ill"])
    mine, schema = Table.from_frame(frame), SCHEMA.with_(missing="category", missing_tokens=[""])
    wide = pd.DataFrame({"ward": WARDS, "asthma": ["9", "0"], "gout": ["4", "4"], "Influenza": ["0", "3"]})
    theirs = Table.from_frame(wide.assign(none=["1", "0"]))
    upload = proposed_upload(theirs, mine, encode(mine, schema), schema, counts="absent=zero")
    upload = structs.replace(upload, values=(("Influenza", "flu"),))
    foreign = open_upload(upload, theirs, mine, schema)
    assert foreign.possible is not None
    left = foreign.possible.rows.to_frame()
    assert [sorted(left["ill"][left["ward"] == ward]) for ward in WARDS] == [
        ["(missing)", "asthma", "gout", "none"],
        ["(missing)", "Influenza", "gout"],
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"centroids": True}, "no means in its cells"),
        ({"columns": (("ill", "ill"),)}, "No quasi-identifier"),
        ({"count": "many"}, "no column 'many'"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(change: dict[str, Any], words: str) -> None:
    mine, theirs = Table.from_frame(city(300, 1)), Table.from_frame(counted(city(60, 2)))
    upload = proposed_upload(theirs, mine, encode(mine, SCHEMA), SCHEMA, counts="absent=zero")
    with pytest.raises(InputError, match=words):
        open_upload(structs.replace(upload, **change), theirs, mine, SCHEMA)


def test_the_gate_attacks_a_table_of_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    city(300, 1).to_csv(tmp_path / "mine.csv", index=False)
    counted(city(60, 2)).to_csv(tmp_path / "counts.csv", index=False)
    call = ["attack", "--data", str(tmp_path / "mine.csv"), "--qids", "age,ward", "--sensitive", "ill", "-k", "3"]
    call += ["--overlap", "50", "--repeats", "1", "--json", "--others", str(tmp_path / "counts.csv")]
    assert main([*call, "--count", "n_patients", "--counts", "absent=zero"]) == 0
    out, err = capsys.readouterr()
    zero = json.loads(out)["numbers"]["one_value_left"]["value"]
    assert "is read as a table of counts" in err
    assert "missing combinations are read as no one, as you said" in err
    assert "one value left is then a lower bound" in err
    assert "Each row counts as" not in err
    assert main([*call, "--count", "n_patients", "--counts", "absent=masked"]) == 0
    masked = json.loads(capsys.readouterr().out)["numbers"]["one_value_left"]["value"]
    assert zero > masked
    assert main([*call, "--count", "n_patients", "--counts", "below=5"]) == 2
    assert "lacks some combinations" in capsys.readouterr().err


def test_what_was_decided_about_a_table_of_counts_is_said() -> None:
    mine = Table.from_frame(city(300, 1))
    rows = [("east", "flu", "6"), ("east", "gout", "*"), ("east", "none", ""), ("east", "Total", "5")]
    theirs = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    rules = "absent=zero, mark=masked, blank=either, totals=most"
    upload = proposed_upload(theirs, mine, encode(mine, SCHEMA), SCHEMA, counts=rules)
    said = " ".join(remarks(upload, theirs, open_upload(upload, theirs, mine, SCHEMA), encode(mine, SCHEMA)))
    assert "1 missing combination is read as no one" in said
    assert "1 empty count is read as no one or a masked count" in said
    assert "1 count that is a mark is read as a masked count of 1 or more" in said
    assert "The total in row 4 contradicts the counts that it adds up" in said
    assert re.search(r"4\d.\d% of my records fit no group", said)


def test_a_total_says_no_more_than_its_cells_if_people_are_in_combinations_that_are_absent() -> None:
    rows = [("east", "flu", "3"), ("east", "Total", "10")]
    absent = CountRules(absent="either", below=2, totals="one")
    table = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    assert possible_rows(table, ["ward", "ill"], "n", VALUES, absent).contradiction == 0


def test_a_total_that_is_hidden_by_the_mark_of_its_cells_says_nothing() -> None:
    rows = [(ward, value, "*") for ward in WARDS for value in VALUES] + [("all", "Total", "*")]
    table = Table.from_frame(pd.DataFrame(rows, columns=["ward", "ill", "n"]))
    masked = CountRules(mark="masked", below=5, totals="most")
    assert possible_rows(table, ["ward", "ill"], "n", VALUES, masked).contradiction == 0
