"""What the Providers page draws: the verdict, the worst classes, what it costs."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.errors import InfeasibleError
from pages.providers import numbers as pr
from pages.providers import words
from pages.shared.ui import widgets
from pages.shared.ui.class_rows import class_of_row
from pages.shared.ui.text import count, number, people, percent, safe

PLACE = "providers"
MOST_ROWS = 2000


def verdict(method: str) -> None:
    """Whether the release withstands m providers, and what they would learn if not."""
    with widgets.working("Anonymising ...") as progress:
        pooled = pr.made(method, progress)
    answer, table = pr.verdict(method), pr.classes(method)
    sensitive = pooled.release.encoded.sensitive.name
    icon = ":green[:material/verified_user:]" if answer.is_satisfied else ":red[:material/gpp_bad:]"
    with st.container(border=True, key="providers:verdict"):
        st.markdown(f"{icon} {words.sentence(answer, pr.policy(), sensitive)}")
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
            "People of other providers left in a class after the m largest contributors removed theirs.",
        ),
        ("Contributors per class", number(float(table["contributors"].mean()), 1), None),
    )
    for place, (label, value, note) in zip(st.columns(3, gap="small"), shown, strict=True):
        place.metric(label, value, help=note)


def caveat(method: str) -> None:
    """State the limits of the verdict."""
    text = words.caveat(pr.classes(method), pr.verdict(method).m)
    if text:
        st.caption(text)


# ---- the worst classes ----------------------------------------------------------------------


def worst_classes(method: str) -> None:
    """The classes, the worst on top, and who is in the one that is chosen."""
    table = pr.classes(method)
    top = table.head(MOST_ROWS)
    left, right = st.columns([1.4, 1], gap="large")
    with left:
        event = st.dataframe(
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
            key=f"providers:classes:{hash((pr.policy(), pr.release_key(method)))}",
            alt="Classes, the worst first",
            column_config={
                "Left": st.column_config.NumberColumn(help="Others, after the m largest providers removed theirs.")
            },
        )
        more = "" if len(table) <= MOST_ROWS else f" The {count(MOST_ROWS)} worst."
        st.caption(f"Click a row to see who is in a class.{more}")
    number = class_of_row(event, top["class"].tolist())
    with right:
        _who_is_in(method, int(top["class"].iloc[0]) if number is None else number)


def _who_is_in(method: str, number: int) -> None:
    """The contributors of a class, and what the strongest coalition learns if the verdict is about another class."""
    chosen = pr.one_class(method, number)
    size = chosen.group.sizes.tolist()
    order = sorted(range(len(size)), key=lambda i: (-size[i], i))
    shown = [f"{safe(chosen.names[i], 30)} ({count(size[i])})" for i in order[:8]]
    more = f", and {count(len(order) - 8)} more" if len(order) > 8 else ""
    st.markdown(f"**Class {count(number + 1)}**, {people(sum(size))}: {', '.join(shown)}{more}.")
    if not chosen.verdict.is_satisfied and number != pr.verdict(method).class_number:
        sensitive = pr.pooled().sensitive.name
        st.markdown(words.sentence(chosen.verdict, pr.policy(), sensitive))


# ---- what it costs ---------------------------------------------------------------------------


def costs() -> None:
    """Compare all methods at the present setting."""
    rows: list[dict[str, object]] = []
    refused = ""
    with widgets.working("Anonymising ...") as progress:
        for method, name in pr.RELEASES.items():
            try:
                known = pr.made(method, progress).row()
            except InfeasibleError as error:
                rows.append({"Release": name})
                refused = error.message
                continue
            rows.append(
                {
                    "Release": name,
                    "Withstands m": bool(pr.classes(method)["private"].all()),
                    "Classes": int(known["classes"]),
                    "Contributors per class": round(known["contributors"], 1),
                    "Information loss": known["loss"],
                    "Query error, people": round(known["absolute"], 1),
                }
            )
    if refused:
        st.caption(f":material/block: Where a row is empty: {safe(refused, 400)}")
    config = {"Information loss": st.column_config.NumberColumn(format="percent")}
    widgets.grid(pd.DataFrame(rows), "Releases side by side", config)
    st.caption(
        "Provider-aware (Goryczka et al. 2011, Alg. 2) cuts between providers early. Nearly every class ends with one "
        "contributor, as if each had anonymised alone, and its error depends little on m. The error is a mean over "
        "2,500 random counts."
    )
