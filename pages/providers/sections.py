"""What the Providers page draws: the verdict, one class, the strategies, what it costs."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.arrays import Progress
from core.errors import InfeasibleError
from core.figures import written as figures
from core.privacy.coalitions import lattice
from core.privacy.coalitions.masks import MAX_CONTRIBUTORS
from core.study.provider_cost import METHODS
from pages.providers import numbers as pr
from pages.providers import words
from pages.shared import charts, session, widgets
from pages.shared.class_rows import selected_rows
from pages.shared.text import count, number, people, percent, plain, safe

PLACE = "providers"
MOST_ROWS = 2000
STRATEGY_WORDS = {
    "adaptive": "Adaptive (binary or top-down)",
    "direct": "Direct (all coalitions of m)",
    "top-down": "Top-down (from all but one)",
    "bottom-up": "Bottom-up (from the reader)",
    "binary": "Binary (halving between)",
    "shortcut": "Shortcut (counting; ours)",
}
RULE_WORDS = {"fitness": "Fitness below 0.85", "records": "Under 15 records each"}
VARY_WORDS = {"m": "Providers that may collude (m)", "k": "People per class (k)", "l": "Values per class (l)"}
MEASURES = {
    "absolute": "Mean query error, people",
    "relative": "Mean relative query error",
    "median relative": "Median relative query error",
    "mean size": "Mean class size, people",
    "classes": "Classes",
    "contributors": "Contributors per class, mean",
    "loss": "Information loss (GCP)",
    "seconds": "Time to anonymise, seconds",
}


def verdict(method: str) -> None:
    """Whether the release withstands m providers, and what they would learn if not."""
    with widgets.working("Anonymising ...") as progress:
        pooled = pr.made(method, progress)
    answer, table = pr.verdict(method), pr.classes(method)
    sensitive = pooled.release.encoded.sensitive.name
    if answer.holds:
        sentence, icon = words.sentence(answer, pr.policy(), sensitive), ":green[:material/verified_user:]"
    else:
        worst = pr.worst(method)
        enough = pr.enough(method, worst.class_number or 0)
        sentence = words.sentence(worst, pr.policy(), sensitive) + words.fewer(worst, enough)
        icon = ":red[:material/gpp_bad:]"
    with st.container(border=True, key="providers:verdict"):
        st.markdown(f"{icon} {sentence}")
    bad = int((~table["private"]).sum())
    shown = (
        (
            "Classes that fail",
            percent(bad / len(table)),
            f"{count(bad)} of {count(len(table))} classes; {words.failing(table)}.",
        ),
        (
            "Fewest others left",
            count(int(table["left"].min())),
            "People of other providers left in a class after the m largest contributors took out theirs.",
        ),
        ("Contributors per class", number(float(table["contributors"].mean()), 1), None),
        (
            "Checks made",
            count(answer.checks),
            "Coalitions that were compared with k and l, up to the first class that fails.",
        ),
    )
    for place, (label, value, note) in zip(st.columns(4, gap="small"), shown, strict=True):
        place.metric(label, value, help=note)


def caveat(method: str) -> None:
    """What the verdict does not say."""
    text = words.caveat(pr.classes(method), pr.verdict(method).m)
    if text:
        st.caption(text)


# ---- one class ----------------------------------------------------------------------------


def main_chart(method: str) -> None:
    """The coalitions of one class, as a strategy went through them: the most endangered unless another is chosen."""
    coalitions = pr.one_class(method, _chosen(pr.classes(method), method))
    st.markdown(f"**Coalitions of class {count(coalitions.number + 1)}**, {people(int(coalitions.group.sizes.sum()))}")
    _lattice(coalitions)


def one_class(method: str) -> None:
    """One class, who is in it, and how each strategy comes to its answer."""
    table = pr.classes(method)
    left, right = st.columns([1, 1.7], gap="large")
    with left:
        chosen = _pick_class(table, method)
        coalitions = pr.one_class(method, chosen)
        _who_is_in(coalitions)
    with right:
        _strategy()
        _about_the_lattice(coalitions)
    st.markdown("**The same class by every strategy**")
    _strategies(coalitions)


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """The classes, the most endangered first."""
    return table.sort_values(
        ["private", "contributors", "left", "class"], ascending=[True, False, True, True], ignore_index=True
    ).head(MOST_ROWS)


def _chosen(table: pd.DataFrame, method: str) -> int:
    """The class whose row was clicked; until then that of the verdict, or the most endangered where all are safe."""
    ranked, places = _ranked(table), selected_rows(st.session_state.get(_table_key(method)))
    if places and places[0] < len(ranked):
        return int(ranked["class"].iloc[places[0]])
    broken = None if pr.verdict(method).holds else pr.worst(method).class_number
    return int(ranked["class"].iloc[0]) if broken is None else broken


def _table_key(method: str) -> str:
    return f"providers:classes:{method}"


def _pick_class(table: pd.DataFrame, method: str) -> int:
    """Table of the classes, the most endangered first; the chosen one."""
    ranked = _ranked(table)
    shown = pd.DataFrame(
        {
            "Class": ranked["class"] + 1,
            "People": ranked["size"],
            "Contributors": ranked["contributors"],
            "Left": ranked["left"],
            "Safe": ranked["private"],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        height=248,
        on_select="rerun",
        selection_mode="single-row",
        key=_table_key(method),
        alt="Classes, those that fail first",
        column_config={"Left": st.column_config.NumberColumn(help="Others, after the m largest left.")},
    )
    st.caption("Click a row to open a class." + ("" if len(table) <= MOST_ROWS else f" The {count(MOST_ROWS)} worst."))
    return _chosen(table, method)


def _who_is_in(coalitions: pr.OneClass) -> None:
    size = coalitions.group.sizes.tolist()
    order = sorted(range(len(size)), key=lambda i: (-size[i], i))
    letters = [f"{'ABCDE'[i]} = " if len(size) <= 5 else "" for i in range(len(size))]
    shown = [f"{letters[i]}{safe(coalitions.names[i], 30)} ({count(size[i])})" for i in order[:8]]
    more = f", and {count(len(order) - 8)} more" if len(order) > 8 else ""
    st.markdown(f"**Class {count(coalitions.number + 1)}**, {people(sum(size))}: {', '.join(shown)}{more}.")


def _strategy() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        strategy = widgets.pick("pool_strategy", PLACE, list(STRATEGY_WORDS), STRATEGY_WORDS.__getitem__)
        if strategy == "adaptive":
            widgets.pick("pool_rule", PLACE, list(RULE_WORDS), RULE_WORDS.__getitem__)


def _lattice(coalitions: pr.OneClass) -> None:
    strategy = session.get("pool_strategy")
    if strategy not in coalitions.searches or coalitions.group.contributors > MAX_CONTRIBUTORS:
        st.caption(f"This class has too many coalitions of m to list; {STRATEGY_WORDS['shortcut'].lower()} decides it.")
        return
    search, m = coalitions.searches[strategy], coalitions.group.most(pr.policy().m or 0)
    alt = words.lattice_in_words(coalitions.names, m, search.checks, search.holds)
    if coalitions.group.contributors <= figures.MOST_NODES:
        chart = figures.diamond(lattice(coalitions.group, search), [plain(name, 40) for name in coalitions.names], m)
    else:
        chart = figures.lattice_levels(pr.level_table(coalitions, strategy), m)
    charts.show(chart, key="providers:lattice", alt=alt, height=charts.MAIN - 40)


def _about_the_lattice(coalitions: pr.OneClass) -> None:
    strategy = session.get("pool_strategy")
    if strategy not in coalitions.searches or coalitions.group.contributors > MAX_CONTRIBUTORS:
        return
    st.caption(
        "The outside reader is at the bottom, all providers but one are at the top. Red squares are coalitions that "
        "breach, circles those that do not. Strong colour: checked. Pale: known without a check, because the "
        "coalition is above a breaching or below a harmless one. Grey: not needed."
    )
    widgets.numbers_below(
        pr.level_table(coalitions, strategy).rename(
            columns={"size": "Providers", "state": "Search", "coalitions": "Coalitions", "share": "Share of the level"}
        ),
        "lattice by level",
        "providers:levels",
        {"Share of the level": st.column_config.NumberColumn(format="percent")},
    )


def _strategies(coalitions: pr.OneClass) -> None:
    left, right = st.columns([1.7, 1], gap="large")
    with left:
        charts.show(
            figures.strategy_checks(coalitions.strategies),
            key="providers:strategies",
            alt="Privacy checks by strategy: "
            + ", ".join(f"{row.strategy} {row.checks}" for row in coalitions.strategies.itertuples()),
        )
    with right:
        shown = coalitions.strategies.assign(
            holds=["holds" if good else "breached" for good in coalitions.strategies["holds"]]
        )
        st.dataframe(
            shown.rename(columns={"strategy": "Strategy", "checks": "Checks", "milliseconds": "ms", "holds": "Answer"}),
            hide_index=True,
            alt="Checks and time of every strategy",
            column_config={"ms": st.column_config.NumberColumn(format="%.2f", help="One run, on this machine, now.")},
        )
        if len(set(coalitions.strategies["holds"])) == 1:
            st.caption("All give the same answer; they differ in what they check.")


# ---- what it costs ---------------------------------------------------------------------------


_COSTS = (
    "Withstands m",
    "Classes",
    "Mean size",
    "Largest",
    "Contributors",
    "Information loss",
    "Query error, people",
    "relative",
    "median",
    "Seconds",
)


def _cost(method: str, progress: Progress) -> dict[str, object]:
    """One row of the table of costs."""
    row = pr.made(method, progress).row()
    values = (
        bool(pr.classes(method)["private"].all()),
        int(row["classes"]),
        round(row["mean size"], 1),
        int(row["largest"]),
        round(row["contributors"], 1),
        row["loss"],
        round(row["absolute"], 1),
        round(row["relative"], 2),
        round(row["median relative"], 2),
        round(row["seconds"], 2),
    )
    return dict(zip(_COSTS, values, strict=True))


def costs() -> None:
    """Every method beside the others at the present setting, and against m, k or l."""
    rows, refused = [], ""
    with widgets.working("Anonymising ...") as progress:
        for method, name in pr.RELEASES.items():
            try:
                rows.append({"Release": name, **_cost(method, progress)})
            except InfeasibleError as error:
                rows.append({"Release": name})
                refused = error.message
    frame = pd.DataFrame(rows, columns=["Release", *_COSTS])
    if refused:
        st.caption(f":material/block: Where a row is empty: {safe(refused, 400)}")
    helps = {
        "Query error, people": "Mean over 2,500 random counting queries of |answer on the release - true answer|.",
        "relative": "Mean of error over true answer, where that is above 0; rare groups weigh heavily.",
        "median": "Median of the same.",
        "Contributors": "Providers with a record in a class, mean.",
    }
    config = {name: st.column_config.NumberColumn(help=text) for name, text in helps.items()}
    config["Information loss"] = st.column_config.NumberColumn(format="percent")
    widgets.grid(frame, "Releases side by side", config)
    st.caption(
        "Provider-aware (Goryczka et al. 2011, Alg. 2) cuts between providers early. Nearly every class ends with one "
        "contributor, as if each had anonymised alone, and its error depends little on m. The last method is ours. It "
        "cuts the classes of the baseline further, between providers, so it never loses more information."
    )
    widgets.download_csv(frame, "Releases of pooled records", "providers:costs")
    _curve()


def _curve() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        vary = widgets.pick("pool_vary", PLACE, list(VARY_WORDS), VARY_WORDS.__getitem__)
        measure = widgets.pick("pool_measure", PLACE, list(MEASURES), MEASURES.__getitem__)
    with widgets.working("Drawing the curve ...") as progress:
        frame = pr.curve(vary, progress)
    charts.show(
        figures.pooled_curve(frame, METHODS, measure, MEASURES[measure], VARY_WORDS[vary], session.get(f"pool_{vary}")),
        key="providers:curve",
        alt=curve_in_words(frame, vary, measure),
    )
    missing = frame.loc[~frame["feasible"], "value"].unique().tolist()
    if missing:
        st.caption(
            f"At {vary} = {', '.join(map(str, missing))} not even the whole table as one class withstands that many."
        )
    named = frame.assign(method=[METHODS[method] for method in frame["method"]]).rename(
        columns={"value": vary, "method": "Method", "feasible": "Possible", "seconds": "Seconds", **MEASURES}
    )
    widgets.numbers_below(named, "providers against m, k or l", "providers:curve:numbers")


def curve_in_words(frame: pd.DataFrame, vary: str, measure: str) -> str:
    """Text alternative of the curve: its ends."""
    parts = []
    for method, name in METHODS.items():
        rows = frame[(frame["method"] == method) & frame["feasible"]]
        if len(rows):
            first, last = rows.iloc[0], rows.iloc[-1]
            parts.append(
                f"{name} {first[measure]:.3g} at {vary} = {first['value']} and {last[measure]:.3g} at {last['value']}"
            )
    return f"{MEASURES[measure]}: {'; '.join(parts) or 'no setting is possible'}"
