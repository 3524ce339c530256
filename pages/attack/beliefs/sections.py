"""The sections of the beliefs page about my release: one class, and negation statements."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.beliefs import Beliefs
from core.figures import written as figures
from pages.attack.beliefs import numbers
from pages.attack.beliefs.answer import NO_FACT, points, theta
from pages.attack.beliefs.controls import PLACE
from pages.shared import charts, results, session, widgets
from pages.shared.class_rows import MOST_ROWS, opening, region_rows
from pages.shared.text import count, number, percent, plain, safe
from pages.shared.values import worded

MOST_KINDS = 500
MOST_STRUCK = 3


# ---- one class ---------------------------------------------------------------------------


def one_class() -> None:
    """The classes, the largest change first, and the beliefs about one kind of people in one of them."""
    held, limit = numbers.everybody(), theta()
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=4):
        _table(held, limit)
    with page.cell(column_span=5):
        _opened(held, limit)


def _table(held: Beliefs, limit: float) -> None:
    rows = held.table(limit)
    rows = rows.iloc[np.argsort(-rows["gain"], kind="stable")].reset_index(drop=True)
    key = f"beliefs:classes:{hash((results.release_key(), numbers.background_key()))}"
    shown = rows.head(MOST_ROWS)
    shown = shown.assign(gain=100 * shown["gain"])

    cell = partial(st.column_config.NumberColumn, width=70)
    st.dataframe(
        shown,
        key=key,
        hide_index=True,
        height=420,
        on_select=opening(key, shown["class_number"].tolist(), numbers.open_class),
        selection_mode="single-row",
        alt="Classes, the largest change of a belief first; choose a row to open one",
        column_config={
            "class_number": cell("Class", format="%d"),
            "size": cell("People", format="localized"),
            "gain": cell("Change", format="%.1f", help="Largest change of a belief, in percentage points"),
            "breached": cell("Breached", format="localized", help="People for whom a belief moves by theta or more"),
            "contradicted": cell(
                "Apart", format="localized", help="People of whom the background contradicts the release"
            ),
        },
    )
    st.caption("Largest change first. Choose a row to open the class.")
    widgets.download_csv(rows, "Beliefs by class", "beliefs:classes", "Download the classes as CSV")


def _opened(held: Beliefs, limit: float) -> None:
    opened, chosen = numbers.opened(held)
    part = held.of_class(opened)
    sizes = held.people[part]
    with st.container(border=True):
        note = "" if chosen else " (the largest change; choose a row to open another)"
        st.markdown(f"**Class {opened}: {count(sizes.sum())} people**{note}")
        st.table(region_rows(held.release, opened), border="horizontal", hide_index=True, alt="Region of the class")
        kinds = np.arange(part.start, part.stop)[np.argsort(-held.gain[part], kind="stable")][:MOST_KINDS]
        names = {int(kind): kind_name(held, opened, int(kind)) for kind in kinds}
        kind = int(kinds[0])
        if len(kinds) > 1:
            key = f"beliefs:kind:{hash((results.release_key(), numbers.background_key(), opened))}"
            kind = st.selectbox(
                "About whom",
                list(names),
                format_func=names.__getitem__,
                key=key,
                help="People of whom the background believes the same.",
            )
        struck = _struck(held, opened)
        about(held, opened, kind, struck, limit)


def kind_name(held: Beliefs, number_: int, kind: int) -> str:
    """Describe the people of one kind by the columns that the background depends on."""
    people = "1 person" if held.people[kind] == 1 else f"{count(held.people[kind])} people"
    source, known = numbers.background_key()
    names = {domain.name for domain in held.release.encoded.qids} if source == "joint" else set(known)
    if source not in ("joint", "columns") or not names:
        return f"everybody in it ({people})"
    record = held.release.classes.members(number_)[held.members(number_) == kind][0]
    cells = [
        f"{plain(domain.name, 20)} {plain(domain.labels[codes[record]], 24)}"
        for domain, codes in zip(held.release.encoded.qids, held.release.encoded.codes, strict=True)
        if domain.name in names
    ]
    return f"{', '.join(cells)} ({people})"


def _struck(held: Beliefs, opened: int) -> tuple[int, ...]:
    """Ask for the values that the target is known not to have."""
    labels = held.release.encoded.sensitive.labels
    codes = held.release.histogram.of_class(opened)[0].tolist()
    key = f"beliefs:struck:{hash((results.release_key(), opened))}"
    return tuple(
        st.multiselect(
            "Known not to have (negation statements)",
            codes,
            key=key,
            max_selections=MOST_STRUCK,
            format_func=lambda code: plain(worded(labels[code])),
            placeholder="Nothing is ruled out",
            help="What somebody knows about this one person from elsewhere, such as 'not flu'.",
            wrap=True,
        )
    )


def about(held: Beliefs, opened: int, kind: int, struck: tuple[int, ...], limit: float) -> None:
    """Beliefs about one kind of people: a sentence, the chart, the numbers."""
    change = numbers.present_person(opened, kind, struck)
    names = [worded(label) for label in held.release.encoded.sensitive.labels]
    st.markdown(change_in_words(change, names, limit, bool(struck)))
    st.caption(ONE_VALUE if held.release.histogram.distinct[opened] == 1 and not struck else NO_FACT)
    used = np.flatnonzero((change.before > 0) | (change.after > 0))
    if not len(used):
        return
    known = None if change.known is None else change.known[used].tolist()
    chart = figures.prior_and_posterior(
        [names[i] for i in used], change.before[used].tolist(), change.after[used].tolist(), known, limit
    )
    charts.show(chart, alt=in_words(change, names))
    if change.why:
        st.caption(f"Not worked out with all members known (ours): {safe(change.why, 400)}")
    else:
        st.caption(KNOWN)
    if len(used) > figures.beliefs.MOST_VALUES:
        st.caption(f"The {figures.beliefs.MOST_VALUES} values that moved most are drawn, of {count(len(used))}.")
    widgets.numbers_below(belief_frame(change, names, used), "Beliefs before and after", "beliefs:person")


ONE_VALUE = (
    ":material/warning: Every record of this class has the same value. Whoever is known to be in the class is known to "
    "have it, whatever the background."
)
KNOWN = (
    "Triangles (ours): the belief of somebody who also knows the quasi-identifiers of everybody else in the class. All "
    "ways to deal out its values to them are counted. This belief can move the other way."
)


def change_in_words(person: numbers.BelievedPerson, names: list[str], limit: float, ruled_out: bool = False) -> str:
    """The largest change in a sentence."""
    if not person.after.any():
        return (
            "The background leaves no value of this class possible, so there is no belief afterwards. The background "
            "or the release is wrong about this person."
        )
    gap = person.after - person.before
    # Of equal changes the belief that ends up strongest is told.
    most = int(np.argmax(np.where(np.abs(gap) >= np.abs(gap).max() - 1e-9, person.after, -1.0)))
    verb = "rises" if gap[most] > 0 else "falls"
    breach = "a breach" if person.gain >= limit - 1e-9 else "no breach"
    also = " The values ruled out are 0 before and after." if ruled_out else ""
    if person.gain < 5e-4:
        return f"The release hardly moves any belief about this person: {breach} at theta = {percent(limit)}.{also}"
    return (
        f"The belief in **{safe(names[most], 60)}** {verb} from {percent(float(person.before[most]))} to "
        f"**{percent(float(person.after[most]))}**, by {points(person.gain)}: {breach} at theta = "
        f"{percent(limit)}.{also}"
    )


def in_words(person: numbers.BelievedPerson, names: list[str]) -> str:
    """Text alternative of the chart."""
    order = np.argsort(-np.abs(person.after - person.before), kind="stable")[:5]
    changes = [
        f"{plain(names[i], 40)} {percent(float(person.before[i]))} before, {percent(float(person.after[i]))} after"
        + ("" if person.known is None else f", {percent(float(person.known[i]))} with all members known")
        for i in order
    ]
    return f"Beliefs about one person: {'; '.join(changes)}."


def belief_frame(person: numbers.BelievedPerson, names: list[str], used: np.ndarray) -> pd.DataFrame:
    """Every belief as a table, in percent."""
    frame = pd.DataFrame(
        {
            "value": [plain(names[i]) for i in used],
            "before (%)": np.round(100 * person.before[used], 2),
            "after (%)": np.round(100 * person.after[used], 2),
        }
    )
    if person.known is not None:
        frame["all members known (%)"] = np.round(100 * person.known[used], 2)
    return frame


# ---- negation statements -------------------------------------------------------------------


def negation() -> None:
    """Diversity under 0 to 3 negation statements, of my release and of counts typed in."""
    st.markdown(
        "Somebody knows what a person does *not* have, and strikes it from the class. The statements that hurt most "
        "are worked out exactly, class by class: the commonest value stays, the next ones go."
    )
    with st.grid(2, min_column_width=280, gap=("xsmall", "large")) as grid:
        with grid.cell():
            widgets.slider("belief_l", PLACE)
        with grid.cell():
            widgets.slider("belief_c", PLACE)
    c, l = float(session.get("belief_c")), int(session.get("belief_l"))  # noqa: E741
    frame = numbers.of_release()
    st.markdown(negation_in_words(frame, c, l))
    page = st.grid(2, min_column_width=380, gap="large")
    with page.cell():
        charts.show(
            figures.diversity_left(frame), key="beliefs:negation", alt=negation_in_words(frame, c, l).replace("**", "")
        )
    with page.cell():
        st.dataframe(shown(frame, l), hide_index=True, alt="Diversity after 0 to 3 negation statements, at worst")
        st.caption(
            "*Known*: statements. *Values*: fewest left in a class. *Left*: people who may have one value left. "
            f"*Fail*: people in classes that may fail (c, l). *(c, {l}) for*: the c for which every class holds. "
            "*Largest*: largest share of a class that one value may reach. All at worst, as if the statements that "
            "hurt most were known of everybody, and true."
        )
        widgets.download_csv(frame, "Diversity under negation statements", "beliefs:negation")
    st.caption(
        "Recursive (c, l): the commonest value must be rarer than c times the l-th and later ones together. After b "
        "statements a class keeps (c, l) exactly if it had (c, l + b): one statement turns (c, l) into (c, l - 1) at "
        "worst. Missing values are not counted."
    )
    _own_counts(c, l)


def negation_in_words(frame: pd.DataFrame, c: float, l: int) -> str:  # noqa: E741
    """What the statements do, in a sentence."""
    failing, pinned = ([percent(float(share)) for share in frame[name]] for name in ("failing", "pinned"))
    return (
        f"Classes that fail ({c:g}, {l}) hold {failing[0]} of the people when nothing is known of them; at worst "
        f"{failing[1]} after one statement, {failing[2]} after two and **{failing[3]}** after three. One value may be "
        f"left for {pinned[0]}, {pinned[1]}, {pinned[2]} and **{pinned[3]}**."
    )


def shown(frame: pd.DataFrame, l: int) -> pd.DataFrame:  # noqa: E741
    """The table in words."""
    smallest = ["none" if math.isinf(c) else f"any c > {number(c)}" for c in frame["smallest_c"]]
    return pd.DataFrame(
        {
            "Known": frame["statements"],
            "Values": frame["distinct"],
            "Left (%)": np.round(100 * frame["pinned"], 2),
            "Fail (%)": np.round(100 * frame["failing"], 2),
            f"(c, {l}) for": smallest,
            "Largest (%)": np.round(100 * frame["commonest"], 1),
        }
    )


def _own_counts(c: float, l: int) -> None:  # noqa: E741
    with st.expander("Try the counts of one class", icon=":material/edit:"):
        typed = st.text_input(
            "Records of each value",
            "7, 6, 5, 3, 1, 1",
            key="beliefs:counts",
            max_chars=200,
            help="Whole numbers with commas. The slides have 7, 6, 5, 3, 1, 1 and 100, 6, 5, 3.",
        )
        counts = read_counts(typed)
        if counts is None:
            st.error("Type 1 to 30 whole numbers from 1 to 100 000 with commas between them.", icon=":material/block:")
            return
        frame = numbers.of_counts(counts, c, l)
        table = shown(frame, l)
        table["Largest l at this c"] = ["none" if best == 0 else str(best) for best in frame["least_l"]]
        st.dataframe(table, hide_index=True, alt="Diversity of the typed class after 0 to 3 statements")
        best = [int(least) for least in frame["least_l"]]
        st.markdown(
            f"These counts {holds(c, best[0])}; after one statement {holds(c, best[1], 'they')} at worst, after two "
            f"{holds(c, best[2], 'they')}."
        )


def holds(c: float, best: int, who: str = "") -> str:
    """Say which (c, l) holds."""
    words = f"satisfy ({c:g}, {best})" if best else f"satisfy ({c:g}, l) for no l from 2"
    return f"{who} {words}".strip()


def read_counts(typed: str) -> list[int] | None:
    """Read counts typed with commas; ``None`` where they cannot be counts."""
    parts = [part.strip() for part in typed.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= 30 or not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        return None
    counts = [int(part) for part in parts]
    return counts if all(1 <= value <= 100_000 for value in counts) else None
