"""Figure 8 of [Ganta arXiv 2008, §3.6]: more than two releases."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.papers import draw
from benchmarks.papers.comparison_text import EVERYWHERE
from benchmarks.papers.figure import NOT_PRINTED, Claim, Figure, Grid, Job, Picture, percent
from benchmarks.papers.ganta import PAPER, X_TITLE, Ganta, top_of
from benchmarks.papers.scenarios import KNOWN, SCENARIOS


def jobs(ganta: Ganta) -> list[Job]:
    """The figure, over runs of its own."""
    return [Job(PAPER, "Figure 8", "Number of anonymised releases", lambda: figure_8(ganta), ("adult", "ipums"))]


def figure_8(ganta: Ganta) -> Figure:
    """More than two releases."""
    pictures, claims, rows = [], [], []
    # The paper has IPUMS and Mondrian; the rest is ours.
    for source in ganta.sources[::-1]:
        frame = ganta.many(source)
        known = frame[frame["locate"] == KNOWN]
        for name in SCENARIOS:
            mine = known[known["scenario"] == name].assign(line=lambda f: f["releases"].map("{:.0f} releases".format))
            paper = source.name == "IPUMS" and name == "Mondrian twice"
            ours = "" if paper else " (ours)"
            for column, words in (("one_value_left", "One value left"), ("drop", "Values lost, mean")):
                if column == "one_value_left" or paper:
                    data = mine.rename(columns={"k": "x", column: "y"})
                    chart = draw.lines(data, X_TITLE, words, column == "one_value_left", top=top_of(data["y"]))
                    pictures.append(
                        Picture(chart, f"{source.name}, {EVERYWHERE[name]}{ours}: {words.lower()}, against k.")
                    )
            for k in ganta.effort.ks:
                here = mine[mine["k"] == k].sort_values("releases")
                rows.append(
                    (
                        source.name,
                        EVERYWHERE[name],
                        str(k),
                        *(percent(v) for v in here["one_value_left"]),
                        *(f"{v:.2f}" for v in here["drop"]),
                    )
                )
            if paper:
                claims += _claims_8(mine)
    header = (
        "Table",
        "Scenario",
        "k",
        *(f"one left, R = {r}" for r in ganta.effort.releases),
        *(f"drop, R = {r}" for r in ganta.effort.releases),
    )
    sizes = "; ".join(f"{s.name}: {int(ganta.many(s)['size'].iloc[0]):,} records each" for s in ganta.sources)
    return Figure(
        PAPER,
        "Figure 8",
        "Number of anonymised releases",
        f"Two to four hospitals, classes known, sizes fixed over R ({sizes}). Means over {ganta.effort.few} redraws.",
        pictures,
        [Grid(header, rows, words=2)],
        claims,
        "",
        NOT_PRINTED,
    )


def _claims_8(mine: pd.DataFrame) -> list[Claim]:
    table = mine.pivot_table(index="k", columns="releases", values="one_value_left")
    drop = mine.pivot_table(index="k", columns="releases", values="drop")
    first, last = table.index.min(), table.index.max()
    gain = {k: float(table.loc[k].iloc[-1] - table.loc[k].iloc[0]) for k in (first, last)}
    more = bool((np.diff(table.to_numpy(), axis=1) >= -1e-9).all())
    lost = bool((np.diff(drop.to_numpy(), axis=1) >= -1e-9).all())
    return [
        Claim.holds(
            "IPUMS: severity increases with the number of releases.", "at every k" if more else "not at every k", more
        ),
        Claim.holds(
            "IPUMS: a significant increase for small k, none for large k.",
            f"{100 * gain[first]:.1f} points more at k = {first}, {100 * gain[last]:.1f} at k = {last}",
            gain[first] > 0.05 and gain[last] < 0.02,
        ),
        Claim.holds(
            "IPUMS: the drop in effective anonymity increases with the number of releases.",
            "at every k" if lost else "not at every k",
            lost,
        ),
    ]
