"""Table 4 and Figure 7 of [Ganta arXiv 2008, §3.5]: several sensitive attributes of one table."""

from __future__ import annotations

import pandas as pd

from benchmarks.papers import draw
from benchmarks.papers.figure import NOT_PRINTED, Claim, Figure, Grid, Job, Picture, percent
from benchmarks.papers.ganta import PAPER, X_TITLE, Ganta
from benchmarks.papers.sensitive import compare_sensitive, rank_correlation
from benchmarks.papers.sensitive_figure import sensitive_attributes
from benchmarks.papers.tables import Source
from core import Policy
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep

PRINTED = {"occ1950": ("Occupation", 247, 4.30), "ind1950": ("Industry", 145, 4.35), "inctot": ("Income", 471, 5.56)}
"""Domain size and diversity (bits) that [Ganta arXiv 2008, Table 4] prints, by column of the IPUMS file."""
K = 5


def jobs(ganta: Ganta) -> list[Job]:
    """Both, over the runs of the other figures."""
    return [
        Job(
            PAPER,
            "Table 4",
            "Domain size and entropy of several sensitive attributes",
            lambda: table_4(ganta, ipums(ganta)),
            ("ipums",),
        ),
        Job(
            PAPER,
            "Figure 7",
            "Effect of the domain of the sensitive attribute",
            lambda: figure_7(ganta, ipums(ganta)),
            ("ipums",),
        ),
    ]


def ipums(ganta: Ganta) -> Source:
    """The table with several attributes."""
    assert ganta.tables.ipums is not None
    return ganta.tables.ipums


def compared(ganta: Ganta, source: Source) -> pd.DataFrame:
    """Each attribute attacked at k = 5."""
    study = Study.uniform(Policy(K), source.shared(ganta.effort.overlap))
    names = source.attributes or (source.schema.sensitive,)
    found: pd.DataFrame = ganta.runs.once(
        "attributes",
        lambda: compare_sensitive(source.table, source.schema, names, study, redraws=Redraws(ganta.effort.redraws)),
    )
    return found


def over_k(ganta: Ganta, source: Source) -> dict[str, pd.DataFrame]:
    """The sweep over k for each attribute that can be compared, by falling entropy."""
    study = Study.uniform(Policy(K), source.shared(ganta.effort.overlap))
    frame = compared(ganta, source)

    def make() -> dict[str, pd.DataFrame]:
        return {
            name: sweep(
                source.secret(name), study, "k", ganta.effort.ks, Redraws(ganta.effort.redraws, confidences=(1.0, 0.25))
            )
            for name in frame.loc[frame["problem"] == "", "attribute"]
        }

    found: dict[str, pd.DataFrame] = ganta.runs.once("attributes over k", make)
    return found


def table_4(ganta: Ganta, source: Source) -> Figure:
    """Distinct values and entropy, and how severe the attack is."""
    frame = compared(ganta, source)
    claims, rows = [], []
    for row in frame.itertuples():
        if row.problem:
            rows.append((row.attribute, "–", "–", "–", "–", "–", "–", "–", "–", row.problem))
            continue
        rows.append(
            (
                row.attribute,
                f"{row.distinct:,.0f}",
                f"{row.entropy:.2f}",
                percent(row.one_value_left),
                percent(row.one_value_left_single),
                percent(row.breach),
                percent(row.breach_single),
                percent(row.weighted_hit),
                percent(row.guess_one),
                f"{row.drop:.2f}",
            )
        )
        if row.attribute in PRINTED:
            words, size, bits = PRINTED[row.attribute]
            claims.append(Claim.number(f"{words}: domain size {size}.", size, row.distinct, f"{row.distinct:,.0f}", 0))
            claims.append(
                Claim.number(f"{words}: diversity {bits:.2f}.", bits, row.entropy, f"{row.entropy:.2f} bits", 0.01)
            )
    header = (
        "Attribute",
        "values",
        "entropy, bits",
        "one value left",
        "alone",
        "C ≥ 25%",
        "alone",
        "right guesses by weights",
        "guessing the most common",
        "values lost",
    )
    chart = Picture(
        sensitive_attributes(frame),
        f"{source.name}: shared people exposed for each sensitive "
        "attribute, by falling entropy; ticks: best single release.",
    )
    return Figure(
        PAPER,
        "Table 4",
        "Domain size and entropy of several sensitive attributes",
        f"The same hospitals, people and quasi-identifiers, k = {K}, Mondrian twice, another column to protect. Means "
        f"over {ganta.effort.redraws} redraws. The paper's diversity is Shannon's entropy in bits.",
        [chart],
        [Grid(header, rows)],
        claims,
        "",
        "Beyond the paper: what the attack finds for each. A code that stands for no answer counts as a value.",
    )


def figure_7(ganta: Ganta, source: Source) -> Figure:
    """Drop in effective anonymity for each attribute."""
    frame, sweeps = compared(ganta, source), over_k(ganta, source)
    parts = [
        curve.drop_duplicates("value").assign(x=lambda f: f["value"], y=lambda f: f["drop"], line=name)
        for name, curve in sweeps.items()
    ]
    chart = draw.lines(pd.concat(parts), X_TITLE, "Values lost, mean", percents=False)
    known = frame[frame["problem"] == ""]
    rows = [
        (str(k), *(f"{curve[curve['value'] == k]['drop'].iloc[0]:.2f}" for curve in sweeps.values()))
        for k in ganta.effort.ks
    ]
    return Figure(
        PAPER,
        "Figure 7",
        "Effect of the domain of the sensitive attribute",
        f"{source.name}, Mondrian twice, drop in effective anonymity, means over {ganta.effort.redraws} redraws.",
        [Picture(chart, f"{source.name}: values lost to the intersection for each sensitive attribute, against k.")],
        [Grid(("k", *sweeps), rows)],
        _claims(known, sweeps, ganta.effort.ks),
        "",
        NOT_PRINTED,
    )


def _claims(known: pd.DataFrame, sweeps: dict[str, pd.DataFrame], ks: tuple[int, ...]) -> list[Claim]:
    claims = []
    drops = pd.DataFrame(
        {name: curve.drop_duplicates("value").set_index("value")["drop"] for name, curve in sweeps.items()}
    )
    if {"occ1950", "ind1950"} <= set(drops):
        less = int((drops["occ1950"] < drops["ind1950"]).sum())
        claims.append(
            Claim.holds(
                "The drop is less for Occupation than for Industry, though its domain is larger.",
                f"at {less} of {len(drops)} values of k",
                less == len(drops),
            )
        )
    if len(known) > 2:
        order = known.set_index("attribute").loc[list(drops)]
        ranks = [rank_correlation(list(order["entropy"]), list(drops.loc[k])) for k in ks]
        rising = sum(rank > 0.999 for rank in ranks)
        claims.append(
            Claim.holds(
                "The average drop increases with the entropy of the attribute.",
                f"ranked alike at {rising} of {len(ks)} values of k",
                rising == len(ks),
            )
        )
        gain = order["one_value_left"] - order["one_value_left_single"]
        words = ", ".join(f"{name} {100 * gain[name]:.1f}" for name in drops)
        claims.append(
            Claim.holds(
                "The severity of the attack increases with the entropy (tried at k = 5 on one value left, beyond the "
                "best single release).",
                f"{words} points, by falling entropy; one value left as such: "
                f"{', '.join(percent(order.loc[name, 'one_value_left']) for name in drops)}",
                rank_correlation(list(order["entropy"]), list(gain)) > 0.999,
            )
        )
    return claims
