"""The page of the papers' figures: whole from small tables, self-contained, nothing of a table as markup."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks import forecast
from benchmarks.papers import __main__ as papers
from benchmarks.papers import draw, ganta
from benchmarks.papers.figure import AGREES, Figure, Runs
from benchmarks.papers.page import page
from benchmarks.papers.tables import Source, Tables
from core import Schema, Table
from tests.hostile import BROKEN_OUT, FETCHED
from tests.parsed import Parsed


def source(name: str, rows: int, hostile: bool = False) -> Source:
    rng = np.random.default_rng(3)
    secret, second = (FETCHED, BROKEN_OUT) if hostile else ("job", "pay")
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "town": rng.choice(list("abcdefgh"), rows),
            secret: rng.choice([f"job {i}" for i in range(14)], rows),
            second: rng.integers(0, 30, rows),
            "team": rng.choice(["x", "y", "z"], rows),
        }
    )
    schema = Schema(["age", "sex", "town"], secret, other=[second, "team"])
    return Source(name, Table.from_frame(frame), schema, (secret, second, "team"), ("age", "sex"))


def first_alone(chart: Any, name: str) -> str:
    """The first drawing of each figure as it is, the others as empty ones: a drawing takes a tenth of a second."""
    return draw.svg(chart, name) if name.endswith("-0") else "<svg></svg>"


@pytest.fixture(scope="module")
def papers_drawn() -> tuple[list[Figure], str]:
    tables = Tables(source("Adult", 900), source("IPUMS", 900, hostile=True), source("Adult", 1000))
    runs = Runs()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(papers, "QUICK", ganta.Effort((5, 10), (2,), (0.6,), 2, 1, releases=(2, 3)))
        patch.setattr(forecast, "DRAWS", 1)
        patch.setattr(forecast, "KS", (5, 10))
        patch.setattr("benchmarks.papers.page.svg", first_alone)
        figures = papers.draw(papers.jobs(tables, True, runs), tables, runs)
        return figures, page(figures, papers.facts(tables, True, 1.0))


# ---- the page ----------------------------------------------------------------------------


def test_every_figure_of_the_papers_has_its_place(papers_drawn: tuple[list[Figure], str]) -> None:
    figures = papers_drawn[0]
    places = {(figure.paper, figure.number) for figure in figures}
    assert {("Ganta arXiv", f"Figure {n}") for n in range(1, 9)} <= places
    assert {("Ganta arXiv", "Table 4"), ("Ganta arXiv", "Tables 2 and 3"), ("Ganta KDD", "Table 1")} <= places
    assert {("Sattar", f"Figure {n}") for n in (1, 2, 3)} <= places
    assert {("Goryczka", f"Figure {n}") for n in range(6, 13)} <= places
    assert sum(paper == "Allard" for paper, _ in places) == 5
    also = " ".join(figure.also for figure in figures)
    assert all(f"Ganta KDD, Figure {n}" in also for n in (1, 2, 3, 4))
    assert not [figure.missing for figure in figures if figure.missing]
    assert len({figure.anchor for figure in figures}) == len(figures)


def test_nothing_is_fetched_nothing_runs_and_names_of_columns_are_text(papers_drawn: tuple[list[Figure], str]) -> None:
    text = papers_drawn[1]
    document = Parsed(text)
    assert not document.tags & {
        "script",
        "img",
        "image",
        "link",
        "iframe",
        "object",
        "embed",
        "foreignobject",
        "use",
        "base",
    }
    assert not [name for _, name, _ in document.attributes if name.startswith("on")]
    links = [value for _, name, value in document.attributes if name in ("src", "href", "xlink:href", "action", "data")]
    assert [link for link in links if not link.startswith("#")] == []
    assert not re.search(r"@import|url\((?!#)", text)
    words = html.unescape(text)
    assert FETCHED in words
    assert BROKEN_OUT in words


def test_worked_examples_agree_but_for_the_known_slip(papers_drawn: tuple[list[Figure], str]) -> None:
    worked = {"Table 1", "Tables 1 and 2", "Table I", "Release", "Homogeneity", "Don", "Recursive", "Partition"}
    claims = [claim for figure in papers_drawn[0] for claim in figure.claims if figure.number in worked]
    differ = [claim.printed for claim in claims if claim.verdict != AGREES]
    assert differ == ["T_b* is 1-private for k = 3 and l = 2."]


# ---- without data, with bad files ----------------------------------------------------------


def test_without_data_the_worked_examples_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    out = tmp_path / "page.html"
    assert papers.main(["--out", str(out), "--only", "allard", "--only", "goryczka"]) == 0
    said = capsys.readouterr().err
    assert "name its file with --adult FILE" in said
    assert "6 of 13 figures" in said
    text = out.read_text(encoding="utf-8")
    assert text.count("Not redrawn: UCI Adult is not here") == 7
    assert text.count("<svg") == 7
    assert "No data set was found" in text


@pytest.mark.parametrize(
    ("option", "content", "words"),
    [
        ("--ipums", b"a,b\n1,2\n3,4\n", "is not IPUMS"),
        ("--adult", b"a,b\n1,2\n3,4\n", "is not Adult"),
        ("--ipums", b"not gzip", "cannot be read"),
    ],
)
def test_files_that_cannot_be_used_are_refused_in_one_sentence(
    option: str,
    content: bytes,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    file = tmp_path / ("file.gz" if content == b"not gzip" else "file.csv")
    file.write_bytes(content)
    assert papers.main(["--out", str(tmp_path / "x.html"), option, str(file)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert words in line
    assert not (tmp_path / "x.html").exists()
