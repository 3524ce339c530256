"""Builds the site from docs: ``make docs``.

The texts are laid as in the repository, so that their links lead to the same places, and what the program writes is put
beside them: reports, slides. Zensical makes the site, with warnings as errors.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from core import Policy, Scenario, Table, examples
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.decision.review import Assessment, Case, Number, assess, doubts, judge, redraws
from core.decision.scenario.requirements import Requirements
from core.release.utility import gcp
from core.report import Decision, Known, Meeting, TriedSetting, build, evidence
from core.study.hospitals import Hospital
from core.study.sweep import sweep
from delivery.slides import slides

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "dist" / "site-source"
SITE = ROOT / "dist" / "site"
"""As zensical.toml has them."""
TEXTS = ("*.md", "LICENSE", "docs/**/*", "benchmarks/README.md", "assets/*.svg", "assets/method/paper_comparison.md")
QUESTION = "May the table of the city be published for research?"
LIMITS = Requirements(k=5, one_value_left=0.05, loss=0.1)
OVERLAP = 5_000
TRIED = (2, 3, 5, 8, 10, 15, 20, 25)
"""Values of k that the documents show."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site; what the builder ends with."""
    top = argparse.ArgumentParser(prog="python -m delivery.site", description=__doc__, allow_abbrev=False)
    top.parse_args(arguments)
    stage()
    write_samples(SOURCE / "docs" / "samples")
    write_slides(SOURCE / "docs" / "slides")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - our own tool


def stage() -> None:
    """Lay the texts and pictures as they are in the repository."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for path in {path for pattern in TEXTS for path in ROOT.glob(pattern) if path.is_file()}:
        place = SOURCE / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def write_slides(folder: Path) -> None:
    """Write the slides of the lesson."""
    folder.mkdir(parents=True)
    text = (ROOT / "docs" / "lesson.md").read_text(encoding="utf-8")
    (folder / "lesson.html").write_text(slides(text), encoding="utf-8")


def write_samples(folder: Path) -> None:
    """Write what a decision about the built-in city leaves: reports, evidence, scenario."""
    folder.mkdir(parents=True)
    city = examples.city()
    case = Case(encode(city, examples.city_schema()), scenario(city))
    assessment = assess(case)
    tried = doubts(case)
    decision = Decision("Not yet", "The board", "2026-11-25", "A larger k was tried and keeps the limits.", ())
    texts = {
        "scenario.json": case.scenario.to_json(),
        "evidence.json": evidence(case, assessment, judge(assessment), decision),
    }
    brought = Meeting(QUESTION, decision, limits_by="The board", settings=settings(case, assessment))
    for strength in ("internal", "external"):
        report = build(case, brought, strength=strength, known=Known(assessment, tried))
        texts[f"report_{strength}.html"] = report.to_html()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def scenario(city: Table) -> Scenario:
    """Two hospitals with the assumptions of the app, and limits that they break."""
    return Scenario(
        examples.city_schema(),
        (Hospital(Policy(5), "least-loss"), Hospital(Policy(5), "mondrian", origin="resampled")),
        overlap=OVERLAP,
        data_id=city.content_id,
        data_name="city",
        confidence=1.0,
        requirements=LIMITS,
    )


def settings(case: Case, assessment: Assessment) -> list[TriedSetting]:
    """The present setting and others over k."""
    curve = sweep(case.encoded, case.study, "k", TRIED, redraws(case.scenario)).query("confidence == 1.0")
    mine = case.scenario.mine
    tried = []
    for row in curve.to_dict("records"):
        k = int(row["value"])
        if k == mine.policy.k:
            tried.append(TriedSetting(f"k = {k}", assessment.numbers, mine=True))
            continue
        loss = gcp(partition(case.encoded, Policy(k), mine.algorithm))
        exposed = Number(row["share"], int(row["n"]), "shared people", row["low"], row["high"], redraws=row["repeats"])
        numbers = {"k": Number(k, assessment.records, "people"), "loss": Number(loss, assessment.records, "records")}
        tried.append(TriedSetting(f"k = {k}", {**numbers, "one_value_left": exposed}))
    return tried


if __name__ == "__main__":
    sys.exit(main())
