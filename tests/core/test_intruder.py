"""The motivated intruder: claims by what they rest on, the guesser, and lists that are made or read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import CompositionError, Policy, Release, Scenario, Schema, Table, anonymize, examples, intruder_attack
from core.algorithms import partition
from core.attack.intruder import KNOWS, Claims, PopulationList, _guesses, claims_of, in_words, places_on
from core.cli import main
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.decision.scenario.requirements import Requirements
from core.release.published.locate import locate
from core.release.published.targets import Targets
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.population import TIMES, Intruder, ListedPeople, least_listed, list_claims
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.reference import intruder as slow
from tests.strategies import Case, cases

SCHEMA = Schema(["age", "ward"], "ill", identifiers=["id"], column_types={"age": "numeric"})


def texts_of(population: PopulationList) -> list[tuple[str, ...]]:
    """Texts of each person on a list, by column."""
    columns = [
        [texts[code] for code in codes]
        for texts, codes in zip(population.targets.texts, population.targets.codes.tolist(), strict=True)
    ]
    return [*zip(*columns, strict=True)]


def truth_of(population: PopulationList) -> list[str | None]:
    return [population.values[code] if code >= 0 else None for code in population.codes.tolist()]


def values_of(histogram: ClassHistogram, domain: Domain) -> list[frozenset[str]]:
    of: dict[int, set[str]] = {}
    for owner, value in zip(histogram.owner.tolist(), histogram.value.tolist(), strict=True):
        of.setdefault(owner, set()).add(domain.labels[value])
    return [frozenset(of[number]) for number in range(histogram.classes)]


def fits_by_region(release: Release, targets: Targets) -> slow.Fits:
    inside = values_of(release.published.histogram, release.published.sensitive)
    located = locate(release.published, targets)
    return [[inside[number] for number in located.of_person(person)] for person in range(targets.people)]


def fits_by_class(release: Release, place: list[int]) -> slow.Fits:
    inside = values_of(release.histogram, release.encoded.sensitive)
    labels = [-1 if at < 0 else int(release.labels[at]) for at in place]
    return [[inside[label]] if label >= 0 else [] for label in labels]


# ---- against the slow twin --------------------------------------------------------------


@settings(max_examples=60)
@given(cases(rows=(6, 40)), st.randoms(use_true_random=False), st.integers(2, 3), st.sampled_from([*KNOWS]))
def test_claims_equal_the_slow_twin(case: Case, rng: random.Random, tables: int, knows: str) -> None:
    encoded = case.encoded
    rows = [rng.sample(range(len(case)), rng.randint(3, len(case))) for _ in range(tables)]
    releases = [partition(encoded.take(np.array(each)), Policy(rng.randint(1, 3))) for each in rows]
    population = PopulationList.of(encoded)
    unknown = np.array([rng.random() < 0.2 for _ in range(len(case))])
    population = PopulationList(population.targets, population.values, np.where(unknown, -1, population.codes))
    places = [places_on(np.array(each), len(case)) for each in rows]
    shared = set(range(len(case))).intersection(*rows)
    in_all = np.isin(np.arange(len(case)), [*shared])
    claims = claims_of(releases, places, in_all, population, knows)

    regions = [fits_by_region(release, population.targets) for release in releases]
    classes = [fits_by_class(release, place.tolist()) for release, place in zip(releases, places, strict=True)]
    fits = {"everywhere": classes, "mine": [classes[0], *regions[1:]], "list": regions}[knows]
    people = {"everywhere": sorted(shared), "mine": sorted(rows[0]), "list": [*range(len(case))]}[knows]
    universe = frozenset().union(*(release.encoded.sensitive.labels for release in releases))
    claimed = slow.claims(fits, people, universe, every=knows != "everywhere")
    truth, lines = truth_of(population), texts_of(population)
    assert claims.person.tolist() == sorted(claimed)
    counted = claims.disclosures, claims.by_chance, claims.wrong, claims.unknown
    assert counted == slow.counts(claimed, truth, shared)
    assert claims.shared == len(shared)
    assert claims.listed == len(case)

    columns = slow.chosen(lines, truth, population.values)
    assert claims.guess_by == tuple(population.targets.names[column] for column in columns)
    for which, by in ((claims.guessed, columns), (claims.base, [])):
        guesses = slow.guessed(lines, by, truth, population.values)
        assert which.tolist() == [guesses[person] for person in sorted(claimed)]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(-1, 3)), min_size=1, max_size=25))
def test_the_guesser_counts_others_alone(people: list[tuple[str, str, int]]) -> None:
    targets = Targets(
        ("one", "two"),
        (("a", "b"), ("x", "y", "z")),
        np.array([[("ab").index(a), "xyz".index(x)] for a, x, _ in people]).T,
    )
    population = PopulationList(targets, ("p", "q", "r", "s"), np.array([value for *_, value in people]))
    lines, truth = texts_of(population), truth_of(population)
    for by in ([], ["one"], ["two", "one"]):
        columns = [targets.names.index(name) for name in by]
        assert _guesses(population, by)[1].tolist() == slow.guessed(lines, columns, truth, population.values)


# ---- lists with known truth -------------------------------------------------------------

PEOPLE = [
    # Each line: id, age, ward, ill; the first two are in both tables, the next in mine, then in theirs, then nowhere.
    *((1, 20, "a", "flu"), (2, 30, "a", "gout")),
    *((3, 20, "a", "flu"), (4, 31, "a", "acne")),
    *((5, 21, "a", "flu"), (6, 30, "a", "gout")),
    *((7, 20, "a", "flu"), (8, 20, "a", "gout"), (9, 80, "a", "flu")),
]
ROWS = [[0, 1, 2, 3], [0, 1, 4, 5]]


def listed(people: list[tuple[Any, ...]] = PEOPLE) -> pd.DataFrame:
    return pd.DataFrame(people, columns=["id", "age", "ward", "ill"]).astype(str)


def made() -> list[Release]:
    """Mine: age 20 with flu, ages 30 to 31 with gout and acne. Theirs: ages 20 to 21 with flu, age 30 with gout."""
    encoded = encode(Table.from_frame(listed()), SCHEMA)
    labels = [[0, 1, 0, 1], [0, 1, 0, 1]]
    return [
        Release.of(encoded.take(np.array(rows)), np.array(label), Policy(2), "mondrian")
        for rows, label in zip(ROWS, labels, strict=True)
    ]


@pytest.mark.parametrize(
    ("knows", "expected"),
    [
        ("everywhere", (2, 0, 0, 0)),  # Persons 1 and 2.
        ("mine", (2, 1, 0, 0)),  # Person 3 is not in theirs, but fits a class there; person 4 fits none.
        ("list", (2, 3, 1, 0)),  # 3, 6 and 7 by chance; 8 is said to have flu; 5 is 21, which no class of mine fits.
    ],
)
def test_what_each_adversary_claims(knows: str, expected: tuple[int, ...]) -> None:
    claims = intruder_attack(made(), ROWS, listed(), knows)
    assert (claims.disclosures, claims.by_chance, claims.wrong, claims.unknown) == expected
    assert claims.reached == 1.0
    assert claims.share_right == pytest.approx((expected[0] + expected[1]) / sum(expected))


def test_strangers_of_unknown_value_are_neither_right_nor_wrong() -> None:
    people = listed()
    people.loc[6:, "ill"] = ""
    claims = intruder_attack(made(), ROWS, people, guess_by=["age"])
    assert (claims.disclosures, claims.by_chance, claims.wrong, claims.unknown) == (2, 2, 0, 2)
    assert claims.share_right == 1.0
    assert claims.guess_by == ("age",)
    words = in_words(claims)
    assert words.startswith("6 claims: 2 right about people in both tables, 2 right by chance about others, 0 wrong")
    assert "2 about people whose value is not known" in words


def test_no_claims_are_said_as_such() -> None:
    claims = intruder_attack(made(), ROWS, listed([(n, 80, "a", "flu") for n in range(6)]))
    assert claims.claims == 0
    assert np.isnan([claims.share_right, claims.guesser, claims.excess]).all()
    assert in_words(claims).startswith("No claims")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"knows": "all"}, "knows must be one of everywhere, mine, list"),
        ({"guess_by": ["sex"]}, "no column 'sex'"),
        ({"rows": [[0, 1, 2, 9], ROWS[1]]}, "from 0 to 8"),
        ({"rows": [[0, 1, 2, 2], ROWS[1]]}, "each once"),
        ({"rows": ROWS[:1]}, "for each release"),
        ({"population": pd.DataFrame({"name": ["1"]})}, "none of the quasi-identifiers"),
    ],
)
def test_refusals(how: dict[str, Any], words: str) -> None:
    with pytest.raises(CompositionError, match=words):
        intruder_attack(**{"releases": made(), "rows": ROWS, "population": listed(), **how})


# ---- lists of a study -------------------------------------------------------------------


def city(residents: int = 1_200) -> tuple[Table, Encoded, Study]:
    table = examples.city(residents)
    mine = Hospital(Policy(5))
    return table, encode(table, examples.city_schema()), Study((mine, Hospital(Policy(5), origin="resampled")), 300)


def test_a_made_list_holds_everybody_and_changes_no_disclosure() -> None:
    _, encoded, study = city()
    outcome, least = run_study(encoded, study, 3), least_listed(encoded, study)
    assert least == 1_200 + 900
    small, large = (list_claims(encoded, study, outcome, 3, Intruder("list", size)) for size in (least, 6_000))
    assert (small.listed, large.listed) == (least, 6_000)
    assert small.disclosures == large.disclosures > 0
    assert small.shared == large.shared == 300
    assert large.claims > small.claims
    assert list_claims(encoded, study, outcome, 3, Intruder("list")).listed == TIMES * least
    everywhere = list_claims(encoded, study, outcome, 3, Intruder("everywhere", least))
    exposed = outcome.result
    assert everywhere.claims == int(exposed.breached().sum())
    assert everywhere.disclosures == int(exposed.true_disclosures().sum())
    with pytest.raises(CompositionError, match=f"at least the {least:,} people"):
        list_claims(encoded, study, outcome, 3, Intruder("list", least - 1))


def test_the_numbers_with_a_limit_are_the_disclosures_per_shared_person() -> None:
    _, encoded, study = city()
    asked = Study(study.hospitals, 300, also=("list", "mine"))
    frame = sweep(encoded, asked, "k", [5], Redraws(1, 3))
    for knows in ("list", "mine"):
        claims = list_claims(encoded, study, run_study(encoded, study, 3), 3, Intruder(knows))
        assert frame[f"named_{knows}"].iloc[0] == pytest.approx(claims.reached)
        assert 0 <= frame[f"named_{knows}_single"].iloc[0] <= claims.reached + 1
    assert "named_list" not in sweep(encoded, study, "k", [5], Redraws(1, 3))


def test_a_limit_makes_the_study_count_what_it_asks_for_and_no_more() -> None:
    _, encoded, study = city()
    plain = Scenario(examples.city_schema(), study.hospitals, overlap=300)
    asked = plain.with_(requirements=Requirements(named_list=0.1, breach=0.5))
    assert (plain.study.also, asked.study.also) == ((), ("list",))
    assert "named_list" not in sweep(encoded, plain.study, "k", [5], Redraws(1, 3))


def test_dealt_hospitals_are_on_the_list_that_they_were_dealt_from() -> None:
    _, encoded, _ = city()
    study = Study((Hospital(Policy(3)), Hospital(Policy(3), attributes=("age", "sex"))), 200)
    outcome = run_study(encoded, study, 1)
    claims = list_claims(encoded, study, outcome, 1, Intruder("list", len(encoded)))
    releases = [release.release for release in outcome.releases]
    rows = [np.searchsorted(encoded.rows, release.encoded.rows) for release in releases if release is not None]
    same = intruder_attack(outcome.releases, rows, city()[0])
    assert (claims.disclosures, claims.by_chance, claims.wrong) == (same.disclosures, same.by_chance, same.wrong)


def test_a_read_list_knows_the_values_of_my_people_alone() -> None:
    table = examples.city(1_200)
    frame = table.to_frame().assign(name=[f"n{n}" for n in range(1_200)])
    schema = examples.city_schema()
    mine = Table.from_frame(frame.iloc[:600])
    encoded = encode(mine, Schema(schema.quasi_identifiers, schema.sensitive, identifiers=["name"], unassigned="drop"))
    study = Study((Hospital(Policy(4)), Hospital(Policy(4), origin="resampled")), 150)
    outcome = run_study(encoded, study, 2)
    listed_people = ListedPeople.read(Table.from_frame(frame.iloc[100:]), mine, encoded, ["name"])
    claims = list_claims(encoded, study, outcome, 2, Intruder("list", listed_people))
    assert claims.listed == 1_100
    assert claims.shared == int((outcome.mine.encoded.rows[:150] >= 100).sum())
    mine_on_it = claims.person < 500
    assert (claims.known == mine_on_it).all()
    assert claims.unknown > 0
    assert claims.disclosures + claims.by_chance + claims.wrong + claims.unknown == claims.claims


@pytest.mark.parametrize(
    ("names", "change", "words"),
    [
        (["id"], {}, "no column 'id'"),
        ([], {}, "No column is named"),
        (["name"], {"name": "same"}, "twice by 'name'"),
        (["name"], {"name": [f"x{n}" for n in range(600)]}, "nobody of my table"),
    ],
)
def test_lists_that_do_not_name_my_people_are_refused(names: list[str], change: dict[str, Any], words: str) -> None:
    schema = examples.city_schema()
    frame = examples.city(600).to_frame().assign(name=[f"n{n}" for n in range(600)])
    mine = Table.from_frame(frame)
    encoded = encode(mine, Schema(schema.quasi_identifiers, schema.sensitive, unassigned="drop"))
    with pytest.raises(CompositionError, match=words):
        ListedPeople.read(Table.from_frame(frame.assign(**change)), mine, encoded, names)


def test_persons_with_several_records_are_refused() -> None:
    frame = listed().assign(who=["1", "1", *"3456789"])
    schema = Schema(["age", "ward"], "ill", person="who", column_types={"age": "numeric"}, unassigned="drop")
    release = anonymize(frame, schema, Policy(2))
    with pytest.raises(CompositionError, match="one record per person"):
        intruder_attack([release, release], [range(9)] * 2, frame)


def test_a_claim_reads_as_a_sentence() -> None:
    flags = np.array([True] * 5 + [False] * 5)
    claims = Claims("list", 100, 4, 3, np.arange(10), flags, flags | True, flags, flags, flags, ("sex",))
    assert in_words(claims) == (
        "10 claims: 5 right about people in all 3 tables, 0 right by chance about others, 5 wrong. A guesser by 'sex' "
        "is right for 50.0% of the same people; all claims together are right no more often."
    )
    assert "10 claims" in repr(claims)


# ---- command line -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("intruder")
    frame = examples.city(1_500, seed=4).to_frame().assign(name=[f"n{n}" for n in range(1_500)])
    frame[:800].to_csv(place / "mine.csv", index=False)
    frame[300:].drop(columns=SENSITIVE).to_csv(place / "list.csv", index=False)
    return place


SENSITIVE = examples.city_schema().sensitive
ROLES = ["--qids", ",".join(examples.city_schema().quasi_identifiers), "--sensitive", SENSITIVE, "--drop-unassigned"]


def attacked(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    start = [
        "attack",
        "--data",
        str(folder / "mine.csv"),
        *ROLES,
        "--identifiers",
        "name",
        "-k",
        "4",
        "--overlap",
        "200",
    ]
    status = main([*start, "--algorithm", "mondrian", "--repeats", "10", *more])
    shown = capsys.readouterr()
    return status, shown.out + shown.err * ("--json" not in more)


def test_the_command_says_what_an_intruder_claims(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = attacked(folder, capsys, "--intruder", "list", "--list-size", "4000", "--guess-by", "sex")
    assert status == 0
    assert "Intruder who knows only a population list, not who is in any table; list of 4,000 people; one draw." in text
    assert "right about people in both tables" in text
    _, text = attacked(folder, capsys, "--intruder", "list", "--list-size", "4000", "--guess-by", "sex", "--json")
    intruder = json.loads(text)["intruder"]
    assert intruder["claims"] == intruder["disclosures"] + intruder["by_chance"] + intruder["wrong"]
    assert (intruder["knows"], intruder["listed"], intruder["shared"]) == ("list", 4_000, 200)
    assert intruder["guess_by"] == ["sex"]
    assert intruder["excess"] == pytest.approx(intruder["share_right"] - intruder["guesser"])


def test_the_command_reads_a_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_list = ("--intruder", "list", "--population-list", str(folder / "list.csv"))
    _, text = attacked(folder, capsys, *with_list)
    assert "list of 1,200 people" in text
    assert "about people whose value is not known" in text
    assert attacked(folder, capsys, *with_list, "--list-size", "9")[0] == 2
    status, text = attacked(folder, capsys, "--guess-by", "sex")
    assert (status, "--guess-by needs --intruder" in text) == (2, True)


def test_a_limit_holds_for_people_named_correctly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = attacked(folder, capsys, "--limit", "named_list=0.0001", "--limit", "named_mine=0.9", "--json")
    assert status == 1
    answer = json.loads(text)
    assert {limit["name"]: limit["verdict"] for limit in answer["limits"]} == {
        "named_list": "not met",
        "named_mine": "met",
    }
    number = answer["numbers"]["named_list"]
    assert number["low"] < number["value"] < number["high"]
    assert number["of"] == "shared people"
    assert "named_list" not in json.loads(attacked(folder, capsys, "--json")[1])["numbers"]
