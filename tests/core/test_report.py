"""The report: nothing in the document that is not in the file, nothing in the external one that names anything."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from core import Policy, Scenario, Schema, Table, Taxonomy, examples
from core.algorithms import partition
from core.attack.number import exposures
from core.base import wording
from core.base.errors import MissingPackageError, ParameterError
from core.base.metrics import CONDITIONAL, METRICS, requirable
from core.data.encoding.encoded import Encoded, encode
from core.decision.review import Assessment, Case, Number, assess, confidences, doubts, judge
from core.decision.scenario.questions import AskedForecast, AskedNoise, Plausible
from core.decision.scenario.requirements import Requirements
from core.dp import RELATION, ceiling
from core.report import Decision, Known, Meeting, NoisyDownload, Report, assumptions, build, evidence
from core.report.charts import COLOURS, NUDGE
from core.report.document import CURVE
from core.report.rounding import HIDDEN, SMALL, STEPS, Coarse, ReportedNumber, Scale, step_of
from core.study.hospitals import Hospital
from core.study.one_run import run_study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.uploads import Foreign, Upload, open_upload
from tests.doubted import frame
from tests.golden.reports import hostile
from tests.hostile import HOSTILE
from tests.parsed import Parsed
from tests.progress import rises_and_can_be_stopped
from tests.source import ROOT

SCHEMA = examples.city_schema()
SALT = "a salt that nobody knows"
CONTENT = hashlib.sha256(b"the table").hexdigest()
NOISY = (NoisyDownload("cd" * 32, 1.5, 0.0, "discrete Laplace", RELATION),)
DECISION = Decision("Wait.", "The board", "2026-11-21", "Too many.\nFar too many.", ("overlap", "Others publish."))
LIMITS = Requirements(k=5, one_value_left=0.3, breach=0.5, loss=0.9, m=2)
BOTH = pytest.mark.parametrize("strength", ["internal", "external"])


def scenario(**changes: object) -> Scenario:
    given = {
        "schema": SCHEMA,
        "hospitals": (Hospital(Policy(5, l=2)), Hospital(Policy(8))),
        "overlap": 200,
        "data_id": CONTENT,
        "data_name": "city.csv",
        "requirements": LIMITS,
    }
    return Scenario(**{**given, **changes})


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(1000), SCHEMA)


@pytest.fixture(scope="module")
def assessed(encoded: Encoded) -> Assessment:
    return assess(Case(encoded, scenario()))


@pytest.fixture(scope="module")
def tried(encoded: Encoded) -> pd.DataFrame:
    return doubts(Case(encoded, scenario()))


@pytest.fixture(scope="module")
def reports(encoded: Encoded, assessed: Assessment, tried: pd.DataFrame) -> dict[str, Report]:
    asked = scenario()
    curve = sweep(
        encoded, asked.study, "my k", CURVE, Redraws(asked.repeats, asked.seed, confidences=confidences(asked))
    )
    return {
        strength: build(
            Case(encoded, asked),
            Meeting("Shall we?", DECISION, noisy=NOISY),
            strength=strength,
            salt=SALT,
            known=Known(assessed, tried, curve),
        )
        for strength in ("internal", "external")
    }


@pytest.fixture(scope="module")
def pages(reports: dict[str, Report]) -> dict[str, str]:
    return {strength: report.to_html() for strength, report in reports.items()}


def quick(strength: str = "internal", records: int = 200, **given: Any) -> Report:
    """A report of a small city, with one draw."""
    asked = given.pop("asked", None) or scenario(overlap=60, repeats=1)
    return build(Case(encode(examples.city(records), SCHEMA), asked), strength=strength, **given)


def leaves(part: Any) -> Iterator[Any]:
    """Every value in a report's data."""
    if isinstance(part, dict | list):
        for value in part.values() if isinstance(part, dict) else part:
            yield from leaves(value)
    else:
        yield part


def rows_of(report: Report, part: str) -> dict[str, dict[str, Any]]:
    return {row["metric"]: row for row in report.data[part]}


# ---- the same report, byte for byte -----------------------------------------------------------


ANOTHER_PROCESS = """
from tests.core.test_report import quick
import hashlib
report = quick("external")
print(hashlib.sha256((report.to_json() + report.to_html()).encode()).hexdigest())
"""


def test_the_same_in_another_process() -> None:
    run = subprocess.run(
        [sys.executable, "-c", ANOTHER_PROCESS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "4711", "PATH": ""},
    )
    report = quick("external")
    assert run.stdout.strip() == hashlib.sha256((report.to_json() + report.to_html()).encode()).hexdigest()


@BOTH
def test_the_file_is_plain_json(reports: dict[str, Report], strength: str) -> None:
    report = reports[strength]
    assert json.loads(report.to_json()) == report.data
    assert report.data["schema_version"] == 3
    assert report.data["strength"] == strength
    assert "NaN" not in report.to_json()
    assert all(value is None or isinstance(value, bool | int | float | str) for value in leaves(report.data))


def test_it_does_not_matter_which_sweep_the_exposure_was_read_from(
    encoded: Encoded, assessed: Assessment, tried: pd.DataFrame
) -> None:
    """A page takes the present setting from the curve over k where that is there already."""
    over_k = assessed.exposure.assign(vary="k", value=5)
    known = [Known(each, tried) for each in (assessed, dataclasses.replace(assessed, exposure=over_k))]
    one, other = (build(Case(encoded, scenario()), known=each).to_json() for each in known)
    assert one == other


def test_the_numbers_are_those_of_the_assessment(reports: dict[str, Report], assessed: Assessment) -> None:
    rows = rows_of(reports["internal"], "numbers")
    assert list(rows) == list(assessed.numbers)
    for name, number in assessed.numbers.items():
        row = rows[name]
        assert (row["value"], row["n"], row["low"], row["high"]) == (number.value, number.n, number.low, number.high)
    assert {row["metric"] for row in reports["internal"].data["not_assessed"]} == {"m", "agreed"}
    curve = next(figure for figure in reports["internal"].data["figures"] if figure["name"] == "breach_curve")
    present = next(row for row in curve["rows"] if (row["value"], row["confidence"]) == (5, 0.25))
    breach = assessed.numbers["breach"]
    assert (present["share"], present["low"]) == (breach.value, breach.low), "the curve goes through the headline"


def test_bands_hold_every_record(reports: dict[str, Report], assessed: Assessment, encoded: Encoded) -> None:
    bands = next(figure for figure in reports["internal"].data["figures"] if figure["name"] == "size_bands")["rows"]
    assert sum(row["records"] for row in bands) == len(encoded)
    assert sum(row["share"] for row in bands) == pytest.approx(1)
    sizes = assessed.guarantee.sizes
    assert bands[0]["records"] == sizes[(sizes >= 5) & (sizes < 10)].sum()


# ---- the document -----------------------------------------------------------------------------

TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "header",
    "section",
    "h1",
    "h2",
    "h3",
    "p",
    "div",
    "span",
    "strong",
    "br",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "code",
    "figure",
    "figcaption",
    "svg",
    "desc",
    "g",
    "path",
    "line",
    "rect",
    "text",
    "defs",
    "clippath",
}


def parsed(html: str) -> Parsed:
    """A document of known tags alone, none of which fetches or runs anything."""
    document = Parsed(html)
    assert not document.open
    moved = {"button", "input", "label", "output", "script"}  # of the sliders
    assert document.tags <= TAGS | moved
    names = {name for _, name, _ in document.attributes}
    assert not names & {"src", "href", "xlink:href", "srcset", "action", "style"}
    assert not [name for name in names if name.startswith("on")]
    return document


@BOTH
def test_nothing_is_fetched_and_nothing_runs_but_the_sliders(pages: dict[str, str], strength: str) -> None:
    html = pages[strength]
    found = parsed(html)
    for loads in ("http:", "https:", "//", "@import", "url(", "javascript", "data:image"):
        assert loads not in html.lower()
    policy = [value for tag, name, value in found.attributes if tag == "meta" and name == "content"]
    own = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    script = html.rsplit("<script>", 1)[-1].split("</script>", maxsplit=1)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy[0] == (own if strength == "internal" else f"{own}; script-src 'sha256-{digest}'")
    assert html.count("<script") == (0 if strength == "internal" else 2), "the cases, and what looks them up"
    ids = [value for _, name, value in found.attributes if name == "id"]
    assert len(set(ids)) == len(ids)


@BOTH
def test_every_chart_has_words_and_its_numbers(
    pages: dict[str, str], reports: dict[str, Report], strength: str
) -> None:
    html = pages[strength]
    pictures = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
    assert len(pictures) == 4, "a hundred people, curve, doubts, class sizes"
    data = reports[strength].data
    every = (data["icon_array"], *data["figures"])
    drawn = sorted((figure for figure in every if figure["alternative"]), key=lambda each: each["name"] != "doubts")
    ids = {value for _, name, value in Parsed(html).attributes if name == "id"}
    for picture, figure in zip(pictures, drawn, strict=True):
        assert 'role="img"' in picture
        assert set(re.search(r'aria-labelledby="([^"]+)"', picture)[1].split()) <= ids
        assert figure["title"] in picture
        assert figure["alternative"] in picture
        axes = re.findall(r">([^<]+)</text>", picture)
        assert not [text for text in axes if re.search(r"\d\s\d{3}|\d\s%", text)], "numbers as in the texts"
    shown = Parsed(html).text
    for figure in drawn[:1] + drawn[2:]:
        for row in figure.get("cells") or [row["shown"] for row in figure["rows"]]:
            assert all(row[column["key"]] in shown for column in figure["columns"])


@BOTH
def test_every_number_of_the_document_is_in_the_file(
    pages: dict[str, str], reports: dict[str, Report], strength: str
) -> None:
    number = re.compile(r"\d+(?:[.,]\d+)*")
    known = set(number.findall(" ".join(str(leaf) for leaf in leaves(reports[strength].data))))
    seen = re.sub(r"<script.*?</script>", "", pages[strength], flags=re.DOTALL)  # its cases are those of a figure
    said = set(number.findall(Parsed(seen).text))
    assert len(said) > 60
    assert said <= known, said - known


def test_words_of_a_number_are_its_value(reports: dict[str, Report]) -> None:
    for row in reports["internal"].data["numbers"]:
        said = row["shown"]["value"].replace(",", "").removesuffix("%")
        if not said.startswith(("under", "over")):
            factor = 100 if METRICS[row["metric"]].unit == "share" else 1
            assert float(said) == pytest.approx(factor * row["value"], abs=0.051)


def test_colours_are_those_of_the_light_pages() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert list(COLOURS) == config["theme"]["light"]["chartCategoricalColors"]


def test_a_missing_package_is_named(reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingPackageError, match="vl-convert-python"):
        reports["internal"].to_html()
    assert reports["internal"].to_json(), "the file needs no charts"


# ---- the verdict ------------------------------------------------------------------------------


def test_false_alarms_stand_beside_who_is_exposed(encoded: Encoded, reports: dict[str, Report]) -> None:
    apart = scenario(hospitals=(Hospital(Policy(5)), Hospital(Policy(8), same_value_rate=0.5)), repeats=10)
    found = assess(Case(encoded, apart))
    report = build(Case(encoded, apart), known=Known(found, doubts(Case(encoded, apart), {"overlap": [100, 200]})))
    rows = rows_of(report, "numbers")
    assert rows["one_value_left"]["wrong"] == found.numbers["one_value_left"].wrong > 0
    assert rows["one_value_left_correct"]["value"] == found.numbers["one_value_left_correct"].value
    assert rows["one_value_left_correct"]["same"] == ""
    assert rows["one_value_left"]["shown"]["wrong"] in report.to_html()
    assert {name for name, row in rows.items() if row["guess"] is not None} == {"hit", "weighted_hit", "dp_ceiling"}
    alone = rows_of(reports["internal"], "numbers")["one_value_left_correct"]
    assert alone["same"] == "one_value_left", "where nobody is accused wrongly, one line says both"


def test_the_verdict_is_that_of_the_review(encoded: Encoded, assessed: Assessment, tried: pd.DataFrame) -> None:
    number = assessed.numbers["one_value_left"]
    wide = judge(dataclasses.replace(assessed, scenario=scenario(requirements=Requirements(one_value_left=1))), tried)
    case = wide.checks[0].worst
    assert case is not None
    worst = case.number.value
    for limits, survives in (
        ({}, "no limits were set"),
        ({"k": 5, "loss": 1}, "no requirement depends"),
        ({"k": 50, "loss": 1}, "not met as it is"),
        ({"k": 5, "m": 1}, "the verdict is open"),
        ({"one_value_left": worst}, "yes"),
        ({"one_value_left": (number.value + worst) / 2}, "no, see"),
    ):
        asked = scenario(requirements=Requirements(**limits))
        judged = judge(dataclasses.replace(assessed, scenario=asked), tried)
        data = build(Case(encoded, asked), known=Known(assessed, tried, assessed.exposure)).data
        assert (data["verdict"]["verdict"], data["verdict"]["survives"]) == (judged.verdict, judged.survives)
        assert survives in data["decision"]["survives_words"]
        facts = json.loads(evidence(Case(encoded, asked), dataclasses.replace(assessed, scenario=asked), judged))
        breaking = [case for check in judged.checks for case in check.breaking]
        people = [(round(case.number.value * case.number.n), case.number.n) for case in breaking]
        assert [(each["people"], each["n"]) for each in facts["breaking_cases"]] == people
        told = [each for each in data["verdict"]["sentences"] if each.startswith("If ") and each.endswith("not met.")]
        assert len(told) == min(3, len(breaking))
    assert len(people) > 3
    assert all(0 < few < n for few, n in people)
    assert data["verdict"]["verdict"] == CONDITIONAL
    assert data["verdict"]["condition"].startswith("not if ")
    assert not judged.met, "met on average, as an interval reaches beyond a limit"
    assert data["verdict"]["headline"] == f"Met on average under your assumptions, {data['verdict']['condition']}"
    assert data["requirements"][0]["worst"] == worst
    assert data["requirements"][0]["worst_at"].endswith(wording.setting_text(case.assumption, case.value))


# ---- what people add --------------------------------------------------------------------------


def test_the_decision_is_told_as_it_was_typed(pages: dict[str, str], reports: dict[str, Report]) -> None:
    for strength, html in pages.items():
        made = reports[strength].data["decision"]
        assert (made["what"], made["who"], made["when"]) == ("Wait.", "The board", "2026-11-21")
        assert made["accepted"][1] == "Others publish."
        assert "Too many.<br>Far too many." in html
        assert html.count("has not checked it for names or values") == 2
    assert "None is recorded" in quick().to_html()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        *(
            ("when", lambda when=when: Decision(when=when))
            for when in ("21.11.2026", "2026-13-01", "2026-02-30", "20261121", "today", 5)
        ),
        ("what", lambda: Decision(what="x" * 5_001)),
        ("why", lambda: Decision(why=None)),
        ("accepted", lambda: Decision(accepted=("x",) * 51)),
        ("question", lambda: Meeting("x" * 5_001)),
        ("digest", lambda: dataclasses.replace(NOISY[0], digest="XY" * 32)),
        ("digest", lambda: dataclasses.replace(NOISY[0], digest="ab")),
        ("epsilon", lambda: dataclasses.replace(NOISY[0], epsilon=0.0)),
        ("epsilon", lambda: dataclasses.replace(NOISY[0], epsilon=math.nan)),
        ("delta", lambda: dataclasses.replace(NOISY[0], delta=1.0)),
        ("relation", lambda: dataclasses.replace(NOISY[0], relation="x" * 201)),
        ("strength", lambda: quick("secret")),
        ("salt", lambda: quick(salt="short")),
    ],
)
def test_what_no_report_holds_is_refused(name: str, made: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        made()
    assert caught.value.parameter == name


def test_an_assessment_of_another_scenario(encoded: Encoded, assessed: Assessment, tried: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="another scenario"):
        build(Case(encoded, scenario(seed=1)), known=Known(assessed, tried))
    asked = scenario(requirements=Requirements(k=3), data_name="another name")
    report = build(Case(encoded, asked), known=Known(assessed, tried, assessed.exposure))
    assert [row["limit"] for row in report.data["requirements"]] == [3]


def test_progress() -> None:
    rises_and_can_be_stopped(lambda progress: quick(progress=progress))


@BOTH
def test_hostile_texts_stay_texts(strength: str) -> None:
    case, meeting = hostile()
    report = build(case, meeting, strength=strength)
    html = report.to_html()
    assert "<script>alert(1)</script>" in parsed(html).text, "told as it was typed"
    assert "<script" not in html
    assert report.data["decision"]["accepted"][7] == HOSTILE[7]
    assert Decision("a\u202eb\x00c\ud800d\r\ne").what == "a b c d\ne"


# ---- the external strength --------------------------------------------------------------------


def token(kind: str, number: int) -> str:
    return f"{kind}{hashlib.sha256(f'{kind}{number}'.encode()).hexdigest()[:9]}z"


def tokens(kind: str, many: int) -> list[str]:
    return [token(kind, number) for number in range(many)]


def tree(leaves: list[str], kind: str) -> Taxonomy:
    half = len(leaves) // 2
    return Taxonomy.from_nested({token(kind, 0): leaves[:half], token(kind, 1): leaves[half:]}, root=token(kind, 2))


def token_report(strength: str, salt: str = "") -> tuple[Report, set[str]]:
    """A report of a table whose every value, header and name occurs nowhere else, and all those texts."""
    rng = np.random.default_rng(0)
    columns, theirs = tokens("column", 7), tokens("their", 3)
    zips, grades, ills, sites = tokens("zip", 12), tokens("grade", 5), tokens("ill", 8), tokens("site", 3)
    ages = [str(7_000_019 + 1_003 * number) for number in range(30)]
    people = tokens("person", 400)
    frame = pd.DataFrame(
        {
            columns[0]: people,
            columns[1]: rng.choice(ages, 400),
            columns[2]: rng.choice(zips, 400),
            columns[3]: rng.choice(grades, 400),
            columns[4]: rng.choice(ills, 400),
            columns[5]: rng.choice(sites, 400),
            columns[6]: tokens("note", 400),
        }
    )
    trees = {columns[2]: tree(zips, "zone"), columns[4]: tree(ills, "chapter")}
    schema = Schema(
        columns[1:4],
        columns[4],
        identifiers=columns[:1],
        provider=columns[5],
        other=columns[6:],
        taxonomies=trees,
        orders={columns[3]: grades},
        missing_tokens=[token("gap", 0)],
    )
    table = Table.from_frame(frame)
    codes = tokens("code", 8)
    other = pd.DataFrame(
        {theirs[0]: rng.choice(ages, 300), theirs[1]: rng.choice(zips, 300), theirs[2]: rng.choice(codes, 300)}
    )
    upload = Upload(
        hashlib.sha256(b"their table").hexdigest(),
        tuple(zip((columns[1], columns[2], columns[4]), theirs, strict=True)),
        tuple(zip(codes, ills, strict=True)),
        name=token("file", 0),
    )
    files = {upload: open_upload(upload, Table.from_frame(other), table, schema)}
    statistics = hashlib.sha256(b"population").hexdigest()
    asked = Scenario(
        schema,
        (
            Hospital(Policy(4)),
            Hospital(Policy(4), origin="published", upload=upload),
            Hospital(Policy(5), same_value_rate=0.9),
        ),
        overlap=60,
        data_name=token("data", 0),
        data_id=CONTENT,
        repeats=1,
        forecast=AskedForecast(statistics="file", file_id=statistics),
        noise=AskedNoise(0.5, 1e-5, "gaussian"),
        requirements=Requirements(k=3, one_value_left=0.5, m=1, forecast=0.5),
    )
    encoded = encode(table, schema)
    found = assess(Case(encoded, asked, files))
    absent = {**found.not_assessed, "forecast": f"The column {columns[2]} does not fit.", "m": columns[5]}
    found = dataclasses.replace(found, not_assessed=absent)
    report = build(
        Case(encoded, asked, files),
        Meeting(decision=Decision(accepted=("known", "overlap")), noisy=NOISY),
        strength=strength,
        salt=salt,
        known=Known(found),
    )
    labels = [label for one in trees.values() for label in one.labels]
    texts = {*frame.to_numpy().ravel(), *other.to_numpy().ravel(), *columns, *theirs, *labels, token("file", 0)}
    return report, {*texts, token("data", 0), token("gap", 0), CONTENT, upload.content_id, statistics, NOISY[0].digest}


Named = tuple[Report, set[str], str]


@pytest.fixture(scope="module")
def named() -> dict[str, Named]:
    """Reports of the table of tokens, all those tokens, and all that leaves, without what is put between digits."""
    found = {
        "external": token_report("external"),
        "internal": token_report("internal"),
        "salted": token_report("external", SALT),
    }
    return {
        name: (report, texts, (report.to_json() + report.to_html()).replace(",", "").lower())
        for name, (report, texts) in found.items()
    }


def test_the_external_report_names_nothing(named: dict[str, Named]) -> None:
    _, texts, told = named["external"]
    assert len(texts) > 800
    assert not [text for text in texts if text.lower() in told]
    assert not re.search(r"[0-9a-f]{32}", told), "no digest without a salt"
    inside = named["internal"][2]
    assert sum(text.lower() in inside for text in texts) > 20, "the search can find them"


def test_the_internal_report_holds_no_record(named: dict[str, Named]) -> None:
    report, texts, told = named["internal"]
    assert not [text for text in texts if text.startswith(("person", "note", "7")) and text in told]
    page = report.to_html()
    assert not [text for text in texts if text.startswith(("zip", "ill", "grade", "site", "code")) and text in page]


def test_digests_are_salted(reports: dict[str, Report], pages: dict[str, str], named: dict[str, Named]) -> None:
    external, inside = reports["external"].data, reports["internal"].data
    plain = CONTENT, NOISY[0].digest, inside["data"]["scenario_digest"]
    wanted = [hashlib.sha256(f"{SALT}\n{text}".encode()).hexdigest() for text in plain]
    data = external["data"]
    assert [data["digest"], external["noisy"][0]["digest"], data["scenario_digest"]] == wanted
    assert wanted[0] in pages["external"]
    assert external["noisy"][0]["mechanism"] == "laplace", "a fixed word for what was typed"
    everything = reports["external"].to_json() + pages["external"]
    assert not [text for text in (SALT, *plain) if text in everything]
    assert [inside["data"]["digest"], inside["noisy"][0]["digest"]] == [CONTENT, NOISY[0].digest]
    report, texts, shown = named["salted"]
    assert len(re.findall(r"\b[0-9a-f]{64}\b", report.to_json())) == 5, "data, scenario, file, statistics, noisy table"
    assert not [text for text in texts if text.lower() in shown]


def test_what_the_external_report_has_is_a_list(reports: dict[str, Report]) -> None:
    """A field that is new to the internal report must not come into the external one by itself."""
    data = reports["external"].data
    assert set(data) == {
        "format",
        "schema_version",
        "strength",
        "told",
        "about",
        "question",
        "limits_of",
        "question_note",
        "verdict",
        "card",
        "icon_array",
        "requirements",
        "numbers",
        "not_assessed",
        "risk",
        "figures",
        "settings_tried",
        "assumptions",
        "settings",
        "data",
        "update",
        "files",
        "noisy",
        "decision",
        "draws",
        "versions",
        "limits",
        "sources",
    }
    assert set(data["data"]) == {"digest", "digest_of", "records", "scenario_digest"}
    assert {row["name"] for row in data["settings"] if row["group"] == "Data"} == {
        "Records",
        "Quasi-identifiers",
        "Sensitive attributes",
        "Providers known",
    }


@BOTH
def test_what_a_meeting_reads_is_short(encoded: Encoded, tried: pd.DataFrame, strength: str) -> None:
    """Verdict, card, requirements and decision, with every limit that can be set and every assumption accepted."""
    asked = scenario(requirements=Requirements(**dict.fromkeys(requirable(), 0.5)))
    every = tuple(one.key for one in assumptions(asked))
    made = Decision("Publish", "The board", "2026-11-21", "Because " + "it is worth it " * 30, every)
    report = build(Case(encoded, asked), Meeting(decision=made), strength=strength, known=Known(doubts=tried))
    before, annex, _ = report.to_html().partition('<h1 class="annex">')
    assert annex
    # Of a picture either its words are read or its text alternative, which says the same.
    seen = re.sub(r"<title .*?</title><desc .*?</desc>", " ", before.partition("<body>")[2])
    text = re.sub(r"<[^>]+>", " ", seen)
    most = 1250 if strength == "internal" else 1400  # sliders, and a sheet to sign
    assert len(text.split()) <= most, len(text.split())
    for sentence in leaves(report.data["card"]):
        assert str(escape(sentence)) in before


def test_the_cases_are_told_with_people_and_verdict_the_worst_first(
    encoded: Encoded, assessed: Assessment, tried: pd.DataFrame
) -> None:
    asked = scenario(requirements=Requirements(one_value_left=1))
    judged = judge(dataclasses.replace(assessed, scenario=asked), tried)
    by_share = judged.checks[0].cases
    data = build(Case(encoded, asked), known=Known(assessed, tried, assessed.exposure)).data
    figure = next(figure for figure in data["figures"] if figure["name"] == "doubts")
    first, *rows = figure["rows"]
    assert (first["label"], first["share"]) == ("As assumed", assessed.numbers["one_value_left"].value)
    plausible = [case for case in by_share if case.plausible]
    beyond = [case for case in by_share if not case.plausible]
    assert [row["share"] for row in rows] == [case.number.value for case in (*plausible, *beyond)]
    for row, case in zip(rows, (*plausible, *beyond), strict=True):
        assert row["people"] == round(case.number.value * case.number.n)
        assert row["verdict"] == case.verdict
        assert row["label"].startswith("If ")
        assert row["label"] in figure["alternative"]
    worst = max([*(case for case in by_share if case.assumption == "overlap")], key=lambda case: case.number.value)
    assert (
        re.search(rf"by share {worst.value:,}[ ,(]", data["card"]["depends_on"][-1])
        or worst.number.value < first["share"]
    )


def test_a_verdict_that_is_met_on_average_says_so_with_its_condition() -> None:
    asked = scenario(overlap=60, requirements=Requirements(one_value_left=0.5))
    present = assess(Case(encode(examples.city(400), SCHEMA), asked))
    headlines = {0.4: "Met under your assumptions, not if", 0.6: "Met on average under your assumptions, "}
    for high, headline in headlines.items():
        number = dataclasses.replace(present.numbers["one_value_left"], value=0.3, low=0.2, high=high)
        one = dataclasses.replace(present, numbers={**present.numbers, "one_value_left": number})
        tried = frame([("overlap", 30, 0.7)], 30)
        data = build(Case(encode(examples.city(400), SCHEMA), asked), known=Known(one, tried, present.exposure)).data
        assert data["verdict"]["headline"].startswith(headline)
        assert data["verdict"]["condition"] == "not if only 30 people are shared"


def test_a_plausible_range_that_the_table_cannot_reach_is_said() -> None:
    asked = scenario(overlap=60, repeats=1, plausible=Plausible(overlap=(30, 100_000)))
    case = Case(encode(examples.city(400), SCHEMA), asked)
    said = build(case, strength="external").data["card"]["untried"]
    assert "This table reaches people in all releases only from" in said
    assert "the plausible range is wider" in said
    usual = Case(case.encoded, asked.with_(plausible=Plausible()))
    assert "only from" not in build(usual).data["card"]["untried"]


def test_what_outsiders_move_reaches_every_case(pages: dict[str, str], reports: dict[str, Report]) -> None:
    sliders = json.loads(pages["external"].split('id="cases">')[1].split("</script>")[0])
    figure = next(figure for figure in reports["external"].data["figures"] if figure["name"] == "doubts")
    base, *rows = figure["rows"]
    reached = [case for slider in sliders for place, case in enumerate(slider["cases"]) if place != slider["present"]]
    assert len(reached) == len(rows)
    for row in rows:
        assert any(row["label"] in case["label"] and row["shown"]["share"] in case["text"] for case in reached)
    for slider in sliders:
        assert slider["cases"][slider["present"]]["label"] == base["label"]
        assert len(slider["values"]) == len(slider["cases"])


def test_outsiders_see_on_which_side_of_a_limit_a_number_lies() -> None:
    scale = Coarse()
    for value, n, limit, text in (
        (0.0072, 5_000, 0.01, "below 1% (by 0.2 points or more)"),
        (0.0072, 1_000, 0.01, "just below 1% (by less than 1 point)"),
        (0.0128, 5_000, 0.01, "above 1% (by 0.2 points or more)"),
        (0.24, 5_000, 0.01, "24%"),
        (0.01, 5_000, 0.01, "1%, at the limit"),
        (0.003, 5_000, 0.5, "under 1%"),
    ):
        number = Number(value, n, "shared people")
        assert scale.beside_limit("one_value_left", number, limit) == text, value
        exact = wording.text_at_limit("one_value_left", value, limit)
        assert Scale().beside_limit("one_value_left", number, limit) == exact


@given(st.floats(0, 1), st.integers(20, 30_000), st.floats(0.001, 1))
def test_how_far_from_a_limit_is_told_in_steps_of_ten_people(value: float, n: int, limit: float) -> None:
    text = Coarse().beside_limit("one_value_left", Number(value, n, "shared people"), limit)
    away = re.search(r"by (less than )?([\d.e-]+) points?( or more)?\)$", text)
    if away is None:
        return
    told = float(away[2]) / 100
    step = told if away[1] else limit / 10
    assert away[1] is None or step * n >= SMALL * (1 - 1e-6)
    assert (abs(value - limit) < told * (1 + 1e-3)) if away[1] else abs(value - limit) >= told * (1 - 1e-3)
    assert ("below" in text) is (value < limit)


def test_what_the_decision_costs_in_people(reports: dict[str, Report]) -> None:
    number = rows_of(reports["internal"], "numbers")["one_value_left"]
    people = round(number["value"] * 200)
    assert f"Of 200 shared people, {people} (" in reports["internal"].data["card"]["exposed"]
    assert f"{people} (" not in reports["external"].data["card"]["exposed"], "outside only shares are told"


def test_small_counts_are_hidden() -> None:
    report = quick("external", asked=scenario(overlap=7, repeats=1))
    told = report.to_json() + report.to_html()
    rows = rows_of(report, "numbers")
    assert (rows["one_value_left"]["shown"]["n"], rows["one_value_left"]["value"]) == ("< 10 shared people", None)
    assert not re.search(r"\b7 (shared )?people\b", told)
    assert not [row for figure in report.data["figures"] for row in figure["rows"] if row.get("n") in range(1, SMALL)]
    assert not [figure for figure in report.data["figures"] if figure["name"] in ("doubts", "breach_curve")]


def test_a_hidden_number_can_still_break_a_limit() -> None:
    asked = scenario(overlap=12, repeats=1, requirements=Requirements(one_value_left=0.999))
    one = assess(Case(encode(examples.city(200), SCHEMA), asked))
    low = dataclasses.replace(one.numbers["one_value_left"], value=0.0)
    one = dataclasses.replace(one, numbers={**one.numbers, "one_value_left": low})
    tried = frame([("releases", 3, 1.0)], 12)
    data = build(Case(encode(examples.city(200), SCHEMA), asked), strength="external", known=Known(one, tried)).data
    assert data["verdict"]["condition"] == "not if 3 hospitals publish"
    assert data["requirements"][0]["worst"] is None


def hidden_report() -> Report:
    """Of 20 people nobody, or everybody, is exposed: all that is told is "under 50%" or "over 50%"."""
    asked = scenario(overlap=20, requirements=Requirements(one_value_left=0.4, breach=0.4))
    one = assess(Case(encode(examples.city(200), SCHEMA), asked))
    none = {
        name: dataclasses.replace(number, value=0.0, low=0.0, high=0.1)
        for name, number in one.numbers.items()
        if name in exposures()
    }
    low = dataclasses.replace(one, numbers={**one.numbers, **none})
    tried = frame([("overlap", 10, 0.0), ("releases", 3, 1.0)], 20)
    shares = ("share", "right", "wrong", "single", "weighted", "weighted_correct", "weighted_wrong", "low", "high")
    curve = pd.concat([one.exposure.assign(value=k, **dict.fromkeys(shares, 0.0)) for k in (5, 10)])
    return build(Case(encode(examples.city(200), SCHEMA), asked), strength="external", known=Known(low, tried, curve))


def test_a_hidden_number_is_stored_as_its_interval() -> None:
    low, high = [0.0, 0.5], [0.5, 1.0]
    report = hidden_report()
    row, data = rows_of(report, "numbers")["breach"], report.data
    assert (row["value"], row["within"]["value"], row["shown"]["value"]) == (None, low, "under 50%")
    assert [row["low"], row["high"]] == low, "the interval goes to the far end of what is hidden"
    assert rows_of(report, "requirements")["breach"]["within"] == {"value": low, "worst": high}
    figures = {figure["name"]: figure for figure in data["figures"]}
    points = [(point["share"], point["within"]["share"]) for point in figures["breach_curve"]["rows"]]
    assert points == [(None, low)] * 6, "hidden points are not left out"
    assert [point["within"]["share"] for point in figures["doubts"]["rows"]] == [low, high, low]


def test_a_hidden_number_is_drawn_as_high_as_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    report, specs = hidden_report(), list[dict[str, Any]]()
    monkeypatch.setattr(
        vl_convert,
        "vegalite_to_svg",
        lambda spec, **_: specs.append(spec) or '<svg width="1" height="1" viewBox="0 0 1 1">',
    )
    report.to_html()
    curve, cases, *_ = specs
    for chart, shares in ((curve, {0.5}), (cases, {0.4 * (1 - NUDGE), 1.0})):
        dots = next(
            layer
            for layer in chart["layer"]
            if layer["mark"]["type"] in ("point", "circle") or "point" in layer["mark"]
        )
        assert {row["share"] for row in chart["datasets"][dots["data"]["name"]]} == shares


@pytest.mark.parametrize(
    ("locate", "algorithm", "linked", "said", "words"),
    [
        ("published", "mondrian", None, "what the releases publish.", False),
        ("assumed", "mdav", None, "knows the class of each person in every release", False),
        ("assumed", "mondrian", True, "knows the class of each person in every release", False),
        ("published", "mondrian", True, "what the releases publish.", True),
        ("assumed", "mondrian", False, "what is published in some releases, and known in others", True),
    ],
)
def test_how_people_are_found_is_what_the_attack_does(
    locate: str, algorithm: str, linked: bool | None, said: str, words: bool
) -> None:
    """``linked``: of a file as the other hospital; None for a simulated one."""
    table = examples.city(120, seed=2)
    upload = Upload(table.content_id, tuple((name, name) for name in (*SCHEMA.quasi_identifiers, "diagnosis")))
    here = encode(table, SCHEMA)
    rows = np.arange(120)
    theirs = partition(here, Policy(3), algorithm).published
    file = Foreign(theirs, mine=rows, theirs=rows) if linked else Foreign(theirs)
    other = Hospital(Policy(3), algorithm) if linked is None else Hospital(Policy(3), origin="published", upload=upload)
    asked = scenario(hospitals=(Hospital(Policy(3)), other), overlap=20, locate=locate)
    told = {one.key: one.sentence for one in assumptions(asked, {upload: file})}
    assert said in told["located"]
    assert ("words 2" in told) is words
    outcome = run_study(here, asked.study.with_files({upload: file}), 0)
    certain = all((found.counts == 1).all() for found in outcome.result.located)
    known = all(share is not None and share.only.value == 1 for share in outcome.result.located_correctly)
    assert certain and known if "knows the class of each person" in said else True


def test_an_accepted_sentence_does_not_carry_a_small_count_along() -> None:
    asked = scenario(overlap=7, repeats=1)
    typed = next(one.sentence for one in assumptions(asked) if one.key == "overlap")
    assert typed.startswith("7 people")
    report = quick("external", asked=asked, meeting=Meeting(decision=Decision(accepted=(typed,))))
    assert report.data["decision"]["accepted"][0].startswith("< 10 people")


def shares_of(report: Report) -> Iterator[tuple[float, int | None]]:
    for row in (*report.data["numbers"], *report.data["requirements"]):
        if METRICS[row["metric"]].unit == "share" and row["metric"] not in ("loss", "dp_ceiling"):
            names = ("value", "low", "high", "single", "guess", "wrong")
            yield from ((row[name], row["n"]) for name in names if row.get(name))
    for figure in report.data["figures"]:
        names = ("share", "low", "high", "single", "wrong", "right", "weighted", "one_value_left", "breach")
        for row in figure["rows"]:
            yield from ((row[name], row.get("n")) for name in names if row.get(name) is not None)


def test_shares_of_the_external_report_are_steps(reports: dict[str, Report]) -> None:
    found = list(shares_of(reports["external"]))
    assert len(found) > 50
    for share, n in found:
        step = step_of(n if n is not None else 1000)
        assert share / step == pytest.approx(round(share / step))
    assert any(share * 100 % 1 > 1e-6 for share, _ in shares_of(reports["internal"]))


counts = st.integers(20, 5_000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n)))


@given(counts)
def test_no_small_group_shows(given: tuple[int, int, int]) -> None:
    n, first, second = given
    scale, step = Coarse(), step_of(n)
    assert step * n >= SMALL - 1e-6
    (a, said, ends), (b, _, _) = scale.share(first / n, n), scale.share(second / n, n)
    for hidden in (first, n - first):
        if hidden < SMALL:
            assert said.startswith(("under", "over"))
    assert (a is None) is said.startswith(("under", "over")) is (ends is not None)
    if a is not None:
        assert abs(a - first / n) < step
    else:
        assert ends[0] - 1e-9 <= first / n <= ends[1] + 1e-9
        assert (ends[1] - ends[0]) * n >= SMALL - 1e-6
    if a != b and a is not None and b is not None:
        assert abs(a - b) * n >= SMALL - 1e-6
    low, high, _ = scale.span(min(first, second) / n, max(first, second) / n, n)
    assert low <= min(first, second) / n + 1e-9
    assert high >= max(first, second) / n - 1e-9


@given(st.integers(0, 19), st.floats(0, 1))
def test_too_few_people_have_no_share(n: int, share: float) -> None:
    assert Coarse().share(share, n) == ReportedNumber(None, "hidden: too few people")
    assert Coarse().people(n)[:2] == ((None, "< 10") if n < SMALL else (10, "10") if n < 15 else (20, "20"))
    assert Scale().people(n) == ReportedNumber(n, str(n))


@given(st.integers(0, 10**6), st.integers(0, 30))
def test_two_counts_tell_no_small_difference(n: int, more: int) -> None:
    a, b = Coarse().people(n).value, Coarse().people(n + more).value
    if a is not None and b is not None:
        assert a == b or b - a >= SMALL
        assert abs(a - n) <= 5


def test_the_method_page_says_how() -> None:
    text = (ROOT / "assets" / "method" / "report.md").read_text(encoding="utf-8")
    assert all(f"{100 * step:.0f}%" in text for step in STEPS)
    assert f'as "< {SMALL}"' in text
    assert "shares of fewer than 20 people | not at all" in text
    assert (step_of(19), step_of(20)) == (None, 0.5)


@pytest.mark.parametrize(
    ("told", "value", "text"),
    [
        (Coarse().number("entropy_l", Number(2.381, 40, "classes")), 2, "at least 2"),
        (Coarse().number("entropy_l", Number(3.0, 40, "classes")), 3, "at least 3"),
        (Coarse().number("t", Number(0.61, 40, "classes")), 0.7, "at most 0.7"),
        (Coarse().number("t", Number(0.6, 40, "classes")), 0.6, "at most 0.6"),
        (Coarse().number("t", Number(1.0, 40, "classes")), 1.0, "at most 1.0"),
        (Coarse().number("k", Number(9, 40, "classes")), None, "< 10"),
        (Coarse().number("k", Number(12, 40, "classes")), 12, "12"),
        (Coarse().number("classes", Number(4162, 30_000, "records")), 4200, "about 4,200"),
        (Coarse().number("loss", Number(0.114, 300, "records")), 0.11, "11%"),
        (Coarse().many(Number(0, 4162, "classes")), 4200, "about 4,200 classes"),
        (Coarse().many(Number(0, 4, "providers")), 4, "4 providers"),
    ],
)
def test_the_weakest_class_is_not_told_classes_are_counted_about_and_providers_exactly(
    told: ReportedNumber, value: float | None, text: str
) -> None:
    assert told == ReportedNumber(value, text)


@given(st.integers(20, 5_000).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n - 1))), st.floats(0.01, 8))
def test_a_ceiling_that_starts_from_base_rates_shows_no_count(given: tuple[int, int], together: float) -> None:
    """Externally it starts from a step of at least 10 people, rounded up: two counts within a step are told alike."""
    n, most = given
    step = step_of(n)
    exact = ceiling(most / n, together)
    told = Coarse().number("dp_ceiling", Number(exact, 2, "noisy tables", guess=most / n, people=n))
    up = min(1.0, math.ceil(most / n / step - 1e-9) * step)
    assert told.value == pytest.approx(math.ceil(100 * ceiling(up, together) - 1e-6) / 100, abs=0.0101)
    assert told.value >= exact - 1e-9
    assert told.text.startswith("at most")
    again = Coarse().number("dp_ceiling", Number(ceiling(up, together), 2, "noisy tables", guess=up, people=n))
    assert again == told
    few = Number(0.5, 2, "noisy tables", guess=0.25, people=12)
    assert Coarse().number("dp_ceiling", few) == ReportedNumber(None, HIDDEN)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ((0.0,), "0"),
        ((0.01,), "0.01"),
        ((1e-6,), "10⁻⁶"),
        ((3e-6,), f"3{wording.TIMES}10⁻⁶"),
        ((1.23456e-13,), f"1.23{wording.TIMES}10⁻¹³"),
        ((1.23456e-13, 10), f"1.23456{wording.TIMES}10⁻¹³"),
        ((2e21,), f"2{wording.TIMES}10²¹"),
    ],
)
def test_a_small_number_is_told_with_a_power_of_ten(asked: tuple[Any, ...], told: str) -> None:
    assert wording.power(*asked) == told


@pytest.mark.parametrize(
    ("whose", "said"), [("", "No author of the limits is named."), ("The <b>board</b>", "The &lt;b&gt;board")]
)
def test_a_report_says_whose_limits_its_verdict_goes_by(whose: str, said: str) -> None:
    meeting = Meeting(limits_by=whose)
    report = quick("external", asked=scenario(overlap=60, repeats=1, requirements=Requirements(k=5)), meeting=meeting)
    assert said in report.to_html().partition('class="annex"')[0]
