"""Scenarios to JSON and back, and every way in which a file can be wrong."""

from __future__ import annotations

import json
import operator
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core import Policy, Scenario, Schema, Taxonomy
from core.attack.views import LOCATE
from core.base.bounds import POLICY, Bound
from core.base.errors import ScenarioError
from core.decision.scenario.file import FILE_VERSION, bounds
from core.decision.scenario.questions import AskedNoise
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import MAX_TEXT
from core.release.algorithm import ALGORITHMS
from core.study.hospitals import Hospital
from core.study.uploads import Upload
from tests.strategies import trees

SECRET = "Zaphod-7731"
"""A cell value; no message may hold it."""


def scenario(**changes: Any) -> Scenario:
    """A plain scenario of two hospitals."""
    schema = Schema(
        ["age", "zip"],
        "diagnosis",
        identifiers=["name"],
        kinds={"age": "numeric"},
        taxonomies={"zip": Taxonomy.from_nested({SECRET: ["13012", "13013"]})},
        orders={"diagnosis": ["mild", SECRET + "-2"]},
        missing_tokens=["?", SECRET + "-3"],
    )
    pairs, cells = (("age", "Years"), ("diagnosis", "dx")), (("age", SECRET, SECRET + "-5"),)
    upload = Upload("ab" * 32, True, pairs, ((SECRET, SECRET + "-4"),), True, "b.csv", cells=cells)
    hospitals = (
        Hospital(Policy(5)),
        Hospital(Policy(8, l=3, diversity="entropy", t=0.4), agreement=0.9),
        Hospital(Policy(4), source="resampled", size=500, attributes=("zip",)),
        Hospital(Policy(1), source="published", upload=upload),
    )
    return Scenario(**{"schema": schema, "hospitals": hospitals, "overlap": 100, **changes})


# ---- both ways ----------------------------------------------------------------------------------


@st.composite
def some_policies(draw: st.DrawFn) -> Policy:
    asked: dict[str, Any] = {"k": draw(st.integers(1, 10**8))}
    diversity = draw(st.sampled_from([None, "distinct", "entropy", "recursive"]))
    if diversity:
        reals = st.floats(1, 1e5)
        asked |= {"diversity": diversity, "l": draw(reals if diversity == "entropy" else st.integers(1, 500))}
    if diversity == "recursive":
        asked["c"] = draw(st.floats(1e-6, 1e6))
    if draw(st.booleans()):
        asked |= {"t": draw(st.floats(0, 1)), "distance": draw(st.sampled_from(["equal", "ordered", "hierarchical"]))}
    if draw(st.booleans()):
        asked["m"] = draw(st.integers(0, 20))
    return Policy(**asked)


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(texts, min_size=2, max_size=8, unique=True))
    sensitive, *rest = names
    at = sorted(draw(st.lists(st.integers(1, len(rest)), min_size=3, max_size=3)))
    qids, identifiers, other, last = rest[: at[0]], rest[at[0] : at[1]], rest[at[1] : at[2]], rest[at[2] :]
    provider = last[0] if last else None
    kinds, taxonomies, orders = {}, {}, {}
    for name in (*qids, sensitive):
        kind = draw(st.sampled_from(["", "numeric", "categorical", "taxonomy", "ordinal"]))
        if kind == "taxonomy":
            taxonomies[name] = Taxonomy.from_nested(draw(trees()))
        if kind == "ordinal":
            orders[name] = draw(st.lists(texts, min_size=1, max_size=5, unique=True))
        if kind and (kind not in ("taxonomy", "ordinal") or draw(st.booleans())):
            kinds[name] = kind
    return Schema(
        qids,
        sensitive,
        identifiers,
        provider,
        other,
        kinds,
        taxonomies,
        orders,
        missing=draw(st.sampled_from(["category", "drop", "complete"])),
        missing_tokens=draw(st.lists(texts, max_size=3)),
        others=draw(st.sampled_from(["error", "drop"])),
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    overlap = draw(st.integers(1, 2 * 10**6))
    schema = draw(schemas())
    drawn = st.builds(
        Hospital,
        some_policies(),
        st.sampled_from(list(ALGORITHMS)),
        st.floats(0, 1),
        st.sampled_from(["resampled", "simulated", "independent"]),
        st.none() | st.integers(overlap, 2 * 10**6),
        st.none() | st.lists(st.sampled_from(schema.quasi_identifiers), min_size=1, unique=True).map(tuple),
    )
    pairs = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
    uploads = st.builds(
        Upload, st.text("0123456789abcdef", max_size=64), st.booleans(), pairs, pairs, st.booleans(), texts
    )
    uploaded = st.builds(
        lambda policy, upload: Hospital(policy, source="published" if upload.anonymised else "raw", upload=upload),
        some_policies(),
        uploads,
    )
    return Scenario(
        schema,
        (Hospital(draw(some_policies())), *draw(st.lists(drawn | uploaded, min_size=1, max_size=7))),
        draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=40)),
        draw(st.text("0123456789abcdef", max_size=64)),
        overlap=overlap,
        confidence=draw(st.floats(0.05, 1)),
        seed=draw(st.integers(0, 10**6)),
        repeats=draw(st.integers(1, 50)),
        size=draw(st.none() | st.integers(overlap, 2 * 10**6)),
        locate=draw(st.sampled_from(LOCATE)),
    )


@settings(max_examples=80)
@given(one=scenarios())
def test_out_and_in_again(one: Scenario) -> None:
    text = one.to_json()
    again = Scenario.from_json(text)
    assert again == one
    assert again.to_json() == text
    assert Scenario.from_json(text.encode("utf-8")) == one
    assert Scenario.from_json(b"\xef\xbb\xbf" + text.encode("utf-8")) == one
    json.loads(text, parse_constant=pytest.fail)


def test_what_the_file_holds() -> None:
    data = json.loads(scenario(data_name="adult.csv", data_id="ab" * 32).to_json())
    assert data["format"] == "composition scenario"
    assert data["schema_version"] == FILE_VERSION
    assert data["data"] == {"name": "adult.csv", "content_id": "ab" * 32}
    assert data["hospitals"][0] == {
        "policy": {"k": 5, "diversity": "distinct", "distance": "equal"},
        "algorithm": "mondrian",
        "agreement": 1.0,
        "source": "simulated",
    }
    assert data["hospitals"][3]["upload"]["columns"] == [["age", "Years"], ["diagnosis", "dx"]]
    assert data["schema"]["identifiers"] == ["name"]


KINDS = {"a": "numeric", "b": "categorical"}
TURNED = dict(reversed(KINDS.items()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({"schema": Schema(["a", "b"], "s", kinds=KINDS)}, {"schema": Schema(["a", "b"], "s", kinds=TURNED)}),
        ({"confidence": 1}, {"confidence": 1.0}),
        ({"hospitals": (Hospital(Policy(5, l=3)),) * 2}, {"hospitals": (Hospital(Policy(5, l=3.0)),) * 2}),
        ({"hospitals": (Hospital(Policy(5, t=1)),) * 2}, {"hospitals": (Hospital(Policy(5, t=1.0)),) * 2}),
        ({"hospitals": (Hospital(Policy(5)),) * 2}, {"hospitals": (Hospital(Policy(5), agreement=1),) * 2}),
        ({"hospitals": (Hospital(Policy(5)),) * 2}, {"hospitals": (Hospital(Policy(5.0)),) * 2}),
    ],
    ids=["same", "order of kinds", "confidence", "l", "t", "agreement", "k"],
)
def test_equal_scenarios_have_equal_text(one: dict[str, Any], other: dict[str, Any]) -> None:
    """A whole number is the same choice with and without a point: runs are cached by the text."""
    first, second = scenario(**one), scenario(**other)
    assert first == second
    assert first.to_json() == second.to_json()
    assert Scenario.from_json(first.to_json()).to_json() == first.to_json()


def test_limits_of_the_attack_are_known_to_a_script_that_imports_nothing_else() -> None:
    text = scenario(requirements=Requirements(perfect=0.1)).to_json()
    script = "import sys; from core import Scenario; print(Scenario.from_json(sys.stdin.read()).requirements.asked)"
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=True)
    assert done.stdout == "{'perfect': 0.1}\n"


# ---- what no scenario can be ----------------------------------------------------------------------

ONE, EIGHT = (Hospital(Policy(2)),), (Hospital(Policy(2)),) * 8


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        ({"hospitals": ()}, "hospitals"),
        ({"hospitals": ONE}, "hospitals"),
        ({"hospitals": EIGHT + ONE}, "hospitals"),
        ({"hospitals": (*ONE, Hospital(Policy(2), "alchemy"))}, "algorithm"),
        ({"hospitals": (Hospital(Policy(2), agreement=0.9), *ONE)}, "hospitals"),
        ({"hospitals": (Hospital(Policy(2), source="independent"), *ONE)}, "hospitals"),
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
    parts = {"": data, "policy": data["hospitals"][0]["policy"], "hospital": data["hospitals"][1]}
    where = "policy" if name in POLICY else "hospital" if name == "agreement" else group
    (parts | data)[where][field] = value
    return json.dumps(data)


def beyond(bound: Bound) -> list[Any]:
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
    if name not in ("t", "agreement", "forecast.confidence"):  # these say their range themselves
        assert bound.words in refused(at(name, just)).message


@pytest.mark.parametrize(
    ("version", "unspoken", "meant"),
    [
        (1, ("forecast", "noise", "requirements", "locate"), {"locate": "default"}),
        (2, ("forecast", "noise", "requirements"), {}),
        (3, (), {"noise": AskedNoise(prior="uniform")}),
    ],
)
def test_old_files_within_the_bounds_still_open(version: int, unspoken: tuple[str, ...], meant: dict[str, Any]) -> None:
    """What a file never spoke of is as it is by default; hospitals were once dealt from the table, without a source."""
    one = scenario(hospitals=(Hospital(Policy(5)), Hospital(Policy(8), agreement=0.9)))
    data = json.loads(one.to_json()) | {"schema_version": version}
    for name in unspoken:
        del data[name]
    for hospital in data["hospitals"] if version == 1 else ():
        assert hospital.pop("source") == "simulated"
    assert Scenario.from_json(json.dumps(data)) == one.with_(**meant)


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


@pytest.mark.parametrize("version", [0, 6, -1, 1.5, 2.5, "1", None, [1], {"a": 1}, True, 10**30])
def test_another_version(version: Any) -> None:
    data = json.loads(scenario().to_json())
    data["schema_version"] = version
    assert refused(json.dumps(data)).parameter == "schema_version"


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_an_older_file_keeps_the_adversary_that_it_states(version: int) -> None:
    hospitals = (Hospital(Policy(5), "mdav"), Hospital(Policy(5)))
    data = json.loads(scenario(hospitals=hospitals, locate="default").to_json()) | {"schema_version": version}
    study = Scenario.from_json(json.dumps(data)).study
    assert [study.by_publication(hospital) for hospital in study.hospitals] == [True, False]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_is_attacked_by_one_adversary(algorithm: str) -> None:
    study = scenario(hospitals=(Hospital(Policy(5, m=1), algorithm),) * 2).study
    assert not any(study.by_publication(hospital) for hospital in study.hospitals)


@pytest.mark.parametrize("noise", [{}, {"epsilon": 0.5}, {"epsilon": 0.5, "delta": None, "mechanism": "laplace"}])
def test_a_file_of_version_3_means_what_it_meant(noise: dict[str, Any]) -> None:
    """Its ceiling, and a limit on it, started from equally likely values; no domain was declared."""
    data = json.loads(scenario(requirements=Requirements(dp_ceiling=0.1)).to_json())
    data |= {"schema_version": 3, "noise": noise}
    found = Scenario.from_json(json.dumps(data))
    assert found.noise == AskedNoise(noise.get("epsilon", 1.0), prior="uniform")
    assert (found.noise.columns, found.noise.domains) == (None, {})
    assert Scenario.from_json(found.to_json()) == found
    for wrong in (None, [], "x"):
        refused(json.dumps(data | {"noise": wrong}))


def test_a_file_beyond_the_limit_is_not_even_read() -> None:
    assert "20 MB" in refused(" " * (MAX_TEXT + 1)).message
    assert "20 MB" in refused(b" " * (MAX_TEXT + 1)).message


Path = tuple[str | int, ...]
PATHS: list[Path] = [
    (),
    ("data",),
    ("schema",),
    ("hospitals", 0),
    ("hospitals", 1, "policy"),
    ("hospitals", 3, "upload"),
]


def changed(path: Path, change: Callable[[Any], Any]) -> str:
    """The text of the plain scenario with one of its objects changed."""
    data = json.loads(scenario().to_json())
    part = data
    for step in path:
        part = part[step]
    change(part)
    return json.dumps(data)


def put(path: Path, value: Any) -> str:
    """The text of the plain scenario with something else in one place."""
    return changed(path[:-1], lambda part: operator.setitem(part, path[-1], value))


@pytest.mark.parametrize("path", PATHS, ids=str)
@pytest.mark.parametrize("name", ["extra", "K", "", "__class__", "self", SECRET[:3], "x" * 1_000_000, "\n\x1b[31m"])
def test_unknown_field(path: Path, name: str) -> None:
    error = refused(changed(path, lambda part: part.update({name: 1})))
    assert "unknown field" in error.message or "no further parameter" in error.message
    assert "\n" not in error.message
    assert "\x1b" not in error.message


def test_a_missing_field_is_named() -> None:
    for name in ("overlap", "hospitals", "schema"):
        error = refused(changed((), lambda part, name=name: part.pop(name)))
        assert error.parameter == name
        assert name in error.message


# For every place what of the above is no junk there.


def places(part: Any, path: Path = ()) -> list[Path]:
    """Every place of a file."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(place for step, value in inside for place in places(value, (*path, step)))]


NUMBERS = st.booleans() | st.integers() | st.floats() | st.sampled_from([10**400, -3])
TEXTS = st.text(max_size=5) | st.sampled_from([SECRET, "1", "x" * 1_000_000])


@settings(max_examples=200)
@given(
    junk=st.recursive(
        st.none() | NUMBERS | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
    path=st.sampled_from(places(json.loads(scenario().to_json()))[1:]),
)
@example(junk=[0], path=("schema", "quasi_identifiers"))
@example(junk="n" * 1_000_000, path=("data", "name"))
@example(junk="a\ud800b", path=("data", "name"))
def test_whatever_stands_in_a_file_it_is_read_or_refused(junk: Any, path: Path) -> None:
    """Wrong types and values, NaN and infinities, nests, long texts, half a character."""
    try:
        one = Scenario.from_json(put(path, junk))
    except ScenarioError as error:
        proper(error)
        return
    assert Scenario.from_json(one.to_json().encode("utf-8")) == one
    assert len(one.data_name) <= 200
    assert len(one.data_id) <= 64


@pytest.mark.parametrize(
    ("path", "junk"),
    [
        (("overlap",), True),
        (("overlap",), 1.5),
        (("overlap",), None),
        (("confidence",), "1"),
        (("confidence",), float("nan")),
        (("hospitals", 0, "agreement"), False),
        (("hospitals", 1, "policy", "t"), True),
        (("hospitals", 1, "policy", "k"), [5]),
        (("hospitals", 3, "upload"), None),
        (("hospitals", 3, "upload", "centroids"), 1),
        (("schema", "sensitive"), ""),
        (("schema", "kinds", "age"), SECRET),
        (("schema", "taxonomies", "zip", "parents", 1), 10**400),
        (("schema", "missing"), SECRET),
        (("forecast", "l"), 0),
        (("forecast", "confidence"), 1.5),
        (("forecast", "reading"), "x"),
        (("forecast", "others"), 0),
        (("forecast", "class_size"), 0.5),
        (("forecast", "source"), "file"),
        (("forecast", "file_id"), "x"),
        (("forecast", "z"), 1),
        (("noise", "epsilon"), 0),
        (("noise", "epsilon"), "1"),
        (("noise", "delta"), 1),
        (("noise", "mechanism"), "x"),
        (("noise", "columns"), "age"),
        (("noise", "columns"), ["a", "a"]),
        (("noise", "domains"), []),
        (("noise", "domains"), {"age": None}),
        (("noise", "domains"), {"age": {"kind": "values", "values": [SECRET, SECRET]}}),
        (("noise", "domains"), {"age": {"kind": "range", "low": 1, "high": 0, "width": 1}}),
        (("noise", "prior"), "x"),
        (("requirements", "perfect"), 1.5),
        (("requirements", "k"), -1),
        (("requirements", "k"), float("inf")),
        (("requirements", "loss"), float("nan")),
        (("requirements", "classes"), 3),
        (("requirements", "loss"), None),
        (("requirements", "loss"), True),
    ],
)
def test_what_cannot_stand_in_its_place_is_refused(path: Path, junk: Any) -> None:
    refused(put(path, junk))


@pytest.mark.parametrize(
    ("part", "name", "words"),
    [
        ("", "category_level", "map the sensitive values"),
        ("forecast", "class_size", "how the other hospital forms its classes"),
        ("requirements", "expected", "a limit on perfect"),
        ("requirements", "category", "map the sensitive values"),
        ("requirements", "smallest", "a limit on breach"),
        ("requirements", "balance", "more values of a bucket"),
        ("policy", "balance", "more values of a bucket"),
        ("policy", "incomplete", "such records are not published"),
    ],
)
def test_an_older_file_that_asks_for_something_gone_is_refused_with_what_to_choose(
    part: str, name: str, words: str
) -> None:
    data = json.loads(scenario().to_json())
    fields = data["hospitals"][1]["policy"] if part == "policy" else data[part] if part else data
    fields[name] = None
    assert Scenario.from_json(json.dumps(data)) == scenario(), "what asks for nothing is dropped"
    fields[name] = 1
    assert words in refused(json.dumps(data)).message


@pytest.mark.parametrize(
    ("field", "gone", "instead"),
    [
        ("algorithm", "least-loss-branching", "least-loss"),
        ("algorithm", "provider-last", "provider-aware"),
        ("source", "conditional", "resampled"),
    ],
)
def test_an_older_file_with_a_choice_that_is_gone_is_told_another(field: str, gone: str, instead: str) -> None:
    data = json.loads(scenario().to_json())
    data["hospitals"][1][field] = gone
    assert f"choose {instead}" in refused(json.dumps(data)).message
