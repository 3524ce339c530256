"""The guides name pages, headings, options and files that exist, and numbers that the program gives."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import pytest

import launch
from core import Policy, examples
from core.algorithms import partition
from core.base.metrics import METRICS
from core.base.wording import percent, span
from core.cli.arguments import parser
from core.data.encoding.encoded import Encoded, encode
from core.release.utility import gcp
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.shared.state import links
from tests.docs.blocks import run_blocks
from tests.source import ROOT

GUIDES = sorted((ROOT / "docs").glob("*.md"))
TEXTS = [*GUIDES, ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CHANGELOG.md"]
SPACES = {0xA0: " ", 0x202F: " "}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def heading(text: str) -> str:
    """The anchor that a heading has."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
        if re.match(r"https?:|(samples|slides)/", target):  # what `make docs` writes is looked at in the site
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            there = {heading(text) for text in re.findall(r"^#+ (.+)$", read(file), re.MULTILINE)}
            assert anchor in there | set(re.findall(r'<a id="([^"]+)"', read(file))), target


@pytest.mark.parametrize("name", ["guide.md", "lesson.md"])
def test_a_guide_names_pages_by_their_titles(name: str) -> None:
    titles = set(re.findall(r'_page\(\s*[^,]+,\s*"([^"]+)"', read(ROOT / "app.py")))
    assert len(titles) > 8
    text = read(ROOT / "docs" / name)
    named = set(re.findall(r"[Pp]ages? (?:\*\*|\*)([^*]+)\*", text))
    named |= {one for one in re.findall(r"\*\*([^*]+)\*\*", text) if one in titles}
    assert len(named) > 3
    assert named <= titles


NAMED = re.compile(r"\b[Pp]ages? +\*{0,2}([A-Z][\w ]+)|\b[Tt]he +\*?([A-Z][\w ]*?)\*? +page\b")


def test_no_text_names_a_page_that_is_gone() -> None:
    titles = tuple(re.findall(r'_page\(\s*[^,]+,\s*"([^"]+)"', read(ROOT / "app.py")))
    texts = [path for name in ("assets", "benchmarks", "docs") for path in (ROOT / name).rglob("*.md")]
    texts += [path for name in ("core", "pages", "delivery") for path in (ROOT / name).rglob("*.py")]
    named = [(path.name, one or other) for path in (*texts, *TEXTS[-3:-1]) for one, other in NAMED.findall(read(path))]
    assert len(named) > 50
    assert [pair for pair in named if not pair[1].startswith(titles)] == []


def test_no_guide_names_code_that_is_gone() -> None:
    for path in GUIDES:
        for dotted in re.findall(r"`(core(?:\.\w+)+)", read(path)):
            module, _, name = dotted.rpartition(".")
            found = importlib.util.find_spec(module)
            assert found is not None, (path.name, dotted)
            whole = importlib.import_module(module)
            assert hasattr(whole, name) or importlib.util.find_spec(dotted) is not None, (path.name, dotted)


def commands(program: str) -> list[list[str]]:
    found = []
    for path in TEXTS:
        for block in re.findall(r"```sh\n(.*?)```", read(path), re.DOTALL):
            lines = block.replace("\\\n", " ").splitlines()
            found += [shlex.split(line, comments=True)[1:] for line in lines if line.startswith(f"{program} ")]
    return found


def test_commands_of_the_guides_are_understood() -> None:
    for words in commands("composition"):
        launch.parser().parse_args(words)
    gates = [words for words in commands("composition-gate") if words != ["--help"]]
    assert gates
    for words in gates:
        parser().parse_args(words)


BLOCKS = {
    ("README.md", ""): "make, which the run of all tests begins with",
    ("README.md", "python"): "test_python_for_scripts_runs_in_the_repository",
    ("README.md", "sh"): "tests/core/test_command.py",
    ("citing.md", "bibtex"): "an entry to copy",
    ("evidence.md", "python"): "tests/core/test_evidence.py",
    ("gate.md", "sh"): "tests/core/test_command.py",
    ("gate.md", "text"): "tests/core/test_command.py",
    ("guide.md", "sh"): "test_commands_of_the_guides_are_understood",
    ("installing.md", "sh"): "test_commands_of_the_guides_are_understood; the bundle by tests/delivery",
    ("larger.md", "python"): "tests/core/test_engine_spark_session.py; with frames of others",
    ("larger.md", "sh"): "tests/core/test_frequency_table_command.py",
    ("larger.md", "text"): "tests/core/test_engine_spark.py",
    ("larger.md", "sql"): "test_the_query_for_warehouses_counts",
    ("lesson.md", "sh"): "test_commands_of_the_guides_are_understood",
    ("library.md", "python"): "test_python_for_scripts_runs_in_the_repository",
    ("publication-register.md", "sh"): "tests/core/test_register_command.py",
    ("serving.md", "nginx"): "a web server that no test installs",
    ("serving.md", "sh"): "Docker, which no test starts; the container's folder by tests/delivery/test_container.py",
}
"""Every block of code in a guide, by file and language: the test that runs it, or why none does."""


def test_every_block_of_code_is_run_or_has_a_reason() -> None:
    blocks = {(path.name, name) for path in TEXTS for name, _ in re.findall(r"(?ms)^```(\w*)\n(.*?)^```", read(path))}
    assert blocks == set(BLOCKS)


# ---- the report --------------------------------------------------------------------------------


@pytest.mark.long
def test_the_guide_of_the_report_has_its_headings_and_numbers(tmp_path: Path) -> None:
    data = ROOT / "assets" / "examples" / "hospitals_a_and_b_raw_a.csv"
    words = ["report", "--data", str(data), "--qids", "Age,Sex,Zip Code", "--sensitive", "Diagnosis"]
    words += ["--identifiers", "Name", "-k", "4", "--overlap", "4", "--repeats", "2", "--out", str(tmp_path / "r.html")]
    subprocess.run([sys.executable, "-m", "core", *words], cwd=ROOT, capture_output=True, check=True)
    shown = re.findall(r"<h2[^>]*>([^<]+)</h2>", plain(read(tmp_path / "r.html")))
    guide = read(ROOT / "docs" / "report.md")
    common = [heading for heading in re.findall(r"^## (.+)$", guide, re.MULTILINE) if heading in shown]
    assert len(common) >= 8
    assert common == [heading for heading in shown if heading in common], "in the order of the report"
    lines = re.findall(r"^\| ([A-Z][^|]+?) \|", guide, re.MULTILINE)
    assert len(lines) >= 12
    assert set(lines) <= {metric.words for metric in METRICS.values()}


def test_the_query_for_warehouses_counts() -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = pd.DataFrame({"age": [3, 3, 4], "sex": ["f", "f", "m"], "diagnosis": ["flu", "flu", "flu"]})
    (block,) = re.findall(r"(?ms)^```sql\n(.*?)^```", read(ROOT / "docs" / "larger.md"))
    queries = re.findall(r"SELECT .*? GROUP BY ALL", block)
    assert len(queries) == 3
    with duckdb.connect() as engine:
        engine.register("people", rows)
        for query in queries:
            counted = engine.execute(query.replace("dataset.", "")).fetchall()
            assert sorted(counted) == [(3, "f", "flu", 2), (4, "m", "flu", 1)]


def test_what_frameworks_ask_is_answered_by_parts_and_fields_that_exist() -> None:
    parts = set(re.findall(r"(?m)^(?:## |\*)([A-Z][^*\n]+)", read(ROOT / "docs" / "report.md").replace(" *", "\n*")))
    fields = json.loads(read(ROOT / "docs" / "schemas" / "evidence.json"))["$defs"]["Evidence"]["properties"]
    rows = re.findall(r"(?m)^\| (?!topic|heading|criterion|article|-)(.+) \|$", read(ROOT / "docs" / "frameworks.md"))
    cells = [row.split(" | ") for row in rows]
    assert len(cells) >= 25
    assert {part for row in cells for part in re.findall(r"\*([A-Z][^*]+)\*", row[1])} <= parts
    assert {field for row in cells for field in re.findall(r"`(\w+)`", row[2])} <= set(fields)


# ---- the lesson --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(), examples.city_schema())


def table(columns: str) -> list[list[str]]:
    """The rows of the table of the lesson with these columns."""
    text = read(ROOT / "docs" / "lesson.md")
    block = text.partition(f"| {columns} |\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in block.splitlines()[1:]]


def shares(city: Encoded, policy: Policy, vary: str, values: list[float]) -> pd.DataFrame:
    """As the app loads the city: my classes by least loss, those of the others by Mondrian."""
    study = Study((Hospital(policy, "least-loss"), Hospital(policy, "mondrian", origin="resampled")), 5000)
    return sweep(city, study, vary, values, Redraws(10, confidences=(1.0,)))


def plain(text: str) -> str:
    return text.translate(SPACES)


@pytest.mark.long
def test_the_lesson_says_what_a_larger_k_brings(city: Encoded) -> None:
    rows = table("k | one diagnosis left | 95% interval | information loss")
    found = shares(city, Policy(5), "k", [int(row[0]) for row in rows])
    for (k, *told), (_, point) in zip(rows, found.iterrows(), strict=True):
        lost = gcp(partition(city, Policy(int(k)), "least-loss"))
        shown = (percent(point["share"]), span(point["low"], point["high"], "share"), percent(lost))
        assert told == [plain(text) for text in shown]


@pytest.mark.long
def test_the_lesson_says_what_diversity_and_closeness_bring(city: Encoded) -> None:
    policies = {"nothing": Policy(5), "l = 3": Policy(k=5, l=3), "t = 0.3": Policy(k=5, t=0.3)}
    for name, *told in table("also required | one diagnosis left | information loss"):
        policy = policies.pop(name)
        share = shares(city, policy, "releases", [2])["share"].iloc[0]
        assert told == [plain(percent(share)), plain(percent(gcp(partition(city, policy, "least-loss"))))], name
    assert not policies


@pytest.mark.long
def test_the_lesson_says_what_more_hospitals_and_disagreement_bring(city: Encoded) -> None:
    rows = table("hospitals | one diagnosis left")
    found = shares(city, Policy(5), "releases", [int(row[0]) for row in rows])
    assert [row[1] for row in rows] == [plain(percent(share)) for share in found["share"]]
    point = shares(city, Policy(5), "same_value_rate", [0.5, 1.0]).iloc[0]
    text = read(ROOT / "docs" / "lesson.md")
    assert f"*rises* to {plain(percent(point['share']))}" in text
    assert f"for {plain(percent(point['wrong']))} of all shared people" in text


def test_each_link_of_the_lesson_opens_a_page_in_a_state_that_the_app_understands() -> None:
    pages = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    targets = [urlsplit(link) for link in re.findall(r"\((http://127[^)]+)\)", read(ROOT / "docs" / "lesson.md"))]
    assert len(targets) > 8
    for target in targets:
        assert target.port == launch.PORT
        assert target.path.strip("/") in pages | {""}
        assert links.understood(dict(parse_qsl(target.query)))[1] == 0, target.query


# ---- Python for scripts --------------------------------------------------------------------------


def test_python_for_scripts_runs_in_the_repository() -> None:
    """Where the program is installed: tests/delivery/test_bundle.py."""
    run_blocks(Path(sys.executable), ROOT)


def test_no_guide_imports_core_by_a_name_that_only_the_repository_has() -> None:
    shown = [*TEXTS, ROOT / "docs" / "notebook.ipynb"]
    assert [path.name for path in shown if re.search(r"\b(from|import) core\b", read(path))] == []


# ---- the notebook ------------------------------------------------------------------------------


@pytest.mark.long
def test_the_notebook_runs_and_prints_what_it_shows() -> None:
    path = ROOT / "docs" / "notebook.ipynb"
    notebook = json.loads(read(path))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 5
    script = (
        "import contextlib, io, json, sys\n"
        "names = {}\n"
        "for source in json.load(sys.stdin):\n"
        "    out = io.StringIO()\n"
        "    with contextlib.redirect_stdout(out):\n"
        "        exec(compile(source, 'cell', 'exec'), names)\n"
        "    print(json.dumps(out.getvalue()))\n"
    )
    sources = json.dumps(["".join(cell["source"]) for cell in cells])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=path.parent, input=sources, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    shown = ["".join(part for one in cell["outputs"] for part in one["text"]) for cell in cells]
    assert printed == shown
