"""The frontier: every setting that was tried, loss against exposure; one of them becomes my release."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import figures
from core.base.arrays import Progress
from core.base.errors import LimitError
from core.base.metrics import METRICS
from core.base.wording import left, with_limit
from core.figures.cost_charts import SETTINGS
from core.release.utility import gcp
from core.study.vary import at_value
from pages.hold import view, ways
from pages.shared.compute import attack_results, release_results, settings_tried, work_queue
from pages.shared.state import session
from pages.shared.ui import charts, widgets
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import count

CHART, CHOICE, CHOSEN = "hold:frontier", "hold:setting", "hold:chosen"
WAYS = (ways.AGREED, ways.ALONE)
"""Ways without a k to vary: one dot each."""


# ---- what is tried ---------------------------------------------------------------------------


def known() -> tuple[pd.DataFrame, int]:
    """All settings as far as they are computed, line after line, and how many have no draw yet.

    The present setting is among them, with its own draws.
    """
    k = session.mine().policy.k
    mine = settings_tried.line_words(session.mine())
    frames, missing = [], 0
    for words, line in settings_tried.lines().items():
        frame = settings_tried.so_far(line)
        missing += 0 if settings_tried.is_known(line, 1) else len(settings_tried.points(line)) - len(frame)
        if words == mine:
            others = frame[frame["k"] != k] if len(frame) else frame
            frame = pd.concat([others, _present()], ignore_index=True).sort_values("k", ignore_index=True)
        frames.append(frame.assign(words=words, series="my release"))
    for name in WAYS:
        way = ways.way(name)
        frames.append(_of_way(way).assign(words=name, series="other release"))
        missing += ways.is_possible(way) and not len(frames[-1])
    tried = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    state = tried["state"].fillna("").mask(tried["setting"] == st.session_state.get(CHOSEN), view.CHOSEN)
    return tried.assign(state=state.mask(tried["state"] == view.NOW, view.NOW), place=range(len(tried))), missing


def _present() -> pd.DataFrame:
    """The present setting, whether or not its k is one of those tried."""
    mine = session.mine()
    row = row_at(attack_results.headline_so_far(), "confidence", session.scenario().confidence)
    exposure = {name: row[name] for name in view.EXPOSURE}
    setting_of, loss = settings_tried.setting_words(mine, mine.policy.k), gcp(release_results.my_release().release)
    part = 1.0 if attack_results.all_drawn() else 1 / session.scenario().repeats
    return pd.DataFrame(
        [{"setting": setting_of, "k": mine.policy.k, "loss": loss, **exposure, "state": view.NOW, "part": part}]
    )


def _of_way(way: ways.Way) -> pd.DataFrame:
    """The dot of an agreement; none before its first draw."""
    repeats = session.scenario().repeats
    drawn = next((times for times in (repeats, 1) if ways.is_known(way, times)), 0)
    if way.scenario is None or not drawn:
        return pd.DataFrame()
    known = ways.worked_out(way.scenario, repeats=drawn)
    numbers = {column: known[column] for column in ("loss", *view.EXPOSURE)}
    return pd.DataFrame(
        [{"setting": way.name, "k": session.mine().policy.k, "state": "", "part": drawn / repeats, **numbers}]
    )


def begin() -> None:
    """Compute the line of the present setting from one draw: the least that the page shows."""
    line = next(iter(settings_tried.lines().values()))
    if not settings_tried.is_known(line, 1):
        with widgets.working("Trying other settings", st.sidebar) as progress:
            settings_tried.worked_out(line, 1, progress)


ENOUGH = 8.0
"""Seconds after which new results are shown before more are computed."""
TOLD_EVERY = 1.0
"""Seconds between two updates of the number of settings tried: one takes a tenth of a second from the workers."""


def fill_in(place: Any) -> bool:
    """Compute missing settings for some seconds; return whether there is something new.

    First all draws of the present setting, then one draw of every other, then what :func:`view.targets` asks for.
    ``place`` shows how many settings were tried.
    """
    began, news = time.monotonic(), False
    with suppress(LimitError):  # a worker was ended by the system: what others computed is kept
        while (step := _next_step()) is not None:
            step(_telling(place))
            news = True
            if time.monotonic() - began > ENOUGH:
                break
    return news


def _next_step() -> Callable[[Progress], object] | None:
    scenario = session.scenario()
    if not attack_results.all_drawn():
        return attack_results.headline
    bare = [line for line in settings_tried.lines().values() if not settings_tried.is_known(line, 1)]
    if bare:
        possible = (way for way in map(ways.way, WAYS) if ways.is_possible(way) and not ways.is_known(way))
        return partial(settings_tried.begin, bare, as_they_are=[way.scenario for way in possible if way.scenario])
    frame, _ = known()
    wanted = view.targets(frame, limits(), scenario.repeats)
    drawn = frame.loc[wanted.index].assign(target=wanted)
    for way in map(ways.way, WAYS):
        if ways.is_possible(way) and not ways.is_known(way):
            return partial(ways.try_out, way, 1)
        if (drawn["setting"] == way.name).any():
            return partial(ways.try_out, way, scenario.repeats)
    if not len(drawn):
        return None
    of_line: dict[str, dict[int, int]] = {}
    for words, k, target in zip(drawn["words"], drawn["k"], drawn["target"], strict=True):
        of_line.setdefault(str(words), {})[k] = target
    return partial(settings_tried.draw_on, of_line)


def _telling(place: Any) -> Progress:
    """Update a place from time to time with the number of settings tried."""
    due = time.monotonic() + TOLD_EVERY

    def tell(_share: float) -> None:
        nonlocal due
        work_queue.breathe()
        if time.monotonic() > due:
            due = time.monotonic() + TOLD_EVERY
            show_progress(place, *known())

    return tell


def show_progress(place: Any, frame: pd.DataFrame, missing: int) -> None:
    """Say how many settings were tried so far, next to the sentence; nothing once all were."""
    done, every = view.settled(frame, limits()), len(frame) + missing
    if done.all() and not missing:
        place.empty()
        return
    share = float(np.where(done, 1.0, frame["part"]).sum()) / every
    place.progress(min(1.0, share), text=f"{count(int(done.sum()))} of {count(every)} settings tried so far")


# ---- limits ----------------------------------------------------------------------------------


def metric() -> str:
    """The number that the limit on exposure applies to: at the confidence of the page."""
    return "one_value_left" if session.scenario().confidence == 1 else "breach"


def limited_number() -> str:
    """The number whose limit is set here: exposure, or true disclosures if only these have a limit."""
    given, name = session.get("requirements"), metric()
    return f"{name}_correct" if f"{name}_correct" in given and name not in given else name


def limits() -> view.ExposureLimits:
    """The limits on exposure and loss, as set on *Decide*."""
    given = session.get("requirements")
    return view.ExposureLimits(*(given.get(name, math.nan) for name in (metric(), "loss", f"{metric()}_correct", "k")))


def controls() -> None:
    """The rail: whose k a setting changes, and the two limits that the picture shades."""
    widgets.slider("releases", "hold")
    widgets.toggle("linked", "hold")
    words = left(session.scenario().confidence) if limited_number() == metric() else METRICS[limited_number()].words
    _limit(limited_number(), f"{words[:1].upper()}{words[1:]}: at most, %")
    _limit("loss", "Information loss: at most, %")
    st.caption(
        "Your limits, as on *Decide*. Shaded: averages beyond a limit. A hollow dot breaks a limit, or its interval "
        "reaches past one. Small: another setting is better in both."
    )
    given = session.get("requirements")
    kept = [
        with_limit(name, given[name])
        for name in (f"{metric()}_correct", "k")
        if name in given and name != limited_number()
    ]
    other = [METRICS[name].words for name in given if name not in (metric(), "loss", f"{metric()}_correct", "k")]
    also = [f"Also kept: {'; '.join(kept)}."] * bool(kept) + [f"Not checked here: {'; '.join(other)}."] * bool(other)
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


def draw() -> Any:
    """The answer, the picture, and the selected setting; return the place for the number of settings tried."""
    (frame, missing), bounds = known(), limits()
    first, chosen = view.best(frame, bounds, missing), setting(frame, missing)
    words = left(session.scenario().confidence)
    sentence, title = view.sentence(frame, bounds, missing), view.finding(frame, bounds, missing)
    st.markdown(
        f"{sentence}  \n:small[*Exposed*: {words}, of "
        f"{count(session.scenario().overlap)} shared people, once {session.get('releases')} hospitals "
        f"publish{_who_takes_it()}.]"
    )
    place = st.empty()
    show_progress(place, frame, missing)
    state = frame["state"]
    if first is not None:
        state = state.mask((frame["setting"] == first["setting"]) & (state != view.NOW), view.BEST)
    charts.show(
        figures.loss_against_exposure(
            view.within_picture(frame.assign(state=state, kept=bounds.kept(frame))), bounds.shaded, bounds.lost, title
        ),
        key=CHART,
        alt=f"Settings that were tried, loss against exposure: {' '.join(title.split())}. The list names the best.",
        height=charts.MAIN + 60,
        pick=SETTINGS,
        on_pick=_take_click,
    )
    options = list(dict.fromkeys([*view.worth_choosing(frame)["setting"], chosen["setting"]]))
    st.session_state[CHOICE] = chosen["setting"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Setting: click a dot, or choose", options, key=CHOICE, on_change=_take_choice)
        if chosen["state"] != view.NOW:
            unsure = chosen["part"] < 1
            st.button("Make this my release", key="hold:take", type="primary", on_click=take, disabled=bool(unsure))
            if unsure:
                st.caption("Not yet: the interval of this setting is still being computed.")
    if session.workspace().schema.unmodified:
        st.caption("Fewer published columns help too: *Data*, *Published columns* says what each of them adds.")
    if (numbers := view.in_full(chosen)) not in sentence:
        st.caption(f"{'My release now' if chosen['state'] == view.NOW else 'This setting'}: {numbers}.")
    return place


def _who_takes_it() -> str:
    """Who publishes with the k of a setting: everyone, if all have the same k."""
    if session.get("linked"):
        return ", all of them with the k of the setting"
    return f", the others with k = {count(session.get('their_k'))}"


def setting(frame: pd.DataFrame, missing: int) -> pd.Series[Any]:
    """The selected setting: the one chosen, else the best."""
    chosen = frame[frame["setting"] == st.session_state.get(CHOSEN)]
    if len(chosen):
        return chosen.iloc[0]
    first = view.best(frame, limits(), missing)
    return frame[frame["state"] == view.NOW].iloc[0] if first is None else first


def _take_choice() -> None:
    st.session_state[CHOSEN] = st.session_state[CHOICE]


def _take_click() -> None:
    st.session_state[CHOSEN] = charts.picked(CHART)


def take() -> None:
    """Make the selected setting my release."""
    chosen = setting(*known())
    if chosen["part"] < 1:
        return  # the page was drawn before this setting was chosen
    if chosen["setting"] in WAYS:
        ways.take(chosen["setting"])
        return
    line = settings_tried.lines()[chosen["words"]]
    at = at_value(line.study, settings_tried.varied(), int(chosen["k"]))
    session.adopt(line.with_(hospitals=at.hospitals))


def every() -> None:
    """Show all settings that were tried as a table, and offer it as a file."""
    frame, _ = known()
    wanted = limits()
    unknown, inside = (frame["part"] < 1) & ~wanted.broken(frame), wanted.kept(frame)
    keeps = np.where(unknown, "not known", np.where(inside & (frame["part"] >= 1), "yes", "no"))
    draws = (frame["part"] * session.scenario().repeats).round().astype(int)
    table = frame[list(view.COLUMNS)].assign(draws=draws, kept=keeps)
    shares = ["loss", "share", "low", "high"]
    table[shares] = (100 * table[shares]).round(2)
    names = {
        "words": "Classes by",
        "setting": "Setting",
        "loss": "Information loss (%)",
        "share": "Exposed (%)",
        "low": "95% interval from (%)",
        "high": "to (%)",
        "draws": "Draws",
        "kept": "Keeps the limits",
    }
    table = table.rename(columns=names)
    if (frame["part"] < 1).any():
        st.caption(
            "A setting with fewer draws was not tried to the end: it breaks the limits, or loses more than another and "
            "exposes no less. Choose it above to have all draws made."
        )
    widgets.grid(table, "Every setting that was tried")
    widgets.download_csv(table, "Settings that were tried", "hold:frontier")
