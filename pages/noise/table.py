"""The noisy table: drawn against a budget, explained, downloaded with its statement."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import CompositionError, dp
from core.base.words import power
from pages.noise import numbers
from pages.noise.controls import PLACE
from pages.shared import errors, leftovers, noise_downloads, session, widgets
from pages.shared.text import count, plain, safe

_SHOWN = 1000


def show() -> None:
    """Origin and ledger on one side, the table on the other."""
    counted = numbers.table()
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=3):
        origin()
        cost = numbers.promise()
        ledger(cost)
        words = f"ε = {cost.epsilon:g}" + (f", δ = {power(cost.delta)}" if cost.delta else "")
        if draw_button(f"Draw a noisy table ({words})", f"{PLACE}:draw"):
            _draw()
        _grid(counted)
    with page.cell(column_span=6):
        table = numbers.drawn()
        if table is None:
            st.caption(
                ":material/info: Nothing is drawn yet. What is drawn here may be published. The charts above may not."
            )
            return
        _table(table)


def draw_button(label: str, key: str) -> bool:
    """The button that draws what may be published, and below it what has to come first."""
    missing = numbers.undeclared()
    pressed = st.button(label, key=key, type="primary", disabled=bool(missing), icon=":material/casino:")
    if missing:
        names = ", ".join(safe(name, 30) for name in missing)
        st.caption(
            f":material/block: First declare the domain of {names}, at the top of this page. Cells taken from the "
            "table would show who is in it, whatever is drawn."
        )
    elif not numbers.origin():
        st.caption(":material/block: First name the origin of the data.")
    return pressed


def _grid(counted: dp.ContingencyTable) -> None:
    least = numbers.threshold()
    if least is None:
        st.caption(
            f"{count(counted.size)} cells. OpenDP draws the noise with randomness of the operating system, so there "
            f"is no seed. A second draw costs again: the average of two draws says more than one."
        )
    else:
        st.caption(
            f"The table holds cells with a noisy count of at least {count(least.least)}. OpenDP draws the noise with "
            f"randomness of the operating system, so there is no seed. A second draw costs again."
        )


def origin() -> None:
    """Whose data these are: the budget goes by that."""
    choice = session.CHOICES["noise_origin"]
    key = widgets.key_showing(f"{PLACE}:origin", numbers.origin())

    def store() -> None:
        if not widgets.only_says_what_it_showed(key):
            numbers.name_origin(st.session_state[key])

    st.text_input(choice.label, key=key, max_chars=60, placeholder="Admissions 2025", on_change=store, help=choice.help)
    alike = numbers.alike()
    if alike:
        st.warning(
            f"At least half of these records are in what was drawn under the origin {safe(alike, 40)}. If they are the "
            "same people, choose that origin: they have one budget.",
            icon=":material/warning:",
        )
        st.button("They are other people", key=f"{PLACE}:apart", on_click=numbers.told_apart, args=(alike,))
    others = [name for name in numbers.origins() if name != numbers.origin()]
    if others:
        st.caption(f"Other origins of this session: {', '.join(safe(name, 40) for name in others)}.")


def ledger(cost: dp.Cost) -> None:
    """What was spent on this origin, what is left, and whether a table of this cost fits."""
    before = numbers.ledger()
    key = f"{PLACE}:budget"
    if st.session_state.get(key) != before.epsilon:
        st.session_state[key] = before.epsilon

    def store() -> None:
        session.put("noise_budget", float(st.session_state[key]))

    st.number_input(
        session.CHOICES["noise_budget"].label,
        dp.MIN_EPSILON,
        dp.MAX_EPSILON,
        key=key,
        step=0.1,
        format="%.3f",
        on_change=store,
        help=(
            "For everything that is ever published about these people, whatever file they come in. The ledger knows "
            "this session only, so add what was published before."
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
    _delta(before, cost)
    if before.entries:
        rows = [{"Table": plain(e.what, 60), "ε": e.cost.epsilon, "δ": f"{e.cost.delta:.3g}"} for e in before.entries]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Tables drawn in this session, or published before")
    with st.popover("Add what was published before", icon=":material/add:"):
        _earlier()


def _delta(before: dp.Ledger, cost: dp.Cost) -> None:
    """The total of delta against 1 over the records and over their square."""
    total = dp.basic([before.spent, cost]).delta
    words = f"With this table δ adds up to {total:.3g}" if cost.delta else f"δ adds up to {total:.3g}"
    degree = before.degree(cost)
    if degree == 2:
        st.error(
            f"{words}, at least 1 in {count(before.records)}, the number of records. Publishing the whole record of "
            f"one person, drawn at random, would keep such a promise.",
            icon=":material/warning:",
        )
    elif degree == 1:
        st.warning(
            f"{words}, at least 1 over the square of the {count(before.records)} records: the bound of Theorem 16 then "
            "excludes nothing.",
            icon=":material/warning:",
        )


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
        with widgets.working("Drawing noise") as progress:
            numbers.draw(progress)
        st.rerun()


def downloaded(name: str) -> None:
    """Remember which table was downloaded: its digest enters the report."""
    numbers.downloaded(leftovers.left(name))


def _table(noisy: dp.NoisyTable) -> None:
    made, cost = noisy.mechanism, noisy.cost
    st.markdown(
        f"**{count(noisy.published_cells)} noisy counts**, {made.words} noise, ε = {cost.epsilon:g}"
        + (f", δ = {power(cost.delta)}" if cost.delta else "")
        + "."
    )
    if noisy.threshold is not None:
        st.caption(
            f"Cells with a noisy count under {count(noisy.threshold.least)} are left out. That hides who is alone in "
            f"one. Sums over these cells are too small."
        )
    elif noisy.negative:
        st.caption(
            f"{count(noisy.negative)} counts are below 0 and stay so: noise goes both ways. Cutting them to 0 would "
            f"cost no privacy, but would make every sum too large. An empty cell can look filled and a filled one "
            f"empty. That hides the single person."
        )
    else:
        st.caption("No count is below 0 this time. An empty cell can still look filled. That hides the single person.")
    frame = noisy.frame()
    st.dataframe(frame.head(_SHOWN), hide_index=True, height=320, alt="The noisy table")
    if len(frame) > _SHOWN:
        st.caption(f"The first {count(_SHOWN)} cells; the download has all {count(len(frame))}.")
    st.download_button(
        "Download table and statement (ZIP)",
        data=noisy.package,
        file_name="noisy_table.zip",
        mime="application/zip",
        on_click=downloaded,
        args=leftovers.leave("noise:download", noisy),
        icon=":material/download:",
        key=f"{PLACE}:download",
        help="Its digest is noted in this session, for the report on the page Decide.",
    )
    noted = len(noise_downloads.downloads())
    if noted:
        many = "The digest of one download is" if noted == 1 else f"The digests of {count(noted)} downloads are"
        st.caption(f":material/check: {many} noted for the report.")
    with st.expander("The statement", icon=":material/description:"):
        st.code(noisy.statement(), language=None, wrap_lines=True)
    if noisy.threshold is None and noisy.table.axes and numbers.records() < noisy.counts.size:
        st.caption(
            ":material/info: More cells than records: most counts are noise. Choose fewer columns or wider bins."
        )
