"""The document: data to HTML by a template that escapes every text; nothing fetched, made for A4."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from core.base import words
from core.base.errors import MissingPackageError
from core.base.metrics import MET, NOT_MET, ON_AVERAGE
from core.base.texts import asset
from core.report.charts import vector
from core.report.rounding import Facts
from core.report.sentences import sentence

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
GROUPS = {
    "guarantee": "What the release guarantees",
    "anticipated": "Anticipated before publication",
    "cost": "What it costs",
}
OTHERS = ("value", "n", "better")
ANNEX = '<h1 class="annex">Annex: every number, and what it rests on</h1>'
"""What stands before it is what a meeting reads."""
WIDE, LEADING = 11, 3
"""Columns of a chart's table that fit side by side, and those that every part of a wider one begins with."""
ABREAST = 5
"""Candidates that fit beside each other on paper; further ones get a table below."""
MOST_IN_FRONT = 20
"""Requirements that a meeting reads; further ones that are met stand in the annex."""
MARKS = {MET: "✓", ON_AVERAGE: "≈", NOT_MET: "✗"}
"""Before each verdict; a question mark where there is none."""


CARD = {
    "exposed": "Who is exposed",
    "baseline": "Compared with",
    "cost": "What it costs",
    "hangs_on": "What it hangs on",
    "untried": "What was tried",
}
EXPOSURE = ("Number", "95 % interval", "Of these wrongly", "Best single release", "Guessing", "Of")
DECIDED = {
    "what": "Decided",
    "who": "By",
    "when": "On",
    "why": "Because",
    "until": "Holds until",
    "ends": "Ends before that if",
}


def page(data: Facts) -> str:
    """Write a report as one HTML file.

    Parameters
    ----------
    data
        Of :class:`core.report.Report`.

    Returns
    -------
    str
        HTML without script, link, image file or request; inline SVG and styles only.

    Raises
    ------
    MissingPackageError
        If Jinja2, or what draws the charts, is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup, escape
    except ImportError:
        raise MissingPackageError("jinja2", "write a report as HTML") from None
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["lines"] = lambda text: Markup("<br>").join(escape(text).split("\n"))

    def drawn(figure: Facts, number: int) -> Facts:
        return {**_tables_of(figure), "svg": vector(figure, number)}

    verdict, candidates = data["verdict"]["verdict"], data["candidates"]
    number = len(data["figures"]) + 1
    first, later = _on_front(data["requirements"])
    return environment.from_string(asset("report/report.html")).render(
        **data,
        policy=POLICY,
        style=asset("report/report.css"),
        annex=ANNEX,
        marks=MARKS,
        none_sign=words.NONE,
        asked_first=first,
        asked_later=later,
        kind={MET: "met", NOT_MET: "broken"}.get(verdict, "open"),
        titles_of_card=CARD,
        dots=vector(data["hundred"], 0) if data["hundred"] else "",
        numbers_by_group=_groups(data["numbers"]),
        drawn=[drawn(figure, place) for place, figure in enumerate(data["figures"], 1)],
        candidate_parts=[] if candidates is None else _side_by_side(candidates),
        trade_off=None if candidates is None else drawn(candidates["trade_off"], number),
        best_or_worst={(True, False): "▲ best", (False, True): "▼ worst"},
        made=_decided(data["decision"]),
        all_accepted={row["sentence"] for row in data["assumptions"]} <= set(data["decision"]["accepted"]),
        settings_in_groups=_once([row["group"], row["name"], row["value"]] for row in data["settings"]),
    )


def _on_front(rows: list[Facts]) -> tuple[list[Facts], list[Facts]]:
    """Requirements for the front and for the annex: all that are not met stand in front, and as many of the others."""
    room = MOST_IN_FRONT - sum(row["verdict"] != MET for row in rows)
    first: list[Facts] = []
    later: list[Facts] = []
    for row in rows:
        place = first if row["verdict"] != MET or room > 0 else later
        place.append(row)
        room -= row["verdict"] == MET
    return first, later


def _groups(rows: list[Facts]) -> list[Facts]:
    """The tables of numbers: exposure, and one for each group of others."""

    def of(group: str) -> list[Facts]:
        return [row for row in rows if row["group"] == group and not row["same"]]

    names = ("value", "interval", "wrong", "single", "guess", "n")
    exposed = {"titles": ("Exposure of shared people", *EXPOSURE), "names": names, "rows": of("exposure")}
    others = [
        {"titles": (title, "Number", "Of", "Better is"), "names": OTHERS, "rows": of(group), "notes": ()}
        for group, title in GROUPS.items()
    ]
    return [{**exposed, "notes": (sentence("no range"), sentence("baselines"))}, *others]


def _tables_of(figure: Facts) -> Facts:
    """A figure with its rows as tables that a page is wide enough for."""
    columns = figure["columns"]
    text = {"assumption", "range", "confidence", "name", "efficient"}
    cells = figure.get("cells") or [row["shown"] for row in figure["rows"]]
    rows = [[cell[column["key"]] for column in columns] for cell in cells]
    if figure["name"] == "doubts":
        rows = _once(rows)
    tables = [
        {
            "titles": [columns[i]["words"] for i in some],
            "rows": [[row[i] for i in some] for row in rows],
            "right": [place for place, i in enumerate(some) if columns[i]["key"] not in text],
        }
        for some in _abreast(len(columns))
    ]
    return {**figure, "tables": tables}


def _once(rows: Iterable[list[Any]]) -> list[list[Any]]:
    """Rows whose first cell is written only where it changes."""
    shortened, last = [], None
    for first, *rest in rows:
        shortened.append(["" if first == last else first, *rest])
        last = first
    return shortened


def _abreast(columns: int) -> list[list[int]]:
    """Columns of each table that a page is wide enough for; of several, each begins with the first three."""
    if columns <= WIDE:
        return [list(range(columns))]
    parts = math.ceil((columns - LEADING) / (WIDE - LEADING))
    each = math.ceil((columns - LEADING) / parts)
    return [[*range(LEADING), *range(first, min(columns, first + each))] for first in range(LEADING, columns, each)]


def _side_by_side(candidates: Facts) -> list[Facts]:
    """Candidates in tables of as many as fit beside each other; numbers that no candidate has are left out."""
    known = [row for row in candidates["rows"] if any(cell["shown"] != words.NONE for cell in row["cells"])]
    parts = []
    for first in range(0, len(candidates["names"]), ABREAST):
        some = slice(first, first + ABREAST)
        rows = [{**row, "better": words.BETTER[row["better"]], "cells": row["cells"][some]} for row in known]
        parts.append({"titles": ("Number", "Better is", *candidates["names"][some]), "rows": rows})
    return parts


def _decided(made: Facts) -> list[tuple[str, str]]:
    """What is written of a decision, with its titles; empty where none is recorded."""
    if not any(made[name] for name in (*DECIDED, "accepted")):
        return []
    return [(title, made[name]) for name, title in DECIDED.items() if made[name]]
