"""The frontier: every setting that was tried, loss against exposure; one of them becomes my release."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError, figures
from core.base.errors import LimitError
from core.base.metrics import METRICS
from core.base.wording import left, with_limit
from core.figures.loss_exposure_chart import SETTINGS
from core.release.utility import gcp
from core.study.vary import at_value
from pages.hold import view, ways
from pages.shared.compute import attack_results, release_results, settings_tried
from pages.shared.state import session
from pages.shared.ui import charts, widgets
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import count

CHART, CHOICE, CHOSEN = "hold:frontier", "hold:setting", "hold:chosen"
WAYS = (ways.AGREED, ways.ALONE)
"""Algorithms without a k to vary here: one dot each."""


# ---- what is tried ---------------------------------------------------------------------------


def known() -> pd.DataFrame:
    """All settings that are computed so far, line after line; the present one is among them with its own draws."""
    scenario, k = session.scenario(), session.mine().policy.k
    mine = settings_tried.line_words(session.mine())
    frames = []
    for words, line in settings_tried.lines().items():
        frame = settings_tried.best_known(line)
        if words == mine:
            others = frame[frame["k"] != k] if len(frame) else frame
            frame = pd.concat([others, _present()], ignore_index=True).sort_values("k", ignore_index=True)
        series = "my release" if line.mine.algorithm == scenario.mine.algorithm else "guessing"
        frames.append(frame.assign(words=words, series=series))
    frames += [_of_way(name).assign(words=name, series="other release") for name in WAYS]
    tried = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    return tried.assign(state=tried["state"].fillna(""), place=range(len(tried)))


def _present() -> pd.DataFrame:
    """The present setting, whether or not its k is one of those tried."""
    mine = session.mine()
    row = row_at(attack_results.headline_so_far(), "confidence", session.scenario().confidence)
    exposure = {name: row[name] for name in view.EXPOSURE}
    setting_of, loss = settings_tried.setting_words(mine, mine.policy.k), gcp(release_results.my_release().release)
    return pd.DataFrame([{"setting": setting_of, "k": mine.policy.k, "loss": loss, **exposure, "state": view.NOW}])


def _of_way(name: str) -> pd.DataFrame:
    """The dot of an agreed list, from one draw; none yet."""
    way = ways.way(name)
    if way.scenario is None or not ways.is_known(way):
        return pd.DataFrame()
    known = ways.worked_out(way.scenario)
    return pd.DataFrame(
        [
            {"setting": name, "k": session.mine().policy.k}
            | {column: known[column] for column in ("loss", *view.EXPOSURE)}
        ]
    )


def steps(repeats: int) -> Iterator[str]:
    """Compute the lines with ``repeats`` redraws; yield the words of each when it is done."""
    for words, line in settings_tried.lines().items():
        if settings_tried.is_known(line, repeats):
            continue
        try:
            with widgets.working(f"Trying: {words}", st.sidebar) as progress:
                settings_tried.worked_out(line, repeats, progress)
        except LimitError:
            continue  # a worker was ended by the system: the others go on
        yield words


def agreed_steps() -> Iterator[str]:
    """Compute the missing agreed lists; yield the name of each when it is done."""
    for way in map(ways.way, WAYS):
        if way.scenario is not None and not ways.is_known(way):
            with suppress(CompositionError), widgets.working(f"Trying: {way.name}", st.sidebar) as progress:
                ways.worked_out(way.scenario, progress)
                yield way.name


# ---- limits ----------------------------------------------------------------------------------


def metric() -> str:
    """The number that a limit on exposure is set for: at the confidence of the page."""
    return "one_value_left" if session.scenario().confidence == 1 else "breach"


def limited_number() -> str:
    """The number whose limit is set here: exposure, or true disclosures if only these have a limit."""
    given, name = session.get("requirements"), metric()
    return f"{name}_correct" if f"{name}_correct" in given and name not in given else name


def limits() -> view.ExposureLimits:
    """The limits on exposure and loss, shared with *Decide*."""
    given = session.get("requirements")
    return view.ExposureLimits(*(given.get(name, math.nan) for name in (metric(), "loss", f"{metric()}_correct", "k")))


def controls() -> None:
    """The rail: the hospitals whose k a setting changes, and the two limits that the picture shades."""
    widgets.slider("releases", "hold")
    widgets.toggle("linked", "hold")
    words = left(session.scenario().confidence) if limited_number() == metric() else METRICS[limited_number()].words
    _limit(limited_number(), f"{words[:1].upper()}{words[1:]}: at most, %")
    _limit("loss", "Information loss: at most, %")
    st.caption(
        "Your limits, as on *Decide*. Shaded: beyond a limit. A hollow dot breaks a limit, or its interval reaches "
        "past one."
    )
    given = session.get("requirements")
    kept = [
        with_limit(name, given[name])
        for name in (f"{metric()}_correct", "k")
        if name in given and name != limited_number()
    ]
    other = [METRICS[name].words for name in given if name not in (metric(), "loss", f"{metric()}_correct", "k")]
    also = [f"Kept too: {'; '.join(kept)}."] * bool(kept) + [f"Not looked at here: {'; '.join(other)}."] * bool(other)
    if also:
        st.caption(" ".join(also))


def _limit(name: str, label: str) -> None:
    limits_now: dict[str, float] = session.get("requirements")
    value = round(100 * limits_now[name], 6) if name in limits_now else None

    def take(given: float | None) -> None:
        st.session_state.pop(CHOSEN, None)
        rest = {other: limit for other, limit in session.get("requirements").items() if other != name}
        session.put("requirements", rest if given is None else {**rest, name: given / 100})

    bounds = {"min_value": 0.0, "max_value": 100.0, "step": 1.0, "format": "%.1f", "placeholder": "no limit"}
    widgets.showing(st.number_input, label, f"widget:hold:limit:{name}", value, take, **bounds)


# ---- drawing ---------------------------------------------------------------------------------


def draw() -> None:
    """The answer, the picture, and the selected setting, as far as they are known."""
    frame, bounds = known(), limits()
    chosen = setting(frame)
    words = left(session.scenario().confidence)
    st.markdown(
        f"{view.sentence(frame, bounds)}  \n:small[*Exposed*: {words}, of {count(session.scenario().overlap)} shared "
        f"people, once {session.get('releases')} hospitals publish{_who_takes_it()}.]"
    )
    marked = frame["state"].mask((frame["setting"] == chosen["setting"]) & (frame["state"] == ""), view.CHOSEN)
    shown = view.within_picture(frame.assign(state=marked, kept=bounds.kept(frame)))
    charts.show(
        figures.loss_against_exposure(shown, bounds.shaded, bounds.lost),
        key=CHART,
        alt="Settings that were tried: information loss against the share of shared people exposed. The list below "
        "names the best.",
        height=charts.MAIN,
        pick=SETTINGS,
        on_pick=_take_click,
    )
    options = list(dict.fromkeys([*view.worth_choosing(frame)["setting"], chosen["setting"]]))
    st.session_state[CHOICE] = chosen["setting"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Setting: click a dot, or choose", options, key=CHOICE, on_change=_take_choice)
        if chosen["state"] != view.NOW:
            st.button("Make this my release", key="hold:take", type="primary", on_click=take)
    if session.workspace().schema.unmodified:
        st.caption("Fewer published columns help too: *Data*, *Published columns* says what each of them adds.")
    first = view.best(frame, bounds)
    if first is None or chosen["setting"] != first["setting"]:
        about = "My release now" if chosen["state"] == view.NOW else "This setting"
        st.caption(f"{about}: {view.in_full(chosen)}.")


def _who_takes_it() -> str:
    """Who publishes with the k of a setting: everyone, if all have the same k."""
    if session.get("linked"):
        return ", **all of them with the k of the setting**"
    return f", the others with k = {count(session.get('their_k'))}"


def setting(frame: pd.DataFrame) -> pd.Series[Any]:
    """The selected setting: the one chosen, else the best."""
    chosen = frame[frame["setting"] == st.session_state.get(CHOSEN)]
    if len(chosen):
        return chosen.iloc[0]
    first = view.best(frame, limits())
    return frame[frame["state"] == view.NOW].iloc[0] if first is None else first


def _take_choice() -> None:
    st.session_state[CHOSEN] = st.session_state[CHOICE]


def _take_click() -> None:
    st.session_state[CHOSEN] = charts.picked(CHART)


def take() -> None:
    """Make the selected setting my release."""
    frame = known()
    chosen = setting(frame)
    if chosen["setting"] in WAYS:
        ways.take(chosen["setting"])
        return
    line = settings_tried.lines()[chosen["words"]]
    at = at_value(line.study, settings_tried.varied(), int(chosen["k"]))
    session.adopt(line.with_(hospitals=at.hospitals))


def every() -> None:
    """Show all settings that were tried as a table, and offer it as a file."""
    frame = known()
    keeps = ["yes" if inside else "no" for inside in limits().kept(frame)]
    table = frame[list(view.COLUMNS)].assign(kept=keeps)
    shares = ["loss", "share", "low", "high"]
    table[shares] = (100 * table[shares]).round(2)
    names = {
        "words": "Classes by",
        "setting": "Setting",
        "loss": "Information loss (%)",
        "share": "Exposed (%)",
        "low": "95% interval from (%)",
        "high": "to (%)",
        "kept": "Keeps the limits",
    }
    table = table.rename(columns=names)
    widgets.grid(table, "Every setting that was tried")
    widgets.download_csv(table, "Settings that were tried", "hold:frontier")
