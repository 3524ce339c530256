"""The forecast judged, as tables: estimated beside real, and how they agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.markdown import table
from benchmarks.papers.sensitive import rank_correlation

MARGIN = 0.005


def pct(share: float) -> str:
    """A share in percent, one decimal."""
    return f"{100 * share:.1f}"


def plain(value: float) -> str:
    """A correlation, or a dash where there is none."""
    return "–" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}"


def figure_lines(found: Mapping[str, pd.DataFrame]) -> list[str]:
    """Every cell of the three figures."""
    rows = [
        (
            name,
            f"{row.overlap:,}",
            f"{row.k}",
            pct(row.estimated),
            pct(row.estimated_subset),
            pct(row.estimated_joint),
            pct(row.real_all),
            pct(row.real_shared),
            pct(row.breached),
        )
        for name, frame in found.items()
        for row in frame.itertuples()
    ]
    head = (
        "Table",
        "Shared",
        "k",
        "Estimated, at least l",
        "Estimated, every l-subset",
        "Estimated, class by class (ours)",
        "Real, all classes",
        "Real, with a shared person",
        "People breached",
    )
    return table(head, rows, 1)


def short(found: Mapping[str, pd.DataFrame]) -> list[str]:
    """Figure 3 on a page: one line a table and k, means over the overlaps."""
    rows = []
    for name, frame in found.items():
        for k in dict.fromkeys(frame["k"]):
            mean = frame[frame["k"] == k].mean()
            rows.append(
                (
                    name,
                    str(k),
                    pct(mean["estimated"]),
                    pct(mean["estimated_subset"]),
                    pct(mean["estimated_joint"]),
                    pct(mean["real_all"]),
                    pct(mean["real_shared"]),
                )
            )
    head = ("Table", "k", "Estimated", "strict", "class by class", "Real, all classes", "with a shared person")
    return table(head, rows, 1)


@dataclass(frozen=True)
class Agreement:
    """How an estimate and a real risk agree over all cells of one table.

    Parameters
    ----------
    reading, real
        Columns compared.
    rank, rank_k, rank_overlap
        Rank correlation over all cells, over k (means over overlaps), and over overlaps (mean
        of those at each k; NaN where a side never moves).
    off
        Mean absolute difference, in percentage points.
    above
        Cells in which the estimate is not below the real risk.
    cells
        Number of cells.
    """

    reading: str
    real: str
    rank: float
    rank_k: float
    rank_overlap: float
    off: float
    above: int
    cells: int


def agreement(frame: pd.DataFrame, reading: str, real: str) -> Agreement:
    """Compare one estimate with one real risk."""
    by_k = frame.set_index("k")[[reading, real]]
    means = pd.DataFrame({k: by_k.loc[[k]].mean() for k in dict.fromkeys(frame["k"])}).T
    each = [
        rank_correlation(list(frame.loc[frame["k"] == k, reading]), list(frame.loc[frame["k"] == k, real]))
        for k in dict.fromkeys(frame["k"])
    ]
    known = [value for value in each if not np.isnan(value)]
    return Agreement(
        reading,
        real,
        rank_correlation(list(frame[reading]), list(frame[real])),
        rank_correlation(list(means[reading]), list(means[real])),
        float(np.mean(known)) if known else float("nan"),
        100 * float((frame[reading] - frame[real]).abs().mean()),
        int((frame[reading] >= frame[real] - 1e-12).sum()),
        len(frame),
    )


PAIRS = (
    ("estimated_joint", "real_all"),
    ("estimated_joint", "real_shared"),
    ("estimated", "real_all"),
    ("estimated", "real_shared"),
    ("estimated_subset", "real_all"),
    ("estimated_subset", "real_shared"),
)
WORDS = {
    "estimated": "at least l",
    "estimated_subset": "every l-subset",
    "real_all": "all classes",
    "estimated_joint": "at least l, class by class (ours)",
    "real_shared": "classes with a shared person",
}


def agreement_lines(found: Mapping[str, pd.DataFrame]) -> list[str]:
    """Rank correlation and mean absolute difference for each table and pair."""
    rows = []
    for name, frame in found.items():
        for reading, real in PAIRS:
            one = agreement(frame, reading, real)
            rows.append(
                (
                    name,
                    WORDS[reading],
                    WORDS[real],
                    plain(one.rank),
                    plain(one.rank_k),
                    plain(one.rank_overlap),
                    f"{one.off:.1f}",
                    f"{one.above} of {one.cells}",
                )
            )
    head = (
        "Table",
        "Estimate",
        "Real",
        "Rank, all cells",
        "Rank over k",
        "Rank over overlaps",
        "Mean difference, points",
        "Estimate not below",
    )
    return table(head, rows, 3)
