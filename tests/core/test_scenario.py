"""Scenarios to JSON and back, and every way in which a file can be wrong."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Struct, structs

from core import Policy, Scenario, Schema, Taxonomy
from core.base.errors import ScenarioError
from core.base.ranges import Range
from core.data.schemas.agreement import AgreedRegion, Agreement, Cut, Inside, Made
from core.data.schemas.schema import DateFormat, UnmodifiedColumn
from core.decision.scenario.questions import AskedForecast, AskedNoise, DecisionWords, Plausible
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import MAX_TEXT
from core.decision.scenario.scenario_file import FILE_VERSION, bounds
from core.dp.public_domains import Declared
from core.privacy.parameters import policy_bounds
from core.release.algorithm import ALGORITHMS
from core.release.count_settings import CountSettings, GroupColumn
from core.study.hospitals import OWN, Hospital
from core.study.uploads import Upload
from tests import leaves

SECRET = "Zaphod-7731"
"""A cell value; no message may hold it."""


def scenario(**changes: Any) -> Scenario:
    """A plain scenario of two hospitals."""
    schema = Schema(
        ["age", "zip"],
        "diagnosis",
        identifiers=["name"],
        column_types={"age": "numeric"},
        taxonomies={"zip": Taxonomy.from_nested({SECRET: ["13012", "13013"]})},
        orders={"diagnosis": ["mild", SECRET + "-2"]},
        missing_tokens=["?", SECRET + "-3"],
    )
    pairs, cells = (("age", "Years"), ("diagnosis", "dx")), (("age", SECRET, SECRET + "-5"),)
    upload = Upload("ab" * 32, pairs, ((SECRET, SECRET + "-4"),), True, "b.csv", cells=cells)
    hospitals = (
        Hospital(Policy(5)),
        Hospital(Policy(8, l=3, diversity="entropy", t=0.4), same_value_rate=0.9),
        Hospital(Policy(4), origin="resampled", size=500, attributes=("zip",)),
        Hospital(Policy(1), origin="published", upload=upload),
    )
    return Scenario(**{"schema": schema, "hospitals": hospitals, "overlap": 100, **changes})


# ---- both ways ----------------------------------------------------------------------------------


KEPT = Agreement(
    "ill",
    {"age": "numeric", "zip": "taxonomy"},
    (
        AgreedRegion(
            (("a", "b"),),
            ((Cut("age", at=30.0, first=1, second=2), Cut("zip", values=("13012",)), Cut("age", at=50.0)),),
            (Inside("age", low=0.0, high=99.0), Inside("zip", values=("13012", "13013"))),
        ),
    ),
    label="b",
    coarser={"c": "b"},
    made=Made("table", "ef" * 32, 9, {"least": 2.0}),
    version="1.9",
)
"""An agreement in which every field is away from its default."""


def full() -> Scenario:
    """A scenario in which every field of everything in it is away from its default somewhere."""
    schema = Schema(
        ["age", "zip", "seen", "stage"],
        "ill",
        identifiers=["name"],
        provider="ward",
        other=["notes"],
        column_types={"age": "numeric"},
        taxonomies={
            "zip": Taxonomy.from_nested({SECRET: ["13012", "13013"]}),
            "ill": Taxonomy(("*", "a", "b", "c"), (-1, 0, 0, 0), True),
        },
        orders={"stage": ["mild", f"{SECRET}-2"]},
        missing="drop",
        missing_tokens=["?", f"{SECRET}-3"],
        unassigned="drop",
        person="who",
        one_record="last",
        record_seed=7,
        rows_are_people=True,
        unmodified=[UnmodifiedColumn("bmi", 0.5, 2.0, True)],
        agreement=KEPT,
        dates={"seen": DateFormat("%d/%m/%Y", "month")},
    )
    pairs, cells = (("age", "Years"), ("ill", "dx")), (("age", SECRET, "5"),)
    upload = Upload(
        "ab" * 32,
        pairs,
        (("a", SECRET),),
        True,
        "b.csv",
        True,
        ("bmi",),
        cells,
        marks="missing",
        count="times",
        counts="absent=zero",
    )
    domains = {
        "age": Declared("range", 1, 9, 2, rest=False, source="a register"),
        "zip": Declared("tree", level=2, digest="ab"),
        "ill": Declared("values", values=("1,5", "2"), numbers=True, decimal=","),
        "stage": Declared("order", groups=1, digest="cd"),
    }
    counts = CountSettings((GroupColumn("zip", 1, level=True),), 6, "absent", 5, totals=False)
    return Scenario(
        schema,
        (
            Hospital(Policy(5, 3, "recursive", 0.5, 0.4, "ordered", 1), "mdav"),
            Hospital(Policy(8), "coordinated", 0.9, "resampled", 500, ("zip",), case_mix=0.5),
            Hospital(Policy(1), origin="published", upload=upload),
            Hospital(Policy(1), origin=OWN, counts=counts),
        ),
        "adult.csv",
        "ab" * 32,
        overlap=100,
        confidence=0.5,
        locate="published",
        seed=3,
        repeats=4,
        size=600,
        forecast=AskedForecast(3, 0.8, "every subset", 99, "file", "cd" * 32),
        noise=AskedNoise(2.0, 0.01, "gaussian", "uniform", ("age",), domains),
        plausible=Plausible((50, 200), (2, 9), (2, 4), (0.5, 1.0), (0.0, 2.0)),
        requirements=Requirements(one_value_left=0.1, k=2),
        decision=DecisionWords(
            "May we?",
            "The board",
            "Publish",
            "A, B",
            "2026-11-27",
            "Why\nnot",
            "2027-11-27",
            "more publish",
            (("overlap", "100 people are in all."),),
            True,
        ),
    )


def at_default(thing: Any, met: dict[tuple[str, str], bool]) -> dict[tuple[str, str], bool]:
    """By class and field: whether it is at its default wherever it occurs in something."""
    own = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    for field in structs.fields(thing) if isinstance(thing, Struct) else own:
        made = getattr(field, "default_factory", None)
        default, value = made() if callable(made) else field.default, getattr(thing, field.name)
        place = (type(thing).__name__, field.name)
        met[place] = met.get(place, True) and bool(value == default)
        at_default(value, met)
    for value in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, tuple) else ():
        at_default(value, met)
    return met


def test_nothing_that_was_chosen_is_lost_in_a_file() -> None:
    one = full()
    unsaid = {place for place, default in at_default(one, {}).items() if default}
    fixed = {("Schema", "parts"), ("Taxonomy", "notes"), ("Agreement", "schema_version"), ("Policy", "more")}
    assert unsaid == fixed, "give what is new another value than its default"
    parts = one.schema.with_(sensitive=("x", "y"), taxonomies={}, agreement=None, other=())
    for each in (one, one.with_(schema=parts), scenario()):
        text = each.to_json()
        for read in (text, text.encode(), b"\xef\xbb\xbf" + text.encode()):
            assert Scenario.from_json(read) == each
        assert Scenario.from_json(text).to_json() == text
        json.loads(text, parse_constant=pytest.fail)


def test_what_the_file_holds() -> None:
    data = json.loads(scenario(data_name="adult.csv", data_id="ab" * 32).to_json())
    assert data["format"] == "composition scenario"
    assert data["schema_version"] == FILE_VERSION
    assert data["data"] == {"name": "adult.csv", "content_id": "ab" * 32}
    assert data["hospitals"][0] == {
        "policy": {"k": 5, "diversity": "distinct", "distance": "equal"},
        "algorithm": "mondrian",
        "same_value_rate": 1.0,
        "origin": "simulated",
    }
    assert data["hospitals"][3]["upload"]["columns"] == [["age", "Years"], ["diagnosis", "dx"]]
    assert data["schema"]["identifiers"] == ["name"]


KINDS = {"a": "numeric", "b": "categorical"}
TURNED = dict(reversed(KINDS.items()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        (
            {"schema": Schema(["a", "b"], "s", column_types=KINDS)},
            {"schema": Schema(["a", "b"], "s", column_types=TURNED)},
        ),
        ({"confidence": 1}, {"confidence": 1.0}),
        ({"hospitals": (Hospital(Policy(5, l=3)),) * 2}, {"hospitals": (Hospital(Policy(5, l=3.0)),) * 2}),
        ({"hospitals": (Hospital(Policy(5, t=1)),) * 2}, {"hospitals": (Hospital(Policy(5, t=1.0)),) * 2}),
        ({"hospitals": (Hospital(Policy(5)),) * 2}, {"hospitals": (Hospital(Policy(5), same_value_rate=1),) * 2}),
        ({"hospitals": (Hospital(Policy(5)),) * 2}, {"hospitals": (Hospital(Policy(5.0)),) * 2}),
    ],
    ids=["same", "order of kinds", "confidence", "l", "t", "same_value_rate", "k"],
)
def test_equal_scenarios_have_equal_text(one: dict[str, Any], other: dict[str, Any]) -> None:
    """A whole number is the same choice with and without a point: runs are cached by the text."""
    first, second = scenario(**one), scenario(**other)
    assert first == second
    assert first.to_json() == second.to_json()
    assert Scenario.from_json(first.to_json()).to_json() == first.to_json()


def test_limits_of_the_attack_are_known_to_a_script_that_imports_nothing_else() -> None:
    text = scenario(requirements=Requirements(one_value_left=0.1)).to_json()
    script = "import sys; from core import Scenario; print(Scenario.from_json(sys.stdin.read()).requirements.asked)"
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=True)
    assert done.stdout == "{'one_value_left': 0.1}\n"


# ---- what no scenario can be ----------------------------------------------------------------------

ONE, EIGHT = (Hospital(Policy(2)),), (Hospital(Policy(2)),) * 8


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        ({"hospitals": ()}, "hospitals"),
        ({"hospitals": ONE}, "hospitals"),
        ({"hospitals": EIGHT + ONE}, "hospitals"),
        ({"hospitals": (*ONE, Hospital(Policy(2), "alchemy"))}, "algorithm"),
        ({"hospitals": (Hospital(Policy(2), same_value_rate=0.9), *ONE)}, "hospitals"),
        ({"hospitals": (Hospital(Policy(2), origin="resampled"), *ONE)}, "hospitals"),
        ({"hospitals": (*ONE, Hospital(Policy(2), size=99))}, "size"),
        ({"locate": "somewhere"}, "locate"),
        ({"overlap": 0}, "overlap"),
        ({"overlap": -1}, "overlap"),
        ({"repeats": 0}, "repeats"),
        ({"repeats": 51}, "repeats"),
        ({"seed": -1}, "seed"),
        ({"size": 99}, "size"),
        ({"size": 0}, "size"),
        ({"confidence": 0}, "confidence"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
    ],
)
def test_impossible_scenarios(changes: dict[str, Any], parameter: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(**changes)
    assert caught.value.parameter == parameter


def proper(error: ScenarioError) -> ScenarioError:
    """A refusal as all are: short, and without a cell value anywhere, not even in what it came of."""
    assert len(error.message) < 500
    assert SECRET not in (error.parameter or "")
    behind: BaseException | None = error
    while behind is not None:
        assert SECRET not in str(behind)
        behind = behind.__cause__ or (None if behind.__suppress_context__ else behind.__context__)
    return error


def refused(text: str | bytes) -> ScenarioError:
    """The error that a file is refused with."""
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_json(text)
    return proper(caught.value)


# ---- bounds: one table for files and controls -------------------------------------------------------


def at(name: str, value: Any) -> str:
    """A file in which one field has a value, whatever it is."""
    mine = Hospital(Policy(2, l=2, diversity="recursive", c=2, t=0.5, m=1))
    data = json.loads(scenario(hospitals=(mine, *ONE), overlap=1).to_json())
    group, _, field = name.rpartition(".")
    data["hospitals"][1]["origin"] = "resampled"
    parts = {"": data, "policy": data["hospitals"][0]["policy"], "hospital": data["hospitals"][1]}
    where = "policy" if name in policy_bounds() else "hospital" if name in ("same_value_rate", "case_mix") else group
    (parts | data)[where][field] = value
    return json.dumps(data)


def beyond(bound: Range) -> list[Any]:
    """Values just outside, and absurd ones that were once accepted and failed later."""
    step = 1 if bound.whole else 1e-9
    outside: list[Any] = [bound.low - step, bound.high * (1 + 1e-9) + step, -1, 10**300]
    if bound.whole:
        return [int(value) for value in outside[:2]] + [-1, 10**300, 10**4000]
    return [*outside, 1e300, 5e-324 if bound.low > 0 else -5e-324]


@pytest.mark.parametrize("name", list(bounds()))
def test_a_field_is_read_at_its_bounds_and_refused_beyond(name: str) -> None:
    bound, field = bounds()[name], name.rpartition(".")[2]
    for value in (bound.low, bound.high):
        if name not in ("c",):  # c is a factor beside l
            Scenario.from_json(at(name, int(value) if bound.whole else value))
    for value in beyond(bound):
        error = refused(at(name, value))
        assert field in error.message, value
    just = int(bound.high) + 1 if bound.whole or name == "l" else bound.high * (1 + 1e-9) + 1e-9
    if name not in ("t", "same_value_rate", "forecast.confidence"):  # these say their range themselves
        assert bound.words in refused(at(name, just)).message


# ---- files that are wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "}",
        "not JSON",
        "{'format': 1}",
        "\x00",
        '{"format": "composition scenario"',
        b"",
        b"\xff\xfe\x00",
        b"\x89PNG\r\n",
        b"\x1f\x8b\x08\x00",
        b"PK\x03\x04",
        b"\xed\xa0\x80",
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 900 + "]" * 900,
        '"\\ud800"',
        '{"confidence": "\\ud800"}',
        "1" * 100_000,
        "x" * 1_000_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_not_json(text: str | bytes) -> None:
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "true",
        "3",
        "1e999",
        "NaN",
        '"text"',
        "[]",
        "[{}]",
        "{}",
        '{"format": "other"}',
        '{"format": null}',
        '{"format": ["composition scenario"]}',
        '{"format": {"a": {}}}',
    ],
)
def test_json_of_another_kind(text: str) -> None:
    assert "not a scenario" in refused(text).message


@pytest.mark.parametrize(
    "version",
    [0, FILE_VERSION - 1, FILE_VERSION + 1, float(FILE_VERSION), -1, 1.5, 2.5, "1", None, [1], {"a": 1}, True, 10**30],
)
def test_another_version(version: Any) -> None:
    data = json.loads(scenario().to_json())
    data["schema_version"] = version
    error = refused(json.dumps(data))
    assert error.parameter == "schema_version"
    assert "choose its settings again" in error.message


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_is_attacked_by_one_adversary(algorithm: str) -> None:
    study = scenario(hospitals=(Hospital(Policy(5, m=1), algorithm),) * 2).study
    assert not any(study.by_publication(hospital) for hospital in study.hospitals)


def test_a_file_beyond_the_limit_is_not_even_read() -> None:
    assert "20 MB" in refused(" " * (MAX_TEXT + 1)).message
    assert "20 MB" in refused(b" " * (MAX_TEXT + 1)).message


NUMBERS = st.booleans() | st.integers() | st.floats() | st.sampled_from([10**400, -3])
TEXTS = st.text(max_size=5) | st.sampled_from([SECRET, "1", "x" * 1_000_000])


@settings(max_examples=200)
@given(
    junk=st.recursive(
        st.none() | NUMBERS | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
    path=st.sampled_from(leaves.places(json.loads(scenario().to_json()))[1:]),
)
@example(junk=[0], path=("schema", "quasi_identifiers"))
@example(junk="n" * 1_000_000, path=("data", "name"))
@example(junk="a\ud800b", path=("data", "name"))
def test_whatever_stands_in_a_file_it_is_read_or_refused(junk: Any, path: leaves.Path) -> None:
    """Wrong types and values, NaN and infinities, nests, long texts, half a character."""
    try:
        one = Scenario.from_json(json.dumps(leaves.put(path, junk, json.loads(scenario().to_json()))))
    except ScenarioError as error:
        proper(error)
        return
    assert Scenario.from_json(one.to_json().encode("utf-8")) == one
    assert len(one.data_name) <= 200
    assert len(one.data_id) <= 64


STANDS = {
    "below half": """
        noise.domains.age.low
    """,
    "blank": """
        decision.until decision.when
        hospitals.*.upload.marks hospitals.*.upload.counts
    """,
    "blank null text": """
        hospitals.*.upload.count schema.provider
    """,
    "blank text": """
        decision.accepted.*.* decision.ends decision.limits_by decision.question decision.what decision.who decision.why
        data.content_id data.name hospitals.*.attributes.* hospitals.*.counts.groups.*.name hospitals.*.upload.cells.*.*
        hospitals.*.upload.columns.*.* hospitals.*.upload.content_id hospitals.*.upload.further.*
        hospitals.*.upload.name hospitals.*.upload.values.*.* noise.columns.* noise.domains.age.source
        noise.domains.stage.digest noise.domains.zip.digest schema.identifiers.*
        schema.orders.stage.* schema.other.* schema.taxonomies.ill.labels.*
        schema.taxonomies.zip.labels.*
    """,
    "empty": """
        schema.identifiers schema.orders.stage schema.other
    """,
    "empty null": """
        noise.columns
    """,
    "empty twice": """
        decision.accepted hospitals.*.upload.cells hospitals.*.upload.columns hospitals.*.upload.further
        hospitals.*.upload.values schema.diverse schema.missing_tokens
    """,
    "half": """
        forecast.confidence hospitals.*.policy.t noise.domains.age.width noise.epsilon plausible.case_mix.*
        requirements.k requirements.one_value_left schema.rounded.bmi
    """,
    "null": """
        plausible.case_mix plausible.overlap plausible.releases plausible.same_value_rate plausible.their_k
        forecast.others hospitals.*.size noise.delta schema.agreement schema.one_record size
    """,
    "null twice": """
        hospitals.*.attributes
    """,
    "text": """
        forecast.file_id schema.missing_tokens.* schema.person
    """,
    "true": """
        hospitals.*.counts.totals noise.domains.age.rest
    """,
    "twice": """
        hospitals
    """,
}
"""What a file may say in the place of what :func:`full` says; anything else is refused."""


def stands(text: str) -> bool:
    """Whether a file is read; if not, it is refused as all are."""
    try:
        Scenario.from_json(text)
    except ScenarioError as error:
        proper(error)
        return False
    return True


def test_one_wrong_leaf_is_refused() -> None:
    assert leaves.wrongly_named(json.loads(full().to_json()), stands, STANDS) == {}


def test_one_wrong_part_is_refused() -> None:
    whole = json.loads(scenario().to_json())
    for path in [
        path for path in leaves.places(whole)[1:] if len(path) < 3 and path[0] in ("hospitals", "noise", "schema")
    ]:
        for value in (None, True, 1, "x", [1], [[]], math.nan):
            stands(json.dumps(leaves.put(path, value, whole)))
    for name in ("overlap", "hospitals", "schema", "data"):
        assert refused(json.dumps({key: value for key, value in whole.items() if key != name})).parameter == name
