"""Whether the weighted adversary is as often right as he says, and a modelled hospital beside a real one.

``python -m benchmarks --only calibration --write`` writes its tables into benchmarks/README.md
and assets/method/calibration.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.claims import Agreement, Claims, agreement, calibration
from benchmarks.data import ROOT, adult_bytes, adult_schema, folder
from benchmarks.free_people import free_hospital
from benchmarks.markdown import Mean, percent, share, table
from benchmarks.table import machine, write
from core import Policy, examples, intersection_attack, read_table
from core.algorithms import partition
from core.attack.intersection import AttackResult
from core.attack.weighted import weigh
from core.data.encoding.encoded import Encoded, encode
from core.study.hospitals import Study
from core.study.one_run import run_study, seeds
from core.study.synthetic import model_hospital

FILE = ROOT / "assets" / "method" / "calibration.md"
TEMPLATE = Path(__file__).with_name("calibration_text.md")
SEED = 0
REDRAWS = 10
OVERLAP = 5000
FEW_SHARED = 200
MODEL_OVERLAP = 2000
"""People that a modelled hospital shares with mine."""
SETTINGS = ((2, 5), (2, 25), (4, 5), (4, 25))
"""Releases and k."""
AGREEMENTS = (0.9, 0.7, 0.5)
"""Share of shared people with the same value at the other hospital, in the table of those who disagree."""
MODELS = {"simulated": "real records", "independent": "independent people", "resampled": "people like mine"}


@dataclass(frozen=True)
class Judged:
    """One adversary in one setting.

    Parameters
    ----------
    overall
        All redraws pooled.
    right
        Share right over redraws.
    surest
        Mean confidence and share right of the claims of at least 90%, and how large a part
        of all claims they are; NaN, NaN, 0 where there are none.
    """

    overall: Agreement
    right: Mean
    surest: tuple[float, float, float]


@dataclass(frozen=True)
class Setting:
    """A table, its shared people, R and k, and the adversaries by name."""

    name: str
    overlap: int
    releases: int
    k: int
    adversaries: Mapping[str, Judged]


def judged(redraws: Sequence[Claims]) -> Judged:
    """Pool the claims of all redraws."""
    frame = calibration(redraws)
    top = frame[frame["start"] > 0.89]
    told = (
        (float(top["said"].iloc[0]), float(top["right"].iloc[0]), float(top["n"].iloc[0] / frame["n"].sum()))
        if len(top)
        else (float("nan"), float("nan"), 0.0)
    )
    return Judged(
        agreement(frame), Mean.of([float(claims.right.mean()) for claims in redraws], len(redraws[0].right)), told
    )


def setting(name: str, encoded: Encoded, overlap: int, releases: int, k: int, redraws: int) -> Setting:
    """Draw, anonymise and attack, and let three adversaries say what they think."""
    claims: dict[str, list[Claims]] = {"weights": [], "naive": [], "sets": []}
    for seed in seeds(SEED, redraws):
        result = run_study(encoded, Study.uniform(Policy(k), overlap, releases), seed).result
        claims["weights"].append(Claims.weighted(weigh(result)))
        claims["naive"].append(Claims.weighted(weigh(result, naive=True)))
        claims["sets"].append(Claims.sets(result))
    return Setting(name, overlap, releases, k, {who: judged(mine) for who, mine in claims.items()})


@dataclass(frozen=True)
class Disagreeing:
    """A table whose two hospitals disagree about some shared people, and adversaries who know that or do not.

    ``knows`` and ``ignores`` are the weighted adversary with and without the agreement, ``sets``
    the one of the papers; ``exposed`` and ``rightly`` are shares of people with one value left.
    """

    name: str
    k: int
    same_value_rate: float
    adversaries: Mapping[str, Judged]
    exposed: Mean
    rightly: Mean


def disagreeing(name: str, encoded: Encoded, k: int, same_value_rate: float, overlap: int, redraws: int) -> Disagreeing:
    """Draw two hospitals that disagree, attack, and judge three adversaries."""
    mine, other = Study.uniform(Policy(k), overlap).hospitals
    study = Study((mine, replace(other, same_value_rate=same_value_rate)), overlap)
    claims: dict[str, list[Claims]] = {"knows": [], "ignores": [], "sets": []}
    exposed, rightly = [], []
    for seed in seeds(SEED, redraws):
        outcome = run_study(encoded, study, seed)
        claims["knows"].append(Claims.weighted(outcome.weighed()))
        claims["ignores"].append(Claims.weighted(weigh(outcome.result)))
        claims["sets"].append(Claims.sets(outcome.result))
        exposed.append(float(outcome.result.breached().mean()))
        rightly.append(float(outcome.result.true_disclosures().mean()))
    found = {who: judged(mine) for who, mine in claims.items()}
    return Disagreeing(name, k, same_value_rate, found, Mean.of(exposed, overlap), Mean.of(rightly, overlap))


def disagreements(found: Mapping[str, Encoded], quick: bool) -> list[Disagreeing]:
    """Every line of the table of those who disagree."""
    redraws, overlap = (2, 300) if quick else (REDRAWS, OVERLAP)
    rows = []
    for name, encoded in found.items():
        for k in (5,) if quick else (5, 25):
            for same in AGREEMENTS[:1] if quick else AGREEMENTS:
                _tell(f"{name}, k = {k}, agreement {same:g}")
                rows.append(disagreeing(name, encoded, k, same, overlap, redraws))
    return rows


def permuted(encoded: Encoded) -> Encoded:
    """Deal the sensitive values out anew, so that they depend on nothing."""
    return encoded.with_sensitive(np.random.default_rng(SEED).permutation(encoded.sensitive_codes))


def tables(quick: bool) -> dict[str, Encoded]:
    """The city, and Adult where it is."""
    found = {"city": encode(examples.city(3_000 if quick else 30_000), examples.city_schema())}
    place = folder()
    if place is not None and not quick:
        found["Adult"] = encode(read_table(adult_bytes(place)), adult_schema())
    return found


def settings(found: Mapping[str, Encoded], quick: bool) -> Iterator[Setting]:
    """Every line of the first table."""
    redraws, overlap = (2, 300) if quick else (REDRAWS, OVERLAP)
    last = list(found)[-1]
    free = permuted(found[last])
    for name, encoded in {**found, f"{last}, independent": free}.items():
        for releases, k in SETTINGS[:1] if quick else SETTINGS:
            _tell(f"{name}, R = {releases}, k = {k}")
            yield setting(name, encoded, overlap, releases, k, redraws)
    for releases, k in SETTINGS[:1] if quick else SETTINGS:
        yield setting(f"{last}, independent", free, FEW_SHARED, releases, k, redraws)


# ---- a modelled hospital beside a real one ----------------------------------------------------


def models(found: Mapping[str, Encoded], quick: bool) -> pd.DataFrame:
    """Attack the same people with a second hospital of real records, and with modelled ones of its size.

    The table is dealt out in two halves; mine is the first, and what is modelled knows nothing
    but mine. Columns: table, k, source, and the shares with one value left and with at most four.
    """
    redraws, overlap = (2, 300) if quick else (REDRAWS, MODEL_OVERLAP)
    rows = []
    for name, encoded in found.items():
        for k in (5, 25):
            _tell(f"models, {name}, k = {k}")
            for seed in seeds(SEED, redraws):
                halves = Study.uniform(Policy(k), overlap).draw(encoded, seed)
                for source in MODELS:
                    result = _attacked(halves[0], halves[1], source, k, overlap, seed)
                    rows.append((name, k, source, result.breached(1.0).mean(), result.breached(0.25).mean()))
    return pd.DataFrame(rows, columns=["table", "k", "source", "one_value_left", "quarter"])


def _attacked(
    mine: Encoded, real: Encoded, source: str, k: int, overlap: int, seed: np.random.SeedSequence
) -> AttackResult:
    people = np.arange(overlap)
    if source == "independent":
        other = free_hospital(mine, overlap, len(real), seed)
    else:
        other = real if source == "simulated" else model_hospital(mine, people, len(real), seed)
    return intersection_attack([partition(part, Policy(k)) for part in (mine, other)], [people, people])


# ---- words ------------------------------------------------------------------------------------


def lines(found: Sequence[Setting]) -> list[str]:
    """Lines of the first table."""
    header = (
        "Table",
        "Shared",
        "R",
        "k",
        "Says, %",
        "Is right, %",
        "Off by",
        "Naive says, %",
        "Is right, %",
        "Off by",
        "Sets say, %",
        "Are right, %",
    )
    rows = []
    for one in found:
        cells = [one.name, f"{one.overlap:,}", str(one.releases), str(one.k)]
        for who in ("weights", "naive"):
            mine = one.adversaries[who]
            cells += [percent(mine.overall.said), share(mine.right), percent(mine.overall.error)]
        sets = one.adversaries["sets"].overall
        rows.append((*cells, percent(sets.said), percent(sets.right)))
    return table(header, rows, words=1)


def disagreeing_lines(found: Sequence[Disagreeing]) -> list[str]:
    """Lines of the table of those who disagree."""
    header = (
        "Table",
        "k",
        "Same value, %",
        "One value left, %",
        "rightly",
        "Says, %",
        "Is right, %",
        "Off by",
        "Ignoring it, says, %",
        "Is right, %",
        "Off by",
        "Sets say, %",
        "Are right, %",
    )
    rows = []
    for one in found:
        cells = [
            one.name,
            str(one.k),
            f"{100 * one.same_value_rate:.0f}",
            percent(one.exposed.mean),
            percent(one.rightly.mean),
        ]
        for who in ("knows", "ignores"):
            mine = one.adversaries[who]
            cells += [percent(mine.overall.said), share(mine.right), percent(mine.overall.error)]
        sets = one.adversaries["sets"].overall
        rows.append((*cells, percent(sets.said), percent(sets.right)))
    return table(header, rows, words=1)


def model_lines(found: pd.DataFrame) -> list[str]:
    """Lines of the second table."""
    rows = []
    for name in dict.fromkeys(found["table"]):
        for k in dict.fromkeys(found["k"]):
            for source, words in MODELS.items():
                mine = found[(found["table"] == name) & (found["k"] == k) & (found["source"] == source)]
                rows.append(
                    (
                        name,
                        str(k),
                        words,
                        share(Mean.of(mine["one_value_left"].tolist(), MODEL_OVERLAP)),
                        share(Mean.of(mine["quarter"].tolist(), MODEL_OVERLAP)),
                    )
                )
    return table(("Table", "k", "Second hospital", "One value left, %", "C ≥ 25%, %"), rows, words=3)


def text(found: Sequence[Setting], apart: Sequence[Disagreeing], modelled: pd.DataFrame, **said: str) -> str:
    """Return the section of the Method page."""
    off = {who: [one.adversaries[who].overall.error for one in apart] for who in ("knows", "ignores")}
    far = max(apart, key=lambda one: one.adversaries["knows"].overall.error)
    known = {(one.name, one.overlap, one.releases, one.k): one.adversaries for one in found}
    naive = known["Adult", OVERLAP, 4, 25]["naive"]
    weights = known["Adult", OVERLAP, 4, 25]["weights"]
    free = known["Adult, independent", FEW_SHARED, 4, 25]
    many = known["Adult, independent", OVERLAP, 4, 25]
    large = modelled[(modelled["table"] == "Adult") & (modelled["k"] == 25)]
    worst = max(found, key=lambda one: one.adversaries["weights"].overall.error)
    facts = {
        "table": "\n".join(lines(found)),
        "models": "\n".join(model_lines(modelled)),
        "disagreeing": "\n".join(disagreeing_lines(apart)),
        "knows_least": percent(min(off["knows"])),
        "knows_most": percent(max(off["knows"])),
        "knows_where": f"{far.name}, k = {far.k}, {100 * far.same_value_rate:.0f}% the same",
        "ignores_least": percent(min(off["ignores"])),
        "ignores_most": percent(max(off["ignores"])),
        "worst": percent(worst.adversaries["weights"].overall.error),
        "worst_where": f"{worst.name}, R = {worst.releases}, k = {worst.k}",
        "said": percent(weights.overall.said),
        "right": percent(weights.overall.right),
        "naive_said": percent(naive.surest[0]),
        "naive_right": percent(naive.surest[1]),
        "naive_share": percent(naive.surest[2]),
        "free_said": percent(free["naive"].overall.said),
        "free_right": percent(free["naive"].overall.right),
        "many_said": percent(many["naive"].overall.said),
        "many_right": percent(many["naive"].overall.right),
        "free_weights_said": percent(free["weights"].overall.said),
        "free_weights_right": percent(free["weights"].overall.right),
        **{
            f"{source}_25": percent(large[large["source"] == name]["quarter"].mean())
            for name, source in (("simulated", "real"), ("independent", "independent"), ("resampled", "people"))
        },
        "few_shared": f"{FEW_SHARED:,}",
        "overlap": f"{OVERLAP:,}",
    }
    return TEMPLATE.read_text(encoding="utf-8").format(**facts, **said)


def _tell(words: str) -> None:
    print(f"calibration: {words} ...", file=sys.stderr, flush=True)


def main(asked: argparse.Namespace) -> None:
    """Compute the tables; print them, or write them."""
    began = time.perf_counter()
    found = tables(asked.quick)
    judged_settings = list(settings(found, asked.quick))
    apart = disagreements(found, asked.quick)
    modelled = models(found, asked.quick)
    tables_ = ["\n".join(each) for each in (lines(judged_settings), disagreeing_lines(apart), model_lines(modelled))]
    print(*tables_, sep="\n\n")
    if not asked.write:
        return
    if "Adult" not in found:
        raise SystemExit("Adult is not here (../shared/data, or the folder that COMPOSITION_DATA names).")
    facts = f"Measured on {asked.date} in {time.perf_counter() - began:.0f} s: {machine()}."
    write("calibration", "\n\n".join([facts, *tables_]))
    FILE.write_text(text(judged_settings, apart, modelled, date=asked.date), encoding="utf-8")
