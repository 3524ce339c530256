"""Measure the speed of core, and of what it is compared with: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import datetime
import importlib
import sys
import time
from collections.abc import Sequence

from benchmarks import table
from benchmarks.data import ABSENT, Data, folder
from benchmarks.rows import Row, rows
from benchmarks.timing import CLOCKS, QUICK, Effort

APART = {
    "walks": "the officer from an upload to a signed decision, in Chromium: actions and waiting; requirements-dev.txt",
    "browser": "slider to repainted chart in Chromium; needs requirements-dev.txt",
    "helps": "what the page What helps says from opening to rest, in Chromium; needs requirements-dev.txt",
    "people": "several people at once, a move every five seconds; some six minutes; needs requirements-dev.txt",
    "soak": "the server's memory while ten people come and go, for half an hour; needs requirements-dev.txt",
    "forecast": "the forecast beside what simulated hospitals do; some minutes",
    "providers": "the figures of Goryczka et al. (2011) on m-privacy beside ours; about two minutes",
    "calibration": "is the weighted adversary as often right as he says, modelled hospitals beside real; some minutes",
    "intruder": "what an adversary with a population list claims, and how much is luck, on Adult; seconds",
    "engine": "tables larger than memory, from generated files to a measured release; needs requirements-dev.txt",
    "loss": "what each algorithm loses: at one policy, against the optimum, at one exposure; some minutes",
    "published": "what columns published beside the sensitive one add to the attack, on Adult; a minute",
    "twin": "the epsilon at which noisy tables reveal as much as releases, and both errors, on Adult; a minute",
    "updates": "what a release of a grown table says of who is new, exactly and by a simple rule, on Adult; seconds",
    "coordinated": "releases that keep one agreement next to others, on Adult, IPUMS and the city; a few minutes",
    "counts": "what another hospital's table of counts adds to my release, on the city and Adult; a minute or two",
    "units": "is the true share in that interval where real units differ, and with another case mix; some minutes",
    "worlds": "is the true share in the interval that my table alone gives, in worlds of real records; some minutes",
}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    names = ", ".join(row.name for row in rows())
    apart = "; ".join(f"{name}: {words}" for name, words in APART.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure the speed of core, and of what it is compared with.",
        epilog=f"Rows: {names}. A name stands for the rows that begin with it, too. Apart from these, {apart}.",
    )
    parser.add_argument("--only", metavar="NAME", action="append", help="measure this alone; may be repeated")
    parser.add_argument("--quick", action="store_true", help="small tables and few runs: to see that it works")
    parser.add_argument("--write", action="store_true", help="put the result into its file")
    parser.add_argument("--date", default=None, metavar="YYYY-MM-DD", help="date to write; today's by default")
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall", help="cpu: for a busy machine")
    parser.add_argument("--no-rivals", action="store_true", help="leave out the slow twins and anonypyx")
    parser.add_argument("--people", type=int, metavar="N", help="people, soak: this many people alone")
    parser.add_argument("--minutes", type=float, metavar="N", help="soak: how long; 30 by default")
    parser.add_argument("--records", type=int, metavar="N", help="engine: tables of this size alone, as 100000000")
    parser.add_argument(
        "--work", metavar="FOLDER", help="engine: where its rows are written; the system's place by default"
    )
    asked = parser.parse_args(given)
    if asked.date is None:
        asked.date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    asked.rows = _chosen(parser, asked.only)
    if asked.write and (asked.quick or (asked.only and asked.rows)):
        parser.error("--write takes the whole table at its full size: leave out --quick and the names of rows.")
    return asked


def _chosen(parser: argparse.ArgumentParser, only: list[str] | None) -> list[Row]:
    if only is None:
        return rows()
    found: list[Row] = []
    for name in only:
        mine = [row for row in rows() if row.name == name or row.name.startswith(f"{name}-")]
        if not mine and name not in APART:
            parser.error(f"there is no row {name!r}; --help lists them.")
        found += [row for row in mine if row not in found]
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = arguments(given)
    if asked.rows:
        _speed(asked)
    status = 0
    for name in APART:
        if name in (asked.only or ()):
            status = importlib.import_module(f"benchmarks.{name}").main(asked) or status
    return status


def _speed(asked: argparse.Namespace) -> None:
    data, began, load = Data(asked.quick), time.perf_counter(), table.load()
    meter = table.Meter(CLOCKS[asked.clock], QUICK if asked.quick else Effort(), not asked.no_rivals, not asked.quick)
    if folder() is None:
        print(ABSENT, file=sys.stderr)
    lines = []
    for row in asked.rows:
        print(f"{row.name} ...", file=sys.stderr, flush=True)
        lines.append(table.line(row, data, meter))
    took = time.perf_counter() - began
    said = table.notes(lines)
    print(table.markdown([table.plainer(found) for found in lines]))
    for note in said:
        print(note)
    if asked.quick:
        print("Small tables and few runs: the budgets do not apply.")
    if asked.clock == "cpu":
        print("Times are those of the processor, not of the clock on the wall.")
    print(f"{table.machine()}.{load} The run took {took:.0f} s.")
    if asked.write:
        told = [ABSENT] if folder() is None else []
        clock = ["Times are those of the processor."] if asked.clock == "cpu" else []
        facts = f"Measured on {asked.date}: {table.machine()}.{load} The run took {took / 60:.0f} minutes."
        table.write("table", "\n\n".join([*told, facts, table.markdown(lines), " ".join([*said, *clock])]))


if __name__ == "__main__":
    sys.exit(main())
