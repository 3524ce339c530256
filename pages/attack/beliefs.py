"""Beliefs: what an adversary believes about one person before my release, and after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core import figures
from core.beliefs import Background, Beliefs, beliefs
from pages.shared.compute import cache, data_results, release_results
from pages.shared.state import session
from pages.shared.ui import charts, errors, widgets
from pages.shared.ui.class_rows import MOST_ROWS, class_of_row, region_rows
from pages.shared.ui.text import count, headcount, number, percent, plain, safe
from pages.shared.ui.value_words import sensitive_name, worded

PLACE = "beliefs"
THETAS = np.arange(1, 101) / 100
SOURCES = {
    "marginals": "How common each value is",
    "columns": "How values depend on columns",
    "uniform": "Nothing: all equally likely",
    "joint": "The whole table",
}
MOST_GROUPS, MOST_STRUCK = 500, 3
NO_FACT = (
    ":material/info: A belief is a conclusion from what is assumed here, not a fact about anyone. It is certain only "
    "where a class holds one value. The bar on top counts people with few values left once others publish; here a "
    "belief need only change."
)
ASSUMES = (
    "The adversary is assumed to know each person's class but not who else is in it, and to start from the belief "
    "chosen here [Allard 2023, Eq. 1 to 3]. What a real adversary believes is unknown, so try several."
)


def show() -> None:
    """Changes of belief from my release alone, against the threshold of a breach; and one class."""
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail:
        source = widgets.pick("belief_source", PLACE, list(SOURCES), SOURCES.__getitem__)
        if source == "columns":
            _choose_columns()
        widgets.slider("belief_theta", PLACE)
        st.caption(ASSUMES)
    with stage, errors.refusing():
        held, limit = everybody(), float(session.get("belief_theta"))
        _answer(held, limit)
        _curve(held, limit)
        st.caption(NO_FACT)
        if held.apart:
            st.caption(
                f":material/warning: For {count(held.apart)} people the background rules out every value that their "
                "class has. There it contradicts the release. These people are counted separately, as not breached."
            )
        _classes(held, limit)


# ---- what is asked of core -----------------------------------------------------------------


def _choose_columns() -> None:
    """Ask for the columns of the background; new data reset the list."""
    key = f"{PLACE}:columns:{hash(data_results.data_key())}"
    st.session_state[key] = list(known_columns())
    st.multiselect(
        "Columns that the adversary's background depends on",
        [domain.name for domain in data_results.encoded().qids],
        key=key,
        format_func=plain,
        placeholder="None: the same as how common each value is",
        on_change=lambda: session.put("belief_columns", tuple(st.session_state[key])),
        wrap=True,
    )


def known_columns() -> tuple[str, ...]:
    """Columns that the adversary's background depends on, of those that the table has."""
    source, chosen = session.get("belief_source"), set(session.get("belief_columns"))
    names = tuple(domain.name for domain in data_results.encoded().qids)
    if source == "joint":
        return names
    return tuple(name for name in names if name in chosen) if source == "columns" else ()


def _background_key() -> tuple[Any, ...]:
    return session.get("belief_source"), known_columns()


def everybody() -> Beliefs:
    """Beliefs about everyone in my release, with the chosen background."""
    release, encoded, (source, columns) = (
        release_results.my_release().release,
        data_results.encoded(),
        _background_key(),
    )

    def make() -> Beliefs:
        if source == "uniform":
            return beliefs(release, Background.constant(encoded))
        return beliefs(release, Background.of_table(encoded, None if source == "joint" else columns))

    return cache.cached(("beliefs", *release_results.release_key(), *_background_key()), make)


@dataclass(frozen=True, eq=False)
class BelievedPerson:
    """Beliefs about one group of people: (values,) before and after; ``after`` is 0 if they contradict each other."""

    before: NDArray[np.float64]
    after: NDArray[np.float64]

    @property
    def gain(self) -> float:
        """Largest change; 0 if background and release contradict each other."""
        return float(np.abs(self.before - self.after).max()) if self.after.any() else 0.0


def person(held: Beliefs, number: int, group: int, struck: tuple[int, ...] = ()) -> BelievedPerson:
    """Beliefs about one group of people of a class, with values ruled out by negation statements about the target."""
    place = group - int(held.starts[number])
    # A statement is about the target only; conditioning alpha and beta has the same effect as setting f to 0.
    return BelievedPerson(*(_left(rows[place], struck) for rows in held.rows(number)))


def _left(belief: NDArray[np.float64], struck: tuple[int, ...]) -> NDArray[np.float64]:
    """A belief conditioned on not having some values."""
    left = belief.copy()
    left[list(struck)] = 0.0
    shares: NDArray[np.float64] = left / (left.sum() or 1.0)
    return shares


# ---- everybody -----------------------------------------------------------------------------


def points(share: float) -> str:
    """A change of a probability, in percentage points."""
    return f"{number(100 * share, 1)} points"


def _answer(held: Beliefs, limit: float) -> None:
    """The largest change over all people, the share breached, and where."""
    share, breached = held.share(limit), held.table(limit)["breached"] > 0
    if held.satisfied(limit):
        st.markdown(
            f"With this background no belief about {sensitive_name()} changes by {points(limit)} or more: the "
            "release satisfies Bayes-optimal privacy **for this adversary**, and for no other."
        )
    else:
        st.markdown(
            f"For an adversary with this background, the release changes a belief about {sensitive_name()} by "
            f"{points(limit)} or more for **{percent(share.value)}** of the people in it, up or down."
        )
    largest = points(float(held.gain[held.largest]))
    shown = (
        ("Largest change of a belief", largest, f"in class {int(held.owner[held.largest])}"),
        ("People breached", percent(share.value), f"{headcount(share.value * share.n)} of {count(share.n)} people"),
        ("Classes with a breach", percent(float(breached.mean())), f"of {count(len(breached))} classes"),
    )
    for place, (label, value, note) in zip(st.columns(3, gap="small"), shown, strict=True):
        with place, st.container(gap=None):
            st.metric(label, value)
            st.caption(note)


def _curve(held: Beliefs, limit: float) -> None:
    """Share of the people breached against theta."""
    st.markdown("**People breached**, against theta")
    charts.show(
        figures.breach_by_theta(THETAS.tolist(), held.curve(THETAS).tolist(), limit),
        key="beliefs:curve",
        alt=f"Share of people whose beliefs change by at least theta: {percent(float(held.share(limit).value))} at "
        f"{percent(limit)}, {percent(float(held.share(0.5).value))} at 50%.",
        height=charts.MAIN,
    )


# ---- one class -----------------------------------------------------------------------------


def _classes(held: Beliefs, limit: float) -> None:
    """The classes, the largest change first, and the beliefs about one group of people in one of them."""
    left, right = st.columns([4, 5], gap="small")
    with left:
        number = _table(held, limit)
    with right, st.container(border=True):
        _one_class(held, int(held.owner[held.largest]) if number is None else number, limit)


def _table(held: Beliefs, limit: float) -> int | None:
    """The classes, the largest change first; return the one whose row is chosen."""
    rows = held.table(limit).sort_values("gain", ascending=False, kind="stable").head(MOST_ROWS)
    key = f"beliefs:classes:{hash((release_results.release_key(), _background_key()))}"
    cell = partial(st.column_config.NumberColumn, width=70)
    event = st.dataframe(
        rows.assign(gain=100 * rows["gain"]),
        key=key,
        hide_index=True,
        height=420,
        on_select="rerun",
        selection_mode="single-row",
        alt="Classes, the largest change of a belief first; choose a row to open one",
        column_config={
            "class_number": cell("Class", format="%d"),
            "size": cell("People", format="localized"),
            "gain": cell("Change", format="%.1f", help="Largest change of a belief, in percentage points"),
            "breached": cell("Breached", format="localized", help="People for whom a belief changes by theta or more"),
            "contradicted": cell(
                "Apart", format="localized", help="People for whom the background contradicts the release"
            ),
        },
    )
    st.caption("Largest change first. Choose a row to open the class.")
    return class_of_row(event, rows["class_number"].tolist())


def _one_class(held: Beliefs, opened: int, limit: float) -> None:
    part = held.of_class(opened)
    st.markdown(f"**Class {opened}: {count(held.people[part].sum())} people**")
    st.table(region_rows(held.release, opened), border="horizontal", hide_index=True, alt="Region of the class")
    groups = np.arange(part.start, part.stop)[np.argsort(-held.gain[part], kind="stable")][:MOST_GROUPS].tolist()
    group = groups[0]
    if len(groups) > 1:
        group = st.selectbox(
            "About whom",
            groups,
            format_func=lambda group: group_name(held, opened, group),
            key=f"beliefs:kind:{hash((release_results.release_key(), _background_key(), opened))}",
            help="People about whom the background knowledge says the same.",
        )
    labels = [worded(label) for label in held.release.encoded.sensitive.labels]
    struck = st.multiselect(
        "Known not to have (negation statements)",
        held.release.histogram.of_class(opened)[0].tolist(),
        key=f"beliefs:struck:{hash((release_results.release_key(), opened))}",
        max_selections=MOST_STRUCK,
        format_func=lambda code: plain(labels[code]),
        placeholder="Nothing is ruled out",
        help="What the adversary knows about this person from elsewhere, such as 'not flu'.",
        wrap=True,
    )
    change = person(held, opened, group, tuple(struck))
    st.markdown(change_in_words(change, labels, limit))
    used = np.flatnonzero((change.before > 0) | (change.after > 0))
    if len(used):
        names, before, after = [labels[i] for i in used], change.before[used].tolist(), change.after[used].tolist()
        charts.show(figures.prior_and_posterior(names, before, after, limit), alt=in_words(change, labels))


def group_name(held: Beliefs, opened: int, group: int) -> str:
    """Describe the people of one group by the columns that the background depends on."""
    encoded, known = held.release.encoded, set(known_columns())
    many = "1 person" if held.people[group] == 1 else f"{count(held.people[group])} people"
    record = held.release.classes.members(opened)[held.members(opened) == group][0]
    cells = [
        f"{plain(domain.name, 20)} {plain(domain.labels[codes[record]], 24)}"
        for domain, codes in zip(encoded.qids, encoded.codes, strict=True)
        if domain.name in known
    ]
    return f"{', '.join(cells)} ({many})"


def change_in_words(person: BelievedPerson, names: list[str], limit: float) -> str:
    """The largest change in a sentence."""
    if not person.after.any():
        return (
            "The background leaves no value of this class possible, so there is no belief afterwards. The background "
            "or the release is wrong about this person."
        )
    gap = person.after - person.before
    # Among equal changes the text names the belief that ends up strongest.
    most = int(np.argmax(np.where(np.abs(gap) >= np.abs(gap).max() - 1e-9, person.after, -1.0)))
    verb = "rises" if gap[most] > 0 else "falls"
    breach = "a breach" if person.gain >= limit - 1e-9 else "no breach"
    if person.gain < 5e-4:
        return f"The release hardly changes any belief about this person: {breach} at theta = {percent(limit)}."
    return (
        f"The belief in **{safe(names[most], 60)}** {verb} from {percent(float(person.before[most]))} to "
        f"**{percent(float(person.after[most]))}**, by {points(person.gain)}: {breach} at theta = {percent(limit)}."
    )


def in_words(person: BelievedPerson, names: list[str]) -> str:
    """Text alternative of the chart."""
    order = np.argsort(-np.abs(person.after - person.before), kind="stable")[:5]
    changes = [
        f"{plain(names[i], 40)} {percent(float(person.before[i]))} before, {percent(float(person.after[i]))} after"
        for i in order
    ]
    return f"Beliefs about one person: {'; '.join(changes)}."
