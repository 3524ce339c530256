"""What the adversary is supposed to know before, and how far a belief may move."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from pages.attack.beliefs import numbers
from pages.shared import results, session, widgets
from pages.shared.text import count, plain, safe
from pages.shared.values import worded

PLACE = "beliefs"
MOST_EDITED = 500
SOURCE_WORDS = {
    "marginals": "How common each value is",
    "columns": "How values depend on columns",
    "uniform": "Nothing: all equally likely",
    "edited": "Frequencies I write down",
    "joint": "The whole table",
}
SOURCE_HELP = {
    "marginals": "The adversary knows how common each value is in your table, and believes the same of everybody.",
    "columns": "The adversary knows how often each value goes with the columns picked here, as your table has it.",
    "uniform": "The adversary takes all values of your table as equally likely.",
    "edited": "The adversary believes these frequencies of everybody.",
    "joint": (
        "The adversary knows how often each value goes with all quasi-identifiers together. Where all people who look "
        "alike are in one class, that adversary learns nothing from the release. For teaching."
    ),
}


def show() -> None:
    """Background and threshold: the rail of the page."""
    source = widgets.pick("belief_source", PLACE, list(SOURCE_WORDS), SOURCE_WORDS.__getitem__)
    st.caption(SOURCE_HELP[source])
    widgets.slider("belief_theta", PLACE)
    if source == "columns":
        _columns()
    if source == "edited":
        _weights()


def _columns() -> None:
    names = [domain.name for domain in results.encoded().qids]
    key = f"{PLACE}:columns:{hash(results.data_key())}"
    st.session_state[key] = list(numbers.columns())
    st.multiselect(
        "Columns that the adversary's background depends on",
        names,
        key=key,
        format_func=plain,
        placeholder="None: the same as how common each value is",
        on_change=lambda: session.put("belief_columns", tuple(st.session_state[key])),
        wrap=True,
    )


def _weights() -> None:
    """Write down a frequency for every sensitive value."""
    domain, weights = results.encoded().sensitive, numbers.weights()
    if domain.size > MOST_EDITED:
        st.caption(
            f"{safe(domain.name, 40)} has {count(domain.size)} values; up to {MOST_EDITED} can be edited. The "
            "frequencies of the table are used."
        )
        return
    order = np.argsort(-results.encoded().overall, kind="stable")
    base = pd.DataFrame(
        {"value": [plain(worded(domain.labels[code])) for code in order], "weight": [weights[code] for code in order]}
    )
    edited = st.data_editor(
        base,
        hide_index=True,
        num_rows="fixed",
        disabled=["value"],
        height=210,
        key=f"{PLACE}:weights:{hash((results.data_key(), weights))}",
        alt="Frequencies that the adversary believes",
        column_config={
            "value": "Value",
            "weight": st.column_config.NumberColumn(
                "Frequency", min_value=0.0, format="%.4f", help="On any scale: they are made to sum to 100 %."
            ),
        },
    )
    wanted = np.array(weights)
    wanted[order] = np.nan_to_num(edited["weight"].to_numpy(dtype=np.float64), nan=0.0)
    if tuple(wanted.tolist()) != weights:
        numbers.keep_weights(tuple(wanted.tolist()))
        st.rerun()
    st.caption("The cells start from the frequencies of your table, in percent. An empty cell is 0.")
