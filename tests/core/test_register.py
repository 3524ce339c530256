"""The publication register: its numbers against attacking the files directly, old files, refusals, no cell in it."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from core import Policy, Schema, Table, dp
from core.algorithms import partition
from core.base.errors import CompositionError, InputError
from core.base.json_files import digest_of
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.register import Publication, Register, added, link, match_files, publication_of, worst_first
from core.register.linked import SetNumbers, numbers_of
from core.register.recipients import EVERYONE, in_words
from core.release.count_settings import settings_of
from core.release.made_counts import MadeCounts
from core.release.published_content import content_digest, in_one_form
from tests.files import read_table
from tests.reference import register as slow
from tests.registered import people

DOCS = Path(__file__).parents[2] / "docs" / "publication-register.md"
DAY = date(2026, 1, 31)


def as_read(frame: pd.DataFrame) -> Table:
    """What comes back of a frame that was written as a file."""
    return read_table(csv_bytes(frame))


def published(frame: pd.DataFrame, qids: list[str], k: int, **more: Any) -> tuple[Publication, Table]:
    """A release of some people, entered with its record, and its private copy."""
    table = Table.from_frame(frame)
    release = partition(encode(table, Schema(qids, "ill", identifiers=["id"], unassigned="drop")), Policy(k))
    copy = as_read(release.publish(key=table.column("id")))
    return structs.replace(publication_of(release, DAY).with_copy(copy, "id"), **more), copy


def counted(frame: pd.DataFrame, groups: list[str], below: int = 5) -> tuple[Publication, Table, Table]:
    """A table of counts with masked cells and its groups of persons; combinations that are absent are zero."""
    many = frame.groupby([*groups, "ill"]).size().reset_index(name="n")
    many["n"] = [f"<{below}" if n < below else str(n) for n in many["n"]]
    table, copy = as_read(many), as_read(frame[[*groups, "id"]])
    columns = {"quasi_identifiers": tuple(groups), "sensitive": ("ill",), "count": "n", "counts": "absent=zero"}
    own = Publication("counts", DAY, name="dashboard.csv", **columns)
    own = structs.replace(own, content=own.digest(table, own.columns)).with_copy(copy, "id")
    return own, table, copy


def slow_rows(copy: Table, qids: list[str]) -> slow.Held:
    rows = [*zip(*(copy.column(name).texts() for name in ("id", "ill", *qids)), strict=True)]
    left: dict[object, set[str]] = defaultdict(set)
    for _, ill, *cells in rows:
        left[tuple(cells)].add(ill)
    return slow.Held(
        {person: tuple(cells) for person, _, *cells in rows},
        {"ill": {group: frozenset(values) for group, values in left.items()}},
    )


def slow_counts(table: Table, copy: Table, groups: list[str]) -> slow.Held:
    left: dict[object, set[str]] = defaultdict(set)
    for ill, n, *cells in zip(*(table.column(name).texts() for name in ("ill", "n", *groups)), strict=True):
        if n != "0":
            left[tuple(cells)].add(ill)
    persons = zip(*(copy.column(name).texts() for name in ("id", *groups)), strict=True)
    return slow.Held(
        {person: tuple(cells) for person, *cells in persons},
        {"ill": {group: frozenset(values) for group, values in left.items()}},
    )


def five() -> tuple[Register, list[Table], dict[int, slow.Held]]:
    """Five publications about overlapping people, with all files of them, and the same for the slow twin."""
    frame = people(400)
    first, copy = published(frame[:300], ["age", "zip"], 5, name="a.csv")
    second, later = published(frame[100:], ["age", "work"], 6, kind="version", version_of=1)
    board, table, groups = counted(frame[:300], ["zip", "work"])
    other, theirs = published(frame[200:400], ["zip", "work"], 4, kind="other", name="theirs.csv")
    noisy = Publication("noisy", DAY, epsilon=0.5, delta=1e-9, records=300)
    register = Register()
    for own, names in ((first, ["A"]), (second, ["B"]), (board, ["A", "C"]), (other, ["C"]), (noisy, ["B", "C"])):
        register = register.add(own, names)
    held = {
        1: slow_rows(copy, ["age", "zip"]),
        2: slow_rows(later, ["age", "work"]),
        3: slow_counts(table, groups, ["zip", "work"]),
        4: slow_rows(theirs, ["zip", "work"]),
    }
    return register, [copy, later, table, groups, theirs], held


RECEIVED = {"A": [1, 3], "B": [2, 5], "C": [3, 4, 5]}


def test_five_publications_and_three_recipients_are_what_attacking_the_files_gives() -> None:
    register, files, held = five()
    done = register.assessed(match_files(register.publications, files))
    expected = slow.standings(held, RECEIVED)
    assert len(expected) == 6
    for standing in done.standings():
        numbers = standing.numbers
        assert numbers is not None
        got = numbers.people, numbers.one_value_left, numbers.small_set, numbers.none_left
        assert got == expected[standing.recipients], standing.recipients
        assert standing.not_assessed == ()
    assert 0 < expected["A",][1] < expected["A", "C"][1]
    costs = {standing.recipients: standing.cost for standing in done.standings()}
    assert costs["A",] == dp.Cost(0.0)
    assert costs["A", "B"] == costs["B",] == costs["B", "C"] == dp.Cost(0.5, 1e-9)  # one table, received twice


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_random_publications_agree_with_the_slow_twin(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 1000))
    rng, frame = np.random.default_rng(seed), people(60, seed)
    linked, held = [], []
    for number in range(1, data.draw(st.integers(1, 4)) + 1):
        some = frame.sample(int(rng.integers(12, 60)), random_state=seed + number)
        some = some.assign(age=some["age"].str[0] + "0s")
        qids = data.draw(st.sampled_from([["age"], ["zip", "work"], ["age", "zip"]]))
        if data.draw(st.booleans()):
            own, table, copy = counted(some, qids)
            linked.append(link(structs.replace(own, number=number), copy, table))
            held.append(slow_counts(table, copy, qids))
        else:
            own, copy = published(some, qids, 3, number=number)
            linked.append(link(own, copy))
            held.append(slow_rows(copy, qids))
    numbers = numbers_of(linked)
    assert (numbers.people, numbers.one_value_left, numbers.small_set, numbers.none_left) == slow.numbers(held)
    shares = [slow.share(held, place) for place in range(len(held))]
    assert [(own.people, own.one_value_left, own.small_set) for own in numbers.each] == shares
    assert numbers.worst("one_value_left")[0] >= numbers_of(linked[:1]).worst("one_value_left")[0]


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_equal_cells_of_other_people_numbers_written_otherwise_and_withheld_rows_agree_with_the_slow_twin(
    data: st.DataObject,
) -> None:
    """Files find their publications by their people, ``3`` is ``3.0`` in all of them, and ``*`` rules nothing out."""
    entries, files, held = list[Publication](), list[Table](), list[slow.Held]()
    some: list[tuple[str, str]] = []
    for number in range(1, data.draw(st.integers(1, 3), "publications") + 1):
        persons = data.draw(st.lists(st.integers(1, 14), min_size=2, max_size=14, unique=True), "people")
        if not some or data.draw(st.booleans(), "other cells"):
            some = data.draw(st.lists(st.tuples(st.sampled_from("345*"), st.sampled_from("12")), min_size=14), "cells")
            some[0] = ("3", some[0][1])
        groups, ills = zip(*some, strict=True)
        frame = pd.DataFrame([*zip(map(str, persons), groups, ills, strict=False)], columns=["id", "age", "ill"])
        if data.draw(st.booleans(), "whole rows withheld"):
            frame["ill"] = frame["ill"].where(frame["age"] != "*", "*")
        own, of_own = numbered(number, frame, data)
        entries.append(own)
        files += of_own
        left = frame.groupby("age")["ill"].agg(frozenset).drop("*", errors="ignore")
        classes = [None if group == "*" else group for group in frame["age"]]
        held.append(slow.Held(dict(zip(frame["id"], classes, strict=True)), {"ill": left.to_dict()}))
    linked = match_files(entries, data.draw(st.permutations(files), "files"))
    numbers = numbers_of([*linked.values()])
    assert (numbers.people, numbers.one_value_left, numbers.small_set, numbers.none_left) == slow.numbers(held)


def numbered(number: int, frame: pd.DataFrame, data: st.DataObject) -> tuple[Publication, list[Table]]:
    """A release or a table of counts of some people, and its files, each column with or without a decimal point."""

    def written(columns: pd.DataFrame) -> Table:
        for name in columns:
            if name != "n" and data.draw(st.booleans(), f"{name} with decimals"):
                texts = columns[name].astype(str)
                columns = columns.assign(**{name: texts.where(texts == "*", texts + ".0")})
        return as_read(columns)

    roles = {"quasi_identifiers": ("age",), "sensitive": ("ill",)}
    if data.draw(st.booleans(), "rows"):
        copy = written(frame)
        return Publication("release", DAY, number=number, **roles).with_copy(copy, "id"), [copy]
    counted = frame if data.draw(st.booleans(), "withheld groups counted") else frame[frame["age"] != "*"]
    counts = counted.groupby(["age", "ill"]).size().reset_index(name="n")
    table, copy = written(counts), written(frame[["id", "age"]])
    own = Publication("counts", DAY, number=number, count="n", counts="absent=zero", **roles)
    own = structs.replace(own, content=own.digest(table, own.columns))
    return own.with_copy(copy, "id"), [table, copy]


def test_a_publication_that_is_withheld_rules_nothing_out() -> None:
    """Of a column of which no cell is shown, or of rows of which none is; not even if there is one value only."""
    frame = pd.DataFrame({"id": [*map(str, range(40))], "age": ["1"] * 20 + ["2"] * 20, "ill": "flu"})
    for hidden, small in (({"age": "**"}, 0), ({"ill": "*"}, 0), ({"age": "*", "ill": "*"}, 0)):
        copy = as_read(frame.assign(**hidden))
        own = Publication("release", DAY, quasi_identifiers=("age",), sensitive=("ill",)).with_copy(copy, "id")
        numbers = numbers_of([link(own, copy)])
        assert (numbers.people, numbers.one_value_left, numbers.small_set, numbers.none_left) == (40, 0, small, 0)
    some = as_read(frame.assign(age=[*map(str, range(4))] * 10, ill="*"))
    own = Publication("release", DAY, quasi_identifiers=("age",), sensitive=("ill",)).with_copy(some, "id")
    assert numbers_of([link(own, some)]).small_set == 40, "classes are seen without their values"


def test_a_withheld_group_of_a_table_of_counts_rules_nothing_out() -> None:
    """Not of who is in it, and not elsewhere: a star in a release is no missing value that a table may leave out."""
    roles = {"quasi_identifiers": ("age",), "sensitive": ("ill",)}
    table = as_read(pd.DataFrame({"age": ["1", "*"], "ill": ["flu", "gout"], "n": ["2", "2"]}))
    copy = as_read(pd.DataFrame({"id": list("pqrs"), "age": ["1", "1", "*", "*"]}))
    rows = as_read(pd.DataFrame({"id": list("rs"), "age": ["2", "*"], "ill": ["gout", "*"]}))
    counts = Publication("counts", DAY, number=1, count="n", counts="absent=zero", **roles).with_copy(copy, "id")
    release = Publication("release", DAY, number=2, **roles).with_copy(rows, "id")
    one, other = link(counts, copy, table), link(release, rows)
    assert (numbers_of([one]).one_value_left, numbers_of([one, other]).one_value_left) == (2, 3)


@pytest.mark.parametrize(
    "one, other, are_same",
    [
        ("3", "3.0", True),
        ("3.50", "3.5", True),
        ("[20.0, 30.00)", "[20, 30)", True),
        ("'=a", "=a", True),
        ("03", "3", False),
        ("1.10.0", "1.1.0", False),
        ("v1.0", "v1", False),
        ("100", "1", False),
    ],
)
def test_cells_that_are_the_same(one: str, other: str, are_same: bool) -> None:
    assert (in_one_form(one) == in_one_form(other)) == are_same


def test_a_word_that_may_be_a_total_or_a_value_is_refused() -> None:
    own, table, copy = counted(people(40).assign(ill="ALL"), ["zip"])
    with pytest.raises(InputError, match="can be a total or a value"):
        link(own, copy, table)


# ---- several sensitive columns, and columns published as they are ----------------------------------


@pytest.mark.parametrize("totals, word", [("hidden", "none"), ("shown", "overall")])
def test_a_value_that_is_called_total_is_one_where_the_table_says_which_word_is_the_total(
    totals: str, word: str
) -> None:
    """The rules that come with a made table name the word; without them the word is asked for."""
    frame = pd.DataFrame({"id": [*map(str, range(60))], "age": ["1", "2"] * 30, "ill": ["Total"] * 31 + ["ALL"] * 29})
    schema = Schema(["age"], "ill", identifiers=["id"], unassigned="drop")
    made = MadeCounts.of(encode(Table.from_frame(frame), schema), settings_of(f"age; below=40; totals={totals}"))
    assert made.rules.total == word
    table, copy = as_read(made.table().to_frame()), as_read(frame[["age", "id"]])
    micro, rows = published(frame, ["age"], 60, number=1)
    own = Publication("counts", DAY, number=2, quasi_identifiers=("age",), sensitive=("ill",), count="count")
    said = structs.replace(own, counts=made.rules.text).with_copy(copy, "id")
    alone, both = numbers_of([link(said, copy, table)]), numbers_of([link(micro, rows), link(said, copy, table)])
    assert (alone.people, alone.one_value_left, both.one_value_left) == (60, 0, 0)
    unsaid = structs.replace(own, counts="absent=zero, below=40").with_copy(copy, "id")
    with pytest.raises(InputError, match="total=none"):
        numbers_of([link(micro, rows), link(unsaid, copy, table)])


def test_other_published_columns_link_publications_as_in_the_attack() -> None:
    """Two classes share both values, and only one of them with the same drug; the true tuple is never ruled out."""
    one = pd.DataFrame({"id": list("pqrs"), "age": ["1", "1", "2", "2"], "ill": list("abab"), "drug": list("uvuv")})
    two = pd.DataFrame({"id": list("psqr"), "zip": ["x", "x", "y", "y"], "ill": list("abba"), "drug": list("uvvu")})
    both = [as_read(one), as_read(two)]

    def numbers(sensitive: tuple[str, ...], unmodified: tuple[str, ...]) -> tuple[int, int]:
        linked = []
        for place, (copy, qid) in enumerate(zip(both, ("age", "zip"), strict=True), 1):
            own = Publication(
                "release", DAY, number=place, quasi_identifiers=(qid,), sensitive=sensitive, unmodified=unmodified
            )
            linked.append(link(own.with_copy(copy, "id"), copy))
        got = numbers_of(linked)
        return got.one_value_left, got.none_left

    assert numbers(("ill",), ()) == (0, 0)
    assert numbers(("ill",), ("drug",)) == (0, 0)
    assert numbers(("ill", "drug"), ()) == (0, 0)
    both[1] = as_read(two.assign(drug=["u", "w", "w", "u"]))
    assert numbers(("ill",), ()) == (0, 0)
    assert numbers(("ill",), ("drug",)) == (4, 0)  # b goes with another drug in the two, so it is struck out
    assert numbers(("ill", "drug"), ()) == (4, 0)  # none of whose values would be left of the drug alone


def test_a_group_that_is_not_counted_and_a_suppressed_row_rule_nothing_out() -> None:
    frame = people(40).assign(zip="a", work="u")
    own, table, copy = counted(frame, ["zip", "work"], below=2)
    more = as_read(pd.concat([copy_frame(copy), pd.DataFrame({"zip": ["b"], "work": ["u"], "id": ["stranger"]})]))
    whole = structs.replace(own, copy="", key="").with_copy(more, "id")
    with pytest.raises(InputError, match="1 of 41 rows of the private copy are in no group"):
        link(whole, more, table)  # a group that is absent is one of no one
    there = link(structs.replace(whole, counts="absent=masked, below=2"), more, table)
    assert (numbers_of([there]).people, numbers_of([there]).one_value_left) == (41, 0)
    starred = copy_frame(copy).assign(ill=frame["ill"].to_numpy())
    starred.loc[0, ["zip", "work"]] = "*"
    rows = as_read(starred)
    micro = Publication("release", DAY, quasi_identifiers=("zip", "work"), sensitive=("ill",)).with_copy(rows, "id")
    assert numbers_of([link(micro, rows)]).small_set == 0  # of the suppressed person it says nothing


def test_who_is_in_no_group_is_not_taken_for_one_of_the_last_group_and_a_changed_value_leaves_none() -> None:
    rows = pd.DataFrame({"id": list("pqrs"), "age": list("aabb"), "ill": ["flu", "gout", "flu", "gout"]})
    micro = Publication("release", DAY, number=1, quasi_identifiers=("age",), sensitive=("ill",))
    own = link(micro.with_copy(as_read(rows), "id"), as_read(rows))
    table = as_read(pd.DataFrame({"ward": ["x", "x"], "ill": ["flu", "gout"], "n": ["3", "0"]}))
    copy = as_read(pd.DataFrame({"id": list("pqrs"), "ward": ["x", "x", "x", "elsewhere"]}))
    counts = Publication("counts", DAY, number=2, quasi_identifiers=("ward",), sensitive=("ill",), count="n")
    counts = structs.replace(counts, counts="absent=masked, below=5").with_copy(copy, "id")
    assert numbers_of([own, link(counts, copy, table)]).one_value_left == 3  # of s the table says nothing
    later = rows.assign(age="c", ill=["asthma", "gout", "flu", "gout"]).iloc[:1]
    changed = link(structs.replace(micro, number=3).with_copy(as_read(later), "id"), as_read(later))
    both = numbers_of([own, changed])
    assert (both.people, both.none_left, both.one_value_left) == (4, 1, 0)


def copy_frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame({column.name: column.texts() for column in table.columns})


def test_masked_combinations_may_be_values_that_only_another_publication_names() -> None:
    """With absent=masked a value of the release that the table of counts never names stays possible."""
    frame = pd.DataFrame({"id": list("pq"), "age": ["1", "1"], "ill": ["=a", "b"]})
    micro, copy = as_read(frame), as_read(frame[["id", "age"]])
    release = Publication("release", DAY, number=1, quasi_identifiers=("age",), sensitive=("ill",))
    table = as_read(pd.DataFrame({"age": ["1"], "ill": ["=a"], "n": ["2"]}))
    for absent, expected in (("zero", 2), ("masked", 0)):
        own = Publication(
            *("counts", DAY),
            number=2,
            quasi_identifiers=("age",),
            sensitive=("ill",),
            count="n",
            counts=f"absent={absent}, below=5",
        )
        linked = [link(release.with_copy(micro, "id"), micro), link(own.with_copy(copy, "id"), copy, table)]
        assert numbers_of(linked).one_value_left == expected


# ---- the file ------------------------------------------------------------------------------------


def small() -> tuple[Register, Table]:
    own, copy = published(people(40), ["age"], 5, name="a.csv")
    return Register().add(own, ["A"]).assessed({1: link(structs.replace(own, number=1), copy)}), copy


def test_the_file_comes_back_as_it_was_and_has_no_cell() -> None:
    register, files, _ = five()
    done = register.assessed(match_files(register.publications, files))
    text = done.to_json()
    assert Register.from_json(text) == done
    assert Register.from_json(text).to_json() == text
    assert "ZZ" not in text
    frame = people(400)
    words = {word for name in ("age", "zip", "work") for word in frame[name]} - {*"abcdefghuvwxyz"}
    assert not {f'"{word}"' for word in words} & set(text.split())


def test_the_documentation_names_every_field() -> None:
    described = {
        name.strip("`")
        for row in DOCS.read_text(encoding="utf-8").splitlines()
        if row.startswith("| `")
        for name in row.split("|")[1].replace(" ", "").split(",")
    }
    fields = {name for struct in (Publication, Register, SetNumbers) for name in struct.__struct_fields__}
    assert described == fields | {"format", "digest"}


def changed(**fields: Any) -> str:
    facts = {**json.loads(small()[0].to_json()), **fields}
    return json.dumps({**facts, "digest": digest_of(facts)})


def entry(**fields: Any) -> list[dict[str, Any]]:
    return [{**json.loads(small()[0].to_json())["publications"][0], **fields}]


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "not a publication register"),
        ("[1]", "not a publication register"),
        (json.dumps({"format": "composition release record"}), "not a publication register"),
        (lambda: small()[0].to_json().replace("a.csv", "b.csv"), "changed after it was written"),
        (lambda: changed(schema_version=1), "a version other than 2"),
        (lambda: changed(schema_version="1"), "a version other than 2"),
        (lambda: changed(more=1), "unknown field 'more'"),
        (lambda: changed(publications=entry(number=2)), "numbered from 1"),
        (lambda: changed(publications=entry(kind="paper")), "kind must be one of"),
        (lambda: changed(publications=entry(kind="noisy", epsilon=-1)), "epsilon must be"),
        (lambda: changed(publications=entry(epsilon=1)), "Only a noisy table"),
        (lambda: changed(publications=entry(kind="noisy", epsilon=1)), "no columns to attack"),
        (lambda: changed(publications=entry(published="yesterday")), "a day written YYYY-MM-DD"),
        (lambda: changed(publications=entry(content="ZZMARK")), "content must be"),
        (lambda: changed(publications=entry(recipients=[""])), "recipients"),
        (lambda: changed(publications=entry(recipients=["Everyone"])), "no name of a recipient"),
        (lambda: changed(publications=entry(version_of=1)), "A version names"),
        (lambda: changed(publications=entry(kind="version", version_of=1)), "version of an earlier one"),
        (lambda: changed(publications=entry(key="")), "enter the copy again"),
        (lambda: changed(publications=entry(sensitive=[])), "needs its quasi-identifiers"),
        (lambda: changed(publications=entry(unmodified=["ill"])), "'ill' twice"),
        (lambda: changed(publications=entry(counts="absent=ZZMARK")), "cannot be read"),
        (lambda: changed(publications=entry(count="n", unmodified=["x"])), "no column published as it is"),
        (lambda: changed(publications=entry(settings={"k": float("inf")})), "numbers or texts"),
        (lambda: changed(publications=[], numbers=[]), None),
        (lambda: changed(publications=entry(copy="", key="")), "do not fit its publications"),
        (lambda: changed(publications=entry(name="x" * 201)), "at most 200 characters"),
        (lambda: " " * 5_000_001, "number of characters"),
    ],
)
def test_what_is_no_register_is_refused_without_a_cell(text: Any, words: str | None) -> None:
    text = text if isinstance(text, str) else text()
    if words is None:
        assert Register.from_json(text).standings() == []
        return
    with pytest.raises(CompositionError, match=words) as refused:
        Register.from_json(text)
    assert "ZZMARK" not in str(refused.value)


def test_sizes_are_limited() -> None:
    noisy = Publication("noisy", DAY, epsilon=1.0)
    with pytest.raises(InputError, match="recipients of a register must be at most 40"):
        Register().add(noisy, [f"r{i}" for i in range(41)])
    many = tuple(structs.replace(noisy, number=i + 1, recipients=("A",)) for i in range(200))
    with pytest.raises(InputError, match="publications of a register must be at most 200"):
        Register(many).add(noisy, ["A"])


# ---- entries -------------------------------------------------------------------------------------


def test_a_recipient_is_one_name_however_it_is_typed() -> None:
    noisy = Publication("noisy", DAY, epsilon=1.0)
    register = Register().add(noisy, ["The  board"]).add(noisy, ["the board", "B\n"]).give(1, ["b"])
    assert register.recipients == ("The board", "B")
    assert [own.recipients for own in register.publications] == [("The board", "B")] * 2
    composed = register.give(1, ["caf\u00e9"]).give(2, ["CAFE\u0301"])
    assert composed.recipients == ("The board", "B", "caf\u00e9"), "one name in two forms of Unicode"
    for bad in ("", " \t", "x" * 201, "everyone"):
        with pytest.raises(InputError, match="recipient"):
            register.give(1, [bad])
    with pytest.raises(InputError, match="publications 1 to 2"):
        register.give(3, ["C"])


def test_what_is_public_is_everyones() -> None:
    register = Register().add(Publication("noisy", DAY, epsilon=1.0, public=True))
    register = register.add(Publication("noisy", DAY, epsilon=0.25), ["A", "B"])
    costs = {standing.recipients: standing.cost.epsilon for standing in register.standings()}
    assert costs == {("A",): 1.25, ("B",): 1.25, ("everyone",): 1.0, ("A", "B"): 1.25}
    assert EVERYONE == "everyone"


def test_numbers_of_sets_that_stay_are_kept_and_the_files_of_the_others_are_asked_for() -> None:
    register, copy = small()
    own, later = published(people(40), ["zip"], 4)
    more = register.add(own, ["B"])
    second = {2: link(more.publications[1], later)}
    with pytest.raises(InputError, match=r"files of publication 1 \(release of 2026-01-31\) are needed"):
        more.assessed(second)
    opened = more.assessed(second, leave_open=True)
    assert [each.publications for each in opened.numbers] == [(1,), (2,)]
    assert opened.open_sets() == [(1, 2)]
    pair = next(standing for standing in opened.standings() if standing.is_pair)
    assert (pair.numbers, pair.not_assessed, pair.value("at_risk")) == (None, (1, 2), None)
    assert "not assessed, for lack of a private copy" in in_words(pair, ["A", "B"])
    done = opened.assessed(match_files(opened.publications, [later, copy]))
    assert done.numbers[:2] == opened.numbers
    assert done.open_sets() == []
    changes = added(register.standings(), done.standings())
    assert [change.after.recipients for change in changes] == [
        standing.recipients for standing in worst_first(done.standings()) if "B" in standing.recipients
    ]
    assert all(change.before is None for change in changes)
    given_too = done.give(1, ["B"]).assessed({})  # B alone now has what both had together
    assert {standing.numbers for standing in given_too.standings() if "B" in standing.recipients} == {done.numbers[2]}


def test_without_a_copy_a_publication_is_not_assessed_and_a_limit_stays_open() -> None:
    register, _ = small()
    own, _ = published(people(40), ["zip"], 4)
    more = register.add(structs.replace(own, copy="", key="", kind="other"), ["A"]).assessed({})
    (standing,) = more.standings()
    assert standing.not_assessed == (2,)
    assert standing.numbers == register.numbers[0]
    assert standing.verdict("one_value_left", 1.0) == "open"
    assert standing.verdict("at_risk", 0.0) == "not met"  # at least so many
    assert standing.verdict("epsilon", 0.0) == "met"
    assert "at least" in in_words(standing, ["A"])


def test_registers_are_joined_and_a_ledger_is_read_as_entries() -> None:
    table = Table.from_frame(people(60))
    release = partition(encode(table, Schema(["age"], "ill", identifiers=["id"], unassigned="drop")), Policy(4))
    own = structs.replace(publication_of(release, date(2025, 12, 1), key="id"), recipients=("the registry",))
    assert own.content == content_digest(as_read(release.publish()), ["age", "ill"])
    assert own.settings["k"] == 4
    register = Register()
    for epsilon, delta, digest in ((0.5, 0.0, "c" * 64), (0.25, 1e-6, "d" * 64)):
        register = register.add(Publication("noisy", DAY, content=digest, epsilon=epsilon, delta=delta), ["A"])
    (standing,) = register.standings()
    assert standing.cost == dp.Cost(0.75, 1e-6)
    with pytest.raises(InputError, match="in the register already, as publication 2"):
        register.add(register.publications[1], ["B"])
    assert Register.from_json(register.to_json()) == register
    both = register.joined(Register().add(own))
    assert [each.kind for each in both.publications] == ["noisy", "noisy", "release"]
    assert both.joined(both) == both, "what is here already is entered once"
    later = Publication("version", DAY, quasi_identifiers=("age",), sensitive=("ill",), content="1" * 64, version_of=1)
    mine, theirs = Register().add(own), Register().add(own, ["B"]).add(later, ["B"])
    joined = register.joined(mine).joined(theirs)
    assert joined.publications[2].recipients == ("the registry", "B")
    assert joined.publications[3].version_of == 3


def test_a_private_copy_is_added_later() -> None:
    own, copy = published(people(40), ["age"], 5)
    register = Register().add(structs.replace(own, copy="", key="id"), ["A"])
    assert register.standings()[0].not_assessed == (1,)
    whole = register.with_copy(1, copy)
    assert whole.publications[0] == structs.replace(own, number=1, recipients=("A",))
    assert whole.assessed(match_files(whole.publications, [copy])).standings()[0].not_assessed == ()
    with pytest.raises(InputError, match=r"private copy of publication 1 .* already"):
        whole.with_copy(1, copy)
    with pytest.raises(InputError, match="not that of the published file"):
        register.with_copy(1, as_read(people(40).assign(age="1")))
    bare = Register().add(structs.replace(own, copy="", key=""), ["A"])
    with pytest.raises(InputError, match="Name the column"):
        bare.with_copy(1, copy)


def test_a_file_is_entered_once() -> None:
    register, copy = small()
    with pytest.raises(InputError, match="in the register already, as publication 1"):
        register.add(publication_of_record_again(copy), ["B"])


def publication_of_record_again(copy: Table) -> Publication:
    own = Publication("release", DAY, quasi_identifiers=("age",), sensitive=("ill",))
    return structs.replace(own, content=own.digest(copy, own.columns))


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda f: f.drop(columns="id"), "no column 'id'"),
        (lambda f: f.drop(columns="age"), "no column 'age'"),
        (lambda f: f.assign(id=f["id"].replace("ZZMARK0003", "")), "a row without 'id'"),
        (lambda f: f.assign(id=f["id"].replace("ZZMARK0004", "ZZMARK0003")), "names a person twice by 'id'"),
        (lambda f: f[1:], "not that of publication 1"),
        (lambda f: f.assign(id=[*f["id"][1:], f["id"][0]]), "not that of publication 1"),
        (lambda f: f.assign(ill="ZZMARK"), "not that of publication 1"),
    ],
)
def test_a_copy_that_does_not_fit_is_refused_without_a_cell(spoil: Any, words: str) -> None:
    register, copy = small()
    with pytest.raises(InputError, match=words) as refused:
        link(register.publications[0], as_read(spoil(copy_frame(copy))))
    assert "ZZMARK" not in str(refused.value)


def test_a_table_of_counts_that_does_not_fit_is_refused() -> None:
    own, table, copy = counted(people(60), ["zip"])
    with pytest.raises(InputError, match="give the table of counts, too"):
        link(own, copy)
    far = as_read(copy_frame(copy).assign(zip="elsewhere"))
    with pytest.raises(InputError, match="60 of 60 rows of the private copy are in no group"):
        link(structs.replace(own, copy="", key="").with_copy(far, "id"), far, table)
    with pytest.raises(InputError, match="File 1 of those given belongs to no publication"):
        match_files([own], [as_read(people(5))])
    with pytest.raises(InputError, match="lacks some combinations"):
        numbers_of([link(structs.replace(own, counts=""), copy, table)])
    wide = as_read(pd.DataFrame({"zip": ["a"], "flu": ["3"]}))
    with pytest.raises(InputError, match="no column 'ill'"):
        link(own, copy, wide)


@pytest.mark.parametrize("totals", [False, True])
def test_a_copy_of_other_people_than_were_counted_is_refused(totals: bool) -> None:
    frame = people(60)
    own, table, copy = counted(frame, ["zip"], below=0)
    groups = copy_frame(copy)
    group = groups["zip"].mode()[0]
    if totals:
        sizes = groups.groupby("zip").size().astype(str).reset_index(name="n").assign(ill="Total")
        table = as_read(pd.concat([copy_frame(table), sizes]))
    few = as_read(groups[groups["zip"] != group])
    more = as_read(pd.concat([groups, pd.DataFrame({"zip": [group] * 3, "id": list("xyz")})]))
    for other, is_refused in ((copy, False), (few, True), (more, totals)):
        entry = structs.replace(own, copy="", key="", content="").with_copy(other, "id")
        if is_refused:
            with pytest.raises(InputError, match="does not fit") as refused:
                link(entry, other, table)
            assert "ZZ" not in str(refused.value)
        else:
            assert len(link(entry, other, table).key) == len(other)


def test_a_wide_table_of_counts_is_read_as_the_long_one() -> None:
    own, table, copy = counted(people(60), ["zip"], below=0)
    long = copy_frame(table)
    wide = long.pivot_table("n", "zip", "ill", "first").fillna("0").reset_index()
    entry = structs.replace(own, copy="", key="", content="").with_copy(copy, "id")
    whole = structs.replace(entry, content=entry.digest(as_read(wide), entry.columns))
    one, other = (numbers_of([link(each, copy, file)]) for each, file in ((entry, table), (whole, as_read(wide))))
    assert one == other
    register = Register().add(whole, ["A"])
    assert match_files(register.publications, [as_read(wide), copy]).keys() == {1}


def test_keys_are_compared_as_they_are_written_but_in_one_form_of_unicode() -> None:
    own, copy = published(people(40), ["age"], 5)
    frame = copy_frame(copy)
    composed, decomposed = (
        link(structs.replace(own, copy="", key="", content="").with_copy(one, "id"), one)
        for one in (as_read(frame.assign(id=name + frame["id"])) for name in ("caf\u00e9", "cafe\u0301"))
    )
    assert numbers_of([composed, decomposed]).people == 40
    upper = as_read(frame.assign(id="x" + frame["id"])), as_read(frame.assign(id="X" + frame["id"]))
    lower, higher = (link(structs.replace(own, copy="", key="", content="").with_copy(one, "id"), one) for one in upper)
    assert numbers_of([lower, higher]).people == 80, "another case is another person"


def test_a_column_of_the_published_file_without_a_role_is_refused_and_not_named() -> None:
    table = Table.from_frame(pd.DataFrame({"zip": ["A", "A"], "dx": ["x", "y"], "ZZMARK": ["1", "2"]}))
    entry = Publication("release", date(2026, 1, 31), quasi_identifiers=("zip",), sensitive=("dx",), records=2)
    with pytest.raises(InputError, match="Column 3 of the published file has no role") as refused:
        entry.of_file(table)
    assert "ZZMARK" not in refused.value.message
    assert structs.replace(entry, unmodified=("ZZMARK",)).of_file(table).content
