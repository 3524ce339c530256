"""The forecast judged: the paper's protocol in small, direct draws, speed.

``python -m benchmarks --only forecast --write`` writes its tables into benchmarks/README.md and
assets/method/forecast.md.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data import ROOT, Data, adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.forecast_tables import agreement, agreement_lines, figure_lines, pct, plain, short
from benchmarks.markdown import table
from benchmarks.papers.real_risk import compare_with_real, protocol
from benchmarks.papers.second_release import common_values, hypothesised
from benchmarks.table import machine, write
from core import Policy, examples, read_table
from core.algorithms import partition
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.marginals import Marginals
from core.forecast import Question, forecast
from core.study.hospitals import Hospital
from core.study.one_run import run_study, seeds
from core.study.redraws import Redraws
from core.study.vary import at_value

FILE = ROOT / "assets" / "method" / "forecast.md"
TEMPLATE = Path(__file__).with_name("forecast_text.md")
SEED = 0
KS = (5, 10, 15, 20, 25)
OVERLAPS = (1000, 2000, 3000, 4000, 5000)
L, C = 2, 0.9
DRAWS = 3
"""Draws of the hospitals behind each cell of the protocol."""
DIRECT = 100
"""Hypothesised releases drawn record by record."""
READINGS = {"estimated": "at least l", "estimated_subset": "every l-subset"}


def tables(quick: bool) -> dict[str, Encoded]:
    """The tables at hand as codes: the city always, Adult and IPUMS where they are."""
    found = {"city": encode(examples.city(3_000 if quick else 30_000), examples.city_schema())}
    place = folder()
    if place is not None and not quick:
        found["Adult"] = encode(read_table(adult_bytes(place)), adult_schema())
        content = ipums_bytes(place)
        if content is not None:
            found["IPUMS"] = encode(read_table(content), ipums_schema())
    return found


def _tell(words: str) -> None:
    print(f"forecast: {words} ...", file=sys.stderr, flush=True)


# ---- the paper's protocol ------------------------------------------------------------------


def figures(name: str, encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Estimated and real risk for each overlap and k [Sattar 2018, Figures 1-3], means over the draws."""
    overlaps = (100, 200) if quick else OVERLAPS
    frames = []
    for study in protocol(len(encoded), overlaps, Hospital(Policy(5))):
        _tell(f"{name}, {study.overlap:,} people in both")
        frame = compare_with_real(encoded, study, KS, Question(l=L, confidence=C), Redraws(DRAWS, SEED))
        frames.append(frame.assign(overlap=study.overlap, size=study.size))
    return pd.concat(frames, ignore_index=True)


def fitting(found: Mapping[str, Encoded], frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Confidence C at which the estimate would equal the real risk of Eq. 1, at the largest overlap, by k."""
    rows = []
    for name, encoded in found.items():
        frame = frames[name][frames[name]["overlap"] == frames[name]["overlap"].max()].set_index("k")
        study = protocol(len(encoded), [int(frame["overlap"].max())], Hospital(Policy(5)))[0]
        cells = []
        for k in KS:
            mine = run_study(encoded, at_value(study, "k", k), seeds(SEED, 1)[0]).releases[0]
            common = forecast(mine, others=study.size, l=L).common
            cells.append(f"{float(np.quantile(common, frame.loc[k, 'real_all'])):.3f}")
        rows.append((name, *cells))
    return table(("Table", *(f"k = {k}" for k in KS)), rows, 1)


# ---- direct draws, speed -------------------------------------------------------------------------


def drawn(found: Mapping[str, Encoded], draws: int) -> list[str]:
    """Every class of a release against hypothesised releases drawn record by record."""
    rows = []
    for name, encoded in found.items():
        _tell(f"hypothesised releases, {name}")
        release, population = partition(encoded, Policy(5)), Marginals.of(encoded)
        counts = np.array(
            [common_values(release, hypothesised(encoded, population, len(encoded), seed)) for seed in range(draws)]
        )
        for l in (2, 3):  # noqa: E741
            estimate = forecast(release, population, l=l).common
            share = (counts >= l).mean(axis=0)
            spread = np.sqrt(estimate * (1 - estimate) / draws)
            live = spread > 1e-3
            z = (share - estimate)[live] / spread[live]
            rows.append(
                (
                    name,
                    str(l),
                    f"{release.classes.count:,}",
                    pct(float(estimate.mean())),
                    pct(float(share.mean())),
                    f"{float(np.sqrt((z**2).mean())):.2f}",
                )
            )
    return table(("Table", "l", "Classes", "Mean estimate", "Mean share of draws", "Root mean square z"), rows, 1)


def median(run: Callable[[], object], times: int = 7) -> float:
    """Median seconds of a run, after one to warm up."""
    run()
    taken = []
    for _ in range(times):
        gc.collect()
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))


def speed(quick: bool) -> list[str]:
    """All classes of Adult (or the city) and of a million rows; the release is there already."""
    data, rows = Data(quick), []
    for words, encoded, budget in (
        (data.size, data.encoded, 0.1),
        ("a million rows, resampled", None, 3.0),
        ("a million rows, every tuple distinct", None, 3.0),
    ):
        _tell(f"speed, {words}")
        here = data.million(distinct="distinct" in words) if encoded is None else encoded
        release = partition(here, Policy(5))
        for l in (2, 5):  # noqa: E741

            def run(l: int = l) -> object:  # noqa: E741
                # Another object each time, so that nothing kept with the release is used again.
                return forecast(type(release).of(here, release.classes.labels, release.policy, "mondrian"), l=l)  # noqa: B023

            seconds = median(run, 3 if encoded is None else 9)
            met = "–" if quick else "yes" if seconds <= budget else "**no**"
            rows.append(
                (
                    words,
                    f"{release.classes.count:,}",
                    str(l),
                    f"{1000 * seconds:.0f} ms",
                    f"{1000 * budget:.0f} ms",
                    met,
                )
            )
    return table(("Data", "Classes", "l", "Median", "Budget", "Met"), rows, 1)


# ---- putting it into words -------------------------------------------------------------------------


def text(found: Mapping[str, Encoded], protocol_: Mapping[str, pd.DataFrame], date: str) -> str:
    """The section of the Method page."""
    facts: dict[str, str] = {
        "figures": "\n".join(short(protocol_)),
        "agreement": "\n".join(agreement_lines(protocol_)),
        "fitting": "\n".join(fitting(found, protocol_)),
        "date": date,
        "draws": str(DRAWS),
        "seed": str(SEED),
        "c": f"{C:g}",
        "l": str(L),
    }
    for name, frame in protocol_.items():
        one = agreement(frame, "estimated", "real_all")
        facts[f"{name}_size"] = f"{int(frame['size'].min()):,} to {int(frame['size'].max()):,}"
        facts[f"{name}_off"], facts[f"{name}_rank"] = f"{one.off:.0f}", plain(one.rank_k)
        facts[f"{name}_joint_off"] = f"{agreement(frame, 'estimated_joint', 'real_all').off:.0f}"
        facts[f"{name}_shared_rank"] = plain(agreement(frame, "estimated", "real_shared").rank_k)
    whole = TEMPLATE.read_text(encoding="utf-8")
    for name, fact in facts.items():
        whole = whole.replace("{" + name + "}", fact)
    return whole


def main(asked: argparse.Namespace) -> None:
    """Compute everything; print it, or write it."""
    began = time.perf_counter()
    found = tables(asked.quick)
    cells = {name: figures(name, encoded, asked.quick) for name, encoded in found.items()}
    blocks: Sequence[tuple[str, list[str]]] = (
        (
            "Estimated and real, percent of classes; the last three columns percent of the shared people.",
            figure_lines(cells),
        ),
        ("How they agree.", agreement_lines(cells)),
        (
            f"{DIRECT} hypothesised releases drawn record by record, all classes at k = 5; chance alone makes z 1.",
            drawn(found, 10 if asked.quick else DIRECT),
        ),
        ("Speed of the whole forecast, histogram and regions included.", speed(asked.quick)),
    )
    said = "\n\n".join(f"{words}\n\n" + "\n".join(lines) for words, lines in blocks)
    print(said)
    if not asked.write:
        return
    if set(found) != {"city", "Adult", "IPUMS"}:
        raise SystemExit("Adult and IPUMS are not here (../shared/data, or the folder that COMPOSITION_DATA names).")
    facts = f"Measured on {asked.date} in {(time.perf_counter() - began) / 60:.0f} minutes: {machine()}. Seed {SEED}."
    write("forecast", f"{facts}\n\n{said}")
    FILE.write_text(text(found, cells, asked.date), encoding="utf-8")
