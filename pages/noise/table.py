"""A noisy table: drawn, explained, downloaded with its statement."""

from __future__ import annotations

import streamlit as st

from core import dp
from core.base.wording import power
from pages.noise import numbers
from pages.noise.controls import PLACE
from pages.shared.state import noise_downloads, widget_data
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, safe

_SHOWN = 1000


def show() -> None:
    """The draw and its cost on one side, the table on the other."""
    noisy = numbers.promise()
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=3):
        words = f"ε = {noisy.epsilon:g}" + (f", δ = {power(noisy.delta)}" if noisy.delta else "")
        missing = numbers.undeclared()
        if st.button(
            f"Draw a noisy table ({words})",
            key=f"{PLACE}:draw",
            type="primary",
            disabled=bool(missing),
            icon=":material/casino:",
        ):
            _draw()
        if missing:
            names = ", ".join(safe(name, 30) for name in missing)
            st.caption(
                f":material/block: First declare the domain of {names}, at the top of this page. Cells taken from the "
                "table would show who is in it, whatever is drawn."
            )
        _about()
    with page.cell(column_span=6):
        table = numbers.drawn()
        if table is None:
            st.caption(
                ":material/info: Nothing is drawn yet. What is drawn here may be published. The charts above may not."
            )
            return
        _table(table)


def _about() -> None:
    counted, least = numbers.table(), numbers.threshold()
    cells = (
        f"{count(counted.size)} cells."
        if least is None
        else (f"The table holds cells with a noisy count of at least {count(least.least)}.")
    )
    st.caption(
        f"{cells} OpenDP draws the noise with randomness of the operating system, so there is no seed. Each table that "
        "you publish costs its ε again and adds up with everything published about the same people: enter it in the "
        "register."
    )
    st.page_link("pages/register/page.py", label="Publication register", icon=":material/inventory_2:")


def _draw() -> None:
    with errors.refusing():
        with widgets.working("Drawing a table") as progress:
            numbers.draw(progress)
        st.rerun()


def _downloaded(name: str) -> None:
    """Remember which table was downloaded: its digest enters the report."""
    numbers.downloaded(widget_data.left(name))


def _table(drawn: dp.NoisyTable) -> None:
    frame, cost = drawn.frame(), drawn.cost
    small = f", δ = {power(cost.delta)}" if cost.delta else ""
    st.markdown(f"**{count(len(frame))} noisy counts**, ε = {cost.epsilon:g}{small}.")
    st.caption(
        "Noise goes both ways: a count can be below 0, an empty cell can look filled and a filled one empty. That "
        "hides the single person."
    )
    st.dataframe(frame.head(_SHOWN), hide_index=True, height=320, alt="The table that was drawn")
    if len(frame) > _SHOWN:
        st.caption(f"The first {count(_SHOWN)} cells; the download has all {count(len(frame))}.")
    widgets.download(
        "Download table and statement (ZIP)",
        drawn.package,
        "noisy_table.zip",
        f"{PLACE}:download",
        on_click=_downloaded,
        args=widget_data.leave("noise:download", drawn),
        help="Its digest and cost are kept in this session, for the register and for the report on the page Decide.",
    )
    noted = len(noise_downloads.downloads())
    if noted:
        many = "The digest of one download is" if noted == 1 else f"The digests of {count(noted)} downloads are"
        st.caption(f":material/check: {many} noted for the register and the report.")
    with st.expander("The statement", icon=":material/description:"):
        st.code(drawn.statement(), language=None, wrap_lines=True)
