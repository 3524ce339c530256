"""The partition that [Allard 2023] shows: 1,000 synthetic records of two attributes, normal, k = 25."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.papers import draw
from benchmarks.papers.figure import Claim, Figure, Grid, Job, Picture
from core import Policy, Schema, Table
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.figures.vega import Chart, field, layer

RECORDS, K, SEED = 1000, 25, 0


def jobs() -> list[Job]:
    """The figure, which needs no data."""
    return [Job("Allard", "Partition", "Mondrian on normal data", painting)]


def painting() -> Figure:
    """Cut 1,000 normal points and draw the classes as boxes."""
    rng = np.random.default_rng(SEED)
    x, y = rng.normal(0, 1, (2, RECORDS)).round(6)
    frame = pd.DataFrame({"x": x.astype(str), "y": y.astype(str), "value": rng.integers(0, 5, RECORDS).astype(str)})
    column_types = {"x": "numeric", "y": "numeric", "value": "categorical"}
    encoded = encode(Table.from_frame(frame), Schema(["x", "y"], "value", column_types=column_types))
    release = partition(encoded, Policy(K))
    low, high, _ = release.regions  # no value is missing
    values = [domain.values for domain in encoded.qids]
    boxes = pd.DataFrame(
        {
            name: values[i][codes[:, i]]
            for i, names in enumerate((("x", "x2"), ("y", "y2")))  # type: ignore[index]
            for name, codes in zip(names, (low, high), strict=True)
        }
    ).assign(size=release.sizes)
    sizes = release.sizes
    inside = bool(sizes.max() <= 2 * K - 1)
    claims = [
        Claim.holds(
            "Algorithm 1: partitions of k to 2k - 1 tuples.",
            f"{sizes.min()} to {sizes.max()} at k = {K}: no value repeats here",
            inside and sizes.min() >= K,
        )
    ]
    return Figure(
        "Allard",
        "Partition",
        "Mondrian on normal data",
        f"{RECORDS:,} records of two independent standard normal attributes, k = {K}, strict Mondrian. The points are "
        "our own draw.",
        [Picture(_drawn(boxes, x, y), "The records, and the box of each class.")],
        [
            Grid(
                ("Records", "k", "classes", "smallest", "largest"),
                [(f"{RECORDS:,}", str(K), str(len(sizes)), str(sizes.min()), str(sizes.max()))],
                words=0,
            )
        ],
        claims,
        "",
        "Where values repeat, people who are alike cannot be parted, and classes grow beyond 2k - 1 (see Figure 3 of "
        "[Ganta arXiv]).",
    )


def _drawn(boxes: pd.DataFrame, x: np.ndarray, y: np.ndarray) -> object:
    across, up = field("x:Q", title="First attribute"), field("y:Q", title="Second attribute")
    colours = draw.palette()
    box = Chart(boxes).mark("rect", fill=colours[3], fillOpacity=0.15, stroke="#333", strokeWidth=1)
    dots = Chart(pd.DataFrame({"x": x, "y": y})).mark("circle", size=7, color=colours[0], opacity=0.7)
    return layer(
        box.encode(x=across, x2={"field": "x2"}, y=up, y2={"field": "y2"}), dots.encode(x=across, y=up)
    ).properties(width=draw.WIDTH, height=draw.WIDTH)
