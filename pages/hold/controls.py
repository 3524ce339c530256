"""One or two controls a way, and the button that makes it my release."""

from __future__ import annotations

import streamlit as st

from core.data.agreed import AgreedList
from pages.hold import numbers
from pages.shared import agreed, errors, noise_grid, results, session, widgets

PLACE = "hold"
BUTTON = "Make this my release"


def show() -> None:
    """Where the agreed list comes from, and how much noise."""
    rows = results.encoded().weight is None
    if rows:
        _agreed()
        _truthful()
    else:
        st.caption("Agreed lists and truthful tables need the records themselves. Load the table, not its tally.")


def _agreed() -> None:
    encoded = results.encoded()
    tree, able = encoded.sensitive.taxonomy, agreed.ways(encoded)
    where = str(
        widgets.pick(
            "hold_from",
            PLACE,
            able,
            lambda way: f"Agreed list: {agreed.FROM[way][:1].lower()}{agreed.FROM[way][1:]}",
            bare=True,
        )
    )
    if where == agreed.TREE and tree is not None:
        # Below, a bucket has one value, which would be all that is left.
        deepest = max(level for level in range(tree.height + 1) if AgreedList.from_taxonomy(tree, level).least > 1)
        if deepest:
            widgets.slider("hold_level", PLACE, high=deepest)
        else:
            session.put("hold_level", 0)
            st.caption("Its levels below the root have nodes of one value, so buckets are cut from all values.")
    elif where != agreed.EXAMPLE:
        st.file_uploader(
            "Agreed list",
            type=["csv", "txt", "tsv"],
            key=numbers.FILE_KEY,
            max_upload_size=agreed.MOST,
            label_visibility="collapsed",
        )
    if where != agreed.FILE:
        widgets.slider("hold_least", PLACE)
    _button(numbers.AGREED)


def _truthful() -> None:
    value = float(session.get("noise_epsilon"))
    key = widgets.key_showing(f"widget:{PLACE}:noise_epsilon", value)

    def store() -> None:
        if not widgets.only_says_what_it_showed(key):
            session.put("noise_epsilon", float(st.session_state[key]))

    st.select_slider(
        "Truthful: privacy loss of one table (ε)",
        sorted({*noise_grid.STOPS, value}),
        key=key,
        format_func=lambda epsilon: f"{epsilon:g}",
        on_change=store,
        help="Here ε is for one record added or removed. *Differential privacy* counts one replaced: that is 2 ε. "
        "Records are sampled, and small cells left out. No noise is added: every record told is a true one.",
    )

    if st.button("Draw it under a budget", key="hold:draw", on_click=numbers.to_the_draw):
        st.switch_page("pages/noise/page.py")


def _button(name: str) -> None:
    """Take a way over, unless it is taken or cannot be."""
    way = numbers.way(name)
    if way.scenario is None and way.refused is None:
        st.caption(":material/upload_file: Load a file, or choose another source.")
        return
    if way.refused is not None:
        errors.refuse(way.refused)
        return
    if numbers.is_mine(way):
        st.caption(":material/check: This is my release now.")
        return
    st.button(BUTTON, key=f"hold:take:{name}", on_click=numbers.take, args=(name,))
