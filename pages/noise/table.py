"""A noisy table: drawn against a budget, explained, downloaded with its statement."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import CompositionError, dp
from core.base.wording import power
from pages.noise import numbers
from pages.noise.controls import PLACE
from pages.shared.state import noise_downloads, session, widget_data
from pages.shared.state.choices import CHOICES
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, plain, safe

_SHOWN = 1000


def show() -> None:
    """Origin and ledger on one side, the table on the other."""
    noisy = numbers.promise()
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=3):
        origin()
        ledger(noisy)
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
        elif not numbers.origin():
            st.caption(":material/block: First name the origin of the data.")
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
        f"{cells} OpenDP draws the noise with randomness of the operating system, so there is no seed. A second draw "
        "costs again: the average of two draws reveals more than one."
    )


def origin() -> None:
    """Origin of the data, to which the budget belongs."""
    choice = CHOICES["noise_origin"]
    widgets.showing(
        st.text_input,
        choice.label,
        f"{PLACE}:origin",
        numbers.origin(),
        numbers.name_origin,
        max_chars=60,
        placeholder="Admissions 2025",
        help=choice.help,
    )
    overlapping = numbers.overlapping_origin()
    if overlapping:
        st.warning(
            f"At least half of these records are in what was drawn under the origin {safe(overlapping, 40)}. If they "
            "are the same people, choose that origin: they have one budget.",
            icon=":material/warning:",
        )
        st.button(
            "They are other people", key=f"{PLACE}:apart", on_click=numbers.declare_other_people, args=(overlapping,)
        )
    others = [name for name in numbers.origins() if name != numbers.origin()]
    if others:
        st.caption(f"Other origins of this session: {', '.join(safe(name, 40) for name in others)}.")


def ledger(cost: dp.Cost) -> None:
    """Budget of this origin: spent, left, and whether a table of this cost fits."""
    before = numbers.ledger()
    widgets.showing(
        st.number_input,
        CHOICES["noise_budget"].label,
        f"{PLACE}:budget",
        before.epsilon,
        _take_budget,
        min_value=dp.MIN_EPSILON,
        max_value=dp.MAX_EPSILON,
        step=0.1,
        format="%.3f",
        help=(
            "For everything that is ever published about these people, in whatever file. The ledger knows only this "
            "session, so add what was published before."
        ),
    )
    spent = before.spent
    with st.container(key="budget"):
        st.progress(min(1.0, spent.epsilon / before.epsilon), text=f"ε = {before.left:g} left")
    st.caption(
        f"Spent on this origin: ε = {spent.epsilon:g}, δ = {power(spent.delta)}, of "
        f"{count(len(before.entries))} {'table' if len(before.entries) == 1 else 'tables'}."
    )
    if cost.epsilon > before.left:
        st.caption(":material/block: This table would overdraw the budget.")
    if before.entries:
        rows = [{"Table": plain(e.what, 60), "ε": e.cost.epsilon, "δ": f"{e.cost.delta:.3g}"} for e in before.entries]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Tables drawn in this session, or published before")
    with st.popover("Add an earlier publication", icon=":material/add:"):
        _earlier()


def _take_budget(epsilon: float) -> None:
    session.put("noise_budget", epsilon)


def _earlier() -> None:
    with st.form(f"{PLACE}:earlier", border=False):
        what = st.text_input("What was published", max_chars=60, placeholder="Table of 2024")
        epsilon = st.text_input("Its epsilon", max_chars=30)
        delta = st.text_input("Its delta", max_chars=30, placeholder="0")
        if st.form_submit_button("Add to the ledger"):
            try:
                numbers.book_earlier(what, epsilon, delta)
            except CompositionError as error:
                errors.refuse(error)
            else:
                st.rerun()


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
        help="Its digest is kept in this session for the report on the page Decide.",
    )
    noted = len(noise_downloads.downloads())
    if noted:
        many = "The digest of one download is" if noted == 1 else f"The digests of {count(noted)} downloads are"
        st.caption(f":material/check: {many} noted for the report.")
    with st.expander("The statement", icon=":material/description:"):
        st.code(drawn.statement(), language=None, wrap_lines=True)
