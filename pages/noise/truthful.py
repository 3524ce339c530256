"""The truthful table: records sampled, small cells left out; drawn against the budget, with its statement."""

from __future__ import annotations

import streamlit as st

from core.base.words import power
from core.dp.truthful_release import TruthfulTable
from pages.noise import numbers, table
from pages.noise.controls import PLACE
from pages.shared import errors, leftovers, noise_grid, widgets
from pages.shared.text import count, percent

_SHOWN = 1000


def show() -> None:
    """Origin and ledger on one side, the table on the other."""
    chosen = noise_grid.truthful_sampling()
    cost = chosen.replaced
    st.caption(
        f"Every record is kept with a chance of {percent(chosen.beta)}, and told where at least {count(chosen.k)} kept "
        f"ones are equal in all its columns. No noise is added. ε = {chosen.epsilon:g}, δ = {power(chosen.delta, 2)} "
        f"for one record added or removed; replaced, as the budget counts, ε = {cost.epsilon:g}, "
        f"δ = {power(cost.delta, 2)}."
    )
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=3):
        table.origin()
        table.ledger(cost)
        words = f"ε = {cost.epsilon:g}, δ = {power(cost.delta, 2)}"
        if table.draw_button(f"Draw a truthful table ({words})", f"{PLACE}:truthful:draw"):
            _draw()
    with page.cell(column_span=6):
        truthful_table = numbers.drawn_truthful()
        if truthful_table is None:
            st.caption(":material/info: Nothing is drawn yet. What is drawn here may be published.")
            return
        _table(truthful_table)


def _draw() -> None:
    with errors.refusing():
        with widgets.working("Sampling records") as progress:
            numbers.draw_truthful(progress)
        st.rerun()


def _table(truthful_table: TruthfulTable) -> None:
    frame = truthful_table.frame()
    st.markdown(f"**{count(truthful_table.published)} records** in {count(len(frame))} cells.")
    st.dataframe(frame.head(_SHOWN), hide_index=True, height=320, alt="The truthful table")
    if len(frame) > _SHOWN:
        st.caption(f"The first {count(_SHOWN)} cells; the download has all {count(len(frame))}.")
    st.download_button(
        "Download table and statement (ZIP)",
        data=truthful_table.package,
        file_name="truthful_table.zip",
        mime="application/zip",
        on_click=table.downloaded,
        args=leftovers.leave("noise:truthful download", truthful_table),
        icon=":material/download:",
        key=f"{PLACE}:truthful:download",
        help="Its digest is noted in this session, for the report on the page Decide.",
    )
    with st.expander("The statement", icon=":material/description:"):
        st.code(truthful_table.statement(), language=None, wrap_lines=True)
