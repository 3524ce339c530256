"""Redraw the papers' figures into one HTML page: ``python -m benchmarks.papers --help``."""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from benchmarks.data import ROOT
from benchmarks.papers import attributes, comparison, described, diversity, painting, releases, worked
from benchmarks.papers.figure import Figure, Job, Runs
from benchmarks.papers.ganta import QUICK, Effort, Ganta
from benchmarks.papers.goryczka import Goryczka
from benchmarks.papers.page import PAPERS, page, seconds
from benchmarks.papers.sattar import Sattar
from benchmarks.papers.tables import ABSENT, Refused, Tables, load
from benchmarks.table import machine
from core import CompositionError, __version__

OUT = ROOT / "papers.html"


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers",
        description="Redraw every figure and table of the papers that this program can, into one HTML page.",
        epilog="Without data the worked examples are redrawn all the same.",
    )
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=f"the page; {OUT.name} by default")
    parser.add_argument("--adult", type=Path, metavar="FILE", help="adult.data of UCI, may be .gz")
    parser.add_argument("--adult-test", type=Path, metavar="FILE", help="adult.test of UCI, may be .gz")
    parser.add_argument("--ipums", type=Path, metavar="FILE", help="the IPUMS Los Angeles table as CSV, may be .gz")
    parser.add_argument(
        "--only",
        action="append",
        choices=sorted({name.split()[0].lower() for name in PAPERS}),
        help="this paper alone; may be repeated",
    )
    parser.add_argument("--quick", action="store_true", help="few records, settings and redraws: to see that it works")
    parser.add_argument(
        "--write", action="store_true", help="also the numbers of Ganta et al. beside ours, for the Method page"
    )
    options = parser.parse_args(given)
    if options.write and options.quick:
        parser.error("--write takes whole tables and all redraws: leave out --quick.")
    return options


def jobs(tables: Tables, quick: bool, runs: Runs) -> list[Job]:
    """Everything that can be redrawn, in the order of the papers."""
    ganta = _ganta(tables, quick, runs)
    own = [
        *described.jobs(ganta),
        *ganta.jobs(),
        *diversity.jobs(ganta),
        *attributes.jobs(ganta),
        *releases.jobs(ganta),
        *Sattar(tables, quick, runs).jobs(),
        *Goryczka(tables, quick).jobs(),
        *worked.jobs(),
        *painting.jobs(),
    ]
    order = list(PAPERS)
    return sorted(own, key=lambda job: order.index(job.paper))


def _ganta(tables: Tables, quick: bool, runs: Runs) -> Ganta:
    return Ganta(tables, QUICK if quick else Effort(), runs, _tell)


def write(tables: Tables, runs: Runs) -> bool:
    """Write the comparison with Ganta et al., from the same runs; ``False`` where a table of it is absent."""
    ganta = _ganta(tables, False, runs)
    both = comparison.both(ganta)
    if both is None:
        print("The comparison needs Adult, its taxonomies and IPUMS: nothing was written.", file=sys.stderr)
        return False
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    comparison.FILE.write_text(comparison.text(ganta, both, today), encoding="utf-8")
    print(f"{comparison.FILE}: written.", file=sys.stderr)
    return True


def draw(asked: Sequence[Job], tables: Tables, runs: Runs) -> list[Figure]:
    """Redraw them one after another, a line each; what has no data says so."""
    found = []
    for job in asked:
        absent = [ABSENT[name] for name in job.needs if tables[name] is None]
        if job.needs and len(absent) == len(job.needs):
            found.append(job.without(" ".join(dict.fromkeys(absent))))
            _tell(f"{job.paper}, {job.number}: no data")
            continue
        began, known = time.perf_counter(), set(runs.found)
        runs.seconds()
        try:
            figure = job.make()
        except CompositionError as error:
            found.append(job.without(error.message))
            _tell(f"{job.paper}, {job.number}: {error.message}")
            continue
        took = time.perf_counter() - began
        # Runs of an earlier figure took their time there; this figure needs them as well.
        fresh = sum(runs.found[name][1] for name in set(runs.found) - known)
        figure = replace(figure, seconds=took - fresh + runs.seconds(), note=" ".join([figure.note, *absent]).strip())
        found.append(figure)
        _tell(f"{job.paper}, {job.number}: {seconds(took)}")
    return found


def facts(tables: Tables, quick: bool, took: float) -> list[str]:
    """What has to be known of the run."""
    here = [source for source in (tables.adult, tables.ipums) if source is not None]
    data = [
        f"{source.name}: {len(source.table):,} rows, {len(source.encoded):,} complete, content "
        f"{source.table.content_id[:16]}"
        for source in here
    ]
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    versions = ", ".join(f"{name} {version(name)}" for name in ("altair", "vl-convert-python"))
    return [
        f"{'; '.join(data) or 'No data set was found: only what needs none is redrawn'}.",
        *(["A quick run: few records, settings and redraws. Its numbers are not to be compared."] if quick else []),
        f"Made on {today} in {seconds(took)}: {machine()}, {versions}, Composition {__version__}.",
        "Seed 0. Where figures share a run, each is given the whole time of it.",
    ]


def _tell(words: str) -> None:
    print(f"papers: {words}", file=sys.stderr, flush=True)


def main(given: Sequence[str] | None = None) -> int:
    """Redraw what the command line asks for; status 2 where a named file cannot be used."""
    asked = arguments(given)
    began, runs = time.perf_counter(), Runs()
    try:
        tables = load(asked.adult, asked.adult_test, asked.ipums, asked.quick)
    except Refused as reason:
        print(reason, file=sys.stderr)
        return 2
    for words in (ABSENT[name] for name in ("adult", "ipums") if tables[name] is None):
        print(words, file=sys.stderr)
    wanted = [
        job for job in jobs(tables, asked.quick, runs) if not asked.only or job.paper.split()[0].lower() in asked.only
    ]
    figures = draw(wanted, tables, runs)
    text = page(figures, facts(tables, asked.quick, time.perf_counter() - began))
    try:
        asked.out.write_text(text, encoding="utf-8")
    except OSError as error:
        print(
            f"The page cannot be written to {asked.out} ({type(error).__name__}); name another with --out FILE.",
            file=sys.stderr,
        )
        return 2
    redrawn = sum(not figure.missing for figure in figures)
    print(f"{asked.out}: {redrawn} of {len(figures)} figures and tables redrawn.", file=sys.stderr)
    return 2 if asked.write and not write(tables, runs) else 0


if __name__ == "__main__":
    sys.exit(main())
