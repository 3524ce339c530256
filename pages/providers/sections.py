"""What the Providers page draws: the verdict, the worst classes, what it costs."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.arrays import Progress
from core.base.errors import InfeasibleError
from core.figures import written as figures
from core.study.provider_cost import METHODS
from pages.providers import numbers as pr
from pages.providers import words
from pages.shared import charts, widgets
from pages.shared.class_rows import selected_rows
from pages.shared.text import count, number, people, percent, safe

PLACE = "providers"
MOST_ROWS = 2000
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
    icon = ":green[:material/verified_user:]" if answer.holds else ":red[:material/gpp_bad:]"
    enough = pr.one_class(method, int(table["class"].iloc[0])).enough
    with st.container(border=True, key="providers:verdict"):
        st.markdown(f"{icon} {words.sentence(answer, pr.policy(), sensitive)}{words.fewer(answer, enough)}")
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
    )
    for place, (label, value, note) in zip(st.columns(3, gap="small"), shown, strict=True):
        place.metric(label, value, help=note)


def caveat(method: str) -> None:
    """What the verdict does not say."""
    text = words.caveat(pr.classes(method), pr.verdict(method).m)
    if text:
        st.caption(text)


# ---- the worst classes ----------------------------------------------------------------------


def worst_classes(method: str) -> None:
    """The classes, the worst on top, and who is in the one that is chosen."""
    table, key = pr.classes(method), f"providers:classes:{method}"
    top = table.head(MOST_ROWS)
    left, right = st.columns([1.4, 1], gap="large")
    with left:
        st.dataframe(
            pd.DataFrame(
                {
                    "Class": top["class"] + 1,
                    "People": top["size"],
                    "Contributors": top["contributors"],
                    "Left": top["left"],
                    "Safe": top["private"],
                }
            ),
            hide_index=True,
            height=248,
            on_select="rerun",
            selection_mode="single-row",
            key=key,
            alt="Classes, the worst first",
            column_config={"Left": st.column_config.NumberColumn(help="Others, after the m largest left.")},
        )
        more = "" if len(table) <= MOST_ROWS else f" The {count(MOST_ROWS)} worst."
        st.caption(f"Click a row to see who is in a class.{more}")
    places = [place for place in selected_rows(st.session_state.get(key)) if place < len(top)]
    with right:
        _who_is_in(method, int(top["class"].iloc[places[0] if places else 0]))


def _who_is_in(method: str, number: int) -> None:
    """The contributors of a class, and what the strongest coalition learns where it is not the verdict's class."""
    chosen = pr.one_class(method, number)
    size = chosen.group.sizes.tolist()
    order = sorted(range(len(size)), key=lambda i: (-size[i], i))
    shown = [f"{safe(chosen.names[i], 30)} ({count(size[i])})" for i in order[:8]]
    more = f", and {count(len(order) - 8)} more" if len(order) > 8 else ""
    st.markdown(f"**Class {count(number + 1)}**, {people(sum(size))}: {', '.join(shown)}{more}.")
    if not chosen.verdict.holds and number != pr.verdict(method).class_number:
        sensitive = pr.pooled().sensitive.name
        st.markdown(words.sentence(chosen.verdict, pr.policy(), sensitive) + words.fewer(chosen.verdict, chosen.enough))


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
        figures.pooled_curve(frame, METHODS, measure, MEASURES[measure], VARY_WORDS[vary], getattr(pr.policy(), vary)),
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
