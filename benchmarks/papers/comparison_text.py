"""The text of assets/method/paper_comparison.md: ``comparison_text.md`` filled with the findings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from benchmarks.markdown import percent, share, table
from benchmarks.papers.findings import Findings, Setting
from benchmarks.papers.printed import GANTA
from benchmarks.papers.scenarios import KNOWN, READ, SCENARIOS

TEMPLATE = Path(__file__).with_suffix(".md")
VARIANTS = {
    "6,000": "Hospitals of 6,000",
    "10,000": "Hospitals of 10,000",
    "20,000": "Hospitals of 20,000",
    "34,000": "Hospitals of 34,000",
    "one level": "Taxonomies of one level",
    "median": "Cut at the median or not at all",
    "mixed": "Mondrian and microaggregation",
    "micro": "Microaggregation twice",
}

EVERYWHERE = {
    "Mondrian twice": "Mondrian everywhere",
    "microaggregation twice": "microaggregation everywhere",
    "one of each": "Mondrian first, then microaggregation",
}
"""The scenarios in words for more than two releases."""


def text(findings: Findings, **run: str) -> str:
    """Return the whole text; ``run`` are facts of the run itself."""
    return TEMPLATE.read_text(encoding="utf-8").format(**facts(findings), **run, printed=GANTA)


def facts(findings: Findings) -> dict[str, str]:
    """Everything the template names, in words."""
    main, tried = findings.main, findings.tried
    adult, ipums, ten = main["Adult", 5], main["IPUMS", 5], main["IPUMS", 10]
    none, none_hit, others_hit = findings.without
    sizes = {"five": ipums, "ten": ten, "l": tried["l"], "t": tried["t"]}
    return {
        "main_table": "\n".join(main_table(main)),
        "scenario_table": "\n".join(scenario_table(findings.two)),
        "many_table": "\n".join(many_table(findings.many)),
        "adult_located": percent(_at(findings.two["Adult"], "microaggregation twice", 5, READ)["located"]),
        "ipums_located": percent(_at(findings.two["IPUMS"], "microaggregation twice", 5, READ)["located"]),
        "many_sizes": " and ".join(f"{int(frame['size'].iloc[0]):,} ({name})" for name, frame in findings.many.items()),
        "tried_table": "\n".join(_tried_table(findings)),
        "adult_size": f"{adult.size:,}",
        "ipums_size": f"{ipums.size:,}",
        "adult_guess": percent(findings.guess["Adult"][0]),
        "ipums_guess": percent(findings.guess["IPUMS"][0]),
        "adult_guess_4": percent(findings.guess["Adult"][1]),
        "ipums_guess_4": percent(findings.guess["IPUMS"][1]),
        "adult_bits": f"{findings.entropy['Adult']:.2f}",
        "ipums_bits": f"{findings.entropy['IPUMS']:.2f}",
        "none": percent(none),
        "none_hit": percent(none_hit),
        "others_hit": percent(others_hit),
        "adult": percent(adult.one_value_left.mean),
        "ipums": percent(ipums.one_value_left.mean),
        "ipums_alone": percent(ipums.single_perfect),
        "adult_quarter": percent(adult.quarter.mean),
        "ipums_quarter": percent(ipums.quarter.mean),
        "adult_highest": percent(_highest(findings)),
        **{
            f"{table}_{way}": percent(tried[f"{table} {way}"].one_value_left.mean)
            for table in ("adult", "ipums")
            for way in ("mixed", "micro")
        },
        **{f"{name}_seen": f"{setting.seen:,.0f}" for name, setting in sizes.items()},
        **{f"{name}_per_class": f"{setting.per_class:,.0f}" for name, setting in sizes.items()},
        **{f"{name}_range": f"{f.seen_range[0]:,.0f} to {f.seen_range[1]:,.0f}" for name, f in sizes.items()},
        "fit_five": f"{tried['ipums 34,000'].seen:.0f}",
        "fit_ten": f"{tried['ipums 34,000, k 10'].seen:.0f}",
        "l_backwards": f"{tried['l, backwards'].seen:,.0f}",
        "l_smaller": f"{tried['l, 20,000'].seen:,.0f}",
        "l_nearest": f"{tried['distinct l, one level, 20,000'].seen:,.0f}",
        "t_smaller": f"{tried['t, 20,000'].seen:,.0f}",
        "t_ordered": f"{tried['t, ordered'].seen:,.0f}",
    }


def main_table(settings: Mapping[tuple[str, int], Setting]) -> list[str]:
    """Lines of the table of k = 2 to 50."""
    header = (
        "Table",
        "k",
        "One value left, %",
        "alone, %",
        "At most 4 left (C ≥ 25%), %",
        "alone, %",
        "Records per class",
        "as seen",
        "Values before → after",
    )
    rows = [
        (
            name,
            str(k),
            share(setting.one_value_left),
            percent(setting.single_perfect),
            share(setting.quarter),
            percent(setting.single_quarter),
            f"{setting.per_class:.1f}",
            f"{setting.seen:.1f}",
            f"{setting.before:.1f} → {setting.after:.1f}",
        )
        for (name, k), setting in settings.items()
    ]
    return table(header, rows, words=1)


def _at(frame: pd.DataFrame, scenario: str, k: int, locate: str, releases: int = 2) -> pd.Series:
    """One row of the scenarios."""
    keys = {"scenario": scenario, "k": k, "locate": locate, "releases": releases}
    return frame[(frame[list(keys)] == list(keys.values())).all(axis=1)].iloc[0]


def scenario_table(frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Lines of the table of the three scenarios: classes known, and read off the release."""
    header = (
        "Table",
        "k",
        *SCENARIOS,
        "read off: micro. twice",
        "wrongly",
        "one of each",
        "wrongly",
        "Located correctly",
    )
    rows = []
    for name, frame in frames.items():
        for k in dict.fromkeys(frame["k"]):
            known = [percent(_at(frame, scenario, k, KNOWN)["one_value_left"]) for scenario in SCENARIOS]
            read = [_at(frame, scenario, k, READ) for scenario in list(SCENARIOS)[1:]]
            cells = [
                *known,
                *(percent(row[part]) for row in read for part in ("one_value_left", "wrong")),
                percent(read[0]["located"]),
            ]
            rows.append((name, str(k), *cells))
    return table(header, rows, words=1)


def many_table(frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Lines of the table of two, three and four releases: one value left, and mean drop."""
    numbers = list(dict.fromkeys(next(iter(frames.values()))["releases"]))
    header = ("Table", "Scenario", "k", *(f"R = {r}" for r in numbers), *(f"drop, R = {r}" for r in numbers))
    rows = []
    for name, frame in frames.items():
        for scenario in SCENARIOS:
            for k in dict.fromkeys(frame["k"]):
                each = [_at(frame, scenario, k, KNOWN, r) for r in numbers]
                cells = [*(percent(row["one_value_left"]) for row in each), *(f"{row['drop']:.1f}" for row in each)]
                rows.append((name, EVERYWHERE[scenario], str(k), *cells))
    return table(header, rows, words=2)


def _highest(findings: Findings) -> float:
    """Highest share of one value left on Adult at k = 5 without microaggregation."""
    settings = [setting for name, setting in findings.tried.items() if name.startswith("adult") and "mi" not in name]
    settings += [findings.main[name, 5] for name in ("Adult", "Adult, taxonomies")]
    return max(setting.one_value_left.mean for setting in settings)


def _tried_table(findings: Findings) -> list[str]:
    header = ("Table", "What is changed", "One value left, %", "alone, %", "C ≥ 25%, %", "Records per class", "as seen")
    rows = []
    for name in ("Adult", "IPUMS"):
        rows.append(_variant(name, "nothing", findings.main[name, 5]))
        if name == "Adult":
            rows.append(_variant(name, "Taxonomies of ARX", findings.main["Adult, taxonomies", 5]))
        for key, words in VARIANTS.items():
            setting = findings.tried.get(f"{name.lower()} {key}")
            if setting is not None:
                rows.append(_variant(name, words, setting))
    return table(header, rows, words=2)


def _variant(name: str, words: str, setting: Setting) -> tuple[str, ...]:
    return (
        name,
        words,
        percent(setting.one_value_left.mean),
        percent(setting.single_perfect),
        percent(setting.quarter.mean),
        f"{setting.per_class:.1f}",
        f"{setting.seen:.1f}",
    )
