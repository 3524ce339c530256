"""Find the setting: the one that costs least under every limit, and how the others that were tried fared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core import Policy, Scenario, words
from core.attack.number import exposures
from core.metrics import MET, METRICS, MORE, ON_AVERAGE
from core.privacy.model import Model
from core.release.algorithm import ALGORITHMS, algorithm_title
from core.review import Assessment, Grid, Search, find_setting, judge
from core.review.find.grid import KS
from pages.review import assumed, baseline
from pages.shared import assessment, leftovers, pins, results, session, widgets
from pages.shared.text import count, percent, plain, safe
from pages.shared.widgets import offered

PLACE = "review:find"
_FOUND = "review:found"
MOST_ROWS = 500
SAME = ("perfect", "breach")
"""Numbers that say how much a setting exposes, where another one is to expose no more."""


@dataclass(frozen=True)
class Ranges:
    """What is searched.

    Parameters
    ----------
    ks, algorithms
        Values to try for my release.
    models
        The same of each further model by its symbol; ``None`` asks for none of it.
    alike
        Whether the others follow.
    on_average
        Whether a limit that is met on average only counts as met.
    """

    ks: tuple[int, ...]
    models: tuple[tuple[str, tuple[float | None, ...]], ...]
    algorithms: tuple[str, ...]
    alike: bool
    on_average: bool

    @property
    def settings(self) -> int:
        """How many combinations there are."""
        return len(self.ks) * math.prod(len(values) for _, values in self.models) * len(self.algorithms)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A search that was made, with what it was made for."""

    scenario: Scenario
    ranges: Ranges
    search: Search


def show() -> None:
    """What is tried, the search, and its outcome."""
    limits = session.scenario().requirements.asked
    if not limits:
        st.caption(
            ":material/info: Set at least one limit under *Limits and verdict*. Without a limit every setting would do."
        )
        st.button(
            "Expose no more than now",
            key=f"{PLACE}:same",
            icon=":material/balance:",
            on_click=as_exposed_as_now,
            help="Sets limits at what the present setting exposes. The search then looks for less loss at the same "
            "exposure.",
        )
        return
    every = "; ".join(words.with_limit(name, limit) for name, limit in limits.items())
    st.markdown(f"Which setting of my release loses least detail and keeps every limit?  \n:small[{every}.]")
    ranges = _ranges()
    if ranges.settings == 0:
        every = "".join(f"of {model.symbol}, " for model in session.possible_models())
        st.caption(f":material/info: Choose at least one value of k, {every}and one algorithm.")
        return
    pressed = st.button(
        f"Search {count(ranges.settings)} settings", key=f"{PLACE}:go", type="primary", icon=":material/search:"
    )
    st.caption("Any other choice on this page stops a search.")
    if pressed:
        wanted = dict(ranges.models)
        with widgets.working("Trying settings") as progress:
            grid = Grid(ranges.ks, wanted.pop("l"), wanted.pop("t"), ranges.algorithms, wanted)
            case = assessment.case(session.scenario())
            search = find_setting(case, grid, progress, alike=ranges.alike, on_average=ranges.on_average)
        st.session_state[_FOUND] = Outcome(session.scenario(), ranges, search)
    _outcome(ranges)


def as_exposed_as_now() -> None:
    """Set the limits on exposure that the present setting keeps with its whole interval."""
    present = assessment.assessed()
    numbers = {name: present.numbers[name] for name in SAME if name in present.numbers}
    session.put("requirements", {name: baseline.relaxed(name, number) for name, number in numbers.items()})


def _ranges() -> Ranges:
    scenario, encoded = session.scenario(), results.encoded()
    mine, most = scenario.mine.policy, session.most_k(encoded.people)
    known = int((encoded.overall > 0).sum())
    ks = sorted({*(k for k in session.and_large(KS) if k <= most), mine.k})
    models: list[tuple[str, tuple[float | None, ...]]] = []
    with st.grid(4, min_column_width=190, gap=("xsmall", "medium")) as grid:
        with grid.cell():
            low, high = st.select_slider("People per class (k)", ks, (ks[0], ks[-1]), key=f"{PLACE}:k:{len(ks)}")
        for model in session.possible_models():
            with grid.cell():
                models.append((model.symbol, _tried(model, mine, known)))
        with grid.cell():
            algorithms = st.multiselect(
                "How classes are formed",
                offered(encoded),
                widgets.compared(encoded, scenario.mine.algorithm),
                key=f"{PLACE}:algorithms",
                format_func=algorithm_title,
                help="The slower ones can be added. They are tried only as far as they may lose less.",
                wrap=True,
            )
    if len(algorithms) > 1:
        st.caption(
            ":material/info: At one k, finer classes lose less and show more. Limits on exposure make algorithms "
            "comparable: of those that keep them, the one that loses least is chosen."
            if any(name in scenario.requirements.asked for name in exposures())
            else ":material/warning: No limit is on exposure. At one k, finer classes lose less and show more, so the "
            "search prefers algorithms that expose more."
        )
    alike = any(hospital.upload is None for hospital in scenario.hospitals[1:])
    if alike:
        alike = st.toggle(
            "The others follow my k, l and t",
            value=bool(session.get("linked")),
            key=f"{PLACE}:alike",
            help="Off: the others keep what is assumed of them now. Files of others stay as they are.",
        )
    else:
        st.caption(widgets.FILES_STAY)
    average = st.toggle(
        "Limits met on average will do",
        key=f"{PLACE}:average",
        help="Off: a limit is kept only where its whole 95 % interval keeps it.",
    )
    return Ranges(tuple(k for k in ks if low <= k <= high), tuple(models), tuple(algorithms), alike, average)


def _tried(model: Model, mine: Policy, known: int) -> tuple[float | None, ...]:
    """Ask what to try of a model: the present value among it."""
    first, present = model.parameters[0], mine.values[model.symbol]
    offered: list[float | None] = [None, *(limit for limit in first.tried if not first.of_values or limit <= known)]
    offered += [present] if present not in offered else []
    chosen = [value for value in offered if value == present or (first.of_values and value in (None, 2, 3))]
    return tuple(
        st.multiselect(
            model.tried_label(mine.values),
            offered,
            chosen,
            key=f"{PLACE}:{model.symbol}:{hash((*offered, *chosen))}",
            format_func=_or_none,
            wrap=True,
        )
    )


def _or_none(value: float | None) -> str:
    return "not asked" if value is None else f"{value:g}"


# ---- the outcome -----------------------------------------------------------------------------


def _outcome(ranges: Ranges) -> None:
    result: Outcome | None = st.session_state.get(_FOUND)
    if result is None:
        return
    present = session.scenario()
    if result.scenario.data_id != present.data_id or result.scenario.schema != present.schema:
        return
    best = result.search.best
    if present not in (result.scenario, best) or result.ranges != ranges:
        st.caption(":material/update: This outcome is of an earlier search, under other limits or assumptions.")
    st.markdown(sentence(result.search, result.scenario))
    if text := compared(result.search):
        st.markdown(text)
    near = result.search.nearest
    if best is not None and result.search.assessment is not None:
        _offer(best, result.search.assessment, "Use it")
    elif near is not None:
        relax = {name: baseline.relaxed(name, near.assessment.numbers[name]) for name in near.misses}
        if relax:
            limits = "; ".join(words.with_limit(name, limit) for name, limit in relax.items())
            st.markdown(f":material/tune: It keeps every limit if you relax these: **{limits}**.")
        _offer(near.scenario, near.assessment, "Use it all the same")
    st.caption("\n".join(f"- {safe(sentence, 600)}" for sentence in result.search.assumptions))
    frame = shown(result.search)
    st.dataframe(frame.head(MOST_ROWS), hide_index=True, height=420, alt="Every setting that was tried")
    if frame.select_dtypes("number").isna().any(axis=None):
        st.caption("“None” stands where a number was not worked out, because another limit is broken already.")
    widgets.download_csv(frame, "Settings that were tried", "review:tried", "Download the settings as CSV")


def sentence(search: Search, scenario: Scenario) -> str:
    """What came out, for Markdown."""
    tried = len(search.tried)
    if search.best is not None and search.assessment is not None:
        return (
            f"**{assumed.my_release(search.best)}** keeps every limit{_average(search)} and loses least, of "
            f"{words.several(tried, 'setting')}: {_numbers(search.assessment, scenario)}."
        )
    if search.nearest is None:
        return f"This table allows none of {words.several(tried, 'setting')}."
    near = search.nearest
    if not near.misses:
        return (
            f"**None** of {count(tried)} settings keeps every limit with its whole interval. "
            f"**{assumed.my_release(near.scenario)}** keeps them on average and loses least: "
            f"{_numbers(near.assessment, scenario)}."
        )
    limits = scenario.requirements.asked
    missed = ", ".join(
        f"{words.metric_name(name)} is {words.beside_limit(name, near.assessment.numbers[name].value, limits[name])}, "
        f"the limit {words.limit_words(name, limits[name])}"
        for name in near.misses
    )
    return (
        f"**None** of {count(tried)} settings keeps every limit. Nearest comes "
        f"**{assumed.my_release(near.scenario)}**: {missed}."
    )


def compared(search: Search) -> str:
    """What each algorithm needs to lose under the same limits, for Markdown; "" where one was tried or none will do."""
    if search.best is None or search.tried["algorithm"].nunique() < 2:
        return ""
    leads = {str(row["algorithm"]): row for row in search.tried[search.tried["leads"]].to_dict("records")}
    chosen = search.best.mine.algorithm
    least = float(leads[chosen]["loss"])
    attacked = search.risk in exposures() and search.risk in search.tried
    lines = [f"- {_lead(search, chosen, leads[chosen], attacked)}"]
    for name in map(str, search.tried["algorithm"].unique()):
        if name not in leads:
            lines.append(f"- {ALGORITHMS[name].short}: no setting that was tried keeps every limit and loses less.")
        elif name != chosen:
            loss = float(leads[name]["loss"])
            less = f" **{percent(1 - least / loss)} less** with {ALGORITHMS[chosen].phrase}." if loss > least else ""
            lines.append(f"- {_lead(search, name, leads[name], attacked)}{less}")
    head = (
        f"**Same limits, less loss.** {words.adversary(search.best.locate)} The least that each algorithm loses while "
        "it keeps every limit:"
    )
    if not attacked:
        head += " No limit is on exposure, so nothing says that they expose as much."
    return "\n".join([head, "", *lines])


def _lead(search: Search, name: str, row: dict[Any, Any], attacked: bool) -> str:
    """One algorithm's best setting, what it loses, and what it exposes."""
    parameters = [("k", row["k"]), *((model.symbol, row[model.symbol]) for model in session.possible_models())]
    signs = ", ".join(f"{symbol}{words.IS}{value:g}" for symbol, value in parameters if not pd.isna(value))
    exposed = (
        f"; {words.metric_name(search.risk)}: {words.metric_value(search.risk, row[search.risk])}" if attacked else ""
    )
    return f"{ALGORITHMS[name].short} ({signs}) loses **{percent(float(row['loss']))}**{exposed}."


def _average(search: Search) -> str:
    """Whether that is known with the whole interval."""
    assert search.assessment is not None
    return " **on average only**" if judge(search.assessment).verdict == ON_AVERAGE else ""


def _numbers(assessed: Assessment, scenario: Scenario) -> str:
    """The loss, and every number that has a limit with its interval and what it must be compared with."""
    names = dict.fromkeys(["loss", *scenario.requirements.asked])
    parts = []
    for name in (name for name in names if name in assessed.numbers):
        number = assessed.numbers[name]
        beside = ", ".join(filter(None, [words.interval_words(name, number), *words.baselines(number)]))
        limit = scenario.requirements.asked.get(name)
        value = words.metric_value(name, number.value)
        if limit is not None:
            value = words.beside_limit(name, number.value, limit)
        people = f" of {count(number.n)} {number.of}" if METRICS[name].kind == "share" and beside else ""
        parts.append(
            f"{words.metric_name(name, scenario.confidence)}: {value}{people}{f' ({beside})' if beside else ''}"
        )
    return "; ".join(parts)


def _offer(scenario: Scenario, assessed: Assessment, label: str) -> None:
    with st.container(horizontal=True):
        st.button(
            "Pin it",
            key=f"{PLACE}:pin",
            icon=":material/push_pin:",
            on_click=_pin,
            args=leftovers.leave(f"{PLACE}:pin", scenario, assessed),
        )
        st.button(
            label,
            key=f"{PLACE}:use",
            icon=":material/check:",
            on_click=_adopt,
            args=leftovers.leave(f"{PLACE}:use", scenario),
            help="Makes it the present setting, on every page.",
        )


def _adopt(name: str) -> None:
    session.adopt(leftovers.left(name))


def _pin(name: str) -> None:
    scenario, assessment_of = leftovers.left(name)
    pins.say(pins.add("", scenario, assessment_of))


def shown(search: Search) -> pd.DataFrame:
    """The settings that were tried, in words, best first; what is the same in all, or not worked out, is left out."""
    tried = search.tried.loc[_order(search)].reset_index(drop=True)
    columns: dict[str, Any] = {"k": tried["k"]}
    settings = {
        model.symbol: [_or_none(None if pd.isna(value) else value) for value in tried[model.symbol]]
        for model in session.possible_models()
    }
    settings |= {"Classes": [ALGORITHMS[name].short for name in tried["algorithm"]]}
    columns |= {name: values for name, values in settings.items() if len(set(values)) > 1}
    columns["Keeps every limit"] = [_kept(row) for row in tried.to_dict("records")]
    for name in sorted((name for name in METRICS if name in tried), key=_place):
        share = METRICS[name].kind == "share"
        values = pd.to_numeric(tried[name], errors="coerce")
        columns[words.metric_name(name) + (" (%)" if share else "")] = (100 * values if share else values).round(2)
    columns["Breaks"] = [
        ", ".join(words.metric_name(name) for name in str(text).split(", ") if name in METRICS)
        for text in tried["fails"]
    ]
    columns["Redraws"] = tried["redraws"]
    columns["Why not"] = [plain(why, 200) if why else "" for why in tried["why"]]
    frame = pd.DataFrame(columns)
    return frame[[name for name in frame if not (frame[name].isna() | (frame[name] == "")).all()]]


def _place(metric: str) -> int:
    """Cost first, then exposure and what is expected, then what the release promises."""
    return ("cost", "exposure", "anticipated", "guarantee").index(METRICS[metric].group)


def _order(search: Search) -> pd.Index:
    """What keeps every limit, the cheapest first; then what misses least."""
    tried, near = search.tried, search.nearest
    missed = pd.Series(0.0, index=tried.index)
    for name, limit in ({} if near is None else near.scenario.requirements.asked).items():
        over = pd.to_numeric(tried[name], errors="coerce") - limit
        over = -over if METRICS[name].better == MORE else over
        scale = 1.0 if METRICS[name].kind == "share" else max(limit, 1.0)
        missed += (over.clip(lower=0) / scale).fillna(1.0)
    order = pd.DataFrame({"broken": ~tried["meets"].astype(bool), "missed": missed, "loss": tried["loss"]})
    return order.sort_values(["broken", "missed", "loss"], kind="stable").index


def _kept(row: dict[Any, Any]) -> str:
    """Whether a setting keeps every limit, and whether that is an estimate."""
    if row["verdict"] == MET:
        return "✓ yes"
    if row["verdict"] == ON_AVERAGE:
        return "≈ on average only" if row["exact"] else "≈ on average, by an estimate"
    return "× no"
