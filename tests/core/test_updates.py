"""Two versions of a growing table: the flow says what enumeration of every explanation says."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import (
    CompositionError,
    Policy,
    Schema,
    UnmodifiedColumn,
    attack_versions,
    examples,
    m_private,
    release_with_earlier_classes,
)
from core.algorithms import partition
from core.attack.updates import KNOWLEDGE, Left, Update, update_attack
from core.base.errors import InfeasibleError
from core.base.wording import percent
from core.cli import main
from core.data.encoding.encoded import Encoded, encode
from core.data.tables.table import Table
from core.release.release import Release
from core.study.kept_classes import is_revealing
from core.study.table_versions import kept_or_refused

SCHEMA = Schema(["age", "ward"], "ill", identifiers=["id"], column_types={"age": "numeric"})


CELLS = {
    "x": ("flu", "1"),
    "y": ("flu", "2"),
    "z": ("gout", "1"),
    "a": ("flu", "1"),
    "b": ("flu", "2"),
    "*": ("*", "*"),
}
"""An illness as two columns to protect, of which each says less."""
TWO = SCHEMA.with_(sensitive=["organ", "stage"])


def encoded(rows: list[tuple[int, int, str, str]], schema: Schema = SCHEMA) -> Encoded:
    frame = pd.DataFrame(rows, columns=["id", "age", "ward", "ill"]).astype(str)
    if schema is TWO:
        frame["organ"], frame["stage"] = zip(*map(CELLS.__getitem__, frame.pop("ill")), strict=True)
    return encode(Table.from_frame(frame), schema)


FILLED = [(90, 99, "q", "x"), (91, 99, "q", "y")]
"""People who stay, far from all others: a table of one value is refused."""


def released(rows: list[tuple[int, int, str, str]], labels: list[int], schema: Schema = SCHEMA) -> Release:
    return Release.of(encoded([*rows, *FILLED], schema), np.array([*labels, 3, 3]), Policy(1), "by hand")


def numbers_of(rows: list[tuple[int, int, str, str]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([row[0] for row in (*rows, *FILLED)])


def cells(rows: list[tuple[int, int, str, str]], labels: list[int]) -> dict[int, tuple[int, int, frozenset[str]]]:
    """Published range of ages and run of wards of each class, by its label; a ward without a record is no place."""
    wards = sorted({row[2] for row in (*rows, *FILLED)})
    found = {}
    for label in set(labels):
        own = [row for row, of in zip(rows, labels, strict=True) if of == label]
        ages, inside = [row[1] for row in own], [wards.index(row[2]) for row in own]
        found[label] = min(ages), max(ages), frozenset(wards[min(inside) : max(inside) + 1])
    return found


def explanations(
    old: list[tuple[int, str]], demand: Counter[tuple[int, str]], touch: set[tuple[int, int]]
) -> Iterator[tuple[Counter[tuple[int, str]], Counter[tuple[int, str]]]]:
    """Every way to let old records stay or leave: who left, and what of the new classes is left for newcomers."""
    if not old:
        yield Counter(), demand
        return
    (cls, value), *rest = old
    for gone, remaining in explanations(rest, demand, touch):
        yield gone + Counter([(cls, value)]), remaining
    for new, of in sorted(demand):
        if demand[new, of] > 0 and (cls, new) in touch and (of == value or "*" in (of, value)):
            yield from explanations(rest, demand - Counter([(new, of)]), touch)


def enumerated(
    old: list[tuple[int, str]],
    new: list[tuple[int, str]],
    touch: set[tuple[int, int]],
    gone: Counter[int],
    come: Counter[int],
    knowledge: str,
) -> tuple[set[tuple[int, str]], set[tuple[int, str]]]:
    """Values possible for newcomers by new class, and for leavers by old class: the slow twin."""
    possible_new, possible_gone = set[tuple[int, str]](), set[tuple[int, str]]()
    for left, rest in explanations(old, Counter(new), touch):
        of_gone, of_come = Counter[int](), Counter[int]()
        for (cls, _), many in left.items():
            of_gone[cls] += many
        for (cls, _), many in rest.items():
            of_come[cls] += many
        if sum(of_gone.values()) != sum(gone.values()) or sum(of_come.values()) != sum(come.values()):
            continue
        if (knowledge == "all" and of_gone != +gone) or (knowledge != "target" and of_come != +come):
            continue
        possible_new |= {key for key, many in rest.items() if many}
        possible_gone |= {key for key, many in left.items() if many}
    return possible_new, possible_gone


def fewest(values: set[str], two: bool) -> int:
    """Number of some illnesses, or of the values of the column that has the fewest of them."""
    return min(len({CELLS[value][column] for value in values}) for column in (0, 1)) if two else len(values)


@st.composite
def versions(draw: st.DrawFn) -> tuple[Any, ...]:
    """Two small versions: people with ages, wards and illnesses, some new, some gone, some changed; classes by hand."""
    person = st.tuples(st.integers(1, 4), st.sampled_from("ab*"), st.sampled_from("xyz*"))
    old = {number: draw(person) for number in range(draw(st.integers(1, 5)))}
    new = {number: who for number, who in old.items() if draw(st.integers(0, 3))}
    for number in [*new]:
        if draw(st.integers(0, 5)) == 0:
            new[number] = draw(person)
    for number in range(10, 10 + draw(st.integers(0, 3))):
        new[number] = draw(person)
    if not new:
        new[10] = draw(person)
    parts = [[(number, *who) for number, who in version.items()] for version in (old, new)]
    labels = [[draw(st.integers(0, 2)) for _ in part] for part in parts]
    return *parts, *labels


@settings(deadline=None, max_examples=200)
@given(versions(), st.sampled_from(sorted(KNOWLEDGE)), st.booleans())
def test_the_flow_rules_out_what_no_explanation_has_and_nothing_else(
    version: tuple[Any, ...], knowledge: str, two: bool
) -> None:
    """Of two columns to protect, the one with the fewest values left counts."""
    old, new, old_labels, new_labels = version
    before, after = (
        released(rows, labels, TWO if two else SCHEMA) for rows, labels in ((old, old_labels), (new, new_labels))
    )
    update = update_attack(before, after, numbers_of(old), numbers_of(new), knowledge)
    places, there = cells(old, old_labels), cells(new, new_labels)
    touch = {
        (one, other)
        for one, (low, high, wards) in places.items()
        for other, (first, last, own) in there.items()
        if low <= last and first <= high and (wards & own or "*" in wards | own)
    }
    class_of = [
        dict(zip((row[0] for row in rows), of, strict=True)) for rows, of in ((old, old_labels), (new, new_labels))
    ]
    ill_of = [{row[0]: row[3] for row in rows} for rows in (old, new)]
    stay = {
        who
        for who in set(class_of[0]) & set(class_of[1])
        if (ill_of[0][who] == ill_of[1][who] or "*" in (ill_of[0][who], ill_of[1][who]))
        and (class_of[0][who], class_of[1][who]) in touch
    }
    gone = Counter(class_of[0][who] for who in class_of[0] if who not in stay)
    come = Counter(class_of[1][who] for who in class_of[1] if who not in stay)
    possible = enumerated(
        [(class_of[0][who], ill_of[0][who]) for who in class_of[0]],
        [(class_of[1][who], ill_of[1][who]) for who in class_of[1]],
        touch,
        gone,
        come,
        knowledge,
    )
    news = [who for who in class_of[1] if who not in class_of[0]]
    lost = [who for who in class_of[0] if who not in class_of[1]]
    moved = [who for who in class_of[1] if who in class_of[0] and who not in stay]
    for people, left, at, found in (
        (news, update.new, 1, possible[0]),
        (lost, update.removed, 0, possible[1]),
        (moved, update.changed, 1, possible[0]),
    ):
        assert left.people == len(people)
        values = {who: {value for cls, value in found if cls == class_of[at][who]} for who in people}
        known = {row[3] for row in (*old, *new, *FILLED)} - {"*"}
        values = {who: known | own if "*" in own else own for who, own in values.items()}
        many = [fewest(own - {"*"}, two) for own in values.values()]
        assert sorted(left.values.tolist()) == sorted(many)
        assert all(ill_of[at][who] in values[who] for who in people), "the truth is never ruled out"


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        # Somebody left: {a, a} loses one, {a, a, b} with two newcomers; a is possible.
        ([(1, 1, "w", "a"), (2, 1, "w", "a")], [(1, 1, "w", "a"), (3, 1, "w", "a"), (4, 1, "w", "b")], [2, 2]),
        # Nobody left: what is new is b.
        ([(1, 1, "w", "a"), (2, 1, "w", "a")], [(1, 1, "w", "a"), (2, 1, "w", "a"), (3, 1, "w", "b")], [1]),
    ],
)
def test_a_newcomer_is_told_by_what_was_there_before(old: list[Any], new: list[Any], values: list[int]) -> None:
    found = update_attack(
        released(old, [0] * len(old)), released(new, [0] * len(new)), numbers_of(old), numbers_of(new)
    )
    assert found.new.values.tolist() == values
    assert found.new.alone.tolist() == [2] * len(values)
    assert found.new.together.tolist() == [len(values)] * len(values)


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        ([(1, 1, "*", "x"), (2, 1, "*", "y")], [(1, 1, "a", "x"), (2, 1, "a", "y"), (3, 1, "a", "y")], [1]),
        ([(1, 1, "a", "*"), (2, 1, "a", "y")], [(1, 1, "a", "x"), (2, 1, "a", "y"), (3, 1, "a", "z")], [2]),
        ([(1, 1, "a", "x")], [(1, 1, "a", "x"), (3, 1, "a", "*")], [2]),
    ],
)
def test_a_star_in_a_version_may_be_any_value(old: list[Any], new: list[Any], values: list[int]) -> None:
    """Nobody changed: who had it may be anywhere, and have any value."""
    found = update_attack(
        released(old, [0] * len(old)), released(new, [0] * len(new)), numbers_of(old), numbers_of(new)
    )
    assert found.changed.people == 0
    assert found.new.values.tolist() == values


def split_city(records: int, more: int, seed: int = 0) -> tuple[Table, Table]:
    city = examples.city(records + more, seed=3).to_frame()
    city["id"] = [f"p{number}" for number in range(len(city))]
    order = np.random.default_rng(seed).permutation(len(city))
    return Table.from_frame(city.iloc[np.sort(order[:records])]), Table.from_frame(city)


def test_knowing_less_leaves_no_fewer_values() -> None:
    schema = examples.city_schema().with_(identifiers=["id"])
    before, after = split_city(1_500, 60)
    found: dict[str, Update] = {
        name: attack_versions(before, after, schema, Policy(5), "mondrian", knowledge=name) for name in KNOWLEDGE
    }
    assert (found["all"].new.values <= found["target"].new.values).all()
    assert (found["all"].new.values <= found["new"].new.values).all()
    assert found["all"].new.people == 60
    assert found["all"].removed.people == 0
    assert found["all"].new.one_value_left > 10 * max(0.01, found["all"].new.one_value_alone)


@pytest.mark.parametrize("algorithm", ["mondrian", "least-loss", "mdav"])
def test_a_table_that_stays_as_it_is_tells_nobody(algorithm: str) -> None:
    schema = examples.city_schema().with_(identifiers=["id"])
    _, table = split_city(400, 50)
    found = attack_versions(table, table, schema, Policy(5), algorithm)
    assert (found.new.people, found.removed.people, found.changed.people) == (0, 0, 0)
    assert np.isnan(found.new.one_value_left)


def test_means_rule_nothing_out() -> None:
    """Where means are published every old record may be anywhere, so less is known than by regions."""
    schema = examples.city_schema().with_(identifiers=["id"])
    before, after = split_city(600, 40)
    means = attack_versions(before, after, schema, Policy(5), "mdav")
    assert means.new.values.min() >= 1
    assert means.new.one_value_left < attack_versions(before, after, schema, Policy(5)).new.one_value_left


def frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["id", "age", "ward", "ill"]).astype(str)


ROWS = [(number, 20 + number, "w", "ab"[number % 2]) for number in range(12)]


@pytest.mark.parametrize(
    ("before", "after", "more", "words"),
    [
        (ROWS, ROWS, {"identifiers": ["key"]}, "has no column 'key'"),
        (ROWS, [*ROWS, ROWS[0]], {}, "The present version names a person twice by 'id'"),
        ([*ROWS, ROWS[1]], ROWS, {}, "The earlier version names a person twice"),
        (ROWS, [(f"x{row[0]}", *row[1:]) for row in ROWS], {}, "No one is in both versions by 'id'"),
        (ROWS, ROWS, {"knowledge": "nothing"}, "knowledge must be one of"),
    ],
)
def test_versions_that_cannot_be_compared_are_refused(before: Any, after: Any, more: Any, words: str) -> None:
    with pytest.raises(CompositionError, match=words):
        attack_versions(frame(before), frame(after), SCHEMA, Policy(2), **more)


def test_identifiers_must_be_named_somewhere() -> None:
    with pytest.raises(CompositionError, match="Name the columns that identify a person"):
        attack_versions(frame(ROWS), frame(ROWS), Schema(["age", "ward"], "ill", other=["id"]), Policy(2))


def test_without_scipy_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("scipy.sparse", "scipy.sparse.csgraph"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CompositionError, match="its extra 'updates'"):
        attack_versions(frame(ROWS), frame(ROWS), SCHEMA, Policy(2))


def test_persons_with_several_records_are_refused() -> None:
    whole = encode(Table.from_frame(frame(ROWS)), Schema(["age", "ward"], "ill", person="id"))
    twice = whole.take(np.repeat(np.arange(len(whole)), 2))
    release = partition(whole, Policy(2), "mondrian")
    with pytest.raises(CompositionError, match="one record"):
        update_attack(release, partition(twice, Policy(2), "mondrian"), np.arange(12), np.repeat(np.arange(12), 2))


def test_the_command_says_who_is_given_away_and_fails_where_a_limit_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = split_city(1_500, 60)
    for name, table in (("old.csv", before), ("new.csv", after)):
        table.to_frame().to_csv(tmp_path / name, index=False)
    call = ["update", "--before", str(tmp_path / "old.csv"), "--data", str(tmp_path / "new.csv"), "--drop-unassigned"]
    call += [
        "--qids",
        "age,sex",
        "--sensitive",
        "diagnosis",
        "--identifiers",
        "id",
        "-k",
        "5",
        "--algorithm",
        "mondrian",
    ]
    assert main([*call, "--json", "--limit", "one_value_left=0.5"]) in (0, 1)
    data = json.loads(capsys.readouterr().out)
    schema = Schema(["age", "sex"], "diagnosis", identifiers=["id"], unassigned="drop")
    found = attack_versions(before, after, schema, Policy(5), "mondrian")
    assert data["new"]["people"] == 60
    assert data["new"]["one_value_left"] == {"share": found.new.one_value_left, "alone": found.new.one_value_alone}
    assert data["new"]["in_small_set"]["share"] == found.new.in_small_set
    assert (data["removed"], data["knowledge"]) == ({"people": 0, "one_value_left": None, "in_small_set": None}, "all")
    assert data["status"] == (found.new.one_value_left > 0.5)
    assert main([*call, "--limit", "one_value_left=1"]) == 0
    said = capsys.readouterr().out
    assert "Removed: no one." in said
    assert f"New: 60 people; one value left for {percent(found.new.one_value_left)}" in said
    kept = release_with_earlier_classes(before, after, schema, Policy(5), "mondrian")
    assert data["keep_classes"]["new"]["one_value_left"]["share"] == kept.update.new.one_value_left
    assert (data["keep_classes"]["loss"], data["keep_classes"]["loss_new"]) == (kept.loss, kept.loss_new)
    assert f"of new people {percent(kept.loss_new)}" in said
    written = tmp_path / "kept.csv"
    strict = [*call, "--keep-classes", str(written), "--limit", "one_value_left=0"]
    assert release_with_earlier_classes(before, after, schema, Policy(2), "mondrian").update.new.one_value_left > 0
    assert main([*strict, "-k", "2"]) == 1
    assert not written.exists()
    assert kept.update.new.one_value_left == 0
    assert main(strict) == 0
    published = pd.read_csv(written, dtype=str)
    assert len(published) == len(after)
    assert published.value_counts(["age", "sex"]).min() >= 5
    capsys.readouterr()
    assert main([*call, "--limit", "breach=0.1"]) == 2
    assert "update does not use breach" in capsys.readouterr().err


def test_a_report_says_what_the_earlier_version_gives_away_and_hides_small_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = split_city(1_500, 60)
    older = pd.concat([before.to_frame(), after.to_frame().tail(4).assign(id=[f"gone{n}" for n in range(4)])])
    for name, table in (("old.csv", older), ("new.csv", after.to_frame())):
        table.to_csv(tmp_path / name, index=False)
    call = ["report", "--before", str(tmp_path / "old.csv"), "--data", str(tmp_path / "new.csv"), "--drop-unassigned"]
    call += ["--qids", "age,sex", "--sensitive", "diagnosis", "--identifiers", "id", "-k", "5", "--overlap", "200"]
    call += ["--repeats", "1", "--format", "json", "--strength"]
    assert main([*call, "internal"]) == 0
    rows = {row["group"]: row for row in json.loads(capsys.readouterr().out)["update"]["groups"]}
    schema = Schema(["age", "sex"], "diagnosis", identifiers=["id"], unassigned="drop")
    exact = attack_versions(older, after, schema, Policy(5))
    assert rows["new"]["one_value_left"] == exact.new.one_value_left
    assert (rows["removed"]["people"], rows["removed"]["one_value_left"]) == (4, exact.removed.one_value_left)
    assert "changed" not in rows
    assert main([*call, "external"]) == 0
    rows = {row["group"]: row for row in json.loads(capsys.readouterr().out)["update"]["groups"]}
    assert (rows["removed"]["people"], rows["removed"]["one_value_left"]) == (None, None)
    assert rows["removed"]["shown"]["people"] == "< 10"


def test_counts_are_refused_as_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame(ROWS).to_csv(tmp_path / "new.csv", index=False)
    frame(ROWS).assign(n="2").to_csv(tmp_path / "old.csv", index=False)
    call = ["update", "--before", str(tmp_path / "old.csv"), "--data", str(tmp_path / "new.csv"), "-k", "2"]
    call += ["--qids", "age,ward", "--sensitive", "ill", "--identifiers", "id", "--drop-unassigned"]
    assert main([*call, "--count", "n"]) == 2
    assert "update does not use --count" in capsys.readouterr().err
    assert main(call[:5]) == 2
    assert "Give how each version is released" in capsys.readouterr().err


# ---- a release that keeps the earlier classes ----------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 40), st.integers(0, 40), st.integers(0, 6), st.integers(2, 4))
def test_kept_classes_hide_newcomers_and_those_who_left(seed: int, new: int, gone: int, moved: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    people = zip(*(rng.integers(0, high, 140).tolist() for high in (30, 2, 3)), strict=True)
    rows = [(n, age, "vw"[ward], "xyz"[ill]) for n, (age, ward, ill) in enumerate(people)]
    later = [(n, age + 1 if n < gone + moved else age, ward, ill) for n, age, ward, ill in rows[gone : 100 + new]]
    policy = Policy(k, l=2)
    try:
        kept = release_with_earlier_classes(frame(rows[:100]), frame(later), SCHEMA, policy, "mondrian")
    except InfeasibleError:
        refused = True
    else:
        refused = False
    if refused:
        assert 0 < new < 3 * k or 0 < gone < 3 * k
        return
    assert (kept.update.new.people, kept.update.removed.people, kept.update.changed.people) == (new, gone, 0)
    assert kept.as_they_were == moved
    assert (kept.update.new.together >= k).all()
    assert (kept.update.new.values >= 2).all()
    assert kept.release.sizes.min() >= k
    assert kept.release.histogram.distinct.min() >= 2
    if not gone:
        before = partition(encode(Table.from_frame(frame(rows[:100])), SCHEMA), policy, "mondrian").classes.labels
        same = kept.release.classes.labels[:100]
        assert ((same[:, None] == same[None, :]) == (before[:, None] == before[None, :])).all()


def test_classes_that_many_left_are_joined_until_no_leaver_is_told_apart() -> None:
    rows = [(n, n // 8, "v", "xyz"[n % 3]) for n in range(120)]
    later = [row for row in rows if row[0] % 8]
    kept = release_with_earlier_classes(frame(rows), frame(later), SCHEMA, Policy(4, l=2), "mondrian")
    anew = attack_versions(frame(rows), frame(later), SCHEMA, Policy(4, l=2), "mondrian")
    assert kept.update.removed.people == 15
    assert anew.removed.one_value_left > kept.update.removed.one_value_left == 0
    assert kept.release.classes.count < 15


@pytest.mark.parametrize(
    ("gone", "new", "words"),
    [
        (0, 2, "Wait until 3 more people are new"),
        (3, 0, "Wait until 2 more people have left"),
        (0, 5, "Wait until more people are new"),
    ],
)
def test_the_remedy_says_how_many_to_wait_for(gone: int, new: int, words: str) -> None:
    rows = [(n, n // 10, "v", "xyz"[n % 3] if n < 100 else "x") for n in range(100 + new)]
    with pytest.raises(InfeasibleError, match=words):
        release_with_earlier_classes(frame(rows[:100]), frame(rows[gone:]), SCHEMA, Policy(5, l=2), "mondrian")


def test_a_published_column_tells_records_apart_and_a_changed_one_stays_as_it_was() -> None:
    """The flow moves tuples of value and published columns: old (a, 1) cannot be new (a, 3)."""
    before = frame([(1, 1, "w", "a"), (2, 1, "w", "b"), *FILLED]).assign(days=["1", "2", "8", "9"])
    after = frame([(2, 1, "w", "b"), (3, 1, "w", "a"), *FILLED]).assign(days=["2", "3", "8", "9"])
    assert attack_versions(before, after, SCHEMA.with_(unassigned="drop"), Policy(2)).new.values.tolist() == [2]
    schema = SCHEMA.with_(unmodified=["days"])
    assert attack_versions(before, after, schema, Policy(2)).new.values.tolist() == [1]
    whole = frame(ROWS).assign(days="1")
    kept = release_with_earlier_classes(whole, whole.assign(days=["7", *["1"] * 11]), schema, Policy(2))
    assert (kept.as_they_were, set(kept.release.publish()["days"])) == (1, {"1"})


def test_kept_classes_withstand_colluding_providers_as_the_earlier_release_did() -> None:
    """One provider's people leave: of some class only its other provider stays, and k no longer holds without it."""
    rng = np.random.default_rng(0)
    table = frame([(n, age, "w", "xyz"[n % 3]) for n, age in enumerate(rng.integers(20, 40, 60))]).assign(
        of=rng.choice(["A", "B"], 60)
    )
    left = table[~((table["of"] == "B") & (table.index % 2 == 0))]
    kept = release_with_earlier_classes(table, left, SCHEMA.with_(provider="of"), Policy(4, m=1), "mondrian")
    assert m_private(kept.release).is_satisfied


def test_a_row_without_an_identifier_is_no_person() -> None:
    rows = [("", 20, "w", "a"), *ROWS[1:]]
    with pytest.raises(CompositionError, match="The earlier version has a row without 'id'"):
        attack_versions(frame(rows), frame(rows), SCHEMA, Policy(2))


def test_joint_values_without_a_part_are_equal_only_if_their_other_part_is() -> None:
    schema = Schema(["age", "ward"], ["ill", "more"], identifiers=["id"], column_types={"age": "numeric"})
    before = frame(ROWS).assign(more=["", *"p" * 11])
    after = before.assign(ill=["b", *before["ill"][1:]])
    assert attack_versions(before, after, schema, Policy(2)).changed.people == 1


@pytest.mark.parametrize(
    ("ages", "words"),
    [(["21,5", "30,5", "44,5"], "write numbers, dates or missing values"), (["21.5", "30.5", "44.5"], "")],
)
def test_changed_records_in_another_notation_are_not_mixed(ages: list[str], words: str) -> None:
    old = [(n, ages[n % 3], "v", "xyz"[n % 3]) for n in range(60)]
    new = [(n, ages[n % 3].replace(",", "."), "w" if n < 3 else "v", "xyz"[n % 3]) for n in range(60)]
    kept, refused = kept_or_refused(frame(old), frame(new), SCHEMA, Policy(5), "mondrian")
    assert words in refused
    assert (kept is None) == bool(words)
    assert kept is None or kept.as_they_were == 3


def test_a_date_that_the_other_version_would_read_as_another_day_is_not_mixed() -> None:
    dates = Schema(["age", "ward"], "ill", identifiers=["id"], column_types={"age": "date"})
    days = [("03/04/2024", "04/03/2024"), ("05/13/2024", "13/05/2024"), ("06/14/2024", "14/06/2024")]
    old = [(n, days[n % 3][0], "v", "xyz"[n % 3]) for n in range(60)]
    new = [(n, days[n % 3][1], "w" if n == 0 else "v", "xyz"[n % 3]) for n in range(60)]
    kept, refused = kept_or_refused(frame(old), frame(new), dates, Policy(5), "mondrian")
    assert kept is None
    assert "write numbers, dates" in refused


def test_a_single_value_that_the_earlier_release_gave_away_is_no_reason_to_join_more_classes() -> None:
    one, five = np.array([1]), np.array([5])
    assert not is_revealing(Left(one, five, one))
    assert is_revealing(Left(one, five, five))


def test_those_who_left_have_as_many_values_as_a_class_must_have() -> None:
    rows = [(n, n // 12, "v", "xyz"[n % 3]) for n in range(120)]
    later = [row for row in rows if row[0] % 12 > 1]  # of each age two left, with x and y
    release_with_earlier_classes(frame(rows), frame(later), SCHEMA, Policy(4, l=2), "mondrian")
    with pytest.raises(InfeasibleError, match="20 people who left cannot be hidden"):
        release_with_earlier_classes(frame(rows), frame(later), SCHEMA, Policy(4, l=3), "mondrian")


def test_kept_classes_keep_the_diversity_of_a_published_column() -> None:
    rows = [(n, 0 if n < 10 else 40, "vw"[n % 5 == 0], "xyz"[n % 3]) for n in range(40)]
    later = [row for row in rows if row[0] not in (0, 1, 5)]  # the class of age 0 has no w any more
    schema = Schema(
        ["age"],
        "ill",
        identifiers=["id"],
        column_types={"age": "numeric"},
        unmodified=[UnmodifiedColumn("ward", diverse=True)],
    )
    kept, refused = kept_or_refused(frame(rows), frame(later), schema, Policy(2, l=2), "mondrian")
    assert kept is None
    assert "some class does not meet" in refused
