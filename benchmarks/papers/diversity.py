"""Figures 5 and 6 of [Ganta arXiv 2008, §3.4]: l-diversity and t-closeness."""

from __future__ import annotations

import pandas as pd

from benchmarks.papers import draw
from benchmarks.papers.figure import NOT_PRINTED, Claim, Figure, Grid, Job, Picture, percent
from benchmarks.papers.ganta import LEVELS, PAPER, Ganta, at_value, row_of
from benchmarks.papers.printed import GANTA


def jobs(ganta: Ganta) -> list[Job]:
    """Both, over the runs of the other figures."""
    both = ("adult", "ipums")
    return [
        Job(
            PAPER,
            "Figure 5",
            "Severity under l-diversity and t-closeness",
            lambda: figure_5(ganta),
            both,
            "Ganta KDD, Figure 4 (a), (b): IPUMS",
        ),
        Job(
            PAPER,
            "Figure 6",
            "Average partition sizes for l-diversity and t-closeness",
            lambda: figure_6(ganta),
            both,
            "Ganta KDD, Figure 4 (c): IPUMS",
        ),
    ]


def figure_5(ganta: Ganta) -> Figure:
    """Breach under l-diversity and t-closeness."""
    pictures, rows, claims = [], [], []
    for source in ganta.sources:
        plain = at_value(ganta.over_k(source), 10)
        if len(plain):
            alone = (row_of(plain, 10, level)["share"] for level in LEVELS)
            rows.append((source.name, "k = 10 alone", *map(percent, alone)))
        for name, frame in (("entropy l", ganta.over_l(source)), ("t", ganta.over_t(source))):
            parts = [plain.assign(line="k = 10 alone")] if len(plain) else []
            parts += [
                frame[frame["value"] == value].assign(line=f"{name} = {value:g}")
                for value in dict.fromkeys(frame["value"])
            ]
            data = pd.concat(parts).assign(x=lambda f: (100 * f["confidence"]).round(1), y=lambda f: f["share"])
            chart = draw.lines(data, "Confidence C of the adversary, percent", "Shared people exposed")
            pictures.append(Picture(chart, f"{source.name}: shared people exposed against C, k = 10, by {name}."))
            for value in dict.fromkeys(frame["value"]):
                each = (row_of(frame, value, level)["share"] for level in LEVELS)
                rows.append((source.name, f"{name} = {value:g}", *map(percent, each)))
            if len(plain):
                # l = 5 and t = 0.4 are the settings that the text names with Figure 6.
                value = min(dict.fromkeys(frame["value"]), key=lambda v: abs(v - (0.4 if name == "t" else 5)))
                before, after = (float(row_of(f, v, LEVELS[-1])["share"]) for f, v in ((plain, 10), (frame, value)))
                claims.append(
                    Claim.holds(
                        f"{source.name}: {name} does better than k alone, but a considerable breach remains.",
                        f"C ≥ 10%: {percent(before)} with k alone, {percent(after)} with {name} = {value:g}",
                        0.05 < after < before,
                    )
                )
    header = ("Table", "Policy", *(f"C ≥ {100 * level:.0f}%" for level in LEVELS))
    return Figure(
        PAPER,
        "Figure 5",
        "Severity under l-diversity and t-closeness",
        f"Mondrian twice, k = 10, entropy l or t (equal distance) in both. {ganta.sizes()} Means over "
        f"{ganta.effort.redraws} redraws.",
        pictures,
        [Grid(header, rows, words=2)],
        claims,
        "Ganta KDD, Figure 4 (a), (b): IPUMS",
        f"{NOT_PRINTED} The text does not say what considerable is; here: more than 5% at C = 10%.",
    )


def figure_6(ganta: Ganta) -> Figure:
    """Class sizes under l-diversity and t-closeness."""
    pictures, claims, rows = [], [], []
    for source in ganta.sources:
        sizes = {"k = 10": float(at_value(ganta.over_k(source), 10)["class_size"].iloc[0])}
        for name, frame in (("l", ganta.over_l(source)), ("t", ganta.over_t(source))):
            each = frame.drop_duplicates("value")
            sizes |= {f"k = 10, {name} = {row.value:g}": float(row.class_size) for row in each.itertuples()}
        chart = draw.bars(list(sizes), list(sizes.values()), "Records in the class of a shared person, mean", True)
        pictures.append(Picture(chart, f"{source.name}: mean records in the class of a shared person."))
        rows += [(source.name, policy, f"{size:,.0f}") for policy, size in sizes.items()]
        if source.name == "IPUMS":
            for name, policy in (("class_10", "k = 10"), ("class_l", "k = 10, l = 5"), ("class_t", "k = 10, t = 0.4")):
                if policy in sizes:
                    size = sizes[policy]
                    claims.append(Claim.of(f"IPUMS, {policy}: average {{}}.", GANTA[name], size, f"{size:,.0f}"))
        grown = min(sizes.values()) == sizes["k = 10"]
        claims.append(
            Claim.holds(
                f"{source.name}: both force larger partitions than k alone.",
                "true of every l and t here" if grown else "not of every l and t here",
                grown,
            )
        )
    return Figure(
        PAPER,
        "Figure 6",
        "Average partition sizes for l-diversity and t-closeness",
        f"As seen by the shared people, means over {ganta.effort.redraws} redraws. {ganta.sizes()}",
        pictures,
        [Grid(("Table", "Policy", "records"), rows, words=2)],
        claims,
        "Ganta KDD, Figure 4 (c): IPUMS",
        "Only three values are printed. They depend on taxonomies and sizes of hospitals that are not: see the "
        "comparison on the Method page.",
    )
