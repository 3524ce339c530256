"""Several sensitive attributes of one table: which of them the attack gives away most of."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.data.schema import Role
from core.figures import written as figures
from core.forecast import rank_correlation
from core.study.redraws import Redraws
from core.study.sensitive_attributes import comparable, compare_sensitive
from core.words import left as level
from pages.shared import charts, errors, results, session, widgets
from pages.shared.frames import highest, rows
from pages.shared.text import count, number, percent, plain, safe, wrongly

PICKED = "attack:attributes"
FEWEST = 2
AT_FIRST = 4
"""Attributes chosen to begin with; each costs a sweep of its own."""
ROLE_WORDS = {Role.SENSITIVE: "sensitive now", Role.OTHER: "not published", Role.QUASI_IDENTIFIER: "quasi-identifier"}


def attributes() -> None:
    """The comparison, folded away; only computed when it is asked for."""
    fold = st.expander(
        "Other columns as the sensitive attribute",
        icon=":material/compare_arrows:",
        on_change="rerun",
        key="attack:attributes:open",
    )
    if fold.open:
        with fold, errors.refusing():
            _comparison()


def _comparison() -> None:
    st.markdown(
        "A table holds more than one thing to protect. Each chosen column becomes the sensitive attribute in turn, "
        "with the same hospitals and the same people. While a quasi-identifier is the sensitive attribute, the "
        "adversary does not know it."
    )
    if session.scenario().uploads:
        st.caption(
            ":material/info: An uploaded file has one sensitive column only. Take the file out of the study to "
            "compare columns."
        )
        return
    workspace = session.workspace()
    results.encoded().need_rows("The comparison of columns")
    columns = comparable(workspace.table, workspace.schema)
    names = list(columns)
    if len(names) < FEWEST:
        st.caption("No other column of this table has values that several people share.")
        return
    if PICKED not in st.session_state or not set(st.session_state[PICKED]) <= set(names):
        st.session_state[PICKED] = at_first(columns)
    st.multiselect(
        "Columns to compare",
        names,
        key=PICKED,
        format_func=lambda name: (
            f"{plain(name, 40)} ({ROLE_WORDS[columns[name]]})" if name in columns else plain(name, 40)
        ),
        wrap=True,
    )
    picked = tuple(name for name in names if name in st.session_state[PICKED])
    if len(picked) < FEWEST:
        st.caption("Choose at least two columns.")
        return
    run = st.button(f"Compare these {len(picked)}", key="attack:attributes:run", icon=":material/play_arrow:")
    if run or results.is_remembered(_key(picked)):
        with widgets.working("Attacking one attribute after another") as progress:
            frame = compared(picked, progress)
        _shown(frame)


def at_first(roles: dict[str, Role]) -> list[str]:
    """The sensitive attribute and what is not published; where nothing is, some quasi-identifiers."""
    free = [name for name, role in roles.items() if role is not Role.QUASI_IDENTIFIER]
    return (free if len(free) >= FEWEST else list(roles))[:AT_FIRST]


def _key(picked: tuple[str, ...]) -> tuple[Any, ...]:
    scenario = session.scenario()
    fixed = (scenario.study, scenario.confidence, scenario.repeats, scenario.seed)
    return ("attributes", *results.data_key(scenario), scenario.schema.other, *fixed, picked)


def compared(picked: tuple[str, ...], progress: Any = None) -> pd.DataFrame:
    """Attack each attribute at the present setting, over the redraws of the session."""
    scenario, workspace = session.scenario(), session.workspace()
    return results.remembered(
        _key(picked),
        lambda: compare_sensitive(
            workspace.table,
            workspace.schema,
            picked,
            scenario.study,
            Redraws(scenario.repeats, scenario.seed, (scenario.confidence,)),
            progress,
        ),
    )


def _shown(frame: pd.DataFrame) -> None:
    for row in frame[frame["problem"] != ""].itertuples():
        st.caption(f":material/block: {safe(row.attribute, 40)}: {safe(row.problem, 400)}")
    known = frame[frame["problem"] == ""]
    charts.show(figures.sensitive_attributes(frame), alt=_alt(known))
    st.markdown(in_words(known))
    st.caption(
        f"Bars show the share of {count(known['n'].iloc[0])} shared people with one value left, and with "
        f"{level(float(known['confidence'].iloc[0]))}. Rules are 95 % intervals, thick ticks the best single release. "
        f"Thin ticks show who is rightly exposed, where others are accused wrongly. An attribute with few values "
        f"leaves few in any case: only what lies above the thick tick comes from the intersection."
    )
    widgets.numbers_below(_table(frame), "Several sensitive attributes", "attributes")


def in_words(known: pd.DataFrame) -> str:
    """Say which attribute loses most, and whether entropy ranks them as the drop does."""
    gained = known["perfect"] - known["perfect_single"]
    worst = highest(known, gained)
    first = (
        f"The intersection adds most for **{safe(worst['attribute'], 40)}**: {percent(worst['perfect'])} of the "
        f"shared people have one value left, {percent(worst['perfect_single'])} by the best single release."
        f"{wrongly(worst['perfect'] - worst['perfect_right'], worst['perfect_right'])}"
    )
    if gained.max() <= 0:
        first = "For none of them does the intersection leave more people with one value than a single release does."
    rank = rank_correlation(list(known["entropy"]), list(known["drop"])) if len(known) > FEWEST else float("nan")
    if rank != rank:
        return first
    return (
        f"{first} By entropy and by values lost to the intersection these {len(known)} attributes rank "
        f"{'alike' if rank > 0.999 else 'the opposite way' if rank < -0.999 else 'partly alike'} (rank correlation "
        f"{number(rank)}). The paper saw both rise together{_unlike(known)}."
    )


def _unlike(known: pd.DataFrame) -> str:
    """Say so where the attributes are not attacked in the same classes."""
    return ", in the same classes; here they differ by the quasi-identifier left out" * (len(set(known["known"])) > 1)


def _alt(known: pd.DataFrame) -> str:
    each = "; ".join(
        f"{plain(row['attribute'], 30)} {number(row['entropy'], 1)} bits, {percent(row['perfect'])}"
        for row in rows(known)
    )
    return f"Share of shared people with one value left for each sensitive attribute, by falling entropy: {each}."


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    shares = {
        "perfect": "One value left",
        "perfect_low": "95 % interval from",
        "perfect_high": "to",
        "perfect_single": "Best single release",
        "perfect_right": "Rightly",
        "breach": "At C",
        "breach_low": "At C, 95 % from",
        "breach_high": "At C, to",
        "breach_single": "At C, best single release",
        "breach_right": "At C, rightly",
        "hit": "Value named rightly",
        "weighted_hit": "Named rightly by weights",
        "guess_one": "Named rightly by guessing the commonest",
        "said": "Confidence by weights, mean",
    }
    plain_names = {
        "attribute": "Sensitive attribute",
        "distinct": "Values",
        "entropy": "Entropy (bits)",
        "known": "Quasi-identifiers",
        "records": "Records",
        "drop": "Values lost, mean",
        "n": "Shared people",
        "repeats": "Redraws",
    }
    shown = frame[[*plain_names, *shares]].rename(columns=plain_names | {k: f"{v} (%)" for k, v in shares.items()})
    shown = shown.assign(**{f"{v} (%)": (100 * shown[f"{v} (%)"]).round(2) for v in shares.values()})
    return shown.assign(**{name: shown[name].round(3) for name in ("Entropy (bits)", "Values lost, mean")})
