"""Contents of the attack page: the answer, its curve, and a closer look."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from core import figures
from core.attack.number import AttackNumber, exposures, shares
from core.base.wording import SAME, SEVERAL_PROTECTED, confidence_text, setting_text
from core.study.vary import OF_STUDY
from pages.attack import attackers, beliefs, effect, forecast, person
from pages.attack import sections as attack_sections
from pages.attack.axes import OF_K, axes, brief, points
from pages.attack.hospitals import section as hospitals
from pages.shared.compute import attack_results, cache
from pages.shared.state import session
from pages.shared.ui import charts, layout, text, value_words, widgets
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import count, draws, percent, share_context

PLACE = "attack"
_NUMBER = "attack:number"
FIXED = ", with sizes fixed at the smallest that a point needs"


def main(vary: str) -> None:
    """The answer and the curve; between them the choice of number and axis."""
    confidence, first = session.scenario().confidence, "Making the first draw of the hospitals"
    with widgets.working(first, st.sidebar) as progress:
        # The number is sent before the curve is computed, which has many settings.
        row = row_at(attack_results.headline_so_far(progress), "confidence", confidence)
    effect.show(row)
    with widgets.working(first, st.sidebar) as progress:
        curve = attack_results.curve(vary, points(vary), known_redraws(vary), progress)
    curve = curve[curve["confidence"] == confidence]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width="stretch"):
            shown = number()
        with st.container(width="stretch"):
            widgets.pick("vary", PLACE, list(axes()), brief().__getitem__, bare=True)
        st.page_link("pages/hold/page.py", label="What helps", icon=":material/handshake:", width="content")
    _curve(curve, vary, shown, row)


def number() -> AttackNumber:
    """Ask which number of the attack the curve shows."""
    every = shares(session.scenario().study.also)
    chosen = st.selectbox(
        "Show", list(every), format_func=lambda column: every[column].title, key=_NUMBER, label_visibility="collapsed"
    )
    return every[chosen]


def known_redraws(vary: str) -> int:
    """Redraws of the curve that can be shown immediately: all of them if they were made before, else one."""
    repeats = session.scenario().repeats
    return repeats if cache.is_cached(attack_results.curve_key(vary, points(vary), repeats)) else 1


def _curve(curve: pd.DataFrame, vary: str, shown: AttackNumber, row: pd.Series) -> None:
    """Draw all releases and the best single one at one confidence; ``row`` is the present setting."""
    confidence, words, log = session.scenario().confidence, axes()[vary], vary in OF_K
    limit, present = limit_of(shown, confidence), session.get(OF_K.get(vary, vary))
    title = finding(curve, row, shown, vary, limit)
    # The chart has only the number that is shown.
    lines = curve.assign(weighted=math.nan)
    # Otherwise the present setting is not on the curve, whose sizes are common to all its points.
    on_curve = vary not in OF_STUDY or session.scenario().study.whole
    present_share = float(row[shown.column]) if on_curve else math.nan
    drawn = figures.breach_curve(
        lines, words, confidence, present, log, shown, present_share=present_share, limit=limit, title=title
    )
    alt = f"{curve_in_words(words, confidence, shown)} {title}."
    charts.show(drawn, key="attack:curve", alt=alt, height=charts.MAIN - 30)


def limit_of(shown: AttackNumber, confidence: float) -> float:
    """The strictest limit set on *Decide* for a number at this confidence; NaN if there is none."""
    same = [name for name, metric in exposures().items() if metric.column == shown.column]
    limits = session.get("requirements")
    applying = [limits[name] for name in same if name in limits and exposures()[name].level(confidence) == confidence]
    return min(applying, default=math.nan)


def finding(curve: pd.DataFrame, row: pd.Series, shown: AttackNumber, vary: str, limit: float) -> str:
    """Describe the curve in one line: the present number, and its limit or the nearest setting that halves it."""
    share, present = float(row[shown.column]), session.get(OF_K.get(vary, vary))
    words = f"{percent(share)} {setting(vary, present)}"
    if not math.isnan(limit):
        low, high = (share if math.isnan(row[end]) else float(row[end]) for end in (shown.low, shown.high))
        side = "above" if low > limit else "below" if high <= limit else "close to"
        return f"{words}, {side} the limit of {percent(limit)}"
    half = curve[curve[shown.column] <= share / 2]
    if share <= 0 or half.empty:
        return words
    nearest = half.loc[(half["value"] - present).abs().idxmin()]
    return f"{words}, {percent(nearest[shown.column])} {setting(vary, nearest['value'])}"


def setting(vary: str, value: float) -> str:
    """A point of the curve in a few words."""
    words = {
        "overlap": f"with {count(value)} shared people",
        "releases": f"with {count(value)} hospitals",
        "same_value_rate": f"with {percent(value)} the same diagnosis",
        "case_mix": f"with a case mix {setting_text('case_mix', value)}",
    }
    return words.get(vary, f"at {'k' if vary in OF_K else vary} = {value:g}")


def all_numbers(vary: str) -> None:
    """Every number of the present setting, and those behind the curve."""
    repeats, confidence = known_redraws(vary), session.scenario().confidence
    headline(attack_results.headline_so_far(), confidence)
    st.caption(
        f"Every point of the curve is the {draws(repeats)}, the same for all points"
        f"{'' if session.scenario().study.whole else FIXED}, so only what the axis shows changes along the curve."
    )
    every = shares(session.scenario().study.also)
    shown = every.get(str(st.session_state.get(_NUMBER)), next(iter(every.values())))
    curve = as_table(attack_results.curve(vary, points(vary), repeats), shown)
    widgets.numbers_below(curve, f"Exposure against {axes()[vary]}", "curve")
    attack_sections.shrinking()


def as_table(curve: pd.DataFrame, shown: AttackNumber) -> pd.DataFrame:
    """Return the curve's table with headers in words and shares in percent."""
    names = {
        shown.column: f"{shown.title} (%)",
        shown.low: "95% interval from (%)",
        shown.high: "to (%)",
        shown.wrong: "False disclosures (%)",
        shown.single: "Best single release (%)",
    }
    shares_of = {column: header for column, header in names.items() if column}
    frame = curve[["value", "confidence", *shares_of, "n", "repeats"]]
    frame = frame.assign(**{column: (100 * frame[column]).round(2) for column in shares_of})
    others = {"value": "Setting", "confidence": "Confidence C", "n": "Shared people", "repeats": "Redraws"}
    return frame.rename(columns=shares_of | others)


def curve_in_words(words: str, confidence: float, shown: AttackNumber) -> str:
    """What the breach curve is about, for its text alternative."""
    return (
        f"{shown.title}: share of shared people, {shown.at_level(confidence)}, against {words}; its numbers are "
        f"under All numbers."
    )


def refine(vary: str) -> bool:
    """Add the intervals: make all missing draws; for a large table, those of the number first."""
    repeats, drawn = session.scenario().repeats, attack_results.all_drawn()
    if drawn and known_redraws(vary) == repeats:
        return False
    with widgets.working("Redrawing the hospitals for the intervals", st.sidebar) as progress:
        if not drawn and not attack_results.is_soon_drawn(len(points(vary))):
            attack_results.headline(progress, repeats)
            return True
        attack_results.curve(vary, points(vary), repeats, progress)
        attack_results.headline(progress, repeats)
    return True


def headline(table: pd.DataFrame, confidence: float) -> None:
    """The answer in full: each number with what it must be compared with."""
    one_value_left = table[table["confidence"] == 1.0].iloc[0]
    chosen = table[table["confidence"] == confidence].iloc[0]
    st.caption(f":material/public: {value_words.world(not math.isnan(one_value_left['low']))}")
    several = bool(session.workspace().schema.parts)
    if several:
        st.caption(SEVERAL_PROTECTED)
    with st.grid(4, min_column_width=150, gap="small", border=True) as grid:
        if confidence < 1:
            with grid.cell():
                _in_full("One value left (perfect breach)", one_value_left)
        with grid.cell():
            _in_full(effect.label(confidence), chosen)
            st.caption(
                f"An adversary who weighs the values is at least {confidence_text(confidence)} sure about "
                f"**{percent(chosen['weighted'])}** of them, and wrong about "
                f"{percent(chosen['weighted_wrong'])} of all; best single release {percent(chosen['weighted_single'])}."
            )
        with grid.cell():
            empty, known = chosen["empty"], 1 - chosen["empty"]
            st.metric("Values left", text.number(chosen["posterior"] / known if known else 0.0, 1))
            before_it = text.number(chosen["posterior"] + chosen["drop"], 1)
            of_whom = f" over those with something left ({percent(known)})" * bool(empty > SAME)
            st.caption(
                f"On average{of_whom}; {before_it} different values in the person's class in the single release that "
                f"leaves the fewest. k = {session.get('my_k')} counts people, not values."
            )
        with grid.cell():
            st.metric("False disclosures", percent(chosen["wrong"]))
            unknown = " This is judged by my table: they may also not be in the uploaded file."
            nothing = f" No value at all is left for {percent(chosen['empty'])} of all; they do not count as exposed."
            if several:
                nothing = (
                    f" No combination is left for {percent(chosen['empty'])} of all; each column counts alone then."
                )
            st.caption(
                f"Of all shared people. Their own value is not among those left, so the attack infers an incorrect "
                f"value for them.{unknown * attack_results.nobody_knows()}{nothing}"
            )


def _in_full(label: str, row: pd.Series) -> None:
    st.markdown(f"**{label}**")
    st.caption(f"{percent(row['share'])} " + "  \n".join(share_context(row)))


CLOSER = "attack:sections"
OTHERS = "Other hospitals"
_ONE_DRAW = {"One person": person.person, "Who is exposed": attack_sections.exposed, "Who attacks?": attackers.show}
"""Sections that tell the story of one draw."""


def sections(vary: str) -> dict[str, Callable[[], None]]:
    """Sections of the closer look by name."""
    return {
        OTHERS: hospitals.show,
        **_ONE_DRAW,
        "Before anyone publishes": forecast.show,
        "Beliefs": beliefs.show,
        "All numbers": partial(all_numbers, vary),
    }


def below(vary: str) -> None:
    """A closer look: empty until it is opened."""
    if attack_results.nobody_knows():
        st.caption(value_words.UNKNOWN)
    layout.closer(CLOSER, sections(vary))


def without_numbers() -> None:
    """Sections shown without an answer: the file of another hospital can still be loaded or removed."""
    layout.closer(CLOSER, {OTHERS: hospitals.show}, opened=True)
