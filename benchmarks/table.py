"""The table of one run: measured, worded, printed, and put into benchmarks/README.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.anonypyx_runs import Absent
from benchmarks.data import Data
from benchmarks.rows import Plan, Row
from benchmarks.timing import Clock, Effort, Series, measure, yardstick
from benchmarks.twins import Versus

README = Path(__file__).with_name("README.md")
HEADER = ("what", "data", "median", "min", "max", "budget", "met", "÷ np.sort", "slow twin", "anonypyx")
NUMERIC = HEADER[2:]
NONE = "–"
FAILURES = (ArithmeticError, AttributeError, LookupError, NameError, RuntimeError, SyntaxError, TypeError, ValueError)
"""What a library may raise that was made for other versions of Python, pandas or numpy."""


@dataclass(frozen=True)
class Line:
    """One row of the table in words, and what to say under the table."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Meter:
    """How this run measures; at full size budgets apply."""

    clock: Clock
    effort: Effort
    rivals: bool = True
    full: bool = True


def line(row: Row, data: Data, meter: Meter) -> Line:
    """Measure one row."""
    plan = row.plan(data)
    if plan.megabytes is not None:
        return Line((row.what, plan.data, *_memory(plan, meter), NONE, NONE, NONE))
    assert plan.run is not None
    runs = {"ours": plan.run, "sort": yardstick()}
    if plan.beside is not None:
        runs["beside"] = plan.beside
    found = measure(runs, meter.clock, meter.effort)
    ours = found["ours"]
    budget, met = _budget(plan, ours, found.get("beside"), meter.full)
    twin, twin_notes = _rival(plan.twin, meter, row.name)
    try:
        other, other_notes = _rival(plan.other, meter, row.name)
    except Absent as reason:
        other, other_notes = NONE, (str(reason),)
    except FAILURES as error:
        other, other_notes = NONE, (f"anonypyx failed at `{row.name}` ({type(error).__name__}), so it is left out.",)
    cells = (
        row.what,
        plan.data,
        seconds(ours.median),
        seconds(ours.low),
        seconds(ours.high),
        budget,
        met,
        factor(ours.times(found["sort"])),
        twin,
        other,
    )
    return Line(cells, (*twin_notes, *other_notes))


def _memory(plan: Plan, meter: Meter) -> tuple[str, ...]:
    assert plan.megabytes is not None
    peaks = [plan.megabytes() for _ in range(min(3, meter.effort.least))]
    middle = sorted(peaks)[len(peaks) // 2]
    met = NONE if plan.budget is None or not meter.full else _met(middle, plan.budget)
    budget = NONE if plan.budget is None else f"{plan.budget:,.0f} MB"
    return f"{middle:,.0f} MB", f"{min(peaks):,.0f} MB", f"{max(peaks):,.0f} MB", budget, met


def _budget(plan: Plan, ours: Series, beside: Series | None, full: bool) -> tuple[str, str]:
    """Words for the budget and for whether it is met."""
    if beside is not None and plan.times is not None:
        ratio = ours.times(beside)
        met = f"{_met(ratio, plan.times)}, {factor(ratio)} x" if full else NONE
        return f"{plan.times:g} x {plan.against}", met
    if plan.budget is None:
        return NONE, NONE
    return seconds(plan.budget), _met(ours.median, plan.budget) if full else NONE


def _met(value: float, budget: float) -> str:
    return "yes" if value <= budget else "**no**"


def _rival(make: Callable[[], Versus] | None, meter: Meter, name: str) -> tuple[str, tuple[str, ...]]:
    """Measure core and a rival in turns; say how many times as long the rival takes."""
    if make is None or not meter.rivals:
        return NONE, ()
    versus = make()
    found = measure({"ours": versus.ours, "theirs": versus.theirs}, meter.clock, meter.effort)
    notes = [] if versus.note is None else [versus.note()]
    if versus.agree is False:
        notes.append(f"`{name}`: the two found different things, so the ratio means nothing.")
    return f"x {factor(found['theirs'].times(found['ours']))} ({versus.size})", tuple(notes)


# ---- words ------------------------------------------------------------------------------


def seconds(value: float) -> str:
    """Return seconds with three digits that matter: ``25.1 ms``, ``1.20 s``."""
    if value < 0.9995:
        return f"{_three(value * 1000)} ms"
    return f"{_three(value)} s"


def factor(value: float) -> str:
    """Return a ratio with two or three digits that matter."""
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _three(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def markdown(lines: Sequence[Line], header: Sequence[str] = HEADER, numeric: Sequence[str] = NUMERIC) -> str:
    """Return a Markdown table whose columns are aligned in the text too."""
    rows = [tuple(header), *(found.cells for found in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    right = [name in numeric for name in header]
    rule = tuple("-" * (width - 1) + ":" if r else "-" * width for width, r in zip(widths, right, strict=True))
    out = []
    for row in (rows[0], rule, *rows[1:]):
        cells = [
            cell.rjust(width) if r else cell.ljust(width) for cell, width, r in zip(row, widths, right, strict=True)
        ]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def notes(lines: Sequence[Line]) -> list[str]:
    """Everything to be said under the table, each thing once."""
    return list(dict.fromkeys(note for found in lines for note in found.notes))


def machine() -> str:
    """Name the machine by what matters for speed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        memory = f"{size:.0f} GiB of memory"
    except (AttributeError, ValueError, OSError):
        memory = "memory unknown"
    return (
        f"{_processor()}, {cores} cores, {memory}; {_system()}; Python {platform.python_version()}, "
        f"numpy {np.__version__}, pandas {pd.__version__}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [found.partition(":")[2].strip() for found in lines if found.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError, AttributeError):
        return f"{platform.system()} {platform.release()}"


def load() -> str:
    """Say how busy the machine is with other things, where it can be told."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f" Load of the machine when the run began: {os.getloadavg()[0]:.1f}."


def write(name: str, text: str) -> None:
    """Put a text between the markers of this name in benchmarks/README.md."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    whole = README.read_text(encoding="utf-8")
    before, found, rest = whole.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"benchmarks/README.md has no place for the {name}: it needs {begin} and {end}.")
    README.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def plainer(found: Line) -> Line:
    """Return a row without marks that only a Markdown page needs."""
    return replace(found, cells=tuple(cell.replace("**", "") for cell in found.cells))
