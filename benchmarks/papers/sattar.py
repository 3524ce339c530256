"""Figures 1 to 3 of [Sattar 2018]: estimated and real risk against group size and overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import forecast
from benchmarks.papers import draw
from benchmarks.papers.figure import NOT_PRINTED, Claim, Figure, Grid, Job, Picture, Runs, percent
from benchmarks.papers.sensitive import rank_correlation
from benchmarks.papers.tables import Source, Tables
from core.figures.base import HEIGHT, PERCENT, colour, names_at_ends, plot
from core.figures.vega import field, layer

PAPER = "Sattar"
K_TITLE, O_TITLE = "Group size (k)", "People given to both"
OURS = (
    "The paper prints neither l nor C, nor the probability that Definition 7 needs; here l = 2, C = 0.9 and our "
    "reading of it. Its tables are census extracts of 100,000 records; here the samples are what the table allows."
)


def estimated_and_real(frame: pd.DataFrame) -> Any:
    """Estimated and real risk of simulated hospitals against k [Sattar 2018, Figure 3].

    Takes the output of :func:`benchmarks.papers.real_risk.beside_real`.
    """
    lines = (
        ("estimated", "estimated", "my release", [6, 3]),
        ("estimated_joint", "estimated, by class", "other release", [4, 2]),
        ("real_all", "real, all classes", "breached", [1, 0]),
        ("real_shared", "real, with shared people", "breached", [2, 3]),
    )
    parts = [
        pd.DataFrame({"k": frame["k"], "share": frame[column], "line": words, "series": series})
        for column, words, series, _ in lines
    ]
    data = pd.concat(parts, ignore_index=True)
    x = field(
        "k:Q",
        title="People per class (k)",
        scale={"nice": False, "zero": False},
        axis={"tickMinStep": 1, "grid": False},
    )
    y = field("share:Q", title="Vulnerable classes", scale={"domain": [0, 1]}, axis={"format": PERCENT})
    tips = [field("k:Q"), field("line:N", title=""), field("share:Q", title="Share", format=".1%")]
    dashes = field(
        "line:N", scale={"domain": [line[1] for line in lines], "range": [line[3] for line in lines]}, legend=None
    )
    layers = []
    for _, words, series, _ in lines:
        marks = plot(data[data["line"] == words], series)
        layers.append(marks.mark("line", strokeWidth=2.2).encode(x=x, y=y, color=colour(), strokeDash=dashes))
        dots = marks.mark("point", size=34, filled=True, opacity=1)
        layers.append(dots.encode(x=x, y=y, color=colour(), tooltip=tips))
    ends = data[(data["k"] == data["k"].max()) & data["share"].notna()]
    layers += names_at_ends(ends, x)
    return layer(*layers).properties(height=HEIGHT + 20)


@dataclass(frozen=True)
class Sattar:
    """The figures over the tables at hand."""

    tables: Tables
    quick: bool
    runs: Runs

    @property
    def sources(self) -> list[Source]:
        """IPUMS, the paper's kind of table, before Adult."""
        return [source for source in (self.tables.ipums, self.tables.adult) if source is not None]

    def frame(self, source: Source) -> pd.DataFrame:
        """Estimated and real risk for each overlap and k, means over the draws."""
        found: pd.DataFrame = self.runs.once(
            f"sattar {source.name}", lambda: forecast.figures(source.name, source.narrow, self.quick)
        )
        return found

    def _setting(self) -> str:
        each = "; ".join(
            f"{source.name}: {int(self.frame(source)['size'].min()):,} to {int(self.frame(source)['size'].max()):,} "
            f"records each, {len(source.narrow.qids)} quasi-identifiers"
            for source in self.sources
        )
        return (
            f"Two disjoint samples are given the same extra people and cut by Mondrian. {each}. Means over "
            f"{forecast.DRAWS} draws. Age, sex, education, race, birth place and occupation, as in the paper."
        )

    def _against(self, number: str, title: str, column: str, words: str, claims: list[Claim]) -> Figure:
        pictures, rows = [], []
        for source in self.sources:
            frame = self.frame(source)
            by_overlap = frame.assign(x=frame["overlap"], y=frame[column], line=[f"k = {k}" for k in frame["k"]])
            by_k = frame.assign(x=frame["k"], y=frame[column], line=[f"{o:,} in both" for o in frame["overlap"]])
            for letter, data, x in (("a", by_overlap, O_TITLE), ("b", by_k, K_TITLE)):
                chart = draw.lines(data, x, "Vulnerable groups", log_x=False)
                pictures.append(Picture(chart, f"({letter}) {source.name}: {words}, against {x.lower()}."))
            table = frame.pivot_table(index="overlap", columns="k", values=column)
            rows += [
                (source.name, f"{overlap:,}", *(percent(v) for v in table.loc[overlap])) for overlap in table.index
            ]
        header = ("Table", "in both", *(f"k = {k}" for k in dict.fromkeys(self.frame(self.sources[0])["k"])))
        return Figure(
            PAPER, number, title, self._setting(), pictures, [Grid(header, rows)], claims, "", f"{NOT_PRINTED} {OURS}"
        )

    def figure_1(self) -> Figure:
        """Estimated risk."""
        claims = []
        for source in self.sources:
            ranks = _ranks(self.frame(source), "estimated", "overlap")
            mixed = not (min(ranks) > 0.999 or max(ranks) < -0.999)
            claims.append(
                Claim.holds(
                    f"No fixed pattern of the estimated risk over the overlap (tried on {source.name}).",
                    f"rank correlation with the overlap from {min(ranks):.2f} to {max(ranks):.2f} over k",
                    mixed,
                )
            )
        return self._against("Figure 1", "Estimated privacy risk", "estimated", "estimated risk", claims)

    def figure_2(self) -> Figure:
        """Real risk."""
        claims = []
        for source in self.sources:
            frame = self.frame(source)
            means = frame.groupby("k")[["estimated", "real_all"]].mean()
            rank = rank_correlation(list(means["estimated"]), list(means["real_all"]))
            claims.append(
                Claim.holds(
                    f"The real risk has almost the same pattern as the estimated one (tried on {source.name}).",
                    f"rank correlation over k {_plain(rank)}",
                    rank > 0.8,
                )
            )
        return self._against("Figure 2", "Real privacy risk", "real_all", "real risk of all groups (Eq. 1)", claims)

    def figure_3(self) -> Figure:
        """Estimated beside real."""
        pictures, claims, rows = [], [], []
        for source in self.sources:
            frame = self.frame(source)
            overlaps = list(dict.fromkeys(frame["overlap"]))
            for letter, overlap in zip("abcde", overlaps, strict=False):
                here = frame[frame["overlap"] == overlap]
                last = " (not in the paper)" if letter == "e" else ""
                pictures.append(
                    Picture(estimated_and_real(here), f"({letter}) {source.name}, {overlap:,} people in both{last}.")
                )
                rows += [
                    (
                        source.name,
                        f"{overlap:,}",
                        str(row.k),
                        percent(row.estimated),
                        percent(row.real_all),
                        percent(row.real_shared),
                    )
                    for row in here.itertuples()
                ]
            claims += _claims_3(source.name, frame, overlaps)
        header = ("Table", "in both", "k", "estimated", "real, all groups", "real, groups with a shared person")
        return Figure(
            PAPER,
            "Figure 3",
            "Estimated and real risk",
            self._setting(),
            pictures,
            [Grid(header, rows)],
            claims,
            "",
            f"{NOT_PRINTED} {OURS} Very similar is taken as within 10 points on average.",
        )

    def jobs(self) -> list[Job]:
        """Everything here."""
        needs = ("adult", "ipums")
        return [
            Job(PAPER, "Figure 1", "Estimated privacy risk", self.figure_1, needs),
            Job(PAPER, "Figure 2", "Real privacy risk", self.figure_2, needs),
            Job(PAPER, "Figure 3", "Estimated and real risk", self.figure_3, needs),
        ]


def _claims_3(name: str, frame: pd.DataFrame, overlaps: list[int]) -> list[Claim]:
    gap = frame.assign(gap=frame["estimated"] - frame["real_all"])
    off = {o: float(gap[gap["overlap"] == o]["gap"].abs().mean()) for o in overlaps}
    below = {o: int((gap[gap["overlap"] == o]["gap"] < 0).sum()) for o in overlaps}
    ks = len(set(frame["k"]))
    ends = [o for place, o in enumerate(overlaps) if place in (0, 3)]
    middle = [o for place, o in enumerate(overlaps) if place in (1, 2)]
    claims = [
        Claim.holds(
            f"In (a) and (d) estimated and real risk are very similar (tried on {name}).",
            ", ".join(f"{100 * off[o]:.0f} points apart on average at {o:,}" for o in ends),
            all(off[o] <= 0.1 for o in ends),
        )
    ]
    if middle:
        claims.append(
            Claim.holds(
                f"In (b) and (c) the estimate is mostly less than the real risk (tried on {name}).",
                ", ".join(f"less at {below[o]} of {ks} values of k at {o:,}" for o in middle),
                all(below[o] > ks / 2 for o in middle),
            )
        )
    return claims


def _ranks(frame: pd.DataFrame, column: str, over: str) -> list[float]:
    ranks = [
        rank_correlation(list(part[over]), list(part[column]))
        for part in (frame[frame["k"] == k] for k in dict.fromkeys(frame["k"]))
    ]
    return [0.0 if np.isnan(rank) else rank for rank in ranks]


def _plain(rank: float) -> str:
    return "cannot be told" if np.isnan(rank) else f"{rank:.2f}"
