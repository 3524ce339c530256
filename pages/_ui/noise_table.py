"""The noisy table: drawn against a budget, explained, downloaded with its statement."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import CompositionError, dp
from pages._ui import errors, noise_runs, runs, state, widgets
from pages._ui.noise_controls import PLACE
from pages._ui.text import count, plain

_SHOWN = 1000


def show() -> None:
    """Ledger on one side, the table on the other."""
    chosen, counted = noise_runs.mechanism(), noise_runs.table()
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=3):
        _ledger(chosen)
        promise = f"ε = {chosen.epsilon:g}" + (f", δ = {chosen.delta:.3g}" if chosen.delta else "")
        if st.button(f"Draw a noisy table ({promise})", key=f"{PLACE}:draw", type="primary",
                     icon=":material/casino:"):  # fmt: skip
            _draw()
        st.caption(
            f"{count(counted.size)} cells. OpenDP draws the noise from the operating system; there is no seed, and a "
            "second draw costs again: the average of two draws says more than one."
        )
    with page.cell(column_span=6):
        found = noise_runs.drawn()
        if found is None:
            st.caption(
                ":material/info: Nothing is drawn yet. What is drawn here may be published; charts above may not."
            )
            return
        _table(found)


def _ledger(chosen: dp.Mechanism) -> None:
    before = noise_runs.ledger()
    key = f"{PLACE}:budget"
    if st.session_state.get(key) != before.budget.epsilon:
        st.session_state[key] = before.budget.epsilon

    def store() -> None:
        state.put("noise_budget", float(st.session_state[key]))

    st.number_input(
        state.CHOICES["noise_budget"].label, max(dp.MIN_EPSILON, before.spent.epsilon), dp.MAX_EPSILON, key=key,
        step=0.1, format="%.3f", on_change=store,
        help="For everything that is ever published of this table. The ledger is of this session: add "
        "what was published before.",
    )  # fmt: skip
    left = before.left.epsilon
    st.progress(min(1.0, before.spent.epsilon / before.budget.epsilon), text=f"ε = {left:g} left")
    if chosen.epsilon > left:
        st.caption(":material/block: This table would overdraw the budget.")
    if before.entries:
        rows = [{"Table": plain(e.what, 60), "ε": e.cost.epsilon, "δ": f"{e.cost.delta:.3g}"} for e in before.entries]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Tables drawn in this session, or published before")
    with st.popover("Add what was published before", icon=":material/add:"):
        _earlier()


def _earlier() -> None:
    with st.form(f"{PLACE}:earlier", border=False):
        what = st.text_input("What was published", max_chars=60, placeholder="Table of 2024")
        epsilon = st.text_input("Its epsilon", max_chars=30)
        delta = st.text_input("Its delta", max_chars=30, placeholder="0")
        if st.form_submit_button("Add to the ledger"):
            try:
                noise_runs.book_earlier(what, epsilon, delta)
            except CompositionError as error:
                errors.refuse(error)
            else:
                st.rerun()


def _draw() -> None:
    with errors.refusing():
        with widgets.working("Drawing noise") as progress:
            noise_runs.draw(progress)
        st.rerun()


def _table(found: dp.NoisyTable) -> None:
    made = found.mechanism
    st.markdown(
        f"**{count(found.counts.size)} noisy counts**, {made.words} noise, ε = {made.epsilon:g}"
        + (f", δ = {made.delta:.3g}" if made.delta else "")
        + "."
    )
    if found.negative:
        st.caption(
            f"{count(found.negative)} counts are below 0 and stay so: noise goes both ways. Cutting them to 0 would "
            "cost no privacy, but make every sum too large. An empty cell can look filled and a filled one empty: that "
            "is what hides the single person."
        )
    else:
        st.caption("No count is below 0 this time. An empty cell can still look filled: that hides the single person.")
    frame = found.frame()
    st.dataframe(frame.head(_SHOWN), hide_index=True, height=320, alt="The noisy table")
    if len(frame) > _SHOWN:
        st.caption(f"The first {count(_SHOWN)} cells; the download has all {count(len(frame))}.")
    st.download_button(
        "Download table and statement (ZIP)", data=found.package, file_name="noisy_table.zip",
        mime="application/zip", on_click=noise_runs.downloaded, args=(found,), icon=":material/download:",
        key=f"{PLACE}:download", help="Its digest is noted in this session, for the report on the page Review.",
    )  # fmt: skip
    noted = len(noise_runs.downloads())
    if noted:
        many = "The digest of one download is" if noted == 1 else f"The digests of {count(noted)} downloads are"
        st.caption(f":material/check: {many} noted for the report.")
    with st.expander("The statement", icon=":material/description:"):
        st.code(found.statement(), language=None, wrap_lines=True)
    if found.table.axes and len(runs.encoded()) < found.counts.size:
        st.caption(":material/info: More cells than records: most counts are noise. Choose fewer columns or groups.")
