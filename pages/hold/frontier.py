"""The frontier: every setting that was tried, loss against exposure; one of them becomes my release."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError, Scenario
from core.base.arrays import Progress
from core.base.words import left
from core.figures import written as figures
from core.figures.loss_exposure import SETTINGS
from core.release.algorithm import ALGORITHMS
from core.release.utility import gcp
from core.study.hold import stricter
from core.study.vary import at_value
from pages.hold import numbers, view
from pages.shared import charts, results, session, widgets
from pages.shared.frames import row_at
from pages.shared.text import count

CHART, CHOICE, CHOSEN = "hold:frontier", "hold:setting", "hold:chosen"
LS = (3, 5)
OTHERS = {numbers.AGREED: "Agreed list", numbers.ALONE: "Agreed list, mine only", numbers.TRUTHFUL: "Truthful, noise"}
"""Ways that have no k to vary here: one dot each."""


# ---- what is tried ---------------------------------------------------------------------------


def lines() -> dict[str, Scenario]:
    """Scenarios that are tried over k, by the words of their line; the present one first."""
    scenario, encoded = session.scenario(), results.encoded()
    mine = scenario.mine
    names = [mine.algorithm, *(name for name in widgets.compared(encoded, mine.algorithm) if name != mine.algorithm)]
    chosen = {_words(name): _formed_by(scenario, name) for name in names if ALGORITHMS[name].providers != "needed"}
    several = [least for least in LS if (mine.policy.l or 1) < least <= numbers.most_l()]
    given = {_words(mine.algorithm, least): _asking(scenario, least) for least in several}
    first = next(iter(chosen))
    return {first: chosen[first], **given, **chosen}


def _series(words: str, mine: str) -> str:
    """The colour of a line: mine, agreed lists and noise, or another way to form classes."""
    if words in OTHERS.values():
        return "other release"
    return "my release" if words == mine or words.startswith(f"{mine}, ") else "guessing"


def _words(algorithm: str, least: int | None = None) -> str:
    return ALGORITHMS[algorithm].short + (f", l = {least}" if least else "")


def _formed_by(scenario: Scenario, algorithm: str) -> Scenario:
    mine, *others = scenario.hospitals
    return scenario.with_(hospitals=(replace(mine, algorithm=algorithm), *others))


def _asking(scenario: Scenario, least: int) -> Scenario:
    """Distinct l given of my release, and of the others where they ask what I ask."""
    given = stricter(scenario.study, l=least, diversity="distinct", c=None)
    theirs = given.hospitals[1:] if session.get("their_models") else scenario.hospitals[1:]
    return scenario.with_(hospitals=(given.hospitals[0], *theirs))


def varied() -> str:
    """Whose k is varied: that of all, where all have the same."""
    return "k" if session.get("linked") else "my k"


def of_line(words: str, scenario: Scenario, repeats: int, progress: Progress | None = None) -> pd.DataFrame:
    """The settings of one line, over k; a refusal of core is an empty frame."""
    vary, ks = varied(), results.k_points(varied())
    made = results.mine_at(scenario, vary, ks)
    frame = results.curve(vary, ks, repeats, progress, scenario)
    frame = frame[frame["confidence"] == scenario.confidence]
    loss = dict(zip(ks, map(gcp, made), strict=True))
    return pd.DataFrame(
        {
            "words": words,
            "setting": [f"k = {count(k)}, {words[:1].lower()}{words[1:]}" for k in frame["value"]],
            "k": frame["value"].astype(int),
            "loss": [loss[k] for k in frame["value"]],
            "share": frame["share"],
            "low": frame["low"],
            "high": frame["high"],
        }
    )


def present() -> pd.DataFrame:
    """The present setting, whether or not its k is one of those tried."""
    scenario = session.scenario()
    row = row_at(results.headline_so_far(), "confidence", scenario.confidence)
    words = next(iter(lines()))
    name = f"k = {count(scenario.mine.policy.k)}, {words[:1].lower()}{words[1:]}"
    numbers_of = {"loss": gcp(results.my_release().release), **{end: row[end] for end in ("share", "low", "high")}}
    return pd.DataFrame(
        [{"words": words, "setting": name, "k": scenario.mine.policy.k, **numbers_of, "state": view.NOW}]
    )


def of_way(name: str) -> pd.DataFrame:
    """The dot of an agreed list or a truthful table at the present number of hospitals, where that is known."""
    hospitals = int(session.get("releases"))
    column = "one" if session.scenario().confidence == 1 else "few"
    if name == numbers.TRUTHFUL:
        if not numbers.truthful_known():
            return pd.DataFrame()
        outcome = numbers.truthful()
        frame, loss = outcome.frame, outcome.loss
    else:
        way = numbers.way(name)
        known = None if way.scenario is None else numbers.known(way)
        if known is None:
            return pd.DataFrame()
        frame, loss = known, numbers.loss(way)
    at = frame[frame["releases"] == hospitals]
    if not len(at):
        return pd.DataFrame()
    dot = {"words": OTHERS[name], "setting": OTHERS[name], "k": 0, "loss": loss, "share": at[column].iloc[0]}
    return pd.DataFrame([{**dot, "low": math.nan, "high": math.nan}])


def known() -> pd.DataFrame:
    """All settings that are worked out so far, each line from as many redraws as it has, numbered by ``place``."""
    scenario, frames = session.scenario(), [present()]
    vary, ks = varied(), results.k_points(varied())
    for words, line in lines().items():
        done = [r for r in (scenario.repeats, 1) if results.is_remembered(results.curve_key(vary, ks, r, line))]
        if done:
            frame = of_line(words, line, done[0])
            frames.append(frame[(frame["k"] != scenario.mine.policy.k) | (words != frames[0]["words"].iloc[0])])
    frames += [of_way(name) for name in OTHERS]
    tried = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    tried["state"] = tried["state"].fillna("")
    order = {words: number for number, words in enumerate(dict.fromkeys(tried["words"]))}
    tried = tried.assign(order=[order[words] for words in tried["words"]]).sort_values(
        ["order", "k"], kind="stable", ignore_index=True
    )
    mine = frames[0]["words"].iloc[0]
    series = [_series(words, mine) for words in tried["words"]]
    return tried.drop(columns="order").assign(place=range(len(tried)), series=series)


def steps(repeats: int) -> Iterator[str]:
    """Work out line after line with so many redraws; after each, its words. What cannot be met is left out."""
    vary, ks = varied(), results.k_points(varied())
    for words, line in lines().items():
        if results.is_remembered(results.curve_key(vary, ks, repeats, line)):
            continue
        try:
            with widgets.working(f"Trying: {words}", st.sidebar) as progress:
                of_line(words, line, repeats, progress)
        except CompositionError:
            continue
        yield words


# ---- limits ----------------------------------------------------------------------------------


def metric() -> str:
    """The number that a limit on exposure is set for: at the confidence of the page."""
    return "perfect" if session.scenario().confidence == 1 else "breach"


def limits() -> view.ExposureLimits:
    """The limits on exposure and loss, as *Decide* has them."""
    given = session.get("requirements")
    return view.ExposureLimits(given.get(metric(), math.nan), given.get("loss", math.nan))


def controls() -> None:
    """The rail: the two limits that the picture shades."""
    widgets.slider("releases", "hold")
    words = left(session.scenario().confidence)
    _limit(metric(), f"{words[:1].upper()}{words[1:]}: at most, %")
    _limit("loss", "Information loss: at most, %")
    st.caption("These are your limits, as on *Decide*. What breaks one is shaded. Empty: no limit.")


def _limit(name: str, label: str) -> None:
    given: dict[str, float] = session.get("requirements")
    value = round(100 * given[name], 6) if name in given else None
    key = widgets.key_showing(f"widget:hold:limit:{name}", value)

    def store() -> None:
        if not widgets.only_says_what_it_showed(key):
            st.session_state.pop(CHOSEN, None)
            given = st.session_state[key]
            rest = {other: limit for other, limit in session.get("requirements").items() if other != name}
            session.put("requirements", rest if given is None else {**rest, name: float(given) / 100})

    st.number_input(label, 0.0, 100.0, step=1.0, format="%.1f", key=key, on_change=store, placeholder="no limit")


# ---- drawing ---------------------------------------------------------------------------------


def draw() -> None:
    """The answer, the picture, and the setting that is looked at, as far as they are known."""
    frame, bounds = known(), limits()
    chosen = setting(frame)
    words = left(session.scenario().confidence)
    st.markdown(
        f"{view.sentence(frame, bounds)}  \n:small[*Exposed*: {words}, of {count(session.scenario().overlap)} shared "
        f"people, once {session.get('releases')} hospitals publish.]"
    )
    marked = frame["state"].mask((frame["setting"] == chosen["setting"]) & (frame["state"] == ""), view.CHOSEN)
    shown, beyond = view.within_picture(frame.assign(state=marked), bounds)
    charts.show(
        figures.loss_against_exposure(shown, bounds.exposed, bounds.lost),
        key=CHART,
        alt="Settings that were tried: information loss against shared people exposed. The list below names the best.",
        height=charts.MAIN,
        pick=SETTINGS,
        on_pick=_take_click,
    )
    options = list(dict.fromkeys([*view.worth_choosing(frame)["setting"], chosen["setting"]]))
    st.session_state[CHOICE] = chosen["setting"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Setting: click a dot, or choose", options, key=CHOICE, on_change=_take_choice)
        if chosen["setting"] == OTHERS[numbers.TRUTHFUL]:
            st.page_link("pages/noise/page.py", label="Draw it", icon=":material/blur_on:")
        elif chosen["state"] != view.NOW:
            st.button("Make this my release", key="hold:take", type="primary", on_click=take)
    about = "My release now" if chosen["state"] == view.NOW else "This setting"
    st.caption(f"{about}: {view.numbers(chosen)}.{beyond}")


def setting(frame: pd.DataFrame) -> pd.Series[Any]:
    """The setting that is looked at: the one chosen, else the best."""
    chosen = frame[frame["setting"] == st.session_state.get(CHOSEN)]
    if len(chosen):
        return chosen.iloc[0]
    first = view.best(frame, limits())
    return frame[frame["state"] == view.NOW].iloc[0] if first is None else first


def _take_choice() -> None:
    st.session_state[CHOSEN] = st.session_state[CHOICE]


def _take_click() -> None:
    place, frame = charts.picked(CHART), known()
    if place is not None and place < len(frame):
        st.session_state[CHOSEN] = frame["setting"].iloc[place]


def take() -> None:
    """Make the setting that is looked at my release."""
    frame = known()
    chosen = setting(frame)
    way = next((name for name, words in OTHERS.items() if words == chosen["setting"]), None)
    if way is not None:
        numbers.take(way)
        return
    line = lines()[chosen["words"]]
    session.adopt(line.with_(hospitals=at_value(line.study, varied(), int(chosen["k"])).hospitals))


def every() -> None:
    """All settings as a table."""
    frame, bounds = known(), limits()
    table = frame[list(view.COLUMNS)].assign(kept=["yes" if inside else "no" for inside in bounds.kept(frame)])
    shares = ["loss", "share", "low", "high"]
    table[shares] = (100 * table[shares]).round(2)
    names = {
        "words": "Classes by",
        "setting": "Setting",
        "loss": "Information loss (%)",
        "share": "Exposed (%)",
        "low": "95 % interval from (%)",
        "high": "to (%)",
        "kept": "Keeps the limits",
    }
    table = table.rename(columns=names)
    widgets.grid(table, "Every setting that was tried")
    widgets.download_csv(table, "Settings that were tried", "hold:frontier")
